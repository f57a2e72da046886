/* Every allocation fails once: no crash, no leak, and the failure is reported. */
#include "formulas.h"

#include <stdio.h>
#include <string.h>

typedef struct counter {
    long calls;       /* to allocate and reallocate so far */
    long fails;       /* the call that fails, counted from 0; negative: none */
    long outstanding; /* blocks not released */
} counter;

static bool refuses(counter *c)
{
    return c->calls++ == c->fails;
}

static void *count_allocate(void *user, size_t size)
{
    counter *c = user;
    void *memory = refuses(c) ? NULL : malloc(size);
    c->outstanding += memory != NULL;
    return memory;
}

static void *count_reallocate(void *user, void *memory, size_t size)
{
    return refuses(user) ? NULL : realloc(memory, size);
}

static void count_release(void *user, void *memory)
{
    counter *c = user;
    c->outstanding--;
    free(memory);
}

static const char *const texts[] = {
    "sin(x)*y + exp(-x^2/2)*cos(y)^3 + hypot(x, length)",
    "x < y ? atan2(x, y) : pow(x, y) + max(x, length)",
    "tanh(x*y)/(1 + x^4) - log(2 + sin(x)) - 3.25*x + 7*(y - 1)",
};

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    (void)user;
    return strcmp(name, "length") == 0 ? ss_graph_constant(graph, 0.25, node) : SS_UNKNOWN_NAME;
}

static ss_status fill(ss_graph *graph, ss_program **program)
{
    ss_node x, y, out[9], zero;
    SS_TRY(ss_graph_variable(graph, "x", &x));
    SS_TRY(ss_graph_variable(graph, "y", &y));
    SS_TRY(ss_graph_constant(graph, 0, &zero));
    for (int i = 0; i < 3; i++) {
        ss_node node;
        SS_TRY(ss_graph_parse(graph, &(ss_text){.text = texts[i]}, &node));
        SS_TRY(ss_graph_derivative(graph, node, x, &out[3 * i]));
        SS_TRY(ss_graph_derivative(graph, out[3 * i], y, &out[3 * i + 1]));
        SS_TRY(ss_graph_substitute(graph, node, 1, &x, &zero, &out[3 * i + 2]));
    }
    /* Enough names for the tables to grow. */
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        SS_TRY(ss_graph_variable(graph, name, &x));
    }
    return ss_program_compile(graph, 9, out, program);
}

static ss_status work(ss_context *context)
{
    const ss_resolver resolver = {.resolve = resolve};
    ss_graph *graph;
    ss_program *program = NULL;
    SS_TRY(ss_graph_create(context, &resolver, &graph));
    ss_status status = fill(graph, &program);
    ss_program_destroy(program);
    ss_graph_destroy(graph);
    return status;
}

static ss_status define_many(ss_context *context, ss_scope *scope)
{
    double value;
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        SS_TRY(ss_scope_define(scope, name, i));
    }
    return ss_evaluate(context, scope, &(ss_text){.text = "v1 + v2*v39"}, &value);
}

static ss_status work_scope(ss_context *context)
{
    ss_scope *scope;
    SS_TRY(ss_scope_create(context, &scope));
    ss_status status = define_many(context, scope);
    ss_scope_destroy(scope);
    return status;
}

/* A wrong name: its message needs memory too. */
static ss_status work_unknown(ss_context *context)
{
    double value;
    ss_status status = ss_evaluate(context, NULL, &(ss_text){.text = "1 + nobody"}, &value);
    return status == SS_UNKNOWN_NAME ? SS_OK : status;
}

static ss_status attempt(ss_status (*function)(ss_context *), counter *c)
{
    ss_context_options options = ss_default_context();
    options.allocator = (ss_allocator){c, count_allocate, count_reallocate, count_release};
    ss_context *context;
    SS_TRY(ss_context_create_bare(&options, &context));
    ss_status status = function(context);
    if (status == SS_MEMORY)
        assert_non_null(strstr(ss_context_message(context), "out of memory"));
    ss_context_destroy(context);
    return status;
}

static void sweep(ss_status (*function)(ss_context *), long fewest)
{
    counter all = {.fails = -1};
    assert_int_equal(attempt(function, &all), SS_OK);
    assert_int_equal(all.outstanding, 0);
    assert_true(all.calls >= fewest);
    for (long i = 0; i < all.calls; i++) {
        counter one = {.fails = i};
        assert_int_equal(attempt(function, &one), SS_MEMORY);
        assert_int_equal(one.outstanding, 0);
    }
}

static void test_graph(void **state)
{
    (void)state;
    sweep(work, 30);
}

static void test_scope(void **state)
{
    (void)state;
    sweep(work_scope, 15);
}

static void test_unknown(void **state)
{
    (void)state;
    sweep(work_unknown, 10);
}

/* A graph that has lost one allocation still works. */
static void test_recovery(void **state)
{
    (void)state;
    for (long fails = 0;; fails++) {
        counter c = {.fails = -1};
        ss_context_options options = ss_default_context();
        options.allocator = (ss_allocator){&c, count_allocate, count_reallocate, count_release};
        formulas f;
        open_formulas_with(&f, &options, NULL);
        ss_text text = text_at("sin(x)^3*exp(x*(1 + x)) + tan(x/(2 + cos(x^2)))");
        ss_node node, slope;
        must(&f, ss_graph_parse(f.graph, &text, &node));
        c.fails = c.calls + fails;
        ss_status status = ss_graph_derivative(f.graph, node, f.x, &slope);
        for (int i = 0; i < 3 && status == SS_OK; i++)
            status = ss_graph_derivative(f.graph, slope, f.x, &slope);
        c.fails = -1;
        slope = derivative(&f, node, f.x);
        double x = 0.6, h = 1e-5;
        double difference =
            (value_of(&f, node, x + h, 0, 0) - value_of(&f, node, x - h, 0, 0)) / (2 * h);
        assert_true(fabs(value_of(&f, slope, x, 0, 0) - difference) < 1e-7);
        close_formulas(&f);
        assert_int_equal(c.outstanding, 0);
        if (status == SS_OK)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
