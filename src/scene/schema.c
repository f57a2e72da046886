/* schema.c: the JSON Schema of scenes, from the sections, the registered types and their keys. */
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ASCII letters and _ and everything beyond ASCII, digits not first: what sections.c takes as a
 * name. */
static const char name_pattern[] =
    "^[^\\u0000-@\\[-\\^`{-\\u007f][^\\u0000-/:-@\\[-\\^`{-\\u007f]*$";

/* A number or the text of an expression. */
static const char number[] = "[\"number\", \"string\"]";

/* Opens objects within each other: "then properties type". */
static void open_objects(ss_writer *w, const char *keys)
{
    while (*keys) {
        char key[64];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        ss_json_open(w, key, '{');
        keys += length + (keys[length] == ' ');
    }
}

/* {"$ref": "#/$defs/…"}; the object of a key, or a member of the one that is open. */
static void refer(ss_writer *w, const char *key, const char *definition)
{
    char reference[192];
    snprintf(reference, sizeof reference, "#/$defs/%s", definition);
    if (key)
        ss_json_open(w, key, '{');
    ss_json_text(w, "$ref", reference);
    if (key)
        ss_json_close(w, "}");
}

/* ---- The value of one key ---- */

static void choice_schema(ss_writer *w, const ss_key *key)
{
    ss_json_open(w, "enum", '[');
    for (const char *word = key->choices; *word;) {
        char text[64];
        size_t length = strcspn(word, "|");
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        ss_json_text(w, NULL, text);
        word += length + (word[length] == '|');
    }
    ss_json_close(w, "]");
}

/* A value, or (depth 1) a list of them as well, or (depth 2) rows of them. */
static void list_schema(ss_writer *w, const ss_key *key, const char *type, int depth)
{
    char types[64];
    snprintf(types, sizeof types, "%.*s, \"array\"]", (int)(strlen(type) - 1), type);
    ss_json_raw(w, "type", depth > 0 ? types : type);
    bool limited = key->min != 0 || key->max != 0;
    if (limited && key->min == DBL_MIN)
        ss_json_number(w, "exclusiveMinimum", 0);
    else if (limited && isfinite(key->min))
        ss_json_number(w, "minimum", key->min);
    if (limited && isfinite(key->max))
        ss_json_number(w, "maximum", key->max);
    if (depth == 0)
        return;
    ss_json_raw(w, "minItems", "1");
    ss_json_open(w, "items", '{');
    list_schema(w, key, type, depth - 1);
    ss_json_close(w, "}");
}

static void list_of_sets(ss_writer *w)
{
    ss_json_open(w, "anyOf", '[');
    ss_json_open(w, NULL, '{');
    refer(w, NULL, "named_set");
    ss_json_close(w, "}");
    ss_json_open(w, NULL, '{');
    ss_json_text(w, "type", "array");
    ss_json_raw(w, "minItems", "1");
    refer(w, "items", "named_set");
    ss_json_close(w, "}]");
}

static void add_keys(ss_writer *w, const ss_key *keys);
static void add_required(ss_writer *w, const ss_key *keys);

/* Things by name, each with keys of its own. */
static void things_schema(ss_writer *w, const ss_key *key)
{
    ss_json_text(w, "type", "object");
    ss_json_raw(w, "minProperties", "1");
    refer(w, "propertyNames", "name");
    ss_json_open(w, "additionalProperties", '{');
    ss_json_text(w, "type", "object");
    ss_json_open(w, "properties", '{');
    add_keys(w, key->keys);
    ss_json_close(w, "}");
    ss_json_open(w, "required", '[');
    add_required(w, key->keys);
    ss_json_close(w, "]");
    ss_json_raw(w, "additionalProperties", "false");
    ss_json_close(w, "}");
}

static void value_schema(ss_writer *w, const ss_key *key)
{
    static const struct {
        const char *type;
        int depth;
    } lists[] = {
        [SS_KEY_REAL] = {number, 0},        [SS_KEY_INT] = {"[\"integer\", \"string\"]", 0},
        [SS_KEY_EXPRESSION] = {number, 0},  [SS_KEY_REALS] = {number, 1},
        [SS_KEY_MATRIX] = {number, 2},      [SS_KEY_TEXTS] = {"[\"string\"]", 1},
        [SS_KEY_EXPRESSIONS] = {number, 2},
    };
    if (key->kind == SS_KEY_BOOL)
        ss_json_text(w, "type", "boolean");
    else if (key->kind == SS_KEY_OBJECTS)
        things_schema(w, key);
    else if (key->kind == SS_KEY_CHOICE)
        choice_schema(w, key);
    else if (key->kind == SS_KEY_SET)
        refer(w, NULL, "named_set");
    else if (key->kind == SS_KEY_SETS)
        list_of_sets(w);
    else if (key->kind == SS_KEY_TEXT)
        ss_json_raw(w, "type", number);
    else
        list_schema(w, key, lists[key->kind].type, lists[key->kind].depth);
}

static bool is_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return *end == '\0' && isfinite(value) && strspn(text, "+-.0123456789eE") == strlen(text) &&
           text[0] != '.' && text[0] != '+';
}

static void add_keys(ss_writer *w, const ss_key *keys)
{
    for (const ss_key *key = keys; key && key->name; key++) {
        char doc[512];
        const char *given = key->default_value ? key->default_value : "";
        bool unit = key->unit && key->unit[0];
        bool raw = key->kind == SS_KEY_BOOL || (key->kind != SS_KEY_TEXT && is_number(given));
        snprintf(doc, sizeof doc, "%s%s%s", key->doc ? key->doc : "", unit ? " Unit: " : "",
                 unit ? key->unit : "");
        ss_json_open(w, key->name, '{');
        ss_json_text(w, "description", doc);
        value_schema(w, key);
        if (given[0])
            (raw ? ss_json_raw : ss_json_text)(w, "default", given);
        ss_json_close(w, "}");
    }
}

/* ---- What a thing of a type may say ---- */

/* {"enum": [names of all types]} */
static void type_names(ss_writer *w, ss_type_kind kind)
{
    const ss_type *type;
    ss_json_open(w, "type", '{');
    ss_json_open(w, "enum", '[');
    for (size_t i = 0; (type = ss_type_at(w->context, kind, i)); i++)
        ss_json_text(w, NULL, type->name);
    ss_json_close(w, "]}");
}

static void add_required(ss_writer *w, const ss_key *keys)
{
    for (const ss_key *key = keys; key && key->name; key++)
        if (!key->default_value)
            ss_json_text(w, NULL, key->name);
}

static void repeat_property(ss_writer *w)
{
    ss_json_open(w, "repeat", '{');
    ss_json_text(w, "description", SS_REPEAT_DOC);
    ss_json_text(w, "type", "object");
    ss_json_raw(w, "minProperties", "1");
    ss_json_raw(w, "maxProperties", "3");
    refer(w, "propertyNames", "name");
    ss_json_raw(w, "additionalProperties", "{\"type\": [\"number\", \"string\"]}");
    ss_json_close(w, "}");
}

/* Whether a section holds things of this kind by name. */
static bool is_object(ss_type_kind kind)
{
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        if (ss_sections[i].shape == SS_SECTION_OBJECTS && ss_sections[i].type == (int)kind)
            return true;
    return false;
}

static void type_definition(ss_writer *w, ss_type_kind kind, const ss_type *type)
{
    char name[160];
    snprintf(name, sizeof name, "%s_%s", ss_type_kind_name(kind), type->name);
    ss_json_open(w, name, '{');
    ss_json_text(w, "description", type->doc);
    open_objects(w, "properties type");
    ss_json_text(w, "const", type->name);
    ss_json_close(w, "}");
    add_keys(w, type->keys);
    add_keys(w, ss_common_keys(kind));
    if (is_object(kind))
        repeat_property(w);
    if (kind == SS_TYPE_ELEMENT) {
        ss_json_open(w, "laws", '{');
        ss_json_text(w, "description", "The law that each group of rows obeys.");
        ss_json_text(w, "type", "object");
        refer(w, "additionalProperties", "law");
        ss_json_close(w, "}");
    }
    ss_json_close(w, "}");
    ss_json_open(w, "required", '[');
    add_required(w, type->keys);
    add_required(w, ss_common_keys(kind));
    if (kind == SS_TYPE_ELEMENT && !((const ss_element_ops *)(const void *)type)->held)
        ss_json_text(w, NULL, "laws");
    ss_json_close(w, "]");
    ss_json_raw(w, "additionalProperties", "false");
    ss_json_close(w, "}");
}

/* If the type is this one, then the thing looks like this. A type left out is the default. */
static void type_condition(ss_writer *w, ss_type_kind kind, const ss_type *type,
                           const char *default_value)
{
    char name[160];
    snprintf(name, sizeof name, "%s_%s", ss_type_kind_name(kind), type->name);
    ss_json_open(w, NULL, '{');
    open_objects(w, "if properties type");
    ss_json_text(w, "const", type->name);
    ss_json_close(w, "}}");
    if (!default_value || strcmp(default_value, type->name) != 0)
        ss_json_raw(w, "required", "[\"type\"]");
    ss_json_close(w, "}");
    refer(w, "then", name);
    ss_json_close(w, "}");
}

static void kind_definition(ss_writer *w, ss_type_kind kind, const char *default_value)
{
    const ss_type *type;
    ss_json_open(w, ss_type_kind_name(kind), '{');
    ss_json_text(w, "type", "object");
    ss_json_raw(w, "required", default_value ? "[]" : "[\"type\"]");
    open_objects(w, "properties type");
    ss_json_text(w, "type", "string");
    ss_json_close(w, "}}");
    ss_json_open(w, "allOf", '[');
    for (size_t i = 0; (type = ss_type_at(w->context, kind, i)); i++)
        type_condition(w, kind, type, default_value);
    ss_json_close(w, "]}");
    for (size_t i = 0; (type = ss_type_at(w->context, kind, i)); i++)
        type_definition(w, kind, type);
}

/* `record`, and each plot, shape and expectation. */
static void keys_definition(ss_writer *w, const ss_section *section)
{
    const ss_key *keys = section->keys;
    ss_json_open(w, section->thing, '{');
    ss_json_text(w, "type", "object");
    ss_json_open(w, "properties", '{');
    add_keys(w, keys);
    if (section->shape == SS_SECTION_OBJECTS)
        repeat_property(w);
    ss_json_close(w, "}");
    ss_json_open(w, "required", '[');
    add_required(w, keys);
    ss_json_close(w, "]");
    ss_json_raw(w, "additionalProperties", "false");
    ss_json_close(w, "}");
}

static void definitions(ss_writer *w)
{
    open_objects(w, "$defs name");
    ss_json_text(w, "type", "string");
    ss_json_text(w, "pattern", name_pattern);
    ss_json_close(w, "}");
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = &ss_sections[i];
        if (section->type >= 0)
            kind_definition(w, (ss_type_kind)section->type, section->default_value);
        else if (section->keys)
            keys_definition(w, section);
    }
    kind_definition(w, SS_TYPE_LAW, NULL);
    ss_json_open(w, "named_set", '{');
    ss_json_raw(w, "type", "[\"string\", \"object\"]");
    ss_json_raw(w, "if", "{\"type\": \"object\"}");
    refer(w, "then", "set");
    ss_json_close(w, "}");
    kind_definition(w, SS_TYPE_SET, NULL);
    ss_json_close(w, "}");
}

/* ---- Sections ---- */

static void section_schema(ss_writer *w, const ss_section *section)
{
    ss_json_open(w, section->name, '{');
    ss_json_text(w, "description", section->doc);
    switch (section->shape) {
    case SS_SECTION_FORMAT: {
        char format[32];
        snprintf(format, sizeof format, "[%d, null]", SS_SCENE_FORMAT);
        ss_json_raw(w, "enum", format);
        break;
    }
    case SS_SECTION_TEXT:
        ss_json_raw(w, "type", "[\"string\", \"number\", \"null\"]");
        break;
    case SS_SECTION_PATHS:
        ss_json_raw(w, "type", "[\"string\", \"array\", \"null\"]");
        ss_json_raw(w, "items", "{\"type\": \"string\"}");
        break;
    case SS_SECTION_NUMBERS:
    case SS_SECTION_OBJECTS:
        ss_json_raw(w, "type", "[\"object\", \"null\"]");
        refer(w, "propertyNames", "name");
        if (section->shape == SS_SECTION_NUMBERS)
            ss_json_raw(w, "additionalProperties", "{\"type\": [\"number\", \"string\"]}");
        else
            refer(w, "additionalProperties", section->thing);
        break;
    case SS_SECTION_OPTIONS:
        ss_json_raw(w, "type", "[\"object\", \"null\"]");
        break;
    }
    ss_json_close(w, "}");
}

/* Types of the objects of a section are known ones. */
static void known_types(ss_writer *w, const ss_section *section)
{
    ss_json_open(w, section->name, '{');
    open_objects(w, "additionalProperties properties");
    type_names(w, (ss_type_kind)section->type);
    if (section->type == SS_TYPE_ELEMENT) {
        open_objects(w, "laws additionalProperties properties");
        type_names(w, SS_TYPE_LAW);
        ss_json_close(w, "}}}");
    }
    ss_json_close(w, "}}}");
}

/* A section of options, complete in this file. */
static void whole_options(ss_writer *w, const ss_section *section)
{
    ss_json_open(w, section->name, '{');
    ss_json_open(w, "if", '{');
    ss_json_text(w, "type", "object");
    ss_json_close(w, "}");
    ss_json_open(w, "then", '{');
    refer(w, NULL, section->thing);
    if (section->type >= 0) {
        ss_json_open(w, "properties", '{');
        type_names(w, (ss_type_kind)section->type);
        ss_json_close(w, "}");
    }
    ss_json_close(w, "}}");
}

/* A scene that includes nothing and loads no plugin says everything itself, with the types there
 * are. */
static void whole_scene(ss_writer *w)
{
    ss_json_raw(
        w, "if",
        "{\"not\": {\"anyOf\": [{\"required\": [\"include\"]}, {\"required\": [\"plugins\"]}]}}");
    ss_json_open(w, "then", '{');
    ss_json_raw(w, "required", "[\"systems\", \"simulation\"]");
    ss_json_open(w, "properties", '{');
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = &ss_sections[i];
        if (section->shape == SS_SECTION_OBJECTS && section->type >= 0)
            known_types(w, section);
        if (section->shape == SS_SECTION_OPTIONS)
            whole_options(w, section);
    }
    ss_json_close(w, "}}");
}

ss_status ss_scene_schema(ss_context *context, char **text)
{
    ss_writer w = {.context = context};
    ss_json_open(&w, NULL, '{');
    ss_json_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    ss_json_text(&w, "title", "stickslip scene");
    ss_json_text(&w, "type", "object");
    ss_json_open(&w, "properties", '{');
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        section_schema(&w, &ss_sections[i]);
    ss_json_close(&w, "}");
    ss_json_raw(&w, "additionalProperties", "false");
    whole_scene(&w);
    definitions(&w);
    ss_json_close(&w, "}");
    ss_write(&w, "\n");
    return ss_writer_finish(&w, text);
}
