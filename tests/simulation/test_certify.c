/* test_certify.c: steps that are right are certified; a solution that is spoilt in any way is not. */
#include "assembly/after/certify.h"
#include "assembly/sources/contacts.h"
#include "support/run.h"

typedef void spoil_fn(ss_work *work, double *u_E);

/* Certifies the last step again with its solution spoilt. */
static ss_violation certify_again(run *r, const ss_state *B, spoil_fn *spoil)
{
    ss_work *work = ss_simulation_work(r->simulation);
    ss_solve_report report = {.outcome = SS_CONVERGED};
    ss_statistics sums = {0};
    double u_E[16];
    memcpy(u_E, r->u, (size_t)ss_model_sizes(r->w->model).n_u * sizeof *u_E);
    if (spoil)
        spoil(work, u_E);
    ss_work_clear_findings(work);
    ss_work_certify(work, B, u_E, &report);
    ss_work_add_findings(work, 1.5, &sums);
    assert_int_equal(sums.certified, 1);
    assert_int_equal(sums.violations, sums.violation.kind != SS_BREACH_NONE);
    return sums.violation;
}

static run certified_run(world *w, const char *solver)
{
    run r = run_create(w, 1e-3, 1, 0);
    ss_solver_destroy(r.solver);
    ss_simulation_destroy(r.simulation);
    ss_args *args;
    assert_ok(w, ss_solver_create(w->context, solver, NULL, NULL, &r.solver));
    assert_ok(w, ss_args_create(w->context, &args));
    assert_ok(w, ss_args_set_real(args, "step", 1e-3));
    assert_ok(w, ss_args_set_real(args, "end", 1));
    assert_ok(w, ss_args_set_text(args, "certify", "true"));
    assert_ok(w, ss_simulation_create(w->model, r.solver, r.scheme, "constant", args, NULL,
                                      &r.simulation));
    ss_args_destroy(args);
    run_look(&r);
    return r;
}

/* ---- A point that slides on a plane: an element ---- */

static void pull(ss_work *work, double *u_E)
{
    (void)u_E;
    work->P[0] = -work->P[0];
}

static void leave_cone(ss_work *work, double *u_E)
{
    (void)u_E;
    work->P[1] *= 1.01;
}

static void push_along(ss_work *work, double *u_E)
{
    (void)u_E;
    work->P[1] = -work->P[1];
}

static void push_less(ss_work *work, double *u_E)
{
    (void)u_E;
    work->P[1] *= 0.99;
}

static void act_at_a_distance(ss_work *work, double *u_E)
{
    (void)work;
    u_E[1] += 1e-4;
}

static void sink(ss_work *work, double *u_E)
{
    (void)work;
    u_E[1] -= 1e-4;
}

static void speed_up(ss_work *work, double *u_E)
{
    (void)work;
    u_E[0] *= 1.0001;
}

static void run_away(ss_work *work, double *u_E)
{
    (void)u_E;
    work->P[0] *= 1e15;
}

static void sliding_point(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "stone", "point", "dim", "2", "mass", "2", "velocity", "3 0");
    add_element(&w, "floor", "plane", "system", "stone", "normal", "0 1");
    add_law(&w, "floor", "gap", "unilateral");
    add_law(&w, "floor", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    run r = certified_run(&w, "sorprox");
    for (int k = 0; k < 3; k++)
        run_step(&r);
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(r.simulation));
    assert_int_equal(sums->certified, 3);
    assert_int_equal(sums->violations, 0);
    static const struct {
        spoil_fn *spoil;
        ss_breach breach;
        const char *law;
    } cases[] = {
        {NULL, SS_BREACH_NONE, ""},
        {pull, SS_BREACH_PULL, "floor.gap"},
        {leave_cone, SS_BREACH_CONE, "floor.slip"},
        {push_along, SS_BREACH_SLIP, "floor.slip"},
        {push_less, SS_BREACH_SLIP, "floor.slip"},
        {act_at_a_distance, SS_BREACH_COMPLEMENTARITY, "floor.gap"},
        {sink, SS_BREACH_APPROACH, "floor.gap"},
        {speed_up, SS_BREACH_MOMENTUM, "system 'stone'"},
        {run_away, SS_BREACH_RUNAWAY, "floor.gap"},
    };
    double P[2];
    memcpy(P, ss_simulation_work(r.simulation)->P, sizeof P);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(ss_simulation_work(r.simulation)->P, P, sizeof P);
        ss_violation found = certify_again(&r, NULL, cases[i].spoil);
        assert_int_equal(found.kind, cases[i].breach);
        assert_string_equal(found.law, cases[i].law);
        assert_near(found.t, cases[i].spoil ? 1.5 : 0, 0);
    }
    run_destroy(&r);
}

/* ---- Restitution ---- */

static void lose_restitution(ss_work *work, double *u_E)
{
    (void)u_E;
    work->inclusion.b[0] = 0; /* as if ε were 0: γ = 0 would solve that */
}

/* The right velocity after the impact is -ε γ⁻ = 1 m/s, apart from the weight of a step. */
static void bouncing_point(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "velocity", "-2");
    add_element(&w, "floor", "expression", "gap", "x");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.5");
    run r = certified_run(&w, "sorprox");
    ss_state *B;
    assert_ok(&w, ss_state_create(w.model, &B));
    ss_state_copy(B, ss_simulation_state(r.simulation));
    run_step(&r);
    assert_near(r.u[0], 1, 1e-12);
    assert_int_equal(ss_state_statistics(ss_simulation_state(r.simulation))->violations, 0);
    assert_int_equal(certify_again(&r, B, NULL).kind, SS_BREACH_NONE);
    /* what a solver without the term finds: P = 2, u = 0 */
    ss_work *work = ss_simulation_work(r.simulation);
    work->P[0] = 2;
    r.u[0] = 0;
    ss_violation found = certify_again(&r, B, lose_restitution);
    assert_int_equal(found.kind, SS_BREACH_RESTITUTION);
    assert_near(found.size, 1, 1e-12);
    ss_state_destroy(B);
    run_destroy(&r);
}

/* ---- Contacts of shapes, ROUND and BODY ---- */

static ss_row_contact *first_row(ss_work *work)
{
    return &work->contacts->store.contacts[0];
}

static void pull_shape(ss_work *work, double *u_E)
{
    (void)u_E;
    for (int k = 0; k < 3; k++)
        first_row(work)->P[k] *= -1;
}

static void leave_cone_of_shape(ss_work *work, double *u_E)
{
    (void)u_E;
    first_row(work)->P[0] *= 1.01;
}

static void push_shape_along(ss_work *work, double *u_E)
{
    (void)u_E;
    first_row(work)->P[0] *= -1;
}

static void sink_shape(ss_work *work, double *u_E)
{
    (void)work;
    u_E[2] -= 1e-4;
}

static void sliding_shape(const char *type, const char *key, const char *value, ss_row_form form)
{
    world w = moving_world();
    add_system(&w, "stone", "body", "position", "0 0 0.1", "velocity", "3 0 0 0 0 0");
    add_shape(&w, "floor", "plane");
    add_shape(&w, "stone", type, key, value, "on", "stone", "density", "1000");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = certified_run(&w, "sorprox");
    for (int k = 0; k < 3; k++)
        run_step(&r);
    ss_work *work = ss_simulation_work(r.simulation);
    assert_true(work->contacts->forms && work->contacts->n > 0);
    assert_int_equal(first_row(work)->form, form);
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(r.simulation));
    assert_int_equal(sums->certified, 3);
    assert_int_equal(sums->violations, 0);
    static const struct {
        spoil_fn *spoil;
        ss_breach breach;
    } cases[] = {
        {NULL, SS_BREACH_NONE},
        {pull_shape, SS_BREACH_PULL},
        {leave_cone_of_shape, SS_BREACH_CONE},
        {push_shape_along, SS_BREACH_SLIP},
        {sink_shape, SS_BREACH_APPROACH},
    };
    double P[3];
    memcpy(P, first_row(work)->P, sizeof P);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(first_row(work)->P, P, sizeof P);
        assert_int_equal(certify_again(&r, NULL, cases[i].spoil).kind, cases[i].breach);
    }
    run_destroy(&r);
}

static void sliding_shapes(void **state)
{
    (void)state;
    sliding_shape("sphere", "radius", "0.1", SS_ROW_ROUND);
    sliding_shape("box", "size", "0.4 0.3 0.2", SS_ROW_BODY);
}

/* ---- Smooth phases ---- */

/* A point slides for 10 ms: N = 19.62 N, friction 5.886 N. */
static ss_breach certify_phase(double P_N, double P_T, double gap, ss_violation *found)
{
    world w = moving_world();
    add_system(&w, "stone", "point", "dim", "2", "mass", "2", "velocity", "3 0");
    add_element(&w, "floor", "plane", "system", "stone", "normal", "0 1");
    add_law(&w, "floor", "gap", "unilateral");
    add_law(&w, "floor", "slip", "friction", "mu", "0.3");
    run r = certified_run(&w, "sorprox");
    ss_state *B, *E;
    ss_statistics sums = {0};
    ss_work *work = ss_simulation_work(r.simulation);
    assert_ok(&w, ss_state_create(w.model, &B));
    assert_ok(&w, ss_state_create(w.model, &E));
    ss_state_set_time(E, 0.01);
    ss_state_edit_P(E)[0] = P_N;
    ss_state_edit_P(E)[1] = P_T;
    ss_state_edit_q(E)[0] = 0.03;
    ss_state_edit_q(E)[1] = gap;
    ss_work_clear_findings(work);
    const double impact[2] = {0};
    ss_phase_claims claims = {.absolute = 1e-9, .impact = impact, .unique = true};
    assert_ok(&w, ss_work_certify_phase(work, B, E, &claims));
    ss_work_add_findings(work, 0.01, &sums);
    *found = sums.violation;
    ss_state_destroy(B);
    ss_state_destroy(E);
    run_destroy(&r);
    return (ss_breach)found->kind;
}

static void smooth_phase(void **state)
{
    (void)state;
    ss_violation found;
    const double slip = 0.05886;
    int sign = -1; /* the row's direction is +x or -x: friction that is right has one sign alone */
    if (certify_phase(0.1962, sign * slip, 0, &found) != SS_BREACH_NONE)
        sign = 1;
    assert_int_equal(certify_phase(0.1962, sign * slip, 0, &found), SS_BREACH_NONE);
    assert_int_equal(certify_phase(0.1962, -sign * slip, 0, &found), SS_BREACH_SLIP);
    assert_string_equal(found.law, "floor.slip");
    assert_int_equal(certify_phase(0.1962, sign * 1.1 * slip, 0, &found), SS_BREACH_CONE);
    assert_int_equal(certify_phase(-0.1962, 0, 0, &found), SS_BREACH_PULL);
    assert_near(found.size, 0.1962, 1e-12);
    assert_int_equal(certify_phase(0.1962, sign * slip, 2e-3, &found), SS_BREACH_GAP);
    assert_near(found.size, 2e-3, 1e-12);
    assert_int_equal(certify_phase(0, 0, 2e-3, &found), SS_BREACH_NONE);
    assert_int_equal(certify_phase(0, 0, -2e-3, &found), SS_BREACH_GAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_point),
        cmocka_unit_test(bouncing_point),
        cmocka_unit_test(sliding_shapes),
        cmocka_unit_test(smooth_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
