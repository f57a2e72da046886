/* states.h: the laws of a planar inclusion as states, open and closed, stick and slip. In each
 * combination of states the impulses follow from linear equations. */
#ifndef SS_SOLVER_STATES_H
#define SS_SOLVER_STATES_H

#include "solver/scaled.h"

/* State 0, 1, … of
 *   a contact    open, stick, slip with P_T = μ P_N, slip with P_T = -μ P_N
 *   a half line  open, closed
 *   an interval  inside, at its upper, at its lower end
 *   a free block its only one */
int ss_states_of(ss_set_kind kind, bool contact);

/* NULL when all blocks have such states, else the reason. */
const char *ss_states_refuse(const ss_inclusion *inclusion);

/* The rows of group k in a state, into scaled->K, which holds A there, and right-hand sides. */
void ss_states_write(ss_scaled *scaled, const ss_run *run, int k, int state, double *rhs);

/* Solves K x = rhs with new factors; laws that say the same get a trace of compliance. */
bool ss_states_solve(ss_scaled *scaled, const ss_run *run, const double *rhs, double *x);

#endif
