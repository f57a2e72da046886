/* quantity.h: numbers with units, "500 mm", "2 kN/m". */
#ifndef SS_EXPRESSION_QUANTITY_H
#define SS_EXPRESSION_QUANTITY_H

#include <stickslip/options.h>

/* Powers of the units; angles count, so that 5 Hz are no rad/s. */
typedef struct ss_dimension {
    int metre, kilogram, second, radian;
} ss_dimension;

/* Whether a text begins with a number, blanks and a unit, which no formula does. */
bool ss_quantity_is(const char *text);
/* Its value in SI. dimension may be NULL. */
ss_status ss_quantity_read(ss_context *context, const ss_text *text, double *value,
                           ss_dimension *dimension);
/* Of a key that takes any unit. */
#define SS_UNIT_ANY "the value's unit"
/* Whether a quantity fits the unit of a key: "m", "N/m, N m/rad", "m or rad"; "" or NULL: a number without unit. */
bool ss_unit_fits(const char *unit, ss_dimension dimension);

/* Whether a name is that of a unit. */
bool ss_unit_is(const char *name, size_t length);

#endif
