/* fuzz_mesh.c: any bytes as an OBJ or STL file, told apart by the first one. What is accepted must be a mesh that a ball
 * and the mesh itself can contact. */
#include "base/context.h"
#include "geometry/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 20000, MOST_TRIANGLES = 200 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

static void receive(void *user, const ss_contact_point *contact)
{
    double square = 0;
    (void)user;
    for (int k = 0; k < 3; k++)
        square += contact->n[k] * contact->n[k];
    must(!(fabs(square - 1) > 1e-6));
}

static void check(const ss_mesh *mesh)
{
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        must(mesh->corners[i] >= 0 && mesh->corners[i] < mesh->n_points);
        must(mesh->sides[i] >= 0 && mesh->sides[i] < mesh->n_edges);
    }
}

/* At ordinary sizes: squares of 1e200 are no numbers. */
static void contact(ss_context *context, ss_mesh *mesh)
{
    static const ss_pose home = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (mesh->n_triangles > MOST_TRIANGLES || !(mesh->size > 1e-6 && mesh->size < 1e6))
        return;
    ss_pose there = home;
    there.x[2] = mesh->size / 4;
    const ss_type *type;
    must(ss_type_find(context, SS_TYPE_SHAPE, "mesh", (ss_location){0}, &type) == SS_OK);
    ss_shape shape = {(const ss_shape_ops *)type, mesh}, *ball = NULL;
    ss_args *args = NULL;
    if (ss_args_create(context, &args) == SS_OK &&
        ss_args_set_real(args, "radius", mesh->size / 2) == SS_OK &&
        ss_shape_create(context, "sphere", args, NULL, NULL, &ball) == SS_OK)
        ss_shapes_collide(&shape, &home, ball, &there, 0.1 * mesh->size, receive, NULL);
    ss_shapes_collide(&shape, &home, &shape, &there, 0.1 * mesh->size, receive, NULL);
    ss_shape_destroy(ball);
    ss_args_destroy(args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *context;
    ss_mesh mesh = {0};
    if (size < 1 || size > LONGEST || ss_context_create_bare(NULL, &context) != SS_OK)
        return 0;
    must(ss_register_builtin_shapes(context) == SS_OK);
    ss_mesh_source source = {.context = context};
    const char *name = data[0] == 'o' ? "fuzz.obj" : "fuzz.stl";
    ss_status status = ss_mesh_read(&source, name, (const char *)data + 1, size - 1);
    if (status == SS_OK)
        status = ss_mesh_build(&source, 1, 0, &mesh);
    if (status == SS_OK) {
        check(&mesh);
        contact(context, &mesh);
    } else {
        must(ss_context_message(context)[0] != '\0');
    }
    ss_mesh_release(&mesh, context);
    ss_mesh_source_release(&source);
    ss_context_destroy(context);
    return 0;
}
