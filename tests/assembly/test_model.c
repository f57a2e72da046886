/* test_model.c: a model of a user's own types: checks when adding and sealing, assembly, state. */

#include "base/context.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stickslip/scheme.h>

#include <math.h>
#include <string.h>

/* A cart: x' = u, mass m; h = -k x. */
typedef struct cart {
    double m, k;
} cart;

static const ss_key cart_keys[] = {
    {"m", SS_KEY_REAL, offsetof(cart, m), "2", 0, 0, NULL, "kg", "Mass."},
    {"k", SS_KEY_REAL, offsetof(cart, k), "0", 0, 0, NULL, "N/m", "Stiffness."},
    {NULL},
};

static ss_status cart_init(void *self, ss_setup *setup)
{
    (void)self;
    return ss_setup_coordinates(setup, 1, (const char *[]){"x"});
}

static ss_status cart_mass(const void *self, const ss_at *at, double *M)
{
    (void)at;
    M[0] = ((const cart *)self)->m;
    return SS_OK;
}

static ss_status cart_h(const void *self, const ss_at *at, double *h)
{
    h[0] = -((const cart *)self)->k * at->q[0][0];
    return SS_OK;
}

static ss_status cart_potential(const void *self, const ss_at *at, double *V)
{
    *V = ((const cart *)self)->k * at->q[0][0] * at->q[0][0] / 2;
    return SS_OK;
}

static const ss_system_ops cart_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "cart", "A cart.", sizeof(cart), cart_keys},
    .init = cart_init,
    .mass = cart_mass,
    .h = cart_h,
    .potential = cart_potential,
};

/* A wheel on its axle, positions (cos, sin) of its angle, one velocity; the second wheel has infinite inertia. */
static ss_status wheel_init(void *self, ss_setup *setup)
{
    (void)self;
    SS_TRY(ss_setup_coordinates(setup, 3, (const char *[]){"c", "s", "n"}));
    return ss_setup_velocities(setup, 2, (const char *[]){"spin", "other"});
}

static ss_status wheel_inverse(const void *self, const ss_at *at, double *Minv)
{
    (void)self;
    (void)at;
    Minv[0] = 0.5;
    Minv[1] = Minv[2] = Minv[3] = 0;
    return SS_OK;
}

static ss_status wheel_F(const void *self, const ss_at *at, double *F)
{
    (void)self;
    const double *q = at->q[0];
    memcpy(F, (double[]){-q[1], 0, q[0], 0, 0, 1}, 6 * sizeof *F);
    return SS_OK;
}

static ss_status wheel_review(const void *self, const ss_at *at, double *q)
{
    (void)self;
    (void)at;
    double r = hypot(q[0], q[1]);
    q[0] /= r;
    q[1] /= r;
    return SS_OK;
}

static const ss_system_ops wheel_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "wheel", "A wheel.", 0, NULL},
    .init = wheel_init,
    .inverse_mass = wheel_inverse,
    .F = wheel_F,
    .review_q = wheel_review,
};

/* Distance of two carts, and their relative speed. */
static ss_status pair_init(void *self, ss_setup *setup)
{
    int local;
    (void)self;
    SS_TRY(ss_setup_connect(setup, &(ss_text){"left", {0}}, &local));
    SS_TRY(ss_setup_connect(setup, &(ss_text){"right", {0}}, &local));
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    return ss_setup_rows(setup, "slip", 1, SS_KINEMATIC);
}

static ss_status pair_gap(const void *self, const ss_at *at, double *g)
{
    (void)self;
    g[0] = at->q[1][0] - at->q[0][0];
    return SS_OK;
}

static ss_status pair_W(const void *self, const ss_at *at, double *const *W)
{
    (void)self;
    (void)at;
    W[0][0] = W[0][1] = -1;
    W[1][0] = W[1][1] = 1;
    return SS_OK;
}

static const ss_element_ops pair_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "pair", "Two carts.", 0, NULL},
    .init = pair_init,
    .gap = pair_gap,
    .W = pair_W,
};

static ss_status push_init(void *self, ss_setup *setup)
{
    (void)self;
    (void)setup;
    return SS_OK;
}

static ss_status push_level(const void *self, const ss_law_at *at, ss_level *level)
{
    (void)self;
    *level = at->g[0] <= 0 ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE;
    return SS_OK;
}

static ss_status push_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self;
    (void)at;
    *set = (ss_law_set){ss_set_half_line(), 1};
    return SS_OK;
}

static const ss_law_ops push_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "push", "Pushes.", 0, NULL},
    .law_class = SS_LAW_UNILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = push_init,
    .level = push_level,
    .set = push_set,
};

static ss_status rub_init(void *self, ss_setup *setup)
{
    (void)self;
    return ss_setup_scale_from(setup, NULL);
}

static ss_status rub_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self;
    (void)at;
    *set = (ss_law_set){ss_set_interval(), 0.5};
    return SS_OK;
}

static const ss_law_ops rub_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "rub", "Rubs.", 0, NULL},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = rub_init,
    .set = rub_set,
};

static ss_status create(ss_context_options *options, ss_context **c, ss_model **m)
{
    *m = NULL;
    SS_TRY(ss_context_create_bare(options, c));
    SS_TRY(ss_register_builtin_sets(*c));
    SS_TRY(ss_register_builtin_solvers(*c));
    SS_TRY(ss_register_system(*c, &cart_ops));
    SS_TRY(ss_register_system(*c, &wheel_ops));
    SS_TRY(ss_register_element(*c, &pair_ops));
    SS_TRY(ss_register_law(*c, &push_ops));
    SS_TRY(ss_register_law(*c, &rub_ops));
    return ss_model_create(*c, m);
}

static ss_status add_pair(ss_model *m)
{
    ss_args *args;
    SS_TRY(ss_args_create(ss_model_context(m), &args));
    ss_status status = ss_args_set_real(args, "velocity", 3);
    if (status == SS_OK)
        status = ss_model_add_system(m, "left", "cart", args);
    ss_args_destroy(args);
    SS_TRY(status);
    SS_TRY(ss_model_add_system(m, "right", "cart", NULL));
    SS_TRY(ss_model_add_element(m, "hit", "pair", NULL));
    return SS_OK;
}

typedef struct bench {
    ss_context *c;
    ss_model *m;
} bench;

static int setup(void **state)
{
    static bench b;
    assert_int_equal(create(NULL, &b.c, &b.m), SS_OK);
    *state = &b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    ss_model_destroy(b->m);
    ss_context_destroy(b->c);
    return 0;
}

#define REFUSED(b, call, message)                                   \
    do {                                                            \
        assert_int_not_equal((call), SS_OK);                        \
        assert_string_equal(ss_context_message((b)->c), (message)); \
    } while (0)

static void refuses_by_name(void **state)
{
    bench *b = *state;
    REFUSED(b, ss_model_seal(b->m), "the model has no system");
    assert_int_equal(ss_model_define(b->m, "mu", 0.3), SS_OK);
    assert_int_equal(add_pair(b->m), SS_OK);
    REFUSED(b, ss_model_add_system(b->m, "left", "cart", NULL), "there is a system 'left' already");
    REFUSED(b, ss_model_add_system(b->m, "a.b", "cart", NULL),
            "'a.b' cannot be the name of a system: it must not be empty or contain '.'");
    REFUSED(b, ss_model_add_element(b->m, "e", "pear", NULL),
            "there is no element type 'pear'; did you mean 'pair'? (types: pair)");
    REFUSED(
        b, ss_model_add_law(b->m, "hit", "gaps", "push", NULL),
        "element 'hit': it has no group of rows 'gaps'; did you mean 'gap'? (groups: gap, slip)");
    REFUSED(b, ss_model_add_law(b->m, "hit", "slip", "push", NULL),
            "element 'hit': the law 'push' is for geometric rows, 'slip' has kinematic rows "
            "(groups that "
            "fit: gap)");
    REFUSED(b, ss_model_add_law(b->m, "miss", "gap", "push", NULL), "there is no element 'miss'");
    REFUSED(b, ss_model_seal(b->m),
            "element 'hit': no law is attached to it, so it would do nothing");
}

static void friction_wants_a_normal(void **state)
{
    bench *b = *state;
    assert_int_equal(add_pair(b->m), SS_OK);
    assert_int_equal(ss_model_add_law(b->m, "hit", "slip", "rub", NULL), SS_OK);
    REFUSED(b, ss_model_seal(b->m),
            "law 'hit.slip': no normal law presses it; attach a law to a geometric row of the "
            "element, or "
            "name one ('normal')");
}

static void parameters_and_coordinates(void **state)
{
    bench *b = *state;
    assert_int_equal(ss_model_define(b->m, "x", 1), SS_OK);
    REFUSED(b, ss_model_add_system(b->m, "left", "cart", NULL),
            "system 'left': the coordinate 'x' has the name of a parameter; rename one of them");
    REFUSED(b, ss_model_define(b->m, "t", 1),
            "the parameter 't' has the name of a coordinate or of the time");
}

static ss_status bad_law(ss_context *c)
{
    static ss_law_ops incomplete;
    incomplete = push_ops;
    incomplete.type.name = "incomplete";
    incomplete.set = NULL;
    return ss_register_law(c, &incomplete);
}

static void a_missing_function_is_named(void **state)
{
    bench *b = *state;
    REFUSED(b, bad_law(b->c), "law type 'incomplete': the function 'set' is missing");
}

static void layout_and_names(void **state)
{
    bench *b = *state;
    assert_int_equal(add_pair(b->m), SS_OK);
    assert_int_equal(ss_model_add_system(b->m, "w", "wheel", NULL), SS_OK);
    assert_int_equal(ss_model_add_law(b->m, "hit", "gap", "push", NULL), SS_OK);
    assert_int_equal(ss_model_add_law(b->m, "hit", "slip", "rub", NULL), SS_OK);
    assert_int_equal(ss_model_seal(b->m), SS_OK);
    ss_model_size size = ss_model_sizes(b->m);
    assert_int_equal(size.n_q, 5);
    assert_int_equal(size.n_u, 4);
    assert_int_equal(size.n_rows, 2);
    assert_string_equal(ss_model_q_name(b->m, 1).text, "right.x");
    assert_string_equal(ss_model_q_name(b->m, 4).text, "w.n");
    assert_string_equal(ss_model_u_name(b->m, 0).text, "left.x'");
    assert_string_equal(ss_model_u_name(b->m, 2).text, "w.spin");
    assert_string_equal(ss_model_law(b->m, 1).name, "hit.slip");
    assert_string_equal(ss_model_law(b->m, 1).words[0], "stick");
    REFUSED(b, ss_model_add_system(b->m, "late", "cart", NULL),
            "system 'late': the model is sealed; add before sealing");
}

/* F, M⁻¹ with an infinite mass, review, kinetic energy. */
static void wheels_turn(void **state)
{
    bench *b = *state;
    ss_solver *solver;
    ss_work *work;
    ss_state *s;
    ss_energy e;
    assert_int_equal(ss_model_add_system(b->m, "w", "wheel", NULL), SS_OK);
    assert_int_equal(ss_model_seal(b->m), SS_OK);
    assert_int_equal(ss_solver_create(b->c, "sorprox", NULL, NULL, &solver), SS_OK);
    assert_int_equal(ss_work_create(b->m, solver, &work), SS_OK);
    assert_int_equal(ss_state_create(b->m, &s), SS_OK);
    double q[] = {0.6, 0.8, 0}, u[] = {2, 5}, next[3];
    memcpy(ss_state_edit_q(s), q, sizeof q);
    memcpy(ss_state_edit_u(s), u, sizeof u);
    assert_int_equal(ss_work_energy(work, s, &e), SS_OK);
    assert_true(fabs(e.kinetic - 0.5 * 2 * 2 * 2) < 1e-15);
    assert_int_equal(ss_work_predict(work, 0, q, u, 0.1, next), SS_OK);
    assert_true(fabs(next[0] - (0.6 - 0.8 * 0.2)) < 1e-15);
    assert_true(fabs(next[1] - (0.8 + 0.6 * 0.2)) < 1e-15);
    assert_true(fabs(next[2] - 0.5) < 1e-15);
    double x[] = {3, 3};
    ss_work_solve_mass(work, x);
    assert_true(x[0] == 1.5 && x[1] == 0);
    assert_int_equal(ss_work_review(work, 0, next, u), SS_OK);
    assert_true(fabs(hypot(next[0], next[1]) - 1) < 1e-15);
    next[0] = NAN;
    REFUSED(b, ss_work_review(work, 0.25, next, u),
            "system 'w': its positions are not finite at t = 0.25 s; a smaller step may help");
    ss_state_destroy(s);
    ss_work_destroy(work);
    ss_solver_destroy(solver);
}

static void states_are_one_block(void **state)
{
    bench *b = *state;
    ss_state *s, *copy;
    assert_int_equal(add_pair(b->m), SS_OK);
    assert_int_equal(ss_model_add_law(b->m, "hit", "gap", "push", NULL), SS_OK);
    assert_int_equal(ss_state_create(b->m, &s), SS_INPUT);
    assert_int_equal(ss_model_seal(b->m), SS_OK);
    assert_int_equal(ss_state_create(b->m, &s), SS_OK);
    assert_int_equal(ss_state_create(b->m, &copy), SS_OK);
    assert_true(ss_state_u(s)[0] == 3 && ss_state_u(s)[1] == 0);
    assert_int_equal(ss_state_mode(s)[0], 1);
    ss_state_set_time(s, 0.5);
    ss_state_edit_P(s)[0] = 7;
    ss_state_copy(copy, s);
    assert_memory_equal(copy, s, ss_state_bytes(s));
    assert_true(ss_state_P(copy)[0] == 7 && ss_state_time(copy) == 0.5);
    ss_state_set_time(copy, 1);
    assert_int_equal(ss_state_restore(b->m, ss_state_bytes(s), s, copy), SS_OK);
    assert_true(ss_state_time(copy) == 0.5);
    REFUSED(b, ss_state_restore(b->m, ss_state_bytes(s) - 8, s, copy),
            "the saved state is not of this model and simulation");
    ss_state_destroy(s);
    ss_state_destroy(copy);
}

static void singular_mass(void **state)
{
    bench *b = *state;
    ss_args *args;
    ss_solver *solver;
    ss_work *work;
    double q = 0;
    assert_int_equal(ss_args_create(b->c, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "m", 0), SS_OK);
    assert_int_equal(ss_model_add_system(b->m, "light", "cart", args), SS_OK);
    assert_int_equal(ss_model_seal(b->m), SS_OK);
    assert_int_equal(ss_solver_create(b->c, "sorprox", NULL, NULL, &solver), SS_OK);
    assert_int_equal(ss_work_create(b->m, solver, &work), SS_OK);
    assert_int_equal(ss_work_evaluate(work, 0, &q), SS_SINGULAR);
    assert_string_equal(
        ss_context_message(b->c),
        "system 'light': its mass matrix is not positive definite at t = 0 s; every "
        "coordinate needs inertia");
    ss_work_destroy(work);
    ss_solver_destroy(solver);
    ss_args_destroy(args);
}

static ss_status build(ss_context_options *options, ss_context **c, ss_model **m,
                       ss_solver **solver, ss_work **work)
{
    SS_TRY(create(options, c, m));
    SS_TRY(add_pair(*m));
    SS_TRY(ss_model_add_law(*m, "hit", "gap", "push", NULL));
    SS_TRY(ss_model_add_law(*m, "hit", "slip", "rub", NULL));
    SS_TRY(ss_model_seal(*m));
    SS_TRY(ss_solver_create(*c, "sorprox", NULL, NULL, solver));
    return ss_work_create(*m, *solver, work);
}

/* Every allocation fails once; nothing leaks, nothing crashes, the status says why. */
static void allocations_fail(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    for (long allowed = 0; status != SS_OK; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        ss_context *c = NULL;
        ss_model *m = NULL;
        ss_solver *solver = NULL;
        ss_work *work = NULL;
        status = build(&options, &c, &m, &solver, &work);
        assert_true(status == SS_OK || status == SS_MEMORY);
        ss_work_destroy(work);
        ss_solver_destroy(solver);
        ss_model_destroy(m);
        ss_context_destroy(c);
        assert_int_equal(counter.live, 0);
        assert_true(allowed < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(friction_wants_a_normal, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_and_coordinates, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_function_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(layout_and_names, setup, teardown),
        cmocka_unit_test_setup_teardown(wheels_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(states_are_one_block, setup, teardown),
        cmocka_unit_test_setup_teardown(singular_mass, setup, teardown),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
