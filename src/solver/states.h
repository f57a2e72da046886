/* states.h: the laws of a planar inclusion as states, open and closed, stick and slip. In each
 * combination of states the impulses follow from linear equations. */
#ifndef SS_SOLVER_STATES_H
#define SS_SOLVER_STATES_H

#include "solver/methods.h"

/* run->scaled, with memory for factors. State 0, 1, … of
 *   a contact    open, stick, slip with P_T = μ P_N, slip with P_T = -μ P_N
 *   a half line  open, closed
 *   an interval  inside, at its upper, at its lower end
 *   a free block its only one */
ss_status ss_states_prepare(ss_run *run, int **state);

/* Solves K x = rhs for a combination of states, with new factors of scaled->K, which is written
 * here, and rhs, too; laws that say the same get a trace of compliance. */
bool ss_states_solve(ss_run *run, const int *state, double *rhs, double *x);

#endif
