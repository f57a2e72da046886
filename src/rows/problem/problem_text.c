/* problem_text.c: problems and solutions as plain text. */
#include "rows/problem/problem.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static ss_status read_end(reader *r)
{
    skip_space(r);
    return *r->at ? fail_here(r, "the end of the file") : SS_OK;
}

static ss_status read_matrix(reader *r, int nnz, ss_triplets *W)
{
    for (int k = 0; k < nnz; k++) {
        SS_TRY(read_int(r, "a row of W", &W->row[k]));
        SS_TRY(read_int(r, "a column of W", &W->column[k]));
        SS_TRY(read_real(r, "an element of W", &W->value[k]));
    }
    W->count = (size_t)nnz;
    return SS_OK;
}

static ss_status read_problem(ss_problem *p, reader *r, ss_arena *scratch)
{
    int nnz;
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
    SS_TRY(read_matrix(r, nnz, &W));
    SS_TRY(read_reals(r, "a value of q", n, q));
    SS_TRY(read_reals(r, "a friction coefficient", p->n_contacts, mu));
    SS_TRY(read_end(r));
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

ss_status ss_problem_read_text(ss_problem *problem, const char *text)
{
    reader r = {problem->context, problem->path, text, text};
    locale_t plain, before = plain_begin(&plain);
    ss_arena scratch;
    ss_arena_init(&scratch, problem->context);
    ss_status status = read_problem(problem, &r, &scratch);
    ss_arena_release(&scratch);
    plain_end(plain, before);
    return status;
}

static ss_status fail_file(ss_context *context, const char *path, const char *what)
{
    return ss_fail(context, SS_IO, "solution '%s': cannot be %s: %s", path, what, strerror(errno));
}

ss_status ss_solution_write(ss_context *context, const char *path, int n_rows, const double *P)
{
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
    FILE *file = fopen(path, "r");
    if (!file)
        return fail_file(context, path, "opened");
    locale_t plain, before = plain_begin(&plain);
    ss_status status = scan_solution(context, path, file, n_rows, P);
    plain_end(plain, before);
    fclose(file);
    return status;
}
