/* sleep.c: bodies of any kind, with any laws, that rest are left out of the solution.
 *
 * Systems that blocks of the inclusion join form a island. A island without velocity sleeps when its impulses of
 * the step before, with zero velocity again, solve its part of this step's inclusion: then they are taken as they
 * are, and nothing moves. Nothing is remembered but the state, so a run that goes on from a saved state sleeps as the
 * one that saved it.
 *
 * After each solve, where zero solves the inclusion as well, it takes the place of what was found.
 */
#include "assembly/after/sleep.h"

#include "base/union_find.h"
#include "la/small.h"
#include "rows/residual.h"

#include <math.h>
#include <string.h>

/* ---- Room ---- */

ss_status ss_rest_create(ss_work *work, ss_rest **rest)
{
    size_t n = (size_t)work->model->n_u;
    ss_rest *made;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &made));
    ss_arena_init(&made->part.arena, work->model->context);
    made->work = work;
    *rest = made;
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->islands));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->u));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->u_left));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->part.u_free));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &made->part.u));
    return ss_solver_create(work->model->context, "auto", NULL, NULL, &made->exact);
}

void ss_rest_destroy(ss_rest *rest)
{
    ss_arena_release(&rest->part.arena);
    ss_solver_destroy(rest->exact);
}

static int larger(int need, int capacity)
{
    return need > capacity ? need + need / 2 : capacity;
}

static ss_status reserve(const ss_work *work, ss_part *part)
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
    SS_TRY(SS_ARENA_NEW(&part->arena, blocks, &part->place));
    SS_TRY(SS_ARENA_NEW(&part->arena, blocks, &part->r));
    part->capacity_blocks = blocks;
    part->capacity_rows = rows;
    part->capacity_factors = factors;
    return SS_OK;
}

/* ---- Heaps ---- */

static bool can_rest(const ss_system *system)
{
    return system->nu > 0 && !system->prescribed;
}

static ss_island *island_of(const ss_work *work, ss_rest *rest, const ss_system *system)
{
    return &rest->islands[ss_union_root(work->group, system->u_offset)];
}

/* NULL: it moves nothing. */
static ss_island *island_of_block(const ss_work *work, ss_rest *rest, int block)
{
    int group = ss_work_block_group(work, block);
    return group < 0 ? NULL : &rest->islands[group];
}

/* What scales another's set is of the same island. */
static void join_islands(ss_work *work)
{
    const ss_inclusion *whole = &work->inclusion;
    ss_work_join_systems(work);
    for (int i = 0; i < whole->n_blocks; i++) {
        int from = whole->blocks[i].scale_from;
        int a = ss_work_block_group(work, i), b = from < 0 ? a : ss_work_block_group(work, from);
        if (a >= 0 && b >= 0)
            ss_union_join(work->group, a, b);
    }
}

static void clear_velocity(const ss_system *system, double *u)
{
    memset(u + system->u_offset, 0, (size_t)system->nu * sizeof *u);
}

/* What a block adds to the error of its island. Heaps with blocks that move nothing, but scale others, never rest. */
static void measure_block(const ss_work *work, ss_rest *rest, int i)
{
    const ss_inclusion *whole = &work->inclusion;
    int from = whole->blocks[i].scale_from;
    ss_island *island = island_of_block(work, rest, i);
    ss_island *scaling = from < 0 ? island : island_of_block(work, rest, from);
    double error, size;
    ss_inclusion_block_residual(whole, work->P, rest->u, i, rest->part.r[i], &error, &size);
    if (island) {
        island->error = ss_max_nan(island->error, scaling ? error : INFINITY);
        island->reference = fmax(island->reference, size);
    } else if (scaling) {
        scaling->error = INFINITY;
    }
}

/* How far zero velocity with the work's impulses is from a solution, for every island: the velocities that the
 * impulses leave, and the residuals of the blocks. */
static void measure(ss_work *work, ss_rest *rest)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    ss_inclusion_free_motion(whole, work->P, rest->u_left);
    memcpy(rest->u, whole->u_free, (size_t)whole->n_u * sizeof *rest->u);
    for (int i = 0; i < whole->n_u; i++)
        rest->islands[i].error = rest->islands[i].reference = 0;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        if (!can_rest(system))
            continue;
        ss_island *island = island_of(work, rest, system);
        double T = ss_work_kinetic(work, s, rest->u_left + system->u_offset);
        island->error = ss_max_nan(island->error, sqrt(2 * T));
        clear_velocity(system, rest->u);
    }
    for (int i = 0; i < whole->n_blocks; i++)
        measure_block(work, rest, i);
}

/* Those that have velocity do not sleep. */
static void wake_moving(const ss_work *work, ss_rest *rest, const double *u_B)
{
    const ss_model *model = work->model;
    for (int i = 0; i < model->n_u; i++)
        rest->islands[i].awake = false;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        for (int k = 0; can_rest(system) && k < system->nu; k++)
            if (u_B[system->u_offset + k] != 0)
                island_of(work, rest, system)->awake = true;
    }
}

/* Nor do those that do not rest; false: all of them are awake already. */
static bool wake(const ss_work *work, ss_rest *rest)
{
    const ss_model *model = work->model;
    bool any = false;
    for (int s = 0; s < model->n_systems.count; s++) {
        if (!can_rest(&model->systems[s]))
            continue;
        ss_island *island = island_of(work, rest, &model->systems[s]);
        bool wakes = !island->awake && !ss_island_rests(island);
        island->awake = island->awake || wakes;
        any = any || wakes;
    }
    return any;
}

/* ---- A part of the inclusion ---- */

static void add_block(const ss_work *work, ss_part *part, int i)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_block *block = &whole->blocks[i];
    int n = part->place[i], first = whole->factor_start[i];
    int factors = whole->factor_start[i + 1] - first, row = part->inclusion.n_rows;
    part->blocks[n] = *block;
    part->blocks[n].offset = row;
    if (block->scale_from >= 0)
        part->blocks[n].scale_from = part->place[block->scale_from];
    memcpy(part->factors + part->factor_start[n], whole->factors + first,
           (size_t)factors * sizeof *part->factors);
    part->factor_start[n + 1] = part->factor_start[n] + factors;
    memcpy(part->P + row, work->P + block->offset, (size_t)block->dim * sizeof *part->P);
    part->inclusion.n_rows += block->dim;
}

/* Free velocities of the whole. What is not solved moves as was found, and who sleeps not at all. */
static void copy_free(const ss_work *work, ss_rest *rest)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    double *u_free = rest->part.u_free;
    memcpy(u_free, whole->u_free, (size_t)whole->n_u * sizeof *u_free);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        if (can_rest(system) && !island_of(work, rest, system)->awake)
            memcpy(u_free + system->u_offset, rest->u_E + system->u_offset,
                   (size_t)system->nu * sizeof *u_free);
    }
}

static void copy_b(const ss_inclusion *whole, ss_part *part)
{
    for (int i = 0; i < whole->n_blocks; i++)
        if (part->place[i] >= 0)
            memcpy(part->b + part->blocks[part->place[i]].offset,
                   whole->b + whole->blocks[i].offset,
                   (size_t)whole->blocks[i].dim * sizeof *part->b);
}

/* As the whole is refreshed. */
static ss_status refresh(void *user, const double *u, double *u_free, double *b)
{
    ss_rest *rest = user;
    ss_inclusion *whole = &rest->work->inclusion;
    (void)u_free, (void)b;
    SS_TRY(whole->refresh(whole->refresh_user, u, whole->u_free, whole->b));
    copy_free(rest->work, rest);
    copy_b(whole, &rest->part);
    return SS_OK;
}

/* The blocks of the islands that are awake, and those that move nothing. */
static void make_part(const ss_work *work, ss_rest *rest)
{
    const ss_inclusion *whole = &work->inclusion;
    ss_part *part = &rest->part;
    part->inclusion = (ss_inclusion){
        .blocks = part->blocks,
        .n_u = whole->n_u,
        .factor_start = part->factor_start,
        .factors = part->factors,
        .u_free = part->u_free,
        .b = part->b,
        .refresh = whole->refresh ? refresh : NULL,
        .refresh_user = rest,
    };
    part->factor_start[0] = 0;
    for (int i = 0; i < whole->n_blocks; i++) {
        const ss_island *island = island_of_block(work, rest, i);
        part->place[i] = !island || island->awake ? part->inclusion.n_blocks++ : -1;
    }
    for (int i = 0; i < whole->n_blocks; i++)
        if (part->place[i] >= 0)
            add_block(work, part, i);
    copy_free(work, rest);
    copy_b(whole, part);
}

/* Solves the part; its impulses and velocities go where they belong. */
static ss_status solve_part(ss_work *work, void *user, double *u, ss_solve_report *report)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    ss_rest *rest = user;
    ss_part *part = &rest->part;
    int worst = -1;
    make_part(work, rest);
    SS_TRY(ss_solver_solve(part->solver, &part->inclusion, part->P, part->u, report));
    for (int i = 0; i < whole->n_blocks; i++) {
        int n = part->place[i];
        if (n < 0)
            continue;
        memcpy(work->P + whole->blocks[i].offset, part->P + part->blocks[n].offset,
               (size_t)part->blocks[n].dim * sizeof *work->P);
        worst = n == report->residual.worst_block ? i : worst;
    }
    report->residual.worst_block = worst;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        if (!can_rest(system) || island_of(work, rest, system)->awake)
            memcpy(u + system->u_offset, part->u + system->u_offset,
                   (size_t)system->nu * sizeof *u);
    }
    return SS_OK;
}

/* Who sleeps may wake from what the others do, where forces follow the velocities within the solution. */
static ss_status solve_awake(ss_work *work, ss_rest *rest, double *u, ss_solve_report *report)
{
    int iterations = 0;
    rest->part.solver = work->solver;
    wake(work, rest);
    do {
        SS_TRY(ss_work_solve_loaded(work, solve_part, rest, u, report));
        iterations += report->iterations;
        measure(work, rest);
    } while (wake(work, rest));
    report->iterations = iterations;
    return SS_OK;
}

/* ---- Falling asleep ---- */

/* Only islands that seem to rest are awake; false: there are none. */
static bool take_slow(const ss_work *work, ss_rest *rest, const ss_solve_report *report)
{
    const ss_model *model = work->model;
    bool any = false;
    for (int s = 0; s < model->n_systems.count; s++) {
        if (!can_rest(&model->systems[s]))
            continue;
        ss_island *island = island_of(work, rest, &model->systems[s]);
        island->awake = ss_island_seems_to_rest(island, report);
        any = any || island->awake;
    }
    return any;
}

static ss_status solve_slow(ss_work *work, ss_rest *rest, double *u, ss_solve_report *report)
{
    ss_solve_report again;
    if (!take_slow(work, rest, report))
        return SS_OK;
    rest->part.solver = rest->exact;
    SS_TRY(ss_work_solve_loaded(work, solve_part, rest, u, &again));
    report->iterations += again.iterations;
    measure(work, rest);
    return SS_OK;
}

/* Heaps that rest get velocities of exactly zero. */
static void settle(const ss_work *work, ss_rest *rest, double *u)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++)
        if (can_rest(&model->systems[s]) &&
            ss_island_rests(island_of(work, rest, &model->systems[s])))
            clear_velocity(&model->systems[s], u);
}

ss_status ss_rest_solve(ss_work *work, ss_rest *rest, const ss_state *B, double *u_E,
                        ss_solve_report *report)
{
    SS_TRY(reserve(work, &rest->part));
    ss_inclusion_natural_r(&work->inclusion, rest->part.r);
    join_islands(work);
    wake_moving(work, rest, ss_state_u(B));
    measure(work, rest);
    memset(u_E, 0, (size_t)work->model->n_u * sizeof *u_E);
    rest->u_E = u_E;
    SS_TRY(solve_awake(work, rest, u_E, report));
    if (ss_state_statistics(B)->steps % SS_REST_PATIENCE == 0)
        SS_TRY(solve_slow(work, rest, u_E, report));
    settle(work, rest, u_E);
    return SS_OK;
}
