/* page_bodies.h: the shapes of a record and their contacts, for a page. */
#ifndef SS_CLI_PAGE_PAGE_BODIES_H
#define SS_CLI_PAGE_PAGE_BODIES_H

#include "page/page_signals.h"

/* Where the coordinates of a system are: an object of those that it has. */
ss_status ss_cli_page_carrier(ss_cli_signals *signals, ss_cli_json *json, const char *system);
/* A list of the shapes and one of the meshes that draw them. */
ss_status ss_cli_page_bodies(ss_cli_signals *signals, ss_cli_json *json);

/* Which of the chosen states show their contacts: no more contacts in all than a page can bear. */
typedef struct ss_cli_contacts {
    size_t count;
    size_t *rows;           /* of the record */
    double low[3], high[3]; /* around all points, m */
} ss_cli_contacts;

ss_status ss_cli_contacts_choose(ss_cli_signals *signals, ss_cli_contacts *contacts);
void ss_cli_contacts_release(const ss_cli_signals *signals, ss_cli_contacts *contacts);
/* Times, counts and units of what the next function writes. */
ss_status ss_cli_contacts_describe(const ss_cli_signals *signals, const ss_cli_contacts *contacts,
                                   ss_cli_json *json);
/* 16 bytes for each contact, little-endian, in base64: the point (3 × uint16 between low and high), the force on b, or on a when b is fixed (3 ×
 * int16, 32767 is the largest component of its state), the normal (3 × int8, 127 is 1), and a byte with
 * closed, slips, spins, rolls from its lowest bit and the element above (15: any from there on). */
ss_status ss_cli_contacts_write(const ss_cli_signals *signals, const ss_cli_contacts *contacts,
                                FILE *out);

#endif
