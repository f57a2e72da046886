/* moreau.c: Moreau's midpoint rule (S5.3.2).
 *
 * With q_M = q_B + F u_B Δt/2, t_M = t_B + Δt/2 and everything but h(u) evaluated there,
 *
 *     M (u_E - u_B) = h Δt + W P,   -(γ_E + ε γ_B) ∈ N(P),   q_E = q_B + F (u_B + u_E)/2 Δt     (S5.49–S5.52)
 *
 * The constant vector of S5.53 carries ζ twice in print; derived again it is
 * c = (1 + ε) γ_B + Wᵀ M⁻¹ h Δt with γ_B = Wᵀ u_B + ζ.
 */
#include "base/context.h"
#include "scheme/builtin.h"

#include <stickslip/scheme.h>

typedef struct moreau {
    bool implicit; /* h with the velocities at the end of the step */
} moreau;

static const ss_key keys[] = {
    {"implicit", SS_KEY_BOOL, offsetof(moreau, implicit), "false", 0, 0, NULL, "",
     "Evaluate h with the velocities at the end of the step, within the solver's iteration."},
    {NULL},
};

/* What the implicit evaluation of h needs while the solver iterates. */
typedef struct refresh_data {
    ss_work *work;
    const double *u_B, *impulse;
    double dt;
    double *h;
} refresh_data;

/* u_free = u_B + M⁻¹ (h Δt + impulse) */
static void free_velocity(const ss_work *work, const double *u_B, const double *h,
                          const double *impulse, double dt, double *u_free)
{
    int n_u = ss_model_sizes(ss_work_model(work)).n_u;
    for (int i = 0; i < n_u; i++)
        u_free[i] = h[i] * dt + impulse[i];
    ss_work_solve_mass(work, u_free);
    for (int i = 0; i < n_u; i++)
        u_free[i] += u_B[i];
}

static ss_status refresh(void *user, const double *u, double *u_free, double *b)
{
    const refresh_data *d = user;
    (void)b;
    SS_TRY(ss_work_forces(d->work, u, d->h));
    free_velocity(d->work, d->u_B, d->h, d->impulse, d->dt, u_free);
    return SS_OK;
}

static size_t scratch_size(const void *self, const ss_model *model)
{
    (void)self;
    ss_model_size size = ss_model_sizes(model);
    return (size_t)size.n_q + 3 * (size_t)size.n_u;
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B, double dt,
                      ss_state *E, ss_solve_report *report)
{
    const moreau *o = self;
    ss_model_size size = ss_model_sizes(ss_work_model(work));
    double *q_M = scratch, *h = q_M + size.n_q, *impulse = h + size.n_u, *u_free = impulse + size.n_u;
    const double *q_B = ss_state_q(B), *u_B = ss_state_u(B);
    double *q_E = ss_state_q(E), *u_E = ss_state_u(E);
    double t_B = ss_state_time(B);

    SS_TRY(ss_work_predict(work, t_B, q_B, u_B, dt / 2, q_M));
    SS_TRY(ss_work_place(work, t_B + dt / 2, q_M));
    SS_TRY(ss_work_forces(work, u_B, h));
    for (int i = 0; i < size.n_u; i++)
        impulse[i] = 0;
    SS_TRY(ss_work_laws(work, dt, u_B, impulse));
    free_velocity(work, u_B, h, impulse, dt, u_free);

    refresh_data data = {work, u_B, impulse, dt, h};
    ss_work_inclusion(work)->refresh = o->implicit ? refresh : NULL;
    ss_work_inclusion(work)->refresh_user = &data;
    SS_TRY(ss_work_solve(work, B, u_free, u_E, report));

    for (int i = 0; i < size.n_u; i++)
        u_free[i] = (u_B[i] + u_E[i]) / 2;
    ss_work_move(work, q_B, u_free, dt, q_E);
    SS_TRY(ss_work_review(work, t_B + dt, q_E, u_E));
    return ss_work_finish(work, B, dt, report, E);
}

const ss_scheme_ops ss_moreau_ops = {
    .type = {sizeof(ss_scheme_ops), "moreau",
             "Moreau's midpoint rule: laws on velocity level, order 1 through impacts.", sizeof(moreau),
             keys},
    .scratch = scratch_size,
    .step = step,
};
