/* parameters.c: the section `parameters`, and objects that stand for many by their key `repeat`. */
#include "base/map.h"
#include "expression/token.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    ss_context *context;
    const ss_tree *map;
    ss_map index; /* names → entries */
} reader;

/* A parameter that an expression mentions. */
typedef struct mention {
    int entry;
    size_t offset; /* in the text */
    size_t next;   /* where to go on */
} mention;

/* The next mention of a parameter in a text at or after an offset; false when there is none, or
 * a word that the expression's own reader will complain about. */
static bool next_mention(const reader *r, const ss_text *text, size_t offset, mention *found)
{
    ss_token token;
    while (ss_token_read(r->context, text, offset, &token) == SS_OK && token.kind != SS_TOKEN_END) {
        char name[SS_LONGEST_TOKEN + 1];
        offset = token.start + token.length;
        if (token.kind != SS_TOKEN_NAME)
            continue;
        ss_token_copy(text, &token, name);
        *found = (mention){.offset = token.start, .next = offset};
        if (ss_map_find(&r->index, name, &found->entry))
            return true;
    }
    return false;
}

/* Whether the value of one parameter needs another, by itself or through those it uses. */
static bool needs(const reader *r, int entry, int other, bool *visited)
{
    const ss_text *text = &r->map->entries[entry].value->spelled;
    mention m;
    visited[entry] = true;
    for (size_t at = 0; next_mention(r, text, at, &m); at = m.next)
        if (m.entry == other || (!visited[m.entry] && needs(r, m.entry, other, visited)))
            return true;
    return false;
}

static ss_status fail_order(const reader *r, int entry, const mention *m)
{
    const ss_tree_entry *own = &r->map->entries[entry], *used = &r->map->entries[m->entry];
    if (m->entry == entry)
        return ss_text_fail(r->context, SS_INPUT, &own->value->spelled, m->offset,
                            "parameter '%s' uses itself", own->key);
    bool *visited;
    SS_TRY(SS_NEW(r->context, r->map->count, &visited));
    bool circle = needs(r, m->entry, entry, visited);
    ss_release(r->context, visited);
    if (circle)
        return ss_text_fail(r->context, SS_INPUT, &own->value->spelled, m->offset,
                            "parameters '%s' and '%s' need each other's value", own->key,
                            used->key);
    return ss_text_fail(
        r->context, SS_INPUT, &own->value->spelled, m->offset,
        "parameter '%s' uses '%s', which comes later (line %d); a parameter may use those "
        "above it",
        own->key, used->key, used->where.line);
}

static ss_status define(const reader *r, int entry, ss_model *model)
{
    const ss_tree_entry *e = &r->map->entries[entry];
    ss_text name = {e->key, e->where};
    if (strcmp(e->key, "t") == 0)
        return ss_fail_at(r->context, SS_INPUT, e->where,
                          "'t' is the time and cannot be a parameter");
    SS_TRY(ss_name_check(r->context, &name));
    mention m;
    for (size_t at = 0; next_mention(r, &e->value->spelled, at, &m); at = m.next)
        if (m.entry >= entry)
            return fail_order(r, entry, &m);
    double value;
    if (ss_scope_find(ss_model_scope(model), e->key, &value))
        return ss_fail_at(r->context, SS_INPUT, e->where, "there is a parameter '%s' already",
                          e->key);
    SS_TRY(ss_evaluate(r->context, ss_model_scope(model), &e->value->spelled, &value));
    if (!isfinite(value))
        return ss_fail_at(r->context, SS_INPUT, e->value->where,
                          "parameter '%s' is %s; a parameter is a finite number", e->key,
                          isnan(value) ? "not a number" : "infinite");
    return ss_model_define(model, e->key, value);
}

ss_status ss_parameters_define(const ss_tree *map, ss_model *model)
{
    enum { MOST = 10000 };
    reader r = {.context = ss_model_context(model), .map = map};
    if (!map || map->kind != SS_TREE_MAP)
        return SS_OK;
    if (map->count > MOST)
        return ss_fail_at(r.context, SS_INPUT, map->where, "more than %d parameters", MOST);
    ss_map_init(&r.index, r.context);
    ss_status status = SS_OK;
    for (size_t i = 0; status == SS_OK && i < map->count; i++)
        status = ss_map_set(&r.index, map->entries[i].key, (int)i);
    for (size_t i = 0; status == SS_OK && i < map->count; i++)
        status = define(&r, (int)i, model);
    ss_map_release(&r.index);
    return status;
}

/* ---- Repeated objects: what the key says ---- */

enum { MOST_COPIES = 10000000, INDICES = 3 };

typedef struct repeat {
    ss_context *context;
    const ss_tree_entry *entry;
    char owner[128]; /* "system 'node'" */
    int n;
    const char *names[INDICES];
    long counts[INDICES], at[INDICES];
    ss_scope *scope; /* parameters and indices */
    ss_arena *arena; /* of the copies */
} repeat;

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
    if (map->kind != SS_TREE_MAP || map->count == 0 || map->count > INDICES)
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

/* ---- Repeated objects: texts of a copy ---- */

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

/* The text with its indices replaced by their values; what is no expression ends unchanged. */
static void fill_indices(const repeat *r, const char *words, ss_writer *w)
{
    ss_text text = {words, {0}};
    ss_token token;
    size_t done = 0, at = 0;
    while (ss_token_read(r->context, &text, at, &token) == SS_OK && token.kind != SS_TOKEN_END) {
        char word[SS_LONGEST_TOKEN + 1] = "";
        at = token.start + token.length;
        if (token.kind == SS_TOKEN_NAME)
            ss_token_copy(&text, &token, word);
        for (int i = 0; i < r->n; i++) {
            if (strcmp(r->names[i], word) != 0)
                continue;
            ss_write(w, "%.*s%ld", (int)(token.start - done), words + done, r->at[i]);
            done = at;
        }
    }
    ss_write(w, "%s", words + done);
}

static ss_status keep(const repeat *r, ss_writer *w, ss_status status, const char **text)
{
    char *made;
    SS_TRY(ss_writer_finish(w, &made));
    if (status == SS_OK)
        status = ss_arena_copy_string(r->arena, made, text);
    ss_release(r->context, made);
    return status;
}

static ss_status fill(const repeat *r, const ss_tree *node, const char *from, bool expression,
                      const char **to)
{
    ss_writer braces = {.context = r->context}, indices = {.context = r->context};
    SS_TRY(keep(r, &braces, fill_braces(r, node, from, &braces), to));
    if (!expression)
        return SS_OK;
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
        bool list = node->kind == SS_TREE_LIST;
        SS_TRY(copy_node(r, list ? node->items[i] : node->entries[i].value, &part));
        if (list)
            SS_TRY(ss_tree_append(r->arena, *copy, part));
        else
            SS_TRY(
                ss_tree_put(r->arena, *copy,
                            &(ss_tree_entry){node->entries[i].key, node->entries[i].where, part}));
    }
    return SS_OK;
}

/* ---- Repeated objects: copies ---- */

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
        ss_tree_entry entry = r->entry->value->entries[i];
        if (strcmp(entry.key, "repeat") == 0)
            continue;
        SS_TRY(copy_node(r, entry.value, &entry.value));
        SS_TRY(ss_tree_put(r->arena, made->value, &entry));
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

static ss_status visit_entry(ss_context *context, const ss_section *section, const ss_scope *scope,
                             const ss_tree_entry *entry, ss_repeat_fn visit, void *user)
{
    const ss_tree_entry *key = ss_tree_find(entry->value, "repeat");
    if (!key)
        return visit(user, entry);
    repeat r = {.context = context, .entry = entry};
    snprintf(r.owner, sizeof r.owner, "%s '%.100s'", section->thing, entry->key);
    SS_TRY(ss_scope_create(r.context, &r.scope));
    ss_status status = SS_OK;
    for (size_t i = 0; status == SS_OK && i < ss_scope_count(scope); i++)
        status = ss_scope_define(r.scope, ss_scope_name(scope, i), ss_scope_value(scope, i));
    if (status == SS_OK)
        status = read_indices(&r, key->value);
    if (status == SS_OK)
        status = visit_copies(&r, visit, user);
    ss_scope_destroy(r.scope);
    return status;
}

ss_status ss_repeat_visit(ss_context *context, const ss_tree *root, const char *section,
                          const ss_scope *scope, ss_repeat_fn visit, void *user)
{
    const ss_tree *map = ss_tree_value(root, section);
    for (size_t i = 0; map && i < map->count; i++)
        SS_TRY(
            visit_entry(context, ss_section_find(section), scope, &map->entries[i], visit, user));
    return SS_OK;
}
