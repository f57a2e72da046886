/* pair_mesh.c: a mesh against a plane and against a ball. */
#include "geometry/mesh/mesh_pool.h"

/* ---- A plane: the corners below it ---- */

void ss_pair_mesh_plane(const ss_shape_pair *pair)
{
    const ss_mesh *mesh = ss_shape_mesh(pair->a);
    ss_mesh_pool pool;
    ss_pose plane; /* in the mesh's frame */
    ss_mesh_pool_begin(&pool, pair, mesh->size);
    ss_pose_between(pair->pose_a, pair->pose_b, &plane);
    const double n[3] = {plane.A[2], plane.A[5], plane.A[8]};
    int stack[SS_MESH_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int at = stack[--depth];
        const ss_mesh_node *node = &mesh->nodes[at];
        double lowest[3];
        for (int k = 0; k < 3; k++)
            lowest[k] = n[k] > 0 ? node->surface.low[k] : node->surface.high[k];
        if (ss_height3(n, lowest, plane.x) >= pair->margin)
            continue;
        if (node->second) {
            stack[depth++] = node->second;
            stack[depth++] = at + 1;
            continue;
        }
        for (int i = 3 * node->first; i < 3 * (node->first + node->count); i++) {
            int triangle = mesh->order[i / 3], point = mesh->corners[3 * triangle + i % 3];
            const double *p = ss_mesh_point(mesh, point);
            ss_contact_point contact = {.gap = ss_height3(n, p, plane.x),
                                        .feature = (uint32_t)point};
            if (mesh->owner[point] != triangle || !(contact.gap < pair->margin))
                continue;
            ss_scale3(-1, n, contact.n);
            ss_copy3(p, contact.a);
            ss_along3(p, -contact.gap, n, contact.b);
            ss_mesh_pool_add(&pool, &contact, 0);
        }
    }
    ss_mesh_pool_give(&pool);
}

/* ---- A ball: every point of the surface where the distance from the centre is least among its neighbours contacts, if the
 * centre is in front of it. A centre behind the surface is pushed out by the shortest displacement. ---- */

/* The point of a triangle nearest to c, and what it lies on: the face, a side, a corner. */
typedef struct nearest {
    double p[3];
    enum { ON_FACE, ON_SIDE, ON_CORNER } on;
    int which; /* side or corner of the triangle, 0 to 2 */
} nearest;

typedef struct search {
    const ss_mesh *mesh;
    const double *c;
    double radius, margin, reach; /* farther triangles do not matter */
    ss_mesh_pool *pool;
    double least;  /* distance of the nearest triangle so far */
    int triangle;  /* that one */
    nearest place; /* its point */
} search;

static void nearest_on_side(const ss_mesh *mesh, int triangle, int side, const double c[3],
                            nearest *q)
{
    const double *a = ss_mesh_corner(mesh, triangle, side);
    const double *b = ss_mesh_corner(mesh, triangle, (side + 1) % 3);
    double e[3], d[3];
    ss_minus3(b, a, e);
    ss_minus3(c, a, d);
    double t = ss_dot3(d, e) / ss_dot3(e, e);
    if (t <= 0 || t >= 1) {
        *q = (nearest){.on = ON_CORNER, .which = t <= 0 ? side : (side + 1) % 3};
        ss_copy3(t <= 0 ? a : b, q->p);
    } else {
        *q = (nearest){.on = ON_SIDE, .which = side};
        ss_along3(a, t, e, q->p);
    }
}

/* The nearest point of a triangle; false: it is out of reach. Points on a side to rounding count to the face, so that no
 * gap opens between two triangles. */
static bool find_nearest(const search *s, int triangle, double h, nearest *best)
{
    const ss_mesh *mesh = s->mesh;
    const double *n = ss_mesh_normal(mesh, triangle);
    double least = INFINITY, far = s->reach * s->reach - h * h;
    for (int side = 0; side < 3; side++) {
        const double *a = ss_mesh_corner(mesh, triangle, side);
        double e[3], d[3], m[3];
        ss_minus3(ss_mesh_corner(mesh, triangle, (side + 1) % 3), a, e);
        ss_minus3(s->c, a, d);
        ss_cross3(n, e, m);
        double within = ss_dot3(m, d), length = fabs(e[0]) + fabs(e[1]) + fabs(e[2]);
        if (within >= -1e-12 * mesh->size * length)
            continue;
        if (within * within >= far * ss_dot3(e, e))
            return false;
        nearest q;
        nearest_on_side(mesh, triangle, side, s->c, &q);
        double square = ss_square3(q.p, s->c);
        if (square < least) {
            least = square;
            *best = q;
        }
    }
    if (least == INFINITY) {
        *best = (nearest){.on = ON_FACE};
        ss_along3(s->c, -h, n, best->p);
    }
    return least == INFINITY || least < s->reach * s->reach;
}

static void add(const search *s, const double p[3], const double n[3], double distance,
                uint32_t feature)
{
    ss_contact_point contact = {.gap = distance - s->radius, .feature = feature};
    if (!(contact.gap < s->margin))
        return;
    ss_copy3(n, contact.n);
    ss_copy3(p, contact.a);
    ss_along3(p, contact.gap, n, contact.b);
    ss_mesh_pool_add(s->pool, &contact, ss_dot3(n, p));
}

static void add_face(const search *s, int triangle, double h)
{
    const double *n = ss_mesh_normal(s->mesh, triangle);
    double p[3];
    ss_along3(s->c, -h, n, p);
    add(s, p, n, h, ss_mesh_feature(0, (uint32_t)s->mesh->patch[triangle], 0));
}

static double height_above(const search *s, int triangle)
{
    return ss_height3(ss_mesh_normal(s->mesh, triangle), s->c,
                      ss_mesh_corner(s->mesh, triangle, 0));
}

static void visit(void *user, int triangle)
{
    search *s = user;
    double h = height_above(s, triangle), d[3];
    if (fabs(h) >= s->reach)
        return;
    nearest q;
    if (!find_nearest(s, triangle, h, &q))
        return;
    ss_minus3(s->c, q.p, d);
    double distance = ss_unit3(d, d);
    if (distance < s->least) {
        s->least = distance;
        s->triangle = triangle;
        s->place = q;
    }
    size_t at = 3 * (size_t)triangle + (size_t)q.which;
    int edge = s->mesh->sides[at], point = s->mesh->corners[at];
    if (q.on == ON_FACE && h >= 0)
        add_face(s, triangle, h);
    else if (q.on == ON_SIDE && distance > 0 &&
             ss_mesh_edge_pushes(s->mesh, edge, d, SS_MESH_SLACK))
        add(s, q.p, d, distance, ss_mesh_feature(1, (uint32_t)edge, 0));
    else if (q.on == ON_CORNER && distance > 0 &&
             ss_mesh_point_pushes(s->mesh, point, d, SS_MESH_SLACK))
        add(s, q.p, d, distance, ss_mesh_feature(2, (uint32_t)point, 0));
}

static void push_out(search *s, int triangle)
{
    double h = height_above(s, triangle);
    if (h < 0 && h >= -s->mesh->thickness)
        add_face(s, triangle, h);
}

/* When the centre is behind the surface, only the nearest place counts. */
static void come_from_behind(search *s)
{
    size_t at = 3 * (size_t)s->triangle + (size_t)s->place.which;
    const ss_mesh_edge *edge = &s->mesh->edges[s->mesh->sides[at]];
    bool valley = s->place.on == ON_SIDE && edge->bend == SS_BEND_CONCAVE;
    if (height_above(s, s->triangle) >= 0 || (s->place.on != ON_FACE && !valley))
        return;
    s->pool->n_regions = 0;
    push_out(s, s->triangle);
    if (valley)
        push_out(s, edge->triangles[edge->triangles[0] == s->triangle]);
}

void ss_pair_mesh_sphere(const ss_shape_pair *pair)
{
    const ss_mesh *mesh = ss_shape_mesh(pair->a);
    double r = ((const ss_sphere *)pair->b->self)->radius, c[3];
    ss_mesh_pool pool;
    search s = {.mesh = mesh,
                .c = c,
                .radius = r,
                .margin = pair->margin,
                .reach = r + pair->margin,
                .pool = &pool,
                .least = INFINITY,
                .triangle = -1};
    ss_mesh_pool_begin(&pool, pair, fmin(mesh->size, r));
    ss_pose_point_back(pair->pose_a, pair->pose_b->x, c);
    ss_bounds box;
    ss_bounds_around(c, (double[]){s.reach, s.reach, s.reach}, &box);
    ss_mesh_visit(mesh, &box, false, visit, &s);
    if (s.triangle < 0 &&
        mesh->thickness > s.reach) { /* far from the surface: perhaps deep behind */
        s.reach = mesh->thickness;
        ss_bounds_around(c, (double[]){0, 0, 0}, &box);
        ss_mesh_visit(mesh, &box, true, visit, &s);
    }
    if (s.triangle >= 0)
        come_from_behind(&s);
    ss_mesh_pool_give(&pool);
}
