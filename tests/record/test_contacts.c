/* test_contacts.c: the contacts of shapes in a record. */
#include "record/heap.h"

enum { BALLS = 3, STEPS = 400, SHAPES = BALLS + 1 };

static const double STEP = 1e-3, MASS = 2, GRAVITY = 9.81;

static run heap_run(world *w)
{
    return run_create(w, STEP, STEPS * STEP, 0);
}

/* Records `steps` steps from the start (path does not exist yet) or from where the record ends. */
static void go_on(const char *path, ss_recorder_options options, long steps, void **state)
{
    world w = heap_world(NULL);
    run r = heap_run(&w);
    ss_recorder *recorder;
    if (exists(path))
        assert_ok(&w, ss_recorder_resume(r.simulation, path, NULL, NULL, &recorder));
    else
        assert_ok(&w, ss_recorder_create(r.simulation, path, &options, &recorder));
    record_steps(&r, recorder, steps);
    if (state) {
        const ss_state *s = ss_simulation_state(r.simulation);
        *state = malloc(ss_state_bytes(s));
        memcpy(*state, s, ss_state_bytes(s));
    }
    run_destroy(&r);
}

typedef struct fixture {
    folder dir;
    file_name path;
    world w;
    ss_record *record;
} fixture;

static fixture open_record(int every, ss_record_contacts which, int contacts_every)
{
    fixture f = {.dir = make_folder(), .w = moving_world()};
    ss_recorder_options options = ss_default_recorder();
    options.every = every;
    options.contacts = which;
    options.contacts_every = contacts_every;
    f.path = file_in(&f.dir, "heap.h5");
    go_on(f.path.path, options, -1, NULL);
    assert_ok(&f.w, ss_record_open(f.w.context, f.path.path, &f.record));
    return f;
}

static void close_record(fixture *f)
{
    ss_record_close(f->record);
    world_destroy(&f->w);
    remove_folder(&f->dir);
}

static int read_contacts(fixture *f, size_t row, ss_contact *contacts)
{
    int count = ss_record_contact_count(f->record, row);
    assert_true(count <= 16);
    assert_ok(&f->w, ss_record_read_contacts(f->record, row, contacts));
    return count;
}

/* m (u_E - u_B) = m g dt + Σ P for every ball and every step, with P read from the record. */
static void momentum_is_balanced(void **state)
{
    (void)state;
    fixture f = open_record(1, SS_RECORD_ALL_CONTACTS, 1);
    size_t columns = ss_record_column_count(f.record), speed = column_of(f.record, "a.x'");
    double *values = calloc(2 * columns, sizeof *values);
    int touching = 0;
    assert_int_equal(ss_record_length(f.record), STEPS + 1);
    for (size_t row = 1; row <= STEPS; row++) {
        ss_contact contacts[16];
        int count = read_contacts(&f, row, contacts);
        assert_ok(&f.w, ss_record_states(f.record, row - 1, 2, values));
        for (int ball = 0; ball < BALLS; ball++) {
            const double *B = values + speed + 6 * ball, *E = B + columns;
            double sum[3] = {0, 0, -MASS * GRAVITY * STEP};
            for (int i = 0; i < count; i++)
                for (int k = 0; k < 3; k++)
                    sum[k] += (contacts[i].b == ball + 1   ? 1
                               : contacts[i].a == ball + 1 ? -1
                                                           : 0) *
                              contacts[i].P[k];
            for (int k = 0; k < 3; k++)
                assert_near(MASS * (E[k] - B[k]), sum[k], 1e-12);
        }
        touching += count;
    }
    assert_true(touching > STEPS);
    free(values);
    close_record(&f);
}

/* Geometry from the positions alone: a point on both balls, the normal along the line of centres. */
static void points_and_normals(void **state)
{
    (void)state;
    fixture f = open_record(1, SS_RECORD_ALL_CONTACTS, 1);
    int pairs = 0, floors = 0;
    for (size_t row = 1; row <= STEPS; row++) {
        ss_contact c[16];
        int count = read_contacts(&f, row, c);
        for (int i = 0; i < count; i++) {
            assert_int_equal(c[i].element, 0);
            assert_true(c[i].a < c[i].b && c[i].b < SHAPES);
            assert_near(hypot(hypot(c[i].n[0], c[i].n[1]), c[i].n[2]), 1, 1e-12);
            double P_N = c[i].P[0] * c[i].n[0] + c[i].P[1] * c[i].n[1] + c[i].P[2] * c[i].n[2];
            double P_T = hypot(hypot(c[i].P[0] - P_N * c[i].n[0], c[i].P[1] - P_N * c[i].n[1]),
                               c[i].P[2] - P_N * c[i].n[2]);
            assert_true(P_N >= 0 && P_T <= 0.3 * P_N + 1e-9);
            if (c[i].slips)
                assert_true(c[i].closed && P_T >= 0.3 * P_N - 1e-8);
            if (c[i].a == 0) {
                assert_near(c[i].n[2], 1, 1e-15);
                assert_near(c[i].x[2], c[i].gap / 2, 1e-12);
            }
            floors += c[i].a == 0;
            pairs += c[i].a > 0;
        }
    }
    assert_true(floors > 100 && pairs > 10);
    close_record(&f);
}

static void shapes_are_there(void **state)
{
    (void)state;
    fixture f = open_record(1, SS_RECORD_ALL_CONTACTS, 1);
    assert_int_equal(ss_record_shape_count(f.record), SHAPES);
    ss_recorded_shape floor = ss_record_shape(f.record, 0), ball = ss_record_shape(f.record, 2);
    assert_string_equal(floor.type, "plane");
    assert_string_equal(floor.system, "");
    assert_string_equal(ball.name, "b");
    assert_string_equal(ball.system, "b");
    assert_true(ball.radius == 0.1 && floor.radius == 0);
    assert_true(ball.rotation[0] == 1 && ball.rotation[1] == 0);
    assert_int_equal(ss_record_mesh_count(f.record), 2); /* one for all balls */
    assert_int_equal(ball.mesh, ss_record_shape(f.record, 3).mesh);
    ss_triangles mesh = ss_record_mesh(f.record, ball.mesh);
    for (int i = 0; i < mesh.n_points; i++)
        assert_near(
            hypot(hypot(mesh.points[3 * i], mesh.points[3 * i + 1]), mesh.points[3 * i + 2]), 0.1,
            1e-12);
    assert_int_equal(ss_record_element_count(f.record), 1);
    assert_string_equal(ss_record_element_name(f.record, 0), "contact");
    close_record(&f);
}

static void some_or_none(void **state)
{
    (void)state;
    fixture all = open_record(1, SS_RECORD_ALL_CONTACTS, 1);
    fixture closed = open_record(1, SS_RECORD_CLOSED_CONTACTS, 7);
    fixture none = open_record(1, SS_RECORD_NO_CONTACTS, 1);
    assert_true(ss_record_has_contacts(all.record) && ss_record_has_contacts(closed.record));
    assert_false(ss_record_has_contacts(none.record));
    for (size_t row = 0; row <= STEPS; row++) {
        ss_contact a[16], b[16];
        int n = read_contacts(&all, row, a), m = read_contacts(&closed, row, b), k = 0;
        assert_int_equal(ss_record_contact_count(none.record, row), -1);
        if (row % 7 != 0) {
            assert_int_equal(m, -1);
            continue;
        }
        for (int i = 0; i < n; i++)
            if (a[i].closed)
                assert_memory_equal(&a[i], &b[k++], sizeof *a);
        assert_int_equal(k, m);
    }
    close_record(&all);
    close_record(&closed);
    close_record(&none);
}

static void assert_same_contacts(const char *path, const char *other)
{
    fixture a = {.w = moving_world()}, b = {.w = moving_world()};
    assert_ok(&a.w, ss_record_open(a.w.context, path, &a.record));
    assert_ok(&b.w, ss_record_open(b.w.context, other, &b.record));
    assert_int_equal(ss_record_length(a.record), ss_record_length(b.record));
    for (size_t row = 0; row < ss_record_length(a.record); row++) {
        ss_contact x[16], y[16];
        int n = read_contacts(&a, row, x);
        assert_int_equal(read_contacts(&b, row, y), n);
        assert_memory_equal(x, y, (size_t)(n > 0 ? n : 0) * sizeof *x);
    }
    ss_record_close(a.record);
    ss_record_close(b.record);
    world_destroy(&a.w);
    world_destroy(&b.w);
}

static void compare(int every, int contacts_every, const long *pauses)
{
    folder dir = make_folder();
    file_name whole = file_in(&dir, "whole.h5"), pieces = file_in(&dir, "pieces.h5");
    ss_recorder_options options = ss_default_recorder();
    options.every = every;
    options.contacts_every = contacts_every;
    void *a, *b;
    go_on(whole.path, options, -1, &a);
    for (int i = 0; pauses[i]; i++)
        go_on(pieces.path, options, pauses[i], NULL);
    go_on(pieces.path, options, -1, &b);
    assert_memory_equal(a, b, ss_state_bytes(a));
    assert_same_contacts(whole.path, pieces.path);
    free(a);
    free(b);
    remove_folder(&dir);
}

static void paused_runs_are_the_same(void **state)
{
    (void)state;
    compare(1, 1, (const long[]){150, 0});
    compare(1, 1, (const long[]){1, 120, 2, 133, 0});
    compare(7, 1, (const long[]){200, 1, 0}); /* the last state is there for the pause only */
    compare(1, 5, (const long[]){103, 31, 0});
}

static void options_are_checked(void **state)
{
    (void)state;
    world w = heap_world(NULL);
    run r = heap_run(&w);
    ss_recorder_options options = ss_default_recorder();
    options.contacts_every = -1;
    ss_recorder *recorder;
    assert_int_equal(ss_recorder_create(r.simulation, "x.h5", &options, &recorder), SS_INPUT);
    assert_non_null(strstr(ss_context_message(w.context), "contacts_every"));
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_balanced),     cmocka_unit_test(points_and_normals),
        cmocka_unit_test(shapes_are_there),         cmocka_unit_test(some_or_none),
        cmocka_unit_test(paused_runs_are_the_same), cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
