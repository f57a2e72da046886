/* woodpecker.c: the woodpecker given by expressions (scenes/woodpecker.yaml) against the same equations written in C by
 * hand, both as whole runs, side by side. Fails when the expressions take more than 3 times as long or when the motions
 * differ.
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double m_M = 3e-4, m_S = 4.5e-3, J_M = 5e-9, J_S = 7e-7, c = 0.0056, g = 9.81,
                    r_O = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.02,
                    l_S = 0.0201;

static ss_status toy_init(void *self, ss_setup *setup)
{
    (void)self;
    ss_setup_constant_mass(setup);
    return ss_setup_coordinates(setup, 3, (const char *[]){"y", "phi_M", "phi_S"});
}

static ss_status toy_mass(const void *self, const ss_at *at, double *M)
{
    (void)self;
    (void)at;
    M[0] = m_S + m_M;
    M[1] = M[3] = m_S * l_M;
    M[2] = M[6] = m_S * l_G;
    M[4] = J_M + m_S * l_M * l_M;
    M[5] = M[7] = m_S * l_M * l_G;
    M[8] = J_S + m_S * l_G * l_G;
    return SS_OK;
}

static ss_status toy_h(const void *self, const ss_at *at, double *h)
{
    (void)self;
    const double *q = at->q[0];
    h[0] = -(m_S + m_M) * g;
    h[1] = -c * (q[1] - q[2]) - m_S * g * l_M;
    h[2] = -c * (q[2] - q[1]) - m_S * g * l_G;
    return SS_OK;
}

static ss_status toy_potential(const void *self, const ss_at *at, double *V)
{
    (void)self;
    const double *q = at->q[0];
    *V = c * (q[1] - q[2]) * (q[1] - q[2]) / 2 + m_M * g * q[0] +
         m_S * g * (q[0] + l_M * q[1] + l_G * q[2]);
    return SS_OK;
}

static const ss_system_ops toy_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "toy", "The woodpecker by hand.", 0, NULL},
    .init = toy_init,
    .mass = toy_mass,
    .h = toy_h,
    .potential = toy_potential,
};

typedef struct contact {
    int which; /* 0 beak, 1 lower, 2 upper edge of the sleeve */
} contact;

static const ss_key contact_keys[] = {
    {"which", SS_KEY_INT, offsetof(contact, which), NULL, 0, 2, NULL, "",
     "Beak, lower or upper edge."},
    {NULL},
};

static ss_status contact_init(void *self, ss_setup *setup)
{
    int local;
    (void)self;
    SS_TRY(ss_setup_connect(setup, &(ss_text){"toy", {0}}, &local));
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    return ss_setup_rows(setup, "slip", 1, SS_KINEMATIC);
}

static ss_status contact_gap(const void *self, const ss_at *at, double *gap)
{
    const double *q = at->q[0];
    int which = ((const contact *)self)->which;
    gap[0] = which == 0 ? l_M + l_G - l_S - r_O - h_S * q[2]
                        : r_M - r_O + (which == 1 ? h_M : -h_M) * q[1];
    return SS_OK;
}

static ss_status contact_W(const void *self, const ss_at *at, double *const *W)
{
    static const double rows[3][6] = {
        {0, 0, -0.02, 1, 0.010, 0.015 - 0.0201},
        {0, 0.0058, 0, 1, 0.0031, 0},
        {0, -0.0058, 0, 1, 0.0031, 0},
    };
    (void)at;
    memcpy(W[0], rows[((const contact *)self)->which], sizeof rows[0]);
    return SS_OK;
}

static const ss_element_ops contact_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "toy_contact", "A contact by hand.", sizeof(contact),
             contact_keys},
    .init = contact_init,
    .gap = contact_gap,
    .W = contact_W,
};

static const char by_hand[] =
    "systems: {toy: {type: toy, position: [0, -0.1036, -0.2788], velocity: [-0.3411, 0, "
    "-7.4583]}}\n"
    "elements:\n"
    "  beak: {type: toy_contact, which: 0, laws: {gap: {type: unilateral, restitution: 0.5}, "
    "slip: {type: friction, mu: 0.3}}}\n"
    "  lower: {type: toy_contact, which: 1, laws: {gap: {type: unilateral}, slip: {type: friction, "
    "mu: 0.3}}}\n"
    "  upper: {type: toy_contact, which: 2, laws: {gap: {type: unilateral}, slip: {type: friction, "
    "mu: 0.3}}}\n"
    "solver: {type: sorprox}\n"
    "simulation: {type: constant, step: 1e-5, end: 0.5}\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of one run, and where it ends; negative: it failed. */
static double run(ss_context *context, bool hand, const char *path, double *q)
{
    ss_scene *scene;
    ss_status status =
        hand ? ss_scene_parse(context, "by hand", by_hand, strlen(by_hand), NULL, &scene)
             : ss_scene_load(context, path, NULL, &scene);
    if (status != SS_OK)
        return -1;
    ss_simulation *simulation = ss_scene_simulation(scene);
    double begin = seconds(), time = -1;
    if (ss_simulation_run(simulation, NULL, NULL) == SS_OK)
        time = seconds() - begin;
    memcpy(q, ss_state_q(ss_simulation_state(simulation)), 3 * sizeof *q);
    ss_scene_destroy(scene);
    return time;
}

int main(int argc, char **argv)
{
    enum { TIMES = 7 };
    const char *path = argc > 1 ? argv[1] : "scenes/woodpecker.yaml";
    ss_context *context;
    double best[2] = {INFINITY, INFINITY}, q[2][3];
    if (ss_context_create(NULL, &context) != SS_OK ||
        ss_register_system(context, &toy_ops) != SS_OK ||
        ss_register_element(context, &contact_ops) != SS_OK)
        return 1;
    for (int i = 0; i < 2 * TIMES; i++) {
        double time = run(context, i % 2, path, q[i % 2]);
        if (time < 0) {
            fprintf(stderr, "%s\n", ss_context_message(context));
            return 1;
        }
        best[i % 2] = fmin(best[i % 2], time);
    }
    ss_context_destroy(context);
    double far = fmax(fabs(q[0][0] - q[1][0]), fabs(q[0][2] - q[1][2]));
    printf("woodpecker, 50 000 steps: expressions %.3f s, by hand %.3f s, ratio %.2f (limit 3); "
           "end positions differ by %.1g\n",
           best[0], best[1], best[0] / best[1], far);
    return best[0] > 3 * best[1] || !(far < 1e-6);
}
