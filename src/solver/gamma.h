/* gamma.h: the γ-equations. */
#ifndef SS_SOLVER_GAMMA_H
#define SS_SOLVER_GAMMA_H

#include <stickslip/solver.h>

extern const ss_solver_ops ss_solver_type_gamma;

#endif
