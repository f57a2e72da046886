/* test_refusals.c: what schemes cannot do they refuse by name and reason; memory that fails does no
 * harm. */
#include "stepping.h"
#include "support/allocator.h"

/* Prepares a scheme for a ball over a table. */
static ss_status prepare(world *w, const char *scheme, const char *restitution, ss_scheme **made)
{
    add_system(w, "ball", "point", "dim", "1", "mass", "1");
    add_element(w, "table", "expression", "gap", "x");
    add_law(w, "table", "gap", "unilateral", "restitution", restitution);
    assert_ok(w, ss_model_seal(w->model));
    SS_TRY(try_scheme(w, scheme, made));
    return ss_scheme_prepare(*made, w->model);
}

static void check_prepare(const char *scheme, const char *restitution, const char *message)
{
    world w = stepping_world();
    ss_scheme *made = NULL;
    ss_status status = prepare(&w, scheme, restitution, &made);
    if (message) {
        assert_int_equal(status, SS_UNSUPPORTED);
        assert_string_equal(ss_context_message(w.context), message);
    } else {
        assert_ok(&w, status);
    }
    ss_scheme_destroy(made);
    world_destroy(&w);
}

static void inelastic_schemes_refuse_restitution(void **state)
{
    (void)state;
    const char *inelastic[] = {"theta",
                               "foerg_explicit",
                               "foerg_implicit",
                               "stewart_trinkle",
                               "anitescu_potra_2002",
                               "anitescu_hart",
                               "preconditioned_index3"};
    for (size_t i = 0; i < sizeof inelastic / sizeof *inelastic; i++) {
        char message[512];
        snprintf(message, sizeof message,
                 "the scheme '%s' cannot be used here: law 'table.gap' has restitution, and the "
                 "scheme treats "
                 "inelastic impacts only; moreau, for one, treats both",
                 inelastic[i]);
        check_prepare(inelastic[i], "0.3", message);
        check_prepare(inelastic[i], "0", NULL);
    }
    check_prepare("theta laws=velocity", "0.3", NULL);
    check_prepare("theta laws=mixed", "0.3", NULL);
    check_prepare("general", "0.3", NULL);
    check_prepare("moreau", "0.3", NULL);
}

static void impacts_need_more_than_accelerations(void **state)
{
    (void)state;
    check_prepare("general laws=acceleration", "0",
                  "the scheme 'general' cannot be used here: impacts do not exist on acceleration "
                  "level, and a law "
                  "of the model can open and close");
    check_prepare("stiegelmeier heun=true", "0",
                  "the scheme 'stiegelmeier' cannot be used here: its variant of Heun does not "
                  "treat impacts, and a law of the model can open and close; 'heun: false' does");
}

static void matrices_of_restitution_are_not_for_all(void **state)
{
    (void)state;
    const char *schemes[] = {"paoli_schatzman", "potra", "gavrea", "anitescu_potra_1997"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        world w = stepping_world();
        ss_scheme *scheme;
        add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.5");
        add_element(&w, "walls", "expression", "gap", "x 1-x", "restitution", "0.1 0.2; 0.2 0.1");
        add_law(&w, "walls", "gap", "unilateral");
        assert_ok(&w, ss_model_seal(w.model));
        assert_ok(&w, try_scheme(&w, schemes[i], &scheme));
        assert_int_equal(ss_scheme_prepare(scheme, w.model), SS_UNSUPPORTED);
        assert_non_null(
            strstr(ss_context_message(w.context), "an element has a matrix of restitution"));
        ss_scheme_destroy(scheme);
        world_destroy(&w);
    }
}

/* γ and g of a law that takes its drift out by g/Δt grow when it sees the mean velocity. */
static void the_mean_velocity_bears_no_stabilization(void **state)
{
    (void)state;
    const struct {
        const char *scheme, *name;
    } all[] = {{"potra", "potra"},
               {"gavrea beta=0.5", "gavrea"},
               {"gavrea", NULL},
               {"general laws=average beta=0.5", "general"},
               {"general laws=average beta=1", NULL},
               {"moreau", NULL}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        world w = stepping_world();
        ss_scheme *scheme;
        char message[512];
        add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.5");
        add_element(&w, "rod", "expression", "gap", "x-0.5");
        add_law(&w, "rod", "gap", "bilateral", "stabilize", "true");
        assert_ok(&w, ss_model_seal(w.model));
        assert_ok(&w, try_scheme(&w, all[i].scheme, &scheme));
        ss_status status = ss_scheme_prepare(scheme, w.model);
        snprintf(
            message, sizeof message,
            "the scheme '%s' cannot be used here: a law of the model takes its drift out by "
            "g/Δt, which diverges with laws on the mean velocity; take it without 'stabilize', "
            "or moreau_stabilized",
            all[i].name ? all[i].name : "");
        if (all[i].name)
            assert_refused(&w, status, message);
        else
            assert_ok(&w, status);
        ss_scheme_destroy(scheme);
        world_destroy(&w);
    }
}

static void refuse_options(const char *scheme, const char *message)
{
    world w = stepping_world();
    ss_scheme *made = NULL;
    assert_refused(&w, try_scheme(&w, scheme, &made), message);
    assert_null(made);
    world_destroy(&w);
}

static void options_are_checked(void **state)
{
    (void)state;
    refuse_options("general laws=average", "scheme 'general': 'laws: average' needs a 'beta' > 0");
    refuse_options("general laws=gap alpha=0",
                   "scheme 'general': 'laws: gap' needs an 'alpha' > 0");
    refuse_options(
        "general baumgarte=3",
        "scheme: 'baumgarte' does nothing here: it goes with 'laws: acceleration'; leave it "
        "out, or change 'laws'");
    refuse_options("anitescu_hart reach=0",
                   "scheme 'anitescu_hart': 'reach' must be a number > 0, or inf, in m");
    refuse_options("theta theta=1.5", "scheme: 'theta' must be a number in [0, 1], not 1.5");
}

/* A two-sided stop on displacement level, seen from both sides. */
static void stops_work_on_displacement_level(void **state)
{
    (void)state;
    const char *schemes[] = {"theta",
                             "anitescu_hart",
                             "stewart_trinkle",
                             "foerg_implicit",
                             "moreau_stabilized",
                             "preconditioned_index3",
                             "ggl",
                             "potra",
                             "generalized_alpha",
                             "paoli_schatzman"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (int side = -1; side <= 1; side += 2) {
            world w = stepping_world();
            char u0[32];
            snprintf(u0, sizeof u0, "%d", side);
            add_system(&w, "ball", "point", "dim", "1", "mass", "1", "velocity", u0);
            add_element(&w, "rail", "expression", "gap", "x");
            add_law(&w, "rail", "gap", "stop", "lower", "-0.31", "upper", "0.52");
            stepper s = stepper_create(&w, schemes[i]);
            stepper_run(&s, 1, 100);
            double stop = side < 0 ? -0.31 : 0.52;
            if (!(fabs(s.q[0] - stop) < 0.011 && fabs(s.u[0]) < 1e-12))
                fail_msg("%s stops at %g with %g m/s", schemes[i], s.q[0], s.u[0]);
            stepper_destroy(&s);
        }
}

/* Steps of a coupled, constrained, bouncing world; the first step of linearly implicit schemes
 * allocates. */
static ss_status build_and_step(ss_context *context, const char *name, ss_model **model,
                                ss_solver **solver, ss_scheme **scheme, ss_work **work,
                                ss_state **B, ss_state **E)
{
    world w = {context, NULL};
    SS_TRY(ss_model_create(context, model));
    w.model = *model;
    SS_TRY(try_system(&w, "a", "point", "dim", "1", "mass", "1", "position", "0.01", "velocity",
                      "-1"));
    SS_TRY(try_system(&w, "b", "point", "dim", "1", "mass", "1", "position", "1"));
    SS_TRY(try_force(&w, "spring", "spring", "system", "a", "to", "b", "stiffness", "50", "length",
                     "1"));
    SS_TRY(try_element(&w, "floor", "expression", "gap", "a.x"));
    SS_TRY(try_law(&w, "floor", "gap", "unilateral"));
    SS_TRY(ss_model_seal(*model));
    SS_TRY(ss_solver_create(context, "sorprox", NULL, NULL, solver));
    SS_TRY(ss_scheme_create(context, name, NULL, NULL, scheme));
    SS_TRY(ss_scheme_prepare(*scheme, *model));
    SS_TRY(ss_work_create(*model, *solver, work));
    size_t own = ss_scheme_state_size(*scheme, *model);
    SS_TRY(ss_state_create_for(*model, own, 0, B));
    SS_TRY(ss_state_create_for(*model, own, 0, E));
    ss_solve_report report;
    return ss_scheme_step(*scheme, *work, *B, 0.02, *E, &report);
}

static ss_status attempt(counting_allocator *memory, const char *name)
{
    ss_context_options options = counting_options(memory);
    ss_context *context;
    ss_model *model = NULL;
    ss_solver *solver = NULL;
    ss_scheme *scheme = NULL;
    ss_work *work = NULL;
    ss_state *B = NULL, *E = NULL;
    long allowed = memory->allowed;
    memory->allowed = -1;
    world w = world_create(&options);
    context = w.context;
    assert_ok(&w, ss_register_builtin_schemes(context));
    ss_model_destroy(w.model);
    memory->calls = 0;
    memory->allowed = allowed;
    ss_status status = build_and_step(context, name, &model, &solver, &scheme, &work, &B, &E);
    if (model) {
        ss_state_destroy(B);
        ss_state_destroy(E);
    }
    ss_work_destroy(work);
    ss_scheme_destroy(scheme);
    ss_solver_destroy(solver);
    ss_model_destroy(model);
    ss_context_destroy(context);
    assert_int_equal(memory->live, 0);
    return status;
}

static void failing_memory_does_no_harm(void **state)
{
    (void)state;
    const char *schemes[] = {"theta", "potra", "generalized_alpha", "ggl"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        ss_status status = SS_MEMORY;
        for (long allowed = 0; status != SS_OK; allowed++) {
            counting_allocator memory = {.allowed = allowed};
            status = attempt(&memory, schemes[i]);
            assert_true(status == SS_OK || status == SS_MEMORY);
            assert_true(allowed < 100000);
        }
    }
}

/* Friction reflects γ_T = 3 m/s to -ε_T γ_T = -1.8 m/s in an impact (S3.36), elastic or not along the normal, or the scheme
 * says that it cannot. */
static void friction_reflects_or_is_refused(void **state)
{
    const struct {
        const char *scheme;
        bool refused;
    } all[] = {
        {"moreau", false},
        {"moreau impact=poisson", true},
        {"moreau_stabilized", false},
        {"theta", true},
        {"theta laws=velocity", false},
        {"theta laws=mixed", false},
        {"paoli_schatzman", true},
        {"stiegelmeier", true},
        {"funk", true},
        {"foerg_explicit", true},
        {"foerg_implicit", true},
        {"stewart_trinkle", true},
        {"anitescu_potra_1997", true},
        {"anitescu_potra_2002", true},
        {"anitescu_hart", true},
        {"potra", true},
        {"gavrea", true},
        {"ggl", false},
        {"preconditioned_index3", true},
        {"generalized_alpha", false},
        {"general", false},
        {"general laws=displacement split=true", false},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof all / sizeof *all; i++) {
        const char *name = all[i / 2].scheme;
        world w = stepping_world();
        add_system(&w, "m", "point", "dim", "2", "mass", "1", "position", "0 0.0101", "velocity",
                   "3 -1");
        add_element(&w, "c", "expression", "gap", "y", "slip", "x'");
        add_law(&w, "c", "gap", "unilateral", "restitution", i % 2 ? "0.5" : "0");
        add_law(&w, "c", "slip", "friction", "mu", "20", "restitution", "0.6");
        if (all[i / 2].refused) {
            ss_scheme *made;
            assert_ok(&w, ss_model_seal(w.model));
            assert_ok(&w, try_scheme(&w, name, &made));
            if (ss_scheme_prepare(made, w.model) != SS_UNSUPPORTED ||
                !strstr(ss_context_message(w.context), "restitution"))
                fail_msg("%s takes restitution of friction", name);
            ss_scheme_destroy(made);
            world_destroy(&w);
            continue;
        }
        stepper s = stepper_create(&w, name);
        stepper_run(&s, 0.03, 30);
        if (!(fabs(s.u[0] + 1.8) < 1e-9))
            fail_msg("%s: %g m/s after the impact", name, s.u[0]);
        stepper_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_reflects_or_is_refused),
        cmocka_unit_test(inelastic_schemes_refuse_restitution),
        cmocka_unit_test(impacts_need_more_than_accelerations),
        cmocka_unit_test(matrices_of_restitution_are_not_for_all),
        cmocka_unit_test(the_mean_velocity_bears_no_stabilization),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(stops_work_on_displacement_level),
        cmocka_unit_test(failing_memory_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
