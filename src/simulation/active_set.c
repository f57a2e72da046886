/* active_set.c: what the active laws at a state leave undetermined: rank, uniqueness, impacts. */
#include "simulation/active_set.h"

#include "assembly/sources/contacts.h"
#include "la/eigen.h"
#include "rows/coupling.h"
#include "simulation/simulation.h"

#include <stickslip/impact.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double singular = 1e-10;

/* Laws that were closed or stuck in the last step are active whatever rounding makes of their
 * gaps. */
static ss_status keep_closed(ss_analysed *a, const ss_state *state)
{
    const ss_table *table = &a->work->table;
    bool *keep;
    SS_TRY(SS_ARENA_NEW(&a->arena, table->n_laws, &keep));
    for (int l = 0; l < table->n_laws; l++)
        keep[l] = ss_state_statistics(state)->steps > 0 && ss_state_mode(state)[l] == 0;
    ss_work_keep_active(a->work, keep);
    return SS_OK;
}

/* The inclusion of a step from the state, solved. */
static ss_status solve(ss_analysed *a, const ss_state *state, double *u_E)
{
    ss_work *work = a->work;
    int n_u = work->model->n_u;
    double *impulse;
    SS_TRY(SS_ARENA_NEW(&a->arena, n_u, &impulse));
    SS_TRY(ss_work_evaluate(work, ss_state_time(state), ss_state_q(state)));
    SS_TRY(ss_work_forces(work, a->u, a->h));
    SS_TRY(keep_closed(a, state));
    if (work->contacts)
        work->contacts->general_only = true;
    ss_status status = ss_work_laws(work, a->set.dt, a->u, impulse);
    ss_work_keep_active(work, NULL);
    if (work->contacts)
        work->contacts->general_only = false;
    SS_TRY(status);
    for (int i = 0; i < n_u; i++) {
        a->h[i] += impulse[i] / a->set.dt;
        impulse[i] = a->h[i] * a->set.dt;
    }
    ss_work_solve_mass(work, impulse);
    for (int i = 0; i < n_u; i++)
        impulse[i] += a->u[i];
    return ss_work_solve(work, state, impulse, u_E, &a->set.solve);
}

static ss_status keep_results(ss_analysed *a)
{
    const ss_inclusion *inclusion = &a->work->inclusion;
    int *laws;
    double *P;
    SS_TRY(SS_ARENA_NEW(&a->arena, inclusion->n_blocks, &laws));
    SS_TRY(SS_ARENA_NEW(&a->arena, inclusion->n_rows, &P));
    if (inclusion->n_blocks > 0) {
        memcpy(laws, a->work->block_law, (size_t)inclusion->n_blocks * sizeof *laws);
        memcpy(P, a->work->P, (size_t)inclusion->n_rows * sizeof *P);
    }
    a->set.n_laws = inclusion->n_blocks;
    a->set.n_rows = inclusion->n_rows;
    a->set.laws = laws;
    a->set.P = P;
    return SS_OK;
}

static ss_status determine(ss_analysed *a, const double *u_E)
{
    const ss_inclusion *inclusion = &a->work->inclusion;
    double tolerance = fmax(100 * a->set.solve.residual.value, 1e-9), *null;
    ss_mode *modes;
    ss_analysis *analysis;
    SS_TRY(SS_ARENA_NEW(&a->arena, inclusion->n_blocks, &modes));
    ss_inclusion_modes(inclusion, a->work->P, u_E, tolerance, modes);
    a->set.modes = modes;
    SS_TRY(ss_analysis_create(a->work->model->context, &analysis));
    ss_status status =
        ss_analysis_determine(analysis, inclusion, a->work->P, u_E, tolerance, &a->set.determinacy);
    size_t rows = (size_t)inclusion->n_rows;
    if (status == SS_OK)
        status = SS_ARENA_NEW(&a->arena, rows * (size_t)a->set.determinacy.nullity, &null);
    for (int k = 0; status == SS_OK && k < a->set.determinacy.nullity; k++) {
        ss_analysis_null_direction(analysis, k, null + (size_t)k * rows);
        a->set.null = null;
    }
    ss_analysis_destroy(analysis);
    return status;
}

/* G of all rows, or of those without `scale_from` if `unscaled`; n × n by rows. */
static ss_status dense(ss_analysed *a, bool unscaled, int *n, double **G)
{
    *n = ss_inclusion_dense_G(&a->work->inclusion, unscaled, NULL);
    SS_TRY(SS_ARENA_NEW(&a->arena, (size_t)*n * (size_t)*n, G));
    ss_inclusion_dense_G(&a->work->inclusion, unscaled, *G);
    return SS_OK;
}

static ss_status find_rank(ss_analysed *a)
{
    int n;
    double *G, *sigma, *U, *Vt, *work, *scale;
    SS_TRY(dense(a, false, &n, &G));
    size_t square = (size_t)n * (size_t)n;
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &sigma));
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &scale));
    SS_TRY(SS_ARENA_NEW(&a->arena, square, &U));
    SS_TRY(SS_ARENA_NEW(&a->arena, square, &Vt));
    SS_TRY(SS_ARENA_NEW(&a->arena, ss_svd_work(n), &work));
    for (int i = 0; i < n; i++) {
        double d = G[(size_t)i * (size_t)n + (size_t)i];
        scale[i] = d > 0 ? 1 / sqrt(d) : 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            G[(size_t)i * (size_t)n + (size_t)j] *= scale[i] * scale[j];
    if (!ss_svd(n, G, sigma, U, Vt, work))
        return ss_fail(a->work->model->context, SS_NON_FINITE, "G is not finite");
    while (a->set.rank < n && sigma[a->set.rank] > singular * sigma[0])
        a->set.rank++;
    return SS_OK;
}

static void take_restitution(ss_analysed *a, double *epsilon)
{
    int row = 0;
    for (int i = 0; i < a->work->inclusion.n_blocks; i++) {
        const ss_law *law = &a->work->table.laws[a->work->block_law[i]];
        if (a->work->blocks[i].scale_from >= 0)
            continue;
        bool contact = ss_element_rule(&a->work->table.elements[law->element]) != NULL;
        a->set.impact_matrix =
            a->set.impact_matrix || (!contact && a->work->elements[law->element].epsilon);
        for (int k = 0; k < law->dim; k++)
            epsilon[row++] = law->epsilon[k];
    }
}

static ss_status judge_impacts(ss_analysed *a)
{
    ss_context *context = a->work->model->context;
    int n;
    double *G, *epsilon, largest = 0;
    ss_expansion expansion;
    SS_TRY(dense(a, true, &n, &G));
    a->set.impact_rows = n;
    a->set.impact_ratio = NAN;
    a->set.impact_monotone = n == 0;
    a->set.impact_least = n > SS_IMPACT_MOST ? NAN : 0;
    if (n == 0 || n > SS_IMPACT_MOST)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &epsilon));
    take_restitution(a, epsilon);
    SS_TRY(ss_impact_monotonicity(context, n, G, epsilon, &a->set.impact_least));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, G[i * n + i]);
    a->set.impact_monotone = a->set.impact_least >= -1e-12 * largest;
    ss_status status = ss_impact_expansion(context, n, G, epsilon, &expansion);
    if (status == SS_OK)
        a->set.impact_ratio = expansion.ratio;
    return status == SS_SINGULAR || status == SS_UNSUPPORTED ? SS_OK : status;
}

static ss_status analyse(ss_analysed *a, ss_simulation *simulation)
{
    ss_state *state = ss_simulation_state(simulation);
    double *u_E, dt = ss_state_dt(state);
    a->work = ss_simulation_work(simulation);
    if (simulation->follow != SS_FOLLOW_NONE) { /* contacts of the state, by their rules */
        SS_TRY(ss_work_create(simulation->model, a->work->solver, &a->own));
        a->work = a->own;
    }
    a->u = ss_state_u(state);
    a->set.t = ss_state_time(state);
    a->set.dt = dt > 0 ? dt : 1e-4;
    SS_TRY(SS_ARENA_NEW(&a->arena, a->work->model->n_u, &a->h));
    SS_TRY(SS_ARENA_NEW(&a->arena, a->work->model->n_u, &u_E));
    SS_TRY(solve(a, state, u_E));
    SS_TRY(keep_results(a));
    SS_TRY(determine(a, u_E));
    SS_TRY(find_rank(a));
    SS_TRY(judge_impacts(a));
    return ss_analysed_painleve(a);
}

ss_status ss_simulation_analyse(ss_simulation *simulation, ss_active_set **set)
{
    ss_analysed *a;
    ss_context *context = ss_model_context(ss_simulation_model(simulation));
    *set = NULL;
    SS_TRY(SS_NEW(context, 1, &a));
    ss_arena_init(&a->arena, context);
    ss_status status = analyse(a, simulation);
    if (status != SS_OK) {
        ss_active_set_destroy(&a->set);
        return status;
    }
    *set = &a->set;
    return SS_OK;
}

void ss_active_set_destroy(ss_active_set *set)
{
    if (!set)
        return;
    ss_analysed *a = (ss_analysed *)set;
    ss_context *context = a->arena.context;
    ss_work_destroy(a->own);
    ss_arena_release(&a->arena);
    ss_release(context, a);
}
