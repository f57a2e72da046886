/* table.c: tables of the manual that tests make. */
#include "table.h"

#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void add(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(p->text + p->length, sizeof p->text - p->length, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < sizeof p->text - p->length);
    p->length += (size_t)n;
}

void add_head(page *p, const char *first, int columns)
{
    add(p, "| %s |", first);
    for (int k = 0; k < columns; k++)
        add(p, " %d |", k + 1);
    add(p, "\n|---|");
    for (int k = 0; k < columns; k++)
        add(p, "---|");
    add(p, "\n");
}

void add_row(page *p, const char *first, int columns, const char *marks)
{
    add(p, "| %s |", first);
    for (int k = 0; k < columns; k++)
        add(p, " %c |", marks[k]);
    add(p, "\n");
}

void add_reasons(page *p, size_t n, const reason *reasons)
{
    for (size_t i = 0; i < n; i++)
        add(p, "* `%c`: %s\n", reasons[i].mark, reasons[i].text);
}

char mark_of(size_t n, const reason *reasons, const char *what, const char *message)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(message, reasons[i].piece))
            return reasons[i].mark;
    fail_msg("%s: refused for a reason that the manual does not name: %s", what, message);
    return '?';
}

/* The first line in which two texts differ. */
static int first_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static bool read_page(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    text[fread(text, 1, TABLE_TEXT - 1, file)] = '\0';
    return fclose(file) == 0;
}

void compare_page(const page *p, const char *name)
{
    static char copy[TABLE_TEXT];
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/%s", SS_SOURCE_DIR, name);
    if (getenv("STICKSLIP_UPDATE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(p->text, 1, p->length, file), p->length);
        assert_int_equal(fclose(file), 0);
    }
    if (!read_page(path, copy) || strcmp(copy, p->text) != 0) {
        int line = first_difference(p->text, copy);
        fail_msg("%s is out of date from line %d on; run this test with STICKSLIP_UPDATE=1", path,
                 line);
    }
}
