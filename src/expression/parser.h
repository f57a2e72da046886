/* parser.h: from text to nodes. */
#ifndef SS_EXPRESSION_PARSER_H
#define SS_EXPRESSION_PARSER_H

#include "expression/graph.h"
#include "expression/token.h"

enum { SS_DEEPEST_NESTING = 200 };

typedef struct ss_parser {
    ss_graph *graph;
    const ss_text *text;
    ss_token token; /* the next one */
    int depth;
} ss_parser;

/* A parsed part. When its value is constant but not finite, `culprit` is the offset of the first
 * operator or function that made it so. */
typedef struct ss_parsed {
    ss_node node;
    size_t culprit;
} ss_parsed;

ss_status ss_parse(ss_graph *graph, const ss_text *text, ss_parsed *result);

/* The node of a name, asking the resolver when the graph does not know it. */
ss_status ss_parser_name(ss_parser *parser, const ss_token *token, ss_node *node);
/* Fails, naming the function nearest to the token. */
ss_status ss_parser_fail_function(ss_parser *parser, const ss_token *token);

#endif
