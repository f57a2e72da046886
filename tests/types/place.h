/* place.h: the model's objects evaluated at any place, for checks against differences. */
#ifndef SS_TESTS_TYPES_PLACE_H
#define SS_TESTS_TYPES_PLACE_H

#include "assembly/work.h"
#include "support/world.h"

enum { MOST = 32 };

typedef struct place {
    world *w;
    ss_solver *solver;
    ss_work *work;
    int n, nu; /* positions, velocities */
    double t, q[MOST], u[MOST];
} place;

/* Seals the model. */
static inline place place_create(world *w)
{
    place p = {.w = w};
    assert_ok(w, ss_model_seal(w->model));
    assert_ok(w, ss_solver_create(w->context, "sorprox", NULL, NULL, &p.solver));
    assert_ok(w, ss_work_create(w->model, p.solver, &p.work));
    p.n = ss_model_sizes(w->model).n_q;
    p.nu = ss_model_sizes(w->model).n_u;
    assert_true(p.n <= MOST);
    return p;
}

static inline void place_destroy(place *p)
{
    ss_work_destroy(p->work);
    ss_solver_destroy(p->solver);
}

/* Moves the work to (t + s, q + s F(q) u), with the velocities u. */
static inline void place_go(const place *p, double s)
{
    double q[MOST];
    assert_ok(p->w, ss_work_evaluate(p->work, p->t, p->q));
    ss_work_move(p->work, p->q, p->u, s, q);
    assert_ok(p->w, ss_work_evaluate(p->work, p->t + s, q));
    memcpy(p->work->u, p->u, (size_t)p->nu * sizeof *q);
}

static inline void place_gap(const place *p, int element, double s, double *g)
{
    place_go(p, s);
    assert_ok(p->w, ss_work_element_gaps(p->work, element));
    memcpy(g, p->work->elements[element].g,
           (size_t)p->work->model->elements[element].rows * sizeof *g);
}

/* γ = Wᵀu + ζ at (t + s, q + s F u). */
static inline void place_velocity(const place *p, int element, double s, double *gamma)
{
    place_go(p, s);
    assert_ok(p->w, ss_work_element_gaps(p->work, element));
    assert_ok(p->w, ss_work_element_directions(p->work, element));
    ss_work_element_velocity(p->work, element, p->u, gamma);
}

static inline void place_zeta_hat(const place *p, int element, double *zeta_hat)
{
    const ss_element *e = &p->work->model->elements[element];
    place_go(p, 0);
    assert_ok(p->w, ss_work_element_gaps(p->work, element));
    assert_ok(p->w, e->ops->zeta_hat(e->object.self, &p->work->elements[element].at, zeta_hat));
}

/* h of everything at (t, q, u). */
static inline void place_h(const place *p, double *h)
{
    place_go(p, 0);
    assert_ok(p->w, ss_work_forces(p->work, p->u, h));
}

/* Potential of all systems and forces at (t, q + s F e_i). */
static inline double place_potential(const place *p, int i, double s)
{
    const ss_model *model = p->work->model;
    double sum = 0, V, q[MOST], direction[MOST] = {0};
    direction[i] = 1;
    assert_ok(p->w, ss_work_evaluate(p->work, p->t, p->q));
    ss_work_move(p->work, p->q, direction, s, q);
    assert_ok(p->w, ss_work_evaluate(p->work, p->t, q));
    for (int k = 0; k < model->n_systems.count; k++)
        if (model->systems[k].ops->potential) {
            const ss_system *system = &model->systems[k];
            assert_ok(p->w, system->ops->potential(system->object.self, &p->work->systems[k], &V));
            sum += V;
        }
    for (int k = 0; k < model->n_forces.count; k++)
        if (model->forces[k].ops->potential) {
            const ss_force *force = &model->forces[k];
            assert_ok(p->w, force->ops->potential(force->object.self, &p->work->forces[k], &V));
            sum += V;
        }
    return sum;
}

/* Fourth-order central differences: error s⁴ beside rounding / s. */
static inline double difference(double s, double m2, double m1, double p1, double p2)
{
    return (8 * (p1 - m1) - (p2 - m2)) / (12 * s);
}

#define STEP 1e-3

/* Gaps along the motion: g' = γ; relative velocities: γ' = ζ̂ at u' = 0. Every geometric row's W
 * and ζ follow when this holds for velocities of all directions. */
static inline void check_element(place *p, int element)
{
    const ss_element *e = &p->work->model->elements[element];
    double x[4][MOST], gamma[MOST], zeta_hat[MOST];
    const double s[4] = {-2 * STEP, -STEP, STEP, 2 * STEP};
    for (int i = 0; i < 4; i++)
        place_gap(p, element, s[i], x[i]);
    place_velocity(p, element, 0, gamma);
    for (int k = 0; k < e->n_groups; k++)
        for (int r = e->groups[k].row; r < e->groups[k].row + e->groups[k].rows; r++)
            if (e->groups[k].kind == SS_GEOMETRIC)
                assert_near(difference(STEP, x[0][r], x[1][r], x[2][r], x[3][r]), gamma[r], 2e-9);
    for (int i = 0; i < 4; i++)
        place_velocity(p, element, s[i], x[i]);
    place_zeta_hat(p, element, zeta_hat);
    for (int r = 0; r < e->rows; r++)
        assert_near(difference(STEP, x[0][r], x[1][r], x[2][r], x[3][r]), zeta_hat[r], 2e-9);
}

/* h = -Fᵀ ∂V/∂q, with nothing else at work. */
static inline void check_potential(place *p)
{
    double h[MOST];
    place_h(p, h);
    for (int i = 0; i < p->nu; i++) {
        double slope =
            difference(STEP, place_potential(p, i, -2 * STEP), place_potential(p, i, -STEP),
                       place_potential(p, i, STEP), place_potential(p, i, 2 * STEP));
        assert_near(h[i], -slope, 1e-8);
    }
}

#endif
