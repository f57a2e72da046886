/* page.h: a record as one HTML file that needs nothing else. */
#ifndef SS_CLI_PAGE_PAGE_H
#define SS_CLI_PAGE_PAGE_H

#include "commands/session.h"

/* What a page is made of. */
typedef struct ss_cli_page {
    ss_record *record;
    const char *path;      /* of the record */
    const ss_scene *scene; /* NULL: none could be loaded; the page has no drawing then */
} ss_cli_page;

/* Writes the page, whole or not at all. False: a message was printed. */
bool ss_cli_page_write(ss_cli_session *session, const ss_cli_page *page, const char *file);

#endif
