/* test_sleep.c: bodies that rest exactly are left out, and come back when something changes. */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { N = 5, BALLS = 2 * N * N, TOWER = 2 * 2 }; /* tower (0, 2) is met first */

/* What was seen between two times. */
typedef struct watch {
    double from, to;
    int steps, asleep; /* steps, and those in which no ball but the rolling one moved */
    double fastest;    /* of the tower that is met first, m/s or rad/s */
    double lift;       /* what the floor gave last, N */
    double q[7 * BALLS];
} watch;

static double largest(const double *u, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(u[i]));
    return most;
}

static void look(run *r, const ss_state *state)
{
    watch *w = r->user;
    const double *u = ss_state_u(state);
    double t = ss_state_time(state);
    if (t < w->from || t > w->to)
        return;
    w->steps++;
    w->asleep += largest(u, 6 * BALLS) == 0;
    w->fastest = fmax(w->fastest, largest(u + 6 * TOWER, 12));
    w->lift = 0;
    for (int i = 0; i < ss_state_contact_count(state); i++) {
        const ss_contact *c = &ss_state_contacts(state)[i];
        if (c->b == BALLS + 1) /* the floor, after the balls and the rolling one */
            w->lift -= c->P[2] / ss_state_dt(state);
    }
    memcpy(w->q, ss_state_q(state), sizeof w->q);
}

static watch run_heap(const char *sleep, double from, double to)
{
    run r;
    watch w = {.from = from, .to = to};
    const char *overrides[] = {sleep, NULL};
    open_run(&r, "heap", overrides);
    r.look = look;
    r.user = &w;
    finish_run(&r);
    close_run(&r);
    return w;
}

/* Fallen by 1 and 2 cm the balls sleep before the rolling one comes; the floor still carries all. */
static void towers_sleep_exactly(void **state)
{
    (void)state;
    watch w = run_heap("elements.contact.sleep=true", 0.3, 0.45);
    double weight = (BALLS + 1) * 9.81 * 2500 * 4.0 / 3.0 * acos(-1.0) * pow(0.05, 3);
    assert_true(w.steps >= 149);
    assert_int_equal(w.asleep, w.steps);
    assert_true(fabs(w.lift - weight) < 1e-6 * weight);
}

static void a_tower_that_is_met_wakes(void **state)
{
    (void)state;
    watch w = run_heap("elements.contact.sleep=true", 0.55, 1);
    assert_true(w.fastest > 0.1);
    const double *far = w.q + 7 * (BALLS - 1); /* nobody came here */
    assert_true(far[0] == 0.3 * 4 && far[1] == 0.3 * 4);
}

/* Nobody sleeps unless it is asked for; and who sleeps is where he would be anyway. */
static void sleeping_changes_nothing_else(void **state)
{
    (void)state;
    watch with = run_heap("elements.contact.sleep=true", 0.3, 0.45);
    watch without = run_heap("elements.contact.sleep=false", 0.3, 0.45);
    double most = 0;
    for (int i = 0; i < 7 * BALLS; i++)
        most = fmax(most, fabs(with.q[i] - without.q[i]));
    assert_int_equal(without.asleep, 0);
    assert_true(most < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(towers_sleep_exactly),
        cmocka_unit_test(a_tower_that_is_met_wakes),
        cmocka_unit_test(sleeping_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
