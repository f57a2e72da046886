/* check.h: parts of ss_inclusion_check. */
#ifndef SS_ROWS_CHECK_H
#define SS_ROWS_CHECK_H

#include <stickslip/inclusion.h>

/* The blocks alone: sets, dims, offsets, scales. */
ss_status ss_inclusion_check_blocks(ss_context *context, const ss_inclusion *inclusion);

/* SS_NON_FINITE and a message that names the block (or the velocity) when a number of the inclusion
 * is not finite. */
ss_status ss_inclusion_check_numbers(ss_context *context, const ss_inclusion *inclusion);

#endif
