/* drawing.c: the section `drawing`, how the motion looks; what is shown of it, as JSON. */
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct shape_options {
    int shape, color, fill;
    ss_text on, x, y, z, angle, radius, length, cone, text, law;
    ss_texts rotation, size, points, force, normal;
    int turns;
    double width;
    bool hatch, fit;
} shape_options;

#define KINDS  "line|circle|box|polygon|spring|trail|text|arrow|sphere|cylinder"
#define COLORS "ink|grey|blue|orange|green|red|violet|teal|brown|paper"

const ss_key ss_drawing_keys[] = {
    {"shape", SS_KEY_CHOICE, offsetof(shape_options, shape), NULL, 0, 0, KINDS, "",
     "What is drawn: one of the shapes."},
    {"on", SS_KEY_TEXT, offsetof(shape_options, on), "", 0, 0, NULL, "",
     "System whose coordinates x, y, z, phi or e0 … e3 carry the shape; its place is then in that "
     "system's frame."},
    {"x", SS_KEY_EXPRESSION, offsetof(shape_options, x), "", 0, 0, NULL, "m",
     "Place; an expression of columns of the record, as all numbers of a shape. 0 when not given."},
    {"y", SS_KEY_EXPRESSION, offsetof(shape_options, y), "", 0, 0, NULL, "m", "Place, upwards."},
    {"z", SS_KEY_EXPRESSION, offsetof(shape_options, z), "", 0, 0, NULL, "m",
     "Place, towards the viewer."},
    {"angle", SS_KEY_EXPRESSION, offsetof(shape_options, angle), "", 0, 0, NULL, "rad",
     "Turn about the z axis through its place."},
    {"rotation", SS_KEY_EXPRESSIONS, offsetof(shape_options, rotation), "", 0, 0, NULL, "",
     "Turn in space: the four Euler parameters e0, e1, e2, e3."},
    {"points", SS_KEY_EXPRESSIONS, offsetof(shape_options, points), "", 0, 0, NULL, "m",
     "line, polygon, spring: rows [x, y] or [x, y, z] in the frame of the shape."},
    {"radius", SS_KEY_EXPRESSION, offsetof(shape_options, radius), "", 0, 0, NULL, "m",
     "circle, sphere, cylinder; spring: half its width."},
    {"size", SS_KEY_EXPRESSIONS, offsetof(shape_options, size), "", 0, 0, NULL, "m",
     "box: [width, height] or, in space, [width, height, depth]; text: height of its letters."},
    {"length", SS_KEY_EXPRESSION, offsetof(shape_options, length), "", 0, 0, NULL, "m",
     "cylinder: its length along its own z axis."},
    {"turns", SS_KEY_INT, offsetof(shape_options, turns), "8", 1, 100, NULL, "",
     "spring: how many coils it has."},
    {"text", SS_KEY_TEXT, offsetof(shape_options, text), "", 0, 0, NULL, "", "text: what it says."},
    {"force", SS_KEY_EXPRESSIONS, offsetof(shape_options, force), "", 0, 0, NULL, "N",
     "arrow: its components; the viewer chooses the scale."},
    {"law", SS_KEY_TEXT, offsetof(shape_options, law), "", 0, 0, NULL, "",
     "Law whose mode colours the shape, for example beak.slip."},
    {"cone", SS_KEY_EXPRESSION, offsetof(shape_options, cone), "", 0, 0, NULL, "",
     "arrow: friction coefficient of the cone drawn about `normal`."},
    {"normal", SS_KEY_EXPRESSIONS, offsetof(shape_options, normal), "", 0, 0, NULL, "",
     "arrow: axis of the friction cone."},
    {"color", SS_KEY_CHOICE, offsetof(shape_options, color), "ink", 0, 0, COLORS, "",
     "One of the viewer's colours, which suit light and dark pages."},
    {"fill", SS_KEY_CHOICE, offsetof(shape_options, fill), "soft", 0, 0, "soft|solid|none", "",
     "circle, box, polygon: how the inside is filled."},
    {"width", SS_KEY_REAL, offsetof(shape_options, width), "2", DBL_MIN, 100, NULL, "pixels",
     "Of lines and outlines."},
    {"hatch", SS_KEY_BOOL, offsetof(shape_options, hatch), "false", 0, 0, NULL, "",
     "line: hatched on its right-hand side, as the ground is."},
    {"fit", SS_KEY_BOOL, offsetof(shape_options, fit), "true", 0, 0, NULL, "",
     "Whether the first view takes care to show the shape."},
    {NULL},
};

/* ---- Which keys belong to which shape ---- */

static const struct {
    const char *needs, *takes; /* " key key" */
} rules[] = {
    {" points", " width hatch"},        /* line */
    {" radius", " width fill"},         /* circle */
    {" size", " width fill"},           /* box */
    {" points", " width fill"},         /* polygon */
    {" points radius", " width turns"}, /* spring */
    {" x y", " width"},                 /* trail */
    {" text size", ""},                 /* text */
    {" force", " width cone normal"},   /* arrow */
    {" radius", ""},                    /* sphere */
    {" radius length", ""},             /* cylinder */
};
static const char of_all[] = " shape on x y z angle rotation law color fit";

static bool lists(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strchr(at, ' ')); at++)
        if (strncmp(at + 1, word, length) == 0 && (at[length + 1] == ' ' || !at[length + 1]))
            return true;
    return false;
}

/* The word of a choice by its number, in `text`. */
static void word_of(const char *choices, int number, size_t capacity, char *text)
{
    for (; number > 0; number--)
        choices = strchr(choices, '|') + 1;
    snprintf(text, capacity, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* One shape being read. */
typedef struct reader {
    ss_arena *arena;
    ss_context *context;
    const ss_tree_entry *entry;
    const ss_output_names *names;
    char owner[128], kind[32];
    shape_options options;
    int n_properties;
    ss_drawn_property *properties;
} reader;

static ss_status check_keys(const reader *r)
{
    const char *needs = rules[r->options.shape].needs, *takes = rules[r->options.shape].takes;
    const ss_tree *map = r->entry->value;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->entries[i].key;
        if (!lists(of_all, key) && !lists(needs, key) && !lists(takes, key))
            return ss_fail_at(r->context, SS_INPUT, map->entries[i].where,
                              "%s: '%s' is no key of shape %s (keys:%s%s%s)", r->owner, key,
                              r->kind, needs, takes, of_all);
    }
    for (const ss_key *key = ss_drawing_keys; key->name; key++)
        if (lists(needs, key->name) && !ss_tree_find(map, key->name))
            return ss_fail_at(r->context, SS_INPUT, r->entry->where, "%s: '%s' is missing: %s",
                              r->owner, key->name, key->doc);
    return SS_OK;
}

/* ---- How many numbers a key wants ---- */

static ss_status check_count(const reader *r, const char *key, const ss_texts *texts, int least,
                             int most)
{
    if (texts->rows == 0 || (texts->columns == 1 && texts->rows >= least && texts->rows <= most))
        return SS_OK;
    char many[32];
    if (least == most)
        snprintf(many, sizeof many, "%d", least);
    else
        snprintf(many, sizeof many, "%d or %d", least, most);
    return ss_fail_at(r->context, SS_INPUT, texts->items[0].where,
                      "%s: '%s' of shape %s wants a list of %s numbers", r->owner, key, r->kind,
                      many);
}

static ss_status check_points(const reader *r)
{
    const ss_texts *points = &r->options.points;
    bool spring = strcmp(r->kind, "spring") == 0;
    int least = strcmp(r->kind, "polygon") == 0 ? 3 : 2;
    if (points->rows == 0)
        return SS_OK;
    if (points->columns != 2 && points->columns != 3)
        return ss_fail_at(r->context, SS_INPUT, points->items[0].where,
                          "%s: 'points' wants rows of two or three numbers: [[x, y], [x, y]]",
                          r->owner);
    if (points->rows < least || (spring && points->rows > 2))
        return ss_fail_at(r->context, SS_INPUT, points->items[0].where, "%s: a %s has %s%d points",
                          r->owner, r->kind, spring ? "" : "at least ", least);
    return SS_OK;
}

static ss_status check_counts(const reader *r)
{
    const shape_options *o = &r->options;
    bool text = strcmp(r->kind, "text") == 0;
    SS_TRY(check_points(r));
    SS_TRY(check_count(r, "size", &o->size, text ? 1 : 2, text ? 1 : 3));
    SS_TRY(check_count(r, "rotation", &o->rotation, 4, 4));
    SS_TRY(check_count(r, "force", &o->force, 2, 3));
    SS_TRY(check_count(r, "normal", &o->normal, 2, 3));
    if (!o->cone.text == !o->normal.rows)
        return SS_OK;
    return ss_fail_at(r->context, SS_INPUT, r->entry->where,
                      "%s: 'cone' and 'normal' are given together or not at all", r->owner);
}

/* ---- Names ---- */

/* The system of a coordinate, "toy" of "toy.y". */
static int system_length(const char *coordinate)
{
    const char *dot = strrchr(coordinate, '.');
    return dot ? (int)(dot - coordinate) : 0;
}

static ss_status refuse_system(const reader *r, const ss_text *on)
{
    const ss_layout *layout = r->names->layout;
    const char **systems;
    SS_TRY(SS_ARENA_NEW(r->arena, layout->n_q, &systems));
    for (int i = 0; i < layout->n_q; i++) {
        size_t length = (size_t)system_length(layout->q[i]);
        SS_TRY(ss_arena_copy_text(r->arena, layout->q[i], length, &systems[i]));
        if (strcmp(systems[i], on->text) == 0)
            return ss_fail_at(r->context, SS_INPUT, on->where,
                              "%s: system '%s' has no coordinate x; give the place by expressions "
                              "of its coordinates instead of 'on'",
                              r->owner, on->text);
    }
    return ss_fail_at(r->context, SS_UNKNOWN_NAME, on->where, "%s: there is no system '%s'%s",
                      r->owner, on->text, ss_hint_of(on->text, (size_t)layout->n_q, systems).near);
}

static ss_status check_names(const reader *r)
{
    const ss_text *on = &r->options.on, *law = &r->options.law;
    const ss_layout *layout = r->names->layout;
    int index, q = 0;
    char first[160];
    snprintf(first, sizeof first, "%s.x", on->text ? on->text : "");
    while (on->text && q < layout->n_q && strcmp(layout->q[q], first) != 0)
        q++;
    if (on->text && q == layout->n_q)
        return refuse_system(r, on);
    return law->text ? ss_output_law(r->context, r->names, law, r->owner, &index) : SS_OK;
}

/* ---- What was given, as properties ---- */

/* A plain number needs no check, which costs something where there are many shapes. */
static ss_status check_expression(const reader *r, const ss_text *text)
{
    size_t whole = strspn(text->text, "0123456789");
    size_t point = text->text[whole] == '.';
    size_t part = point ? strspn(text->text + whole + 1, "0123456789") : 0;
    if (whole > 0 && !text->text[whole + point + part])
        return SS_OK;
    return ss_output_check(r->context, r->names, text);
}

static ss_status add(reader *r, const char *key, bool expression, int rows, int columns,
                     const ss_text *texts)
{
    const char **items;
    SS_TRY(SS_ARENA_NEW(r->arena, rows * columns, &items));
    for (int i = 0; i < rows * columns; i++) {
        if (expression)
            SS_TRY(check_expression(r, &texts[i]));
        items[i] = texts[i].text;
    }
    r->properties[r->n_properties++] = (ss_drawn_property){key, expression, rows, columns, items};
    return SS_OK;
}

/* Numbers and choices as the words they would be written with. */
static ss_status add_word(reader *r, const ss_key *key, const void *field)
{
    char word[64];
    if (key->kind == SS_KEY_CHOICE)
        word_of(key->choices, *(const int *)field, sizeof word, word);
    else if (key->kind == SS_KEY_INT)
        snprintf(word, sizeof word, "%d", *(const int *)field);
    else if (key->kind == SS_KEY_REAL)
        snprintf(word, sizeof word, "%.9g", *(const double *)field);
    else
        snprintf(word, sizeof word, "%s", *(const bool *)field ? "true" : "false");
    ss_text text = {0};
    SS_TRY(ss_arena_copy_string(r->arena, word, &text.text));
    return add(r, key->name, false, 1, 1, &text);
}

static ss_status add_key(reader *r, const ss_key *key)
{
    const void *field = (const char *)&r->options + key->offset;
    const ss_texts *texts = field;
    if (key->kind == SS_KEY_EXPRESSIONS)
        return add(r, key->name, true, texts->rows, texts->columns, texts->items);
    if (key->kind == SS_KEY_TEXT || key->kind == SS_KEY_EXPRESSION)
        return add(r, key->name, key->kind == SS_KEY_EXPRESSION, 1, 1, field);
    return add_word(r, key, field);
}

ss_status ss_drawing_read_shape(ss_arena *arena, const ss_tree_entry *entry,
                                const ss_output_names *names, void *shape)
{
    reader r = {.arena = arena, .context = arena->context, .entry = entry, .names = names};
    ss_drawn *drawn = shape;
    snprintf(r.owner, sizeof r.owner, "figure '%s'", entry->key);
    SS_TRY(ss_scene_bind(arena, entry, names->scope, r.owner, ss_drawing_keys, &r.options));
    word_of(KINDS, r.options.shape, sizeof r.kind, r.kind);
    SS_TRY(check_keys(&r));
    SS_TRY(check_counts(&r));
    SS_TRY(check_names(&r));
    SS_TRY(SS_ARENA_NEW(arena, sizeof ss_drawing_keys / sizeof *ss_drawing_keys, &r.properties));
    for (const ss_key *key = ss_drawing_keys + 1; key->name;
         key++) /* the first is the kind itself */
        if (ss_tree_find(entry->value, key->name))
            SS_TRY(add_key(&r, key));
    *drawn = (ss_drawn){.n_properties = r.n_properties, .properties = r.properties};
    SS_TRY(ss_arena_copy_string(arena, entry->key, &drawn->name));
    return ss_arena_copy_string(arena, r.kind, &drawn->kind);
}

/* ---- What is shown of a motion ---- */

static void write_texts(ss_writer *w, const char *key, int count, const char *const *texts)
{
    ss_json_open(w, key, '[');
    for (int i = 0; i < count; i++)
        ss_json_text(w, NULL, texts[i]);
    ss_json_close(w, "]");
}

static void write_shape(ss_writer *w, const ss_drawn *shape)
{
    ss_json_open(w, NULL, '{');
    ss_json_text(w, "name", shape->name);
    ss_json_text(w, "kind", shape->kind);
    ss_json_open(w, "properties", '[');
    for (int i = 0; i < shape->n_properties; i++) {
        const ss_drawn_property *p = &shape->properties[i];
        ss_json_open(w, NULL, '{');
        ss_json_text(w, "key", p->key);
        ss_json_raw(w, "expression", p->expression ? "true" : "false");
        ss_json_number(w, "columns", p->columns);
        write_texts(w, "items", p->rows * p->columns, p->items);
        ss_json_close(w, "}");
    }
    ss_json_close(w, "]}");
}

static void write_plot(ss_writer *w, const ss_plot *plot)
{
    ss_json_open(w, NULL, '{');
    ss_json_text(w, "name", plot->name);
    ss_json_text(w, "title", plot->title);
    ss_json_text(w, "xLabel", plot->x_label);
    ss_json_text(w, "yLabel", plot->y_label);
    ss_json_text(w, "x", plot->x);
    write_texts(w, "y", plot->n_y, plot->y);
    ss_json_raw(w, "modes", plot->modes ? "true" : "false");
    ss_json_close(w, "}");
}

/* [law, 1 when it becomes a constraint, the how-manieth time] */
static void write_event(ss_writer *w, const char *key, const ss_expect_event *event)
{
    ss_json_open(w, key, '[');
    ss_json_number(w, NULL, event->law);
    ss_json_number(w, NULL, event->constraint);
    ss_json_number(w, NULL, event->number);
    ss_json_close(w, "]");
}

static void write_expectation(ss_writer *w, const ss_expect *expect)
{
    static const char *const over[] = {"moment", "least", "largest"};
    ss_json_open(w, NULL, '{');
    ss_json_text(w, "name", expect->face.name);
    ss_json_text(w, "what", expect->face.what);
    ss_json_text(w, "source", expect->face.source);
    ss_json_number(w, "is", expect->face.is);
    if (isfinite(expect->face.within)) /* JSON knows no infinity */
        ss_json_number(w, "within", expect->face.within);
    if (expect->value.text)
        ss_json_text(w, "value", expect->value.text);
    ss_json_text(w, "over", over[expect->over]);
    if (isfinite(expect->at))
        ss_json_number(w, "at", expect->at);
    if (expect->event.law >= 0)
        write_event(w, "event", &expect->event);
    if (expect->since.law >= 0)
        write_event(w, "since", &expect->since);
    ss_json_open(w, "order", '[');
    for (int i = 0; i < expect->n_order; i++)
        write_event(w, NULL, &expect->order[i]);
    ss_json_close(w, "]}");
}

ss_status ss_display_write(const ss_scene *scene, char **text)
{
    ss_writer w = {.context = scene->context};
    const ss_output *output = &scene->output;
    ss_json_open(&w, NULL, '{');
    ss_json_text(&w, "description", scene->description);
    ss_json_open(&w, "drawing", '[');
    for (int i = 0; i < output->n_shapes; i++)
        write_shape(&w, &output->shapes[i]);
    ss_json_close(&w, "]");
    ss_json_open(&w, "plots", '[');
    for (int i = 0; i < output->n_plots; i++)
        write_plot(&w, &output->plots[i]);
    ss_json_close(&w, "]");
    ss_json_open(&w, "expectations", '[');
    for (int i = 0; i < output->n_expectations; i++)
        write_expectation(&w, &output->expectations[i]);
    ss_json_close(&w, "]}");
    return ss_writer_finish(&w, text);
}
