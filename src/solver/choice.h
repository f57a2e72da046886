/* choice.h: which impulses, where there are many: ss_forces. */
#ifndef SS_SOLVER_CHOICE_H
#define SS_SOLVER_CHOICE_H

#include "rows/freedom.h"
#include "set/set.h"

#include <stickslip/solver.h>

extern const ss_key ss_solver_common_keys[];

/* Another inclusion in place of the given one, and what is needed to return. */
typedef struct ss_substitute {
    ss_inclusion inclusion;
    ss_arena arena; /* everything; filled anew for every solve */
    ss_context *context;
    ss_inclusion *assembled; /* owned, or NULL */
    double *P, *u;           /* of the substitute */
    int *row;                /* n_rows: row of the given inclusion */
} ss_substitute;

void ss_substitute_release(ss_substitute *substitute);
/* Adds s / rigidity to the diagonal of G; in factored form every block pushes a mass of its own
 * besides. */
ss_status ss_substitute_regularized(ss_substitute *substitute, ss_context *context,
                                    const ss_inclusion *inclusion, double s);
/* Whether the springs of the solution in t->P, t->u do more than the error of the solve: if not, it
 * is some solution of the given inclusion, and not theirs. */
bool ss_substitute_shows(const ss_substitute *substitute, const ss_inclusion *given, double s);
/* Half lines and the frictions they scale become friction cones. SS_UNSUPPORTED when a friction is
 * neither planar nor round. */
ss_status ss_substitute_cones(ss_substitute *substitute, ss_context *context,
                              const ss_inclusion *inclusion);

/* A choice, and its memory; grows, never shrinks. */
typedef struct ss_choice {
    ss_freedom freedom;
    const ss_inclusion *inclusion;
    ss_forces forces;
    ss_arena arena; /* everything below */
    int capacity_rows, capacity_u, capacity_d;
    double *Q, *q, *x; /* x serves as scratch before */
    double *P, *v, *before, *u;
} ss_choice;

/* Moves the solution of a call, found to `tolerance`, to the one that `forces` wants.
 * report->chosen says whether it was reached; if not, P and u are as they were. */
ss_status ss_choice_select(ss_choice *choice, ss_context *context, const ss_solve_call *call,
                           ss_forces forces, double tolerance);
void ss_choice_release(ss_choice *choice);

#endif
