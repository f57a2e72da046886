/* gamma.c: the γ-equations of Studer & Glocker (45, 46): the inclusion in the relative velocities,
 *
 *     λ = G⁻¹ (γ - c),   γ_i = y_i + r_i prox_C(-y_i / r_i),   y_i = γ_i - r_i λ_i,
 *
 * one block after the other. For a half line that is γ_i = prox(γ_i - r_i λ_i). They exist where G
 * is regular only: where constraints depend on each other, there is no λ of γ. */
#include "la/small.h"
#include "solver/run.h"

#include <lapacke.h>
#include <string.h>

enum { MOST_ROWS = 3000 };

/* One solve, in scratch memory. */
typedef struct equations {
    const ss_run *run;
    double *inverse; /* n × n: G⁻¹ by columns */
    double *lambda, *gamma;
} equations;

/* G⁻¹ by columns, or a message that there is none, or none that keeps half of the digits. */
static ss_status invert(ss_run *run, ss_arena *arena, double *G)
{
    const double singular = 1e-13, nearly = 1e-8;
    int n = run->g->n_rows, *pivots, *integers;
    double condition = 0.0, norm = 0.0, *work; /* norm of the largest column */
    const ss_gathered *g = run->g;
    size_t rows = (size_t)n;
    if (n == 0)
        return SS_OK;
    memset(G, 0, rows * rows * sizeof *G);
    for (int i = 0; i < g->n_groups; i++) {
        const ss_gathered_group *at = &g->groups[i];
        for (int a = 0; a < at->dim; a++)
            for (int b = 0; b < at->dim; b++)
                G[(size_t)(at->row + b) * rows + (size_t)(at->row + a)] =
                    g->diagonal[at->diagonal + a * at->dim + b];
        for (int e = g->start[i]; e < g->start[i + 1]; e++) {
            const ss_gathered_group *with = &g->groups[g->column[e]];
            for (int a = 0; a < at->dim; a++)
                for (int b = 0; b < with->dim; b++)
                    G[(size_t)(with->row + b) * rows + (size_t)(at->row + a)] =
                        g->value[g->place[e] + a * with->dim + b];
        }
    }
    for (size_t j = 0; j < rows; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++)
            sum += fabs(G[j * rows + i]);
        norm = fmax(norm, sum);
    }
    SS_TRY(SS_ARENA_NEW(arena, 64 * (size_t)n, &work));
    SS_TRY(SS_ARENA_NEW(arena, n, &pivots));
    SS_TRY(SS_ARENA_NEW(arena, n, &integers));
    bool regular = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, G, n, pivots) == 0;
    if (regular)
        LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, G, n, norm, &condition, work, integers);
    if (!regular || condition < singular)
        return ss_fail(run->context, SS_UNSUPPORTED,
                       "solver 'gamma': G of %d rows is singular, so the γ-equations do not exist",
                       n);
    if (condition < nearly)
        return ss_fail(run->context, SS_UNSUPPORTED,
                       "solver 'gamma': G of %d rows is nearly singular (condition number %.1e), "
                       "so that the γ-equations lose too many digits",
                       n, 1.0 / condition);
    LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, G, n, pivots, work, 64 * n);
    return SS_OK;
}

/* One block: rows from `row` on. */
static void visit(const equations *s, const ss_block *B, int row, double scale)
{
    int n = s->run->g->n_rows;
    double *gamma = s->gamma + row, *lambda = s->lambda + row, diagonal = 0.0;
    double y[SS_SET_MAX_DIM], p[SS_SET_MAX_DIM];
    for (int k = 0; k < B->dim; k++)
        diagonal = fmax(diagonal, s->inverse[(size_t)(row + k) * (size_t)n + (size_t)(row + k)]);
    double r = 1.0 / diagonal;
    for (int k = 0; k < B->dim; k++) {
        y[k] = gamma[k] - r * lambda[k];
        p[k] = -y[k] / r;
    }
    ss_set_prox(B->set, scale, p, p);
    for (int k = 0; k < B->dim; k++) {
        double change = y[k] + r * p[k] - gamma[k];
        gamma[k] += change;
        y[k] = change;
    }
    for (int k = 0; k < B->dim; k++)
        ss_axpy(n, y[k], s->inverse + (size_t)(row + k) * (size_t)n, s->lambda);
}

/* λ = G⁻¹ (γ - c), anew now and then, so that rounding does not add up. */
static void recompute(const equations *s)
{
    int n = s->run->g->n_rows;
    memset(s->lambda, 0, (size_t)n * sizeof *s->lambda);
    for (int k = 0; k < n; k++)
        ss_axpy(n, s->gamma[k] - s->run->g->c[k], s->inverse + (size_t)k * (size_t)n, s->lambda);
}

static ss_status iterate(void *self, ss_run *run)
{
    enum { FRESH = 64 };
    (void)self;
    equations s = {.run = run};
    size_t n = (size_t)run->g->n_rows;
    ss_arena *arena = ss_run_scratch(run);
    SS_TRY(SS_ARENA_NEW(arena, n * n, &s.inverse));
    SS_TRY(ss_run_vectors(run, (double **[]){&s.lambda, &s.gamma, NULL}));
    SS_TRY(invert(run, arena, s.inverse));
    ss_gathered_velocity(run->g, run->P, s.gamma);
    recompute(&s);
    const ss_gathered *g = run->g;
    const ss_inclusion *A = run->inclusion;
    for (int i = 1;; i++) {
        for (int k = 0; k < g->n_groups; k++) {
            const ss_gathered_group *K = &g->groups[k];
            const ss_block *N = &A->blocks[K->normal];
            visit(&s, N, K->row, ss_gathered_scale(g, A, K->normal, s.lambda));
            if (K->tangential < 0)
                continue;
            const ss_block *T = &A->blocks[K->tangential];
            visit(&s, T, K->row + N->dim, T->scale * fabs(s.lambda[K->row]));
        }
        if (i % FRESH == 0)
            recompute(&s);
        ss_run_judge(run, s.lambda, s.gamma);
        if (run->solved || !ss_run_count(run, s.lambda))
            return SS_OK;
    }
}

static const char *refuses(const ss_inclusion *inclusion)
{
    if (inclusion->n_rows > MOST_ROWS)
        return "the γ-equations need the inverse of G; they are taken up to 3000 rows";
    return NULL;
}

static const ss_key keys[] = {SS_RUN_KEYS("10000"), {.name = NULL}};

const ss_method ss_method_gamma = {
    .ops.type = {.name = "gamma",
                 .doc = "The equations in the relative velocities, with the inverse of G: exists "
                        "where G is regular, and says so where it is not.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = keys},
    .refuses = refuses,
    .iterate = iterate,
};
