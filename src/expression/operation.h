/* operation.h: every operation with its arity, its name and its value.
 *
 * One list serves constant folding and the interpreter, so the two agree to the bit. NaN passes
 * through all of them except comparisons: it is never hidden by min, max, sign or step.
 */
#ifndef SS_EXPRESSION_OPERATION_H
#define SS_EXPRESSION_OPERATION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
/* X(code, arity, commutative, name as a function or NULL, value in terms of x, y, z) */
#define SS_OPERATION_LIST(X)                                                                       \
    X(NEGATE, 1, false, NULL, -x)                                                                  \
    X(ADD, 2, true, NULL, x + y)                                                                   \
    X(SUBTRACT, 2, false, NULL, x - y)                                                             \
    X(MULTIPLY, 2, true, NULL, x * y)                                                              \
    X(DIVIDE, 2, false, NULL, x / y)                                                               \
    X(LESS, 2, false, NULL, (double)(x < y))                                                       \
    X(LESS_EQUAL, 2, false, NULL, (double)(x <= y))                                                \
    X(EQUAL, 2, true, NULL, (double)(x == y))                                                      \
    X(NOT_EQUAL, 2, true, NULL, (double)(x != y))                                                  \
    X(AND, 2, true, NULL, (double)(x != 0 && y != 0))                                              \
    X(OR, 2, true, NULL, (double)(x != 0 || y != 0))                                               \
    X(NOT, 1, false, NULL, (double)(x == 0))                                                       \
    X(SELECT, 3, false, NULL, x != 0 ? y : z)                                                      \
    X(SIN, 1, false, "sin", sin(x))                                                                \
    X(COS, 1, false, "cos", cos(x))                                                                \
    X(TAN, 1, false, "tan", tan(x))                                                                \
    X(ASIN, 1, false, "asin", asin(x))                                                             \
    X(ACOS, 1, false, "acos", acos(x))                                                             \
    X(ATAN, 1, false, "atan", atan(x))                                                             \
    X(ATAN2, 2, false, "atan2", atan2(x, y))                                                       \
    X(SINH, 1, false, "sinh", sinh(x))                                                             \
    X(COSH, 1, false, "cosh", cosh(x))                                                             \
    X(TANH, 1, false, "tanh", tanh(x))                                                             \
    X(EXP, 1, false, "exp", exp(x))                                                                \
    X(LOG, 1, false, "log", log(x))                                                                \
    X(SQRT, 1, false, "sqrt", sqrt(x))                                                             \
    X(ABS, 1, false, "abs", fabs(x))                                                               \
    X(SIGN, 1, false, "sign", x > 0 ? 1 : x < 0 ? -1 : x)                                          \
    X(MIN, 2, true, "min", x < y || isnan(x) ? x : y)                                               \
    X(MAX, 2, true, "max", x > y || isnan(x) ? x : y)                                              \
    X(STEP, 1, false, "step", x >= 0 ? 1 : x < 0 ? 0 : x)                                          \
    X(HYPOT, 2, true, "hypot", hypot(x, y))                                                        \
    X(FLOOR, 1, false, "floor", floor(x))                                                          \
    X(CEIL, 1, false, "ceil", ceil(x))                                                             \
    X(POWER, 2, false, "pow", pow(x, y))
/* clang-format on */

typedef enum ss_operation {
#define X(code, arity, commutative, name, value) SS_OP_##code,
    SS_OPERATION_LIST(X)
#undef X
        SS_OP_CONSTANT,
    SS_OP_VARIABLE,
    SS_OP_COUNT
} ss_operation;

/* Number of operands; 0 for constants and variables. */
int ss_operation_arity(ss_operation op);
bool ss_operation_commutes(ss_operation op);
/* The name of a function, NULL for what is written as an operator. */
const char *ss_operation_name(ss_operation op);
/* The function of a name; false when there is none. */
bool ss_operation_find(const char *name, ss_operation *op);
double ss_operation_value(ss_operation op, double x, double y, double z);

#endif
