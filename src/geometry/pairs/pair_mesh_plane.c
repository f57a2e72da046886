/* pair_mesh_plane.c: the corners of a mesh below a plane. */
#include "geometry/mesh/mesh_pool.h"
#include "geometry/vector.h"

typedef struct search {
    const ss_mesh *mesh;
    double n[3], x[3]; /* the plane in the mesh's frame */
    double margin;
    ss_mesh_pool *pool;
} search;

static double height(const search *s, const double p[3])
{
    double d[3];
    ss_minus3(p, s->x, d);
    return ss_dot3(s->n, d);
}

static void try_point(const search *s, int point)
{
    const double *p = ss_mesh_point(s->mesh, point);
    ss_contact_point contact = {.gap = height(s, p), .feature = (uint32_t)point};
    if (!(contact.gap < s->margin))
        return;
    ss_scale3(-1, s->n, contact.n);
    ss_copy3(p, contact.a);
    ss_along3(p, -contact.gap, s->n, contact.b);
    ss_mesh_pool_add(s->pool, &contact, 0);
}

static bool above(const search *s, const ss_mesh_node *node)
{
    double lowest[3];
    for (int k = 0; k < 3; k++)
        lowest[k] = s->n[k] > 0 ? node->surface.low[k] : node->surface.high[k];
    return height(s, lowest) >= s->margin;
}

static void try_leaf(const search *s, const ss_mesh_node *node)
{
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++) {
            int triangle = s->mesh->order[i],
                point = s->mesh->corners[3 * (size_t)triangle + (size_t)k];
            if (s->mesh->owner[point] == triangle)
                try_point(s, point);
        }
}

void ss_pair_mesh_plane(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                        const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                        void *user)
{
    const ss_mesh *mesh = ss_shape_mesh(a);
    ss_mesh_pool pool;
    ss_pose plane;
    (void)b;
    ss_mesh_pool_begin(&pool, pose_a, mesh->size, receive, user);
    ss_pose_between(pose_a, pose_b, &plane);
    search s = {mesh,
                {plane.A[2], plane.A[5], plane.A[8]},
                {plane.x[0], plane.x[1], plane.x[2]},
                margin,
                &pool};
    int stack[64], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int at = stack[--depth];
        const ss_mesh_node *node = &mesh->nodes[at];
        if (above(&s, node))
            continue;
        if (node->second) {
            stack[depth++] = node->second;
            stack[depth++] = at + 1;
        } else {
            try_leaf(&s, node);
        }
    }
    ss_mesh_pool_give(&pool);
}
