/* keys.h: one line for each option in the tables of keys of the solvers. `self` is the struct that
 * the keys fill; min, max and choices are those of ss_key. What may follow the doc is its `when`. */
#ifndef SS_SOLVER_KEYS_H
#define SS_SOLVER_KEYS_H

#include <stickslip/options.h>

#include <stddef.h>

#define SS_OPTION_REAL(self, field, default_, min_, max_, unit_, ...)                          \
    {                                                                                          \
        .name = #field, .kind = SS_KEY_REAL, .offset = offsetof(self, field),                  \
        .default_value = default_, .min = min_, .max = max_, .unit = unit_, .doc = __VA_ARGS__ \
    }
#define SS_OPTION_INT(self, field, default_, min_, max_, ...)                   \
    {                                                                           \
        .name = #field, .kind = SS_KEY_INT, .offset = offsetof(self, field),    \
        .default_value = default_, .min = min_, .max = max_, .doc = __VA_ARGS__ \
    }
#define SS_OPTION_CHOICE(self, field, default_, choices_, ...)                  \
    {                                                                           \
        .name = #field, .kind = SS_KEY_CHOICE, .offset = offsetof(self, field), \
        .default_value = default_, .choices = choices_, .doc = __VA_ARGS__      \
    }
#define SS_OPTION_BOOL(self, field, default_, ...)                            \
    {                                                                         \
        .name = #field, .kind = SS_KEY_BOOL, .offset = offsetof(self, field), \
        .default_value = default_, .doc = __VA_ARGS__                         \
    }

#endif
