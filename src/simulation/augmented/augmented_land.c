/* augmented_land.c: the instant at which a law lets go, from the smooth motion before it.
 *
 * A step of size Δt tells a force to (rounding of velocities) M/Δt: a least step hardly tells when a force reaches the boundary
 * of its set. A large one does. What is left at its end, extrapolated like everything else, is a smooth function of its size; the
 * run lands where that is zero, and goes on with the sides that follow. Where forces jump there, substeps after it are beyond
 * doubt; where they go on, a single substep errs by as much as they change in it, and the run lands a little later.
 */
#include "la/small.h"
#include "model/model.h"
#include "simulation/augmented/augmented.h"

#include <math.h>

/* A step of size h, and what is left at its end. */
typedef struct point {
    double h, left;
} point;

static double zero_of(point a, point b)
{
    return b.h - b.left * (b.h - a.h) / (b.left - a.left);
}

/* What is left of a law at the middle of the step in a->found, nearly: its mean. */
static point middle(const ss_augmented *a, double h, int law)
{
    return (point){h / 2, ss_augmented_reserve(a, a->found, law)};
}

/* Whether a law that was held in all substeps let go before the end, by more than rounding. */
static bool any_gone(const ss_augmented *a, double h)
{
    const double rounding = 1e-6;
    const ss_law *laws = ss_simulation_model(a->simulation)->laws;
    for (int l = 0; l < a->size.n_laws; l++) {
        double force = ss_norm(laws[l].dim, ss_state_P(a->found) + laws[l].offset) / h;
        if (a->sides[l] == SS_SIDE_CLOSED && a->left[l] < -rounding * force)
            return true;
    }
    return false;
}

/* The law that lets go first, in a step that is smaller than `end`; -1: none does. */
static int first_to_let_go(const ss_augmented *a, double h, double end)
{
    int first = -1;
    for (int l = 0; l < a->size.n_laws; l++) {
        double zero = zero_of(middle(a, h, l), (point){h, a->left[l]});
        if (a->sides[l] == SS_SIDE_CLOSED && zero > h / 2 && zero < end) {
            end = zero;
            first = l;
        }
    }
    return first;
}

/* Secant method, until rounding ends it. *h becomes the size of the step after which nothing is left, a->found its end; 0:
 * there is none. */
static ss_status approach(ss_augmented *a, const ss_state *A, int law, double end, double *h)
{
    enum { MOST = 10 };
    const double least = 1e-9, small = 1e-6; /* changes, in parts of the step */
    point before = middle(a, *h, law), now = {*h, a->left[law]};
    double change = INFINITY;
    *h = 0;
    for (int k = 0; k < MOST; k++) {
        double zero = zero_of(before, now), last = change;
        change = fabs(zero - now.h) / now.h;
        if (change <= least || (change <= small && change > last / 4)) {
            *h = now.h;
            return SS_OK;
        }
        ss_trial trial;
        if (!(zero > 0 && zero < end))
            return SS_OK;
        SS_TRY(ss_augmented_smooth(a, A, zero, &trial));
        if (trial != SS_TRIAL_SMOOTH)
            return SS_OK;
        before = now;
        now = (point){zero, a->left[law]};
    }
    return SS_OK;
}

/* The law does not hold any more: velocities half a substep ago are not to fit to it, and its gap makes it active or not. Friction
 * that it presses goes with it. */
static void let_go(ss_augmented *a, int law)
{
    const ss_law *laws = ss_simulation_model(a->simulation)->laws;
    bool opens = laws[law].kind == SS_GEOMETRIC;
    for (int l = 0; l < a->size.n_laws; l++)
        if (l == law || (opens && laws[l].scale_from == law)) {
            a->sides[l] = opens ? SS_SIDE_FREE : SS_SIDE_UPPER;
            a->keep[l] = false;
        }
}

/* The sides after a->found, in a->ahead, by a step of dt or, as long as it does not tell them, of ten times as much, and so on;
 * whether the law has let go there. */
static ss_status look_beyond(ss_augmented *a, double dt, int sizes, int law, bool *gone)
{
    *gone = false;
    let_go(a, law);
    for (int i = 0; i < sizes && !*gone; i++, dt *= 10) {
        ss_status status = ss_augmented_look_ahead(a, a->found, dt, true);
        if (status != SS_OK)
            return status == SS_NON_FINITE ? SS_OK : status;
        *gone = a->ahead[law] != SS_SIDE_CLOSED && a->ahead[law] != SS_SIDE_UNDECIDED;
    }
    return SS_OK;
}

/* Where forces go on without a jump a single substep, of order one, errs by as much as they change in it: ten times as long after that
 * instant it tells. *h becomes the size of the step to there. */
static ss_status go_beyond(ss_augmented *a, const ss_state *A, int law, double end, double *h,
                           bool *gone)
{
    const double parts[] = {1e-4, 1e-3}; /* of the step */
    double zero = *h;
    *gone = false;
    for (int i = 0; i < 2 && !*gone; i++) {
        ss_trial trial;
        *h = zero * (1 + parts[i]);
        if (*h > end)
            return SS_OK;
        ss_augmented_keep(a, A);
        SS_TRY(ss_augmented_smooth(a, A, *h, &trial));
        if (trial != SS_TRIAL_SMOOTH)
            return SS_OK;
        SS_TRY(look_beyond(a, parts[i] * zero / 10, 1, law, gone));
    }
    return SS_OK;
}

/* The modes at the landing are those that follow. */
static void take_modes(ss_augmented *a)
{
    const int *from = ss_state_mode(a->probe);
    int *to = ss_state_edit_mode(a->found);
    for (int l = 0; l < a->size.n_laws; l++) {
        ss_state_edit_statistics(a->found)->switches += (from[l] == 0) != (to[l] == 0);
        to[l] = from[l];
    }
}

static ss_status try_to_land(ss_augmented *a, const ss_state *A, int law, double h, double end,
                             bool *landed)
{
    *landed = false;
    SS_TRY(approach(a, A, law, end, &h));
    if (h == 0)
        return SS_OK;
    SS_TRY(look_beyond(a, 1e-4 * h, 3, law, landed));
    if (!*landed)
        SS_TRY(go_beyond(a, A, law, end, &h, landed));
    if (!*landed)
        return SS_OK;
    for (int l = 0; l < a->size.n_laws; l++)
        if (a->ahead[l] == SS_SIDE_LOOSE)
            a->ahead[l] = SS_SIDE_FREE; /* as if it had been so for long */
    take_modes(a);
    ss_augmented_accept(a, h, h, a->reached);
    return SS_OK;
}

ss_status ss_augmented_land(ss_augmented *a, const ss_state *A, double h, double bracket,
                            bool *landed, ss_trial *trial)
{
    *landed = false;
    if (bracket == 0 && !any_gone(a, h))
        return SS_OK;
    double end = bracket == 0 ? h : fmin(bracket, 2 * h); /* foreseen from as near as that */
    int law = first_to_let_go(a, h, end);
    if (law < 0)
        return SS_OK;
    SS_TRY(try_to_land(a, A, law, h, end, landed));
    if (*landed)
        return SS_OK;
    ss_augmented_keep(a, A);
    SS_TRY(ss_augmented_smooth(a, A, h, trial));
    return *trial == SS_TRIAL_SMOOTH ? ss_augmented_confirm(a, h, trial) : SS_OK;
}
