/* test_memory.c: every path on which memory can end, without a leak or a crash. */
#include "properties.h"

#include <stdlib.h>

/* Memory that ends after a while. */
typedef struct scarce {
    int left, live;
} scarce;

static void *scarce_allocate(void *user, size_t size)
{
    scarce *s = user;
    if (s->left-- <= 0)
        return NULL;
    s->live++;
    return malloc(size);
}

static void *scarce_reallocate(void *user, void *memory, size_t size)
{
    scarce *s = user;
    return s->left-- > 0 ? realloc(memory, size) : NULL;
}

static void scarce_release(void *user, void *memory)
{
    scarce *s = user;
    s->live--;
    free(memory);
}

static ss_status make(ss_context *context, const char *name, const char *key, int rows, int columns,
                      const double *values, ss_set **set)
{
    ss_args *args;
    SS_TRY(ss_args_create(context, &args));
    ss_status status = ss_args_set_matrix(args, key, rows, columns, values);
    if (status == SS_OK)
        status = ss_set_create(context, name, args, NULL, 0, set);
    ss_args_destroy(args);
    return status;
}

static ss_status make_by_names(ss_context *context, int count, const ss_text *names, ss_set **set)
{
    ss_args *args;
    SS_TRY(ss_args_create(context, &args));
    ss_status status = ss_args_set_texts(args, "sets", (ss_location){0}, count, 1, names);
    if (status == SS_OK)
        status = ss_set_create(context, "product", args, NULL, 0, set);
    ss_args_destroy(args);
    return status;
}

static ss_status make_and_release(ss_context *context)
{
    static const double vertices[6] = {0, 0, 1, 0, 0, 1}, axes[3] = {1, 2, 3};
    static const ss_text names[2] = {{"half_line", {0}}, {"disk 2", {0}}};
    ss_set *polygon = NULL, *ellipsoid = NULL, *named = NULL, *product = NULL;
    ss_status status = make(context, "polygon", "vertices", 3, 2, vertices, &polygon);
    if (status == SS_OK)
        status = make(context, "ellipsoid", "axes", 3, 1, axes, &ellipsoid);
    if (status == SS_OK)
        status = make_by_names(context, 2, names, &named);
    if (status == SS_OK)
        status = ss_set_product_create(context, 2, (const ss_set *[]){polygon, named}, &product);
    ss_set_destroy(product);
    ss_set_destroy(named);
    ss_set_destroy(ellipsoid);
    ss_set_destroy(polygon);
    return status;
}

static void failing_allocator(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    int failures = 0;
    for (int limit = 1; status != SS_OK && limit < 1000; limit++) {
        scarce memory = {limit, 0};
        ss_context_options options = ss_default_context();
        options.allocator =
            (ss_allocator){&memory, scarce_allocate, scarce_reallocate, scarce_release};
        ss_context *context;
        assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
        status = ss_register_builtin_sets(context);
        if (status == SS_OK)
            status = make_and_release(context);
        assert_true(status == SS_OK || status == SS_MEMORY);
        failures += status == SS_MEMORY;
        if (status == SS_MEMORY)
            assert_non_null(strstr(ss_context_message(context), "out of memory"));
        ss_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, SS_OK);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocator),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
