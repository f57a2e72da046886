/* display.c: writes what is shown of a motion as JSON. */
#include "scene/display.h"

#include "scene/json.h"

#include <math.h>

static void write_texts(ss_json *json, const char *key, int count, const char *const *texts)
{
    ss_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        ss_json_text(json, NULL, texts[i]);
    ss_json_close(json, ']');
}

static void write_flag(ss_json *json, const char *key, bool value)
{
    ss_json_raw(json, key, value ? "true" : "false");
}

static void write_shape(ss_json *json, const ss_drawn *shape)
{
    ss_json_open(json, NULL, '{');
    ss_json_text(json, "name", shape->name);
    ss_json_text(json, "kind", shape->kind);
    ss_json_open(json, "properties", '[');
    for (int i = 0; i < shape->n_properties; i++) {
        const ss_drawn_property *p = &shape->properties[i];
        ss_json_open(json, NULL, '{');
        ss_json_text(json, "key", p->key);
        write_flag(json, "expression", p->expression);
        ss_json_number(json, "columns", p->columns);
        write_texts(json, "items", p->rows * p->columns, p->items);
        ss_json_close(json, '}');
    }
    ss_json_close(json, ']');
    ss_json_close(json, '}');
}

static void write_plot(ss_json *json, const ss_plot *plot)
{
    ss_json_open(json, NULL, '{');
    ss_json_text(json, "name", plot->name);
    ss_json_text(json, "title", plot->title);
    ss_json_text(json, "xLabel", plot->x_label);
    ss_json_text(json, "yLabel", plot->y_label);
    ss_json_text(json, "x", plot->x);
    write_texts(json, "y", plot->n_y, plot->y);
    write_flag(json, "modes", plot->modes);
    ss_json_close(json, '}');
}

/* [law, 1 when it becomes a constraint, the how-manieth time] */
static void write_event(ss_json *json, const char *key, const ss_expect_event *event)
{
    ss_json_open(json, key, '[');
    ss_json_number(json, NULL, event->law);
    ss_json_number(json, NULL, event->constraint);
    ss_json_number(json, NULL, event->number);
    ss_json_close(json, ']');
}

/* When it is measured, or over which switches. */
static void write_measure(ss_json *json, const ss_expect *expect)
{
    static const char *const over[] = {"moment", "least", "largest"};
    if (expect->value.text)
        ss_json_text(json, "value", expect->value.text);
    ss_json_text(json, "over", over[expect->over]);
    if (isfinite(expect->at))
        ss_json_number(json, "at", expect->at);
    if (expect->event.law >= 0)
        write_event(json, "event", &expect->event);
    if (expect->since.law >= 0)
        write_event(json, "since", &expect->since);
    ss_json_open(json, "order", '[');
    for (int i = 0; i < expect->n_order; i++)
        write_event(json, NULL, &expect->order[i]);
    ss_json_close(json, ']');
}

static void write_expectation(ss_json *json, const ss_expect *expect)
{
    ss_json_open(json, NULL, '{');
    ss_json_text(json, "name", expect->face.name);
    ss_json_text(json, "what", expect->face.what);
    ss_json_text(json, "source", expect->face.source);
    ss_json_number(json, "is", expect->face.is);
    if (isfinite(expect->face.within)) /* JSON knows no infinity */
        ss_json_number(json, "within", expect->face.within);
    write_measure(json, expect);
    ss_json_close(json, '}');
}

ss_status ss_display_write(const ss_scene *scene, char **text)
{
    ss_writer writer;
    ss_json json = {.writer = &writer};
    const ss_output *output = &scene->output;
    ss_writer_init(&writer, scene->context);
    ss_json_open(&json, NULL, '{');
    ss_json_text(&json, "description", scene->description);
    ss_json_open(&json, "drawing", '[');
    for (int i = 0; i < output->n_shapes; i++)
        write_shape(&json, &output->shapes[i]);
    ss_json_close(&json, ']');
    ss_json_open(&json, "plots", '[');
    for (int i = 0; i < output->n_plots; i++)
        write_plot(&json, &output->plots[i]);
    ss_json_close(&json, ']');
    ss_json_open(&json, "expectations", '[');
    for (int i = 0; i < output->n_expectations; i++)
        write_expectation(&json, &output->expectations[i]);
    ss_json_close(&json, ']');
    ss_json_close(&json, '}');
    return ss_writer_finish(&writer, text);
}
