/* equilibrium.h: whether dependent rows have forces, or impulses, within their sets that keep all of them closed. */
#ifndef SS_SIMULATION_EQUILIBRIUM_H
#define SS_SIMULATION_EQUILIBRIUM_H

#include <stickslip/simulation.h>

/* One boundary: D = a² - |T|² > 0 with a = R - τ > 0 and rows T, or D = a alone. */
typedef struct ss_boundary {
    int row, dim;  /* rows of T; dim 0: none */
    int radius;    /* row of R; -1: constant */
    double factor; /* R = factor · λ, or factor */
} ss_boundary;

typedef struct ss_equilibrium {
    int n;              /* rows */
    int k;              /* dimension of the null space of G */
    double *N;          /* its basis: k of n columns */
    double *x;          /* forces */
    double *z;          /* k coordinates of them, and the margin */
    double *A, *U, *Vt; /* Hessian; of the decomposition of G */
    double *gradient, *sigma, *scratch;
    ss_boundary *boundaries;
} ss_equilibrium;

ss_status ss_equilibrium_reserve(ss_simulation *simulation, int n, int n_boundaries,
                                 ss_equilibrium *q);
/* Null space of G, n × n by rows, with rows and columns scaled; false: it could not be found. */
bool ss_equilibrium_decompose(ss_equilibrium *q, int n, const double *G, const double *scale);
/* G λ = -c in the sense of least squares, after ss_equilibrium_decompose. */
void ss_equilibrium_solve(const ss_equilibrium *q, const double *scale, const double *c,
                          double *lambda);
/* Whether the solutions λ + N z have one inside all boundaries, or on them. Then it is in q->x, as far inside as there is. */
bool ss_equilibrium_exists(ss_equilibrium *q, const double *lambda, int n_b, const ss_boundary *b);

#endif
