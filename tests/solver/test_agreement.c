/* A thousand random inclusions: every solver that accepts one finds the same solution where
 * there is only one.
 *
 * Regular inclusions have a G that is positive definite with the condition κ, and friction whose
 * bounds change with the normal impulses by less than 2 / (κ + 1). With r = 2 / (λ_max +
 * λ_min) the map P → prox(P - r (G P + c)) then is a contraction, (κ - 1) / (κ + 1) from the
 * gradient step and the rest from the sets: P is unique.
 *
 * Singular ones are regular ones some of whose contacts exist twice. Two contacts at one place
 * share one relative velocity, and the sum of their impulses fulfils the law of one contact:
 * the velocities are those of the regular inclusion, while nobody knows how the two share. */
#include "solver/solve.h"

#include "la/eigen.h"

static const char *const names[] = {"sorprox",     "jorprox",
                                    "auto",        "exact",
                                    "interior",    "alart_curnier",
                                    "proximal",    "fischer_burmeister",
                                    "admm",        "woesle_pfeiffer",
                                    "nesterov",    "uzawa",
                                    "lemke",       "funk",
                                    "enumeration", "gamma"};
enum { N_NAMES = sizeof names / sizeof *names, MOST_CONTACTS = 8 };

/* What an inclusion is made of. */
typedef struct recipe {
    int bilateral, half_lines, planar, spatial, elliptic, contensou, rolling;
    int bounded; /* friction with a constant bound */
} recipe;

/* The blocks of one contact follow each other. */
typedef struct made {
    build *p;
    int n_contacts, first[MOST_CONTACTS], count[MOST_CONTACTS];
} made;

static ss_set *ellipse, *ellipsoid;

static int make_sets(void **state)
{
    ss_args *args;
    if (solve_setup(state) != 0)
        return -1;
    expect_ok(*state, ss_args_create(*state, &args));
    expect_ok(*state, ss_args_set_reals(args, "axes", 2, (double[]){1.0, 0.5}));
    expect_ok(*state, ss_set_create(*state, "ellipse", args, NULL, 2, &ellipse));
    expect_ok(*state, ss_args_set_reals(args, "axes", 3, (double[]){1.0, 1.0, 0.3}));
    expect_ok(*state, ss_set_create(*state, "ellipsoid", args, NULL, 3, &ellipsoid));
    ss_args_destroy(args);
    return 0;
}

static int destroy_sets(void **state)
{
    ss_set_destroy(ellipse);
    ss_set_destroy(ellipsoid);
    return solve_teardown(state);
}

static void add_block(random_state *random, build *p, const ss_set *set, double scale, int from)
{
    build_add_block(p, set, scale, from);
    int first = random_below(random, p->n_systems), second = random_below(random, p->n_systems);
    build_random_factor(random, p, first);
    if (second != first)
        build_random_factor(random, p, second);
}

/* A half line and what it scales; other may be NULL. */
static void add_contact(random_state *random, made *m, const ss_set *set, const ss_set *other)
{
    int k = m->n_contacts++, normal = m->p->inclusion.n_blocks;
    assert_true(k < MOST_CONTACTS);
    m->first[k] = normal;
    m->count[k] = other ? 3 : 2;
    add_block(random, m->p, ss_set_half_line(), 1, -1);
    add_block(random, m->p, set, 1, normal);
    if (other)
        add_block(random, m->p, other, 1, normal);
}

static int rows_of(const recipe *r)
{
    return r->bilateral + r->half_lines + 2 * r->planar + 3 * r->spatial + 3 * r->elliptic +
           4 * r->contensou + 5 * r->rolling + 2 * r->bounded;
}

static void add_all(random_state *random, const recipe *r, made *m)
{
    for (int k = 0; k < r->bilateral; k++)
        add_block(random, m->p, ss_set_free(1), 1, -1);
    for (int k = 0; k < r->half_lines; k++)
        add_block(random, m->p, ss_set_half_line(), 1, -1);
    for (int k = 0; k < r->bounded; k++)
        add_block(random, m->p, ss_set_disk(2), random_between(random, 0, .5), -1);
    for (int k = 0; k < r->planar; k++)
        add_contact(random, m, ss_set_interval(), NULL);
    for (int k = 0; k < r->spatial; k++)
        add_contact(random, m, ss_set_disk(2), NULL);
    for (int k = 0; k < r->elliptic; k++)
        add_contact(random, m, ellipse, NULL);
    for (int k = 0; k < r->contensou; k++)
        add_contact(random, m, ellipsoid, NULL);
    for (int k = 0; k < r->rolling; k++) /* sliding, and rolling about two axes */
        add_contact(random, m, ss_set_disk(2), ss_set_disk(2));
}

/* λ_max / λ_min of G. */
static double condition(const build *p)
{
    int n = p->inclusion.n_rows;
    double least, most, *c = calloc((size_t)n, sizeof *c);
    double *G = calloc((size_t)(n * n), sizeof *G);
    double *work = calloc(ss_eigen_dense_work(n), sizeof *work);
    build_dense(p, G, c);
    assert_true(ss_eigen_dense(n, G, work, &least, &most));
    free(G);
    free(c);
    free(work);
    return least > 0.0 ? most / least : INFINITY;
}

/* Of one contact: √(Σ μ²) over the blocks that its normal scales is below 2 / (κ + 1). */
static void give_friction(random_state *random, made *m)
{
    double most = 2.0 / (condition(m->p) + 1.0);
    for (int k = 0; k < m->n_contacts; k++) {
        double share = most / sqrt(m->count[k] - 1.0);
        for (int i = 1; i < m->count[k]; i++)
            m->p->blocks[m->first[k] + i].scale = random_between(random, 0.3, 0.99) * share;
    }
}

/* Mostly one system for each row, so that κ stays small and friction is not; what is coupled too
 * strongly is drawn again. */
static made random_inclusion(random_state *random, const recipe *r)
{
    for (;;) {
        made m = {.p = build_create()};
        int systems = rows_of(r) < 20 ? rows_of(r) : 20;
        for (int s = 0; s < systems; s++) {
            double Minv[BUILD_NU * BUILD_NU];
            build_random_Minv(random, 6, 2, Minv);
            build_add_system(m.p, 6, Minv);
        }
        add_all(random, r, &m);
        build_random_load(random, m.p);
        if (condition(m.p) < 60.0) {
            give_friction(random, &m);
            return m;
        }
        free(m.p);
    }
}

static void copy_block(build *p, int i, int from)
{
    int to = build_add_block(p, p->blocks[i].set, p->blocks[i].scale, from);
    for (int f = p->factor_start[i]; f < p->factor_start[i + 1]; f++)
        build_add_factor(p, p->factors[f].u_offset / BUILD_NU, p->W[f]);
    for (int k = 0; k < p->blocks[i].dim; k++)
        p->b[p->blocks[to].offset + k] = p->b[p->blocks[i].offset + k];
}

/* Every other contact again; without contacts, every other block. */
static void double_some(made *m)
{
    for (int k = 0; k < m->n_contacts; k += 2) {
        int normal = m->p->inclusion.n_blocks;
        for (int i = 0; i < m->count[k]; i++)
            copy_block(m->p, m->first[k] + i, i == 0 ? -1 : normal);
    }
    for (int i = 0, n = m->p->inclusion.n_blocks; i < n && m->n_contacts == 0; i += 2)
        copy_block(m->p, i, -1);
}

/* An interior point method ends a little before rounding does. */
static double tolerance_of(const char *name)
{
    return strcmp(name, "interior") == 0 ? 1e-9 : 1e-11;
}

static void expect_same(const char *name, const char *what, int inclusion, int n, const double *x,
                        const double *reference)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - reference[i]) < 1e-8))
            fail_msg("%s differs by %g in %s %d of inclusion %d", name, fabs(x[i] - reference[i]),
                     what, i, inclusion);
}

/* The solvers that accepted inclusions, and how often each solved them. */
typedef struct score {
    int accepted[N_NAMES], solved[N_NAMES];
} score;

/* All against the first, and against u of the regular inclusion when there is one. */
static void compare_all(ss_context *context, const build *p, int number, const double *u_regular,
                        score *counts, double *u_found)
{
    double first[BUILD_ROWS], P[BUILD_ROWS], u[BUILD_U];
    bool has_first = false;
    for (int n = 0; n < N_NAMES; n++) {
        ss_solve_report report;
        if (!solve_by_name(context, names[n], tolerance_of(names[n]), &p->inclusion, P, u, &report))
            continue;
        counts->accepted[n]++;
        if (report.outcome != SS_CONVERGED)
            continue;
        counts->solved[n]++;
        assert_true(ss_inclusion_residual(&p->inclusion, P, u).value <=
                    1.001 * tolerance_of(names[n]));
        if (!has_first) {
            memcpy(first, P, sizeof P);
            memcpy(u_found, u, (size_t)p->inclusion.n_u * sizeof *u);
            has_first = true;
        }
        if (u_regular)
            expect_same(names[n], "velocity", number, p->inclusion.n_u, u, u_regular);
        else
            expect_same(names[n], "row", number, p->inclusion.n_rows, P, first);
    }
    assert_true(has_first);
}

/* How many of the inclusions that it accepts a solver must solve: all, but the γ-equations promise
 * nothing with friction. What is solved must agree in any case. */
static int required(const char *name, int count)
{
    return strcmp(name, "gamma") == 0 ? count - count / 20 : count;
}

static void check_score(const score *counts, bool singular)
{
    for (int n = 0; n < N_NAMES; n++) {
        if (counts->accepted[n])
            print_message("  %-9s %-20s %4d of %4d\n", singular ? "singular" : "regular", names[n],
                          counts->solved[n], counts->accepted[n]);
        if (counts->solved[n] < required(names[n], counts->accepted[n]))
            fail_msg("%s solves %d of %d inclusions", names[n], counts->solved[n],
                     counts->accepted[n]);
    }
}

/* `count` regular inclusions, and as many singular ones made of them. */
static void check_recipe(ss_context *context, const recipe *r, int count, uint64_t seed)
{
    random_state random = {seed};
    score regular = {{0}, {0}}, singular = {{0}, {0}};
    for (int k = 0; k < count; k++) {
        made m = random_inclusion(&random, r);
        double u_regular[BUILD_U], u[BUILD_U];
        compare_all(context, m.p, k, NULL, &regular, u_regular);
        double_some(&m);
        compare_all(context, m.p, k, u_regular, &singular, u);
        free(m.p);
    }
    check_score(&regular, false);
    check_score(&singular, true);
}

static void bilateral(void **state)
{
    check_recipe(*state, &(recipe){.bilateral = 6}, 60, 1);
}

static void unilateral(void **state)
{
    check_recipe(*state, &(recipe){.half_lines = 5, .bilateral = 1}, 60, 2);
}

static void planar(void **state)
{
    check_recipe(*state, &(recipe){.planar = 4, .bilateral = 1}, 40, 3);
    check_recipe(*state, &(recipe){.planar = 4, .half_lines = 1}, 50, 4);
}

static void spatial(void **state)
{
    check_recipe(*state, &(recipe){.spatial = 4, .bilateral = 1}, 90, 5);
    check_recipe(*state, &(recipe){.spatial = 3, .half_lines = 1}, 30, 10);
}

static void elliptic(void **state)
{
    check_recipe(*state, &(recipe){.elliptic = 3, .bounded = 1, .bilateral = 1}, 50, 6);
}

static void contensou(void **state)
{
    check_recipe(*state, &(recipe){.contensou = 3, .half_lines = 1}, 50, 7);
}

static void rolling(void **state)
{
    check_recipe(*state, &(recipe){.rolling = 2, .bilateral = 1}, 50, 8);
}

static void mixed(void **state)
{
    check_recipe(*state,
                 &(recipe){.planar = 1, .spatial = 1, .elliptic = 1, .contensou = 1, .rolling = 1},
                 50, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilateral), cmocka_unit_test(unilateral), cmocka_unit_test(planar),
        cmocka_unit_test(spatial),   cmocka_unit_test(elliptic),   cmocka_unit_test(contensou),
        cmocka_unit_test(rolling),   cmocka_unit_test(mixed),
    };
    return cmocka_run_group_tests(tests, make_sets, destroy_sets);
}
