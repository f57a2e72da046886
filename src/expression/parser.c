/* parser.c: precedence climbing over the tokens of a text. */
#include "expression/parser.h"

#include <stdio.h>
#include <string.h>

static ss_status parse_expression(ss_parser *p, ss_parsed *result);
static ss_status parse_nested(ss_parser *p, ss_parsed *result);

static bool next_is(const ss_parser *p, const char *spelling)
{
    return ss_token_is(p->text, &p->token, spelling);
}

static ss_status advance(ss_parser *p)
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

static ss_status enter(ss_parser *p)
{
    if (++p->depth > SS_DEEPEST_NESTING)
        return FAIL(p, p->token.start, "the formula is nested deeper than %d levels",
                    (int)SS_DEEPEST_NESTING);
    return SS_OK;
}

static void leave(ss_parser *p)
{
    p->depth--;
}

/* The blame for a constant that is not finite: handed on from an operand, else the operation's
 * own. */
static size_t culprit(const ss_graph *graph, ss_node node, int count, const ss_parsed *operands,
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

static ss_status build(ss_parser *p, ss_operation op, size_t offset, const ss_parsed *operands,
                       ss_parsed *result)
{
    ss_builder b = {.graph = p->graph};
    int arity = ss_operation_arity(op);
    ss_node node = ss_build(&b, op, operands[0].node, arity > 1 ? operands[1].node : SS_ZERO,
                            arity > 2 ? operands[2].node : SS_ZERO);
    *result = (ss_parsed){node, culprit(p->graph, node, arity, operands, offset)};
    return b.status;
}

typedef struct binary {
    const char *spelling;
    int level; /* larger binds tighter */
    ss_operation op;
    bool swapped; /* a > b is b < a */
} binary;

enum { LEVEL_COMPARE = 3 };

static const binary *next_binary(const ss_parser *p)
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

static ss_status expect(ss_parser *p, const char *spelling, const char *why)
{
    if (next_is(p, spelling))
        return advance(p);
    return FAIL(p, p->token.start, "expected %s but found " TOKEN_FORMAT, why,
                TOKEN_ARGS(p, &p->token));
}

/* Reads all arguments, keeps the first three. */
static ss_status parse_arguments(ss_parser *p, ss_parsed *arguments, int *count)
{
    *count = 0;
    if (next_is(p, ")"))
        return advance(p);
    for (;;) {
        ss_parsed argument;
        SS_TRY(parse_expression(p, &argument));
        if (*count < 3)
            arguments[*count] = argument;
        ++*count;
        if (!next_is(p, ","))
            return expect(p, ")", "',' or ')' after an argument");
        SS_TRY(advance(p));
    }
}

static ss_status parse_call(ss_parser *p, const ss_token *name, ss_parsed *result)
{
    char word[SS_LONGEST_TOKEN + 1];
    snprintf(word, sizeof word, "%.*s", (int)name->length, p->text->text + name->start);
    ss_operation op;
    if (!ss_operation_find(word, &op))
        return ss_parser_fail_function(p, name);
    ss_parsed arguments[3] = {0};
    int given;
    SS_TRY(advance(p));
    SS_TRY(parse_arguments(p, arguments, &given));
    int wanted = ss_operation_arity(op);
    if (given != wanted)
        return FAIL(p, name->start, "the function '%s' takes %d argument%s, but %d %s given", word,
                    wanted, wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are");
    return build(p, op, name->start, arguments, result);
}

static ss_status parse_primary(ss_parser *p, ss_parsed *result)
{
    ss_token token = p->token;
    *result = (ss_parsed){SS_ZERO, token.start};
    if (token.kind == SS_TOKEN_NUMBER) {
        SS_TRY(advance(p));
        return ss_graph_constant(p->graph, token.value, &result->node);
    }
    if (token.kind == SS_TOKEN_NAME) {
        SS_TRY(advance(p));
        if (next_is(p, "("))
            return parse_call(p, &token, result);
        return ss_parser_name(p, &token, &result->node);
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
static ss_status check_adjacent(const ss_parser *p, const ss_token *before)
{
    const ss_token *t = &p->token;
    bool open = next_is(p, "(");
    if (t->kind != SS_TOKEN_NUMBER && t->kind != SS_TOKEN_NAME && !open)
        return SS_OK;
    const char *text = p->text->text;
    if (before->kind == SS_TOKEN_NUMBER && t->kind != SS_TOKEN_NUMBER)
        return FAIL(p, t->start, "an operator is missing; did you mean %.*s*%.*s%s?",
                    (int)before->length, text + before->start, (int)t->length, text + t->start,
                    open ? "…)" : "");
    return FAIL(p, t->start, "an operator is missing before '%.*s'", (int)t->length,
                text + t->start);
}

/* a ^ b, right associative; the exponent may carry a sign. */
static ss_status parse_power(ss_parser *p, ss_parsed *result)
{
    ss_token first = p->token;
    ss_parsed operands[3] = {0};
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

static ss_status parse_unary(ss_parser *p, ss_parsed *result)
{
    size_t offset = p->token.start;
    bool plus = next_is(p, "+"), minus = next_is(p, "-");
    if (!plus && !minus && !next_is(p, "!"))
        return parse_power(p, result);
    SS_TRY(advance(p));
    ss_parsed operands[3] = {0};
    SS_TRY(parse_nested(p, &operands[0]));
    *result = operands[0];
    return plus ? SS_OK : build(p, minus ? SS_OP_NEGATE : SS_OP_NOT, offset, operands, result);
}

/* The operand of a sign or an exponent. */
static ss_status parse_nested(ss_parser *p, ss_parsed *result)
{
    SS_TRY(enter(p));
    SS_TRY(parse_unary(p, result));
    leave(p);
    return SS_OK;
}

/* Operators of at least a level. */
static ss_status parse_binary(ss_parser *p, int level, ss_parsed *result)
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
        ss_parsed right;
        SS_TRY(parse_binary(p, o->level + 1, &right));
        ss_parsed operands[3] = {o->swapped ? right : *result, o->swapped ? *result : right};
        SS_TRY(build(p, o->op, offset, operands, result));
    }
    return SS_OK;
}

static ss_status parse_choice(ss_parser *p, ss_parsed *result)
{
    ss_parsed operands[3] = {0};
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

static ss_status parse_expression(ss_parser *p, ss_parsed *result)
{
    SS_TRY(enter(p));
    SS_TRY(parse_choice(p, result));
    leave(p);
    return SS_OK;
}

static ss_status fail_rest(const ss_parser *p)
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

ss_status ss_parse(ss_graph *graph, const ss_text *text, ss_parsed *result)
{
    *result = (ss_parsed){SS_ZERO, 0};
    if (!text->text)
        return ss_fail_at(graph->context, SS_INPUT, text->where, "there is no formula");
    if (strnlen(text->text, SS_LONGEST_FORMULA + 1) > SS_LONGEST_FORMULA)
        return ss_fail_at(graph->context, SS_INPUT, text->where,
                          "the formula is longer than %d characters", (int)SS_LONGEST_FORMULA);
    ss_parser p = {.graph = graph, .text = text};
    SS_TRY(advance(&p));
    SS_TRY(parse_expression(&p, result));
    return p.token.kind == SS_TOKEN_END ? SS_OK : fail_rest(&p);
}
