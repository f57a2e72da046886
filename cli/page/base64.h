/* base64.h: bytes as text (RFC 4648). */
#ifndef SS_CLI_PAGE_BASE64_H
#define SS_CLI_PAGE_BASE64_H

#include <stddef.h>
#include <stdio.h>

typedef struct ss_cli_base64 {
    FILE *out;
    int count; /* bytes that wait for their group of three to be full */
    unsigned char waiting[3];
} ss_cli_base64;

void ss_cli_base64_write(ss_cli_base64 *base64, size_t count, const unsigned char *bytes);
/* Writes what waits, padded. */
void ss_cli_base64_end(ss_cli_base64 *base64);

/* Decodes a text of `length` characters in place; false when it is no base64. */
int ss_cli_base64_decode(size_t length, char *text, size_t *count);

#endif
