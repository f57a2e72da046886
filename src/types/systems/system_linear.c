/* system_linear.c: constant matrices, M u' = -K (q - q0) - D u + load. */
#include "la/small.h"
#include "model/refuse.h"
#include "types/derive.h"
#include "types/types.h"

#include <string.h>

typedef struct linear {
    ss_texts coordinates;
    ss_matrix mass, stiffness, damping, rest, load; /* as given */
    int n;
    const double *M, *K, *D; /* n × n; K and D NULL: none */
    double *q0, *f;          /* n */
} linear;

static const ss_key keys[] = {
    {"coordinates", SS_KEY_TEXTS, offsetof(linear, coordinates), NULL, 0, 0, NULL, "",
     "Names of the coordinates."},
    {"mass", SS_KEY_MATRIX, offsetof(linear, mass), NULL, 0, 0, NULL, "kg",
     "Mass matrix, symmetric and positive definite; a list is its diagonal."},
    {"stiffness", SS_KEY_MATRIX, offsetof(linear, stiffness), "", 0, 0, NULL, "N/m",
     "Stiffness matrix, symmetric; a list is its diagonal."},
    {"damping", SS_KEY_MATRIX, offsetof(linear, damping), "", 0, 0, NULL, "N s/m",
     "Damping matrix; a list is its diagonal."},
    {"rest", SS_KEY_REALS, offsetof(linear, rest), "", 0, 0, NULL, "m",
     "Positions where the stiffness gives no force; zero when not given.", "stiffness"},
    {"load", SS_KEY_REALS, offsetof(linear, load), "", 0, 0, NULL, "N",
     "Constant generalized forces; zero when not given."},
    {.name = NULL},
};

/* A full matrix from a given one, or from its diagonal. */
static ss_status read_matrix(ss_setup *setup, const char *key, const ss_matrix *given, int n,
                             const double **matrix)
{
    bool diagonal = given->columns == 1;
    if (!given->rows)
        return SS_OK;
    if (given->rows != n || (!diagonal && given->columns != n))
        return ss_refuse(
            setup,
            "'%s' must be a matrix of %d × %d numbers, or a list of the %d numbers of its "
            "diagonal, not %d × %d",
            key, n, n, n, given->rows, given->columns);
    double *A;
    SS_TRY(SS_SETUP_NEW(setup, n * n, &A));
    if (diagonal)
        for (int i = 0; i < n; i++)
            A[i * n + i] = given->values[i];
    else
        memcpy(A, given->values, (size_t)n * (size_t)n * sizeof *A);
    *matrix = A;
    return SS_OK;
}

/* A list, zero when it is not given. */
static ss_status read_list(ss_setup *setup, const char *key, const ss_matrix *given, int n,
                           double **list)
{
    SS_TRY(SS_SETUP_NEW(setup, n, list));
    return given->rows ? ss_read_numbers(setup, key, given, n, *list) : SS_OK;
}

/* Entries that mirror each other may differ by rounding. */
static ss_status check_symmetric(const ss_setup *setup, const char *key, int n, const double *A)
{
    for (int i = 0; A && i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = A[i * n + j], b = A[j * n + i];
            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)))
                return ss_refuse(setup,
                                 "'%s' must be symmetric, but row %d, column %d is %g and row %d, "
                                 "column %d is %g",
                                 key, j + 1, i + 1, b, i + 1, j + 1, a);
        }
    return SS_OK;
}

/* Cholesky's L, row by row, in the lower triangle of a copy; names the row where it ends. */
static ss_status check_definite(ss_setup *setup, const char *key, int n, const double *A)
{
    double *L;
    SS_TRY(SS_SETUP_NEW(setup, n * n, &L));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            L[i * n + j] = (A[i * n + j] - ss_dot(j, &L[i * n], &L[j * n])) / L[j * n + j];
        double pivot = A[i * n + i] - ss_dot(i, &L[i * n], &L[i * n]);
        if (!(pivot > 1e-14 * fabs(A[i * n + i])))
            return ss_refuse(setup,
                             "'%s' must be positive definite, but its leading %d × %d block is not",
                             key, i + 1, i + 1);
        L[i * n + i] = sqrt(pivot);
    }
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    linear *self = opaque;
    self->n = self->coordinates.rows;
    SS_TRY(ss_derive_coordinates(setup, &self->coordinates));
    SS_TRY(read_matrix(setup, "mass", &self->mass, self->n, &self->M));
    SS_TRY(read_matrix(setup, "stiffness", &self->stiffness, self->n, &self->K));
    SS_TRY(read_matrix(setup, "damping", &self->damping, self->n, &self->D));
    SS_TRY(read_list(setup, "rest", &self->rest, self->n, &self->q0));
    SS_TRY(read_list(setup, "load", &self->load, self->n, &self->f));
    SS_TRY(check_symmetric(setup, "mass", self->n, self->M));
    SS_TRY(check_definite(setup, "mass", self->n, self->M));
    SS_TRY(check_symmetric(setup, "stiffness", self->n, self->K));
    ss_setup_constant_mass(setup);
    return SS_OK;
}

static ss_status mass(const void *opaque, const ss_at *at, double *M)
{
    const linear *self = opaque;
    (void)at;
    memcpy(M, self->M, (size_t)self->n * (size_t)self->n * sizeof *M);
    return SS_OK;
}

/* Row i of K (q - q0). */
static double spring_row(const linear *self, const double *q, int i)
{
    double sum = 0.0;
    for (int j = 0; self->K && j < self->n; j++)
        sum += self->K[i * self->n + j] * (q[j] - self->q0[j]);
    return sum;
}

static ss_status load(const void *opaque, const ss_at *at, double *Q)
{
    const linear *self = opaque;
    for (int i = 0; i < self->n; i++) {
        Q[i] = self->f[i];
        if (self->D)
            Q[i] -= ss_dot(self->n, &self->D[i * self->n], at->u[0]);
    }
    return SS_OK;
}

static ss_status h(const void *opaque, const ss_at *at, double *result)
{
    const linear *self = opaque;
    SS_TRY(load(opaque, at, result));
    for (int i = 0; i < self->n; i++)
        result[i] -= spring_row(self, at->q[0], i);
    return SS_OK;
}

static ss_status potential(const void *opaque, const ss_at *at, double *V)
{
    const linear *self = opaque;
    double sum = 0.0;
    for (int i = 0; i < self->n; i++)
        sum += spring_row(self, at->q[0], i) * (at->q[0][i] - self->q0[i]);
    *V = 0.5 * sum;
    return SS_OK;
}

static ss_status derivatives(const void *opaque, const ss_at *at, double *dhdq, double *dhdu)
{
    const linear *self = opaque;
    (void)at;
    for (int i = 0; i < self->n * self->n; i++) {
        dhdq[i] = self->K ? -self->K[i] : 0.0;
        dhdu[i] = self->D ? -self->D[i] : 0.0;
    }
    return SS_OK;
}

const ss_system_ops ss_linear_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "linear",
             "Constant matrices: M u' = -K (q - rest) - D u + load.", sizeof(linear), keys},
    .init = init,
    .mass = mass,
    .h = h,
    .load = load,
    .potential = potential,
    .derivatives = derivatives,
};
