/* stay.h: a point that is outside of a set by rounding only stays where it is. */
#ifndef SS_SET_STAY_H
#define SS_SET_STAY_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Whether two points of the plane agree to the rounding of numbers of a size. */
static inline bool ss_stays(double size, const double x[2], const double y[2])
{
    return fmax(fabs(x[0] - y[0]), fabs(x[1] - y[1])) <= 8 * DBL_EPSILON * size;
}

#endif
