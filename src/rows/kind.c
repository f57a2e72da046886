#include "rows/kind.h"

#include <string.h>

static bool same(const ss_set *a, const ss_set *b)
{
    size_t size = b->ops->type.self_size;
    return a->ops == b->ops && a->dim == b->dim &&
           (size == 0 || memcmp(a->self, b->self, size) == 0);
}

ss_prox_kind ss_prox_kind_of(const ss_set *set)
{
    if (set->ops == ss_set_free(1)->ops)
        return SS_PROX_FREE;
    if (same(set, ss_set_half_line()))
        return SS_PROX_HALF_LINE;
    if (same(set, ss_set_negative_half_line()))
        return SS_PROX_NEGATIVE_HALF_LINE;
    if (same(set, ss_set_interval()))
        return SS_PROX_INTERVAL;
    if (same(set, ss_set_disk(2)))
        return SS_PROX_DISK;
    return SS_PROX_OTHER;
}
