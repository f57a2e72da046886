/* alpha_rows.c: everything of a generalized-α step evaluated at its end, as far as it is known. */
#include "scheme/alpha.h"
#include "scheme/general.h"

#include <math.h>
#include <string.h>

bool ss_alpha_is_closed(const ss_law *law)
{
    return ss_law_is_constraint(law) && (law->flags & SS_LAW_DISTANCE);
}

static int held_rows(int n_laws, const ss_law *laws)
{
    int rows = 0;
    for (int l = 0; l < n_laws; l++)
        rows += ss_alpha_is_closed(&laws[l]) ? laws[l].dim : 0;
    return rows;
}

/* As ss_alpha_lay_out finds them, or more: contacts that are followed may be among them. */
static int most_held_rows(const ss_model *model, const ss_model_size *size)
{
    int more = 0;
    for (int l = 0; l < model->n_laws.count; l++)
        if (ss_alpha_is_closed(&model->laws[l]) &&
            ss_element_rule(&model->elements[model->laws[l].element]))
            more = size->n_rows - model->n_rows;
    return held_rows(model->n_laws.count, model->laws) + more;
}

/* Doubles that hold `count` things of `size` bytes. */
static size_t capacity(size_t count, size_t size)
{
    return (count * size + sizeof(double) - 1) / sizeof(double);
}

static size_t rows_capacity(const ss_model_size *size)
{
    size_t n = (size_t)size->n_u, m = (size_t)size->n_rows, laws = (size_t)size->n_laws;
    return capacity(laws, sizeof(ss_block)) + capacity(laws, sizeof(ss_factor)) +
           capacity(2 * laws + 1, sizeof(int)) + 2 * n * m + 2 * m + 2 * n;
}

size_t ss_alpha_scratch(const ss_model *model, const ss_model_size *size)
{
    int held = most_held_rows(model, size);
    size_t n = (size_t)size->n_u, m = (size_t)size->n_rows, laws = (size_t)size->n_laws;
    size_t r = (size_t)held;
    return 11 * n + (size_t)size->n_q + n * r + 6 * r + 2 * ss_constrained_size(size->n_u, held) +
           3 * m + capacity(laws, sizeof(int)) + capacity(2 * laws, sizeof(bool)) +
           2 * rows_capacity(size);
}

static double *take(double **memory, size_t count)
{
    double *taken = *memory;
    *memory += count;
    return taken;
}

static void lay_out_rows(const ss_model_size *size, double **memory, ss_alpha_rows *rows)
{
    size_t n = (size_t)size->n_u, m = (size_t)size->n_rows, laws = (size_t)size->n_laws;
    rows->blocks = (void *)take(memory, capacity(laws, sizeof(ss_block)));
    rows->factors = (void *)take(memory, capacity(laws, sizeof(ss_factor)));
    rows->factor_start = (void *)take(memory, capacity(2 * laws + 1, sizeof(int)));
    rows->law = rows->factor_start + laws + 1;
    rows->W = take(memory, n * m);
    rows->R = take(memory, n * m);
    rows->P = take(memory, m);
    rows->y = take(memory, n);
    rows->inclusion = (ss_inclusion){
        .blocks = rows->blocks,
        .n_u = size->n_u,
        .factor_start = rows->factor_start,
        .factors = rows->factors,
        .u_free = take(memory, n),
        .b = take(memory, m),
    };
}

void ss_alpha_lay_out(ss_alpha *s, double *scratch)
{
    double **p = &scratch, **vectors[] = {&s->a, &s->U, &s->J, &s->v,    &s->dq,     &s->du,
                                          &s->h, &s->x, &s->z, &s->move, &s->impulse};
    s->size = ss_work_sizes(s->work);
    size_t n = (size_t)s->size.n_u, m = (size_t)s->size.n_rows, laws = (size_t)s->size.n_laws;
    s->n = s->size.n_u;
    s->n_closed = held_rows(s->size.n_laws, s->work->table.laws);
    size_t r = (size_t)s->n_closed;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = take(p, n);
    s->q_mid = take(p, (size_t)s->size.n_q);
    s->W_closed = take(p, n * r);
    s->target = take(p, r);
    s->gap_held = take(p, r);
    s->zeta_closed = take(p, r);
    s->lambda = take(p, r);
    s->nu_closed = take(p, r);
    s->P_closed = take(p, r);
    scratch = ss_constrained_lay_out(s->n, s->n_closed, s->W_closed, scratch, &s->plain);
    scratch = ss_constrained_lay_out(s->n, s->n_closed, s->W_closed, scratch, &s->modified);
    s->distance = take(p, m);
    s->nu = take(p, m);
    s->P = take(p, m);
    s->level = (void *)take(p, capacity(laws, sizeof(int)));
    s->candidate = (void *)take(p, capacity(2 * laws, sizeof(bool)));
    s->keep = s->candidate + laws;
    lay_out_rows(&s->size, p, &s->position);
    lay_out_rows(&s->size, p, &s->velocity);
}

/* w = column of W of one row of a law. */
static void column(const ss_work *work, const ss_law *law, int row, double *w)
{
    const ss_model *model = work->model;
    const ss_element *element = &work->table.elements[law->element];
    memset(w, 0, (size_t)model->n_u * sizeof *w);
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &model->systems[element->connected.systems[k]];
        const double *W = work->elements[law->element].W[k] + (law->row + row) * system->nu;
        for (int j = 0; j < system->nu; j++)
            w[system->u_offset + j] += W[j];
    }
}

/* A block of the work's inclusion becomes one here; its rows read from, and push, all velocities. */
static void add_rows(const ss_work *work, int block, ss_alpha_rows *rows)
{
    int n = work->model->n_u, l = work->block_law[block], k = rows->inclusion.n_blocks++;
    const ss_law *law = &work->table.laws[l];
    int first = rows->inclusion.n_rows;
    rows->blocks[k] = work->blocks[block];
    rows->blocks[k].offset = first;
    rows->law[k] = l;
    for (int i = 0; i < law->dim; i++)
        column(work, law, i, rows->W + (first + i) * n);
    memcpy(rows->inclusion.b + first, work->inclusion.b + work->blocks[block].offset,
           (size_t)law->dim * sizeof(double));
    rows->factors[k] =
        (ss_factor){.u_offset = 0, .nu = n, .W = rows->W + first * n, .MinvW = rows->R + first * n};
    rows->factor_start[k] = k;
    rows->factor_start[k + 1] = k + 1;
    rows->inclusion.n_rows += law->dim;
}

static void begin_rows(ss_alpha_rows *rows)
{
    rows->inclusion.n_blocks = rows->inclusion.n_rows = 0;
    rows->factor_start[0] = 0;
}

/* Whether a law is closed at the distance d, or has pushed. Others need not be looked at: they come in
 * when a further iteration finds them closed. */
static bool matters(const ss_alpha *s, const ss_block *block, const ss_law *law)
{
    const double up = 1, down = -1;
    double d = s->distance[law->offset], nu = s->nu[law->offset];
    if (block->dim != 1)
        return true;
    bool pushes = ss_set_contains(block->set, 1, &up, 0);
    bool pulls = ss_set_contains(block->set, 1, &down, 0);
    return nu != 0 || (pushes && d <= 0) || (pulls && d >= 0);
}

/* Distances of all laws that have one, and the rows of those that matter. */
static ss_status collect_positions(ss_alpha *s)
{
    const ss_law_form form = {.kind = SS_FORM_PROJECTION};
    ss_work *work = s->work;
    int held = 0;
    memset(s->impulse, 0, (size_t)s->n * sizeof *s->impulse);
    SS_TRY(ss_work_laws_as(work, &form, s->dt, s->impulse, s->impulse));
    begin_rows(&s->position);
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        int l = work->block_law[i];
        const ss_law *law = &work->table.laws[l];
        const double *d = work->inclusion.b + work->blocks[i].offset;
        memcpy(s->distance + law->offset, d, (size_t)law->dim * sizeof *d);
        if (ss_alpha_is_closed(law)) {
            for (int k = 0; k < law->dim; k++, held++) {
                column(work, law, k, s->W_closed + held * s->n);
                s->gap_held[held] = d[k];
                s->zeta_closed[held] = work->elements[law->element].zeta[law->row + k];
            }
            continue;
        }
        s->candidate[l] = s->candidate[l] || matters(s, &work->blocks[i], law);
        if (s->candidate[l])
            add_rows(work, i, &s->position);
    }
    return SS_OK;
}

/* Impulse of the constraint `law` along its row k in the whole step, as far as it is known. */
static double held_impulse(const ss_alpha *s, int law, int k)
{
    int row = k;
    for (int l = 0; l < law; l++)
        row += ss_alpha_is_closed(&s->work->table.laws[l]) ? s->work->table.laws[l].dim : 0;
    return s->dt * s->lambda[row] + s->P_closed[row];
}

/* The length of the impulse of the group that presses a law, as ss_work_apply_normal_load has it. */
static double pressure(const ss_alpha *s, const ss_law *law)
{
    const ss_table *table = &s->work->table;
    const ss_element *element = &table->elements[law->element];
    double square = 0;
    for (int i = 0; i < element->n_laws; i++) {
        int l = element->laws[i];
        const ss_law *other = &table->laws[l];
        const double *added = s->work->laws[l].added;
        if (other->group != law->load_group || s->work->laws[l].level == SS_LEVEL_INACTIVE)
            continue;
        for (int k = 0; k < other->dim; k++) {
            double P = ss_alpha_is_closed(other) ? held_impulse(s, l, k) : s->P[other->offset + k];
            P += added ? added[k] : 0;
            square += P * P;
        }
    }
    return sqrt(square);
}

/* Radii refer to blocks of this inclusion, or to constraints, which have none here. */
static void couple(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->velocity;
    for (int i = 0; i < rows->inclusion.n_blocks; i++) {
        ss_block *block = &rows->blocks[i];
        const ss_law *law = &s->work->table.laws[rows->law[i]];
        if (law->load_group >= 0)
            block->scale = s->work->laws[rows->law[i]].unit_load * pressure(s, law);
        if (block->scale_from < 0)
            continue;
        int from = s->work->block_law[block->scale_from];
        block->scale_from = -1;
        if (ss_alpha_is_closed(&s->work->table.laws[from]))
            block->scale *= fabs(held_impulse(s, from, 0));
        for (int j = 0; j < rows->inclusion.n_blocks; j++)
            if (rows->law[j] == from)
                block->scale_from = j;
    }
}

/* Which laws are active on velocity level: those that ν holds closed, or that are closed by their gaps. */
static ss_status collect_velocities(ss_alpha *s, bool frozen)
{
    const ss_law_form form = {.kind = SS_FORM_VELOCITY, .keep_levels = frozen};
    ss_work *work = s->work;
    const bool *kept = work->keep;
    for (int l = 0; l < s->size.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        s->keep[l] = !ss_alpha_is_closed(law) && s->nu[law->offset] != 0;
        if (frozen)
            work->laws[l].level = (ss_level)s->level[l];
    }
    work->keep = s->keep;
    ss_status status = ss_work_laws_as(work, &form, s->dt, ss_state_u(s->B), s->impulse);
    work->keep = kept;
    SS_TRY(status);
    begin_rows(&s->velocity);
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        if (!ss_alpha_is_closed(&work->table.laws[work->block_law[i]]))
            add_rows(work, i, &s->velocity);
    couple(s);
    s->levels_changed = false;
    for (int l = 0; l < s->size.n_laws; l++) {
        s->levels_changed = s->levels_changed || s->level[l] != (int)work->laws[l].level;
        s->level[l] = (int)work->laws[l].level;
    }
    return SS_OK;
}

/* M⁻¹W and M̂⁻¹W of the constraints that never open. */
static ss_status hold(ss_alpha *s)
{
    for (int i = 0; i < s->n_closed; i++) {
        double *plain = s->plain.MinvW + i * s->n, *modified = s->modified.MinvW + i * s->n;
        memcpy(plain, s->W_closed + i * s->n, (size_t)s->n * sizeof *plain);
        for (int k = 0; k < s->size.n_systems; k++)
            ss_work_solve_system(s->work, k, plain + s->work->model->systems[k].u_offset);
        memcpy(modified, plain, (size_t)s->n * sizeof *plain);
        ss_work_solve_ratio(s->work, modified);
    }
    bool finite = ss_constrained_factor(&s->plain);
    if (finite && !s->work->modified)
        ss_constrained_copy(&s->plain, &s->modified);
    else
        finite = finite && ss_constrained_factor(&s->modified);
    if (finite)
        return SS_OK;
    return ss_fail(
        s->work->model->context, SS_NON_FINITE,
        "scheme 'generalized_alpha': the directions of constraints are not finite at t = "
        "%g s; a smaller step may help",
        s->t_E);
}

ss_status ss_alpha_evaluate(ss_alpha *s, bool frozen)
{
    ss_work *work = s->work;
    const double *u = ss_state_u(s->E);
    SS_TRY(ss_work_evaluate(work, s->t_E, ss_state_q(s->E)));
    SS_TRY(ss_work_forces(work, u, s->h));
    SS_TRY(ss_work_clear_derivatives(work));
    SS_TRY(ss_work_add_derivatives(work, u, 1, 1));
    SS_TRY(ss_work_modify_mass(work, s->b, s->c));
    SS_TRY(collect_positions(s));
    SS_TRY(collect_velocities(s, frozen));
    return hold(s);
}
