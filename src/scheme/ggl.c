/* ggl.c: time-stepping after Gear, Gupta and Leimkuhler (S5.1.3.2, S5.3.7): Moreau's midpoint rule,
 * then positions that are projected on -(g_E + δ) ∈ N(P_q), q_E = q_B + F (u_B + u_E)/2 Δt + M⁻¹ W
 * P_q. The projection may bring energy in.
 */
#include "assembly/work.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>

typedef struct ggl {
    double penetration;
} ggl;

static const ss_key keys[] = {
    {"penetration", SS_KEY_REAL, offsetof(ggl, penetration), "-1", -INFINITY, INFINITY, NULL,
     "m, rad",
     "Penetration δ up to which positions of laws that can open are left alone; negative: what "
     "suffices for a "
     "contact to come to rest, from step to step."},
    {NULL},
};

/* Which laws were active in the step is asked after it, and the projection makes an inclusion of its
 * own: blocks and levels of the step are kept beside. */
static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    return ss_general_scratch(self, model, size) + 2 * (size_t)size->n_laws;
}

static void keep_laws(const ss_general *g, double *kept)
{
    for (int l = 0; l < g->size.n_laws; l++) {
        kept[2 * l] = g->work->laws[l].block;
        kept[2 * l + 1] = g->work->laws[l].level;
    }
}

/* A law that was open in the step, but that the projection has pushed, is closed at its end. */
static void close_projected(const ss_general *g, int l)
{
    int block = g->work->laws[l].block, *mode = ss_state_edit_mode(g->E) + l;
    const ss_law *law = &g->work->table.laws[l];
    bool pushed = false;
    for (int i = 0; block >= 0 && ss_law_opens(law) && i < law->dim; i++)
        pushed = pushed || g->work->P[g->work->blocks[block].offset + i] != 0;
    if (!pushed || *mode == 0)
        return;
    *mode = 0;
    if (ss_state_mode(g->B)[l] == 0)
        ss_state_edit_statistics(g->E)->switches--;
    else
        ss_state_edit_statistics(g->E)->switches++;
}

static void restore_laws(const ss_general *g, const double *kept)
{
    for (int l = 0; l < g->size.n_laws; l++) {
        g->work->laws[l].block = (int)kept[2 * l];
        g->work->laws[l].level = (ss_level)kept[2 * l + 1];
    }
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization d = {.mass = 0.5, .laws = 0.5, .h = 0.5, .alpha = 0.5};
    const ggl *o = self;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    SS_TRY(ss_general_finish(&g));
    double *kept = scratch + ss_general_scratch_of(work);
    keep_laws(&g, kept);
    SS_TRY(ss_general_project(&g, o->penetration));
    for (int l = 0; l < g.size.n_laws; l++)
        close_projected(&g, l);
    restore_laws(&g, kept);
    return SS_OK;
}

const ss_scheme_ops ss_ggl_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "ggl",
         "Time-stepping after Gear, Gupta and Leimkuhler: Moreau's rule, and positions projected.",
         sizeof(ggl), keys},
    .scratch = scratch_size,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_BOTH,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
