/* alpha.c: one iteration of a generalized-α step: everything evaluated at its end, as far as it is known, and the three
 * sub-problems, smooth motion, positions and velocities. Each moves a_E, U and J, and says what that does to q_E and u_E;
 * constraints that never open hold in every move. */
#include "scheme/alpha.h"

#include "la/eigen.h"
#include "la/small.h"
#include "rows/coupling.h"
#include "scheme/general.h"

#include <string.h>

bool ss_alpha_is_closed(const ss_law *law)
{
    return ss_law_is_constraint(law) && (law->flags & SS_LAW_DISTANCE);
}

/* ---- Memory ---- */

typedef struct layout {
    double *base; /* NULL: counted only */
    size_t used;
} layout;

/* `count` things of `size` bytes, or NULL. */
static void *take(layout *m, size_t count, size_t size)
{
    double *taken = m->base ? m->base + m->used : NULL;
    m->used += (count * size + sizeof(double) - 1) / sizeof(double);
    return taken;
}

static double *take_doubles(layout *m, size_t count)
{
    return take(m, count, sizeof(double));
}

static void lay_out_rows(const ss_model_size *size, layout *memory, ss_alpha_rows *rows)
{
    size_t n = (size_t)size->n_u, m = (size_t)size->n_rows, laws = (size_t)size->n_laws;
    rows->blocks = take(memory, laws, sizeof(ss_block));
    rows->factors = take(memory, laws, sizeof(ss_factor));
    rows->factor_start = take(memory, laws + 1, sizeof(int));
    rows->law = take(memory, laws, sizeof(int));
    rows->W = take_doubles(memory, n * m);
    rows->R = take_doubles(memory, n * m);
    rows->P = take_doubles(memory, m);
    rows->y = take_doubles(memory, n);
    rows->inclusion = (ss_inclusion){
        .blocks = rows->blocks,
        .n_u = size->n_u,
        .factor_start = rows->factor_start,
        .factors = rows->factors,
        .u_free = take_doubles(memory, n),
        .b = take_doubles(memory, m),
    };
}

static void lay_out_constrained(const ss_alpha *s, layout *memory, ss_constrained *held)
{
    size_t n = (size_t)s->n, r = (size_t)s->n_closed;
    *held = (ss_constrained){.n = s->n, .rows = s->n_closed, .W = s->W_closed};
    held->MinvW = take_doubles(memory, n * r);
    held->s = take_doubles(memory, r);
    held->U = take_doubles(memory, r * r);
    held->Vt = take_doubles(memory, r * r);
    held->x = take_doubles(memory, r);
    held->y = take_doubles(memory, r);
    held->work = take_doubles(memory, r * r + ss_svd_work(s->n_closed));
}

int ss_alpha_closed_rows(int n_laws, const ss_law *laws)
{
    int rows = 0;
    for (int l = 0; l < n_laws; l++)
        rows += ss_alpha_is_closed(&laws[l]) ? laws[l].dim : 0;
    return rows;
}

size_t ss_alpha_lay_out(ss_alpha *s, int n_closed, const ss_model_size *size, double *scratch)
{
    double **by_u[] = {&s->a, &s->U, &s->J, &s->v,    &s->dq,     &s->du,
                       &s->h, &s->x, &s->z, &s->move, &s->impulse};
    double **by_closed[] = {&s->target, &s->gap_held,  &s->zeta_closed,
                            &s->lambda, &s->nu_closed, &s->P_closed};
    double **by_rows[] = {&s->distance, &s->nu, &s->P};
    layout m = {scratch, 0};
    size_t n = (size_t)size->n_u, laws = (size_t)size->n_laws;
    s->size = *size;
    s->n = size->n_u;
    s->n_closed = n_closed;
    for (size_t i = 0; i < sizeof by_u / sizeof *by_u; i++)
        *by_u[i] = take_doubles(&m, n);
    for (size_t i = 0; i < sizeof by_closed / sizeof *by_closed; i++)
        *by_closed[i] = take_doubles(&m, (size_t)s->n_closed);
    for (size_t i = 0; i < sizeof by_rows / sizeof *by_rows; i++)
        *by_rows[i] = take_doubles(&m, (size_t)size->n_rows);
    s->q_mid = take_doubles(&m, (size_t)size->n_q);
    s->W_closed = take_doubles(&m, n * (size_t)s->n_closed);
    lay_out_constrained(s, &m, &s->plain);
    lay_out_constrained(s, &m, &s->modified);
    s->level = take(&m, laws, sizeof(int));
    s->candidate = take(&m, laws, sizeof(bool));
    s->keep = take(&m, laws, sizeof(bool));
    lay_out_rows(size, &m, &s->position);
    lay_out_rows(size, &m, &s->velocity);
    return m.used;
}

/* ---- Constraints that never open ---- */

/* Factors Wᵀ M⁻¹W. False: numbers that are not finite. */
static bool factor(ss_constrained *held)
{
    static const double SINGULAR = 1e-12;
    int rows = held->rows;
    double *G = held->work, *work = G + rows * rows;
    held->rank = 0;
    if (rows == 0)
        return true;
    memset(G, 0, (size_t)(rows * rows) * sizeof *G);
    ss_delassus_add(held->n, rows, held->MinvW, rows, held->W, G); /* by columns */
    if (rows == 1) {                                               /* by far the most frequent */
        held->s[0] = fabs(G[0]);
        held->U[0] = G[0] < 0 ? -1 : 1;
        held->Vt[0] = 1;
        held->rank = held->s[0] > 0;
        return isfinite(G[0]);
    }
    if (!ss_svd(rows, G, held->s, held->U, held->Vt, work))
        return false;
    while (held->rank < rows && held->s[held->rank] > SINGULAR * held->s[0])
        held->rank++;
    return true;
}

void ss_constrained_apply(const ss_constrained *held, const double *target, double *y,
                          double *multipliers)
{
    int n = held->n, rows = held->rows;
    double *off = held->x, *lambda = held->y;
    for (int i = 0; i < rows; i++) {
        off[i] = ss_dot(n, held->W + i * n, y) - (target ? target[i] : 0);
        lambda[i] = 0;
    }
    for (int k = 0; k < held->rank; k++) {
        double part = ss_dot(rows, held->U + k * rows, off) / held->s[k];
        for (int i = 0; i < rows; i++)
            lambda[i] += part * held->Vt[i * rows + k];
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            y[j] -= held->MinvW[i * n + j] * lambda[i];
        if (multipliers)
            multipliers[i] -= lambda[i];
    }
}

/* ---- Evaluation ---- */

/* x = M⁻¹ x */
static void solve_plain(const ss_alpha *s, double *x)
{
    for (int k = 0; k < s->size.n_systems; k++)
        ss_work_solve_system(s->work, k, x + s->work->model->systems[k].u_offset);
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
    s->position.inclusion.n_blocks = s->position.inclusion.n_rows = 0;
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

/* Which laws are active on velocity level: those that ν holds closed, or that are closed by their gaps. */
static ss_status collect_velocities(ss_alpha *s, bool frozen)
{
    const ss_law_form form = {
        .kind = SS_FORM_VELOCITY, .keep_levels = frozen, .springs = {.turned = 1, .in_h = true}};
    ss_work *work = s->work;
    ss_alpha_rows *rows = &s->velocity;
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
    rows->inclusion.n_blocks = rows->inclusion.n_rows = 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        if (!ss_alpha_is_closed(&work->table.laws[work->block_law[i]]))
            add_rows(work, i, rows);
    /* Radii refer to blocks of this inclusion, or to constraints, which have none here. */
    for (int i = 0; i < rows->inclusion.n_blocks; i++) {
        ss_block *block = &rows->blocks[i];
        const ss_law *law = &work->table.laws[rows->law[i]];
        if (law->load_group >= 0)
            block->scale = work->laws[rows->law[i]].unit_load * pressure(s, law);
        if (block->scale_from < 0)
            continue;
        int from = work->block_law[block->scale_from];
        block->scale_from = -1;
        if (ss_alpha_is_closed(&work->table.laws[from]))
            block->scale *= fabs(held_impulse(s, from, 0));
        for (int j = 0; j < rows->inclusion.n_blocks; j++)
            if (rows->law[j] == from)
                block->scale_from = j;
    }
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
        solve_plain(s, plain);
        memcpy(modified, plain, (size_t)s->n * sizeof *plain);
        ss_work_solve_ratio(s->work, modified);
    }
    bool finite = factor(&s->plain);
    if (finite && !s->work->modified) {
        size_t r = (size_t)s->n_closed; /* s, U and Vt follow each other */
        memcpy(s->modified.s, s->plain.s, (2 * r * r + r) * sizeof(double));
        s->modified.rank = s->plain.rank;
    } else {
        finite = finite && factor(&s->modified);
    }
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
    SS_TRY(ss_work_add_law_derivatives(work, u, s->h));
    SS_TRY(ss_work_modify_mass(work, s->b, s->c));
    SS_TRY(collect_positions(s));
    SS_TRY(collect_velocities(s, frozen));
    return hold(s);
}

/* ---- The move ---- */

/* Laws without a position of their own, such as friction: half a step of what they do to velocities
 * goes into the positions. */
static bool half_step(const ss_alpha *s, const ss_alpha_rows *rows, int block)
{
    return !(s->work->table.laws[rows->law[block]].flags & SS_LAW_DISTANCE);
}

/* f += factor W P of the blocks, or of those that count by half a step only. */
static void apply_impulse(const ss_alpha *s, const ss_alpha_rows *rows, bool only_half,
                          double factor, double *f)
{
    for (int i = 0; i < rows->inclusion.n_blocks; i++) {
        const ss_block *block = &rows->blocks[i];
        if (only_half && !half_step(s, rows, i))
            continue;
        for (int k = block->offset; k < block->offset + block->dim; k++)
            ss_axpy(s->n, factor * rows->P[k], rows->W + k * s->n, f);
    }
}

/* The multipliers of these blocks, by rows of all laws, from or to the rows of the inclusion. */
static void exchange(const ss_alpha *s, ss_alpha_rows *rows, bool write, double *all)
{
    for (int i = 0; i < rows->inclusion.n_blocks; i++) {
        double *there = all + s->work->table.laws[rows->law[i]].offset;
        double *here = rows->P + rows->blocks[i].offset;
        size_t bytes = (size_t)rows->blocks[i].dim * sizeof *here;
        memcpy(write ? there : here, write ? here : there, bytes);
    }
}

/* Changes of U or J that the multipliers mean with new directions: d = M⁻¹ (f + W_b λ) - x, then x = M⁻¹ (f + W_b λ). */
static void restate(const ss_alpha *s, const double *closed, double *f, double *x, double *d)
{
    for (int i = 0; i < s->n_closed; i++)
        ss_axpy(s->n, closed[i], s->W_closed + i * s->n, f);
    solve_plain(s, f);
    for (int i = 0; i < s->n; i++) {
        d[i] = f[i] - x[i];
        x[i] = f[i];
    }
}

static void restate_all(ss_alpha *s)
{
    double *f = s->x;
    int n = s->n;
    exchange(s, &s->position, false, s->nu);
    exchange(s, &s->velocity, false, s->P);
    memset(s->P, 0, (size_t)s->size.n_rows * sizeof *s->P);
    exchange(s, &s->velocity, true, s->P); /* laws that are not active push no longer */
    memset(f, 0, (size_t)n * sizeof *f);
    apply_impulse(s, &s->position, false, 1, f);
    apply_impulse(s, &s->velocity, true, s->dt / 2, f);
    ss_axpy(n, s->dt / 2, s->impulse, f);
    restate(s, s->nu_closed, f, s->U, s->dq);
    memset(f, 0, (size_t)n * sizeof *f);
    apply_impulse(s, &s->velocity, false, 1, f);
    ss_axpy(n, 1, s->impulse, f);
    restate(s, s->P_closed, f, s->J, s->du);
}

/* a, ṽ, dq and du after a move z of the smooth motion. */
static void move_smooth(ss_alpha *s, const double *z)
{
    ss_axpy(s->n, 1 / s->kappa, z, s->a);
    ss_axpy(s->n, s->c, z, s->v);
    ss_axpy(s->n, s->b, z, s->dq);
    ss_axpy(s->n, s->c, z, s->du);
}

/* z = M̂⁻¹ (K x + D y) */
static void respond_freely(const ss_alpha *s, const double *x, const double *y, double *z)
{
    ss_work_stiffness_times(s->work, x, z);
    ss_work_damping_times(s->work, y, s->move);
    ss_axpy(s->n, 1, s->move, z);
    ss_work_solve_mass(s->work, z);
}

/* The same, constraints held; `multipliers` of the smooth motion, or NULL. */
static void answer(const ss_alpha *s, const double *x, const double *y, double *multipliers,
                   double *z)
{
    respond_freely(s, x, y, z);
    ss_constrained_apply(&s->modified, NULL, z, multipliers);
}

/* What the constraints that never open still ask for: target = -scale (given + Wᵀx). */
static void aim(ss_alpha *s, double scale, const double *given, const double *x)
{
    for (int i = 0; i < s->n_closed; i++)
        s->target[i] = -scale * (given[i] + ss_dot(s->n, s->W_closed + i * s->n, x));
}

static ss_status solve_smooth(ss_alpha *s)
{
    const ss_alpha_constants *o = &s->o;
    int n = s->n;
    double *x = s->x, *z = s->z;
    memcpy(x, s->h, (size_t)n * sizeof *x);
    solve_plain(s, x);
    for (int i = 0; i < n; i++)
        x[i] -= ((1 - o->alpha_m) * s->a[i] + o->alpha_m * s->a_B[i] - o->alpha_f * s->v_B[i]) /
                (1 - o->alpha_f);
    ss_work_solve_ratio(s->work, x);
    respond_freely(s, s->dq, s->du, z);
    ss_axpy(n, 1, x, z);
    memcpy(s->move, s->v, (size_t)n * sizeof *z);
    ss_axpy(n, s->c, z, s->move);
    SS_TRY(ss_work_prescribe(s->work, s->t_E, s->move));
    for (int i = 0; i < n; i++)
        z[i] = (s->move[i] - s->v[i]) / s->c;
    memset(s->lambda, 0, (size_t)s->n_closed * sizeof *s->lambda);
    aim(s, 1 / s->c, s->zeta_closed, s->v);
    ss_constrained_apply(&s->modified, s->target, z, s->lambda);
    move_smooth(s, z);
    return SS_OK;
}

/* Solves an inclusion whose motion without multipliers is `free`; rows->P holds the old multipliers
 * and receives the changes. */
static ss_status solve(ss_alpha *s, ss_alpha_rows *rows, const double *free, double *all)
{
    ss_inclusion *inclusion = &rows->inclusion;
    ss_solve_report report;
    memcpy(inclusion->u_free, free, (size_t)s->n * sizeof *free);
    for (int k = 0; k < inclusion->n_rows; k++)
        ss_axpy(s->n, -rows->P[k], rows->R + k * s->n, inclusion->u_free);
    SS_TRY(ss_solver_solve(s->work->solver, inclusion, rows->P, rows->y, &report));
    ss_general_join_report(&report, s->report, NULL);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double *before = all + s->work->table.laws[rows->law[i]].offset;
        for (int k = 0; k < rows->blocks[i].dim; k++) {
            double now = rows->P[rows->blocks[i].offset + k];
            rows->P[rows->blocks[i].offset + k] = now - before[k];
            before[k] = now;
        }
    }
    return SS_OK;
}

/* J moves by x, U by y; the smooth motion answers. */
static void move(ss_alpha *s, const double *x, const double *y)
{
    answer(s, y, x, s->lambda, s->z);
    ss_axpy(s->n, 1, x, s->J);
    ss_axpy(s->n, 1, x, s->du);
    ss_axpy(s->n, 1, y, s->U);
    ss_axpy(s->n, 1, y, s->dq);
    move_smooth(s, s->z);
}

/* Responses of the rows: R = M⁻¹W with constraints held, and what the smooth motion answers: to R as a position, or as a
 * velocity with half a step of it as a position where the law has none. */
static void respond(ss_alpha *s, ss_alpha_rows *rows, bool position)
{
    int n = s->n;
    size_t bytes = (size_t)n * sizeof(double);
    for (int i = 0; i < rows->inclusion.n_blocks; i++) {
        const ss_block *block = &rows->blocks[i];
        for (int k = block->offset; k < block->offset + block->dim; k++) {
            double *R = rows->R + k * n;
            memcpy(R, rows->W + k * n, bytes);
            solve_plain(s, R);
            ss_constrained_apply(&s->plain, NULL, R, NULL);
            memset(s->h, 0, bytes);
            if (!position && half_step(s, rows, i))
                ss_axpy(n, s->dt / 2, R, s->h);
            answer(s, position ? R : s->h, position ? s->h : R, NULL, s->z);
            ss_axpy(n, position ? s->b : s->c, s->z, R);
        }
    }
}

static ss_status solve_positions(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->position;
    double *x = s->x, *zero = s->h;
    size_t bytes = (size_t)s->n * sizeof *x;
    aim(s, 1, s->gap_held, s->dq);
    memset(x, 0, bytes);
    memset(zero, 0, bytes);
    ss_constrained_apply(&s->plain, s->target, x, s->nu_closed);
    if (s->n_closed > 0)
        move(s, zero, x);
    if (rows->inclusion.n_blocks == 0)
        return SS_OK;
    respond(s, rows, true);
    SS_TRY(solve(s, rows, s->dq, s->nu));
    memset(x, 0, bytes);
    memset(zero, 0, bytes);
    apply_impulse(s, rows, false, 1, x);
    solve_plain(s, x);
    ss_constrained_apply(&s->plain, NULL, x, s->nu_closed);
    move(s, zero, x);
    return SS_OK;
}

static ss_status solve_velocities(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->velocity;
    const double *u = ss_state_u(s->E);
    int n = s->n;
    double *x = s->x, *y = s->impulse;
    size_t bytes = (size_t)n * sizeof *x;
    memcpy(x, u, bytes);
    ss_axpy(n, 1, s->du, x);
    aim(s, 1, s->zeta_closed, x);
    memset(x, 0, bytes);
    memset(y, 0, bytes);
    ss_constrained_apply(&s->plain, s->target, x, s->P_closed);
    if (s->n_closed > 0)
        move(s, x, y);
    if (rows->inclusion.n_blocks == 0)
        return SS_OK;
    respond(s, rows, false);
    memcpy(x, u, bytes);
    ss_axpy(n, 1, s->du, x);
    SS_TRY(solve(s, rows, x, s->P));
    memset(x, 0, bytes);
    apply_impulse(s, rows, false, 1, x);
    solve_plain(s, x);
    ss_constrained_apply(&s->plain, NULL, x, s->P_closed);
    apply_impulse(s, rows, true, s->dt / 2, y);
    solve_plain(s, y);
    ss_constrained_apply(&s->plain, NULL, y, s->nu_closed);
    move(s, x, y);
    return SS_OK;
}

ss_status ss_alpha_move(ss_alpha *s)
{
    restate_all(s);
    SS_TRY(solve_smooth(s));
    SS_TRY(solve_positions(s));
    return solve_velocities(s);
}
