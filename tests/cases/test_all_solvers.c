/* test_all_solvers.c: inclusions that the scenes meet on their way, solved by every solver that accepts them. Where
 * the motion is unique, the velocities of all that converge agree to 1e-8, and the impulses where they are. */

#include "run.h"
#include "support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SOLVERS = 24, MOST_ROWS = 90, MOST_VELOCITIES = 4000 };

static const double agreed = 1e-8;

/* Of one solver over all inclusions. */
typedef struct tally {
    const char *name;
    int refused, converged, failed;
} tally;

typedef struct comparison {
    tally solvers[MOST_SOLVERS];
    int n_solvers, inclusions, unique, determined;
} comparison;

typedef struct solution {
    bool found;
    double size; /* the residual's reference */
    double P[MOST_ROWS], gamma[MOST_ROWS];
} solution;

static void solve(run *r, const char *name, const ss_inclusion *A, tally *sum, solution *s)
{
    static double u[MOST_VELOCITIES];
    ss_args *args;
    ss_solver *solver;
    ss_solve_report report;
    assert_int_equal(ss_args_create(r->context, &args), SS_OK);
    ss_args_set_real(args, "tolerance", 1e-11);
    ss_args_set_real(args, "max_iterations", 20000);
    if (strcmp(name, "jorprox") == 0)
        ss_args_set_text(args, "r", "spectral");
    assert_int_equal(ss_solver_create(r->context, name, args, NULL, &solver), SS_OK);
    memset(s, 0, sizeof *s);
    ss_status status = ss_solver_solve(solver, A, s->P, u, &report);
    if (status != SS_OK && status != SS_UNSUPPORTED)
        fail_msg("%s: %s", name, ss_context_message(r->context));
    s->size = report.residual.reference;
    s->found = status == SS_OK && report.outcome == SS_CONVERGED;
    sum->refused += status != SS_OK;
    sum->converged += s->found;
    sum->failed += status == SS_OK && !s->found;
    for (int i = 0; s->found && i < A->n_blocks; i++)
        ss_inclusion_velocity(A, s->P, u, i, s->gamma + A->blocks[i].offset);
    ss_solver_destroy(solver);
    ss_args_destroy(args);
}

/* The largest difference in √J: √r |Δγ|, or |ΔP|/√r. */
static double difference(const ss_inclusion *A, const solution *a, const solution *b, bool velocity)
{
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], most = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        double largest = 0;
        ss_inclusion_diagonal(A, i, G);
        for (int k = 0; k < B->dim; k++)
            largest = fmax(largest, G[k * B->dim + k]);
        for (int k = B->offset; k < B->offset + B->dim && largest > 0; k++)
            most = fmax(most, velocity ? fabs(a->gamma[k] - b->gamma[k]) / sqrt(largest)
                                       : fabs(a->P[k] - b->P[k]) * sqrt(largest));
    }
    return most;
}

/* The inclusion of the step from the present state. */
static void compare(run *r, const char *scene, comparison *all)
{
    static solution solutions[MOST_SOLVERS];
    ss_simulation *simulation = ss_scene_simulation(r->scene);
    ss_active_set *set;
    if (ss_simulation_analyse(simulation, &set) != SS_OK)
        fail_msg("%s: %s", scene, ss_context_message(r->context));
    ss_determinacy d = set->determinacy;
    bool regular = set->rank == set->n_rows; /* then velocities determine impulses */
    bool usable =
        ss_outcome_accepted(set->solve.outcome) && set->n_rows > 0 && set->n_rows <= MOST_ROWS;
    const ss_inclusion *A = ss_work_inclusion(ss_simulation_work(simulation));
    usable = usable && !A->refresh && A->n_u <= MOST_VELOCITIES;
    int first = -1;
    for (int k = 0; k < all->n_solvers && usable; k++) {
        solve(r, all->solvers[k].name, A, &all->solvers[k], &solutions[k]);
        if (!solutions[k].found)
            continue;
        first = first < 0 ? k : first;
        double size = solutions[first].size > 0 ? solutions[first].size : 1;
        double u = difference(A, &solutions[first], &solutions[k], true) / size;
        double P = difference(A, &solutions[first], &solutions[k], false) / size;
        if (d.motion_unique && !(u <= agreed))
            fail_msg("%s at %g s: velocities of %s and %s differ by %g", scene,
                     ss_state_time(r->state), all->solvers[first].name, all->solvers[k].name, u);
        if (d.motion_unique && regular && d.condition < 100 && !(P <= agreed))
            fail_msg("%s at %g s: impulses of %s and %s differ by %g", scene,
                     ss_state_time(r->state), all->solvers[first].name, all->solvers[k].name, P);
    }
    all->inclusions += usable;
    all->unique += usable && d.motion_unique;
    all->determined += usable && d.motion_unique && regular;
    ss_active_set_destroy(set);
}

/* After 1, 3, 9 … steps, for a third of a second of the processor's time. */
static void follow(const char *scene, comparison *all)
{
    run r;
    open_run(&r, scene, NULL);
    ss_simulation *simulation = ss_scene_simulation(r.scene);
    clock_t begin = clock();
    long steps = 0, next = 1;
    while (!ss_simulation_done(simulation) && clock() - begin < CLOCKS_PER_SEC / 3) {
        ss_step step;
        if (ss_simulation_advance(simulation, &step) != SS_OK)
            fail_msg("%s: %s", scene, ss_context_message(r.context));
        r.state = ss_simulation_state(simulation);
        if (++steps < next)
            continue;
        next *= 3;
        compare(&r, scene, all);
    }
    close_run(&r);
}

static void list_solvers(comparison *all)
{
    run r;
    const ss_type *type;
    open_run(&r, "bar", NULL);
    while (all->n_solvers < MOST_SOLVERS &&
           (type = ss_type_at(r.context, SS_TYPE_SOLVER, (size_t)all->n_solvers)))
        all->solvers[all->n_solvers++].name = strdup(type->name);
    close_run(&r);
}

static void solvers_agree_on_what_scenes_meet(void **state)
{
    (void)state;
    comparison all = {0};
    list_solvers(&all);
    assert_true(all.n_solvers >= 16);
    DIR *folder = opendir(SS_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[256];
        const char *dot = strstr(entry->d_name, ".yaml");
        snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - entry->d_name) : 0, entry->d_name);
        if (dot)
            follow(name, &all);
    }
    closedir(folder);
    print_message("%d inclusions, motion unique in %d, impulses in %d\n", all.inclusions,
                  all.unique, all.determined);
    assert_true(all.unique > 50 && all.determined > 30);
    for (int k = 0; k < all.n_solvers; k++) {
        const tally *t = &all.solvers[k];
        print_message("%-20s refused %3d, converged %3d, not %3d\n", t->name, t->refused,
                      t->converged, t->failed);
        assert_true(t->converged > 0 && 5 * t->failed <= t->converged);
        free((void *)t->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solvers_agree_on_what_scenes_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
