/* derivative.c: derivatives by forward accumulation, and where a formula has none. The derivative of
 * every vertex below is found once for each variable and kept, so that second derivatives share what
 * the first ones have built. */
#include "expression/graph.h"

/* The place of a derivative in the table, or the free one where it belongs. */
static ss_partial *partial(const ss_graph *graph, ss_node of, ss_node variable)
{
    uint64_t h = ((uint64_t)of << 32 | (uint64_t)variable) * 0x9e3779b97f4a7c15u;
    size_t mask = graph->partial_capacity - 1, i = (size_t)(h ^ h >> 29) & mask;
    while (graph->partials[i].of != SS_ZERO &&
           (graph->partials[i].of != of || graph->partials[i].variable != variable))
        i = (i + 1) & mask;
    return &graph->partials[i];
}

static ss_status grow(ss_graph *graph)
{
    size_t capacity = graph->partial_capacity ? 2 * graph->partial_capacity : 64;
    ss_partial *old = graph->partials, *partials;
    size_t old_capacity = graph->partial_capacity;
    SS_TRY(SS_NEW(graph->context, capacity, &partials));
    graph->partials = partials;
    graph->partial_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].of != SS_ZERO)
            *partial(graph, old[i].of, old[i].variable) = old[i];
    ss_release(graph->context, old);
    return SS_OK;
}

/* True when the derivative is known without any work. */
static bool known(const ss_graph *graph, ss_node of, ss_node variable, ss_node *node)
{
    *node = of == variable ? SS_ONE : SS_ZERO;
    const ss_graph_vertex *v = &graph->vertices[of];
    if (v->op == SS_OP_VARIABLE || !(v->variables & ss_graph_bit(graph, variable)))
        return true;
    if (graph->partial_capacity == 0)
        return false;
    const ss_partial *p = partial(graph, of, variable);
    *node = p->node;
    return p->of != SS_ZERO;
}

static bool enter_unknown(const ss_graph *graph, ss_node node, const void *user)
{
    ss_node derivative;
    return !known(graph, node, *(const ss_node *)user, &derivative);
}

static ss_node negate(ss_builder *b, ss_node x)
{
    return ss_build(b, SS_OP_NEGATE, x, SS_ZERO, SS_ZERO);
}

static ss_node add(ss_builder *b, ss_node x, ss_node y)
{
    return ss_build(b, SS_OP_ADD, x, y, SS_ZERO);
}

static ss_node subtract(ss_builder *b, ss_node x, ss_node y)
{
    return ss_build(b, SS_OP_SUBTRACT, x, y, SS_ZERO);
}

/* A factor whose derivative vanishes takes the other with it, whatever that is. */
static ss_node multiply(ss_builder *b, ss_node x, ss_node y)
{
    if (x == SS_ZERO || y == SS_ZERO)
        return SS_ZERO;
    return ss_build(b, SS_OP_MULTIPLY, x, y, SS_ZERO);
}

static ss_node divide(ss_builder *b, ss_node x, ss_node y)
{
    if (x == SS_ZERO)
        return SS_ZERO;
    return ss_build(b, SS_OP_DIVIDE, x, y, SS_ZERO);
}

static ss_node choose(ss_builder *b, ss_node condition, ss_node x, ss_node y)
{
    return ss_build(b, SS_OP_SELECT, condition, x, y);
}

static ss_node apply(ss_builder *b, ss_operation function, ss_node x)
{
    return ss_build(b, function, x, SS_ZERO, SS_ZERO);
}

/* 1 + s x², the sign s being that of `op`; 1 - x² as (1 - x)(1 + x), which is accurate near 1. */
static ss_node one_and_square(ss_builder *b, ss_operation op, ss_node x)
{
    if (op == SS_OP_ADD)
        return add(b, SS_ONE, multiply(b, x, x));
    return multiply(b, subtract(b, SS_ONE, x), add(b, SS_ONE, x));
}

/* A vertex v = op(x, y, z) with the derivatives of its operands. */
typedef struct term {
    ss_node v;
    ss_node x, y, z;
    ss_node dx, dy, dz;
} term;

/* d(x^y) = y x^(y-1) dx + x^y log(x) dy; the second part vanishes with x. */
static ss_node power(ss_builder *b, const term *t)
{
    ss_node lower = ss_build(b, SS_OP_POWER, t->x, subtract(b, t->y, SS_ONE), SS_ZERO);
    ss_node base = multiply(b, multiply(b, t->y, lower), t->dx);
    if (t->dy == SS_ZERO)
        return base;
    ss_node exponent = multiply(b, multiply(b, t->v, apply(b, SS_OP_LOG, t->x)), t->dy);
    return add(b, base, choose(b, t->x, exponent, SS_ZERO));
}

/* At the origin 0, the smallest subgradient, as for abs. */
static ss_node length(ss_builder *b, const term *t)
{
    ss_node slope = add(b, multiply(b, divide(b, t->x, t->v), t->dx),
                        multiply(b, divide(b, t->y, t->v), t->dy));
    return choose(b, t->v, slope, SS_ZERO);
}

static ss_node angle(ss_builder *b, const term *t)
{
    ss_node square = add(b, multiply(b, t->y, t->y), multiply(b, t->x, t->x));
    ss_node swept = subtract(b, multiply(b, t->y, t->dx), multiply(b, t->x, t->dy));
    return divide(b, swept, square);
}

static ss_node extremum(ss_builder *b, const term *t, ss_node smaller, ss_node larger)
{
    return choose(b, ss_build(b, SS_OP_LESS_EQUAL, smaller, larger, SS_ZERO), t->dx, t->dy);
}

/* The derivative f'(x) of a function of one argument; v = f(x). */
static ss_node slope(ss_builder *b, ss_operation function, ss_node x, ss_node v)
{
    switch (function) {
    case SS_OP_SIN:
        return apply(b, SS_OP_COS, x);
    case SS_OP_COS:
        return negate(b, apply(b, SS_OP_SIN, x));
    case SS_OP_TAN:
        return one_and_square(b, SS_OP_ADD, v);
    case SS_OP_ASIN:
        return divide(b, SS_ONE, apply(b, SS_OP_SQRT, one_and_square(b, SS_OP_SUBTRACT, x)));
    case SS_OP_ACOS:
        return negate(b, slope(b, SS_OP_ASIN, x, v));
    case SS_OP_ATAN:
        return divide(b, SS_ONE, one_and_square(b, SS_OP_ADD, x));
    case SS_OP_SINH:
        return apply(b, SS_OP_COSH, x);
    case SS_OP_COSH:
        return apply(b, SS_OP_SINH, x);
    case SS_OP_TANH:
        return one_and_square(b, SS_OP_SUBTRACT, v);
    case SS_OP_EXP:
        return v;
    case SS_OP_SQRT:
        return divide(b, ss_build_constant(b, 0.5), v);
    case SS_OP_ABS:
        return apply(b, SS_OP_SIGN, x);
    default: /* sign, step, floor, ceil and truth values are piecewise constant */
        return SS_ZERO;
    }
}

static ss_node derive(ss_builder *b, ss_operation op, const term *t)
{
    switch (op) {
    case SS_OP_NEGATE:
        return negate(b, t->dx);
    case SS_OP_ADD:
        return add(b, t->dx, t->dy);
    case SS_OP_SUBTRACT:
        return subtract(b, t->dx, t->dy);
    case SS_OP_MULTIPLY:
        return add(b, multiply(b, t->dx, t->y), multiply(b, t->x, t->dy));
    case SS_OP_DIVIDE: /* (dx - (x/y) dy) / y, split so that a constant y leaves one division */
        return subtract(b, divide(b, t->dx, t->y), divide(b, multiply(b, t->v, t->dy), t->y));
    case SS_OP_POWER:
        return power(b, t);
    case SS_OP_HYPOT:
        return length(b, t);
    case SS_OP_ATAN2:
        return angle(b, t);
    case SS_OP_MIN:
        return extremum(b, t, t->x, t->y);
    case SS_OP_MAX:
        return extremum(b, t, t->y, t->x);
    case SS_OP_SELECT:
        return choose(b, t->x, t->dy, t->dz);
    case SS_OP_LOG:
        return divide(b, t->dx, t->x);
    default:
        return multiply(b, slope(b, op, t->x, t->v), t->dx);
    }
}

static ss_status derive_vertex(ss_graph *graph, ss_node of, ss_node variable)
{
    ss_operation op = ss_graph_operation(graph, of);
    const ss_node *operands = graph->vertices[of].operands;
    term t = {.v = of, .x = operands[0], .y = operands[1], .z = operands[2]};
    known(graph, t.x, variable, &t.dx);
    known(graph, t.y, variable, &t.dy);
    known(graph, t.z, variable, &t.dz);
    ss_builder b = {.graph = graph};
    ss_node node = derive(&b, op, &t);
    SS_TRY(b.status);
    if (2 * graph->partial_count >= graph->partial_capacity)
        SS_TRY(grow(graph));
    *partial(graph, of, variable) = (ss_partial){of, variable, node};
    graph->partial_count++;
    return SS_OK;
}

ss_status ss_graph_derivative(ss_graph *graph, ss_node of, ss_node variable, ss_node *node)
{
    *node = SS_ZERO;
    SS_TRY(ss_graph_check(graph, of));
    if (ss_graph_variable_index(graph, variable) < 0)
        return ss_fail(graph->context, SS_INPUT,
                       "a derivative is taken with respect to a variable, and node %d is none",
                       variable);
    int found = ss_graph_traverse(graph, 1, &of, enter_unknown, &variable);
    for (int i = 0; i < found; i++)
        SS_TRY(derive_vertex(graph, graph->order[i], variable));
    known(graph, of, variable, node);
    return SS_OK;
}

/* ---- Where a formula is not smooth ---- */

/* What changes its sign where a vertex jumps or has a kink. */
typedef enum kind { NONE, DIFFERENCE, OPERAND, WHOLE_NUMBER } kind;

static kind kind_of(ss_operation op)
{
    switch (op) {
    case SS_OP_LESS:
    case SS_OP_LESS_EQUAL:
    case SS_OP_MIN:
    case SS_OP_MAX:
        return DIFFERENCE;
    case SS_OP_ABS:
    case SS_OP_SIGN:
    case SS_OP_STEP:
        return OPERAND;
    case SS_OP_FLOOR:
    case SS_OP_CEIL:
        return WHOLE_NUMBER;
    default:
        return NONE;
    }
}

static ss_node switch_of(ss_builder *b, ss_node node)
{
    const double pi = 3.14159265358979323846;
    const ss_graph_vertex v = b->graph->vertices[node];
    switch (kind_of((ss_operation)v.op)) {
    case DIFFERENCE:
        return ss_build(b, SS_OP_SUBTRACT, v.operands[0], v.operands[1], SS_ZERO);
    case WHOLE_NUMBER:
        node = ss_build(b, SS_OP_MULTIPLY, ss_build_constant(b, pi), v.operands[0], SS_ZERO);
        return ss_build(b, SS_OP_SIN, node, SS_ZERO, SS_ZERO);
    default:
        return v.operands[0];
    }
}

static bool is_known(int count, const ss_node *nodes, ss_node node)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

ss_status ss_graph_switches(ss_graph *graph, int count, const ss_node *of, int capacity,
                            ss_node *switches, int *found)
{
    const uint64_t all = UINT64_MAX;
    ss_builder b = {graph, SS_OK};
    int n = ss_graph_traverse(graph, count, of, ss_graph_enter_masked, &all), places = 0;
    for (int i = 0; i < n; i++)
        if (kind_of(ss_graph_operation(graph, graph->order[i])) != NONE && places++ < capacity)
            switches[places - 1] = graph->order[i];
    *found = places;
    if (places > capacity)
        return SS_OK;
    *found = 0; /* building terms makes the order invalid: their vertices have been copied */
    for (int i = 0; i < places; i++) {
        ss_node node = switch_of(&b, switches[i]);
        if (node != SS_ZERO && !is_known(*found, switches, node))
            switches[(*found)++] = node;
    }
    return b.status;
}
