/* schema.c: the JSON Schema of scenes, from the sections, the registered types and their keys. */
#include "scene/repeat.h"
#include "scene/schema_key.h"
#include "scene/sections.h"

#include <stickslip/scene.h>

#include <stdio.h>
#include <string.h>

/* ASCII letters and _ and everything beyond ASCII, digits not first: what ss_scene_check_name
 * takes. */
static const char name_pattern[] =
    "^[^\\u0000-@\\[-\\^`{-\\u007f][^\\u0000-/:-@\\[-\\^`{-\\u007f]*$";

typedef struct schema {
    ss_context *context;
    ss_json json;
} schema;

static void refer(ss_json *json, const char *key, const char *definition)
{
    char reference[192];
    snprintf(reference, sizeof reference, "#/$defs/%s", definition);
    ss_json_open(json, key, '{');
    ss_json_text(json, "$ref", reference);
    ss_json_close(json, '}');
}

/* {"enum": [names of all types]} */
static void type_names(schema *s, const char *key, ss_type_kind kind)
{
    const ss_type *type;
    ss_json_open(&s->json, key, '{');
    ss_json_open(&s->json, "enum", '[');
    for (size_t i = 0; (type = ss_type_at(s->context, kind, i)); i++)
        ss_json_text(&s->json, NULL, type->name);
    ss_json_close(&s->json, ']');
    ss_json_close(&s->json, '}');
}

/* ---- What a thing of a type may say ---- */

static void add_keys(schema *s, const ss_key *keys)
{
    for (const ss_key *key = keys; key && key->name; key++)
        ss_schema_key(&s->json, key);
}

static void add_required(schema *s, const ss_key *keys)
{
    for (const ss_key *key = keys; key && key->name; key++)
        if (!key->default_value)
            ss_json_text(&s->json, NULL, key->name);
}

static void laws_property(schema *s)
{
    ss_json_open(&s->json, "laws", '{');
    ss_json_text(&s->json, "description", "The law that each group of rows obeys.");
    ss_json_text(&s->json, "type", "object");
    refer(&s->json, "additionalProperties", "law");
    ss_json_close(&s->json, '}');
}

static void repeat_property(schema *s)
{
    ss_json_open(&s->json, "repeat", '{');
    ss_json_text(&s->json, "description", SS_REPEAT_DOC);
    ss_json_raw(&s->json, "type", "\"object\"");
    ss_json_raw(&s->json, "minProperties", "1");
    ss_json_raw(&s->json, "maxProperties", "3");
    refer(&s->json, "propertyNames", "name");
    ss_json_raw(&s->json, "additionalProperties", "{\"type\": [\"number\", \"string\"]}");
    ss_json_close(&s->json, '}');
}

/* Whether a section holds things of this kind by name. */
static bool is_object(ss_type_kind kind)
{
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        if (ss_section_at(i)->shape == SS_SECTION_OBJECTS && ss_section_at(i)->type == (int)kind)
            return true;
    return false;
}

static void type_definition(schema *s, ss_type_kind kind, const ss_type *type)
{
    char name[160];
    snprintf(name, sizeof name, "%s_%s", ss_type_kind_name(kind), type->name);
    ss_json_open(&s->json, name, '{');
    ss_json_text(&s->json, "description", type->doc);
    ss_json_open(&s->json, "properties", '{');
    ss_json_open(&s->json, "type", '{');
    ss_json_text(&s->json, "const", type->name);
    ss_json_close(&s->json, '}');
    add_keys(s, type->keys);
    add_keys(s, ss_common_keys(kind));
    if (is_object(kind))
        repeat_property(s);
    if (kind == SS_TYPE_ELEMENT)
        laws_property(s);
    ss_json_close(&s->json, '}');
    ss_json_open(&s->json, "required", '[');
    add_required(s, type->keys);
    add_required(s, ss_common_keys(kind));
    if (kind == SS_TYPE_ELEMENT && !((const ss_element_ops *)(const void *)type)->held)
        ss_json_text(&s->json, NULL, "laws");
    ss_json_close(&s->json, ']');
    ss_json_raw(&s->json, "additionalProperties", "false");
    ss_json_close(&s->json, '}');
}

/* If the type is this one, then the thing looks like this. A type left out is the default_value. */
static void type_condition(schema *s, ss_type_kind kind, const ss_type *type,
                           const char *default_value)
{
    char name[160];
    snprintf(name, sizeof name, "%s_%s", ss_type_kind_name(kind), type->name);
    ss_json_open(&s->json, NULL, '{');
    ss_json_open(&s->json, "if", '{');
    ss_json_open(&s->json, "properties", '{');
    ss_json_open(&s->json, "type", '{');
    ss_json_text(&s->json, "const", type->name);
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
    if (!default_value || strcmp(default_value, type->name) != 0)
        ss_json_raw(&s->json, "required", "[\"type\"]");
    ss_json_close(&s->json, '}');
    refer(&s->json, "then", name);
    ss_json_close(&s->json, '}');
}

static void kind_definition(schema *s, ss_type_kind kind, const char *default_value)
{
    const ss_type *type;
    ss_json_open(&s->json, ss_type_kind_name(kind), '{');
    ss_json_text(&s->json, "type", "object");
    ss_json_raw(&s->json, "required", default_value ? "[]" : "[\"type\"]");
    ss_json_open(&s->json, "properties", '{');
    ss_json_open(&s->json, "type", '{');
    ss_json_text(&s->json, "type", "string");
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
    ss_json_open(&s->json, "allOf", '[');
    for (size_t i = 0; (type = ss_type_at(s->context, kind, i)); i++)
        type_condition(s, kind, type, default_value);
    ss_json_close(&s->json, ']');
    ss_json_close(&s->json, '}');
    for (size_t i = 0; (type = ss_type_at(s->context, kind, i)); i++)
        type_definition(s, kind, type);
}

/* `record`, and each plot, shape and expectation. */
static void keys_definition(schema *s, const ss_section *section)
{
    const ss_key *keys = ss_section_keys(section);
    ss_json_open(&s->json, section->thing, '{');
    ss_json_text(&s->json, "type", "object");
    ss_json_open(&s->json, "properties", '{');
    add_keys(s, keys);
    if (section->shape == SS_SECTION_OBJECTS)
        repeat_property(s);
    ss_json_close(&s->json, '}');
    ss_json_open(&s->json, "required", '[');
    add_required(s, keys);
    ss_json_close(&s->json, ']');
    ss_json_raw(&s->json, "additionalProperties", "false");
    ss_json_close(&s->json, '}');
}

static void definitions(schema *s)
{
    ss_json_open(&s->json, "$defs", '{');
    ss_json_open(&s->json, "name", '{');
    ss_json_text(&s->json, "type", "string");
    ss_json_text(&s->json, "pattern", name_pattern);
    ss_json_close(&s->json, '}');
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = ss_section_at(i);
        if (section->type >= 0)
            kind_definition(s, (ss_type_kind)section->type, section->default_value);
        else if (ss_section_keys(section))
            keys_definition(s, section);
    }
    kind_definition(s, SS_TYPE_LAW, NULL);
    ss_json_close(&s->json, '}');
}

/* ---- Sections ---- */

static void section_schema(schema *s, const ss_section *section)
{
    ss_json_open(&s->json, section->name, '{');
    ss_json_text(&s->json, "description", section->doc);
    switch (section->shape) {
    case SS_SECTION_FORMAT: {
        char format[32];
        snprintf(format, sizeof format, "[%d, null]", SS_SCENE_FORMAT);
        ss_json_raw(&s->json, "enum", format);
        break;
    }
    case SS_SECTION_TEXT:
        ss_json_raw(&s->json, "type", "[\"string\", \"number\", \"null\"]");
        break;
    case SS_SECTION_PATHS:
        ss_json_raw(&s->json, "type", "[\"string\", \"array\", \"null\"]");
        ss_json_raw(&s->json, "items", "{\"type\": \"string\"}");
        break;
    case SS_SECTION_NUMBERS:
    case SS_SECTION_OBJECTS:
        ss_json_raw(&s->json, "type", "[\"object\", \"null\"]");
        refer(&s->json, "propertyNames", "name");
        if (section->shape == SS_SECTION_NUMBERS)
            ss_json_raw(&s->json, "additionalProperties", "{\"type\": [\"number\", \"string\"]}");
        else
            refer(&s->json, "additionalProperties", section->thing);
        break;
    case SS_SECTION_OPTIONS:
        ss_json_raw(&s->json, "type", "[\"object\", \"null\"]");
        break;
    }
    ss_json_close(&s->json, '}');
}

/* Types of the objects of a section are known ones. */
static void known_types(schema *s, const ss_section *section)
{
    ss_json_open(&s->json, section->name, '{');
    ss_json_open(&s->json, "additionalProperties", '{');
    ss_json_open(&s->json, "properties", '{');
    type_names(s, "type", (ss_type_kind)section->type);
    if (section->type == SS_TYPE_ELEMENT) {
        ss_json_open(&s->json, "laws", '{');
        ss_json_open(&s->json, "additionalProperties", '{');
        ss_json_open(&s->json, "properties", '{');
        type_names(s, "type", SS_TYPE_LAW);
        ss_json_close(&s->json, '}');
        ss_json_close(&s->json, '}');
        ss_json_close(&s->json, '}');
    }
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
}

/* A section of options, complete in this file. */
static void whole_options(schema *s, const ss_section *section)
{
    ss_json_open(&s->json, section->name, '{');
    ss_json_open(&s->json, "if", '{');
    ss_json_text(&s->json, "type", "object");
    ss_json_close(&s->json, '}');
    ss_json_open(&s->json, "then", '{');
    char reference[64];
    snprintf(reference, sizeof reference, "#/$defs/%s", section->thing);
    ss_json_text(&s->json, "$ref", reference);
    if (section->type >= 0) {
        ss_json_open(&s->json, "properties", '{');
        type_names(s, "type", (ss_type_kind)section->type);
        ss_json_close(&s->json, '}');
    }
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
}

/* A scene that includes nothing and loads no plugin says everything itself, with the types there
 * are. */
static void whole_scene(schema *s)
{
    ss_json_raw(
        &s->json, "if",
        "{\"not\": {\"anyOf\": [{\"required\": [\"include\"]}, {\"required\": [\"plugins\"]}]}}");
    ss_json_open(&s->json, "then", '{');
    ss_json_raw(&s->json, "required", "[\"systems\", \"simulation\"]");
    ss_json_open(&s->json, "properties", '{');
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = ss_section_at(i);
        if (section->shape == SS_SECTION_OBJECTS && section->type >= 0)
            known_types(s, section);
        if (section->shape == SS_SECTION_OPTIONS)
            whole_options(s, section);
    }
    ss_json_close(&s->json, '}');
    ss_json_close(&s->json, '}');
}

ss_status ss_scene_schema(ss_context *context, char **text)
{
    ss_writer writer;
    ss_writer_init(&writer, context);
    schema s = {context, {.writer = &writer}};
    ss_json_open(&s.json, NULL, '{');
    ss_json_text(&s.json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    ss_json_text(&s.json, "title", "stickslip scene");
    ss_json_text(&s.json, "type", "object");
    ss_json_open(&s.json, "properties", '{');
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        section_schema(&s, ss_section_at(i));
    ss_json_close(&s.json, '}');
    ss_json_raw(&s.json, "additionalProperties", "false");
    whole_scene(&s);
    definitions(&s);
    ss_json_close(&s.json, '}');
    ss_write(&writer, "\n");
    return ss_writer_finish(&writer, text);
}
