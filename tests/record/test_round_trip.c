/* test_round_trip.c: what was seen is what is read. */
#include "record/ball.h"

enum { STEPS = 1500, N_Q = 4, N_U = 4, N_ROWS = 3, N_LAWS = 2 };

/* One state as an observer saw it, beside the recorder. */
typedef struct seen {
    double t, dt, q[N_Q], u[N_U], P[N_ROWS];
    int mode[N_LAWS];
    ss_energy energy;
    int iterations;
    double residual;
} seen;

typedef struct witness {
    ss_recorder *recorder;
    size_t count;
    seen *states;
    size_t n_switches;
    ss_switch switches[256];
    double impulses[256];
} witness;

static seen look(ss_simulation *simulation, const ss_step *step)
{
    const ss_state *s = step->state;
    seen n = {.t = ss_state_time(s), .dt = ss_state_dt(s)};
    memcpy(n.q, ss_state_q(s), sizeof n.q);
    memcpy(n.u, ss_state_u(s), sizeof n.u);
    memcpy(n.P, ss_state_P(s), sizeof n.P);
    memcpy(n.mode, ss_state_mode(s), sizeof n.mode);
    assert_int_equal(ss_work_energy(ss_simulation_work(simulation), s, &n.energy), SS_OK);
    n.iterations = step->report ? step->report->iterations : 0;
    n.residual = step->report ? step->report->residual.value : 0;
    return n;
}

static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    witness *w = user;
    assert_true(w->count <= STEPS);
    w->states[w->count++] = look(simulation, step);
    for (int i = 0; i < step->n_switches; i++) {
        const double *P = ss_state_P(step->state);
        bool gap = step->switches[i].law == 0;
        assert_true(w->n_switches < 256);
        w->impulses[w->n_switches] = gap ? fabs(P[0]) : hypot(P[1], P[2]);
        w->switches[w->n_switches++] = step->switches[i];
    }
    return ss_recorder_observe(w->recorder, simulation, step);
}

typedef struct fixture {
    folder dir;
    file_name path;
    world w;
    run r;
    witness seen;
    ss_record *record;
} fixture;

static void open_fixture(fixture *f, int every)
{
    f->dir = make_folder();
    f->path = file_in(&f->dir, "ball.h5");
    f->w = ball_world();
    f->r = ball_run(&f->w, STEPS * BALL_STEP);
    f->seen = (witness){.states = calloc(STEPS + 1, sizeof(seen))};
    ss_recorder_options options = {every, "the name", "the: text\n# größer\n", "/the/folder"};
    assert_ok(&f->w,
              ss_recorder_create(f->r.simulation, f->path.path, &options, &f->seen.recorder));
    assert_ok(&f->w, ss_simulation_run(f->r.simulation, observe, &f->seen));
    assert_ok(&f->w, ss_recorder_close(f->seen.recorder));
    assert_ok(&f->w, ss_record_open(f->w.context, f->path.path, &f->record));
}

static void close_fixture(fixture *f)
{
    ss_record_close(f->record);
    run_destroy(&f->r);
    free(f->seen.states);
    remove_folder(&f->dir);
}

static void assert_column(const fixture *f, const double *row, const char *name, double expected)
{
    double value = row[column_of(f->record, name)];
    if (memcmp(&value, &expected, sizeof value) != 0 && value != expected)
        fail_msg("%s is %.17g, not %.17g", name, value, expected);
}

static void check_law_columns(const fixture *f, const double *row, const seen *s)
{
    double dt = s->dt > 0 ? s->dt : INFINITY;
    assert_column(f, row, "floor.gap.gap", s->q[2]); /* the plane z = 0 */
    assert_column(f, row, "floor.gap.gamma", s->u[2]);
    assert_column(f, row, "floor.gap.P", s->P[0]);
    assert_column(f, row, "floor.slip.P.1", s->P[1]);
    assert_column(f, row, "floor.slip.P.2", s->P[2]);
    assert_column(f, row, "floor.gap.force", s->P[0] / dt);
    assert_column(f, row, "floor.slip.force.2", s->P[2] / dt);
    assert_column(f, row, "floor.gap.mode", s->mode[0]);
    assert_column(f, row, "floor.slip.mode", s->mode[1]);
    assert_near(hypot(row[column_of(f->record, "floor.slip.gamma.1")],
                      row[column_of(f->record, "floor.slip.gamma.2")]),
                hypot(s->u[0], s->u[1]), 1e-15);
}

static void check_energies(const fixture *f, const double *row, const seen *s)
{
    ss_energy first = f->seen.states[0].energy, e = s->energy;
    assert_column(f, row, "energy.kinetic", e.kinetic);
    assert_column(f, row, "energy.potential", e.potential);
    assert_column(f, row, "energy.dissipated", e.dissipated);
    assert_column(f, row, "energy.load", e.load_work);
    double balance = e.kinetic + e.potential + e.dissipated - e.load_work;
    assert_near(row[column_of(f->record, "energy.balance")],
                balance - first.kinetic - first.potential, 1e-14);
    double u2 = s->u[0] * s->u[0] + s->u[1] * s->u[1] + s->u[2] * s->u[2];
    assert_near(e.kinetic, u2 + 0.5 * s->u[3] * s->u[3], 1e-13);
}

static void check_row(const fixture *f, const double *row, const seen *s)
{
    static const char *const q[N_Q] = {"ball.x", "ball.y", "ball.z", "cart.x"};
    static const char *const u[N_U] = {"ball.x'", "ball.y'", "ball.z'", "cart.x'"};
    assert_column(f, row, "t", s->t);
    assert_column(f, row, "dt", s->dt);
    for (int i = 0; i < N_Q; i++)
        assert_column(f, row, q[i], s->q[i]);
    for (int i = 0; i < N_U; i++)
        assert_column(f, row, u[i], s->u[i]);
    check_law_columns(f, row, s);
    check_energies(f, row, s);
    assert_column(f, row, "solver.iterations", s->iterations);
    assert_column(f, row, "solver.residual", s->residual);
    assert_column(f, row, "solver.outcome", SS_CONVERGED);
}

static void every_state_is_read_as_it_was_seen(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    assert_int_equal(ss_record_length(f.record), STEPS + 1);
    double *row = calloc(ss_record_column_count(f.record), sizeof *row);
    for (size_t i = 0; i <= STEPS; i++) {
        assert_ok(&f.w, ss_record_row(f.record, i, row));
        check_row(&f, row, &f.seen.states[i]);
    }
    assert_int_equal(ss_record_row(f.record, STEPS + 1, row), SS_INPUT);
    assert_non_null(strstr(ss_context_message(f.w.context), "has 1501 states"));
    free(row);
    close_fixture(&f);
}

/* 1500 steps, every 7th: 0, 7, … 1498, and the last. */
static void states_are_thinned_but_not_the_last(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 7);
    size_t length = STEPS / 7 + 2;
    assert_int_equal(ss_record_length(f.record), length);
    assert_int_equal(ss_record_every(f.record), 7);
    double *row = calloc(ss_record_column_count(f.record), sizeof *row);
    for (size_t i = 0; i < length; i++) {
        assert_ok(&f.w, ss_record_row(f.record, i, row));
        check_row(&f, row, &f.seen.states[i + 1 < length ? 7 * i : STEPS]);
    }
    free(row);
    close_fixture(&f);
}

static void every_switch_is_recorded(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 100);
    assert_true(f.seen.n_switches > 10);
    assert_int_equal(ss_record_event_count(f.record), f.seen.n_switches);
    for (size_t i = 0; i < f.seen.n_switches; i++) {
        ss_record_event e = ss_record_event_at(f.record, i);
        const ss_switch *s = &f.seen.switches[i];
        static const char *const words[2][2] = {{"closed", "open"}, {"stick", "slip"}};
        assert_true(e.t == s->t);
        assert_int_equal(e.index, s->law);
        assert_string_equal(e.law, s->law == 0 ? "floor.gap" : "floor.slip");
        assert_string_equal(e.from, words[s->law][s->from]);
        assert_string_equal(e.to, words[s->law][s->to]);
        assert_int_equal(e.constraint, s->to == SS_MODE_CONSTRAINT);
        assert_near(e.P, f.seen.impulses[i], 1e-15);
    }
    close_fixture(&f);
}

static void scene_laws_and_statistics_are_kept(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    assert_string_equal(ss_record_scene_name(f.record), "the name");
    assert_string_equal(ss_record_scene_text(f.record), "the: text\n# größer\n");
    assert_string_equal(ss_record_scene_folder(f.record), "/the/folder");
    assert_string_equal(ss_record_version(f.record), ss_version());
    assert_string_equal(ss_record_note(f.record), "");
    assert_true(ss_record_finished(f.record));
    ss_statistics s = ss_record_statistics(f.record);
    assert_memory_equal(&s, ss_state_statistics(ss_simulation_state(f.r.simulation)), sizeof s);
    assert_int_equal(ss_record_law_count(f.record), 2);
    ss_law_info slip = ss_record_law(f.record, 1), same = ss_model_law(f.w.model, 1);
    assert_string_equal(slip.name, same.name);
    assert_string_equal(slip.element, "floor");
    assert_string_equal(slip.type, "friction");
    assert_int_equal(slip.offset, same.offset);
    assert_int_equal(slip.dim, 2);
    assert_int_equal(slip.kind, SS_KINEMATIC);
    assert_int_equal(ss_record_parameter_count(f.record), 2);
    assert_string_equal(ss_record_parameter_name(f.record, 1), "weight");
    assert_true(ss_record_parameter_value(f.record, 1) == 2 * 9.81);
    close_fixture(&f);
}

static void columns_have_names_and_units(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        {"t", "s"},
        {"dt", "s"},
        {"ball.x", "m or rad"},
        {"ball.y", "m or rad"},
        {"ball.z", "m or rad"},
        {"cart.x", "m or rad"},
        {"ball.x'", "m/s or rad/s"},
        {"ball.y'", "m/s or rad/s"},
        {"ball.z'", "m/s or rad/s"},
        {"cart.x'", "m/s or rad/s"},
        {"floor.gap.gap", "m or rad"},
        {"floor.gap.gamma", "m/s or rad/s"},
        {"floor.gap.P", "N s or N m s"},
        {"floor.gap.force", "N or N m"},
        {"floor.gap.mode", ""},
        {"floor.slip.gamma.1", "m/s or rad/s"},
        {"floor.slip.gamma.2", "m/s or rad/s"},
        {"floor.slip.P.1", "N s or N m s"},
        {"floor.slip.P.2", "N s or N m s"},
        {"floor.slip.force.1", "N or N m"},
        {"floor.slip.force.2", "N or N m"},
        {"floor.slip.mode", ""},
        {"energy.kinetic", "J"},
        {"energy.potential", "J"},
        {"energy.dissipated", "J"},
        {"energy.load", "J"},
        {"energy.balance", "J"},
        {"solver.iterations", ""},
        {"solver.residual", ""},
        {"solver.outcome", ""},
        {"order", ""},
    };
    fixture f;
    open_fixture(&f, 500);
    size_t count = sizeof expected / sizeof *expected;
    assert_int_equal(ss_record_column_count(f.record), count);
    assert_int_equal(ss_record_position_count(f.record), N_Q);
    assert_int_equal(ss_record_velocity_count(f.record), N_U);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(ss_record_column_name(f.record, i), expected[i][0]);
        assert_string_equal(ss_record_column_unit(f.record, i), expected[i][1]);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_read_as_it_was_seen),
        cmocka_unit_test(states_are_thinned_but_not_the_last),
        cmocka_unit_test(every_switch_is_recorded),
        cmocka_unit_test(scene_laws_and_statistics_are_kept),
        cmocka_unit_test(columns_have_names_and_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
