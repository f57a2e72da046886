/* kind.h: the sets that solvers treat in closed form. */
#ifndef SS_ROWS_KIND_H
#define SS_ROWS_KIND_H

#include <stickslip/set.h>

/* Free, half lines, interval and disk: known by their kind and scale alone. */
static inline bool ss_set_is_simple(const ss_set *set)
{
    return set->kind >= SS_SET_FREE && set->kind <= SS_SET_DISK;
}

/* Sets of friction that is the same in all directions: [-s, s] and the disk. */
static inline bool ss_set_is_round(const ss_set *set)
{
    return set->kind == SS_SET_INTERVAL || set->kind == SS_SET_DISK;
}

#endif
