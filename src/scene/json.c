/* json.c: writes JSON with indentation. */
#include "scene/json.h"

static void begin(ss_json *json, const char *key)
{
    if (json->depth > 0)
        ss_write(json->writer, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    json->first = false;
    if (!key)
        return;
    ss_write_quoted(json->writer, key);
    ss_write(json->writer, ": ");
}

void ss_json_open(ss_json *json, const char *key, char bracket)
{
    begin(json, key);
    ss_write(json->writer, "%c", bracket);
    json->depth++;
    json->first = true;
}

void ss_json_close(ss_json *json, char bracket)
{
    json->depth--;
    if (!json->first)
        ss_write(json->writer, "\n%*s", 2 * json->depth, "");
    ss_write(json->writer, "%c", bracket);
    json->first = false;
}

void ss_json_text(ss_json *json, const char *key, const char *text)
{
    begin(json, key);
    ss_write_quoted(json->writer, text);
}

void ss_json_raw(ss_json *json, const char *key, const char *raw)
{
    begin(json, key);
    ss_write(json->writer, "%s", raw);
}

void ss_json_number(ss_json *json, const char *key, double value)
{
    begin(json, key);
    ss_write(json->writer, "%.17g", value);
}
