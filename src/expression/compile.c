/* compile.c: from the vertices that the outputs need to a program. */
#include "expression/graph.h"

#include <string.h>

/* What becomes of a vertex. */
typedef struct slot {
    int uses;      /* by other vertices and as output */
    int last;      /* position of the last vertex that reads it */
    int place;     /* 1 + its place in the frame, 0: none yet */
    bool absorbed; /* computed by the instruction of another vertex */
    uint8_t code;  /* ss_operation or ss_instruction_code */
    uint8_t arity; /* operands that are read */
    ss_node operands[3];
    ss_node angle_of; /* the first sine or cosine of it; SS_ZERO: none */
    ss_node partner;  /* the cosine of a sine, or the sine of a cosine; SS_ZERO: none */
} slot;

typedef struct compiler {
    ss_graph *graph;
    ss_program *program;
    ss_arena arena;     /* released after the compilation */
    int count;          /* vertices to compute, constants not among them */
    ss_node *order;     /* operands first */
    slot *slots;        /* one for each vertex of the graph */
    ss_node *constants; /* those that instructions read */
    int constant_count;
    int *unused; /* 1 + places that are free again */
    int unused_count;
    ss_instruction *instructions;
} compiler;

static bool enter_varying(const ss_graph *graph, ss_node node, const void *user)
{
    (void)user;
    return graph->vertices[node].op != SS_OP_CONSTANT;
}

static bool is_constant(const compiler *c, ss_node node)
{
    return ss_graph_operation(c->graph, node) == SS_OP_CONSTANT;
}

/* What has to be computed and how often each vertex is used. */
static ss_status collect(compiler *c, int count, const ss_node *outputs)
{
    ss_graph *graph = c->graph;
    if (count < 0 || count > SS_GRAPH_LARGEST)
        return ss_fail(graph->context, SS_INPUT, "a program has 0 to %d outputs, not %d",
                       (int)SS_GRAPH_LARGEST, count);
    for (int i = 0; i < count; i++)
        SS_TRY(ss_graph_check(graph, outputs[i]));
    c->count = ss_graph_traverse(graph, count, outputs, enter_varying, NULL);
    SS_TRY(SS_ARENA_NEW(&c->arena, c->count, &c->order));
    memcpy(c->order, graph->order, (size_t)c->count * sizeof *c->order);
    /* Selection adds at most one constant for each vertex. */
    SS_TRY(SS_ARENA_NEW(&c->arena, graph->count + c->count, &c->slots));
    SS_TRY(SS_ARENA_NEW(&c->arena, 3 * (size_t)c->count, &c->constants));
    SS_TRY(SS_ARENA_NEW(&c->arena, c->count, &c->unused));
    SS_TRY(SS_ARENA_NEW(&c->program->arena, c->count + count + 1, &c->instructions));
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < ss_graph_arity(graph, c->order[i]); j++)
            c->slots[graph->vertices[c->order[i]].operands[j]].uses++;
    for (int i = 0; i < count; i++)
        c->slots[outputs[i]].uses++;
    return SS_OK;
}

/* ---- Selection of instructions: a product, difference or quotient that only one other vertex needs
 * is absorbed by it when the two can be done at once ---- */

static void choose(slot *s, int code, int arity, ss_node x, ss_node y, ss_node z)
{
    s->code = (uint8_t)code;
    s->arity = (uint8_t)arity;
    s->operands[0] = x;
    s->operands[1] = y;
    s->operands[2] = z;
}

/* Whether the operand is computed by this very instruction, for this one use. */
static bool absorbs(const compiler *c, ss_node operand, ss_operation op)
{
    const slot *s = &c->slots[operand];
    return s->uses == 1 && s->code == op;
}

/* product + rest, product - rest or rest - product */
static void fuse_product(compiler *c, slot *s, int code, ss_node product, ss_node rest)
{
    slot *inner = &c->slots[product];
    inner->absorbed = true;
    choose(s, code, 3, inner->operands[0], inner->operands[1], rest);
}

/* A sum or a difference, one of whose terms may be a product. */
static void select_sum(compiler *c, slot *s, int first_product, int second_product)
{
    ss_node x = s->operands[0], y = s->operands[1];
    if (absorbs(c, y, SS_OP_MULTIPLY))
        fuse_product(c, s, second_product, y, x);
    else if (absorbs(c, x, SS_OP_MULTIPLY))
        fuse_product(c, s, first_product, x, y);
}

/* -(k x) = (-k) x, -(k / x) = (-k) / x, -(x y), -(x - y) = y - x */
static ss_status select_negate(compiler *c, slot *s)
{
    slot *inner = &c->slots[s->operands[0]];
    ss_node x = inner->operands[0], y = inner->operands[1];
    bool product = absorbs(c, s->operands[0], SS_OP_MULTIPLY);
    bool quotient = absorbs(c, s->operands[0], SS_OP_DIVIDE);
    double value;
    if ((product || quotient) && ss_graph_is_constant(c->graph, x, &value)) {
        SS_TRY(ss_graph_constant(c->graph, -value, &x));
        choose(s, inner->code, 2, x, y, SS_ZERO);
    } else if (product) {
        choose(s, SS_CODE_NEGATE_PRODUCT, 2, x, y, SS_ZERO);
    } else if (absorbs(c, s->operands[0], SS_OP_SUBTRACT)) {
        choose(s, SS_OP_SUBTRACT, 2, y, x, SS_ZERO);
    } else {
        return SS_OK;
    }
    inner->absorbed = true;
    return SS_OK;
}

/* The first of sine and cosine of an angle computes both. */
static void select_sin_cos(compiler *c, ss_node node, slot *s)
{
    slot *angle = &c->slots[s->operands[0]];
    if (angle->angle_of == SS_ZERO) {
        angle->angle_of = node;
        return;
    }
    c->slots[angle->angle_of].partner = node;
    s->partner = angle->angle_of;
    s->absorbed = true;
}

/* Decides by which instruction a vertex is computed, if by any of its own. */
static ss_status select_vertex(compiler *c, ss_node node)
{
    slot *s = &c->slots[node];
    const ss_graph_vertex *v = &c->graph->vertices[node];
    if (v->op == SS_OP_VARIABLE) {
        choose(s, SS_OP_VARIABLE, 0, SS_ZERO, SS_ZERO, SS_ZERO);
        return SS_OK;
    }
    choose(s, v->op, ss_graph_arity(c->graph, node), v->operands[0], v->operands[1],
           v->operands[2]);
    if (v->op == SS_OP_ADD)
        select_sum(c, s, SS_CODE_MULTIPLY_ADD, SS_CODE_MULTIPLY_ADD);
    else if (v->op == SS_OP_SUBTRACT)
        select_sum(c, s, SS_CODE_MULTIPLY_SUBTRACT, SS_CODE_SUBTRACT_PRODUCT);
    else if (v->op == SS_OP_SIN || v->op == SS_OP_COS)
        select_sin_cos(c, node, s);
    else if (v->op == SS_OP_NEGATE)
        return select_negate(c, s);
    return SS_OK;
}

/* ---- Places in the frame ---- */

/* Whether a vertex has an instruction of its own. */
static bool computed(const slot *s)
{
    return !s->absorbed && s->code != SS_OP_VARIABLE;
}

/* Inputs, outputs and constants keep their places throughout. */
static void place_fixed(compiler *c, int count, const ss_node *outputs)
{
    for (int i = 0; i < c->count; i++)
        if (c->slots[c->order[i]].code == SS_OP_VARIABLE)
            c->slots[c->order[i]].place = 1 + c->graph->vertices[c->order[i]].variable;
    for (int i = 0; i < count; i++) {
        slot *s = &c->slots[outputs[i]];
        if (!s->place && !is_constant(c, outputs[i]))
            s->place = 1 + c->program->inputs + i;
    }
    for (int i = 0; i < c->count; i++) {
        const slot *s = &c->slots[c->order[i]];
        for (int j = 0; computed(s) && j < s->arity; j++) {
            slot *operand = &c->slots[s->operands[j]];
            operand->last = i;
            if (is_constant(c, s->operands[j]) && !operand->place) {
                c->constants[c->constant_count++] = s->operands[j];
                operand->place = ++c->program->frame_size;
            }
        }
    }
}

/* Gives back the places that instruction i reads as the last one. */
static void release_operands(compiler *c, int i, const slot *s)
{
    int first = c->program->inputs + c->program->outputs + c->constant_count;
    for (int j = 0; j < s->arity; j++) {
        slot *operand = &c->slots[s->operands[j]];
        if (operand->last != i || operand->place <= first)
            continue;
        c->unused[c->unused_count++] = operand->place;
        operand->last = -1; /* once, should it be read twice */
    }
}

static uint32_t place(const compiler *c, ss_node node)
{
    return (uint32_t)(c->slots[node].place - 1);
}

static void take_place(compiler *c, ss_node node)
{
    slot *s = &c->slots[node];
    if (!s->place)
        s->place = c->unused_count > 0 ? c->unused[--c->unused_count] : ++c->program->frame_size;
}

static void emit(compiler *c, int i)
{
    ss_node node = c->order[i];
    slot *s = &c->slots[node];
    ss_instruction *next = &c->instructions[c->program->length++];
    *next = (ss_instruction){
        .code = (uint32_t)s->code & SS_CODE_END,
        .a = s->arity > 0 ? place(c, s->operands[0]) : 0,
        .b = s->arity > 1 ? place(c, s->operands[1]) : 0,
        .c = s->arity > 2 ? place(c, s->operands[2]) & SS_LARGEST_PLACE : 0,
    };
    release_operands(c, i, s);
    take_place(c, node);
    next->d = place(c, node);
    if (s->partner == SS_ZERO)
        return;
    take_place(c, s->partner);
    next->code = SS_CODE_SIN_COS;
    next->d = place(c, s->code == SS_OP_SIN ? node : s->partner);
    next->b = place(c, s->code == SS_OP_SIN ? s->partner : node);
}

/* Outputs that are variables, or at two places. */
static void emit_copies(compiler *c, int count, const ss_node *outputs)
{
    for (int i = 0; i < count; i++) {
        int from = c->slots[outputs[i]].place - 1, to = c->program->inputs + i;
        if (!is_constant(c, outputs[i]) && from != to)
            c->instructions[c->program->length++] =
                (ss_instruction){.code = SS_CODE_COPY, .d = (uint32_t)to, .a = (uint32_t)from};
    }
}

static ss_status make_image(compiler *c, int count, const ss_node *outputs)
{
    ss_program *program = c->program;
    double *image;
    SS_TRY(SS_ARENA_NEW(&program->arena, program->frame_size, &image));
    for (int i = 0; i < count; i++)
        ss_graph_is_constant(c->graph, outputs[i], &image[program->inputs + i]);
    for (int i = 0; i < c->constant_count; i++)
        image[program->inputs + count + i] = c->graph->vertices[c->constants[i]].value;
    program->image = image;
    return SS_OK;
}

static ss_status compile(compiler *c, int count, const ss_node *outputs)
{
    SS_TRY(collect(c, count, outputs));
    for (int i = 0; i < c->count; i++)
        SS_TRY(select_vertex(c, c->order[i]));
    place_fixed(c, count, outputs);
    for (int i = 0; i < c->count; i++)
        if (computed(&c->slots[c->order[i]]))
            emit(c, i);
    emit_copies(c, count, outputs);
    c->instructions[c->program->length].code = SS_CODE_END;
    c->program->instructions = c->instructions;
    return make_image(c, count, outputs);
}

ss_status ss_program_compile(ss_graph *graph, int count, const ss_node *outputs,
                             ss_program **program)
{
    SS_TRY(SS_NEW(graph->context, 1, program));
    compiler c = {.graph = graph, .program = *program};
    c.program->context = graph->context;
    c.program->inputs = graph->variable_count;
    c.program->outputs = count;
    c.program->frame_size = c.program->inputs + count;
    ss_arena_init(&c.program->arena, graph->context);
    ss_arena_init(&c.arena, graph->context);
    ss_status status = compile(&c, count, outputs);
    ss_arena_release(&c.arena);
    if (status != SS_OK) {
        ss_program_destroy(c.program);
        *program = NULL;
    }
    return status;
}

void ss_program_destroy(ss_program *program)
{
    if (!program)
        return;
    ss_arena_release(&program->arena);
    ss_release(program->context, program);
}
