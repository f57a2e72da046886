/* Contacts as ROUND and BODY rows: their batches and packs, their residual and their solution against the GENERAL form of
 * the same inclusion, blocks among them, and the number of threads. */
#include "base/context.h"
#include "rows/body_rows.h"
#include "solver/kernels/sweep.h"
#include "support/random.h"
#include "support/test.h"

#include <stickslip/stickslip.h>

#include <stdlib.h>
#include <string.h>

enum { BODIES = 60, CONTACTS = 150 };

static ss_context *context(int threads)
{
    ss_context_options options = ss_default_context();
    ss_context *c;
    options.threads = threads;
    assert_int_equal(ss_context_create_bare(&options, &c), SS_OK);
    assert_int_equal(ss_register_builtin_solvers(c), SS_OK);
    return c;
}

static void random_direction(random_state *random, double n[3])
{
    double length = 0;
    while (!(length > 0.1)) {
        length = 0;
        for (int k = 0; k < 3; k++) {
            n[k] = random_between(random, -1, 1);
            length += n[k] * n[k];
        }
        length = sqrt(length);
    }
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

/* Balls of different mass and inertia, falling against each other and against the ground. */
static void fill(ss_rows *c, ss_context *ctx, uint64_t seed, int n_bodies, int n_contacts)
{
    random_state random = {seed};
    assert_int_equal(ss_rows_reserve(c, ctx, n_bodies, 0, n_contacts), SS_OK);
    c->n_bodies = n_bodies;
    c->n_contacts = n_contacts;
    c->free[0] = (ss_row_body){.m_inv = 0};
    for (int i = 1; i < n_bodies; i++) {
        ss_row_body *body = &c->free[i];
        body->m_inv = random_log(&random, 0.2, 5);
        body->J_inv = random_log(&random, 10, 500);
        for (int k = 0; k < 3; k++) {
            body->v[k] = random_between(&random, -1, 1);
            body->w[k] = random_between(&random, -5, 5);
            c->centre[i][k] = random_between(&random, -1, 1);
        }
    }
    ss_rows_divide(c, n_contacts);
    memcpy(c->bodies, c->free, (size_t)n_bodies * sizeof *c->bodies);
    for (int i = 0; i < n_contacts; i++) {
        ss_row_contact *t = &c->contacts[i];
        *t = (ss_row_contact){.mu = random_between(&random, 0, 1)};
        t->b = 1 + random_below(&random, n_bodies - 1);
        t->a = random_below(&random, n_bodies);
        if (t->a == t->b)
            t->a = 0;
        random_direction(&random, t->n);
        t->r_a = t->a ? random_between(&random, 0.05, 0.1) : 0;
        t->r_b = random_between(&random, 0.05, 0.1);
        if (i % 5 == 0) { /* body 0 may be either of the two */
            t->a = t->b;
            t->r_a = t->r_b;
            t->b = 0;
            t->r_b = 0;
        }
        double along = random_between(&random, -0.1, 0.1);
        for (int k = 0; k < 3; k++) /* what is driven is body 0 */
            t->bias[k] = along * t->n[k] + (t->a && t->b ? 0 : random_between(&random, -0.1, 0.1));
    }
}

/* Every other body gets an inertia that differs about its axes; what meets it is a BODY contact, off the centres. */
static void make_bodies(ss_rows *c, uint64_t seed)
{
    random_state random = {seed};
    for (int i = 0; i < c->n_bodies; i++) {
        double J = c->free[i].J_inv, *inertia = c->inertia[i];
        const double round[8] = {J, J, J, 0, 0, 0, 0, 0};
        memcpy(inertia, round, sizeof round);
        for (int k = 0; i % 2 == 0 && k < 7; k++) /* diagonally dominant */
            inertia[k] = k == 3  ? 0
                         : k < 3 ? J * random_between(&random, 1, 3)
                                 : J * random_between(&random, -0.4, 0.4);
    }
    for (int i = 0; i < c->n_contacts; i++) {
        ss_row_contact *t = &c->contacts[i];
        if (t->a % 2 && t->b % 2)
            continue;
        t->form = SS_ROW_BODY;
        for (int k = 0; k < 6; k++)
            c->arms[i][k] = random_between(&random, -0.1, 0.1);
    }
}

/* ---- The same inclusion in general form ---- */

typedef struct general {
    ss_inclusion inclusion;
    ss_block blocks[2 * CONTACTS];
    ss_factor factors[4 * CONTACTS];
    int start[2 * CONTACTS + 1];
    double numbers[72 * CONTACTS], b[3 * CONTACTS], P[3 * CONTACTS];
    double u_free[6 * BODIES], u[6 * BODIES];
    double frame[CONTACTS][3][3]; /* n, t1, t2 */
} general;

static void make_frame(const double n[3], double frame[3][3])
{
    int least = 0;
    double along, length = 0;
    for (int k = 1; k < 3; k++)
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    along = n[least];
    for (int k = 0; k < 3; k++) {
        frame[0][k] = n[k];
        frame[1][k] = (k == least) - along * n[k];
        length += frame[1][k] * frame[1][k];
    }
    for (int k = 0; k < 3; k++)
        frame[1][k] /= sqrt(length);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        frame[2][k] = n[i] * frame[1][j] - n[j] * frame[1][i];
    }
}

/* ±(d, arm × d) */
static void make_row(const double d[3], const double arm[3], double sign, double *W)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        W[k] = sign * d[k];
        W[3 + k] = sign * (arm[i] * d[j] - arm[j] * d[i]);
    }
}

static void find_arm(const ss_rows *c, int i, int side, double arm[3])
{
    const ss_row_contact *t = &c->contacts[i];
    for (int k = 0; k < 3; k++)
        arm[k] =
            t->form == SS_ROW_BODY ? c->arms[i][3 * side + k] : (side ? -t->r_b : t->r_a) * t->n[k];
}

/* m = M⁻¹ w of a body. */
static void solve_mass(const ss_rows *c, bool body_row, int body, const double w[6], double m[6])
{
    const double *J = c->inertia[body], *L = w + 3;
    for (int k = 0; k < 6; k++)
        m[k] = w[k] * (k < 3 ? c->free[body].m_inv : c->free[body].J_inv);
    if (!body_row)
        return;
    m[3] = J[0] * L[0] + J[4] * L[1] + J[5] * L[2];
    m[4] = J[4] * L[0] + J[1] * L[1] + J[6] * L[2];
    m[5] = J[5] * L[0] + J[6] * L[1] + J[2] * L[2];
}

static void add_factors(general *g, const ss_rows *c, int i, int block, double **W)
{
    const ss_row_contact *t = &c->contacts[i];
    int dim = g->blocks[block].dim, n = g->start[block];
    for (int side = 0; side < 2; side++) {
        int body = side ? t->b : t->a;
        if (body == 0)
            continue;
        double arm[3];
        find_arm(c, i, side, arm);
        for (int row = 0; row < dim; row++) {
            double *w = *W + 6 * row, *m = w + 6 * dim;
            make_row(g->frame[i][dim == 1 ? 0 : 1 + row], arm, side ? 1 : -1, w);
            solve_mass(c, t->form == SS_ROW_BODY, body, w, m);
        }
        g->factors[n++] = (ss_factor){6 * body, 6, *W, *W + 6 * dim};
        *W += 12 * dim;
    }
    g->start[block + 1] = n;
}

static general *generalize(const ss_rows *c)
{
    general *g = calloc(1, sizeof *g);
    double *W = g->numbers;
    for (int i = 0; i < c->n_bodies; i++) {
        memcpy(g->u_free + 6 * i, c->free[i].v, sizeof c->free[i].v);
        memcpy(g->u_free + 6 * i + 3, c->free[i].w, sizeof c->free[i].w);
    }
    for (int i = 0; i < c->n_contacts; i++) {
        const ss_row_contact *t = &c->contacts[i];
        make_frame(t->n, g->frame[i]);
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 3; k++)
                g->b[3 * i + row] += t->bias[k] * g->frame[i][row][k];
        g->blocks[2 * i] = (ss_block){ss_set_half_line(), 3 * i, 1, -1, 1, 0};
        g->blocks[2 * i + 1] = (ss_block){ss_set_disk(2), 3 * i + 1, 2, 2 * i, t->mu, 0};
        add_factors(g, c, i, 2 * i, &W);
        add_factors(g, c, i, 2 * i + 1, &W);
    }
    g->inclusion = (ss_inclusion){.n_blocks = 2 * c->n_contacts,
                                  .n_rows = 3 * c->n_contacts,
                                  .blocks = g->blocks,
                                  .n_u = 6 * c->n_bodies,
                                  .factor_start = g->start,
                                  .factors = g->factors,
                                  .u_free = g->u_free,
                                  .b = g->b};
    return g;
}

/* Impulses of the round form in the rows of the general one. */
static void take_impulses(const ss_rows *c, general *g)
{
    for (int i = 0; i < c->n_contacts; i++)
        for (int row = 0; row < 3; row++) {
            g->P[3 * i + row] = 0;
            for (int k = 0; k < 3; k++)
                g->P[3 * i + row] += c->contacts[i].P[k] * g->frame[i][row][k];
        }
}

/* The velocities of the general form, with its impulses, are those of the rows. */
static void expect_motion(const ss_rows *c, general *g)
{
    ss_inclusion_free_motion(&g->inclusion, g->P, g->u);
    for (int i = 0; i < c->n_bodies; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(c->bodies[i].v[k] - g->u[6 * i + k]) < 1e-12);
            assert_true(fabs(c->bodies[i].w[k] - g->u[6 * i + 3 + k]) < 1e-12);
        }
}

/* ---- Tests ---- */

/* Marks the bodies of a contact that move; false: one is marked already. */
static bool mark(const ss_pack *p, int k, int mark, int *marks)
{
    int bodies[2] = {p->a[k], p->b[k]};
    bool fresh = true;
    for (int side = 0; side < 2; side++) {
        fresh = fresh && marks[bodies[side]] != mark;
        marks[bodies[side]] = bodies[side] ? mark : -1;
    }
    return fresh;
}

/* Packs share no body, batches have no bodies but those of their parts; every contact is in one place. */
static void check_groups(const ss_rows *c)
{
    int *in_pack = calloc((size_t)c->n_bodies, sizeof *in_pack),
        *seen = calloc((size_t)c->n_contacts, sizeof *seen);
    assert_true(in_pack && seen);
    for (int g = 0; g < c->n_batches; g++)
        for (int i = c->batches[g].packs[SS_ROW_ROUND].from;
             i < c->batches[g].packs[SS_ROW_ROUND].to; i++)
            for (int k = 0; k < SS_LANES; k++) {
                const ss_pack *p = &c->round[i].pack;
                int bodies[2] = {p->a[k], p->b[k]};
                int contact = c->content[i][k];
                if (contact < 0)
                    continue;
                assert_true(mark(p, k, i + 1, in_pack));
                for (int side = 0; side < 2; side++) {
                    int part = c->subdomain[bodies[side]];
                    assert_true(bodies[side] == 0 || part == c->batches[g].subdomain[0] ||
                                part == c->batches[g].subdomain[1]);
                }
                assert_true((i >= c->batches[g].packs[SS_ROW_ROUND].wall) == (bodies[0] == 0));
                const ss_row_contact *t = &c->contacts[contact];
                assert_int_equal(bodies[0] + bodies[1], t->a + t->b);
                seen[contact]++;
            }
    for (int i = 0; i < c->n_contacts; i++)
        assert_int_equal(seen[i], 1);
    free(in_pack);
    free(seen);
}

/* Every part visits its batches one after the other. */
static void check_ranks(const ss_rows *c)
{
    int next[SS_SUBDOMAINS] = {0};
    for (int g = 0; g < c->n_batches; g++) {
        const ss_batch *group = &c->batches[g];
        assert_int_equal(ss_batch_within(group), next[group->subdomain[0]] == 0);
        for (int side = 0; side <= !ss_batch_within(group); side++)
            assert_int_equal(group->rank[side], next[group->subdomain[side]]++);
    }
    for (int p = 0; p < c->n_subdomains; p++)
        assert_int_equal(c->tickets[p].batches, next[p]);
}

/* Every body has a number of its own, and those of a part follow each other. */
static void check_numbers(const ss_rows *c)
{
    int *seen = calloc((size_t)c->n_bodies, sizeof *seen);
    assert_non_null(seen);
    assert_int_equal(c->subdomain_start[0], 1);
    assert_int_equal(c->subdomain_start[c->n_subdomains], c->n_bodies);
    for (int i = 1; i < c->n_bodies; i++) {
        int number = c->number[i], part = c->subdomain[number];
        assert_in_range(number, c->subdomain_start[part], c->subdomain_start[part + 1] - 1);
        assert_int_equal(seen[number]++, 0);
    }
    free(seen);
}

static void packs_and_groups_share_nothing(void **state)
{
    (void)state;
    ss_context *ctx = context(2);
    const int contacts[] = {CONTACTS, 2500, 9000}, parts[] = {1, 4, 12};
    for (int i = 0; i < 3; i++) {
        ss_rows c = {0};
        fill(&c, ctx, 1, contacts[i] / 2, contacts[i]);
        assert_int_equal(ss_rows_arrange(&c, 2), SS_OK);
        assert_int_equal(c.n_subdomains, parts[i]);
        check_numbers(&c);
        check_groups(&c);
        check_ranks(&c);
        ss_rows_release(&c);
    }
    ss_context_destroy(ctx);
}

/* Balls on a line, each touching the next: slices within which they contact, and between which in tickets. */
static void neighbours_take_turns(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    ss_rows c = {0};
    enum { BALLS = 4200 };
    fill(&c, ctx, 3, BALLS, BALLS - 2);
    for (int i = 1; i < BALLS; i++)
        c.centre[i][1] = -10.0 * i;
    ss_rows_divide(&c, c.n_contacts);
    for (int i = 0; i < c.n_contacts; i++) {
        c.contacts[i].a = c.number[1 + i];
        c.contacts[i].b = c.number[2 + i];
    }
    assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
    check_groups(&c);
    check_ranks(&c);
    assert_int_equal(c.n_subdomains, 8);
    assert_int_equal(c.n_batches, 15);
    for (int g = 0; g < 15; g++)
        if (ss_batch_within(&c.batches[g]))
            assert_in_range(c.batches[g].end - c.batches[g].first, BALLS / 8 - 5, BALLS / 8 + 5);
    ss_rows_release(&c);
    ss_context_destroy(ctx);
}

/* Rows of balls, one number after the other along x. */
static void lay_rows(ss_rows *c, int in_row, double spacing)
{
    for (int i = 1; i < c->n_bodies; i++) {
        int row = (i - 1) / in_row;
        c->centre[i][0] = (i - 1) % in_row;
        c->centre[i][1] = spacing * row;
        c->centre[i][2] = 0;
    }
    ss_rows_divide(c, c->n_contacts);
}

/* Rows a little nearer to each other than balls in a row: slices of whole rows, of balls that follow each other. Rows much nearer:
 * slices across them. */
static void slices_keep_rows_together(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    ss_rows c = {0};
    enum { ROW = 50 };
    fill(&c, ctx, 3, ROW * ROW + 1, 2 * ROW * ROW);
    lay_rows(&c, ROW, 0.95);
    assert_int_equal(c.n_subdomains, 8);
    for (int i = 1; i < c.n_bodies; i++)
        assert_int_equal(c.number[i], i);
    lay_rows(&c, ROW, 0.5);
    assert_int_equal(c.n_subdomains, 8);
    for (int i = 1; i < c.n_bodies; i++)
        assert_int_equal(c.subdomain[c.number[i]], c.subdomain[c.number[1 + (i - 1) % ROW]]);
    ss_rows_release(&c);
    ss_context_destroy(ctx);
}

/* More contacts on one body than there are colours. */
static void a_crowded_body_is_solved(void **state)
{
    (void)state;
    ss_context *ctx = context(2);
    ss_rows c = {0};
    ss_prox_options options = ss_default_prox();
    ss_solve_report report;
    fill(&c, ctx, 2, BODIES, CONTACTS);
    for (int i = 0; i < c.n_contacts; i++) {
        c.contacts[i].b = 1;
        c.contacts[i].a = i % 3 ? 2 + i % (BODIES - 2) : 0;
        for (int k = 0; k < 3; k++) /* so that rest is possible */
            c.contacts[i].bias[k] = 0.05 * c.contacts[i].n[k];
    }
    options.tolerance = 1e-8;
    options.max_iterations = 100000;
    assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
    check_groups(&c);
    assert_true(c.n_round > CONTACTS - SS_COLOURS); /* most have one for themselves */
    assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report), SS_OK);
    assert_int_equal(report.outcome, SS_CONVERGED);
    ss_rows_fetch(&c, 1e-8);
    general *g = generalize(&c);
    take_impulses(&c, g);
    ss_inclusion_free_motion(&g->inclusion, g->P, g->u);
    assert_true(ss_inclusion_residual(&g->inclusion, g->P, g->u).value < 1.1e-8);
    free(g);
    ss_rows_release(&c);
    ss_context_destroy(ctx);
}

static void residual_and_velocities_are_those_of_the_general_form(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    for (uint64_t seed = 10; seed < 20; seed++) {
        ss_rows c = {0};
        random_state random = {seed};
        fill(&c, ctx, seed, BODIES, CONTACTS);
        for (int i = 0; i < c.n_contacts; i++)
            for (int k = 0; k < 3; k++)
                c.contacts[i].P[k] = 0.01 * random_unit(&random) * c.contacts[i].n[k];
        assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
        ss_rows_begin(&c, NULL);
        general *g = generalize(&c);
        take_impulses(&c, g);
        expect_motion(&c, g);
        ss_residual one = ss_rows_residual(&c, NULL);
        ss_residual other = ss_inclusion_residual(&g->inclusion, g->P, g->u);
        assert_true(fabs(one.absolute - other.absolute) < 1e-12 * other.absolute);
        assert_true(fabs(one.reference - other.reference) < 1e-12 * other.reference);
        assert_int_equal(ss_rows_find_worst(&c), other.worst_block / 2);
        free(g);
        ss_rows_release(&c);
    }
    ss_context_destroy(ctx);
}

/* Velocities, and the solution: G is regular here, and friction small, so that it is unique. */
static void body_rows_are_those_of_the_general_form(void **state)
{
    (void)state;
    ss_context *ctx = context(2);
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-12;
    for (uint64_t seed = 50; seed < 60; seed++) {
        ss_rows c = {0};
        ss_solve_report report;
        ss_solver *solver;
        fill(&c, ctx, seed, BODIES, 40);
        make_bodies(&c, seed);
        for (int i = 0; i < c.n_contacts; i++)
            for (int k = 0; k < 3; k++)
                c.contacts[i].P[k] = 0.01 * c.contacts[i].n[k];
        assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
        assert_true(c.n_round > 0 && c.n_body > 0);
        ss_rows_begin(&c, NULL);
        general *g = generalize(&c);
        take_impulses(&c, g);
        expect_motion(&c, g);
        assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report),
                         SS_OK);
        assert_int_equal(report.outcome, SS_CONVERGED);
        ss_rows_fetch(&c, 1e-11);
        take_impulses(&c, g);
        ss_inclusion_free_motion(&g->inclusion, g->P, g->u);
        assert_true(ss_inclusion_residual(&g->inclusion, g->P, g->u).value < 1e-11);
        assert_int_equal(ss_solver_create_prox(ctx, "sorprox", &options, &solver), SS_OK);
        assert_int_equal(ss_solver_solve(solver, &g->inclusion, g->P, g->u, &report), SS_OK);
        assert_int_equal(report.outcome, SS_CONVERGED);
        for (int i = 1; i < c.n_bodies; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(c.bodies[i].v[k] - g->u[6 * i + k]) < 1e-9);
        ss_solver_destroy(solver);
        free(g);
        ss_rows_release(&c);
    }
    ss_context_destroy(ctx);
}

/* ---- Blocks ---- */

enum { JOINTS = 20, ROWS = 2 * JOINTS };

/* Joints, and bounded torques between bodies: blocks of two rows and more, with W and M⁻¹W or as BODY rows. */
typedef struct joints {
    ss_block blocks[JOINTS];
    ss_factor factors[4 * JOINTS];
    int start[JOINTS + 1];
    double numbers[24 * ROWS], b[ROWS], P[ROWS], natural_r[JOINTS];
    ss_prox_block relaxed[JOINTS];
} joints;

static void fill_joint_row(random_state *random, int block, ss_body_row *row)
{
    for (int k = 0; k < 3; k++) {
        row->d[k] = block % 3 == 0 ? 0 : random_between(random, -1, 1);
        row->torque_a[k] = random_between(random, -0.1, 0.1);
        row->torque_b[k] = random_between(random, -0.1, 0.1);
    }
}

/* W and M⁻¹W of one body, three numbers a row for its translation and three for its rotation. */
static void add_body_factors(const ss_rows *c, joints *j, int block, bool second, double **to)
{
    enum { STRIDE = sizeof(ss_row_body) / sizeof(double) };
    int body = c->general.bodies[block][second], n = j->start[block + 1];
    double *W = *to;
    *to += 24;
    for (int k = 0; k < 2; k++) {
        const ss_body_row *row = &c->general.rows[2 * block + k];
        const double *J = c->inertia[body], *t = second ? row->torque_b : row->torque_a;
        double sign = second ? 1 : -1;
        for (int i = 0; i < 3; i++) {
            W[3 * k + i] = sign * row->d[i];
            W[6 + 3 * k + i] = sign * row->d[i] * c->free[body].m_inv;
            W[12 + 3 * k + i] = t[i];
        }
        W[18 + 3 * k] = J[0] * t[0] + J[4] * t[1] + J[5] * t[2];
        W[18 + 3 * k + 1] = J[4] * t[0] + J[1] * t[1] + J[6] * t[2];
        W[18 + 3 * k + 2] = J[5] * t[0] + J[6] * t[1] + J[2] * t[2];
    }
    j->factors[n] = (ss_factor){STRIDE * body, 3, W, W + 6};
    j->factors[n + 1] = (ss_factor){STRIDE * body + STRIDE / 2, 3, W + 12, W + 18};
    j->start[block + 1] += 2;
}

/* Contacts and joints; these as BODY rows, or the same with factors. */
static void fill_joints(ss_rows *c, joints *j, bool body_rows)
{
    random_state random = {77};
    double *numbers = j->numbers;
    assert_int_equal(ss_rows_reserve_general(c, JOINTS, ROWS, 0, 0), SS_OK);
    for (int i = 0; i < JOINTS; i++) {
        bool bounded = i % 3 == 0;
        j->blocks[i] = (ss_block){.set = bounded ? ss_set_disk(2) : ss_set_free(2),
                                  .offset = 2 * i,
                                  .dim = 2,
                                  .scale_from = -1,
                                  .scale = bounded ? 0.05 : 1};
        c->general.bodies[i][0] = i % 4 == 0 ? 0 : 1 + 2 * i;
        c->general.bodies[i][1] = 2 + 2 * i;
        for (int k = 0; k < 2; k++) {
            fill_joint_row(&random, i, &c->general.rows[2 * i + k]);
            j->b[2 * i + k] = random_between(&random, -0.1, 0.1);
        }
        j->start[i + 1] = j->start[i];
        for (int side = 0; side < 2 && !body_rows; side++)
            if (c->general.bodies[i][side] > 0)
                add_body_factors(c, j, i, side == 1, &numbers);
    }
    for (int i = 0; i < JOINTS && !body_rows; i++)
        c->general.bodies[i][0] = c->general.bodies[i][1] = 0;
    c->general.P = j->P;
    c->general.inclusion = (ss_inclusion){
        .n_blocks = JOINTS,
        .n_rows = ROWS,
        .blocks = j->blocks,
        .n_u = ss_rows_rest_offset(c),
        .factor_start = j->start,
        .factors = j->factors,
        .u_free = c->free[0].v,
        .b = j->b,
    };
}

static void joints_are_those_of_the_general_form(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    ss_prox_options options = ss_default_prox();
    ss_solve_report report[2];
    ss_rows c[2] = {0};
    joints *j = calloc(2, sizeof *j);
    assert_non_null(j);
    options.tolerance = 1e-11;
    options.max_iterations = 100000;
    for (int k = 0; k < 2; k++) {
        fill(&c[k], ctx, 60, BODIES, CONTACTS / 4);
        make_bodies(&c[k], 60);
        fill_joints(&c[k], &j[k], k == 1);
        assert_int_equal(ss_rows_arrange(&c[k], 1), SS_OK);
        ss_prox_solver solver = {
            .options = options, .natural_r = j[k].natural_r, .blocks = j[k].relaxed};
        assert_int_equal(ss_rows_solve(&solver, ctx, &c[k], &report[k]), SS_OK);
        assert_int_equal(report[k].outcome, SS_CONVERGED);
        for (int i = 0; i < JOINTS; i++)
            assert_true(fabs(j[k].natural_r[i] / j[0].natural_r[i] - 1) < 1e-12);
    }
    assert_in_range(report[1].iterations, 0.9 * report[0].iterations, 1.1 * report[0].iterations);
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(c[0].bodies[i].v[k] - c[1].bodies[i].v[k]) < 1e-8);
            assert_true(fabs(c[0].bodies[i].w[k] - c[1].bodies[i].w[k]) < 1e-7);
        }
    for (int i = 0; i < JOINTS; i++) /* what is held is held */
        for (int k = 0; k < 2 && i % 3; k++) {
            double gamma[2];
            ss_rows_block_velocity(&c[1].general, c[1].bodies, i, gamma);
            assert_true(fabs(gamma[k]) < 1e-8);
        }
    for (int k = 0; k < 2; k++)
        ss_rows_release(&c[k]);
    free(j);
    ss_context_destroy(ctx);
}

/* G is regular here, and friction small: the solution is unique. */
static void solution_is_that_of_the_general_form(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-12;
    for (uint64_t seed = 30; seed < 40; seed++) {
        ss_rows c = {0};
        ss_solve_report report;
        ss_solver *solver;
        fill(&c, ctx, seed, BODIES, 40);
        assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
        general *g = generalize(&c);
        assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report),
                         SS_OK);
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_int_equal(ss_solver_create_prox(ctx, "sorprox", &options, &solver), SS_OK);
        assert_int_equal(ss_solver_solve(solver, &g->inclusion, g->P, g->u, &report), SS_OK);
        assert_int_equal(report.outcome, SS_CONVERGED);
        for (int i = 0; i < c.n_bodies; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(c.bodies[i].v[k] - g->u[6 * i + k]) < 1e-9);
        ss_solver_destroy(solver);
        free(g);
        ss_rows_release(&c);
    }
    ss_context_destroy(ctx);
}

/* A long row of balls of equal mass at rest, of which some run into each other without restitution: these go on together with their mean
 * velocity. All others have nothing to do, and late sweeps leave them alone. */
static void a_slow_place_is_solved(void **state)
{
    (void)state;
    enum { BALLS = 4200, FIRST = 2000, MOVING = 30 };
    ss_context *ctx = context(1);
    ss_rows c = {0};
    ss_prox_options options = ss_default_prox();
    ss_solve_report report;
    fill(&c, ctx, 4, BALLS, BALLS - 2);
    for (int i = 1; i < BALLS; i++)
        c.centre[i][1] = 0.2 * i;
    ss_rows_divide(&c, c.n_contacts);
    assert_true(c.n_subdomains >= 8);
    for (int i = 1; i < BALLS; i++) {
        bool moves = i >= FIRST && i < FIRST + MOVING;
        c.free[c.number[i]] = (ss_row_body){
            .v = {0,
                  moves       ? 1 + (FIRST + MOVING - 1 - i)
                  : i < FIRST ? 0
                              : MOVING,
                  0},
            .m_inv = 1,
            .J_inv = 250,
        };
    }
    for (int i = 0; i < c.n_contacts; i++)
        c.contacts[i] = (ss_row_contact){
            .a = c.number[1 + i], .b = c.number[2 + i], .n = {0, 1, 0}, .r_a = 0.1, .r_b = 0.1};
    options.tolerance = 1e-10;
    options.max_iterations = 10000;
    assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
    assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report), SS_OK);
    assert_int_equal(report.outcome, SS_CONVERGED);
    assert_true(report.iterations > 20);
    for (int i = 1; i < BALLS; i++) {
        double v = i < FIRST ? 0 : i < FIRST + MOVING ? (MOVING + 1) / 2.0 : MOVING;
        assert_true(fabs(c.bodies[c.number[i]].v[1] - v) < 1e-6);
    }
    ss_rows_release(&c);
    ss_context_destroy(ctx);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    enum { MANY = 9000 };
    ss_row_body *first = NULL;
    for (int threads = 1; threads <= 6; threads++) {
        ss_context *ctx = context(threads);
        ss_rows c = {0};
        ss_solve_report report;
        ss_prox_options options = ss_default_prox();
        options.max_iterations = 40;
        fill(&c, ctx, 50, MANY / 2, MANY);
        assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
        assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report),
                         SS_OK);
        if (!first) {
            first = malloc((size_t)c.n_bodies * sizeof *first);
            memcpy(first, c.bodies, (size_t)c.n_bodies * sizeof *first);
        }
        assert_memory_equal(first, c.bodies, (size_t)c.n_bodies * sizeof *first);
        ss_rows_release(&c);
        ss_context_destroy(ctx);
    }
    free(first);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    ss_context *ctx = context(1);
    ss_rows c = {0};
    ss_solve_report report;
    ss_prox_options options = ss_default_prox();
    fill(&c, ctx, 60, BODIES, CONTACTS);
    c.free[c.contacts[1].b].v[1] = NAN;
    assert_int_equal(ss_rows_arrange(&c, 1), SS_OK);
    assert_int_equal(ss_rows_solve(&(ss_prox_solver){.options = options}, ctx, &c, &report),
                     SS_NON_FINITE);
    ss_rows_release(&c);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_and_groups_share_nothing),
        cmocka_unit_test(neighbours_take_turns),
        cmocka_unit_test(slices_keep_rows_together),
        cmocka_unit_test(a_crowded_body_is_solved),
        cmocka_unit_test(residual_and_velocities_are_those_of_the_general_form),
        cmocka_unit_test(body_rows_are_those_of_the_general_form),
        cmocka_unit_test(joints_are_those_of_the_general_form),
        cmocka_unit_test(solution_is_that_of_the_general_form),
        cmocka_unit_test(a_slow_place_is_solved),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
