/* iterates.c: how JORprox and SORprox find their way (book Figs 4.9, 4.10 and 4.12).
 *
 *     bench_iterates [FOLDER]
 *
 * A bar on two bearings: the iterates of both methods under four loads, each with the classical
 * step before it is projected. A block on a surface: sweeps over the relaxation ω when it sticks,
 * when it slips and when one contact opens. Tables go to FOLDER, for solvers.gp; the program
 * fails when JORprox needs fewer sweeps than SORprox somewhere. */
#include <stickslip/solver.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 4, MOST_TRACE = 60 };

static const double bar_omega = .6; /* small: the way becomes visible */

/* One rigid body, and blocks of one row on it. */
typedef struct body {
    ss_inclusion inclusion;
    ss_block blocks[MOST_BLOCKS];
    int start[MOST_BLOCKS + 1];
    ss_factor factors[MOST_BLOCKS];
    double W[MOST_BLOCKS][3], MinvW[MOST_BLOCKS][3], u_free[3], b[MOST_BLOCKS];
} body;

static void must(ss_context *context, ss_status status)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "iterates: %s\n", ss_context_message(context));
    exit(1);
}

static FILE *must_open(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void begin(body *p, int nu, const double *inverse_mass, const double *h)
{
    memset(p, 0, sizeof *p);
    p->inclusion = (ss_inclusion){.n_u = nu,
                                  .blocks = p->blocks,
                                  .factor_start = p->start,
                                  .factors = p->factors,
                                  .u_free = p->u_free,
                                  .b = p->b};
    for (int k = 0; k < nu; k++)
        p->u_free[k] = inverse_mass[k] * h[k];
}

static void add(body *p, const ss_set *set, double scale, int from, const double *W,
                const double *inverse_mass)
{
    int i = p->inclusion.n_blocks++, nu = p->inclusion.n_u;
    p->inclusion.n_rows++;
    p->blocks[i] =
        (ss_block){.set = set, .offset = i, .dim = 1, .scale_from = from, .scale = scale};
    for (int k = 0; k < nu; k++) {
        p->W[i][k] = W[k];
        p->MinvW[i][k] = inverse_mass[k] * W[k];
    }
    p->factors[i] = (ss_factor){0, nu, p->W[i], p->MinvW[i]};
    p->start[i + 1] = i + 1;
}

/* S4.2.7.1; G = [4 1.6; 1.6 1.12] */
static void make_bar(const double *F, body *p)
{
    static const double a = .5, b = .1, inverse[2] = {1, 12};
    begin(p, 2, inverse, F);
    add(p, ss_set_half_line(), 1, -1, (double[]){1, a}, inverse);
    add(p, ss_set_half_line(), 1, -1, (double[]){1, b}, inverse);
}

/* S4.2.7.2 with its weight and µ = 0.5; h are the load in x and the moment. */
static void make_block(double F_x, double M, body *p)
{
    static const double l = .15, h = .05, mu = .5, inverse[3] = {1 / 2.1, 1 / 2.1, 1 / .018};
    begin(p, 3, inverse, (double[]){F_x, -2.1 * 9.81, M});
    add(p, ss_set_half_line(), 1, -1, (double[]){0, 1, -l}, inverse);
    add(p, ss_set_half_line(), 1, -1, (double[]){0, 1, l}, inverse);
    add(p, ss_set_interval(), mu, 0, (double[]){1, 0, h}, inverse);
    add(p, ss_set_interval(), mu, 1, (double[]){1, 0, h}, inverse);
}

typedef struct trace {
    int count;
    double P[MOST_TRACE][2];
} trace;

static void record(void *user, int iteration, const double *P)
{
    trace *t = user;
    if (iteration < MOST_TRACE) {
        memcpy(t->P[iteration], P, sizeof t->P[iteration]);
        t->count = iteration + 1;
    }
}

static ss_solve_report solve(ss_context *context, const char *name, double omega, double tolerance,
                             const body *p, trace *t, double *P)
{
    ss_prox_options options = ss_default_prox();
    ss_solver *solver;
    ss_solve_report report;
    double u[3];
    options.relaxation = omega;
    options.tolerance = tolerance;
    options.max_iterations = 3000;
    must(context, ss_solver_create_prox(context, name, &options, &solver));
    if (t)
        ss_solver_set_trace(solver, record, t);
    must(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
    ss_solver_destroy(solver);
    return report;
}

/* The classical step from P, without any projection (S4.30, S4.37 with C = R²; r = ω / G_hh). */
static void classical(const body *p, bool jacobi, const double *P, double *next)
{
    memcpy(next, P, 2 * sizeof *P);
    for (int h = 0; h < 2; h++) {
        const double *from = jacobi ? P : next;
        double gamma = 0.0, G = 0.0;
        for (int k = 0; k < 2; k++) {
            double u = p->u_free[k] + p->MinvW[0][k] * from[0] + p->MinvW[1][k] * from[1];
            gamma += p->W[h][k] * u;
            G += p->W[h][k] * p->MinvW[h][k];
        }
        next[h] = P[h] - bar_omega * gamma / G;
    }
}

/* Rows: iterate, and the end of the classical step that leads to the next one. */
static void write_bar(ss_context *context, const char *folder)
{
    static const double loads[4][2] = {{-.6, .2}, {-1.2, -1}, {.6, 0}, {-1.2, -.15}};
    static const double guesses[4][2] = {{.9, 1.6}, {3.2, 1.2}, {.8, 1.2}, {.9, 1.6}};
    static const char *const names[2] = {"jorprox", "sorprox"};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 4; k++) {
            body p;
            trace t = {0};
            char title[32];
            double P[2] = {guesses[k][0], guesses[k][1]}, next[2];
            make_bar(loads[k], &p);
            solve(context, names[n], bar_omega, 1e-6, &p, &t, P);
            snprintf(title, sizeof title, "%s_%c", names[n], 'a' + k);
            FILE *file = must_open(folder, title);
            for (int i = 0; i < t.count; i++) {
                classical(&p, n == 0, t.P[i], next);
                fprintf(file, "%.9g %.9g %.9g %.9g\n", t.P[i][0], t.P[i][1], next[0], next[1]);
            }
            fclose(file);
            printf("bar, load %c, %s: %d sweeps to (%.4f, %.4f)\n", 'a' + k, names[n], t.count - 1,
                   P[0], P[1]);
        }
}

/* Sweeps from zero; 0: it does not converge. */
static int sweeps(ss_context *context, const char *name, const body *p, double omega)
{
    double P[MOST_BLOCKS] = {0.0};
    ss_solve_report report = solve(context, name, omega, 1e-8, p, NULL, P);
    return report.outcome == SS_CONVERGED ? report.iterations : 0;
}

static bool write_block(ss_context *context, const char *folder)
{
    static const struct {
        const char *name;
        double F_x, M;
    } loads[3] = {{"stick", 3, 0}, {"slip", 18, 0}, {"open", 0, 4}};
    bool good = true;
    for (int k = 0; k < 3; k++) {
        body p;
        int least_jor = 3000, least_sor = 3000;
        make_block(loads[k].F_x, loads[k].M, &p);
        FILE *file = folder ? must_open(folder, loads[k].name) : NULL;
        for (int step = 1; step < 100; step++) {
            double omega = .02 * step;
            int jor = sweeps(context, "jorprox", &p, omega);
            int sor = sweeps(context, "sorprox", &p, omega);
            if (file)
                fprintf(file, "%g %d %d\n", omega, jor ? jor : -1, sor ? sor : -1);
            least_jor = jor && jor < least_jor ? jor : least_jor;
            least_sor = sor && sor < least_sor ? sor : least_sor;
            good = good && (!jor || (sor && sor <= jor));
        }
        if (file)
            fclose(file);
        printf("block, %-5s: JORprox needs %d sweeps at the best ω, SORprox %d\n", loads[k].name,
               least_jor, least_sor);
    }
    return good;
}

int main(int argc, char **argv)
{
    ss_context *context;
    if (ss_context_create(NULL, &context) != SS_OK)
        return 1;
    if (argc > 1)
        write_bar(context, argv[1]);
    bool good = write_block(context, argc > 1 ? argv[1] : NULL);
    ss_context_destroy(context);
    return good ? 0 : 1;
}
