/* exact.h: Gauss-Seidel over groups that are each solved exactly; also the first thing that
 * `auto` tries. */
#ifndef SS_SOLVER_EXACT_H
#define SS_SOLVER_EXACT_H

#include "solver/anderson.h"
#include "solver/local.h"
#include "solver/run.h"

typedef struct ss_exact {
    double relaxation;
    int acceleration; /* steps that Anderson's acceleration remembers; 0: none */
    int order;        /* ss_sweep_order */

    ss_arena arena; /* everything below */
    int capacity_groups, capacity_rows, capacity_diagonal;
    ss_local_contact *contacts; /* n_groups */
    double *inverse;            /* of the G_gg that are not contacts, as ss_gathered.diagonal */
    bool *has_inverse;          /* n_groups */
    double *weight;             /* n_rows: 1/√r */
    double *swept;              /* n_rows: P after a sweep */
    double *met; /* n_rows, contacts of one kind: c + Σ G P of the others, when visited */
    ss_anderson anderson;
    int sweeps;    /* since ss_exact_prepare */
    bool is_fresh; /* no sweep since it began, or began anew */
    double ratio;  /* residual / step of a sweep; 0: not known */
    int next;      /* sweep that is judged in any case */
} ss_exact;

/* Memory and the local problems of a gathered inclusion. */
ss_status ss_exact_prepare(ss_exact *exact, ss_run *run);
void ss_exact_release(ss_exact *exact);
/* Forgets the sweeps before: run->P is now another. */
void ss_exact_restart(ss_exact *exact, const ss_run *run);

/* Sweeps on run->P until it is solved or `most` sweeps are made. */
void ss_exact_iterate(ss_exact *exact, ss_run *run, int most);

#endif
