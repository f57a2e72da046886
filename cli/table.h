/* table.h: a table of texts and numbers, for people and as comma-separated values. */
#ifndef SS_CLI_TABLE_H
#define SS_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct ss_cli_cell ss_cli_cell;

typedef struct ss_cli_table {
    int columns;
    size_t count, capacity;
    ss_cli_cell *cells; /* by rows */
    bool failed;        /* there was no memory for a cell */
} ss_cli_table;

/* Cells are added one after the other, the first row being the headings. Columns of numbers stand
 * to the right. Release with ss_cli_table_release. */
void ss_cli_table_begin(ss_cli_table *table, int columns);
void ss_cli_table_text(ss_cli_table *table, const char *text);
/* "–" when the value is NaN. As comma-separated value it has all its digits. */
void ss_cli_table_number(ss_cli_table *table, const char *format, double value);
void ss_cli_table_release(ss_cli_table *table);

void ss_cli_table_print(const ss_cli_table *table);
/* Prints a message and returns false when the file cannot be written. */
bool ss_cli_table_write_csv(const ss_cli_table *table, const char *file);

#endif
