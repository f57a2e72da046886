/* height_field.c: ground given by its heights over a grid. */
#include "geometry/mesh/mesh.h"

#include <stickslip/expression.h>

#include <float.h>
#include <math.h>

typedef struct height_field {
    ss_mesh mesh; /* first: see ss_shape_mesh */
    ss_matrix heights;
    ss_text height;
    ss_matrix cells;
    ss_matrix size;
    double thickness;
} height_field;

static const ss_key keys[] = {
    {"heights", SS_KEY_MATRIX, offsetof(height_field, heights), "", 0, 0, NULL, "m",
     "Heights z: one row for each y, from low to high, one column for each x; at least 2 × 2."},
    {"height", SS_KEY_EXPRESSION, offsetof(height_field, height), "", 0, 0, NULL, "m",
     "Instead of heights: a formula of x, y and the parameters."},
    {"cells", SS_KEY_REALS, offsetof(height_field, cells), "32", 1, 10000, NULL, "",
     "With height: the number of squares along x and y; one number for both, or two."},
    {"size", SS_KEY_REALS, offsetof(height_field, size), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Lengths along x and y; the middle is the origin."},
    {"thickness", SS_KEY_REAL, offsetof(height_field, thickness), "0", 0, INFINITY, NULL, "m",
     "How deep the material below is; 0: a tenth of the diagonal of the box around the ground."},
    {NULL},
};

/* The diagonals change their direction from square to square, so that none is preferred. */
static ss_status add_square(ss_mesh_source *source, int columns, int row, int column)
{
    int p = row * columns + column, q = p + 1, r = q + columns, s = p + columns;
    bool turned = (row + column) % 2;
    SS_TRY(ss_mesh_source_triangle(source, p, q, turned ? s : r));
    return turned ? ss_mesh_source_triangle(source, q, r, s)
                  : ss_mesh_source_triangle(source, p, r, s);
}

/* A grid of points, with the heights by rows or by a program of x and y. */
static ss_status fill(const height_field *h, int rows, int columns, const ss_program *program,
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
        for (int k = 0; k + 1 < columns; k++)
            SS_TRY(add_square(source, columns, i, k));
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
    void *frame = NULL;
    ss_resolver parameters = ss_scope_resolver(scope);
    SS_TRY(ss_graph_create(source->context, scope ? &parameters : NULL, &graph));
    ss_status status = compile(graph, &h->height, &program);
    if (status == SS_OK)
        status = ss_allocate(source->context, ss_program_frame(program), sizeof(double), &frame);
    if (status == SS_OK) {
        ss_program_prepare(program, frame);
        status = fill(h, (int)h->cells.values[h->cells.rows - 1] + 1, (int)h->cells.values[0] + 1,
                      program, frame, source);
    }
    ss_release(source->context, frame);
    ss_program_destroy(program);
    ss_graph_destroy(graph);
    return status;
}

static bool are_whole(const ss_matrix *numbers)
{
    for (int i = 0; i < numbers->rows; i++)
        if (numbers->values[i] != floor(numbers->values[i]))
            return false;
    return true;
}

static ss_status check(const height_field *h, ss_context *context, const ss_shape_setup *setup)
{
    bool formula = h->height.text != NULL;
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
    if (formula && !are_whole(&h->cells))
        return ss_fail_at(context, SS_INPUT, setup->where, "%s: 'cells' must be whole numbers",
                          setup->owner);
    if (h->size.rows != 2)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'size' is two lengths, along x and y, not %d", setup->owner,
                          h->size.rows);
    return SS_OK;
}

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    height_field *h = self;
    ss_mesh_source source = {.context = context, .where = setup->where};
    SS_TRY(check(h, context, setup));
    ss_status status = h->height.text
                           ? fill_by_formula(h, setup->scope, &source)
                           : fill(h, h->heights.rows, h->heights.columns, NULL, NULL, &source);
    if (status == SS_OK)
        status = ss_mesh_build(&source, 1, h->thickness, &h->mesh);
    ss_mesh_source_release(&source);
    return status;
}

const ss_shape_ops ss_shape_type_height_field = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "height_field",
             "Ground given by its heights over a grid.", sizeof(height_field), keys},
    .kind = SS_SHAPE_HEIGHT_FIELD,
    .init = init,
    .destroy = ss_mesh_shape_destroy,
    .bounds = ss_mesh_shape_bounds,
    .solid = ss_mesh_shape_solid,
    .triangles = ss_mesh_shape_triangles,
};
