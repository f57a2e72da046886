/* test_csv.c: comma-separated values. */
#include "record/ball.h"

#include <locale.h>

typedef struct fixture {
    folder dir;
    file_name csv;
    world w;
    ss_record *record;
} fixture;

static void open_fixture(fixture *f)
{
    f->dir = make_folder();
    f->csv = file_in(&f->dir, "ball.csv");
    file_name path = file_in(&f->dir, "ball.h5");
    record_ball(path.path, 1.5, 1);
    f->w = moving_world();
    assert_ok(&f->w, ss_record_open(f->w.context, path.path, &f->record));
}

static void close_fixture(fixture *f)
{
    ss_record_close(f->record);
    world_destroy(&f->w);
    remove_folder(&f->dir);
}

/* Every number that is read back is the very same. */
static void compare_line(const char *line, size_t columns, const double *row)
{
    char *end;
    for (size_t i = 0; i < columns; i++) {
        double value = strtod(line, &end);
        assert_true(value == row[i]);
        assert_int_equal(*end, i + 1 < columns ? ',' : '\n');
        line = end + 1;
    }
}

static void compare_file(fixture *f)
{
    size_t columns = ss_record_column_count(f->record), length = ss_record_length(f->record);
    double *row = calloc(columns, sizeof *row);
    char line[8192];
    FILE *file = fopen(f->csv.path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(strncmp(line, "t,dt,ball.x,ball.y,", 19), 0);
    for (size_t i = 0; i < length; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_ok(&f->w, ss_record_row(f->record, i, row));
        compare_line(line, columns, row);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    free(row);
}

static void all_columns_come_back_unchanged(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    assert_ok(&f.w, ss_record_export_csv(f.record, f.csv.path));
    compare_file(&f);
    close_fixture(&f);
}

/* A program with a decimal comma writes points all the same. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
        close_fixture(&f);
        skip();
    }
    assert_ok(&f.w, ss_record_export_csv(f.record, f.csv.path));
    setlocale(LC_NUMERIC, "C");
    compare_file(&f);
    close_fixture(&f);
}

static void expressions_are_quoted_where_needed(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    static const char *const expressions[] = {"t", "max(ball.x, 0)", "ball.z'"};
    char line[1024];
    FILE *file = fopen(f.csv.path, "w+");
    assert_ok(&f.w, ss_record_write_csv(f.record, 3, expressions, file));
    rewind(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "t,\"max(ball.x, 0)\",ball.z'\n");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "0,0,0\n");
    fclose(file);
    close_fixture(&f);
}

static void faults_are_reported(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    static const char *const expressions[] = {"nothing"};
    assert_int_equal(ss_record_export_csv(f.record, f.dir.path), SS_IO);
    assert_non_null(strstr(ss_context_message(f.w.context), "Is a directory"));
    assert_int_not_equal(ss_record_write_csv(f.record, 1, expressions, stderr), SS_OK);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_int_equal(ss_record_write_csv(f.record, 0, NULL, full), SS_IO);
        assert_non_null(strstr(ss_context_message(f.w.context), "No space left on device"));
        fclose(full);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_come_back_unchanged),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(expressions_are_quoted_where_needed),
        cmocka_unit_test(faults_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
