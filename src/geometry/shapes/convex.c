/* convex.c: the signed distance of two convex things. */
#include "geometry/pairs/manifold.h"
#include "geometry/pairs/minkowski.h"

static double extent(const ss_simplex *s)
{
    double size = 0;
    for (int i = 0; i < s->count; i++)
        size = fmax(size, fmax(ss_length3(s->v[i].a), ss_length3(s->v[i].b)));
    return size;
}

static double nearest_distance(const ss_simplex *s)
{
    double v[3] = {0};
    for (int i = 0; i < s->count; i++)
        ss_along3(v, s->weight[i], s->v[i].w, v);
    return ss_length3(v);
}

/* Takes the better of two ways out: g is never above the distance. */
static void choose(const ss_simplex *simplex, const double direction[3], double g, ss_simplex *s,
                   double n[3], double *gap)
{
    if (g < *gap)
        return;
    *s = *simplex;
    *gap = g;
    ss_copy3(direction, n);
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
            ss_along3(n, turn * around[i][0], t[0], d);
            ss_along3(d, turn * around[i][1], t[1], d);
            ss_unit3(d, d);
            ss_difference_support(C, d, &w);
            if (ss_dot3(d, w.w) > g + 1e-13 * size)
                return false;
        }
    return true;
}

/* First roughly, which is enough where C is smooth, flat or ruled there; otherwise as far as it goes, and with a
 * second opinion. */
static double depth(const ss_difference *C, ss_simplex *s, double n[3])
{
    static const double tolerances[] = {1e-4, 1e-6, 0};
    const ss_simplex start = *s;
    double size = extent(s), gap = -INFINITY, g, m[3];
    for (int i = 0; i < 3; i++) {
        ss_simplex found = start;
        ss_epa(C, tolerances[i] * size, &found, m);
        bool sure = ss_refine(C, &found, m, &g);
        choose(&found, m, g, s, n, &gap);
        if (sure && is_peak(C, n, gap, size))
            return gap;
    }
    ss_simplex found;
    if (ss_mpr(C, &found, m)) {
        ss_refine(C, &found, m, &g);
        choose(&found, m, g, s, n, &gap);
    }
    return gap;
}

static bool distance(const ss_difference *C, double margin, ss_simplex *s, double n[3], double *gap)
{
    static const double tolerances[] = {1e-2, 1e-6, 1e-14};
    for (int i = 0; i < 3; i++) {
        ss_gjk_result result = ss_gjk(C, margin, tolerances[i], s, n);
        if (result == SS_GJK_FAR)
            return false;
        /* so near that the direction between the points is rounding: the surface gives it */
        if (result == SS_GJK_TOGETHER || nearest_distance(s) < 1e-9 * extent(s)) {
            *gap = depth(C, s, n);
            return *gap <= margin;
        }
        ss_simplex other = *s;
        if (ss_refine(C, s, n, gap))
            break;
        if (result == SS_GJK_STALLED) {
            double m[3], g = depth(C, &other, m);
            if (g > *gap + 1e-12 * extent(s))
                choose(&other, m, g, s, n, gap);
            break;
        }
    }
    return *gap <= margin;
}

bool ss_convex_distance(const ss_convex *a, const ss_convex *b, double margin,
                        ss_contact_point *contact)
{
    ss_difference C = {a, b, {0}};
    ss_simplex s;
    double n[3], gap, rounding = a->radius + b->radius;
    ss_minus3(b->pose->x, a->pose->x, C.offset);
    if (!distance(&C, margin + rounding, &s, n, &gap) || gap - rounding >= margin)
        return false;
    contact->gap = gap - rounding;
    contact->feature = 0;
    ss_copy3(n, contact->n);
    ss_along3(s.v[0].a, a->radius, n, contact->a);
    ss_along3(s.v[0].b, -b->radius, n, contact->b);
    ss_add3(contact->a, a->pose->x, contact->a);
    ss_add3(contact->b, a->pose->x, contact->b);
    return true;
}

void ss_convex_shows(const ss_convex *of, const double d[3], ss_face *face)
{
    face->rim = 0;
    ss_copy3((double[]){0, 0, 0}, face->normal);
    if (of->face) {
        of->face(of->self, d, face);
    } else if (of->sampled) {
        ss_sampled_face(of, d, face);
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

static double face_size(const ss_face *face)
{
    double size = 0, d[3];
    for (int i = 1; i < face->count; i++) {
        ss_minus3(face->points[i], face->points[0], d);
        size = fmax(size, ss_length3(d));
    }
    return size;
}

/* The closest points belong to them, where no corner of the faces is as deep (on a rim). */
static int with_closest(int count, const ss_contact_point *closest, double size,
                        ss_contact_point *contacts)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, contacts[i].gap);
    if (closest->gap >= least - 1e-9 * size)
        return count;
    contacts[count] = *closest;
    return ss_reduce(count + 1, contacts, closest->n, size);
}

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
    double rounding = a->radius + b->radius;
    int count = ss_manifold(&face_a, &face_b, closest.n, margin + rounding, contacts);
    for (int i = 0; i < count; i++) {
        ss_contact_point *t = &contacts[i];
        t->gap -= rounding;
        ss_along3(t->a, a->radius, t->n, t->a);
        ss_along3(t->b, -b->radius, t->n, t->b);
        ss_add3(t->a, a->pose->x, t->a);
        ss_add3(t->b, a->pose->x, t->b);
    }
    double size = fmin(face_size(&face_a), face_size(&face_b));
    return with_closest(count, &closest, size, contacts);
}
