/* parser.c: formulas from text to nodes, by precedence climbing over the tokens. */
#include "base/context.h"
#include "expression/graph.h"
#include "expression/quantity.h"
#include "expression/token.h"

#include <string.h>

enum { DEEPEST_NESTING = 200, LONGEST_LIST = 297 /* bytes of names in a message */ };

typedef struct parser {
    ss_graph *graph;
    const ss_text *text;
    ss_token token; /* the next one */
    int depth;
} parser;

/* A parsed part. When its value is constant but not finite, `culprit` is the offset of the first
 * operator or function that made it so. */
typedef struct parsed {
    ss_node node;
    size_t culprit;
} parsed;

static ss_status parse_expression(parser *p, parsed *result);
static ss_status parse_nested(parser *p, parsed *result);

static bool next_is(const parser *p, const char *spelling)
{
    return ss_token_is(p->text, &p->token, spelling);
}

static ss_status advance(parser *p)
{
    return ss_token_read(p->graph->context, p->text, p->token.start + p->token.length, &p->token);
}

#define FAIL(p, offset, ...) \
    ss_text_fail((p)->graph->context, SS_INPUT, (p)->text, offset, __VA_ARGS__)

/* "'+'", or "the end of the text": printf arguments for "%s%.*s%s". */
#define TOKEN_FORMAT "%s%.*s%s"
#define TOKEN_ARGS(p, t)                                                       \
    (t)->kind == SS_TOKEN_END ? "the end of the text" : "'", (int)(t)->length, \
        (p)->text->text + (t)->start, (t)->kind == SS_TOKEN_END ? "" : "'"

/* ---- Names ---- */

/* All functions; returns how many. */
static size_t functions(const char *names[SS_OP_COUNT])
{
    size_t count = 0;
    for (int op = 0; op < SS_OP_COUNT; op++)
        if (ss_operation_name((ss_operation)op))
            names[count++] = ss_operation_name((ss_operation)op);
    return count;
}

/* "unknown name 'x'", with the nearest, or with all that are known when none is near. */
static ss_status fail_unknown(const parser *p, const ss_token *token, const char *thing,
                              const char *near, size_t count, const char *const *known)
{
    char list[LONGEST_LIST];
    ss_join_names(count, known, sizeof list, list);
    return ss_text_fail(
        p->graph->context, SS_UNKNOWN_NAME, p->text, token->start,
        near ? "unknown %s '%.*s'; did you mean '%s'?" : "unknown %s '%.*s' (known: %s)", thing,
        (int)token->length, p->text->text + token->start, near ? near : list);
}

static ss_status fail_name(const parser *p, const ss_token *token, const char *word)
{
    const ss_graph *graph = p->graph;
    const ss_resolver *r = &graph->resolver;
    ss_operation function;
    if (ss_operation_find(word, &function))
        return ss_text_fail(graph->context, SS_INPUT, p->text, token->start,
                            "'%s' is a function; write %s(…)", word, word);
    size_t own = graph->names.count, more = r->names ? r->names(r->user, 0, NULL) : 0;
    const char **known, *all[SS_OP_COUNT];
    SS_TRY(SS_NEW(graph->context, own + more, &known));
    for (size_t i = 0; i < own; i++)
        known[i] = graph->names.entries[i].name;
    if (more > 0)
        r->names(r->user, more, known + own);
    const char *near = ss_nearest(word, own + more, known);
    if (!near)
        near = ss_nearest(word, functions(all), all);
    ss_status status = fail_unknown(p, token, "name", near, own + more, known);
    ss_release(graph->context, known);
    return status;
}

static ss_status fail_function(const parser *p, const ss_token *token, const char *word)
{
    const char *all[SS_OP_COUNT];
    size_t count = functions(all);
    if (ss_name_table_find(&p->graph->names, word))
        return FAIL(p, token->start, "'%s' is not a function; did you mean %s*(…)?", word, word);
    return fail_unknown(p, token, "function", ss_nearest(word, count, all), count, all);
}

/* The node of a name. The resolver is asked for one that the graph does not know, and what it says
 * remembered. */
static ss_status find_name(const parser *p, const ss_token *token, ss_node *node)
{
    char word[SS_LONGEST_TOKEN + 1];
    ss_graph *graph = p->graph;
    ss_token_copy(p->text, token, word);
    const ss_name_entry *entry = ss_name_table_find(&graph->names, word);
    if (entry) {
        *node = entry->named.node;
        return SS_OK;
    }
    const ss_resolver *r = &graph->resolver;
    ss_operation function;
    if (!r->resolve || ss_operation_find(word, &function))
        return fail_name(p, token, word);
    ss_status status = r->resolve(r->user, graph, word, node);
    if (status == SS_OK)
        status = ss_graph_check(graph, *node);
    if (status == SS_OK && !ss_name_table_find(&graph->names, word))
        status = ss_name_table_add(&graph->names, word, (ss_named){.node = *node});
    return status == SS_UNKNOWN_NAME ? fail_name(p, token, word) : status;
}

/* ---- Grammar ---- */

static ss_status enter(parser *p)
{
    if (++p->depth > DEEPEST_NESTING)
        return FAIL(p, p->token.start, "the formula is nested deeper than %d levels",
                    (int)DEEPEST_NESTING);
    return SS_OK;
}

/* The blame for a constant that is not finite: handed on from an operand, else the operation's
 * own. */
static size_t culprit(const ss_graph *graph, ss_node node, int count, const parsed *operands,
                      size_t own)
{
    double value;
    for (int i = 0; i < count; i++)
        if (operands[i].node == node)
            return operands[i].culprit;
    for (int i = 0; i < count; i++)
        if (!ss_graph_is_constant(graph, operands[i].node, &value))
            return operands[i].culprit;
    return own;
}

static ss_status build(parser *p, ss_operation op, size_t offset, const parsed *operands,
                       parsed *result)
{
    ss_builder b = {.graph = p->graph};
    int arity = ss_operation_arity(op);
    ss_node node = ss_build(&b, op, operands[0].node, arity > 1 ? operands[1].node : SS_ZERO,
                            arity > 2 ? operands[2].node : SS_ZERO);
    *result = (parsed){node, culprit(p->graph, node, arity, operands, offset)};
    return b.status;
}

typedef struct binary {
    const char *spelling;
    int level; /* larger binds tighter */
    ss_operation op;
    bool swapped; /* a > b is b < a */
} binary;

enum { LEVEL_COMPARE = 3 };

static const binary *next_binary(const parser *p)
{
    static const binary operators[] = {
        {"||", 1, SS_OP_OR, false},
        {"&&", 2, SS_OP_AND, false},
        {"<", LEVEL_COMPARE, SS_OP_LESS, false},
        {"<=", LEVEL_COMPARE, SS_OP_LESS_EQUAL, false},
        {">", LEVEL_COMPARE, SS_OP_LESS, true},
        {">=", LEVEL_COMPARE, SS_OP_LESS_EQUAL, true},
        {"==", LEVEL_COMPARE, SS_OP_EQUAL, false},
        {"!=", LEVEL_COMPARE, SS_OP_NOT_EQUAL, false},
        {"+", 4, SS_OP_ADD, false},
        {"-", 4, SS_OP_SUBTRACT, false},
        {"*", 5, SS_OP_MULTIPLY, false},
        {"/", 5, SS_OP_DIVIDE, false},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (next_is(p, operators[i].spelling))
            return &operators[i];
    return NULL;
}

static ss_status expect(parser *p, const char *spelling, const char *why)
{
    if (next_is(p, spelling))
        return advance(p);
    return FAIL(p, p->token.start, "expected %s but found " TOKEN_FORMAT, why,
                TOKEN_ARGS(p, &p->token));
}

/* Reads all arguments, keeps the first three. */
static ss_status parse_arguments(parser *p, parsed *arguments, int *count)
{
    *count = 0;
    if (next_is(p, ")"))
        return advance(p);
    for (;;) {
        parsed argument;
        SS_TRY(parse_expression(p, &argument));
        if (*count < 3)
            arguments[*count] = argument;
        ++*count;
        if (!next_is(p, ","))
            return expect(p, ")", "',' or ')' after an argument");
        SS_TRY(advance(p));
    }
}

static ss_status parse_call(parser *p, const ss_token *name, parsed *result)
{
    char word[SS_LONGEST_TOKEN + 1];
    ss_operation op;
    ss_token_copy(p->text, name, word);
    if (!ss_operation_find(word, &op))
        return fail_function(p, name, word);
    parsed arguments[3] = {0};
    int given;
    SS_TRY(advance(p));
    SS_TRY(parse_arguments(p, arguments, &given));
    int wanted = ss_operation_arity(op);
    if (given != wanted)
        return FAIL(p, name->start, "the function '%s' takes %d argument%s, but %d %s given", word,
                    wanted, wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are");
    return build(p, op, name->start, arguments, result);
}

static ss_status parse_primary(parser *p, parsed *result)
{
    ss_token token = p->token;
    *result = (parsed){SS_ZERO, token.start};
    if (token.kind == SS_TOKEN_NUMBER) {
        SS_TRY(advance(p));
        return ss_graph_constant(p->graph, token.value, &result->node);
    }
    if (token.kind == SS_TOKEN_NAME) {
        SS_TRY(advance(p));
        if (next_is(p, "("))
            return parse_call(p, &token, result);
        return find_name(p, &token, &result->node);
    }
    if (next_is(p, "(")) {
        SS_TRY(advance(p));
        SS_TRY(parse_expression(p, result));
        return expect(p, ")", "')'");
    }
    return FAIL(p, token.start, "expected a number, a name or '(' but found " TOKEN_FORMAT,
                TOKEN_ARGS(p, &token));
}

/* No value can follow a value: 2pi, 2(x), x y. */
static ss_status check_adjacent(const parser *p, const ss_token *before)
{
    const ss_token *t = &p->token;
    bool open = next_is(p, "(");
    if (t->kind != SS_TOKEN_NUMBER && t->kind != SS_TOKEN_NAME && !open)
        return SS_OK;
    const char *text = p->text->text;
    if (before->kind == SS_TOKEN_NUMBER && ss_unit_is(text + t->start, t->length))
        return FAIL(p, t->start,
                    "an operator is missing; did you mean %.*s*%.*s? A number with a unit stands "
                    "alone and has a blank before the unit: 500 mm",
                    (int)before->length, text + before->start, (int)t->length, text + t->start);
    if (before->kind == SS_TOKEN_NUMBER && t->kind != SS_TOKEN_NUMBER)
        return FAIL(p, t->start, "an operator is missing; did you mean %.*s*%.*s%s?",
                    (int)before->length, text + before->start, (int)t->length, text + t->start,
                    open ? "…)" : "");
    return FAIL(p, t->start, "an operator is missing before '%.*s'", (int)t->length,
                text + t->start);
}

/* a ^ b, right associative; the exponent may carry a sign. */
static ss_status parse_power(parser *p, parsed *result)
{
    ss_token first = p->token;
    parsed operands[3] = {0};
    SS_TRY(parse_primary(p, &operands[0]));
    SS_TRY(check_adjacent(p, &first));
    if (!next_is(p, "^")) {
        *result = operands[0];
        return SS_OK;
    }
    size_t offset = p->token.start;
    SS_TRY(advance(p));
    SS_TRY(parse_nested(p, &operands[1]));
    return build(p, SS_OP_POWER, offset, operands, result);
}

static ss_status parse_unary(parser *p, parsed *result)
{
    size_t offset = p->token.start;
    bool plus = next_is(p, "+"), minus = next_is(p, "-");
    if (!plus && !minus && !next_is(p, "!"))
        return parse_power(p, result);
    SS_TRY(advance(p));
    parsed operands[3] = {0};
    SS_TRY(parse_nested(p, &operands[0]));
    *result = operands[0];
    return plus ? SS_OK : build(p, minus ? SS_OP_NEGATE : SS_OP_NOT, offset, operands, result);
}

/* The operand of a sign or an exponent. */
static ss_status parse_nested(parser *p, parsed *result)
{
    SS_TRY(enter(p));
    SS_TRY(parse_unary(p, result));
    p->depth--;
    return SS_OK;
}

/* Operators of at least a level. */
static ss_status parse_binary(parser *p, int level, parsed *result)
{
    SS_TRY(parse_unary(p, result));
    bool compared = false;
    for (const binary *o = next_binary(p); o && o->level >= level; o = next_binary(p)) {
        if (o->level == LEVEL_COMPARE && compared)
            return FAIL(p, p->token.start, "comparisons cannot be chained; write a %s b && b %s c",
                        o->spelling, o->spelling);
        compared = o->level == LEVEL_COMPARE;
        size_t offset = p->token.start;
        SS_TRY(advance(p));
        parsed right;
        SS_TRY(parse_binary(p, o->level + 1, &right));
        parsed operands[3] = {o->swapped ? right : *result, o->swapped ? *result : right};
        SS_TRY(build(p, o->op, offset, operands, result));
    }
    return SS_OK;
}

static ss_status parse_choice(parser *p, parsed *result)
{
    parsed operands[3] = {0};
    SS_TRY(parse_binary(p, 1, &operands[0]));
    if (!next_is(p, "?")) {
        *result = operands[0];
        return SS_OK;
    }
    size_t offset = p->token.start;
    SS_TRY(advance(p));
    SS_TRY(parse_expression(p, &operands[1]));
    SS_TRY(expect(p, ":", "':' to go with '?'"));
    SS_TRY(parse_expression(p, &operands[2]));
    return build(p, SS_OP_SELECT, offset, operands, result);
}

static ss_status parse_expression(parser *p, parsed *result)
{
    SS_TRY(enter(p));
    SS_TRY(parse_choice(p, result));
    p->depth--;
    return SS_OK;
}

static ss_status fail_rest(const parser *p)
{
    if (next_is(p, ")"))
        return FAIL(p, p->token.start, "there is no '(' for this ')'");
    if (next_is(p, ":"))
        return FAIL(p, p->token.start, "there is no '?' for this ':'");
    if (next_is(p, ","))
        return FAIL(p, p->token.start, "',' may stand only between the arguments of a function");
    return FAIL(p, p->token.start, "expected an operator but found " TOKEN_FORMAT,
                TOKEN_ARGS(p, &p->token));
}

static ss_status parse_quantity(ss_graph *graph, const ss_text *text, parsed *result)
{
    double value;
    SS_TRY(ss_quantity_read(graph->context, text, &value, NULL));
    return ss_graph_constant(graph, value, &result->node);
}

static ss_status parse(ss_graph *graph, const ss_text *text, parsed *result)
{
    *result = (parsed){SS_ZERO, 0};
    if (!text->text)
        return ss_fail_at(graph->context, SS_INPUT, text->where, "there is no formula");
    if (strnlen(text->text, SS_LONGEST_FORMULA + 1) > SS_LONGEST_FORMULA)
        return ss_fail_at(graph->context, SS_INPUT, text->where,
                          "the formula is longer than %d characters", (int)SS_LONGEST_FORMULA);
    if (ss_quantity_is(text->text))
        return parse_quantity(graph, text, result);
    parser p = {.graph = graph, .text = text};
    SS_TRY(advance(&p));
    SS_TRY(parse_expression(&p, result));
    return p.token.kind == SS_TOKEN_END ? SS_OK : fail_rest(&p);
}

ss_status ss_graph_parse(ss_graph *graph, const ss_text *text, ss_node *node)
{
    SS_GIVEN(NULL, graph);
    SS_GIVEN(graph->context, text);
    SS_GIVEN(graph->context, node);
    parsed result;
    *node = SS_ZERO;
    SS_TRY(parse(graph, text, &result));
    *node = result.node;
    return SS_OK;
}

static ss_status evaluate(ss_graph *graph, const ss_text *text, double *value)
{
    parsed result;
    ss_token token;
    SS_TRY(parse(graph, text, &result));
    if (ss_graph_is_constant(graph, result.node, value))
        return SS_OK;
    SS_TRY(ss_token_read(graph->context, text, result.culprit, &token));
    return ss_text_fail(graph->context, SS_NON_FINITE, text, result.culprit,
                        "the value is not finite: '%.*s' has no finite result here",
                        (int)token.length, text->text + token.start);
}

ss_status ss_evaluate(ss_context *context, const ss_scope *scope, const ss_text *text,
                      double *value)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, text);
    SS_GIVEN(context, value);
    ss_resolver resolver = ss_scope_resolver(scope);
    ss_graph *graph;
    *value = 0;
    SS_TRY(ss_graph_create(context, scope ? &resolver : NULL, &graph));
    ss_status status = evaluate(graph, text, value);
    ss_graph_destroy(graph);
    return status;
}
