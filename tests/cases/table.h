/* table.h: tables of the manual that tests make. */
#ifndef SS_TESTS_CASES_TABLE_H
#define SS_TESTS_CASES_TABLE_H

#include <stddef.h>

enum { TABLE_TEXT = 65536 };

/* A page of the manual as it grows. */
typedef struct page {
    size_t length;
    char text[TABLE_TEXT];
} page;

/* Why something is refused: a piece of the message, a mark in the table, a sentence for the manual. */
typedef struct reason {
    char mark;
    const char *piece, *text;
} reason;

__attribute__((format(printf, 2, 3))) void add(page *p, const char *format, ...);
/* "| 1 | 2 | … |" and the line below it. */
void add_head(page *p, const char *first, int columns);
/* A row of marks, one for each column. */
void add_row(page *p, const char *first, int columns, const char *marks);
void add_reasons(page *p, size_t n, const reason *reasons);
/* The mark of the reason that a message gives; fails for a message with another one. */
char mark_of(size_t n, const reason *reasons, const char *what, const char *message);
/* Fails when the file of docs/ is another page. With STICKSLIP_UPDATE set in the environment it is written anew. */
void compare_page(const page *p, const char *name);

#endif
