/* test_candidates.c: contacts that are followed are entries of the work's table behind those of the model. */
#include "assembly/sources/candidates.h"
#include "assembly/sources/contact_element.h"
#include "support/world.h"

/* A box and a ball above a floor, and a spring that is an ordinary element. */
static world scene(void)
{
    world w = world_create(NULL);
    add_system(&w, "box", "body", "mass", "1", "inertia", "1", "position", "0 0 0.49");
    add_system(&w, "ball", "body", "mass", "1", "inertia", "1", "position", "3 0 0.5");
    add_shape(&w, "floor", "plane");
    add_shape(&w, "box", "box", "size", "1 1 1", "on", "box");
    add_shape(&w, "ball", "sphere", "radius", "0.25", "on", "ball");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    add_element(&w, "stop", "expression", "gap", "ball.x-1");
    add_law(&w, "stop", "gap", "unilateral");
    assert_ok(&w, ss_model_seal(w.model));
    return w;
}

typedef struct table {
    world w;
    ss_solver *solver;
    ss_work *work;
    ss_state *state;
} table;

static table follow(ss_follow policy)
{
    table t = {.w = scene()};
    assert_ok(&t.w, ss_solver_create(t.w.context, "sorprox", NULL, NULL, &t.solver));
    assert_ok(&t.w, ss_work_create_following(t.w.model, t.solver, policy, &t.work));
    ss_state_space space = ss_work_state_space(t.work);
    assert_ok(&t.w, ss_state_create_with(t.w.model, &space, &t.state));
    return t;
}

static void release(table *t)
{
    ss_state_destroy(t->state);
    ss_work_destroy(t->work);
    ss_solver_destroy(t->solver);
    world_destroy(&t->w);
}

/* Model entries keep their numbers, copies of the rule's laws follow: 8 corners, 1 ball, and 1 of the ball on the box. */
static void a_run_follows_every_pair(void **state)
{
    (void)state;
    table t = follow(SS_FOLLOW_RUN);
    ss_model_size model = ss_model_sizes(t.w.model), all = ss_work_sizes(t.work);
    const ss_table *has = &t.work->table;
    int points = 0;
    assert_int_equal(all.n_elements, model.n_elements + 3);
    for (int l = 0; l < model.n_laws; l++) {
        assert_int_equal(has->laws[l].offset, t.w.model->laws[l].offset);
        assert_int_equal(has->laws[l].scale_from, t.w.model->laws[l].scale_from);
    }
    for (int e = model.n_elements; e < all.n_elements; e++) {
        const ss_element *element = &has->elements[e];
        const ss_contact_pair *pair = ss_element_contact_pair(element);
        assert_non_null(pair);
        points += pair->points.count;
        for (int i = 0; i < element->n_laws; i++) {
            const ss_law *law = &has->laws[element->laws[i]];
            assert_int_equal(law->element, e);
            assert_true(law->offset >= model.n_rows);
            if (law->group != SS_GROUP_GAP) /* pressed by its own normal law, the one before */
                assert_int_equal(law->scale_from, element->laws[i - 1]);
        }
    }
    assert_int_equal(all.n_laws, model.n_laws + 2 * points);
    assert_int_equal(all.n_rows, model.n_rows + 3 * points);
    release(&t);
}

/* The gap of the rule counts as large; impulses and modes of candidates become contacts, and sums of the rule. */
static void a_report_sums_up(void **state)
{
    (void)state;
    table t = follow(SS_FOLLOW_RUN);
    const ss_model *model = t.w.model;
    ss_work *work = t.work;
    int first = model->n_laws.count, rule = model->elements[0].laws[0], n = 0;
    double *P = ss_state_edit_P(t.state), sum = 0;
    assert_ok(&t.w, ss_work_evaluate(work, 0, ss_state_q(t.state)));
    assert_ok(&t.w, ss_work_gaps(work));
    for (int l = first; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        if (law->group != SS_GROUP_GAP || work->elements[law->element].g[law->row] > 0)
            continue;
        ss_state_edit_mode(t.state)[l] = 0;
        P[law->offset] = 1 + n++;
        sum += P[law->offset];
    }
    assert_int_equal(n, 4); /* the lower corners of the box, 1 cm deep */
    assert_ok(&t.w, ss_candidates_report(work, t.state));
    assert_int_equal(ss_state_contact_count(t.state), 4);
    for (int i = 0; i < 4; i++) {
        const ss_contact *contact = &ss_state_contacts(t.state)[i];
        assert_true(contact->closed);
        assert_near(contact->gap, -0.01, 1e-15);
        assert_near(fabs(contact->P[2]), 1 + i, 1e-15);
    }
    assert_int_equal(ss_state_mode(t.state)[rule], 0);
    assert_near(P[model->laws[rule].offset], sum, 1e-15);
    ss_candidates_recall(work, t.state);
    assert_int_equal(ss_state_mode(t.state)[rule], 1);
    assert_near(P[model->laws[rule].offset], 0, 0);
    release(&t);
}

/* A step has those that may close within it; between steps the table is the model's. */
static void a_step_follows_what_is_near(void **state)
{
    (void)state;
    table t = follow(SS_FOLLOW_STEP);
    int model = ss_model_sizes(t.w.model).n_elements;
    bool changed;
    assert_int_equal(ss_work_sizes(t.work).n_elements, model);
    assert_ok(&t.w, ss_candidates_collect(t.work, 1e-3, t.state, &changed));
    assert_true(changed);
    assert_int_equal(ss_work_sizes(t.work).n_elements, model + 1); /* the box on the floor */
    ss_candidates_drop(t.work);
    assert_int_equal(ss_work_sizes(t.work).n_elements, model);
    assert_ok(&t.w, ss_candidates_collect(t.work, 1e-3, t.state, &changed));
    assert_false(changed);
    ss_state_edit_q(t.state)[2] = 10; /* gone */
    assert_ok(&t.w, ss_candidates_collect(t.work, 1e-3, t.state, &changed));
    assert_true(changed);
    assert_int_equal(ss_work_sizes(t.work).n_elements, model);
    release(&t);
}

/* Copies between states with and without space for candidates leave out what has no place. */
static void states_of_other_capacity_are_copied(void **state)
{
    (void)state;
    table t = follow(SS_FOLLOW_RUN);
    ss_state *plain, *same;
    ss_state_space space = ss_work_state_space(t.work);
    int law = t.w.model->n_laws.count, row = t.w.model->n_rows;
    assert_ok(&t.w, ss_state_create(t.w.model, &plain));
    assert_ok(&t.w, ss_state_create_with(t.w.model, &space, &same));
    ss_state_edit_P(t.state)[row] = 5;
    ss_state_edit_mode(t.state)[law] = 0;
    ss_state_edit_q(t.state)[0] = 7;
    ss_state_copy(plain, t.state);
    ss_state_copy(same, t.state);
    assert_near(ss_state_q(plain)[0], 7, 0);
    assert_near(ss_state_P(same)[row], 5, 0);
    assert_int_equal(ss_state_mode(same)[law], 0);
    ss_state_copy(same, plain); /* knows nothing of them: they stay */
    assert_near(ss_state_P(same)[row], 5, 0);
    assert_int_equal(ss_state_restore(t.w.model, ss_state_bytes(plain), plain, same), SS_INPUT);
    ss_state_destroy(plain);
    ss_state_destroy(same);
    release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_follows_every_pair),
        cmocka_unit_test(a_report_sums_up),
        cmocka_unit_test(a_step_follows_what_is_near),
        cmocka_unit_test(states_of_other_capacity_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
