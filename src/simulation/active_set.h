/* active_set.h: the inside of an analysis. */
#ifndef SS_SIMULATION_ACTIVE_SET_H
#define SS_SIMULATION_ACTIVE_SET_H

#include "assembly/work.h"
#include "base/arena.h"

#include <stickslip/active_set.h>

/* What the caller gets is the first member. */
typedef struct ss_analysed {
    ss_active_set set;
    ss_arena arena;  /* everything */
    ss_work *work;   /* with the inclusion of the step */
    ss_work *own;    /* the same, where the simulation follows contacts; else NULL */
    const double *u; /* velocities at the state */
    double *h;       /* forces there */
} ss_analysed;

/* Existence and uniqueness of accelerations (active_set_painleve.c). */
ss_status ss_analysed_painleve(ss_analysed *a);

#endif
