/* mesh_build.c: a mesh from points and triangles as they come. */
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"

#include <string.h>

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

/* The number of each point among the different ones, which are copied to the mesh. `slots` is a table of `capacity`
 * (a power of two) numbers, -1 where it is free. */
static void merge_points(const ss_mesh_source *source, double scale, size_t capacity, int *slots,
                         int *number, ss_mesh *mesh)
{
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
}

static ss_status take_points(const ss_mesh_source *source, double scale, int *number, ss_mesh *mesh)
{
    size_t capacity = 16;
    void *memory, *slots;
    while (capacity < 2 * source->n_points)
        capacity *= 2;
    SS_TRY(ss_allocate(source->context, 3 * source->n_points, sizeof *mesh->points, &memory));
    mesh->points = memory;
    SS_TRY(ss_allocate(source->context, capacity, sizeof(int), &slots));
    merge_points(source, scale, capacity, slots, number, mesh);
    ss_release(source->context, slots);
    return SS_OK;
}

/* The unit normal; false when the triangle is a line or a point to rounding. */
static bool normal_of(const ss_mesh *mesh, const int corner[3], double n[3])
{
    double e[3], f[3];
    ss_minus3(ss_mesh_point(mesh, corner[1]), ss_mesh_point(mesh, corner[0]), e);
    ss_minus3(ss_mesh_point(mesh, corner[2]), ss_mesh_point(mesh, corner[0]), f);
    ss_cross3(e, f, n);
    double area = ss_length3(n), longest = fmax(ss_length3(e), ss_length3(f));
    if (!(area > 1e-12 * longest * longest))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] /= area; /* exactly 1 along an axis, which a product with 1 / area is not */
    return true;
}

static ss_status take_triangles(const ss_mesh_source *source, const int *number, ss_mesh *mesh)
{
    void *memory;
    size_t flat = 0, first_flat = 0;
    SS_TRY(ss_allocate(source->context, source->n_corners, sizeof *mesh->corners, &memory));
    mesh->corners = memory;
    SS_TRY(ss_allocate(source->context, source->n_corners, sizeof *mesh->normals, &memory));
    mesh->normals = memory;
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

static void measure(ss_mesh *mesh, double thickness)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           side[3];
    for (int i = 0; i < 3 * mesh->n_triangles; i++) /* not over the points: some may be unused */
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], ss_mesh_point(mesh, mesh->corners[i])[k]);
            high[k] = fmax(high[k], ss_mesh_point(mesh, mesh->corners[i])[k]);
        }
    ss_minus3(high, low, side);
    mesh->size = ss_length3(side);
    mesh->thickness = 0.1 * (mesh->closed ? fmin(side[0], fmin(side[1], side[2])) : mesh->size);
    if (thickness > 0)
        mesh->thickness = thickness;
    ss_copy3(low, mesh->box.low);
    ss_copy3(high, mesh->box.high);
}

/* A mesh that has an inside has a volume; a hollow one must have it the other way round. */
static ss_status measure_solid(ss_mesh *mesh, const ss_mesh_source *source)
{
    ss_solid_sums sums;
    if (!mesh->closed)
        return SS_OK;
    ss_solid_begin(ss_mesh_point(mesh, 0), &sums);
    for (int i = 0; i < mesh->n_triangles; i++)
        ss_solid_add(ss_mesh_corner(mesh, i, 0), ss_mesh_corner(mesh, i, 1),
                     ss_mesh_corner(mesh, i, 2), &sums);
    double V = source->hollow ? -sums.V : sums.V;
    if (!(V > 0))
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "this closed mesh has the volume %g: its triangles must run counter-clockwise seen "
            "from outside",
            V);
    if (!source->hollow)
        ss_solid_end(&sums, &mesh->solid);
    return SS_OK;
}

static ss_status fill(const ss_mesh_source *source, double scale, double thickness, ss_mesh *mesh,
                      int *number)
{
    SS_TRY(take_points(source, scale, number, mesh));
    SS_TRY(take_triangles(source, number, mesh));
    SS_TRY(ss_mesh_connect(mesh, source->context, source->where));
    measure(mesh, thickness);
    SS_TRY(measure_solid(mesh, source));
    SS_TRY(ss_mesh_make_tree(mesh, source->context));
    if (!mesh->closed || source->hollow)
        mesh->box = mesh->nodes[0].material;
    return SS_OK;
}

ss_status ss_mesh_build(const ss_mesh_source *source, double scale, double thickness, ss_mesh *mesh)
{
    void *number;
    *mesh = (ss_mesh){.n_points = 0};
    SS_TRY(ss_allocate(source->context, source->n_points, sizeof(int), &number));
    ss_status status = fill(source, scale, thickness, mesh, number);
    ss_release(source->context, number);
    if (status != SS_OK)
        ss_mesh_release(mesh, source->context);
    return status;
}
