/* Every inconsistency has its message; every error path of the memory is walked. */
#include "base/context.h"
#include "support/allocator.h"
#include "support/build.h"
#include "support/test.h"

typedef struct fixture {
    ss_context *context;
    build *p;        /* a contact with friction between two systems */
    ss_inclusion *A; /* the same, assembled */
    ss_entry entries[4];
} fixture;

static build *contact(void)
{
    static const double Minv[] = {.5, 0, 0, .5};
    build *p = build_create();
    int a = build_add_system(p, 2, Minv), b = build_add_system(p, 2, Minv);
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, a, (double[]){0, 1});
    build_add_factor(p, b, (double[]){0, -1});
    build_add_block(p, ss_set_disk(2), .3, 0);
    build_add_factor(p, a, (double[]){1, 0, 0, 1});
    build_add_factor(p, b, (double[]){-1, 0, 0, -1});
    return p;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f || ss_context_create_bare(NULL, &f->context) != SS_OK)
        return -1;
    f->p = contact();
    if (ss_inclusion_assemble(f->context, &f->p->inclusion, &f->A) != SS_OK)
        return -1;
    memcpy(f->entries, f->A->entries, sizeof f->entries);
    f->A->entries = f->entries;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ss_inclusion_destroy(f->A);
    ss_context_destroy(f->context);
    free(f->p);
    free(f);
    return 0;
}

static void expect(ss_context *context, const ss_inclusion *inclusion, ss_status status,
                   const char *part)
{
    assert_int_equal(ss_inclusion_check(context, inclusion), status);
    if (!strstr(ss_context_message(context), part))
        fail_msg("'%s' lacks '%s'", ss_context_message(context), part);
}

static void a_good_one_passes(void **state)
{
    fixture *f = *state;
    assert_int_equal(ss_inclusion_check(f->context, &f->p->inclusion), SS_OK);
    assert_int_equal(ss_inclusion_check(f->context, f->A), SS_OK);
}

static void bad_blocks(void **state)
{
    fixture *f = *state;
    ss_inclusion *I = &f->p->inclusion;
    ss_block *B = f->p->blocks, good = B[1];
#define BAD(field, value, part)            \
    B[1].field = value;                    \
    expect(f->context, I, SS_INPUT, part); \
    B[1] = good
    BAD(set, NULL, "block 1 has no set");
    BAD(dim, 0, "block 1 has 0 rows");
    BAD(dim, 1, "its set 'disk' has dimension 2");
    BAD(offset, 2, "it should be row 1");
    BAD(scale, -1, "block 1 has the scale -1");
    BAD(scale, NAN, "the scale");
    BAD(r, -2, "block 1 has r = -2");
    BAD(r, INFINITY, "block 1 has r = inf");
    BAD(scale_from, 2, "scaled by block 2");
    BAD(scale_from, 1, "scaled by block 1");
    BAD(scale_from, -2, "scaled by block -2");
#undef BAD
    B[0].scale_from = 1;
    expect(f->context, I, SS_INPUT, "block 0 is scaled by block 1, which has 2 rows");
    B[0].scale_from = -1;
    I->n_rows = 4;
    expect(f->context, I, SS_INPUT, "3 rows together, not 4");
    I->n_rows = 3;
    I->n_blocks = -1;
    expect(f->context, I, SS_INPUT, "-1 blocks");
}

static void bad_factors(void **state)
{
    fixture *f = *state;
    ss_inclusion *I = &f->p->inclusion;
    ss_factor *F = f->p->factors, good = F[3];
#define BAD(field, value, part)            \
    F[3].field = value;                    \
    expect(f->context, I, SS_INPUT, part); \
    F[3] = good
    BAD(u_offset, -1, "velocities -1 to 0, but there are 4");
    BAD(u_offset, 3, "velocities 3 to 4");
    BAD(nu, -1, "block 1 acts on");
    BAD(nu, 1, "overlap those of another system in part");
    BAD(u_offset, 1, "overlap");
    BAD(W, NULL, "no W or no M");
    BAD(MinvW, NULL, "no W or no M");
#undef BAD
    F[1].nu = 1; /* the longer one comes later */
    expect(f->context, I, SS_INPUT, "overlap");
    F[1].nu = 2;
    I->b = NULL;
    expect(f->context, I, SS_INPUT, "needs factors, u_free and b");
    I->b = f->p->b;
    I->n_u = -1;
    expect(f->context, I, SS_INPUT, "-1 velocities");
    I->n_u = 4;
    f->p->factor_start[1] = 5;
    expect(f->context, I, SS_INPUT, "before they begin");
    f->p->factor_start[1] = 2;
    f->p->factor_start[0] = -1;
    expect(f->context, I, SS_INPUT, "starts at the item -1");
}

static ss_status no_refresh(void *user, const double *u, double *u_free, double *b)
{
    (void)user, (void)u, (void)u_free, (void)b;
    return SS_OK;
}

static void bad_entries(void **state)
{
    fixture *f = *state;
    f->entries[1].column = 0;
    expect(f->context, f->A, SS_INPUT, "the column 0 after 0");
    f->entries[1].column = 2;
    expect(f->context, f->A, SS_INPUT, "below 2");
    f->entries[1].column = 1;
    f->entries[2].value = NULL;
    expect(f->context, f->A, SS_INPUT, "each with its value");
    int start[] = {0, 2, 3}; /* row 1 has column 0 only */
    f->A->entry_start = start;
    f->entries[2].value = f->entries[1].value;
    expect(f->context, f->A, SS_INPUT, "row of block 1 lacks its diagonal");
    f->A->refresh = no_refresh;
    expect(f->context, f->A, SS_INPUT, "refresh belongs to the factored form");
    f->A->refresh = NULL;
    f->A->c = NULL;
    expect(f->context, f->A, SS_INPUT, "neither factor_start");
}

static void numbers_that_are_not_finite(void **state)
{
    fixture *f = *state;
    build *p = f->p;
#define BAD(place, part)                                        \
    do {                                                        \
        double good = (place);                                  \
        (place) = NAN;                                          \
        expect(f->context, &p->inclusion, SS_NON_FINITE, part); \
        (place) = INFINITY;                                     \
        expect(f->context, &p->inclusion, SS_NON_FINITE, part); \
        (place) = good;                                         \
    } while (0)
    BAD(p->u_free[2], "free velocity 2");
    BAD(p->b[2], "b of block 1");
    BAD(p->W[3][3], " W of block 1");
    BAD(p->MinvW[1][1], "M⁻¹W of block 0");
#undef BAD
    double bad[] = {1, NAN, 0, 0};
    f->entries[3].value = bad;
    expect(f->context, f->A, SS_NON_FINITE, "G of block 1");
    bad[1] = 0;
    double c[] = {0, 0, INFINITY};
    f->A->c = c;
    expect(f->context, f->A, SS_NON_FINITE, "c of block 1");
}

static void from_dense_checks_what_it_copies(void **state)
{
    fixture *f = *state;
    double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {0, NAN, 0};
    ss_inclusion *A;
    ss_block blocks[2] = {f->p->blocks[0], f->p->blocks[1]};
    assert_int_equal(ss_inclusion_from_dense(f->context, 2, blocks, G, c, &A), SS_NON_FINITE);
    assert_null(A);
    blocks[1].offset = 7;
    assert_int_equal(ss_inclusion_from_dense(f->context, 2, blocks, G, c, &A), SS_INPUT);
    assert_int_equal(ss_inclusion_from_dense(f->context, -1, blocks, G, c, &A), SS_INPUT);
}

/* Check, assemble, assemble again, from dense; everything is released whatever fails. */
static ss_status everything(ss_context *context, const build *p)
{
    double G[9], c[3];
    ss_inclusion *A = NULL, *copy = NULL, *D = NULL;
    build_dense(p, G, c);
    ss_status status = ss_inclusion_check(context, &p->inclusion);
    if (status == SS_OK)
        status = ss_inclusion_assemble(context, &p->inclusion, &A);
    if (status == SS_OK)
        status = ss_inclusion_assemble(context, A, &copy);
    if (status == SS_OK)
        status = ss_inclusion_from_dense(context, 2, p->blocks, G, c, &D);
    ss_inclusion_destroy(A);
    ss_inclusion_destroy(copy);
    ss_inclusion_destroy(D);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    for (long allowed = 1;; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        ss_context *context;
        assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
        ss_status status = everything(context, f->p);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (status == SS_OK) {
            assert_true(allowed > 6);
            return;
        }
        assert_int_equal(status, SS_MEMORY);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_good_one_passes),
        TEST(bad_blocks),
        TEST(bad_factors),
        TEST(bad_entries),
        TEST(numbers_that_are_not_finite),
        TEST(from_dense_checks_what_it_copies),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
