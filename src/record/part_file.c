/* part_file.c: the file a record grows in until it is closed. */
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static ss_status fail(const ss_part_file *file, const char *doing, int error)
{
    return ss_fail(file->context, SS_IO, "record '%s': cannot %s it: %s", file->path, doing,
                   strerror(error));
}

enum { MOST_TRIALS = 16 };

/* A name that nobody can guess, of a file that was not there: neither another run nor a link gets in the way. */
ss_status ss_part_file_create(ss_part_file *file, ss_arena *arena, const char *path)
{
    *file = (ss_part_file){.context = arena->context, .descriptor = -1};
    SS_TRY(ss_arena_copy_string(arena, path, &file->path));
    size_t capacity = strlen(path) + 32;
    char *part;
    SS_TRY(SS_ARENA_NEW(arena, capacity, &part));
    int descriptor = -1;
    for (int i = 0; i < MOST_TRIALS && descriptor < 0; i++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return fail(file, "create", errno);
        snprintf(part, capacity, "%s.part-%016" PRIx64, path, number);
        descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0)
        return fail(file, "create", errno);
    file->part = part;
    file->descriptor = descriptor;
    return SS_OK;
}

ss_status ss_part_file_reserve(ss_part_file *file, uint64_t size, uint64_t more)
{
    int error;
    do
        error = posix_fallocate(file->descriptor, (off_t)size, (off_t)more);
    while (error == EINTR);
    if (error == 0 || error == EINVAL || error == EOPNOTSUPP)
        return SS_OK; /* the latter two: a file system that cannot reserve */
    ss_part_file_trim(file, size);
    return fail(file, "write", error);
}

void ss_part_file_trim(ss_part_file *file, uint64_t size)
{
    /* A file that stays too long is no fault: HDF5 knows where it ends. */
    if (ftruncate(file->descriptor, (off_t)size) != 0)
        return;
}

static void close_descriptor(ss_part_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

ss_status ss_part_file_finish(ss_part_file *file)
{
    close_descriptor(file);
    if (rename(file->part, file->path) != 0)
        return ss_fail(file->context, SS_IO,
                       "record '%s': cannot give it its name: %s (it is in '%s')", file->path,
                       strerror(errno), file->part);
    file->part = NULL;
    return SS_OK;
}

void ss_part_file_discard(ss_part_file *file)
{
    close_descriptor(file);
    if (file->part)
        unlink(file->part);
    file->part = NULL;
}
