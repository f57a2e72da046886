/* rows.c: memory, velocities, residual and results of the rows of a step. */
#include "rows/body_rows.h"
#include "rows/vector.h"

#include "base/context.h"
#include "base/parallel.h"
#include "la/small.h"
#include "rows/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Memory ---- */

typedef struct array {
    void **at;
    size_t size; /* of one */
} array;

/* Arrays of `need` each in one piece, on lines of the cache; what they held is lost when they grow. */
static ss_status reserve(ss_rows *c, int which, size_t need, int count, const array *arrays)
{
    struct ss_rows_capacity *capacity = &c->capacity[which];
    if (need <= capacity->n)
        return SS_OK;
    size_t n = need + need / 4, bytes = SS_LINES;
    for (int i = 0; i < count; i++)
        bytes += n * arrays[i].size + SS_LINES;
    ss_release(c->context, capacity->memory);
    *capacity = (struct ss_rows_capacity){0, NULL};
    SS_TRY(ss_reallocate(c->context, bytes, 1, &capacity->memory));
    char *at = capacity->memory;
    for (int i = 0; i < count; i++) {
        at += (SS_LINES - (uintptr_t)at % SS_LINES) % SS_LINES;
        *arrays[i].at = at;
        at += n * arrays[i].size;
    }
    capacity->n = n;
    return SS_OK;
}

#define ARRAY(pointer)                         \
    {                                          \
        (void **)&(pointer), sizeof *(pointer) \
    }
#define RESERVE(c, which, need, ...)                                                         \
    reserve(c, which, (size_t)(need), (int)(sizeof((array[]){__VA_ARGS__}) / sizeof(array)), \
            (array[]){__VA_ARGS__})

ss_status ss_rows_reserve(ss_rows *c, ss_context *context, int n_bodies, int n_rest, int n_contacts)
{
    enum { NUMBERS = sizeof(ss_row_body) / sizeof(double) };
    size_t n = (size_t)n_bodies + 2 * SS_SUBDOMAINS + (size_t)(n_rest + NUMBERS - 1) / NUMBERS;
    if (!c->context)
        c->level = ss_processor_level();
    c->context = context;
    c->general.n_rest = n_rest;
    SS_TRY(RESERVE(c, SS_CAPACITY_BODIES, n, ARRAY(c->bodies), ARRAY(c->free), ARRAY(c->begins[0]),
                   ARRAY(c->begins[1]), ARRAY(c->inertia), ARRAY(c->centre), ARRAY(c->used),
                   ARRAY(c->number), ARRAY(c->subdomain)));
    SS_TRY(RESERVE(c, SS_CAPACITY_BATCHES, SS_SUBDOMAINS * (SS_SUBDOMAINS + 1) / 2,
                   ARRAY(c->batches), ARRAY(c->tickets)));
    SS_TRY(RESERVE(c, SS_CAPACITY_PROGRESS, 1, ARRAY(c->progress)));
    SS_TRY(RESERVE(c, SS_CAPACITY_ISLANDS, n_bodies + 2 * SS_SUBDOMAINS + n_rest, ARRAY(c->island),
                   ARRAY(c->load2), ARRAY(c->load_r), ARRAY(c->error2), ARRAY(c->size2)));
    return RESERVE(c, SS_CAPACITY_CONTACTS, n_contacts, ARRAY(c->contacts), ARRAY(c->arms),
                   ARRAY(c->order), ARRAY(c->kind));
}

ss_status ss_rows_reserve_packs(ss_rows *c, int n_round, int n_body)
{
    c->n_round = n_round;
    c->n_body = n_body;
    SS_TRY(RESERVE(c, SS_CAPACITY_PACKS, n_round, ARRAY(c->round), ARRAY(c->drives)));
    SS_TRY(RESERVE(c, SS_CAPACITY_BODY_PACKS, n_body, ARRAY(c->body)));
    return RESERVE(c, SS_CAPACITY_SIDE, n_round + n_body, ARRAY(c->momenta), ARRAY(c->content),
                   ARRAY(c->rest));
}

ss_status ss_rows_reserve_general(ss_rows *c, int n_blocks, int n_rows, size_t n_factors,
                                  size_t n_numbers)
{
    ss_general_rows *g = &c->general;
    SS_TRY(RESERVE(c, SS_CAPACITY_GENERAL, (n_rows > n_blocks ? n_rows : n_blocks) + 1,
                   ARRAY(g->went), ARRAY(g->added), ARRAY(g->error2), ARRAY(g->asleep),
                   ARRAY(g->bodies), ARRAY(g->rows), ARRAY(g->factor_start)));
    SS_TRY(RESERVE(c, SS_CAPACITY_FACTORS, n_factors, ARRAY(g->factors)));
    SS_TRY(RESERVE(c, SS_CAPACITY_NUMBERS, n_numbers, ARRAY(g->numbers)));
    for (int i = 0; i < n_blocks; i++) {
        g->asleep[i] = false;
        g->bodies[i][0] = g->bodies[i][1] = 0;
    }
    return SS_OK;
}

void ss_rows_release(ss_rows *c)
{
    for (int i = 0; c->context && i < SS_CAPACITIES; i++)
        ss_release(c->context, c->capacity[i].memory);
    *c = (ss_rows){0};
}

/* ---- Velocities ---- */

SS_INLINE void apply_pack(ss_rows *c, int i, ss_row_form form, bool wall)
{
    const ss_pack *p = ss_rows_pack(c, form, i);
    ss_vec_contact t;
    ss_vec N;
    ss_vec3 T;
    ss_vec_open(c, c->bodies, i, form, wall, &t);
    ss_vec_load(p->P_N, &N);
    ss_vec_load3(p->P_T[0], &T);
    ss_vec_apply(c, p, form, wall, &N, &T, &t);
    ss_vec_close(&t, p, wall, c->bodies);
}

/* The batch within a subdomain also takes its bodies to where they are without impulses; body 0 is with the first. */
SS_INLINE void apply_impulses_body(ss_rows *c, const ss_batch *g)
{
    if (ss_batch_within(g)) {
        int subdomain = g->subdomain[0], idle = ss_rows_idle_body(c, subdomain);
        int from = subdomain == 0 ? 0 : c->subdomain_start[subdomain];
        int to = c->subdomain_start[subdomain + 1];
        memcpy(c->bodies + from, c->free + from, (size_t)(to - from) * sizeof *c->bodies);
        c->bodies[idle] = c->free[idle];
    }
    SS_EACH_PACK(g, apply_pack(c, i, form, wall));
}

SS_DEFINE_KERNEL(apply_impulses, (ss_rows * c, const ss_batch *g), (c, g))

/* Blocks after contacts, by one thread. */
static void apply_blocks(ss_rows *c)
{
    const ss_general_rows *g = &c->general;
    if (g->inclusion.n_blocks == 0)
        return;
    if (ss_thread_number() == 0) {
        int rest = ss_rows_rest_offset(c);
        memcpy(c->bodies[0].v + rest, c->free[0].v + rest, (size_t)g->n_rest * sizeof(double));
        for (int i = 0; i < g->inclusion.n_blocks; i++)
            if (!g->asleep[i])
                ss_rows_block_apply(g, c->inertia, i, g->P + g->inclusion.blocks[i].offset,
                                    c->bodies);
    }
    ss_thread_barrier();
}

static void move(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    apply_impulses(c, g);
}

void ss_rows_motion(ss_rows *c)
{
    ss_rows_visit(c, move, NULL);
    apply_blocks(c);
}

/* ---- Laws of a pack: what the residual, the load and the modes need ---- */

typedef struct pack_laws {
    ss_vec N, P_N, G_N, mu; /* along n */
    ss_vec3 T, P_T;         /* across */
    ss_vec G_T;
    ss_vec size; /* sum of what was added up to form γ, m/s */
} pack_laws;

SS_INLINE void measure(const ss_rows *c, const ss_row_body *bodies, int i, ss_row_form form,
                       bool wall, pack_laws *l)
{
    const ss_pack *p = ss_rows_pack(c, form, i);
    ss_vec_contact t;
    ss_vec_open(c, bodies, i, form, wall, &t);
    ss_vec_relative(c, i, form, wall, &t, &l->N, &l->T);
    ss_vec_load(p->P_N, &l->P_N);
    ss_vec_load3(p->P_T[0], &l->P_T);
    ss_vec_load(p->mu, &l->mu);
    l->G_N = t.G_N;
    l->G_T = t.G_T;
    ss_vec_size(&t, p, form, wall, &l->size);
}

/* Bodies of a batch that is within a subdomain have found nothing yet. */
SS_INLINE void clear_bodies(const ss_rows *c, const ss_batch *g, double *x, double *y)
{
    int subdomain = g->subdomain[0], idle = ss_rows_idle_body(c, subdomain);
    if (!ss_batch_within(g))
        return;
    for (int i = subdomain == 0 ? 0 : c->subdomain_start[subdomain];
         i < c->subdomain_start[subdomain + 1]; i++)
        x[i] = y[i] = 0;
    x[idle] = y[idle] = 0;
}

SS_INLINE void give_load(const ss_rows *c, int body, double load2, double r)
{
    if (!(load2 > c->load2[body]))
        return;
    c->load2[body] = load2;
    c->load_r[body] = r;
}

/* The largest load that contacts of a batch give to a body. */
SS_INLINE void load_of_body(ss_rows *c, const ss_batch *g)
{
    const double moving2 = 1e-10; /* as of ss_load_add */
    ss_vec N2, T2, size2;
    pack_laws l;
    clear_bodies(c, g, c->load2, c->load_r);
    SS_EACH_PACK(g, {
        const ss_pack *p = ss_rows_pack(c, form, i);
        measure(c, c->free, i, form, wall, &l);
        size2 = moving2 * l.size * l.size;
        N2 = l.N * l.N;
        ss_vec_dot(&l.T, &l.T, &T2);
        ss_vec_larger(&N2, &size2);
        ss_vec_larger(&T2, &size2);
        for (int k = 0; k < SS_LANES; k++) {
            give_load(c, p->b[k], N2[k] / l.G_N[k], 1 / l.G_N[k]);
            give_load(c, p->b[k], T2[k] / l.G_T[k], 1 / l.G_N[k]);
        }
    });
}

SS_DEFINE_KERNEL(load_of, (ss_rows * c, const ss_batch *g), (c, g))

static void move_loaded(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    apply_impulses(c, g);
    load_of(c, g);
}

void ss_rows_begin(ss_rows *c, const double *r)
{
    ss_rows_visit(c, move_loaded, NULL);
    apply_blocks(c);
    if (ss_thread_number() == 0)
        ss_rows_join_loads(c, r);
}

/* ---- Residual ---- */

/* Of each contact's island: load² and the r that belongs to it. */
typedef struct pack_load {
    ss_vec load2, r;
} pack_load;

SS_INLINE void load_pack(const ss_rows *c, const ss_pack *p, pack_load *load)
{
    double load2[SS_LANES], r[SS_LANES];
    for (int k = 0; k < SS_LANES; k++) {
        load2[k] = c->load2[p->b[k]];
        r[k] = c->load_r[p->b[k]];
    }
    ss_vec_load(load2, &load->load2);
    ss_vec_load(r, &load->r);
}

/* Zero where an error is within 64 rounding units of γ, and these are little beside the load. */
SS_INLINE void drop_noise(const ss_vec *size, const ss_vec *G, const ss_vec *load2, ss_vec *error2)
{
    const double noise = 64 * DBL_EPSILON, most_noise2 = 1e-6;
    ss_vec floor2 = -(noise * *size * noise * *size / *G), most = -most_noise2 * *load2;
    ss_vec_larger(&floor2, &most);
    floor2 = -floor2;
    ss_vec_drop_below(&floor2, error2);
}

/* e² of the laws of a pack, as of ss_inclusion_residual, and their impulses. */
SS_INLINE void judge(const pack_laws *l, const pack_load *load, ss_vec *error2, ss_vec *size2)
{
    const double much = 100;
    ss_vec x_N = l->P_N - l->N / l->G_N, zero = {0}, e, P2, bound2 = l->mu * l->P_N;
    ss_vec3 x_T;
    ss_vec_larger(&x_N, &zero);
    ss_vec_copy3(&l->P_T, &x_T);
    ss_vec_project_T(&l->G_T, &l->mu, 1, &l->P_N, &l->T, &x_T);
    x_N -= l->P_N;
    ss_vec_minus3(&x_T, &l->P_T, &x_T);
    *error2 = x_N * x_N * l->G_N;
    drop_noise(&l->size, &l->G_N, &load->load2, error2);
    ss_vec_dot(&x_T, &x_T, &e);
    e *= l->G_T;
    drop_noise(&l->size, &l->G_T, &load->load2, &e);
    ss_vec_larger(error2, &e);
    ss_vec weight2 = load->r * l->G_N / much, one = {1, 1, 1, 1}; /* ss_residual_weight */
    ss_vec_larger(&weight2, &one);
    *error2 *= weight2;
    *size2 = l->P_N * l->P_N * l->G_N;
    ss_vec_dot(&l->P_T, &l->P_T, &P2);
    bound2 *= bound2;
    ss_vec_larger(&P2, &bound2);
    P2 *= l->G_T;
    ss_vec_larger(size2, &P2);
}

/* Errors and impulses of a batch, by bodies; no number when one of them is none. */
SS_INLINE void residual_of_body(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    ss_vec sum = {0}, error2, size2;
    pack_laws laws;
    pack_load load;
    clear_bodies(c, g, c->error2, c->size2);
    SS_EACH_PACK(g, {
        const ss_pack *p = ss_rows_pack(c, form, i);
        measure(c, c->bodies, i, form, wall, &laws);
        load_pack(c, p, &load);
        judge(&laws, &load, &error2, &size2);
        sum += error2;
        for (int k = 0; k < SS_LANES; k++) {
            int b = p->b[k];
            c->error2[b] = ss_larger(error2[k], c->error2[b]);
            c->size2[b] = ss_larger(size2[k], c->size2[b]);
        }
    });
    double all = sum[0] + sum[1] + sum[2] + sum[3];
    g->tally[0].error2 = isfinite(all) ? 0 : (double)NAN;
}

SS_DEFINE_KERNEL(residual_of, (ss_rows * c, ss_batch *g, const void *user), (c, g, user))

/* What the errors of an island count against, as of ss_residual_finish, J. */
static double reference2_of(const ss_rows *c, int node)
{
    const double most2 = 1e4;
    double load2 = c->load2[node], size2 = c->size2[node];
    return ss_larger(size2 < most2 * load2 ? size2 : most2 * load2, load2);
}

/* The contact of a batch with the largest error beside what that counts against. */
static void find_contact(const ss_rows *c, const ss_batch *g, double *worst2, int *contact)
{
    pack_laws laws;
    pack_load load;
    ss_vec error2, size2;
    SS_EACH_PACK(g, {
        const ss_pack *p = ss_rows_pack(c, form, i);
        measure(c, c->bodies, i, form, wall, &laws);
        load_pack(c, p, &load);
        judge(&laws, &load, &error2, &size2);
        for (int k = 0; k < SS_LANES; k++) {
            double here2 = error2[k] / reference2_of(c, p->b[k]);
            if (c->content[i][k] < 0 || here2 <= *worst2)
                continue;
            *worst2 = here2;
            *contact = c->content[i][k];
        }
    });
}

int ss_rows_find_worst(const ss_rows *c)
{
    const ss_general_rows *g = &c->general;
    double worst2 = 0;
    int worst = -1;
    for (int i = 0; i < c->n_batches; i++)
        find_contact(c, &c->batches[i], &worst2, &worst);
    for (int i = 0; i < g->inclusion.n_blocks; i++) {
        double here2 = g->error2[i] / reference2_of(c, ss_rows_block_node(c, i));
        if (here2 <= worst2)
            continue;
        worst2 = here2;
        worst = c->n_contacts + i;
    }
    return worst;
}

/* The numbers that were added up to form row k of γ. */
static double row_size(const ss_rows *c, int i, int k)
{
    const ss_general_rows *g = &c->general;
    int row = g->inclusion.blocks[i].offset + k;
    if (!ss_block_has_body_rows(g, i))
        return ss_inclusion_row_size(&g->inclusion, NULL, c->bodies[0].v, i, k);
    const ss_row_body *a = &c->bodies[g->bodies[i][0]], *b = &c->bodies[g->bodies[i][1]];
    const ss_body_row *W = &g->rows[row];
    return fabs(g->inclusion.b[row]) + ss_dot_absolute(3, W->d, a->v) +
           ss_dot_absolute(3, W->d, b->v) + ss_dot_absolute(3, W->torque_a, a->w) +
           ss_dot_absolute(3, W->torque_b, b->w);
}

/* Errors and impulses of the blocks. */
static void add_blocks(const ss_rows *c, const double *r)
{
    const ss_general_rows *g = &c->general;
    for (int i = 0; i < g->inclusion.n_blocks; i++) {
        const ss_block *B = &g->inclusion.blocks[i];
        double gamma[SS_SET_MAX_DIM], size[SS_SET_MAX_DIM];
        int node = ss_rows_block_node(c, i), normal = ss_inclusion_normal(&g->inclusion, i);
        ss_residual_sum sum = {.load = {sqrt(c->load2[node]), c->load_r[node]}, .block = -1};
        g->error2[i] = 0;
        if (g->asleep[i])
            continue;
        ss_rows_block_velocity(g, c->bodies, i, gamma);
        for (int k = 0; k < B->dim; k++)
            size[k] = row_size(c, i, k);
        ss_block_at at = {.block = B,
                          .scale = ss_inclusion_scale(&g->inclusion, g->P, i),
                          .P = g->P + B->offset,
                          .r = r[i],
                          .r_N = normal < 0 ? 0 : r[normal],
                          .gamma = gamma,
                          .size = size};
        ss_block_residual(&at, &sum);
        g->error2[i] = sum.error * sum.error * sum.weight * sum.weight;
        c->error2[node] = ss_max_nan(c->error2[node], g->error2[i]);
        c->size2[node] = fmax(c->size2[node], sum.own * sum.own);
    }
}

/* That of the island with the largest one. */
static ss_residual finish_residual(ss_rows *c, const double *r)
{
    bool finite = true;
    int rest = c->n_bodies + 2 * SS_SUBDOMAINS;
    double worst2 = 0, error2, reference2;
    ss_residual found = {.reference = c->reference, .worst_block = -1};
    for (int i = 0; i < ss_rows_rest_nodes(c); i++)
        c->error2[rest + i] = c->size2[rest + i] = 0;
    add_blocks(c, r);
    ss_rows_join_errors(c);
    for (int i = 0; i < c->n_batches; i++)
        finite = finite && !isnan(c->batches[i].tally[0].error2);
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i)) {
        error2 = c->error2[i];
        reference2 = reference2_of(c, i);
        finite = finite && isfinite(error2);
        double run2 = SS_RESIDUAL_RUNAWAY * SS_RESIDUAL_RUNAWAY * c->load2[i];
        double value2 = error2 == 0 ? 0 : error2 / reference2;
        if (c->load2[i] > 0 && c->size2[i] > run2)
            value2 = fmax(value2, 1);
        if (value2 <= worst2)
            continue;
        worst2 = value2;
        found = (ss_residual){sqrt(worst2), sqrt(error2), sqrt(reference2), -1};
    }
    found.value = finite ? found.value : INFINITY;
    return found;
}

ss_residual ss_rows_residual(ss_rows *c, const double *r)
{
    ss_rows_visit(c, residual_of, NULL);
    if (ss_thread_number() == 0)
        c->residual = finish_residual(c, r);
    ss_thread_barrier();
    ss_residual found = c->residual;
    ss_thread_barrier();
    return found;
}

/* G_kk of a BODY row. */
static double row_G(const ss_rows *c, const int at[2], const ss_body_row *row)
{
    double w_a[3], w_b[3];
    ss_body_turn(c->inertia[at[0]], row->torque_a, w_a);
    ss_body_turn(c->inertia[at[1]], row->torque_b, w_b);
    return (c->free[at[0]].m_inv + c->free[at[1]].m_inv) * ss_dot3(row->d, row->d) +
           ss_dot3(row->torque_a, w_a) + ss_dot3(row->torque_b, w_b);
}

void ss_rows_natural_r(const ss_rows *c, double *r)
{
    const ss_general_rows *g = &c->general;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM] = {0};
    for (int i = 0; i < g->inclusion.n_blocks; i++) {
        const ss_block *B = &g->inclusion.blocks[i];
        bool bodies = ss_block_has_body_rows(g, i);
        if (!bodies)
            ss_inclusion_diagonal(&g->inclusion, i, G);
        r[i] = -INFINITY;
        for (int k = 0; k < B->dim; k++)
            r[i] = ss_max_nan(r[i], bodies ? row_G(c, g->bodies[i], &g->rows[B->offset + k])
                                           : G[k * B->dim + k]);
    }
    ss_inclusion_invert_diagonals(g->inclusion.n_blocks, r);
}

void ss_rows_clear(ss_rows *c)
{
    for (int i = 0; i < c->n_round + c->n_body; i++) {
        ss_pack *p = ss_rows_pack(c, i < c->n_round ? SS_ROW_ROUND : SS_ROW_BODY, i);
        memset(p->P_N, 0, sizeof p->P_N);
        memset(p->P_T, 0, sizeof p->P_T);
    }
    for (int k = 0; k < c->general.inclusion.n_rows; k++)
        c->general.P[k] = 0;
}

/* ---- Results ---- */

void ss_rows_relative(const ss_rows *c, const ss_row_body *bodies, int contact, double gamma[3])
{
    const ss_row_contact *t = &c->contacts[contact];
    const ss_row_body *A = &bodies[t->a], *B = &bodies[t->b];
    double v[3], s[3], turning[3];
    ss_minus3(B->v, A->v, v);
    if (t->form == SS_ROW_ROUND) {
        for (int i = 0; i < 3; i++)
            s[i] = t->r_b * B->w[i] + t->r_a * A->w[i];
        ss_cross3(s, t->n, turning);
        ss_minus3(v, turning, gamma);
        return;
    }
    ss_cross3(B->w, c->arms[contact] + 3, turning);
    ss_add3(v, turning, v);
    ss_cross3(A->w, c->arms[contact], turning);
    ss_minus3(v, turning, gamma);
}

/* How far P_N - r γ_N is from opening, and P_T - r γ_T from slipping; counted in √J. */
SS_INLINE void distances(const pack_laws *l, ss_vec *from_open, ss_vec *from_slip)
{
    ss_vec r = -1 / l->G_T, root_N = l->G_N, root_T = l->G_T;
    ss_vec3 x;
    ss_vec_copy3(&l->P_T, &x);
    ss_vec_add3(&r, &l->T, &x);
    ss_vec_dot(&x, &x, from_slip);
    ss_vec_root(from_slip);
    *from_open = l->P_N - l->N / l->G_N;
    *from_slip = l->mu * l->P_N - *from_slip;
    ss_vec_root(&root_N);
    ss_vec_root(&root_T);
    *from_open *= root_N;
    *from_slip *= root_T;
}

SS_INLINE void fetch_pack(ss_rows *c, int pack, const pack_laws *l, double tolerance)
{
    const int *contact = c->content[pack];
    ss_vec open, slip;
    distances(l, &open, &slip);
    for (int k = 0; k < SS_LANES && contact[k] >= 0; k++) {
        ss_row_contact *t = &c->contacts[contact[k]];
        double sign = ss_contact_sense(t), P_N = l->P_N[k];
        double allowed = tolerance * sqrt(reference2_of(c, t->b == 0 ? t->a : t->b));
        const double P_T[3] = {l->P_T.x[k], l->P_T.y[k], l->P_T.z[k]};
        for (int j = 0; j < 3; j++)
            t->P[j] = P_N * t->n[j] + sign * P_T[j];
        t->normal = open[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        t->slip = slip[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
    }
}

/* Contacts and bodies that will be needed soon. */
SS_INLINE void prefetch(const ss_rows *c, int i)
{
    const ss_pack *p = &c->round[i].pack;
    for (int k = 0; k < SS_LANES; k++) {
        const char *contact =
            (const char *)&c->contacts[c->content[i][k] < 0 ? 0 : c->content[i][k]];
        __builtin_prefetch(contact + offsetof(ss_row_contact, P), 1);
        __builtin_prefetch(contact + offsetof(ss_row_contact, normal), 1);
        __builtin_prefetch(&c->bodies[p->a[k]]);
        __builtin_prefetch(&c->bodies[p->b[k]]);
    }
}

SS_INLINE void fetch_body(ss_rows *c, ss_batch *g, const void *user)
{
    enum { AHEAD = 2 };
    double tolerance = *(const double *)user;
    pack_laws laws;
    SS_EACH_PACK(g, {
        measure(c, c->bodies, i, form, wall, &laws);
        if (i + AHEAD < g->packs[SS_ROW_ROUND].to)
            prefetch(c, i + AHEAD);
        fetch_pack(c, i, &laws, tolerance);
    });
}

SS_DEFINE_KERNEL(fetch, (ss_rows * c, ss_batch *g, const void *user), (c, g, user))

void ss_rows_fetch(ss_rows *c, double tolerance)
{
    ss_rows_visit(c, fetch, &tolerance);
}
