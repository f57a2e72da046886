/* parameters.c: the section `parameters`. */
#include "scene/parameters.h"

#include "base/map.h"
#include "expression/token.h"

#include <math.h>
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
        char name[SS_LONGEST_TOKEN + 1] = "";
        offset = token.start + token.length;
        if (token.kind != SS_TOKEN_NAME)
            continue;
        memcpy(name, text->text + token.start, token.length);
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
    void *visited;
    SS_TRY(ss_allocate(r->context, r->map->count, sizeof(bool), &visited));
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

static ss_status check_order(const reader *r, int entry)
{
    const ss_text *text = &r->map->entries[entry].value->spelled;
    mention m;
    for (size_t at = 0; next_mention(r, text, at, &m); at = m.next)
        if (m.entry >= entry)
            return fail_order(r, entry, &m);
    return SS_OK;
}

static ss_status define(const reader *r, int entry, ss_model *model)
{
    const ss_tree_entry *e = &r->map->entries[entry];
    ss_text name = {e->key, e->where};
    if (strcmp(e->key, "t") == 0)
        return ss_fail_at(r->context, SS_INPUT, e->where,
                          "'t' is the time and cannot be a parameter");
    SS_TRY(ss_name_check(r->context, &name));
    SS_TRY(check_order(r, entry));
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

static ss_status define_all(reader *r, ss_model *model)
{
    for (size_t i = 0; i < r->map->count; i++)
        SS_TRY(ss_map_set(&r->index, r->map->entries[i].key, (int)i));
    for (size_t i = 0; i < r->map->count; i++)
        SS_TRY(define(r, (int)i, model));
    return SS_OK;
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
    ss_status status = define_all(&r, model);
    ss_map_release(&r.index);
    return status;
}
