/* gyroscopic.c: the torque -ω × K ω of a body, and its mean over a step. */
#include "types/systems/gyroscopic.h"

#include "model/body.h"
#include "types/vectors.h"

#include <float.h>
#include <string.h>

void ss_gyroscopic_derivative(const double K[9], const double omega[3], double D[9])
{
    double L[3];
    ss_turn(K, omega, L);
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, column[3] = {K[j], K[3 + j], K[6 + j]}, a[3],
               b[3];
        ss_cross(column, omega, a);
        ss_cross(L, unit, b);
        for (int i = 0; i < 3; i++)
            D[3 * i + j] = a[i] + b[i];
    }
}

void ss_gyroscopic_turned(const double K[9], const double omega[3], double D[9])
{
    double L[3];
    ss_turn(K, omega, L);
    for (int j = 0; j < 3; j++) {
        double theta[3] = {j == 0, j == 1, j == 2}, a[3], b[3], Kb[3], c[3];
        ss_cross(theta, L, a);
        ss_cross(theta, omega, b);
        ss_turn(K, b, Kb);
        ss_vector_add(3, -1.0, Kb, a);
        ss_cross(a, omega, c);
        for (int i = 0; i < 3; i++)
            D[3 * i + j] = c[i];
    }
}

/* x = A⁻¹ f by Cramer's rule; false where A has no inverse. */
static bool solve(const double A[9], const double f[3], double x[3])
{
    double c[3][3], rows[3][3];
    memcpy(rows, A, sizeof rows);
    ss_cross(rows[1], rows[2], c[0]);
    ss_cross(rows[2], rows[0], c[1]);
    ss_cross(rows[0], rows[1], c[2]);
    double det = ss_vector_dot(3, rows[0], c[0]);
    for (int i = 0; i < 3; i++)
        x[i] = (c[0][i] * f[0] + c[1][i] * f[1] + c[2][i] * f[2]) / det;
    return det != 0;
}

/* A step too long for Newton's method has no mean worth the name: then ω itself. */
void ss_gyroscopic_mean(const double K[9], const double omega[3], double dt, double mean[3])
{
    enum { MOST = 8 };
    double size = ss_vector_dot(3, omega, omega);
    memcpy(mean, omega, 3 * sizeof *mean);
    if (dt == 0 || !(size > 0))
        return;
    for (int k = 0; k < MOST; k++) {
        double D[9], L[3], torque[3], lag[3], f[3], x[3];
        ss_turn(K, mean, L);
        ss_cross(L, mean, torque);
        for (int i = 0; i < 3; i++)
            lag[i] = mean[i] - omega[i];
        ss_turn(K, lag, f);
        ss_vector_add(3, -dt / 2, torque, f);
        ss_gyroscopic_derivative(K, mean, D);
        for (int i = 0; i < 9; i++)
            D[i] = K[i] - dt / 2 * D[i];
        if (!solve(D, f, x))
            break;
        ss_vector_add(3, -1.0, x, mean);
        if (ss_vector_dot(3, x, x) <= 16 * DBL_EPSILON * DBL_EPSILON * size)
            return;
    }
    memcpy(mean, omega, 3 * sizeof *mean);
}
