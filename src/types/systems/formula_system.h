/* formula_system.h: what the two systems given by expressions share. */
#ifndef SS_TYPES_SYSTEMS_FORMULA_SYSTEM_H
#define SS_TYPES_SYSTEMS_FORMULA_SYSTEM_H

#include "types/systems/derive.h"

/* First member of the types' own structs. */
typedef struct ss_formula_system {
    int nq, nu;
    const ss_formula *mass, *h, *load, *potential, *F, *derivatives;
} ss_formula_system;

typedef struct ss_formula_system_nodes {
    ss_system_nodes system;
    const ss_node *mass; /* nu × nu */
    const ss_node *h;    /* nu */
    const ss_node *load; /* nu, or NULL: none */
    const ss_node *potential;
    const ss_node *F; /* nq × nu, or NULL: identity */
} ss_formula_system_nodes;

ss_status ss_formula_system_coordinates(ss_setup *setup, const ss_texts *names);
ss_status ss_formula_system_velocities(ss_setup *setup, const ss_texts *names);
ss_status ss_formula_system_compile(ss_setup *setup, const ss_formula_system_nodes *nodes,
                                    ss_formula_system *self);

ss_status ss_formula_system_mass(const void *self, const ss_at *at, double *M);
ss_status ss_formula_system_h(const void *self, const ss_at *at, double *h);
ss_status ss_formula_system_load(const void *self, const ss_at *at, double *Q);
ss_status ss_formula_system_potential(const void *self, const ss_at *at, double *V);
ss_status ss_formula_system_F(const void *self, const ss_at *at, double *F);
ss_status ss_formula_system_derivatives(const void *self, const ss_at *at, double *dhdq,
                                        double *dhdu);

#endif
