/* methods.h: the solvers that run on a gathered inclusion, and what they lend each other. */
#ifndef SS_SOLVER_METHODS_H
#define SS_SOLVER_METHODS_H

#include "solver/run.h"

extern const ss_method ss_method_auto, ss_method_exact, ss_method_interior, ss_method_alart_curnier,
    ss_method_fischer_burmeister, ss_method_proximal, ss_method_woesle_pfeiffer, ss_method_admm,
    ss_method_nesterov, ss_method_uzawa, ss_method_lemke, ss_method_funk, ss_method_enumeration,
    ss_method_gamma;

/* At most `most` iterations of the interior point method, from the middle of the cones. The
 * inclusion has Coulomb contacts and free blocks only. */
ss_status ss_interior_iterate(ss_run *run, int most);

/* NULL when Alart and Curnier's equations know the sets of the inclusion, else the reason. */
const char *ss_newton_refuses(const ss_inclusion *inclusion);
/* Alart and Curnier's equations from the best P that another method has found: Newton's steps, then
 * about `most` in proximal ones. */
ss_status ss_newton_cross_over(ss_run *run, int most);

/* NULL when all laws have states (states.h), else the reason. */
const char *ss_states_refuse(const ss_inclusion *inclusion);
/* Funk's path with at most so many changes of state. */
ss_status ss_funk_iterate(ss_run *run, int most);

#endif
