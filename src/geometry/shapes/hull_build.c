/* hull_build.c: corners and faces of a convex hull, by qhull. */
#include "geometry/shapes/hull.h"
#include "geometry/vector.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

/* Allocates all lists; `indices` numbers the given points that are corners, -1 for others. */
static ss_status allocate(ss_hull *hull, ss_context *context, int corners)
{
    size_t n = (size_t)hull->n_points, f = (size_t)hull->n_faces, c = (size_t)corners;
    SS_TRY(ss_allocate(context, 3 * n, sizeof(double), (void **)&hull->vertices));
    SS_TRY(ss_allocate(context, 3 * f, sizeof(double), (void **)&hull->normals));
    SS_TRY(ss_allocate(context, f + 1, sizeof(int), (void **)&hull->begin));
    SS_TRY(ss_allocate(context, c, sizeof(int), (void **)&hull->corners));
    SS_TRY(ss_allocate(context, n + 1, sizeof(int), (void **)&hull->first));
    return ss_allocate(context, c, sizeof(int), (void **)&hull->around);
}

/* Newell's normal: twice the area of the projections. */
static void normal_of(const ss_hull *hull, int f, double n[3])
{
    int from = hull->begin[f], to = hull->begin[f + 1];
    const double *origin = hull->vertices + 3 * hull->corners[from];
    n[0] = n[1] = n[2] = 0;
    for (int k = from + 1; k + 1 < to; k++) {
        double e[3], g[3], m[3];
        ss_minus3(hull->vertices + 3 * hull->corners[k], origin, e);
        ss_minus3(hull->vertices + 3 * hull->corners[k + 1], origin, g);
        ss_cross3(e, g, m);
        ss_add3(n, m, n);
    }
    ss_unit3(n, n);
}

static void reverse(int *list, int count)
{
    for (int i = 0; i < count / 2; i++) {
        int swapped = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = swapped;
    }
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
            reverse(hull->corners + hull->begin[f - 1], c - hull->begin[f - 1]);
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

static void measure(ss_hull *hull)
{
    double low[3], high[3];
    ss_copy3(hull->vertices, low);
    ss_copy3(hull->vertices, high);
    for (int k = 0; k < 3 * hull->n_points; k++) {
        low[k % 3] = fmin(low[k % 3], hull->vertices[k]);
        high[k % 3] = fmax(high[k % 3], hull->vertices[k]);
    }
    ss_minus3(high, low, high);
    hull->size = ss_length3(high);
}

/* Sums the tetrahedra over the triangles of each face's fan. */
static void fill(ss_hull *hull)
{
    ss_solid_sums sums;
    ss_solid_begin(hull->vertices, &sums);
    for (int f = 0; f < hull->n_faces; f++)
        for (int k = hull->begin[f] + 1; k + 1 < hull->begin[f + 1]; k++)
            ss_solid_add(hull->vertices + 3 * hull->corners[hull->begin[f]],
                         hull->vertices + 3 * hull->corners[k],
                         hull->vertices + 3 * hull->corners[k + 1], &sums);
    ss_solid_end(&sums, &hull->solid);
}

static ss_status take(qhT *qh, ss_hull *hull, ss_context *context, int n_points,
                      const double *points)
{
    facetT *facet;
    vertexT *vertex;
    void *memory;
    int corners = 0;
    SS_TRY(ss_allocate(context, (size_t)n_points, sizeof(int), &memory));
    int *indices = memory;
    FORALLvertices indices[qh_pointid(qh, vertex->point)] = 1;
    hull->n_points = hull->n_faces = 0;
    for (int i = 0; i < n_points; i++)
        indices[i] = indices[i] ? hull->n_points++ : -1;
    FORALLfacets
    {
        hull->n_faces++;
        corners += qh_setsize(qh, facet->vertices);
    }
    ss_status status = allocate(hull, context, corners);
    if (status == SS_OK) {
        for (int i = 0; i < n_points; i++)
            if (indices[i] >= 0)
                ss_copy3(points + 3 * i, hull->vertices + 3 * indices[i]);
        read_faces(qh, hull, indices);
        list_around(hull);
        measure(hull);
        fill(hull);
    }
    ss_release(context, indices);
    return status;
}

/* qhull writes its messages to a file; ours says all that is needed. */
static ss_status run(ss_hull *hull, ss_context *context, const ss_shape_setup *setup, FILE *silent,
                     int n_points, double *points)
{
    qhT memory, *qh = &memory;
    int current, total;
    char command[] = "qhull";
    qh_zero(qh, silent);
    int code = qh_new_qhull(qh, 3, n_points, points, False, command, silent, silent);
    ss_status status = SS_OK;
    if (code == qh_ERRmem)
        status = ss_fail_at(context, SS_MEMORY, setup->where, "%s: out of memory", setup->owner);
    else if (code != 0)
        status = ss_fail_at(context, SS_INPUT, setup->where,
                            "%s: the points lie in a plane, or nearly; a hull needs four that do "
                            "not",
                            setup->owner);
    else
        status = take(qh, hull, context, n_points, points);
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &current, &total);
    return status;
}

ss_status ss_hull_build(ss_hull *hull, ss_context *context, const ss_shape_setup *setup,
                        int n_points, const double *points)
{
    void *copy;
    if (n_points < 4)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: %d points; a hull needs four or more", setup->owner, n_points);
    SS_TRY(ss_allocate(context, 3 * (size_t)n_points, sizeof(double), &copy));
    for (size_t i = 0; i < 3 * (size_t)n_points; i++)
        ((double *)copy)[i] = hull->scale * points[i];
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
