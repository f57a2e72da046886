/* liar.c: a solver that spoils what it has found and says that it converged, for tests that certificates notice. */
#include <stickslip/stickslip.h>

#include <math.h>
#include <string.h>

enum { TRUE_WORD, PULL, CONE, ALONG, LAZY, GIVES_UP };

typedef struct liar {
    int lie;
} liar;

static const ss_key keys[] = {
    {.name = "lie",
     .kind = SS_KEY_CHOICE,
     .offset = offsetof(liar, lie),
     .default_value = "none",
     .unit = "",
     .choices = "none|pull|cone|along|lazy|gives_up",
     .doc = "What is wrong with the solution."},
    {.name = NULL},
};

/* Plain projected Gauss-Seidel. */
static void relax(const ss_inclusion *inclusion, int i, const ss_solve_call *call)
{
    const ss_block *block = &inclusion->blocks[i];
    double G[36], gamma[6], next[6], dP[6], *P = call->P + block->offset;
    ss_inclusion_diagonal(inclusion, i, G);
    ss_inclusion_velocity(inclusion, call->P, call->u, i, gamma);
    for (int k = 0; k < block->dim; k++)
        next[k] = P[k] - gamma[k] / G[0];
    ss_set_prox(block->set, ss_inclusion_scale(inclusion, call->P, i), next, next);
    for (int k = 0; k < block->dim; k++)
        dP[k] = next[k] - P[k];
    memcpy(P, next, (size_t)block->dim * sizeof *P);
    ss_inclusion_apply_impulse(inclusion, i, dP, call->u);
}

/* Normal laws are not scaled, frictions are. */
static void spoil(const ss_inclusion *inclusion, int lie, const ss_solve_call *call)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double *P = call->P + inclusion->blocks[i].offset;
        bool friction = inclusion->blocks[i].scale_from >= 0;
        if (!friction && lie == PULL)
            P[0] = -P[0];
        if (!friction && lie == LAZY)
            P[0] *= 0.5;
        if (friction && lie == CONE)
            P[0] *= 2;
        if (friction && lie == ALONG)
            P[0] = -P[0];
    }
    ss_inclusion_free_motion(inclusion, call->P, call->u);
}

static ss_status solve(void *self, ss_context *context, const ss_solve_call *call)
{
    const liar *l = self;
    (void)context;
    memset(call->P, 0, (size_t)call->inclusion->n_rows * sizeof *call->P);
    ss_inclusion_free_motion(call->inclusion, call->P, call->u);
    for (int sweep = 0; sweep < 200; sweep++)
        for (int i = 0; i < call->inclusion->n_blocks; i++)
            relax(call->inclusion, i, call);
    if (l->lie != TRUE_WORD)
        spoil(call->inclusion, l->lie, call);
    *call->report = (ss_solve_report){.outcome = l->lie == GIVES_UP && call->inclusion->n_blocks > 0
                                                     ? SS_MAX_ITERATIONS
                                                     : SS_CONVERGED,
                                      .iterations = 200,
                                      .residual = {.value = l->lie == GIVES_UP ? 0.5 : 0,
                                                   .absolute = l->lie == GIVES_UP,
                                                   .worst_block = 0}};
    return SS_OK;
}

static const ss_solver_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "liar",
             .doc = "Says that it has converged.",
             .self_size = sizeof(liar),
             .keys = keys},
    .solve = solve,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_solver(context, &ops);
}
