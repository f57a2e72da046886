/* ball.c: projections to the ball |y| <= s, Euclidean and in a metric. */
#include "set/ball.h"

#include "set/jacobi.h"
#include "set/secular.h"

#include <math.h>
#include <string.h>

enum { MAX_DIM = 3 };

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
