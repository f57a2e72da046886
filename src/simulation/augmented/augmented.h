/* augmented.h: the parts of augmented time-stepping (S6.4, Fig. 6.6).
 *
 *   step-size adjustment (augmented.c)     chooses steps
 *     localization (augmented_back.c, …)   shrinks them to a switch: by a look ahead, or by dropping back
 *     landing (augmented_land.c)           goes to where a law lets go
 *   extrapolation (augmented_smooth.c)     one smooth step, from substeps with the same sides
 *   time-stepping (the scheme)             one substep
 */
#ifndef SS_SIMULATION_AUGMENTED_AUGMENTED_H
#define SS_SIMULATION_AUGMENTED_AUGMENTED_H

#include "simulation/augmented/extrapolation.h"
#include "simulation/switching.h"

typedef struct ss_augmented {
    /* options */
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
    int n_switches; /* places where formulas jump or have a kink */
    int n_sides; /* of laws; behind them the signs of n_switches terms, and whether what laws stand on has ended */
    ss_tableau tableau;
    double *
        y; /* q, u, impulses, dissipated and load work, and reserves of laws, of a row of the tableau */
    double *left;  /* reserves of laws at the end of the step that is tried */
    double *sides; /* of the step that is tried */
    double *seen;  /* of one substep */
    double *ahead; /* of the step of least size after the one that is tried */
    double *known; /* of it so far */
    double *gap_B, *gap_E, *gamma;
    ss_role *roles;     /* of the laws in the step that is tried */
    bool *keep;         /* laws that are closed where the step begins */
    ss_state *chain[2]; /* substeps go to and fro between them */
    ss_state *found;    /* the result */
    ss_state *probe;    /* a step of least size beyond it */
    ss_state *start;    /* dropping back: where the step in `second` begins, */
    ss_state *second;   /* the step after the one that is tried */
    bool second_ready;
    double second_step, second_error;
    int second_order;
    ss_statistics second_effort;
    ss_solve_report second_report;
    double *distance[2], *slip[2]; /* at the ends of the step that is tried, by rows */
    double *switches[2];           /* there, too */
    bool
        driven; /* motors, driven bodies or formulas move laws: a jump of their speed is an impact, */
    bool hits;      /* which may follow at the break where the step ends */
    double substep; /* size of the last substep, s */
    double least;   /* least step of this time; step_min, unless that gets nowhere */

    /* since the last accepted step */
    ss_statistics effort;
    ss_solve_report report; /* of the last substep */
    double error;           /* of the last smooth step tried, in units of the tolerance */
    int reached;            /* its order */
} ss_augmented;

/* Numbers of substeps of the rows. */
typedef enum ss_substeps { SS_SUBSTEPS_GROWING, SS_SUBSTEPS_ODD, SS_SUBSTEPS_ALL } ss_substeps;

/* How a switch is found. */
typedef enum ss_localize {
    SS_LOCALIZE_AHEAD, /* a step of least size after every step must have its sides; halving */
    SS_LOCALIZE_BACK, /* the next step must have its sides, else it is dropped, too; regula falsi (S6.2.2) */
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

/* The sides at A, in a->sides: none is held where the run begins. */
void ss_augmented_take_sides(ss_augmented *a, const ss_state *A);
/* The same, and which laws are closed there. */
void ss_augmented_keep(ss_augmented *a, const ss_state *A);
/* Values of the terms that change their signs where formulas jump or have a kink. */
void ss_augmented_measure_switches(ss_augmented *a, const ss_state *state, double *values);
/* Where substeps of size dt from `state` begin, in a->chain[0]: impulses guessed from the same
 * forces, velocities as if there had been such substeps before (ss_work_lag, by a->sides). Where
 * the motion is not smooth, a law in constraint mode may be in an impact. Laws whose formulas jump nearer than `near`,
 * before or after `state`, had other velocities then, and begin as they are: all rows of a tableau alike. */
ss_status ss_augmented_begin(ss_augmented *a, const ss_state *state, double dt, double near,
                             bool smooth);
/* Where they end: the velocities as they are. What the two change vanishes with dt, so that the
 * error still has an expansion. */
ss_status ss_augmented_end(ss_augmented *a, double dt, ss_state *E);
/* One substep, with its effort counted and the sides in a->seen. */
ss_status ss_augmented_substep(ss_augmented *a, const ss_state *B, double dt, ss_state *E);
/* The sides of a step of size dt from `state`, in a->ahead. A solve that fails leaves them undecided. */
ss_status ss_augmented_look_ahead(ss_augmented *a, const ss_state *state, double dt, bool smooth);
/* Tries a step of size h from A; the result of a smooth one is in a->found. Numbers that are not finite may come from a
 * step that is too large: SS_TRIAL_FAILED. */
ss_status ss_augmented_smooth(ss_augmented *a, const ss_state *A, double h, ss_trial *trial);
/* The step of least size after a->found, of size h, must have its sides, else *trial becomes SS_TRIAL_SWITCH. */
ss_status ss_augmented_confirm(ss_augmented *a, double h, ss_trial *trial);

/* Steps end at breaks and at the end of the run; *ends: this one does. */
double ss_augmented_fit(const ss_augmented *a, double t, double h, bool *ends);
/* Steps after a smooth one that was not disturbed, and after one that was not accurate. */
double ss_augmented_grown(const ss_augmented *a, double h);
double ss_augmented_shrunk(const ss_augmented *a, double h);
/* A step of least size that is accepted whatever the modes. */
ss_status ss_augmented_resolve(ss_augmented *a, double h);
/* a->found with the sides ahead becomes the current state. */
void ss_augmented_accept(ss_augmented *a, double h, double next, int order);

/* Of a law that holds: how far its mean force over the last step of the work, to `state`, is from the boundary of its
 * set. NAN: it has none. */
double ss_augmented_reserve(const ss_augmented *a, const ss_state *state, int law);
/* A step of size `bracket` has a switch in it, 0: none is known; a->found is the end of a smooth one of size h. Where a law lets go the
 * step to that instant is accepted (augmented_land.c); else a->found is as it was. */
ss_status ss_augmented_land(ss_augmented *a, const ss_state *A, double h, double bracket,
                            bool *landed, ss_trial *trial);

/* One accepted step with SS_LOCALIZE_BACK (augmented_back.c). */
ss_status ss_augmented_step_back(ss_augmented *a, const ss_state *A);

#endif
