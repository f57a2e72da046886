/* template.h: the viewer as the build made it, an HTML file without a record. */
#ifndef SS_CLI_PAGE_TEMPLATE_H
#define SS_CLI_PAGE_TEMPLATE_H

#include "commands/paths.h"

typedef struct ss_cli_template {
    char *text;    /* freed by the caller */
    size_t before; /* bytes before the place of the record */
} ss_cli_template;

/* False: a message was printed. */
bool ss_cli_template_read(ss_cli_template *template);
/* The page that opens records itself, beside the viewer. path has space for SS_CLI_PATH. */
bool ss_cli_template_find_opener(char *path);

#endif
