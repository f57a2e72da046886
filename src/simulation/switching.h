/* switching.h: the side of every law in a step, by which steps are compared (S6.2.1). */
#ifndef SS_SIMULATION_SWITCHING_H
#define SS_SIMULATION_SWITCHING_H

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

/* Sides in the step that has just led from B to E, as numbers that fit into a state's memory; n_laws
 * elements. */
void ss_sides_read(const ss_simulation *simulation, const ss_state *B, const ss_state *E,
                   double *sides);
/* Whether all sides are the same. Loose and free agree, undecided agrees with everything. */
bool ss_sides_agree(int n_laws, const double *accepted, const double *seen);
/* Undecided sides in `accepted` become those in `seen`. */
void ss_sides_decide(int n_laws, const double *seen, double *accepted);
/* Roles of the laws in ss_work_lag and ss_work_project. Only in smooth motion do laws in
 * constraint mode have γ = 0: else they may be in an impact. */
void ss_sides_roles(int n_laws, const double *sides, bool smooth, ss_role *roles);

#endif
