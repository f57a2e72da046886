/* ball.c: the ball |y| <= s in a plane or in space, the kernel of disk, ellipse and ellipsoid. */
#include "set/set.h"

#include <string.h>

enum { MAX_DIM = 3, MAX_SWEEPS = 30, MAX_STEPS = 200 };

double ss_ball_norm(int dim, const double *x)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < dim; i++)
        sum += x[i] * x[i];
    if (sum > SS_BALL_MIN_SQUARE && sum < SS_BALL_MAX_SQUARE)
        return sqrt(sum);
    if (isnan(sum))
        return sum;
    for (int i = 0; i < dim; i++)
        largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0 && largest < INFINITY))
        return largest;
    sum = 0;
    for (int i = 0; i < dim; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

void ss_ball_prox(int dim, double scale, const double *x, double *y)
{
    double length = ss_ball_norm(dim, x);
    bool inside = length <= scale * (1 + 0.5 * SS_BALL_SLACK);
    for (int i = 0; i < dim; i++)
        y[i] = inside ? x[i] : x[i] / length * scale;
}

/* ---- The secular equation ----
 *
 * At the nearest point y, R (x - y) is a positive multiple of the gradient of the
 * ellipsoid, hence y_i = x_i d_i / (d_i + t) with t > 0, and t is the root of
 *
 *     F(t) = Σ (z_i d_i / (d_i + t))² = 1,    z_i = x_i / (s e_i).
 *
 * Multiplied out, this is the fourth order polynomial of the book (S B.3 for the ellipse and S
 * B.8 for the ellipsoid of revolution with t = 2α / min e², S4.66 for the disk in a metric), of
 * sixth order when three axes differ. Its coefficients lose all digits when the axes differ
 * much, while F is a sum of positive terms, and 1/√F is increasing and concave: Newton's method
 * on it comes from the left, never overshoots, and is fast.
 */

/* Beyond |z|² = FAR every d_i is negligible beside t. */
static const double FAR = 1e274;

/* z_i = x_i / (s e_i); returns |z|², which is not below FAR, or NaN, when numbers overflow or s
 * is 0. */
static double normalize(int dim, const double *e, double scale, const double *x, double *z)
{
    double sum = 0;
    for (int i = 0; i < dim; i++) {
        z[i] = x[i] / (scale * e[i]);
        sum += z[i] * z[i];
    }
    return sum;
}

/* w_i = z_i d_i / (d_i + t). Returns F = |w|²; *slope = Σ w_i² / (d_i + t) = -F'/2. */
static double secular(int dim, const double *d, const double *z, double t, double *w, double *slope)
{
    double F = 0;
    *slope = 0;
    for (int i = 0; i < dim; i++) {
        w[i] = z[i] * (d[i] / (d[i] + t));
        F += w[i] * w[i];
        *slope += w[i] * w[i] / (d[i] + t);
    }
    return F;
}

/* No w_i exceeds 1 at the root, and one of them is at least 1/√dim. */
static void bracket(int dim, const double *d, const double *z, double *low, double *high)
{
    *low = *high = 0;
    for (int i = 0; i < dim; i++) {
        *low = fmax(*low, d[i] * (fabs(z[i]) - 1));
        *high = fmax(*high, d[i] * (sqrt(dim) * fabs(z[i]) - 1));
    }
    *high += 4 * DBL_EPSILON * (1 + *high);
}

/* The next t after F(t) was found, by Newton's method on 1/√F; or the middle between the
 * exponents of the bracket when Newton crawls, as it can where the axes differ by many orders of
 * magnitude. */
static double next(double t, double F, double slope, double low, double high, bool crawls)
{
    double newton = t + (sqrt(F) - 1) * (F / slope);
    if (fabs(newton - t) <= DBL_EPSILON * (1 + t))
        return t;
    if (!crawls && newton > low && newton < high)
        return newton;
    double middle = sqrt(1 + low) * sqrt(1 + high) - 1;
    return middle > low && middle < high ? middle : t;
}

/* The w of |w| = 1. Needed is a small error of t beside 1 + t, as 1 is the smallest d. */
static void solve(int dim, const double *d, const double *z, double *w)
{
    double low, high, slope, last = INFINITY;
    bracket(dim, d, z, &low, &high);
    double t = low;
    for (int step = 0; step < MAX_STEPS; step++) {
        double F = secular(dim, d, z, t, w, &slope);
        double miss = fabs(F - 1), before = t;
        if (miss <= 4 * DBL_EPSILON)
            return;
        *(F > 1 ? &low : &high) = t;
        t = next(t, F, slope, low, high, miss > 0.25 * last && miss > 64 * DBL_EPSILON);
        if (t == before)
            return;
        last = miss;
    }
}

/* The limit |z| → ∞ of w: the direction of d_i z_i. */
static void solve_far(int dim, const double *e, const double *d, const double *x, double *w)
{
    double largest = 0;
    for (int i = 0; i < dim; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < dim; i++)
        w[i] = largest > 0 ? x[i] / largest * (d[i] / e[i]) : x[i];
}

void ss_secular_prox(int dim, const double *e, const double *d, double scale, const double *x,
                     double *y)
{
    double z[MAX_DIM], w[MAX_DIM];
    double sum = normalize(dim, e, scale, x, z);
    if (sum <= 1 + SS_BALL_SLACK) {
        memmove(y, x, (size_t)dim * sizeof *y);
        return;
    }
    if (sum < FAR)
        solve(dim, d, z, w);
    else
        solve_far(dim, e, d, x, w);
    double length = ss_ball_norm(dim, w);
    for (int i = 0; i < dim; i++)
        y[i] = scale * e[i] * (length > 0 ? w[i] / length : w[i]);
}

bool ss_secular_inside(int dim, const double *e, double scale, const double *x)
{
    double z[MAX_DIM];
    return normalize(dim, e, scale, x, z) <= 1 + SS_BALL_SLACK;
}

/* ---- Eigenvalues of small symmetric matrices by Jacobi rotations ---- */

/* Columns p and q of a matrix by rows: [p q] [c s; -s c]. */
static void rotate_columns(int dim, double c, double s, int p, int q, double *A)
{
    for (int i = 0; i < dim; i++) {
        double *row = A + i * dim;
        double a = row[p], b = row[q];
        row[p] = c * a - s * b;
        row[q] = s * a + c * b;
    }
}

/* One rotation that makes A[p][q] zero. */
static void annihilate(int dim, int p, int q, double *A, double *Q)
{
    double a = A[p * dim + q];
    double theta = (A[q * dim + q] - A[p * dim + p]) / (2 * a);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    A[p * dim + p] -= t * a;
    A[q * dim + q] += t * a;
    A[p * dim + q] = A[q * dim + p] = 0;
    for (int i = 0; i < dim; i++) {
        if (i == p || i == q)
            continue;
        double ip = A[i * dim + p], iq = A[i * dim + q];
        A[i * dim + p] = A[p * dim + i] = c * ip - s * iq;
        A[i * dim + q] = A[q * dim + i] = s * ip + c * iq;
    }
    rotate_columns(dim, c, s, p, q, Q);
}

/* Rotates every pair whose coupling is not negligible beside its own diagonal; false: there was
 * none. */
static bool sweep(int dim, double *A, double *Q)
{
    bool rotated = false;
    for (int p = 0; p < dim; p++) {
        for (int q = p + 1; q < dim; q++) {
            double pair = sqrt(fabs(A[p * dim + p])) * sqrt(fabs(A[q * dim + q]));
            if (fabs(A[p * dim + q]) <= 0.25 * DBL_EPSILON * pair)
                continue;
            annihilate(dim, p, q, A, Q);
            rotated = true;
        }
    }
    return rotated;
}

void ss_jacobi(int dim, const double *A, double *lambda, double *Q)
{
    double B[MAX_DIM * MAX_DIM];
    memcpy(B, A, (size_t)(dim * dim) * sizeof *B);
    for (int i = 0; i < dim * dim; i++)
        Q[i] = i % (dim + 1) == 0;
    for (int i = 0; i < MAX_SWEEPS && sweep(dim, B, Q); i++)
        continue;
    for (int i = 0; i < dim; i++)
        lambda[i] = B[i * dim + i];
}

/* ---- A ball in a metric ---- */

/* d = λ divided by the smallest λ. What is not positive counts as barely positive. */
static void weights(int dim, const double *lambda, double *d)
{
    double largest = 0, smallest = INFINITY;
    for (int i = 0; i < dim; i++)
        largest = fmax(largest, lambda[i]);
    for (int i = 0; i < dim; i++) {
        d[i] = largest > 0 ? fmax(lambda[i] / largest, 1 / SS_SECULAR_MAX_RATIO) : 1;
        smallest = fmin(smallest, d[i]);
    }
    for (int i = 0; i < dim; i++)
        d[i] /= smallest;
}

void ss_ball_prox_metric(int dim, double scale, const double *R, const double *x, double *y)
{
    static const double ones[MAX_DIM] = {1, 1, 1};
    double lambda[MAX_DIM], d[MAX_DIM], Q[MAX_DIM * MAX_DIM];
    double xi[MAX_DIM] = {0}, eta[MAX_DIM], z[MAX_DIM] = {0};
    if (ss_secular_inside(dim, ones, scale, x)) {
        memmove(y, x, (size_t)dim * sizeof *y);
        return;
    }
    /* In the eigenvectors of R the metric is diagonal and the ball is the same (S2.21). */
    ss_jacobi(dim, R, lambda, Q);
    weights(dim, lambda, d);
    for (int i = 0; i < dim * dim; i++)
        xi[i % dim] += Q[i] * x[i / dim];
    ss_secular_prox(dim, ones, d, scale, xi, eta);
    for (int i = 0; i < dim * dim; i++)
        z[i / dim] += Q[i] * eta[i % dim];
    double length = ss_ball_norm(dim, z);
    for (int i = 0; i < dim; i++)
        y[i] = length > 0 ? z[i] / length * scale : z[i];
}
