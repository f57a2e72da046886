/* compile.c: from the vertices that the outputs need to a program. */
#include "expression/compiler.h"

#include <string.h>

static bool enter_varying(const ss_graph *graph, ss_node node, const void *user)
{
    (void)user;
    return graph->vertices[node].op != SS_OP_CONSTANT;
}

static bool is_constant(const ss_compiler *c, ss_node node)
{
    return ss_graph_operation(c->graph, node) == SS_OP_CONSTANT;
}

/* What has to be computed and how often each vertex is used. */
static ss_status collect(ss_compiler *c, int count, const ss_node *outputs)
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

/* Whether a vertex has an instruction of its own. */
static bool computed(const ss_slot *slot)
{
    return !slot->absorbed && slot->code != SS_OP_VARIABLE;
}

static void find_last_reads(ss_compiler *c)
{
    for (int i = 0; i < c->count; i++) {
        const ss_slot *s = &c->slots[c->order[i]];
        for (int j = 0; computed(s) && j < s->arity; j++)
            c->slots[s->operands[j]].last = i;
    }
}

/* Inputs, outputs and constants keep their places throughout. */
static void place_inputs(ss_compiler *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->slots[c->order[i]].code == SS_OP_VARIABLE)
            c->slots[c->order[i]].place = 1 + c->graph->vertices[c->order[i]].variable;
}

static void place_outputs(ss_compiler *c, int count, const ss_node *outputs)
{
    for (int i = 0; i < count; i++) {
        ss_slot *s = &c->slots[outputs[i]];
        if (!s->place && !is_constant(c, outputs[i]))
            s->place = 1 + c->program->inputs + i;
    }
}

static void place_constants(ss_compiler *c)
{
    for (int i = 0; i < c->count; i++) {
        const ss_slot *s = &c->slots[c->order[i]];
        for (int j = 0; computed(s) && j < s->arity; j++) {
            ss_slot *operand = &c->slots[s->operands[j]];
            if (is_constant(c, s->operands[j]) && !operand->place) {
                c->constants[c->constant_count++] = s->operands[j];
                operand->place = ++c->program->frame_size;
            }
        }
    }
}

/* Gives back the places that instruction i reads as the last one. */
static void release_operands(ss_compiler *c, int i, const ss_slot *s)
{
    int first = c->program->inputs + c->program->outputs + c->constant_count;
    for (int j = 0; j < s->arity; j++) {
        ss_slot *operand = &c->slots[s->operands[j]];
        if (operand->last != i || operand->place <= first)
            continue;
        c->unused[c->unused_count++] = operand->place;
        operand->last = -1; /* once, should it be read twice */
    }
}

static uint32_t place(const ss_compiler *c, ss_node node)
{
    return (uint32_t)(c->slots[node].place - 1);
}

static void take_place(ss_compiler *c, ss_node node)
{
    ss_slot *s = &c->slots[node];
    if (!s->place)
        s->place = c->unused_count > 0 ? c->unused[--c->unused_count] : ++c->program->frame_size;
}

static void emit(ss_compiler *c, int i)
{
    ss_node node = c->order[i];
    ss_slot *s = &c->slots[node];
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
static void emit_copies(ss_compiler *c, int count, const ss_node *outputs)
{
    for (int i = 0; i < count; i++) {
        int from = c->slots[outputs[i]].place - 1, to = c->program->inputs + i;
        if (!is_constant(c, outputs[i]) && from != to)
            c->instructions[c->program->length++] =
                (ss_instruction){.code = SS_CODE_COPY, .d = (uint32_t)to, .a = (uint32_t)from};
    }
}

static ss_status make_image(ss_compiler *c, int count, const ss_node *outputs)
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

static ss_status compile(ss_compiler *c, int count, const ss_node *outputs)
{
    SS_TRY(collect(c, count, outputs));
    SS_TRY(ss_compiler_select(c));
    find_last_reads(c);
    place_inputs(c);
    place_outputs(c, count, outputs);
    place_constants(c);
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
    *program = NULL;
    void *memory;
    SS_TRY(ss_allocate(graph->context, 1, sizeof **program, &memory));
    ss_compiler c = {.graph = graph, .program = memory};
    c.program->context = graph->context;
    c.program->inputs = graph->variable_count;
    c.program->outputs = count;
    c.program->frame_size = c.program->inputs + count;
    ss_arena_init(&c.program->arena, graph->context);
    ss_arena_init(&c.arena, graph->context);
    ss_status status = compile(&c, count, outputs);
    ss_arena_release(&c.arena);
    if (status != SS_OK)
        ss_program_destroy(c.program);
    else
        *program = c.program;
    return status;
}

void ss_program_destroy(ss_program *program)
{
    if (!program)
        return;
    ss_arena_release(&program->arena);
    ss_release(program->context, program);
}
