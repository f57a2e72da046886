/* test_memory.c: every allocation fails once; nothing leaks, nothing crashes, every failure is
 * told. */
#include "record/heap.h"

#include "support/allocator.h"

static ss_status read_contacts(ss_record *record)
{
    ss_contact contacts[16];
    for (size_t row = 0; row < ss_record_length(record); row++)
        if (ss_record_contact_count(record, row) > 0)
            SS_TRY(ss_record_read_contacts(record, row, contacts));
    return SS_OK;
}

static ss_status read_back(ss_context *context, const char *path, const char *signal)
{
    ss_record *record;
    SS_TRY(ss_record_open(context, path, &record));
    double values[128], *column = malloc(ss_record_length(record) * sizeof *column);
    FILE *csv = fopen("/dev/null", "w");
    const char *const signals[] = {"t", signal};
    ss_status status = ss_record_row(record, 0, values);
    if (status == SS_OK)
        status = read_contacts(record);
    if (status == SS_OK)
        status = ss_record_evaluate(record, &(ss_text){signal, {0}}, column);
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
static ss_status use_everything(run *r, const char *path, const char *signal)
{
    ss_recorder *recorder;
    SS_TRY(ss_recorder_create(r->simulation, path, NULL, &recorder));
    SS_TRY(write_some(r, recorder));
    SS_TRY(read_back(r->w->context, path, signal));
    SS_TRY(ss_recorder_resume(r->simulation, path, NULL, NULL, &recorder));
    SS_TRY(write_some(r, recorder));
    return ss_record_check_expression(r->w->model, &(ss_text){signal, {0}});
}

typedef world (*world_fn)(const ss_context_options *options);

static void walk(world_fn create, const char *signal)
{
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    long failures = 0;
    for (long allowed = 0;; allowed++) {
        counting_allocator counter = {.allowed = -1};
        ss_context_options options = counting_options(&counter);
        world w = create(&options);
        run r = ball_run(&w, 1);
        counter.allowed = counter.calls + allowed;
        ss_status status = use_everything(&r, path.path, signal);
        counter.allowed = -1;
        run_destroy(&r);
        assert_int_equal(counter.live, 0);
        if (status == SS_OK)
            break;
        assert_int_equal(status, SS_MEMORY);
        failures++;
        char command[700]; /* what was committed before may stay: it is the run */
        snprintf(command, sizeof command, "rm -f '%s'.part-*", path.path);
        assert_int_equal(system(command), 0);
    }
    assert_true(failures > 50);
    char command[700];
    snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = 1", dir.path);
    assert_int_equal(system(command), 0); /* no temporary file stays */
    remove_folder(&dir);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    walk(ball_world_in, "abs(ball.z') + floor.gap.force");
}

static world touching_world(const ss_context_options *options)
{
    world w = heap_world(options);
    add_system(&w, "d", "body", "mass", "2", "inertia", "0.008", "position", "1 0 0.099");
    add_shape(&w, "d", "sphere", "radius", "0.1", "on", "d");
    return w;
}

static void every_allocation_may_fail_with_shapes(void **state)
{
    (void)state;
    walk(touching_world, "contact.gap.force");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_with_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
