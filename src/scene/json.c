/* json.c: a text in YAML as JSON, for programs that read the one and not the other. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* A number as scenes write it, 1, -.5, 2e-3, in the same digits: JSON wants one before the point and one after it, and
 * no zeros in front. false: it is none. */
static bool write_number(ss_writer *w, const char *key, const char *text)
{
    static const char digits[] = "0123456789";
    double value;
    if (text[0] == '+' || strspn(text, "+-.0123456789eE") != strlen(text) ||
        !ss_number_read(text, strlen(text), &value) || !isfinite(value))
        return false;
    ss_json_raw(w, key, text[0] == '-' ? "-" : "");
    text += text[0] == '-';
    while (text[0] == '0' && strchr(digits, text[1]) && text[1])
        text++;
    size_t whole = strspn(text, digits);
    ss_write_bytes(w, whole ? text : "0", whole ? whole : 1);
    text += whole;
    size_t fraction = text[0] == '.' ? strspn(text + 1, digits) : 0;
    if (fraction)
        ss_write_bytes(w, text, fraction + 1);
    text += text[0] == '.' ? fraction + 1 : 0;
    ss_write_bytes(w, text, strlen(text));
    return true;
}

static void write_value(ss_writer *w, const char *key, const ss_tree *node)
{
    if (node->kind != SS_TREE_TEXT) {
        bool map = node->kind == SS_TREE_MAP;
        ss_json_open(w, key, map ? '{' : '[');
        for (size_t i = 0; i < node->count; i++)
            write_value(w, map ? node->entries[i].key : NULL,
                        map ? node->entries[i].value : node->items[i]);
        ss_json_close(w, map ? "}" : "]");
    } else if (ss_tree_is_null(node)) {
        ss_json_raw(w, key, "null");
    } else if (node->quoted) {
        ss_json_text(w, key, node->text);
    } else if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
        ss_json_raw(w, key, node->text);
    } else if (!write_number(w, key, node->text)) {
        ss_json_text(w, key, node->text);
    }
}

static ss_status to_json(ss_arena *scratch, const char *file, const char *text, size_t length,
                         char **json)
{
    ss_scene_source source;
    ss_tree *root;
    ss_writer w = {.context = scratch->context};
    SS_TRY(ss_scene_source_take(scratch, file, text, length, &source));
    SS_TRY(ss_yaml_parse(scratch, &source, 0, &root));
    write_value(&w, NULL, root);
    return ss_writer_finish(&w, json);
}

ss_status ss_yaml_to_json(ss_context *context, const char *file, const char *text, size_t length,
                          char **json)
{
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = to_json(&scratch, file, text, length, json);
    ss_arena_release(&scratch);
    return status;
}
