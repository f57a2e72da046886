/* euler.c: a scheme of one's own. As Moreau's, but everything is evaluated where the step begins, and the positions
 * move with the velocities at its end; in smooth motion this is the symplectic Euler method.
 */
#include <stickslip/stickslip.h>

static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    (void)self, (void)model;
    return (size_t)size->n_u;
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    (void)self;
    const double *q_B = ss_state_q(B), *u_B = ss_state_u(B);
    double *q_E = ss_state_edit_q(E), *u_E = ss_state_edit_u(E);
    double *u_free = scratch;
    int n = ss_work_sizes(work).n_u;

    SS_TRY(ss_work_evaluate(work, ss_state_time(B), q_B));

    /* u_free = u_B + M⁻¹ (h dt + known impulses) */
    SS_TRY(ss_work_forces(work, u_B, u_free));
    for (int i = 0; i < n; i++)
        u_free[i] *= dt;
    SS_TRY(ss_work_laws(work, dt, u_B, u_free));
    ss_work_solve_mass(work, u_free);
    for (int i = 0; i < n; i++)
        u_free[i] += u_B[i];

    SS_TRY(ss_work_solve(work, B, u_free, u_E, report));
    ss_work_move(work, q_B, u_E, dt, q_E);
    SS_TRY(ss_work_review(work, ss_state_time(B) + dt, q_E, u_E));
    return ss_work_finish(work, B, dt, report, E);
}

static const ss_scheme_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_scheme_ops),
             .name = "euler",
             .doc = "Forces and laws of the beginning of the step, positions by the velocities of "
                    "its end."},
    .scratch = scratch_size,
    .step = step,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_scheme(context, &ops);
}
