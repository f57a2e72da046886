/* test_event_agreement.c: random planar systems with one to six contacts, event-driven and augmented: both
 * motions agree to 1e-8 m, rad, m/s and rad/s.
 *
 * A body with corners falls on a floor, or between a floor and a wall, some on a spring, with friction and with or without
 * restitution. Where impacts accumulate only the time before that is compared: up to the first of MANY switches within DENSE.
 */
#include "support/random.h"
#include "support/run.h"

enum { SYSTEMS = 100, SAMPLES = 40, MANY = 10 };
static const double END = 1.2, DENSE = 2e-3, AGREE = 1e-8;

typedef struct path {
    double q[SAMPLES][3], u[SAMPLES][3];
    double last[MANY]; /* times of the last switches */
    int switches;
    double until; /* where they become dense */
} path;

/* The same system for the same seed. */
static void build(world *w, uint64_t seed)
{
    random_state random = {.state = seed};
    char text[160], name[16];
    int points = 1 + random_below(&random, 6);
    bool elastic = random_unit(&random) < 0.5, wall = random_unit(&random) < 0.4;
    double height = random_between(&random, 0.6, 0.9), spin = random_between(&random, -3, 3);
    snprintf(text, sizeof text, "0 %.17g %.17g", height, spin);
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
}

static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    path *p = user;
    double t = ss_state_time(step->state);
    int i = (int)lround(t / END * SAMPLES) - 1;
    (void)simulation;
    for (int k = 0; k < step->n_switches; k++) {
        double *oldest = &p->last[p->switches++ % MANY];
        if (p->switches > MANY && t - *oldest < DENSE)
            p->until = fmin(p->until, *oldest);
        *oldest = t;
    }
    if (i < 0 || fabs(t - END * (i + 1) / SAMPLES) > 1e-13)
        return SS_OK;
    memcpy(p->q[i], ss_state_q(step->state), sizeof p->q[i]);
    memcpy(p->u[i], ss_state_u(step->state), sizeof p->u[i]);
    return SS_OK;
}

static void set_reals(world *w, ss_args *args, int count, const char *const *keys,
                      const double *values)
{
    for (int i = 0; i < count; i++)
        assert_ok(w, ss_args_set_real(args, keys[i], values[i]));
}

static void set_event_driven(world *w, ss_args *args)
{
    set_reals(w, args, 3, (const char *[]){"output", "relative", "absolute"},
              (const double[]){END / SAMPLES, 1e-12, 1e-13});
}

static void set_augmented(world *w, ss_args *args)
{
    double times[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        times[i] = END * (i + 1) / SAMPLES;
    assert_ok(w, ss_args_set_reals(args, "breaks", SAMPLES, times));
    set_reals(w, args, 7,
              (const char *[]){"step_max", "step_min", "order_max", "absolute_q", "absolute_u",
                               "relative_q", "relative_u"},
              (const double[]){0.01, 1e-12, 8, 1e-13, 1e-12, 1e-13, 1e-12});
}

/* Lemke's method solves planar friction exactly. */
static path follow(uint64_t seed, bool augmented)
{
    const char *type = augmented ? "augmented" : "event_driven";
    world w = moving_world();
    run r = {.w = &w};
    path p = {.until = END};
    ss_args *args;
    build(&w, seed);
    assert_ok(&w, ss_model_seal(w.model));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "tolerance", 1e-14));
    assert_ok(&w, ss_solver_create(w.context, "lemke", args, NULL, &r.solver));
    ss_args_destroy(args);
    assert_ok(&w, ss_scheme_create(w.context, "moreau", NULL, NULL, &r.scheme));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "end", END));
    assert_ok(&w, ss_args_set_text(args, "on_failure", "warn"));
    (augmented ? set_augmented : set_event_driven)(&w, args);
    assert_ok(&w,
              ss_simulation_create(w.model, r.solver, r.scheme, type, args, NULL, &r.simulation));
    ss_args_destroy(args);
    if (ss_simulation_run(r.simulation, observe, &p) != SS_OK)
        fail_msg("system %d, %s: %s", (int)seed, type, ss_context_message(w.context));
    run_destroy(&r);
    return p;
}

/* The largest difference before `until`. */
static double compare(const path *a, const path *b, double until)
{
    double worst = 0;
    for (int i = 0; i < SAMPLES && END * (i + 1) / SAMPLES <= until; i++)
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, fabs(a->q[i][j] - b->q[i][j]));
            worst = fmax(worst, fabs(a->u[i][j] - b->u[i][j]));
        }
    return worst;
}

static void test_random_systems_agree(void **state)
{
    int whole = 0;
    double worst = 0, least = END;
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        path e = follow(seed, false), a = follow(seed, true);
        double difference = compare(&e, &a, e.until);
        if (!(difference <= AGREE))
            fail_msg("system %d: differs by %g before %g s", (int)seed, difference, e.until);
        worst = fmax(worst, difference);
        least = fmin(least, e.until);
        whole += e.until == END;
    }
    print_message("largest difference %.3g; %d of %d to the end, the others for %.3g s at least\n",
                  worst, whole, SYSTEMS, least);
    assert_true(whole >= 75 && least > 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_systems_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
