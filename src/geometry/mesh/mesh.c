/* mesh.c: the shapes `mesh` and `height_field`, the triangles near a box, and which directions corners and edges can push to. */
#include "geometry/mesh/mesh.h"

#include <stickslip/expression.h>

#include <float.h>
#include <string.h>

typedef struct mesh_shape {
    ss_mesh mesh; /* first: see ss_shape_mesh */
    ss_text file;
    ss_matrix scale;
    double thickness;
    bool inside;
    ss_matrix points, triangles;
} mesh_shape;

static const ss_key mesh_keys[] = {
    {"file", SS_KEY_TEXT, offsetof(mesh_shape, file), "", 0, 0, NULL, "",
     "OBJ or STL file, told apart by the end of its name; relative to the scene's folder."},
    {"points", SS_KEY_MATRIX, offsetof(mesh_shape, points), "", 0, 0, NULL, "m",
     "Instead of a file: one row x, y, z for each point."},
    {"triangles", SS_KEY_MATRIX, offsetof(mesh_shape, triangles), "", 0, 0, NULL, "",
     "With points: one row of three points, counted from 0, for each triangle, counter-clockwise "
     "seen from outside."},
    {"scale", SS_KEY_REALS, offsetof(mesh_shape, scale), "1", 0, 0, NULL, "",
     "Factor of all coordinates, e.g. 1e-3 for a file in millimetres, or three along x, y and z; "
     "negative ones "
     "mirror."},
    {"thickness", SS_KEY_REAL, offsetof(mesh_shape, thickness), "0", 0, INFINITY, NULL, "m",
     "How deep the material behind a triangle is: what has come deeper is not pushed out. 0: a "
     "tenth of the "
     "smallest side of the box around a closed mesh, of the diagonal of an open one."},
    {"inside", SS_KEY_BOOL, offsetof(mesh_shape, inside), "false", 0, 0, NULL, "",
     "Turns all triangles round: the material is outside, as of a room or a drum."},
    {NULL},
};

static ss_status take_points(const mesh_shape *s, ss_mesh_source *source)
{
    if (s->points.columns != 3 || s->triangles.columns != 3)
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "a mesh needs a file, or points and triangles of three numbers each; there are "
            "%d × %d points and %d × %d triangles",
            s->points.rows, s->points.columns, s->triangles.rows, s->triangles.columns);
    for (int i = 0; i < s->points.rows; i++)
        SS_TRY(ss_mesh_source_point(source, s->points.values + 3 * (size_t)i));
    for (int i = 0; i < s->triangles.rows; i++) {
        const double *row = s->triangles.values + 3 * (size_t)i;
        for (int k = 0; k < 3; k++)
            if (!(row[k] >= 0 && row[k] < s->points.rows && row[k] == floor(row[k])))
                return ss_fail_at(source->context, SS_INPUT, source->where,
                                  "triangle %d has the corner %g; there are points 0 to %d", i,
                                  row[k], s->points.rows - 1);
        SS_TRY(ss_mesh_source_triangle(source, (int)row[0], (int)row[1], (int)row[2]));
    }
    return SS_OK;
}

static ss_status mesh_init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    mesh_shape *s = self;
    ss_mesh_source source = {.context = context,
                             .where = setup->where,
                             .hollow = s->inside,
                             .confined = setup->confined};
    double factors[3];
    SS_TRY(ss_mesh_scale(context, setup, &s->scale, factors));
    if (s->file.text && s->points.rows)
        return ss_fail_at(context, SS_INPUT, setup->where, "a mesh has a file or points, not both");
    ss_status status = s->file.text ? ss_mesh_read_file(&source, &s->file, setup->directory)
                                    : take_points(s, &source);
    ss_mesh_source_stretch(&source, factors);
    if (status == SS_OK)
        status = ss_mesh_build(&source, 1, s->thickness, &s->mesh);
    ss_mesh_source_release(&source);
    return status;
}

static void mesh_destroy(void *self, ss_context *context)
{
    ss_mesh_release(self, context);
}

/* The box around the turned box, which is quick and hardly larger. */
void ss_mesh_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_bounds *all = &((const ss_mesh *)self)->box;
    for (int i = 0; i < 3; i++) {
        double centre = pose->x[i], half = 0;
        for (int k = 0; k < 3; k++) {
            centre += pose->A[3 * i + k] * (all->low[k] + all->high[k]) / 2;
            half += fabs(pose->A[3 * i + k]) * (all->high[k] - all->low[k]) / 2;
        }
        box->low[i] = centre - half;
        box->high[i] = centre + half;
    }
}

static void mesh_solid(const void *self, ss_solid *solid)
{
    *solid = ((const ss_mesh *)self)->solid;
}

static ss_status mesh_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_mesh *mesh = self;
    SS_TRY(ss_triangles_allocate(context, mesh->n_points, mesh->n_triangles, t));
    memcpy(t->points, mesh->points, 3 * (size_t)mesh->n_points * sizeof *t->points);
    memcpy(t->corners, mesh->corners, 3 * (size_t)mesh->n_triangles * sizeof *t->corners);
    return SS_OK;
}

const ss_shape_ops ss_shape_type_mesh = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "mesh",
             "A surface of triangles from an OBJ or STL file; a body when it is closed.",
             sizeof(mesh_shape), mesh_keys},
    .kind = SS_SHAPE_MESH,
    .init = mesh_init,
    .destroy = mesh_destroy,
    .bounds = ss_mesh_bounds,
    .solid = mesh_solid,
    .triangles = mesh_triangles,
};

/* ---- Ground given by its heights ---- */

typedef struct height_field {
    ss_mesh mesh; /* first: see ss_shape_mesh */
    ss_matrix heights;
    ss_text height;
    ss_matrix cells;
    ss_matrix size;
    double thickness;
} height_field;

static const ss_key height_field_keys[] = {
    {"heights", SS_KEY_MATRIX, offsetof(height_field, heights), "", 0, 0, NULL, "m",
     "Heights z: one row for each y, from low to high, one column for each x; at least 2 × 2."},
    {"height", SS_KEY_EXPRESSION, offsetof(height_field, height), "", 0, 0, NULL, "m",
     "Instead of heights: a formula of x, y and the parameters."},
    {"cells", SS_KEY_REALS, offsetof(height_field, cells), "32", 1, 10000, NULL, "",
     "With height: the number of squares along x and y; one number for both, or two.", "height"},
    {"size", SS_KEY_REALS, offsetof(height_field, size), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Lengths along x and y; the middle is the origin."},
    {"thickness", SS_KEY_REAL, offsetof(height_field, thickness), "0", 0, INFINITY, NULL, "m",
     "How deep the material below is; 0: a tenth of the diagonal of the box around the ground."},
    {NULL},
};

/* A grid of points, with the heights by rows or by a program of x and y. The diagonals change their direction from
 * square to square, so that none is preferred. */
static ss_status fill_grid(const height_field *h, int rows, int columns, const ss_program *program,
                           double *frame, ss_mesh_source *source)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double point[3] = {h->size.values[0] * ((double)k / (columns - 1) - 0.5),
                               h->size.values[1] * ((double)i / (rows - 1) - 0.5), 0};
            if (program) {
                frame[0] = point[0];
                frame[1] = point[1];
                ss_program_run(program, frame);
                point[2] = ss_program_outputs(program, frame)[0];
            } else {
                point[2] = h->heights.values[(size_t)i * (size_t)columns + (size_t)k];
            }
            SS_TRY(ss_mesh_source_point(source, point));
        }
    for (int i = 0; i + 1 < rows; i++)
        for (int k = 0; k + 1 < columns; k++) {
            int p = i * columns + k, q = p + 1, r = q + columns, s = p + columns;
            bool turned = (i + k) % 2;
            SS_TRY(ss_mesh_source_triangle(source, p, q, turned ? s : r));
            SS_TRY(ss_mesh_source_triangle(source, turned ? q : p, r, s));
        }
    return SS_OK;
}

static ss_status compile(ss_graph *graph, const ss_text *text, ss_program **program)
{
    ss_node x, y, z;
    SS_TRY(ss_graph_variable(graph, "x", &x));
    SS_TRY(ss_graph_variable(graph, "y", &y));
    SS_TRY(ss_graph_parse(graph, text, &z));
    return ss_program_compile(graph, 1, &z, program);
}

static ss_status fill_by_formula(const height_field *h, const ss_scope *scope,
                                 ss_mesh_source *source)
{
    ss_graph *graph = NULL;
    ss_program *program = NULL;
    double *frame = NULL;
    ss_resolver parameters = ss_scope_resolver(scope);
    SS_TRY(ss_graph_create(source->context, scope ? &parameters : NULL, &graph));
    ss_status status = compile(graph, &h->height, &program);
    if (status == SS_OK)
        status = SS_NEW(source->context, ss_program_frame(program), &frame);
    if (status == SS_OK) {
        ss_program_prepare(program, frame);
        status = fill_grid(h, (int)h->cells.values[h->cells.rows - 1] + 1,
                           (int)h->cells.values[0] + 1, program, frame, source);
    }
    ss_release(source->context, frame);
    ss_program_destroy(program);
    ss_graph_destroy(graph);
    return status;
}

static ss_status check_keys(const height_field *h, ss_context *context, const ss_shape_setup *setup)
{
    bool formula = h->height.text != NULL, whole = true;
    for (int i = 0; i < h->cells.rows; i++)
        whole &= h->cells.values[i] == floor(h->cells.values[i]);
    if (formula == (h->heights.rows > 0))
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: either 'heights' or a 'height' of x and y is wanted", setup->owner);
    if (!formula && (h->heights.rows < 2 || h->heights.columns < 2))
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'heights' are a matrix of at least 2 × 2, not %d × %d", setup->owner,
                          h->heights.rows, h->heights.columns);
    if (formula && h->cells.rows > 2)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'cells' are one or two numbers, along x and y, not %d", setup->owner,
                          h->cells.rows);
    if (formula && !whole)
        return ss_fail_at(context, SS_INPUT, setup->where, "%s: 'cells' must be whole numbers",
                          setup->owner);
    if (h->size.rows != 2)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'size' is two lengths, along x and y, not %d", setup->owner,
                          h->size.rows);
    return SS_OK;
}

static ss_status height_field_init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    height_field *h = self;
    ss_mesh_source source = {.context = context, .where = setup->where};
    SS_TRY(check_keys(h, context, setup));
    ss_status status = h->height.text
                           ? fill_by_formula(h, setup->scope, &source)
                           : fill_grid(h, h->heights.rows, h->heights.columns, NULL, NULL, &source);
    if (status == SS_OK)
        status = ss_mesh_build(&source, 1, h->thickness, &h->mesh);
    ss_mesh_source_release(&source);
    return status;
}

const ss_shape_ops ss_shape_type_height_field = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "height_field",
             "Ground given by its heights over a grid.", sizeof(height_field), height_field_keys},
    .kind = SS_SHAPE_HEIGHT_FIELD,
    .init = height_field_init,
    .destroy = mesh_destroy,
    .bounds = ss_mesh_bounds,
    .solid = mesh_solid,
    .triangles = mesh_triangles,
};

/* ---- Triangles near a box ---- */

void ss_mesh_visit(const ss_mesh *mesh, const ss_bounds *box, bool deep, ss_mesh_visit_fn visit,
                   void *user)
{
    int stack[SS_MESH_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int at = stack[--depth];
        const ss_mesh_node *node = &mesh->nodes[at];
        if (!ss_bounds_overlap(deep ? &node->material : &node->surface, box))
            continue;
        if (node->second) {
            stack[depth++] = node->second;
            stack[depth++] = at + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            visit(user, mesh->order[i]);
    }
}

/* ---- Directions ---- */

bool ss_mesh_point_pushes(const ss_mesh *mesh, int point, const double d[3], double slope)
{
    const double *p = ss_mesh_point(mesh, point);
    for (int i = mesh->first[point]; i < mesh->first[point + 1]; i++) {
        double direction[3];
        ss_minus3(ss_mesh_point(mesh, mesh->around[i]), p, direction);
        if (ss_dot3(direction, d) > slope * ss_length3(direction))
            return false;
    }
    return ss_dot3(mesh->point_normals + 3 * (size_t)point, d) > 0; /* or it is the tip of a dent */
}

/* Into a triangle, across one of its edges. */
static void inward(const ss_mesh *mesh, const ss_mesh_edge *edge, int which, double direction[3])
{
    double along[3];
    ss_minus3(ss_mesh_point(mesh, edge->points[1]), ss_mesh_point(mesh, edge->points[0]), along);
    ss_cross3(ss_mesh_normal(mesh, edge->triangles[which]), along, direction);
    ss_unit3(direction, direction);
    if (which == 1)
        ss_scale3(-1, direction, direction);
}

bool ss_mesh_edge_pushes(const ss_mesh *mesh, int e, const double d[3], double slope)
{
    const ss_mesh_edge *edge = &mesh->edges[e];
    double direction[3];
    if (edge->bend != SS_BEND_CONVEX)
        return false;
    inward(mesh, edge, 0, direction);
    if (ss_dot3(direction, d) > slope)
        return false;
    if (edge->triangles[1] < 0)
        return ss_dot3(ss_mesh_normal(mesh, edge->triangles[0]), d) > -slope;
    inward(mesh, edge, 1, direction);
    return ss_dot3(direction, d) <= slope;
}
