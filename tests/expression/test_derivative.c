/* Derivatives against formulas derived by hand and, for random formulas, against differences of a
 * tree that is evaluated in long double. */
#include "differences.h"
#include "formulas.h"

#include <float.h>

static const double X = 0.7, Y = -1.3, Z = 2.9;

typedef struct by_hand {
    const char *text;
    const char *dx;  /* d/dx, derived by hand */
    const char *dxy; /* d²/dx dy */
} by_hand;

static const by_hand table[] = {
    {"3", "0", "0"},
    {"x", "1", "0"},
    {"y", "0", "0"},
    {"x*y", "y", "1"},
    {"-x*y", "-y", "-1"},
    {"x - y", "1", "0"},
    {"x^2*y^3", "2*x*y^3", "6*x*y^2"},
    {"x^4", "4*x^3", "0"},
    {"x^5*y", "5*x^4*y", "5*x^4"},
    {"x^1.5*y", "1.5*x^0.5*y", "1.5*x^0.5"},
    {"1/x", "-1/x^2", "0"},
    {"y/x", "-y/x^2", "-1/x^2"},
    {"x/y", "1/y", "-1/y^2"},
    {"x/(x + z*y)", "z*y/(x + z*y)^2", "z*(x - z*y)/(x + z*y)^3"},
    {"sin(x*y)", "y*cos(x*y)", "cos(x*y) - x*y*sin(x*y)"},
    {"cos(x*y)", "-y*sin(x*y)", "-sin(x*y) - x*y*cos(x*y)"},
    {"tan(x + 2*y)", "1/cos(x + 2*y)^2", "4*sin(x + 2*y)/cos(x + 2*y)^3"},
    {"asin(x)*y", "y/sqrt(1 - x^2)", "1/sqrt(1 - x^2)"},
    {"acos(x)*y", "-y/sqrt(1 - x^2)", "-1/sqrt(1 - x^2)"},
    {"atan(x*y)", "y/(1 + x^2*y^2)", "(1 - x^2*y^2)/(1 + x^2*y^2)^2"},
    {"atan2(x, y)", "y/(x^2 + y^2)", "(x^2 - y^2)/(x^2 + y^2)^2"},
    {"atan2(y, x)", "-y/(x^2 + y^2)", "(y^2 - x^2)/(x^2 + y^2)^2"},
    {"sinh(x*y)", "y*cosh(x*y)", "cosh(x*y) + x*y*sinh(x*y)"},
    {"cosh(x*y)", "y*sinh(x*y)", "sinh(x*y) + x*y*cosh(x*y)"},
    {"tanh(x*y)", "y/cosh(x*y)^2", "(1 - 2*x*y*tanh(x*y))/cosh(x*y)^2"},
    {"exp(x*y)", "y*exp(x*y)", "(1 + x*y)*exp(x*y)"},
    {"log(x + z*y^2)", "1/(x + z*y^2)", "-2*z*y/(x + z*y^2)^2"},
    {"sqrt(x + y^2)", "0.5/sqrt(x + y^2)", "-0.5*y/(x + y^2)^1.5"},
    {"hypot(x, y)", "x/sqrt(x^2 + y^2)", "-x*y/(x^2 + y^2)^1.5"},
    {"x^y", "y*x^(y - 1)", "x^(y - 1)*(1 + y*log(x))"},
    {"z^(x*y)", "y*log(z)*z^(x*y)", "log(z)*z^(x*y)*(1 + x*y*log(z))"},
    {"2^x", "log(2)*2^x", "0"},
    {"abs(x*y)", "-y", "-1"},
    {"abs(y)*x^2", "-2*x*y", "-2*x"},
    {"sign(x)*y", "0", "0"},
    {"step(x)*x*y", "y", "1"},
    {"floor(z)*x*y", "2*y", "2"},
    {"min(x*y, z)", "y", "1"},
    {"max(x*y, z)", "0", "0"},
    {"min(z, x*y)", "y", "1"},
    {"max(z, x^2)", "0", "0"},
    {"(x < y)*x", "0", "0"},
    {"(x > y)*x*y", "y", "1"},
    {"x > y ? x^2*y : z", "2*x*y", "2*x"},
    {"x < y ? x^2*y : z*x*y^2", "z*y^2", "2*z*y"},
    {"(x && y)*x", "1", "0"},
    {"!x + x", "1", "0"},
};

/* The table's formulas round on their own: a few ulps of the largest number in sight, which is
 * below 50. */
static void agree(const formulas *f, const char *text, ss_node found, const char *formula)
{
    double expected = value_of(f, parse(f, formula), X, Y, Z);
    double value = value_of(f, found, X, Y, Z);
    if (!(fabs(value - expected) <= 50 * 4 * DBL_EPSILON))
        fail_msg("%s: derivative %.17g, by hand (%s) %.17g", text, value, formula, expected);
}

static void test_by_hand(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ss_node dx = derivative(&f, parse(&f, table[i].text), f.x);
        agree(&f, table[i].text, dx, table[i].dx);
        agree(&f, table[i].text, derivative(&f, dx, f.y), table[i].dxy);
        ss_node dy = derivative(&f, parse(&f, table[i].text), f.y);
        agree(&f, table[i].text, derivative(&f, dy, f.x), table[i].dxy);
    }
    close_formulas(&f);
}

/* Where a formula has a kink, the value that is promised. */
static void test_kinks(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    assert_true(value_of(&f, derivative(&f, parse(&f, "abs(x)"), f.x), 0, 0, 0) == 0);
    assert_true(value_of(&f, derivative(&f, parse(&f, "hypot(x, y)"), f.x), 0, 0, 0) == 0);
    assert_true(value_of(&f, derivative(&f, parse(&f, "x^y"), f.y), 0, 2, 0) == 0);
    ss_node kink = derivative(&f, parse(&f, "max(x, 0)"), f.x);
    assert_true(value_of(&f, kink, 1e-300, 0, 0) == 1);
    assert_true(value_of(&f, kink, -1e-300, 0, 0) == 0);
    /* The branch that is not taken may be singular. */
    ss_node root = derivative(&f, parse(&f, "x > 0 ? sqrt(x) : 0"), f.x);
    assert_true(value_of(&f, root, 0, 0, 0) == 0);
    assert_true(value_of(&f, root, 4, 0, 0) == 0.25);
    /* What does not depend on the variable leaves nothing behind, even next to an infinity. */
    ss_node bounded = derivative(&f, parse(&f, "min(x, inf)*y"), f.x);
    ss_program *program = compile(&f, 1, &bounded);
    assert_int_equal(ss_program_length(program), 3); /* compare, choose, multiply */
    ss_program_destroy(program);
    close_formulas(&f);
}

typedef struct tally {
    int checked;
    int singular; /* asin(x/x): differences see a derivative, the chain rule a singularity */
} tally;

/* First and second derivatives of one formula at one point, as far as differences can tell. */
static void compare(const formulas *f, const tree *t, const double at[3], tally *count)
{
    static char text[TREE_TEXT];
    if (!tree_text(t, text) || isnan(tree_value(t, at)))
        return;
    ss_node root = parse(f, text);
    ss_node variables[3] = {f->x, f->y, f->z};
    for (int i = 0; i < 3; i++) {
        ss_node first = derivative(f, root, variables[i]);
        for (int j = -1; j < 3; j++) {
            ss_node node = j < 0 ? first : derivative(f, first, variables[j]);
            difference d = j < 0 ? difference_first(t, at, i) : difference_second(t, at, i, j);
            double value = value_of(f, node, at[0], at[1], at[2]);
            double scale = 1 + fabs((double)d.value) + d.size;
            if (!(d.error < 1e-9 * scale))
                continue;
            if (!isfinite(value)) {
                count->singular++;
                continue;
            }
            if (!(fabs(value - (double)d.value) <= 20 * d.error + 1e-10 * scale))
                fail_msg("%s at %.17g %.17g %.17g, derivative %d %d: %.12g, differences %.12Lg",
                         text, at[0], at[1], at[2], i, j, value, d.value);
            count->checked++;
        }
    }
}

static void test_random(void **state)
{
    (void)state;
    enum { FORMULAS = 1500 };
    static tree t;
    random_state r = {424242};
    tally count = {0};
    for (int i = 0; i < FORMULAS; i++) {
        formulas f;
        open_formulas(&f, NULL);
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = random_between(&r, 0.3, 1.7);
        tree_random(&t, &r, 1 + random_below(&r, 4), true);
        compare(&f, &t, at, &count);
        close_formulas(&f);
    }
    /* Of twelve derivatives for each formula. */
    assert_true(count.checked > 12 * FORMULAS / 2);
    assert_true(count.singular < count.checked / 200);
}

/* d²/dx dy and d²/dy dx are built differently and must agree. */
static void test_symmetry(void **state)
{
    (void)state;
    static tree t;
    static char text[TREE_TEXT];
    random_state r = {99};
    int checked = 0;
    for (int i = 0; i < 1000; i++) {
        formulas f;
        open_formulas(&f, NULL);
        tree_random(&t, &r, 4, true);
        double at[3] = {random_between(&r, 0.3, 1.7), random_between(&r, 0.3, 1.7),
                        random_between(&r, 0.3, 1.7)};
        if (tree_text(&t, text) && !isnan(tree_value(&t, at))) {
            ss_node root = parse(&f, text);
            double a =
                value_of(&f, derivative(&f, derivative(&f, root, f.x), f.y), at[0], at[1], at[2]);
            double b =
                value_of(&f, derivative(&f, derivative(&f, root, f.y), f.x), at[0], at[1], at[2]);
            if (isfinite(a) && isfinite(b) && fabs(a) < 1e6) {
                assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(a)));
                checked++;
            }
        }
        close_formulas(&f);
    }
    assert_true(checked > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
