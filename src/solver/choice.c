/* choice.c: the solution of least norm, or of least or most energy, among those that one solve
 * leaves open. The modes are those of the solve; the direction in which friction slides depends on
 * the choice, so the choice is repeated until both agree. And the inclusions that other
 * choices solve in place of the given one. */
#include "solver/choice.h"

#include "la/small.h"
#include "rows/coupling.h"
#include "rows/kind.h"
#include "solver/keys.h"

#include <float.h>
#include <string.h>

/* A choice fills an int. */
_Static_assert(sizeof(ss_forces) == sizeof(int), "ss_forces is filled by a choice");

const ss_key ss_solver_common_keys[] = {
    SS_OPTION_CHOICE(
        ss_solver_common, forces, "even",
        "even|any|minimum_norm|weighted|energy_min|energy_max|regularized|cone_complementarity",
        "Which impulses, where there are many: an even load, of least norm P_N² + (P_T/mu)² over "
        "closed contacts; any; of least norm; of least norm weighted "
        "by the laws' `rigidity`; with least or most energy after the step; those of springs "
        "(G + s D); or those of the friction cone, which is not Coulomb's law: what slides "
        "lifts off."),
    SS_OPTION_REAL(
        ss_solver_common, compliance, "1e-6", DBL_MIN, 1e300, "1/s²",
        "s of `forces: regularized`, D being 1/rigidity; 1/Δt² stands for springs in the laws' "
        "place that a step takes implicitly.",
        "forces=regularized"),
    {.name = NULL},
};

const char *ss_forces_name(ss_forces forces)
{
    static const char *const names[] = {
        "even",       "any",        "minimum_norm", "weighted",
        "energy_min", "energy_max", "regularized",  "cone_complementarity",
    };
    return (size_t)forces < sizeof names / sizeof *names ? names[forces] : "unknown";
}

/* Q = Nᵀ D N, q = Nᵀ D x */
static void aim_at_norm(ss_choice *c)
{
    const ss_freedom *f = &c->freedom;
    size_t n = (size_t)f->n;
    double *D = c->x;
    for (int i = 0; i < c->inclusion->n_blocks; i++) {
        const ss_block *B = &c->inclusion->blocks[i];
        bool weigh = c->forces == SS_FORCES_WEIGHTED && B->rigidity > 0.0;
        for (int k = 0; k < B->dim && f->first[i] >= 0; k++)
            D[f->first[i] + k] = weigh ? 1.0 / B->rigidity : 1.0;
    }
    for (int j = 0; j < f->nullity; j++) {
        const double *Nj = f->N + (size_t)j * n;
        c->q[j] = 0.0;
        for (int i = 0; i < f->n; i++)
            c->q[j] += Nj[i] * D[i] * f->x[i];
        for (int k = 0; k < f->nullity; k++) {
            double sum = 0.0;
            for (int i = 0; i < f->n; i++)
                sum += Nj[i] * D[i] * f->N[(size_t)k * n + (size_t)i];
            c->Q[j * f->nullity + k] = sum;
        }
    }
}

/* Kinetic energy: its gradient in x is Kᵀ Wᵀu, without b (of an assembled inclusion with all of
 * c), its second derivative Kᵀ G K. */
static void aim_at_energy(ss_choice *c)
{
    const ss_freedom *f = &c->freedom;
    const ss_inclusion *A = c->inclusion;
    size_t n = (size_t)f->n, rows = (size_t)A->n_rows;
    double sign = c->forces == SS_FORCES_ENERGY_MIN ? 1.0 : -1.0, *slope = c->x;
    for (int i = 0; i < A->n_blocks; i++)
        ss_inclusion_velocity(A, c->P, c->u, i, c->v + A->blocks[i].offset);
    for (int k = 0; k < A->n_rows && A->factor_start; k++)
        c->v[k] -= A->b[k];
    memset(slope, 0, n * sizeof *slope);
    ss_freedom_relative_velocity(f, A, c->v, slope);
    for (int j = 0; j < f->nullity; j++)
        c->q[j] = sign * ss_dot(f->n, f->N + (size_t)j * n, slope);
    memset(c->Q, 0, (size_t)f->nullity * (size_t)f->nullity * sizeof *c->Q);
    for (int j = 0; j < f->nullity && sign > 0.0; j++) {
        memset(c->v, 0, rows * sizeof *c->v);
        for (int i = 0; i < f->n; i++)
            ss_axpy(A->n_rows, f->N[(size_t)j * n + (size_t)i], f->R + (size_t)i * rows, c->v);
        memset(slope, 0, n * sizeof *slope);
        ss_freedom_relative_velocity(f, A, c->v, slope);
        for (int k = 0; k < f->nullity; k++)
            c->Q[j * f->nullity + k] = ss_dot(f->n, f->N + (size_t)k * n, slope);
    }
    for (int j = 0; j < f->nullity; j++)
        for (int k = 0; k < j; k++) {
            double *a = &c->Q[j * f->nullity + k], *b = &c->Q[k * f->nullity + j];
            *a = *b = (*a + *b) / 2;
        }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void ss_choice_release(ss_choice *choice)
{
    ss_freedom_release(&choice->freedom);
    ss_arena_release(&choice->arena);
}

static void find_motion(ss_choice *c)
{
    if (c->inclusion->factor_start)
        ss_inclusion_free_motion(c->inclusion, c->P, c->u);
}

/* One choice at the modes and slip directions of (P, u); whether it is the best one, not only on the way to it. */
static bool choose(ss_choice *c)
{
    ss_freedom_correct(&c->freedom, c->inclusion, c->P);
    find_motion(c);
    if (c->forces == SS_FORCES_ENERGY_MIN || c->forces == SS_FORCES_ENERGY_MAX)
        aim_at_energy(c);
    else
        aim_at_norm(c);
    bool found = ss_freedom_optimize(&c->freedom, c->inclusion, c->P, c->Q, c->q, c->x);
    ss_freedom_spread(&c->freedom, c->inclusion, c->x, c->P);
    find_motion(c);
    return found;
}

static ss_status repeat(ss_choice *c, ss_context *context, double tolerance,
                        ss_solve_report *report)
{
    enum { MOST = 40 };
    const ss_inclusion *inclusion = c->inclusion;
    int nullity = c->freedom.nullity;
    double looseness = fmax(100.0 * tolerance, 1e-9);
    for (int i = 0; i < MOST; i++) {
        memcpy(c->before, c->P, (size_t)inclusion->n_rows * sizeof *c->before);
        bool found = choose(c);
        ss_residual residual = ss_inclusion_residual(inclusion, c->P, c->u);
        double change = 0.0, size = DBL_MIN;
        for (int k = 0; k < inclusion->n_rows; k++) {
            change = fmax(change, fabs(c->P[k] - c->before[k]));
            size = fmax(size, fabs(c->P[k]));
        }
        if (residual.value <= tolerance && change / size <= fmax(tolerance, 1e-12)) {
            report->residual = residual;
            report->outcome = SS_CONVERGED;
            report->chosen = true;
            return SS_OK;
        }
        if (!found)
            return SS_OK; /* a point or less of free impulses is left: modes of another time */
        SS_TRY(ss_freedom_find(&c->freedom, context, inclusion, c->P, c->u, looseness));
        if (c->freedom.nullity != nullity)
            return SS_OK; /* the choice changes modes: that solution does not exist */
    }
    return SS_OK;
}

ss_status ss_choice_select(ss_choice *c, ss_context *context, const ss_solve_call *call,
                           ss_forces forces, double tolerance)
{
    const ss_inclusion *A = call->inclusion;
    ss_solve_report *report = call->report;
    double looseness = fmax(100.0 * report->residual.value, 1e-9);
    size_t rows = (size_t)A->n_rows * sizeof *c->P;
    size_t velocities = A->factor_start ? (size_t)A->n_u * sizeof *c->u : 0;
    SS_TRY(ss_freedom_find(&c->freedom, context, A, call->P, call->u, looseness));
    report->freedom = c->freedom.nullity;
    report->chosen = c->freedom.nullity == 0;
    if (report->chosen)
        return SS_OK;
    int n_rows = larger(A->n_rows, c->capacity_rows), d = larger(c->freedom.nullity, c->capacity_d);
    int n_u = larger(A->factor_start ? A->n_u : 0, c->capacity_u);
    if (!c->Q || n_rows != c->capacity_rows || d != c->capacity_d || n_u != c->capacity_u) {
        c->Q = NULL;
        ss_arena_release(&c->arena);
        ss_arena_init(&c->arena, context);
        double **const vectors[] = {&c->x, &c->P, &c->v, &c->before};
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
            SS_TRY(SS_ARENA_NEW(&c->arena, n_rows, vectors[k]));
        SS_TRY(SS_ARENA_NEW(&c->arena, n_u, &c->u));
        SS_TRY(SS_ARENA_NEW(&c->arena, d, &c->q));
        SS_TRY(SS_ARENA_NEW(&c->arena, (size_t)d * (size_t)d, &c->Q));
        c->capacity_rows = n_rows;
        c->capacity_d = d;
        c->capacity_u = n_u;
    }
    c->inclusion = A;
    c->forces = forces;
    memcpy(c->P, call->P, rows);
    if (velocities)
        memcpy(c->u, call->u, velocities);
    SS_TRY(repeat(c, context, tolerance, report));
    if (!report->chosen)
        return SS_OK;
    memcpy(call->P, c->P, rows);
    if (velocities)
        memcpy(call->u, c->u, velocities);
    return SS_OK;
}

/* ---- Inclusions that are solved in place of the given one: with springs (G + s D), or with friction cones ---- */

void ss_substitute_release(ss_substitute *substitute)
{
    ss_inclusion_destroy(substitute->assembled);
    ss_arena_release(&substitute->arena);
}

static ss_status begin_substitute(ss_substitute *t, ss_context *context,
                                  const ss_inclusion *inclusion)
{
    ss_inclusion_destroy(t->assembled);
    t->assembled = NULL;
    t->context = t->arena.context = context;
    ss_arena_reset(&t->arena);
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_rows, &t->P));
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_rows, &t->row));
    for (int k = 0; k < inclusion->n_rows; k++)
        t->row[k] = k;
    t->inclusion = *inclusion;
    t->inclusion.gathered = NULL;
    return SS_OK;
}

/* ---- Springs ---- */

static double compliance_of(const ss_block *B, double s)
{
    return B->rigidity > 0.0 ? s / B->rigidity : s;
}

static ss_status add_masses(ss_substitute *t, const ss_inclusion *given, double s)
{
    int *start, n = 0;
    ss_factor *factors;
    double *u_free;
    int count = given->factor_start[given->n_blocks] - given->factor_start[0];
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_blocks + 1, &start));
    SS_TRY(SS_ARENA_NEW(&t->arena, count + given->n_blocks, &factors));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u + given->n_rows, &u_free));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u + given->n_rows, &t->u));
    if (given->n_u > 0)
        memcpy(u_free, given->u_free, (size_t)given->n_u * sizeof *u_free);
    for (int i = 0; i < given->n_blocks; i++) {
        start[i] = n;
        for (int k = given->factor_start[i]; k < given->factor_start[i + 1]; k++)
            factors[n++] = given->factors[k];
        const ss_block *B = &given->blocks[i]; /* W = 1, M⁻¹W = s/k: it pushes a mass of its own */
        double *W, *MinvW;
        size_t dim = (size_t)B->dim;
        SS_TRY(SS_ARENA_NEW(&t->arena, dim * dim, &W));
        SS_TRY(SS_ARENA_NEW(&t->arena, dim * dim, &MinvW));
        for (size_t k = 0; k < dim; k++) {
            W[k * dim + k] = 1.0;
            MinvW[k * dim + k] = compliance_of(B, s);
        }
        factors[n++] =
            (ss_factor){.u_offset = given->n_u + B->offset, .nu = B->dim, .W = W, .MinvW = MinvW};
    }
    start[given->n_blocks] = n;
    t->inclusion.n_u = given->n_u + given->n_rows;
    t->inclusion.factor_start = start;
    t->inclusion.factors = factors;
    t->inclusion.u_free = u_free;
    return SS_OK;
}

static ss_status add_to_diagonal(ss_substitute *t, const ss_inclusion *given, double s)
{
    ss_entry *entries;
    int count = given->entry_start[given->n_blocks];
    SS_TRY(SS_ARENA_NEW(&t->arena, count, &entries));
    if (count > 0)
        memcpy(entries, given->entries, (size_t)count * sizeof *entries);
    for (int i = 0; i < given->n_blocks; i++)
        for (int e = given->entry_start[i]; e < given->entry_start[i + 1]; e++) {
            size_t dim = (size_t)given->blocks[i].dim;
            double *value;
            if (entries[e].column != i)
                continue;
            SS_TRY(SS_ARENA_NEW(&t->arena, dim * dim, &value));
            memcpy(value, entries[e].value, dim * dim * sizeof *value);
            for (size_t k = 0; k < dim; k++)
                value[k * dim + k] += compliance_of(&given->blocks[i], s);
            entries[e].value = value;
        }
    t->inclusion.entries = entries;
    return SS_OK;
}

ss_status ss_substitute_regularized(ss_substitute *t, ss_context *context,
                                    const ss_inclusion *inclusion, double s)
{
    SS_TRY(begin_substitute(t, context, inclusion));
    return inclusion->factor_start ? add_masses(t, inclusion, s) : add_to_diagonal(t, inclusion, s);
}

bool ss_substitute_shows(const ss_substitute *t, const ss_inclusion *given, double s)
{
    const double clear = 100.0;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], most = 0.0;
    ss_residual residual = ss_inclusion_residual(&t->inclusion, t->P, t->u);
    for (int i = 0; i < given->n_blocks; i++) {
        const ss_block *B = &given->blocks[i];
        double largest = 0.0;
        ss_inclusion_diagonal(&t->inclusion, i, G);
        for (int k = 0; k < B->dim; k++)
            largest = fmax(largest, G[k * B->dim + k]);
        if (largest > 0.0)
            most =
                fmax(most, compliance_of(B, s) * ss_norm(B->dim, t->P + B->offset) / sqrt(largest));
    }
    return most == 0.0 || most >= clear * (residual.absolute + DBL_EPSILON * residual.reference);
}

/* ---- Friction cones ---- */

/* Columns of one factor of a cone: [w_N, w_T], zero where only the other has the system. */
static ss_status join_factor(ss_arena *arena, const ss_factor *N, const ss_factor *T, int m,
                             ss_factor *joined)
{
    const ss_factor *any = N ? N : T;
    size_t nu = (size_t)any->nu;
    double *W, *MinvW;
    SS_TRY(SS_ARENA_NEW(arena, nu * (size_t)(1 + m), &W));
    SS_TRY(SS_ARENA_NEW(arena, nu * (size_t)(1 + m), &MinvW));
    if (N) {
        memcpy(W, N->W, nu * sizeof *W);
        memcpy(MinvW, N->MinvW, nu * sizeof *W);
    }
    if (T) {
        memcpy(W + nu, T->W, nu * (size_t)m * sizeof *W);
        memcpy(MinvW + nu, T->MinvW, nu * (size_t)m * sizeof *W);
    }
    *joined = (ss_factor){.u_offset = any->u_offset, .nu = any->nu, .W = W, .MinvW = MinvW};
    return SS_OK;
}

static const ss_factor *same_system(const ss_inclusion *inclusion, int block, const ss_factor *F)
{
    for (int k = inclusion->factor_start[block]; k < inclusion->factor_start[block + 1]; k++)
        if (inclusion->factors[k].u_offset == F->u_offset && inclusion->factors[k].nu == F->nu)
            return &inclusion->factors[k];
    return NULL;
}

static ss_status join_factors(ss_arena *arena, const ss_inclusion *given, int normal, int friction,
                              ss_factor *factors, int *n)
{
    int m = given->blocks[friction].dim;
    for (int k = given->factor_start[normal]; k < given->factor_start[normal + 1]; k++) {
        const ss_factor *N = &given->factors[k];
        SS_TRY(join_factor(arena, N, same_system(given, friction, N), m, &factors[(*n)++]));
    }
    for (int k = given->factor_start[friction]; k < given->factor_start[friction + 1]; k++)
        if (!same_system(given, normal, &given->factors[k]))
            SS_TRY(join_factor(arena, NULL, &given->factors[k], m, &factors[(*n)++]));
    return SS_OK;
}

/* Blocks and the order of rows; `origin` is the first block of the given inclusion in each. */
static ss_status lay_out_cones(ss_substitute *t, const ss_inclusion *given, const int *partners,
                               int *origin)
{
    ss_block *blocks;
    int n = 0, rows = 0;
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_blocks, &blocks));
    for (int i = 0; i < given->n_blocks; i++) {
        const ss_block *B = &given->blocks[i];
        int partner = partners[i], m = partner >= 0 ? given->blocks[partner].dim : 0;
        if (B->scale_from >= 0)
            continue;
        bool round = partner >= 0 && ss_set_is_round(given->blocks[partner].set);
        if (partner != -1 && !(round && B->set->kind == SS_SET_HALF_LINE))
            return ss_fail(
                t->context, SS_UNSUPPORTED,
                "forces 'cone_complementarity' wants half lines with one planar or round "
                "friction each; block %d is another",
                i);
        origin[n] = i;
        blocks[n] = *B;
        blocks[n].offset = rows;
        for (int k = 0; k < B->dim; k++)
            t->row[rows++] = B->offset + k;
        for (int k = 0; k < m; k++)
            t->row[rows++] = given->blocks[partner].offset + k;
        if (m > 0) {
            ss_friction_cone *cone;
            ss_set *set;
            SS_TRY(SS_ARENA_NEW(&t->arena, 1, &cone));
            SS_TRY(SS_ARENA_NEW(&t->arena, 1, &set));
            cone->mu = given->blocks[partner].scale;
            *set = (ss_set){&ss_set_type_cone, cone, 1 + m};
            blocks[n].set = set;
            blocks[n].dim = 1 + m;
            blocks[n].scale = 1.0;
        }
        n++;
    }
    t->inclusion.blocks = blocks;
    t->inclusion.n_blocks = n;
    return SS_OK;
}

static ss_status join_all_factors(ss_substitute *t, const ss_inclusion *given, const int *partners,
                                  const int *origin)
{
    int *start, n = 0;
    ss_factor *factors;
    double *b;
    int count = given->factor_start[given->n_blocks] - given->factor_start[0];
    SS_TRY(SS_ARENA_NEW(&t->arena, t->inclusion.n_blocks + 1, &start));
    SS_TRY(SS_ARENA_NEW(&t->arena, count, &factors));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_rows, &b));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u, &t->u));
    for (int i = 0; i < t->inclusion.n_blocks; i++) {
        int partner = partners[origin[i]];
        start[i] = n;
        if (partner >= 0)
            SS_TRY(join_factors(&t->arena, given, origin[i], partner, factors, &n));
        else
            for (int k = given->factor_start[origin[i]]; k < given->factor_start[origin[i] + 1];
                 k++)
                factors[n++] = given->factors[k];
    }
    start[t->inclusion.n_blocks] = n;
    for (int k = 0; k < given->n_rows; k++)
        b[k] = given->b[t->row[k]];
    t->inclusion.factor_start = start;
    t->inclusion.factors = factors;
    t->inclusion.b = b;
    return SS_OK;
}

/* A dense G in the new order of rows. */
static ss_status reorder(ss_substitute *t, const ss_inclusion *given)
{
    enum { MOST_ROWS = 3000 };
    size_t n = (size_t)given->n_rows;
    double *G, *D, *c;
    if (given->n_rows > MOST_ROWS)
        return ss_fail(t->context, SS_UNSUPPORTED,
                       "forces 'cone_complementarity' takes assembled problems of up to %d rows",
                       (int)MOST_ROWS);
    SS_TRY(SS_ARENA_NEW(&t->arena, n * n, &D));
    SS_TRY(SS_ARENA_NEW(&t->arena, n * n, &G));
    SS_TRY(SS_ARENA_NEW(&t->arena, n, &c));
    ss_inclusion_dense_G(given, false, D);
    for (size_t k = 0; k < n; k++) {
        c[k] = given->c[t->row[k]];
        for (size_t l = 0; l < n; l++)
            G[k * n + l] = D[(size_t)t->row[k] * n + (size_t)t->row[l]];
    }
    SS_TRY(ss_inclusion_from_dense(t->context, t->inclusion.n_blocks, t->inclusion.blocks, G, c,
                                   &t->assembled));
    t->inclusion = *t->assembled;
    return SS_OK;
}

ss_status ss_substitute_cones(ss_substitute *t, ss_context *context, const ss_inclusion *inclusion)
{
    int *origin, *partners; /* the friction that each block scales, -1: none; -2: more than one */
    if (inclusion->refresh)
        return ss_fail(context, SS_UNSUPPORTED,
                       "forces 'cone_complementarity' does not go with an implicit scheme");
    SS_TRY(begin_substitute(t, context, inclusion));
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_blocks, &origin));
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_blocks, &partners));
    for (int i = 0; i < inclusion->n_blocks; i++)
        partners[i] = -1;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int from = inclusion->blocks[i].scale_from;
        if (from >= 0)
            partners[from] = partners[from] == -1 ? i : -2;
    }
    SS_TRY(lay_out_cones(t, inclusion, partners, origin));
    return inclusion->factor_start ? join_all_factors(t, inclusion, partners, origin)
                                   : reorder(t, inclusion);
}
