/* page_bodies.h: the shapes of a record and their touches, for a page. */
#ifndef STICKSLIP_CLI_PAGE_BODIES_H
#define STICKSLIP_CLI_PAGE_BODIES_H

#include "page_signals.h"

/* Where the coordinates of a system are: an object of those that it has. */
ss_status ss_cli_page_carrier(ss_cli_signals *signals, ss_cli_json *json, const char *system);
/* A list of the shapes and one of the meshes that draw them. */
ss_status ss_cli_page_bodies(ss_cli_signals *signals, ss_cli_json *json);

/* Which of the chosen states show their touches: no more touches in all than a page can bear. */
typedef struct ss_cli_touches {
    size_t count;
    size_t *rows;           /* of the record */
    double low[3], high[3]; /* around all points, m */
} ss_cli_touches;

ss_status ss_cli_touches_choose(ss_cli_signals *signals, ss_cli_touches *touches);
void ss_cli_touches_release(const ss_cli_signals *signals, ss_cli_touches *touches);
/* Times, counts and units of what the next function writes. */
ss_status ss_cli_touches_describe(const ss_cli_signals *signals, const ss_cli_touches *touches,
                                  ss_cli_json *json);
/* 16 bytes for each touch, little-endian, in base64: the point (3 × uint16 between low and high), the force on b, or on a when b is fixed (3 ×
 * int16, 32767 is the largest component of its state), the normal (3 × int8, 127 is 1), and a byte with
 * closed, slips, spins, rolls from its lowest bit and the element above (15: any from there on). */
ss_status ss_cli_touches_write(const ss_cli_signals *signals, const ss_cli_touches *touches,
                               FILE *out);

#endif
