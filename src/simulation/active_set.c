/* active_set.c: what the active laws at a state leave undetermined: rank, uniqueness, impacts. */
#include "simulation/active_set.h"
#include "base/context.h"

#include "assembly/sources/contacts.h"
#include "la/eigen.h"
#include "rows/coupling.h"
#include "simulation/simulation.h"

#include <stickslip/impact.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double singular = 1e-10;
enum {
    MOST_ROWS = 2000, /* of ranks and null spaces: dense singular values */
    MOST_DENSE = 500, /* of eigenvalues by dense linear algebra; more by Lanczos steps */
};

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

/* Whether a direction of the null space changes a force that has a limit. */
static bool has_limits(const ss_analysed *a, const double *direction)
{
    const ss_inclusion *inclusion = &a->work->inclusion;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *block = &inclusion->blocks[i];
        for (int k = 0; k < block->dim && block->set->kind != SS_SET_FREE; k++)
            if (fabs(direction[block->offset + k]) > 1e-9)
                return true;
    }
    return false;
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
    a->set.examined = inclusion->n_rows <= MOST_ROWS;
    if (!a->set.examined)
        return SS_OK;
    SS_TRY(ss_analysis_create(a->work->model->context, &analysis));
    ss_status status =
        ss_analysis_determine(analysis, inclusion, a->work->P, u_E, tolerance, &a->set.determinacy);
    size_t rows = (size_t)inclusion->n_rows;
    const ss_determinacy *d = &a->set.determinacy;
    a->set.limits_unique = true;
    if (status == SS_OK)
        status = SS_ARENA_NEW(&a->arena, rows * (size_t)d->nullity, &null);
    for (int k = 0; status == SS_OK && k < d->nullity; k++) {
        double *direction = null + (size_t)k * rows;
        ss_analysis_null_direction(analysis, k, direction);
        a->set.limits_unique =
            a->set.limits_unique && (d->forces_unique || !has_limits(a, direction));
        a->set.null = null;
    }
    ss_analysis_destroy(analysis);
    return status;
}

/* G of all rows; n × n by rows. */
static ss_status dense(ss_analysed *a, int *n, double **G)
{
    *n = ss_inclusion_dense_G(&a->work->inclusion, false, NULL);
    SS_TRY(SS_ARENA_NEW(&a->arena, (size_t)*n * (size_t)*n, G));
    ss_inclusion_dense_G(&a->work->inclusion, false, *G);
    return SS_OK;
}

static ss_status find_rank(ss_analysed *a)
{
    int n;
    double *G, *sigma, *U, *Vt, *work, *scale;
    SS_TRY(dense(a, &n, &G));
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

/* ---- Impacts ----
 *
 * With ξ = γ⁺ + Eγ⁻ and γ⁺ = γ⁻ + GP is -Pᵀ(γ⁺ + γ⁻)/2 = -Pᵀ(1 + E)⁻¹ξ + ½ PᵀΔGP, Δ = (1 - E)/(1 + E). Every set contains zero,
 * so that -Pᵀξ is not negative, law by law, those of friction included, and an impact takes at least ½ PᵀΔGP out. */

/* ε of every row, and what is known without G: false when there is nothing to examine. */
static bool take_restitution(ss_analysed *a, const ss_simulation *simulation, double *epsilon)
{
    const ss_inclusion *inclusion = &a->work->inclusion;
    bool equal = true, scalar = true;
    if (simulation->impact != SS_IMPACT_NEWTON)
        a->set.impact_unexamined =
            simulation->impact == SS_IMPACT_POISSON
                ? "Poisson's impact law; the theorem is one of Newton's"
                : "restitution on positions; the theorem is one of velocities";
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_law *law = &a->work->table.laws[a->work->block_law[i]];
        const ss_block *block = &inclusion->blocks[i];
        const double *found = a->work->restitution + law->offset;
        bool contact = ss_element_rule(&a->work->table.elements[law->element]) != NULL;
        if (!contact && a->work->elements[law->element].epsilon)
            a->set.impact_unexamined =
                "full restitution matrix; what it does to energy is not decided by ΔG";
        if (contact && law->restitution)
            a->set.impact_unexamined = "contacts whose restitution depends on how they are hit";
        a->set.impact_friction = a->set.impact_friction || block->scale_from >= 0;
        for (int k = 0; k < law->dim; k++) {
            epsilon[block->offset + k] = found[k];
            scalar = scalar && found[k] == found[0];
            equal = equal && found[k] == epsilon[0];
        }
    }
    if (!scalar && !a->set.impact_unexamined)
        a->set.impact_unexamined = "a friction with several coefficients of restitution";
    a->set.impact_dissipative = equal;
    return !a->set.impact_unexamined;
}

/* sym(ΔG) x by the factors of the inclusion. */
typedef struct operator_D {
    ss_inclusion inclusion; /* with zero velocities and biases */
    const double *epsilon;
    double *u, *P, *gamma;
} operator_D;

static double delta(double epsilon)
{
    return (1 - epsilon) / (1 + epsilon);
}

static void times_G(const operator_D *D, const double *x, double *y)
{
    const ss_inclusion *inclusion = &D->inclusion;
    memset(D->u, 0, (size_t)inclusion->n_u * sizeof *D->u);
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_apply_impulse(inclusion, i, x + inclusion->blocks[i].offset, D->u);
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_velocity(inclusion, x, D->u, i, y + inclusion->blocks[i].offset);
}

static void apply(void *user, const double *x, double *y)
{
    const operator_D *D = user;
    int n = D->inclusion.n_rows;
    for (int i = 0; i < n; i++)
        D->P[i] = delta(D->epsilon[i]) * x[i];
    times_G(D, D->P, y);
    times_G(D, x, D->gamma);
    for (int i = 0; i < n; i++)
        y[i] = (y[i] + delta(D->epsilon[i]) * D->gamma[i]) / 2;
}

static ss_status find_bounds(ss_analysed *a, const double *epsilon)
{
    operator_D D = {.inclusion = a->work->inclusion, .epsilon = epsilon};
    int n = D.inclusion.n_rows, n_u = D.inclusion.n_u;
    double *zeros, *work;
    SS_TRY(SS_ARENA_NEW(&a->arena, n > n_u ? n : n_u, &zeros));
    SS_TRY(SS_ARENA_NEW(&a->arena, n_u, &D.u));
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &D.P));
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &D.gamma));
    SS_TRY(SS_ARENA_NEW(&a->arena, ss_eigen_lanczos_work(n), &work));
    D.inclusion.u_free = D.inclusion.b = zeros;
    D.inclusion.c = zeros;
    if (ss_eigen_least(n, apply, &D, work, &a->set.impact_least, &a->set.impact_most))
        return SS_OK;
    return ss_fail(a->work->model->context, SS_NON_FINITE, "G or the coefficients are not finite");
}

static ss_status find_least(ss_analysed *a, const double *G, const double *epsilon)
{
    int n = a->set.n_rows;
    double *A, *work, most;
    SS_TRY(SS_ARENA_NEW(&a->arena, (size_t)n * (size_t)n, &A));
    SS_TRY(SS_ARENA_NEW(&a->arena, ss_eigen_dense_work(n), &work));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[(size_t)i * (size_t)n + (size_t)j] =
                (delta(epsilon[i]) * G[(size_t)i * (size_t)n + (size_t)j] +
                 delta(epsilon[j]) * G[(size_t)j * (size_t)n + (size_t)i]) /
                2;
    if (!ss_eigen_dense(n, A, work, &a->set.impact_least, &most))
        return ss_fail(a->work->model->context, SS_NON_FINITE,
                       "G or the coefficients are not finite");
    a->set.impact_most = a->set.impact_least;
    return SS_OK;
}

/* How far apart two motions may come; only without friction is the law a map. */
static ss_status find_expansion(ss_analysed *a, const double *G, const double *epsilon)
{
    ss_context *context = a->work->model->context;
    ss_expansion expansion;
    if (a->set.impact_friction)
        return SS_OK;
    ss_status status = ss_impact_expansion(context, a->set.n_rows, G, epsilon, &expansion);
    if (status == SS_OK)
        a->set.impact_ratio = expansion.ratio;
    return status == SS_SINGULAR || status == SS_UNSUPPORTED ? SS_OK : status;
}

static ss_status judge_impacts(ss_analysed *a, const ss_simulation *simulation)
{
    int n = a->set.n_rows;
    double *G, *epsilon, largest = 0;
    a->set.impact_rows = n;
    a->set.impact_ratio = a->set.impact_least = a->set.impact_most = NAN;
    SS_TRY(SS_ARENA_NEW(&a->arena, n, &epsilon));
    if (!take_restitution(a, simulation, epsilon) || n == 0)
        return SS_OK;
    if (n > MOST_DENSE) {
        SS_TRY(find_bounds(a, epsilon));
        a->set.impact_least = a->set.impact_dissipative ? 0 : a->set.impact_least;
    } else {
        SS_TRY(dense(a, &n, &G));
        for (int i = 0; i < n; i++)
            largest = fmax(largest, G[(size_t)i * (size_t)n + (size_t)i]);
        SS_TRY(find_least(a, G, epsilon));
        SS_TRY(find_expansion(a, G, epsilon));
    }
    a->set.impact_dissipative =
        a->set.impact_dissipative || a->set.impact_least >= -1e-12 * largest;
    a->set.impact_monotone = a->set.impact_dissipative && !a->set.impact_friction;
    return SS_OK;
}

static ss_status analyse(ss_analysed *a, ss_simulation *simulation)
{
    ss_state *state = ss_simulation_state(simulation);
    double *u_E, dt = ss_state_dt(state);
    a->work = ss_simulation_work(simulation);
    if (simulation->follow != SS_FOLLOW_NONE) { /* contacts of the state, by their rules */
        SS_TRY(ss_work_create(simulation->model, a->work->solver, &a->own));
        SS_TRY(ss_work_find_sizes(a->own, simulation->options.end));
        a->work = a->own;
    }
    a->u = ss_state_u(state);
    a->set.t = ss_state_time(state);
    a->set.dt = dt > 0 ? dt : 1e-4 * a->work->sizes.time;
    SS_TRY(SS_ARENA_NEW(&a->arena, a->work->model->n_u, &a->h));
    SS_TRY(SS_ARENA_NEW(&a->arena, a->work->model->n_u, &u_E));
    SS_TRY(solve(a, state, u_E));
    SS_TRY(keep_results(a));
    SS_TRY(determine(a, u_E));
    if (a->set.examined)
        SS_TRY(find_rank(a));
    SS_TRY(judge_impacts(a, simulation));
    return ss_analysed_painleve(a);
}

ss_status ss_simulation_analyse(ss_simulation *simulation, ss_active_set **set)
{
    SS_GIVEN(NULL, simulation);
    SS_GIVEN(simulation->context, set);
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
