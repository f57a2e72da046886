/* test_transactions.c: what fails to be added, registered or sealed leaves nothing behind. */
#include "assembly/work.h"
#include "model/body.h"
#include "support/allocator.h"
#include "support/world.h"

typedef struct counts {
    int objects[6], variables, names;
} counts;

static counts count(const ss_model *m)
{
    counts c = {
        .objects = {m->n_systems.count, m->n_elements.count, m->n_laws.count, m->n_forces.count,
                    m->n_formulas.count, m->n_shapes.count},
        .variables = (int)m->variables.count,
    };
    for (int k = 0; k < SS_TYPE_KINDS; k++)
        c.names += (int)m->names[k].count;
    return c;
}

/* A ball above a floor, and a box that falls. */
static ss_status fill(world *w)
{
    SS_TRY(try_system(w, "ball", "point", "dim", "2", "mass", "1"));
    SS_TRY(try_system(w, "box", "planar_body", "mass", "1", "inertia", "1"));
    SS_TRY(try_element(w, "floor", "plane", "system", "ball", "normal", "0 1"));
    SS_TRY(try_law(w, "floor", "gap", "unilateral"));
    return try_force(w, "weight", "gravity", "acceleration", "0 -1");
}

/* The model can be sealed and evaluated. */
static void check_whole(world *w)
{
    ss_solver *solver;
    ss_work *work;
    ss_state *state;
    assert_ok(w, ss_model_seal(w->model));
    assert_ok(w, ss_state_create(w->model, &state));
    assert_ok(w, ss_solver_create(w->context, "sorprox", NULL, NULL, &solver));
    assert_ok(w, ss_work_create(w->model, solver, &work));
    double *h = calloc((size_t)w->model->n_u + 1, sizeof *h);
    assert_ok(w, ss_work_evaluate(work, 0, ss_state_q(state)));
    assert_ok(w, ss_work_forces(work, ss_state_u(state), h));
    assert_ok(w, ss_work_laws(work, 1e-3, ss_state_u(state), h));
    free(h);
    ss_work_destroy(work);
    ss_solver_destroy(solver);
    ss_state_destroy(state);
}

typedef ss_status (*attempt)(world *w);

static ss_status bad_value(world *w)
{
    return try_system(w, "bad", "point", "dim", "2", "mass", "-1");
}

static ss_status bad_initial(world *w)
{
    return try_system(w, "bad", "point", "dim", "2", "mass", "1", "position", "1 2 3");
}

static ss_status bad_formula(world *w)
{
    return try_system(w, "bad", "lagrange", "coordinates", "x y", "kinetic", "x'^2+z'^2");
}

static ss_status parameter_name(world *w)
{
    SS_TRY(ss_model_define(w->model, "b", 1));
    return try_system(w, "bad", "linear", "coordinates", "a b", "mass", "1 0; 0 1");
}

static ss_status bad_element(world *w)
{
    return try_element(w, "bad", "plane", "system", "nobody", "normal", "0 1");
}

static ss_status bad_matrix(world *w)
{
    return try_element(w, "bad", "plane", "system", "box", "normal", "0 1", "restitution", "1 0 0");
}

static ss_status bad_law(world *w)
{
    return try_law(w, "floor", "slip", "friction", "mu", "0.1", "bound", "1");
}

static ss_status bad_force(world *w)
{
    return try_force(w, "bad", "spring", "system", "nobody", "stiffness", "1");
}

static ss_status bad_shape(world *w)
{
    return try_shape(w, "bad", "sphere", "radius", "1", "rotation", "1 2 3");
}

static ss_status shape_on_nothing(world *w)
{
    return try_shape(w, "bad", "sphere", "radius", "1", "on", "nobody");
}

static void failed_adds_leave_nothing(void **state)
{
    (void)state;
    static const attempt attempts[] = {bad_value,   bad_initial,     bad_formula, parameter_name,
                                       bad_element, bad_matrix,      bad_law,     bad_force,
                                       bad_shape,   shape_on_nothing};
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        world w = world_create(NULL);
        assert_ok(&w, fill(&w));
        counts before = count(w.model);
        assert_int_not_equal(attempts[i](&w), SS_OK);
        counts after = count(w.model);
        assert_memory_equal(&before, &after, sizeof before);
        check_whole(&w);
        world_destroy(&w);
    }
}

/* The name of what failed is free for what is right. */
static void names_are_free_again(void **state)
{
    (void)state;
    world w = world_create(NULL);
    assert_ok(&w, fill(&w));
    assert_int_not_equal(bad_initial(&w), SS_OK);
    add_system(&w, "bad", "point", "dim", "2", "mass", "1");
    assert_int_not_equal(bad_law(&w), SS_OK);
    add_law(&w, "floor", "slip", "friction", "mu", "0.1");
    check_whole(&w);
    assert_int_equal(w.model->n_laws.count, 2);
    world_destroy(&w);
}

/* A type whose init succeeds, in an element that is refused afterwards. */
typedef struct tracked {
    int *alive;
} tracked;

static ss_status tracked_init(void *opaque, ss_setup *setup)
{
    tracked *self = opaque;
    int local;
    SS_TRY(ss_setup_connect(setup, &(ss_text){"ball", {0}}, &local));
    SS_TRY(ss_setup_rows(setup, "slip", 1, SS_KINEMATIC));
    ++*self->alive;
    return SS_OK;
}

static void tracked_destroy(void *opaque)
{
    tracked *self = opaque;
    --*self->alive;
}

static ss_status tracked_W(const void *self, const ss_at *at, double *const *W)
{
    (void)self, (void)at;
    W[0][0] = 1;
    return SS_OK;
}

static void forget_user(void *user)
{
    *(int *)user += 100;
}

static void what_init_made_is_destroyed(void **state)
{
    (void)state;
    int alive = 0;
    const ss_element_ops ops = {
        .type = {.abi = SS_ABI,
                 .size = sizeof ops,
                 .name = "tracked",
                 .doc = "Counts.",
                 .self_size = sizeof(tracked),
                 .user = &alive,
                 .user_offset = offsetof(tracked, alive),
                 .release = forget_user},
        .init = tracked_init,
        .destroy = tracked_destroy,
        .W = tracked_W,
    };
    world w = world_create(NULL);
    assert_ok(&w, ss_register_element(w.context, &ops));
    assert_ok(&w, fill(&w));
    assert_int_not_equal(try_element(&w, "bad", "tracked", "restitution", "1 0; 0 1"), SS_OK);
    assert_int_equal(alive, 0);
    add_element(&w, "good", "tracked", "restitution", "0");
    assert_int_equal(alive, 1);
    ss_model_destroy(w.model);
    assert_int_equal(alive, 0);
    ss_context_destroy(w.context);
    assert_int_equal(alive, 100);
}

/* Every allocation of one call may fail; then the call works as if it had never been tried. */
static void each_allocation_of_a_call(attempt before, attempt call)
{
    ss_status status = SS_MEMORY;
    for (long most = 0; status != SS_OK; most++) {
        counting_allocator counter = {.allowed = -1};
        ss_context_options options = counting_options(&counter);
        world w = world_create(&options);
        assert_ok(&w, fill(&w));
        assert_ok(&w, before(&w));
        counts c = count(w.model), again;
        counter.allowed = counter.calls + most;
        status = call(&w);
        counter.allowed = -1;
        if (status != SS_OK) {
            assert_int_equal(status, SS_MEMORY);
            again = count(w.model);
            assert_memory_equal(&c, &again, sizeof c);
            assert_ok(&w, call(&w));
        }
        check_whole(&w);
        world_destroy(&w);
        assert_int_equal(counter.live, 0);
        assert_true(most < 500);
    }
}

static ss_status nothing(world *w)
{
    (void)w;
    return SS_OK;
}

static ss_status add_lagrange(world *w)
{
    return try_system(w, "arm", "lagrange", "coordinates", "x y", "kinetic", "x'^2+y'^2");
}

static ss_status add_joint(world *w)
{
    return try_element(w, "pin", "joint", "system", "box", "to_point", "0 0");
}

static ss_status add_two_laws(world *w)
{
    return try_law(w, "pin", "gap", "bilateral");
}

static ss_status add_spring(world *w)
{
    return try_force(w, "coil", "spring", "system", "ball", "to_point", "1 1", "stiffness", "1");
}

static ss_status add_body(world *w)
{
    return try_system(w, "stone", "body");
}

static ss_status add_stone(world *w)
{
    return try_shape(w, "stone", "box", "size", "1 2 3", "on", "stone", "density", "2", "at",
                     "1 0 0");
}

static ss_status add_body_and_stone(world *w)
{
    SS_TRY(add_joint(w));
    SS_TRY(add_body(w));
    return add_stone(w);
}

static ss_status seal(world *w)
{
    return ss_model_seal(w->model);
}

static ss_status add_joint_with_laws(world *w)
{
    SS_TRY(add_joint(w));
    SS_TRY(add_two_laws(w));
    SS_TRY(add_body(w));
    return add_stone(w);
}

static void allocations_of_a_call(void **state)
{
    (void)state;
    each_allocation_of_a_call(nothing, add_lagrange);
    each_allocation_of_a_call(nothing, add_spring);
    each_allocation_of_a_call(add_joint, add_two_laws);
    each_allocation_of_a_call(add_joint_with_laws, seal);
}

/* A model that lacks something can be completed; where bodies are does not depend on how often it was tried. */
static void sealing_again(void **state)
{
    (void)state;
    world w = world_create(NULL);
    assert_ok(&w, fill(&w));
    assert_ok(&w, add_body_and_stone(&w));
    counts before = count(w.model), after;
    for (int i = 0; i < 3; i++) {
        assert_refused(&w, ss_model_seal(w.model),
                       "element 'pin': no law is attached to it, so it would do nothing");
        after = count(w.model);
        assert_memory_equal(&before, &after, sizeof before);
    }
    assert_ok(&w, add_two_laws(&w));
    check_whole(&w);
    const ss_system *stone = &w.model->systems[2];
    assert_int_equal(w.model->n_q, 2 + 3 + 7);
    assert_near(stone->body->mass, 12, 1e-12);          /* 2 kg/m³ · 6 m³ */
    assert_near(stone->q0[0], 1, 1e-12);                /* the centre of the box */
    assert_near(w.model->shapes[0].at->x[0], 0, 1e-12); /* seen from there */
    assert_near(stone->body->J[0], 12 * (4 + 9) / 12., 1e-12);
    world_destroy(&w);
}

static void destroying_nothing(void **state)
{
    (void)state;
    ss_state_destroy(NULL);
    ss_model_destroy(NULL);
    ss_context_destroy(NULL);
    ss_set_destroy(NULL);
    ss_shape_destroy(NULL);
    ss_solver_destroy(NULL);
    ss_work_destroy(NULL);
    ss_inclusion_destroy(NULL);
    ss_args_destroy(NULL);
    ss_scope_destroy(NULL);
}

/* ---- Threads ---- */

static ss_status idle_init(void *self, ss_setup *setup)
{
    int local;
    (void)self;
    return ss_setup_connect(setup, &(ss_text){"b0", {0}}, &local);
}

static ss_status idle_h(const void *self, const ss_at *at, double *const *h)
{
    (void)self, (void)at, (void)h;
    return SS_OK;
}

static int threads_with(unsigned flags)
{
    const ss_force_ops idle = {
        .type = {.abi = SS_ABI,
                 .size = sizeof idle,
                 .name = "idle",
                 .doc = "Does nothing.",
                 .flags = flags},
        .init = idle_init,
        .h = idle_h,
    };
    ss_context_options options = ss_default_context();
    options.threads = 3;
    world w = world_create(&options);
    assert_ok(&w, ss_register_force(w.context, &idle));
    for (int i = 0; i < 600; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_system(&w, name, "body", "mass", "1", "inertia", "1 1 1");
    }
    add_force(&w, "idle", "idle");
    assert_ok(&w, ss_model_seal(w.model));
    ss_solver *solver;
    ss_work *work;
    assert_ok(&w, ss_solver_create(w.context, "sorprox", NULL, NULL, &solver));
    assert_ok(&w, ss_work_create(w.model, solver, &work));
    int threads = work->threads;
    ss_work_destroy(work);
    ss_solver_destroy(solver);
    world_destroy(&w);
    return threads;
}

static void serial_types_keep_to_one_thread(void **state)
{
    (void)state;
    assert_int_equal(threads_with(0), 3);
    assert_int_equal(threads_with(SS_TYPE_SERIAL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_adds_leave_nothing),
        cmocka_unit_test(names_are_free_again),
        cmocka_unit_test(what_init_made_is_destroyed),
        cmocka_unit_test(allocations_of_a_call),
        cmocka_unit_test(sealing_again),
        cmocka_unit_test(destroying_nothing),
        cmocka_unit_test(serial_types_keep_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
