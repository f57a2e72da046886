/* select.c: which instruction computes a vertex. A product, difference or quotient that only one
 * other vertex needs is absorbed by it when the two can be done at once. */
#include "expression/compiler.h"

static void choose(ss_slot *s, int code, int arity, ss_node x, ss_node y, ss_node z)
{
    s->code = (uint8_t)code;
    s->arity = (uint8_t)arity;
    s->operands[0] = x;
    s->operands[1] = y;
    s->operands[2] = z;
}

/* Whether the operand is computed by this very instruction, for this one use. */
static bool absorbs(const ss_compiler *c, ss_node operand, ss_operation op)
{
    const ss_slot *s = &c->slots[operand];
    return s->uses == 1 && s->code == op;
}

/* product + rest, product - rest or rest - product */
static void fuse_product(ss_compiler *c, ss_slot *s, int code, ss_node product, ss_node rest)
{
    ss_slot *inner = &c->slots[product];
    inner->absorbed = true;
    choose(s, code, 3, inner->operands[0], inner->operands[1], rest);
}

static void select_add(ss_compiler *c, ss_slot *s)
{
    ss_node x = s->operands[0], y = s->operands[1];
    if (absorbs(c, y, SS_OP_MULTIPLY))
        fuse_product(c, s, SS_CODE_MULTIPLY_ADD, y, x);
    else if (absorbs(c, x, SS_OP_MULTIPLY))
        fuse_product(c, s, SS_CODE_MULTIPLY_ADD, x, y);
}

static void select_subtract(ss_compiler *c, ss_slot *s)
{
    ss_node x = s->operands[0], y = s->operands[1];
    if (absorbs(c, y, SS_OP_MULTIPLY))
        fuse_product(c, s, SS_CODE_SUBTRACT_PRODUCT, y, x);
    else if (absorbs(c, x, SS_OP_MULTIPLY))
        fuse_product(c, s, SS_CODE_MULTIPLY_SUBTRACT, x, y);
}

/* -(k x) = (-k) x, -(k / x) = (-k) / x, -(x y), -(x - y) = y - x */
static ss_status select_negate(ss_compiler *c, ss_slot *s)
{
    ss_slot *inner = &c->slots[s->operands[0]];
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
static void select_sin_cos(ss_compiler *c, ss_node node, ss_slot *s)
{
    ss_slot *angle = &c->slots[s->operands[0]];
    if (angle->angle_of == SS_ZERO) {
        angle->angle_of = node;
        return;
    }
    c->slots[angle->angle_of].partner = node;
    s->partner = angle->angle_of;
    s->absorbed = true;
}

static ss_status select_vertex(ss_compiler *c, ss_node node)
{
    ss_slot *s = &c->slots[node];
    const ss_graph_vertex *v = &c->graph->vertices[node];
    if (v->op == SS_OP_VARIABLE) {
        choose(s, SS_OP_VARIABLE, 0, SS_ZERO, SS_ZERO, SS_ZERO);
        return SS_OK;
    }
    choose(s, v->op, ss_graph_arity(c->graph, node), v->operands[0], v->operands[1],
           v->operands[2]);
    if (v->op == SS_OP_ADD)
        select_add(c, s);
    else if (v->op == SS_OP_SUBTRACT)
        select_subtract(c, s);
    else if (v->op == SS_OP_SIN || v->op == SS_OP_COS)
        select_sin_cos(c, node, s);
    else if (v->op == SS_OP_NEGATE)
        return select_negate(c, s);
    return SS_OK;
}

ss_status ss_compiler_select(ss_compiler *c)
{
    for (int i = 0; i < c->count; i++)
        SS_TRY(select_vertex(c, c->order[i]));
    return SS_OK;
}
