/* expansion.h: contacts of shapes for simulations that follow every law through time.
 *
 * Such a simulation works on the expanded model (model/expanded.h), in which each contact has laws of its own. This
 * one stands before it: its states are those of the scene's model, and what the other has to remember beside is in their
 * memory. */
#ifndef SS_SIMULATION_EXPANSION_H
#define SS_SIMULATION_EXPANSION_H

#include "assembly/sources/expanded.h"
#include "simulation/simulation.h"

struct ss_expansion {
    ss_expanded *expanded;
    ss_simulation *inner; /* on the expanded model */
    ss_state *found;      /* of the model */
};

ss_status ss_expansion_create(ss_simulation *simulation, ss_solver *solver, const ss_args *args,
                              const ss_scope *scope);
void ss_expansion_destroy(ss_simulation *simulation);
/* Numbers that a state has to remember. */
size_t ss_expansion_memory(const ss_simulation *simulation);
/* Writes the state in which the inner simulation is into the memory of a state of the model. */
void ss_expansion_save(const ss_simulation *simulation, ss_state *state);
/* One accepted step. */
ss_status ss_expansion_advance(ss_simulation *simulation);

#endif
