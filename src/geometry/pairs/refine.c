/* refine.c: the normal and the points to rounding. GJK and EPA come near by chords; here C is taken for what it is
 * around there: flat (the normal of a face that one of the two shows), smooth (Newton's method on the sphere of
 * directions), or ruled, i.e. straight along one direction and smooth across it. Since g(n) is a lower bound of
 * the distance, the larger g is always the better n. */
#include "geometry/pairs/minkowski.h"

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

/* w - g n: the part of w across n, zero at the solution of a smooth C. */
static double across(const guess *at, double r[3])
{
    ss_along3(at->w.w, -at->g, at->n, r);
    return ss_length3(r);
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
        ss_tilt3(at->n, k == 0 ? h : 0, t[0], k == 1 ? h : 0, t[1], turned);
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
    ss_tilt3(at->n, x, t[0], y, t[1], turned);
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

/* What is straight along e at n: its two ends, found by tilting n a little to either side. */
typedef struct rule {
    ss_vertex end[2];
    double a[3], b[3];           /* from end to end */
    bool straight_a, straight_b; /* does A's, B's end move? */
} rule;

static void ends(const ss_difference *C, const double n[3], const double e[3], double tilt,
                 double scale, rule *R)
{
    double d[3];
    ss_along3(n, -tilt, e, d);
    ss_difference_support(C, d, &R->end[0]);
    ss_along3(n, tilt, e, d);
    ss_difference_support(C, d, &R->end[1]);
    ss_minus3(R->end[1].a, R->end[0].a, R->a);
    ss_minus3(R->end[1].b, R->end[0].b, R->b);
    double least = fmax(1e-3, 4 * tilt) * scale; /* a smooth one moves by tilt times its radius */
    R->straight_a = ss_length3(R->a) > least;
    R->straight_b = ss_length3(R->b) > least;
}

/* The longest displacement between two points of A (or B) in the simplex. */
static double longest_edge(const ss_simplex *s, bool of_b, double e[3])
{
    double longest = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < i; k++) {
            double d[3];
            ss_minus3(of_b ? s->v[i].b : s->v[i].a, of_b ? s->v[k].b : s->v[k].a, d);
            if (ss_length3(d) > longest) {
                longest = ss_length3(d);
                ss_copy3(d, e);
            }
        }
    ss_unit3(e, e);
    return longest;
}

/* Turns n around e until tᵀw = 0, t = e × n: secant steps. */
static void turn_around(const ss_difference *C, const double e[3], double scale, guess *at)
{
    double t[3], x = 1e-4, f, n[3];
    ss_cross3(e, at->n, t);
    f = ss_dot3(t, at->w.w);
    for (int step = 0; step < 12 && fabs(f) > 1e-16 * scale; step++) {
        guess next;
        ss_tilt3(at->n, x, t, 0, t, n);
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

/* Where on the straight part the points are: what is left of b - a along e has to vanish. */
static bool place_on(const rule *R, guess *at, double scale)
{
    double x[2] = {0, 0}, d[3];
    const double *along = R->straight_a ? R->a : R->b;
    double square = ss_dot3(along, along);
    if (R->straight_a)
        ss_copy3(R->end[0].a, at->w.a);
    if (R->straight_b)
        ss_copy3(R->end[0].b, at->w.b);
    ss_minus3(at->w.b, at->w.a, d);
    double t = ss_dot3(along, d) / square; /* of A's straight part, or of B's back */
    if (R->straight_a && R->straight_b) {  /* the middle of what they have in common */
        double length = ss_dot3(R->b, along) / square;
        double low = fmax(0, fmin(t, t + length)), high = fmin(1, fmax(t, t + length));
        x[0] = 0.5 * (low + high);
        x[1] = (x[0] - t) / length;
    } else {
        x[R->straight_b] = R->straight_a ? t : -t;
    }
    if (!(x[0] >= -1e-12 && x[0] <= 1 + 1e-12 && x[1] >= -1e-12 && x[1] <= 1 + 1e-12))
        return false;
    ss_along3(at->w.a, x[0], R->a, at->w.a);
    ss_along3(at->w.b, x[1], R->b, at->w.b);
    ss_minus3(at->w.b, at->w.a, at->w.w);
    return across(at, d) <= 1e-12 * scale;
}

/* The first is as wide as the rough n may be off; each shows the straight direction better, for the next. */
static const double tilts[] = {5e-3, 1e-4, 1e-6, 1e-6};

enum { TILTS = sizeof tilts / sizeof *tilts };

static void ruled(const ss_difference *C, double scale, const ss_simplex *s, guess *best)
{
    double e[3] = {0}, other[3] = {0}, d[3];
    guess at = *best;
    rule R;
    bool of_b = longest_edge(s, false, e) < longest_edge(s, true, other);
    if (of_b)
        ss_copy3(other, e);
    for (int round = 0; round < TILTS; round++) {
        ends(C, at.n, e, tilts[round], scale, &R);
        if (!(of_b ? R.straight_b : R.straight_a))
            return;
        ss_unit3(of_b ? R.b : R.a, e);
        ss_along3(at.n, -ss_dot3(e, at.n), e, d);
        ss_unit3(d, d);
        look(C, d, &at);
        if (round + 1 < TILTS)
            turn_around(C, e, scale, &at);
    }
    if (!R.straight_a)
        ss_scale3(0, R.a, R.a);
    if (!R.straight_b)
        ss_scale3(0, R.b, R.b);
    at.sure = place_on(&R, &at, scale);
    if (at.sure && at.g >= best->g - 1e-13 * scale)
        *best = at;
}

/* Straight parts of both that cross: n is across both, and the points are where the lines pass each other. */
static void crossed(const ss_difference *C, double scale, const ss_simplex *s, guess *best)
{
    double e[3] = {0}, f[3] = {0}, n[3], m[3], d[3];
    rule A, B;
    longest_edge(s, false, e);
    longest_edge(s, true, f);
    for (int round = 0; round < TILTS; round++) {
        ss_cross3(e, f, n);
        if (ss_unit3(n, n) < 1e-6)
            return;
        ss_scale3(ss_dot3(n, best->n) < 0 ? -1 : 1, n, n);
        ends(C, n, e, tilts[round], scale, &A);
        ends(C, n, f, tilts[round], scale, &B);
        if (!A.straight_a || !B.straight_b)
            return;
        ss_unit3(A.a, e);
        ss_unit3(B.b, f);
    }
    guess at;
    look(C, n, &at);
    ss_minus3(B.end[0].b, A.end[0].a, d);
    ss_cross3(A.a, B.b, m);
    double det = ss_dot3(m, m);
    ss_cross3(d, B.b, n);
    double x = ss_dot3(n, m) / det;
    ss_cross3(d, A.a, n);
    double y = ss_dot3(n, m) / det;
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1) || at.g < best->g - 1e-13 * scale)
        return;
    ss_along3(A.end[0].a, x, A.a, at.w.a);
    ss_along3(B.end[0].b, y, B.b, at.w.b);
    ss_minus3(at.w.b, at.w.a, at.w.w);
    at.sure = across(&at, d) <= 1e-12 * scale;
    if (at.sure)
        *best = at;
}

static bool over(const ss_face *face, const double p[3], double tolerance)
{
    if (face->rim > 0)
        return p[0] * p[0] + p[1] * p[1] <= face->rim * (face->rim + 2 * tolerance);
    for (int i = 0; i < face->count; i++) {
        const double *q = face->points[i];
        const double *next = face->points[(i + 1) % face->count];
        double m[3];
        ss_normal3(q, next, p, m);
        if (ss_dot3(m, face->normal) < -tolerance * ss_distance3(next, q))
            return false;
    }
    return true;
}

/* The normal of the face that one of the two shows. Where the other's nearest point is over that face, this is the
 * solution. */
static void face_normal(const ss_difference *C, bool of_b, double scale, guess *best)
{
    const ss_convex *of = of_b ? C->b : C->a;
    double d[3], n[3], p[3], sign = of_b ? -1 : 1;
    ss_face face;
    if (best->sure)
        return;
    ss_scale3(sign, best->n, n);
    ss_pose_rotate_back(of->pose, n, d);
    ss_convex_shows(of, d, &face);
    if (face.count < 3 || ss_dot3(face.normal, d) < 0.9)
        return;
    ss_pose_rotate(of->pose, face.normal, n);
    ss_scale3(sign, n, n);
    guess at;
    look(C, n, &at);
    if (at.g < best->g - 1e-13 * scale)
        return;
    double *here = of_b ? at.w.b : at.w.a;
    if (of_b) {
        ss_minus3(at.w.a, C->offset, p);
        ss_along3(at.w.a, at.g, n, here);
    } else {
        ss_copy3(at.w.b, p);
        ss_along3(at.w.b, -at.g, n, here);
    }
    ss_pose_rotate_back(of->pose, p, p);
    at.sure = over(&face, p, 1e-15 * scale);
    *best = at;
}

/* The simplex becomes one vertex: the pair of points, gap n apart. */
static void settle(const guess *best, ss_simplex *s)
{
    ss_vertex *v = &s->v[0];
    double a[3] = {0}, b[3] = {0}, middle[3];
    for (int i = 0; i < s->count; i++) {
        ss_along3(a, s->weight[i], s->v[i].a, a);
        ss_along3(b, s->weight[i], s->v[i].b, b);
    }
    ss_add3(best->sure ? best->w.a : a, best->sure ? best->w.b : b, middle);
    ss_scale3(0.5, middle, middle);
    ss_along3(middle, -0.5 * best->g, best->n, v->a);
    ss_along3(middle, 0.5 * best->g, best->n, v->b);
    ss_scale3(best->g, best->n, v->w);
    s->count = 1;
    s->weight[0] = 1;
}

/* Points of a curved surface are close together in the simplex: its plane is a chord's, not the surface's. */
static bool chords(const ss_simplex *s, double scale)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < i; k++) {
            double length = ss_distance3(s->v[i].w, s->v[k].w);
            if (length > 0 && length < 1e-2 * scale)
                return true;
        }
    return false;
}

bool ss_refine(const ss_difference *C, ss_simplex *s, double n[3], double *gap)
{
    guess best;
    double scale = fmax(ss_length3(C->offset), ss_simplex_extent(s)), v[3];
    look(C, n, &best);
    face_normal(C, false, scale, &best);
    face_normal(C, true, scale, &best);
    ss_simplex_point(s, v);
    ss_along3(v, -best.g, best.n, v);
    /* the simplex is part of C: where it has the point g n, that is the nearest */
    bool sure = best.sure || ss_length3(v) <= 1e-13 * scale;
    if (!best.sure && (!sure || chords(s, scale))) {
        smooth(C, scale, &best);
        if (!best.sure)
            ruled(C, scale, s, &best);
        if (!best.sure)
            crossed(C, scale, s, &best);
    }
    settle(&best, s);
    ss_copy3(best.n, n);
    *gap = best.g;
    return sure || best.sure;
}
