#include "assembly/sources/contact_direction.h"

#include "model/body.h"

#include <math.h>
#include <string.h>

ss_contact_direction ss_contact_row_direction(const ss_contact_rule *rule, int group, int row,
                                              const double n[3], double (*t)[3])
{
    bool normal = group == SS_GROUP_GAP || group == SS_GROUP_SPIN || row == 2;
    const double *d = normal ? n : t[row];
    double length = group == SS_GROUP_SLIP_SPIN && row == 2 ? rule->length : 1;
    ss_contact_direction to = {
        .couple = group == SS_GROUP_SPIN || group == SS_GROUP_ROLL || row == 2,
    };
    for (int k = 0; k < 3; k++)
        to.d[k] = length * d[k];
    return to;
}

/* Force and torque about the origin of a frame, of a unit impulse at x. */
static void wrench_of(const ss_pose *frame, const double x[3], const ss_contact_direction *to,
                      double sign, double wrench[6])
{
    const double *o = frame->x, *d = to->d;
    double r[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
    for (int k = 0; k < 6; k++)
        wrench[k] = 0;
    for (int k = 0; k < 3; k++)
        wrench[to->couple ? 3 + k : k] = sign * d[k];
    if (!to->couple) {
        wrench[3] = sign * (r[1] * d[2] - r[2] * d[1]);
        wrench[4] = sign * (r[2] * d[0] - r[0] * d[2]);
        wrench[5] = sign * (r[0] * d[1] - r[1] * d[0]);
    }
}

void ss_contact_row(const ss_pose *frame, const double *V, int nu, const double x[3],
                    const ss_contact_direction *to, double sign, double *W)
{
    double wrench[6];
    wrench_of(frame, x, to, sign, wrench);
    for (int j = 0; j < nu; j++) {
        W[j] = V ? 0 : wrench[j];
        for (int k = 0; V && k < 6; k++)
            W[j] += V[k * nu + j] * wrench[k];
    }
}

void ss_contact_row_add(const ss_pose *frame, const double *V, int nu, const double x[3],
                        const ss_contact_direction *to, double sign, double *W)
{
    double wrench[6];
    wrench_of(frame, x, to, sign, wrench);
    for (int j = 0; j < nu; j++)
        for (int k = 0; k < 6; k++)
            W[j] += (V ? V[k * nu + j] : j == k) * wrench[k];
}

/* The part of d across n, normalized; false when d is along n. */
static bool across(const double n[3], const double d[3], double t[3])
{
    double along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2], length = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = d[i] - along * n[i];
        length += t[i] * t[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++)
        t[i] /= length;
    return length > 1e-6;
}

/* The axis that n is farthest from; rounding does not choose between two. */
static int farthest_axis(const double n[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(n[i]) < fabs(n[least]) - 1e-6 ? i : least;
    return least;
}

void ss_contact_tangents(const ss_contact_rule *rule, const double *A, const double n[3],
                         int *across_axis, double t[2][3])
{
    double axis[3] = {0};
    bool found = false;
    if (rule->direction.rows == 3) {
        const double *d = rule->direction.values;
        for (int i = 0; i < 3; i++)
            axis[i] = A ? A[3 * i] * d[0] + A[3 * i + 1] * d[1] + A[3 * i + 2] * d[2] : d[i];
        found = across(n, axis, t[0]);
    }
    if (!found) {
        if (*across_axis < 0 || fabs(n[*across_axis]) > 0.9)
            *across_axis = farthest_axis(n);
        memset(axis, 0, sizeof axis);
        axis[*across_axis] = 1;
        across(n, axis, t[0]);
    }
    ss_cross(n, t[0], t[1]);
}
