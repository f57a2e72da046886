/* convex.c: the signed distance of two convex things, what they show each other, and the points where they contact. */
#include "geometry/pairs/convex.h"
#include "geometry/pairs/minkowski.h"
#include "la/elementary.h"

/* ---- What a convex thing shows ---- */

void ss_triangle_support(const void *self, const double d[3], double p[3])
{
    const ss_triangle *t = self;
    int best = 0;
    for (int i = 1; i < 3; i++)
        if (ss_dot3(t->corners[i], d) > ss_dot3(t->corners[best], d))
            best = i;
    ss_copy3(t->corners[best], p);
}

void ss_triangle_face(const void *self, const double d[3], ss_face *face)
{
    const ss_triangle *t = self;
    ss_normal3(t->corners[0], t->corners[1], t->corners[2], face->normal);
    ss_unit3(face->normal, face->normal);
    bool below = ss_dot3(face->normal, d) < 0;
    if (below)
        ss_scale3(-1, face->normal, face->normal);
    face->count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t k = below ? 2 - i : i; /* seen from the other side */
        ss_copy3(t->corners[k], face->points[i]);
        face->ids[i] = k;
    }
}

ss_convex ss_shape_convex(const ss_shape *shape, const ss_pose *pose)
{
    const ss_shape_ops *ops = shape->ops;
    return (ss_convex){
        .self = shape->self,
        .pose = pose,
        .support = ops->support,
        .face = ops->face,
        .radius = ops->radius ? ops->radius(shape->self) : 0,
        .sampled = !ops->face && !ops->strictly_convex,
    };
}

enum { SAMPLES = 8 };

/* How far points are from the first. */
static double size_of(int count, double (*p)[3])
{
    double size = 0;
    for (int i = 1; i < count; i++)
        size = fmax(size, ss_distance3(p[i], p[0]));
    return size;
}

/* What a core shows that is known by its farthest points alone: those of directions around d are the corners of a flat
 * face, if it is one. */
static void sample_face(const ss_convex *of, const double d[3], ss_face *face)
{
    const double tilt = 0.02, first = 0.3, eighth = 0.7853981633974483;
    double n[3], t[2][3], e[3], p[SAMPLES][3], q[3];
    ss_unit3(d, n);
    ss_tangents3(n, t[0], t[1]);
    for (int i = 0; i < SAMPLES; i++) {
        ss_along3(n, tilt * ss_cos(first + i * eighth), t[0], e);
        ss_along3(e, tilt * ss_sin(first + i * eighth), t[1], e);
        of->support(of->self, e, p[i]);
    }
    double size = size_of(SAMPLES, p);
    face->count = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        bool known = false;
        for (int k = 0; k < face->count; k++)
            known = known || ss_distance3(p[i], p[k]) <= 1e-9 * size;
        if (known)
            continue;
        ss_copy3(p[i], p[face->count]);
        face->ids[face->count++] = i;
    }
    for (int i = 1; i + 1 < face->count; i++) { /* twice the area of the polygon */
        double m[3];
        ss_normal3(p[0], p[i], p[i + 1], m);
        ss_add3(face->normal, m, face->normal);
    }
    bool flat = ss_unit3(face->normal, face->normal) > 1e-6 * size * size && face->count >= 3;
    if (flat) { /* a curved surface rises above its chords */
        of->support(of->self, face->normal, q);
        double height = ss_dot3(face->normal, q);
        for (int i = 0; i < face->count; i++)
            flat = flat && height - ss_dot3(face->normal, p[i]) <= 1e-9 * size;
    }
    if (!flat) {
        face->count = 1;
        face->ids[0] = 0;
        of->support(of->self, d, p[0]);
    }
    for (int i = 0; i < face->count; i++)
        ss_copy3(p[i], face->points[i]);
}

void ss_convex_shows(const ss_convex *of, const double d[3], ss_face *face)
{
    face->rim = 0;
    ss_copy3((double[]){0, 0, 0}, face->normal);
    if (of->face) {
        of->face(of->self, d, face);
    } else if (of->sampled) {
        sample_face(of, d, face);
    } else {
        face->count = 1;
        face->ids[0] = 0;
        of->support(of->self, d, face->points[0]);
    }
}

void ss_convex_face(const ss_convex *of, const double n[3], const double origin[3], ss_face *face)
{
    double d[3], offset[3];
    ss_pose_rotate_back(of->pose, n, d);
    ss_convex_shows(of, d, face);
    ss_minus3(of->pose->x, origin, offset);
    for (int i = 0; i < face->count; i++) {
        ss_pose_rotate(of->pose, face->points[i], face->points[i]);
        ss_add3(face->points[i], offset, face->points[i]);
    }
    ss_pose_rotate(of->pose, face->normal, face->normal);
}

/* ---- Signed distance ---- */

/* A direction that takes the two apart, the gap along it, and the simplex where that is taken. */
typedef struct separation {
    ss_simplex s;
    double n[3], gap;
} separation;

/* Takes the better of two: the gap along a direction is never above the distance. */
static void choose(const separation *other, separation *best)
{
    if (!(other->gap < best->gap))
        *best = *other;
}

/* Inside of C a point that is right across n need not be the nearest: at a corner it is the farthest around. */
static bool is_peak(const ss_difference *C, const double n[3], double g, double size)
{
    enum { DIRECTIONS = 6 };
    const double root = sqrt(0.75);
    const double around[DIRECTIONS][2] = {{1, 0},  {0.5, root},   {-0.5, root},
                                          {-1, 0}, {-0.5, -root}, {0.5, -root}};
    double t[2][3], d[3];
    ss_tangents3(n, t[0], t[1]);
    for (double turn = 1e-3; turn > 1e-6; turn *= 1e-2)
        for (int i = 0; i < DIRECTIONS; i++) {
            ss_vertex w;
            ss_tilt3(n, turn * around[i][0], t[0], turn * around[i][1], t[1], d);
            ss_difference_support(C, d, &w);
            if (ss_dot3(d, w.w) > g + 1e-13 * size)
                return false;
        }
    return true;
}

/* First roughly, which is enough where C is smooth, flat or ruled there; otherwise as far as it goes, and with a
 * second opinion. */
static void find_depth(const ss_difference *C, separation *best)
{
    static const double tolerances[] = {1e-4, 1e-6, 0};
    const ss_simplex start = best->s;
    double size = ss_simplex_extent(&start);
    separation found;
    best->gap = -INFINITY;
    for (int i = 0; i < 3; i++) {
        found.s = start;
        ss_epa(C, tolerances[i] * size, &found.s, found.n);
        bool sure = ss_refine(C, &found.s, found.n, &found.gap);
        choose(&found, best);
        if (sure && is_peak(C, best->n, best->gap, size))
            return;
    }
    if (ss_mpr(C, &found.s, found.n)) {
        ss_refine(C, &found.s, found.n, &found.gap);
        choose(&found, best);
    }
}

static bool find_distance(const ss_difference *C, double margin, separation *best)
{
    static const double tolerances[] = {1e-2, 1e-6, 1e-14};
    for (int i = 0; i < 3; i++) {
        ss_gjk_result result = ss_gjk(C, margin, tolerances[i], &best->s, best->n);
        double v[3];
        if (result == SS_GJK_FAR)
            return false;
        ss_simplex_point(&best->s, v);
        /* so near that the direction between the points is rounding: the surface gives it */
        if (result == SS_GJK_TOGETHER || ss_length3(v) < 1e-9 * ss_simplex_extent(&best->s)) {
            find_depth(C, best);
            break;
        }
        separation other = {.s = best->s};
        if (ss_refine(C, &best->s, best->n, &best->gap))
            break;
        if (result == SS_GJK_STALLED) {
            find_depth(C, &other);
            if (other.gap > best->gap + 1e-12 * ss_simplex_extent(&best->s))
                *best = other;
            break;
        }
    }
    return best->gap <= margin;
}

/* From the cores, relative to A's origin, to the surfaces in space. */
static void round_off(const ss_convex *a, const ss_convex *b, ss_contact_point *contact)
{
    contact->gap -= a->radius + b->radius;
    ss_along3(contact->a, a->radius, contact->n, contact->a);
    ss_along3(contact->b, -b->radius, contact->n, contact->b);
    ss_add3(contact->a, a->pose->x, contact->a);
    ss_add3(contact->b, a->pose->x, contact->b);
}

bool ss_convex_distance(const ss_convex *a, const ss_convex *b, double margin,
                        ss_contact_point *contact)
{
    ss_difference C = {a, b, {0}};
    separation best;
    double rounding = a->radius + b->radius;
    ss_minus3(b->pose->x, a->pose->x, C.offset);
    if (!find_distance(&C, margin + rounding, &best) || best.gap - rounding >= margin)
        return false;
    *contact = (ss_contact_point){.gap = best.gap};
    ss_copy3(best.n, contact->n);
    ss_copy3(best.s.v[0].a, contact->a);
    ss_copy3(best.s.v[0].b, contact->b);
    round_off(a, b, contact);
    return true;
}

/* ---- Contact points ---- */

int ss_convex_collide(const ss_convex *a, const ss_convex *b, double margin,
                      ss_contact_point contacts[SS_CONTACT_POINTS_MAX])
{
    ss_contact_point closest;
    if (!ss_convex_distance(a, b, margin, &closest))
        return 0;
    contacts[0] = closest;
    ss_face face_a, face_b;
    double back[3];
    ss_scale3(-1, closest.n, back);
    ss_convex_face(a, closest.n, a->pose->x, &face_a);
    ss_convex_face(b, back, a->pose->x, &face_b);
    if (face_a.count < 2 || face_b.count < 2)
        return 1;
    int count =
        ss_manifold(&face_a, &face_b, closest.n, margin + (a->radius + b->radius), contacts);
    for (int i = 0; i < count; i++)
        round_off(a, b, &contacts[i]);
    double size = fmin(size_of(face_a.count, face_a.points), size_of(face_b.count, face_b.points));
    /* the closest points belong to them, where no corner of the faces is as deep (on a rim) */
    if (closest.gap >= ss_least_gap(count, contacts) - 1e-9 * size)
        return count;
    contacts[count] = closest;
    return ss_reduce(count + 1, contacts, closest.n, size);
}

void ss_pair_convex_convex(const ss_shape_pair *pair)
{
    ss_convex a = ss_shape_convex(pair->a, pair->pose_a),
              b = ss_shape_convex(pair->b, pair->pose_b);
    ss_contact_point contacts[SS_CONTACT_POINTS_MAX];
    int count = ss_convex_collide(&a, &b, pair->margin, contacts);
    for (int i = 0; i < count; i++)
        ss_pair_send(pair, &contacts[i]);
}
