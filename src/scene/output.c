/* output.c: the sections `record`, `plots`, `drawing` and `expect`. */
#include "scene/output.h"

#include "scene/bind.h"
#include "scene/drawing.h"
#include "scene/repeat.h"
#include "scene/sections.h"

#include <stickslip/record.h>

#include <stdio.h>

typedef struct record_options {
    int every;
    int contacts;
    int contacts_every;
} record_options;

static const ss_key record_keys[] = {
    {"every", SS_KEY_INT, offsetof(record_options, every), "1", 1, 1e9, NULL, "",
     "Steps between two recorded states; switches of mode and the last state are always recorded."},
    {"contacts", SS_KEY_CHOICE, offsetof(record_options, contacts), "all", 0, 0, "all|closed|none",
     "", "Which contacts of shapes the recorded states carry."},
    {"contacts_every", SS_KEY_INT, offsetof(record_options, contacts_every), "1", 1, 1e9, NULL, "",
     "Recorded states from one that carries its contacts to the next, for large scenes."},
    {NULL},
};

typedef struct plot_options {
    ss_text title, x_label, y_label, x;
    ss_texts y, exact;
    bool modes;
} plot_options;

static const ss_key plot_keys[] = {
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

const ss_key *ss_output_record_keys(void)
{
    return record_keys;
}

const ss_key *ss_output_plot_keys(void)
{
    return plot_keys;
}

static const char *text_or_empty(const ss_text *text)
{
    return text->text ? text->text : "";
}

static ss_status check_columns(const ss_model *model, const char *owner,
                               const plot_options *options)
{
    if (options->y.columns != 1)
        return ss_fail_at(ss_model_context(model), SS_INPUT, options->y.items[0].where,
                          "%s: 'y' wants one expression or a list of them, not lists in a list",
                          owner);
    int exact = options->exact.rows * options->exact.columns;
    if (exact > 0 && exact != options->y.rows)
        return ss_fail_at(ss_model_context(model), SS_INPUT, options->exact.items[0].where,
                          "%s: 'exact' has %d of the %d closed forms that 'y' wants", owner, exact,
                          options->y.rows);
    for (int i = 0; i < exact; i++)
        SS_TRY(ss_record_check_expression(model, &options->exact.items[i]));
    SS_TRY(ss_record_check_expression(model, &options->x));
    for (int i = 0; i < options->y.rows; i++)
        SS_TRY(ss_record_check_expression(model, &options->y.items[i]));
    return SS_OK;
}

static ss_status read_plot(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                           ss_plot *plot)
{
    char owner[128];
    snprintf(owner, sizeof owner, "plot '%s'", entry->key);
    plot_options options = {0};
    SS_TRY(ss_scene_bind(arena, entry, model, owner, plot_keys, &options));
    SS_TRY(check_columns(model, owner, &options));
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

/* The map of a section, or NULL when it says nothing. */
static const ss_tree *section_map(const ss_tree *root, const char *name)
{
    const ss_tree_entry *entry = ss_tree_find(root, name);
    return entry && !ss_tree_is_null(entry->value) ? entry->value : NULL;
}

static ss_status read_record(ss_arena *arena, const ss_tree *root, const ss_model *model,
                             ss_output *output)
{
    record_options options = {.every = 1, .contacts_every = 1};
    if (section_map(root, "record"))
        SS_TRY(ss_scene_bind(arena, ss_tree_find(root, "record"), model, "record", record_keys,
                             &options));
    output->every = options.every;
    output->contacts = (ss_record_contacts)options.contacts;
    output->contacts_every = options.contacts_every;
    return SS_OK;
}

static ss_status read_plots(ss_arena *arena, const ss_tree *map, const ss_model *model,
                            ss_output *output)
{
    SS_TRY(SS_ARENA_NEW(arena, map->count, &output->plots));
    for (size_t i = 0; i < map->count; i++)
        SS_TRY(read_plot(arena, &map->entries[i], model, &output->plots[i]));
    output->n_plots = (int)map->count;
    return SS_OK;
}

static ss_status read_drawing(ss_arena *arena, const ss_tree *map, const ss_model *model,
                              ss_output *output)
{
    SS_TRY(SS_ARENA_NEW(arena, map->count, &output->shapes));
    for (size_t i = 0; i < map->count; i++)
        SS_TRY(ss_drawing_read_shape(arena, &map->entries[i], model, &output->shapes[i]));
    output->n_shapes = (int)map->count;
    return SS_OK;
}

static ss_status read_expectations(ss_arena *arena, const ss_tree *map, const ss_model *model,
                                   ss_output *output)
{
    SS_TRY(SS_ARENA_NEW(arena, map->count, &output->expectations));
    for (size_t i = 0; i < map->count; i++)
        SS_TRY(ss_expect_read(arena, &map->entries[i], model, &output->expectations[i]));
    output->n_expectations = (int)map->count;
    return SS_OK;
}

typedef ss_status (*read_fn)(ss_arena *arena, const ss_tree *map, const ss_model *model,
                             ss_output *output);

static ss_status read_objects(ss_arena *arena, const ss_tree *root, const char *name,
                              const ss_model *model, read_fn read, ss_output *output)
{
    const ss_tree *map = section_map(root, name);
    ss_tree *all;
    if (!map)
        return SS_OK;
    SS_TRY(
        ss_repeat_write_out(arena, ss_model_scope(model), ss_section_find(name)->thing, map, &all));
    return read(arena, all, model, output);
}

ss_status ss_output_read(ss_arena *arena, const ss_tree *root, const ss_model *model,
                         ss_output *output)
{
    *output = (ss_output){0};
    SS_TRY(read_record(arena, root, model, output));
    SS_TRY(read_objects(arena, root, "plots", model, read_plots, output));
    SS_TRY(read_objects(arena, root, "drawing", model, read_drawing, output));
    return read_objects(arena, root, "expect", model, read_expectations, output);
}
