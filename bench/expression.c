/* expression.c: compiled formulas against C written by hand, in one run.
 *
 * The woodpecker's M, h, W and gaps, and a double pendulum's M and h derived from its energies. The
 * functions by hand know their parameters when they are compiled; a program must not take more than
 * three times as long.
 */
#include <stickslip/expression.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_OUTPUTS = 64, MOST_INPUTS = 8, MOST_PLACES = 256, REPEATS = 41, RUNS = 20000 };

typedef void (*by_hand_fn)(const double *inputs, double *outputs);

typedef struct bench_case {
    const char *name;
    by_hand_fn by_hand;
    ss_program *program;
    double inputs[MOST_INPUTS];
} bench_case;

#define m_M 3e-4
#define m_S 4.5e-3
#define J_M 5e-9
#define J_S 7e-7
#define c_  0.0056
#define r_O 0.0025
#define r_M 0.0031
#define h_M 0.0058
#define l_M 0.010
#define l_G 0.015
#define h_S 0.02
#define l_S 0.0201
#define g_  9.81

/* inputs: y phi_M phi_S and their velocities; outputs: M (9), h (3), W (6 columns), gaps (3) */
static void woodpecker_by_hand(const double *x, double *out)
{
    static const double M[9] = {
        m_S + m_M,
        m_S * l_M,
        m_S * l_G,
        m_S * l_M,
        J_M + m_S * l_M * l_M,
        m_S * l_M * l_G,
        m_S * l_G,
        m_S * l_M * l_G,
        J_S + m_S * l_G * l_G,
    };
    static const double W[18] = {
        0, 0, -h_S, 0, h_M, 0, 0, -h_M, 0, 1, l_M, l_G - l_S, 1, r_M, 0, 1, r_M, 0,
    };
    memcpy(out, M, sizeof M);
    double twist = c_ * (x[1] - x[2]);
    out[9] = -(m_S + m_M) * g_;
    out[10] = -twist - m_S * g_ * l_M;
    out[11] = twist - m_S * g_ * l_G;
    memcpy(out + 12, W, sizeof W);
    out[30] = l_M + l_G - l_S - r_O - h_S * x[2];
    out[31] = r_M - r_O + h_M * x[1];
    out[32] = r_M - r_O - h_M * x[1];
}

static const char *const woodpecker_texts[] = {
    "m_S + m_M",
    "m_S*l_M",
    "m_S*l_G",
    "m_S*l_M",
    "J_M + m_S*l_M^2",
    "m_S*l_M*l_G",
    "m_S*l_G",
    "m_S*l_M*l_G",
    "J_S + m_S*l_G^2",
    "-(m_S + m_M)*g",
    "-c*(phi_M - phi_S) - m_S*g*l_M",
    "-c*(phi_S - phi_M) - m_S*g*l_G",
};

static const char *const woodpecker_kinematics[] = {
    "l_M + l_G - l_S - r_O - h_S*phi_S",    "r_M - r_O + h_M*phi_M", "r_M - r_O - h_M*phi_M",
    "y' + l_M*phi_M' + (l_G - l_S)*phi_S'", "y' + r_M*phi_M'",       "y' + r_M*phi_M'",
};

/* inputs: a b and their velocities; outputs: M (4), h (2) */
static void pendulum_by_hand(const double *x, double *out)
{
    const double m1 = 1.5, m2 = 0.7, l1 = 0.9, l2 = 1.1;
    double cross = m2 * l1 * l2 * cos(x[0] - x[1]);
    double turn = m2 * l1 * l2 * sin(x[0] - x[1]);
    out[0] = (m1 + m2) * l1 * l1;
    out[1] = out[2] = cross;
    out[3] = m2 * l2 * l2;
    out[4] = -turn * x[3] * x[3] - (m1 + m2) * g_ * l1 * sin(x[0]);
    out[5] = turn * x[2] * x[2] - m2 * g_ * l2 * sin(x[1]);
}

static const char *const pendulum_kinetic =
    "1/2*m1*l1^2*a'^2 + 1/2*m2*(l1^2*a'^2 + l2^2*b'^2 + 2*l1*l2*a'*b'*cos(a - b))";
static const char *const pendulum_potential = "-(m1 + m2)*g*l1*cos(a) - m2*g*l2*cos(b)";

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    (void)user;
    static const struct {
        const char *name;
        double value;
    } known[] = {
        {"m_M", m_M}, {"m_S", m_S}, {"J_M", J_M}, {"J_S", J_S}, {"c", c_},    {"r_O", r_O},
        {"r_M", r_M}, {"h_M", h_M}, {"l_M", l_M}, {"l_G", l_G}, {"h_S", h_S}, {"l_S", l_S},
        {"g", g_},    {"m1", 1.5},  {"m2", 0.7},  {"l1", 0.9},  {"l2", 1.1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return ss_graph_constant(graph, known[i].value, node);
    return SS_UNKNOWN_NAME;
}

static ss_status parse(ss_graph *graph, const char *text, ss_node *node)
{
    return ss_graph_parse(graph, &(ss_text){.text = text}, node);
}

static ss_status declare(ss_graph *graph, int count, const char *const *names, ss_node *variables)
{
    for (int i = 0; i < count; i++)
        SS_TRY(ss_graph_variable(graph, names[i], &variables[i]));
    return SS_OK;
}

/* Gaps are differentiated by positions, slips by velocities. */
static ss_status woodpecker(ss_graph *graph, ss_program **program)
{
    static const char *const names[] = {"y", "phi_M", "phi_S", "y'", "phi_M'", "phi_S'"};
    ss_node x[6], out[33];
    SS_TRY(declare(graph, 6, names, x));
    for (int i = 0; i < 12; i++)
        SS_TRY(parse(graph, woodpecker_texts[i], &out[i]));
    for (int i = 0; i < 6; i++) {
        ss_node kinematics;
        SS_TRY(parse(graph, woodpecker_kinematics[i], &kinematics));
        for (int j = 0; j < 3; j++)
            SS_TRY(
                ss_graph_derivative(graph, kinematics, x[i < 3 ? j : 3 + j], &out[12 + 3 * i + j]));
        if (i < 3)
            out[30 + i] = kinematics;
    }
    return ss_program_compile(graph, 33, out, program);
}

/* M = d²T/du du, h = dT/dq - d²T/du dq u - dV/dq */
static ss_status pendulum(ss_graph *graph, ss_program **program)
{
    static const char *const names[] = {"a", "b", "a'", "b'"};
    ss_node x[4], out[6], T, V;
    SS_TRY(declare(graph, 4, names, x));
    SS_TRY(parse(graph, pendulum_kinetic, &T));
    SS_TRY(parse(graph, pendulum_potential, &V));
    for (int i = 0; i < 2; i++) {
        ss_node momentum, sum, term;
        SS_TRY(ss_graph_derivative(graph, T, x[2 + i], &momentum));
        SS_TRY(ss_graph_derivative(graph, V, x[i], &sum));
        for (int j = 0; j < 2; j++) {
            SS_TRY(ss_graph_derivative(graph, momentum, x[2 + j], &out[2 * i + j]));
            SS_TRY(ss_graph_derivative(graph, momentum, x[j], &term));
            SS_TRY(ss_graph_multiply(graph, term, x[2 + j], &term));
            SS_TRY(ss_graph_add(graph, sum, term, &sum));
        }
        SS_TRY(ss_graph_negate(graph, sum, &sum));
        SS_TRY(ss_graph_derivative(graph, T, x[i], &term));
        SS_TRY(ss_graph_add(graph, sum, term, &out[4 + i]));
    }
    return ss_program_compile(graph, 6, out, program);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Each run starts from the outputs of the one before, so that none can be left out. */
static void disturb(double *inputs, const double *outputs)
{
    inputs[1] += 1e-12 * outputs[4];
}

static double time_by_hand(const bench_case *c, double *outputs)
{
    volatile by_hand_fn function = c->by_hand;
    double inputs[MOST_INPUTS];
    memcpy(inputs, c->inputs, sizeof inputs);
    double start = now();
    for (int i = 0; i < RUNS; i++) {
        function(inputs, outputs);
        disturb(inputs, outputs);
    }
    return (now() - start) / RUNS;
}

static double time_program(const bench_case *c, double *frame)
{
    const double *outputs = ss_program_outputs(c->program, frame);
    memcpy(frame, c->inputs, (size_t)ss_program_input_count(c->program) * sizeof *frame);
    double start = now();
    for (int i = 0; i < RUNS; i++) {
        ss_program_run(c->program, frame);
        disturb(frame, outputs);
    }
    return (now() - start) / RUNS;
}

/* The fastest of the repeats, taken in turns. Returns whether the target is met and the values
 * agree. */
static bool measure(const bench_case *c)
{
    double frame[MOST_PLACES], theirs[MOST_OUTPUTS];
    ss_program_prepare(c->program, frame);
    const double *ours = ss_program_outputs(c->program, frame);
    double hand = INFINITY, program = INFINITY, difference = 0;
    for (int i = 0; i < REPEATS; i++) {
        hand = fmin(hand, time_by_hand(c, theirs));
        program = fmin(program, time_program(c, frame));
    }
    for (int i = 0; i < ss_program_output_count(c->program); i++)
        difference = fmax(difference, fabs(ours[i] - theirs[i]) / (1e-30 + fabs(theirs[i])));
    double ratio = program / hand;
    printf("%-16s %3d instructions  by hand %6.1f ns  program %6.1f ns  ratio %.2f (at most 3)  "
           "largest difference %.1e\n",
           c->name, ss_program_length(c->program), 1e9 * hand, 1e9 * program, ratio, difference);
    return ratio <= 3 && difference < 1e-13;
}

typedef ss_status (*build_fn)(ss_graph *graph, ss_program **program);

static bool run(ss_context *context, build_fn build, bench_case *c)
{
    ss_graph *graph;
    ss_resolver resolver = {.resolve = resolve};
    if (ss_graph_create(context, &resolver, &graph) != SS_OK)
        return false;
    bool good = build(graph, &c->program) == SS_OK && ss_program_frame(c->program) <= MOST_PLACES;
    if (good)
        good = measure(c);
    else
        fprintf(stderr, "%s: %s\n", c->name, ss_context_message(context));
    ss_program_destroy(c->program);
    ss_graph_destroy(graph);
    return good;
}

int main(void)
{
    ss_context *context;
    if (ss_context_create(NULL, &context) != SS_OK)
        return 2;
    bench_case toy = {"woodpecker", woodpecker_by_hand, NULL, {0, -0.1, -0.27, -0.34, 0, -7.4}};
    bench_case swing = {"double pendulum", pendulum_by_hand, NULL, {0.4, 1.1, 0.3, -0.8}};
    bool good = run(context, woodpecker, &toy);
    good = run(context, pendulum, &swing) && good;
    ss_context_destroy(context);
    return good ? 0 : 1;
}
