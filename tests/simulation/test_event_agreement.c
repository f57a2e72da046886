/* test_event_agreement.c: random planar systems with one to six contacts, event-driven and augmented: both go the same way to
 * 1e-8 m, rad, m/s and rad/s.
 *
 * A body with corners falls on a floor, or between a floor and a wall, some on a spring, with friction and with or without
 * restitution. Compared is the time until impacts accumulate: as long as fewer than MOST_IMPACTS have happened, and the next
 * ones do not follow each other within MOST_DENSE. Each impact multiplies what two methods differ by.
 */
#include "random.h"
#include "simulation/run.h"

enum { SYSTEMS = 100, MOST_IMPACTS = 12, SAMPLES = 40 };
static const double END = 1.2, AGREE = 1e-8;

typedef struct path {
    int count, events;
    double q[SAMPLES][3], u[SAMPLES][3];
    double until; /* time of the last event before they become too many */
} path;

/* The same system for the same seed. */
static int build(world *w, uint64_t seed)
{
    random_state random = {.state = seed};
    char text[160], name[16];
    int points = 1 + random_below(&random, 6);
    bool elastic = random_unit(&random) < 0.5, wall = random_unit(&random) < 0.4;
    snprintf(text, sizeof text, "0 %.17g %.17g", random_between(&random, 0.6, 0.9),
             random_between(&random, -3, 3));
    add_system(w, "body", "planar_body", "mass", "0.8", "inertia", "0.05", "position", text,
               "velocity", wall ? "1.5 0 2" : "0.5 0 2");
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    if (random_unit(&random) < 0.4)
        add_force(w, "spring", "spring", "system", "body", "to_point", "0 1", "stiffness", "30",
                  "length", "0.4");
    for (int i = 0; i < points; i++) {
        double angle = 2 * acos(-1) * (i + random_between(&random, 0, 0.8)) / points;
        double radius = random_between(&random, 0.2, 0.5);
        bool beside = wall && i % 2 == 1;
        snprintf(name, sizeof name, "p%d", i);
        snprintf(text, sizeof text, "%.17g %.17g", radius * cos(angle), radius * sin(angle));
        add_element(w, name, "plane", "system", "body", "point", text, "normal",
                    beside ? "-1 0" : "0 1", "through", beside ? "0.8 0" : "0 0");
        add_law(w, name, "gap", "unilateral", "tolerance", "0", "restitution",
                elastic && i % 3 == 0 ? "0.4" : "0");
        add_law(w, name, "slip", "friction", "mu", random_unit(&random) < 0.5 ? "0.2" : "0.5");
    }
    return points;
}

static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    path *p = user;
    double t = ss_state_time(step->state);
    (void)simulation;
    p->events += step->n_switches; if (getenv("SHOW")) print_message("%s t %.15g dt %.3g order %d n %d q %.17g %.17g\n", "", t, ss_state_dt(step->state), step->order, step->n_switches, ss_state_q(step->state)[1], ss_state_u(step->state)[1]); if (getenv("SHOW")) { ss_model_size z = ss_model_sizes(ss_simulation_model(simulation)); print_message("    "); for (int l = 0; l < z.n_laws; l++) print_message(" %d/%g(%.3g)", ss_state_mode(step->state)[l], step->order ? ss_state_memory(step->state)[3 + l] : 0, ss_state_P(step->state)[l] / ss_state_dt(step->state)); print_message("\n"); }
    int i = (int)lround(t / END * SAMPLES) - 1;
    if (i < 0 || fabs(t - END * (i + 1) / SAMPLES) > 1e-13)
        return SS_OK;
    memcpy(p->q[i], ss_state_q(step->state), sizeof p->q[i]);
    memcpy(p->u[i], ss_state_u(step->state), sizeof p->u[i]);
    p->count = i + 1;
    return SS_OK;
}

static path follow(uint64_t seed, const char *type)
{
    world w = moving_world();
    run r = {.w = &w};
    path p = {0};
    ss_args *args;
    bool augmented = strcmp(type, "augmented") == 0;
    build(&w, seed);
    assert_ok(&w, ss_model_seal(w.model));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "tolerance", getenv("TOL") ? atof(getenv("TOL")) : 1e-15));
    assert_ok(&w, ss_solver_create(w.context, getenv("SOL") ? getenv("SOL") : "auto", args, NULL, &r.solver));
    ss_args_destroy(args);
    assert_ok(&w, ss_scheme_create(w.context, "moreau", NULL, NULL, &r.scheme));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "end", END));
    assert_ok(&w, ss_args_set_text(args, "on_failure", "warn"));
    if (augmented) {
        double times[SAMPLES];
        for (int i = 0; i < SAMPLES; i++)
            times[i] = END * (i + 1) / SAMPLES;
        assert_ok(&w, ss_args_set_reals(args, "breaks", SAMPLES, times));
        assert_ok(&w, ss_args_set_real(args, "step_max", 0.01));
        assert_ok(&w, ss_args_set_real(args, "step_min", 1e-12));
        assert_ok(&w, ss_args_set_real(args, "order_max", 8));
        assert_ok(&w, ss_args_set_real(args, "absolute_q", 1e-13));
        assert_ok(&w, ss_args_set_real(args, "absolute_u", 1e-12));
        assert_ok(&w, ss_args_set_real(args, "relative_q", 1e-13));
        assert_ok(&w, ss_args_set_real(args, "relative_u", 1e-12));
    } else {
        assert_ok(&w, ss_args_set_real(args, "output", END / SAMPLES));
        assert_ok(&w, ss_args_set_real(args, "relative", 1e-12));
        assert_ok(&w, ss_args_set_real(args, "absolute", 1e-13));
    }
    assert_ok(&w, ss_simulation_create(w.model, r.solver, r.scheme, type, args, NULL, &r.simulation));
    ss_args_destroy(args);
    ss_status status = ss_simulation_run(r.simulation, observe, &p);
    if (status != SS_OK)
        print_message("system %d, %s: %s\n", (int)seed, type, ss_context_message(w.context));
    run_destroy(&r);
    return p;
}

static void test_random_systems_agree(void **state)
{
    (void)state;
    for (uint64_t k = getenv("FROM") ? (uint64_t)atoi(getenv("FROM")) : 1; k <= (getenv("TO") ? (uint64_t)atoi(getenv("TO")) : SYSTEMS); k++) {
        path e = follow(k, "event_driven"), a = follow(k, "augmented");
        double worst = 0, first = -1;
        for (int i = 0; i < SAMPLES && i < e.count && i < a.count; i++) {
            for (int j = 0; j < 3; j++)
                worst = fmax(worst, fmax(fabs(e.q[i][j] - a.q[i][j]), fabs(e.u[i][j] - a.u[i][j])));
            if (worst > AGREE && first < 0)
                first = END * (i + 1) / SAMPLES;
        }
        print_message("system %d: %d and %d samples, %d and %d events, worst %g, from %g s\n", (int)k, e.count, a.count,
                      e.events, a.events, worst, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_systems_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
