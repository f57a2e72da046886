/* compiler.h: the state of a compilation: selection of instructions, then places in the frame. */
#ifndef SS_EXPRESSION_COMPILER_H
#define SS_EXPRESSION_COMPILER_H

#include "expression/graph.h"
#include "expression/program.h"

/* What becomes of a vertex. */
typedef struct ss_slot {
    int uses;      /* by other vertices and as output */
    int last;      /* position of the last vertex that reads it */
    int place;     /* 1 + its place in the frame, 0: none yet */
    bool absorbed; /* computed by the instruction of another vertex */
    uint8_t code;  /* ss_operation or ss_instruction_code */
    uint8_t arity; /* operands that are read */
    ss_node operands[3];
    ss_node angle_of; /* the first sine or cosine of it; SS_ZERO: none */
    ss_node partner;  /* the cosine of a sine, or the sine of a cosine; SS_ZERO: none */
} ss_slot;

typedef struct ss_compiler {
    ss_graph *graph;
    ss_program *program;
    ss_arena arena;     /* released after the compilation */
    int count;          /* vertices to compute, constants not among them */
    ss_node *order;     /* operands first */
    ss_slot *slots;     /* one for each vertex of the graph */
    ss_node *constants; /* those that instructions read */
    int constant_count;
    int *unused; /* 1 + places that are free again */
    int unused_count;
    ss_instruction *instructions;
} ss_compiler;

/* Decides for each vertex by which instruction it is computed, if by any of its own. */
ss_status ss_compiler_select(ss_compiler *compiler);

#endif
