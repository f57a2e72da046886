/* mesh_build.c: a mesh from points and triangles as they come: which are the same, which are neighbours, and a tree of boxes. */
#include "base/union_find.h"
#include "geometry/mesh/mesh.h"
#include "la/elementary.h"

#include <string.h>

/* Angles below this are rounding: the edge is flat. */
static const double FLAT = 1e-7;

enum { LEAF = 4 }; /* triangles of the tree's last boxes */

void ss_mesh_release(ss_mesh *mesh, ss_context *context)
{
    void *memory[] = {mesh->points,        mesh->corners, mesh->normals, mesh->sides,
                      mesh->edges,         mesh->first,   mesh->around,  mesh->owner,
                      mesh->point_normals, mesh->patch,   mesh->order,   mesh->nodes};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        ss_release(context, memory[k]);
    *mesh = (ss_mesh){.n_points = 0};
}

static uint64_t hash_point(const double p[3])
{
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        double x = p[k] + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Copies the points that are different to the mesh; number: of each given one among them. */
static ss_status take_points(const ss_mesh_source *source, double scale, int *number, ss_mesh *mesh)
{
    size_t capacity = 16;
    int *slots; /* a table with -1 where it is free */
    while (capacity < 2 * source->n_points)
        capacity *= 2;
    SS_TRY(SS_NEW(source->context, 3 * source->n_points, &mesh->points));
    SS_TRY(SS_NEW(source->context, capacity, &slots));
    memset(slots, 0xff, capacity * sizeof *slots);
    for (size_t i = 0; i < source->n_points; i++) {
        double p[3];
        ss_scale3(scale, source->points + 3 * i, p);
        size_t slot = hash_point(p) & (capacity - 1);
        while (slots[slot] >= 0) {
            const double *q = ss_mesh_point(mesh, slots[slot]);
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
                break;
            slot = (slot + 1) & (capacity - 1);
        }
        if (slots[slot] < 0) {
            slots[slot] = mesh->n_points;
            ss_copy3(p, mesh->points + 3 * (size_t)mesh->n_points++);
        }
        number[i] = slots[slot];
    }
    ss_release(source->context, slots);
    return SS_OK;
}

/* The unit normal; false when the triangle is a line or a point to rounding. */
static bool normal_of(const ss_mesh *mesh, const int corner[3], double n[3])
{
    const double *p = ss_mesh_point(mesh, corner[0]), *q = ss_mesh_point(mesh, corner[1]);
    const double *r = ss_mesh_point(mesh, corner[2]);
    ss_normal3(p, q, r, n);
    double area = ss_length3(n), longest = fmax(ss_distance3(q, p), ss_distance3(r, p));
    if (!(area > 1e-12 * longest * longest))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] /= area; /* exactly 1 along an axis, which a product with 1 / area is not */
    return true;
}

static ss_status take_triangles(const ss_mesh_source *source, const int *number, ss_mesh *mesh)
{
    size_t flat = 0, first_flat = 0;
    SS_TRY(SS_NEW(source->context, source->n_corners, &mesh->corners));
    SS_TRY(SS_NEW(source->context, source->n_corners, &mesh->normals));
    for (size_t i = 0; i < source->n_corners; i += 3) {
        size_t at = 3 * (size_t)mesh->n_triangles;
        int corner[3];
        for (int k = 0; k < 3; k++)
            corner[source->hollow ? 2 - k : k] = number[source->corners[i + (size_t)k]];
        if (normal_of(mesh, corner, mesh->normals + at)) {
            memcpy(mesh->corners + at, corner, sizeof corner);
            mesh->n_triangles++;
        } else if (flat++ == 0) {
            first_flat = i / 3 + 1;
        }
    }
    if (mesh->n_triangles == 0)
        return ss_fail_at(source->context, SS_INPUT, source->where,
                          "a mesh needs at least one triangle that has an area");
    if (flat > 0)
        ss_log(source->context, SS_LOG_WARNING,
               "%s: %zu triangles without area are left out, the first is number %zu",
               source->where.file ? source->where.file : "mesh", flat, first_flat);
    return SS_OK;
}

/* ---- Neighbours ---- */

/* Gives an edge its second triangle. */
static ss_status join(const ss_mesh *mesh, int triangle, int from, ss_mesh_edge *edge,
                      const ss_mesh_source *source)
{
    const double *p = ss_mesh_point(mesh, edge->points[0]);
    const double *q = ss_mesh_point(mesh, edge->points[1]);
    bool full = edge->triangles[1] >= 0;
    if (full || edge->points[0] == from)
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "the edge from (%g, %g, %g) to (%g, %g, %g) %s; an edge has one or two triangles, "
            "which run along it in opposite directions",
            p[0], p[1], p[2], q[0], q[1], q[2],
            full ? "has more than two triangles" : "is run along twice in the same direction");
    edge->triangles[1] = triangle;
    return SS_OK;
}

/* Edges of a point, as the lower of their two, are a list from head[point] along next[edge]. */
static ss_status find_edges(ss_mesh *mesh, int *head, int *next, const ss_mesh_source *source)
{
    memset(head, 0xff, (size_t)mesh->n_points * sizeof *head);
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        int triangle = i / 3, from = mesh->corners[i];
        int to = mesh->corners[i % 3 == 2 ? i - 2 : i + 1];
        int low = from < to ? from : to, high = from < to ? to : from, e = head[low];
        while (e >= 0 && mesh->edges[e].points[0] != high && mesh->edges[e].points[1] != high)
            e = next[e];
        if (e >= 0) {
            SS_TRY(join(mesh, triangle, from, &mesh->edges[e], source));
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

/* How far the second triangle's corner is above the plane of the first, as an angle. */
static void find_bend(const ss_mesh *mesh, ss_mesh_edge *edge)
{
    if (edge->triangles[1] < 0)
        return;
    const double *n = ss_mesh_normal(mesh, edge->triangles[0]);
    const double *m = ss_mesh_normal(mesh, edge->triangles[1]);
    const int *corner = mesh->corners + 3 * (size_t)edge->triangles[1];
    double cross[3];
    int k = 0; /* the corner that is not on the edge */
    while (corner[k] == edge->points[0] || corner[k] == edge->points[1])
        k++;
    ss_cross3(n, m, cross);
    double height =
        ss_height3(n, ss_mesh_point(mesh, corner[k]), ss_mesh_point(mesh, edge->points[0]));
    if (ss_length3(cross) < FLAT && ss_dot3(n, m) > 0)
        edge->bend = SS_BEND_FLAT;
    else
        edge->bend = height > 0 ? SS_BEND_CONCAVE : SS_BEND_CONVEX;
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

/* Triangles joined by flat edges are one patch. */
static void find_patches(ss_mesh *mesh)
{
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->patch[i] = i;
    for (int e = 0; e < mesh->n_edges; e++)
        if (mesh->edges[e].bend == SS_BEND_FLAT)
            ss_union_join(mesh->patch, mesh->edges[e].triangles[0], mesh->edges[e].triangles[1]);
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->patch[i] = ss_union_root(mesh->patch, i);
}

static void find_point_normals(ss_mesh *mesh)
{
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        int triangle = i / 3, k = i % 3;
        const double *p = ss_mesh_corner(mesh, triangle, k);
        double e[3], f[3], m[3], *sum = mesh->point_normals + 3 * (size_t)mesh->corners[i];
        ss_minus3(ss_mesh_corner(mesh, triangle, (k + 1) % 3), p, e);
        ss_minus3(ss_mesh_corner(mesh, triangle, (k + 2) % 3), p, f);
        ss_cross3(e, f, m);
        ss_along3(sum, ss_atan2(ss_length3(m), ss_dot3(e, f)), ss_mesh_normal(mesh, triangle), sum);
    }
    for (int p = 0; p < mesh->n_points; p++)
        ss_unit3(mesh->point_normals + 3 * (size_t)p, mesh->point_normals + 3 * (size_t)p);
}

static ss_status connect(ss_mesh *mesh, const ss_mesh_source *source)
{
    ss_context *context = source->context;
    size_t n = (size_t)mesh->n_points, corners = 3 * (size_t)mesh->n_triangles;
    int *lists;
    SS_TRY(SS_NEW(context, corners, &mesh->edges));
    SS_TRY(SS_NEW(context, 3 * n, &mesh->point_normals));
    SS_TRY(SS_NEW(context, corners, &mesh->sides));
    SS_TRY(SS_NEW(context, n + 1, &mesh->first));
    SS_TRY(SS_NEW(context, 2 * corners, &mesh->around));
    SS_TRY(SS_NEW(context, n, &mesh->owner));
    SS_TRY(SS_NEW(context, mesh->n_triangles, &mesh->patch));
    SS_TRY(SS_NEW(context, n + corners, &lists));
    ss_status status = find_edges(mesh, lists, lists + n, source);
    ss_release(context, lists);
    if (status != SS_OK)
        return status;
    mesh->closed = true;
    for (int e = 0; e < mesh->n_edges; e++) {
        find_bend(mesh, &mesh->edges[e]);
        mesh->closed &= mesh->edges[e].triangles[1] >= 0;
    }
    list_neighbours(mesh);
    find_patches(mesh);
    find_point_normals(mesh);
    memset(mesh->owner, 0xff, n * sizeof *mesh->owner);
    for (int i = 3 * mesh->n_triangles - 1; i >= 0; i--)
        mesh->owner[mesh->corners[i]] = i / 3;
    return SS_OK;
}

/* ---- Boxes around the triangles and the material behind them ---- */

static void measure_node(const ss_mesh *mesh, ss_mesh_node *node)
{
    node->surface = node->material = ss_bounds_none;
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++) {
            int triangle = mesh->order[i];
            double deep[3];
            const double *corner = ss_mesh_corner(mesh, triangle, k);
            ss_along3(corner, -mesh->thickness, ss_mesh_normal(mesh, triangle), deep);
            ss_bounds_include(&node->surface, corner);
            ss_bounds_include(&node->material, corner);
            ss_bounds_include(&node->material, deep);
        }
}

/* Three times the middle of a triangle along an axis. */
static double middle(const ss_mesh *mesh, int triangle, int axis)
{
    return ss_mesh_corner(mesh, triangle, 0)[axis] + ss_mesh_corner(mesh, triangle, 1)[axis] +
           ss_mesh_corner(mesh, triangle, 2)[axis];
}

/* Before in the order along an axis; equal ones by number, so that there is one order. */
static bool before(const ss_mesh *mesh, int axis, int a, int b)
{
    double x = middle(mesh, a, axis), y = middle(mesh, b, axis);
    return x < y || (x == y && a < b);
}

/* Hoare's selection: the `half` first ones along the axis come first. */
static void halve(const ss_mesh *mesh, int axis, int first, int count, int half)
{
    int *order = mesh->order, low = first, high = first + count - 1, wanted = first + half;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, k = high;
        while (i <= k) {
            while (before(mesh, axis, order[i], pivot))
                i++;
            while (before(mesh, axis, pivot, order[k]))
                k--;
            if (i > k)
                break;
            int swap = order[i];
            order[i++] = order[k];
            order[k--] = swap;
        }
        if (wanted <= k)
            high = k;
        else if (wanted >= i)
            low = i;
        else
            return;
    }
}

/* Halves of halves: its depth is at most the bits of the number of triangles. */
static void split(ss_mesh *mesh, int first, int count)
{
    ss_mesh_node *node = &mesh->nodes[mesh->n_nodes++];
    *node = (ss_mesh_node){.first = first, .count = count};
    measure_node(mesh, node);
    if (count <= LEAF)
        return;
    double side[3];
    ss_minus3(node->surface.high, node->surface.low, side);
    int axis = side[1] > side[0];
    axis = side[2] > side[axis] ? 2 : axis;
    halve(mesh, axis, first, count, count / 2);
    split(mesh, first, count / 2);
    node->second = mesh->n_nodes;
    split(mesh, first + count / 2, count - count / 2);
}

/* ---- All of it ---- */

/* A mesh that has an inside has a volume; a hollow one must have it the other way round. */
static ss_status measure(ss_mesh *mesh, const ss_mesh_source *source, double thickness)
{
    const ss_triangles t = {mesh->n_points, mesh->n_triangles, mesh->points, mesh->corners};
    ss_solid solid;
    double side[3];
    mesh->box = ss_bounds_none;
    for (int i = 0; i < 3 * mesh->n_triangles; i++) /* not over the points: some may be unused */
        ss_bounds_include(&mesh->box, ss_mesh_point(mesh, mesh->corners[i]));
    ss_minus3(mesh->box.high, mesh->box.low, side);
    mesh->size = ss_length3(side);
    mesh->thickness = 0.1 * (mesh->closed ? fmin(side[0], fmin(side[1], side[2])) : mesh->size);
    if (thickness > 0)
        mesh->thickness = thickness;
    if (!mesh->closed)
        return SS_OK;
    ss_triangles_solid(&t, &solid);
    double V = source->hollow ? -solid.volume : solid.volume;
    if (!(V > 0))
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "this closed mesh has the volume %g: its triangles must run counter-clockwise seen "
            "from outside",
            V);
    if (!source->hollow)
        mesh->solid = solid;
    return SS_OK;
}

static ss_status fill(const ss_mesh_source *source, double scale, double thickness, ss_mesh *mesh,
                      int *number)
{
    SS_TRY(take_points(source, scale, number, mesh));
    SS_TRY(take_triangles(source, number, mesh));
    SS_TRY(connect(mesh, source));
    SS_TRY(measure(mesh, source, thickness));
    SS_TRY(SS_NEW(source->context, mesh->n_triangles, &mesh->order));
    SS_TRY(SS_NEW(source->context, 2 * (size_t)mesh->n_triangles, &mesh->nodes));
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->order[i] = i;
    split(mesh, 0, mesh->n_triangles);
    if (!mesh->closed || source->hollow)
        mesh->box = mesh->nodes[0].material;
    return SS_OK;
}

ss_status ss_mesh_build(const ss_mesh_source *source, double scale, double thickness, ss_mesh *mesh)
{
    int *number;
    *mesh = (ss_mesh){.n_points = 0};
    SS_TRY(SS_NEW(source->context, source->n_points, &number));
    ss_status status = fill(source, scale, thickness, mesh, number);
    ss_release(source->context, number);
    if (status != SS_OK)
        ss_mesh_release(mesh, source->context);
    return status;
}

ss_status ss_mesh_scale(ss_context *context, const ss_shape_setup *setup, const ss_matrix *given,
                        double factors[3])
{
    if (given->rows != 1 && given->rows != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'scale' must be one number or three, not %d", setup->owner,
                          given->rows);
    for (int i = 0; i < 3; i++) {
        factors[i] = given->values[given->rows == 3 ? i : 0];
        if (factors[i] == 0)
            return ss_fail_at(context, SS_INPUT, setup->where, "%s: 'scale' must not be 0",
                              setup->owner);
    }
    return SS_OK;
}

void ss_mesh_source_stretch(ss_mesh_source *source, const double factors[3])
{
    for (size_t i = 0; i < 3 * source->n_points; i++)
        source->points[i] *= factors[i % 3];
    bool mirrored = factors[0] * factors[1] * factors[2] < 0;
    for (size_t i = 0; mirrored && i + 2 < source->n_corners; i += 3) {
        int corner = source->corners[i];
        source->corners[i] = source->corners[i + 1];
        source->corners[i + 1] = corner;
    }
}
