/* sleep.c: finds islands that rest, solves the part of the rows that is left, and lets others come to rest. */
#include "assembly/sources/contacts.h"

#include "base/union_find.h"
#include "la/small.h"
#include "rows/residual.h"
#include "solver/kernels/sweep.h"

#include <math.h>
#include <string.h>

/* What may be called exact, in parts of the reference. Solvers come near to zero velocities without ever reaching them:
 * every PATIENCE steps islands that seem to rest, with NEAR times the error of the solution at most, are solved so well. */
static const double exact = 1e-9;
enum { PATIENCE = 16, NEAR = 16 };

static bool rests(const ss_island *island)
{
    return island->error <= exact * island->reference;
}

static bool seems_to_rest(const ss_island *island, const ss_solve_report *report)
{
    return !rests(island) && island->error <= NEAR * report->residual.absolute;
}

/* ---- Memory ---- */

ss_status ss_sleep_create(ss_work *work, ss_sleep **sleep)
{
    size_t n = (size_t)work->model->n_u;
    ss_sleep *made;
    bool wanted = false;
    for (int e = 0; e < work->model->n_elements.count; e++) {
        const ss_contact_rule *rule = ss_element_rule(&work->model->elements[e]);
        wanted = wanted || (rule && rule->sleep);
    }
    *sleep = NULL;
    if (!wanted)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &made));
    ss_arena_init(&made->part.arena, work->model->context);
    made->work = work;
    *sleep = made;
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->islands));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->u));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->u_left));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->part.u_free));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->part.u));
    return ss_solver_create(work->model->context, "auto", NULL, NULL, &made->exact);
}

void ss_sleep_destroy(ss_sleep *sleep)
{
    if (!sleep)
        return;
    ss_arena_release(&sleep->part.arena);
    ss_release(sleep->work->model->context, sleep->r);
    ss_solver_destroy(sleep->exact);
}

/* ---- Islands ---- */

/* The island of a system; NULL: it cannot rest. */
static ss_island *island_of(const ss_work *work, const ss_sleep *sleep, int s)
{
    const ss_system *system = &work->model->systems[s];
    return system->nu > 0 && !system->prescribed
               ? &sleep->islands[ss_union_root(work->group, system->u_offset)]
               : NULL;
}

/* NULL: the block moves nothing. */
static ss_island *block_island(const ss_work *work, const ss_sleep *sleep, int block)
{
    int group = ss_work_block_group(work, block);
    return group < 0 ? NULL : &sleep->islands[group];
}

/* The island of a ROUND or BODY contact. */
static ss_island *contact_island(const ss_work *work, const ss_sleep *sleep, int i)
{
    const ss_contact *contact = &work->contacts->found[i];
    int shape = work->contacts->store.contacts[i].a != 0 ? contact->a : contact->b;
    int system = work->model->shapes[shape].system;
    return &sleep->islands[ss_union_root(work->group, work->model->systems[system].u_offset)];
}

static void clear_velocity(const ss_system *system, double *u)
{
    memset(u + system->u_offset, 0, (size_t)system->nu * sizeof *u);
}

/* ---- How far zero velocity is from a solution ---- */

/* Islands with blocks that move nothing, but scale others, never rest. */
static void measure_block(const ss_work *work, ss_sleep *sleep, int i)
{
    const ss_inclusion *whole = &work->inclusion;
    int from = whole->blocks[i].scale_from;
    ss_island *island = block_island(work, sleep, i);
    ss_island *scaling = from < 0 ? island : block_island(work, sleep, from);
    double error, size;
    ss_inclusion_block_residual(whole, work->P, sleep->u, i, sleep->r[i], &error, &size);
    if (island) {
        island->error = ss_max_nan(island->error, scaling ? error : INFINITY);
        island->reference = fmax(island->reference, size);
    } else if (scaling) {
        scaling->error = INFINITY;
    }
}

/* A vector's part along n, and the vector across it. */
static double split(const double x[3], const double n[3], double across[3])
{
    double along = ss_dot(3, x, n);
    for (int k = 0; k < 3; k++)
        across[k] = x[k] - along * n[k];
    return along;
}

/* The laws of a ROUND or BODY contact at zero velocity, where γ is the bias. */
static void measure_contact(const ss_work *work, ss_sleep *sleep, int i)
{
    const ss_rows *rows = &work->contacts->store;
    const ss_row_contact *t = &rows->contacts[i];
    ss_island *island = contact_island(work, sleep, i);
    double G_N, G_T, P_T[3], gamma_T[3], free[3], free_T[3], x[3], error_T[3];
    double P_N = split(t->P, t->n, P_T), gamma_N = split(t->bias, t->n, gamma_T);
    ss_rows_contact_G(rows, i, &G_N, &G_T);
    ss_rows_relative(rows, rows->free, i, free);
    for (int k = 0; k < 3; k++) {
        free[k] += t->bias[k];
        x[k] = P_T[k] - gamma_T[k] / G_T;
    }
    double free_N = split(free, t->n, free_T), bound = t->mu * fmax(P_N, 0), size = ss_norm(3, x);
    for (int k = 0; k < 3; k++)
        error_T[k] = x[k] * (size > bound ? bound / size : 1) - P_T[k];
    double error_N = fmax(P_N - gamma_N / G_N, 0) - P_N;
    island->error = ss_max_nan(island->error, sqrt(G_N) * fabs(error_N));
    island->error = ss_max_nan(island->error, sqrt(G_T) * ss_norm(3, error_T));
    island->reference =
        fmax(island->reference, fmax(sqrt(G_N) * fabs(P_N), sqrt(G_T) * ss_norm(3, P_T)));
    island->reference =
        fmax(island->reference, fmax(fabs(free_N) / sqrt(G_N), ss_norm(3, free_T) / sqrt(G_T)));
}

/* u_free + M⁻¹WP of all rows, for systems that can rest. */
static void find_left(ss_work *work, ss_sleep *sleep)
{
    const ss_model *model = work->model;
    ss_inclusion_free_motion(&work->inclusion, work->P, sleep->u_left);
    if (!work->contacts->forms)
        return;
    double *impulse = sleep->part.u;
    memset(impulse, 0, (size_t)model->n_u * sizeof *impulse);
    ss_work_contacts_impulse(work, impulse);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        if (!island_of(work, sleep, s))
            continue;
        ss_work_solve_system(work, s, impulse + system->u_offset);
        for (int k = system->u_offset; k < system->u_offset + system->nu; k++)
            sleep->u_left[k] += impulse[k];
    }
}

/* Of every island: the velocities that the impulses leave, and the residuals of its rows. */
static void measure(ss_work *work, ss_sleep *sleep)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    find_left(work, sleep);
    memcpy(sleep->u, whole->u_free, (size_t)whole->n_u * sizeof *sleep->u);
    for (int i = 0; i < whole->n_u; i++)
        sleep->islands[i].error = sleep->islands[i].reference = 0;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        ss_island *island = island_of(work, sleep, s);
        if (!island)
            continue;
        double T = ss_work_kinetic(work, s, sleep->u_left + system->u_offset);
        island->error = ss_max_nan(island->error, sqrt(2 * T));
        clear_velocity(system, sleep->u);
    }
    for (int i = 0; i < whole->n_blocks; i++)
        measure_block(work, sleep, i);
    for (int i = 0; work->contacts->forms && i < work->contacts->n; i++)
        if (work->contacts->store.contacts[i].form != SS_ROW_GENERAL)
            measure_contact(work, sleep, i);
}

/* ---- Waking ---- */

/* Islands that do not rest do not sleep; false: all of them are awake already. */
static bool wake(const ss_work *work, ss_sleep *sleep)
{
    bool any = false;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        ss_island *island = island_of(work, sleep, s);
        if (!island || island->awake || rests(island))
            continue;
        island->awake = any = true;
    }
    return any;
}

static ss_status begin(ss_work *work, ss_sleep *sleep, const double *u_B)
{
    int n = work->inclusion.n_blocks;
    if (n > sleep->capacity_r) {
        SS_TRY(SS_RESIZE(work->model->context, n + n / 2, &sleep->r));
        sleep->capacity_r = n + n / 2;
    }
    ss_inclusion_natural_r(&work->inclusion, sleep->r);
    ss_work_join_systems(work);
    for (int i = 0; i < n; i++) { /* what scales another's set is of the same island */
        int from = work->inclusion.blocks[i].scale_from;
        int a = ss_work_block_group(work, i), b = from < 0 ? a : ss_work_block_group(work, from);
        if (a >= 0 && b >= 0)
            ss_union_join(work->group, a, b);
    }
    for (int i = 0; i < work->model->n_u; i++)
        sleep->islands[i].awake = false;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        ss_island *island = island_of(work, sleep, s);
        for (int k = 0; island && k < system->nu; k++) /* what has velocity does not sleep */
            island->awake = island->awake || u_B[system->u_offset + k] != 0;
    }
    measure(work, sleep);
    return SS_OK;
}

/* ---- The part of GENERAL blocks whose islands are awake ---- */

static int larger(int need, int capacity)
{
    return need > capacity ? need + need / 2 : capacity;
}

static ss_status reserve_part(const ss_work *work, ss_part *part)
{
    const ss_inclusion *whole = &work->inclusion;
    int blocks = larger(whole->n_blocks, part->capacity_blocks);
    int rows = larger(whole->n_rows, part->capacity_rows);
    int factors = larger(whole->factor_start[whole->n_blocks], part->capacity_factors);
    if (blocks == part->capacity_blocks && rows == part->capacity_rows &&
        factors == part->capacity_factors)
        return SS_OK;
    part->capacity_blocks = part->capacity_rows = part->capacity_factors = 0;
    ss_arena_release(&part->arena);
    ss_arena_init(&part->arena, work->model->context);
    SS_TRY(SS_ARENA_NEW(&part->arena, blocks, &part->blocks));
    SS_TRY(SS_ARENA_NEW(&part->arena, blocks + 1, &part->factor_start));
    SS_TRY(SS_ARENA_NEW(&part->arena, factors, &part->factors));
    SS_TRY(SS_ARENA_NEW(&part->arena, rows, &part->b));
    SS_TRY(SS_ARENA_NEW(&part->arena, rows, &part->P));
    SS_TRY(SS_ARENA_NEW(&part->arena, blocks, &part->index));
    part->capacity_blocks = blocks;
    part->capacity_rows = rows;
    part->capacity_factors = factors;
    return SS_OK;
}

/* b and free velocities of the whole. What is not solved moves as was found, and what sleeps not at all. */
static void copy_free(const ss_work *work, ss_sleep *sleep)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    ss_part *part = &sleep->part;
    double *u_free = part->u_free;
    memcpy(u_free, whole->u_free, (size_t)whole->n_u * sizeof *u_free);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        const ss_island *island = island_of(work, sleep, s);
        if (island && !island->awake)
            memcpy(u_free + system->u_offset, sleep->u_E + system->u_offset,
                   (size_t)system->nu * sizeof *u_free);
    }
    for (int i = 0; i < whole->n_blocks; i++)
        if (part->index[i] >= 0)
            memcpy(part->b + part->blocks[part->index[i]].offset,
                   whole->b + whole->blocks[i].offset,
                   (size_t)whole->blocks[i].dim * sizeof *part->b);
}

/* As the whole is refreshed. */
static ss_status refresh(void *user, const double *u, double *u_free, double *b)
{
    ss_sleep *sleep = user;
    ss_inclusion *whole = &sleep->work->inclusion;
    (void)u_free, (void)b;
    SS_TRY(whole->refresh(whole->refresh_user, u, whole->u_free, whole->b));
    copy_free(sleep->work, sleep);
    return SS_OK;
}

/* The blocks of the islands that are awake, and those that move nothing. */
static void make_part(const ss_work *work, ss_sleep *sleep)
{
    const ss_inclusion *whole = &work->inclusion;
    ss_part *part = &sleep->part;
    part->inclusion = (ss_inclusion){
        .blocks = part->blocks,
        .n_u = whole->n_u,
        .factor_start = part->factor_start,
        .factors = part->factors,
        .u_free = part->u_free,
        .b = part->b,
        .refresh = whole->refresh ? refresh : NULL,
        .refresh_user = sleep,
    };
    part->factor_start[0] = 0;
    for (int i = 0; i < whole->n_blocks; i++) {
        const ss_island *island = block_island(work, sleep, i);
        part->index[i] = !island || island->awake ? part->inclusion.n_blocks++ : -1;
    }
    for (int i = 0; i < whole->n_blocks; i++) {
        const ss_block *block = &whole->blocks[i];
        int n = part->index[i], first = whole->factor_start[i], row = part->inclusion.n_rows;
        int factors = whole->factor_start[i + 1] - first;
        if (n < 0)
            continue;
        part->blocks[n] = *block;
        part->blocks[n].offset = row;
        if (block->scale_from >= 0)
            part->blocks[n].scale_from = part->index[block->scale_from];
        memcpy(part->factors + part->factor_start[n], whole->factors + first,
               (size_t)factors * sizeof *part->factors);
        part->factor_start[n + 1] = part->factor_start[n] + factors;
        memcpy(part->P + row, work->P + block->offset, (size_t)block->dim * sizeof *part->P);
        part->inclusion.n_rows += block->dim;
    }
    copy_free(work, sleep);
}

/* Solves the part; its impulses and velocities go where they belong. */
static ss_status solve_part(ss_work *work, void *user, double *u, ss_solve_report *report)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    ss_sleep *sleep = user;
    ss_part *part = &sleep->part;
    int worst = -1;
    make_part(work, sleep);
    SS_TRY(ss_solver_solve(part->solver, &part->inclusion, part->P, part->u, report));
    for (int i = 0; i < whole->n_blocks; i++) {
        int n = part->index[i];
        if (n < 0)
            continue;
        memcpy(work->P + whole->blocks[i].offset, part->P + part->blocks[n].offset,
               (size_t)part->blocks[n].dim * sizeof *work->P);
        worst = n == report->residual.worst_block ? i : worst;
    }
    report->residual.worst_block = worst;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        const ss_island *island = island_of(work, sleep, s);
        if (!island || island->awake)
            memcpy(u + system->u_offset, part->u + system->u_offset,
                   (size_t)system->nu * sizeof *u);
    }
    return SS_OK;
}

/* Islands may wake from what the others do, where forces follow the velocities within the solution. */
static ss_status solve_awake(ss_work *work, ss_sleep *sleep, double *u, ss_solve_report *report)
{
    int iterations = 0;
    sleep->part.solver = work->solver;
    wake(work, sleep);
    do {
        SS_TRY(ss_work_solve_loaded(work, solve_part, sleep, u, report));
        iterations += report->iterations;
        measure(work, sleep);
    } while (wake(work, sleep));
    report->iterations = iterations;
    return SS_OK;
}

/* Islands that seem to rest, alone, and exactly. */
static ss_status solve_slow(ss_work *work, ss_sleep *sleep, double *u, ss_solve_report *report)
{
    ss_solve_report again;
    bool any = false;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        ss_island *island = island_of(work, sleep, s);
        if (island)
            island->awake = seems_to_rest(island, report);
        any = any || (island && island->awake);
    }
    if (!any)
        return SS_OK;
    sleep->part.solver = sleep->exact;
    SS_TRY(ss_work_solve_loaded(work, solve_part, sleep, u, &again));
    report->iterations += again.iterations;
    measure(work, sleep);
    return SS_OK;
}

ss_status ss_sleep_solve(ss_work *work, ss_sleep *sleep, const ss_state *B, double *u_E,
                         ss_solve_report *report)
{
    SS_TRY(reserve_part(work, &sleep->part));
    SS_TRY(begin(work, sleep, ss_state_u(B)));
    memset(u_E, 0, (size_t)work->model->n_u * sizeof *u_E);
    sleep->u_E = u_E;
    SS_TRY(solve_awake(work, sleep, u_E, report));
    if (ss_state_statistics(B)->steps % PATIENCE == 0)
        SS_TRY(solve_slow(work, sleep, u_E, report));
    for (int s = 0; s < work->model->n_systems.count; s++) { /* what rests: exactly zero */
        const ss_island *island = island_of(work, sleep, s);
        if (island && rests(island))
            clear_velocity(&work->model->systems[s], u_E);
    }
    return SS_OK;
}

/* ---- Rows of several forms ---- */

/* Velocities of systems that are not awake become zero in `bodies`. */
static void stop_bodies(const ss_work *work, ss_sleep *sleep, bool resting, ss_row_body *bodies)
{
    const struct ss_work_contacts *c = work->contacts;
    double *rest = bodies[0].v + ss_rows_rest_offset(&c->store);
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_island *island = island_of(work, sleep, s);
        ss_row_body *body = &bodies[c->store.number[c->system_body[s]]];
        if (!island || (resting ? !rests(island) : island->awake))
            continue;
        if (c->system_body[s] == 0)
            clear_velocity(&work->model->systems[s], rest);
        else
            memset(body->v, 0, sizeof body->v), memset(body->w, 0, sizeof body->w);
    }
}

ss_status ss_sleep_mark(ss_work *work, ss_sleep *sleep, const ss_state *B)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = ss_state_contacts(B);
    int n = ss_state_contact_count(B), from = 0;
    SS_TRY(begin(work, sleep, ss_state_u(B)));
    wake(work, sleep);
    for (int i = 0; i < c->n; i++) {
        ss_row_contact *t = &c->store.contacts[i];
        if (t->form == SS_ROW_GENERAL)
            continue;
        t->asleep = !contact_island(work, sleep, i)->awake;
        if (!t->asleep)
            continue;
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        double across[3]; /* modes stay; new contacts carry nothing */
        bool closed = old ? old->closed : split(t->bias, t->n, across) <= 0;
        t->normal = closed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        t->slip = old && old->slips ? SS_MODE_IMPRESSED : SS_MODE_CONSTRAINT;
    }
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        const ss_island *island = block_island(work, sleep, i);
        c->store.general.asleep[i] = island && !island->awake;
    }
    stop_bodies(work, sleep, false, c->store.free);
    return SS_OK;
}

/* The least reference of the islands that seem to rest; INFINITY: there are none. */
static double least_slow(const ss_work *work, ss_sleep *sleep, const ss_solve_report *report)
{
    double least = INFINITY;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_island *island = island_of(work, sleep, s);
        if (island && seems_to_rest(island, report))
            least = fmin(least, island->reference);
    }
    return least;
}

/* Solves again, so well that the islands that seem to rest are exact. What counts is the residual without their small
 * velocities: a solution is aimed at that is better by AIM; sweeps reach LEAST. */
static ss_status sweep_slow(ss_work *work, ss_sleep *sleep, ss_solve_report *report)
{
    const double AIM = 0.1, LEAST = 1e-13;
    struct ss_work_contacts *c = work->contacts;
    ss_solve_report once = *report;
    double part = fmin(least_slow(work, sleep, report) / report->residual.reference, 1);
    double tolerance = fmax(AIM * part * exact, LEAST);
    if (report->residual.value <= tolerance)
        return SS_OK;
    c->store.tolerance = tolerance;
    ss_status status = ss_solver_sweep_rows(work->solver, &c->store, report);
    c->store.tolerance = 0;
    report->iterations += once.iterations;
    if (report->residual.value <= once.residual.value)
        report->outcome = once.outcome;
    SS_TRY(status);
    ss_work_contacts_fetch(work, report);
    measure(work, sleep);
    return SS_OK;
}

ss_status ss_sleep_settle(ss_work *work, ss_sleep *sleep, const ss_state *B,
                          ss_solve_report *report)
{
    ss_work_contacts_fetch(work, report);
    measure(work, sleep);
    if (ss_state_statistics(B)->steps % PATIENCE == 0 && isfinite(least_slow(work, sleep, report)))
        SS_TRY(sweep_slow(work, sleep, report));
    stop_bodies(work, sleep, true, work->contacts->store.bodies);
    return SS_OK;
}
