/* Equations of motion derived from energies, against matrices derived by hand. */
#include "formulas.h"

#include <float.h>
#include <string.h>

/* The woodpecker toy (S6.5.4). */
static const double m_M = 3e-4, m_S = 4.5e-3, J_M = 5e-9, J_S = 7e-7, c = .0056, r_O = .0025,
                    r_M = .0031, h_M = .0058, l_M = .010, l_G = .015, h_S = .02, l_S = .0201,
                    g = 9.81;

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    (void)user;
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"m_M", m_M}, {"m_S", m_S}, {"J_M", J_M}, {"J_S", J_S}, {"c", c},
        {"r_O", r_O}, {"r_M", r_M}, {"h_M", h_M}, {"l_M", l_M}, {"l_G", l_G},
        {"h_S", h_S}, {"l_S", l_S}, {"g", g},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return ss_graph_constant(graph, known[i].value, node);
    return SS_UNKNOWN_NAME;
}

static const ss_resolver resolver = {.resolve = resolve};

static void declare(const formulas *f, int count, const char *const *names, ss_node *nodes)
{
    for (int i = 0; i < count; i++)
        must(f, ss_graph_variable(f->graph, names[i], &nodes[i]));
}

static double constant(const formulas *f, ss_node node)
{
    double value = NAN;
    assert_true(ss_graph_is_constant(f->graph, node, &value));
    return value;
}

static void assert_close(double found, double expected)
{
    if (!(fabs(found - expected) <= 4 * DBL_EPSILON * fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

/* M = d²T/du du has no variable left in it. */
static void test_woodpecker_mass(void **state)
{
    (void)state;
    static const char *const names[] = {"φ_M", "φ_S", "y'", "φ_M'", "φ_S'"};
    const double M[3][3] = {
        {m_S + m_M, m_S * l_M, m_S * l_G},
        {m_S * l_M, J_M + m_S * l_M * l_M, m_S * l_M * l_G},
        {m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G * l_G},
    };
    formulas f;
    open_formulas(&f, &resolver);
    ss_node v[5];
    declare(&f, 5, names, v);
    ss_node T = parse(&f, "1/2*m_M*y'^2 + 1/2*J_M*φ_M'^2 + 1/2*J_S*φ_S'^2\n"
                          "+ 1/2*m_S*(y' + l_M*φ_M' + l_G*φ_S')^2");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(constant(&f, derivative(&f, derivative(&f, T, v[2 + i]), v[2 + j])),
                         M[i][j]);
    close_formulas(&f);
}

static void test_woodpecker_forces(void **state)
{
    (void)state;
    static const char *const names[] = {"φ_M", "φ_S"};
    formulas f;
    open_formulas(&f, &resolver);
    ss_node v[2];
    declare(&f, 2, names, v);
    ss_node V = parse(&f, "(m_S + m_M)*g*y + m_S*g*(l_M*φ_M + l_G*φ_S) + 1/2*c*(φ_M - φ_S)^2");
    ss_node slopes[] = {derivative(&f, V, f.y), derivative(&f, V, v[0]), derivative(&f, V, v[1])};
    ss_program *program = compile(&f, 3, slopes);
    double *frame = new_frame(program);
    frame[3] = -.1036, frame[4] = -.2788;
    ss_program_run(program, frame);
    const double *dV = ss_program_outputs(program, frame);
    assert_close(dV[0], (m_S + m_M) * g);
    assert_close(dV[1], c * (frame[3] - frame[4]) + m_S * g * l_M);
    assert_close(dV[2], c * (frame[4] - frame[3]) + m_S * g * l_G);
    free(frame);
    ss_program_destroy(program);
    close_formulas(&f);
}

/* Directions: gaps by positions, slips by velocities. */
static void test_woodpecker_directions(void **state)
{
    (void)state;
    static const char *const names[] = {"φ_M", "φ_S", "y'", "φ_M'", "φ_S'"};
    static const char *const texts[] = {
        "l_M + l_G - l_S - r_O - h_S*φ_S",  "r_M - r_O + h_M*φ_M", "r_M - r_O - h_M*φ_M",
        "y' + l_M*φ_M' + (l_G - l_S)*φ_S'", "y' + r_M*φ_M'",
    };
    const double W[5][3] = {
        {0, 0, -h_S}, {0, h_M, 0}, {0, -h_M, 0}, {1, l_M, l_G - l_S}, {1, r_M, 0},
    };
    formulas f;
    open_formulas(&f, &resolver);
    ss_node v[5];
    declare(&f, 5, names, v);
    const ss_node q[] = {f.y, v[0], v[1]};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++)
            assert_true(constant(&f, derivative(&f, parse(&f, texts[i]),
                                                i < 3 ? q[j] : v[2 + j])) == W[i][j]);
    close_formulas(&f);
}

/* A double pendulum: M depends on q, h has gyroscopic terms h = dT/dq - d²T/du dq u - dV/dq. */
static void test_double_pendulum(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "a'", "b'"};
    const double m1 = 1.5, m2 = 0.7, l1 = 0.9, l2 = 1.1, a = 0.4, b = -1.9, va = 2.2, vb = -0.6;
    formulas f;
    open_formulas(&f, &resolver);
    ss_node v[4], out[6];
    declare(&f, 4, names, v);
    ss_node T = parse(&f, "1/2*1.5*((0.9*a'*cos(a))^2 + (0.9*a'*sin(a))^2) + 1/2*0.7*("
                          "(0.9*a'*cos(a) + 1.1*b'*cos(b))^2 + (0.9*a'*sin(a) + 1.1*b'*sin(b))^2)");
    ss_node V = parse(&f, "-1.5*g*0.9*cos(a) - 0.7*g*(0.9*cos(a) + 1.1*cos(b))");
    for (int i = 0; i < 2; i++) {
        ss_node h, term, momentum = derivative(&f, T, v[2 + i]);
        must(&f, ss_graph_negate(f.graph, derivative(&f, V, v[i]), &h));
        must(&f, ss_graph_add(f.graph, h, derivative(&f, T, v[i]), &h));
        for (int j = 0; j < 2; j++) {
            out[2 * i + j] = derivative(&f, momentum, v[2 + j]);
            must(&f, ss_graph_multiply(f.graph, derivative(&f, momentum, v[j]), v[2 + j], &term));
            must(&f, ss_graph_negate(f.graph, term, &term));
            must(&f, ss_graph_add(f.graph, h, term, &h));
        }
        out[4 + i] = h;
    }
    ss_program *program = compile(&f, 6, out);
    double *frame = new_frame(program);
    frame[3] = a, frame[4] = b, frame[5] = va, frame[6] = vb;
    ss_program_run(program, frame);
    const double *found = ss_program_outputs(program, frame);
    double cross = m2 * l1 * l2;
    const double expected[] = {
        (m1 + m2) * l1 * l1,
        cross * cos(a - b),
        cross * cos(a - b),
        m2 * l2 * l2,
        -cross * sin(a - b) * vb * vb - (m1 + m2) * g * l1 * sin(a),
        cross * sin(a - b) * va * va - m2 * g * l2 * sin(b),
    };
    for (int i = 0; i < 6; i++) /* sums of terms of the size 10 */
        assert_true(fabs(found[i] - expected[i]) <= 1e-14 * 10);
    free(frame);
    ss_program_destroy(program);
    close_formulas(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_woodpecker_mass),
        cmocka_unit_test(test_woodpecker_forces),
        cmocka_unit_test(test_woodpecker_directions),
        cmocka_unit_test(test_double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
