/* test_memory.c: every allocation fails once; nothing leaks, nothing crashes, every failure is
 * told. */
#include "record/ball.h"

#include "allocator.h"

static ss_status read_back(ss_context *context, const char *path)
{
    ss_record *record;
    SS_TRY(ss_record_open(context, path, &record));
    double values[64], *column = malloc(ss_record_length(record) * sizeof *column);
    FILE *csv = fopen("/dev/null", "w");
    static const char *const signals[] = {"t", "abs(ball.z')"};
    ss_status status = ss_record_row(record, 0, values);
    if (status == SS_OK)
        status = ss_record_evaluate(record, &(ss_text){"ball.z + t", {0}}, column);
    if (status == SS_OK)
        status = ss_record_write_csv(record, 0, NULL, csv);
    if (status == SS_OK)
        status = ss_record_write_csv(record, 2, signals, csv);
    fclose(csv);
    free(column);
    ss_record_close(record);
    return status;
}

static ss_status write_some(run *r, ss_recorder *recorder)
{
    stopper s = {recorder, 3};
    ss_status status = ss_simulation_run(r->simulation, stopper_observe, &s);
    if (status == SS_STOPPED)
        status = ss_recorder_set_note(recorder, "enough");
    ss_status closed = ss_recorder_close(recorder);
    return status != SS_OK ? status : closed;
}

/* Writes, reads, resumes, checks. */
static ss_status use_everything(run *r, const char *path)
{
    ss_recorder *recorder;
    SS_TRY(ss_recorder_create(r->simulation, path, NULL, &recorder));
    SS_TRY(write_some(r, recorder));
    SS_TRY(read_back(r->w->context, path));
    SS_TRY(ss_recorder_resume(r->simulation, path, NULL, NULL, &recorder));
    SS_TRY(write_some(r, recorder));
    return ss_record_check_expression(r->w->model, &(ss_text){"floor.gap.force", {0}});
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    long failures = 0;
    for (long allowed = 0;; allowed++) {
        counting_allocator counter = {.allowed = -1};
        ss_context_options options = counting_options(&counter);
        world w = ball_world_in(&options);
        run r = ball_run(&w, 1);
        long live = counter.live;
        counter.allowed = counter.calls + allowed;
        ss_status status = use_everything(&r, path.path);
        assert_int_equal(counter.live, live);
        counter.allowed = -1;
        run_destroy(&r);
        assert_int_equal(counter.live, 0);
        if (status == SS_OK)
            break;
        assert_int_equal(status, SS_MEMORY);
        failures++;
    }
    assert_true(failures > 50);
    char command[700];
    snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = 1", dir.path);
    assert_int_equal(system(command), 0); /* no temporary file stays */
    remove_folder(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
