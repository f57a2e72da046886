/* sleep_part.c: solves the part of a step's inclusion whose islands are awake. */
#include "assembly/after/sleep.h"

#include <string.h>

static int larger(int need, int capacity)
{
    return need > capacity ? need + need / 2 : capacity;
}

ss_status ss_sleep_reserve_part(const ss_work *work, ss_part *part)
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
    part->capacity_blocks = blocks;
    part->capacity_rows = rows;
    part->capacity_factors = factors;
    return SS_OK;
}

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

/* Free velocities of the whole. What is not solved moves as was found, and what sleeps not at all. */
static void copy_free(const ss_work *work, ss_sleep *sleep)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    double *u_free = sleep->part.u_free;
    memcpy(u_free, whole->u_free, (size_t)whole->n_u * sizeof *u_free);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        if (ss_system_can_rest(system) && !ss_sleep_island(work, sleep, system)->awake)
            memcpy(u_free + system->u_offset, sleep->u_E + system->u_offset,
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
    ss_sleep *sleep = user;
    ss_inclusion *whole = &sleep->work->inclusion;
    (void)u_free, (void)b;
    SS_TRY(whole->refresh(whole->refresh_user, u, whole->u_free, whole->b));
    copy_free(sleep->work, sleep);
    copy_b(whole, &sleep->part);
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
        const ss_island *island = ss_sleep_block_island(work, sleep, i);
        part->place[i] = !island || island->awake ? part->inclusion.n_blocks++ : -1;
    }
    for (int i = 0; i < whole->n_blocks; i++)
        if (part->place[i] >= 0)
            add_block(work, part, i);
    copy_free(work, sleep);
    copy_b(whole, part);
}

/* Solves the part; its impulses and velocities go where they belong. */
ss_status ss_sleep_solve_part(ss_work *work, void *user, double *u, ss_solve_report *report)
{
    const ss_inclusion *whole = &work->inclusion;
    const ss_model *model = work->model;
    ss_sleep *sleep = user;
    ss_part *part = &sleep->part;
    int worst = -1;
    make_part(work, sleep);
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
        if (!ss_system_can_rest(system) || ss_sleep_island(work, sleep, system)->awake)
            memcpy(u + system->u_offset, part->u + system->u_offset,
                   (size_t)system->nu * sizeof *u);
    }
    return SS_OK;
}
