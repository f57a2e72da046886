/* mesh_connect.c: the neighbours in a mesh. */
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"

#include <string.h>

/* Angles below this are rounding: the edge is flat. */
static const double FLAT = 1e-7;

static ss_status new_ints(ss_context *context, size_t count, int **list)
{
    void *memory;
    SS_TRY(ss_allocate(context, count, sizeof **list, &memory));
    *list = memory;
    return SS_OK;
}

static ss_status reject_edge(const ss_mesh *mesh, const ss_mesh_edge *edge, ss_context *context,
                             ss_location where, const char *fault)
{
    const double *p = ss_mesh_point(mesh, edge->points[0]),
                 *q = ss_mesh_point(mesh, edge->points[1]);
    return ss_fail_at(
        context, SS_INPUT, where,
        "the edge from (%g, %g, %g) to (%g, %g, %g) %s; an edge has one or two triangles, "
        "which run along it in opposite directions",
        p[0], p[1], p[2], q[0], q[1], q[2], fault);
}

/* Gives an edge its second triangle. */
static ss_status join(const ss_mesh *mesh, int triangle, int from, ss_mesh_edge *edge,
                      ss_context *context, ss_location where)
{
    if (edge->triangles[1] >= 0)
        return reject_edge(mesh, edge, context, where, "has more than two triangles");
    if (edge->points[0] == from)
        return reject_edge(mesh, edge, context, where, "is run along twice in the same direction");
    edge->triangles[1] = triangle;
    return SS_OK;
}

/* Edges of a point, as the lower of their two, are a list from head[point] along next[edge]. */
static ss_status find_edges(ss_mesh *mesh, int *head, int *next, ss_context *context,
                            ss_location where)
{
    memset(head, 0xff, (size_t)mesh->n_points * sizeof *head);
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        int triangle = i / 3, from = mesh->corners[i];
        int to = mesh->corners[i % 3 == 2 ? i - 2 : i + 1];
        int low = from < to ? from : to, high = from < to ? to : from, e = head[low];
        while (e >= 0 && mesh->edges[e].points[0] != high && mesh->edges[e].points[1] != high)
            e = next[e];
        if (e >= 0) {
            SS_TRY(join(mesh, triangle, from, &mesh->edges[e], context, where));
        } else {
            e = mesh->n_edges++;
            mesh->edges[e] = (ss_mesh_edge){{from, to}, {triangle, -1}, SS_BEND_CONVEX};
            next[e] = head[low];
            head[low] = e;
        }
        mesh->sides[i] = e;
    }
    return SS_OK;
}

/* The corner of a triangle that is not on an edge. */
static const double *opposite(const ss_mesh *mesh, int triangle, const ss_mesh_edge *edge)
{
    const int *corner = mesh->corners + 3 * (size_t)triangle;
    int k = 0;
    while (corner[k] == edge->points[0] || corner[k] == edge->points[1])
        k++;
    return ss_mesh_point(mesh, corner[k]);
}

/* How far the second triangle's corner is above the plane of the first, as an angle. */
static void bend(const ss_mesh *mesh, ss_mesh_edge *edge)
{
    if (edge->triangles[1] < 0)
        return;
    const double *n = ss_mesh_normal(mesh, edge->triangles[0]);
    const double *m = ss_mesh_normal(mesh, edge->triangles[1]);
    double way[3], cross[3];
    ss_minus3(opposite(mesh, edge->triangles[1], edge), ss_mesh_point(mesh, edge->points[0]), way);
    ss_cross3(n, m, cross);
    double angle = ss_length3(cross);
    if (angle < FLAT && ss_dot3(n, m) > 0)
        edge->bend = SS_BEND_FLAT;
    else
        edge->bend = ss_dot3(n, way) > 0 ? SS_BEND_CONCAVE : SS_BEND_CONVEX;
}

/* Both ends of each edge see each other. */
static void list_neighbours(ss_mesh *mesh)
{
    for (int e = 0; e < mesh->n_edges; e++)
        for (int k = 0; k < 2; k++)
            mesh->first[mesh->edges[e].points[k] + 1]++;
    for (int p = 0; p < mesh->n_points; p++)
        mesh->first[p + 1] += mesh->first[p];
    for (int e = mesh->n_edges - 1; e >= 0; e--)
        for (int k = 0; k < 2; k++)
            mesh->around[--mesh->first[mesh->edges[e].points[k] + 1]] =
                mesh->edges[e].points[1 - k];
    /* Counting down has moved every begin to where the list before it ended: shift them back. */
    memmove(mesh->first, mesh->first + 1, (size_t)mesh->n_points * sizeof *mesh->first);
    mesh->first[mesh->n_points] = 2 * mesh->n_edges;
}

static int root(int *patch, int i)
{
    while (patch[i] != i)
        i = patch[i] = patch[patch[i]];
    return i;
}

/* Triangles joined by flat edges are one patch. */
static void find_patches(ss_mesh *mesh)
{
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->patch[i] = i;
    for (int e = 0; e < mesh->n_edges; e++) {
        if (mesh->edges[e].bend != SS_BEND_FLAT)
            continue;
        int a = root(mesh->patch, mesh->edges[e].triangles[0]);
        int b = root(mesh->patch, mesh->edges[e].triangles[1]);
        mesh->patch[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->patch[i] = root(mesh->patch, i);
}

static void find_point_normals(ss_mesh *mesh)
{
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        int triangle = i / 3, k = i % 3;
        double e[3], f[3], m[3], *sum = mesh->point_normals + 3 * (size_t)mesh->corners[i];
        ss_minus3(ss_mesh_corner(mesh, triangle, (k + 1) % 3), ss_mesh_corner(mesh, triangle, k),
                  e);
        ss_minus3(ss_mesh_corner(mesh, triangle, (k + 2) % 3), ss_mesh_corner(mesh, triangle, k),
                  f);
        ss_cross3(e, f, m);
        ss_along3(sum, atan2(ss_length3(m), ss_dot3(e, f)), ss_mesh_normal(mesh, triangle), sum);
    }
    for (int p = 0; p < mesh->n_points; p++)
        ss_unit3(mesh->point_normals + 3 * (size_t)p, mesh->point_normals + 3 * (size_t)p);
}

static ss_status connect(ss_mesh *mesh, ss_context *context, ss_location where, int *head,
                         int *next)
{
    SS_TRY(find_edges(mesh, head, next, context, where));
    mesh->closed = true;
    for (int e = 0; e < mesh->n_edges; e++) {
        bend(mesh, &mesh->edges[e]);
        mesh->closed &= mesh->edges[e].triangles[1] >= 0;
    }
    list_neighbours(mesh);
    find_patches(mesh);
    find_point_normals(mesh);
    memset(mesh->owner, 0xff, (size_t)mesh->n_points * sizeof *mesh->owner);
    for (int i = 3 * mesh->n_triangles - 1; i >= 0; i--)
        mesh->owner[mesh->corners[i]] = i / 3;
    return SS_OK;
}

ss_status ss_mesh_connect(ss_mesh *mesh, ss_context *context, ss_location where)
{
    size_t corners = 3 * (size_t)mesh->n_triangles;
    int *head, *next;
    void *memory;
    SS_TRY(ss_allocate(context, corners, sizeof *mesh->edges, &memory));
    mesh->edges = memory;
    SS_TRY(ss_allocate(context, 3 * (size_t)mesh->n_points, sizeof *mesh->point_normals, &memory));
    mesh->point_normals = memory;
    SS_TRY(new_ints(context, corners, &mesh->sides));
    SS_TRY(new_ints(context, (size_t)mesh->n_points + 1, &mesh->first));
    SS_TRY(new_ints(context, 2 * corners, &mesh->around));
    SS_TRY(new_ints(context, (size_t)mesh->n_points, &mesh->owner));
    SS_TRY(new_ints(context, (size_t)mesh->n_triangles, &mesh->patch));
    SS_TRY(new_ints(context, (size_t)mesh->n_points + corners, &head));
    next = head + mesh->n_points;
    ss_status status = connect(mesh, context, where, head, next);
    ss_release(context, head);
    return status;
}
