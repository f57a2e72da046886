/* body_pose.c: rotations as users give them. */
#include "types/systems/body_pose.h"

#include "types/refuse.h"
#include "types/vectors.h"

ss_status ss_read_direction(const ss_setup *setup, const char *key, const ss_matrix *given,
                            double n[3])
{
    SS_TRY(ss_read_numbers(setup, key, given, 3, n));
    double length = ss_vector_length(3, n);
    if (!(length > 0) || !isfinite(length))
        return ss_refuse(setup, "'%s' must have a direction; its length is %g", key, length);
    for (int i = 0; i < 3; i++)
        n[i] /= length;
    return SS_OK;
}

void ss_axis_angle(const double n[3], double angle, double e[4])
{
    double s = sin(angle / 2);
    e[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        e[1 + i] = s * n[i];
}

ss_status ss_read_axis_angle(const ss_setup *setup, const char *key, const ss_matrix *given,
                             double e[4])
{
    if (given->rows != 4)
        return ss_refuse(setup, "'%s' must be an axis and an angle, four numbers, not %d", key,
                         given->rows);
    ss_matrix axis = {.rows = 3, .columns = 1, .values = given->values};
    double n[3];
    SS_TRY(ss_read_direction(setup, key, &axis, n));
    ss_axis_angle(n, given->values[3], e);
    return SS_OK;
}

ss_status ss_read_yaw_pitch_roll(const ss_setup *setup, const char *key, const ss_matrix *given,
                                 double e[4])
{
    static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    double angles[3], yaw[4], pitch[4], roll[4], both[4];
    SS_TRY(ss_read_numbers(setup, key, given, 3, angles));
    ss_axis_angle(axes[0], angles[0], yaw);
    ss_axis_angle(axes[1], angles[1], pitch);
    ss_axis_angle(axes[2], angles[2], roll);
    ss_quaternion_product(yaw, pitch, both);
    ss_quaternion_product(both, roll, e);
    return SS_OK;
}

void ss_body_turns(const ss_body *body, const double e[4], double T[12])
{
    double F[12], s = 4.0 / ss_vector_dot(4, e, e);
    ss_body_rates(body, e, F);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            T[4 * i + j] = s * F[3 * j + i];
}
