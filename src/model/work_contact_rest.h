/* work_contact_rest.h: heaps of bodies that rest, in the general form of a step's inclusion. */
#ifndef SS_MODEL_WORK_CONTACT_REST_H
#define SS_MODEL_WORK_CONTACT_REST_H

#include "model/work.h"

/* Systems that percussions join, named by where the velocities of the first one begin. */
typedef struct ss_heap {
    double error;     /* how far zero velocity is from solving the inclusion, √J */
    double reference; /* to which that is compared, √J */
    bool taken;       /* into the part that is solved; else it sleeps */
} ss_heap;

/* A part of the inclusion. */
typedef struct ss_part {
    ss_inclusion inclusion;
    ss_arena arena; /* of what follows, but for velocities */
    int room_blocks, room_rows, room_factors;
    ss_block *blocks;
    int *factor_start;
    ss_factor *factors;
    double *b, *P;
    int *place;         /* by blocks of the whole: in the part, -1: not there */
    double *r;          /* by blocks of the whole (inclusion/residual.h) */
    double *u_free, *u; /* n_u */
} ss_part;

typedef struct ss_rest {
    ss_heap *heaps;   /* n_u */
    double *u;        /* n_u: zero, but for prescribed motions */
    double *u_left;   /* n_u: u_free + M⁻¹WP */
    ss_part part;
    ss_solver *exact; /* for heaps that seem to rest */
} ss_rest;

ss_status ss_rest_create(ss_work *work, ss_rest **rest);
void ss_rest_destroy(ss_rest *rest);
/* As ss_solver_solve of the work's inclusion: work->P is the guess and becomes the solution. */
ss_status ss_rest_solve(ss_work *work, ss_rest *rest, const ss_state *B, double *u_E,
                        ss_solve_report *report);

#endif
