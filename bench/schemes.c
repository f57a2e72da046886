/* schemes.c: every scheme on the same scenes; prints the tables of docs/schemes.md.
 *
 *   creep    way of a point mass, and of a box on two corners, in a million steps on a slope at .999 of
 *            the friction angle, in m; 1e-12 m is too much
 *   orders   of the positions, before the first switch and after switches, from steps that differ by
 *            a factor of 16, the mean over several phases of the steps
 *   energy   at the end of a run, less that of the exact motion, and the largest energy above the
 *            first one that a run had, both in % of the largest kinetic energy
 *   drift    worst penetration of a contact or distance of a constraint from its surface, in m
 *   cost     time of a step over that of Moreau's rule (stiff spring-mass: of anitescu_potra_2002), by
 *            the clock of the processor
 *
 * Schemes that treat no restitution run with ε = 0; they are marked. `bench_schemes creep` makes the
 * first of these alone, `bench_schemes tables` all others.
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST = 8, PHASES = 12, ROWS = 16, REPEATS = 3 };

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
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

/* `inelastic` is the setting or parameter without restitution; `fine` the step and scheme of the
 * reference. */
typedef struct scene_case {
    const char *name, *title, *inelastic;
    double step, end;      /* s, of energy, drift and cost */
    const char *reference; /* scheme */
    double fine;           /* s, its step */
    double before, after;  /* s, where orders are measured; 0: not */
    int steps;             /* of the coarse run up to `after` */
    double weights[2]; /* of positions whose sum is measured; 0: all of them are. The centre of mass
                              does not ring faster than the steps */
} scene_case;

static const scene_case cases[] = {
    {"impact_oscillator", "impact oscillator", "epsilon=0", 1e-4, 1, "potra", 1e-5, 0.13, 0.7, 500},
    {"falling_mass", "falling mass", "epsilon=0", 1e-3, 1.2, "potra", 1e-4, 0.1, 0.2, 100},
    {"sliding_mass", "sliding mass", NULL, 1e-3, 4, "potra", 1e-4, 3, 4, 400},
    {"pendulum", "pendulum", NULL, 0.05, 10, "potra", 1e-4, 1, 0, 200},
    {"woodpecker", "woodpecker", "elements.beak.laws.gap.restitution=0", 1e-4, 0.5, "potra", 4e-6,
     0.02, 0.14, 1400},
    {"stiff_spring",
     "stiff spring-mass",
     NULL,
     0.002,
     2,
     "generalized_alpha",
     2e-5,
     0.05,
     0,
     25,
     {2.0 / 3, 1.0 / 3}},
    {"slope", "block on slope", NULL, 1e-3, 1, "moreau", 1e-3, 0, 0, 0},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct outcome {
    bool ran;
    int n_q;
    double q[MOST];
    double energy, first, most, kinetic; /* J: at the end, at first, largest, largest kinetic */
    double drift, seconds;
} outcome;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool take_energy(ss_simulation *s, outcome *o)
{
    ss_energy e;
    if (ss_work_energy(ss_simulation_work(s), ss_simulation_state(s), &e) != SS_OK)
        return false;
    o->energy = e.kinetic + e.potential - e.load_work;
    o->most = fmax(o->most, o->energy);
    o->kinetic = fmax(o->kinetic, e.kinetic);
    return true;
}

/* The depth of open laws, the distance of those that never open. */
static double depth(const ss_law_info *law, double d)
{
    if (law->kind != SS_GEOMETRIC)
        return 0;
    return strcmp(law->type, "bilateral") == 0 ? fabs(d) : fmax(-d, 0);
}

static ss_status observe(void *user, ss_simulation *s, const ss_step *step)
{
    outcome *o = user;
    const ss_model *model = ss_simulation_model(s);
    double gap[ROWS], gamma[ROWS], d[ROWS];
    SS_TRY(ss_work_measure(ss_simulation_work(s), step->state, gap, gamma));
    SS_TRY(ss_work_distances(ss_simulation_work(s), d));
    for (int l = 0; l < ss_model_sizes(model).n_laws; l++) {
        ss_law_info law = ss_model_law(model, l);
        o->drift = fmax(o->drift, depth(&law, d[law.offset]));
    }
    take_energy(s, o);
    return SS_OK;
}

static void run_scene(ss_scene *scene, bool watched, outcome *o)
{
    ss_simulation *s = ss_scene_simulation(scene);
    o->n_q = ss_model_sizes(ss_scene_model(scene)).n_q;
    o->most = -INFINITY;
    take_energy(s, o);
    o->first = o->energy;
    double begin = seconds();
    o->ran = ss_simulation_run(s, watched ? observe : NULL, o) == SS_OK;
    o->seconds = seconds() - begin;
    take_energy(s, o);
    for (int i = 0; i < o->n_q && i < MOST; i++)
        o->q[i] = ss_state_q(ss_simulation_state(s))[i];
}

static outcome run(const scene_case *c, const char *scheme, bool elastic, double step, double end,
                   bool watched)
{
    char path[256], type[64], size[64], stop[64];
    snprintf(path, sizeof path, "scenes/%s.yaml", c->name);
    snprintf(type, sizeof type, "scheme.type=%s", scheme);
    snprintf(size, sizeof size, "simulation.step=%.17g", step);
    snprintf(stop, sizeof stop, "simulation.end=%.17g", end);
    const char *change = elastic ? NULL : c->inelastic;
    bool setting = change && strchr(change, '.');
    /* The woodpecker's start as it is printed penetrates by 0.9 µm. */
    const char *start = strcmp(c->name, "woodpecker") == 0
                            ? "systems.toy.position=[0, -0.10344827586206896, -0.2788]"
                            : NULL;
    const char *settings[5] = {type, size, stop}, *parameters[] = {change};
    size_t count = 3;
    if (setting)
        settings[count++] = change;
    if (start)
        settings[count++] = start;
    ss_scene_options options = {.parameters = parameters,
                                .n_parameters = change && !setting ? 1 : 0,
                                .settings = settings,
                                .n_settings = (int)count};
    ss_context *context;
    ss_scene *scene;
    outcome o = {0};
    if (ss_context_create(NULL, &context) != SS_OK)
        return o;
    if (ss_scene_load(context, path, &options, &scene) == SS_OK)
        run_scene(scene, watched, &o);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return o;
}

/* Exact motions as near as they are needed, of all cases, without and with restitution. */
typedef struct references {
    outcome before, after, end;
} references;

static outcome refer(const scene_case *c, bool elastic, double end)
{
    if (end == 0)
        return (outcome){0};
    return run(c, c->reference, elastic, end / ceil(end / c->fine), end, true);
}

static void find_references(references exact[N_CASES][2])
{
    for (int k = 0; k < N_CASES; k++)
        for (int elastic = 0; elastic < 2; elastic++) {
            exact[k][elastic].before = refer(&cases[k], elastic, cases[k].before);
            exact[k][elastic].after = refer(&cases[k], elastic, cases[k].after);
            exact[k][elastic].end = refer(&cases[k], elastic, cases[k].end);
        }
}

static bool treats_restitution(const char *scheme)
{
    return run(&cases[0], scheme, true, 0.01, 0.02, false).ran;
}

static double error_of(const scene_case *c, const outcome *o, const outcome *exact)
{
    double most = 0, sum = 0;
    for (int i = 0; i < o->n_q; i++) {
        most = fmax(most, fabs(o->q[i] - exact->q[i]));
        sum += i < 2 ? c->weights[i] * (o->q[i] - exact->q[i]) : 0;
    }
    return c->weights[0] > 0 ? fabs(sum) : most;
}

/* Mean of log2 of the error over several phases of the steps; -INFINITY: no error but rounding. */
static double log_error(const scene_case *c, const char *scheme, bool elastic, double end,
                        int steps, const outcome *exact)
{
    double sum = 0;
    for (int k = 0; k < PHASES; k++) {
        int count = steps + steps * k / 23;
        outcome o = run(c, scheme, elastic, end / count, end, false);
        double error = error_of(c, &o, exact);
        if (!o.ran || !isfinite(error))
            return NAN;
        sum += (error < 1e-11 ? -INFINITY : log2(error)) / PHASES;
    }
    return sum;
}

static void print_order(const scene_case *c, const char *scheme, bool elastic, double end,
                        const outcome *exact)
{
    enum { RATIO = 16 };
    double whole = c->after > 0 ? c->after : c->before;
    int steps = (int)ceil(c->steps * end / whole);
    double coarse = log_error(c, scheme, elastic, end, steps, exact);
    double fine = log_error(c, scheme, elastic, end, RATIO * steps, exact);
    if (!(coarse < 0) || isnan(fine)) /* failed, or an error of metres */
        printf(" – |");
    else if (isinf(fine))
        printf(" exact |");
    else
        printf(" %.2f |", (coarse - fine) / log2(RATIO));
}

static void print_head(const char *const *columns, int count)
{
    printf("\n| scheme |");
    for (int i = 0; i < count; i++)
        printf(" %s |", columns[i]);
    printf("\n|---|");
    for (int i = 0; i < count; i++)
        printf("---|");
    printf("\n");
}

static void print_scheme(const char *scheme, bool elastic)
{
    printf("| `%s`%s |", scheme, elastic ? "" : "¹");
    fflush(stdout);
}

static void print_orders(references exact[N_CASES][2])
{
    static const char *const columns[] = {"impact oscillator: before",
                                          "after",
                                          "falling mass: before",
                                          "after",
                                          "sliding mass: before",
                                          "after",
                                          "pendulum",
                                          "woodpecker: before",
                                          "after",
                                          "stiff"};
    print_head(columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < N_SCHEMES; i++) {
        bool elastic = treats_restitution(schemes[i]);
        print_scheme(schemes[i], elastic);
        for (int k = 0; k < N_CASES; k++) {
            if (cases[k].before > 0)
                print_order(&cases[k], schemes[i], elastic, cases[k].before,
                            &exact[k][elastic].before);
            if (cases[k].after > 0)
                print_order(&cases[k], schemes[i], elastic, cases[k].after,
                            &exact[k][elastic].after);
        }
        printf("\n");
    }
}

/* A number of few digits, 0 when it is rounding. */
static void print_percent(double value)
{
    if (fabs(value) < 1e-9)
        printf(" 0");
    else
        printf(fabs(value) < 0.01 || fabs(value) > 1e3 ? " %.0e" : " %.2g", value);
}

static void print_energies(const outcome *o, const outcome *exact)
{
    if (!o->ran) {
        printf(" – |");
        return;
    }
    double scale = fmax(exact->kinetic, 1e-9);
    print_percent(100 * (o->energy - exact->energy) / scale);
    printf(" /");
    print_percent(100 * (o->most - o->first) / scale);
    printf(" |");
}

static double cost(const scene_case *c, const char *scheme, bool elastic)
{
    bool stiff = strcmp(c->name, "stiff_spring") == 0; /* Moreau's rule fails there */
    const char *plain = stiff ? "anitescu_potra_2002" : "moreau";
    double own = INFINITY, other = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        own = fmin(own, run(c, scheme, elastic, c->step, c->end, false).seconds);
        other = fmin(other, run(c, plain, elastic, c->step, c->end, false).seconds);
    }
    return own / other;
}

typedef enum quantity { ENERGY, DRIFT, COST } quantity;

static void print_cell(const scene_case *c, const char *scheme, bool elastic, quantity what,
                       const outcome *exact)
{
    outcome o = run(c, scheme, elastic, c->step, c->end, true);
    if (what == ENERGY)
        print_energies(&o, exact);
    else if (!o.ran)
        printf(" – |");
    else if (what == DRIFT)
        printf(" %.1g |", o.drift);
    else
        printf(" %.1f |", cost(c, scheme, elastic));
}

static void print_quantity(quantity what, references exact[N_CASES][2])
{
    const char *titles[N_CASES];
    for (int k = 0; k < N_CASES; k++)
        titles[k] = cases[k].title;
    print_head(titles, N_CASES);
    for (int i = 0; i < N_SCHEMES; i++) {
        bool elastic = treats_restitution(schemes[i]);
        print_scheme(schemes[i], elastic);
        for (int k = 0; k < N_CASES; k++)
            print_cell(&cases[k], schemes[i], elastic, what, &exact[k][elastic].end);
        printf("\n");
    }
}

#define CORNER(name, x)                                                                     \
    "  " name ": {type: plane, system: box, point: [" x ", -0.05], normal: [0, 1], laws: {" \
    "gap: {type: unilateral}, slip: {type: friction, mu: 0.5}}}\n"

static const char *const sloping[] = {
    "systems:\n  mass: {type: point, dim: 2, mass: 1}\n"
    "elements:\n  slope: {type: plane, system: mass, normal: [0, 1], laws: {"
    "gap: {type: unilateral}, slip: {type: friction, mu: 0.5}}}\n",
    "systems:\n  box: {type: planar_body, mass: 1, inertia: 1/240, position: [0, 0.05, 0]}\n"
    "elements:\n" CORNER("lower", "0.1") CORNER("upper", "-0.1"),
};

/* Largest way, m, rad; NAN when the run fails. */
static double creep_of(const char *model, const char *scheme)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "parameters: {alpha: 0.999*atan(0.5)}\n%s"
        "forces: {weight: {type: gravity, acceleration: [9.81*sin(alpha), -9.81*cos(alpha)]}}\n"
        "scheme: {type: %s}\nsimulation: {type: constant, step: 1e-3, end: 1000}\n",
        model, scheme);
    ss_context *context;
    ss_scene *scene;
    double way = NAN;
    if (ss_context_create(NULL, &context) != SS_OK)
        return way;
    ss_status status = ss_scene_parse(context, "slope", text, strlen(text), NULL, &scene);
    if (status == SS_OK)
        status = ss_simulation_run(ss_scene_simulation(scene), NULL, NULL);
    if (status == SS_OK) {
        const double *q = ss_state_q(ss_simulation_state(ss_scene_simulation(scene)));
        int n = ss_model_sizes(ss_scene_model(scene)).n_q;
        way = fmax(fabs(q[0]), fabs(q[1] - (n > 2 ? 0.05 : 0)));
        way = n > 2 ? fmax(way, fabs(q[2])) : way;
    } else {
        printf("%s: %s\n", scheme, ss_context_message(context));
    }
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return way;
}

static bool check_creep(void)
{
    static const char *const columns[] = {"point mass", "box on two corners"};
    bool good = true;
    print_head(columns, 2);
    for (int i = 0; i <= N_SCHEMES; i++) {
        const char *scheme = i < N_SCHEMES ? schemes[i] : "general";
        print_scheme(scheme, true);
        for (int k = 0; k < 2; k++) {
            double way = creep_of(sloping[k], scheme);
            good = good && way < 1e-12;
            printf(" %.1g |", way);
            fflush(stdout);
        }
        printf("\n");
    }
    return good;
}

int main(int argc, char **argv)
{
    static references exact[N_CASES][2];
    const char *part = argc > 1 ? argv[1] : "";
    bool good = true;
    if (strcmp(part, "tables") != 0) {
        printf("\ncreep\n");
        good = check_creep();
    }
    if (strcmp(part, "creep") == 0)
        return good ? 0 : 1;
    find_references(exact);
    printf("\norders\n");
    print_orders(exact);
    printf("\nenergy\n");
    print_quantity(ENERGY, exact);
    printf("\ndrift\n");
    print_quantity(DRIFT, exact);
    printf("\ncost\n");
    print_quantity(COST, exact);
    return good ? 0 : 1;
}
