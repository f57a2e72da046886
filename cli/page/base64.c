/* base64.c: writes bytes as text (RFC 4648). */
#include "page/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_group(ss_cli_base64 *base64)
{
    const unsigned char *b = base64->waiting;
    unsigned bits = (unsigned)b[0] << 16 | (unsigned)b[1] << 8 | b[2];
    for (int i = 0; i < 4; i++)
        fputc(i <= base64->count ? alphabet[bits >> (18 - 6 * i) & 63] : '=', base64->out);
    base64->count = 0;
    memset(base64->waiting, 0, sizeof base64->waiting);
}

void ss_cli_base64_write(ss_cli_base64 *base64, size_t count, const unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++) {
        base64->waiting[base64->count++] = bytes[i];
        if (base64->count == 3)
            write_group(base64);
    }
}

void ss_cli_base64_end(ss_cli_base64 *base64)
{
    if (base64->count > 0)
        write_group(base64);
}

int ss_cli_base64_decode(size_t length, char *text, size_t *count)
{
    unsigned bits = 0;
    int held = 0;
    *count = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = text[i] ? strchr(alphabet, text[i]) : NULL;
        if (!digit)
            return 0;
        bits = bits << 6 | (unsigned)(digit - alphabet);
        held += 6;
        if (held >= 8) {
            held -= 8;
            text[(*count)++] = (char)(bits >> held & 255);
        }
    }
    return 1;
}
