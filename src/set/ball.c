/* ball.c: the ball |y| <= s in a plane or in space, the kernel of disk, ellipse and ellipsoid. */
#include "set/set.h"

#include <string.h>

enum { MAX_DIM = 3, MAX_SWEEPS = 30 };

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
    double lambda[MAX_DIM], d[MAX_DIM], Q[MAX_DIM * MAX_DIM] = {0};
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
