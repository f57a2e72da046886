/* sweep.c: time and memory of one factored SORprox sweep, for 10² … 10⁶ contacts in a chain of
 * bodies. A contact is a normal block and a friction block between two bodies. The ratio to the
 * smallest chain shows what the caches cost: the work itself is linear. Memory is that of the
 * inclusion and of the solver.
 *
 *     bench_sweep [FOLDER]
 *
 * Tables go to FOLDER, for solvers.gp. The program fails when a contact of the largest chain takes
 * four times the time of one of the smallest, or more memory than it. */
#include <stickslip/solver.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SWEEPS = 31 };

/* Bytes that are taken now; those of a chain, and what the context's allocator gave. */
static size_t taken;

typedef struct chain {
    ss_inclusion inclusion;
    size_t bytes;
    ss_block *blocks;
    int *start;
    ss_factor *factors;
    double *W, *MinvW, *u_free, *b, *P, *u;
} chain;

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    taken += count * size;
    return memory;
}

/* The size stands before each piece of memory. */
enum { HEADER = 64 };

static void *count_allocate(void *user, size_t size)
{
    (void)user;
    char *memory = malloc(size + HEADER);
    if (!memory)
        return NULL;
    memcpy(memory, &size, sizeof size);
    taken += size;
    return memory + HEADER;
}

static void count_release(void *user, void *memory)
{
    (void)user;
    size_t size;
    if (!memory)
        return;
    memcpy(&size, (char *)memory - HEADER, sizeof size);
    taken -= size;
    free((char *)memory - HEADER);
}

static void *count_reallocate(void *user, void *memory, size_t size)
{
    size_t old = 0;
    void *made = count_allocate(user, size);
    if (!made || !memory)
        return made;
    memcpy(&old, (char *)memory - HEADER, sizeof old);
    memcpy(made, memory, old < size ? old : size);
    count_release(user, memory);
    return made;
}

/* A number in [-1, 1) without pattern. */
static double noise(unsigned long k)
{
    unsigned long z = (k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

static void fill_factors(chain *c, size_t n, int nu, int friction_dim)
{
    double *W = c->W, *MinvW = c->MinvW;
    for (size_t i = 0; i < 2 * n; i++) {
        int dim = i % 2 ? friction_dim : 1;
        for (size_t side = 0; side < 2; side++) {
            for (int k = 0; k < nu * dim; k++) {
                W[k] = noise((unsigned long)(W - c->W) + (unsigned long)k);
                MinvW[k] = (1.0 + (double)((i / 2 + side) % 3)) * W[k];
            }
            c->factors[2 * i + side] = (ss_factor){(int)(i / 2 + side) * nu, nu, W, MinvW};
            W += nu * dim;
            MinvW += nu * dim;
        }
        c->start[i + 1] = (int)(2 * (i + 1));
    }
}

static void fill_blocks(chain *c, size_t n, int friction_dim)
{
    for (size_t i = 0; i < n; i++) {
        int row = (int)i * (1 + friction_dim);
        c->blocks[2 * i] = (ss_block){
            .set = ss_set_half_line(), .offset = row, .dim = 1, .scale_from = -1, .scale = 1};
        c->blocks[2 * i + 1] =
            (ss_block){.set = friction_dim == 1 ? ss_set_interval() : ss_set_disk(2),
                       .offset = row + 1,
                       .dim = friction_dim,
                       .scale_from = (int)(2 * i),
                       .scale = .3};
    }
}

/* n contacts; nu velocities a body; friction in one direction (a plane) or two (space). */
static chain make_chain(size_t n, int nu, int friction_dim)
{
    size_t rows = n * (size_t)(1 + friction_dim), velocities = (n + 1) * (size_t)nu;
    size_t before = taken;
    chain c = {
        .blocks = zeros(2 * n, sizeof(ss_block)),
        .start = zeros(2 * n + 1, sizeof(int)),
        .factors = zeros(4 * n, sizeof(ss_factor)),
        .W = zeros(2 * rows * (size_t)nu, sizeof(double)),
        .MinvW = zeros(2 * rows * (size_t)nu, sizeof(double)),
        .u_free = zeros(velocities, sizeof(double)),
        .b = zeros(rows, sizeof(double)),
        .P = zeros(rows, sizeof(double)),
        .u = zeros(velocities, sizeof(double)),
    };
    c.bytes = taken - before;
    fill_factors(&c, n, nu, friction_dim);
    fill_blocks(&c, n, friction_dim);
    for (size_t k = 0; k < velocities; k++)
        c.u_free[k] = noise(k);
    c.inclusion = (ss_inclusion){
        .n_blocks = (int)(2 * n),
        .n_rows = (int)rows,
        .blocks = c.blocks,
        .n_u = (int)velocities,
        .factor_start = c.start,
        .factors = c.factors,
        .u_free = c.u_free,
        .b = c.b,
    };
    return c;
}

static void free_chain(chain *c)
{
    free(c->blocks);
    free(c->start);
    free(c->factors);
    free(c->W);
    free(c->MinvW);
    free(c->u_free);
    free(c->b);
    free(c->P);
    free(c->u);
    taken -= c->bytes;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time between two sweeps. Between sweeps 1, 2, 4, 8 … and the next lies the residual. */
typedef struct stopwatch {
    double last, least;
} stopwatch;

static void tick(void *user, int iteration, const double *P)
{
    (void)P;
    stopwatch *watch = user;
    double time = now();
    int before = iteration - 1;
    if (before > 0 && (before & (before - 1)) != 0)
        watch->least = fmin(watch->least, time - watch->last);
    watch->last = now();
}

static void must(ss_context *context, ss_status status)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "sweep: %s\n", ss_context_message(context));
    exit(1);
}

/* Seconds and bytes. */
typedef struct cost {
    double seconds, bytes;
} cost;

/* Of one sweep. */
static cost measure(ss_context *context, chain *c)
{
    size_t before = taken;
    ss_prox_options options = ss_default_prox();
    ss_solver *solver;
    ss_solve_report report;
    stopwatch watch = {0.0, INFINITY};
    options.tolerance = 1e-300;
    options.max_iterations = SWEEPS;
    options.warm_start = false;
    must(context, ss_solver_create_prox(context, "sorprox", &options, &solver));
    ss_solver_set_trace(solver, tick, &watch);
    for (int repeat = 0; repeat < (c->inclusion.n_blocks < 100000 ? 20 : 1); repeat++)
        must(context, ss_solver_solve(solver, &c->inclusion, c->P, c->u, &report));
    double bytes = (double)(taken - before + c->bytes);
    ss_solver_destroy(solver);
    return (cost){watch.least, bytes};
}

static FILE *open_table(const char *folder, const char *name)
{
    char path[1024];
    if (!folder)
        return NULL;
    snprintf(path, sizeof path, "%s/sweep_%s.txt", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        perror(path);
    return file;
}

/* False when time or memory grow faster than the number of contacts. */
static bool table(ss_context *context, const char *folder, const char *name, int nu,
                  int friction_dim)
{
    cost first = {0}, at = {0};
    FILE *file = open_table(folder, name);
    printf("%s\n%12s %14s %8s %14s\n", name, "contacts", "ns/contact", "ratio", "bytes/contact");
    for (size_t n = 100; n <= 1000000; n *= 10) {
        chain c = make_chain(n, nu, friction_dim);
        cost whole = measure(context, &c);
        at = (cost){whole.seconds / (double)n, whole.bytes / (double)n};
        if (n == 100)
            first = at;
        printf("%12zu %14.2f %8.2f %14.1f\n", n, 1e9 * at.seconds, at.seconds / first.seconds,
               at.bytes);
        if (file)
            fprintf(file, "%zu %g %g\n", n, whole.seconds, whole.bytes);
        free_chain(&c);
    }
    if (file)
        fclose(file);
    return at.seconds < 4.0 * first.seconds && at.bytes <= first.bytes;
}

int main(int argc, char **argv)
{
    ss_context *context;
    ss_context_options options = ss_default_context();
    const char *folder = argc > 1 ? argv[1] : NULL;
    options.allocator = (ss_allocator){NULL, count_allocate, count_reallocate, count_release};
    if (ss_context_create(&options, &context) != SS_OK)
        return 1;
    bool planar = table(context, folder, "planar", 3, 1);
    bool spatial = table(context, folder, "spatial", 6, 2);
    ss_context_destroy(context);
    return planar && spatial ? 0 : 1;
}
