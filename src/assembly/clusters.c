/* clusters.c: systems that forces couple, cluster by cluster. */
#include "assembly/sources/contacts.h"
#include "base/union_find.h"

/* Islands are numbered in the order of their first systems. */
static void couple(const ss_model *model, int *parent)
{
    for (int s = 0; s < model->n_systems.count; s++)
        parent[s] = s;
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_connected *connected = &model->forces[f].connected;
        for (int k = 1; k < connected->count && !model->forces[f].ops->constant; k++)
            ss_union_join(parent, connected->systems[0], connected->systems[k]);
    }
}

static ss_status allocate_cluster(ss_work *work, ss_cluster *cluster)
{
    int n = cluster->n;
    double **matrices[] = {&cluster->KF, &cluster->D, &cluster->A, &cluster->factors,
                           &cluster->check};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        SS_TRY(SS_ARENA_NEW(&work->table_arena, n * n, matrices[i]));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, n, &cluster->owner));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, cluster->n_systems, &cluster->pieces));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, n, &cluster->x));
    return SS_ARENA_NEW(&work->table_arena, n, &cluster->pivots);
}

/* The next system of an cluster: a piece of its own, or the end of the last one. */
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
        SS_TRY(SS_ARENA_NEW(&work->table_arena, cluster->n_systems, &cluster->systems));
        SS_TRY(allocate_cluster(work, cluster));
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

static void find_bands(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++)
        widen(work, s, s);
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_connected *connected = &model->forces[f].connected;
        for (int k = 0; k < connected->count && !model->forces[f].ops->constant; k++)
            for (int l = 0; l < k; l++)
                widen(work, connected->systems[k], connected->systems[l]);
    }
}

static bool contacts_cluster(const ss_work *work, const ss_element *element, int cluster)
{
    for (int k = 0; k < element->connected.count; k++)
        if (work->cluster_of[element->connected.systems[k]] == cluster)
            return true;
    return false;
}

static ss_status add_span(ss_work *work, int rows, int cluster, const ss_piece *piece,
                          ss_span *span)
{
    *span = (ss_span){.cluster = cluster, .piece = piece};
    SS_TRY(SS_ARENA_NEW(&work->table_arena, piece->nu * rows, &span->W));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, piece->nu * rows, &span->MinvW));
    return SS_ARENA_NEW(&work->table_arena, rows, &span->solved);
}

/* What a push of an element moves through M̂⁻¹. */
static ss_status lay_out_span(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    we->n_span = 0;
    for (int i = 0; i < work->n_clusters; i++)
        if (contacts_cluster(work, element, i))
            we->n_span += work->clusters[i].n_pieces;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, we->n_span, &we->span));
    we->n_span = 0;
    for (int i = 0; i < work->n_clusters; i++)
        for (int p = 0; contacts_cluster(work, element, i) && p < work->clusters[i].n_pieces; p++)
            SS_TRY(add_span(work, element->rows, i, &work->clusters[i].pieces[p],
                            &we->span[we->n_span++]));
    return SS_OK;
}

/* A push acts on the pieces of modified clusters, and on the connected systems of others. */
static int most_factors(const ss_work *work, int e)
{
    return work->elements[e].n_span + work->table.elements[e].connected.count;
}

ss_status ss_work_lay_out_clusters(ss_work *work)
{
    const ss_model *model = work->model;
    int *parent, n_factors = 0;
    if (work->clusters_ready)
        return SS_OK;
    work->n_clusters = 0;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, model->n_systems.count, &parent));
    couple(model, parent);
    SS_TRY(collect_clusters(work, parent));
    find_bands(work);
    for (int e = 0; e < work->table.n_elements; e++)
        SS_TRY(lay_out_span(work, e));
    for (int l = 0; l < work->table.n_laws; l++)
        n_factors += most_factors(work, work->table.laws[l].element);
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
