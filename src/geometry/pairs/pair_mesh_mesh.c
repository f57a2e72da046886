/* pair_mesh_mesh.c: two meshes: corners of each against faces of the other, edges against edges (S7.3), without those contacts
 * that another one opens by a shorter displacement. */
#include "geometry/mesh/mesh_pool.h"

#include <string.h>

enum { FACES = 16, CANDIDATES = 128 };

/* Faces that are inclined by less lie on each other: all their corners contact. */
static const double FLAT = 0.02;

/* ---- Candidates ---- */

/* A contact, with the corners of what meets there on either mesh: 1 of a corner, 2 of an edge, 3 of a face. */
typedef struct candidate {
    ss_contact_point contact;
    bool turned; /* the face is the second mesh's */
    bool
        nearly; /* a corner above the deepest one of a face that nearly lies on the other: it goes with that one */
    int count[2];
    double corners[2][3][3];
} candidate;

/* All in the frame of the pool. */
typedef struct candidates {
    ss_mesh_pool *pool; /* NULL: for who follows contacts, and needs those that are open, too */
    double size;        /* of the smaller mesh, m */
    double sure;        /* contacts with larger gaps are kept, whatever else opens them, m */
    int count;
    candidate list[CANDIDATES];
} candidates;

/* Whether corners are all on the far side of the plane through `from` across n: `side` 1 in front of it, -1 behind. */
static bool all_beyond(int count, const double (*corners)[3], const double n[3],
                       const double from[3], double side, double slack)
{
    for (int k = 0; k < count; k++)
        if (side * ss_height3(n, corners[k], from) < -slack)
            return false;
    return true;
}

/* Whether the displacement along another contact's normal is shorter and opens this one, too: the planes across that normal
 * have what meets here on its two sides. Where surfaces are not convex, their parts stand before the planes of each
 * other, and every contact counts. */
static bool is_opened_by(const candidate *one, const candidate *other, double slack)
{
    const ss_contact_point *t = &other->contact;
    return !other->nearly && t->gap > one->contact.gap + slack &&
           all_beyond(one->count[0], one->corners[0], t->n, t->a, -1, slack) &&
           all_beyond(one->count[1], one->corners[1], t->n, t->b, 1, slack);
}

/* Whether a corner that only nearly pushes has lost the one it goes with. */
static bool is_left_alone(const candidates *all, const candidate *one, const bool *opened)
{
    for (int k = 0; one->nearly && k < all->count; k++)
        if (!opened[k] && !all->list[k].nearly &&
            ss_dot3(one->contact.n, all->list[k].contact.n) > 1 - 1e-9)
            return false;
    return one->nearly;
}

/* What opens one is not opened by it, so that the order does not matter. */
static void drop_opened(candidates *all)
{
    bool opened[CANDIDATES] = {false};
    double slack = 1e-6 * all->size;
    int count = 0;
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < all->count && !opened[i] && all->list[i].contact.gap <= all->sure; k++)
            opened[i] = is_opened_by(&all->list[i], &all->list[k], slack);
    for (int i = 0; i < all->count && all->pool; i++)
        opened[i] = opened[i] || is_left_alone(all, &all->list[i], opened);
    for (int i = 0; i < all->count; i++)
        if (!opened[i])
            all->list[count++] = all->list[i];
    all->count = count;
}

/* Gives what is left to the pool. The plane is that of the face; where two faces lie on each other that of the first mesh will
 * do for both. */
static void give(candidates *all)
{
    drop_opened(all);
    for (int i = 0; i < all->count; i++) {
        const ss_contact_point *t = &all->list[i].contact;
        double height = ss_dot3(t->n, t->a);
        if (all->list[i].turned && !ss_mesh_pool_region(all->pool, t->n, height))
            height = ss_dot3(t->n, t->b);
        ss_mesh_pool_add(all->pool, t, height);
    }
    all->count = 0;
}

/* The one with the smallest (sign 1) or the largest gap (-1). */
static int extreme(const candidates *all, double sign)
{
    int best = 0;
    for (int i = 1; i < all->count; i++)
        if (sign * all->list[i].contact.gap < sign * all->list[best].contact.gap)
            best = i;
    return best;
}

static void keep(candidates *all, const candidate *one)
{
    if (all->count == CANDIDATES)
        drop_opened(all);
    if (all->count == CANDIDATES &&
        !all->pool) { /* in the place of the farthest, if that is farther */
        candidate *farthest = &all->list[extreme(all, -1)];
        if (one->contact.gap < farthest->contact.gap)
            *farthest = *one;
        return;
    }
    if (all->count == CANDIDATES)
        give(all);
    all->list[all->count++] = *one;
}

/* Without a pool: those with the smallest gaps, each feature once, in space; how many. A corner above several triangles of a
 * flat piece of surface has one feature. */
static int list_nearest(candidates *all, const ss_pose *pose, int capacity,
                        ss_contact_point *contacts)
{
    int count = 0;
    drop_opened(all);
    while (count < capacity && all->count > 0) {
        int nearest = extreme(all, 1);
        const ss_contact_point *contact = &all->list[nearest].contact;
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || contacts[i].feature == contact->feature;
        if (!known)
            ss_contact_place(contact, pose, &contacts[count++]);
        all->list[nearest] = all->list[--all->count];
    }
    return count;
}

/* ---- The search ---- */

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
    candidates *candidates; /* in the frame of the first shape */
    int point;              /* of b, that is tried */
    double x[3];
    int n_faces;
    behind faces[FACES];
    int edge; /* of b, that is tried */
    double from[3], along[3];
} search;

/* Contacts are found with n from a to b, in a's frame; wanted are they from the first shape to the second, in the frame of the
 * first. */
static void add(const search *s, const candidate *found)
{
    if (!s->turned) {
        keep(s->candidates, found);
        return;
    }
    candidate other = *found;
    other.turned = true;
    ss_scale3(-1, found->contact.n, other.contact.n);
    ss_pose_rotate_back(s->pose, other.contact.n, other.contact.n);
    ss_pose_point_back(s->pose, found->contact.b, other.contact.a);
    ss_pose_point_back(s->pose, found->contact.a, other.contact.b);
    for (int side = 0; side < 2; side++) {
        other.count[side] = found->count[1 - side];
        for (int k = 0; k < other.count[side]; k++)
            ss_pose_point_back(s->pose, found->corners[1 - side][k], other.corners[side][k]);
    }
    keep(s->candidates, &other);
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
    double back[3], h = ss_height3(n, s->x, ss_mesh_corner(s->a, triangle, 0));
    if (!(h < s->margin) || h < -s->a->thickness || s->n_faces == FACES || !over(s, triangle, s->x))
        return;
    ss_scale3(-1, n, back);
    ss_pose_rotate_back(s->pose, back, back);
    bool pushes = ss_mesh_point_pushes(s->b, s->point, back, SS_MESH_SLACK);
    if (pushes || ss_mesh_point_pushes(s->b, s->point, back, FLAT))
        s->faces[s->n_faces++] = (behind){triangle, h, !pushes};
}

/* Two faces that stand before each other are two walls; otherwise the nearer one leads out. */
static bool is_before(const ss_mesh *mesh, int face, int other)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, ss_height3(ss_mesh_normal(mesh, other), ss_mesh_corner(mesh, face, k),
                                     ss_mesh_corner(mesh, other, 0)));
    return most > 1e-6 * mesh->size;
}

static void add_corner(const search *s, const behind *face)
{
    const double *n = ss_mesh_normal(s->a, face->triangle);
    candidate found = {.contact = {.gap = face->h}, .nearly = face->nearly, .count = {3, 1}};
    found.contact.feature = ss_mesh_feature(s->turned ? 5 : 4, (uint32_t)s->point,
                                            (uint32_t)s->a->patch[face->triangle]);
    ss_copy3(n, found.contact.n);
    ss_along3(s->x, -face->h, n, found.contact.a);
    ss_copy3(s->x, found.contact.b);
    for (int k = 0; k < 3; k++)
        ss_copy3(ss_mesh_corner(s->a, face->triangle, k), found.corners[0][k]);
    ss_copy3(s->x, found.corners[1][0]);
    add(s, &found);
}

static void try_corner(search *s, int point)
{
    ss_bounds box;
    int best = 0;
    s->point = point;
    s->n_faces = 0;
    ss_pose_point(s->pose, ss_mesh_point(s->b, point), s->x);
    double around = fmax(s->margin, s->depth); /* in a valley it may be beside both faces */
    ss_bounds_around(s->x, (double[]){around, around, around}, &box);
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
    return ss_mesh_edge_pushes(mesh, edge, d, s->candidates->pool ? SS_MESH_SLACK : FLAT);
}

static void try_edges(const search *s, int edge)
{
    const ss_mesh_edge *mine = &s->a->edges[edge];
    const double *p = ss_mesh_point(s->a, mine->points[0]),
                 *q = ss_mesh_point(s->a, mine->points[1]);
    double e[3], back[3], t, u;
    candidate found = {.count = {2, 2}};
    ss_contact_point contact = {.feature = ss_mesh_feature(6, (uint32_t)edge, (uint32_t)s->edge)};
    ss_minus3(q, p, e);
    if (mine->bend != SS_BEND_CONVEX || !cross(s, p, e, &t, &u))
        return;
    ss_cross3(e, s->along, contact.n);
    ss_unit3(contact.n, contact.n);
    double out = ss_dot3(contact.n, ss_mesh_normal(s->a, mine->triangles[0]));
    if (mine->triangles[1] >= 0)
        out += ss_dot3(contact.n, ss_mesh_normal(s->a, mine->triangles[1]));
    if (out < 0)
        ss_scale3(-1, contact.n, contact.n);
    ss_along3(p, t, e, contact.a);
    ss_along3(s->from, u, s->along, contact.b);
    contact.gap = ss_height3(contact.n, contact.b, contact.a);
    if (!(contact.gap < s->margin) || contact.gap < -s->depth ||
        !edge_pushes(s, s->a, edge, contact.n))
        return;
    ss_scale3(-1, contact.n, back);
    ss_pose_rotate_back(s->pose, back, back);
    if (!edge_pushes(s, s->b, s->edge, back))
        return;
    found.contact = contact;
    ss_copy3(p, found.corners[0][0]);
    ss_copy3(q, found.corners[0][1]);
    ss_copy3(s->from, found.corners[1][0]);
    ss_add3(s->from, s->along, found.corners[1][1]);
    add(s, &found);
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
    double to[3];
    ss_bounds box;
    if (e->bend != SS_BEND_CONVEX)
        return;
    s->edge = edge;
    ss_pose_point(s->pose, ss_mesh_point(s->b, e->points[0]), s->from);
    ss_pose_point(s->pose, ss_mesh_point(s->b, e->points[1]), to);
    ss_minus3(to, s->from, s->along);
    for (int k = 0; k < 3; k++) {
        box.low[k] = fmin(s->from[k], to[k]);
        box.high[k] = fmax(s->from[k], to[k]);
    }
    ss_bounds_grow(&box, fmax(s->margin, s->depth));
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
    ss_bounds_grow(&box, s->margin);
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
static void find_candidates(const ss_mesh *first, const ss_pose *at, const ss_mesh *second,
                            const ss_pose *other, double margin, candidates *all)
{
    ss_pose there, back;
    ss_pose_between(at, other, &there);
    ss_pose_between(other, at, &back);
    all->count = 0;
    all->size = fmin(first->size, second->size);
    search s = {.a = first,
                .b = second,
                .pose = &there,
                .margin = margin,
                .depth = fmin(first->thickness, second->thickness),
                .candidates = all};
    try_all(&s);
    s.a = second;
    s.b = first;
    s.pose = &back;
    s.turned = true;
    try_all(&s);
}

void ss_pair_mesh_mesh(const ss_shape_pair *given)
{
    ss_shape_pair pair = *given;
    if (!comes_first(ss_shape_mesh(pair.a), pair.pose_a, ss_shape_mesh(pair.b), pair.pose_b))
        pair = (ss_shape_pair){given->b,      given->a,       given->pose_b,  given->pose_a,
                               given->margin, !given->turned, given->receive, given->user};
    const ss_mesh *first = ss_shape_mesh(pair.a), *second = ss_shape_mesh(pair.b);
    ss_mesh_pool pool;
    candidates all;
    ss_mesh_pool_begin(&pool, &pair, fmin(first->size, second->size));
    pool.merge = true;
    all.pool = &pool;
    all.sure = INFINITY;
    find_candidates(first, pair.pose_a, second, pair.pose_b, pair.margin, &all);
    give(&all);
    ss_mesh_pool_give(&pool);
}

int ss_mesh_mesh_follow(const ss_mesh *a, const ss_pose *pose_a, const ss_mesh *b,
                        const ss_pose *pose_b, double margin, int capacity,
                        ss_contact_point *contacts)
{
    candidates all;
    all.pool = NULL;
    all.sure = -1e-4 * fmin(a->size, b->size);
    find_candidates(a, pose_a, b, pose_b, margin, &all);
    return list_nearest(&all, pose_a, capacity, contacts);
}
