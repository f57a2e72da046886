/* refuse.c: messages of an init function that refuses its parameters. */
#include "types/refuse.h"

#include <stdio.h>
#include <string.h>

static ss_location place_of(const ss_setup *setup, const char *text)
{
    char key[64];
    return sscanf(text, "'%63[^']'", key) == 1 ? ss_setup_key_location(setup, key)
                                               : ss_setup_location(setup);
}

ss_status ss_refuse(const ss_setup *setup, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ss_fail_at(ss_setup_context(setup), SS_INPUT, place_of(setup, text), "%s: %s",
                      ss_setup_owner(setup), text);
}

ss_status ss_read_numbers(const ss_setup *setup, const char *key, const ss_matrix *given, int count,
                          double *numbers)
{
    if (given->rows != count)
        return ss_refuse(setup, "'%s' must be a list of %d number%s, not %d", key, count,
                         count == 1 ? "" : "s", given->rows);
    memcpy(numbers, given->values, (size_t)count * sizeof *numbers);
    return SS_OK;
}
