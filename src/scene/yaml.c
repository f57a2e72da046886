/* yaml.c: YAML text → tree, with libfyaml: its events one by one, its messages in our words. */
#include "base/map.h"
#include "expression/token.h"
#include "scene/tree.h"

#include <libfyaml.h>
#include <string.h>

/* Deepest nesting of lists and maps; largest tree, with every alias written out, in bytes. */
enum { DEEPEST = 32, HEAVIEST = 64 * 1024 * 1024 };

typedef struct composer {
    ss_arena *arena;
    ss_context *context;
    const ss_scene_source *source;
    size_t first; /* where the YAML text begins in the source */
    int shift;    /* columns before it in its first line */
    struct fy_diag *diagnosis;
    struct fy_parser *parser;
    struct fy_event *event; /* the current one; owned */
    int depth;
    ss_location open[DEEPEST]; /* lists and maps around the current event */
    ss_map anchors;            /* name → index in `anchored` */
    ss_tree *anchored;
} composer;

/* ---- libfyaml's parser ---- */

/* libfyaml's words for the mistakes people make, and ours. */
typedef struct complaint {
    const char *theirs; /* how its message begins */
    const char *ours;
    bool at_opening; /* point to the bracket that began it, not to where the parser gave up */
} complaint;

static const complaint complaints[] = {
    {"tab character may not be", "a tab cannot indent; use spaces"},
    {"cannot use tab", "a tab cannot indent; use spaces"},
    {"invalid tab", "a tab cannot indent; use spaces"},
    {"flow sequence without a closing", "the list that begins here is not closed: ']' is missing",
     true},
    {"missing comma in flow sequence", "',' or ']' is missing in the list that begins here", true},
    {"missing comma in flow mapping",
     "',' or '}' is missing in the map that begins here; put a text that contains ': ' in quotes",
     true},
    {"flow sequence with invalid extra", "']' without a '[' before it"},
    {"flow mapping with invalid extra", "'}' without a '{' before it"},
    {"mismatched flow mapping end", "'}' where a ']' is expected"},
    {"mismatched flow sequence end", "']' where a '}' is expected"},
    {"wrongly indented",
     "the quotes that begin here are not closed, or the text in them goes on without indentation"},
    {"double-quoted scalar without", "the quotes are not closed: '\"' is missing"},
    {"single-quoted scalar without", "the quotes are not closed: \"'\" is missing"},
    {"plain scalar cannot start with", "a text cannot begin with this character; put it in quotes"},
    {"invalid multiline plain key",
     "this text goes on in the next line, where a ':' makes it a key: check the indentation, or "
     "whether a ':' "
     "is missing here"},
    {"invalid nested block mapping",
     "a second ': ' in the line; put a text that contains ': ' in quotes"},
    {"invalid indentation in mapping", "the indentation fits no line above"},
    {"invalid mapping indent", "the indentation fits no line above"},
    {"did not find expected key", "a key and a ':' are expected here"},
    {"could not find expected ':'", "a ':' is missing behind this key"},
    {"invalid scalar at the end of block seq", "a '-' is expected here, as in the lines above"},
    {"did not find expected '-'", "a '-' is expected here, as in the lines above"},
};

static ss_status no_memory(const composer *c)
{
    return ss_fail(c->context, SS_MEMORY, "out of memory in the YAML parser");
}

/* Nobody listens: errors are collected, everything else is dropped. */
static void drop(struct fy_diag *diagnosis, void *user, const char *text, size_t length)
{
    (void)diagnosis, (void)user, (void)text, (void)length;
}

static ss_status open_parser(composer *c)
{
    struct fy_diag_cfg settings;
    fy_diag_cfg_default(&settings);
    settings.fp = NULL;
    settings.output_fn = drop;
    settings.colorize = false;
    c->diagnosis = fy_diag_create(&settings);
    if (!c->diagnosis)
        return no_memory(c);
    fy_diag_set_collect_errors(c->diagnosis, true);
    struct fy_parse_cfg config = {
        .search_path = "",
        .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = c->diagnosis,
    };
    c->parser = fy_parser_create(&config);
    if (!c->parser ||
        fy_parser_set_string(c->parser, c->source->text + c->first, c->source->length - c->first))
        return no_memory(c);
    return SS_OK;
}

static void close_parser(composer *c)
{
    if (c->event)
        fy_parser_event_free(c->parser, c->event);
    if (c->parser)
        fy_parser_destroy(c->parser);
    if (c->diagnosis)
        fy_diag_destroy(c->diagnosis);
}

static ss_location at(const composer *c, const struct fy_mark *mark)
{
    if (!mark)
        return (ss_location){0};
    int shift = mark->line == 0 ? c->shift : 0;
    return (ss_location){c->source->file, mark->line + 1, mark->column + 1 + shift};
}

/* The place of the current event; that of what is around where something is left out. */
static ss_location place(const composer *c, ss_location around)
{
    ss_location where = at(c, fy_event_start_mark(c->event));
    return where.line ? where : around;
}

static ss_status complain(composer *c)
{
    void *before = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(c->diagnosis, &before);
    if (!error)
        return no_memory(c);
    struct fy_mark mark = {.line = error->line - 1, .column = error->column - 1};
    ss_location where = at(c, &mark);
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const complaint *known = &complaints[i];
        if (strncmp(error->msg, known->theirs, strlen(known->theirs)) != 0)
            continue;
        if (known->at_opening && c->depth > 0)
            where = c->open[c->depth - 1];
        return ss_fail_at(c->context, SS_INPUT, where, "%s", known->ours);
    }
    return ss_fail_at(c->context, SS_INPUT, where, "not valid YAML: %s", error->msg);
}

/* Moves to the next event. */
static ss_status next(composer *c)
{
    if (c->event)
        fy_parser_event_free(c->parser, c->event);
    c->event = fy_parser_parse(c->parser);
    return c->event ? SS_OK : complain(c);
}

/* ---- Events → nodes ---- */

static ss_status compose(composer *c, ss_location around, ss_tree **node);

/* The text of a token, copied piece by piece: fy_token_get_text of libfyaml 0.7 leaks when a
 * quoted text has many escapes. */
static ss_status copy_token(composer *c, struct fy_token *token, ss_location where,
                            const char **text)
{
    size_t length = token ? fy_token_get_text_length(token) : 0;
    char *copy;
    SS_TRY(SS_ARENA_NEW(c->arena, length + 1, &copy));
    *text = copy;
    if (length == 0)
        return SS_OK;
    struct fy_token_iter *pieces = fy_token_iter_create(token);
    if (!pieces)
        return no_memory(c);
    size_t used = 0;
    int error = 0;
    const struct fy_iter_chunk *piece = NULL;
    while ((piece = fy_token_iter_chunk_next(pieces, piece, &error)) &&
           used + piece->len <= length) {
        memcpy(copy + used, piece->str, piece->len);
        used += piece->len;
    }
    fy_token_iter_destroy(pieces);
    if (used != length)
        return no_memory(c);
    if (!ss_scene_source_is_clean(copy, length))
        return ss_fail_at(c->context, SS_INPUT, where,
                          "an escape (\\) makes a control character; a scene is a plain text");
    return SS_OK;
}

/* The text as the file has it, so that places inside an expression of several lines are right. */
static ss_status spell(composer *c, struct fy_token *token, ss_tree *node)
{
    node->spelled = (ss_text){node->text, node->where};
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    node->quoted = style != FYSS_PLAIN;
    const struct fy_mark *start = fy_event_start_mark(c->event);
    const struct fy_mark *end = fy_event_end_mark(c->event);
    bool has_quotes = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (!start || !end || start->line == end->line || has_quotes)
        return SS_OK;
    const ss_scene_source *source = c->source;
    size_t from = c->first + start->input_pos, to = c->first + end->input_pos;
    if (from > to || to > source->length)
        return SS_OK;
    node->spelled.where = at(c, start);
    return ss_arena_copy_text(c->arena, source->text + from, to - from, &node->spelled.text);
}

static ss_status compose_text(composer *c, ss_location around, ss_tree **node)
{
    struct fy_token *token = fy_event_get_token(c->event);
    SS_TRY(ss_tree_new(c->arena, SS_TREE_TEXT, place(c, around), node));
    SS_TRY(copy_token(c, token, (*node)->where, &(*node)->text));
    (*node)->weight += strlen((*node)->text);
    return spell(c, token, *node);
}

static ss_status follow_alias(composer *c, ss_location around, ss_tree **node)
{
    const char *name;
    int index;
    ss_location where = place(c, around);
    SS_TRY(copy_token(c, fy_event_get_token(c->event), where, &name));
    if (!ss_map_find(&c->anchors, name, &index))
        return ss_fail_at(c->context, SS_INPUT, where,
                          "'*%s' refers to an anchor '&%s' that is not defined above", name, name);
    *node = c->anchored->items[index];
    return SS_OK;
}

static ss_status enter(composer *c, ss_location where)
{
    if (c->depth == DEEPEST)
        return ss_fail_at(c->context, SS_INPUT, where, "lists and maps are nested deeper than %d",
                          DEEPEST);
    c->open[c->depth++] = where;
    return SS_OK;
}

/* Checked after every item, so that what is too large is not built first. */
static ss_status check_weight(const composer *c, const ss_tree *node)
{
    if (node->weight > HEAVIEST)
        return ss_fail_at(c->context, SS_INPUT, node->where,
                          "this is larger than %d MB with its aliases (*name) written out",
                          HEAVIEST / (1024 * 1024));
    return SS_OK;
}

static ss_status compose_list(composer *c, ss_location around, ss_tree **node)
{
    SS_TRY(ss_tree_new(c->arena, SS_TREE_LIST, place(c, around), node));
    SS_TRY(enter(c, (*node)->where));
    SS_TRY(next(c));
    while (c->event->type != FYET_SEQUENCE_END) {
        ss_tree *item;
        SS_TRY(compose(c, (*node)->where, &item));
        SS_TRY(ss_tree_append(c->arena, *node, item));
        SS_TRY(check_weight(c, *node));
        SS_TRY(next(c));
    }
    c->depth--;
    return SS_OK;
}

static ss_status compose_key(composer *c, ss_location around, ss_tree **key)
{
    ss_location where = place(c, around);
    if (c->event->type != FYET_SCALAR)
        return ss_fail_at(c->context, SS_INPUT, where, "a key must be a word, not a list or a map");
    SS_TRY(compose_text(c, where, key));
    if ((*key)->text[0])
        return SS_OK;
    /* A key left out has no place; its value has. */
    SS_TRY(next(c));
    return ss_fail_at(c->context, SS_INPUT, place(c, where), "a key is missing before the ':'");
}

/* Adds an entry; both places of a key that stands twice are named. */
static ss_status add_entry(composer *c, ss_tree *map, ss_map *index, const ss_tree *key,
                           ss_tree *value)
{
    int first;
    if (ss_map_find(index, key->text, &first)) {
        ss_location before = map->entries[first].where;
        return ss_fail_at(c->context, SS_INPUT, key->where,
                          "the key '%s' stands here a second time; first in line %d, column %d",
                          key->text, before.line, before.column);
    }
    SS_TRY(ss_map_set(index, key->text, (int)map->count));
    return ss_tree_put(c->arena, map, &(ss_tree_entry){key->text, key->where, value});
}

/* `<<: *base`: entries of another map where this one has none of its own. */
static ss_status merge_map(composer *c, ss_tree *map, ss_map *index, const ss_tree *base)
{
    if (base->kind != SS_TREE_MAP)
        return ss_fail_at(c->context, SS_INPUT, base->where,
                          "'<<' wants a map or a list of maps, not %s", ss_tree_names(base));
    for (size_t i = 0; i < base->count; i++) {
        const ss_tree_entry *entry = &base->entries[i];
        int own;
        if (ss_map_find(index, entry->key, &own))
            continue;
        SS_TRY(ss_map_set(index, entry->key, (int)map->count));
        SS_TRY(ss_tree_put(c->arena, map, entry));
    }
    return SS_OK;
}

static ss_status compose_entries(composer *c, ss_tree *map, ss_map *index)
{
    ss_tree *bases = NULL;
    SS_TRY(next(c));
    while (c->event->type != FYET_MAPPING_END) {
        ss_tree *key, *value;
        SS_TRY(compose_key(c, map->where, &key));
        SS_TRY(next(c));
        SS_TRY(compose(c, key->where, &value));
        if (strcmp(key->text, "<<") == 0 && !key->quoted && !bases)
            bases = value;
        else
            SS_TRY(add_entry(c, map, index, key, value));
        SS_TRY(check_weight(c, map));
        SS_TRY(next(c));
    }
    if (bases && bases->kind != SS_TREE_LIST)
        SS_TRY(merge_map(c, map, index, bases));
    for (size_t i = 0; bases && bases->kind == SS_TREE_LIST && i < bases->count; i++)
        SS_TRY(merge_map(c, map, index, bases->items[i]));
    return check_weight(c, map);
}

static ss_status compose_map(composer *c, ss_location around, ss_tree **node)
{
    SS_TRY(ss_tree_new(c->arena, SS_TREE_MAP, place(c, around), node));
    SS_TRY(enter(c, (*node)->where));
    ss_map index;
    ss_map_init(&index, c->context);
    ss_status status = compose_entries(c, *node, &index);
    ss_map_release(&index);
    c->depth--;
    return status;
}

static ss_status compose_untagged(composer *c, ss_location around, ss_tree **node)
{
    switch (c->event->type) {
    case FYET_SCALAR:
        return compose_text(c, around, node);
    case FYET_ALIAS:
        return follow_alias(c, around, node);
    case FYET_SEQUENCE_START:
        return compose_list(c, around, node);
    case FYET_MAPPING_START:
        return compose_map(c, around, node);
    default:
        return ss_fail_at(c->context, SS_INPUT, place(c, around), "a value is expected here");
    }
}

/* The node that begins with the current event; ends at its last event. */
static ss_status compose(composer *c, ss_location around, ss_tree **node)
{
    struct fy_token *tag = fy_event_get_tag_token(c->event);
    if (tag)
        return ss_fail_at(c->context, SS_INPUT, at(c, fy_token_start_mark(tag)),
                          "scenes use no tags ('!…'); put a text that begins with '!' in quotes");
    struct fy_token *anchor = fy_event_get_anchor_token(c->event);
    const char *name = NULL;
    if (anchor)
        SS_TRY(copy_token(c, anchor, place(c, around), &name));
    SS_TRY(compose_untagged(c, around, node));
    if (!name)
        return SS_OK;
    SS_TRY(ss_map_set(&c->anchors, name, (int)c->anchored->count));
    return ss_tree_append(c->arena, c->anchored, *node);
}

static ss_status compose_document(composer *c, ss_tree **root)
{
    ss_location start = {c->source->file, 1, 1};
    SS_TRY(ss_tree_new(c->arena, SS_TREE_LIST, start, &c->anchored));
    SS_TRY(next(c)); /* begins the stream */
    SS_TRY(next(c));
    if (c->event->type == FYET_STREAM_END)
        return ss_tree_new_text(c->arena, "", start, root);
    SS_TRY(next(c));
    SS_TRY(compose(c, start, root));
    SS_TRY(next(c)); /* ends the document */
    SS_TRY(next(c));
    if (c->event->type != FYET_STREAM_END)
        return ss_fail_at(c->context, SS_INPUT, place(c, start),
                          "a second document begins here; a file holds one scene");
    return SS_OK;
}

ss_status ss_yaml_parse(ss_arena *arena, const ss_scene_source *source, size_t first,
                        ss_tree **root)
{
    composer c = {.arena = arena, .context = arena->context, .source = source, .first = first};
    c.shift = ss_count_characters(source->text, first);
    ss_map_init(&c.anchors, arena->context);
    ss_status status = open_parser(&c);
    if (status == SS_OK)
        status = compose_document(&c, root);
    close_parser(&c);
    ss_map_release(&c.anchors);
    return status;
}
