/* interior.c: an interior point method for Coulomb contacts. In the scaling of run.h the law
 * is
 *
 *     y = A x + b + ‖y_T‖ e,   x ∈ L, y ∈ L, x ∘ y = 0   (De Saxcé; e: normal direction)
 *
 * and is followed along x ∘ y = τ e, τ → 0, by Newton's method in the scaling of Nesterov and
 * Todd with Mehrotra's correction. The derivative of ‖y_T‖, which makes the law non-associated,
 * is kept: it changes the diagonal blocks of the linear system only, (A + (I - e tᵀ) Θ) dx = …,
 * t = y_T / ‖y_T‖. It ends in the middle of the solutions where there are many, and does not
 * need G to be regular. */
#include "la/elementary.h"
#include "la/small.h"
#include "solver/cone.h"
#include "solver/run.h"

#include <string.h>

/* A step may go so far towards the boundary, and must leave every contact so well centred. */
static const double boundary = 0.99, centred = 1e-2;
/* While the equations are violated by so many times the gap, the gap shrinks by a half at most: if it
 * ran ahead, the steps would end at the boundary. */
static const double ahead = 10.0, held = 0.5;

typedef struct interior {
    ss_run *run;
    ss_scaled *scaled;
    ss_cone_scaling *scaling; /* n_groups */
    double *x, *y;            /* P and u in their cones; n_rows each, as all below */
    double *dx, *dy, *r, *v;
    double *lambda, *target, *affine, *rhs;
    double *best_dx, *best_dy;
    double error; /* ‖r‖ / √rows of this iteration */
    double gap;   /* xᵀy / cones */
    double least; /* worst centrality / gap */
} interior;

static double slip_speed(int n, const double *y)
{
    return n == 3 ? sqrt(y[1] * y[1] + y[2] * y[2]) : n == 2 ? fabs(y[1]) : 0.0;
}

/* r = A x + b + ‖y_T‖ e - y, the gap, and how well the pairs are centred. */
static void evaluate(interior *s)
{
    const ss_gathered *g = s->run->g;
    double gap = 0.0, least = INFINITY;
    ss_scaled_apply(s->scaled, s->x, s->v);
    for (int k = 0; k < g->n_groups; k++) {
        int row = g->groups[k].row, n = s->scaled->cone[k];
        for (int a = 0; a < g->groups[k].dim; a++)
            s->r[row + a] = s->v[row + a] - s->y[row + a];
        if (n == 0)
            continue;
        s->r[row] += slip_speed(n, s->y + row);
        gap += ss_cone_dot(n, s->x + row, s->y + row);
        least = fmin(least, ss_cone_centrality(n, s->x + row, s->y + row));
    }
    s->error = sqrt(ss_dot(g->n_rows, s->r, s->r) / fmax(1.0, g->n_rows));
    s->gap = s->scaled->n_cones ? gap / s->scaled->n_cones : 0.0;
    s->least = s->gap > 0.0 ? least / s->gap : 1.0;
}

/* z → (I - e tᵀ) z */
static void tilt(int n, const double *y, double *z)
{
    double slip = slip_speed(n, y);
    if (slip <= DBL_MIN)
        return;
    for (int k = 1; k < n; k++)
        z[0] -= y[k] / slip * z[k];
}

/* K = A + (I - e tᵀ) Θ, factored. Free rows get a trace of compliance, so that redundant ones do
 * no harm. */
static bool factor(interior *s)
{
    const ss_gathered *g = s->run->g;
    ss_scaled *A = s->scaled;
    ss_scaled_copy_A(A);
    for (int k = 0; k < g->n_groups; k++) {
        int row = g->groups[k].row, n = A->cone[k];
        for (int a = 0; a < g->groups[k].dim && n == 0; a++)
            A->K[A->diagonal[row + a] + a] += 1e-13;
        if (n == 0)
            continue;
        s->scaling[k] = ss_cone_scale(n, s->x + row, s->y + row);
        ss_cone_root(n, &s->scaling[k], 1, s->x + row, s->lambda + row);
        for (int b = 0; b < n; b++) {
            double unit[3] = {b == 0, b == 1, b == 2}, column[3];
            ss_cone_theta(n, &s->scaling[k], unit, column);
            tilt(n, s->y + row, column);
            for (int a = 0; a < n; a++)
                A->K[A->diagonal[row + a] + b] += column[a];
        }
    }
    return ss_lu_factor(A->lu, A->K);
}

/* Solves for the step dx, dy whose scaled complementarity λ ∘ (…) has the right-hand side `target`. */
static bool solve(interior *s)
{
    const ss_gathered *g = s->run->g;
    double *dx = s->dx, *dy = s->dy;
    for (int k = 0; k < g->n_groups; k++) {
        int row = g->groups[k].row, n = s->scaled->cone[k];
        double z[3] = {0.0};
        for (int a = n; a < g->groups[k].dim; a++)
            s->rhs[row + a] = n == 0 ? -s->r[row + a] : -s->x[row + a];
        if (n == 0)
            continue;
        ss_cone_divide(n, s->lambda + row, s->target + row, z);
        ss_cone_root(n, &s->scaling[k], 1, z, z);
        memcpy(dy + row, z, (size_t)n * sizeof *z);
        tilt(n, s->y + row, z);
        for (int a = 0; a < n; a++)
            s->rhs[row + a] = z[a] - s->r[row + a];
    }
    if (!ss_lu_solve(s->scaled->lu, s->rhs, dx))
        return false;
    for (int k = 0; k < g->n_groups; k++) {
        int row = g->groups[k].row, n = s->scaled->cone[k];
        double z[3] = {0.0};
        for (int a = n; a < g->groups[k].dim; a++)
            dy[row + a] = 0.0;
        if (n == 0)
            continue;
        ss_cone_theta(n, &s->scaling[k], dx + row, z);
        for (int a = 0; a < n; a++)
            dy[row + a] -= z[a];
    }
    return true;
}

/* Longest step, up to 1, that stays in the cones. */
static double longest(const interior *s)
{
    double most = INFINITY;
    for (int k = 0; k < s->run->g->n_groups; k++) {
        int row = s->run->g->groups[k].row, n = s->scaled->cone[k];
        if (n == 0)
            continue;
        most = fmin(most, ss_cone_step(n, s->x + row, s->dx + row));
        most = fmin(most, ss_cone_step(n, s->y + row, s->dy + row));
    }
    return most;
}

/* Gap and worst centrality after a step. */
static double gap_after(const interior *s, double a, double *least)
{
    double gap = 0.0;
    *least = INFINITY;
    for (int k = 0; k < s->run->g->n_groups; k++) {
        int row = s->run->g->groups[k].row, n = s->scaled->cone[k];
        double x[3] = {0.0}, y[3] = {0.0};
        if (n == 0)
            continue;
        for (int i = 0; i < n; i++) {
            x[i] = s->x[row + i] + a * s->dx[row + i];
            y[i] = s->y[row + i] + a * s->dy[row + i];
        }
        gap += ss_cone_dot(n, x, y);
        bool inside = x[0] > 0.0 && y[0] > 0.0;
        *least = fmin(*least, inside ? ss_cone_centrality(n, x, y) : 0.0);
    }
    return s->scaled->n_cones ? gap / s->scaled->n_cones : 0.0;
}

static double step_length(const interior *s)
{
    double a = fmin(1.0, boundary * longest(s));
    double demand = fmin(centred, 0.5 * s->least), least;
    for (int i = 0; i < 30; i++, a *= 0.8) {
        double gap = gap_after(s, a, &least);
        if (least > 0.0 && least >= demand * gap)
            return a;
    }
    return a;
}

/* target = σ τ e - λ ∘ λ - c (Θ^-½ dy) ∘ (Θ^½ dx), the last from the affine step. */
static void aim(const interior *s, double tau, double correction)
{
    double *target = s->target;
    for (int k = 0; k < s->run->g->n_groups; k++) {
        int row = s->run->g->groups[k].row, n = s->scaled->cone[k];
        if (n == 0)
            continue;
        ss_cone_product(n, s->lambda + row, s->lambda + row, target + row);
        for (int a = 0; a < n; a++)
            target[row + a] = -target[row + a] - correction * s->affine[row + a];
        target[row] += tau;
    }
}

/* The best of: Mehrotra's step, and when that is short, less ambitious ones. Returns its length;
 * 0: none. */
static double find_step(interior *s)
{
    static const struct {
        double sigma, correction;
    } tries[] = {{0.0, 1.0}, {0.3, 0.0}, {1.0, 0.0}};
    size_t size = (size_t)s->run->g->n_rows * sizeof *s->dx;
    double least, best = 0.0, best_value = -1.0;
    aim(s, 0.0, 0.0);
    if (!solve(s))
        return 0.0;
    double a = fmin(1.0, longest(s));
    double ratio = s->gap > 0.0 ? gap_after(s, a, &least) / s->gap : 0.0;
    double sigma = fmax(ss_pow(fmin(1.0, fmax(0.0, ratio)), 3.0), 1e-3);
    if (s->error > ahead * s->gap)
        sigma = fmax(sigma, held);
    for (int k = 0; k < s->run->g->n_groups; k++) {
        int row = s->run->g->groups[k].row, n = s->scaled->cone[k];
        double x[3] = {0.0}, y[3] = {0.0};
        if (n == 0)
            continue;
        ss_cone_root(n, &s->scaling[k], 1, s->dx + row, x);
        ss_cone_root(n, &s->scaling[k], -1, s->dy + row, y);
        ss_cone_product(n, x, y, s->affine + row);
    }
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        double wish = fmax(sigma, tries[k].sigma);
        aim(s, wish * s->gap, tries[k].correction);
        if (!solve(s))
            return best;
        a = step_length(s);
        double value = a * (1.02 - wish);
        if (value > best_value) {
            best_value = value;
            best = a;
            memcpy(s->best_dx, s->dx, size);
            memcpy(s->best_dy, s->dy, size);
        }
        if (a > 0.3)
            break;
    }
    return best;
}

ss_status ss_interior_iterate(ss_run *run, int most)
{
    interior s = {.run = run, .scaled = run->scaled};
    const ss_gathered *g = run->g;
    int stuck = 0;
    SS_TRY(ss_scaled_create(run, true));
    SS_TRY(ss_scaled_order(run));
    SS_TRY(ss_run_vectors(run,
                          (double **[]){&s.x, &s.y, &s.dx, &s.dy, &s.r, &s.v, &s.lambda, &s.target,
                                        &s.affine, &s.best_dx, &s.best_dy, &s.rhs, NULL}));
    SS_TRY(SS_ARENA_NEW(&run->solver->scratch, g->n_groups, &s.scaling));
    for (int k = 0; k < g->n_groups; k++)
        if (s.scaled->cone[k] > 0)
            s.x[g->groups[k].row] = s.y[g->groups[k].row] = 1.0;
    for (int i = 0;; i++) {
        evaluate(&s);
        ss_scaled_judge(run, s.x, s.v);
        if (run->solved || i == most || stuck == 3 || !factor(&s))
            return SS_OK;
        double a = find_step(&s);
        stuck = a < 0.05 ? stuck + 1 : 0;
        if (a == 0.0)
            return SS_OK;
        for (int k = 0; k < run->g->n_rows; k++) {
            s.x[k] += a * s.best_dx[k];
            s.y[k] += a * s.best_dy[k];
        }
        if (!ss_run_count(run, run->P))
            return SS_OK;
    }
}

typedef struct interior_solver {
    ss_run_solver base;
    bool crossover;
} interior_solver;

/* The last digits, which the central path loses to rounding, come from Newton's method on the
 * projected equations. */
static ss_status iterate(void *self, ss_run *run)
{
    const interior_solver *s = self;
    SS_TRY(ss_interior_iterate(run, 100));
    return s->crossover ? ss_newton_cross_over(run, s->base.max_iterations) : SS_OK;
}

static const ss_key keys[] = {
    SS_RUN_COLD_KEYS("1000"),
    SS_OPTION_BOOL(interior_solver, crossover, "true",
                   "Ends with Newton's method on the projected equations, where the central path "
                   "gets no nearer; else it gives up there."),
    {.name = NULL},
};

const ss_method ss_method_interior = {
    .ops.type = {.name = "interior",
                 .doc = "Interior point method with sparse factors, for hyperstatic Coulomb "
                        "contacts.",
                 .self_size = sizeof(interior_solver),
                 .keys = keys},
    .refuses = ss_inclusion_not_coulomb,
    .cold = true,
    .iterate = iterate,
};
