/* schemes.c: every scheme on the same scenes; prints the table of docs/schemes.md.
 *
 *   smooth     order on the linear oscillator
 *   impacts    order on the impact oscillator, ε = 0.6; marked ¹: ε = 0, the scheme treats no other
 *   friction   order on the sliding mass
 *   rest       speed of the falling mass after its bouncing should have ended, over g Δt
 *   drift, E   pendulum, Δt = 0.05 s, 10 s: largest gap of the rod in m; energy at the end over that
 *              at the beginning
 *   way        woodpecker, Δt = 1e-4 s, 0.5 s: height lost in mm (62.6 as Δt → 0)
 *   stiff      stretch of the stiff rod at the end over that at rest, Δt = 2 ms; a dash: it fails
 *   creep      way of the block on the slope in 1000 steps, m
 *   cost       time of a step of the impact oscillator over that of Moreau's rule
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST = 8, PHASES = 6 };

static const char *const schemes[] = {
    "moreau",
    "moreau_stabilized",
    "theta",
    "paoli_schatzman",
    "stiegelmeier",
    "funk",
    "foerg_explicit",
    "foerg_implicit",
    "stewart_trinkle",
    "anitescu_potra_1997",
    "anitescu_potra_2002",
    "anitescu_hart",
    "potra",
    "gavrea",
    "ggl",
    "preconditioned_index3",
    "generalized_alpha",
};

typedef struct outcome {
    bool ran;
    double q[MOST], u[MOST];
    double drift, energy; /* energy at the end over that at the beginning */
    double seconds, steps;
} outcome;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double energy_of(ss_simulation *s)
{
    ss_energy e;
    if (ss_work_energy(ss_simulation_work(s), ss_simulation_state(s), &e) != SS_OK)
        return NAN;
    return e.kinetic + e.potential;
}

typedef struct watch {
    double drift;
} watch;

static ss_status observe(void *user, ss_simulation *s, const ss_step *step)
{
    watch *w = user;
    const double *q = ss_state_q(step->state);
    (void)s;
    w->drift = fmax(w->drift, fabs(hypot(q[0], q[1]) - 1));
    return SS_OK;
}

/* Runs a scene; `more` holds further overrides, parameters first. */
static outcome run(const char *name, const char *scheme, double step, double end,
                   const char *parameter, bool watched)
{
    char path[256], type[64], size[64], stop[64];
    snprintf(path, sizeof path, "scenes/%s.yaml", name);
    snprintf(type, sizeof type, "scheme.type=%s", scheme);
    snprintf(size, sizeof size, "simulation.step=%.17g", step);
    snprintf(stop, sizeof stop, "simulation.end=%.17g", end);
    const char *settings[] = {type, size, stop}, *parameters[] = {parameter};
    ss_scene_options options = {.parameters = parameters,
                                .n_parameters = parameter ? 1 : 0,
                                .settings = settings,
                                .n_settings = 3};
    ss_context *context;
    ss_scene *scene;
    outcome o = {0};
    if (ss_context_create(NULL, &context) != SS_OK)
        return o;
    if (ss_scene_load(context, path, &options, &scene) == SS_OK) {
        ss_simulation *s = ss_scene_simulation(scene);
        ss_model_size sizes = ss_model_sizes(ss_scene_model(scene));
        watch w = {0};
        double first = energy_of(s), begin = seconds();
        o.ran = ss_simulation_run(s, watched ? observe : NULL, &w) == SS_OK;
        o.seconds = seconds() - begin;
        o.steps = (double)ss_state_statistics(ss_simulation_state(s))->steps;
        o.energy = energy_of(s) / first;
        o.drift = w.drift;
        for (int i = 0; i < sizes.n_q && i < MOST; i++)
            o.q[i] = ss_state_q(ss_simulation_state(s))[i];
        for (int i = 0; i < sizes.n_u && i < MOST; i++)
            o.u[i] = ss_state_u(ss_simulation_state(s))[i];
    }
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return o;
}

/* Mean of log2 of the error over several phases of the steps. */
static double log_error(const char *name, const char *scheme, int steps, double end,
                        const char *parameter, const outcome *exact)
{
    double sum = 0;
    for (int k = 0; k < PHASES; k++) {
        outcome o = run(name, scheme, end / (steps + steps * k / 13), end, parameter, false);
        if (!o.ran)
            return NAN;
        double error = 0;
        for (int i = 0; i < 2; i++)
            error = fmax(error, fmax(fabs(o.q[i] - exact->q[i]), 0.1 * fabs(o.u[i] - exact->u[i])));
        sum += log2(error) / PHASES;
    }
    return sum;
}

static double order(const char *name, const char *scheme, int steps, double end,
                    const char *parameter, const outcome *exact)
{
    double coarse = log_error(name, scheme, steps, end, parameter, exact);
    return (coarse - log_error(name, scheme, 16 * steps, end, parameter, exact)) / 4;
}

static void print_row(const char *scheme, const outcome *elastic, const outcome *inelastic,
                      const outcome *sliding)
{
    const double g = 9.81, dt = 1e-3;
    outcome smooth = {.q = {cos(10)}, .u = {-10 * sin(10)}};
    bool bounces = run("impact_oscillator", scheme, 0.01, 0.02, NULL, false).ran;
    double impacts = bounces ? order("impact_oscillator", scheme, 500, 0.7, NULL, elastic)
                             : order("impact_oscillator", scheme, 500, 0.7, "epsilon=0", inelastic);
    outcome fallen = run("falling_mass", scheme, dt, 1.2, bounces ? NULL : "epsilon=0", false);
    outcome pendulum = run("pendulum", scheme, 0.05, 10, NULL, true);
    outcome woodpecker = run("woodpecker", scheme, 1e-4, 0.5, NULL, false);
    outcome stiff = run("stiff_spring", scheme, 0.002, 2, NULL, false);
    outcome slope = run("slope", scheme, 1e-3, 1, NULL, false);
    outcome timed = run("impact_oscillator", scheme, 1e-5, 1, bounces ? NULL : "epsilon=0", false);
    outcome moreau =
        run("impact_oscillator", "moreau", 1e-5, 1, bounces ? NULL : "epsilon=0", false);
    printf("| `%s` | %.2f | %.2f%s | %.2f | %.2g | %.2g | %.2f |", scheme,
           order("linear_oscillator", scheme, 1000, 1, NULL, &smooth), impacts, bounces ? "" : "¹",
           order("sliding_mass", scheme, 400, 4, NULL, sliding), fabs(fallen.u[0]) / (g * dt),
           pendulum.drift, pendulum.energy);
    printf(woodpecker.ran ? " %.1f |" : " – |", -1e3 * woodpecker.q[0]);
    double stretch = (stiff.q[0] - stiff.q[1] - 0.1) / (-(9.81 - 100 * (0.2 - 0.1)) / 1e8);
    printf(stiff.ran ? " %.3g |" : " – |", stretch);
    printf(" %.2g | %.1f |\n", slope.q[0], timed.seconds / moreau.seconds);
}

int main(void)
{
    outcome elastic = run("impact_oscillator", "potra", 1e-5, 0.7, NULL, false);
    outcome inelastic = run("impact_oscillator", "potra", 1e-5, 0.7, "epsilon=0", false);
    outcome sliding = run("sliding_mass", "potra", 1e-4, 4, NULL, false);
    printf("| scheme | smooth | impacts | friction | rest | drift | E | way | stiff | creep | cost "
           "|\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        print_row(schemes[i], &elastic, &inelastic, &sliding);
    return elastic.ran && inelastic.ran && sliding.ran ? 0 : 1;
}
