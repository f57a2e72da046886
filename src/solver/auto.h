/* auto.h: the solver that chooses. */
#ifndef SS_SOLVER_AUTO_H
#define SS_SOLVER_AUTO_H

#include <stickslip/solver.h>

extern const ss_solver_ops ss_solver_type_auto;

#endif
