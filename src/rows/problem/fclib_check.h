/* fclib_check.h: libfclib ends the program on a file that lacks something, or holds more than it
 * announces. What passes here it reads. */
#ifndef SS_ROWS_PROBLEM_FCLIB_CHECK_H
#define SS_ROWS_PROBLEM_FCLIB_CHECK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ss_fclib_content {
    bool local;        /* fclib_local, else fclib_global */
    size_t title_size; /* bytes of info/title, which need not end with a zero; 0: none */
} ss_fclib_content;

/* Every dataset that libfclib will read exists, has the size that it will expect, and can be
 * read; else a message. */
ss_status ss_fclib_check(ss_context *context, ss_arena *scratch, const char *path,
                         ss_fclib_content *content);

#endif
