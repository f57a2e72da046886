/* problem.c: a problem, its parts, which kind of file it is in; and problems and solutions as plain text. */
#include "rows/problem/problem.h"

#include "base/context.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hdf5_signature[] = "\211HDF\r\n\032\n";

static ss_status create(ss_context *context, const char *path, ss_problem **problem)
{
    ss_problem *made;
    *problem = NULL;
    SS_TRY(SS_NEW(context, 1, &made));
    made->context = context;
    made->title = "";
    ss_arena_init(&made->arena, context);
    ss_status status = ss_arena_copy_string(&made->arena, path, &made->path);
    if (status != SS_OK) {
        ss_problem_destroy(made);
        return status;
    }
    *problem = made;
    return SS_OK;
}

void ss_problem_destroy(ss_problem *problem)
{
    if (!problem)
        return;
    ss_gathered_release(&problem->gathered);
    ss_arena_release(&problem->arena);
    ss_release(problem->context, problem);
}

/* ---- Text ---- */

/* Numbers one after the other. */
typedef struct reader {
    ss_context *context;
    const char *path;
    const char *text, *at;
} reader;

/* Line and column are counted only when something is wrong. */
static ss_status fail_here(const reader *r, const char *what)
{
    ss_location where = {r->path, 1, 1};
    for (const char *c = r->text; c < r->at; c++) {
        where.column = *c == '\n' ? 1 : where.column + 1;
        where.line += *c == '\n';
    }
    return ss_fail_at(r->context, SS_INPUT, where, "%s is missing, or not a number", what);
}

static void skip_space(reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static ss_status read_real(reader *r, const char *what, double *value)
{
    char *end;
    skip_space(r);
    *value = strtod(r->at, &end);
    if (end == r->at)
        return fail_here(r, what);
    r->at = end;
    return SS_OK;
}

static ss_status read_int(reader *r, const char *what, int *value)
{
    char *end;
    skip_space(r);
    long number = strtol(r->at, &end, 10);
    if (end == r->at || number < INT_MIN || number > INT_MAX)
        return fail_here(r, what);
    r->at = end;
    *value = (int)number;
    return SS_OK;
}

static ss_status read_reals(reader *r, const char *what, int n, double *values)
{
    for (int k = 0; k < n; k++)
        SS_TRY(read_real(r, what, &values[k]));
    return SS_OK;
}

static ss_status read_problem(ss_problem *p, reader *r, ss_arena *scratch)
{
    int nnz = 0;
    ss_triplets W;
    double *q, *mu;
    SS_TRY(read_int(r, "the number of rows a contact", &p->dimension));
    SS_TRY(read_int(r, "the number of contacts", &p->n_contacts));
    SS_TRY(read_int(r, "the number of elements of W", &nnz));
    SS_TRY(ss_problem_check_size(p));
    /* An element takes six characters at least: a wrong count must not ask for all memory. */
    if (nnz < 0 || (size_t)nnz > strlen(r->at) / 6)
        return fail_here(r, "a number of elements of W that the file can hold");
    int n = ss_problem_rows(p);
    SS_TRY(ss_triplets_create(scratch, n, n, (size_t)nnz, &W));
    SS_TRY(SS_ARENA_NEW(scratch, n, &q));
    SS_TRY(SS_ARENA_NEW(scratch, p->n_contacts, &mu));
    W.count = (size_t)nnz;
    for (int k = 0; k < nnz; k++) {
        SS_TRY(read_int(r, "a row of W", &W.row[k]));
        SS_TRY(read_int(r, "a column of W", &W.column[k]));
        SS_TRY(read_real(r, "an element of W", &W.value[k]));
    }
    SS_TRY(read_reals(r, "a value of q", n, q));
    SS_TRY(read_reals(r, "a friction coefficient", p->n_contacts, mu));
    skip_space(r);
    if (*r->at)
        return fail_here(r, "the end of the file");
    return ss_problem_build(p, &W, q, mu);
}

/* The decimal point is a point, whatever the locale of the program. */
static locale_t plain_begin(locale_t *plain)
{
    *plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return *plain ? uselocale(*plain) : (locale_t)0;
}

static void plain_end(locale_t plain, locale_t before)
{
    if (!plain)
        return;
    uselocale(before);
    freelocale(plain);
}

static ss_status read_text(ss_problem *problem, const char *text, ss_arena *scratch)
{
    reader r = {problem->context, problem->path, text, text};
    locale_t plain, before = plain_begin(&plain);
    ss_status status = read_problem(problem, &r, scratch);
    plain_end(plain, before);
    return status;
}

/* ---- Files ---- */

/* Bytes; all of a file is in memory. */
enum { LARGEST_FILE = 1 << 30 };

/* Nothing is left of a problem that failed. */
static ss_status deliver(ss_status status, ss_problem **problem)
{
    if (status != SS_OK) {
        ss_problem_destroy(*problem);
        *problem = NULL;
    }
    return status;
}

ss_status ss_problem_read(ss_context *context, const char *path, ss_problem **problem)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, problem);
    SS_TRY(create(context, path, problem));
    char *text;
    size_t size, head = sizeof hdf5_signature - 1;
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = ss_file_read(context, path, LARGEST_FILE, &text, &size);
    if (status == SS_IO)
        ss_fail(context, SS_IO, "problem '%s': cannot be read: %s", path, ss_file_reason());
    if (status == SS_OK && size > LARGEST_FILE)
        status = ss_fail(context, SS_INPUT, "problem '%s' is larger than %d MB", path,
                         LARGEST_FILE >> 20);
    if (status == SS_OK)
        status = size >= head && memcmp(text, hdf5_signature, head) == 0
                     ? ss_problem_read_fclib(*problem)
                     : read_text(*problem, text, &scratch);
    ss_release(context, text);
    ss_arena_release(&scratch);
    return deliver(status, problem);
}

static ss_status build_dense(ss_problem *p, const double *W, const double *q, const double *mu,
                             ss_arena *scratch)
{
    SS_TRY(ss_problem_check_size(p));
    int n = ss_problem_rows(p);
    ss_triplets T;
    SS_TRY(ss_triplets_create(scratch, n, n, (size_t)n * (size_t)n, &T));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double value = W[(size_t)i * (size_t)n + (size_t)j];
            if (value == 0.0)
                continue;
            T.row[T.count] = i;
            T.column[T.count] = j;
            T.value[T.count++] = value;
        }
    return ss_problem_build(p, &T, q, mu);
}

ss_status ss_problem_from_dense(ss_context *context, int dimension, int n_contacts, const double *W,
                                const double *q, const double *mu, ss_problem **problem)
{
    SS_TRY(create(context, "in memory", problem));
    (*problem)->dimension = dimension;
    (*problem)->n_contacts = n_contacts;
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = build_dense(*problem, W, q, mu, &scratch);
    ss_arena_release(&scratch);
    return deliver(status, problem);
}

const ss_inclusion *ss_problem_inclusion(const ss_problem *problem)
{
    return &problem->inclusion;
}

int ss_problem_dimension(const ss_problem *problem)
{
    return problem->dimension;
}

int ss_problem_contacts(const ss_problem *problem)
{
    return problem->n_contacts;
}

const char *ss_problem_title(const ss_problem *problem)
{
    return problem->title;
}

/* ---- Solutions ---- */

static ss_status fail_file(ss_context *context, const char *path, const char *what)
{
    return ss_fail(context, SS_IO, "solution '%s': cannot be %s: %s", path, what, strerror(errno));
}

ss_status ss_solution_write(ss_context *context, const char *path, int n_rows, const double *P)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, P);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail_file(context, path, "written");
    locale_t plain, before = plain_begin(&plain);
    bool good = true;
    for (int k = 0; k < n_rows && good; k++)
        good = fprintf(file, "%.17g\n", P[k]) > 0;
    plain_end(plain, before);
    good = fclose(file) == 0 && good;
    return good ? SS_OK : fail_file(context, path, "written");
}

static ss_status scan_solution(ss_context *context, const char *path, FILE *file, int n_rows,
                               double *P)
{
    double more;
    for (int k = 0; k < n_rows; k++)
        if (fscanf(file, "%lf", &P[k]) != 1)
            return ss_fail(context, SS_INPUT,
                           "solution '%s': number %d is missing, or not a number; there should be "
                           "%d",
                           path, k + 1, n_rows);
    if (fscanf(file, "%lf", &more) == 1)
        return ss_fail(context, SS_INPUT, "solution '%s': more than %d numbers", path, n_rows);
    return SS_OK;
}

ss_status ss_solution_read(ss_context *context, const char *path, int n_rows, double *P)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, P);
    FILE *file = fopen(path, "r");
    if (!file)
        return fail_file(context, path, "opened");
    locale_t plain, before = plain_begin(&plain);
    ss_status status = scan_solution(context, path, file, n_rows, P);
    plain_end(plain, before);
    fclose(file);
    return status;
}
