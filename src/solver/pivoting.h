/* pivoting.h: methods that end after a finite number of linear solves. */
#ifndef SS_SOLVER_PIVOTING_H
#define SS_SOLVER_PIVOTING_H

#include "solver/scaled.h"

/* Funk's path with at most so many changes of state; `scaled` is made here and released by the
 * owner. */
ss_status ss_funk_iterate(ss_scaled *scaled, ss_run *run, int most);

extern const ss_solver_ops ss_solver_type_lemke, ss_solver_type_funk, ss_solver_type_enumeration;

#endif
