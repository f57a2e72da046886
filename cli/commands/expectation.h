/* expectation.h: expectations of a scene compared with a record. */
#ifndef SS_CLI_COMMANDS_EXPECTATION_H
#define SS_CLI_COMMANDS_EXPECTATION_H

#include "json.h"

#include <stickslip/stickslip.h>

typedef struct ss_cli_comparison {
    ss_expectation expected;
    double measured; /* NaN: the run never came to that moment */
    bool met;
} ss_cli_comparison;

ss_status ss_cli_compare(const ss_scene *scene, ss_record *record, int index,
                         ss_cli_comparison *comparison);
/* As an object. */
void ss_cli_write_comparison(const ss_cli_comparison *comparison, ss_cli_json *json);

#endif
