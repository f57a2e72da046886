/* run.c: runs a compiled program on a frame of numbers. */
#include "expression/program.h"

#include <string.h>

size_t ss_program_frame(const ss_program *program)
{
    return (size_t)program->frame_size;
}

int ss_program_input_count(const ss_program *program)
{
    return program->inputs;
}

int ss_program_output_count(const ss_program *program)
{
    return program->outputs;
}

const double *ss_program_outputs(const ss_program *program, const double *frame)
{
    return frame + program->inputs;
}

int ss_program_length(const ss_program *program)
{
    return program->length;
}

void ss_program_prepare(const ss_program *program, double *frame)
{
    memcpy(frame, program->image, (size_t)program->frame_size * sizeof *frame);
}

void ss_program_run(const ss_program *program, double *frame)
{
    double *const f = frame;
    for (const ss_instruction *i = program->instructions;; i++) {
        switch (i->code) {
#define COMPUTE(value)                                      \
    {                                                       \
        const double x = f[i->a], y = f[i->b], z = f[i->c]; \
        (void)x, (void)y, (void)z;                          \
        f[i->d] = value;                                    \
        break;                                              \
    }
#define X(code, arity, commutative, name, value) \
    case SS_OP_##code:                           \
        COMPUTE(value)
            SS_OPERATION_LIST(X)
#undef X
#define X(code, value)   \
    case SS_CODE_##code: \
        COMPUTE(value)
            SS_FUSED_LIST(X)
#undef X
        case SS_CODE_SIN_COS: {
            const double x = f[i->a];
            ss_sin_cos(x, &f[i->d], &f[i->b]);
            break;
        }
        case SS_CODE_END:
            return;
        default: /* there are no others */
            break;
        }
    }
}
