/* output.c: the sections `record`, `plots` and `expect`, and what a record says of expectations. */
#include "expression/quantity.h"
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Record and plots ---- */

typedef struct record_options {
    int every;
    int contacts;
    int contacts_every;
    double flush;
} record_options;

const ss_key ss_record_keys[] = {
    {"every", SS_KEY_INT, offsetof(record_options, every), "1", 1, 1e9, NULL, "",
     "Steps between two recorded states; switches of mode and the last state are always recorded."},
    {"contacts", SS_KEY_CHOICE, offsetof(record_options, contacts), "all", 0, 0, "all|closed|none",
     "", "Which contacts of shapes the recorded states carry."},
    {"flush", SS_KEY_REAL, offsetof(record_options, flush), "10", DBL_MIN, 1e9, NULL, "s",
     "Longest time by the clock from one commit of the record to the disk to the next: what a run "
     "loses when it is "
     "killed."},
    {"contacts_every", SS_KEY_INT, offsetof(record_options, contacts_every), "1", 1, 1e9, NULL, "",
     "Recorded states from one that carries its contacts to the next, for large scenes.",
     "contacts!=none"},
    {NULL},
};

typedef struct plot_options {
    ss_text title, x_label, y_label, x;
    ss_texts y, exact;
    bool modes;
} plot_options;

const ss_key ss_plot_keys[] = {
    {"y", SS_KEY_EXPRESSIONS, offsetof(plot_options, y), NULL, 0, 0, NULL, "",
     "What is drawn: an expression of columns of the record, or a list of them."},
    {"x", SS_KEY_EXPRESSION, offsetof(plot_options, x), "t", 0, 0, NULL, "",
     "What it is drawn over; the time unless given."},
    {"exact", SS_KEY_EXPRESSIONS, offsetof(plot_options, exact), "", 0, 0, NULL, "",
     "Closed forms of y, as many as there are: what `convergence --reference scene` compares "
     "with."},
    {"title", SS_KEY_TEXT, offsetof(plot_options, title), "", 0, 0, NULL, "",
     "Text above the plot."},
    {"x_label", SS_KEY_TEXT, offsetof(plot_options, x_label), "", 0, 0, NULL, "",
     "Text along the x axis."},
    {"y_label", SS_KEY_TEXT, offsetof(plot_options, y_label), "", 0, 0, NULL, "",
     "Text along the y axis."},
    {"modes", SS_KEY_BOOL, offsetof(plot_options, modes), "false", 0, 0, NULL, "",
     "Draw the mode of every law as a bar under the curves."},
    {NULL},
};

static const char *text_or_empty(const ss_text *text)
{
    return text->text ? text->text : "";
}

/* ---- Names ---- */

ss_status ss_output_check(ss_context *context, const ss_output_names *names, const ss_text *text)
{
    ss_signal signal;
    SS_TRY(ss_signal_compile(context, names->layout, names->columns, text, &signal));
    ss_signal_release(&signal);
    return SS_OK;
}

ss_status ss_output_law(ss_context *context, const ss_output_names *names, const ss_text *name,
                        const char *owner, int *index)
{
    const ss_layout *layout = names->layout;
    for (*index = 0; *index < layout->n_laws; ++*index)
        if (strcmp(layout->laws[*index].name, name->text) == 0)
            return SS_OK;
    const char **all;
    SS_TRY(SS_NEW(context, layout->n_laws, &all));
    for (int i = 0; i < layout->n_laws; i++)
        all[i] = layout->laws[i].name;
    ss_hint hint = ss_hint_of(name->text, (size_t)layout->n_laws, all);
    ss_release(context, all);
    return ss_fail_at(context, SS_UNKNOWN_NAME, name->where, "%s: there is no law '%s'%s", owner,
                      name->text, hint.near);
}

/* ---- Plots ---- */

static ss_status check_columns(ss_context *context, const ss_output_names *names, const char *owner,
                               const plot_options *options)
{
    if (options->y.columns != 1)
        return ss_fail_at(context, SS_INPUT, options->y.items[0].where,
                          "%s: 'y' wants one expression or a list of them, not lists in a list",
                          owner);
    int exact = options->exact.rows * options->exact.columns;
    if (exact > 0 && exact != options->y.rows)
        return ss_fail_at(context, SS_INPUT, options->exact.items[0].where,
                          "%s: 'exact' has %d of the %d closed forms that 'y' wants", owner, exact,
                          options->y.rows);
    for (int i = 0; i < exact; i++)
        SS_TRY(ss_output_check(context, names, &options->exact.items[i]));
    SS_TRY(ss_output_check(context, names, &options->x));
    for (int i = 0; i < options->y.rows; i++)
        SS_TRY(ss_output_check(context, names, &options->y.items[i]));
    return SS_OK;
}

static ss_status read_plot(ss_arena *arena, const ss_tree_entry *entry,
                           const ss_output_names *names, void *item)
{
    ss_plot *plot = item;
    char owner[128];
    snprintf(owner, sizeof owner, "plot '%s'", entry->key);
    plot_options options = {0};
    SS_TRY(ss_scene_bind(arena, entry, names->scope, owner, ss_plot_keys, &options));
    SS_TRY(check_columns(arena->context, names, owner, &options));
    const char **y, **exact;
    bool known = options.exact.rows > 0;
    SS_TRY(SS_ARENA_NEW(arena, options.y.rows, &y));
    SS_TRY(SS_ARENA_NEW(arena, options.y.rows, &exact));
    for (int i = 0; i < options.y.rows; i++) {
        y[i] = options.y.items[i].text;
        exact[i] = known ? options.exact.items[i].text : NULL;
    }
    *plot = (ss_plot){
        .title = text_or_empty(&options.title),
        .x_label = text_or_empty(&options.x_label),
        .y_label = text_or_empty(&options.y_label),
        .x = options.x.text,
        .n_y = options.y.rows,
        .y = y,
        .exact = known ? exact : NULL,
        .modes = options.modes,
    };
    return ss_arena_copy_string(arena, entry->key, &plot->name);
}

/* ---- Expectations ---- */

typedef struct expect_options {
    ss_text value, event, since, source;
    ss_texts order;
    double at, is, within;
    int over;
} expect_options;

const ss_key ss_expect_keys[] = {
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
    {"is", SS_KEY_REAL, offsetof(expect_options, is), "0", 0, 0, NULL, SS_UNIT_ANY,
     "The known value."},
    {"within", SS_KEY_REAL, offsetof(expect_options, within), "0", 0, INFINITY, NULL, SS_UNIT_ANY,
     "How far from it the measured value may be."},
    {"source", SS_KEY_TEXT, offsetof(expect_options, source), "", 0, 0, NULL, "",
     "Where the known value comes from."},
    {NULL},
};

/* One expectation being read. */
typedef struct reader {
    ss_arena *arena;
    ss_context *context;
    const ss_output_names *names;
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
    SS_TRY(
        ss_output_law(r->context, r->names, &(ss_text){law, text->where}, r->owner, &event->law));
    ss_law_info info = r->names->layout->laws[event->law];
    event->constraint = strcmp(word, info.words[0]) == 0;
    event->number = (int)n;
    if (event->constraint || strcmp(word, info.words[1]) == 0)
        return SS_OK;
    return ss_fail_at(r->context, SS_INPUT, text->where,
                      "%s: law '%s' can become %s or %s, but not '%s'", r->owner, law,
                      info.words[0], info.words[1], word);
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
    return o->value.text ? ss_output_check(r->context, r->names, &o->value) : SS_OK;
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

static ss_status read_expectation(ss_arena *arena, const ss_tree_entry *entry,
                                  const ss_output_names *names, void *item)
{
    ss_expect *expect = item;
    ss_expect_event *order;
    reader r = {.arena = arena, .context = arena->context, .names = names};
    expect_options o = {0};
    snprintf(r.owner, sizeof r.owner, "expectation '%s'", entry->key);
    SS_TRY(ss_scene_bind(arena, entry, names->scope, r.owner, ss_expect_keys, &o));
    SS_TRY(check_sense(&r, entry, &o));
    *expect = (ss_expect){
        .face = {.source = text_or_empty(&o.source), .is = o.is, .within = o.within},
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
    SS_TRY(SS_ARENA_NEW(arena, o.order.rows, &order));
    for (int i = 0; i < o.order.rows; i++)
        SS_TRY(read_event(&r, &o.order.items[i], &order[i]));
    expect->order = order;
    expect->n_order = o.order.rows;
    SS_TRY(describe(&r, &o, &expect->face.what));
    return ss_arena_copy_string(arena, entry->key, &expect->face.name);
}

/* ---- All of it ---- */

typedef ss_status (*read_fn)(ss_arena *arena, const ss_tree_entry *entry,
                             const ss_output_names *names, void *item);

/* The objects of a section, read one by one. */
typedef struct list {
    ss_arena *arena;
    const ss_output_names *names;
    read_fn read;
    size_t size; /* of an item */
    int count, capacity;
    char *items;
} list;

static ss_status add_item(void *user, const ss_tree_entry *entry)
{
    list *l = user;
    if (l->count == l->capacity) {
        int capacity = l->capacity ? 2 * l->capacity : 8;
        void *grown;
        SS_TRY(ss_arena_allocate(l->arena, (size_t)capacity, l->size, &grown));
        if (l->count)
            memcpy(grown, l->items, (size_t)l->count * l->size);
        l->items = grown;
        l->capacity = capacity;
    }
    return l->read(l->arena, entry, l->names, l->items + (size_t)l->count++ * l->size);
}

ss_status ss_output_read(ss_arena *arena, const ss_tree *root, const ss_output_names *names,
                         ss_output *output)
{
    list plots = {arena, names, read_plot, sizeof *output->plots, 0, 0, NULL};
    list shapes = {arena, names, ss_drawing_read_shape, sizeof *output->shapes, 0, 0, NULL};
    list expected = {arena, names, read_expectation, sizeof *output->expectations, 0, 0, NULL};
    record_options record = {.every = 1, .contacts_every = 1, .flush = 10};
    *output = (ss_output){0};
    if (ss_tree_value(root, "record"))
        SS_TRY(ss_scene_bind(arena, ss_tree_find(root, "record"), names->scope, "record",
                             ss_record_keys, &record));
    output->every = record.every;
    output->contacts = (ss_record_contacts)record.contacts;
    output->contacts_every = record.contacts_every;
    output->flush = record.flush;
    SS_TRY(ss_repeat_visit(arena->context, root, "plots", names->scope, add_item, &plots));
    SS_TRY(ss_repeat_visit(arena->context, root, "drawing", names->scope, add_item, &shapes));
    SS_TRY(ss_repeat_visit(arena->context, root, "expect", names->scope, add_item, &expected));
    output->n_plots = plots.count;
    output->plots = (void *)plots.items;
    output->n_shapes = shapes.count;
    output->shapes = (void *)shapes.items;
    output->n_expectations = expected.count;
    output->expectations = (void *)expected.items;
    return SS_OK;
}

/* ---- What a record says of an expectation ---- */

/* A value over time. */
typedef struct curve {
    size_t count;
    double *t, *value;
} curve;

static double value_at(const curve *c, double t)
{
    size_t low = 0, high = c->count - 1;
    if (isnan(t) || t <= c->t[0])
        return isnan(t) ? t : c->value[0];
    if (t >= c->t[high])
        return c->value[high];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(c->t[middle] <= t ? &low : &high) = middle;
    }
    double part = (t - c->t[low]) / (c->t[high] - c->t[low]);
    return c->value[low] + part * (c->value[high] - c->value[low]);
}

static bool fits(const ss_expect_event *event, const ss_record_event *switched)
{
    return switched->index == event->law && switched->constraint == event->constraint;
}

/* NaN: it never happened. */
static double time_of(const ss_record *record, const ss_expect_event *event)
{
    size_t count = ss_record_event_count(record);
    int seen = 0;
    for (size_t i = 0; i < count; i++) {
        ss_record_event switched = ss_record_event_at(record, i);
        if (fits(event, &switched) && ++seen == event->number)
            return switched.t;
    }
    return (double)NAN;
}

static double measure_curve(const ss_expect *expect, const ss_record *record, const curve *c)
{
    if (c->count == 0)
        return (double)NAN;
    double value = c->value[0];
    for (size_t i = 1; expect->over && i < c->count; i++)
        value = expect->over == 2 ? fmax(value, c->value[i]) : fmin(value, c->value[i]);
    if (expect->over)
        return value;
    double t = expect->event.law >= 0 ? time_of(record, &expect->event) : expect->at;
    value = value_at(c, t);
    if (expect->since.law >= 0)
        value -= value_at(c, time_of(record, &expect->since));
    return value;
}

/* Switches that do not follow the order; NaN when not even one whole round of it is there. */
static double measure_order(const ss_expect *expect, const ss_record *record)
{
    size_t count = ss_record_event_count(record), first = 0, order = (size_t)expect->n_order;
    size_t wrong = 0;
    for (; first < count; first++) {
        ss_record_event switched = ss_record_event_at(record, first);
        if (fits(&expect->order[0], &switched))
            break;
    }
    if (count - first < order)
        return (double)NAN;
    for (size_t i = first; i < count; i++) {
        ss_record_event switched = ss_record_event_at(record, i);
        wrong += !fits(&expect->order[(i - first) % order], &switched);
    }
    return (double)wrong;
}

ss_status ss_scene_measure(const ss_scene *scene, int index, ss_record *record, double *value)
{
    const ss_expect *expect = &scene->output.expectations[index];
    *value = (double)NAN;
    if (!expect->value.text) {
        *value = measure_order(expect, record);
        return SS_OK;
    }
    size_t count = ss_record_length(record);
    double *memory;
    SS_TRY(SS_NEW(scene->context, 2 * count + 1, &memory));
    curve c = {count, memory, memory + count};
    ss_text time = {"t", {0}};
    ss_status status = ss_record_evaluate(record, &time, c.t);
    if (status == SS_OK)
        status = ss_record_evaluate(record, &expect->value, c.value);
    if (status == SS_OK)
        *value = measure_curve(expect, record, &c);
    ss_release(scene->context, memory);
    return status;
}
