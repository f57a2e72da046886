/* pair_mesh_mesh.c: two meshes: corners of each against faces of the other, edges against edges (S7.3). */
#include "geometry/mesh/mesh_candidates.h"
#include "geometry/mesh/mesh_shape.h"
#include "geometry/vector.h"

#include <string.h>

enum { FACES = 16 };

/* Faces that are inclined by less lie on each other: all their corners contact. */
static const double FLAT = 0.02;

/* A face behind which a corner lies. */
typedef struct behind {
    int triangle;
    double h;    /* height above it, mostly negative */
    bool nearly; /* the corner is above others of a face that nearly lies on it */
} behind;

typedef struct search {
    const ss_mesh *a, *b; /* corners or edges of b are tried against a, in a's frame */
    const ss_pose *pose;  /* of b in it */
    bool turned;          /* a is the second of the two shapes */
    double margin, depth;
    ss_mesh_candidates *candidates; /* in the frame of the first shape */
    int point;                      /* of b, that is tried */
    double x[3];
    int n_faces;
    behind faces[FACES];
    int edge; /* of b, that is tried */
    double from[3], along[3];
} search;

/* From a's frame into that of the first shape, when a is the second. */
static void turn_point(const search *s, const double x[3], double y[3])
{
    double d[3];
    ss_minus3(x, s->pose->x, d);
    ss_pose_rotate_back(s->pose, d, y);
}

/* Contacts are found with n from a to b, in a's frame; wanted are they from the first shape to the second. */
static void add(const search *s, const ss_mesh_candidate *found)
{
    if (!s->turned) {
        ss_mesh_candidates_add(s->candidates, found);
        return;
    }
    ss_mesh_candidate candidate = *found;
    candidate.turned = true;
    ss_scale3(-1, found->contact.n, candidate.contact.n);
    ss_pose_rotate_back(s->pose, candidate.contact.n, candidate.contact.n);
    turn_point(s, found->contact.b, candidate.contact.a);
    turn_point(s, found->contact.a, candidate.contact.b);
    for (int side = 0; side < 2; side++) {
        candidate.count[side] = found->count[1 - side];
        for (int k = 0; k < candidate.count[side]; k++)
            turn_point(s, found->corners[1 - side][k], candidate.corners[side][k]);
    }
    ss_mesh_candidates_add(s->candidates, &candidate);
}

/* Whether x is above a triangle or below it; valleys reach into the material of both their sides. */
static bool over(const search *s, int triangle, const double x[3])
{
    const ss_mesh *mesh = s->a;
    const double *n = ss_mesh_normal(mesh, triangle);
    for (int k = 0; k < 3; k++) {
        const double *p = ss_mesh_corner(mesh, triangle, k);
        double e[3], d[3], m[3];
        bool valley =
            mesh->edges[mesh->sides[3 * (size_t)triangle + (size_t)k]].bend == SS_BEND_CONCAVE;
        ss_minus3(ss_mesh_corner(mesh, triangle, (k + 1) % 3), p, e);
        ss_minus3(x, p, d);
        ss_cross3(n, e, m);
        double slack = valley ? s->depth : 1e-9 * mesh->size;
        if (ss_dot3(m, d) < -slack * ss_length3(e))
            return false;
    }
    return true;
}

static void try_face(void *user, int triangle)
{
    search *s = user;
    const double *n = ss_mesh_normal(s->a, triangle);
    double d[3], back[3];
    ss_minus3(s->x, ss_mesh_corner(s->a, triangle, 0), d);
    double h = ss_dot3(n, d);
    if (!(h < s->margin) || h < -s->a->thickness || s->n_faces == FACES || !over(s, triangle, s->x))
        return;
    ss_scale3(-1, n, back);
    ss_pose_rotate_back(s->pose, back, back);
    bool pushes = ss_mesh_point_pushes(s->b, s->point, back);
    if (pushes || ss_mesh_point_nearly_pushes(s->b, s->point, back, FLAT))
        s->faces[s->n_faces++] = (behind){triangle, h, !pushes};
}

/* Two faces that stand before each other are two walls; otherwise the nearer one is the way out. */
static bool is_before(const ss_mesh *mesh, int face, int other)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double d[3];
        ss_minus3(ss_mesh_corner(mesh, face, k), ss_mesh_corner(mesh, other, 0), d);
        most = fmax(most, ss_dot3(ss_mesh_normal(mesh, other), d));
    }
    return most > 1e-6 * mesh->size;
}

static void add_corner(const search *s, const behind *face)
{
    const double *n = ss_mesh_normal(s->a, face->triangle);
    ss_mesh_candidate candidate = {
        .contact = {.gap = face->h}, .nearly = face->nearly, .count = {3, 1}};
    candidate.contact.feature = ss_mesh_feature(s->turned ? 5 : 4, (uint32_t)s->point,
                                                (uint32_t)s->a->patch[face->triangle]);
    ss_copy3(n, candidate.contact.n);
    ss_along3(s->x, -face->h, n, candidate.contact.a);
    ss_copy3(s->x, candidate.contact.b);
    for (int k = 0; k < 3; k++)
        ss_copy3(ss_mesh_corner(s->a, face->triangle, k), candidate.corners[0][k]);
    ss_copy3(s->x, candidate.corners[1][0]);
    add(s, &candidate);
}

static void try_corner(search *s, int point)
{
    ss_bounds box;
    int best = 0;
    s->point = point;
    s->n_faces = 0;
    ss_pose_point(s->pose, ss_mesh_point(s->b, point), s->x);
    double around = fmax(s->margin, s->depth); /* in a valley it may be beside both faces */
    for (int k = 0; k < 3; k++) {
        box.low[k] = s->x[k] - around;
        box.high[k] = s->x[k] + around;
    }
    ss_mesh_visit(s->a, &box, true, try_face, s);
    for (int i = 1; i < s->n_faces; i++)
        if (s->faces[i].h > s->faces[best].h)
            best = i;
    for (int i = 0; i < s->n_faces; i++) {
        int face = s->faces[i].triangle, nearest = s->faces[best].triangle;
        if (i == best || s->faces[i].h > s->candidates->sure ||
            (is_before(s->a, face, nearest) && is_before(s->a, nearest, face)))
            add_corner(s, &s->faces[i]);
    }
}

/* Closest points of two lines, as parts of the edges; false: they are parallel or pass beside each other. */
static bool cross(const search *s, const double p[3], const double e[3], double *t, double *u)
{
    double d[3], ee = ss_dot3(e, e), ff = ss_dot3(s->along, s->along), ef = ss_dot3(e, s->along);
    double det = ee * ff - ef * ef;
    if (det <= 1e-12 * ee * ff)
        return false;
    ss_minus3(s->from, p, d);
    double de = ss_dot3(d, e), df = ss_dot3(d, s->along);
    *t = (de * ff - df * ef) / det;
    *u = (de * ef - df * ee) / det;
    return *t > 1e-9 && *t < 1 - 1e-9 && *u > 1e-9 && *u < 1 - 1e-9;
}

/* Who follows contacts needs an edge before it can push. */
static bool edge_pushes(const search *s, const ss_mesh *mesh, int edge, const double d[3])
{
    return s->candidates->pool ? ss_mesh_edge_pushes(mesh, edge, d)
                               : ss_mesh_edge_nearly_pushes(mesh, edge, d, FLAT);
}

static void try_edges(const search *s, int edge)
{
    const ss_mesh_edge *mine = &s->a->edges[edge];
    const double *p = ss_mesh_point(s->a, mine->points[0]),
                 *q = ss_mesh_point(s->a, mine->points[1]);
    double e[3], back[3], t, u;
    ss_mesh_candidate candidate = {.count = {2, 2}};
    ss_contact_point contact = {.feature = ss_mesh_feature(6, (uint32_t)edge, (uint32_t)s->edge)};
    ss_minus3(q, p, e);
    if (mine->bend != SS_BEND_CONVEX || !cross(s, p, e, &t, &u))
        return;
    ss_cross3(e, s->along, contact.n);
    ss_unit3(contact.n, contact.n);
    if (ss_dot3(contact.n, ss_mesh_normal(s->a, mine->triangles[0])) +
            (mine->triangles[1] < 0
                 ? 0
                 : ss_dot3(contact.n, ss_mesh_normal(s->a, mine->triangles[1]))) <
        0)
        ss_scale3(-1, contact.n, contact.n);
    ss_along3(p, t, e, contact.a);
    ss_along3(s->from, u, s->along, contact.b);
    double d[3];
    ss_minus3(contact.b, contact.a, d);
    contact.gap = ss_dot3(contact.n, d);
    if (!(contact.gap < s->margin) || contact.gap < -s->depth ||
        !edge_pushes(s, s->a, edge, contact.n))
        return;
    ss_scale3(-1, contact.n, back);
    ss_pose_rotate_back(s->pose, back, back);
    if (!edge_pushes(s, s->b, s->edge, back))
        return;
    candidate.contact = contact;
    ss_copy3(p, candidate.corners[0][0]);
    ss_copy3(q, candidate.corners[0][1]);
    ss_copy3(s->from, candidate.corners[1][0]);
    ss_add3(s->from, s->along, candidate.corners[1][1]);
    add(s, &candidate);
}

static void try_triangle(void *user, int triangle)
{
    const search *s = user;
    for (int k = 0; k < 3; k++) {
        int edge = s->a->sides[3 * (size_t)triangle + (size_t)k];
        if (s->a->edges[edge].triangles[0] == triangle)
            try_edges(s, edge);
    }
}

static void try_edge(search *s, int edge)
{
    const ss_mesh_edge *e = &s->b->edges[edge];
    double to[3], more = fmax(s->margin, s->depth);
    ss_bounds box;
    if (e->bend != SS_BEND_CONVEX)
        return;
    s->edge = edge;
    ss_pose_point(s->pose, ss_mesh_point(s->b, e->points[0]), s->from);
    ss_pose_point(s->pose, ss_mesh_point(s->b, e->points[1]), to);
    ss_minus3(to, s->from, s->along);
    for (int k = 0; k < 3; k++) {
        box.low[k] = fmin(s->from[k], to[k]) - more;
        box.high[k] = fmax(s->from[k], to[k]) + more;
    }
    ss_mesh_visit(s->a, &box, false, try_triangle, s);
}

/* Corners, and once for the two meshes edges, of one triangle of b. */
static void visit(void *user, int triangle)
{
    search *s = user;
    for (int k = 0; k < 3; k++) {
        size_t at = 3 * (size_t)triangle + (size_t)k;
        if (s->b->owner[s->b->corners[at]] == triangle)
            try_corner(s, s->b->corners[at]);
        if (!s->turned && s->b->edges[s->b->sides[at]].triangles[0] == triangle)
            try_edge(s, s->b->sides[at]);
    }
}

/* The triangles of b in the box around a. */
static void try_all(search *s)
{
    ss_pose back;
    ss_bounds box;
    ss_pose_between(s->pose, &ss_pose_here, &back);
    ss_mesh_shape_bounds(s->a, &back, &box);
    for (int k = 0; k < 3; k++) {
        box.low[k] -= s->margin;
        box.high[k] += s->margin;
    }
    ss_mesh_visit(s->b, &box, true, visit, s);
}

/* An order of the two that does not depend on which is named first: by numbers (ground, which is at rest, mostly has
 * more triangles, and its frame is the one to work in), then by place. */
static bool comes_first(const ss_mesh *a, const ss_pose *pose_a, const ss_mesh *b,
                        const ss_pose *pose_b)
{
    if (a->n_triangles != b->n_triangles)
        return a->n_triangles > b->n_triangles;
    if (a->n_points != b->n_points)
        return a->n_points > b->n_points;
    int order = a == b ? 0 : memcmp(a->points, b->points, 3 * (size_t)a->n_points * sizeof(double));
    return order ? order < 0 : memcmp(pose_a, pose_b, sizeof *pose_a) < 0;
}

/* Everything that meets, in the frame of the first. */
static void find_ways(const ss_mesh *first, const ss_pose *at, const ss_mesh *second,
                      const ss_pose *other, double margin, ss_mesh_candidates *candidates)
{
    ss_pose there, back;
    ss_pose_between(at, other, &there);
    ss_pose_between(other, at, &back);
    search s = {.a = first,
                .b = second,
                .pose = &there,
                .margin = margin,
                .depth = fmin(first->thickness, second->thickness),
                .candidates = candidates};
    try_all(&s);
    s.a = second;
    s.b = first;
    s.pose = &back;
    s.turned = true;
    try_all(&s);
}

void ss_pair_mesh_mesh(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                       const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                       void *user)
{
    bool turn = !comes_first(ss_shape_mesh(a), pose_a, ss_shape_mesh(b), pose_b);
    const ss_mesh *first = ss_shape_mesh(turn ? b : a), *second = ss_shape_mesh(turn ? a : b);
    const ss_pose *at = turn ? pose_b : pose_a, *other = turn ? pose_a : pose_b;
    ss_mesh_pool pool;
    ss_mesh_candidates candidates;
    ss_mesh_pool_begin(&pool, at, fmin(first->size, second->size), receive, user);
    pool.turned = turn;
    pool.merge = true;
    candidates.pool = &pool;
    candidates.size = pool.size;
    candidates.sure = INFINITY;
    candidates.count = 0;
    find_ways(first, at, second, other, margin, &candidates);
    ss_mesh_candidates_give(&candidates);
    ss_mesh_pool_give(&pool);
}

int ss_mesh_mesh_follow(const ss_mesh *a, const ss_pose *pose_a, const ss_mesh *b,
                        const ss_pose *pose_b, double margin, int capacity,
                        ss_contact_point *contacts)
{
    ss_mesh_candidates candidates;
    candidates.pool = NULL;
    candidates.size = fmin(a->size, b->size);
    candidates.sure = -1e-4 * candidates.size;
    candidates.count = 0;
    find_ways(a, pose_a, b, pose_b, margin, &candidates);
    return ss_mesh_candidates_nearest(&candidates, pose_a, capacity, contacts);
}
