/* Random formulas: the program must give the very number that working through the tree gives. */
#include "formulas.h"
#include "tree.h"

enum { FORMULAS = 20000 };

static void random_point(random_state *r, double at[3])
{
    for (int i = 0; i < 3; i++)
        at[i] = random_sign(r) * random_log(r, 0.01, 5);
}

/* True when the formula could be compared. */
static bool compare(const formulas *f, const tree *t, const double at[3])
{
    static char text[TREE_TEXT];
    double expected = tree_value(t, at);
    if (!tree_text(t, text) || isnan(expected))
        return false;
    double found = value_of(f, parse(f, text), at[0], at[1], at[2]);
    if (!(found == expected))
        fail_msg("%s at %.17g %.17g %.17g: tree %.17g, program %.17g", text, at[0], at[1], at[2],
                 expected, found);
    return true;
}

static void test_values(void **state)
{
    (void)state;
    static tree t;
    formulas f;
    random_state r = {20260101};
    int compared = 0;
    for (int i = 0; i < FORMULAS; i++) {
        /* A few hundred formulas share one graph and so each other's terms. */
        if (i % 400 == 0) {
            if (i > 0)
                close_formulas(&f);
            open_formulas(&f, NULL);
        }
        double at[3];
        random_point(&r, at);
        tree_random(&t, &r, 1 + random_below(&r, 6), false);
        compared += compare(&f, &t, at);
    }
    close_formulas(&f);
    assert_true(compared > FORMULAS / 2);
}

/* Many outputs of one program, each in its place. */
static void test_many_outputs(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    static tree trees[COUNT];
    static char text[TREE_TEXT];
    formulas f;
    open_formulas(&f, NULL);
    random_state r = {7};
    double at[3], values[COUNT];
    ss_node nodes[COUNT];
    random_point(&r, at);
    for (int i = 0; i < COUNT;) {
        tree_random(&trees[i], &r, 5, false);
        if (isnan(tree_value(&trees[i], at)) || !tree_text(&trees[i], text))
            continue;
        nodes[i++] = parse(&f, text);
    }
    values_of(&f, COUNT, nodes, at, values);
    for (int i = 0; i < COUNT; i++)
        assert_true(values[i] == tree_value(&trees[i], at));
    close_formulas(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_many_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
