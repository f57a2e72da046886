/* expect.c: reading expectations; expect_measure.c compares them with a record. */
#include "scene/expect.h"

#include "scene/bind.h"
#include "scene/lookup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expect_options {
    ss_text value, event, since, source;
    ss_texts order;
    double at, is, within;
    int over;
} expect_options;

static const ss_key keys[] = {
    {"value", SS_KEY_EXPRESSION, offsetof(expect_options, value), "", 0, 0, NULL, "",
     "What is measured: an expression of columns of the record; t for a time."},
    {"at", SS_KEY_REAL, offsetof(expect_options, at), "inf", -INFINITY, INFINITY, NULL, "s",
     "When it is measured; at the end unless given."},
    {"event", SS_KEY_TEXT, offsetof(expect_options, event), "", 0, 0, NULL, "",
     "It is measured at a switch instead: `beak.gap closed 2`, the second time that beak.gap "
     "closes."},
    {"since", SS_KEY_TEXT, offsetof(expect_options, since), "", 0, 0, NULL, "",
     "Another switch, at which the value is taken off."},
    {"over", SS_KEY_CHOICE, offsetof(expect_options, over), "moment", 0, 0, "moment|least|largest",
     "", "One moment, or the least or largest value of the whole run."},
    {"order", SS_KEY_TEXTS, offsetof(expect_options, order), "", 0, 0, NULL, "",
     "Instead of a value: the switches in their order, as `beak.gap closed`, again and again from "
     "the "
     "first that fits; measured is how many do not follow it."},
    {"is", SS_KEY_REAL, offsetof(expect_options, is), "0", 0, 0, NULL, "", "The known value."},
    {"within", SS_KEY_REAL, offsetof(expect_options, within), "0", 0, INFINITY, NULL, "",
     "How far from it the measured value may be."},
    {"source", SS_KEY_TEXT, offsetof(expect_options, source), "", 0, 0, NULL, "",
     "Where the known value comes from."},
    {NULL},
};

const ss_key *ss_expect_keys(void)
{
    return keys;
}

/* One expectation being read. */
typedef struct reader {
    ss_arena *arena;
    ss_context *context;
    const ss_model *model;
    char owner[128];
} reader;

/* "beak.gap closed 2"; the number is 1 when it is left out. */
static ss_status read_event(const reader *r, const ss_text *text, ss_expect_event *event)
{
    char law[256] = "", word[64] = "", number[16] = "", more[2] = "";
    int parts = sscanf(text->text, "%255s %63s %15s %1s", law, word, number, more);
    char *end = number;
    long n = parts == 3 ? strtol(number, &end, 10) : 1;
    if (parts < 2 || parts > 3 || *end || n < 1 || n > 1000000000)
        return ss_fail_at(r->context, SS_INPUT, text->where,
                          "%s: '%s' is no switch; it would be 'beak.gap closed 2'", r->owner,
                          text->text);
    SS_TRY(ss_lookup_law(r->model, law, text->where, r->owner, &event->law));
    ss_law_info info = ss_model_law(r->model, event->law);
    event->constraint = strcmp(word, info.words[0]) == 0;
    event->number = (int)n;
    if (event->constraint || strcmp(word, info.words[1]) == 0)
        return SS_OK;
    return ss_fail_at(r->context, SS_INPUT, text->where,
                      "%s: law '%s' can become %s or %s, but not '%s'", r->owner, law,
                      info.words[0], info.words[1], word);
}

static ss_status read_order(const reader *r, const ss_texts *texts, ss_expect *expect)
{
    ss_expect_event *order;
    SS_TRY(SS_ARENA_NEW(r->arena, texts->rows, &order));
    for (int i = 0; i < texts->rows; i++)
        SS_TRY(read_event(r, &texts->items[i], &order[i]));
    expect->order = order;
    expect->n_order = texts->rows;
    return SS_OK;
}

static ss_status check_sense(const reader *r, const ss_tree_entry *entry, const expect_options *o)
{
    bool moment = o->event.text || o->since.text || ss_tree_find(entry->value, "at");
    if (!o->value.text == !o->order.rows)
        return ss_fail_at(r->context, SS_INPUT, entry->where,
                          "%s: give either a 'value' or an 'order' of switches", r->owner);
    if (moment && (o->order.rows || o->over))
        return ss_fail_at(
            r->context, SS_INPUT, entry->where,
            "%s: 'at', 'event' and 'since' say when one value is measured; they do not go "
            "with 'order' or 'over'",
            r->owner);
    if (o->event.text && ss_tree_find(entry->value, "at"))
        return ss_fail_at(r->context, SS_INPUT, entry->where,
                          "%s: give either 'at' or 'event', not both", r->owner);
    return o->value.text ? ss_record_check_expression(r->model, &o->value) : SS_OK;
}

/* In words, what is measured. */
static ss_status describe(const reader *r, const expect_options *o, const char **what)
{
    static const char *const over[] = {"", "least ", "largest "};
    char when[160] = "", text[1024];
    if (o->event.text)
        snprintf(when, sizeof when, " at %s", o->event.text);
    else if (isfinite(o->at))
        snprintf(when, sizeof when, " at %g s", o->at);
    else if (!o->over)
        snprintf(when, sizeof when, " at the end");
    if (o->value.text)
        snprintf(text, sizeof text, "%s%s%s%s%s", over[o->over], o->value.text, when,
                 o->since.text ? " since " : "", o->since.text ? o->since.text : "");
    else
        snprintf(text, sizeof text, "switches out of order");
    return ss_arena_copy_string(r->arena, text, what);
}

ss_status ss_expect_read(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                         ss_expect *expect)
{
    reader r = {.arena = arena, .context = arena->context, .model = model};
    expect_options o = {0};
    snprintf(r.owner, sizeof r.owner, "expectation '%s'", entry->key);
    SS_TRY(ss_scene_bind(arena, entry, model, r.owner, keys, &o));
    SS_TRY(check_sense(&r, entry, &o));
    *expect = (ss_expect){
        .face = {.source = o.source.text ? o.source.text : "", .is = o.is, .within = o.within},
        .value = o.value,
        .at = o.at,
        .over = o.over,
        .event = {.law = -1},
        .since = {.law = -1},
    };
    if (o.event.text)
        SS_TRY(read_event(&r, &o.event, &expect->event));
    if (o.since.text)
        SS_TRY(read_event(&r, &o.since, &expect->since));
    if (o.order.rows)
        SS_TRY(read_order(&r, &o.order, expect));
    SS_TRY(describe(&r, &o, &expect->face.what));
    return ss_arena_copy_string(arena, entry->key, &expect->face.name);
}
