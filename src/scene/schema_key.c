/* schema_key.c: the JSON Schema of the value of one key. */
#include "scene/schema_key.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number or the text of an expression. */
static const char number[] = "[\"number\", \"string\"]";

static void describe(ss_json *json, const ss_key *key)
{
    char text[512];
    bool unit = key->unit && key->unit[0];
    snprintf(text, sizeof text, "%s%s%s", key->doc ? key->doc : "", unit ? " Unit: " : "",
             unit ? key->unit : "");
    ss_json_text(json, "description", text);
}

static void limit(ss_json *json, const ss_key *key)
{
    if (key->min == 0 && key->max == 0)
        return;
    if (key->min == DBL_MIN)
        ss_json_number(json, "exclusiveMinimum", 0);
    else if (isfinite(key->min))
        ss_json_number(json, "minimum", key->min);
    if (isfinite(key->max))
        ss_json_number(json, "maximum", key->max);
}

static void number_schema(ss_json *json, const ss_key *key)
{
    ss_json_raw(json, "type", key->kind == SS_KEY_INT ? "[\"integer\", \"string\"]" : number);
    limit(json, key);
}

static void choice_schema(ss_json *json, const ss_key *key)
{
    ss_json_open(json, "enum", '[');
    for (const char *word = key->choices; *word;) {
        char text[64];
        size_t length = strcspn(word, "|");
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        ss_json_text(json, NULL, text);
        word += length + (word[length] == '|');
    }
    ss_json_close(json, ']');
}

/* One value, a list of them, or (when nested) rows of them. */
static void list_schema(ss_json *json, const ss_key *key, const char *type, bool nested)
{
    char types[64];
    snprintf(types, sizeof types, "%.*s, \"array\"]", (int)(strlen(type) - 1), type);
    ss_json_raw(json, "type", types);
    limit(json, key);
    ss_json_raw(json, "minItems", "1");
    ss_json_open(json, "items", '{');
    ss_json_raw(json, "type", nested ? types : type);
    limit(json, key);
    if (nested) {
        ss_json_raw(json, "minItems", "1");
        ss_json_open(json, "items", '{');
        ss_json_raw(json, "type", type);
        limit(json, key);
        ss_json_close(json, '}');
    }
    ss_json_close(json, '}');
}

static void value_schema(ss_json *json, const ss_key *key)
{
    switch (key->kind) {
    case SS_KEY_REAL:
    case SS_KEY_INT:
    case SS_KEY_EXPRESSION:
        number_schema(json, key);
        break;
    case SS_KEY_BOOL:
        ss_json_text(json, "type", "boolean");
        break;
    case SS_KEY_CHOICE:
        choice_schema(json, key);
        break;
    case SS_KEY_TEXT:
        ss_json_raw(json, "type", number);
        break;
    case SS_KEY_REALS:
        list_schema(json, key, number, false);
        break;
    case SS_KEY_TEXTS:
        list_schema(json, key, "[\"string\"]", false);
        break;
    case SS_KEY_MATRIX:
    case SS_KEY_EXPRESSIONS:
        list_schema(json, key, number, true);
        break;
    }
}

static bool is_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return *end == '\0' && isfinite(value) && strspn(text, "+-.0123456789eE") == strlen(text) &&
           text[0] != '.' && text[0] != '+';
}

static void fallback_schema(ss_json *json, const ss_key *key)
{
    if (!key->default_value || !key->default_value[0])
        return;
    bool raw =
        key->kind == SS_KEY_BOOL || (key->kind != SS_KEY_TEXT && is_number(key->default_value));
    if (raw)
        ss_json_raw(json, "default", key->default_value);
    else
        ss_json_text(json, "default", key->default_value);
}

void ss_schema_key(ss_json *json, const ss_key *key)
{
    ss_json_open(json, key->name, '{');
    describe(json, key);
    value_schema(json, key);
    fallback_schema(json, key);
    ss_json_close(json, '}');
}
