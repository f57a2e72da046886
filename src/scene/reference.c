/* reference.c: a reference of scene files in Markdown, from the sections, the registered types
 * and their keys. */
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const kind_names[] = {
    [SS_KEY_REAL] = "number",
    [SS_KEY_INT] = "whole number",
    [SS_KEY_BOOL] = "true or false",
    [SS_KEY_CHOICE] = "one of",
    [SS_KEY_TEXT] = "text",
    [SS_KEY_EXPRESSION] = "expression",
    [SS_KEY_REALS] = "number or list",
    [SS_KEY_MATRIX] = "matrix",
    [SS_KEY_TEXTS] = "text or list",
    [SS_KEY_EXPRESSIONS] = "expression, list or matrix",
    [SS_KEY_SET] = "set",
    [SS_KEY_SETS] = "list of sets",
    [SS_KEY_OBJECTS] = "map of names",
};

/* In a table cell, '|' separates columns. */
static void write_cell(ss_writer *w, const char *text)
{
    for (; *text; text++)
        ss_write(w, *text == '|' ? "\\%c" : "%c", *text);
}

static void write_choices(ss_writer *w, const char *choices)
{
    for (const char *word = choices; *word;) {
        int length = (int)strcspn(word, "|");
        ss_write(w, "%s `%.*s`", word == choices ? "" : ",", length, word);
        word += length + (word[length] == '|');
    }
}

static void write_range(ss_writer *w, const ss_key *key)
{
    if (key->min == 0 && key->max == 0)
        return;
    if (key->min == DBL_MIN)
        ss_write(w, ", > 0");
    else if (isfinite(key->min) && !isfinite(key->max))
        ss_write(w, ", ≥ %g", key->min);
    if (isfinite(key->max) && isfinite(key->min) && key->min != DBL_MIN)
        ss_write(w, ", %g … %g", key->min, key->max);
    else if (isfinite(key->max))
        ss_write(w, ", ≤ %g", key->max);
}

static void write_key(ss_writer *w, const ss_key *key)
{
    ss_write(w, "| `%s` | %s", key->name, kind_names[key->kind]);
    if (key->kind == SS_KEY_CHOICE)
        write_choices(w, key->choices);
    write_range(w, key);
    ss_write(w, " | ");
    write_cell(w, key->unit ? key->unit : "");
    ss_write(w, " | ");
    bool shown = key->default_value && key->default_value[0];
    ss_write(w, "%s", !key->default_value ? "*required*" : shown ? "`" : "");
    write_cell(w, shown ? key->default_value : "");
    ss_write(w, shown ? "` | " : " | ");
    write_cell(w, key->doc ? key->doc : "");
    ss_write(w, " |\n");
}

static void write_keys(ss_writer *w, const ss_key *keys)
{
    if (!keys || !keys->name)
        return;
    ss_write(w, "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (const ss_key *key = keys; key->name; key++)
        write_key(w, key);
    for (const ss_key *key = keys; key->name; key++)
        if (key->kind == SS_KEY_OBJECTS) {
            ss_write(w, "\nKeys of each of `%s`:\n", key->name);
            write_keys(w, key->keys);
        }
}

static void write_types(ss_writer *w, ss_context *context, ss_type_kind kind,
                        const char *default_value)
{
    const ss_type *type;
    const ss_key *shared = ss_common_keys(kind);
    if (shared) {
        ss_write(w, "\nKeys of every %s:\n", ss_type_kind_name(kind));
        write_keys(w, shared);
    }
    for (size_t i = 0; (type = ss_type_at(context, kind, i)); i++) {
        bool by_default = default_value && strcmp(default_value, type->name) == 0;
        ss_write(w, "\n### %s `%s`%s\n\n%s\n", ss_type_kind_name(kind), type->name,
                 by_default ? " (the default)" : "", type->doc);
        char abilities[512] = "";
        if (kind == SS_TYPE_SCHEME)
            ss_scheme_describe(context, type->name, sizeof abilities, abilities);
        if (abilities[0])
            ss_write(w, "\n%s\n", abilities);
        write_keys(w, type->keys);
    }
}

static void write_section(ss_writer *w, ss_context *context, const ss_section *section)
{
    ss_write(w, "\n## %s\n\n%s\n", section->name, section->doc);
    if (section->shape == SS_SECTION_OBJECTS)
        ss_write(w, "\n`repeat`, a key of every %s: %s [More](scene.md#many-of-a-kind)\n",
                 section->thing, SS_REPEAT_DOC);
    write_keys(w, section->keys);
    if (section->type >= 0)
        write_types(w, context, (ss_type_kind)section->type, section->default_value);
    if (section->type == SS_TYPE_ELEMENT) {
        ss_write(w, "\n## laws\n\nWhat the rows of an element obey: the map `laws` of the element, "
                    "one entry for each "
                    "group of rows.\n");
        write_types(w, context, SS_TYPE_LAW, NULL);
        ss_write(w,
                 "\n## sets\n\nSets of forces, as values of keys: the name of a set, such as "
                 "`half_line`, with its dimension behind where there is a choice, `disk 2`; or a "
                 "map with its type and keys, such as `{type: interval, lower: -2, upper: 1}`.\n");
        write_types(w, context, SS_TYPE_SET, NULL);
    }
}

ss_status ss_scene_reference(ss_context *context, char **markdown)
{
    ss_writer w = {.context = context};
    ss_write(
        &w,
        "# Scene reference\n\nEvery section, type and key of a scene file. [scene.md](scene.md) "
        "explains the "
        "format. This file is made from the\ntables that stickslip itself reads scenes with.\n");
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        write_section(&w, context, &ss_sections[i]);
    return ss_writer_finish(&w, markdown);
}
