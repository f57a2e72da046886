/* test_arguments.c: what is left out, out of range or no number is refused with a status, and no function crashes. */
#include "scene/scenes.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <string.h>

static const char text[] =
    "systems: {a: {type: point, dim: 2, mass: 1}}\n"
    "elements:\n"
    "  f: {type: plane, system: a, normal: [0, 1], laws: {gap: {type: unilateral}}}\n"
    "simulation: {step: 1e-3, end: 1}\n";

/* A sealed scene, and an open model beside it. */
typedef struct fixture {
    ss_context *context;
    ss_scene *scene;
    const ss_model *sealed;
    ss_simulation *simulation;
    ss_model *model;
    ss_args *args;
    ss_solver *solver;
    ss_scheme *scheme;
} fixture;

static fixture set_up(void)
{
    fixture f = {.context = make_context()};
    ss_context *c = f.context;
    check_ok(c, ss_scene_parse(c, "a.yaml", text, strlen(text), NULL, &f.scene));
    f.sealed = ss_scene_model(f.scene);
    f.simulation = ss_scene_simulation(f.scene);
    check_ok(c, ss_model_create(c, &f.model));
    check_ok(c, ss_args_create(c, &f.args));
    check_ok(c, ss_solver_create(c, "sorprox", NULL, NULL, &f.solver));
    check_ok(c, ss_scheme_create(c, "moreau", NULL, NULL, &f.scheme));
    return f;
}

static void tear_down(fixture *f)
{
    ss_scheme_destroy(f->scheme);
    ss_solver_destroy(f->solver);
    ss_args_destroy(f->args);
    ss_model_destroy(f->model);
    ss_scene_destroy(f->scene);
    ss_context_destroy(f->context);
}

typedef struct attempt {
    const char *call;
    ss_status status;
} attempt;

#define TRY(call)   \
    {               \
#call, call \
    }

static void expect_refused(size_t count, const attempt *all)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].status != SS_INPUT)
            fail_msg("%s: %s in place of %s", all[i].call, ss_status_name(all[i].status),
                     ss_status_name(SS_INPUT));
}

#define EXPECT_REFUSED(all) expect_refused(sizeof(all) / sizeof *(all), all)

static void of_models(void **state)
{
    fixture f = set_up();
    ss_context *c = f.context;
    ss_model *m = f.model, *made;
    ss_state *s;
    (void)state;
    const attempt all[] = {
        TRY(ss_context_create(NULL, NULL)),
        TRY(ss_model_create(NULL, &made)),
        TRY(ss_model_create(c, NULL)),
        TRY(ss_model_define(m, NULL, 1)),
        TRY(ss_model_define(NULL, "x", 1)),
        TRY(ss_model_add_system(NULL, "s", "point", NULL)),
        TRY(ss_model_add_system(m, NULL, "point", NULL)),
        TRY(ss_model_add_system(m, "s", NULL, NULL)),
        TRY(ss_model_add_element(m, NULL, "plane", NULL)),
        TRY(ss_model_add_element(m, "e", NULL, NULL)),
        TRY(ss_model_add_law(m, NULL, "gap", "unilateral", NULL)),
        TRY(ss_model_add_law(m, "e", NULL, "unilateral", NULL)),
        TRY(ss_model_add_law(m, "e", "gap", NULL, NULL)),
        TRY(ss_model_add_force(m, NULL, "gravity", NULL)),
        TRY(ss_model_add_force(m, "g", NULL, NULL)),
        TRY(ss_model_add_shape(m, NULL, "sphere", NULL)),
        TRY(ss_model_add_shape(m, "s", NULL, NULL)),
        TRY(ss_model_add_text(NULL, "a", "b")),
        TRY(ss_model_add_text(m, NULL, "b")),
        TRY(ss_model_add_text(m, "a", NULL)),
        TRY(ss_model_seal(NULL)),
        TRY(ss_state_create(NULL, &s)),
        TRY(ss_state_create(f.sealed, NULL)),
    };
    EXPECT_REFUSED(all);
    check_ok(c, ss_model_add_text(m, "a", "systems: {a: {type: point, dim: 1, mass: 1}}"));
    check_ok(c, ss_model_seal(m)); /* nothing was left behind */
    tear_down(&f);
}

static void of_arguments_and_scopes(void **state)
{
    fixture f = set_up();
    ss_context *c = f.context;
    ss_args *a = f.args, *made;
    ss_scope *scope;
    const ss_type *type;
    double x = 0;
    check_ok(c, ss_scope_create(c, &scope));
    (void)state;
    const attempt all[] = {
        TRY(ss_args_create(NULL, &made)),
        TRY(ss_args_create(c, NULL)),
        TRY(ss_args_set_real(NULL, "x", 1)),
        TRY(ss_args_set_real(a, NULL, 1)),
        TRY(ss_args_set_reals(a, NULL, 1, &x)),
        TRY(ss_args_set_reals(a, "x", 3, NULL)),
        TRY(ss_args_set_matrix(a, "x", 2, 2, NULL)),
        TRY(ss_args_set_text(a, NULL, "x")),
        TRY(ss_args_set_text(a, "x", NULL)),
        TRY(ss_args_set_texts(a, "x", (ss_location){0}, 2, 1, NULL)),
        TRY(ss_scope_create(c, NULL)),
        TRY(ss_scope_define(NULL, "x", 1)),
        TRY(ss_scope_define(scope, NULL, 1)),
        TRY(ss_type_find(c, SS_TYPE_LAW, NULL, (ss_location){0}, &type)),
        TRY(ss_type_find(c, SS_TYPE_LAW, "friction", (ss_location){0}, NULL)),
        TRY(ss_type_find(c, (ss_type_kind)99, "friction", (ss_location){0}, &type)),
        TRY(ss_evaluate(c, NULL, NULL, &x)),
        TRY(ss_context_load_plugin(c, NULL)),
        TRY(ss_register_system(c, NULL)),
        TRY(ss_register_element(c, NULL)),
        TRY(ss_register_law(c, NULL)),
        TRY(ss_register_force(c, NULL)),
        TRY(ss_register_shape(c, NULL)),
        TRY(ss_register_set(c, NULL)),
        TRY(ss_register_solver(c, NULL)),
        TRY(ss_register_scheme(c, NULL)),
        TRY(ss_register_simulation(c, NULL)),
    };
    EXPECT_REFUSED(all);
    ss_scope_destroy(scope);
    tear_down(&f);
}

static void of_solvers_and_simulations(void **state)
{
    fixture f = set_up();
    ss_context *c = f.context;
    ss_solver *solver;
    ss_scheme *scheme;
    ss_work *w = ss_simulation_work(f.simulation), *made;
    ss_state *s = ss_simulation_state(f.simulation);
    ss_simulation *simulation;
    double x[2] = {0};
    (void)state;
    const attempt all[] = {
        TRY(ss_solver_create(NULL, "sorprox", NULL, NULL, &solver)),
        TRY(ss_solver_create(c, NULL, NULL, NULL, &solver)),
        TRY(ss_solver_create(c, "sorprox", NULL, NULL, NULL)),
        TRY(ss_solver_create_prox(c, "sorprox", NULL, &solver)),
        TRY(ss_solver_solve(NULL, NULL, NULL, NULL, NULL)),
        TRY(ss_solver_solve(f.solver, NULL, NULL, NULL, NULL)),
        TRY(ss_solver_check(f.solver, NULL)),
        TRY(ss_solver_reserve(f.solver, NULL)),
        TRY(ss_scheme_create(c, NULL, NULL, NULL, &scheme)),
        TRY(ss_scheme_create(c, "moreau", NULL, NULL, NULL)),
        TRY(ss_scheme_prepare(NULL, f.sealed)),
        TRY(ss_scheme_prepare(f.scheme, NULL)),
        TRY(ss_scheme_step(f.scheme, w, s, 1e-3, s, NULL)),
        TRY(ss_work_create(NULL, f.solver, &made)),
        TRY(ss_work_create(f.sealed, NULL, &made)),
        TRY(ss_work_create(f.sealed, f.solver, NULL)),
        TRY(ss_work_measure(w, NULL, x, x)),
        TRY(ss_work_energy(w, s, NULL)),
        TRY(ss_simulation_create(NULL, f.solver, f.scheme, "constant", NULL, NULL, &simulation)),
        TRY(ss_simulation_create(f.sealed, NULL, f.scheme, "constant", NULL, NULL, &simulation)),
        TRY(ss_simulation_create(f.sealed, f.solver, NULL, "constant", NULL, NULL, &simulation)),
        TRY(ss_simulation_create(f.sealed, f.solver, f.scheme, NULL, NULL, NULL, &simulation)),
        TRY(ss_simulation_run(NULL, NULL, NULL)),
        TRY(ss_simulation_advance(f.simulation, NULL)),
        TRY(ss_simulation_analyse(f.simulation, NULL)),
        TRY(ss_simulation_try_step(f.simulation, -1e-3)),
        TRY(ss_simulation_try_step(f.simulation, 0)),
        TRY(ss_simulation_try_step(f.simulation, NAN)),
        TRY(ss_simulation_try_step(f.simulation, INFINITY)),
        TRY(ss_inclusion_check(c, NULL)),
    };
    EXPECT_REFUSED(all);
    assert_true(ss_state_time(s) == 0);
    tear_down(&f);
}

static void of_files_sets_and_impacts(void **state)
{
    fixture f = set_up();
    ss_context *c = f.context;
    ss_problem *problem;
    ss_scene *scene;
    ss_record *record;
    ss_recorder *recorder;
    ss_set *set;
    ss_shape *shape;
    ss_broad *broad = NULL;
    double x[4] = {1, 0, 0, 1}, y[2] = {0}, z[2];
    (void)state, (void)broad;
    const attempt all[] = {
        TRY(ss_scene_parse(c, NULL, "x", 1, NULL, &scene)),
        TRY(ss_scene_parse(c, "x", NULL, 0, NULL, &scene)),
        TRY(ss_scene_load(c, NULL, NULL, &scene)),
        TRY(ss_scene_load(c, "nowhere.yaml", NULL, NULL)),
        TRY(ss_problem_read(c, NULL, &problem)),
        TRY(ss_problem_read(c, "nowhere.fcp", NULL)),
        TRY(ss_record_open(c, NULL, &record)),
        TRY(ss_record_open(c, "nowhere.h5", NULL)),
        TRY(ss_recorder_create(NULL, "a.h5", NULL, &recorder)),
        TRY(ss_recorder_create(f.simulation, NULL, NULL, &recorder)),
        TRY(ss_set_create(c, NULL, NULL, NULL, 1, &set)),
        TRY(ss_set_create(c, "disk", NULL, NULL, -1, &set)),
        TRY(ss_set_product_create(c, 2, NULL, &set)),
        TRY(ss_shape_create(c, NULL, NULL, NULL, NULL, &shape)),
        TRY(ss_shape_create(c, "sphere", NULL, NULL, NULL, NULL)),
        TRY(ss_broad_create(c, NULL)),
        TRY(ss_impact_prox(c, 2, NULL, y, z)),
        TRY(ss_impact_S(c, 2, x, NULL, y, z, NULL)),
        TRY(ss_impact_S(c, -1, x, y, y, z, NULL)),
        TRY(ss_impact_Z(c, 2, NULL, 2, x, y, y, z)),
        TRY(ss_impact_H(c, 2, NULL, 0.5, y, z)),
        TRY(ss_impact_H(c, 2, x, 1.5, y, z)),
        TRY(ss_impact_Phi(c, 2, x, 0.5, NULL, z)),
        TRY(ss_impact_monotonicity(c, 2, x, NULL, z)),
        TRY(ss_impact_expansion(c, 2, x, y, NULL)),
    };
    EXPECT_REFUSED(all);
    tear_down(&f);
}

/* Nothing, and words for what there is not. */
static void indices_out_of_range(void **state)
{
    fixture f = set_up();
    ss_scope *scope;
    (void)state;
    check_ok(f.context, ss_scope_create(f.context, &scope));
    const int wrong[] = {-1, 1, 1000, -1000};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int k = wrong[i];
        assert_null(ss_model_system(f.sealed, k).name);
        assert_null(ss_model_element(f.sealed, k).name);
        assert_null(ss_model_law(f.sealed, k).name);
        assert_null(ss_model_force(f.sealed, k).name);
        assert_null(ss_model_shape(f.sealed, k).name);
        assert_string_equal(ss_model_q_name(f.sealed, 2 * k).text, "");
        assert_string_equal(ss_model_u_name(f.sealed, 2 * k).text, "");
        assert_null(ss_scene_plot(f.scene, k).name);
        assert_null(ss_scene_expectation(f.scene, k).name);
        assert_null(ss_scope_name(scope, (size_t)k));
        assert_true(isnan(ss_scope_value(scope, (size_t)k)));
        assert_null(ss_type_at(f.context, (ss_type_kind)(k == 1 ? -2 : k), 0));
        assert_null(ss_type_at(f.context, SS_TYPE_LAW, 10000));
        assert_non_null(ss_type_kind_name((ss_type_kind)(k == 1 ? 99 : k)));
        assert_non_null(ss_status_name((ss_status)(k == 1 ? 99 : k)));
        assert_non_null(ss_outcome_name((ss_outcome)(k == 1 ? 99 : k)));
    }
    ss_scope_destroy(scope);
    tear_down(&f);
}

/* Everything that is destroyed may be NULL. */
static void nothing_is_destroyed(void **state)
{
    (void)state;
    ss_context_destroy(NULL);
    ss_model_destroy(NULL);
    ss_scene_destroy(NULL);
    ss_state_destroy(NULL);
    ss_args_destroy(NULL);
    ss_scope_destroy(NULL);
    ss_solver_destroy(NULL);
    ss_scheme_destroy(NULL);
    ss_work_destroy(NULL);
    ss_simulation_destroy(NULL);
    ss_active_set_destroy(NULL);
    ss_inclusion_destroy(NULL);
    ss_problem_destroy(NULL);
    ss_set_destroy(NULL);
    ss_shape_destroy(NULL);
    ss_broad_destroy(NULL);
    ss_graph_destroy(NULL);
    ss_program_destroy(NULL);
    ss_analysis_destroy(NULL);
    ss_record_close(NULL);
    ss_recorder_discard(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_models),
        cmocka_unit_test(of_arguments_and_scopes),
        cmocka_unit_test(of_solvers_and_simulations),
        cmocka_unit_test(of_files_sets_and_impacts),
        cmocka_unit_test(indices_out_of_range),
        cmocka_unit_test(nothing_is_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
