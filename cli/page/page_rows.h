/* page_rows.h: which recorded states a page keeps. */
#ifndef SS_CLI_PAGE_PAGE_ROWS_H
#define SS_CLI_PAGE_PAGE_ROWS_H

#include <stickslip/stickslip.h>

typedef struct ss_cli_rows {
    size_t count;
    size_t *index; /* growing */
} ss_cli_rows;

/* All states when they are few; otherwise `most` of them evenly, and besides, up to as many
 * again, those beside a switch and those whose solve failed. t: times of all states. */
ss_status ss_cli_rows_choose(ss_context *context, ss_record *record, const double *t, size_t most,
                             ss_cli_rows *rows);
void ss_cli_rows_release(ss_context *context, ss_cli_rows *rows);

#endif
