/* yaml.c: YAML text → tree, with libfyaml. */
#include "scene/yaml.h"

#include "base/map.h"
#include "scene/yaml_parser.h"

#include <string.h>

/* Largest tree, with every alias written out, in bytes. */
enum { HEAVIEST = 64 * 1024 * 1024 };

typedef struct composer {
    ss_arena *arena;
    ss_context *context;
    ss_yaml_parser parser;
    ss_map anchors; /* name → index in `anchored` */
    ss_tree *anchored;
} composer;

static ss_status compose(composer *c, ss_location default_value, ss_tree **node);

static enum fy_event_type event_type(const composer *c)
{
    return c->parser.event->type;
}

/* The place of the current event; the default_value where something is left out. */
static ss_location place(const composer *c, ss_location default_value)
{
    ss_location where = ss_yaml_parser_place(&c->parser);
    return where.line ? where : default_value;
}

static ss_status no_memory(const composer *c)
{
    return ss_fail(c->context, SS_MEMORY, "out of memory in the YAML parser");
}

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
                          "an escape (\\) makes a control character; a scene is a "
                          "plain text");
    return SS_OK;
}

/* The text as the file has it, so that places inside an expression of several lines are right. */
static ss_status spell(composer *c, struct fy_token *token, ss_tree *node)
{
    node->spelled = (ss_text){node->text, node->where};
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    node->quoted = style != FYSS_PLAIN;
    const struct fy_mark *start = fy_event_start_mark(c->parser.event);
    const struct fy_mark *end = fy_event_end_mark(c->parser.event);
    bool has_quotes = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (!start || !end || start->line == end->line || has_quotes)
        return SS_OK;
    const ss_scene_source *source = c->parser.source;
    size_t from = c->parser.first + start->input_pos, to = c->parser.first + end->input_pos;
    if (from > to || to > source->length)
        return SS_OK;
    char *copy;
    SS_TRY(SS_ARENA_NEW(c->arena, to - from + 1, &copy));
    memcpy(copy, source->text + from, to - from);
    node->spelled = (ss_text){copy, ss_yaml_parser_mark(&c->parser, start)};
    return SS_OK;
}

static ss_status compose_text(composer *c, ss_location default_value, ss_tree **node)
{
    struct fy_token *token = fy_event_get_token(c->parser.event);
    SS_TRY(ss_tree_new(c->arena, SS_TREE_TEXT, place(c, default_value), node));
    SS_TRY(copy_token(c, token, (*node)->where, &(*node)->text));
    (*node)->weight += strlen((*node)->text);
    return spell(c, token, *node);
}

static ss_status follow_alias(composer *c, ss_location default_value, ss_tree **node)
{
    const char *name;
    int index;
    ss_location where = place(c, default_value);
    SS_TRY(copy_token(c, fy_event_get_token(c->parser.event), where, &name));
    if (!ss_map_find(&c->anchors, name, &index))
        return ss_fail_at(c->context, SS_INPUT, where,
                          "'*%s' refers to an anchor '&%s' that is not defined above", name, name);
    *node = c->anchored->items[index];
    return SS_OK;
}

static ss_status enter(composer *c, ss_location where)
{
    if (c->parser.depth == SS_YAML_DEEPEST)
        return ss_fail_at(c->context, SS_INPUT, where, "lists and maps are nested deeper than %d",
                          SS_YAML_DEEPEST);
    c->parser.open[c->parser.depth++] = where;
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

static ss_status compose_list(composer *c, ss_location default_value, ss_tree **node)
{
    SS_TRY(ss_tree_new(c->arena, SS_TREE_LIST, place(c, default_value), node));
    SS_TRY(enter(c, (*node)->where));
    SS_TRY(ss_yaml_parser_next(&c->parser));
    while (event_type(c) != FYET_SEQUENCE_END) {
        ss_tree *item;
        SS_TRY(compose(c, (*node)->where, &item));
        SS_TRY(ss_tree_append(c->arena, *node, item));
        SS_TRY(check_weight(c, *node));
        SS_TRY(ss_yaml_parser_next(&c->parser));
    }
    c->parser.depth--;
    return SS_OK;
}

static ss_status compose_key(composer *c, ss_location default_value, ss_tree **key)
{
    ss_location where = place(c, default_value);
    if (event_type(c) != FYET_SCALAR)
        return ss_fail_at(c->context, SS_INPUT, where, "a key must be a word, not a list or a map");
    SS_TRY(compose_text(c, where, key));
    if ((*key)->text[0])
        return SS_OK;
    /* A key left out has no place; its value has. */
    SS_TRY(ss_yaml_parser_next(&c->parser));
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
    return ss_tree_put(c->arena, map, key->text, key->where, value);
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
        SS_TRY(ss_tree_put(c->arena, map, entry->key, entry->where, entry->value));
    }
    return SS_OK;
}

static ss_status merge_maps(composer *c, ss_tree *map, ss_map *index, const ss_tree *bases)
{
    if (bases->kind != SS_TREE_LIST)
        return merge_map(c, map, index, bases);
    for (size_t i = 0; i < bases->count; i++)
        SS_TRY(merge_map(c, map, index, bases->items[i]));
    return SS_OK;
}

static ss_status compose_entries(composer *c, ss_tree *map, ss_map *index)
{
    ss_tree *bases = NULL;
    SS_TRY(ss_yaml_parser_next(&c->parser));
    while (event_type(c) != FYET_MAPPING_END) {
        ss_tree *key, *value;
        SS_TRY(compose_key(c, map->where, &key));
        SS_TRY(ss_yaml_parser_next(&c->parser));
        SS_TRY(compose(c, key->where, &value));
        if (strcmp(key->text, "<<") == 0 && !key->quoted && !bases)
            bases = value;
        else
            SS_TRY(add_entry(c, map, index, key, value));
        SS_TRY(check_weight(c, map));
        SS_TRY(ss_yaml_parser_next(&c->parser));
    }
    if (bases)
        SS_TRY(merge_maps(c, map, index, bases));
    return check_weight(c, map);
}

static ss_status compose_map(composer *c, ss_location default_value, ss_tree **node)
{
    SS_TRY(ss_tree_new(c->arena, SS_TREE_MAP, place(c, default_value), node));
    SS_TRY(enter(c, (*node)->where));
    ss_map index;
    ss_map_init(&index, c->context);
    ss_status status = compose_entries(c, *node, &index);
    ss_map_release(&index);
    c->parser.depth--;
    return status;
}

static ss_status compose_untagged(composer *c, ss_location default_value, ss_tree **node)
{
    switch (event_type(c)) {
    case FYET_SCALAR:
        return compose_text(c, default_value, node);
    case FYET_ALIAS:
        return follow_alias(c, default_value, node);
    case FYET_SEQUENCE_START:
        return compose_list(c, default_value, node);
    case FYET_MAPPING_START:
        return compose_map(c, default_value, node);
    default:
        return ss_fail_at(c->context, SS_INPUT, place(c, default_value),
                          "a value is expected here");
    }
}

/* The node that begins with the current event; ends at its last event. */
static ss_status compose(composer *c, ss_location default_value, ss_tree **node)
{
    struct fy_token *tag = fy_event_get_tag_token(c->parser.event);
    if (tag)
        return ss_fail_at(c->context, SS_INPUT,
                          ss_yaml_parser_mark(&c->parser, fy_token_start_mark(tag)),
                          "scenes use no tags ('!…'); put a text that begins with '!' in quotes");
    struct fy_token *anchor = fy_event_get_anchor_token(c->parser.event);
    const char *name = NULL;
    if (anchor)
        SS_TRY(copy_token(c, anchor, place(c, default_value), &name));
    SS_TRY(compose_untagged(c, default_value, node));
    if (!name)
        return SS_OK;
    SS_TRY(ss_map_set(&c->anchors, name, (int)c->anchored->count));
    return ss_tree_append(c->arena, c->anchored, *node);
}

static ss_status compose_document(composer *c, ss_tree **root)
{
    ss_location start = {c->parser.source->file, 1, 1};
    SS_TRY(ss_tree_new(c->arena, SS_TREE_LIST, start, &c->anchored));
    SS_TRY(ss_yaml_parser_next(&c->parser)); /* begins the stream */
    SS_TRY(ss_yaml_parser_next(&c->parser));
    if (event_type(c) == FYET_STREAM_END)
        return ss_tree_new_text(c->arena, "", start, root);
    SS_TRY(ss_yaml_parser_next(&c->parser));
    SS_TRY(compose(c, start, root));
    SS_TRY(ss_yaml_parser_next(&c->parser)); /* ends the document */
    SS_TRY(ss_yaml_parser_next(&c->parser));
    if (event_type(c) != FYET_STREAM_END)
        return ss_fail_at(c->context, SS_INPUT, place(c, start),
                          "a second document begins here; a file holds one scene");
    return SS_OK;
}

ss_status ss_yaml_parse(ss_arena *arena, const ss_scene_source *source, size_t first,
                        ss_tree **root)
{
    composer c = {.arena = arena, .context = arena->context};
    ss_map_init(&c.anchors, arena->context);
    ss_status status = ss_yaml_parser_open(&c.parser, arena->context, source, first);
    if (status == SS_OK)
        status = compose_document(&c, root);
    ss_yaml_parser_close(&c.parser);
    ss_map_release(&c.anchors);
    return status;
}
