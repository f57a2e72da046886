/* pair_mesh_convex.c: a mesh and a convex shape, triangle by triangle. The closest points or the shortest way apart
 * give a normal; where the surface around the triangle could not push that way (an edge inside of a flat face, a
 * side that the neighbour covers) the face's own normal takes its place, for what lies above the triangle. */
#include "geometry/mesh/mesh_pool.h"
#include "geometry/pairs/convex.h"

enum { CANDIDATES = 16, DOUBTS = 64 };

/* A direction that the surface pushes to, with the gap along it. */
typedef struct candidate {
    double n[3], gap;
} candidate;

/* A triangle whose own normal is to be taken, with the gap along it. */
typedef struct doubt {
    int triangle;
    double gap;
} doubt;

typedef struct search {
    const ss_mesh *mesh;
    ss_convex convex; /* in the mesh's frame */
    double margin;
    ss_mesh_pool *pool;
    int n_candidates, n_doubts;
    candidate candidates[CANDIDATES];
    doubt doubts[DOUBTS];
} search;

/* How far the shape reaches along a direction of the mesh's frame. */
static double reach(const ss_convex *c, const double d[3], double p[3])
{
    ss_convex_support(c, d, p);
    ss_add3(p, c->pose->x, p);
    return ss_dot3(d, p) + c->radius;
}

static bool above_triangle(const ss_triangle *t, const double n[3], const double p[3], double size)
{
    for (int k = 0; k < 3; k++) {
        double e[3], d[3], m[3];
        ss_minus3(t->corners[(k + 1) % 3], t->corners[k], e);
        ss_minus3(p, t->corners[k], d);
        ss_cross3(n, e, m);
        if (ss_dot3(m, d) < -1e-9 * size * ss_length3(e))
            return false;
    }
    return true;
}

static int point_on_face(const search *s, const ss_triangle *t, const double n[3],
                         const double p[3], ss_contact_point *contact)
{
    double h = ss_height3(n, p, t->corners[0]);
    if (!(h - s->convex.radius < s->margin) || !above_triangle(t, n, p, s->pool->size))
        return 0;
    contact->gap = h;
    contact->feature = 2u << 30;
    ss_copy3(n, contact->n);
    ss_along3(p, -h, n, contact->a);
    ss_copy3(p, contact->b);
    return 1;
}

/* The lowest point is among them, also where it is no corner of a face (on a rim). */
static int with_lowest(const search *s, const ss_triangle *t, const double n[3], int count,
                       ss_contact_point contacts[SS_POOL_MAX])
{
    double back[3], p[3];
    ss_contact_point lowest;
    ss_scale3(-1, n, back);
    reach(&s->convex, back, p);
    if (count == SS_POOL_MAX || !point_on_face(s, t, n, p, &lowest))
        return count;
    for (int i = 0; i < count; i++)
        if (contacts[i].gap <= lowest.gap + 1e-9 * s->pool->size)
            return count;
    contacts[count] = lowest;
    return count + 1;
}

/* Along the normal of the face, for what lies above it. */
static int contact_face(const search *s, const ss_triangle *t, const double n[3],
                        ss_contact_point contacts[SS_POOL_MAX])
{
    ss_face mine, other;
    double back[3], size;
    int count;
    ss_scale3(-1, n, back);
    ss_triangle_face(t, n, &mine);
    ss_copy3(n, mine.normal);
    ss_convex_face(&s->convex, back, ss_pose_here.x, &other);
    if (other.count == 1)
        count = point_on_face(s, t, n, other.points[0], contacts);
    else
        count = ss_manifold_all(&mine, &other, n, s->margin + s->convex.radius, contacts, &size);
    count = with_lowest(s, t, n, count, contacts);
    for (int i = 0; i < count; i++) {
        contacts[i].gap -= s->convex.radius;
        ss_along3(contacts[i].b, -s->convex.radius, n, contacts[i].b);
    }
    return count;
}

/* Whether the triangle's edge or corner that is farthest along n can push that way. */
static bool pushes(const ss_mesh *mesh, int triangle, const double n[3])
{
    double h[3], most, scale = 0;
    for (int k = 0; k < 3; k++) {
        const double *p = ss_mesh_corner(mesh, triangle, k);
        h[k] = ss_height3(n, p, ss_mesh_corner(mesh, triangle, 0));
        scale = fmax(scale, ss_distance3(p, ss_mesh_corner(mesh, triangle, 0)));
    }
    most = fmax(h[0], fmax(h[1], h[2])) - 1e-7 * scale;
    for (int k = 0; k < 3; k++)
        if (h[k] >= most && h[(k + 1) % 3] >= most)
            return ss_mesh_edge_pushes(mesh, mesh->sides[3 * (size_t)triangle + (size_t)k], n,
                                       SS_MESH_SLACK);
    int corner = h[0] >= most ? 0 : h[1] >= most ? 1 : 2;
    return ss_mesh_point_pushes(mesh, mesh->corners[3 * (size_t)triangle + (size_t)corner], n,
                                SS_MESH_SLACK);
}

static void take_corners(const ss_mesh *mesh, int triangle, ss_triangle *t)
{
    for (int k = 0; k < 3; k++)
        ss_copy3(ss_mesh_corner(mesh, triangle, k), t->corners[k]);
}

/* The same from step to step, and on the whole of a flat piece of surface for the shape's own corners. */
static uint32_t feature_of(const ss_mesh *mesh, int triangle, uint32_t feature)
{
    uint32_t kind = feature >> 30, rest = feature & 0x3fffffff;
    if (kind == 1 && rest < 3)
        return ss_mesh_feature(1, (uint32_t)mesh->corners[3 * (size_t)triangle + rest], 0);
    return ss_mesh_feature(kind, (uint32_t)(kind == 3 ? triangle : mesh->patch[triangle]), rest);
}

static void add(const search *s, int triangle, int count, ss_contact_point *contacts)
{
    for (int i = 0; i < count; i++) {
        contacts[i].feature = feature_of(s->mesh, triangle, contacts[i].feature);
        ss_mesh_pool_add(s->pool, &contacts[i], ss_dot3(contacts[i].n, contacts[i].a));
    }
}

static void add_face(const search *s, int triangle)
{
    ss_contact_point contacts[SS_POOL_MAX];
    ss_triangle t;
    take_corners(s->mesh, triangle, &t);
    add(s, triangle, contact_face(s, &t, ss_mesh_normal(s->mesh, triangle), contacts), contacts);
}

static void remember(search *s, const double n[3], double gap)
{
    if (s->n_candidates == CANDIDATES)
        return;
    s->candidates[s->n_candidates].gap = gap;
    ss_copy3(n, s->candidates[s->n_candidates++].n);
}

/* A triangle in one plane with another that pushes along its normal: the shape lies on that plane. */
static bool is_known(const search *s, const double n[3], double gap)
{
    for (int i = 0; i < s->n_candidates; i++)
        if (fabs(s->candidates[i].gap - gap) <= 1e-9 * s->pool->size &&
            ss_dot3(s->candidates[i].n, n) > 1 - 1e-12)
            return true;
    return false;
}

static void visit(void *user, int triangle)
{
    search *s = user;
    const double *n = ss_mesh_normal(s->mesh, triangle);
    ss_triangle t;
    double back[3], p[3];
    take_corners(s->mesh, triangle, &t);
    ss_scale3(-1, n, back);
    double plane = ss_dot3(n, t.corners[0]), lowest = -reach(&s->convex, back, p) - plane;
    if (lowest >= s->margin || reach(&s->convex, n, p) <= plane)
        return;
    if (is_known(s, n, lowest)) {
        add_face(s, triangle);
        return;
    }
    ss_contact_point contacts[SS_CONTACT_POINTS_MAX];
    ss_convex thing = {&t, &ss_pose_here, ss_triangle_support, ss_triangle_face, 0};
    int count = ss_convex_collide(&thing, &s->convex, s->margin, contacts);
    if (count == 0)
        return;
    double gap = ss_least_gap(count, contacts), deepest = -s->mesh->thickness;
    if (ss_dot3(contacts[0].n, n) > 1 - 1e-12) {
        if (lowest < deepest)
            return;
        remember(s, n, lowest);
        add_face(s, triangle);
    } else if (pushes(s->mesh, triangle, contacts[0].n)) {
        if (gap < deepest)
            return;
        remember(s, contacts[0].n, gap);
        add(s, triangle, count, contacts);
    } else if (lowest >= deepest && s->n_doubts < DOUBTS) {
        s->doubts[s->n_doubts++] = (doubt){triangle, lowest};
    } else if (lowest >= deepest) {
        add_face(s, triangle); /* what finds no capacity is believed */
    }
}

/* Whether another direction that the surface pushes to leads out of a triangle sooner than its own normal. */
static bool leaves_sooner(const search *s, const doubt *of)
{
    for (int i = 0; i < s->n_candidates; i++) {
        const candidate *w = &s->candidates[i];
        double back[3], p[3], top = -INFINITY, slack = 1e-6 * s->pool->size;
        if (w->gap <= of->gap + slack)
            continue;
        for (int k = 0; k < 3; k++)
            top = fmax(top, ss_dot3(w->n, ss_mesh_corner(s->mesh, of->triangle, k)));
        ss_scale3(-1, w->n, back);
        if (-reach(&s->convex, back, p) - top >= w->gap - slack)
            return true;
    }
    return false;
}

void ss_pair_mesh_convex(const ss_shape_pair *pair)
{
    const ss_mesh *mesh = ss_shape_mesh(pair->a);
    ss_mesh_pool pool;
    ss_pose between;
    ss_bounds box;
    ss_pose_between(pair->pose_a, pair->pose_b, &between);
    search s = {.mesh = mesh,
                .convex = ss_shape_convex(pair->b, &between),
                .margin = pair->margin,
                .pool = &pool};
    ss_shape_bounds(pair->b, &between, &box);
    ss_mesh_pool_begin(&pool, pair, fmin(mesh->size, ss_distance3(box.high, box.low)));
    ss_bounds_grow(&box, pair->margin);
    ss_mesh_visit(mesh, &box, false, visit, &s);
    for (int i = 0; i < s.n_doubts; i++)
        if (!leaves_sooner(&s, &s.doubts[i]))
            add_face(&s, s.doubts[i].triangle);
    ss_mesh_pool_give(&pool);
}
