/* Real problems. A few that this project made itself lie beside the tests; the folder
 * ../shared/problems, or $STICKSLIP_PROBLEMS, is tried as well where it exists. */
#include "solver/solve.h"

#include <stickslip/problem.h>

#include <dirent.h>
#include <stdio.h>

static const char own_folder[] = SS_SOURCE_DIR "/tests/solver/problems";

static const char *real_folder(void)
{
    const char *given = getenv("STICKSLIP_PROBLEMS");
    return given ? given : SS_SOURCE_DIR "/../shared/problems";
}

static ss_solve_report solve_problem(ss_context *context, const char *name, const ss_problem *p,
                                     double tolerance, double *P)
{
    ss_args *args;
    ss_solver *solver;
    ss_solve_report report;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_real(args, "tolerance", tolerance));
    expect_ok(context, ss_args_set_text(args, "measure", "cone"));
    expect_ok(context, ss_solver_create(context, name, args, NULL, &solver));
    expect_ok(context, ss_solver_solve(solver, ss_problem_inclusion(p), P, NULL, &report));
    ss_solver_destroy(solver);
    ss_args_destroy(args);
    return report;
}

/* Solved, and judged by the routine that knows nothing of the solver. */
static void expect_solved(ss_context *context, const char *name, const char *path, double tolerance,
                          bool symmetric)
{
    ss_problem *p;
    expect_ok(context, ss_problem_read(context, path, &p));
    if (symmetric)
        ss_problem_symmetrize(p);
    const ss_inclusion *A = ss_problem_inclusion(p);
    double *P = calloc((size_t)A->n_rows + 1, sizeof *P);
    ss_solve_report report = solve_problem(context, name, p, tolerance, P);
    ss_cone_residual r = ss_inclusion_cone_residual(A, P, NULL);
    if (report.outcome != SS_CONVERGED || !(r.relative <= tolerance))
        fail_msg("%s at %g by %s (%s): %s, residual %g", path, tolerance, name, report.method,
                 ss_outcome_name(report.outcome), r.relative);
    free(P);
    ss_problem_destroy(p);
}

/* Both as given and symmetrized: some W are not symmetric. The pile is damaged and has no
 * solution, see below. */
static void expect_all_solved(ss_context *context, const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char file[1024];
        bool is_problem = strstr(entry->d_name, ".fcp") || strstr(entry->d_name, ".hdf5");
        if (!is_problem || strncmp(entry->d_name, "pile1000", 8) == 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        expect_solved(context, "auto", file, 1e-4, false);
        expect_solved(context, "auto", file, 1e-8, false);
        expect_solved(context, "auto", file, 1e-8, true);
    }
    if (folder)
        closedir(folder);
}

static void auto_solves_every_problem(void **state)
{
    expect_all_solved(*state, own_folder);
    expect_all_solved(*state, real_folder());
}

/* Beside each other on the small problems of our own, whose solutions are unique. */
static void solvers_agree(void **state)
{
    static const char *const names[] = {
        "auto",     "exact", "proximal",      "woesle_pfeiffer",   "admm",
        "nesterov", "uzawa", "alart_curnier", "fischer_burmeister"};
    static const char *const files[] = {"spheres.fcp", "blocks.fcp"};
    for (size_t f = 0; f < 2; f++) {
        char path[1024];
        ss_problem *p;
        snprintf(path, sizeof path, "%s/%s", own_folder, files[f]);
        expect_ok(*state, ss_problem_read(*state, path, &p));
        int n = ss_problem_inclusion(p)->n_rows;
        double *first = calloc((size_t)n, sizeof *first), *P = calloc((size_t)n, sizeof *P);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            ss_solve_report report = solve_problem(*state, names[k], p, 1e-11, k ? P : first);
            if (report.outcome != SS_CONVERGED)
                fail_msg("%s: %s does not converge, residual %g", files[f], names[k],
                         report.residual.value);
            for (int i = 0; i < n && k; i++)
                if (!(fabs(P[i] - first[i]) < 1e-8))
                    fail_msg("%s: %s differs by %g in row %d", files[f], names[k],
                             fabs(P[i] - first[i]), i);
        }
        free(first);
        free(P);
        ss_problem_destroy(p);
    }
}

static void velocity_of(const ss_inclusion *A, const double *P, double *u)
{
    for (int i = 0; i < A->n_blocks; i++)
        ss_inclusion_velocity(A, P, NULL, i, u + A->blocks[i].offset);
}

/* Everyone who solves a problem finds the same velocities, relative to the largest; how many do. */
static int count_agreeing(ss_context *context, const ss_problem *p, const char *file)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    size_t n = (size_t)A->n_rows;
    double *P = calloc(n, sizeof *P), *u = calloc(n, sizeof *u), *first = calloc(n, sizeof *u);
    double size = 0;
    int solved = 0;
    const ss_type *type;
    for (size_t k = 0; (type = ss_type_at(context, SS_TYPE_SOLVER, k)); k++) {
        ss_solve_report report;
        if (!solve_by_name(context, type->name, 1e-11, A, P, NULL, &report) ||
            report.outcome != SS_CONVERGED)
            continue;
        velocity_of(A, P, solved++ ? u : first);
        for (size_t i = 0; i < n && solved == 1; i++)
            size = fmax(size, fmax(fabs(A->c[i]), fabs(first[i])));
        for (size_t i = 0; i < n && solved > 1; i++)
            if (!(fabs(u[i] - first[i]) <= 1e-8 * size))
                fail_msg("%s: %s differs by %g of %g in row %zu", file, type->name,
                         fabs(u[i] - first[i]), size, i);
    }
    free(P);
    free(u);
    free(first);
    return solved;
}

/* The small ones of the collection; bench_agreement tries them all. */
static void solvers_agree_on_real_problems(void **state)
{
    static const struct {
        const char *file;
        int least;
    } problems[] = {{"Rover1039.fcp", 10},
                    {"Rover11035.fcp", 10},
                    {"Rover4396.fcp", 10},
                    {"Rover9770.fcp", 10},
                    {"FC2D_SliderCrankLagrangian00000.fcp", 13},
                    {"FrictionContactProblem00031.fcp", 13},
                    {"LMGC_GFC3D-i00501-4-00000.fcp", 9},
                    {"NESpheres_30_1.fcp", 10},
                    {"OneObject-i100000-316.fcp", 9}};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        char path[1024];
        ss_problem *p;
        snprintf(path, sizeof path, "%s/%s", real_folder(), problems[k].file);
        if (ss_problem_read(*state, path, &p) != SS_OK) {
            skip();
            return;
        }
        int solved = count_agreeing(*state, p, problems[k].file);
        if (solved < problems[k].least)
            fail_msg("%s: only %d solvers solve it", problems[k].file, solved);
        ss_problem_destroy(p);
    }
}

/* u of one contact alone. */
static void contact_velocity(const double *G, const double *c, const double *P, double *u)
{
    for (int i = 0; i < 3; i++)
        u[i] = c[i] + G[3 * i] * P[0] + G[3 * i + 1] * P[1] + G[3 * i + 2] * P[2];
}

/* Whether some slip direction could solve a contact alone: P_T = μ P_N d with u_N = 0 and u_T
 * against d. Between two directions of a fine grid u_T × d would have to change its sign while
 * u_T · d <= 0. */
static bool can_slip(const double *G, const double *c, double mu)
{
    double last = 0.0;
    for (int k = 0; k <= 100000; k++) {
        double angle = 6.283185307179586 * k / 100000, d[2] = {cos(angle), sin(angle)}, u[3];
        double P_N = -c[0] / (G[0] + mu * (G[1] * d[0] + G[2] * d[1]));
        double P[3] = {P_N, mu * P_N * d[0], mu * P_N * d[1]};
        contact_velocity(G, c, P, u);
        double cross = u[1] * d[1] - u[2] * d[0];
        if (P_N >= 0.0 && u[1] * d[0] + u[2] * d[1] <= 0.0 && cross * last <= 0.0 && k > 0)
            return true;
        last = P_N >= 0.0 ? cross : 0.0;
        if (P_N < 0.0)
            last = INFINITY;
    }
    return false;
}

/* Contact 600 of the pile is coupled to no other, and its W_NN is 4e-315: 84 elements of the
 * file are such remains of memory that was never written. It is pressed together (q_N < 0),
 * cannot stick with P_N >= 0 in the cone, and no slip direction solves it: the problem has no
 * solution, whatever the solver. */
static void the_damaged_pile_has_no_solution(void **state)
{
    char path[1024];
    ss_problem *p;
    snprintf(path, sizeof path, "%s/pile1000-step60-nc614.fcp", real_folder());
    if (ss_problem_read(*state, path, &p) != SS_OK) {
        skip();
        return;
    }
    const ss_inclusion *A = ss_problem_inclusion(p);
    enum { CONTACT = 600 };
    double G[9], c[3], mu = A->blocks[2 * CONTACT + 1].scale;
    for (int side = 0; side < 2; side++) {
        int i = 2 * CONTACT + side;
        assert_int_equal(A->entry_start[i + 1] - A->entry_start[i], 2); /* itself, and nobody */
        for (int e = 0; e < 2; e++) {
            const ss_entry *E = &A->entries[A->entry_start[i] + e];
            int dim_i = A->blocks[i].dim, dim_j = A->blocks[E->column].dim;
            for (int k = 0; k < dim_i * dim_j; k++)
                G[(side + k / dim_j) * 3 + (e + k % dim_j)] = E->value[k];
        }
    }
    memcpy(c, A->c + A->blocks[2 * CONTACT].offset, sizeof c);
    assert_true(c[0] < 0.0);
    assert_true(G[0] < 1e-300);
    /* stick: with W_NN = 0 the first row gives W_NT P_T = -q_N, the others P_N from u_T = 0 */
    double D = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
               G[2] * (G[3] * G[7] - G[4] * G[6]);
    double P_N = (-c[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (-c[1] * G[8] + G[5] * c[2]) +
                  G[2] * (-c[1] * G[7] + G[4] * c[2])) /
                 D;
    assert_true(P_N < 0.0);
    assert_false(can_slip(G, c, mu));
    double *P = calloc((size_t)A->n_rows, sizeof *P);
    assert_int_not_equal(solve_problem(*state, "auto", p, 1e-8, P).outcome, SS_CONVERGED);
    free(P);
    ss_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_solves_every_problem),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(solvers_agree_on_real_problems),
        cmocka_unit_test(the_damaged_pile_has_no_solution),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
