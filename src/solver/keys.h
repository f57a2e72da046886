/* keys.h: one line for each option in the tables of keys of the solvers. `self` is the struct that
 * the keys fill; min, max and choices are those of ss_key. */
#ifndef SS_SOLVER_KEYS_H
#define SS_SOLVER_KEYS_H

#include <stickslip/options.h>

#include <stddef.h>

#define SS_OPTION_REAL(self, field, default_, min_, max_, unit_, doc_)                  \
    {                                                                                   \
        .name = #field, .kind = SS_KEY_REAL, .offset = offsetof(self, field),           \
        .default_value = default_, .min = min_, .max = max_, .unit = unit_, .doc = doc_ \
    }
#define SS_OPTION_INT(self, field, default_, min_, max_, doc_)               \
    {                                                                        \
        .name = #field, .kind = SS_KEY_INT, .offset = offsetof(self, field), \
        .default_value = default_, .min = min_, .max = max_, .doc = doc_     \
    }
#define SS_OPTION_CHOICE(self, field, default_, choices_, doc_)                 \
    {                                                                           \
        .name = #field, .kind = SS_KEY_CHOICE, .offset = offsetof(self, field), \
        .default_value = default_, .choices = choices_, .doc = doc_             \
    }
#define SS_OPTION_BOOL(self, field, default_, doc_)                           \
    {                                                                         \
        .name = #field, .kind = SS_KEY_BOOL, .offset = offsetof(self, field), \
        .default_value = default_, .doc = doc_                                \
    }

#endif
