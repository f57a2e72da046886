/* writer.c: JSON with indentation, and trees as YAML. */
#include "scene/tree.h"

#include <stdio.h>
#include <string.h>

/* ---- JSON ---- */

static void begin(ss_writer *w, const char *key)
{
    if (w->depth > 0)
        ss_write(w, "%s\n%*s", w->first ? "" : ",", 2 * w->depth, "");
    w->first = false;
    if (!key)
        return;
    ss_write_quoted(w, key);
    ss_write(w, ": ");
}

void ss_json_open(ss_writer *w, const char *key, char bracket)
{
    begin(w, key);
    ss_write(w, "%c", bracket);
    w->depth++;
    w->first = true;
}

void ss_json_close(ss_writer *w, const char *brackets)
{
    for (; *brackets; brackets++) {
        w->depth--;
        if (!w->first)
            ss_write(w, "\n%*s", 2 * w->depth, "");
        ss_write(w, "%c", *brackets);
        w->first = false;
    }
}

void ss_json_text(ss_writer *w, const char *key, const char *text)
{
    begin(w, key);
    ss_write_quoted(w, text);
}

void ss_json_raw(ss_writer *w, const char *key, const char *raw)
{
    begin(w, key);
    ss_write(w, "%s", raw);
}

void ss_json_number(ss_writer *w, const char *key, double value)
{
    begin(w, key);
    ss_write(w, "%.17g", value);
}

/* ---- YAML ---- */

static bool starts_plain(const char *text)
{
    unsigned char c = (unsigned char)text[0];
    bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
    if (word || c == '_' || c == '(' || c == '/' || c == '+')
        return true;
    if (c == '~')
        return text[1] == '\0';
    /* "-x", ".5" and "./a", but neither "- x", "---" nor "...". */
    return (c == '-' || c == '.') && text[1] && !strchr(" -.", text[1]) &&
           strncmp(text, "..", 2) != 0;
}

/* Whether a text means the same without quotes, in flow lists too. */
static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || !starts_plain(text) || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F || strchr(":#,[]{}", text[i]))
            return false;
    return true;
}

static void write_text(ss_writer *w, const char *text, bool quoted)
{
    if (quoted || !is_plain(text))
        ss_write_quoted(w, text);
    else
        ss_write(w, "%s", text);
}

static void write_flow(ss_writer *w, const ss_tree *node)
{
    if (node->kind == SS_TREE_TEXT) {
        write_text(w, ss_tree_is_null(node) ? "~" : node->text, node->quoted);
        return;
    }
    bool map = node->kind == SS_TREE_MAP;
    ss_write(w, map ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        ss_write(w, i ? ", " : "");
        if (map) {
            write_text(w, node->entries[i].key, false);
            ss_write(w, ": ");
        }
        write_flow(w, map ? node->entries[i].value : node->items[i]);
    }
    ss_write(w, map ? "}" : "]");
}

static void write_block(ss_writer *w, const ss_tree *map, int indent)
{
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        bool block = entry->value->kind == SS_TREE_MAP && entry->value->count > 0;
        ss_write(w, "%*s", indent, "");
        write_text(w, entry->key, false);
        ss_write(w, block ? ":\n" : ": ");
        if (block) {
            write_block(w, entry->value, indent + 2);
        } else {
            write_flow(w, entry->value);
            ss_write(w, "\n");
        }
    }
}

ss_status ss_emit(ss_context *context, const ss_tree *root, char **text)
{
    ss_writer w = {.context = context};
    write_block(&w, root, 0);
    return ss_writer_finish(&w, text);
}
