/* augmented.c: error of augmented time-stepping over step size and over time, beside steps of
 * constant size.
 *
 * The impact oscillator is compared with its closed form, the woodpecker with a run of tighter
 * tolerances: with one least step for all runs, as in Fig. 6.11, and with Δt_min = K_t Δt_max^p
 * (S6.92), as the oscillator. The toy's forces do not depend on velocities; Moreau's rule is then
 * symmetric, its error has even powers of the step size only, and in smooth motion odd orders are one
 * better than they should be. With one least step that shows, unless a damper in the spring ends it;
 * with K_t the switches decide, and the order is p.
 *
 * Prints tables (also into the folder given, for bench/augmented.gp) and fails when the error of
 * order p does not fall with the power p ± 0.15 of the largest step (the woodpecker with one least step
 * may do better), or when an error of 1e-8 is not at least 100 times cheaper than with steps of
 * constant size.
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_SETTINGS = 8, SETTING = 96, TOP_ORDER = 5, MOST_POINTS = 16 };

typedef struct plan {
    const char *text; /* the scene; includes are looked for in scenes/ */
    ss_observe_fn look;
    int n_settings;
    char settings[MOST_SETTINGS][SETTING];
} plan;

typedef struct result {
    double x0;      /* where the oscillator began */
    double value;   /* the error, or what is compared */
    double seconds; /* cpu time */
    double steps, tries;
} result;

/* One line of a table. */
typedef struct point {
    double step, average, error, seconds;
} point;

typedef struct curve {
    int count;
    point points[MOST_POINTS];
} curve;

static const char oscillator[] = "include: [impact_oscillator.yaml]\nsolver: {tolerance: 1e-15}\n";
static const char toy[] = "include: [woodpecker.yaml]\nsolver: {tolerance: 1e-15}\n";
static const char damped_toy[] =
    "include: [woodpecker.yaml]\nsolver: {tolerance: 1e-15}\nparameters: {d: 1e-5}\n"
    "forces:\n  damper: {type: load, on: [phi_M, phi_S], force: [\"-d*(phi_M' - phi_S')\", "
    "\"-d*(phi_S' - phi_M')\"]}\n";

__attribute__((format(printf, 2, 3))) static void set(plan *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->settings[p->n_settings++], SETTING, format, arguments);
    va_end(arguments);
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* x(t) of the impact oscillator: harmonic about -0.15 m with ω² = 200/s², the speed times -0.6 at x
 * = 0. */
static double exact(double x0, double t)
{
    double omega = sqrt(200), y = x0 + 0.15, v = 0.2;
    for (;;) {
        double amplitude = hypot(y, v / omega), phase = atan2(v / omega, y);
        double hit = phase - acos(0.15 / amplitude); /* y = amplitude cos(ωt - phase) */
        while (hit <= 1e-9)
            hit += 2 * acos(-1);
        if (t * omega <= hit)
            return amplitude * cos(omega * t - phase) - 0.15;
        t -= hit / omega;
        v = 0.6 * amplitude * omega * sin(hit - phase);
        y = 0.15;
    }
}

/* The largest error of all steps. */
static ss_status look_at_oscillator(void *user, ss_simulation *simulation, const ss_step *step)
{
    result *r = user;
    (void)simulation;
    double x = ss_state_q(step->state)[0];
    if (!step->report)
        r->x0 = x;
    r->value = fmax(r->value, fabs(x - exact(r->x0, ss_state_time(step->state))));
    return SS_OK;
}

/* phi_S at the end. */
static ss_status look_at_woodpecker(void *user, ss_simulation *simulation, const ss_step *step)
{
    result *r = user;
    (void)simulation;
    r->value = ss_state_q(step->state)[2];
    return SS_OK;
}

static bool run(ss_context *context, const plan *p, result *r)
{
    const char *settings[MOST_SETTINGS];
    for (int i = 0; i < p->n_settings; i++)
        settings[i] = p->settings[i];
    ss_scene_options options = {.n_settings = p->n_settings, .settings = settings};
    ss_scene *scene = NULL;
    *r = (result){0};
    ss_status status =
        ss_scene_parse(context, "scenes/bench.yaml", p->text, strlen(p->text), &options, &scene);
    if (status == SS_OK) {
        ss_simulation *simulation = ss_scene_simulation(scene);
        double begin = cpu();
        status = ss_simulation_run(simulation, p->look, r);
        r->seconds = cpu() - begin;
        const ss_statistics *sums = ss_state_statistics(ss_simulation_state(simulation));
        r->steps = (double)sums->steps;
        r->tries = (double)sums->tries;
    }
    if (status != SS_OK)
        fprintf(stderr, "%s\n", ss_context_message(context));
    ss_scene_destroy(scene);
    return status == SS_OK;
}

/* Slope of log(error) over log(step), least squares. */
static double slope(const curve *c)
{
    double n = c->count, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < c->count; i++) {
        double a = log(c->points[i].step), b = log(c->points[i].error);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

static bool add(ss_context *context, const plan *p, double end, double step, double reference,
                curve *c)
{
    result r;
    if (!run(context, p, &r))
        return false;
    c->points[c->count++] = (point){step, end / r.steps, fabs(r.value - reference), r.seconds};
    return true;
}

/* Where a switch lies within its least step is chance: the largest error from several starts. */
static bool worst_of_starts(ss_context *context, const plan *p, double step, curve *c)
{
    enum { STARTS = 32 };
    point worst = {.step = step};
    for (int i = 0; i < STARTS; i++) {
        plan shifted = *p;
        result r;
        set(&shifted, "systems.mass.position=[%.17g]", -0.5 + 0.0017 * i);
        if (!run(context, &shifted, &r))
            return false;
        worst.error = fmax(worst.error, r.value);
        worst.average += 1 / r.steps / STARTS;
        worst.seconds += r.seconds / STARTS;
    }
    c->points[c->count++] = worst;
    return true;
}

static bool measure_oscillator(ss_context *context, int order, curve *c)
{
    c->count = 0;
    for (int i = 0; i < 13; i++) {
        double step = (order == 1 ? 0.01 : 0.03) * pow(2, -i / 3.0);
        if (pow(step, order) < 1e-10) /* short of where rounding shows */
            break;
        plan p = {.text = oscillator, .look = look_at_oscillator};
        set(&p, "simulation.type=augmented");
        set(&p, "simulation.order=%d", order);
        set(&p, "simulation.step_max=%.17g", step);
        set(&p, "simulation.K_t=1");
        if (!worst_of_starts(context, &p, step, c))
            return false;
    }
    return true;
}

static plan woodpecker_plan(const char *text, int order, double step)
{
    plan p = {.text = text, .look = look_at_woodpecker};
    set(&p, "simulation.type=augmented");
    set(&p, "simulation.order=%d", order);
    set(&p, "simulation.step_max=%.17g", step);
    set(&p, "simulation.step_min=1e-10");
    set(&p, "simulation.end=0.08");
    return p;
}

static bool measure_woodpecker(ss_context *context, const char *text, int order, double reference,
                               curve *c)
{
    c->count = 0;
    for (int i = 0; i < 13; i++) {
        double step = 1.6e-3 * pow(2, -i / 3.0);
        plan p = woodpecker_plan(text, order, step);
        if (!add(context, &p, 0.08, step, reference, c))
            return false;
        if (c->points[c->count - 1].error < 3e-11) { /* what the least step leaves */
            c->count--;
            break;
        }
    }
    return true;
}

static bool measure_constant(ss_context *context, const char *text, ss_observe_fn look, double end,
                             double largest, double reference, curve *c)
{
    c->count = 0;
    for (int i = 0; i < 4; i++) {
        double step = largest * pow(10, -i);
        plan p = {.text = text, .look = look};
        set(&p, "simulation.type=constant");
        set(&p, "simulation.step=%.17g", step);
        set(&p, "simulation.end=%.17g", end);
        if (!add(context, &p, end, step, reference, c))
            return false;
    }
    return true;
}

static void print(const char *folder, const char *name, int order, const curve *c)
{
    char path[1024];
    for (int i = 0; i < c->count; i++) {
        const point *p = &c->points[i];
        printf("%-12s %2d  %10.4g %10.4g %10.3g %10.3g\n", name, order, p->step, p->average,
               p->error, p->seconds);
    }
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s_%d.txt", folder, name, order);
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < c->count; i++) {
        const point *p = &c->points[i];
        fprintf(file, "%.9g %.9g %.9g %.9g\n", p->step, p->average, p->error, p->seconds);
    }
    if (file)
        fclose(file);
}

/* The cheapest point with an error below a limit; INFINITY when there is none. */
static double cheapest(const curve *c, double error)
{
    double seconds = INFINITY;
    for (int i = 0; i < c->count; i++)
        if (c->points[i].error <= error)
            seconds = fmin(seconds, c->points[i].seconds);
    return seconds;
}

/* What an error costs with steps of constant size: order one, from the smallest step measured. */
static double constant_cost(const curve *c, double error)
{
    const point *last = &c->points[c->count - 1];
    return last->seconds * fmax(1, last->error / error);
}

/* Order p, or more where odd orders gain one. */
static bool judge_slope(const char *name, const curve *c, int order, bool gains)
{
    double s = slope(c);
    bool good = s >= order - 0.15 && (gains || s <= order + 0.15);
    printf("%-12s slope %.3f of order %d%s\n", name, s, order, good ? "" : ": FAILED");
    return good;
}

static bool judge_cost(const char *name, double constant, double augmented)
{
    bool good = constant >= 100 * augmented;
    printf("%-12s an error of 1e-8 takes %.3g s, with constant steps %.3g s (estimated): %.3g "
           "times%s\n",
           name, augmented, constant, constant / augmented, good ? "" : ": FAILED");
    return good;
}

static bool bench_oscillator(ss_context *context, const char *folder)
{
    curve c;
    bool good = true;
    double augmented = INFINITY;
    for (int order = 1; order <= TOP_ORDER; order++) {
        if (!measure_oscillator(context, order, &c))
            return false;
        print(folder, "oscillator", order, &c);
        good = judge_slope("oscillator", &c, order, false) && good;
        augmented = fmin(augmented, cheapest(&c, 1e-8));
    }
    if (!measure_constant(context, oscillator, look_at_oscillator, 1, 1e-3, 0, &c))
        return false;
    print(folder, "oscillator", 0, &c);
    return judge_cost("oscillator", constant_cost(&c, 1e-8), augmented) && good;
}

static bool bench_woodpecker(ss_context *context, const char *folder, const char *name,
                             const char *text, bool gains)
{
    curve c;
    result reference;
    bool good = true;
    double augmented = INFINITY;
    plan p = woodpecker_plan(text, 8, 1e-4);
    if (!run(context, &p, &reference))
        return false;
    for (int order = 1; order <= TOP_ORDER; order++) {
        if (!measure_woodpecker(context, text, order, reference.value, &c))
            return false;
        print(folder, name, order, &c);
        good = judge_slope(name, &c, order, gains) && good;
        augmented = fmin(augmented, cheapest(&c, 1e-8));
    }
    if (!measure_constant(context, text, look_at_woodpecker, 0.08, 1e-4, reference.value, &c))
        return false;
    print(folder, name, 0, &c);
    return judge_cost(name, constant_cost(&c, 1e-8), augmented) && good;
}

/* The woodpecker with Δt_min = K_t Δt_max^p. The largest error from several starts: where a switch lies
 * within its least step is chance. */
static bool measure_scaled(ss_context *context, int order, const double *references, int starts,
                           curve *c)
{
    static const double least[TOP_ORDER] = {1e-3, 1e-5, 3e-5, 3e-6, 3e-6}; /* for Δt_max = 1e-3 s */
    c->count = 0;
    for (int i = 0; i < 8; i++) {
        double step = (order == 1 ? 1e-4 : 1e-3) * pow(2, -i / 3.0);
        point worst = {.step = step};
        for (int k = 0; k < starts; k++) {
            plan p = {.text = toy, .look = look_at_woodpecker};
            result r;
            set(&p, "simulation.type=augmented");
            set(&p, "simulation.order=%d", order);
            set(&p, "simulation.step_max=%.17g", step);
            set(&p, "simulation.K_t=%.17g", least[order - 1] * pow(1e-3, -order));
            set(&p, "simulation.end=0.08");
            set(&p, "systems.toy.velocity=[-0.3411, 0, %.17g]", -7.4583 + 0.003 * k);
            if (!run(context, &p, &r))
                return false;
            worst.error = fmax(worst.error, fabs(r.value - references[k]));
            worst.average += 0.08 / r.steps / starts;
            worst.seconds += r.seconds / starts;
        }
        c->points[c->count++] = worst;
    }
    return true;
}

static bool bench_scaled(ss_context *context, const char *folder)
{
    enum { STARTS = 24 };
    double references[STARTS];
    bool good = true;
    curve c;
    for (int k = 0; k < STARTS; k++) {
        plan p = woodpecker_plan(toy, 8, 1e-4);
        result r;
        set(&p, "systems.toy.velocity=[-0.3411, 0, %.17g]", -7.4583 + 0.003 * k);
        if (!run(context, &p, &r))
            return false;
        references[k] = r.value;
    }
    for (int order = 1; order <= TOP_ORDER; order++) {
        if (!measure_scaled(context, order, references, STARTS, &c))
            return false;
        print(folder, "scaled", order, &c);
        good = judge_slope("scaled", &c, order, false) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL;
    ss_context *context;
    if (ss_context_create(NULL, &context) != SS_OK)
        return 2;
    printf("%-12s %2s  %10s %10s %10s %10s\n", "scene", "p", "step_max", "average", "error",
           "cpu/s");
    bool good = bench_oscillator(context, folder);
    good = bench_woodpecker(context, folder, "woodpecker", toy, true) && good;
    good = bench_scaled(context, folder) && good;
    good = bench_woodpecker(context, folder, "damped", damped_toy, false) && good;
    ss_context_destroy(context);
    return good ? 0 : 1;
}
