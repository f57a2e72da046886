/* tree.h: random formulas as trees, printed as text and evaluated term by term. It knows nothing of
 * the library but elementary functions: a second opinion on grammar, values and, by differences, derivatives. */
#ifndef SS_TESTS_EXPRESSION_TREE_H
#define SS_TESTS_EXPRESSION_TREE_H

#include "la/elementary.h"
#include "support/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TREE_MOST = 256, TREE_TEXT = 8192 };

/* How tightly a printed term binds; the grammar's levels. */
enum {
    BIND_CHOICE,
    BIND_OR,
    BIND_AND,
    BIND_COMPARE,
    BIND_ADD,
    BIND_MULTIPLY,
    BIND_SIGN,
    BIND_POWER,
    BIND_VALUE
};

typedef struct tree_kind {
    const char *spelling;
    int arity;
    int bind; /* BIND_VALUE: written as a function */
    bool smooth;
} tree_kind;

static const tree_kind tree_kinds[] = {
    {"+", 2, BIND_ADD, true},       {"-", 2, BIND_ADD, true},       {"*", 2, BIND_MULTIPLY, true},
    {"/", 2, BIND_MULTIPLY, true},  {"-", 1, BIND_SIGN, true},      {"sin", 1, BIND_VALUE, true},
    {"cos", 1, BIND_VALUE, true},   {"tan", 1, BIND_VALUE, true},   {"atan", 1, BIND_VALUE, true},
    {"tanh", 1, BIND_VALUE, true},  {"exp", 1, BIND_VALUE, true},   {"log", 1, BIND_VALUE, true},
    {"sqrt", 1, BIND_VALUE, true},  {"asin", 1, BIND_VALUE, true},  {"acos", 1, BIND_VALUE, true},
    {"sinh", 1, BIND_VALUE, true},  {"cosh", 1, BIND_VALUE, true},  {"atan2", 2, BIND_VALUE, true},
    {"hypot", 2, BIND_VALUE, true}, {"^", 2, BIND_POWER, true},     {"<", 2, BIND_COMPARE, false},
    {">=", 2, BIND_COMPARE, false}, {"==", 2, BIND_COMPARE, false}, {"&&", 2, BIND_AND, false},
    {"||", 2, BIND_OR, false},      {"!", 1, BIND_SIGN, false},     {"?", 3, BIND_CHOICE, false},
    {"abs", 1, BIND_VALUE, false},  {"sign", 1, BIND_VALUE, false}, {"min", 2, BIND_VALUE, false},
    {"max", 2, BIND_VALUE, false},  {"step", 1, BIND_VALUE, false}, {"floor", 1, BIND_VALUE, false},
    {"ceil", 1, BIND_VALUE, false},
};

enum {
    TREE_KINDS = sizeof tree_kinds / sizeof *tree_kinds,
    TREE_POWER = 19,
    TREE_NUMBER = 100,
    TREE_VARIABLE = 101
};

typedef struct tree_node {
    int kind;
    int variable;
    double number;
    int children[3];
} tree_node;

/* A formula; operands come before what uses them, so the last node is the root. */
typedef struct tree {
    int count;
    tree_node nodes[TREE_MOST];
} tree;

static inline int tree_leaf(tree *t, random_state *r)
{
    static const double numbers[] = {0, 1, 2, 0.5, 3, 4, 0.1, 7, 0.25, 1.5};
    tree_node *n = &t->nodes[t->count];
    bool number = random_below(r, 3) == 0;
    n->kind = number ? TREE_NUMBER : TREE_VARIABLE;
    n->variable = random_below(r, 3);
    n->number = numbers[random_below(r, 10)];
    return t->count++;
}

/* Powers have an exponent that is kept as it is: small whole ones become products, which round
 * differently. */
static inline int tree_exponent(tree *t, random_state *r)
{
    static const double numbers[] = {5, 1.5, 2.5, 6};
    t->nodes[t->count] = (tree_node){.kind = TREE_NUMBER, .number = numbers[random_below(r, 4)]};
    return t->count++;
}

static inline int tree_grow(tree *t, random_state *r, int depth, bool smooth)
{
    if (depth == 0 || t->count > TREE_MOST - 64 || random_below(r, 8) == 0)
        return tree_leaf(t, r);
    int kind = random_below(r, 3) ? random_below(r, 5) : random_below(r, TREE_KINDS);
    while (smooth && !tree_kinds[kind].smooth)
        kind = random_below(r, TREE_KINDS);
    int children[3] = {0};
    for (int i = 0; i < tree_kinds[kind].arity; i++)
        children[i] =
            kind == TREE_POWER && i == 1 ? tree_exponent(t, r) : tree_grow(t, r, depth - 1, smooth);
    tree_node *n = &t->nodes[t->count];
    n->kind = kind;
    memcpy(n->children, children, sizeof children);
    return t->count++;
}

static inline void tree_random(tree *t, random_state *r, int depth, bool smooth)
{
    t->count = 0;
    tree_grow(t, r, depth, smooth);
}

static inline void tree_put(char *text, const char *word)
{
    size_t used = strlen(text), length = strlen(word);
    if (used + length + 1 < TREE_TEXT)
        memcpy(text + used, word, length + 1);
}

static inline void tree_print(const tree *t, int node, int least, char *text);

/* Parentheses only where the grammar needs them: left operands may bind as the operator does, right
 * ones must bind tighter, comparisons do not chain. */
static inline void tree_print_operator(const tree *t, const tree_node *n, char *text)
{
    const tree_kind *k = &tree_kinds[n->kind];
    if (k->arity == 3) {
        tree_print(t, n->children[0], BIND_OR, text);
        tree_put(text, " ? ");
        tree_print(t, n->children[1], BIND_CHOICE, text);
        tree_put(text, " : ");
        tree_print(t, n->children[2], BIND_CHOICE, text);
    } else if (k->arity == 1) {
        tree_put(text, k->spelling);
        tree_print(t, n->children[0], BIND_SIGN, text);
    } else {
        int left = k->bind == BIND_COMPARE || k->bind == BIND_POWER ? k->bind + 1 : k->bind;
        tree_print(t, n->children[0], left, text);
        tree_put(text, k->spelling);
        tree_print(t, n->children[1], k->bind == BIND_POWER ? BIND_SIGN : k->bind + 1, text);
    }
}

static inline void tree_print_call(const tree *t, const tree_node *n, char *text)
{
    tree_put(text, tree_kinds[n->kind].spelling);
    tree_put(text, "(");
    for (int i = 0; i < tree_kinds[n->kind].arity; i++) {
        tree_put(text, i ? ", " : "");
        tree_print(t, n->children[i], BIND_CHOICE, text);
    }
    tree_put(text, ")");
}

static inline void tree_print(const tree *t, int node, int least, char *text)
{
    const tree_node *n = &t->nodes[node];
    char number[32];
    if (n->kind == TREE_NUMBER) {
        snprintf(number, sizeof number, "%.17g", n->number);
        tree_put(text, number);
    } else if (n->kind == TREE_VARIABLE) {
        tree_put(text, n->variable == 0 ? "x" : n->variable == 1 ? "y" : "z");
    } else if (tree_kinds[n->kind].bind == BIND_VALUE) {
        tree_print_call(t, n, text);
    } else {
        bool inside = tree_kinds[n->kind].bind < least;
        tree_put(text, inside ? "(" : "");
        tree_print_operator(t, n, text);
        tree_put(text, inside ? ")" : "");
    }
}

/* Whether the text is complete. */
static inline bool tree_text(const tree *t, char text[TREE_TEXT])
{
    text[0] = '\0';
    tree_print(t, t->count - 1, BIND_CHOICE, text);
    return strlen(text) < TREE_TEXT - 64;
}

/* The operation of a kind on numbers of type `real`; `f(name)` spells a function of <math.h> for
 * it. */
#define TREE_APPLY(real, f)                                                           \
    const char *s = tree_kinds[kind].spelling;                                        \
    if (tree_kinds[kind].arity == 1 && *s == '-')                                     \
        return -x;                                                                    \
    switch (*s) {                                                                     \
    case '+':                                                                         \
        return x + y;                                                                 \
    case '-':                                                                         \
        return x - y;                                                                 \
    case '*':                                                                         \
        return x * y;                                                                 \
    case '/':                                                                         \
        return x / y;                                                                 \
    case '^':                                                                         \
        return f(pow)(x, y);                                                          \
    case '<':                                                                         \
        return x < y;                                                                 \
    case '>':                                                                         \
        return x >= y;                                                                \
    case '=':                                                                         \
        return x == y;                                                                \
    case '&':                                                                         \
        return x != 0 && y != 0;                                                      \
    case '|':                                                                         \
        return x != 0 || y != 0;                                                      \
    case '!':                                                                         \
        return x == 0;                                                                \
    case '?':                                                                         \
        return x != 0 ? y : z;                                                        \
    default:                                                                          \
        break;                                                                        \
    }                                                                                 \
    static const struct {                                                             \
        const char *name;                                                             \
        real (*of)(real);                                                             \
    } functions[] = {                                                                 \
        {"sin", f(sin)},   {"cos", f(cos)},   {"tan", f(tan)},     {"asin", f(asin)}, \
        {"acos", f(acos)}, {"atan", f(atan)}, {"sinh", f(sinh)},   {"cosh", f(cosh)}, \
        {"tanh", f(tanh)}, {"exp", f(exp)},   {"log", f(log)},     {"sqrt", f(sqrt)}, \
        {"abs", f(fabs)},  {"ceil", f(ceil)}, {"floor", f(floor)},                    \
    };                                                                                \
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)                 \
        if (strcmp(s, functions[i].name) == 0)                                        \
            return functions[i].of(x);                                                \
    if (strcmp(s, "atan2") == 0)                                                      \
        return f(atan2)(x, y);                                                        \
    if (strcmp(s, "hypot") == 0)                                                      \
        return f(hypot)(x, y);                                                        \
    if (strcmp(s, "min") == 0)                                                        \
        return f(fmin)(x, y);                                                         \
    if (strcmp(s, "max") == 0)                                                        \
        return f(fmax)(x, y);                                                         \
    if (strcmp(s, "sign") == 0)                                                       \
        return (x > 0) - (x < 0);                                                     \
    return x >= 0; /* step */

/* Elementary functions are the library's, tested in tests/la: results are compared to the bit. */
#define tree_sin               ss_sin
#define tree_cos               ss_cos
#define tree_tan               ss_tan
#define tree_asin              ss_asin
#define tree_acos              ss_acos
#define tree_atan              ss_atan
#define tree_atan2             ss_atan2
#define tree_sinh              ss_sinh
#define tree_cosh              ss_cosh
#define tree_tanh              ss_tanh
#define tree_exp               ss_exp
#define tree_log               ss_logarithm
#define tree_pow               ss_pow
#define tree_hypot             ss_hypot
#define tree_sqrt              sqrt
#define tree_fabs              fabs
#define tree_ceil              ceil
#define tree_floor             floor
#define tree_fmin              fmin
#define tree_fmax              fmax
#define TREE_DOUBLE(name)      tree_##name
#define TREE_LONG_DOUBLE(name) name##l

static inline double tree_apply(int kind, double x, double y, double z)
{
    TREE_APPLY(double, TREE_DOUBLE)
}

static inline long double tree_apply_long(int kind, long double x, long double y, long double z)
{
    TREE_APPLY(long double, TREE_LONG_DOUBLE)
}

/* The value, or NaN when some part of it is not finite, nearly underflows, or depends on the sign
 * of a zero: there a simplified formula may say something else. */
static inline double tree_value(const tree *t, const double at[3])
{
    double v[TREE_MOST];
    for (int i = 0; i < t->count; i++) {
        const tree_node *n = &t->nodes[i];
        if (n->kind == TREE_NUMBER || n->kind == TREE_VARIABLE) {
            v[i] = n->kind == TREE_NUMBER ? n->number : at[n->variable];
            continue;
        }
        const int *c = n->children;
        v[i] = tree_apply(n->kind, v[c[0]], v[c[1]], v[c[2]]);
        bool signed_zero = strcmp(tree_kinds[n->kind].spelling, "atan2") == 0 && v[c[0]] == 0;
        if (!isfinite(v[i]) || (v[i] != 0 && fabs(v[i]) < 1e-290) || signed_zero)
            return NAN;
    }
    return v[t->count - 1];
}

static inline long double tree_value_long(const tree *t, const long double at[3])
{
    long double v[TREE_MOST];
    for (int i = 0; i < t->count; i++) {
        const tree_node *n = &t->nodes[i];
        const int *c = n->children;
        if (n->kind == TREE_NUMBER || n->kind == TREE_VARIABLE)
            v[i] = n->kind == TREE_NUMBER ? (long double)n->number : at[n->variable];
        else
            v[i] = tree_apply_long(n->kind, v[c[0]], v[c[1]], v[c[2]]);
    }
    return v[t->count - 1];
}

#endif
