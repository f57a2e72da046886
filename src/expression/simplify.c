/* simplify.c: operations, and terms of them, which are simplified while they are built.
 *
 * Every rule keeps the value to the last bit, as long as nothing over- or underflows and the sign
 * of a zero aside: signs and powers of two move outwards, other factors and summands are not
 * regrouped. Small whole powers become products (x^3 = x·x·x), which moves the last bits. x·0, 0/x
 * and x-x are 0 whatever x is, unless a constant part of x is not finite.
 */
#include "expression/graph.h"

#include <string.h>

typedef struct operation {
    int arity;
    bool commutative;
    const char *name;
} operation;

static const operation operations[SS_OP_COUNT] = {
#define X(code, arity, commutative, name, value) [SS_OP_##code] = {arity, commutative, name},
    SS_OPERATION_LIST(X)
#undef X
};

int ss_operation_arity(ss_operation op)
{
    return operations[op].arity;
}

bool ss_operation_commutes(ss_operation op)
{
    return operations[op].commutative;
}

const char *ss_operation_name(ss_operation op)
{
    return operations[op].name;
}

bool ss_operation_find(const char *name, ss_operation *op)
{
    for (int i = 0; i < SS_OP_COUNT; i++) {
        if (operations[i].name && strcmp(operations[i].name, name) == 0) {
            *op = (ss_operation)i;
            return true;
        }
    }
    return false;
}

double ss_operation_value(ss_operation op, double x, double y, double z)
{
    switch (op) {
#define X(code, arity, commutative, name, value) \
    case SS_OP_##code:                           \
        return value;
        SS_OPERATION_LIST(X)
#undef X
    case SS_OP_CONSTANT:
    case SS_OP_VARIABLE:
    case SS_OP_COUNT:
        break;
    }
    return NAN;
}

static ss_node negate(ss_builder *b, ss_node x);
static ss_node subtract(ss_builder *b, ss_node x, ss_node y);
static ss_node multiply(ss_builder *b, ss_node x, ss_node y);

static const ss_graph_vertex *at(const ss_builder *b, ss_node node)
{
    return &b->graph->vertices[node];
}

static bool is(const ss_builder *b, ss_node node, ss_operation op)
{
    return at(b, node)->op == op;
}

static bool is_constant(const ss_builder *b, ss_node node)
{
    return is(b, node, SS_OP_CONSTANT);
}

/* Negative constants, and terms with a minus in front. */
static bool has_minus(const ss_builder *b, ss_node node)
{
    return is(b, node, SS_OP_NEGATE) || (is_constant(b, node) && at(b, node)->value < 0);
}

static ss_node operand(const ss_builder *b, ss_node node, int index)
{
    return at(b, node)->operands[index];
}

static bool is_power_of_two(double value)
{
    int exponent;
    return isnormal(value) && fabs(frexp(value, &exponent)) == 0.5;
}

static ss_node intern(ss_builder *b, ss_operation op, ss_node x, ss_node y, ss_node z)
{
    if (b->status != SS_OK)
        return SS_ZERO;
    bool constant = is_constant(b, x);
    bool in_order = constant != is_constant(b, y) ? constant : x <= y;
    if (ss_operation_commutes(op) && !in_order) { /* constants first, then by age */
        ss_node first = y;
        y = x;
        x = first;
    }
    ss_graph_vertex v = {.op = (unsigned char)op, .operands = {x, y, z}};
    v.singular = at(b, x)->singular || at(b, y)->singular || at(b, z)->singular;
    v.variables = at(b, x)->variables | at(b, y)->variables | at(b, z)->variables;
    v.singular = v.singular || !v.variables;
    ss_node node;
    b->status = ss_graph_intern(b->graph, &v, &node);
    return b->status == SS_OK ? node : SS_ZERO;
}

ss_node ss_build_constant(ss_builder *b, double value)
{
    ss_node node = SS_ZERO;
    if (b->status == SS_OK)
        b->status = ss_graph_constant(b->graph, value, &node);
    return node;
}

/* The value of an operation on constants. What is not finite is left as it stands, so that the
 * fault shows where it is evaluated; only infinities that were written may stay infinite. */
static bool fold(ss_builder *b, ss_operation op, const ss_node *operands, ss_node *node)
{
    double values[3] = {0};
    bool infinite = false;
    for (int i = 0; i < 3 && i < ss_operation_arity(op); i++) {
        if (!is_constant(b, operands[i]))
            return false;
        values[i] = at(b, operands[i])->value;
        infinite = infinite || isinf(values[i]);
    }
    double value = ss_operation_value(op, values[0], values[1], values[2]);
    if (isnan(value) || (isinf(value) && !infinite))
        return false;
    *node = ss_build_constant(b, value);
    return true;
}

static ss_node add(ss_builder *b, ss_node x, ss_node y)
{
    if (x == SS_ZERO)
        return y;
    if (y == SS_ZERO)
        return x;
    if (x == y)
        return multiply(b, ss_build_constant(b, 2), x);
    if (is(b, x, SS_OP_NEGATE))
        return subtract(b, y, operand(b, x, 0));
    if (is(b, y, SS_OP_NEGATE))
        return subtract(b, x, operand(b, y, 0));
    return intern(b, SS_OP_ADD, x, y, SS_ZERO);
}

/* A difference begins with a constant or with its older term; x - constant is kept as a sum. */
static ss_node subtract(ss_builder *b, ss_node x, ss_node y)
{
    if (x == SS_ZERO)
        return negate(b, y);
    if (x == y && !at(b, x)->singular)
        return SS_ZERO;
    if (is_constant(b, y) || is(b, y, SS_OP_NEGATE))
        return add(b, x, negate(b, y));
    if (is(b, x, SS_OP_NEGATE))
        return negate(b, add(b, operand(b, x, 0), y));
    if (x > y && !is_constant(b, x))
        return negate(b, intern(b, SS_OP_SUBTRACT, y, x, SS_ZERO));
    return intern(b, SS_OP_SUBTRACT, x, y, SS_ZERO);
}

static ss_node negate(ss_builder *b, ss_node x)
{
    if (is_constant(b, x))
        return ss_build_constant(b, -at(b, x)->value);
    if (is(b, x, SS_OP_NEGATE))
        return operand(b, x, 0);
    if (is(b, x, SS_OP_SUBTRACT) && is_constant(b, operand(b, x, 0)))
        return add(b, operand(b, x, 1), negate(b, operand(b, x, 0)));
    if (is(b, x, SS_OP_ADD) && is_constant(b, operand(b, x, 0)))
        return subtract(b, negate(b, operand(b, x, 0)), operand(b, x, 1));
    return intern(b, SS_OP_NEGATE, x, SS_ZERO, SS_ZERO);
}

/* The constant factor of a product, or -1. */
static ss_node constant_factor(const ss_builder *b, ss_node x)
{
    return is(b, x, SS_OP_MULTIPLY) && is_constant(b, operand(b, x, 0)) ? operand(b, x, 0) : -1;
}

static bool has_power_of_two(const ss_builder *b, ss_node x)
{
    ss_node factor = constant_factor(b, x);
    return factor >= 0 && is_power_of_two(at(b, factor)->value);
}

/* factor · y for a positive factor and y without a minus. k1 (k2 z) = (k1 k2) z is exact when one
 * of them is a power of two. */
static ss_node multiply_constant(ss_builder *b, ss_node factor, ss_node y)
{
    if (factor == SS_ZERO && !at(b, y)->singular)
        return SS_ZERO;
    if (factor == SS_ONE)
        return y;
    ss_node inner = constant_factor(b, y);
    if (inner >= 0) {
        double k1 = at(b, factor)->value, k2 = at(b, inner)->value;
        if (isnormal(k1 * k2) && (is_power_of_two(k1) || is_power_of_two(k2)))
            return ss_build(b, SS_OP_MULTIPLY, ss_build_constant(b, k1 * k2), operand(b, y, 1),
                            SS_ZERO);
    }
    return intern(b, SS_OP_MULTIPLY, factor, y, SS_ZERO);
}

/* A product or a quotient whose minus signs move outwards. */
static ss_node move_signs(ss_builder *b, ss_operation op, ss_node x, ss_node y)
{
    bool minus = has_minus(b, x) != has_minus(b, y);
    ss_node node = ss_build(b, op, has_minus(b, x) ? negate(b, x) : x,
                            has_minus(b, y) ? negate(b, y) : y, SS_ZERO);
    return minus ? negate(b, node) : node;
}

static ss_node multiply(ss_builder *b, ss_node x, ss_node y)
{
    if (has_minus(b, x) || has_minus(b, y))
        return move_signs(b, SS_OP_MULTIPLY, x, y);
    if (is_constant(b, x))
        return multiply_constant(b, x, y);
    if (is_constant(b, y))
        return multiply_constant(b, y, x);
    if (has_power_of_two(b, x))
        return multiply(b, operand(b, x, 0), multiply(b, operand(b, x, 1), y));
    if (has_power_of_two(b, y))
        return multiply(b, operand(b, y, 0), multiply(b, x, operand(b, y, 1)));
    return intern(b, SS_OP_MULTIPLY, x, y, SS_ZERO);
}

static ss_node divide(ss_builder *b, ss_node x, ss_node y)
{
    if (has_minus(b, x) || has_minus(b, y))
        return move_signs(b, SS_OP_DIVIDE, x, y);
    if (x == SS_ZERO && !is_constant(b, y) && !at(b, y)->singular)
        return SS_ZERO;
    if (y == SS_ONE)
        return x;
    if (is_constant(b, y) && is_power_of_two(at(b, y)->value) && isnormal(1 / at(b, y)->value))
        return multiply(b, ss_build_constant(b, 1 / at(b, y)->value), x);
    return intern(b, SS_OP_DIVIDE, x, y, SS_ZERO);
}

static ss_node power(ss_builder *b, ss_node x, ss_node y)
{
    if (x == SS_ONE && !at(b, y)->singular)
        return SS_ONE;
    if (!is_constant(b, y) || at(b, x)->singular)
        return intern(b, SS_OP_POWER, x, y, SS_ZERO);
    double n = at(b, y)->value;
    if (n == 0)
        return SS_ONE;
    if (n == 0.5)
        return ss_build(b, SS_OP_SQRT, x, SS_ZERO, SS_ZERO);
    if (n == -1 || n == -2)
        return divide(b, SS_ONE, power(b, x, ss_build_constant(b, -n)));
    if (n != 1 && n != 2 && n != 3 && n != 4)
        return intern(b, SS_OP_POWER, x, y, SS_ZERO);
    if (n == 1)
        return x;
    ss_node square = multiply(b, x, x);
    return n == 2 ? square : multiply(b, square, n == 3 ? x : square);
}

static bool is_truth(const ss_builder *b, ss_node x)
{
    switch (at(b, x)->op) {
    case SS_OP_LESS:
    case SS_OP_LESS_EQUAL:
    case SS_OP_EQUAL:
    case SS_OP_NOT_EQUAL:
    case SS_OP_AND:
    case SS_OP_OR:
    case SS_OP_NOT:
        return true;
    default:
        return false;
    }
}

/* x && y with `neutral` true, x || y with `neutral` false; x is constant. */
static ss_node logic_constant(ss_builder *b, bool neutral, ss_node x, ss_node y)
{
    if ((at(b, x)->value != 0) != neutral)
        return neutral ? SS_ZERO : SS_ONE;
    return is_truth(b, y) ? y : ss_build(b, SS_OP_NOT_EQUAL, y, SS_ZERO, SS_ZERO);
}

static ss_node choose(ss_builder *b, ss_node condition, ss_node x, ss_node y)
{
    if (is_constant(b, condition))
        return at(b, condition)->value != 0 ? x : y;
    if (x == y && !at(b, condition)->singular)
        return x;
    return intern(b, SS_OP_SELECT, condition, x, y);
}

ss_node ss_build(ss_builder *b, ss_operation op, ss_node x, ss_node y, ss_node z)
{
    ss_node node;
    if (b->status != SS_OK)
        return SS_ZERO;
    if (fold(b, op, (ss_node[]){x, y, z}, &node))
        return node;
    switch (op) {
    case SS_OP_NEGATE:
        return negate(b, x);
    case SS_OP_ADD:
        return add(b, x, y);
    case SS_OP_SUBTRACT:
        return subtract(b, x, y);
    case SS_OP_MULTIPLY:
        return multiply(b, x, y);
    case SS_OP_DIVIDE:
        return divide(b, x, y);
    case SS_OP_POWER:
        return power(b, x, y);
    case SS_OP_AND:
    case SS_OP_OR:
        if (is_constant(b, x) || is_constant(b, y))
            return is_constant(b, x) ? logic_constant(b, op == SS_OP_AND, x, y)
                                     : logic_constant(b, op == SS_OP_AND, y, x);
        return intern(b, op, x, y, SS_ZERO);
    case SS_OP_SELECT:
        return choose(b, x, y, z);
    case SS_OP_MIN:
    case SS_OP_MAX:
        return x == y ? x : intern(b, op, x, y, z);
    default:
        return intern(b, op, x, y, z);
    }
}
