/* table.c: a table of texts and numbers, for people and as comma-separated values. */
#include "table.h"

#include "command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ss_cli_cell {
    char *text;
    double value;
    bool number;
};

void ss_cli_table_begin(ss_cli_table *table, int columns)
{
    *table = (ss_cli_table){.columns = columns};
}

void ss_cli_table_release(ss_cli_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    *table = (ss_cli_table){0};
}

static bool grow(ss_cli_table *table)
{
    if (table->count < table->capacity)
        return true;
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    ss_cli_cell *cells = realloc(table->cells, capacity * sizeof *cells);
    if (!cells)
        return false;
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

static void add(ss_cli_table *table, const char *text, double value, bool number)
{
    size_t size = strlen(text) + 1;
    char *copy = grow(table) ? malloc(size) : NULL;
    if (!copy) {
        table->failed = true;
        return;
    }
    memcpy(copy, text, size);
    table->cells[table->count++] = (ss_cli_cell){copy, value, number};
}

void ss_cli_table_text(ss_cli_table *table, const char *text)
{
    add(table, text, 0, false);
}

/* Formats come from the commands, never from users. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void ss_cli_table_number(ss_cli_table *table, const char *format, double value)
{
    char text[64] = "–";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    add(table, text, value, true);
}
#pragma GCC diagnostic pop

/* Characters, not bytes. */
static int length_of(const char *text)
{
    int length = 0;
    for (const char *c = text; *c; c++)
        length += ((unsigned char)*c & 0xc0) != 0x80;
    return length;
}

static int width_of(const ss_cli_table *table, size_t column)
{
    int width = 0;
    for (size_t i = column; i < table->count; i += (size_t)table->columns) {
        int length = length_of(table->cells[i].text);
        width = length > width ? length : width;
    }
    return width;
}

/* A heading stands over its column as the first cell below it does. */
static bool right_of(const ss_cli_table *table, size_t i)
{
    size_t below = (size_t)table->columns + i % (size_t)table->columns;
    return below < table->count && table->cells[below].number;
}

static void print_cell(const ss_cli_table *table, size_t i)
{
    size_t column = i % (size_t)table->columns;
    const char *text = table->cells[i].text;
    int space = width_of(table, column) - length_of(text);
    bool last = (int)column == table->columns - 1;
    if (right_of(table, i))
        printf("  %*s%s", space, "", text);
    else
        printf("  %s%*s", text, last ? 0 : space, "");
    if (last)
        putchar('\n');
}

void ss_cli_table_print(const ss_cli_table *table)
{
    if (table->failed)
        ss_cli_error("out of memory: the table is not complete");
    for (size_t i = 0; i < table->count; i++)
        print_cell(table, i);
}

/* RFC 4180. What is not a number stays empty. */
static void write_cell(const ss_cli_cell *cell, FILE *out)
{
    if (cell->number) {
        if (!isnan(cell->value))
            fprintf(out, "%.17g", cell->value);
        return;
    }
    fputc('"', out);
    for (const char *c = cell->text; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

bool ss_cli_table_write_csv(const ss_cli_table *table, const char *file)
{
    FILE *out = fopen(file, "w");
    for (size_t i = 0; out && i < table->count; i++) {
        bool last = (int)(i % (size_t)table->columns) == table->columns - 1;
        write_cell(&table->cells[i], out);
        fputc(last ? '\n' : ',', out);
    }
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    if (!good)
        ss_cli_error("cannot write '%s': %s", file, strerror(errno));
    return good;
}
