/* contact_blocks.c: contacts as GENERAL rows: their blocks in the inclusion, and what these leave behind. */
#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contacts.h"
#include "geometry/vector.h"
#include "model/body.h"

#include <string.h>

/* Whether a contact is a ROUND or BODY row. */
static bool is_swept(const struct ss_work_contacts *c, int i)
{
    return c->store.contacts[i].form != SS_ROW_GENERAL;
}

static ss_contact_direction direction_of(const ss_work *work, int i, int group, int row)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    const ss_contact_rule *rule = ss_element_rule(&work->model->elements[contact->element]);
    return ss_contact_row_direction(rule, group, row, contact->n, c->blocks[i].t);
}

/* ---- Memory ---- */

/* An array that grows, and how much of it is used. */
typedef struct growing {
    void **array;
    size_t size, used;
} growing;

#define GROWING(pointer, used)                                 \
    {                                                          \
        (void **)&(pointer), sizeof *(pointer), (size_t)(used) \
    }

/* Larger arrays with the same contents, and one element more than the capacity. */
static ss_status grow(ss_work *work, int need, int *capacity, int count, const growing *arrays)
{
    if (need <= *capacity)
        return SS_OK;
    for (int i = 0; i < count; i++) {
        void *larger;
        SS_TRY(ss_arena_allocate(&work->arena, (size_t)(need + need / 2) + 1, arrays[i].size,
                                 &larger));
        if (arrays[i].used > 0)
            memcpy(larger, *arrays[i].array, arrays[i].used * arrays[i].size);
        *arrays[i].array = larger;
    }
    *capacity = need + need / 2;
    return SS_OK;
}

static ss_status grow_inclusion(ss_work *work, int n_blocks, int n_rows, int n_factors)
{
    struct ss_work_contacts *c = work->contacts;
    ss_inclusion *all = &work->inclusion;
    const growing blocks[] = {
        GROWING(work->blocks, all->n_blocks),
        GROWING(work->block_law, all->n_blocks),
        GROWING(work->factor_start, all->n_blocks + 1),
        GROWING(work->modes, 0),
        GROWING(work->marginal, 0),
        GROWING(c->block_contact, 0),
    };
    const growing rows[] = {GROWING(work->P, all->n_rows), GROWING(all->b, all->n_rows)};
    const growing factors[] = {GROWING(work->factors, work->factor_start[all->n_blocks])};
    SS_TRY(grow(work, n_blocks, &c->capacity_blocks, 6, blocks));
    SS_TRY(grow(work, n_rows, &c->capacity_rows, 2, rows));
    SS_TRY(grow(work, n_factors, &c->capacity_factors, 1, factors));
    all->blocks = work->blocks;
    all->factor_start = work->factor_start;
    all->factors = work->factors;
    return SS_OK;
}

static bool in_modified_cluster(const ss_work *work, int s)
{
    return work->modified && work->clusters[work->cluster_of[s]].modified;
}

/* Reserves memory in the inclusion for the blocks of all contacts. */
static ss_status reserve(ss_work *work, bool swept)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    int blocks = work->inclusion.n_blocks, rows = work->inclusion.n_rows;
    int factors = work->factor_start[blocks];
    size_t pool = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_element *rule = &model->elements[c->found[i].element];
        int more = 0;
        if (is_swept(c, i) != swept)
            continue;
        for (int k = 0; k < rule->n_laws; k++)
            more += model->laws[rule->laws[k]].dim;
        blocks += rule->n_laws;
        rows += more;
        for (int side = 0; side < 2; side++) {
            int s = model->shapes[side ? c->found[i].b : c->found[i].a].system, count = 1;
            int nu = s < 0 ? 0 : model->systems[s].nu;
            if (s >= 0 && in_modified_cluster(work, s)) {
                count = work->clusters[work->cluster_of[s]].n_pieces;
                nu = work->clusters[work->cluster_of[s]].n;
            }
            factors += count * rule->n_laws;
            pool += (size_t)(2 * more * nu);
        }
    }
    SS_TRY(grow_inclusion(work, blocks, rows, factors));
    if (pool > c->pool_size) {
        c->pool_size = pool + pool / 2;
        SS_TRY(SS_RESIZE(model->context, c->pool_size, &c->pool));
    }
    c->pool_used = 0;
    return SS_OK;
}

/* ---- Blocks ---- */

int ss_contact_system(const ss_work *work, const ss_contact *contact, int side)
{
    int a = work->model->shapes[contact->a].system, b = work->model->shapes[contact->b].system;
    return side == 0 ? a : b == a ? -1 : b;
}

/* A row of W; where both shapes are on frames of one system, both parts of it. */
static void contact_row(const ss_work *work, const ss_contact *contact, int side,
                        const ss_contact_direction *to, double *w)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_placed *A = &work->model->shapes[contact->a], *B = &work->model->shapes[contact->b];
    int f = (side ? B : A)->frame_index;
    int nu = work->model->systems[(side ? B : A)->system].nu;
    ss_contact_row(&c->frames[f], c->V[f], nu, contact->x, to, side ? 1 : -1, w);
    if (A->system == B->system)
        ss_contact_row_add(&c->frames[B->frame_index], c->V[B->frame_index], nu, contact->x, to, 1,
                           w);
}

/* W and M⁻¹W of a law's rows for one system of a contact. */
static void add_system(ss_work *work, int i, int side, int group, int dim, int *n)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    int s = work->model->shapes[side ? contact->b : contact->a].system;
    const ss_system *system = &work->model->systems[s];
    double *W = c->pool + c->pool_used, *MinvW = W + dim * system->nu;
    c->pool_used += (size_t)(2 * dim * system->nu);
    for (int row = 0; row < dim; row++) {
        ss_contact_direction to = direction_of(work, i, group, row);
        double *w = W + row * system->nu, *m = MinvW + row * system->nu;
        contact_row(work, contact, side, &to, w);
        memcpy(m, w, (size_t)system->nu * sizeof *m);
        ss_work_solve_system(work, s, m);
    }
    work->factors[(*n)++] = (ss_factor){system->u_offset, system->nu, W, MinvW};
}

/* Column `column` of 2 dim in every piece of a cluster, from cluster->x. */
static void spread(const ss_cluster *cluster, int dim, int column, double *pool)
{
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = &cluster->pieces[k];
        memcpy(pool + 2 * dim * piece->offset + column * piece->nu, cluster->x + piece->offset,
               (size_t)piece->nu * sizeof *pool);
    }
}

/* W and M̂⁻¹W of a law's rows for all pieces of a cluster with linearized forces: an impulse on one
 * system moves them all. */
static void add_cluster(ss_work *work, int i, int cluster, int group, int dim, int *n)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_cluster *all = &work->clusters[cluster];
    double *pool = c->pool + c->pool_used; /* W and M̂⁻¹W of piece behind piece */
    c->pool_used += (size_t)(2 * dim * all->n);
    for (int row = 0; row < dim; row++) {
        ss_contact_direction to = direction_of(work, i, group, row);
        memset(all->x, 0, (size_t)all->n * sizeof *all->x);
        for (int side = 0; side < 2; side++) {
            int s = ss_contact_system(work, &c->found[i], side);
            if (s >= 0 && work->cluster_of[s] == cluster)
                contact_row(work, &c->found[i], side, &to, all->x + work->cluster_offset[s]);
        }
        spread(all, dim, row, pool);
        ss_work_solve_cluster(work, all);
        spread(all, dim, dim + row, pool);
    }
    for (int k = 0; k < all->n_pieces; k++) {
        const ss_piece *piece = &all->pieces[k];
        double *W = pool + 2 * dim * piece->offset;
        work->factors[(*n)++] = (ss_factor){piece->u_offset, piece->nu, W, W + dim * piece->nu};
    }
}

/* W and M⁻¹W of a law's rows for the (up to) two systems of a contact. */
static void add_factors(ss_work *work, int i, int group, int dim, int block)
{
    const ss_contact *contact = &work->contacts->found[i];
    int n = work->factor_start[block], done = -1;
    for (int side = 0; side < 2; side++) {
        int s = ss_contact_system(work, contact, side);
        if (s < 0)
            continue;
        if (!in_modified_cluster(work, s))
            add_system(work, i, side, group, dim, &n);
        else if (work->cluster_of[s] != done)
            add_cluster(work, i, done = work->cluster_of[s], group, dim, &n);
    }
    work->factor_start[block + 1] = n;
}

void ss_work_block_velocity(const ss_work *work, int block, const double *u, double *gamma)
{
    const ss_inclusion *inclusion = &work->inclusion;
    for (int row = 0; row < inclusion->blocks[block].dim; row++) {
        gamma[row] = 0;
        for (int k = inclusion->factor_start[block]; k < inclusion->factor_start[block + 1]; k++) {
            const ss_factor *F = &inclusion->factors[k];
            for (int j = 0; j < F->nu; j++)
                gamma[row] += F->W[row * F->nu + j] * u[F->u_offset + j];
        }
    }
}

static ss_status right_side(const ss_law_form *form, const ss_law *law, const ss_law_at *at,
                            bool displaced, double *b)
{
    for (int k = 0; k < law->dim; k++)
        b[k] = 0;
    if (displaced) {
        b[0] = ss_contact_displacement(form, law, at->g[0], at->dt, at->gamma[0]);
        return SS_OK;
    }
    if ((law->flags & SS_LAW_CORRECTED) && form->kind != SS_FORM_IMPACT)
        SS_TRY(law->ops->correction(law->object.self, at, b));
    double share = form->kind == SS_FORM_AVERAGE ? 1 + form->average : 1; /* of the mean velocity */
    for (int k = 0; k < law->dim; k++) {
        double back = form->kind == SS_FORM_AVERAGE ? form->average : law->epsilon[k];
        b[k] = share * b[k] + (form->kind == SS_FORM_IMPACT ? 0 : back * at->gamma[k]);
    }
    return SS_OK;
}

static ss_status add_block(ss_work *work, int i, int l, double *impulse)
{
    const ss_law_form *form = &work->contacts->form;
    const ss_law *law = &work->model->laws[l];
    ss_inclusion *inclusion = &work->inclusion;
    int block = inclusion->n_blocks;
    double gamma[SS_SET_MAX_DIM];
    ss_law_set set = {0};
    work->blocks[block] =
        (ss_block){.offset = inclusion->n_rows, .dim = law->dim, .scale_from = -1};
    add_factors(work, i, law->group, law->dim, block);
    ss_work_block_velocity(work, block, work->contacts->u_B, gamma);
    ss_law_at at = {work->t, work->contacts->dt, law->dim, &work->contacts->found[i].gap,
                    gamma,   work->laws[l].cache};
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    work->blocks[block].set = set.set;
    work->blocks[block].scale = set.scale;
    work->blocks[block].r = law->r;
    work->blocks[block].rigidity = law->rigidity;
    if (law->scale_from >= 0)
        work->blocks[block].scale_from =
            work->contacts->blocks[i].block[work->model->laws[law->scale_from].group];
    bool displaced = work->laws[l].displaced && law->kind == SS_GEOMETRIC;
    SS_TRY(right_side(form, law, &at, displaced, inclusion->b + inclusion->n_rows));
    double added[SS_SET_MAX_DIM] = {0};
    if (impulse && (law->flags & SS_LAW_ADDED))
        SS_TRY(law->ops->added(law->object.self, &at, added));
    for (int k = work->factor_start[block];
         impulse && (law->flags & SS_LAW_ADDED) && k < work->factor_start[block + 1]; k++) {
        const ss_factor *F = &work->factors[k];
        for (int row = 0; row < law->dim; row++)
            for (int j = 0; j < F->nu; j++)
                impulse[F->u_offset + j] += F->W[row * F->nu + j] * added[row];
    }
    work->block_law[block] = l;
    work->contacts->block_contact[block] = i;
    work->contacts->blocks[i].block[law->group] = block;
    inclusion->n_blocks++;
    inclusion->n_rows += law->dim;
    return SS_OK;
}

ss_status ss_contact_blocks_add(ss_work *work, bool swept, double *impulse)
{
    struct ss_work_contacts *c = work->contacts;
    SS_TRY(reserve(work, swept));
    for (int i = 0; i < c->n; i++) {
        const ss_element *rule = &work->model->elements[c->found[i].element];
        if (is_swept(c, i) != swept)
            continue;
        ss_work_contact_tangents(work, &c->found[i], c->blocks[i].t);
        for (int group = 0; group < SS_RULE_GROUPS; group++)
            c->blocks[i].block[group] = -1;
        for (int k = 0; k < rule->n_laws; k++)
            SS_TRY(add_block(work, i, rule->laws[k], impulse));
    }
    return SS_OK;
}

/* Impulses of a contact along its rows, from those in space. */
void ss_contact_blocks_guess(ss_work *work, int i, const double P[3], const double L[3])
{
    const struct ss_work_contacts *c = work->contacts;
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        int block = c->blocks[i].block[group];
        for (int row = 0; block >= 0 && row < work->blocks[block].dim; row++) {
            ss_contact_direction to = direction_of(work, i, group, row);
            work->P[work->blocks[block].offset + row] =
                ss_dot3(to.couple ? L : P, to.d) / ss_dot3(to.d, to.d);
        }
    }
}

/* Impulses of the blocks of ROUND and BODY contacts that are awake, in space. */
static void return_impulses(const ss_work *work)
{
    const struct ss_work_contacts *c = work->contacts;
    for (int i = 0; i < c->n; i++) {
        ss_row_contact *contact = &c->store.contacts[i];
        if (!is_swept(c, i) || contact->asleep)
            continue;
        memset(contact->P, 0, sizeof contact->P);
        for (int group = 0; group < SS_RULE_GROUPS; group++) {
            int block = c->blocks[i].block[group];
            for (int row = 0; block >= 0 && row < work->blocks[block].dim; row++) {
                ss_contact_direction to = direction_of(work, i, group, row);
                ss_along3(contact->P, work->P[work->blocks[block].offset + row], to.d, contact->P);
            }
        }
    }
}

ss_status ss_work_contacts_solve_blocks(ss_work *work, ss_blocks_fn *solve, double *u,
                                        ss_solve_report *report)
{
    const double none[3] = {0};
    struct ss_work_contacts *c = work->contacts;
    ss_inclusion *inclusion = &work->inclusion;
    int n_blocks = inclusion->n_blocks, n_rows = inclusion->n_rows;
    SS_TRY(ss_contact_blocks_add(work, true, NULL));
    for (int i = 0; i < c->n; i++)
        if (is_swept(c, i))
            ss_contact_blocks_guess(work, i, c->store.contacts[i].P, none);
    ss_status status = solve(work->solver, inclusion, work->P, u, report);
    return_impulses(work);
    inclusion->n_blocks = n_blocks;
    inclusion->n_rows = n_rows;
    c->store.general.P = work->P;
    return status;
}

ss_status ss_work_contacts_show(ss_work *work, ss_inclusion_watch watch, void *user,
                                const ss_solve_report *report)
{
    const double none[3] = {0};
    const struct ss_work_contacts *c = work->contacts;
    ss_inclusion *inclusion = &work->inclusion;
    int n_blocks = inclusion->n_blocks, n_rows = inclusion->n_rows;
    SS_TRY(ss_contact_blocks_add(work, true, NULL));
    for (int i = 0; i < c->n; i++)
        if (is_swept(c, i))
            ss_contact_blocks_guess(work, i, c->store.contacts[i].P, none);
    ss_status status = watch(user, inclusion, work->P, report);
    inclusion->n_blocks = n_blocks;
    inclusion->n_rows = n_rows;
    return status;
}

/* ---- Blocks of elements and of contacts, on the velocities of the store ---- */

/* A block on one or two bodies, with opposite forces on them, becomes BODY rows. */
static bool map_to_bodies(const struct ss_work_contacts *c, const ss_inclusion *from, int i)
{
    const ss_general_rows *g = &c->store.general;
    const ss_block *B = &from->blocks[i];
    const ss_factor *F = from->factors + from->factor_start[i];
    int n = from->factor_start[i + 1] - from->factor_start[i], s[2] = {-1, -1};
    if (n < 1 || n > 2)
        return false;
    for (int k = 0; k < n; k++) {
        s[k] = c->system_at[F[k].u_offset];
        if (c->system_body[s[k]] == 0)
            return false;
    }
    for (int row = 0; row < B->dim; row++) {
        ss_body_row *to = &g->rows[B->offset + row];
        for (int k = 0; k < 2; k++) { /* b is the last one */
            const double *W = k < n ? F[n - 1 - k].W + SS_BODY_NU * row : NULL;
            double *torque = k == 0 ? to->torque_b : to->torque_a;
            for (int j = 0; W && j < 3; j++) {
                if (k == 0)
                    to->d[j] = W[j];
                else if (W[j] != -to->d[j])
                    return false;
            }
            if (!W)
                memset(torque, 0, 3 * sizeof *torque);
            else if (c->V[s[n - 1 - k]])
                ss_turn(c->frames[s[n - 1 - k]].A, W + 3, torque);
            else
                ss_copy3(W + 3, torque);
        }
    }
    g->bodies[i][0] = n == 2 ? c->store.number[c->system_body[s[0]]] : 0;
    g->bodies[i][1] = c->store.number[c->system_body[s[n - 1]]];
    return true;
}

/* Three columns of W or M⁻¹W of a body, as the store has its velocities. */
static const double *take_part(const double *W, int dim, const double *A, double **pool)
{
    double *part = *pool;
    for (int row = 0; row < dim; row++)
        if (A)
            ss_turn(A, W + SS_BODY_NU * row, part + 3 * row);
        else
            ss_copy3(W + SS_BODY_NU * row, part + 3 * row);
    *pool += 3 * dim;
    return part;
}

/* One factor becomes one, or those of a body's translation and rotation. */
static int map_factor(const struct ss_work_contacts *c, const ss_factor *F, int dim, ss_factor *to,
                      double **pool)
{
    enum { STRIDE = sizeof(ss_row_body) / sizeof(double), TURNING = STRIDE / 2 };
    int s = c->system_at[F->u_offset];
    if (c->system_body[s] == 0) {
        *to = *F;
        to->u_offset += ss_rows_rest_offset(&c->store);
        return 1;
    }
    const double *A = c->V[s] ? c->frames[s].A : NULL;
    int at = STRIDE * c->store.number[c->system_body[s]];
    to[0] =
        (ss_factor){at, 3, take_part(F->W, dim, NULL, pool), take_part(F->MinvW, dim, NULL, pool)};
    to[1] = (ss_factor){at + TURNING, 3, take_part(F->W + 3, dim, A, pool),
                        take_part(F->MinvW + 3, dim, A, pool)};
    return 2;
}

ss_status ss_contact_blocks_map(ss_work *work)
{
    const ss_inclusion *from = &work->inclusion;
    struct ss_work_contacts *c = work->contacts;
    ss_general_rows *g = &c->store.general;
    g->inclusion = (ss_inclusion){.n_blocks = 0};
    size_t numbers = 0;
    for (int i = 0; i < from->n_blocks; i++)
        numbers += (size_t)(12 * from->blocks[i].dim *
                            (from->factor_start[i + 1] - from->factor_start[i]));
    SS_TRY(ss_rows_reserve_general(&c->store, from->n_blocks, from->n_rows,
                                   2 * (size_t)from->factor_start[from->n_blocks], numbers));
    double *pool = g->numbers;
    int n = 0;
    g->factor_start[0] = 0;
    for (int i = 0; i < from->n_blocks; i++) {
        bool bodies = map_to_bodies(c, from, i);
        for (int k = from->factor_start[i]; !bodies && k < from->factor_start[i + 1]; k++)
            n += map_factor(c, &from->factors[k], from->blocks[i].dim, &g->factors[n], &pool);
        g->factor_start[i + 1] = n;
        c->any_body = c->any_body || bodies;
    }
    g->P = work->P;
    g->inclusion = (ss_inclusion){
        .n_blocks = from->n_blocks,
        .n_rows = from->n_rows,
        .blocks = from->blocks,
        .n_u = ss_rows_rest_offset(&c->store) + g->n_rest,
        .factor_start = g->factor_start,
        .factors = g->factors,
        .u_free = c->store.free[0].v,
        .b = from->b,
    };
    memcpy(c->store.free[0].v + ss_rows_rest_offset(&c->store), from->u_free,
           (size_t)from->n_u * sizeof *from->u_free);
    return SS_OK;
}
