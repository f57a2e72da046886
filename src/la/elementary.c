/* elementary.c: elementary functions by series, after the argument has been reduced in twice the precision. */
#include "la/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* high + low, |low| at most half a unit of high's last place. */
typedef struct pair {
    double high, low;
} pair;

/* |a| >= |b| or a = 0 */
static pair fast_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

static pair sum(double a, double b)
{
    double s = a + b, part = s - a;
    return (pair){s, (a - (s - part)) + (b - part)};
}

/* Without overflow: |a|, |b| < 2^990. */
static pair product(double a, double b)
{
    const double split = 134217729.0; /* 2^27 + 1 */
    double p = a * b, ca = split * a, cb = split * b;
    double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    return (pair){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static pair add(pair a, pair b)
{
    pair s = sum(a.high, b.high);
    return fast_sum(s.high, s.low + (a.low + b.low));
}

static pair multiply(pair a, pair b)
{
    pair p = product(a.high, b.high);
    return fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static pair divide(pair a, pair b)
{
    double q = a.high / b.high;
    pair p = product(q, b.high);
    double left = ((a.high - p.high) - p.low) + a.low - q * b.low;
    return fast_sum(q, left / b.high);
}

/* ---- Sine and cosine ---- */

/* x - q π/2 for q with up to 20 bits, π/2 in three pieces: products with the first two are exact. */
static pair reduce_near(double x, double q)
{
    double first = x - q * 0x1.921fb544p+0;
    double t = q * 0x1.0b4611a6p-34, high = first - t, low = (first - high) - t;
    return sum(high, low - q * 0x1.3198a2e037073p-69);
}

/* The same for q with up to 53 bits. */
static pair reduce_far(double x, double q)
{
    pair a = product(q, 0x1.921fb54442d18p+0), b = product(q, 0x1.1a62633145c07p-54);
    pair r = sum(x - a.high, -a.low);
    r = add(r, (pair){-b.high, -b.low});
    return add(r, product(-q, -0x1.f1976b7ed8fbcp-110));
}

/* x - n π/2 within ±π/4; *quarter is n mod 4. */
static pair reduce(double x, int *quarter)
{
    const double near = 0x1p20, far = 0x1p52, two_over_pi = 0x1.45f306dc9c883p-1;
    *quarter = 0;
    if (fabs(x) <= 0x1.921fb54442d18p-1)
        return (pair){x, 0};
    if (fabs(x) > far)
        x = fmod(x, 2 * SS_PI); /* exact */
    double q = floor(x * two_over_pi + 0.5);
    pair r = fabs(q) < near ? reduce_near(x, q) : reduce_far(x, q);
    double over = floor(r.high * two_over_pi + 0.5); /* far from zero q may be one off */
    if (over != 0) {
        q += over;
        r = add(r, (pair){-over * 0x1.921fb54442d18p+0, -over * 0x1.1a62633145c07p-54});
    }
    *quarter = (int)(q - 4 * floor(q / 4));
    return r;
}

static double sine_series(pair x)
{
    double z = x.high * x.high;
    double s =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 +
                  z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                           z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 +
                                                                        z / 355687428096000))))));
    return x.high + (x.high * z * s + x.low * (1 - 0.5 * z));
}

static double cosine_series(pair x)
{
    double z = x.high * x.high, half = 0.5 * z, w = 1 - half;
    double c =
        1.0 / 24 +
        z * (-1.0 / 720 +
             z * (1.0 / 40320 +
                  z * (-1.0 / 3628800 +
                       z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + z / 20922789888000)))));
    return w + (((1 - w) - half) + (z * z * c - x.high * x.low));
}

void ss_sin_cos(double x, double *sine, double *cosine)
{
    int quarter;
    if (!isfinite(x)) {
        *sine = *cosine = x - x;
        return;
    }
    pair r = reduce(x, &quarter);
    double s = sine_series(r), c = cosine_series(r);
    if (x == 0)
        s = x;
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

double ss_sin(double x)
{
    int quarter;
    if (!isfinite(x) || x == 0)
        return isfinite(x) ? x : x - x;
    pair r = reduce(x, &quarter);
    double value = quarter & 1 ? cosine_series(r) : sine_series(r);
    return quarter & 2 ? -value : value;
}

double ss_cos(double x)
{
    int quarter;
    if (!isfinite(x))
        return x - x;
    pair r = reduce(x, &quarter);
    double value = quarter & 1 ? sine_series(r) : cosine_series(r);
    return quarter == 1 || quarter == 2 ? -value : value;
}

double ss_tan(double x)
{
    double s, c;
    ss_sin_cos(x, &s, &c);
    return s / c;
}

/* ---- Exponential ---- */

/* 2^k value; what lies below the normal numbers is rounded once. */
static double scale(double value, int k)
{
    if (k < -1022 || k > 1023)
        return ldexp(value, k);
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return value * power;
}

/* exp(x.high + x.low) */
static double exponential(pair x)
{
    const double inverse = 0x1.71547652b82fep+0; /* 1 / log 2 */
    if (x.high > 709.8)
        return INFINITY;
    if (x.high < -745.2)
        return 0;
    double k = floor(x.high * inverse + 0.5);
    double first = x.high - k * 0x1.62e42feep-1, t = k * 0x1.a39ef35793c76p-33;
    pair r = sum(first, -t);
    r = fast_sum(r.high, r.low + (x.low - k * 0x1.cc01f97b57a08p-87));
    double y = r.high;
    double e =
        1.0 / 6 +
        y * (1.0 / 24 +
             y * (1.0 / 120 +
                  y * (1.0 / 720 +
                       y * (1.0 / 5040 +
                            y * (1.0 / 40320 +
                                 y * (1.0 / 362880 +
                                      y * (1.0 / 3628800 +
                                           y * (1.0 / 39916800 +
                                                y * (1.0 / 479001600 + y / 6227020800)))))))));
    pair head = fast_sum(1, y); /* 1 + y + (y²/2 + y³ e) */
    return scale(head.high + (head.low + (y * y * (0.5 + y * e) + r.low * (1 + y))), (int)k);
}

double ss_exp(double x)
{
    return isnan(x) ? x : exponential((pair){x, 0});
}

/* ---- Logarithm ---- */

/* x = (1 + f) 2^k, √½ <= 1 + f < √2; x > 0 and finite. */
static double mantissa(double x, int *k)
{
    double m = frexp(x, k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        *k -= 1;
    }
    return m - 1;
}

/* log(1 + f) = 2 s + 2 s³/3 + 2 s⁵/5 + …, s = f/(2 + f), and 2 s = f - f²/2 + s f²/2. */
double ss_logarithm(double x)
{
    int k;
    if (isnan(x) || x == INFINITY)
        return x;
    if (x <= 0)
        return x == 0 ? -INFINITY : NAN;
    double f = mantissa(x, &k), s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double R =
        z * (2.0 / 3 +
             z * (2.0 / 5 +
                  z * (2.0 / 7 +
                       z * (2.0 / 9 +
                            z * (2.0 / 11 +
                                 z * (2.0 / 13 +
                                      z * (2.0 / 15 +
                                           z * (2.0 / 17 + z * (2.0 / 19 + z * 2 / 21)))))))));
    return k * 0x1.62e42feep-1 - ((half - (s * (half + R) + k * 0x1.a39ef35793c76p-33)) - f);
}

/* The same in twice the precision. */
static pair log_pair(double x)
{
    enum { TERMS = 14 };
    static const pair odd[TERMS] = {
        /* 1/3, 1/5, … */
        {1.0 / 3, 0x1.5555555555555p-56},   {1.0 / 5, -0x1.999999999999ap-57},
        {1.0 / 7, 0x1.2492492492492p-57},   {1.0 / 9, 0x1.c71c71c71c71cp-58},
        {1.0 / 11, -0x1.745d1745d1746p-59}, {1.0 / 13, -0x1.3b13b13b13b14p-58},
        {1.0 / 15, 0x1.1111111111111p-60},  {1.0 / 17, 0x1.e1e1e1e1e1e1ep-61},
        {1.0 / 19, 0x1.af286bca1af28p-59},  {1.0 / 21, 0x1.8618618618618p-59},
        {1.0 / 23, 0x1.642c8590b2164p-60},  {1.0 / 25, -0x1.eb851eb851eb8p-61},
        {1.0 / 27, 0x1.2f684bda12f68p-59},  {1.0 / 29, 0x1.1a7b9611a7b96p-61}};
    int k;
    double f = mantissa(x, &k);
    pair s = divide((pair){f, 0}, sum(2, f)), z = multiply(s, s), series = {0, 0};
    for (int i = TERMS - 1; i >= 0; i--)
        series = add(odd[i], multiply(z, series));
    pair both = multiply(s, add((pair){1, 0}, multiply(z, series)));
    both.high *= 2;
    both.low *= 2;
    return add(sum(k * 0x1.62e42feep-1, k * 0x1.a39ef35793c76p-33), both);
}

/* ---- Powers ---- */

/* xⁿ for |n| <= 64 in twice the precision; x must be so near to 1 that no part leaves the range. */
static double whole_power(double x, int n)
{
    pair result = {1, 0}, square = {x, 0};
    for (int left = abs(n); left > 0; left >>= 1) {
        if (left & 1)
            result = multiply(result, square);
        if (left > 1)
            square = multiply(square, square);
    }
    if (n < 0)
        result = divide((pair){1, 0}, result);
    return result.high + result.low;
}

/* 0: not a whole number; 1: odd, 2: even. */
static int parity(double y)
{
    if (fabs(y) >= 0x1p53)
        return 2;
    if (floor(y) != y)
        return 0;
    return fmod(y, 2) != 0 ? 1 : 2;
}

/* x is 0 or infinite, or y is infinite. */
static double power_at_the_ends(double x, double y)
{
    double size = fabs(x);
    if (isinf(y))
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
    double value = (size > 1) == (y > 0) ? INFINITY : 0;
    return signbit(x) && parity(y) == 1 ? -value : value;
}

double ss_pow(double x, double y)
{
    const double low = 0x1p-15, high = 0x1p15; /* within them 64 factors stay in range */
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == 0 || isinf(x) || isinf(y))
        return power_at_the_ends(x, y);
    if (y == 1)
        return x;
    if (y == 2)
        return x * x;
    if (x < 0 && parity(y) == 0)
        return NAN;
    double size = fabs(x), sign = x < 0 && parity(y) == 1 ? -1 : 1;
    if (size == 1)
        return sign;
    if (floor(y) == y && fabs(y) <= 64 && size > low && size < high)
        return sign * whole_power(size, (int)y);
    pair logarithm = log_pair(size);
    if (fabs(y) > 0x1p70) /* beyond all numbers */
        return sign * ((logarithm.high > 0) == (y > 0) ? INFINITY : 0);
    return sign * exponential(multiply((pair){y, 0}, logarithm));
}

double ss_hypot(double x, double y)
{
    int k;
    if (isinf(x) || isinf(y))
        return INFINITY;
    double large = fmax(fabs(x), fabs(y)), small = fmin(fabs(x), fabs(y));
    if (isnan(x) || isnan(y) || small == 0)
        return isnan(x) || isnan(y) ? x + y : large;
    if (large < 0x1p500 && small > 0x1p-500)
        return sqrt(large * large + small * small);
    frexp(large, &k);
    large = ldexp(large, -k);
    small = ldexp(small, -k);
    return ldexp(sqrt(large * large + small * small), k);
}

/* ---- Inverse circular functions ---- */

static const pair right = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}; /* π/2 */

/* atan(x) for x >= 0, in twice the precision where it is added to something else. */
static pair arc(double x)
{
    static const pair at[] = {{0, 0}, /* atan(k/4) */
                              {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                              {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                              {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                              {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    int k = (int)floor(4 * x + 0.5);
    double c = 0.25 * k, t = (x - c) / (1 + c * x), z = t * t;
    double tail =
        t * z *
        (-1.0 / 3 +
         z * (1.0 / 5 +
              z * (-1.0 / 7 +
                   z * (1.0 / 9 +
                        z * (-1.0 / 11 + z * (1.0 / 13 + z * (-1.0 / 15 + z * (1.0 / 17))))))));
    if (k == 0)
        return fast_sum(t, tail);
    pair r = sum(at[k].high, t);
    return fast_sum(r.high, r.low + (tail + at[k].low));
}

/* atan(y / x) for y >= 0, x >= 0, not both 0, neither infinite. */
static pair arc_of(double y, double x)
{
    if (y <= x)
        return arc(y / x);
    pair a = arc(x / y);
    return add(right, (pair){-a.high, -a.low});
}

double ss_atan(double x)
{
    if (isnan(x) || x == 0)
        return x;
    pair a = isinf(x) ? right : arc_of(fabs(x), 1);
    return copysign(a.high + a.low, x);
}

double ss_atan2(double y, double x)
{
    pair a;
    if (isnan(x) || isnan(y))
        return x + y;
    if (isinf(x) || isinf(y))
        a = !isinf(y)   ? (pair){0, 0}
            : !isinf(x) ? right
                        : (pair){0.5 * right.high, 0.5 * right.low};
    else if (y == 0)
        a = (pair){0, 0};
    else
        a = arc_of(fabs(y), fabs(x));
    if (signbit(x))
        a = add((pair){2 * right.high, 2 * right.low}, (pair){-a.high, -a.low});
    return copysign(a.high + a.low, y);
}

double ss_asin(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    return x == 0 ? x : ss_atan2(x, sqrt((1 - x) * (1 + x)));
}

double ss_acos(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    return ss_atan2(sqrt((1 - x) * (1 + x)), x);
}

/* ---- Hyperbolic functions ---- */

/* exp(|x|)/2, also where exp(|x|) overflows. */
static double half_exponential(double x)
{
    if (fabs(x) < 700)
        return 0.5 * ss_exp(fabs(x));
    double root = ss_exp(0.5 * fabs(x));
    return 0.5 * root * root;
}

double ss_sinh(double x)
{
    if (isnan(x) || x == 0)
        return x;
    if (fabs(x) < 1) {
        double z = x * x;
        double s =
            1.0 / 6 +
            z * (1.0 / 120 +
                 z * (1.0 / 5040 +
                      z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800 +
                                                                     z * (1.0 / 1307674368000 +
                                                                          z / 355687428096000))))));
        return x + x * z * s;
    }
    double e = half_exponential(x);
    return copysign(e - 0.25 / e, x);
}

double ss_cosh(double x)
{
    if (isnan(x))
        return x;
    double e = half_exponential(x);
    return e + 0.25 / e;
}

double ss_tanh(double x)
{
    const double one = 22; /* from there on it rounds to 1 */
    if (isnan(x))
        return x;
    if (fabs(x) < 1)
        return ss_sinh(x) / ss_cosh(x);
    return copysign(fabs(x) > one ? 1 : 1 - 2 / (ss_exp(2 * fabs(x)) + 1), x);
}
