/* coulomb_cone.h: Coulomb's cone { ‖P_T‖ <= μ P_N } of one contact, normal row first. */
#ifndef SS_ROWS_COULOMB_CONE_H
#define SS_ROWS_COULOMB_CONE_H

#include <math.h>

static inline double ss_coulomb_tangential(int dim, const double *x)
{
    return dim == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : dim == 2 ? fabs(x[1]) : 0.0;
}

/* y onto the cone. */
static inline void ss_coulomb_project(int dim, double mu, double *y)
{
    double t = ss_coulomb_tangential(dim, y);
    if (mu * t <= -y[0]) {
        for (int k = 0; k < dim; k++)
            y[k] = 0.0;
    } else if (t > mu * y[0]) {
        y[0] = (y[0] + mu * t) / (1.0 + mu * mu);
        for (int k = 1; k < dim; k++)
            y[k] *= mu * y[0] / t;
    }
}

static inline double ss_coulomb_error2_of(int dim, double mu, const double *P, const double *u)
{
    double y[3] = {P[0] - u[0] - mu * ss_coulomb_tangential(dim, u)}, e2 = 0.0;
    for (int k = 1; k < dim; k++)
        y[k] = P[k] - u[k];
    ss_coulomb_project(dim, mu, y);
    for (int k = 0; k < dim; k++)
        e2 += (P[k] - y[k]) * (P[k] - y[k]);
    return e2;
}

/* ‖P - proj(P - ũ)‖² with De Saxcé's ũ = u + μ‖u_T‖ n. */
static inline double ss_coulomb_error2(int dim, double mu, const double *P, const double *u)
{
    switch (dim) { /* known to the compiler, loops vanish */
    case 3:
        return ss_coulomb_error2_of(3, mu, P, u);
    case 2:
        return ss_coulomb_error2_of(2, mu, P, u);
    default:
        return ss_coulomb_error2_of(1, mu, P, u);
    }
}

#endif
