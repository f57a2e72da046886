/* work_islands.c: systems that forces couple, island by island. */
#include "base/joined.h"
#include "model/work.h"

/* Islands are numbered in the order of their first systems. */
static void couple(const ss_model *model, int *parent)
{
    for (int s = 0; s < model->n_systems.count; s++)
        parent[s] = s;
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_touched *touched = &model->forces[f].touched;
        for (int k = 1; k < touched->count && !model->forces[f].ops->constant; k++)
            ss_join(parent, touched->systems[0], touched->systems[k]);
    }
}

static ss_status allocate_island(ss_work *work, ss_island *island)
{
    int n = island->n;
    double **matrices[] = {&island->KF, &island->D, &island->A, &island->factors, &island->check};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        SS_TRY(SS_ARENA_NEW(&work->arena, n * n, matrices[i]));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &island->owner));
    SS_TRY(SS_ARENA_NEW(&work->arena, island->n_systems, &island->pieces));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &island->x));
    return SS_ARENA_NEW(&work->arena, n, &island->pivots);
}

/* The next system of an island: a piece of its own, or the end of the last one. */
static void add_system(const ss_work *work, int s, ss_island *island)
{
    const ss_system *system = &work->model->systems[s];
    ss_piece *last = island->n_pieces > 0 ? &island->pieces[island->n_pieces - 1] : NULL;
    for (int i = 0; i < system->nu; i++)
        island->owner[work->island_offset[s] + i] = island->n_systems;
    island->systems[island->n_systems++] = s;
    if (last && last->u_offset + last->nu == system->u_offset)
        last->nu += system->nu;
    else
        island->pieces[island->n_pieces++] =
            (ss_piece){system->u_offset, work->island_offset[s], system->nu};
}

static ss_status collect_islands(ss_work *work, int *parent)
{
    const ss_model *model = work->model;
    int count = model->n_systems.count;
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->islands));
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->island_of));
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->island_offset));
    for (int s = 0; s < count; s++) {
        int root = ss_joined(parent, s);
        work->island_of[s] = root == s ? work->n_islands++ : work->island_of[root];
        ss_island *island = &work->islands[work->island_of[s]];
        work->island_offset[s] = island->n;
        island->n += model->systems[s].nu;
        island->n_systems++;
    }
    for (int i = 0; i < work->n_islands; i++) {
        ss_island *island = &work->islands[i];
        SS_TRY(SS_ARENA_NEW(&work->arena, island->n_systems, &island->systems));
        SS_TRY(allocate_island(work, island));
        island->n_systems = 0;
    }
    for (int s = 0; s < count; s++)
        add_system(work, s, &work->islands[work->island_of[s]]);
    return SS_OK;
}

/* How far from each other the velocities of two systems are that act on each other. */
static void widen(ss_work *work, int k, int l)
{
    const ss_system *systems = work->model->systems;
    ss_island *island = &work->islands[work->island_of[k]];
    int first_k = work->island_offset[k], first_l = work->island_offset[l];
    int far = first_l > first_k ? first_l + systems[l].nu - 1 - first_k
                                : first_k + systems[k].nu - 1 - first_l;
    island->band = far > island->band ? far : island->band;
}

static void find_bands(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++)
        widen(work, s, s);
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_touched *touched = &model->forces[f].touched;
        for (int k = 0; k < touched->count && !model->forces[f].ops->constant; k++)
            for (int l = 0; l < k; l++)
                widen(work, touched->systems[k], touched->systems[l]);
    }
}

static bool touches_island(const ss_work *work, const ss_element *element, int island)
{
    for (int k = 0; k < element->touched.count; k++)
        if (work->island_of[element->touched.systems[k]] == island)
            return true;
    return false;
}

static ss_status add_span(ss_work *work, int rows, int island, const ss_piece *piece, ss_span *span)
{
    *span = (ss_span){.island = island, .piece = piece};
    SS_TRY(SS_ARENA_NEW(&work->arena, piece->nu * rows, &span->W));
    SS_TRY(SS_ARENA_NEW(&work->arena, piece->nu * rows, &span->MinvW));
    return SS_ARENA_NEW(&work->arena, rows, &span->solved);
}

/* What a push of an element moves through M̂⁻¹. */
static ss_status lay_out_span(ss_work *work, int e)
{
    const ss_element *element = &work->model->elements[e];
    ss_work_element *we = &work->elements[e];
    we->n_span = 0;
    for (int i = 0; i < work->n_islands; i++)
        if (touches_island(work, element, i))
            we->n_span += work->islands[i].n_pieces;
    SS_TRY(SS_ARENA_NEW(&work->arena, we->n_span, &we->span));
    we->n_span = 0;
    for (int i = 0; i < work->n_islands; i++)
        for (int p = 0; touches_island(work, element, i) && p < work->islands[i].n_pieces; p++)
            SS_TRY(add_span(work, element->rows, i, &work->islands[i].pieces[p],
                            &we->span[we->n_span++]));
    return SS_OK;
}

/* A push acts on the pieces of modified islands, and on the touched systems of others. */
static int most_factors(const ss_work *work, int e)
{
    return work->elements[e].n_span + work->model->elements[e].touched.count;
}

ss_status ss_work_lay_out_islands(ss_work *work)
{
    const ss_model *model = work->model;
    int *parent, n_factors = 0;
    if (work->islands_ready)
        return SS_OK;
    work->n_islands = 0;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_systems.count, &parent));
    couple(model, parent);
    SS_TRY(collect_islands(work, parent));
    find_bands(work);
    for (int e = 0; e < model->n_elements.count; e++)
        SS_TRY(lay_out_span(work, e));
    for (int l = 0; l < model->n_laws.count; l++)
        n_factors += most_factors(work, model->laws[l].element);
    if (n_factors > work->n_factors) {
        work->n_factors = n_factors;
        SS_TRY(SS_ARENA_NEW(&work->arena, n_factors, &work->factors));
        work->inclusion.factors = work->factors;
    }
    work->islands_ready = true;
    return SS_OK;
}
