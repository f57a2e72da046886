/* time_function.h: a parameter that may change with time, with its rate and acceleration. */
#ifndef SS_TYPES_TIME_FUNCTION_H
#define SS_TYPES_TIME_FUNCTION_H

#include <stickslip/model.h>

typedef struct ss_time_function {
    const ss_formula *formula; /* NULL: constant */
    double constant;
} ss_time_function;

typedef struct ss_time_value {
    double value, rate, acceleration;
} ss_time_value;

/* Compiles an expression of t and the parameters; fails when it depends on a coordinate. */
ss_status ss_time_function_compile(ss_setup *setup, const char *key, const ss_text *text,
                                   ss_time_function *function);
ss_time_value ss_time_function_at(const ss_time_function *function, const ss_at *at);

#endif
