/* test_chain.c: rows of points with springs and dampers, linearly implicit, against the equations of a step
 *
 *     (m + Δt D + Δt² K) u_E = m u_B - Δt K (x_B - rest),   u_E = 0 of the first point, which is held
 *
 * written out and solved here. Two chains whose points alternate have matrices of their own in one vector of velocities. */
#include "stepping.h"

enum { LONG = 12 };

typedef struct chain {
    char name;
    double m, c, d;
    double x[LONG], u[LONG];
} chain;

static const double DX = 0.2;

static chain chain_at_start(char name, double m, double c, double d)
{
    chain k = {.name = name, .m = m, .c = c, .d = d};
    for (int i = 0; i < LONG; i++) {
        k.x[i] = -DX * i + 0.01 * cos(3.0 * i);
        k.u[i] = i == 0 ? 0 : sin(1.0 + i);
    }
    return k;
}

static const char *number(double x, char *text)
{
    snprintf(text, 32, "%.17g", x);
    return text;
}

static void add_point(world *w, const chain *k, int i)
{
    char name[24], x[32], u[32], m[32];
    snprintf(name, sizeof name, "%c_%d", k->name, i);
    add_system(w, name, "point", "dim", "1", "mass", number(k->m, m), "position",
               number(k->x[i], x), "velocity", number(k->u[i], u));
}

static void add_forces(world *w, const chain *k)
{
    for (int i = 0; i < LONG - 1; i++) {
        char from[24], to[24], name[40], c[32], d[32], length[32];
        snprintf(from, sizeof from, "%c_%d", k->name, i);
        snprintf(to, sizeof to, "%c_%d", k->name, i + 1);
        snprintf(name, sizeof name, "spring_%s", from);
        add_force(w, name, "spring", "system", from, "to", to, "stiffness", number(k->c, c),
                  "length", number(DX, length));
        snprintf(name, sizeof name, "damper_%s", from);
        add_force(w, name, "damper", "system", from, "to", to, "damping", number(k->d, d));
    }
}

/* The first point is held, and a row of the last one is zero. */
static void add_laws(world *w, const chain *k)
{
    char held[] = "held_a", idle[] = "idle_a", first[24], never[80];
    held[5] = idle[5] = k->name;
    snprintf(first, sizeof first, "%c_0.x'", k->name);
    snprintf(never, sizeof never, "%c_%d.x>100?%c_%d.x':0", k->name, LONG - 1, k->name, LONG - 1);
    add_element(w, held, "expression", "slip", first);
    add_law(w, held, "slip", "friction", "bound", "1e6");
    add_element(w, idle, "expression", "slip", never);
    add_law(w, idle, "slip", "friction", "bound", "1e6");
}

/* Gauss, by rows; the matrix is diagonally dominant. */
static void solve(int n, double A[LONG][LONG], double *x)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= factor * A[k][j];
            x[i] -= factor * x[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

static void step(chain *k, double dt)
{
    double A[LONG][LONG] = {{0}}, b[LONG];
    for (int i = 0; i < LONG; i++) {
        A[i][i] = k->m;
        b[i] = k->m * k->u[i];
    }
    for (int i = 0; i < LONG - 1; i++) {
        double stretch = k->x[i] - k->x[i + 1] - DX, s = dt * k->d + dt * dt * k->c;
        A[i][i] += s;
        A[i + 1][i + 1] += s;
        A[i][i + 1] -= s;
        A[i + 1][i] -= s;
        b[i] -= dt * k->c * stretch;
        b[i + 1] += dt * k->c * stretch;
    }
    for (int j = 0; j < LONG; j++)
        A[0][j] = j == 0;
    b[0] = 0;
    solve(LONG, A, b);
    for (int i = 0; i < LONG; i++) {
        k->u[i] = b[i];
        k->x[i] += dt * b[i];
    }
}

/* Steps of two sizes: matrices change, and do not. */
static void run_chains(stepper *s, int count, chain *chains)
{
    enum { STEPS = 30 };
    for (int n = 0; n < STEPS; n++) {
        double dt = n % 5 < 3 ? 1e-3 : 4e-3;
        stepper_step(s, dt);
        for (int k = 0; k < count; k++)
            step(&chains[k], dt);
        for (int i = 0; i < count * LONG; i++) {
            const chain *own = &chains[i % count];
            assert_near(s->q[i], own->x[i / count], 1e-11);
            assert_near(s->u[i], own->u[i / count], 1e-9);
        }
    }
}

static void check(int count, chain *chains)
{
    world w = stepping_world();
    for (int i = 0; i < count * LONG; i++)
        add_point(&w, &chains[i % count], i / count);
    for (int k = 0; k < count; k++) {
        add_forces(&w, &chains[k]);
        add_laws(&w, &chains[k]);
    }
    stepper s = stepper_create(&w, "theta theta=1 laws=velocity");
    run_chains(&s, count, chains);
    stepper_destroy(&s);
}

static void a_chain_moves_as_its_equations_say(void **state)
{
    (void)state;
    check(1, (chain[]){chain_at_start('a', 0.1, 1e5, 300)});
}

static void chains_whose_points_alternate_do_so_too(void **state)
{
    (void)state;
    check(2, (chain[]){chain_at_start('a', 0.1, 1e5, 300), chain_at_start('b', 2, 30, 0)});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_moves_as_its_equations_say),
        cmocka_unit_test(chains_whose_points_alternate_do_so_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
