/* test_yaml.c: any tree written as YAML and read again is the same tree; places are right. */
#include "scene/scenes.h"

#include "base/context.h"
#include "scene/tree.h"

#include <stdlib.h>

static void check_same(const ss_tree *a, const ss_tree *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(ss_tree_is_null(a), ss_tree_is_null(b));
    assert_int_equal(a->count, b->count);
    if (a->kind == SS_TREE_TEXT && !ss_tree_is_null(a))
        assert_string_equal(a->text, b->text);
    for (size_t i = 0; i < a->count; i++) {
        if (a->kind == SS_TREE_MAP)
            assert_string_equal(a->entries[i].key, b->entries[i].key);
        check_same(a->kind == SS_TREE_MAP ? a->entries[i].value : a->items[i],
                   b->kind == SS_TREE_MAP ? b->entries[i].value : b->items[i]);
    }
}

static ss_tree *parse_tree(ss_arena *arena, const char *text)
{
    ss_scene_source source;
    ss_tree *root;
    check_ok(arena->context, ss_scene_source_take(arena, "t.yaml", text, strlen(text), &source));
    check_ok(arena->context, ss_yaml_parse(arena, &source, 0, &root));
    return root;
}

/* A small generator of our own, so that a failure can be repeated. */
static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_text(unsigned *seed, char *text)
{
    static const char *const pieces[] = {"a", "1",  " ",    ":",  "#", "-",  "'",  "\"",     "\\",
                                         "[", "]",  "{",    "}",  ",", "&",  "*",  "!",      "|",
                                         ">", "%",  "@",    "`",  "?", "~",  ".",  "\n",     "ä",
                                         "=", "<<", "null", "\t", "(", "--", "..", "\u2026", "/"};
    text[0] = '\0';
    for (unsigned n = next_random(seed) % 6; n > 0; n--)
        text += sprintf(text, "%s", pieces[next_random(seed) % (sizeof pieces / sizeof *pieces)]);
}

static ss_tree *random_tree(ss_arena *arena, unsigned *seed, int depth)
{
    char text[64];
    ss_tree *node;
    ss_location nowhere = {0};
    unsigned kind = depth == 0 ? SS_TREE_MAP : depth > 3 ? SS_TREE_TEXT : next_random(seed) % 3;
    random_text(seed, text);
    if (kind == SS_TREE_TEXT) {
        check_ok(arena->context, ss_tree_new_text(arena, text, nowhere, &node));
        node->quoted = next_random(seed) % 2;
        return node;
    }
    check_ok(arena->context, ss_tree_new(arena, (ss_tree_kind)kind, nowhere, &node));
    for (unsigned n = next_random(seed) % 4 + (depth == 0); n > 0; n--) {
        ss_tree *child = random_tree(arena, seed, depth + 1);
        const char *key;
        random_text(seed, text);
        snprintf(text + strlen(text), 16, "k%u", n); /* keys are never empty and never twice */
        check_ok(arena->context, ss_arena_copy_string(arena, text, &key));
        check_ok(arena->context,
                 kind == SS_TREE_MAP
                     ? ss_tree_put(arena, node, &(ss_tree_entry){key, nowhere, child})
                     : ss_tree_append(arena, node, child));
    }
    return node;
}

static void test_written_and_read(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 3000; seed++) {
        ss_context *context;
        assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
        ss_arena arena;
        ss_arena_init(&arena, context);
        unsigned generator = seed;
        const ss_tree *tree = random_tree(&arena, &generator, 0);
        char *text;
        check_ok(context, ss_emit(context, tree, &text));
        check_same(tree, parse_tree(&arena, text));
        ss_release(context, text);
        ss_arena_release(&arena);
        ss_context_destroy(context);
    }
}

static void check_place(const ss_tree *root, const char *key, int line, int column,
                        const char *text)
{
    const ss_tree *value = ss_tree_find(root, key)->value;
    assert_int_equal(value->spelled.where.line, line);
    assert_int_equal(value->spelled.where.column, column);
    assert_string_equal(value->spelled.text, text);
}

static void test_places(void **state)
{
    (void)state;
    ss_context *context;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    ss_arena arena;
    ss_arena_init(&arena, context);
    const ss_tree *root = parse_tree(&arena, "plain: a + b\n"
                                             "quoted:  'a b'\n"
                                             "lines: a +\n"
                                             "   b\n"
                                             "block: |\n"
                                             "  a +\n"
                                             "    b\n"
                                             "Größe: &x c\n"
                                             "again: *x\n"
                                             "nothing:\n");
    check_place(root, "plain", 1, 8, "a + b");
    check_place(root, "quoted", 2, 11, "a b");
    check_place(root, "lines", 3, 8, "a +\n   b");
    assert_string_equal(ss_tree_find(root, "lines")->value->text, "a + b");
    check_place(root, "block", 6, 1, "  a +\n    b\n");
    check_place(root, "Größe", 8, 11, "c");
    check_place(root, "again", 8, 11, "c");
    assert_true(ss_tree_is_null(ss_tree_find(root, "nothing")->value));
    assert_int_equal(ss_tree_find(root, "nothing")->value->where.line, 10);
    ss_arena_release(&arena);
    ss_context_destroy(context);
}

/* Own keys win over merged ones, earlier maps of a list over later ones. */
static void test_merge_keys(void **state)
{
    (void)state;
    ss_context *context;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    ss_arena arena;
    ss_arena_init(&arena, context);
    const ss_tree *root = parse_tree(&arena, "a: &a {x: 1, y: 1}\n"
                                             "b: &b {y: 2, z: 2}\n"
                                             "c: {<<: [*a, *b], x: 3}\n");
    const ss_tree *c = ss_tree_find(root, "c")->value;
    assert_int_equal(c->count, 3);
    assert_string_equal(ss_tree_find(c, "x")->value->text, "3");
    assert_string_equal(ss_tree_find(c, "y")->value->text, "1");
    assert_string_equal(ss_tree_find(c, "z")->value->text, "2");
    ss_arena_release(&arena);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_read),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_merge_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
