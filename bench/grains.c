/* grains.c: spheres poured into an open box, beside Bullet, ODE and Siconos.
 *
 * Spheres fall in a loose grid; once they lie in a heap every program goes on from the same state. CPU
 * time of one thread, and of ours one and two threads by the wall clock; the friction problem of each step is judged by one routine for all: contacts,
 * impulses and what the program itself demanded of the normal velocities go into an inclusion of
 * ours, whose residual is printed.
 *
 *     bench_grains [N...] [--steps K] [--fall K] [--layers K] [--alone]
 *
 * N spheres (1000 and 8000), K steps that are measured and K in which they fall before; in K layers, else as high
 * as wide; --alone leaves the others out.
 */
#include <stickslip/stickslip.h>

#include "peers/grains.h"
#include "peers/judge.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void check(ss_context *context, ss_status status)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "bench_grains: %s\n", ss_context_message(context));
    exit(1);
}

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number in [-1, 1) without pattern. */
static double noise(unsigned long k)
{
    unsigned long z = (k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

/* More grains than this are neither judged, which takes more memory than they do, nor stepped by one and two threads in turns. */
enum { MANY = 200000 };

/* ---- stickslip ---- */

typedef struct ours {
    ss_context *context;
    ss_model *model;
    ss_solver *solver;
    ss_scheme *scheme;
    ss_work *work;
    ss_state *now, *next;
    pouring p;
    unsigned long sweeps, steps;
} ours;

static void add_grain(ours *o, ss_args *args, int i, double radius)
{
    const grain *g = &o->p.grains[i];
    double velocity[6] = {g->v[0], g->v[1], g->v[2], g->w[0], g->w[1], g->w[2]};
    char name[32];
    snprintf(name, sizeof name, "g%d", i);
    check(o->context, ss_args_set_real(args, "mass", o->p.mass));
    check(o->context, ss_args_set_real(args, "inertia", 0.4 * o->p.mass * radius * radius));
    check(o->context, ss_args_set_reals(args, "position", 3, g->x));
    check(o->context, ss_args_set_reals(args, "velocity", 6, velocity));
    check(o->context, ss_model_add_system(o->model, name, "body", args));
}

static void add_sphere(ours *o, ss_args *args, int i)
{
    char name[32], shape[32];
    snprintf(name, sizeof name, "g%d", i);
    snprintf(shape, sizeof shape, "s%d", i);
    check(o->context, ss_args_set_real(args, "radius", o->p.radius));
    check(o->context, ss_args_set_text(args, "on", name));
    check(o->context, ss_model_add_shape(o->model, shape, "sphere", args));
}

static void add_planes(ours *o)
{
    const double quarter = acos(0.0), side = o->p.side;
    const double planes[5][7] = {{0, 0, 0, 0, 0, 1, 0},
                                 {0, 0, 0, 0, 1, 0, quarter},
                                 {side, 0, 0, 0, 1, 0, -quarter},
                                 {0, 0, 0, 1, 0, 0, -quarter},
                                 {0, side, 0, 1, 0, 0, quarter}};
    for (int i = 0; i < 5; i++) {
        ss_args *args;
        char name[16];
        snprintf(name, sizeof name, "wall%d", i);
        check(o->context, ss_args_create(o->context, &args));
        check(o->context, ss_args_set_reals(args, "at", 3, planes[i]));
        check(o->context, ss_args_set_reals(args, "rotation", 4, planes[i] + 3));
        check(o->context, ss_model_add_shape(o->model, name, "plane", args));
        ss_args_destroy(args);
    }
}

static void add_rule(ours *o)
{
    ss_args *args;
    double g[3] = {0, 0, -o->p.gravity};
    check(o->context, ss_model_add_element(o->model, "contact", "contact", NULL));
    check(o->context, ss_model_add_law(o->model, "contact", "gap", "unilateral", NULL));
    check(o->context, ss_args_create(o->context, &args));
    check(o->context, ss_args_set_real(args, "mu", o->p.mu));
    check(o->context, ss_model_add_law(o->model, "contact", "slip", "friction", args));
    ss_args_destroy(args);
    check(o->context, ss_args_create(o->context, &args));
    check(o->context, ss_args_set_reals(args, "acceleration", 3, g));
    check(o->context, ss_model_add_force(o->model, "weight", "gravity", args));
    ss_args_destroy(args);
}

static ours *create_ours(const pouring *p, int threads, double tolerance)
{
    ours *o = zeros(1, sizeof *o);
    ss_context_options options = ss_default_context();
    ss_args *args;
    options.threads = threads;
    o->p = *p;
    if (ss_context_create(&options, &o->context) != SS_OK)
        exit(1);
    check(o->context, ss_model_create(o->context, &o->model));
    check(o->context, ss_args_create(o->context, &args));
    for (int i = 0; i < p->n; i++)
        add_grain(o, args, i, p->radius);
    ss_args_destroy(args);
    check(o->context, ss_args_create(o->context, &args));
    for (int i = 0; i < p->n; i++)
        add_sphere(o, args, i);
    ss_args_destroy(args);
    add_planes(o);
    add_rule(o);
    check(o->context, ss_model_seal(o->model));
    ss_prox_options prox = ss_default_prox();
    prox.tolerance = tolerance;
    check(o->context, ss_solver_create_prox(o->context, "sorprox", &prox, &o->solver));
    check(o->context, ss_scheme_create(o->context, "moreau_stabilized", NULL, NULL, &o->scheme));
    check(o->context, ss_scheme_prepare(o->scheme, o->model));
    check(o->context, ss_work_create(o->model, o->solver, &o->work));
    check(o->context, ss_state_create(o->model, &o->now));
    check(o->context, ss_state_create(o->model, &o->next));
    return o;
}

static void step_ours(void *self)
{
    ours *o = self;
    ss_solve_report report;
    check(o->context, ss_scheme_step(o->scheme, o->work, o->now, o->p.dt, o->next, &report));
    ss_state *swap = o->now;
    o->now = o->next;
    o->next = swap;
    o->sweeps += (unsigned long)report.iterations;
    o->steps++;
}

static void read_ours(void *self, grain *grains)
{
    ours *o = self;
    for (int i = 0; i < o->p.n; i++) {
        memcpy(grains[i].x, ss_state_q(o->now) + 7 * i, sizeof grains[i].x);
        memcpy(grains[i].v, ss_state_u(o->now) + 6 * i, sizeof grains[i].v);
        memcpy(grains[i].w, ss_state_u(o->now) + 6 * i + 3, sizeof grains[i].w);
    }
}

/* Walls are shapes n, n + 1 …: they come second, and are turned round. */
static int contacts_ours(void *self, int capacity, grain_contact *out)
{
    ours *o = self;
    int n = ss_state_contact_count(o->now);
    const ss_contact *contacts = ss_state_contacts(o->now);
    for (int i = 0; i < n && i < capacity; i++) {
        const ss_contact *c = &contacts[i];
        bool wall = c->b >= o->p.n;
        out[i] = (grain_contact){.a = wall ? -1 : c->a, .b = wall ? c->a : c->b, .gap = c->gap};
        out[i].rate = c->gap / o->p.dt;
        out[i].arm = o->p.radius + c->gap / 2; /* the middle between the surfaces */
        for (int k = 0; k < 3; k++) {
            out[i].n[k] = wall ? -c->n[k] : c->n[k];
            out[i].P[k] = wall ? -c->P[k] : c->P[k];
        }
    }
    return n;
}

static void destroy_ours(void *self)
{
    ours *o = self;
    ss_state_destroy(o->now);
    ss_state_destroy(o->next);
    ss_work_destroy(o->work);
    ss_scheme_destroy(o->scheme);
    ss_solver_destroy(o->solver);
    ss_model_destroy(o->model);
    ss_context_destroy(o->context);
    free(o);
}

/* ---- Side by side ---- */

typedef struct entry {
    const char *name;
    const grain_peer *peer; /* NULL: stickslip */
    int iterations;
    int most; /* grains, 0: as many as wanted */
} entry;

static const grain_peer our_peer = {NULL, step_ours, read_ours, contacts_ours, destroy_ours};

static double run(const entry *e, const pouring *p, int steps, double tolerance)
{
    const grain_peer *peer = e->peer ? e->peer : &our_peer;
    void *self = e->peer ? peer->create(p, e->iterations) : create_ours(p, 1, tolerance);
    int capacity = 16 * p->n, warm = steps / 2 + 1, counted = 0;
    grain *before = p->n > MANY ? NULL : zeros((size_t)p->n, sizeof *before);
    grain_contact *contacts = p->n > MANY ? NULL : zeros((size_t)capacity, sizeof *contacts);
    judgement mean = {0};
    double time = 0;
    const clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    for (int i = 0; i < warm; i++)
        peer->step(self);
    if (!e->peer)
        ((ours *)self)->sweeps = ((ours *)self)->steps = 0;
    for (int i = 0; i < steps; i++) {
        if (before)
            peer->read(self, before);
        double start = clock_of(clock);
        peer->step(self);
        time += clock_of(clock) - start;
        if (i % 5 != 0 || p->n > MANY)
            continue;
        judgement one = judge_step(p, before, peer->contacts(self, capacity, contacts), contacts);
        counted++;
        mean.contacts += one.contacts;
        mean.mean += one.mean;
        mean.deepest = fmax(mean.deepest, one.deepest);
        mean.residual = fmax(mean.residual, one.residual);
    }
    double rate = steps / time;
    printf("  %-22s %9.2f steps/s", e->name, rate);
    if (counted)
        printf("  %7d contacts  penetration mean %.1e max %.1e m  residual %.1e",
               mean.contacts / counted, mean.mean / counted, mean.deepest, mean.residual);
    putchar('\n');
    if (!e->peer)
        printf("  %22s %.2f us a sphere and step, %.0f sweeps a step, %d contacts\n", "",
               1e6 / (rate * p->n), (double)((ours *)self)->sweeps / (double)((ours *)self)->steps,
               ss_state_contact_count(((ours *)self)->now));
    fflush(stdout);
    peer->destroy(self);
    free(before);
    free(contacts);
    return rate;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double time_steps(ours *o, int steps)
{
    double start = clock_of(CLOCK_MONOTONIC);
    for (int i = 0; i < steps; i++)
        step_ours(o);
    return clock_of(CLOCK_MONOTONIC) - start;
}

/* Arithmetic on a number, about a nanosecond a time. */
static double turn_over(int times)
{
    double x = 1;
    for (int i = 0; i < times; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

/* How much faster than one thread two are at mere arithmetic, as much of it between two barriers as one sweep has for each: what this
 * machine can give. The median of some turns. */
static double possible_gain(double sweep)
{
    enum { TURNS = 15, ROUNDS = 400 };
    double ratio[TURNS], sum = 0, start = clock_of(CLOCK_MONOTONIC);
    sum += turn_over(1000000);
    int times = (int)(1e6 * sweep / (clock_of(CLOCK_MONOTONIC) - start)) + 1;
    for (int i = 0; i < TURNS; i++) {
        start = clock_of(CLOCK_MONOTONIC);
        for (int k = 0; k < ROUNDS; k++)
            sum += turn_over(times);
        double alone = clock_of(CLOCK_MONOTONIC) - start;
        start = clock_of(CLOCK_MONOTONIC);
#pragma omp parallel num_threads(2) reduction(+ : sum)
        for (int k = 0; k < ROUNDS; k++) {
            sum += turn_over(times / 2);
#pragma omp barrier
        }
        ratio[i] = alone / (clock_of(CLOCK_MONOTONIC) - start);
    }
    qsort(ratio, TURNS, sizeof *ratio, by_size);
    return sum > 0 ? ratio[TURNS / 2] : 0;
}

/* How long a line of the cache takes from one core to the other, in seconds. */
static double line_time(void)
{
    enum { ROUNDS = 100000 };
    static atomic_int ball;
    double start = clock_of(CLOCK_MONOTONIC);
    atomic_store(&ball, 0);
#pragma omp parallel num_threads(2)
    for (int i = omp_get_thread_num(); i < ROUNDS && omp_get_num_threads() == 2; i += 2) {
        while (atomic_load(&ball) != i)
            ;
        atomic_store(&ball, i + 1);
    }
    return (clock_of(CLOCK_MONOTONIC) - start) / ROUNDS;
}

/* One and two threads take turns of some steps on the same motion; the median of the ratios counts, since the second
 * core of a machine is not always there. */
static void compare_threads(const pouring *p, int steps, double tolerance)
{
    enum { TURN = 10, FEW = 10000, TURNS = 41 };
    ours *one = create_ours(p, 1, tolerance), *two = create_ours(p, 2, tolerance);
    int turns = p->n <= FEW ? TURNS : steps / TURN + 1;
    double *ratio = zeros((size_t)turns, sizeof *ratio), time = 0, before = line_time();
    for (int i = 0; i < turns; i++) {
        double alone = time_steps(one, TURN);
        ratio[i] = alone / time_steps(two, TURN);
        time += alone;
    }
    bool same =
        memcmp(ss_state_q(one->now), ss_state_q(two->now), 7 * (size_t)p->n * sizeof(double)) == 0;
    qsort(ratio, (size_t)turns, sizeof *ratio, by_size);
    printf("  two threads: %.2f times as fast as one (a quarter of the turns below %.2f, a "
           "quarter above "
           "%.2f), %s\n",
           ratio[turns / 2], ratio[turns / 4], ratio[turns - 1 - turns / 4],
           same ? "the same motion to the last bit" : "ANOTHER MOTION");
    printf("  %12s mere arithmetic with a barrier for every sweep: %.2f times; a line of the cache "
           "goes "
           "from core to core in %.0f ns before, %.0f ns after\n",
           "", possible_gain(time / (double)one->sweeps), 1e9 * before, 1e9 * line_time());
    destroy_ours(one);
    destroy_ours(two);
    free(ratio);
}

/* Spheres in a loose grid of so many layers, 0: as high as it is wide. */
static pouring pour(int n, int layers)
{
    const double spacing = 0.22;
    int edge = (int)ceil(layers > 0 ? sqrt((double)n / layers) : cbrt(n));
    grain *grains = zeros((size_t)n, sizeof *grains);
    for (int i = 0; i < n; i++) {
        int at[3] = {i % edge, i / edge % edge, i / edge / edge};
        for (int k = 0; k < 3; k++)
            grains[i].x[k] = spacing * (at[k] + 0.5) + 0.009 * noise((unsigned long)(3 * i + k));
    }
    return (pouring){.n = n,
                     .grains = grains,
                     .radius = 0.1,
                     .mass = 1000 * 4.0 / 3.0 * acos(-1.0) * 1e-3,
                     .mu = 0.5,
                     .gravity = 9.81,
                     .dt = 1e-3,
                     .side = spacing * edge};
}

/* The grains after they fell. */
static void settle(pouring *p, int steps)
{
    ours *o = create_ours(p, 1, 1e-3);
    double start = clock_of(CLOCK_MONOTONIC);
    for (int i = 0; i < steps; i++)
        step_ours(o);
    read_ours(o, p->grains);
    printf("%d spheres, after %d steps in %.0f s, %.0f sweeps a step\n", p->n, steps,
           clock_of(CLOCK_MONOTONIC) - start, (double)o->sweeps / (double)o->steps);
    destroy_ours(o);
}

static void compare(int n, int fall, int steps, int layers, bool alone)
{
    const entry entries[] = {
        {"stickslip", NULL, 0},
#ifdef BENCH_BULLET
        {"Bullet, 10 iterations", &bullet_peer, 10},
        {"Bullet, 100 iterations", &bullet_peer, 100},
#endif
#ifdef BENCH_ODE
        {"ODE, 20 iterations", &ode_peer, 20},
        {"ODE, 100 iterations", &ode_peer, 100},
#endif
#ifdef BENCH_SICONOS
        {"Siconos, NSGS to 1e-3", &siconos_peer, 1000, 1000},
#endif
    };
    pouring p = pour(n, layers);
    double ours_rate = 0;
    settle(&p, fall);
    if (n <= MANY)
        compare_threads(&p, steps, 1e-3);
    for (size_t i = 0; i < (alone ? 1 : sizeof entries / sizeof *entries); i++) {
        if (entries[i].most && n > entries[i].most) {
            printf("  %-22s left out: too slow for more than %d\n", entries[i].name,
                   entries[i].most);
            continue;
        }
        double rate = run(&entries[i], &p, steps, 1e-3);
        ours_rate = i == 0 ? rate : ours_rate;
        if (i > 0)
            printf("  %22s ratio %.2f\n", "", ours_rate / rate);
    }
    free(p.grains);
}

/* Threads that wander from core to core take their time to come back to two. */
static void stay_on_cores(char **argv)
{
    if (getenv("OMP_PROC_BIND"))
        return;
    setenv("OMP_PROC_BIND", "true", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    stay_on_cores(argv);
    int steps = 40, fall = 600, layers = 0, sizes = 0;
    bool alone = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);
        else if (strcmp(argv[i], "--fall") == 0 && i + 1 < argc)
            fall = atoi(argv[++i]);
        else if (strcmp(argv[i], "--layers") == 0 && i + 1 < argc)
            layers = atoi(argv[++i]);
        else if (strcmp(argv[i], "--alone") == 0)
            alone = true;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            i += strcmp(argv[i], "--alone") != 0;
            continue;
        }
        compare(atoi(argv[i]), fall, steps, layers, alone);
        sizes++;
    }
    if (sizes == 0) {
        compare(1000, fall, steps, layers, alone);
        compare(8000, fall, steps, layers, alone);
    }
    return 0;
}
