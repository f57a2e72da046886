/* page_scene.c: writes what a page takes from the scene: drawing, plots, expectations. */
#include "page/page_scene.h"

#include "commands/expectation.h"
#include "page/page_bodies.h"

#include <string.h>

static ss_status write_item(ss_cli_signals *signals, ss_cli_json *json, const char *key,
                            const ss_drawn_property *property, int item)
{
    if (property->expression)
        return ss_cli_page_number(signals, json, key, property->items[item]);
    ss_cli_json_text(json, key, property->items[item]);
    return SS_OK;
}

static ss_status write_matrix(ss_cli_signals *signals, ss_cli_json *json,
                              const ss_drawn_property *p)
{
    bool rows = p->columns > 1;
    ss_cli_json_open(json, p->key, '[');
    for (int i = 0; i < p->rows * p->columns; i++) {
        if (rows && i % p->columns == 0)
            ss_cli_json_open(json, NULL, '[');
        SS_TRY(write_item(signals, json, NULL, p, i));
        if (rows && i % p->columns == p->columns - 1)
            ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
    return SS_OK;
}

static ss_status write_property(ss_cli_signals *signals, ss_cli_json *json,
                                const ss_drawn_property *property)
{
    if (strcmp(property->key, "on") == 0)
        return ss_cli_page_carrier(signals, json, property->items[0]);
    bool list = property->rows * property->columns > 1 || strcmp(property->key, "size") == 0;
    return list ? write_matrix(signals, json, property)
                : write_item(signals, json, property->key, property, 0);
}

ss_status ss_cli_page_shapes(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json)
{
    ss_cli_json_open(json, "shapes", '[');
    for (int i = 0; i < ss_scene_drawn_count(scene); i++) {
        ss_drawn shape = ss_scene_drawn(scene, i);
        ss_cli_json_open(json, NULL, '{');
        ss_cli_json_text(json, "name", shape.name);
        ss_cli_json_text(json, "kind", shape.kind);
        for (int p = 0; p < shape.n_properties; p++)
            SS_TRY(write_property(signals, json, &shape.properties[p]));
        ss_cli_json_close(json, '}');
    }
    ss_cli_json_close(json, ']');
    return SS_OK;
}

static ss_status write_plot(const ss_plot *plot, ss_cli_signals *signals, ss_cli_json *json)
{
    size_t index;
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "name", plot->name);
    ss_cli_json_text(json, "title", plot->title);
    ss_cli_json_text(json, "xLabel", plot->x_label);
    ss_cli_json_text(json, "yLabel", plot->y_label);
    SS_TRY(ss_cli_signals_add(signals, plot->x, &index));
    ss_cli_json_number(json, "x", (double)index);
    ss_cli_json_open(json, "y", '[');
    for (int i = 0; i < plot->n_y; i++) {
        SS_TRY(ss_cli_signals_add(signals, plot->y[i], &index));
        ss_cli_json_number(json, NULL, (double)index);
    }
    ss_cli_json_close(json, ']');
    ss_cli_json_bool(json, "modes", plot->modes);
    ss_cli_json_close(json, '}');
    return SS_OK;
}

ss_status ss_cli_page_plots(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json)
{
    ss_cli_json_open(json, "plots", '[');
    for (int i = 0; i < ss_scene_plot_count(scene); i++) {
        ss_plot plot = ss_scene_plot(scene, i);
        SS_TRY(write_plot(&plot, signals, json));
    }
    ss_cli_json_close(json, ']');
    return SS_OK;
}

ss_status ss_cli_page_expectations(const ss_scene *scene, ss_record *record, ss_cli_json *json)
{
    ss_cli_json_open(json, "expectations", '[');
    for (int i = 0; i < ss_scene_expectation_count(scene); i++) {
        ss_cli_comparison comparison;
        SS_TRY(ss_cli_compare(scene, record, i, &comparison));
        ss_cli_write_comparison(&comparison, json);
    }
    ss_cli_json_close(json, ']');
    return SS_OK;
}
