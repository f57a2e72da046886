/* patch.c: friction of a round patch of contact that slides and drills at once (Coulomb and Contensou): two forces and a
 * torque, exactly for even and for Hertz's pressure. The ellipsoid is the usual approximation of it.
 *
 * With μN = 1 and the slip velocity v in the plane, the drilling velocity ω and the radius R, the power of friction is the
 * support function
 *
 *     h(v, ω) = ∫ p |v + ω × r| dA = |ω| R U(a),  a = |v| / (R |ω|),  U(a) = ∫ p |r - a e| dA over the unit disk,
 *
 * and its gradient the force F = U'(a) and the torque R T, T = U - a U'. Even pressure gives complete elliptic integrals
 * (B and D of Jahnke and Emde, from the arithmetic-geometric mean), Hertz's pressure polynomials and an arcsine. From a = 3
 * on both are series in 1/a². All are exact to rounding.
 */
#include "la/elementary.h"
#include "set/set.h"

#include <stddef.h>
#include <string.h>

enum { EVEN, HERTZ };

typedef struct patch {
    double radius;
    int pressure;
} patch;

static const ss_key keys[] = {
    {"radius", SS_KEY_REAL, offsetof(patch, radius), NULL, 1e-30, 1e30, NULL, "m",
     "Radius of the patch. In the rows 'slip_spin' of contacts of shapes, divided by their "
     "length."},
    {"pressure", SS_KEY_CHOICE, offsetof(patch, pressure), "even", 0, 0, "even|hertz", "",
     "How the normal force is spread: evenly, as under a flat disk; or as Hertz's, as under a "
     "ball."},
    {.name = NULL},
};

static const double PI = 3.14159265358979324;

/* ---- Force and torque where the velocity is v = a, ω = 1, for μN = R = 1 ---- */

typedef struct wrench {
    double F, T;
} wrench;

/* B = ∫ cos²/Δ and D = ∫ sin²/Δ over a quarter, Δ² = 1 - k² sin². */
static void elliptic(double k, double *B, double *D)
{
    double other = sqrt(fmax((1 - k) * (1 + k), 1e-300)); /* k' */
    double a = (1 + other) / 2, b = sqrt(other), c = k / (2 * (1 + other)), sum = 0.5, weight = 1;
    sum += weight * c * c; /* c stands for c_n / k */
    c *= k;
    for (int n = 0; n < 12 && fabs(c) > 1e-17 * a; n++) {
        double next = (a + b) / 2;
        c = c * c / (4 * next);
        b = sqrt(a * b);
        a = next;
        weight *= 2;
        sum += k > 0 ? weight * (c / k) * (c / k) : 0;
    }
    double K = PI / (2 * a);
    *D = K * sum;
    *B = K - *D;
}

static wrench even_pressure(double a)
{
    bool low = a <= 1;
    double k = low ? a : 1 / a, other = (1 - k) * (1 + k), B, D;
    elliptic(k, &B, &D);
    double F = 4 / (3 * PI) * (2 * B + other * D);
    if (low)
        return (wrench){F * k, 4 / (9 * PI) * ((3 - k * k) * B + other * (3 - 2 * k * k) * D)};
    return (wrench){F, 4 / (9 * PI * k) * ((3 * k * k - 1) * B + other * D)};
}

static wrench hertz_pressure(double a)
{
    double a2 = a * a;
    if (a <= 1)
        return (wrench){3 * PI / 8 * a * (1 - a2 / 4), 3 * PI / 16 * (1 - a2 + 3 * a2 * a2 / 8)};
    double q = sqrt((a - 1) * (a + 1)), angle = ss_asin(1 / a);
    double F = 0.75 * (a * (1 - a2 / 4) * angle + q * (3 + q * q) / (4 * a));
    double T = 0.375 * ((1 - a2 + 3 * a2 * a2 / 8) * angle + 3 * q * (2 - a2) / 8);
    return (wrench){F, T};
}

/* U = Σ β_n M_n a^(1-2n), β_n = (binomial of 1/2 over n)², M_n the mean of r^(2n). */
static wrench far_series(int pressure, double a)
{
    double x = 1 / (a * a), beta = 1, moment = 1, power = 1, F = 1, T = 0;
    for (int n = 1; n < 40 && power > 1e-18; n++) {
        double step = (n - 1.5) / n;
        beta *= step * step;
        moment *= pressure == EVEN ? n / (n + 1.0) : n / (n + 1.5);
        power *= x;
        F += (1 - 2 * n) * beta * moment * power;
        T += 2 * n * beta * moment * power;
    }
    return (wrench){F, T * a};
}

static wrench unit_wrench(int pressure, double a)
{
    if (a > 3)
        return far_series(pressure, a);
    return pressure == EVEN ? even_pressure(a) : hertz_pressure(a);
}

/* Where the velocities are (cos, sin) of an angle from 0 to π/2: the point of the boundary with that normal. */
static wrench boundary(const patch *p, double c, double s)
{
    if (s == 0)
        return (wrench){1, 0};
    wrench w = unit_wrench(p->pressure, c / (p->radius * s));
    w.T *= p->radius;
    return w;
}

/* ---- The set: a curve in the plane of |force| and |torque|, turned around ---- */

/* What vanishes: (X, Y) is in the direction of a boundary point, or is on the normal there. */
typedef double residual_fn(const wrench *w, double X, double Y, double c, double s);

static double aside(const wrench *w, double X, double Y, double c, double s)
{
    (void)c, (void)s;
    return w->F * Y - w->T * X;
}

static double off_normal(const wrench *w, double X, double Y, double c, double s)
{
    return (Y - w->T) * c - (X - w->F) * s;
}

/* The boundary point where a residual vanishes, which is not negative at the angle `positive` and not positive at `negative`:
 * regula falsi with halved weights, and bisection where that is slow. */
static wrench find(const patch *p, residual_fn *residual, double X, double Y, double positive,
                   double negative)
{
    enum { MOST = 200 };
    double at[2] = {positive, negative}, value[2];
    wrench w[2], best = {0};
    for (int i = 0; i < 2; i++) {
        w[i] = boundary(p, ss_cos(at[i]), i == 0 && positive == 0 ? 0 : ss_sin(at[i]));
        value[i] = residual(&w[i], X, Y, ss_cos(at[i]), ss_sin(at[i]));
    }
    int last = -1;
    for (int k = 0; k < MOST; k++) {
        double width = at[1] - at[0];
        double middle = at[0] + width * (value[0] - value[1] > 0 && k % 3 != 2
                                             ? value[0] / (value[0] - value[1])
                                             : 0.5);
        double c = ss_cos(middle), s = ss_sin(middle);
        best = boundary(p, c, s);
        double r = residual(&best, X, Y, c, s);
        int side = r < 0;
        if (r == 0 || fabs(width) <= 4 * DBL_EPSILON * fabs(middle) || middle == at[0] ||
            middle == at[1])
            break;
        at[side] = middle;
        value[side] = r;
        if (side == last)
            value[!side] /= 2;
        last = side;
    }
    return best;
}

/* Whether (X, Y) >= 0 is in the set, to rounding. */
static bool inside(const patch *p, double X, double Y)
{
    const double slack = 0x1p-46;
    wrench spin = boundary(p, 0, 1);
    if (!(X <= 1 + slack && Y <= spin.T * (1 + slack)))
        return false;
    if (X + Y / spin.T <= 1)
        return true;
    wrench w = find(p, aside, X, Y, 0, PI / 2);
    return X * w.F + Y * w.T <= (w.F * w.F + w.T * w.T) * (1 + slack);
}

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 3;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    const patch *p = self;
    double force = ss_ball_norm(2, x), X = force / scale, Y = fabs(x[2]) / scale;
    (void)dim;
    if (!(force <= 1e150 && fabs(x[2]) <= 1e150) || isinf(scale) ||
        (scale > 0 && inside(p, X, Y))) {
        memmove(y, x, 3 * sizeof *y);
        return;
    }
    wrench w = {0, 0};
    if (scale > 0)
        w = find(p, off_normal, X, Y, 0, PI / 2);
    double shrink = force > 0 ? scale * w.F / force : 0;
    y[0] = x[0] * shrink;
    y[1] = x[1] * shrink;
    y[2] = copysign(scale * w.T, x[2]);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    return ss_set_near(&ss_set_type_disk_patch, self, dim, scale, x, tolerance);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    const patch *p = self;
    double speed = ss_ball_norm(2, v), spin = fabs(v[2]), size = ss_hypot(speed, spin);
    (void)dim;
    if (!(size > 0))
        return 0;
    wrench w = boundary(p, speed / size, spin / size);
    return scale * (speed * w.F + spin * w.T);
}

const ss_set_ops ss_set_type_disk_patch = {
    .type = {SS_ABI, sizeof(ss_set_ops), "disk_patch",
             "Two friction forces and the drilling torque of a round patch, exactly "
             "(Coulomb–Contensou).",
             sizeof(patch), keys},
    .kind = SS_SET_OTHER,
    .dimensions = dimensions,
    .prox = prox,
    .contains = contains,
    .support = support,
};
