/* agreement.c: every solver on real frictional contact problems; do they agree?
 *
 *     bench_agreement [--limit SECONDS] [--tol T] [PROBLEM…]
 *
 * Without problems: every one in ../shared/problems. Each solver runs in a process of its own.
 * What it finds counts when the residual of the inclusion is below the tolerance. The largest differences
 * between two such solutions are printed, of P and of u = W P + q, relative to the largest P and
 * to max(|q|, |u|). Most of these problems have many P; that u differs by more than the tolerance
 * explains is a proof that u is not unique either: such solutions are told apart. The program fails when a solver says that it
 * has solved a problem and has not, when no solver solves a problem, or when two velocities of one
 * solution differ by more than 1e-8. Files that are damaged, so that W is not positive semidefinite, are left out. */
#include "problems.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SOLVERS = 32 };

static double limit = 2.0, tolerance = 1e-11;
static const double agreed = 1e-8;
static problem_list problems;

/* What one solver found. */
typedef struct found {
    const char *name;
    bool accepted, solved, lied;
    int solution;  /* which, when there are several */
    double *P, *u; /* n_rows each */
} found;

/* 'r' refused, 's' solved, 'f' failed; then P. */
static void write_result(int pipe, char kind, int rows, const double *P)
{
    size_t size = (size_t)rows * sizeof *P;
    bool good = write(pipe, &kind, 1) == 1;
    for (size_t done = 0; good && kind == 's' && done < size;) {
        ssize_t count = write(pipe, (const char *)P + done, size - done);
        good = count > 0;
        done += good ? (size_t)count : 0;
    }
    _exit(good ? 0 : 1);
}

static void give_options(ss_context *context, const char *name, ss_args *args)
{
    const ss_type *type = NULL;
    for (size_t k = 0; (type = ss_type_at(context, SS_TYPE_SOLVER, k)); k++)
        if (strcmp(type->name, name) == 0)
            break;
    ss_args_set_real(args, "tolerance", tolerance);
    for (const ss_key *key = type ? type->keys : NULL; key && key->name; key++) {
        if (strcmp(key->name, "measure") == 0)
            ss_args_set_text(args, "measure", "both");
        if (strcmp(key->name, "max_iterations") == 0)
            ss_args_set_real(args, "max_iterations", 1e8);
    }
    if (strcmp(name, "jorprox") == 0) /* the diagonal r is for nearly diagonal G */
        ss_args_set_text(args, "r", "spectral");
    if (strcmp(name, "lemke") == 0) /* a smaller tableau; the disks come afterwards */
        ss_args_set_real(args, "facets", 4);
}

static void solve_in_child(ss_context *context, const ss_problem *p, const char *name, int pipe)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    double *P = calloc((size_t)A->n_rows + 1, sizeof *P);
    ss_args *args;
    ss_solver *solver;
    ss_solve_report report;
    if (!P || ss_args_create(context, &args) != SS_OK)
        _exit(1);
    give_options(context, name, args);
    if (ss_solver_create(context, name, args, NULL, &solver) != SS_OK)
        _exit(1);
    if (ss_solver_solve(solver, A, P, NULL, &report) != SS_OK)
        write_result(pipe, 'r', 0, P);
    write_result(pipe, report.outcome == SS_CONVERGED ? 's' : 'f', A->n_rows, P);
}

static bool read_all(int pipe, size_t size, void *data)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(pipe, (char *)data + done, size - done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static void find_velocity(const ss_inclusion *A, const double *P, double *u)
{
    for (int i = 0; i < A->n_blocks; i++)
        ss_inclusion_velocity(A, P, NULL, i, u + A->blocks[i].offset);
}

/* SIGPROF ends a child that has used up its processor time. */
static void run_solver(ss_context *context, const ss_problem *p, const char *name, found *f)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    int ends[2], status;
    char kind = 'f';
    size_t size = ((size_t)A->n_rows + 1) * sizeof(double);
    *f = (found){.name = name, .P = calloc(1, size), .u = calloc(1, size)};
    if (!f->P || !f->u || pipe(ends) != 0)
        exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct itimerval timer = {.it_value = {.tv_sec = (time_t)ceil(limit)}};
        setitimer(ITIMER_PROF, &timer, NULL);
        solve_in_child(context, p, name, ends[1]);
    }
    close(ends[1]);
    bool has = read_all(ends[0], 1, &kind);
    f->accepted = !has || kind != 'r';
    f->solved = has && kind == 's' && read_all(ends[0], (size_t)A->n_rows * sizeof(double), f->P);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!f->solved)
        return;
    find_velocity(A, f->P, f->u);
    f->lied = !(ss_inclusion_residual(A, f->P, NULL).value <= 1.01 * tolerance);
    f->solved = !f->lied;
}

static double largest(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k] - (y ? y[k] : 0.0)));
    return most;
}

/* Velocities that are farther apart than that are those of different solutions: the residual of each is
 * smaller by far. Numbers the solutions; returns how many there are. */
static int tell_apart(int count, found *all, int rows, double size)
{
    const double apart = 1e-5;
    int solutions = 0;
    for (int i = 0; i < count; i++) {
        int j = 0;
        while (j < i && !(all[j].solved && largest(rows, all[i].u, all[j].u) <= apart * size))
            j++;
        if (all[i].solved)
            all[i].solution = j < i ? all[j].solution : solutions++;
    }
    return solutions;
}

/* The largest difference between two of the same solution, in P or in u. */
static double spread(int count, const found *all, int rows, bool velocity, double size)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i && all[i].solved; j++)
            if (all[j].solved && all[i].solution == all[j].solution)
                most = fmax(most, velocity ? largest(rows, all[i].u, all[j].u)
                                           : largest(rows, all[i].P, all[j].P));
    return size > 0.0 ? most / size : most;
}

static void print_names(int count, const found *all, int solutions)
{
    const char *comma = "  not: ";
    for (int k = 0; k < count; k++)
        if (all[k].accepted && !all[k].solved) {
            printf("%s%s", comma, all[k].name);
            comma = ", ";
        }
    for (int s = 1; s < solutions; s++) {
        comma = "  another solution: ";
        for (int k = 0; k < count; k++)
            if (all[k].solved && all[k].solution == s) {
                printf("%s%s", comma, all[k].name);
                comma = ", ";
            }
    }
    putchar('\n');
}

/* False when something is wrong. */
static bool report(const ss_problem *p, const char *name, int count, found *all)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    int accepted = 0, solved = 0;
    double P_size = 0.0, u_size = largest(A->n_rows, A->c, NULL);
    bool good = true;
    for (int k = 0; k < count; k++) {
        accepted += all[k].accepted;
        solved += all[k].solved;
        good = good && !all[k].lied;
        if (all[k].solved) {
            P_size = fmax(P_size, largest(A->n_rows, all[k].P, NULL));
            u_size = fmax(u_size, largest(A->n_rows, all[k].u, NULL));
        }
    }
    int solutions = tell_apart(count, all, A->n_rows, u_size);
    printf("%-40.40s %5d  %2d of %2d", name, ss_problem_contacts(p), solved, accepted);
    if (solved > 1)
        printf("   %8.1e  %8.1e", spread(count, all, A->n_rows, true, u_size),
               spread(count, all, A->n_rows, false, P_size));
    else
        printf("   %8s  %8s", "-", "-");
    print_names(count, all, solutions);
    return good && solved > 0 && spread(count, all, A->n_rows, true, u_size) <= agreed;
}

static bool compare(ss_context *context, const char *path)
{
    ss_problem *p;
    found all[MOST_SOLVERS];
    int count = 0;
    if (ss_problem_read(context, path, &p) != SS_OK) {
        fprintf(stderr, "%s\n", ss_context_message(context));
        return false;
    }
    if (ss_problem_indefinite_contact(p) >= 0) {
        printf("%-40.40s %5d  left out: W is not positive semidefinite\n", problem_name(path),
               ss_problem_contacts(p));
        ss_problem_destroy(p);
        return true;
    }
    for (const ss_type *type;
         count < MOST_SOLVERS && (type = ss_type_at(context, SS_TYPE_SOLVER, (size_t)count));
         count++)
        run_solver(context, p, type->name, &all[count]);
    bool good = report(p, problem_name(path), count, all);
    for (int k = 0; k < count; k++) {
        free(all[k].P);
        free(all[k].u);
    }
    ss_problem_destroy(p);
    return good;
}

int main(int argc, char **argv)
{
    ss_context *context;
    bool good = true;
    for (int k = 1; k < argc; k++) {
        const char *next = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--limit") == 0)
            limit = atof(next), k++;
        else if (strcmp(argv[k], "--tol") == 0)
            tolerance = atof(next), k++;
        else
            problem_list_add(&problems, argv[k]);
    }
    if (problems.count == 0)
        problem_list_add_folder(&problems, "../shared/problems");
    if (ss_context_create(NULL, &context) != SS_OK)
        return 1;
    printf("%-40s %5s  %8s   %8s  %8s\n", "problem", "cont.", "solvers", "u differ", "P differ");
    for (int k = 0; k < problems.count; k++)
        good = compare(context, problems.path[k]) && good;
    ss_context_destroy(context);
    return good ? 0 : 1;
}
