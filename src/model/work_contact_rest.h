/* work_contact_rest.h: heaps of bodies that rest, in the general form of a step's inclusion. */
#ifndef SS_MODEL_WORK_CONTACT_REST_H
#define SS_MODEL_WORK_CONTACT_REST_H

#include "model/work.h"

/* Systems that percussions join, named by the first one. It sleeps when it has no velocity and zero velocity solves its part
 * of the inclusion again, with the percussions of the step before. */
typedef struct ss_heap {
    double error;     /* how far zero velocity is from that, √J */
    double reference; /* to which that is compared, √J */
    bool awake;       /* it is solved */
} ss_heap;

/* What may be called exact, in parts of the reference. Solvers come near to zero velocities without ever reaching them: every
 * PATIENCE steps heaps that seem to rest, with NEAR times the error of the solution at most, are solved so well. */
#define SS_REST_EXACT 1e-9
enum { SS_REST_PATIENCE = 16, SS_REST_NEAR = 16 };

static inline bool ss_heap_rests(const ss_heap *heap)
{
    return heap->error <= SS_REST_EXACT * heap->reference;
}

static inline bool ss_heap_seems_to_rest(const ss_heap *heap, const ss_solve_report *report)
{
    return !ss_heap_rests(heap) && heap->error <= SS_REST_NEAR * report->residual.absolute;
}

/* A part of the inclusion. */
typedef struct ss_part {
    ss_inclusion inclusion;
    ss_solver *solver;
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
    ss_work *work;
    ss_heap *heaps;   /* n_u: by where the velocities of their first systems begin */
    double *u;        /* n_u: zero, but for prescribed motions */
    double *u_left;   /* n_u: u_free + M⁻¹WP */
    const double *u_E; /* n_u: what was found so far */
    ss_part part;
    ss_solver *exact; /* for heaps that seem to rest */
} ss_rest;

ss_status ss_rest_create(ss_work *work, ss_rest **rest);
void ss_rest_destroy(ss_rest *rest);
/* As ss_work_solve_pressed with the work's solver: work->P is the guess, which the scales fit, and becomes the solution. */
ss_status ss_rest_solve(ss_work *work, ss_rest *rest, const ss_state *B, double *u_E,
                        ss_solve_report *report);

#endif
