/* equilibrium.c: the sets of closed laws as boundaries of their forces: whether dependent ones can stay closed. */
#include "simulation/event/event.h"

#include <math.h>

static int closed_row(const ss_event_driven *e, int law)
{
    for (int i = 0; i < e->reduced.n; i++)
        if (e->reduced.law[i] == law)
            return i;
    return -1;
}

/* False: a set is neither half line, interval nor disk. */
static bool boundary_of(const ss_event_driven *e, int l, ss_boundary *b, bool *any)
{
    const ss_law *law = &e->table->laws[l];
    const ss_set *set = e->laws[l].set.set;
    int side = ss_event_side(e, l), from = law->scale_from;
    *any = e->laws[l].phase == SS_PHASE_CLOSED && (side != 0 || ss_event_is_bounded(e, l));
    if (!*any)
        return true;
    if (side != 0) {
        *b = (ss_boundary){.radius = closed_row(e, l), .factor = side};
        return true;
    }
    bool constant = from < 0 || e->laws[from].phase != SS_PHASE_CLOSED;
    double sign = constant ? 1 : ss_event_normal_sign(e, from);
    *b = (ss_boundary){.row = closed_row(e, l),
                       .dim = law->dim,
                       .radius = constant ? -1 : closed_row(e, from),
                       .factor = constant ? ss_event_scale(e, l) : sign * e->laws[l].set.scale};
    return set->kind == SS_SET_INTERVAL || set->kind == SS_SET_DISK;
}

ss_status ss_event_equilibrium(ss_event_driven *e, bool *known, bool *exists)
{
    const ss_reduced *r = &e->reduced;
    ss_equilibrium *q = &e->equilibrium;
    int n_b = 0;
    *known = r->n > 0 && !e->model->loaded && ss_equilibrium_decompose(q, r->n, r->G, r->scale);
    for (int l = 0; *known && l < e->size.n_laws; l++) {
        bool any;
        *known = boundary_of(e, l, &q->boundaries[n_b], &any);
        n_b += any;
    }
    *exists = *known && (n_b == 0 || ss_equilibrium_exists(q, r->lambda, n_b, q->boundaries));
    return SS_OK;
}

/* Whether the forces may change along column j of the null space, either way: none at the boundary of its set is changed. */
static bool is_free(const ss_event_driven *e, int j)
{
    const double nothing = 1e-9;
    const ss_reduced *r = &e->reduced;
    const ss_equilibrium *q = &e->equilibrium;
    double largest = 0, most = 0;
    for (int i = 0; i < r->n; i++) {
        largest = fmax(largest, fabs(q->N[i * r->n + j]));
        most = fmax(most, fabs(r->lambda[i]));
    }
    for (int i = 0; i < r->n; i++)
        if (fabs(q->N[i * r->n + j]) > nothing * largest &&
            ss_event_reserve(e, r->law[i]) <= nothing * most)
            return false;
    return true;
}

/* Whether a change of forces along column j accelerates anything: M⁻¹ of what it adds is not zero but for rounding. */
static bool moves(const ss_event_driven *e, int j)
{
    const double rounding = 1e-7;
    const ss_reduced *r = &e->reduced;
    double most = 0, size = 0;
    for (int k = 0; k < e->size.n_u; k++) {
        double sum = 0, terms = 0, unit = e->work->sizes.u[k];
        for (int i = 0; i < r->n; i++) {
            double part = e->equilibrium.N[i * r->n + j] * r->H[r->row[i] * e->size.n_u + k];
            sum += part;
            terms += fabs(part);
        }
        most = fmax(most, fabs(sum) / unit);
        size = fmax(size, terms / unit);
    }
    return most > rounding * size;
}

bool ss_event_motion_depends(ss_event_driven *e)
{
    const ss_reduced *r = &e->reduced;
    if (!r->deficient || e->model->loaded ||
        !ss_equilibrium_decompose(&e->equilibrium, r->n, r->G, r->scale))
        return false;
    for (int j = 0; j < e->equilibrium.k; j++)
        if (is_free(e, j) && moves(e, j))
            return true;
    return false;
}
