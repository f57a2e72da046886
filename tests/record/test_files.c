/* test_files.c: files that cannot be written, that are no records, and records that last. */
#include "record/ball.h"

#include <hdf5.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void assert_says(const world *w, const char *part)
{
    if (!strstr(ss_context_message(w->context), part))
        fail_msg("'%s' does not say '%s'", ss_context_message(w->context), part);
}

static void refuse_open(const char *path, ss_status status, const char *part)
{
    world w = moving_world();
    ss_record *record;
    assert_int_equal(ss_record_open(w.context, path, &record), status);
    assert_null(record);
    assert_says(&w, part);
    world_destroy(&w);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char *read_all(const char *path, size_t *size)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    char *bytes = malloc((size_t)status.st_size + 1);
    FILE *file = fopen(path, "rb");
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

static void the_same_run_gives_the_same_file(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name a = file_in(&dir, "a.h5"), b = file_in(&dir, "b.h5");
    record_ball(a.path, 2.4, 1);
    sleep(1); /* a time in the file would differ */
    record_ball(b.path, 2.4, 1);
    size_t n = 0, m = 0;
    char *x = read_all(a.path, &n), *y = read_all(b.path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
    remove_folder(&dir);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    refuse_open(path.path, SS_IO, "cannot open it: No such file or directory");
    write_text(path.path, "not HDF5\n");
    refuse_open(path.path, SS_INPUT, "is not a record: records are HDF5 files");
    refuse_open(dir.path, SS_INPUT, "is not a record");
    hid_t file = H5Fcreate(path.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refuse_open(path.path, SS_INPUT, "is an HDF5 file but not a record of stickslip");
    remove_folder(&dir);
}

static void records_of_other_versions_are_refused(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    record_ball(path.path, 0.1, 1);
    hid_t file = H5Fopen(path.path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t version = H5Aopen(file, "format_version", H5P_DEFAULT);
    uint64_t later = 99;
    H5Awrite(version, H5T_NATIVE_UINT64, &later);
    H5Aclose(version);
    H5Fclose(file);
    refuse_open(path.path, SS_UNSUPPORTED, "(format 99); this program reads format 2");
    remove_folder(&dir);
}

/* Takes something away from a record, or puts another dataset in its place. */
static void damage(const char *path, const char *set, bool replace)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, set, H5P_DEFAULT) >= 0);
    if (replace) {
        hsize_t extent[3] = {2, 2, 2};
        hid_t space = H5Screate_simple(3, extent, NULL);
        hid_t made =
            H5Dcreate2(file, set, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dclose(made);
        H5Sclose(space);
    }
    H5Fclose(file);
}

static void damaged_records_are_refused(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "/time",           "/q",
        "/mode",           "/energy/balance",
        "/solver/outcome", "/names/q",
        "/names/u",        "/names/rows",
        "/names/laws",     "/laws/rows",
        "/laws/type",      "/laws/constraint_word",
        "/events/law",     "/events/impulse",
        "/scene/text",     "/scene/parameters/value",
        "/statistics",     "/checkpoint",
    };
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    for (size_t i = 0; i < 2 * sizeof sets / sizeof *sets; i++) {
        record_ball(path.path, 0.01, 1);
        damage(path.path, sets[i / 2], i % 2);
        world w = moving_world();
        ss_record *record;
        ss_status status = ss_record_open(w.context, path.path, &record);
        if (i / 2 < 17) { /* without a checkpoint a record can be read */
            assert_int_not_equal(status, SS_OK);
            assert_says(&w, "is damaged");
        } else {
            assert_ok(&w, status);
        }
        ss_record_close(record);
        world_destroy(&w);
    }
    remove_folder(&dir);
}

static void a_record_without_checkpoint_cannot_be_resumed(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    record_ball(path.path, 0.01, 1);
    damage(path.path, "/checkpoint", false);
    world w = ball_world();
    run r = ball_run(&w, 1);
    ss_recorder *recorder;
    assert_int_equal(ss_recorder_resume(r.simulation, path.path, NULL, NULL, &recorder), SS_INPUT);
    assert_says(&w, "is damaged");
    assert_null(recorder);
    run_destroy(&r);
    remove_folder(&dir);
}

static void refuse_create(run *r, const char *path, const char *part)
{
    ss_recorder *recorder;
    assert_int_equal(ss_recorder_create(r->simulation, path, NULL, &recorder), SS_IO);
    assert_null(recorder);
    assert_says(r->w, part);
}

static void places_that_cannot_be_written_are_named(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name file = file_in(&dir, "file"), below = file_in(&dir, "file/a.h5");
    file_name missing = file_in(&dir, "missing/a.h5"), taken = file_in(&dir, "taken");
    world w = ball_world();
    run r = ball_run(&w, 0.01);
    write_text(file.path, "");
    refuse_create(&r, below.path, "cannot create it: Not a directory");
    refuse_create(&r, missing.path, "cannot create it: No such file or directory");
    mkdir(taken.path, 0777);
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_create(r.simulation, taken.path, NULL, &recorder));
    assert_ok(&w, ss_simulation_run(r.simulation, ss_recorder_observe, recorder));
    assert_int_equal(ss_recorder_close(recorder), SS_IO);
    assert_says(&w, "cannot give it its name: Is a directory");
    run_destroy(&r);
    remove_folder(&dir);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    world w = ball_world();
    run r = ball_run(&w, 0.01);
    ss_recorder_options options = ss_default_recorder();
    ss_recorder *recorder;
    options.every = 0;
    assert_refused(&w, ss_recorder_create(r.simulation, "/tmp/never.h5", &options, &recorder),
                   "record: every is 0; it must be 1 … 1e9");
    run_destroy(&r);
}

/* An old record stays until the new one is whole; a discarded one never replaces it. */
static void an_old_record_stays_until_the_new_one_is_whole(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    write_text(path.path, "old");
    world w = ball_world();
    run r = ball_run(&w, 0.1);
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_create(r.simulation, path.path, NULL, &recorder));
    assert_ok(&w, ss_simulation_run(r.simulation, ss_recorder_observe, recorder));
    size_t size = 0;
    char *bytes = read_all(path.path, &size);
    assert_int_equal(size, 3);
    free(bytes);
    ss_recorder_discard(recorder);
    assert_true(exists(path.path));
    char command[700];
    snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = 1", dir.path);
    assert_int_equal(system(command), 0);
    run_destroy(&r);
    remove_folder(&dir);
}

static void models_without_laws_or_systems_can_be_recorded(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    world w = moving_world();
    add_system(&w, "cart", "point", "dim", "1", "mass", "1", "velocity", "0.5");
    run r = run_create(&w, 0.25, 1, 0);
    ss_recorder *recorder;
    ss_record *record;
    assert_ok(&w, ss_recorder_create(r.simulation, path.path, NULL, &recorder));
    record_steps(&r, recorder, -1);
    assert_ok(&w, ss_record_open(w.context, path.path, &record));
    assert_int_equal(ss_record_length(record), 5);
    double x[5];
    assert_ok(&w, ss_record_evaluate(record, &(ss_text){"x", {0}}, x));
    for (int i = 0; i < 5; i++)
        assert_near(x[i], 0.125 * i, 1e-15);
    ss_record_close(record);
    run_destroy(&r);
    remove_folder(&dir);
}

static file_name find_part(const folder *dir)
{
    char command[700];
    file_name part = {""};
    snprintf(command, sizeof command, "ls '%s'/*.part-????????????????", dir->path);
    FILE *list = popen(command, "r");
    if (!list || fscanf(list, "%511s", part.path) != 1)
        fail_msg("no part file is left");
    pclose(list);
    return part;
}

/* The file system is full (here: no file may grow beyond a limit): the run ends, what was committed stays and goes on
 * when there is space again. */
static void a_full_disk_ends_the_record(void **state)
{
    (void)state;
    folder dir = make_folder();
    file_name path = file_in(&dir, "a.h5");
    world w = ball_world();
    run r = ball_run(&w, 60);
    ss_recorder *recorder;
    ss_record *record;
    struct rlimit before, limit;
    ss_recorder_options options = ss_default_recorder();
    options.flush = 0.01;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 120000;
    assert_ok(&w, ss_recorder_create(r.simulation, path.path, &options, &recorder));
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(ss_simulation_run(r.simulation, ss_recorder_observe, recorder), SS_IO);
    assert_says(&w, "cannot write it: File too large");
    double failed = run_time(&r);
    assert_int_equal(ss_recorder_close(recorder), SS_IO);
    assert_says(&w, "writing failed; its run up to t = ");
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(exists(path.path));
    file_name part = find_part(&dir);
    assert_ok(&w, ss_record_open(w.context, part.path, &record));
    size_t length = ss_record_length(record);
    assert_true(length >= 1 && (double)length * BALL_STEP <= failed + BALL_STEP);
    ss_record_close(record);
    assert_ok(&w, ss_recorder_resume(r.simulation, part.path, path.path, NULL, &recorder));
    assert_near(run_time(&r), (double)(length - 1) * BALL_STEP, 1e-9);
    ss_recorder_discard(recorder);
    run_destroy(&r);
    remove_folder(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run_gives_the_same_file),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(records_of_other_versions_are_refused),
        cmocka_unit_test(damaged_records_are_refused),
        cmocka_unit_test(a_record_without_checkpoint_cannot_be_resumed),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(an_old_record_stays_until_the_new_one_is_whole),
        cmocka_unit_test(models_without_laws_or_systems_can_be_recorded),
        cmocka_unit_test(a_full_disk_ends_the_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
