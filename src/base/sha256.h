/* sha256.h: SHA-256 (FIPS 180-4): whether bytes are those that were written. */
#ifndef SS_BASE_SHA256_H
#define SS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SS_SHA256_BYTES = 32, SS_SHA256_TEXT = 2 * SS_SHA256_BYTES + 1 };

typedef struct ss_sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} ss_sha256;

void ss_sha256_begin(ss_sha256 *s);
void ss_sha256_add(ss_sha256 *s, const void *bytes, size_t count);
void ss_sha256_end(ss_sha256 *s, unsigned char digest[SS_SHA256_BYTES]);
/* Of some bytes, in hexadecimal digits. */
void ss_sha256_text(const void *bytes, size_t count, char text[SS_SHA256_TEXT]);

#endif
