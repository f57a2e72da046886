/* test_resume.c: an interrupted run ends as if it had never been interrupted. */
#include "record/ball.h"

#include <time.h>

enum { STEPS = 2500, CHUNK = 2048 /* states in a chunk of the file, for this model */ };

/* Everything in two records is the same, bit for bit. */
static void assert_same_numbers(world *w, ss_record *a, ss_record *b)
{
    size_t length = ss_record_length(a), columns = ss_record_column_count(a);
    assert_int_equal(ss_record_length(b), length);
    assert_int_equal(ss_record_column_count(b), columns);
    double *x = calloc(columns, sizeof *x), *y = calloc(columns, sizeof *y);
    for (size_t i = 0; i < length; i++) {
        assert_ok(w, ss_record_row(a, i, x));
        assert_ok(w, ss_record_row(b, i, y));
        assert_memory_equal(x, y, columns * sizeof *x);
    }
    free(x);
    free(y);
}

static void assert_same_records(world *w, const char *path, const char *other)
{
    ss_record *a, *b;
    assert_ok(w, ss_record_open(w->context, path, &a));
    assert_ok(w, ss_record_open(w->context, other, &b));
    assert_same_numbers(w, a, b);
    assert_int_equal(ss_record_event_count(a), ss_record_event_count(b));
    for (size_t i = 0; i < ss_record_event_count(a); i++) {
        ss_record_event x = ss_record_event_at(a, i), y = ss_record_event_at(b, i);
        assert_true(x.t == y.t && x.index == y.index && x.P == y.P && x.constraint == y.constraint);
    }
    ss_statistics x = ss_record_statistics(a), y = ss_record_statistics(b);
    assert_memory_equal(&x, &y, sizeof x);
    assert_int_equal(ss_record_finished(a), ss_record_finished(b));
    assert_string_equal(ss_record_note(a), ss_record_note(b));
    ss_record_close(a);
    ss_record_close(b);
}

/* The whole state, where the run ended. */
typedef struct snapshot {
    size_t bytes;
    void *memory;
} snapshot;

static snapshot snapshot_of(const run *r)
{
    const ss_state *state = ss_simulation_state(r->simulation);
    snapshot s = {ss_state_bytes(state), malloc(ss_state_bytes(state))};
    memcpy(s.memory, state, s.bytes);
    return s;
}

/* Records `steps` steps from the start (path does not exist yet) or from where the record ends. */
static snapshot go_on(const char *path, int every, long steps)
{
    world w = ball_world();
    run r = ball_run(&w, STEPS * BALL_STEP);
    ss_recorder_options options = ss_default_recorder();
    options.every = every;
    ss_recorder *recorder;
    if (exists(path))
        assert_ok(&w, ss_recorder_resume(r.simulation, path, NULL, NULL, &recorder));
    else
        assert_ok(&w, ss_recorder_create(r.simulation, path, &options, &recorder));
    if (steps > 0 && steps < 5)
        assert_ok(&w, ss_recorder_set_note(recorder, "stopped by the test"));
    record_steps(&r, recorder, steps);
    snapshot s = snapshot_of(&r);
    run_destroy(&r);
    return s;
}

/* Runs with pauses after the given numbers of steps (ended by 0) against a run without. */
static void compare(int every, const long *pauses)
{
    folder dir = make_folder();
    file_name whole = file_in(&dir, "whole.h5"), pieces = file_in(&dir, "pieces.h5");
    snapshot a = go_on(whole.path, every, -1);
    for (int i = 0; pauses[i]; i++)
        free(go_on(pieces.path, every, pauses[i]).memory);
    snapshot b = go_on(pieces.path, every, -1);
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.memory, b.memory, a.bytes);
    world w = moving_world();
    assert_same_records(&w, whole.path, pieces.path);
    world_destroy(&w);
    free(a.memory);
    free(b.memory);
    remove_folder(&dir);
}

static void paused_once_in_the_middle_of_a_buffer(void **state)
{
    (void)state;
    compare(1, (const long[]){777, 0});
}

static void paused_between_two_recorded_states(void **state)
{
    (void)state;
    compare(
        7, (const long[]){
               1000, 0}); /* 1000 is no multiple of 7: the last state is there for the pause only */
}

static void paused_at_the_end_of_a_chunk(void **state)
{
    (void)state;
    compare(1, (const long[]){CHUNK - 2, 0});
    compare(1, (const long[]){CHUNK - 1, 0}); /* full, with the first state */
    compare(1, (const long[]){CHUNK, 0});
}

static void paused_again_and_again(void **state)
{
    (void)state;
    compare(1, (const long[]){1, 1, 2, 500, 3, 1000, 0});
    compare(10, (const long[]){1, 1, 1, 333, 4, 10, 1022, 0});
}

static void resuming_without_a_step_changes_nothing(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5"), copy = file_in(&dir, "b.h5");
    free(go_on(path.path, 7, 1000).memory);
    world w = ball_world();
    run r = ball_run(&w, STEPS * BALL_STEP);
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_resume(r.simulation, path.path, copy.path, NULL, &recorder));
    assert_ok(&w, ss_recorder_close(recorder));
    assert_same_records(&w, path.path, copy.path);
    run_destroy(&r);
    remove_folder(&dir);
}

/* A run to 1.5 s that goes on to 2.5 s is the run to 2.5 s; the scene's text follows. */
static void a_finished_run_goes_on(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name shorter = file_in(&dir, "short.h5"), whole = file_in(&dir, "whole.h5");
    record_ball(shorter.path, 1.5, 7);
    free(go_on(whole.path, 7, -1).memory);
    world w = ball_world();
    run r = ball_run(&w, STEPS * BALL_STEP);
    ss_recorder_options options = {.scene_text = "longer"};
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_resume(r.simulation, shorter.path, NULL, &options, &recorder));
    assert_near(run_time(&r), 1.5, 1e-12);
    record_steps(&r, recorder, -1);
    assert_same_records(&w, shorter.path, whole.path);
    ss_record *record;
    assert_ok(&w, ss_record_open(w.context, shorter.path, &record));
    assert_string_equal(ss_record_scene_text(record), "longer");
    assert_string_equal(ss_record_scene_name(record), "ball");
    ss_record_close(record);
    run_destroy(&r);
    remove_folder(&dir);
}

/* As a killed run leaves it: the part file and its checkpoints, under another name. */
static void copy_part(const folder *dir, const char *name)
{
    char command[2048];
    snprintf(command, sizeof command,
             "cd '%s' && for f in a.h5.part-*; do cp $f %s${f#a.h5.part-????????????????}; done",
             dir->path, name);
    assert_int_equal(system(command), 0);
}

/* Runs some steps and then one more, later than the longest time between two commits. */
static void run_and_commit(run *r, ss_recorder *recorder, long steps)
{
    stopper s = {recorder, steps}, one = {recorder, 1};
    assert_int_equal(ss_simulation_run(r->simulation, stopper_observe, &s), SS_STOPPED);
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    assert_int_equal(ss_simulation_run(r->simulation, stopper_observe, &one), SS_STOPPED);
}

static void check_killed(int every, long steps, size_t length)
{
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5"), part = file_in(&dir, "killed");
    file_name copy = file_in(&dir, "copy.h5");
    world w = ball_world();
    run r = ball_run(&w, STEPS * BALL_STEP);
    ss_recorder_options options = ss_default_recorder();
    options.every = every;
    options.flush = 0.05;
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_create(r.simulation, path.path, &options, &recorder));
    run_and_commit(&r, recorder, steps);
    copy_part(&dir, "killed");
    assert_false(exists(path.path));
    ss_recorder_discard(recorder);
    ss_record *record;
    assert_ok(&w, ss_record_open(w.context, part.path, &record)); /* as it is */
    assert_int_equal(ss_record_length(record), length);
    ss_record_close(record);
    assert_ok(&w, ss_record_recover(w.context, part.path, copy.path));
    assert_ok(&w, ss_record_open(w.context, copy.path, &record));
    assert_int_equal(ss_record_length(record), length);
    assert_false(ss_record_finished(record));
    assert_true(ss_record_statistics(record).steps == (uint64_t)steps + 1);
    assert_string_equal(ss_record_note(record), "the run was killed");
    ss_record_close(record);
    run_destroy(&r);
    free(go_on(copy.path, every, -1).memory);
    free(go_on(path.path, every, -1).memory);
    w = moving_world();
    assert_same_records(&w, path.path, copy.path);
    world_destroy(&w);
    remove_folder(&dir);
}

static void a_killed_run_is_recovered_and_resumed(void **state)
{
    (void)state;
    check_killed(1, CHUNK + 100, CHUNK + 102);
    check_killed(1, CHUNK - 2, CHUNK); /* a whole chunk */
    check_killed(7, 1000, 1 + 1001 / 7);
    check_killed(7, 1001, 1 + 1002 / 7 + 1); /* and a state between two recorded ones */
}

/* One checkpoint is damaged: the one before it is taken. Both: that is said. */
static void a_damaged_checkpoint_costs_one_commit(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5"), part = file_in(&dir, "killed");
    world w = ball_world();
    run r = ball_run(&w, STEPS * BALL_STEP);
    ss_recorder_options options = ss_default_recorder();
    options.flush = 0.05;
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_create(r.simulation, path.path, &options, &recorder));
    run_and_commit(&r, recorder, 100);
    double before = run_time(&r);
    run_and_commit(&r, recorder, CHUNK);
    double after = run_time(&r);
    size_t lengths[3];
    for (int damaged = 0; damaged < 3; damaged++) {
        char command[1400];
        copy_part(&dir, "killed");
        for (int i = 0; i < 2; i++) {
            snprintf(command, sizeof command,
                     "printf x | dd of='%s.%d' bs=1 seek=200 conv=notrunc 2>/dev/null", part.path,
                     i);
            if (damaged == 2 || damaged == i)
                assert_int_equal(system(command), 0);
        }
        ss_record *record;
        ss_status status = ss_record_open(w.context, part.path, &record);
        assert_int_equal(status, damaged == 2 ? SS_INPUT : SS_OK);
        lengths[damaged] = damaged == 2 ? 0 : ss_record_length(record);
        ss_record_close(record);
    }
    assert_non_null(strstr(ss_context_message(w.context), "holds no whole checkpoint"));
    size_t least = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
    assert_int_equal(lengths[0] + lengths[1] - least, (size_t)lround(after / BALL_STEP) + 1);
    assert_true(least >= (size_t)lround(before / BALL_STEP) + 1);
    ss_recorder_discard(recorder);
    run_destroy(&r);
    remove_folder(&dir);
}

static void records_of_other_models_are_refused(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    record_ball(path.path, 0.1, 1);
    world w = moving_world();
    add_system(&w, "ball", "point", "dim", "3", "mass", "2");
    run r = run_create(&w, 1e-3, 1, 0);
    ss_recorder *recorder;
    assert_int_equal(ss_recorder_resume(r.simulation, path.path, NULL, NULL, &recorder), SS_INPUT);
    assert_non_null(strstr(ss_context_message(w.context), "is of another model: its coordinates"));
    assert_null(recorder);
    assert_true(run_time(&r) == 0);
    run_destroy(&r);
    remove_folder(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paused_once_in_the_middle_of_a_buffer),
        cmocka_unit_test(paused_between_two_recorded_states),
        cmocka_unit_test(paused_at_the_end_of_a_chunk),
        cmocka_unit_test(paused_again_and_again),
        cmocka_unit_test(resuming_without_a_step_changes_nothing),
        cmocka_unit_test(a_finished_run_goes_on),
        cmocka_unit_test(a_killed_run_is_recovered_and_resumed),
        cmocka_unit_test(a_damaged_checkpoint_costs_one_commit),
        cmocka_unit_test(records_of_other_models_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
