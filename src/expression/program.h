/* program.h: bytecode that works in a frame of doubles: inputs, outputs, constants, intermediate
 * values, in this order. Constants and outputs that are constant are put in place when a frame is
 * prepared; a run is the instructions alone. The places of intermediate values are taken again as
 * soon as nobody reads them any more.
 */
#ifndef SS_EXPRESSION_PROGRAM_H
#define SS_EXPRESSION_PROGRAM_H

#include "base/arena.h"
#include "expression/operation.h"

#include <stickslip/expression.h>

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
