/* solve.c: the solvers on real frictional contact problems, beside those of Siconos where that
 * is installed.
 *
 *     bench_solve [--siconos] [--limit SECONDS] [--tol T]… [--solver NAME]… [--plot FILE]
 *                 [--variants N] [PROBLEM…]
 *
 * Without problems: every one in ../shared/problems. Each solver runs in a process of its own,
 * from zero, one thread, until it has run for a while; the least processor time but one counts. Siconos,
 * twelve configurations of it, is asked with --siconos, and the fastest of them takes turns with
 * ours; the program fails then when stickslip is slower than it on a problem, or less than three
 * times as fast in the geometric mean. A solver has solved a problem when the residual relative to
 * max(|q|, |P|, |u|), computed here for all of them by one routine, is below the tolerance.
 * Siconos gets its tolerance ten times larger and smaller as well, since it may measure
 * otherwise, and the fastest that suffices counts. Files that are damaged, so that W is not
 * positive semidefinite, are left out. */
#include "problems.h"
#include "variants.h"

#include <stickslip/stickslip.h>

#ifdef BENCH_SICONOS
#include "peers/siconos.h"
#endif

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TOLERANCES = 8, MOST_SOLVERS = 16, TURNS = 3 };

static double limit = 10.0, tolerances[MOST_TOLERANCES] = {1e-4, 1e-8};
static int n_tolerances, n_solvers, n_variants;
static bool with_siconos;
static problem_list problems;
static const char *solvers[MOST_SOLVERS] = {"auto"}, *plot_path;

typedef struct outcome {
    double seconds; /* INFINITY: not solved in time */
    double residual, absolute;
    char how[80];
} outcome;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What looking at the clock twice takes: as long as the smallest problems. */
static double clock_time(void)
{
    double least = INFINITY;
    for (int k = 0; k < 1000; k++) {
        double begin = now();
        least = fmin(least, now() - begin);
    }
    return least;
}

/* Less than a tenth of that cannot be measured so. */
static double without_clock(double seconds)
{
    double clock = clock_time();
    return fmax(seconds - clock, 0.1 * clock);
}

/* The times of several runs. On a busy machine the clock of a thread errs once in a while by more than
 * the smallest problems take, hence the second least counts, when there are two. */
typedef struct timings {
    double least, second;
    int count;
} timings;

static void add_time(double seconds, timings *t)
{
    t->second = seconds < t->least ? t->least : fmin(t->second, seconds);
    t->least = fmin(t->least, seconds);
    t->count++;
}

static double time_of(const timings *t)
{
    return without_clock(t->count > 1 ? t->second : t->least);
}

/* How long a solver is run again, for the least time. */
static double patience(double first)
{
    return fmin(0.3, fmax(20.0 * first, 0.02));
}

static void judge(const ss_problem *p, const double *P, outcome *o)
{
    ss_cone_residual r = ss_inclusion_cone_residual(ss_problem_inclusion(p), P, NULL);
    o->residual = r.relative;
    o->absolute = r.absolute;
}

static outcome run_ours(ss_context *context, const ss_problem *p, const char *name, double tol)
{
    outcome o = {INFINITY, INFINITY, INFINITY, ""};
    const ss_inclusion *A = ss_problem_inclusion(p);
    double *P = calloc((size_t)A->n_rows + 1, sizeof *P), spent = 0.0, first = 0.0;
    timings all = {INFINITY, INFINITY, 0};
    ss_args *args;
    ss_solver *solver;
    ss_solve_report report;
    ss_args_create(context, &args);
    ss_args_set_real(args, "tolerance", tol);
    ss_args_set_text(args, "measure", "cone");
    if (ss_solver_create(context, name, args, NULL, &solver) != SS_OK) {
        fprintf(stderr, "%s\n", ss_context_message(context));
        exit(1);
    }
    do {
        memset(P, 0, (size_t)A->n_rows * sizeof *P);
        double begin = now();
        if (ss_solver_solve(solver, A, P, NULL, &report) != SS_OK)
            break;
        double seconds = now() - begin;
        add_time(seconds, &all);
        first = first > 0.0 ? first : seconds;
        spent += seconds;
    } while (spent < patience(first));
    o.seconds = time_of(&all);
    judge(p, P, &o);
    memcpy(o.how, report.method, sizeof o.how);
    return o;
}

#ifdef BENCH_SICONOS
static outcome run_theirs(const ss_problem *p, int k, double tol)
{
    outcome o = {INFINITY, INFINITY, INFINITY, ""};
    double *P = calloc((size_t)ss_problem_inclusion(p)->n_rows + 1, sizeof *P), spent = 0.0;
    siconos_problem *theirs = siconos_create(p);
    timings all = {INFINITY, INFINITY, 0};
    double first = 0.0;
    do {
        double seconds = siconos_solve(theirs, k, tol, P);
        add_time(seconds, &all);
        first = first > 0.0 ? first : seconds;
        spent += seconds;
    } while (spent < patience(first));
    o.seconds = time_of(&all);
    judge(p, P, &o);
    return o;
}
#endif

/* Whom a process runs. */
typedef struct task {
    ss_context *context;
    const ss_problem *problem;
    const char *ours; /* NULL: theirs */
    int theirs;
    double tolerance, limit;
} task;

static outcome perform(const task *t)
{
#ifdef BENCH_SICONOS
    if (!t->ours)
        return run_theirs(t->problem, t->theirs, t->tolerance);
#endif
    return run_ours(t->context, t->problem, t->ours, t->tolerance);
}

/* SIGPROF, after so much processor time, ends the process. */
static void end_after(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (long)(1e6 * (seconds - whole)) + 1}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* In a child, which is ended when it takes too long, prints, or dies. */
static outcome run_apart(const task *t, double tolerance)
{
    outcome o = {INFINITY, INFINITY, INFINITY, ""};
    int ends[2], status;
    if (pipe(ends) != 0)
        return o;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        end_after(t->limit);
        outcome own = perform(t);
        if (write(ends[1], &own, sizeof own) != (ssize_t)sizeof own)
            _exit(1);
        _exit(0);
    }
    close(ends[1]);
    outcome got;
    if (child > 0 && read(ends[0], &got, sizeof got) == (ssize_t)sizeof got)
        o = got;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!(o.residual <= tolerance * (1.0 + 1e-9)))
        o.seconds = INFINITY;
    return o;
}

#ifdef BENCH_SICONOS
/* The fastest of all configurations and of three tolerances. None need run much longer than the
 * fastest so far. */
static outcome best_of_theirs(const task *common, double tolerance, task *which)
{
    outcome best = {INFINITY, INFINITY, INFINITY, ""};
    int d = ss_problem_dimension(common->problem);
    *which = *common;
    which->theirs = -1;
    for (int k = 0; with_siconos && k < siconos_count(d); k++)
        for (double factor = 10.0; factor > 0.05; factor *= 0.1) {
            task t = *common;
            t.ours = NULL;
            t.theirs = k;
            t.tolerance = tolerance * factor;
            t.limit = fmin(limit, 0.5 + 2.0 * best.seconds);
            outcome o = run_apart(&t, tolerance);
            if (isinf(o.residual))
                break; /* out of time, and it would not be faster with a smaller tolerance */
            if (o.seconds < best.seconds) {
                best = o;
                *which = t;
                which->limit = limit;
            }
        }
    return best;
}

static const char *name_of(const task *theirs)
{
    int d = ss_problem_dimension(theirs->problem);
    return !with_siconos ? "" : theirs->theirs < 0 ? "none" : siconos_name(d, theirs->theirs);
}
#else
static outcome best_of_theirs(const task *common, double tolerance, task *which)
{
    (void)tolerance;
    *which = *common;
    which->theirs = -1;
    return (outcome){INFINITY, INFINITY, INFINITY, ""};
}

static const char *name_of(const task *theirs)
{
    (void)theirs;
    return with_siconos ? "not installed" : "";
}
#endif

static void print_time(double seconds)
{
    if (isinf(seconds))
        printf(" %11s", "-");
    else
        printf(" %8.3f %s", (seconds < 1e-3 ? 1e6 : 1e3) * seconds, seconds < 1e-3 ? "us" : "ms");
}

/* Of one tolerance. */
typedef struct tally {
    int both, solved, total;
    double log_ratio, worst;
    double ours[MOST_PROBLEMS], theirs[MOST_PROBLEMS];
} tally;

/* The best of ours, and the best of theirs, in turns: what else the machine does then troubles
 * both. */
static void take_turns(const task *ours, const task *theirs, double tolerance, outcome *o,
                       outcome *t)
{
    for (int k = 0; k < TURNS && isfinite(o->seconds); k++) {
        outcome again = run_apart(ours, tolerance);
        o->seconds = fmin(o->seconds, again.seconds);
        if (isfinite(t->seconds))
            t->seconds = fmin(t->seconds, run_apart(theirs, tolerance).seconds);
    }
}

static void print_outcome(const outcome *ours, const outcome *theirs, tally *sum)
{
    print_time(ours->seconds);
    print_time(theirs->seconds);
    if (isfinite(ours->seconds) && isfinite(theirs->seconds)) {
        double ratio = ours->seconds / theirs->seconds;
        sum->both++;
        sum->log_ratio += log(ratio);
        sum->worst = fmax(sum->worst, ratio);
        printf(" %7.3f", ratio);
    } else {
        printf(" %7s", "");
    }
    sum->solved += isfinite(ours->seconds);
    sum->ours[sum->total] = ours->seconds;
    sum->theirs[sum->total++] = theirs->seconds;
}

static void compare(ss_context *context, const ss_problem *p, const char *name, double tolerance,
                    tally *sum)
{
    if (ss_problem_indefinite_contact(p) >= 0) {
        printf("%-42.42s %5d left out: W is not positive semidefinite\n", name,
               ss_problem_contacts(p));
        return;
    }
    task t = {.context = context, .problem = p, .tolerance = tolerance, .limit = limit};
    task best = t, their_best;
    outcome ours = {INFINITY, INFINITY, INFINITY, ""};
    for (int k = 0; k < n_solvers; k++) {
        t.ours = solvers[k];
        outcome o = run_apart(&t, tolerance);
        if (o.seconds < ours.seconds || k == 0) {
            ours = o;
            best = t;
        }
    }
    outcome theirs = best_of_theirs(&t, tolerance, &their_best);
    take_turns(&best, &their_best, tolerance, &ours, &theirs);
    printf("%-42.42s %5d", name, ss_problem_contacts(p));
    print_outcome(&ours, &theirs, sum);
    printf("  %.1e %.1e  %s %s | %s\n", ours.residual, ours.absolute, best.ours, ours.how,
           name_of(&their_best));
}

/* Variant k of a problem, the n-th of the list: each problem begins with another kind. */
static void compare_variant(ss_context *context, const ss_problem *p, int n, int k,
                            double tolerance, tally *sum)
{
    const variant_kind *kind = &variant_kinds[(n * n_variants + k) % VARIANT_KINDS];
    char name[MOST_NAME];
    ss_problem *made;
    snprintf(name, sizeof name, "%.20s, %s", problem_name(problems.path[n]), kind->name);
    if (variant_make(context, p, kind, (unsigned long)(n * 1000 + k), &made) != SS_OK) {
        fprintf(stderr, "%s\n", ss_context_message(context));
        return;
    }
    compare(context, made, name, tolerance, sum);
    ss_problem_destroy(made);
}

/* A problem, or its variants. */
static void compare_all_of(ss_context *context, int n, double tolerance, tally *sum)
{
    ss_problem *p;
    const char *path = problems.path[n];
    if (ss_problem_read(context, path, &p) != SS_OK) {
        fprintf(stderr, "%s\n", ss_context_message(context));
        return;
    }
    if (n_variants == 0)
        compare(context, p, problem_name(path), tolerance, sum);
    for (int k = 0; k < n_variants && sum->total < MOST_PROBLEMS; k++)
        compare_variant(context, p, n, k, tolerance, sum);
    ss_problem_destroy(p);
}

/* Share of problems that a solver solves within a factor of the fastest (Dolan and Moré). */
static double share(const tally *sum, const double *times, double factor)
{
    int count = 0;
    for (int k = 0; k < sum->total; k++)
        count += times[k] <= factor * fmin(sum->ours[k], sum->theirs[k]) && isfinite(times[k]);
    return (double)count / sum->total;
}

static void plot(const tally *sums)
{
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return;
    fprintf(gnuplot,
            "set terminal svg size 800,480 font 'sans,13' background 'white'\nset output '%s'\n"
            "array color[4] = ['#1b6ca8', '#c8553d', '#4f772d', '#7b2d8b']\n"
            "set logscale x\nset xrange [1:200]\nset yrange [0:1.05]\nset key bottom right\n"
            "set grid lc rgb '#dddddd'\nset xlabel 'time / time of the fastest'\n"
            "set ylabel 'share of the problems that are solved'\nplot ",
            plot_path);
    for (int t = 0; t < n_tolerances; t++)
        fprintf(gnuplot,
                "%s'-' with steps lw %d lc rgb color[%d] title 'stickslip, %g', "
                "'-' with steps lw 2 dt 2 lc rgb color[%d] title 'best of Siconos, %g'",
                t ? ", " : "", t ? 2 : 5, t % 4 + 1, tolerances[t], t % 4 + 1, tolerances[t]);
    fprintf(gnuplot, "\n");
    for (int t = 0; t < n_tolerances; t++)
        for (int side = 0; side < 2; side++) {
            for (double f = 1.0; f < 210.0; f *= 1.02)
                fprintf(gnuplot, "%g %g\n", f,
                        share(&sums[t], side ? sums[t].theirs : sums[t].ours, f));
            fprintf(gnuplot, "e\n");
        }
    pclose(gnuplot);
}

static const char help[] =
    "usage: bench_solve [--siconos] [--limit SECONDS] [--tol T]... [--solver NAME]...\n"
    "                   [--plot FILE] [--variants N] [PROBLEM...]\n"
    "\n"
    "Times the solvers on frictional contact problems (default: all of ../shared/problems), each "
    "in\n"
    "a process of its own, from zero, on one thread.\n"
    "\n"
    "  --siconos    beside twelve configurations of Siconos, the best of them for each problem;\n"
    "               fails when stickslip is slower on one, or not three times as fast in the mean\n"
    "  --limit S    processor time of a solve in s (10)\n"
    "  --tol T      residual relative to max(|q|, |P|, |u|), may be repeated (1e-4 and 1e-8)\n"
    "  --solver S   ours to try, the best of them counts (auto)\n"
    "  --plot FILE  performance profile as SVG\n"
    "  --variants N N variants of each problem in its stead: other friction, loads, contacts\n"
    "               (13 kinds, each problem begins with another one; always the same)\n";

static void read_arguments(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const char *next = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--limit") == 0)
            limit = atof(next), k++;
        else if (strcmp(argv[k], "--plot") == 0)
            plot_path = next, k++;
        else if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0)
            fputs(help, stdout), exit(0);
        else if (strcmp(argv[k], "--variants") == 0)
            n_variants = atoi(next), k++;
        else if (strcmp(argv[k], "--siconos") == 0)
            with_siconos = true;
        else if (strcmp(argv[k], "--tol") == 0 && n_tolerances < MOST_TOLERANCES)
            tolerances[n_tolerances++] = atof(next), k++;
        else if (strcmp(argv[k], "--solver") == 0 && n_solvers < MOST_SOLVERS)
            solvers[n_solvers++] = next, k++;
        else
            problem_list_add(&problems, argv[k]);
    }
    n_tolerances = n_tolerances ? n_tolerances : 2;
    n_solvers = n_solvers ? n_solvers : 1;
    if (problems.count == 0)
        problem_list_add_folder(&problems, "../shared/problems");
}

int main(int argc, char **argv)
{
    static tally sums[MOST_TOLERANCES];
    ss_context *context;
    bool good = true;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    read_arguments(argc, argv);
    if (!getenv("BENCH_SOLVE_CHILD")) { /* OpenBLAS reads its environment when it is loaded */
        setenv("BENCH_SOLVE_CHILD", "1", 1);
        execv("/proc/self/exe", argv);
    }
    if (ss_context_create(NULL, &context) != SS_OK)
        return 1;
    for (int t = 0; t < n_tolerances; t++) {
        tally *sum = &sums[t];
        printf("tolerance %g\n%-42s %5s %11s %11s %7s  residual: relative, absolute\n",
               tolerances[t], "problem", "cont.", "stickslip", "Siconos", "ratio");
        for (int k = 0; k < problems.count; k++)
            compare_all_of(context, k, tolerances[t], sum);
        printf("solved %d of %d", sum->solved, sum->total);
        if (sum->both)
            printf("; ours / best of theirs: geometric mean %.3f, worst %.3f",
                   exp(sum->log_ratio / sum->both), sum->worst);
        printf("\n\n");
        if (sum->both)
            good = good && sum->worst <= 1.0 && exp(sum->log_ratio / sum->both) <= 1.0 / 3.0;
    }
    if (plot_path && sums[0].total)
        plot(sums);
    ss_context_destroy(context);
    return good ? 0 : 1;
}
