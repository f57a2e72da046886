/* input_file.h: bytes as a file that has a name. */
#ifndef SS_FUZZ_INPUT_FILE_H
#define SS_FUZZ_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct input_file {
    int descriptor;
    char path[64];
} input_file;

/* In memory, and without a name of its own. */
static inline input_file open_input(const uint8_t *data, size_t size)
{
    char name[] = "/dev/shm/stickslip-XXXXXX";
    input_file file = {.descriptor = mkstemp(name)};
    if (file.descriptor < 0 || unlink(name) != 0 ||
        write(file.descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void close_input(input_file *file)
{
    close(file->descriptor);
}

#endif
