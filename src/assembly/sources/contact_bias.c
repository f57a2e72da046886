/* contact_bias.c: how the normal velocities of contacts change while the velocities of the
 * systems stay as they are: ζ̂ of γ̇ = Wᵀu̇ + ζ̂, by differences along the motion, so that the
 * curvature of both shapes is in it. */
#include "assembly/sources/contacts.h"

#include <math.h>
#include <string.h>

/* γ_N = nᵀ (v_b - v_a) of a contact, at the frames just placed. */
static double normal_velocity(const ss_work *work, const ss_contact *contact, const double *u)
{
    double sum = 0, v[3];
    for (int side = 0; side < 2; side++) {
        int shape = side ? contact->b : contact->a;
        if (work->model->shapes[shape].system < 0)
            continue;
        ss_work_shape_velocity(work, shape, contact->x, u, v);
        for (int i = 0; i < 3; i++)
            sum += (side ? 1 : -1) * contact->n[i] * v[i];
    }
    return sum;
}

/* The contacts wanted, and where the motion begins. */
typedef struct motion {
    int n;
    const ss_contact *wanted;
    const double *q, *u;
    double t;
} motion;

/* γ_N of the wanted contacts a time s along the motion; NAN of those that are not there. */
static ss_status velocities_along(ss_work *work, const motion *m, double s, double *gamma)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT};
    int from = 0;
    ss_work_move(work, m->q, m->u, s, work->q);
    SS_TRY(ss_work_evaluate_geometry(work, m->t + s, work->q));
    SS_TRY(ss_work_detect(work, &early, fabs(s), m->u));
    for (int i = 0; i < m->n; i++) {
        const ss_contact *now =
            ss_contact_before(&m->wanted[i], work->contacts->found, work->contacts->n, &from);
        gamma[i] = now ? normal_velocity(work, now, m->u) : NAN;
    }
    return SS_OK;
}

/* Central where the contact is there on both sides, else one-sided. */
static double slope(double before, double now, double after, double s)
{
    bool has_before = isfinite(before), has_after = isfinite(after);
    if (has_before && has_after)
        return (after - before) / (2 * s);
    return has_after ? (after - now) / s : has_before ? (now - before) / s : 0;
}

ss_status ss_work_contact_biases(ss_work *work, ss_arena *arena, double dt, const double *u,
                                 double **zeta_hat)
{
    struct ss_work_contacts *c = work->contacts;
    int n = c->n;
    double t = work->t, s = 1e-2 * dt, *q = work->q_scratch, *before, *now;
    ss_contact *wanted;
    SS_TRY(SS_ARENA_NEW(arena, n, &wanted));
    SS_TRY(SS_ARENA_NEW(arena, n, &before));
    SS_TRY(SS_ARENA_NEW(arena, n, &now));
    SS_TRY(SS_ARENA_NEW(arena, n, zeta_hat));
    if (n == 0)
        return SS_OK;
    memcpy(wanted, c->found, (size_t)n * sizeof *wanted);
    memcpy(q, work->q, (size_t)work->model->n_q * sizeof *q);
    for (int i = 0; i < n; i++)
        now[i] = normal_velocity(work, &wanted[i], u);
    const motion along = {n, wanted, q, u, t};
    SS_TRY(velocities_along(work, &along, -s, before));
    SS_TRY(velocities_along(work, &along, s, *zeta_hat));
    for (int i = 0; i < n; i++)
        (*zeta_hat)[i] = slope(before[i], now[i], (*zeta_hat)[i], s);
    SS_TRY(ss_work_evaluate_geometry(work, t, q));
    memcpy(work->contacts->found, wanted, (size_t)n * sizeof *wanted);
    c->n = n;
    return SS_OK;
}
