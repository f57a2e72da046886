/* contact_rows.c: GENERAL rows of contacts: their blocks in the inclusion. */
#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contacts.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether a contact is a ROUND or BODY row. */
static bool is_swept(const struct ss_work_contacts *c, int i)
{
    return c->store.contacts[i].form != SS_ROW_GENERAL;
}

/* ---- Rows ---- */

static ss_contact_direction direction_of(const ss_work *work, int i, int group, int row)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    const ss_contact_rule *rule = ss_element_rule(&work->model->elements[contact->element]);
    return ss_contact_row_direction(rule, group, row, contact->n, c->blocks[i].t);
}

/* ---- Room ---- */

static int rows_of(const ss_model *model, const ss_element *rule)
{
    int rows = 0;
    for (int i = 0; i < rule->n_laws; i++)
        rows += model->laws[rule->laws[i]].dim;
    return rows;
}

/* A larger array with the same contents. */
static ss_status enlarge(ss_work *work, size_t used, size_t capacity, size_t size, void **array)
{
    void *larger;
    SS_TRY(ss_arena_allocate(&work->arena, capacity, size, &larger));
    if (used > 0)
        memcpy(larger, *array, used * size);
    *array = larger;
    return SS_OK;
}

static ss_status grow_blocks(ss_work *work, int need)
{
    struct ss_work_contacts *c = work->contacts;
    ss_inclusion *inclusion = &work->inclusion;
    if (need <= c->capacity_blocks)
        return SS_OK;
    size_t used = (size_t)inclusion->n_blocks, capacity = (size_t)(need + need / 2);
    SS_TRY(enlarge(work, used, capacity, sizeof *work->blocks, (void **)&work->blocks));
    SS_TRY(enlarge(work, used, capacity, sizeof *work->block_law, (void **)&work->block_law));
    SS_TRY(enlarge(work, used + 1, capacity + 1, sizeof *work->factor_start,
                   (void **)&work->factor_start));
    SS_TRY(SS_ARENA_NEW(&work->arena, capacity, &work->modes));
    SS_TRY(SS_ARENA_NEW(&work->arena, capacity, &work->marginal));
    SS_TRY(SS_ARENA_NEW(&work->arena, capacity, &c->block_contact));
    inclusion->blocks = work->blocks;
    inclusion->factor_start = work->factor_start;
    c->capacity_blocks = (int)capacity;
    return SS_OK;
}

static ss_status grow_rows(ss_work *work, int need)
{
    struct ss_work_contacts *c = work->contacts;
    ss_inclusion *inclusion = &work->inclusion;
    if (need <= c->capacity_rows)
        return SS_OK;
    size_t capacity = (size_t)(need + need / 2);
    SS_TRY(enlarge(work, (size_t)inclusion->n_rows, capacity, sizeof *work->P, (void **)&work->P));
    SS_TRY(enlarge(work, (size_t)inclusion->n_rows, capacity, sizeof *inclusion->b,
                   (void **)&inclusion->b));
    c->capacity_rows = (int)capacity;
    return SS_OK;
}

static ss_status grow_factors(ss_work *work, int need)
{
    struct ss_work_contacts *c = work->contacts;
    if (need <= c->capacity_factors)
        return SS_OK;
    size_t capacity = (size_t)(need + need / 2);
    int used = work->factor_start[work->inclusion.n_blocks];
    SS_TRY(enlarge(work, (size_t)used, capacity, sizeof *work->factors, (void **)&work->factors));
    work->inclusion.factors = work->factors;
    c->capacity_factors = (int)capacity;
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
        int more = rows_of(model, rule);
        if (is_swept(c, i) != swept)
            continue;
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
    SS_TRY(grow_blocks(work, blocks));
    SS_TRY(grow_rows(work, rows));
    SS_TRY(grow_factors(work, factors));
    if (pool > c->pool_size) {
        c->pool_size = pool + pool / 2;
        SS_TRY(ss_reallocate(model->context, c->pool_size, sizeof *c->pool, (void **)&c->pool));
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

/* One row of W of a contact, by the velocities of a cluster. */
static void cluster_row(const ss_work *work, int i, int cluster, int group, int row, double *w)
{
    const ss_contact *contact = &work->contacts->found[i];
    ss_contact_direction to = direction_of(work, i, group, row);
    memset(w, 0, (size_t)work->clusters[cluster].n * sizeof *w);
    for (int side = 0; side < 2; side++) {
        int s = ss_contact_system(work, contact, side);
        if (s >= 0 && work->cluster_of[s] == cluster)
            contact_row(work, contact, side, &to, w + work->cluster_offset[s]);
    }
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
        cluster_row(work, i, cluster, group, row, all->x);
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

double ss_contact_displacement(const ss_law_form *form, const ss_law *law, double gap, double dt,
                               double gamma)
{
    double d = gap + form->shift * dt * gamma;
    bool clamp = form->clamp || (form->clamp_elastic && law->epsilon[0] != 0);
    return (clamp && d < 0 ? 0 : d) / dt;
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
    if (law->ops->correction && form->kind != SS_FORM_IMPACT)
        SS_TRY(law->ops->correction(law->object.self, at, b));
    double share = form->kind == SS_FORM_AVERAGE ? 1 + form->average : 1; /* of the mean velocity */
    for (int k = 0; k < law->dim; k++) {
        double back = form->kind == SS_FORM_AVERAGE ? form->average : law->epsilon[k];
        b[k] = share * b[k] + (form->kind == SS_FORM_IMPACT ? 0 : back * at->gamma[k]);
    }
    return SS_OK;
}

static ss_status apply_added(ss_work *work, const ss_law *law, const ss_law_at *at, int block,
                             double *impulse)
{
    double P[SS_SET_MAX_DIM] = {0};
    if (!law->ops->added)
        return SS_OK;
    SS_TRY(law->ops->added(law->object.self, at, P));
    for (int k = work->factor_start[block]; k < work->factor_start[block + 1]; k++) {
        const ss_factor *F = &work->factors[k];
        for (int row = 0; row < law->dim; row++)
            for (int j = 0; j < F->nu; j++)
                impulse[F->u_offset + j] += F->W[row * F->nu + j] * P[row];
    }
    return SS_OK;
}

static ss_status add_block(ss_work *work, const ss_law_form *form, int i, int l, double dt,
                           const double *u_B, double *impulse)
{
    const ss_law *law = &work->model->laws[l];
    ss_inclusion *inclusion = &work->inclusion;
    int block = inclusion->n_blocks;
    double gamma[SS_SET_MAX_DIM];
    ss_law_set set = {0};
    work->blocks[block] =
        (ss_block){.offset = inclusion->n_rows, .dim = law->dim, .scale_from = -1};
    add_factors(work, i, law->group, law->dim, block);
    ss_work_block_velocity(work, block, u_B, gamma);
    ss_law_at at = {
        work->t, dt, law->dim, &work->contacts->found[i].gap, gamma, work->laws[l].cache};
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
    if (impulse)
        SS_TRY(apply_added(work, law, &at, block, impulse));
    work->block_law[block] = l;
    work->contacts->block_contact[block] = i;
    work->contacts->blocks[i].block[law->group] = block;
    inclusion->n_blocks++;
    inclusion->n_rows += law->dim;
    return SS_OK;
}

ss_status ss_contact_is_active(const ss_work *work, const ss_contact *contact, const ss_law *law,
                               double dt, bool *active)
{
    const ss_work_law *wl = &work->laws[law - work->model->laws];
    ss_law_at at = {work->t, dt, 1, &contact->gap, NULL, wl->cache};
    ss_level level = SS_LEVEL_ACTIVE;
    if (law->ops->level && !wl->displaced)
        SS_TRY(law->ops->level(law->object.self, &at, &level));
    *active = level == SS_LEVEL_ACTIVE;
    return SS_OK;
}

static ss_status add_contacts(ss_work *work, bool swept, double *impulse)
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
            SS_TRY(add_block(work, &c->form, i, rule->laws[k], c->dt, c->u_B, impulse));
    }
    return SS_OK;
}

ss_status ss_work_contacts_add(ss_work *work, double *impulse)
{
    return add_contacts(work, false, impulse);
}

/* Impulses of a contact along its rows, from those in space. */
static void put_impulses(ss_work *work, int i, const double P[3], const double L[3])
{
    const struct ss_work_contacts *c = work->contacts;
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        int block = c->blocks[i].block[group];
        for (int row = 0; block >= 0 && row < work->blocks[block].dim; row++) {
            ss_contact_direction to = direction_of(work, i, group, row);
            work->P[work->blocks[block].offset + row] =
                dot(to.couple ? L : P, to.d) / dot(to.d, to.d);
        }
    }
}

ss_status ss_work_contacts_show(ss_work *work, const ss_solve_report *report)
{
    const double none[3] = {0};
    const struct ss_work_contacts *c = work->contacts;
    ss_inclusion *inclusion = &work->inclusion;
    int n_blocks = inclusion->n_blocks, n_rows = inclusion->n_rows;
    SS_TRY(add_contacts(work, true, NULL));
    for (int i = 0; i < c->n; i++)
        if (is_swept(c, i))
            put_impulses(work, i, c->store.contacts[i].P, none);
    ss_status status = work->watch(work->watch_user, inclusion, work->P, report);
    inclusion->n_blocks = n_blocks;
    inclusion->n_rows = n_rows;
    return status;
}

/* ---- Impulses ---- */

const ss_contact *ss_contact_before(const ss_contact *wanted, const ss_contact *before, int n,
                                    int *from)
{
    while (*from < n && (before[*from].a < wanted->a ||
                         (before[*from].a == wanted->a && before[*from].b < wanted->b)))
        ++*from;
    for (int k = *from; k < n && before[k].a == wanted->a && before[k].b == wanted->b; k++)
        if (before[k].feature == wanted->feature)
            return &before[k];
    return NULL;
}

ss_status ss_contacts_guess(ss_work *work, const ss_state *B)
{
    const double none[3] = {0};
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0, from = 0;
    for (int i = 0; i < c->n; i++) {
        if (is_swept(c, i))
            continue;
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        put_impulses(work, i, old ? old->P : none, old ? old->L : none);
    }
    return SS_OK;
}
