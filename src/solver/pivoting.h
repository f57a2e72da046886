/* pivoting.h: methods that end after a finite number of linear solves. */
#ifndef SS_SOLVER_PIVOTING_H
#define SS_SOLVER_PIVOTING_H

#include <stickslip/solver.h>

extern const ss_solver_ops ss_solver_type_lemke, ss_solver_type_funk, ss_solver_type_enumeration;

#endif
