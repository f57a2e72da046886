/* land.c: the instant at which a force reaches the boundary of its set, from the smooth motion before.
 *
 * A step of size Δt gives a force to (rounding of velocities) M/Δt: a least step hardly shows when a
 * force reaches the boundary of its set, a large one does. The reserve at its end, extrapolated like
 * everything else, is a smooth function of its size. The step ends where that is zero; the sides
 * after it follow. Where forces jump there, a substep after it shows the sides; where they are
 * continuous, the error of a single substep is as large as their change, and the step ends a little
 * later.
 */
#include "assembly/work.h"
#include "la/small.h"
#include "simulation/augmented/augmented.h"

#include <math.h>

/* A step of size h, and a reserve at its end. */
typedef struct point {
    double h, left;
} point;

static double zero_of(point a, point b)
{
    return b.h - b.left * (b.h - a.h) / (b.left - a.left);
}

/* The reserve at the middle of the step in a->found, nearly: its mean. */
static point middle(const ss_augmented *a, double h, int law)
{
    return (point){h / 2, ss_augmented_reserve(a, a->found, law)};
}

/* Whether a law that was closed in all substeps has no reserve at the end, by more than rounding. */
static bool any_exceeds(const ss_augmented *a, double h)
{
    const double rounding = 1e-6;
    const ss_law *laws = ss_simulation_work(a->simulation)->table.laws;
    for (int l = 0; l < a->size.n_laws; l++) {
        double force = ss_norm(laws[l].dim, ss_state_P(a->found) + laws[l].offset) / h;
        if (a->sides[l] == SS_SIDE_CLOSED && a->left[l] < -rounding * force)
            return true;
    }
    return false;
}

/* The law whose reserve is zero first, in a step smaller than `end`; -1: none. */
static int first_to_leave(const ss_augmented *a, double h, double end)
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

/* Secant method down to rounding. *h becomes the size of the step with no reserve at its end, which
 * is a->found; 0: there is none. */
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

/* The law is no longer closed: velocities half a substep ago need not fit to it, and its gap makes it
 * active or not. The same for friction that it loads. */
static void release_law(ss_augmented *a, int law)
{
    const ss_law *laws = ss_simulation_work(a->simulation)->table.laws;
    bool opens = laws[law].kind == SS_GEOMETRIC;
    for (int l = 0; l < a->size.n_laws; l++)
        if (l == law || (opens && laws[l].scale_from == law)) {
            a->sides[l] = opens ? SS_SIDE_FREE : SS_SIDE_UPPER;
            a->keep[l] = false;
        }
}

/* The sides after a->found, in a->ahead, by steps of dt, 10 dt, …, until one shows that the law is no
 * longer closed, *open. */
static ss_status look_beyond(ss_augmented *a, double dt, int sizes, int law, bool *open)
{
    *open = false;
    release_law(a, law);
    for (int i = 0; i < sizes && !*open; i++, dt *= 10) {
        ss_status status = ss_augmented_look_ahead(a, a->found, dt, true);
        if (status != SS_OK)
            return status == SS_NON_FINITE ? SS_OK : status;
        *open = a->ahead[law] != SS_SIDE_CLOSED && a->ahead[law] != SS_SIDE_UNDECIDED;
    }
    return SS_OK;
}

/* Where forces are continuous, the error of a single substep, of order one, is as large as their
 * change in it: ten times as long after that instant it shows the sides. *h becomes the size of the
 * step to there. */
static ss_status step_beyond(ss_augmented *a, const ss_state *A, int law, double end, double *h,
                             bool *open)
{
    const double parts[] = {1e-4, 1e-3}; /* of the step */
    double zero = *h;
    *open = false;
    for (int i = 0; i < 2 && !*open; i++) {
        ss_trial trial;
        *h = zero * (1 + parts[i]);
        if (*h > end)
            return SS_OK;
        ss_augmented_keep(a, A);
        SS_TRY(ss_augmented_smooth(a, A, *h, &trial));
        if (trial != SS_TRIAL_SMOOTH)
            return SS_OK;
        SS_TRY(look_beyond(a, parts[i] * zero / 10, 1, law, open));
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
        SS_TRY(step_beyond(a, A, law, end, &h, landed));
    if (!*landed)
        return SS_OK;
    for (int l = 0; l < a->size.n_laws; l++)
        if (a->ahead[l] == SS_SIDE_LOOSE)
            a->ahead[l] = SS_SIDE_FREE; /* no longer of interest that it was closed */
    take_modes(a);
    ss_augmented_accept(a, h, h, a->now.reached);
    return SS_OK;
}

ss_status ss_augmented_land(ss_augmented *a, const ss_state *A, double h, double bracket,
                            bool *landed, ss_trial *trial)
{
    *landed = false;
    if (bracket == 0 && !any_exceeds(a, h))
        return SS_OK;
    double end = bracket == 0 ? h : fmin(bracket, 2 * h); /* extrapolated no farther than that */
    int law = first_to_leave(a, h, end);
    if (law < 0)
        return SS_OK;
    SS_TRY(try_to_land(a, A, law, h, end, landed));
    if (*landed)
        return SS_OK;
    ss_augmented_keep(a, A);
    SS_TRY(ss_augmented_smooth(a, A, h, trial));
    return *trial == SS_TRIAL_SMOOTH ? ss_augmented_confirm(a, h, trial) : SS_OK;
}
