/* cone.c: { x | ‖(x_2, …)‖ <= μ x_1 }, normal force and friction together. Its normal cone is not
 * Coulomb's law: at the boundary it has a part along the normal (Preclik, Rüde & Popa, 4.4). */
#include "set/set.h"

#include <stddef.h>
#include <string.h>

static const ss_key keys[] = {
    {"mu", SS_KEY_REAL, offsetof(ss_friction_cone, mu), NULL, 0, 1e6, NULL, "",
     "Friction coefficient: tangent of half the angle at the tip."},
    {.name = NULL},
};

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = 2;
    *most = 3;
}

/* Nearest point: itself, the tip, or on the surface. */
static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)scale;
    double mu = ((const ss_friction_cone *)self)->mu, N = x[0];
    double T = dim == 2 ? fabs(x[1]) : ss_ball_norm(2, x + 1);
    if (y != x)
        memcpy(y, x, (size_t)dim * sizeof *y);
    if (T <= mu * N * (1 + SS_BALL_SLACK))
        return;
    double along = (mu * T + N) / (1 + mu * mu);
    if (along <= 0) {
        memset(y, 0, (size_t)dim * sizeof *y);
        return;
    }
    y[0] = along;
    for (int k = 1; k < dim; k++)
        y[k] = x[k] * (mu * along / T);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    return ss_set_near(&ss_set_type_cone, self, dim, scale, x, tolerance);
}

/* ---- In a metric ----
 *
 * With μ y_1 in place of y_1 the cone is yᵀJy >= 0, J = diag(1, -1, -1), and R (y - x) = λ J y on its surface. With R = L Lᵀ and L⁻¹ J L⁻ᵀ = Q diag(Λ) Qᵀ, of
 * which one Λ is positive, z = Qᵀ Lᵀ y is z_i = w_i / (1 - λ Λ_i), w = Qᵀ Lᵀ x. λ is sought as (1 ± τ)/Λ_0.
 */

/* R = L Lᵀ, L lower triangular by rows. */
static void factor(int dim, const double *R, double *L)
{
    memset(L, 0, (size_t)(dim * dim) * sizeof *L);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j <= i; j++) {
            double sum = (R[i * dim + j] + R[j * dim + i]) / 2;
            for (int k = 0; k < j; k++)
                sum -= L[i * dim + k] * L[j * dim + k];
            L[i * dim + j] = i == j ? sqrt(sum) : sum / L[j * dim + j];
        }
}

/* x = L⁻ᵀ x */
static void solve_back(int dim, const double *L, double *x)
{
    for (int i = dim - 1; i >= 0; i--) {
        for (int k = i + 1; k < dim; k++)
            x[i] -= L[k * dim + i] * x[k];
        x[i] /= L[i * dim + i];
    }
}

/* A = L⁻¹ J L⁻ᵀ */
static void transform(int dim, const double *L, double *A)
{
    double B[9] = {0};
    for (int i = 0; i < dim; i++) { /* column i of L⁻ᵀ is row i of L⁻¹ */
        double e[3] = {0};
        e[i] = 1;
        solve_back(dim, L, e);
        for (int k = 0; k < dim; k++)
            B[i * dim + k] = e[k];
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            double sum = B[i * dim] * B[j * dim];
            for (int k = 1; k < dim; k++)
                sum -= B[i * dim + k] * B[j * dim + k];
            A[i * dim + j] = sum;
        }
}

/* z with zᵀ Λ z = 0, at λ = (1 + turn τ)/Λ_0; entry `top` is that of the positive Λ. Returns which sign zᵀ Λ z had. */
static double on_surface(int dim, int top, const double *Lambda, const double *w, double turn,
                         double tau, double *z)
{
    double others = 0, own = w[top] / tau; /* |z_top|, but for the sign */
    for (int i = 0; i < dim; i++) {
        if (i == top)
            continue;
        z[i] = w[i] / (1 - (1 + turn * tau) * Lambda[i] / Lambda[top]);
        others -= Lambda[i] / Lambda[top] * z[i] * z[i];
    }
    z[top] = sqrt(others);
    return own * own - others;
}

static void find_surface(int dim, const double *Lambda, const double *w, double turn, int top,
                         double *z)
{
    enum { MOST = 400 };
    double low = 1e-300, high = turn < 0 ? 1 : 1e300;
    for (int k = 0; k < MOST && high > low * (1 + 2 * DBL_EPSILON); k++) {
        double middle = high > 4 * low ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
        *(on_surface(dim, top, Lambda, w, turn, middle, z) > 0 ? &low : &high) = middle;
    }
    on_surface(dim, top, Lambda, w, turn, high, z);
}

static bool is_polar(int dim, double mu, const double *v)
{
    return v[0] + mu * (dim == 2 ? fabs(v[1]) : ss_ball_norm(2, v + 1)) <= 0;
}

/* w = Qᵀ Lᵀ x; *sign: of z_top inside the cone. */
static void into_frame(int dim, const double *L, const double *Q, int top, const double *x,
                       double *w, double *sign)
{
    double up[3], turned[3] = {0};
    for (int i = 0; i < dim; i++) {
        up[i] = Q[i * dim + top];
        for (int k = i; k < dim; k++)
            turned[i] += L[k * dim + i] * x[k];
    }
    for (int i = 0; i < dim; i++) {
        w[i] = 0;
        for (int k = 0; k < dim; k++)
            w[i] += Q[k * dim + i] * turned[k];
    }
    solve_back(dim, L, up);
    *sign = up[0] < 0 ? -1 : 1;
}

/* The point on the surface that is nearest in the metric R. */
static void surface(int dim, double mu, const double *R, const double *x, double *y)
{
    double scaled[9] = {0}, L[9], A[9] = {0}, Lambda[3], Q[9], w[3], z[3], sign;
    double from[3] = {mu * x[0], x[1], dim == 3 ? x[2] : 0};
    int top = 0;
    for (int i = 0; i < dim * dim; i++)
        scaled[i] = R[i] / ((i < dim ? mu : 1) * (i % dim == 0 ? mu : 1));
    factor(dim, scaled, L);
    transform(dim, L, A);
    ss_jacobi(dim, A, Lambda, Q);
    for (int i = 1; i < dim; i++)
        top = Lambda[i] > Lambda[top] ? i : top;
    into_frame(dim, L, Q, top, from, w, &sign);
    find_surface(dim, Lambda, w, w[top] * sign > 0 ? -1 : 1, top, z);
    z[top] *= sign;
    for (int i = 0; i < dim; i++) {
        y[i] = 0;
        for (int k = 0; k < dim; k++)
            y[i] += Q[i * dim + k] * z[k];
    }
    solve_back(dim, L, y);
    y[0] /= mu;
    double along = 0, own = 0; /* the nearest point of the ray, but for rounding */
    for (int i = 0; i < dim * dim; i++) {
        along += y[i / dim] * R[i] * x[i % dim];
        own += y[i / dim] * R[i] * y[i % dim];
    }
    for (int i = 0; i < dim; i++)
        y[i] *= fmax(0, along / own);
    prox(&(ss_friction_cone){mu}, dim, 1, y, y);
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    double mu = ((const ss_friction_cone *)self)->mu, Rx[3] = {0};
    if (contains(self, dim, scale, x, 0)) {
        memmove(y, x, (size_t)dim * sizeof *y);
        return;
    }
    for (int i = 0; i < dim * dim; i++)
        Rx[i / dim] += R[i] * x[i % dim];
    if (mu > 0 && !is_polar(dim, mu, Rx)) {
        surface(dim, mu, R, x, y);
        return;
    }
    memset(y, 0, (size_t)dim * sizeof *y);
    y[0] = mu == 0 ? fmax(0, Rx[0] / R[0]) : 0;
}

/* A cone: 0 against v in its polar cone, else without bound. */
static double support(const void *self, int dim, double scale, const double *v)
{
    (void)scale;
    double mu = ((const ss_friction_cone *)self)->mu;
    double T = dim == 2 ? fabs(v[1]) : ss_ball_norm(2, v + 1);
    return v[0] + mu * T > 0 ? INFINITY : 0;
}

const ss_set_ops ss_set_type_cone = {
    .type = {SS_ABI, sizeof(ss_set_ops), "cone",
             "The friction cone: normal force first, then at most mu times as much friction.",
             sizeof(ss_friction_cone), keys},
    .kind = SS_SET_CONE,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};
