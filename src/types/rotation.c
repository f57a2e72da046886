/* rotation.c: rotations and inertia as scenes give them. */
#include "types/rotation.h"

#include "la/elementary.h"
#include "model/body.h"
#include "model/refuse.h"
#include "types/points.h"

void ss_axis_angle(const double n[3], double angle, double e[4])
{
    double s = ss_sin(angle / 2);
    e[0] = ss_cos(angle / 2);
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
    SS_TRY(ss_read_direction(setup, key, &axis, 3, n));
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

ss_status ss_read_inertia(const ss_setup *setup, const ss_matrix *inertia, double J[9])
{
    /* where the six numbers xx, yy, zz, xy, xz, yz stand in the tensor */
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *given = inertia->values;
    int count = inertia->rows * inertia->columns;
    for (int i = 0; i < 9; i++) {
        bool diagonal = i % 4 == 0;
        if (count == 1)
            J[i] = diagonal ? given[0] : 0.0;
        else if (count == 3)
            J[i] = diagonal ? given[i / 4] : 0.0;
        else if (count == 6)
            J[i] = given[place[i]];
        else if (count == 9)
            J[i] = given[i];
        else
            return ss_refuse(setup, "'inertia' must be 1, 3, 6 or 9 numbers, not %d", count);
    }
    for (int i = 0; i < 9; i++)
        if (J[i] != J[3 * (i % 3) + i / 3])
            return ss_refuse(setup, "'inertia' must be symmetric");
    return SS_OK;
}
