/* test_expression.c: expressions of columns. */
#include "record/ball.h"

typedef struct fixture {
    folder dir;
    world w;
    run r;
    ss_record *record;
    size_t length;
} fixture;

static void open_fixture(fixture *f)
{
    f->dir = make_folder();
    file_name path = file_in(&f->dir, "ball.h5");
    record_ball(path.path, 0.5, 3);
    f->w = ball_world();
    f->r = ball_run(&f->w, 0.5);
    assert_ok(&f->w, ss_record_open(f->w.context, path.path, &f->record));
    f->length = ss_record_length(f->record);
}

static void close_fixture(fixture *f)
{
    ss_record_close(f->record);
    run_destroy(&f->r);
    remove_folder(&f->dir);
}

static double *evaluate(fixture *f, const char *expression)
{
    double *values = calloc(f->length, sizeof *values);
    ss_text text = {expression, {0}};
    assert_ok(&f->w, ss_record_evaluate(f->record, &text, values));
    assert_ok(&f->w, ss_record_check_expression(f->w.model, &text));
    return values;
}

static void expressions_combine_columns(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    double *t = evaluate(&f, "t"), *z = evaluate(&f, "ball.z"), *speed = evaluate(&f, "ball.z'");
    double *mixed = evaluate(&f, "abs(ball.z') * 2 - ball.z^2 + sin(t)");
    for (size_t i = 0; i < f.length; i++)
        assert_near(mixed[i], fabs(speed[i]) * 2 - z[i] * z[i] + sin(t[i]), 1e-15);
    assert_true(t[f.length - 1] == 0.5);
    free(t);
    free(z);
    free(speed);
    free(mixed);
    close_fixture(&f);
}

/* Before the first impact z = 0.3 - g t²/2 - and the weight is a parameter of the scene. */
static void parameters_and_short_names_are_known(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    double *z = evaluate(&f, "z"), *long_z = evaluate(&f, "ball.z");
    double *potential = evaluate(&f, "energy.potential - weight*z"), *seven = evaluate(&f, "3 + 4");
    for (size_t i = 0; i < f.length; i++) {
        assert_true(z[i] == long_z[i]);
        assert_near(potential[i], 0, 1e-14);
        assert_true(seven[i] == 7);
    }
    free(z);
    free(long_z);
    free(potential);
    free(seven);
    close_fixture(&f);
}

static void refuse(fixture *f, const char *expression, const char *part)
{
    double *values = calloc(f->length, sizeof *values);
    ss_text text = {expression, {"plots.yaml", 3, 5}};
    assert_int_not_equal(ss_record_evaluate(f->record, &text, values), SS_OK);
    if (!strstr(ss_context_message(f->w.context), part))
        fail_msg("'%s' does not say '%s'", ss_context_message(f->w.context), part);
    assert_int_not_equal(ss_record_check_expression(f->w.model, &text), SS_OK);
    if (!strstr(ss_context_message(f->w.context), part))
        fail_msg("'%s' does not say '%s'", ss_context_message(f->w.context), part);
    free(values);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    refuse(&f, "floor.gap.forse", "floor.gap.force");
    refuse(&f, "floor.gap.forse", "plots.yaml:3:5");
    refuse(&f, "x", "'x'"); /* ball.x or cart.x? */
    refuse(&f, "floor.slip.P", "floor.slip.P");
    refuse(&f, "floor.slip.gap.1", "floor.slip.gap.1");
    refuse(&f, "ball.z +", "plots.yaml");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_combine_columns),
        cmocka_unit_test(parameters_and_short_names_are_known),
        cmocka_unit_test(unknown_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
