/* value.h: parameters of laws that may depend on the state. */
#ifndef SS_TYPES_LAWS_VALUE_H
#define SS_TYPES_LAWS_VALUE_H

#include <stickslip/model.h>

enum { SS_LAW_VALUES = 3 };

/* Numbers of one key: constants, or expressions of t, coordinates, velocities and the law's own rows. */
typedef struct ss_law_values {
    int count;                   /* 0: not given */
    const ss_formula *formula;   /* NULL: constant */
    double first[SS_LAW_VALUES]; /* at rest, at t = 0 and the initial positions */
    unsigned depends;            /* SS_LAW_SET_OF_… */
    double least;                /* smallest value; -INFINITY: none */
    bool one;                    /* a list of equal ones is one */
    const char *unit;
    /* for messages */
    ss_context *context;
    const char *owner, *key;
    ss_location where;
} ss_law_values;

/* Compiles a list of at most SS_LAW_VALUES for the key, unit and smallest value that stand in *values. Fails where a
 * constant is smaller. */
ss_status ss_law_values_compile(ss_setup *setup, const ss_texts *given, ss_law_values *values);
/* The values at a place; fails where one is too small. */
ss_status ss_law_values_at(const ss_law_values *values, const ss_law_at *at, double *numbers);
/* One number, or an expression: count = 1. */
ss_status ss_law_value_compile(ss_setup *setup, const ss_text *given, ss_law_values *values);

#endif
