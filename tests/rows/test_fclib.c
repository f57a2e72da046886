/* FCLib files: written and read here, and by libfclib, which knows nothing of us. */
#include "base/context.h"
#include "support/random.h"
#include "support/test.h"

#include <stickslip/problem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fclib.h>
#include <hdf5.h>

static const char path[] = SS_BINARY_DIR "/test_fclib.hdf5";

enum { NC = 3, N = 3 * NC, NV = 7 };

static int setup(void **state)
{
    remove(path);
    return ss_context_create_bare(NULL, (ss_context **)state) == SS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

static void random_numbers(random_state *random, int n, double *x)
{
    for (int k = 0; k < n; k++)
        x[k] = random_between(random, -1, 1);
}

/* u = W P + q of a problem at P, by its inclusion. */
static void velocities(const ss_problem *p, const double *P, double *u)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    for (int i = 0; i < A->n_blocks; i++)
        ss_inclusion_velocity(A, P, NULL, i, u + A->blocks[i].offset);
}

static void expect_velocities(const ss_problem *p, int n, const double *W, const double *q)
{
    double P[16], u[16];
    random_state random = {99};
    assert_int_equal(ss_problem_inclusion(p)->n_rows, n);
    random_numbers(&random, n, P);
    velocities(p, P, u);
    for (int i = 0; i < n; i++) {
        double sum = q[i];
        for (int j = 0; j < n; j++)
            sum += W[i * n + j] * P[j];
        assert_true(fabs(sum - u[i]) < 1e-12);
    }
}

/* A dense matrix in one of FCLib's three storages. */
static struct fclib_matrix *store(int m, int n, const double *A, int nz)
{
    struct fclib_matrix *S = calloc(1, sizeof *S);
    int count = m * n, outer = nz == -1 ? n : m, inner = nz == -1 ? m : n;
    S->m = m;
    S->n = n;
    S->nzmax = count;
    S->nz = nz >= 0 ? count : nz;
    S->p = calloc((size_t)(count + outer + 1), sizeof(int));
    S->i = calloc((size_t)count, sizeof(int));
    S->x = calloc((size_t)count, sizeof(double));
    for (int a = 0; a < outer; a++)
        for (int b = 0; b < inner; b++) {
            int at = a * inner + b, row = nz == -1 ? b : a, column = nz == -1 ? a : b;
            S->x[at] = A[row * n + column];
            S->i[at] = nz >= 0 ? row : b;
            if (nz >= 0)
                S->p[at] = column;
            else
                S->p[a + 1] = (a + 1) * inner;
        }
    return S;
}

static void unstore(struct fclib_matrix *S)
{
    free(S->p);
    free(S->i);
    free(S->x);
    free(S);
}

static void reads_what_libfclib_writes(void **state)
{
    random_state random = {1};
    for (int nz = -2; nz <= 0; nz++) {
        double W[N * N], q[N], mu[NC] = {.1, .2, .3};
        random_numbers(&random, N * N, W);
        random_numbers(&random, N, q);
        struct fclib_local local = {.W = store(N, N, W, nz), .q = q, .mu = mu, .spacedim = 3};
        remove(path);
        assert_int_equal(fclib_write_local(&local, path), 1);
        ss_problem *p;
        if (ss_problem_read(*state, path, &p) != SS_OK)
            fail_msg("%s", ss_context_message(*state));
        assert_int_equal(ss_problem_contacts(p), NC);
        expect_velocities(p, N, W, q);
        assert_true(ss_problem_inclusion(p)->blocks[3].scale == .2);
        ss_problem_destroy(p);
        unstore(local.W);
    }
}

/* M = B Bᵀ + 1, W = Hᵀ M⁻¹ H by Gauss's elimination here. */
static void solve_dense(int n, const double *A, int columns, double *X)
{
    double T[NV * NV];
    memcpy(T, A, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            double f = T[i * n + k] / T[k * n + k];
            for (int j = k; j < n; j++)
                T[i * n + j] -= f * T[k * n + j];
            for (int c = 0; c < columns; c++)
                X[i * columns + c] -= f * X[k * columns + c];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int c = 0; c < columns; c++) {
            for (int j = i + 1; j < n; j++)
                X[i * columns + c] -= T[i * n + j] * X[j * columns + c];
            X[i * columns + c] /= T[i * n + i];
        }
}

static void condenses_global_problems(void **state)
{
    random_state random = {2};
    double B[NV * NV], M[NV * NV], H[NV * N], X[NV * N], f[NV], v[NV], w[N], W[N * N], q[N],
        mu[NC] = {.1, .2, .3};
    random_numbers(&random, NV * NV, B);
    random_numbers(&random, NV * N, H);
    random_numbers(&random, NV, f);
    random_numbers(&random, N, w);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++) {
            M[i * NV + j] = i == j;
            for (int k = 0; k < NV; k++)
                M[i * NV + j] += B[i * NV + k] * B[j * NV + k];
        }
    memcpy(X, H, sizeof X);
    memcpy(v, f, sizeof v);
    solve_dense(NV, M, N, X);
    solve_dense(NV, M, 1, v);
    for (int i = 0; i < N; i++) {
        q[i] = w[i];
        for (int k = 0; k < NV; k++)
            q[i] += H[k * N + i] * v[k];
        for (int j = 0; j < N; j++) {
            W[i * N + j] = 0;
            for (int k = 0; k < NV; k++)
                W[i * N + j] += H[k * N + i] * X[k * N + j];
        }
    }
    for (int nz = -1; nz <= 0; nz++) {
        struct fclib_global global = {.M = store(NV, NV, M, nz),
                                      .H = store(NV, N, H, nz),
                                      .f = f,
                                      .w = w,
                                      .mu = mu,
                                      .spacedim = 3};
        remove(path);
        assert_int_equal(fclib_write_global(&global, path), 1);
        ss_problem *p;
        if (ss_problem_read(*state, path, &p) != SS_OK)
            fail_msg("%s", ss_context_message(*state));
        expect_velocities(p, N, W, q);
        ss_problem_destroy(p);
        unstore(global.M);
        unstore(global.H);
    }
}

static void refuses_a_singular_mass(void **state)
{
    double M[NV * NV] = {0}, H[NV * N] = {0}, f[NV] = {0}, w[N] = {0}, mu[NC] = {0};
    struct fclib_global global = {
        .M = store(NV, NV, M, 0), .H = store(NV, N, H, 0), .f = f, .w = w, .mu = mu, .spacedim = 3};
    assert_int_equal(fclib_write_global(&global, path), 1);
    ss_problem *p;
    assert_int_equal(ss_problem_read(*state, path, &p), SS_SINGULAR);
    assert_non_null(strstr(ss_context_message(*state), "mass matrix"));
    unstore(global.M);
    unstore(global.H);
}

/* Contacts in another order than FCLib's, and a bilateral row between them. */
static void libfclib_reads_what_we_write(void **state)
{
    random_state random = {4};
    enum { ROWS = 7 };
    double G[ROWS * ROWS], c[ROWS], P[ROWS];
    ss_block blocks[] = {
        {ss_set_disk(2), 0, 2, 1, .25, 0}, {ss_set_half_line(), 2, 1, -1, 1, 0},
        {ss_set_free(1), 3, 1, -1, 1, 0},  {ss_set_half_line(), 4, 1, -1, 1, 0},
        {ss_set_disk(2), 5, 2, 3, .5, 0},
    };
    /* row of the inclusion → row of the file: contacts normal first, then the bilateral row */
    static const int to[ROWS] = {1, 2, 0, 6, 3, 4, 5};
    random_numbers(&random, ROWS * ROWS, G);
    random_numbers(&random, ROWS, c);
    random_numbers(&random, ROWS, P);
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_from_dense(*state, 5, blocks, G, c, &A), SS_OK);
    if (ss_inclusion_write_fclib(*state, A, P, "a title", path) != SS_OK)
        fail_msg("%s", ss_context_message(*state));
    struct fclib_local *local = fclib_read_local(path);
    struct fclib_solution *solution = fclib_read_solution(path);
    assert_int_equal(local->spacedim, 3);
    assert_int_equal(local->W->m, 6);
    assert_string_equal(local->info->title, "a title");
    assert_true(local->mu[0] == .25 && local->mu[1] == .5);
    for (int i = 0; i < ROWS; i++) {
        if (to[i] < 6) {
            assert_true(local->q[to[i]] == c[i]);
            assert_true(solution->r[to[i]] == P[i]);
        } else {
            assert_true(local->s[0] == c[i]);
        }
    }
    /* libfclib keeps columns as they are */
    assert_int_equal(local->W->nz, -1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            if (to[i] < 6 && to[j] < 6) {
                double found = 0;
                for (int e = local->W->p[to[j]]; e < local->W->p[to[j] + 1]; e++)
                    if (local->W->i[e] == to[i])
                        found = local->W->x[e];
                assert_true(found == G[i * ROWS + j]);
            }
    fclib_delete_local(local);
    free(local);
    fclib_delete_solutions(solution, 1);
    ss_problem *p;
    assert_int_equal(ss_problem_read(*state, path, &p), SS_OK);
    assert_string_equal(ss_problem_title(p), "a title");
    assert_int_equal(ss_problem_inclusion(p)->n_rows, ROWS);
    ss_problem_destroy(p);
    ss_inclusion_destroy(A);
}

static void refuses_what_fclib_cannot_hold(void **state)
{
    double G[4] = {1, 0, 0, 1}, c[2] = {0};
    ss_block block = {ss_set_disk(2), 0, 2, -1, 1, 0};
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_from_dense(*state, 1, &block, G, c, &A), SS_OK);
    assert_int_equal(ss_inclusion_write_fclib(*state, A, NULL, "", path), SS_UNSUPPORTED);
    ss_inclusion_destroy(A);
}

/* A file that ends early, and one without the groups, are refused with a message: nothing exits. */
static void refuses_damaged_files(void **state)
{
    double W[N * N] = {0}, q[N] = {0}, mu[NC] = {0};
    struct fclib_local local = {.W = store(N, N, W, -2), .q = q, .mu = mu, .spacedim = 3};
    ss_problem *p;
    assert_int_equal(fclib_write_local(&local, path), 1);
    unstore(local.W);
    assert_int_equal(truncate(path, 3000), 0);
    assert_int_not_equal(ss_problem_read(*state, path, &p), SS_OK);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_not_equal(ss_problem_read(*state, path, &p), SS_OK);
    assert_non_null(strstr(ss_context_message(*state), "fclib_global is missing"));
}

/* Contacts with a bilateral row and everything that a file may tell, by rows, columns or triplets. */
static void write_full(int nz)
{
    double W[N * N] = {0}, V[N] = {0}, R = 1, q[N] = {0}, s = 0, mu[NC] = {0};
    struct fclib_matrix_info known = {"a comment", 1, 1, N};
    struct fclib_info info = {"a title", "a description", "nothing"};
    struct fclib_local local = {
        store(N, N, W, nz), store(N, 1, V, nz), store(1, 1, &R, nz), mu, q, &s, 3, &info};
    local.W->info = &known;
    remove(path);
    assert_int_equal(fclib_write_local(&local, path), 1);
    unstore(local.W);
    unstore(local.V);
    unstore(local.R);
}

static const char *const datasets[] = {
    "spacedim",
    "W/m",
    "W/n",
    "W/nz",
    "W/nzmax",
    "W/p",
    "W/i",
    "W/x",
    "W/comment",
    "W/conditioning",
    "W/determinant",
    "W/rank",
    "V/m",
    "V/n",
    "V/nz",
    "V/nzmax",
    "V/p",
    "V/i",
    "V/x",
    "R/m",
    "R/n",
    "R/nz",
    "R/nzmax",
    "R/p",
    "R/i",
    "R/x",
    "vectors/q",
    "vectors/s",
    "vectors/mu",
    "info/title",
    "info/description",
    "info/math_info",
    "W",
    "V",
    "R",
    "vectors",
    "info",
};
enum { N_DATASETS = sizeof datasets / sizeof *datasets, N_DAMAGES = 7 };

static void put_numbers(hid_t at, const char *name, int value, hsize_t count)
{
    int numbers[128];
    for (int k = 0; k < 128; k++)
        numbers[k] = value;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t data = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(data >= 0);
    assert_true(H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(data);
    H5Sclose(space);
}

static void put_text(hid_t at, const char *name)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const char *text = "not a number";
    hid_t data = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

/* Something else in the place of a dataset or group. */
static void damage(const char *name, int how)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t at = H5Gopen2(file, "fclib_local", H5P_DEFAULT);
    assert_true(H5Ldelete(at, name, H5P_DEFAULT) >= 0);
    if (how == 1)
        put_text(at, name);
    else if (how == 2)
        H5Gclose(H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else if (how == 3)
        H5Lcreate_soft("/nowhere", at, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (how == 4)
        put_numbers(at, name, 1, 128);
    else if (how == 5)
        put_numbers(at, name, 0, 1);
    else if (how == 6)
        put_numbers(at, name, -1000000, 1);
    H5Gclose(at);
    H5Fclose(file);
}

/* What is never read, what may be missing is, or a number stands where any number may. */
static bool is_harmless(const char *name, int how)
{
    static const char *const unread[] = {"W/comment", "W/conditioning",   "W/determinant",
                                         "W/rank",    "info/description", "info/math_info"};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (strcmp(name, unread[i]) == 0)
            return true;
    if (strstr(name, "info") && (how == 1 || how >= 4))
        return true;
    bool known = strcmp(name, "W/conditioning") == 0 || strcmp(name, "W/determinant") == 0 ||
                 strcmp(name, "W/rank") == 0 || strcmp(name, "R/x") == 0 ||
                 strcmp(name, "vectors/s") == 0;
    bool optional = strstr(name, "info") || strcmp(name, "V") == 0 ||
                    strcmp(name, "W/comment") == 0 || strcmp(name, "W/conditioning") == 0;
    return how == 0   ? optional
           : how == 2 ? strcmp(name, "info") == 0
                      : how == 5 || (how == 6 && known);
}

/* 0: every damage was refused with the place, or is harmless. */
static int read_damaged(ss_context *context)
{
    for (int nz = -2; nz <= 0; nz++)
        for (int k = 0; k < N_DATASETS; k++)
            for (int how = 0; how < N_DAMAGES; how++) {
                ss_problem *p = NULL;
                write_full(nz);
                damage(datasets[k], how);
                bool accepted = ss_problem_read(context, path, &p) == SS_OK;
                bool told = accepted || strstr(ss_context_message(context), path);
                ss_problem_destroy(p);
                if (told && (!accepted || is_harmless(datasets[k], how)))
                    continue;
                fprintf(stderr, "%s, damage %d, storage %d: %s\n", datasets[k], how, nz,
                        accepted ? "accepted" : "not told where");
                return 1;
            }
    return 0;
}

/* In a process of its own, which must not exit otherwise: HDF5 cannot tidy up after some of these
 * files. */
static void expect_zero_of_child(pid_t child)
{
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Whatever is missing or wrong, nothing exits. */
static void survives_every_missing_part(void **state)
{
    pid_t child = fork();
    if (child == 0)
        _exit(read_damaged(*state));
    expect_zero_of_child(child);
}

/* Reads a file with one other byte, again and again; 0: each gave a problem or a message. */
static int read_changed(ss_context *context, size_t size, unsigned char *bytes)
{
    random_state random = {5};
    for (int k = 0; k < 1000; k++) {
        size_t at = (size_t)random_between(&random, 8, (double)size);
        unsigned char kept = bytes[at];
        bytes[at] = (unsigned char)random_between(&random, 0, 256);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
            return 2;
        ss_problem *p = NULL;
        if (ss_problem_read(context, path, &p) != SS_OK && !*ss_context_message(context))
            return 3;
        ss_problem_destroy(p);
        bytes[at] = kept;
    }
    return 0;
}

/* Any byte may be another one. */
static void survives_changed_bytes(void **state)
{
    static unsigned char bytes[65536];
    write_full(-1);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    pid_t child = fork();
    if (child == 0)
        _exit(read_changed(*state, size, bytes));
    expect_zero_of_child(child);
}

/* A folder, and a place that is none. */
static void refuses_to_write_where_it_cannot(void **state)
{
    double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {0};
    ss_block blocks[] = {{ss_set_half_line(), 0, 1, -1, 1, 0}, {ss_set_disk(2), 1, 2, 0, .5, 0}};
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_from_dense(*state, 2, blocks, G, c, &A), SS_OK);
    assert_int_equal(ss_inclusion_write_fclib(*state, A, NULL, "", SS_BINARY_DIR), SS_IO);
    assert_int_equal(ss_inclusion_write_fclib(*state, A, NULL, "", "/nowhere/a.hdf5"), SS_IO);
    ss_inclusion_destroy(A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_libfclib_writes, setup, teardown),
        cmocka_unit_test_setup_teardown(condenses_global_problems, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_a_singular_mass, setup, teardown),
        cmocka_unit_test_setup_teardown(libfclib_reads_what_we_write, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_fclib_cannot_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_damaged_files, setup, teardown),
        cmocka_unit_test_setup_teardown(survives_every_missing_part, setup, teardown),
        cmocka_unit_test_setup_teardown(survives_changed_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_to_write_where_it_cannot, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
