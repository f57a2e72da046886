/* kind.h: the sets that solvers know by heart. */
#ifndef SS_ROWS_KIND_H
#define SS_ROWS_KIND_H

#include <stickslip/set.h>

typedef enum ss_prox_kind {
    SS_PROX_FREE,
    SS_PROX_HALF_LINE,
    SS_PROX_NEGATIVE_HALF_LINE,
    SS_PROX_INTERVAL, /* [-s, s] */
    SS_PROX_DISK,     /* of dimension 2 */
    SS_PROX_OTHER,    /* through the set's ops */
} ss_prox_kind;

/* A set made by name counts as the static one when its parameters are the same. */
ss_prox_kind ss_prox_kind_of(const ss_set *set);

#endif
