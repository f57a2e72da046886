/* writer.h: texts that grow. */
#ifndef SS_BASE_WRITER_H
#define SS_BASE_WRITER_H

#include "base/context.h"

/* A text that grows. Keeps the first failure, so that many writes need one check at the end. */
typedef struct ss_writer {
    ss_context *context;
    ss_status status;
    char *text; /* ends with a NUL once something was written */
    size_t length, capacity;
    int depth;  /* of JSON */
    bool first; /* nothing yet in the innermost object or list of JSON */
} ss_writer;

void ss_write(ss_writer *writer, const char *format, ...) SS_PRINTF(2, 3);
void ss_write_bytes(ss_writer *writer, const char *bytes, size_t count);
/* A text in double quotes, escaped as both JSON and YAML read it. */
void ss_write_quoted(ss_writer *writer, const char *text);
/* Hands the text over to the caller (ss_release), or nothing when something failed. */
ss_status ss_writer_finish(ss_writer *writer, char **text);

#endif
