/* pair_mesh_sphere.c: a mesh and a ball. Every place of the surface where the distance from the centre is least
 * among its neighbours contacts, if the centre is in front of it. A centre behind the surface is pushed out the
 * shortest way. */
#include "geometry/mesh/mesh_pool.h"
#include "geometry/vector.h"

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

static double square_distance(const double p[3], const double q[3])
{
    double d[3];
    ss_minus3(p, q, d);
    return ss_dot3(d, d);
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
        double square = square_distance(q.p, s->c);
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
    double d[3];
    ss_minus3(s->c, ss_mesh_corner(s->mesh, triangle, 0), d);
    return ss_dot3(ss_mesh_normal(s->mesh, triangle), d);
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
    else if (q.on == ON_SIDE && distance > 0 && ss_mesh_edge_pushes(s->mesh, edge, d))
        add(s, q.p, d, distance, ss_mesh_feature(1, (uint32_t)edge, 0));
    else if (q.on == ON_CORNER && distance > 0 && ss_mesh_point_pushes(s->mesh, point, d))
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
    if (s->triangle < 0 || height_above(s, s->triangle) >= 0 || (s->place.on != ON_FACE && !valley))
        return;
    s->pool->n_regions = 0;
    push_out(s, s->triangle);
    if (valley)
        push_out(s, edge->triangles[edge->triangles[0] == s->triangle]);
}

static ss_bounds box_around(const double c[3], double half)
{
    return (ss_bounds){{c[0] - half, c[1] - half, c[2] - half},
                       {c[0] + half, c[1] + half, c[2] + half}};
}

void ss_pair_mesh_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                         const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                         void *user)
{
    const ss_mesh *mesh = ss_shape_mesh(a);
    double r = ((const ss_sphere *)b->self)->radius, offset[3], c[3];
    ss_mesh_pool pool;
    search s = {
        .mesh = mesh, .c = c, .radius = r, .margin = margin, .reach = r + margin, .pool = &pool};
    ss_mesh_pool_begin(&pool, pose_a, fmin(mesh->size, r), receive, user);
    ss_minus3(pose_b->x, pose_a->x, offset);
    ss_pose_rotate_back(pose_a, offset, c);
    s.least = INFINITY;
    s.triangle = -1;
    ss_bounds box = box_around(c, s.reach);
    ss_mesh_visit(mesh, &box, false, visit, &s);
    if (s.triangle < 0 &&
        mesh->thickness > s.reach) { /* far from the surface: perhaps deep behind it */
        s.reach = mesh->thickness;
        box = box_around(c, 0);
        ss_mesh_visit(mesh, &box, true, visit, &s);
    }
    if (s.triangle >= 0)
        come_from_behind(&s);
    ss_mesh_pool_give(&pool);
}
