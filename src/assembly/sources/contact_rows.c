/* contact_rows.c: the rows of contacts and their blocks in the inclusion, and back. */
#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contacts.h"

#include <math.h>
#include <string.h>

/* ---- Rows ---- */

static ss_contact_direction direction_of(const ss_work *work, int i, int group, int row)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    const ss_contact_rule *rule = ss_element_rule(&work->model->elements[contact->element]);
    return ss_contact_row_direction(rule, group, row, contact->n, c->rows[i].t);
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
    SS_TRY(SS_ARENA_NEW(&work->arena, capacity, &work->P));
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

/* Makes capacity in the inclusion for the blocks of all contacts. */
static ss_status reserve(ss_work *work)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    int blocks = work->inclusion.n_blocks, rows = work->inclusion.n_rows;
    int factors = work->factor_start[blocks];
    size_t pool = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_element *rule = &model->elements[c->found[i].element];
        int more = rows_of(model, rule);
        blocks += rule->n_laws;
        rows += more;
        factors += 2 * rule->n_laws;
        for (int side = 0; side < 2; side++) {
            int s = model->shapes[side ? c->found[i].b : c->found[i].a].system;
            pool += s < 0 ? 0 : (size_t)(2 * more * model->systems[s].nu);
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

static ss_status refuse_modified(const ss_work *work, int s)
{
    const ss_system *system = &work->model->systems[s];
    return ss_fail_at(work->model->context, SS_UNSUPPORTED, system->object.where,
                      "%s: its shapes contact something while the scheme linearizes forces on it; "
                      "choose a scheme that evaluates forces explicitly",
                      system->object.owner);
}

/* W and M⁻¹W of a law's rows for the (up to) two systems of a contact. */
static ss_status add_factors(ss_work *work, int i, int group, int dim, int block)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    int n = work->factor_start[block];
    for (int side = 0; side < 2; side++) {
        int s = work->model->shapes[side ? contact->b : contact->a].system;
        if (s < 0)
            continue;
        if (work->modified && work->clusters[work->cluster_of[s]].modified)
            return refuse_modified(work, s);
        const ss_system *system = &work->model->systems[s];
        double *W = c->pool + c->pool_used, *MinvW = W + dim * system->nu;
        c->pool_used += (size_t)(2 * dim * system->nu);
        for (int row = 0; row < dim; row++) {
            ss_contact_direction to = direction_of(work, i, group, row);
            double *w = W + row * system->nu, *m = MinvW + row * system->nu;
            ss_contact_row(&c->frames[s], c->V[s], system->nu, contact->x, &to, side ? 1 : -1, w);
            memcpy(m, w, (size_t)system->nu * sizeof *m);
            ss_work_solve_system(work, s, m);
        }
        work->factors[n++] = (ss_factor){system->u_offset, system->nu, W, MinvW};
    }
    work->factor_start[block + 1] = n;
    return SS_OK;
}

/* γ = Wᵀu of one block. */
static void block_velocity(const ss_work *work, int block, const double *u, double *gamma)
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
    for (int k = 0; k < law->dim; k++) {
        double back = form->kind == SS_FORM_AVERAGE ? form->average : law->epsilon[k];
        b[k] += form->kind == SS_FORM_IMPACT ? 0 : back * at->gamma[k];
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
    SS_TRY(add_factors(work, i, law->group, law->dim, block));
    block_velocity(work, block, u_B, gamma);
    ss_law_at at = {
        work->t, dt, law->dim, &work->contacts->found[i].gap, gamma, work->laws[l].cache};
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    work->blocks[block].set = set.set;
    work->blocks[block].scale = set.scale;
    work->blocks[block].r = law->r;
    work->blocks[block].rigidity = law->rigidity;
    if (law->scale_from >= 0)
        work->blocks[block].scale_from =
            work->contacts->rows[i].block[work->model->laws[law->scale_from].group];
    bool displaced = work->laws[l].displaced && law->kind == SS_GEOMETRIC;
    SS_TRY(right_side(form, law, &at, displaced, inclusion->b + inclusion->n_rows));
    if (impulse)
        SS_TRY(apply_added(work, law, &at, block, impulse));
    work->block_law[block] = l;
    work->contacts->block_contact[block] = i;
    work->contacts->rows[i].block[law->group] = block;
    inclusion->n_blocks++;
    inclusion->n_rows += law->dim;
    return SS_OK;
}

ss_status ss_contact_is_active(const ss_work *work, const ss_contact *contact, int l, double dt,
                               bool *active)
{
    const ss_law *law = &work->model->laws[l];
    ss_law_at at = {work->t, dt, 1, &contact->gap, NULL, work->laws[l].cache};
    ss_level level = SS_LEVEL_ACTIVE;
    if (law->ops->level && !work->laws[l].displaced)
        SS_TRY(law->ops->level(law->object.self, &at, &level));
    *active = level == SS_LEVEL_ACTIVE;
    return SS_OK;
}

ss_status ss_work_contacts_add(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                               double *impulse)
{
    struct ss_work_contacts *c = work->contacts;
    SS_TRY(reserve(work));
    c->first_block = work->inclusion.n_blocks;
    for (int i = 0; i < c->n; i++) {
        const ss_element *rule = &work->model->elements[c->found[i].element];
        bool active = true;
        ss_work_contact_tangents(work, &c->found[i], c->rows[i].t);
        for (int group = 0; group < SS_RULE_GROUPS; group++)
            c->rows[i].block[group] = -1;
        for (int k = 0; k < rule->n_laws && active; k++) {
            int l = rule->laws[k];
            if (work->model->laws[l].kind == SS_GEOMETRIC)
                SS_TRY(ss_contact_is_active(work, &c->found[i], l, dt, &active));
            if (active)
                SS_TRY(add_block(work, form, i, l, dt, u_B, impulse));
        }
    }
    return SS_OK;
}

/* ---- Impulses ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

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

void ss_work_contacts_guess(ss_work *work, const ss_state *B)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0, from = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        for (int group = 0; group < SS_RULE_GROUPS; group++) {
            int block = c->rows[i].block[group];
            if (block < 0)
                continue;
            double *P = work->P + work->blocks[block].offset;
            for (int row = 0; row < work->blocks[block].dim; row++) {
                ss_contact_direction to = direction_of(work, i, group, row);
                double square = dot(to.d, to.d);
                P[row] = old ? dot(to.couple ? old->L : old->P, to.d) / square : 0;
            }
        }
    }
}

/* ---- Results ---- */

/* The part of γ that comes from systems whose motion is prescribed. */
static void outside_velocity(const ss_work *work, int block, int i, const double *u, double *gamma)
{
    const ss_contact *contact = &work->contacts->found[i];
    const ss_factor *F = work->inclusion.factors + work->inclusion.factor_start[block];
    for (int row = 0; row < work->blocks[block].dim; row++)
        gamma[row] = 0;
    for (int side = 0; side < 2; side++) {
        int s = work->model->shapes[side ? contact->b : contact->a].system;
        if (s < 0)
            continue;
        for (int row = 0; work->model->systems[s].prescribed && row < work->blocks[block].dim;
             row++)
            for (int j = 0; j < F->nu; j++)
                gamma[row] += F->W[row * F->nu + j] * u[F->u_offset + j];
        F++;
    }
}

static void account(ss_work *work, int block, const double *u_B, const double *u_E, ss_state *E)
{
    ss_statistics *sums = ss_state_edit_statistics(E);
    const double *P = work->P + work->blocks[block].offset;
    double before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM];
    block_velocity(work, block, u_B, before);
    block_velocity(work, block, u_E, after);
    for (int row = 0; row < work->blocks[block].dim; row++)
        sums->dissipated -= P[row] * (before[row] + after[row]) / 2;
    if (!work->model->prescribed)
        return;
    int i = work->contacts->block_contact[block];
    outside_velocity(work, block, i, u_B, before);
    outside_velocity(work, block, i, u_E, after);
    for (int row = 0; row < work->blocks[block].dim; row++)
        sums->load_work -= P[row] * (before[row] + after[row]) / 2;
}

/* Impulses of a contact in space, and its modes. */
static void finish_contact(ss_work *work, int i, ss_contact *contact)
{
    const struct ss_work_contacts *c = work->contacts;
    uint8_t *modes[SS_RULE_GROUPS] = {&contact->closed, &contact->slips, &contact->spins,
                                      &contact->rolls, &contact->slips};
    *contact = c->found[i];
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        int block = c->rows[i].block[group];
        if (block < 0)
            continue;
        const double *P = work->P + work->blocks[block].offset;
        for (int row = 0; row < work->blocks[block].dim; row++) {
            ss_contact_direction to = direction_of(work, i, group, row);
            double *sum = to.couple ? contact->L : contact->P;
            for (int k = 0; k < 3; k++)
                sum[k] += P[row] * to.d[k];
        }
        bool constraint = work->modes[block] == SS_MODE_CONSTRAINT;
        *modes[group] = group == SS_GROUP_GAP ? constraint : contact->closed && !constraint;
    }
}

/* The rows of a rule hold the sums over its contacts. It is closed when any of them is, and slips
 * when any closed one does. */
static void sum_up(ss_work *work, int i, const ss_contact *contact, ss_state *E)
{
    const struct ss_work_contacts *c = work->contacts;
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        int block = c->rows[i].block[group];
        if (block < 0)
            continue;
        int l = work->block_law[block];
        const ss_law *law = &work->model->laws[l];
        int *mode = &ss_state_edit_mode(E)[l];
        for (int row = 0; row < law->dim; row++)
            ss_state_edit_P(E)[law->offset + row] += work->P[work->blocks[block].offset + row];
        if (contact->closed) /* 2: nothing closed yet */
            *mode = work->modes[block] == SS_MODE_CONSTRAINT ? (*mode == 2 ? 0 : *mode) : 1;
        if (group == SS_GROUP_GAP && contact->closed)
            *mode = 0;
    }
}

void ss_work_contacts_settle_modes(const ss_work *work, int from, int to, ss_state *E)
{
    for (int l = 0; l < work->model->n_laws.count; l++)
        if (ss_element_rule(&work->model->elements[work->model->laws[l].element]) &&
            ss_state_mode(E)[l] == from)
            ss_state_edit_mode(E)[l] = to;
}

void ss_work_contacts_finish(ss_work *work, const double *u_B, ss_state *E)
{
    struct ss_work_contacts *c = work->contacts;
    ss_contact *contacts = ss_state_edit_contacts(E);
    int n = 0;
    ss_work_contacts_settle_modes(work, 1, 2, E);
    for (int i = 0; i < c->n; i++) {
        bool any = false;
        for (int group = 0; group < SS_RULE_GROUPS; group++)
            if (c->rows[i].block[group] >= 0) {
                account(work, c->rows[i].block[group], u_B, ss_state_u(E), E);
                any = true;
            }
        if (!any)
            continue;
        finish_contact(work, i, &contacts[n]);
        sum_up(work, i, &contacts[n++], E);
    }
    ss_work_contacts_settle_modes(work, 2, 1, E);
    ss_state_set_contact_count(E, n);
}
