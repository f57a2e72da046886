/* yaml_parser.c: libfyaml's parser: its events one by one, its messages in our words. */
#include "scene/yaml_parser.h"

#include <string.h>

/* libfyaml's words for the mistakes people make, and ours. */
typedef struct complaint {
    const char *theirs; /* how its message begins */
    const char *ours;
    bool at_opening; /* point to the bracket that began it, not to where the parser gave up */
} complaint;

static const complaint complaints[] = {
    {"tab character may not be", "a tab cannot indent; use spaces", false},
    {"cannot use tab", "a tab cannot indent; use spaces", false},
    {"invalid tab", "a tab cannot indent; use spaces", false},
    {"flow sequence without a closing", "the list that begins here is not closed: ']' is missing",
     true},
    {"missing comma in flow sequence", "',' or ']' is missing in the list that begins here", true},
    {"missing comma in flow mapping",
     "',' or '}' is missing in the map that begins here; put a text that contains ': ' in quotes",
     true},
    {"flow sequence with invalid extra", "']' without a '[' before it", false},
    {"flow mapping with invalid extra", "'}' without a '{' before it", false},
    {"mismatched flow mapping end", "'}' where a ']' is expected", false},
    {"mismatched flow sequence end", "']' where a '}' is expected", false},
    {"wrongly indented",
     "the quotes that begin here are not closed, or the text in them goes on without indentation",
     false},
    {"double-quoted scalar without", "the quotes are not closed: '\"' is missing", false},
    {"single-quoted scalar without", "the quotes are not closed: \"'\" is missing", false},
    {"plain scalar cannot start with", "a text cannot begin with this character; put it in quotes",
     false},
    {"invalid multiline plain key",
     "this text goes on in the next line, where a ':' makes it a key: check the indentation, or "
     "whether a ':' "
     "is missing here",
     false},
    {"invalid nested block mapping",
     "a second ': ' in the line; put a text that contains ': ' in quotes", false},
    {"invalid indentation in mapping", "the indentation fits no line above", false},
    {"invalid mapping indent", "the indentation fits no line above", false},
    {"did not find expected key", "a key and a ':' are expected here", false},
    {"could not find expected ':'", "a ':' is missing behind this key", false},
    {"invalid scalar at the end of block seq", "a '-' is expected here, as in the lines above",
     false},
    {"did not find expected '-'", "a '-' is expected here, as in the lines above", false},
};

static const complaint *find_complaint(const char *theirs)
{
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++)
        if (strncmp(theirs, complaints[i].theirs, strlen(complaints[i].theirs)) == 0)
            return &complaints[i];
    return NULL;
}

/* Columns count characters, not bytes. */
static int count_characters(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Nobody listens: errors are collected, everything else is dropped. */
static void drop(struct fy_diag *diagnosis, void *user, const char *text, size_t length)
{
    (void)diagnosis;
    (void)user;
    (void)text;
    (void)length;
}

static ss_status no_memory(ss_context *context)
{
    return ss_fail(context, SS_MEMORY, "out of memory in the YAML parser");
}

ss_status ss_yaml_parser_open(ss_yaml_parser *parser, ss_context *context,
                              const ss_scene_source *source, size_t first)
{
    *parser = (ss_yaml_parser){.context = context, .source = source, .first = first};
    parser->shift = count_characters(source->text, first);
    struct fy_diag_cfg settings;
    fy_diag_cfg_default(&settings);
    settings.fp = NULL;
    settings.output_fn = drop;
    settings.colorize = false;
    parser->diagnosis = fy_diag_create(&settings);
    if (!parser->diagnosis)
        return no_memory(context);
    fy_diag_set_collect_errors(parser->diagnosis, true);
    struct fy_parse_cfg config = {
        .search_path = "",
        .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = parser->diagnosis,
    };
    parser->parser = fy_parser_create(&config);
    if (!parser->parser ||
        fy_parser_set_string(parser->parser, source->text + first, source->length - first))
        return no_memory(context);
    return SS_OK;
}

void ss_yaml_parser_close(ss_yaml_parser *parser)
{
    if (parser->event)
        fy_parser_event_free(parser->parser, parser->event);
    if (parser->parser)
        fy_parser_destroy(parser->parser);
    if (parser->diagnosis)
        fy_diag_destroy(parser->diagnosis);
    *parser = (ss_yaml_parser){0};
}

ss_location ss_yaml_parser_mark(const ss_yaml_parser *parser, const struct fy_mark *mark)
{
    if (!mark)
        return (ss_location){0};
    int shift = mark->line == 0 ? parser->shift : 0;
    return (ss_location){parser->source->file, mark->line + 1, mark->column + 1 + shift};
}

ss_location ss_yaml_parser_place(const ss_yaml_parser *parser)
{
    return ss_yaml_parser_mark(parser, fy_event_start_mark(parser->event));
}

static ss_status complain(ss_yaml_parser *parser)
{
    void *before = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(parser->diagnosis, &before);
    if (!error)
        return no_memory(parser->context);
    struct fy_mark mark = {.line = error->line - 1, .column = error->column - 1};
    ss_location where = ss_yaml_parser_mark(parser, &mark);
    const complaint *known = find_complaint(error->msg);
    if (!known)
        return ss_fail_at(parser->context, SS_INPUT, where, "not valid YAML: %s", error->msg);
    if (known->at_opening && parser->depth > 0)
        where = parser->open[parser->depth - 1];
    return ss_fail_at(parser->context, SS_INPUT, where, "%s", known->ours);
}

ss_status ss_yaml_parser_next(ss_yaml_parser *parser)
{
    if (parser->event)
        fy_parser_event_free(parser->parser, parser->event);
    parser->event = fy_parser_parse(parser->parser);
    return parser->event ? SS_OK : complain(parser);
}
