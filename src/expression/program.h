/* program.h: every operation with its arity, its name and its value; bytecode made of them.
 *
 * One list serves constant folding and the interpreter, so the two agree to the bit. NaN passes
 * through all operations except comparisons: it is never hidden by min, max, sign or step.
 *
 * A program works in a frame of doubles: inputs, outputs, constants, intermediate values, in this
 * order. Constants and outputs that are constant are put in place when a frame is prepared; a run is
 * the instructions alone. The places of intermediate values are taken again as soon as nobody reads
 * them any more.
 */
#ifndef SS_EXPRESSION_PROGRAM_H
#define SS_EXPRESSION_PROGRAM_H

#include "base/arena.h"
#include "la/elementary.h"

#include <stickslip/expression.h>

#include <math.h>

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
    X(SIN, 1, false, "sin", ss_sin(x))                                                             \
    X(COS, 1, false, "cos", ss_cos(x))                                                             \
    X(TAN, 1, false, "tan", ss_tan(x))                                                             \
    X(ASIN, 1, false, "asin", ss_asin(x))                                                          \
    X(ACOS, 1, false, "acos", ss_acos(x))                                                          \
    X(ATAN, 1, false, "atan", ss_atan(x))                                                          \
    X(ATAN2, 2, false, "atan2", ss_atan2(x, y))                                                    \
    X(SINH, 1, false, "sinh", ss_sinh(x))                                                          \
    X(COSH, 1, false, "cosh", ss_cosh(x))                                                          \
    X(TANH, 1, false, "tanh", ss_tanh(x))                                                          \
    X(EXP, 1, false, "exp", ss_exp(x))                                                             \
    X(LOG, 1, false, "log", ss_logarithm(x))                                                       \
    X(SQRT, 1, false, "sqrt", sqrt(x))                                                             \
    X(ABS, 1, false, "abs", fabs(x))                                                               \
    X(SIGN, 1, false, "sign", x > 0 ? 1 : x < 0 ? -1 : x)                                          \
    X(MIN, 2, true, "min", x < y || isnan(x) ? x : y)                                              \
    X(MAX, 2, true, "max", x > y || isnan(x) ? x : y)                                              \
    X(STEP, 1, false, "step", x >= 0 ? 1 : x < 0 ? 0 : x)                                          \
    X(HYPOT, 2, true, "hypot", ss_hypot(x, y))                                                     \
    X(FLOOR, 1, false, "floor", floor(x))                                                          \
    X(CEIL, 1, false, "ceil", ceil(x))                                                             \
    X(POWER, 2, false, "pow", ss_pow(x, y))
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

/* What two operations become that follow each other; each is rounded on its own, as in the
 * formula. */
#define SS_FUSED_LIST(X)              \
    X(MULTIPLY_ADD, (x * y) + z)      \
    X(MULTIPLY_SUBTRACT, (x * y) - z) \
    X(SUBTRACT_PRODUCT, z - (x * y))  \
    X(NEGATE_PRODUCT, -(x * y))       \
    X(COPY, x)

/* Operations have their own numbers. The last code fills its bits: a switch over them needs no
 * range check. */
typedef enum ss_instruction_code {
    SS_CODE_BEFORE = SS_OP_COUNT,
#define X(code, value) SS_CODE_##code,
    SS_FUSED_LIST(X)
#undef X
        SS_CODE_SIN_COS, /* f[d] = sin(f[a]), f[b] = cos(f[a]) */
    SS_CODE_END = 63
} ss_instruction_code;

_Static_assert(SS_CODE_SIN_COS < SS_CODE_END, "codes have six bits");

enum { SS_LARGEST_PLACE = (1 << 26) - 1 }; /* far above what a graph can ask for */

/* f[d] = code(f[a], f[b], f[c]) */
typedef struct ss_instruction {
    uint32_t code : 6, c : 26;
    uint32_t d, a, b;
} ss_instruction;

struct ss_program {
    ss_context *context;
    ss_arena arena;
    int inputs, outputs;
    int frame_size;
    const double *image; /* a frame before its first run */
    int length;
    const ss_instruction *instructions; /* length of them and SS_CODE_END */
};

#endif
