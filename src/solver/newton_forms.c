/* newton_forms.c: two equations for one law, and their generalized derivatives. */
#include "solver/cone.h"
#include "solver/newton.h"

#include "la/small.h"

#include <string.h>

/* What a form fills for one group: F of x and v and, unless they are NULL, its derivatives. */
typedef struct rows {
    int dim;
    const double *x, *v;
    double *F, *A, *B;
} rows;

static void clear(const rows *r)
{
    if (!r->A)
        return;
    memset(r->A, 0, (size_t)(r->dim * r->dim) * sizeof *r->A);
    memset(r->B, 0, (size_t)(r->dim * r->dim) * sizeof *r->B);
}

/* F = v in row a. */
static void closed(const rows *r, int a)
{
    r->F[a] = r->v[a];
    if (r->B)
        r->B[a * r->dim + a] = 1.0;
}

/* F = x in row a. */
static void open(const rows *r, int a)
{
    r->F[a] = r->x[a];
    if (r->A)
        r->A[a * r->dim + a] = 1.0;
}

/* Friction rows first … dim - 1 against a disk of radius R: F = x - prox(x - v). With first = 1 it
 * is that of a contact, R = μ (x - v) of its row 0. */
static void friction(const rows *r, int first, double R, double mu)
{
    int dim = r->dim;
    double y[3] = {0.0}, size = 0.0, *A = r->A, *B = r->B;
    for (int a = first; a < dim; a++) {
        y[a] = r->x[a] - r->v[a];
        size += y[a] * y[a];
    }
    size = sqrt(size);
    if (size <= R) {
        for (int a = first; a < dim; a++)
            closed(r, a);
        return;
    }
    double factor = R / size;
    for (int a = first; a < dim; a++) {
        r->F[a] = r->x[a] - factor * y[a];
        for (int b = first; b < dim && A; b++) {
            double turn = factor * ((a == b) - y[a] / size * y[b] / size);
            A[a * dim + b] = (a == b) - turn;
            B[a * dim + b] = turn;
        }
        if (A && first > 0) {
            A[a * dim] = -mu * y[a] / size;
            B[a * dim] = mu * y[a] / size;
        }
    }
}

/* A block that is not part of a contact: F = x - prox(x - v). */
static void single_rows(const rows *r, ss_set_kind kind, double scale)
{
    double y = r->x[0] - r->v[0];
    if (kind == SS_SET_INTERVAL || kind == SS_SET_DISK) {
        friction(r, 0, scale, 0.0);
    } else if ((kind == SS_SET_HALF_LINE && !(y > 0.0)) ||
               (kind == SS_SET_NEGATIVE_HALF_LINE && !(y < 0.0))) {
        open(r, 0);
    } else {
        for (int a = 0; a < r->dim; a++)
            closed(r, a);
    }
}

/* Alart and Curnier: the radius of the disk is μ times the projected normal impulse. */
static void alart_curnier(const ss_gathered_group *K, double scale, const double *x,
                          const double *v, double *F, double *A, double *B)
{
    rows r = {K->dim, x, v, F, A, B};
    clear(&r);
    if (K->tangential < 0) {
        single_rows(&r, K->kind, scale);
        return;
    }
    double y = x[0] - v[0];
    if (y <= 0.0) {
        for (int a = 0; a < K->dim; a++)
            open(&r, a);
        return;
    }
    closed(&r, 0);
    friction(&r, 1, K->mu * y, K->mu);
}

/* L_z, the matrix of Jordan's product with z. */
static void arrow(int n, const double *z, double *L)
{
    memset(L, 0, 9 * sizeof *L);
    for (int k = 0; k < n; k++)
        L[k * n + k] = L[k] = L[k * n] = z[k];
    for (int k = 0; k < n; k++)
        L[k * n + k] = z[0];
}

/* Solves L_w Z = X for each column; w inside the cone. */
static void divide_columns(int n, const double *w, double *X)
{
    for (int b = 0; b < n; b++) {
        double column[3] = {0.0};
        for (int a = 0; a < n; a++)
            column[a] = X[a * n + b];
        ss_cone_divide(n, w, column, column);
        for (int a = 0; a < n; a++)
            X[a * n + b] = column[a];
    }
}

static double square(double x)
{
    return x * x;
}

/* x_0² - |x_T|² without cancellation. */
static double determinant(int n, const double *x)
{
    double T = n == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : n == 2 ? fabs(x[1]) : 0.0;
    return (x[0] - T) * (x[0] + T);
}

/* Product of the eigenvalues of x² + y² as a sum of squares: their difference would lose half of
 * the digits where x and y are at the boundary of the cone, as solutions are. */
static double product_of_eigenvalues(int n, const double *x, const double *y)
{
    double turned = 0.0, across = x[0] * y[0];
    for (int k = 1; k < n; k++) {
        turned += square(x[0] * y[k] - y[0] * x[k]);
        across -= x[k] * y[k];
    }
    double area = n == 3 ? x[1] * y[2] - x[2] * y[1] : 0.0;
    return square(determinant(n, x)) + square(determinant(n, y)) +
           2.0 * (turned + square(across) + square(area));
}

/* √(x² + y²) in Jordan's algebra, a trace inside the cone so that it can be divided by. */
static void root_of_squares(int n, const double *x, const double *y, double *w)
{
    double z[3] = {0.0}, tail = 0.0;
    z[0] = ss_cone_dot(n, x, x) + ss_cone_dot(n, y, y);
    for (int k = 1; k < n; k++) {
        z[k] = 2.0 * (x[0] * x[k] + y[0] * y[k]);
        tail += z[k] * z[k];
    }
    tail = sqrt(tail);
    double trace = 1e-24 + 1e-30 * z[0], most = z[0] + tail;
    double least = most > 0.0 ? product_of_eigenvalues(n, x, y) / most : 0.0;
    double small = sqrt(least + trace), large = sqrt(most + trace);
    w[0] = 0.5 * (small + large);
    for (int k = 1; k < n; k++)
        w[k] = tail > 0.0 ? 0.5 * (large - small) * z[k] / tail : 0.0;
}

/* Fischer and Burmeister: x + y - √(x² + y²) = 0 with y = v + ‖v_T‖ e (De Saxcé), in the second-
 * order cone. */
static void fischer_burmeister(const ss_gathered_group *K, double scale, const double *x,
                               const double *v, double *F, double *A, double *B)
{
    int n = K->dim;
    rows r = {n, x, v, F, A, B};
    bool cone = K->tangential >= 0 && K->mu > 0.0;
    clear(&r);
    if (K->kind == SS_SET_FREE) {
        single_rows(&r, K->kind, scale);
        return;
    }
    for (int a = 1; a < n && !cone; a++)
        open(&r, a);
    int m = cone ? n : 1;
    double y[3] = {0.0}, w[3], slip = m == 3 ? sqrt(v[1] * v[1] + v[2] * v[2]) : fabs(v[m - 1]);
    for (int a = 0; a < m; a++)
        y[a] = v[a];
    y[0] += m > 1 ? slip : 0.0;
    root_of_squares(m, x, y, w);
    for (int a = 0; a < m; a++)
        F[a] = x[a] + y[a] - w[a];
    if (!A)
        return;
    double X[9], Y[9];
    arrow(m, x, X);
    arrow(m, y, Y);
    divide_columns(m, w, X);
    divide_columns(m, w, Y);
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++) {
            A[a * n + b] = (a == b) - X[a * m + b];
            B[a * n + b] = (a == b) - Y[a * m + b];
        }
    for (int a = 0; a < m && slip > 0.0; a++) /* dy = dv + e tᵀ dv */
        for (int b = 1; b < m; b++)
            B[a * n + b] += B[a * n] * v[b] / slip;
}

const ss_newton_form ss_newton_alart_curnier = {alart_curnier, false};
const ss_newton_form ss_newton_fischer_burmeister = {fischer_burmeister, true};
