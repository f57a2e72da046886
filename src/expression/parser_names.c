/* parser_names.c: what a name in a text stands for, and what was meant by one that is not known. */
#include "expression/parser.h"

#include <stdio.h>
#include <string.h>

/* Names that could have been meant. */
typedef struct candidates {
    size_t count;
    const char **names;
} candidates;

static size_t functions(const char **names)
{
    size_t count = 0;
    for (int op = 0; op < SS_OP_COUNT; op++)
        if (ss_operation_name((ss_operation)op))
            names[count++] = ss_operation_name((ss_operation)op);
    return count;
}

/* What the graph and its resolver know. */
static ss_status collect(const ss_graph *graph, candidates *known)
{
    const ss_resolver *r = &graph->resolver;
    size_t own = graph->names.count;
    size_t more = r->names ? r->names(r->user, 0, NULL) : 0;
    void *memory;
    SS_TRY(ss_allocate(graph->context, own + more, sizeof *known->names, &memory));
    known->names = memory;
    for (size_t i = 0; i < own; i++)
        known->names[i] = graph->names.entries[i].name;
    if (more > 0)
        r->names(r->user, more, known->names + own);
    known->count = own + more;
    return SS_OK;
}

/* "a, b, c" as far as there is capacity. */
static void join(const candidates *known, size_t capacity, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < known->count; i++) {
        size_t length = strlen(known->names[i]) + 2;
        if (used + length + 8 > capacity) {
            snprintf(text + used, capacity - used, ", …");
            return;
        }
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", known->names[i]);
    }
}

static void copy_word(const ss_parser *p, const ss_token *token, char word[SS_LONGEST_TOKEN + 1])
{
    memcpy(word, p->text->text + token->start, token->length);
    word[token->length] = '\0';
}

static ss_status fail_name(ss_parser *p, const ss_token *token, const char *word)
{
    ss_context *context = p->graph->context;
    ss_operation function;
    if (ss_operation_find(word, &function))
        return ss_text_fail(context, SS_INPUT, p->text, token->start,
                            "'%s' is a function; write %s(…)", word, word);
    candidates known;
    SS_TRY(collect(p->graph, &known));
    const char *near = ss_nearest(word, known.count, known.names);
    const char *all[SS_OP_COUNT];
    if (!near)
        near = ss_nearest(word, functions(all), all);
    char list[300];
    join(&known, sizeof list, list);
    ss_status status = near ? ss_text_fail(context, SS_UNKNOWN_NAME, p->text, token->start,
                                           "unknown name '%s'; did you mean '%s'?", word, near)
                            : ss_text_fail(context, SS_UNKNOWN_NAME, p->text, token->start,
                                           "unknown name '%s' (known: %s)", word, list);
    ss_release(context, known.names);
    return status;
}

/* Asks the resolver and remembers what it says. */
static ss_status resolve(ss_graph *graph, const char *word, ss_node *node)
{
    const ss_resolver *r = &graph->resolver;
    SS_TRY(r->resolve(r->user, graph, word, node));
    SS_TRY(ss_graph_check(graph, *node));
    if (ss_name_table_find(&graph->names, word))
        return SS_OK;
    return ss_name_table_add(&graph->names, word, (ss_named){.node = *node});
}

ss_status ss_parser_name(ss_parser *p, const ss_token *token, ss_node *node)
{
    char word[SS_LONGEST_TOKEN + 1];
    copy_word(p, token, word);
    const ss_name_entry *entry = ss_name_table_find(&p->graph->names, word);
    if (entry) {
        *node = entry->named.node;
        return SS_OK;
    }
    ss_operation function;
    if (!p->graph->resolver.resolve || ss_operation_find(word, &function))
        return fail_name(p, token, word);
    ss_status status = resolve(p->graph, word, node);
    return status == SS_UNKNOWN_NAME ? fail_name(p, token, word) : status;
}

ss_status ss_parser_fail_function(ss_parser *p, const ss_token *token)
{
    ss_context *context = p->graph->context;
    char word[SS_LONGEST_TOKEN + 1];
    copy_word(p, token, word);
    if (ss_name_table_find(&p->graph->names, word))
        return ss_text_fail(context, SS_INPUT, p->text, token->start,
                            "'%s' is not a function; did you mean %s*(…)?", word, word);
    const char *all[SS_OP_COUNT];
    candidates known = {functions(all), all};
    const char *near = ss_nearest(word, known.count, known.names);
    if (near)
        return ss_text_fail(context, SS_UNKNOWN_NAME, p->text, token->start,
                            "unknown function '%s'; did you mean '%s'?", word, near);
    char list[300];
    join(&known, sizeof list, list);
    return ss_text_fail(context, SS_UNKNOWN_NAME, p->text, token->start,
                        "unknown function '%s' (known: %s)", word, list);
}
