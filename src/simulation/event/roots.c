/* roots.c: functions whose zeros are events. */
#include "assembly/sources/candidates.h"
#include "la/small.h"
#include "simulation/event/event.h"

#include <string.h>

static double value(const ss_event_driven *e, const ss_root *root)
{
    if (root->kind == SS_ROOT_SWITCH)
        return root->sign * e->roots.switches[root->law] + root->offset;
    const ss_law *law = &e->table->laws[root->law];
    double distance = root->sign * e->rows.distance[law->offset];
    double gamma = e->rows.gamma[law->offset];
    switch (root->kind) {
    case SS_ROOT_FEATURE:
        return ss_work_absent(e->work, root->law) ? -1 : 1;
    case SS_ROOT_DISTANCE:
        return fmax(distance, root->near ? root->sign * gamma : -INFINITY) + root->offset;
    case SS_ROOT_LENGTH:
        return distance + root->offset;
    case SS_ROOT_SIGN:
        return e->laws[root->law].force_sign * e->rows.lambda[law->offset];
    case SS_ROOT_FORCE:
        return ss_event_reserve(e, root->law);
    default:
        return law->dim == 1 ? e->rows.along[law->offset] * gamma
                             : ss_event_speed(e, root->law) - e->options.slip;
    }
}

/* At the time of the evaluation: a jump at the end of a step belongs to the next one. */
static void read_switches(ss_event_driven *e, const double *q, const double *u)
{
    if (e->roots.n_switches > 0)
        ss_work_switches(e->work, e->work->t, q, u, e->roots.switches);
}

/* Whether the rates have just been evaluated at (t, y): integrators look for roots there. */
static bool is_evaluated(const ss_event_driven *e, double t, const double *y)
{
    const ss_event_point *point = &e->point;
    size_t q_bytes = (size_t)e->size.n_q * sizeof *y, u_bytes = (size_t)e->size.n_u * sizeof *y;
    return point->rates_known && point->rates_t == t && memcmp(point->q, y, q_bytes) == 0 &&
           memcmp(point->u, y + e->size.n_q, u_bytes) == 0;
}

int ss_event_root_values(double t, const double *y, double *values, void *user)
{
    ss_event_driven *e = user;
    const double *u = y + e->size.n_q;
    e->smooth.status = SS_OK;
    if (!is_evaluated(e, t, y)) {
        e->smooth.status = ss_event_evaluate(e, t, y, u);
        if (e->smooth.status != SS_OK)
            return -1;
        ss_event_reduce(e);
    }
    read_switches(e, y, u);
    for (int i = 0; i < e->roots.count; i++)
        values[i] = value(e, &e->roots.roots[i]);
    return 0;
}

static ss_root *add_root(ss_root_set *set, ss_root_kind kind, int l)
{
    ss_root *root = &set->roots[set->count];
    set->directions[set->count++] = -1;
    *root = (ss_root){.kind = kind, .law = l};
    return root;
}

/* After an impact the distance is zero, or below it by rounding. The function begins above zero
 * nevertheless, or a flight shorter than a step would be missed. A contact that has been released
 * opens with the third power of time, for microseconds by less than the integrator's error: it
 * closes only where it approaches, too. */
static void add_distance(ss_event_driven *e, ss_root_kind kind, int l, double side)
{
    const double least = 1e-15, drift = 1e-9;
    ss_root *root = add_root(&e->roots, kind, l);
    int row = e->table->laws[l].offset;
    double distance = side * e->rows.distance[row];
    root->sign = side;
    root->near = kind == SS_ROOT_DISTANCE && distance < drift;
    root->deep = root->near && distance < -drift;
    if (root->near)
        distance = fmax(distance, side * e->rows.gamma[row]);
    root->offset = fmax(0, least - distance);
}

/* A formula that has just jumped does not jump again by rounding. */
static void add_switches(ss_event_driven *e)
{
    const double least = 1e-15;
    read_switches(e, e->work->q, e->work->u);
    for (int i = 0; i < e->roots.n_switches; i++) {
        ss_root *root = add_root(&e->roots, SS_ROOT_SWITCH, i);
        root->sign = e->roots.switches[i] < 0 ? -1 : 1;
        root->offset = fmax(0, least - fabs(e->roots.switches[i]));
    }
}

bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u)
{
    if (e->roots.n_switches == 0)
        return false;
    ss_work_switches(e->work, nextafter(t, INFINITY), q, u, e->roots.switches);
    for (int i = 0; i < e->roots.count; i++)
        if (e->roots.roots[i].kind == SS_ROOT_SWITCH && value(e, &e->roots.roots[i]) <= 0)
            return true;
    return false;
}

/* Whether the sign of a constraint's force matters: friction on it slides. */
static bool carries_sliding(const ss_event_driven *e, int normal)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->table->laws[l].scale_from == normal && e->laws[l].phase == SS_PHASE_SLIDING)
            return true;
    return false;
}

static void add_closed(ss_event_driven *e, int l)
{
    if (ss_work_may_vanish(e->work, l))
        add_root(&e->roots, SS_ROOT_FEATURE, l);
    if (e->reduced.deficient)
        return;
    if (isfinite(ss_event_reserve(e, l)))
        add_root(&e->roots, SS_ROOT_FORCE, l);
    else if (carries_sliding(e, l))
        add_root(&e->roots, SS_ROOT_SIGN, l);
}

void ss_event_list_roots(ss_event_driven *e)
{
    e->roots.count = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_phase phase = e->laws[l].phase;
        int side = ss_event_side(e, l);
        if (phase == SS_PHASE_OPEN && side != 0 && !ss_event_is_silent(e, l))
            add_distance(e, SS_ROOT_DISTANCE, l, side);
        if (phase == SS_PHASE_CLOSED)
            add_closed(e, l);
        if (phase == SS_PHASE_SLIDING && e->laws[l].spring)
            add_distance(e, SS_ROOT_LENGTH, l, e->rows.along[e->table->laws[l].offset]);
        else if (phase == SS_PHASE_SLIDING && !e->laws[l].single_valued)
            add_root(&e->roots, SS_ROOT_SLIP, l);
    }
    add_switches(e);
}

/* The first positive zero of d + γ τ + γ' τ²/2; INFINITY: there is none. */
static double time_to_zero(double d, double gamma, double rate)
{
    double discriminant = gamma * gamma - 2 * rate * d;
    if (rate == 0)
        return gamma < 0 ? -d / gamma : INFINITY;
    if (discriminant < 0)
        return INFINITY;
    double root = sqrt(discriminant), first = (-gamma - root) / rate,
           second = (-gamma + root) / rate;
    double least = fmin(first, second), most = fmax(first, second);
    return least > 0 ? least : most > 0 ? most : INFINITY;
}

double ss_event_first_step(const ss_event_driven *e, double step)
{
    int n_u = e->size.n_u;
    for (int i = 0; i < e->roots.count; i++) {
        const ss_root *root = &e->roots.roots[i];
        if (root->kind != SS_ROOT_DISTANCE)
            continue;
        int row = e->table->laws[root->law].offset;
        double rate = ss_dot(n_u, e->rows.W + row * n_u, e->reduced.a);
        double least = 1e-5 * time_to_zero(fmax(0, root->sign * e->rows.distance[row]),
                                           root->sign * e->rows.gamma[row], root->sign * rate);
        if (isfinite(least) && (step == 0 || least < step))
            step = fmax(least, 1e-13);
    }
    return step;
}
