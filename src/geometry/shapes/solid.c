/* solid.c: mass properties of what a surface of triangles encloses. */
#include "geometry/geometry.h"
#include "geometry/vector.h"

void ss_solid_begin(const double origin[3], ss_solid_sums *sums)
{
    *sums = (ss_solid_sums){.V = 0};
    ss_copy3(origin, sums->origin);
}

/* Integrals over the tetrahedron from the origin to a triangle, negative when seen from inside. */
void ss_solid_add(const double p[3], const double q[3], const double r[3], ss_solid_sums *sums)
{
    double v[3][3], m[3], sum[3] = {0};
    ss_minus3(p, sums->origin, v[0]);
    ss_minus3(q, sums->origin, v[1]);
    ss_minus3(r, sums->origin, v[2]);
    for (int i = 0; i < 3; i++)
        ss_add3(sum, v[i], sum);
    ss_cross3(v[0], v[1], m);
    double det = ss_dot3(m, v[2]);
    sums->V += det / 6;
    ss_along3(sums->S, det / 24, sum, sums->S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double squares = v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j];
            sums->Q[i][j] += det / 120 * (sum[i] * sum[j] + squares);
        }
}

void ss_solid_end(const ss_solid_sums *sums, ss_solid *solid)
{
    double V = sums->V, c[3];
    *solid = (ss_solid){.volume = V};
    ss_scale3(1 / V, sums->S, c);
    ss_add3(sums->origin, c, solid->centre);
    double trace = sums->Q[0][0] + sums->Q[1][1] + sums->Q[2][2] - V * ss_dot3(c, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid->inertia[3 * i + j] = (i == j ? trace : 0) - (sums->Q[i][j] - V * c[i] * c[j]);
}
