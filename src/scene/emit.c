/* emit.c: writes a tree as YAML text. */
#include "scene/emit.h"

#include "scene/writer.h"

#include <string.h>

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

static void write_text(ss_writer *w, const ss_tree *node)
{
    if (ss_tree_is_null(node))
        ss_write(w, "~");
    else if (node->quoted || !is_plain(node->text))
        ss_write_quoted(w, node->text);
    else
        ss_write(w, "%s", node->text);
}

static void write_key(ss_writer *w, const char *key)
{
    if (is_plain(key))
        ss_write(w, "%s:", key);
    else {
        ss_write_quoted(w, key);
        ss_write(w, ":");
    }
}

static void write_flow(ss_writer *w, const ss_tree *node)
{
    if (node->kind == SS_TREE_TEXT) {
        write_text(w, node);
        return;
    }
    bool map = node->kind == SS_TREE_MAP;
    ss_write(w, map ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        ss_write(w, i ? ", " : "");
        if (map) {
            write_key(w, node->entries[i].key);
            ss_write(w, " ");
        }
        write_flow(w, map ? node->entries[i].value : node->items[i]);
    }
    ss_write(w, map ? "}" : "]");
}

static void write_block(ss_writer *w, const ss_tree *map, int indent)
{
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        ss_write(w, "%*s", indent, "");
        write_key(w, entry->key);
        if (entry->value->kind == SS_TREE_MAP && entry->value->count > 0) {
            ss_write(w, "\n");
            write_block(w, entry->value, indent + 2);
            continue;
        }
        ss_write(w, " ");
        write_flow(w, entry->value);
        ss_write(w, "\n");
    }
}

ss_status ss_emit(ss_context *context, const ss_tree *root, char **text)
{
    ss_writer w;
    ss_writer_init(&w, context);
    write_block(&w, root, 0);
    return ss_writer_finish(&w, text);
}
