/* refine.c: the normal and the points to rounding. GJK and EPA come near by chords; here C is taken for what it is
 * around there: flat (the normal of a face that one of the two shows), smooth (Newton's method on the sphere of
 * directions), or ruled, i.e. straight along one direction and smooth across it. Since g(n) is a lower bound of
 * the distance, the larger g is always the better n. */
#include "contact/minkowski.h"

typedef struct guess {
    double n[3], g;
    ss_vertex w; /* where g(n) is taken */
    bool sure;   /* w, or what the simplex was replaced by, has the points to rounding */
} guess;

static void look(const ss_difference *C, const double n[3], guess *at)
{
    ss_copy3(n, at->n);
    ss_difference_support(C, n, &at->w);
    at->g = ss_dot3(n, at->w.w);
    at->sure = false;
}

static double scale_of(const ss_difference *C, const ss_simplex *s)
{
    double scale = ss_length3(C->offset);
    for (int i = 0; i < s->count; i++)
        scale = fmax(scale, fmax(ss_length3(s->v[i].a), ss_length3(s->v[i].b)));
    return scale;
}

/* The part of w across n: zero at the solution of a smooth C. */
static double across(const guess *at, double r[3])
{
    ss_along3(at->w.w, -at->g, at->n, r);
    return ss_length3(r);
}

static void turn(const double n[3], double x, const double t1[3], double y, const double t2[3],
                 double turned[3])
{
    ss_along3(n, x, t1, turned);
    ss_along3(turned, y, t2, turned);
    ss_unit3(turned, turned);
}

/* Newton's step to r(n) = 0; differences give the derivative. */
static bool newton_step(const ss_difference *C, const guess *at, guess *next)
{
    const double h = 1e-7;
    double t[2][3], r[3], J[2][2], turned[3];
    ss_tangents3(at->n, t[0], t[1]);
    across(at, r);
    double f[2] = {ss_dot3(t[0], r), ss_dot3(t[1], r)};
    for (int k = 0; k < 2; k++) {
        guess beside;
        turn(at->n, k == 0 ? h : 0, t[0], k == 1 ? h : 0, t[1], turned);
        look(C, turned, &beside);
        across(&beside, r);
        for (int i = 0; i < 2; i++)
            J[i][k] = (ss_dot3(t[i], r) - f[i]) / h;
    }
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    double x = -(J[1][1] * f[0] - J[0][1] * f[1]) / det;
    double y = -(J[0][0] * f[1] - J[1][0] * f[0]) / det;
    if (!(fabs(x) < 0.5 && fabs(y) < 0.5))
        return false;
    turn(at->n, x, t[0], y, t[1], turned);
    look(C, turned, next);
    return true;
}

static void smooth(const ss_difference *C, double scale, guess *best)
{
    guess at = *best, next;
    double r[3], rest = across(&at, r);
    for (int step = 0; step < 12 && rest > 1e-16 * scale; step++) {
        if (!newton_step(C, &at, &next))
            break;
        double left = across(&next, r);
        if (!(left < rest))
            break;
        at = next;
        rest = left;
    }
    at.sure = rest <= 1e-12 * scale;
    if (at.sure && at.g >= best->g - 1e-13 * scale)
        *best = at;
}

/* Both ends of what is straight along e. */
static void ends(const ss_difference *C, const double n[3], const double e[3], ss_vertex end[2])
{
    double d[3];
    ss_along3(n, 1e-6, e, d);
    ss_difference_support(C, d, &end[0]);
    ss_along3(n, -1e-6, e, d);
    ss_difference_support(C, d, &end[1]);
}

/* Turns n around e until tᵀw = 0, t = e × n: secant steps. */
static void turn_around(const ss_difference *C, const double e[3], double scale, guess *at)
{
    double t[3], x = 1e-4, f, n[3];
    ss_cross3(e, at->n, t);
    f = ss_dot3(t, at->w.w);
    for (int step = 0; step < 12 && fabs(f) > 1e-16 * scale; step++) {
        guess next;
        turn(at->n, x, t, 0, t, n);
        look(C, n, &next);
        ss_cross3(e, n, t);
        double f_next = ss_dot3(t, next.w.w), slope = (f_next - f) / x;
        if (fabs(f_next) >= fabs(f) && step > 0)
            return;
        *at = next;
        f = f_next;
        x = slope != 0 ? -f / slope : 0;
        if (!(fabs(x) < 0.5))
            return;
    }
}

static void ruled(const ss_difference *C, double scale, ss_simplex *s, guess *best)
{
    double e[3] = {0}, longest = 0, d[3];
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < i; k++) {
            ss_minus3(s->v[i].w, s->v[k].w, d);
            if (ss_length3(d) > longest) {
                longest = ss_length3(d);
                ss_copy3(d, e);
            }
        }
    if (longest <= 1e-6 * scale)
        return;
    guess at = *best;
    ss_simplex line = {.count = 2};
    for (int round = 0; round < 3; round++) {
        ss_unit3(e, e);
        ss_along3(at.n, -ss_dot3(e, at.n), e, d);
        ss_unit3(d, d);
        look(C, d, &at);
        turn_around(C, e, scale, &at);
        ends(C, at.n, e, line.v);
        ss_minus3(line.v[0].w, line.v[1].w, e);
        if (ss_length3(e) <= 1e-6 * scale)
            return;
    }
    double v[3];
    ss_simplex_nearest(&line, v);
    ss_along3(v, -at.g, at.n, v);
    at.sure = ss_length3(v) <= 1e-12 * scale;
    if (at.sure && at.g >= best->g - 1e-13 * scale) {
        *best = at;
        *s = line;
    }
}

/* The normal of the face that one of the two shows. */
static void face_normal(const ss_difference *C, const ss_convex *of, double sign, double scale,
                        guess *best)
{
    ss_face face;
    double d[3], n[3];
    if (!of->face)
        return;
    ss_scale3(sign, best->n, n);
    ss_pose_rotate_back(of->pose, n, d);
    of->face(of->self, d, &face);
    if (face.count < 3 || ss_dot3(face.normal, d) < 0.9)
        return;
    ss_pose_rotate(of->pose, face.normal, n);
    ss_scale3(sign, n, n);
    guess at;
    look(C, n, &at);
    if (at.g >= best->g - 1e-13 * scale)
        *best = at;
}

static bool narrow(const ss_simplex *s, bool of_a, double scale)
{
    for (int i = 1; i < s->count; i++) {
        double d[3];
        ss_minus3(of_a ? s->v[i].a : s->v[i].b, of_a ? s->v[0].a : s->v[0].b, d);
        if (ss_length3(d) > 1e-2 * scale)
            return false;
    }
    return true;
}

/* The simplex becomes one vertex: the pair of points, gap n apart. A point that is alone on its side is exact;
 * otherwise the weights of the simplex tell where on the common face or edge. */
static void settle(const guess *best, double scale, bool alone, ss_simplex *s)
{
    double a[3] = {0}, b[3] = {0};
    for (int i = 0; i < s->count; i++) {
        ss_along3(a, s->weight[i], s->v[i].a, a);
        ss_along3(b, s->weight[i], s->v[i].b, b);
    }
    bool narrow_a = narrow(s, true, scale), narrow_b = narrow(s, false, scale);
    if (alone || (narrow_a && narrow_b)) {
        ss_copy3(best->w.a, a);
        ss_copy3(best->w.b, b);
    }
    if (!alone && narrow_b && !narrow_a) {
        ss_copy3(best->w.b, b);
        ss_along3(b, -best->g, best->n, a);
    } else if (!alone && narrow_a && !narrow_b) {
        ss_copy3(best->w.a, a);
        ss_along3(a, best->g, best->n, b);
    }
    for (int i = 0; i < 3; i++) {
        double middle = 0.5 * (a[i] + b[i]);
        s->v[0].a[i] = middle - 0.5 * best->g * best->n[i];
        s->v[0].b[i] = middle + 0.5 * best->g * best->n[i];
    }
    ss_scale3(best->g, best->n, s->v[0].w);
    s->count = 1;
    s->weight[0] = 1;
}

bool ss_refine(const ss_difference *C, ss_simplex *s, double n[3], double *gap)
{
    guess best;
    double scale = scale_of(C, s), v[3] = {0};
    look(C, n, &best);
    face_normal(C, C->a, 1, scale, &best);
    face_normal(C, C->b, -1, scale, &best);
    for (int i = 0; i < s->count; i++)
        ss_along3(v, s->weight[i], s->v[i].w, v);
    /* the simplex is part of C: where g reaches it, that is the distance */
    bool sure = ss_dot3(best.n, v) - best.g <= 1e-13 * scale, alone = false;
    if (!sure) {
        smooth(C, scale, &best);
        alone = best.sure;
        if (!best.sure)
            ruled(C, scale, s, &best);
        sure = best.sure;
    }
    settle(&best, scale, alone, s);
    ss_copy3(best.n, n);
    *gap = best.g;
    return sure;
}
