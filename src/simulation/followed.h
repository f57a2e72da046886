/* followed.h: steps of schemes that follow contacts of shapes (SS_CONTACTS_FOLLOWED).
 *
 * Contacts are detected once, where a step begins, as far as they may close within it. The step is then one of a model in
 * which each of them is an element (assembly/sources/expanded.h). Nothing is remembered from step to step: what a step
 * needs of the one before it, impulses and modes of the contacts, is in the state. */
#ifndef SS_SIMULATION_FOLLOWED_H
#define SS_SIMULATION_FOLLOWED_H

#include "simulation/simulation.h"

/* Refuses what the scheme cannot treat. */
ss_status ss_followed_create(ss_simulation *simulation, ss_solver *solver);
void ss_followed_destroy(ss_simulation *simulation);
ss_status ss_followed_step(ss_simulation *simulation, const ss_state *B, double dt, ss_state *E,
                           ss_solve_report *report);
/* The work of the last step. */
const ss_work *ss_followed_work(const ss_simulation *simulation);

#endif
