/* lemke.c: Lemke's method for linear complementarity problems (book 4.1 and 5.3.6.1). Friction
 * is decomposed: P_T = D β with β >= 0 along the k directions in D, 2 in the plane and a regular
 * polygon in space,
 *
 *     0 <= u_N ⊥ P_N >= 0,   0 <= Dᵀ u_T + λ e ⊥ β >= 0,   0 <= μ P_N - eᵀ β ⊥ λ >= 0,
 *
 * where λ is the sliding speed. In the plane that is Coulomb's law, in space its disk is
 * replaced by the polygon; from its solution Newton's method goes on to that with the disk. */
#include "la/small.h"

#include "base/context.h"
#include "la/elementary.h"
#include "solver/run.h"

#include <string.h>

enum { MOST_FACETS = 64, MOST_ROWS = 4000 };

typedef struct lemke {
    ss_run_solver base;
    int facets;
    bool disk;
} lemke;

/* w = M z + q in a tableau that is exchanged pivot by pivot: the variables of the rows in terms
 * of those of the columns. Variable i < n is w_i, n + i is z_i, 2n is the artificial one. */
typedef struct tableau {
    int n;     /* rows; n + 1 columns */
    double *T; /* n × (n + 1) by rows */
    double *r; /* n: value of the row's variable */
    int *row_variable, *column_variable;
    int *first; /* n_groups: where the variables of a group begin among z */
} tableau;

static int tangential_rows(const ss_gathered_group *K)
{
    if (K->tangential >= 0)
        return K->dim - 1;
    return K->kind == SS_SET_INTERVAL || K->kind == SS_SET_DISK ? K->dim : 0;
}

static int directions(const lemke *s, const ss_gathered_group *K)
{
    int m = tangential_rows(K);
    return m == 2 ? s->facets : 2 * m;
}

/* A half line is one variable; friction adds its directions and λ. */
static int variables(const lemke *s, const ss_gathered_group *K)
{
    int m = tangential_rows(K);
    return (K->tangential >= 0 || m == 0) + (m > 0 ? directions(s, K) + 1 : 0);
}

/* What variable z_j of a group does to the group's rows of x: P_N, or one direction of friction;
 * λ nothing. */
static void shape(const lemke *s, const ss_gathered_group *K, int j, double *x)
{
    int m = tangential_rows(K), normal = K->tangential >= 0 || m == 0;
    memset(x, 0, (size_t)K->dim * sizeof *x);
    if (normal && j == 0)
        x[0] = K->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
    else if (j - normal < directions(s, K)) { /* the polygon, or plus and minus */
        double *D = x + (K->tangential >= 0);
        double angle = 2.0 * 3.14159265358979323846 * (j - normal) / s->facets;
        D[0] = m > 1 ? ss_cos(angle) : j == normal ? 1.0 : -1.0;
        if (m > 1)
            D[1] = ss_sin(angle);
    }
}

/* Row (k, i) of M and q: the velocity along its direction, plus λ for friction. */
static double velocity_row(const lemke *s, const ss_run *run, const tableau *t, int k, int i,
                           double *row)
{
    const ss_scaled *A = run->scaled;
    const ss_gathered_group *K = &run->g->groups[k];
    double mine[6], theirs[6], q = 0.0;
    shape(s, K, i, mine);
    for (int a = 0; a < K->dim; a++) {
        q += mine[a] * A->b[K->row + a];
        for (int e = A->start[K->row + a]; e < A->start[K->row + a + 1] && mine[a] != 0.0;) {
            int h = 0, column = A->column[e];
            for (int low = 0, high = run->g->n_groups - 1;
                 low <= high;) { /* the group of a column */
                int middle = (low + high) / 2;
                if (run->g->groups[middle].row <= column) {
                    h = middle;
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            const ss_gathered_group *H = &run->g->groups[h];
            for (int j = 0; j < variables(s, H); j++) {
                shape(s, H, j, theirs);
                row[t->first[h] + j] += mine[a] * ss_dot(H->dim, A->A + e, theirs);
            }
            e += H->dim;
        }
    }
    bool normal = (K->tangential >= 0 || tangential_rows(K) == 0) && i == 0;
    if (!normal)
        row[t->first[k] + variables(s, K) - 1] += 1.0;
    return q;
}

static ss_status build(const lemke *s, ss_run *run, tableau *t)
{
    const ss_gathered *g = run->g;
    ss_arena *arena = &run->solver->scratch;
    SS_TRY(SS_ARENA_NEW(arena, g->n_groups, &t->first));
    t->n = 0;
    for (int k = 0; k < g->n_groups; k++) {
        t->first[k] = t->n;
        t->n += variables(s, &g->groups[k]);
    }
    if (t->n > MOST_ROWS)
        return ss_fail(run->context, SS_UNSUPPORTED,
                       "solver 'lemke': the tableau would have %d rows; up to %d are possible",
                       t->n, MOST_ROWS);
    SS_TRY(SS_ARENA_NEW(arena, (size_t)t->n * (size_t)(t->n + 1), &t->T));
    SS_TRY(SS_ARENA_NEW(arena, t->n, &t->r));
    SS_TRY(SS_ARENA_NEW(arena, t->n, &t->row_variable));
    SS_TRY(SS_ARENA_NEW(arena, t->n + 1, &t->column_variable));
    for (int k = 0; k < g->n_groups; k++)
        for (int i = 0; i < variables(s, &g->groups[k]); i++) {
            int row = t->first[k] + i;
            double *T = t->T + (size_t)row * (size_t)(t->n + 1);
            const ss_gathered_group *K = &g->groups[k];
            int normal = K->tangential >= 0;
            if (tangential_rows(K) == 0 || i < variables(s, K) - 1) {
                t->r[row] = velocity_row(s, run, t, k, i, T);
            } else { /* that of λ: the bound minus Σ β */
                for (int d = 0; d < directions(s, K); d++)
                    T[t->first[k] + normal + d] = -1.0;
                if (normal)
                    T[t->first[k]] = K->mu;
                else
                    t->r[row] = run->inclusion->blocks[K->normal].scale / run->scaled->to_P[K->row];
            }
            T[t->n] = 1.0;
            t->row_variable[row] = row;
            t->column_variable[row] = t->n + row;
        }
    t->column_variable[t->n] = 2 * t->n;
    return SS_OK;
}

/* Exchanges the variables of a row and a column. */
static void pivot(tableau *t, int row, int column)
{
    int width = t->n + 1;
    double *P = t->T + (size_t)row * (size_t)width, inverse = 1.0 / P[column];
    for (int j = 0; j < width; j++)
        P[j] = j == column ? inverse : -P[j] * inverse;
    t->r[row] = -t->r[row] * inverse;
    for (int i = 0; i < t->n; i++) {
        double *T = t->T + (size_t)i * (size_t)width, factor = T[column];
        if (i == row || factor == 0.0)
            continue;
        T[column] = 0.0;
        ss_axpy(width, factor, P, T);
        t->r[i] += factor * t->r[row];
        if (t->r[i] < 0.0 && t->r[i] > -1e-14)
            t->r[i] = 0.0;
    }
    int swap = t->row_variable[row];
    t->row_variable[row] = t->column_variable[column];
    t->column_variable[column] = swap;
}

/* The row that reaches zero first when a column's variable grows: the artificial one among
 * equals, else the one with the largest pivot. -1: none. */
static int leaving_row(const tableau *t, int column)
{
    int best = -1;
    double least = INFINITY, size = 0.0;
    for (int i = 0; i < t->n; i++) {
        double slope = t->T[(size_t)i * (size_t)(t->n + 1) + (size_t)column];
        if (slope > -1e-11)
            continue;
        double ratio = t->r[i] / -slope;
        bool equal = fabs(ratio - least) <= 1e-12 * (1.0 + fabs(least));
        bool artificial = t->row_variable[i] == 2 * t->n;
        if ((!equal && ratio < least) || (equal && (artificial || -slope > size))) {
            bool keep = equal && best >= 0 && t->row_variable[best] == 2 * t->n;
            if (keep)
                continue;
            least = equal ? fmin(least, ratio) : ratio;
            size = -slope;
            best = i;
        }
    }
    return best;
}

/* Follows the path of almost complementary solutions; false when it ends in a ray, or is too
 * long. */
static bool follow(tableau *t, ss_run *run)
{
    int row = 0, column = t->n;
    for (int i = 1; i < t->n; i++)
        if (t->r[i] < t->r[row])
            row = i;
    if (t->n == 0 || t->r[row] >= 0.0)
        return true;
    while (row >= 0) {
        int leaving = t->row_variable[row];
        pivot(t, row, column);
        run->iterations++;
        if (leaving == 2 * t->n)
            return true;
        if (run->iterations >= run->solver->max_iterations || ss_stopped(run->context))
            return false;
        int partner = leaving < t->n ? leaving + t->n : leaving - t->n;
        for (column = 0; t->column_variable[column] != partner;)
            column++;
        row = leaving_row(t, column);
    }
    return false;
}

static ss_status iterate(void *self, ss_run *run)
{
    const lemke *s = self;
    tableau t;
    double *z;
    SS_TRY(ss_scaled_create(run, false));
    SS_TRY(build(s, run, &t));
    SS_TRY(SS_ARENA_NEW(&run->solver->scratch, t.n, &z));
    run->settled = follow(&t, run);
    bool polygons = false;
    for (int i = 0; i < t.n; i++)
        if (t.row_variable[i] >= t.n && t.row_variable[i] < 2 * t.n)
            z[t.row_variable[i] - t.n] = t.r[i];
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        double *P = run->P + K->row, x[6];
        polygons = polygons || tangential_rows(K) > 1;
        memset(P, 0, (size_t)K->dim * sizeof *P);
        for (int j = 0; j < variables(s, K); j++) {
            shape(s, K, j, x);
            for (int a = 0; a < K->dim; a++)
                P[a] += run->scaled->to_P[K->row] * x[a] * z[t.first[k] + j];
        }
    }
    ss_run_judge_P(run);
    return s->disk && polygons ? ss_newton_cross_over(run, s->base.max_iterations) : SS_OK;
}

/* A scaled block must be the friction of a contact; what gather.h leaves alone is not. */
static const char *refuses(const ss_inclusion *A)
{
    bool scaled = false;
    for (int i = 0; i < A->n_blocks; i++)
        scaled |= A->blocks[i].scale_from >= 0;
    const char *reason = scaled ? ss_inclusion_not_coulomb(A) : NULL;
    for (int i = 0; i < A->n_blocks && !reason; i++) {
        const ss_set *set = A->blocks[i].set;
        if (set->kind == SS_SET_FREE || !ss_set_is_simple(set))
            reason = "it treats half lines, intervals and plane disks only";
    }
    return reason;
}

static const ss_key keys[] = {
    SS_RUN_COLD_KEYS("100000"),
    SS_OPTION_INT(lemke, facets, "8", 3, MOST_FACETS,
                  "Corners of the polygon that replaces the friction disk of a spatial contact."),
    SS_OPTION_BOOL(lemke, disk, "true",
                   "Goes on from the solution with polygons to that with disks, by Newton's "
                   "method; else the one with polygons is the result."),
    {.name = NULL},
};

const ss_method ss_method_lemke = {
    .ops.type = {.name = "lemke",
                 .doc = "Lemke's pivots on the linear complementarity problem; friction disks "
                        "become polygons.",
                 .self_size = sizeof(lemke),
                 .keys = keys},
    .refuses = refuses,
    .cold = true,
    .iterate = iterate,
};
