/* problem.c: a problem, its parts, and which kind of file it is in. */
#include "rows/problem/problem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char hdf5_signature[] = "\211HDF\r\n\032\n";

static ss_status create(ss_context *context, const char *path, ss_problem **problem)
{
    void *memory;
    *problem = NULL;
    SS_TRY(ss_allocate(context, 1, sizeof **problem, &memory));
    ss_problem *made = memory;
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

static ss_status file_size(FILE *file, size_t *size)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
        return SS_IO;
    *size = (size_t)end;
    return SS_OK;
}

/* The whole file with a zero behind it. */
static ss_status load(ss_problem *p, FILE *file, ss_arena *arena, char **text, size_t *size)
{
    if (file_size(file, size) != SS_OK)
        return ss_fail(p->context, SS_IO, "problem '%s': cannot be read: %s", p->path,
                       strerror(errno));
    SS_TRY(SS_ARENA_NEW(arena, *size + 1, text));
    if (fread(*text, 1, *size, file) != *size)
        return ss_fail(p->context, SS_IO, "problem '%s': cannot be read: %s", p->path,
                       strerror(errno));
    return SS_OK;
}

static ss_status read_file(ss_problem *p, FILE *file, ss_arena *arena)
{
    char *text;
    size_t size = 0;
    SS_TRY(load(p, file, arena, &text, &size));
    if (size >= sizeof hdf5_signature - 1 &&
        memcmp(text, hdf5_signature, sizeof hdf5_signature - 1) == 0)
        return ss_problem_read_fclib(p);
    return ss_problem_read_text(p, text);
}

static ss_status read_path(ss_problem *p)
{
    FILE *file = fopen(p->path, "rb");
    if (!file)
        return ss_fail(p->context, SS_IO, "problem '%s': cannot be opened: %s", p->path,
                       strerror(errno));
    ss_arena scratch;
    ss_arena_init(&scratch, p->context);
    ss_status status = read_file(p, file, &scratch);
    ss_arena_release(&scratch);
    fclose(file);
    return status;
}

ss_status ss_problem_read(ss_context *context, const char *path, ss_problem **problem)
{
    SS_TRY(create(context, path, problem));
    ss_status status = read_path(*problem);
    if (status != SS_OK) {
        ss_problem_destroy(*problem);
        *problem = NULL;
    }
    return status;
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
    if (status != SS_OK) {
        ss_problem_destroy(*problem);
        *problem = NULL;
    }
    return status;
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
