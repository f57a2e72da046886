/* repeat.c: one object of a scene that stands for many. */
#include "scene/repeat.h"

#include "expression/token.h"
#include "scene/writer.h"

#include <stickslip/expression.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COPIES = 10000000 };

typedef struct repeat {
    ss_context *context;
    const ss_tree_entry *entry;
    char owner[128]; /* "system 'node'" */
    int n;
    const char *names[SS_REPEAT_INDICES];
    long counts[SS_REPEAT_INDICES], at[SS_REPEAT_INDICES];
    ss_scope *scope; /* parameters and indices */
    ss_arena *arena; /* of the copies */
} repeat;

/* ---- What the key says ---- */

static ss_status read_index(repeat *r, const ss_tree_entry *index)
{
    double count, taken;
    ss_text name = {index->key, index->where};
    SS_TRY(ss_name_check(r->context, &name));
    if (strpbrk(index->key, ".'") || strcmp(index->key, "t") == 0)
        return ss_fail_at(
            r->context, SS_INPUT, index->where,
            "%s: '%s' cannot be an index of 'repeat': letters, digits and _ only; 't' is "
            "the time",
            r->owner, index->key);
    if (ss_scope_find(r->scope, index->key, &taken))
        return ss_fail_at(r->context, SS_INPUT, index->where,
                          "%s: the index '%s' has the name of a parameter; rename one of them",
                          r->owner, index->key);
    if (index->value->kind != SS_TREE_TEXT || ss_tree_is_null(index->value))
        return ss_fail_at(r->context, SS_INPUT, index->value->where,
                          "%s: 'repeat' wants a number for the index '%s', not %s", r->owner,
                          index->key, ss_tree_names(index->value));
    SS_TRY(ss_evaluate(r->context, r->scope, &index->value->spelled, &count));
    if (!(count >= 0 && count <= MOST_COPIES && count == floor(count)))
        return ss_fail_at(
            r->context, SS_INPUT, index->value->where,
            "%s: 'repeat' wants a whole number from 0 to %d for the index '%s', not %g", r->owner,
            MOST_COPIES, index->key, count);
    r->names[r->n] = index->key;
    r->counts[r->n++] = (long)count;
    return SS_OK;
}

static ss_status read_indices(repeat *r, const ss_tree *map)
{
    if (map->kind != SS_TREE_MAP || map->count == 0 || map->count > SS_REPEAT_INDICES)
        return ss_fail_at(
            r->context, SS_INPUT, map->where,
            "%s: 'repeat' wants a map of one to three indices and how often each counts, such "
            "as {i: 10}",
            r->owner);
    double copies = 1;
    for (size_t i = 0; i < map->count; i++) {
        SS_TRY(read_index(r, &map->entries[i]));
        copies *= (double)r->counts[i];
    }
    if (copies > MOST_COPIES)
        return ss_fail_at(r->context, SS_INPUT, map->where,
                          "%s: 'repeat' makes %.0f of it; %d are the most", r->owner, copies,
                          MOST_COPIES);
    return SS_OK;
}

static ss_status copy_scope(const ss_scope *from, ss_scope *to)
{
    for (size_t i = 0; from && i < ss_scope_count(from); i++)
        SS_TRY(ss_scope_define(to, ss_scope_name(from, i), ss_scope_value(from, i)));
    return SS_OK;
}

/* ---- Texts of a copy ---- */

/* The text with every {expression} replaced by its value. */
static ss_status fill_braces(const repeat *r, const ss_tree *node, const char *text, ss_writer *w)
{
    const char *open, *close;
    for (; (open = strchr(text, '{')); text = close + 1) {
        char inside[SS_LONGEST_TOKEN + 1];
        double value;
        close = strchr(open, '}');
        if (!close || close - open > SS_LONGEST_TOKEN)
            return ss_fail_at(r->context, SS_INPUT, node->where, "%s: '{' without '}' in '%s'",
                              r->owner, node->text);
        snprintf(inside, sizeof inside, "%.*s", (int)(close - open - 1), open + 1);
        ss_text expression = {inside, node->where};
        SS_TRY(ss_evaluate(r->context, r->scope, &expression, &value));
        if (!(fabs(value) < 1e15 && value == floor(value)))
            return ss_fail_at(r->context, SS_INPUT, node->where,
                              "%s: {%s} in '%s' is %g, not a whole number", r->owner, inside,
                              node->text, value);
        ss_write(w, "%.*s%.0f", (int)(open - text), text, value + 0.0);
    }
    ss_write(w, "%s", text);
    return SS_OK;
}

/* The index that a token names, or -1. */
static int find_index(const repeat *r, const ss_text *text, const ss_token *token)
{
    for (int i = 0; token->kind == SS_TOKEN_NAME && i < r->n; i++)
        if (strlen(r->names[i]) == token->length &&
            memcmp(r->names[i], text->text + token->start, token->length) == 0)
            return i;
    return -1;
}

/* The text with its indices replaced by their values; what is no expression ends unchanged. */
static void fill_indices(const repeat *r, const char *words, ss_writer *w)
{
    ss_text text = {words, {0}};
    ss_token token;
    size_t done = 0, at = 0;
    while (ss_token_read(r->context, &text, at, &token) == SS_OK && token.kind != SS_TOKEN_END) {
        int index = find_index(r, &text, &token);
        at = token.start + token.length;
        if (index < 0)
            continue;
        ss_write(w, "%.*s%ld", (int)(token.start - done), words + done, r->at[index]);
        done = at;
    }
    ss_write(w, "%s", words + done);
}

static ss_status keep(const repeat *r, ss_writer *w, ss_status status, const char **text)
{
    char *made;
    ss_status end = ss_writer_finish(w, &made);
    SS_TRY(end);
    if (status == SS_OK)
        status = ss_arena_copy_string(r->arena, made, text);
    ss_release(r->context, made);
    return status;
}

static ss_status fill(const repeat *r, const ss_tree *node, const char *from, bool expression,
                      const char **to)
{
    ss_writer braces, indices;
    ss_writer_init(&braces, r->context);
    SS_TRY(keep(r, &braces, fill_braces(r, node, from, &braces), to));
    if (!expression)
        return SS_OK;
    ss_writer_init(&indices, r->context);
    fill_indices(r, *to, &indices);
    return keep(r, &indices, SS_OK, to);
}

/* Whether a text may change from copy to copy. */
static bool changes(const repeat *r, const char *text)
{
    for (int i = 0; i < r->n; i++)
        if (strstr(text, r->names[i]))
            return true;
    return strchr(text, '{') != NULL;
}

static ss_status copy_text(const repeat *r, ss_tree *node, ss_tree **copy)
{
    *copy = node;
    if (!changes(r, node->spelled.text))
        return SS_OK;
    SS_TRY(ss_tree_new(r->arena, SS_TREE_TEXT, node->where, copy));
    (*copy)->quoted = node->quoted;
    (*copy)->spelled.where = node->spelled.where;
    SS_TRY(fill(r, node, node->text, false, &(*copy)->text));
    return fill(r, node, node->spelled.text, true, &(*copy)->spelled.text);
}

static ss_status copy_node(const repeat *r, ss_tree *node, ss_tree **copy)
{
    if (node->kind == SS_TREE_TEXT)
        return copy_text(r, node, copy);
    SS_TRY(ss_tree_new(r->arena, node->kind, node->where, copy));
    for (size_t i = 0; i < node->count; i++) {
        ss_tree *part;
        SS_TRY(copy_node(r, node->kind == SS_TREE_LIST ? node->items[i] : node->entries[i].value,
                         &part));
        if (node->kind == SS_TREE_LIST)
            SS_TRY(ss_tree_append(r->arena, *copy, part));
        else
            SS_TRY(
                ss_tree_put(r->arena, *copy, node->entries[i].key, node->entries[i].where, part));
    }
    return SS_OK;
}

/* ---- Copies ---- */

static ss_status make_copy(const repeat *r, ss_tree_entry *made)
{
    char name[160];
    size_t used = (size_t)snprintf(name, sizeof name, "%.100s", r->entry->key);
    for (int i = 0; i < r->n; i++) {
        used += (size_t)snprintf(name + used, sizeof name - used, "_%ld", r->at[i]);
        SS_TRY(ss_scope_define(r->scope, r->names[i], (double)r->at[i]));
    }
    made->where = r->entry->where;
    SS_TRY(ss_arena_copy_string(r->arena, name, &made->key));
    SS_TRY(ss_tree_new(r->arena, SS_TREE_MAP, r->entry->value->where, &made->value));
    for (size_t i = 0; i < r->entry->value->count; i++) {
        const ss_tree_entry *given = &r->entry->value->entries[i];
        ss_tree *value;
        if (strcmp(given->key, "repeat") == 0)
            continue;
        SS_TRY(copy_node(r, given->value, &value));
        SS_TRY(ss_tree_put(r->arena, made->value, given->key, given->where, value));
    }
    return SS_OK;
}

/* The next values of the indices, the last one fastest; false after the last. */
static bool advance(repeat *r)
{
    for (int i = r->n - 1; i >= 0; i--) {
        if (++r->at[i] < r->counts[i])
            return true;
        r->at[i] = 0;
    }
    return false;
}

static ss_status visit_copies(repeat *r, ss_repeat_fn visit, void *user)
{
    for (int i = 0; i < r->n; i++)
        if (r->counts[i] == 0)
            return SS_OK;
    ss_status status;
    do {
        ss_arena arena;
        ss_tree_entry made = {0};
        ss_arena_init(&arena, r->context);
        r->arena = &arena;
        status = make_copy(r, &made);
        if (status == SS_OK)
            status = visit(user, &made);
        ss_arena_release(&arena);
        r->arena = NULL;
    } while (status == SS_OK && advance(r));
    return status;
}

ss_status ss_repeat_visit(ss_context *context, const ss_scope *scope, const char *thing,
                          const ss_tree_entry *entry, ss_repeat_fn visit, void *user)
{
    const ss_tree_entry *key = ss_tree_find(entry->value, "repeat");
    if (!key)
        return visit(user, entry);
    repeat r = {.context = context, .entry = entry};
    snprintf(r.owner, sizeof r.owner, "%s '%.100s'", thing, entry->key);
    SS_TRY(ss_scope_create(context, &r.scope));
    ss_status status = copy_scope(scope, r.scope);
    if (status == SS_OK)
        status = read_indices(&r, key->value);
    if (status == SS_OK)
        status = visit_copies(&r, visit, user);
    ss_scope_destroy(r.scope);
    return status;
}

/* ---- All of a section ---- */

typedef struct collector {
    ss_arena *arena;
    ss_tree *all;
} collector;

static ss_status keep_tree(ss_arena *arena, const ss_tree *node, ss_tree **kept)
{
    if (node->kind == SS_TREE_TEXT) {
        SS_TRY(ss_tree_new_text(arena, node->text, node->where, kept));
        (*kept)->quoted = node->quoted;
        (*kept)->spelled.where = node->spelled.where;
        return ss_arena_copy_string(arena, node->spelled.text, &(*kept)->spelled.text);
    }
    SS_TRY(ss_tree_new(arena, node->kind, node->where, kept));
    for (size_t i = 0; i < node->count; i++) {
        ss_tree *part;
        if (node->kind == SS_TREE_LIST) {
            SS_TRY(keep_tree(arena, node->items[i], &part));
            SS_TRY(ss_tree_append(arena, *kept, part));
            continue;
        }
        SS_TRY(keep_tree(arena, node->entries[i].value, &part));
        SS_TRY(ss_tree_put(arena, *kept, node->entries[i].key, node->entries[i].where, part));
    }
    return SS_OK;
}

static ss_status collect(void *user, const ss_tree_entry *entry)
{
    collector *c = user;
    ss_tree *kept;
    const char *key;
    SS_TRY(keep_tree(c->arena, entry->value, &kept));
    SS_TRY(ss_arena_copy_string(c->arena, entry->key, &key));
    return ss_tree_put(c->arena, c->all, key, entry->where, kept);
}

ss_status ss_repeat_write_out(ss_arena *arena, const ss_scope *scope, const char *thing,
                              const ss_tree *map, ss_tree **all)
{
    collector c = {.arena = arena};
    SS_TRY(ss_tree_new(arena, SS_TREE_MAP, map->where, all));
    c.all = *all;
    for (size_t i = 0; i < map->count; i++)
        SS_TRY(ss_repeat_visit(arena->context, scope, thing, &map->entries[i], collect, &c));
    return SS_OK;
}
