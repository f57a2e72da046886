/* hull.c: the convex hull of points; its corners and faces by qhull. */
#include "geometry/mesh/mesh.h"

#include <float.h>
#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

static const ss_key keys[] = {
    {"points", SS_KEY_MATRIX, offsetof(ss_hull, points), "", 0, 0, NULL, "m",
     "Points by rows, [x, y, z] each; those inside do not matter."},
    {"file", SS_KEY_TEXT, offsetof(ss_hull, file), "", 0, 0, NULL, "",
     "Instead of points: OBJ or STL file whose points are taken, told apart by the end of its "
     "name; relative to the scene's folder."},
    {"scale", SS_KEY_REALS, offsetof(ss_hull, scale), "1", 0, 0, NULL, "",
     "Factor of all coordinates, e.g. 1e-3 for a file in millimetres, or three along x, y and z; "
     "negative ones "
     "mirror."},
    {NULL},
};

/* ---- Corners and faces ---- */

/* Newell's normal: twice the area of the projections. */
static void normal_of(const ss_hull *hull, int f, double n[3])
{
    int from = hull->begin[f], to = hull->begin[f + 1];
    const double *origin = hull->vertices + 3 * hull->corners[from];
    n[0] = n[1] = n[2] = 0;
    for (int k = from + 1; k + 1 < to; k++) {
        double m[3];
        ss_normal3(origin, hull->vertices + 3 * hull->corners[k],
                   hull->vertices + 3 * hull->corners[k + 1], m);
        ss_add3(n, m, n);
    }
    ss_unit3(n, n);
}

static void read_faces(qhT *qh, ss_hull *hull, const int *indices)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    int f = 0, c = 0;
    FORALLfacets
    {
        setT *around = qh_facet3vertex(qh, facet);
        hull->begin[f] = c;
        FOREACHvertex_(around) hull->corners[c++] = indices[qh_pointid(qh, vertex->point)];
        qh_settempfree(qh, &around);
        hull->begin[++f] = c;
        double *n = hull->normals + 3 * (f - 1);
        normal_of(hull, f - 1, n);
        if (ss_dot3(n, facet->normal) < 0) {
            for (int i = hull->begin[f - 1], k = c - 1; i < k; i++, k--) {
                int corner = hull->corners[i];
                hull->corners[i] = hull->corners[k];
                hull->corners[k] = corner;
            }
            ss_scale3(-1, n, n);
        }
    }
}

/* The faces around each point, in the order of the faces. */
static void list_around(ss_hull *hull)
{
    int total = hull->begin[hull->n_faces];
    for (int k = 0; k < total; k++)
        hull->first[hull->corners[k] + 1]++;
    for (int p = 0; p < hull->n_points; p++)
        hull->first[p + 1] += hull->first[p];
    for (int f = hull->n_faces; f-- > 0;)
        for (int k = hull->begin[f]; k < hull->begin[f + 1]; k++)
            hull->around[--hull->first[hull->corners[k] + 1]] = f;
    for (int p = 0; p < hull->n_points; p++) /* each place now is where its list begins */
        hull->first[p] = hull->first[p + 1];
    hull->first[hull->n_points] = total;
}

/* Fans: a face of n corners gives n - 2 triangles. */
static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_hull *hull = self;
    int count = hull->begin[hull->n_faces] - 2 * hull->n_faces;
    SS_TRY(ss_triangles_allocate(context, hull->n_points, count, t));
    memcpy(t->points, hull->vertices, 3 * (size_t)hull->n_points * sizeof(double));
    int *corner = t->corners;
    for (int f = 0; f < hull->n_faces; f++)
        for (int k = hull->begin[f] + 1; k + 1 < hull->begin[f + 1]; k++) {
            *corner++ = hull->corners[hull->begin[f]];
            *corner++ = hull->corners[k];
            *corner++ = hull->corners[k + 1];
        }
    return SS_OK;
}

/* Fills the lists from what qhull has found; indices: numbers of the given points that are corners, -1 for others. */
static ss_status fill(qhT *qh, ss_hull *hull, ss_context *context, int n_points,
                      const double *points, int *indices)
{
    facetT *facet;
    vertexT *vertex;
    ss_triangles t;
    int corners = 0;
    FORALLvertices indices[qh_pointid(qh, vertex->point)] = 1;
    hull->n_points = hull->n_faces = 0;
    for (int i = 0; i < n_points; i++)
        indices[i] = indices[i] ? hull->n_points++ : -1;
    FORALLfacets
    {
        hull->n_faces++;
        corners += qh_setsize(qh, facet->vertices);
    }
    SS_TRY(SS_NEW(context, 3 * hull->n_points, &hull->vertices));
    SS_TRY(SS_NEW(context, 3 * hull->n_faces, &hull->normals));
    SS_TRY(SS_NEW(context, hull->n_faces + 1, &hull->begin));
    SS_TRY(SS_NEW(context, corners, &hull->corners));
    SS_TRY(SS_NEW(context, hull->n_points + 1, &hull->first));
    SS_TRY(SS_NEW(context, corners, &hull->around));
    for (int i = 0; i < n_points; i++)
        if (indices[i] >= 0)
            ss_copy3(points + 3 * i, hull->vertices + 3 * indices[i]);
    read_faces(qh, hull, indices);
    list_around(hull);
    ss_bounds box = ss_bounds_none;
    for (int i = 0; i < hull->n_points; i++)
        ss_bounds_include(&box, hull->vertices + 3 * i);
    hull->size = ss_distance3(box.high, box.low);
    SS_TRY(triangles(hull, context, &t));
    ss_triangles_solid(&t, &hull->solid);
    ss_release(context, t.points);
    ss_release(context, t.corners);
    return SS_OK;
}

/* qhull writes its messages to a file; ours says all that is needed. */
static ss_status run(ss_hull *hull, ss_context *context, const ss_shape_setup *setup, FILE *silent,
                     int n_points, double *points)
{
    qhT memory, *qh = &memory;
    int current, total, *indices = NULL;
    char command[] = "qhull";
    qh_zero(qh, silent);
    int code = qh_new_qhull(qh, 3, n_points, points, False, command, silent, silent);
    ss_status status;
    if (code == qh_ERRmem)
        status = ss_fail_at(context, SS_MEMORY, setup->where, "%s: out of memory", setup->owner);
    else if (code != 0)
        status = ss_fail_at(context, SS_INPUT, setup->where,
                            "%s: the points lie in a plane, or nearly; a hull needs four that do "
                            "not",
                            setup->owner);
    else if ((status = SS_NEW(context, n_points, &indices)) == SS_OK)
        status = fill(qh, hull, context, n_points, points, indices);
    ss_release(context, indices);
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &current, &total);
    return status;
}

/* From points, 3 numbers each, times its scale. What is allocated is released by the shape's destroy, on failure too. */
static ss_status build(ss_hull *hull, ss_context *context, const ss_shape_setup *setup,
                       int n_points, const double *points)
{
    double *copy, factors[3];
    SS_TRY(ss_mesh_scale(context, setup, &hull->scale, factors));
    if (n_points < 4)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: %d points; a hull needs four or more", setup->owner, n_points);
    SS_TRY(SS_NEW(context, 3 * (size_t)n_points, &copy));
    for (size_t i = 0; i < 3 * (size_t)n_points; i++)
        copy[i] = factors[i % 3] * points[i];
    FILE *silent = tmpfile();
    ss_status status =
        silent ? run(hull, context, setup, silent, n_points, copy)
               : ss_fail_at(context, SS_IO, setup->where,
                            "%s: no temporary file can be opened, qhull wants one", setup->owner);
    if (silent)
        fclose(silent);
    ss_release(context, copy);
    return status;
}

/* ---- The shape ---- */

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_hull *hull = self;
    if (!hull->file.text == !hull->points.rows)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: either 'points' or a 'file' is wanted", setup->owner);
    if (hull->file.text) { /* the corners of the triangles of a mesh */
        ss_mesh_source source = {
            .context = context, .where = setup->where, .confined = setup->confined};
        ss_status status = ss_mesh_read_file(&source, &hull->file, setup->directory);
        if (status == SS_OK)
            status = build(hull, context, setup, (int)source.n_points, source.points);
        ss_mesh_source_release(&source);
        return status;
    }
    if (hull->points.columns != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'points' has rows of %d; rows of three are wanted, [x, y, z]",
                          setup->owner, hull->points.columns);
    return build(hull, context, setup, hull->points.rows, hull->points.values);
}

static void destroy(void *self, ss_context *context)
{
    ss_hull *hull = self;
    void *memory[] = {hull->vertices, hull->normals, hull->begin,
                      hull->corners,  hull->first,   hull->around};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        ss_release(context, memory[k]);
}

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_hull *hull = self;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < hull->n_points; k++) {
            double x = ss_dot3(pose->A + 3 * i, hull->vertices + 3 * k);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        box->low[i] = pose->x[i] + low;
        box->high[i] = pose->x[i] + high;
    }
}

static int farthest(const ss_hull *hull, const double d[3], double *height)
{
    int best = 0;
    double most = ss_dot3(d, hull->vertices);
    for (int k = 1; k < hull->n_points; k++) {
        double h = ss_dot3(d, hull->vertices + 3 * k);
        if (h > most) {
            most = h;
            best = k;
        }
    }
    *height = most;
    return best;
}

static void support(const void *self, const double d[3], double p[3])
{
    const ss_hull *hull = self;
    double height;
    ss_copy3(hull->vertices + 3 * farthest(hull, d, &height), p);
}

/* Of the faces at the farthest point, the one that has most corners as far as that, then the most aligned. */
static void face_along(const void *self, const double d[3], ss_face *face)
{
    const ss_hull *hull = self;
    double height, most = -INFINITY, length = ss_length3(d);
    int p = farthest(hull, d, &height), best = 0, best_level = 0;
    for (int i = hull->first[p]; i < hull->first[p + 1]; i++) {
        int f = hull->around[i], level = 0;
        for (int k = hull->begin[f]; k < hull->begin[f + 1]; k++) {
            double h = ss_dot3(d, hull->vertices + 3 * hull->corners[k]);
            level += h >= height - 1e-9 * hull->size * length;
        }
        double aligned = ss_dot3(d, hull->normals + 3 * f);
        if (level > best_level || (level == best_level && aligned > most)) {
            best = f;
            best_level = level;
            most = aligned;
        }
    }
    int from = hull->begin[best], count = hull->begin[best + 1] - from;
    face->count = count < SS_FACE_MAX ? count : SS_FACE_MAX;
    for (int i = 0; i < face->count; i++) {
        int corner = hull->corners[from + i * count / face->count];
        ss_copy3(hull->vertices + 3 * corner, face->points[i]);
        face->ids[i] = (uint32_t)corner & 0xfff;
    }
    ss_copy3(hull->normals + 3 * best, face->normal);
}

static void solid(const void *self, ss_solid *solid)
{
    *solid = ((const ss_hull *)self)->solid;
}

const ss_shape_ops ss_shape_type_hull = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "hull", "The convex hull of points of its frame.",
             sizeof(ss_hull), keys},
    .kind = SS_SHAPE_HULL,
    .init = init,
    .destroy = destroy,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .face = face_along,
};
