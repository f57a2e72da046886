/* contact_bias.c: how the normal velocities of contacts change while the velocities of the
 * systems stay as they are: ζ̂ of γ̇ = Wᵀu̇ + ζ̂, by differences along the motion, so that the
 * curvature of both shapes is in it. */
#include "assembly/sources/contacts.h"

#include "model/body.h"

#include <math.h>
#include <string.h>

/* γ_N = nᵀ (v_b - v_a) of a contact, at the frames just placed. */
static double normal_velocity(const ss_work *work, const ss_contact *contact, const double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int s = work->model->shapes[side ? contact->b : contact->a].system;
        if (s < 0)
            continue;
        int nu = work->model->systems[s].nu;
        int f = work->model->shapes[side ? contact->b : contact->a].frame_index;
        const double *us = u + work->model->systems[s].u_offset, *o = c->frames[f].x;
        double r[3] = {contact->x[0] - o[0], contact->x[1] - o[1], contact->x[2] - o[2]};
        double twist[6] = {0}, turn[3];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < nu; j++)
                twist[i] += (c->V[f] ? c->V[f][i * nu + j] : i == j) * us[j];
        ss_cross(twist + 3, r, turn);
        for (int i = 0; i < 3; i++)
            sum += (side ? 1 : -1) * contact->n[i] * (twist[i] + turn[i]);
    }
    return sum;
}

/* γ_N of the wanted contacts a time s along the motion; NAN of those that are not there. */
static ss_status velocities_along(ss_work *work, int n, const ss_contact *wanted, const double *q,
                                  double t, const double *u, double s, double *gamma)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT};
    int from = 0;
    ss_work_move(work, q, u, s, work->q);
    SS_TRY(ss_work_evaluate_geometry(work, t + s, work->q));
    SS_TRY(ss_work_detect(work, &early, fabs(s), u));
    for (int i = 0; i < n; i++) {
        const ss_contact *now =
            ss_contact_before(&wanted[i], work->contacts->found, work->contacts->n, &from);
        gamma[i] = now ? normal_velocity(work, now, u) : NAN;
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
    SS_TRY(velocities_along(work, n, wanted, q, t, u, -s, before));
    SS_TRY(velocities_along(work, n, wanted, q, t, u, s, *zeta_hat));
    for (int i = 0; i < n; i++)
        (*zeta_hat)[i] = slope(before[i], now[i], (*zeta_hat)[i], s);
    SS_TRY(ss_work_evaluate_geometry(work, t, q));
    memcpy(work->contacts->found, wanted, (size_t)n * sizeof *wanted);
    c->n = n;
    return SS_OK;
}
