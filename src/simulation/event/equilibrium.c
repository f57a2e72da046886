/* equilibrium.c: the sets of closed laws as boundaries of their forces: whether dependent ones can stay closed. */
#include "simulation/event/event.h"

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
