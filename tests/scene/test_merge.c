/* test_merge.c: how files become one tree, apart from what the scenes of the other tests show. */
#include "scene/scenes.h"

#include "base/context.h"
#include "scene/scene.h"

typedef struct world {
    ss_context *context;
    ss_arena arena;
} world;

static void begin(world *w)
{
    assert_int_equal(ss_context_create_bare(NULL, &w->context), SS_OK);
    ss_arena_init(&w->arena, w->context);
}

static void end(world *w)
{
    ss_arena_release(&w->arena);
    ss_context_destroy(w->context);
}

/* The merged tree of a text in a folder and of trees merged before (may be NULL). */
static ss_tree *merge(world *w, const char *text, const char *folder, const ss_tree *first,
                      const ss_tree *second)
{
    ss_scene_source source;
    ss_tree *own, *included, *merged;
    check_ok(w->context, ss_scene_source_take(&w->arena, "t.yaml", text, strlen(text), &source));
    check_ok(w->context, ss_yaml_parse(&w->arena, &source, 0, &own));
    check_ok(w->context, ss_tree_new(&w->arena, SS_TREE_LIST, own->where, &included));
    if (first)
        check_ok(w->context, ss_tree_append(&w->arena, included, (ss_tree *)first));
    if (second)
        check_ok(w->context, ss_tree_append(&w->arena, included, (ss_tree *)second));
    ss_merge_file file = {own, folder};
    check_ok(w->context, ss_merge(&w->arena, &file, included, &merged));
    return merged;
}

/* Paths become relative to the first file's folder; the same path counts once. */
static void test_plugins(void **state)
{
    (void)state;
    world w;
    begin(&w);
    const ss_tree *part = merge(&w, "plugins: [./a.so, ../b.so, /c.so]", "parts/", NULL, NULL);
    const ss_tree *other = merge(&w, "plugins: a.so", "parts/", NULL, NULL);
    const ss_tree *root = merge(&w, "plugins: [./d.so, /c.so]", "", part, other);
    const ss_tree *list = ss_tree_find(root, "plugins")->value;
    const char *const expected[] = {"parts/a.so", "parts/../b.so", "/c.so", "./d.so"};
    assert_int_equal(list->count, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(list->items[i]->text, expected[i]);
    end(&w);
}

/* Included parameters first, in their order, with the values of the including file. */
static void test_order_of_parameters(void **state)
{
    (void)state;
    world w;
    begin(&w);
    const ss_tree *part = merge(&w, "parameters: {a: 1, b: 2, c: 3}", "", NULL, NULL);
    const ss_tree *root = merge(&w, "parameters: {d: 4, b: 20}", "", part, NULL);
    const ss_tree *map = ss_tree_find(root, "parameters")->value;
    const char *const keys[] = {"a", "b", "c", "d"}, *const values[] = {"1", "20", "3", "4"};
    assert_int_equal(map->count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(map->entries[i].key, keys[i]);
        assert_string_equal(map->entries[i].value->text, values[i]);
    }
    end(&w);
}

/* Two included files disagree; the including file decides. */
static void test_including_file_decides(void **state)
{
    (void)state;
    world w;
    begin(&w);
    const ss_tree *one = merge(&w, "solver: {tolerance: 1e-8}", "", NULL, NULL);
    const ss_tree *two = merge(&w, "solver: {tolerance: 1e-9, order: backward}", "", NULL, NULL);
    const ss_tree *root = merge(&w, "solver: {tolerance: 1e-10}", "", one, two);
    const ss_tree *map = ss_tree_find(root, "solver")->value;
    assert_int_equal(map->count, 2);
    assert_string_equal(ss_tree_find(map, "tolerance")->value->text, "1e-10");
    assert_string_equal(ss_tree_find(map, "order")->value->text, "backward");
    end(&w);
}

static void test_paths(void **state)
{
    (void)state;
    world w;
    begin(&w);
    const char *text;
    check_ok(w.context, ss_path_folder(&w.arena, "a/b/c.yaml", &text));
    assert_string_equal(text, "a/b/");
    check_ok(w.context, ss_path_folder(&w.arena, "c.yaml", &text));
    assert_string_equal(text, "");
    check_ok(w.context, ss_path_join(&w.arena, "a/", "././b.so", &text));
    assert_string_equal(text, "a/b.so");
    check_ok(w.context, ss_path_absolute(&w.arena, "/a/", &text));
    assert_string_equal(text, "/a/");
    check_ok(w.context, ss_path_absolute(&w.arena, "a/", &text));
    assert_true(text[0] == '/' && strcmp(text + strlen(text) - 3, "/a/") == 0);
    check_ok(w.context, ss_path_stem(&w.arena, "a/.hidden", &text));
    assert_string_equal(text, ".hidden");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plugins),
        cmocka_unit_test(test_order_of_parameters),
        cmocka_unit_test(test_including_file_decides),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
