/* csv.c: comma-separated values (RFC 4180). */
#include "record/record.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

enum { BLOCK = 512 };

/* Quoted when it must be; quotes inside are doubled. A spreadsheet would take what begins like a formula for one: an
 * apostrophe makes it a text. */
static void write_name(FILE *stream, int index, const char *name)
{
    if (index > 0)
        fputc(',', stream);
    const char *mark = name[0] && strchr("=+-@", name[0]) ? "'" : "";
    if (!strpbrk(name, ",\"\r\n")) {
        fprintf(stream, "%s%s", mark, name);
        return;
    }
    fprintf(stream, "\"%s", mark);
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            fputc('"', stream);
        fputc(*c, stream);
    }
    fputc('"', stream);
}

static void write_number(FILE *stream, int index, double value)
{
    fprintf(stream, index ? ",%.17g" : "%.17g", value);
}

static ss_status check_stream(ss_record *record, FILE *stream)
{
    if (fflush(stream) != 0 || ferror(stream))
        return ss_fail(record->context, SS_IO, "cannot write comma-separated values: %s",
                       strerror(errno));
    return SS_OK;
}

static ss_status write_columns(ss_record *record, ss_arena *arena, FILE *stream)
{
    int n = record->columns.count;
    for (int i = 0; i < n; i++)
        write_name(stream, i, record->columns.items[i].name);
    fputc('\n', stream);
    double *values;
    SS_TRY(SS_ARENA_NEW(arena, (size_t)n * BLOCK, &values));
    for (size_t first = 0; first < record->length; first += BLOCK) {
        size_t left = record->length - first;
        size_t count = left < BLOCK ? left : BLOCK;
        SS_TRY(ss_record_states(record, first, count, values));
        for (size_t row = 0; row < count; row++) {
            for (int i = 0; i < n; i++)
                write_number(stream, i, values[row * (size_t)n + (size_t)i]);
            fputc('\n', stream);
        }
        SS_TRY(check_stream(record, stream));
    }
    return check_stream(record, stream);
}

static ss_status write_expressions(ss_record *record, ss_arena *arena, int count,
                                   const char *const *expressions, FILE *stream)
{
    double **values;
    SS_TRY(SS_ARENA_NEW(arena, count, &values));
    for (int i = 0; i < count; i++) {
        SS_TRY(SS_ARENA_NEW(arena, record->length, &values[i]));
        ss_text text = {expressions[i], {0}};
        SS_TRY(ss_record_evaluate(record, &text, values[i]));
    }
    for (int i = 0; i < count; i++)
        write_name(stream, i, expressions[i]);
    fputc('\n', stream);
    for (size_t row = 0; row < record->length; row++) {
        for (int i = 0; i < count; i++)
            write_number(stream, i, values[i][row]);
        fputc('\n', stream);
    }
    return check_stream(record, stream);
}

/* A program may have set a locale whose decimal point is a comma. */
ss_status ss_record_write_csv(ss_record *record, int count, const char *const *expressions,
                              FILE *stream)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain)
        return ss_fail(record->context, SS_MEMORY, "out of memory");
    locale_t before = uselocale(plain);
    ss_arena arena;
    ss_arena_init(&arena, record->context);
    ss_status status = count > 0 ? write_expressions(record, &arena, count, expressions, stream)
                                 : write_columns(record, &arena, stream);
    ss_arena_release(&arena);
    uselocale(before);
    freelocale(plain);
    return status;
}

ss_status ss_record_export_csv(ss_record *record, const char *path)
{
    FILE *stream = fopen(path, "w");
    if (!stream)
        return ss_fail(record->context, SS_IO, "cannot create '%s': %s", path, strerror(errno));
    ss_status status = ss_record_write_csv(record, 0, NULL, stream);
    if (fclose(stream) != 0 && status == SS_OK)
        status = ss_fail(record->context, SS_IO, "cannot write '%s': %s", path, strerror(errno));
    return status;
}
