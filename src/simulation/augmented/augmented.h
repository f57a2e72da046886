/* augmented.h: the parts of augmented time-stepping (S6.4, Fig. 6.6).
 *
 *   augmented.c       step-size adjustment: chooses steps, localizes switches by a look ahead
 *     back.c          localizes switches by dropping back and regula falsi
 *     land.c          ends a step where a force reaches the boundary of its set
 *     rest.c          keeps at rest what can rest
 *   smooth.c          one smooth step: extrapolation of substeps with the same sides
 *     extrapolation.h the tableau
 *   the scheme        one substep
 */
#ifndef SS_SIMULATION_AUGMENTED_AUGMENTED_H
#define SS_SIMULATION_AUGMENTED_AUGMENTED_H

#include "assembly/work.h"
#include "simulation/augmented/extrapolation.h"
#include "simulation/equilibrium.h"

#include <stickslip/simulation.h>

/* The discrete state σ̂ of a law, finer than its mode: a step is smooth when no law changes its
 * side. */
typedef enum ss_side {
    SS_SIDE_CLOSED = 0,    /* constraint mode */
    SS_SIDE_UPPER = 1,     /* impressed; of one row: with a positive impulse */
    SS_SIDE_LOWER = -1,    /* of one row: a negative impulse; else opposed to the step before */
    SS_SIDE_FREE = 2,      /* without impulse: open, or friction of an open contact */
    SS_SIDE_UNDECIDED = 3, /* closed or not: rounding decides */
    SS_SIDE_LOOSE = 4,     /* without impulse, but its gap makes it active */
} ss_side;

/* A step that is tried. */
typedef struct ss_attempt {
    ss_statistics effort;   /* since the last accepted step */
    bool indeterminate;     /* impulses of the last step are not unique, */
    bool not_chosen;        /* and nothing has chosen them; */
    bool unexamined;        /* or nobody knows */
    ss_freedom_look look;   /* from which that is known */
    ss_solve_report report; /* of the last substep */
    double error;           /* of the last smooth step, relative to the tolerance */
    int reached;            /* its order */
} ss_attempt;

/* Dropping back: the step after the one that is tried. */
typedef struct ss_second_step {
    bool ready; /* it may become the next step */
    double h;   /* its size, s */
    ss_state *start, *end;
    ss_attempt attempt;
} ss_second_step;

/* Kept laws that could rest (rest.c). */
typedef struct ss_rest {
    ss_equilibrium equilibrium;
    double *all, *G, *c, *scale; /* of all rows; of kept ones: G, c, 1/√G_ii */
    double *lambda, *P, *u;
    bool *closed; /* laws, where the step begins */
    int *first;   /* blocks: first of their rows among the kept ones, -1: not kept */
    ss_mode *modes;
} ss_rest;

typedef struct ss_augmented {
    /* options, described in augmented.c */
    double step_min, K_t, step_max;
    int order, order_max;
    int substeps; /* ss_substeps */
    int localize; /* ss_localize */
    double absolute_q, relative_q, absolute_u, relative_u;
    double growth;
    ss_matrix breaks;

    /* made by prepare */
    ss_simulation *simulation;
    ss_model_size size;
    int n_switches; /* terms at whose zeros formulas jump or have a kink */
    int n_sides;    /* of laws, then of switches, then of ends of faces or edges of contacts */
    ss_tableau tableau;
    double *y;     /* row of the tableau: q, u, impulses, dissipated and load work, reserves */
    double *left;  /* reserves of laws at the end of the step that is tried */
    double *sides; /* of the step that is tried */
    double *seen;  /* of one substep */
    double *ahead; /* of the step of least size after the one that is tried */
    double *known; /* of that step so far */
    double *gap_B, *gap_E, *gamma;
    ss_role *roles;     /* of the laws in the step that is tried */
    bool *keep;         /* laws that are closed where the step begins */
    ss_state *chain[2]; /* start and end of a substep, in turns */
    ss_state *found;    /* the result */
    ss_state *probe;    /* a step of least size beyond it */
    ss_second_step second;
    double *distance[2], *slip[2]; /* at the ends of the step that is tried, by rows */
    double *switches[2];           /* there, too */
    double *switch_sizes;
    bool driven; /* drives, prescribed motions or formulas move laws: jumps are impacts, */
    bool hits;   /* and one may follow at the break where the step ends */
    ss_rest rest;
    double substep; /* size of the last substep, s */
    double least;   /* least step for now, s: step_min, unless there is no progress with it */
    ss_attempt now; /* the step that is tried */
} ss_augmented;

/* Numbers of substeps of the rows. */
typedef enum ss_substeps { SS_SUBSTEPS_GROWING, SS_SUBSTEPS_ODD, SS_SUBSTEPS_ALL } ss_substeps;

/* How a switch is found. */
typedef enum ss_localize {
    SS_LOCALIZE_AHEAD, /* a step of least size after every step must have its sides; halving */
    SS_LOCALIZE_BACK, /* the next step must have its sides, or both are dropped; regula falsi (S6.2.2) */
} ss_localize;

typedef enum ss_trial {
    SS_TRIAL_SMOOTH,
    SS_TRIAL_SWITCH,     /* a law changes its side within the step */
    SS_TRIAL_INACCURATE, /* the highest order is not enough */
    SS_TRIAL_FAILED,     /* a solve did not converge */
} ss_trial;

/* What a simulation of this type keeps in the memory of a state. */
enum {
    SS_AUGMENTED_NEXT,  /* size of the step to try next, s; 0 at the start */
    SS_AUGMENTED_SMALL, /* small steps of late */
    SS_AUGMENTED_LIMIT, /* a time before which there is a switch; 0: none known */
    SS_AUGMENTED_SIDES, /* from here on: of the step of least size that would follow */
};

/* Whether all sides are the same. Loose and free agree, undecided agrees with everything. */
bool ss_sides_agree(int n_laws, const double *accepted, const double *seen);
/* Undecided sides in `accepted` become those in `seen`. */
void ss_sides_decide(int n_laws, const double *seen, double *accepted);

/* The sides at A, in a->sides: all are free where the run begins. */
void ss_augmented_take_sides(ss_augmented *a, const ss_state *A);
/* The same, and which laws are closed there. */
void ss_augmented_keep(ss_augmented *a, const ss_state *A);
/* Values of the terms that change their signs where formulas jump or have a kink. */
void ss_augmented_measure_switches(ss_augmented *a, const ss_state *state, double *values);
/* The start of substeps of size dt from `state`, in a->chain[0]: impulses of the same forces,
 * velocities as after such substeps (ss_work_lag, by a->sides). Where the motion is not smooth, a
 * law in constraint mode may be in an impact. Laws whose formulas jump nearer than `near`, before or
 * after `state`, had other velocities then and are not changed: in all rows of a tableau alike. */
ss_status ss_augmented_begin(ss_augmented *a, const ss_state *state, double dt, double near,
                             bool smooth);
/* The end of substeps: the velocities as they are. The changes at both ends vanish with dt, so that
 * the error still has an expansion. */
ss_status ss_augmented_end(ss_augmented *a, double dt, ss_state *E);
/* One substep, with its effort counted and the sides in a->seen. */
ss_status ss_augmented_substep(ss_augmented *a, const ss_state *B, double dt, ss_state *E);
/* The sides of a step of size dt from `state`, in a->ahead; undecided when the solve fails. */
ss_status ss_augmented_look_ahead(ss_augmented *a, const ss_state *state, double dt, bool smooth);
/* Tries a step of size h from A; the result of a smooth one is in a->found. Numbers that are not
 * finite may come from a step that is too large: SS_TRIAL_FAILED. */
ss_status ss_augmented_smooth(ss_augmented *a, const ss_state *A, double h, ss_trial *trial);
/* The step of least size after a->found, of size h, must have its sides, else *trial becomes
 * SS_TRIAL_SWITCH. */
ss_status ss_augmented_confirm(ss_augmented *a, double h, ss_trial *trial);

/* h, or less where a break or the end of the run comes first; *ends: it does. */
double ss_augmented_fit(const ss_augmented *a, double t, double h, bool *ends);
/* Size of the step after a smooth one, and after one that was not accurate. */
double ss_augmented_grown(const ss_augmented *a, double h);
double ss_augmented_shrunk(const ss_augmented *a, double h);
/* A step of least size that is accepted whatever the modes. */
ss_status ss_augmented_resolve(ss_augmented *a, double h);
/* sums = before + more: tries, iterations, failures, largest residual. */
void ss_augmented_add_effort(const ss_statistics *before, const ss_statistics *more,
                             ss_statistics *sums);
/* a->found with the sides ahead becomes the current state. */
void ss_augmented_accept(ss_augmented *a, double h, double next, int order);

/* Distance of the mean force of a closed law over the last step, to `state`, from the boundary of
 * its set, N. NAN: there is none. */
double ss_augmented_reserve(const ss_augmented *a, const ss_state *state, int law);
/* a->found is the end of a smooth step of size h; a step of size `bracket` has a switch in it, 0:
 * none is known. Where a force reaches the boundary of its set, the step to that instant is accepted
 * (land.c); else a->found is not changed. */
ss_status ss_augmented_land(ss_augmented *a, const ss_state *A, double h, double bracket,
                            bool *landed, ss_trial *trial);

ss_status ss_augmented_reserve_rest(ss_augmented *a);
/* Where a law that was closed leaves although impulses exist that keep all such laws closed, those are taken. */
ss_status ss_augmented_prefer_rest(void *user, ss_work *work, double *u, ss_solve_report *report);

/* One accepted step with SS_LOCALIZE_BACK (back.c). */
ss_status ss_augmented_step_back(ss_augmented *a, const ss_state *A);

#endif
