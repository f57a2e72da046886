/* test_derivatives.c: derivatives of h against differences made here, M̂ against elimination made
 * here. */
#include "assembly/work.h"
#include "stepping.h"
#include "support/random.h"

enum { N = 9 };

typedef struct bench {
    world w;
    ss_solver *solver;
    ss_work *work;
    int n;
} bench;

static bench open_bench(world w)
{
    bench b = {.w = w};
    assert_ok(&b.w, ss_model_seal(b.w.model));
    assert_ok(&b.w, ss_solver_create(b.w.context, "sorprox", NULL, NULL, &b.solver));
    assert_ok(&b.w, ss_work_create(b.w.model, b.solver, &b.work));
    b.n = ss_model_sizes(b.w.model).n_u;
    return b;
}

static void close_bench(bench *b)
{
    ss_work_destroy(b->work);
    ss_solver_destroy(b->solver);
    world_destroy(&b->w);
}

static void h_at(bench *b, const double *q, const double *u, double *h)
{
    assert_ok(&b->w, ss_work_evaluate_geometry(b->work, 0.3, q));
    assert_ok(&b->w, ss_work_forces(b->work, u, h));
}

/* ∂h/∂q v + ∂h/∂u w by a central difference along (v, w). */
static void difference(bench *b, const double *q, const double *u, const double *v, const double *w,
                       double *d)
{
    double plus_q[N], plus_u[N], minus_q[N], minus_u[N], plus[N], minus[N], s = 1e-5;
    for (int i = 0; i < b->n; i++) {
        plus_q[i] = q[i] + s * v[i];
        minus_q[i] = q[i] - s * v[i];
        plus_u[i] = u[i] + s * w[i];
        minus_u[i] = u[i] - s * w[i];
    }
    h_at(b, plus_q, plus_u, plus);
    h_at(b, minus_q, minus_u, minus);
    for (int i = 0; i < b->n; i++)
        d[i] = (plus[i] - minus[i]) / (2 * s);
}

/* y = (weight_q ∂h/∂q + weight_u ∂h/∂u) v of the work, by the weights of a single addition. */
static void product(bench *b, const double *q, const double *u, double weight_q, double weight_u,
                    const double *v, double *y)
{
    assert_ok(&b->w, ss_work_evaluate_geometry(b->work, 0.3, q));
    assert_ok(&b->w, ss_work_clear_derivatives(b->work));
    assert_ok(&b->w, ss_work_add_derivatives(b->work, u, weight_q, weight_u));
    ss_work_stiffness_times(b->work, v, y);
}

static void random_vector(random_state *r, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = random_between(r, -1, 1);
}

/* M̂⁻¹ x with M̂ = M - a ∂h/∂q - b ∂h/∂u by elimination, columns of the derivatives by
 * differences. */
static void eliminate(bench *b, const double *q, const double *u, double a, double c,
                      const double *M, double *x)
{
    double A[N][N], zero[N] = {0}, unit[N], dq[N], du[N];
    int n = b->n;
    for (int j = 0; j < n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        difference(b, q, u, unit, zero, dq);
        difference(b, q, u, zero, unit, du);
        for (int i = 0; i < n; i++)
            A[i][j] = (i == j ? M[i] : 0) - a * dq[i] - c * du[i];
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double f = A[i][k] / A[k][k];
            for (int j = 0; j < n; j++)
                A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    for (int k = 0; k < n; k++)
        x[k] /= A[k][k];
}

static const double masses[N] = {2, 2, 0.3, 1.5, 1.5, 0.2, 0.7, 0.7, 1};

/* Two planar bodies and a point with springs, dampers, a drive and loads between them. */
static world tangle(void)
{
    world w = stepping_world();
    add_system(&w, "a", "planar_body", "mass", "2", "inertia", "0.3");
    add_system(&w, "b", "planar_body", "mass", "1.5", "inertia", "0.2");
    add_system(&w, "p", "point", "dim", "2", "mass", "0.7");
    add_system(&w, "s", "linear", "coordinates", "z", "mass", "1", "stiffness", "3", "damping",
               "0.4");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_force(&w, "spring", "spring", "system", "a", "point", "0.2 0.1", "to", "b", "to_point",
              "-0.3 0.2", "stiffness", "40", "length", "0.5");
    add_force(&w, "tie", "spring", "system", "p", "to_point", "3 3", "stiffness", "10");
    add_force(&w, "damper", "damper", "system", "b", "point", "0.1 -0.2", "to", "p", "damping",
              "6");
    add_force(&w, "motor", "drive", "on", "a.phi", "position", "sin(t)", "stiffness", "5",
              "damping", "2");
    add_force(&w, "load", "load", "on", "p.x s.z", "force", "-s.z^2*p.x' a.x*p.y-z'*z");
    return w;
}

static void forces_have_exact_derivatives(void **state)
{
    (void)state;
    bench b = open_bench(tangle());
    random_state r = {7};
    double zero[N] = {0}, q[N], u[N], v[N], expected[N], y[N];
    assert_int_equal(b.n, N);
    for (int k = 0; k < 20; k++) {
        random_vector(&r, N, q);
        random_vector(&r, N, u);
        random_vector(&r, N, v);
        difference(&b, q, u, v, zero, expected);
        product(&b, q, u, 1, 1, v, y);
        for (int i = 0; i < N; i++)
            assert_near(y[i], expected[i], 1e-7 * (1 + fabs(expected[i])));
    }
    close_bench(&b);
}

static void the_modified_mass_is_what_it_says(void **state)
{
    (void)state;
    bench b = open_bench(tangle());
    random_state r = {11};
    double q[N], u[N], x[N], y[N], dt = 0.02;
    for (int k = 0; k < 10; k++) {
        random_vector(&r, N, q);
        random_vector(&r, N, u);
        random_vector(&r, N, x);
        memcpy(y, x, sizeof y);
        eliminate(&b, q, u, dt * dt, dt, masses, y);
        assert_ok(&b.w, ss_work_evaluate(b.work, 0.3, q));
        assert_ok(&b.w, ss_work_clear_derivatives(b.work));
        assert_ok(&b.w, ss_work_add_derivatives(b.work, u, 1, 1));
        assert_ok(&b.w, ss_work_modify_mass(b.work, dt * dt, dt));
        ss_work_solve_mass(b.work, x);
        for (int i = 0; i < N; i++)
            assert_near(x[i], y[i], 1e-8 * (1 + fabs(y[i])));
    }
    close_bench(&b);
}

/* A force without derivatives: two points repel each other with k/r³. */
typedef struct repel {
    ss_text a, b;
    double k;
} repel;

static const ss_key repel_keys[] = {
    {"a", SS_KEY_TEXT, offsetof(repel, a), NULL, 0, 0, NULL, "", "First point."},
    {"b", SS_KEY_TEXT, offsetof(repel, b), NULL, 0, 0, NULL, "", "Second point."},
    {"k", SS_KEY_REAL, offsetof(repel, k), "1", 0, 0, NULL, "", "Strength."},
    {NULL},
};

static ss_status repel_init(void *self, ss_setup *setup)
{
    repel *o = self;
    int local;
    SS_TRY(ss_setup_connect(setup, &o->a, &local));
    return ss_setup_connect(setup, &o->b, &local);
}

static ss_status repel_h(const void *self, const ss_at *at, double *const *h)
{
    const repel *o = self;
    double x = at->q[1][0] - at->q[0][0], f = o->k / (x * x * x) - at->u[0][0] * at->u[1][0];
    h[1][0] += f;
    h[0][0] -= f;
    return SS_OK;
}

static const ss_force_ops repel_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "repel", "Repels.", sizeof(repel), repel_keys},
    .init = repel_init,
    .h = repel_h,
};

static void missing_derivatives_come_from_differences(void **state)
{
    (void)state;
    world w = stepping_world();
    assert_ok(&w, ss_register_force(w.context, &repel_ops));
    add_system(&w, "a", "point", "dim", "1", "mass", "1");
    add_system(&w, "b", "point", "dim", "1", "mass", "1");
    add_force(&w, "push", "repel", "a", "a", "b", "b", "k", "2");
    bench b = open_bench(w);
    double q[2] = {0.1, 1.3}, u[2] = {0.4, -0.7}, v[2] = {1, 0.25}, y[2];
    double slope = -3 * 2 / pow(1.2, 4); /* of k/x³ at x = 1.2 */
    product(&b, q, u, 1, 1, v, y);
    assert_near(y[1], slope * (0.25 - 1), 1e-8);
    assert_near(y[0], -slope * (0.25 - 1), 1e-8);
    /* h_a = u_a u_b + …, h_b = -h_a: M̂ = [[1 - c u_b, -c u_a], [c u_b, 1 + c u_a]] */
    double c = 0.1, x[2] = {1, 0};
    assert_ok(&b.w, ss_work_evaluate(b.work, 0.3, q));
    assert_ok(&b.w, ss_work_modify_mass(b.work, 0, c));
    ss_work_solve_mass(b.work, x);
    double m11 = 1 + c * 0.7, m12 = -c * 0.4, m21 = -c * 0.7, m22 = 1 + c * 0.4;
    double det = m11 * m22 - m12 * m21;
    assert_near(x[0], m22 / det, 1e-9);
    assert_near(x[1], -m21 / det, 1e-9);
    close_bench(&b);
}

/* A negative stiffness that outweighs the mass. */
static void an_indefinite_mass_is_refused_by_name(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "1");
    add_force(&w, "push", "load", "on", "x", "force", "100*x");
    stepper s = stepper_create(&w, "anitescu_potra_2002");
    assert_int_equal(stepper_try(&s, 0.2), SS_SINGULAR);
    assert_non_null(strstr(ss_context_message(w.context), "system 'ball': in the step at t = 0 s"));
    stepper_step(&s, 0.05);
    stepper_destroy(&s);
}

/* A push on one of two coupled masses moves both within the step; the cluster's Delassus number is
 * 1/(M̂⁻¹)₁₁. */
static void pushes_reach_the_whole_cluster(void **state)
{
    (void)state;
    world w = stepping_world();
    double dt = 0.1, c = 50;
    add_system(&w, "a", "point", "dim", "1", "mass", "1", "velocity", "-1");
    add_system(&w, "b", "point", "dim", "1", "mass", "2", "position", "1", "velocity", "-1");
    add_system(&w, "far", "point", "dim", "1", "mass", "1", "velocity", "-1");
    add_force(&w, "weight", "gravity", "acceleration", "0");
    add_force(&w, "spring", "spring", "system", "a", "to", "b", "stiffness", "50", "length", "1");
    add_element(&w, "floor", "expression", "gap", "a.x");
    add_law(&w, "floor", "gap", "unilateral");
    stepper s = stepper_create(&w, "anitescu_potra_2002");
    stepper_step(&s, dt);
    /* a rests: u_a = 0. b: 2 (u_b + 1) = -c dt² (u_b - u_a) with the spring linearized, q_E - q_B =
     * dt u_E. */
    double u_b = -2 / (2 + c * dt * dt);
    assert_near(s.u[0], 0, 1e-12);
    assert_near(s.u[1], u_b, 1e-12);
    assert_near(s.u[2], -1, 0);
    /* P = (u_a - u_A) + c dt² (0 - u_b) = 1 - c dt² u_b */
    assert_near(ss_state_P(s.now)[0], 1 - c * dt * dt * u_b, 1e-10);
    stepper_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_have_exact_derivatives),
        cmocka_unit_test(the_modified_mass_is_what_it_says),
        cmocka_unit_test(missing_derivatives_come_from_differences),
        cmocka_unit_test(an_indefinite_mass_is_refused_by_name),
        cmocka_unit_test(pushes_reach_the_whole_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
