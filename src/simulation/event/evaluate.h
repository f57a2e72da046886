/* evaluate.h: positions, velocities, forces and rows of all laws at one (q, u, t). */
#ifndef SS_SIMULATION_EVENT_EVALUATE_H
#define SS_SIMULATION_EVENT_EVALUATE_H

#include <stickslip/base.h>

typedef struct ss_event_driven ss_event_driven;

/* The last evaluation. */
typedef struct ss_event_point {
    double *q, *u;          /* n_q, n_u; prescribed motions put in */
    double *h;              /* n_u: forces, single-valued laws included */
    double *prescribed;     /* n_u: accelerations of prescribed motions, else zero */
    double *zeros;          /* n_q */
    bool rates_known;       /* the rates there are known, */
    double rates_t;         /* at this time */
    double t_first, t_last; /* times are clamped to this interval: loads may jump at its ends */
} ss_event_point;

/* Rows of all laws. */
typedef struct ss_event_rows {
    double *gap, *distance;   /* g of the element; signed distance of the law */
    double *gamma, *zeta_hat; /* of a drive: relative to what it prescribes */
    double *W, *MinvW;        /* n_u a row; M⁻¹W of open laws is not up to date */
    double *lambda;           /* set-valued forces, N */
    double *added;            /* single-valued forces beside them, N */
    double *along;            /* direction of sliding where γ = 0 */
    double *boundary;         /* sliding: the point of the unit set that resists */
    double *kept;             /* distance that a closed law keeps */
} ss_event_rows;

/* The time at which formulas are evaluated: what jumps at the ends of a step is outside of it. */
double ss_event_time(const ss_event_driven *e, double t);
/* Fills point and rows for the phases that are set: geometry, h, W, γ, ζ̂, sets. Systems of
 * prescribed motion follow it, whatever q and u say. */
ss_status ss_event_evaluate(ss_event_driven *e, double t, const double *q, const double *u);
/* rows.boundary of a sliding law. */
void ss_event_resist(ss_event_driven *e, int law);

#endif
