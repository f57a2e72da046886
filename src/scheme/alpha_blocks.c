/* alpha_blocks.c: the three sub-problems of a generalized-α step: smooth motion, positions and
 * velocities. Each moves a_E, U and J, and says what that does to q_E and u_E; constraints that never
 * open hold in every move. */
#include "la/small.h"
#include "scheme/alpha.h"
#include "scheme/general.h"

#include <string.h>

/* x = M⁻¹ x */
static void solve_plain(const ss_alpha *s, double *x)
{
    for (int k = 0; k < s->size.n_systems; k++)
        ss_work_solve_system(s->work, k, x + s->work->model->systems[k].u_offset);
}

static void add(int n, double factor, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += factor * x[i];
}

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
            add(s->n, factor * rows->P[k], rows->W + k * s->n, f);
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

/* Changes of U or J that new directions mean: d = M⁻¹ f - x, then x = M⁻¹ f. */
static void replace(const ss_alpha *s, double *f, double *x, double *d)
{
    solve_plain(s, f);
    for (int i = 0; i < s->n; i++) {
        d[i] = f[i] - x[i];
        x[i] = f[i];
    }
}

void ss_alpha_restate(ss_alpha *s)
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
    add(n, s->dt / 2, s->impulse, f);
    for (int i = 0; i < s->n_closed; i++)
        add(n, s->nu_closed[i], s->W_closed + i * n, f);
    replace(s, f, s->U, s->dq);
    memset(f, 0, (size_t)n * sizeof *f);
    apply_impulse(s, &s->velocity, false, 1, f);
    add(n, 1, s->impulse, f);
    for (int i = 0; i < s->n_closed; i++)
        add(n, s->P_closed[i], s->W_closed + i * n, f);
    replace(s, f, s->J, s->du);
}

/* a, ṽ, dq and du after a move z of the smooth motion. */
static void move_smooth(ss_alpha *s, const double *z)
{
    add(s->n, 1 / s->kappa, z, s->a);
    add(s->n, s->c, z, s->v);
    add(s->n, s->b, z, s->dq);
    add(s->n, s->c, z, s->du);
}

/* z = M̂⁻¹ (K x + D y), constraints held; `multipliers` of the smooth motion, or NULL. */
static void answer(const ss_alpha *s, const double *x, const double *y, double *multipliers,
                   double *z)
{
    ss_work_stiffness_times(s->work, x, z);
    ss_work_damping_times(s->work, y, s->move);
    add(s->n, 1, s->move, z);
    ss_work_solve_mass(s->work, z);
    ss_constrained_apply(&s->modified, NULL, z, multipliers);
}

/* What the constraints that never open still ask for: target = -scale (given + Wᵀx). */
static void aim(ss_alpha *s, double scale, const double *given, const double *x)
{
    for (int i = 0; i < s->n_closed; i++)
        s->target[i] = -scale * (given[i] + ss_dot(s->n, s->W_closed + i * s->n, x));
}

ss_status ss_alpha_smooth(ss_alpha *s)
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
    ss_work_stiffness_times(s->work, s->dq, z);
    ss_work_damping_times(s->work, s->du, s->move);
    add(n, 1, s->move, z);
    ss_work_solve_mass(s->work, z);
    add(n, 1, x, z);
    memcpy(s->move, s->v, (size_t)n * sizeof *z);
    add(n, s->c, z, s->move);
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
        add(s->n, -rows->P[k], rows->R + k * s->n, inclusion->u_free);
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

/* U moves by x; the smooth motion answers. */
static void move_positions(ss_alpha *s, const double *x)
{
    memset(s->h, 0, (size_t)s->n * sizeof *s->h);
    answer(s, x, s->h, s->lambda, s->z);
    add(s->n, 1, x, s->U);
    add(s->n, 1, x, s->dq);
    move_smooth(s, s->z);
}

ss_status ss_alpha_positions(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->position;
    int n = s->n;
    double *x = s->x;
    size_t bytes = (size_t)n * sizeof *x;
    aim(s, 1, s->gap_held, s->dq);
    memset(x, 0, bytes);
    ss_constrained_apply(&s->plain, s->target, x, s->nu_closed);
    if (s->n_closed > 0)
        move_positions(s, x);
    if (rows->inclusion.n_blocks == 0)
        return SS_OK;
    memset(s->h, 0, bytes);
    for (int k = 0; k < rows->inclusion.n_rows; k++) {
        double *R = rows->R + k * n;
        memcpy(R, rows->W + k * n, bytes);
        solve_plain(s, R);
        ss_constrained_apply(&s->plain, NULL, R, NULL);
        answer(s, R, s->h, NULL, s->z);
        add(n, s->b, s->z, R);
    }
    SS_TRY(solve(s, rows, s->dq, s->nu));
    memset(x, 0, bytes);
    apply_impulse(s, rows, false, 1, x);
    solve_plain(s, x);
    ss_constrained_apply(&s->plain, NULL, x, s->nu_closed);
    move_positions(s, x);
    return SS_OK;
}

/* J moves by x, U by y; the smooth motion answers. */
static void move_velocities(ss_alpha *s, const double *x, const double *y)
{
    answer(s, y, x, s->lambda, s->z);
    add(s->n, 1, x, s->J);
    add(s->n, 1, x, s->du);
    add(s->n, 1, y, s->U);
    add(s->n, 1, y, s->dq);
    move_smooth(s, s->z);
}

/* Responses R = x + c z of the velocities. */
static void velocity_responses(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->velocity;
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
            if (half_step(s, rows, i))
                add(n, s->dt / 2, R, s->h);
            answer(s, s->h, R, NULL, s->z);
            add(n, s->c, s->z, R);
        }
    }
}

ss_status ss_alpha_velocities(ss_alpha *s)
{
    ss_alpha_rows *rows = &s->velocity;
    const double *u = ss_state_u(s->E);
    int n = s->n;
    double *x = s->x, *y = s->impulse;
    size_t bytes = (size_t)n * sizeof *x;
    memcpy(x, u, bytes);
    add(n, 1, s->du, x);
    aim(s, 1, s->zeta_closed, x);
    memset(x, 0, bytes);
    memset(y, 0, bytes);
    ss_constrained_apply(&s->plain, s->target, x, s->P_closed);
    if (s->n_closed > 0)
        move_velocities(s, x, y);
    if (rows->inclusion.n_blocks == 0)
        return SS_OK;
    velocity_responses(s);
    memcpy(x, u, bytes);
    add(n, 1, s->du, x);
    SS_TRY(solve(s, rows, x, s->P));
    memset(x, 0, bytes);
    apply_impulse(s, rows, false, 1, x);
    solve_plain(s, x);
    ss_constrained_apply(&s->plain, NULL, x, s->P_closed);
    apply_impulse(s, rows, true, s->dt / 2, y);
    solve_plain(s, y);
    ss_constrained_apply(&s->plain, NULL, y, s->nu_closed);
    move_velocities(s, x, y);
    return SS_OK;
}
