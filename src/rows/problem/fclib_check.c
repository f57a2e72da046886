/* fclib_check.c: what libfclib would end the program on is refused before it reads. */
#include "rows/problem/fclib_check.h"

#include "base/context.h"

#include <hdf5.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct checker {
    ss_context *context;
    ss_arena *scratch;
    const char *path;
    hid_t file;
    const char *group; /* fclib_local or fclib_global */
} checker;

enum { NAME_CAPACITY = 64 };

static ss_status damaged(const checker *c, const char *what, const char *fault)
{
    return ss_fail(c->context, SS_INPUT, "problem '%s': %s %s", c->path, what, fault);
}

/* "fclib_local/W/m" of "W" and "m". */
static void join(const checker *c, const char *part, const char *name, char path[NAME_CAPACITY])
{
    snprintf(path, NAME_CAPACITY, "%s%s%s/%s", c->group, *part ? "/" : "", part, name);
}

/* Whether there is a link of this name; the group must be there. */
static bool has(const checker *c, const char *part, const char *name)
{
    char path[NAME_CAPACITY];
    join(c, part, name, path);
    return H5Lexists(c->file, path, H5P_DEFAULT) > 0;
}

static herr_t begins_with(hid_t group, const char *name, const H5L_info_t *info, void *wanted)
{
    (void)group;
    (void)info;
    return strncmp(name, wanted, strlen(wanted)) == 0;
}

/* Whether a group lists a name that begins so: thus libfclib looks for what may be missing, and
 * ends when a damaged group lists what cannot be found. */
static bool lists(const checker *c, const char *part, const char *name)
{
    char path[NAME_CAPACITY], wanted[NAME_CAPACITY];
    join(c, "", part, path);
    snprintf(wanted, sizeof wanted, "%s", name);
    hid_t group = H5Gopen2(c->file, path, H5P_DEFAULT);
    bool listed =
        group >= 0 && H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, begins_with, wanted) != 0;
    if (group >= 0)
        H5Gclose(group);
    return listed;
}

/* Reads all of an open dataset as `type`, which takes `size` bytes. */
static ss_status read_open(const checker *c, const char *path, hid_t data, hid_t type, size_t size,
                           int least, int most, void **values)
{
    hid_t space = H5Dget_space(data);
    hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (space >= 0)
        H5Sclose(space);
    if (count < least || count > most)
        return ss_fail(c->context, SS_INPUT,
                       "problem '%s': %s has %lld numbers; there should be %d", c->path, path,
                       (long long)count, least);
    SS_TRY(ss_arena_allocate(c->scratch, (size_t)count + 1, size, values));
    if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        return damaged(c, path, "cannot be read as numbers");
    return SS_OK;
}

/* A dataset with `least` to `most` numbers. */
static ss_status check_range(const checker *c, const char *part, const char *name, hid_t type,
                             int least, int most, void **values)
{
    char path[NAME_CAPACITY];
    join(c, part, name, path);
    hid_t data = H5Dopen2(c->file, path, H5P_DEFAULT);
    if (data < 0)
        return damaged(c, path, "is missing");
    size_t size = type == H5T_NATIVE_INT ? sizeof(int) : sizeof(double);
    ss_status status = read_open(c, path, data, type, size, least, most, values);
    H5Dclose(data);
    return status;
}

static ss_status check_reals(const checker *c, const char *part, const char *name, int count)
{
    void *values;
    return check_range(c, part, name, H5T_NATIVE_DOUBLE, count, count, &values);
}

static ss_status check_ints(const checker *c, const char *part, const char *name, int count)
{
    void *values;
    return check_range(c, part, name, H5T_NATIVE_INT, count, count, &values);
}

static ss_status read_int(const checker *c, const char *part, const char *name, int *value)
{
    void *values;
    SS_TRY(check_range(c, part, name, H5T_NATIVE_INT, 1, 1, &values));
    *value = *(int *)values;
    return SS_OK;
}

/* A text that may be there: one, of fixed size. libfclib has space for one, and takes a pointer to
 * one of variable size for the text itself. */
static ss_status check_text(const checker *c, const char *part, const char *name, size_t *size)
{
    char path[NAME_CAPACITY];
    *size = 0;
    if (!lists(c, part, name))
        return SS_OK;
    join(c, part, name, path);
    hid_t data = H5Dopen2(c->file, path, H5P_DEFAULT);
    if (data < 0)
        return damaged(c, path, "is no text");
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t bytes = H5Tget_size(type);
    void *text;
    bool one = H5Sget_simple_extent_ndims(space) <= 1 && bytes > 0;
    bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    H5Sclose(space);
    ss_status status = one && fixed ? read_open(c, path, data, type, bytes, 1, 1, &text)
                                    : damaged(c, path, "is no text of fixed size");
    H5Tclose(type);
    H5Dclose(data);
    *size = bytes;
    return status;
}

/* What may be known of a matrix: all of it, or nothing. */
static ss_status check_matrix_info(const checker *c, const char *part)
{
    size_t size;
    if (!lists(c, part, "conditioning"))
        return SS_OK;
    SS_TRY(check_text(c, part, "comment", &size));
    SS_TRY(check_reals(c, part, "conditioning", 1));
    SS_TRY(check_reals(c, part, "determinant", 1));
    return check_ints(c, part, "rank", 1);
}

/* nz tells the storage: -1 by columns, -2 by rows, else the number of triplets, which may have
 * space for nzmax values. */
static ss_status check_matrix(const checker *c, const char *part, int *m, int *n)
{
    int nz, nzmax;
    void *values;
    SS_TRY(read_int(c, part, "m", m));
    SS_TRY(read_int(c, part, "n", n));
    SS_TRY(read_int(c, part, "nz", &nz));
    SS_TRY(read_int(c, part, "nzmax", &nzmax));
    if (*m < 0 || *n < 0 || *m == INT_MAX || *n == INT_MAX || nz < -2 || nzmax < 0 || nz > nzmax)
        return damaged(c, part, "has no sensible size");
    int elements = nz >= 0 ? nz : nzmax;
    SS_TRY(check_ints(c, part, "p", nz >= 0 ? nz : (nz == -1 ? *n : *m) + 1));
    SS_TRY(check_ints(c, part, "i", elements));
    SS_TRY(check_range(c, part, "x", H5T_NATIVE_DOUBLE, elements, nzmax, &values));
    return check_matrix_info(c, part);
}

static ss_status check_contacts(const checker *c, int rows, int dimension)
{
    if (dimension != 2 && dimension != 3)
        return ss_fail(c->context, SS_INPUT,
                       "problem '%s': %d rows a contact; 2 and 3 are possible", c->path, dimension);
    if (rows % dimension != 0)
        return ss_fail(c->context, SS_INPUT,
                       "problem '%s': %d rows do not make contacts of %d rows", c->path, rows,
                       dimension);
    return check_reals(c, "vectors", "mu", rows / dimension);
}

static ss_status check_local(const checker *c)
{
    int dimension, m, n, p;
    SS_TRY(read_int(c, "", "spacedim", &dimension));
    SS_TRY(check_matrix(c, "W", &m, &n));
    SS_TRY(check_reals(c, "vectors", "q", m));
    SS_TRY(check_contacts(c, m, dimension));
    if (!has(c, "", "V"))
        return SS_OK;
    SS_TRY(check_matrix(c, "V", &m, &n));
    SS_TRY(check_matrix(c, "R", &p, &n));
    return check_reals(c, "vectors", "s", p);
}

static ss_status check_global(const checker *c)
{
    int dimension, m, n;
    SS_TRY(read_int(c, "", "spacedim", &dimension));
    SS_TRY(check_matrix(c, "M", &m, &n));
    SS_TRY(check_reals(c, "vectors", "f", m));
    SS_TRY(check_matrix(c, "H", &m, &n));
    SS_TRY(check_reals(c, "vectors", "w", n));
    SS_TRY(check_contacts(c, n, dimension));
    if (!has(c, "", "G"))
        return SS_OK;
    SS_TRY(check_matrix(c, "G", &m, &n));
    return check_reals(c, "vectors", "b", n);
}

static ss_status check_info(const checker *c, size_t *title_size)
{
    char path[NAME_CAPACITY];
    size_t other;
    *title_size = 0;
    if (!has(c, "", "info"))
        return SS_OK;
    join(c, "", "info", path);
    hid_t group = H5Gopen2(c->file, path, H5P_DEFAULT);
    if (group < 0)
        return damaged(c, path, "is no group");
    H5Gclose(group);
    SS_TRY(check_text(c, "info", "title", title_size));
    SS_TRY(check_text(c, "info", "description", &other));
    return check_text(c, "info", "math_info", &other);
}

static ss_status check_file(checker *c, ss_fclib_content *content)
{
    content->local = H5Lexists(c->file, "fclib_local", H5P_DEFAULT) > 0;
    if (!content->local && H5Lexists(c->file, "fclib_global", H5P_DEFAULT) <= 0)
        return damaged(c, "the group fclib_local or fclib_global", "is missing");
    c->group = content->local ? "fclib_local" : "fclib_global";
    SS_TRY(content->local ? check_local(c) : check_global(c));
    return check_info(c, &content->title_size);
}

ss_status ss_fclib_check(ss_context *context, ss_arena *scratch, const char *path,
                         ss_fclib_content *content)
{
    checker c = {context, scratch, path, H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), NULL};
    if (c.file < 0)
        return ss_fail(context, SS_IO, "problem '%s': HDF5 cannot open it", path);
    ss_status status = check_file(&c, content);
    H5Fclose(c.file);
    return status;
}
