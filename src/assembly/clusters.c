/* clusters.c: systems that forces and springs of laws couple, cluster by cluster. */
#include "assembly/sources/contacts.h"
#include "base/union_find.h"

/* The next system of a cluster: a piece of its own, or the end of the last one. */
static void add_system(const ss_work *work, int s, ss_cluster *cluster)
{
    const ss_system *system = &work->model->systems[s];
    ss_piece *last = cluster->n_pieces > 0 ? &cluster->pieces[cluster->n_pieces - 1] : NULL;
    for (int i = 0; i < system->nu; i++)
        cluster->owner[work->cluster_offset[s] + i] = cluster->n_systems;
    cluster->systems[cluster->n_systems++] = s;
    if (last && last->u_offset + last->nu == system->u_offset)
        last->nu += system->nu;
    else
        cluster->pieces[cluster->n_pieces++] =
            (ss_piece){system->u_offset, work->cluster_offset[s], system->nu};
}

/* Clusters are numbered in the order of their first systems. */
static ss_status collect_clusters(ss_work *work, int *parent)
{
    const ss_model *model = work->model;
    int count = model->n_systems.count;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, count, &work->clusters));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, count, &work->cluster_of));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, count, &work->cluster_offset));
    for (int s = 0; s < count; s++) {
        int root = ss_union_root(parent, s);
        work->cluster_of[s] = root == s ? work->n_clusters++ : work->cluster_of[root];
        ss_cluster *cluster = &work->clusters[work->cluster_of[s]];
        work->cluster_offset[s] = cluster->n;
        cluster->n += model->systems[s].nu;
        cluster->n_systems++;
    }
    for (int i = 0; i < work->n_clusters; i++) {
        ss_cluster *cluster = &work->clusters[i];
        double **matrices[] = {&cluster->KF, &cluster->D, &cluster->A, &cluster->factors,
                               &cluster->check};
        int n = cluster->n;
        for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
            SS_TRY(SS_ARENA_NEW(&work->table_arena, n * n, matrices[m]));
        SS_TRY(SS_ARENA_NEW(&work->table_arena, cluster->n_systems, &cluster->systems));
        SS_TRY(SS_ARENA_NEW(&work->table_arena, n, &cluster->owner));
        SS_TRY(SS_ARENA_NEW(&work->table_arena, cluster->n_systems, &cluster->pieces));
        SS_TRY(SS_ARENA_NEW(&work->table_arena, n, &cluster->x));
        SS_TRY(SS_ARENA_NEW(&work->table_arena, n, &cluster->pivots));
        cluster->n_systems = 0;
    }
    for (int s = 0; s < count; s++)
        add_system(work, s, &work->clusters[work->cluster_of[s]]);
    return SS_OK;
}

/* How far from each other the velocities of two systems are that act on each other. */
static void widen(ss_work *work, int k, int l)
{
    const ss_system *systems = work->model->systems;
    ss_cluster *cluster = &work->clusters[work->cluster_of[k]];
    int first_k = work->cluster_offset[k], first_l = work->cluster_offset[l];
    int far = first_l > first_k ? first_l + systems[l].nu - 1 - first_k
                                : first_k + systems[k].nu - 1 - first_l;
    cluster->band = far > cluster->band ? far : cluster->band;
}

static void widen_all(ss_work *work, const ss_connected *connected)
{
    for (int k = 0; k < connected->count; k++)
        for (int l = 0; l < k; l++)
            widen(work, connected->systems[k], connected->systems[l]);
}

/* Whether a law couples systems by a known force that is linearized. */
static bool couples(const ss_law *law)
{
    return law->flags & SS_LAW_DERIVATIVES;
}

static void find_bands(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++)
        widen(work, s, s);
    for (int l = 0; l < model->n_laws.count; l++)
        if (couples(&model->laws[l]))
            widen_all(work, &model->elements[model->laws[l].element].connected);
    for (int f = 0; f < model->n_forces.count; f++)
        if (!model->forces[f].ops->constant)
            widen_all(work, &model->forces[f].connected);
}

static bool acts_on(const ss_work *work, const ss_element *element, int cluster)
{
    for (int k = 0; k < element->connected.count; k++)
        if (work->cluster_of[element->connected.systems[k]] == cluster)
            return true;
    return false;
}

/* What an impulse of an element moves through M̂⁻¹. */
static ss_status lay_out_span(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    we->n_span = 0;
    for (int i = 0; i < work->n_clusters; i++)
        if (acts_on(work, element, i))
            we->n_span += work->clusters[i].n_pieces;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, we->n_span, &we->span));
    we->n_span = 0;
    for (int i = 0; i < work->n_clusters; i++)
        for (int p = 0; acts_on(work, element, i) && p < work->clusters[i].n_pieces; p++) {
            const ss_piece *piece = &work->clusters[i].pieces[p];
            ss_span *span = &we->span[we->n_span++];
            *span = (ss_span){.cluster = i, .piece = piece};
            SS_TRY(SS_ARENA_NEW(&work->table_arena, piece->nu * element->rows, &span->W));
            SS_TRY(SS_ARENA_NEW(&work->table_arena, piece->nu * element->rows, &span->MinvW));
            SS_TRY(SS_ARENA_NEW(&work->table_arena, element->rows, &span->solved));
        }
    return SS_OK;
}

static void join(int *parent, const ss_connected *connected)
{
    for (int k = 1; k < connected->count; k++)
        ss_union_join(parent, connected->systems[0], connected->systems[k]);
}

ss_status ss_work_lay_out_clusters(ss_work *work)
{
    const ss_model *model = work->model;
    int *parent, n_factors = 0;
    if (work->clusters_ready)
        return SS_OK;
    work->n_clusters = 0;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, model->n_systems.count, &parent));
    for (int s = 0; s < model->n_systems.count; s++)
        parent[s] = s;
    for (int f = 0; f < model->n_forces.count; f++)
        if (!model->forces[f].ops->constant)
            join(parent, &model->forces[f].connected);
    for (int l = 0; l < model->n_laws.count; l++)
        if (couples(&model->laws[l]))
            join(parent, &model->elements[model->laws[l].element].connected);
    SS_TRY(collect_clusters(work, parent));
    find_bands(work);
    for (int e = 0; e < work->table.n_elements; e++)
        SS_TRY(lay_out_span(work, e));
    for (int l = 0; l < work->table.n_laws; l++) { /* on pieces, and on systems of other clusters */
        int e = work->table.laws[l].element;
        n_factors += work->elements[e].n_span + work->table.elements[e].connected.count;
    }
    if (n_factors > work->n_factors) {
        work->n_factors = n_factors;
        SS_TRY(SS_ARENA_NEW(&work->table_arena, n_factors, &work->factors));
        work->inclusion.factors = work->factors;
        if (work->contacts)
            work->contacts->capacity_factors = n_factors;
    }
    work->clusters_ready = true;
    return SS_OK;
}
