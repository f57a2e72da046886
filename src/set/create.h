/* create.h: inside of the creation of sets. */
#ifndef SS_SET_CREATE_H
#define SS_SET_CREATE_H

#include "base/arena.h"

#include <stickslip/set.h>

/* A set that ss_set_destroy can release: the set and its parameters. */
typedef struct ss_owned_set {
    ss_set set; /* first: what the user holds */
    void *self;
    ss_arena arena; /* self, and the lists and texts in it */
} ss_owned_set;

/* Reserves memory for a set of a kind, its parameters zeroed. */
ss_status ss_set_allocate(ss_context *context, const ss_set_ops *ops, ss_owned_set **owned);

#endif
