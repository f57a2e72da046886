/* part_file.c: the file a record grows in until it is closed: commits, and what they leave behind. */
#include "record/part_file.h"

#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
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
    *file = (ss_part_file){.context = arena->context, .pages.descriptor = -1};
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
    file->pages.descriptor = descriptor;
    return SS_OK;
}

/* ---- Writing and reading; false: errno says why ---- */

static bool write_at(int descriptor, uint64_t offset, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t n = pwrite(descriptor, from, count, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        from += n;
        offset += (uint64_t)n;
        count -= (size_t)n;
    }
    return true;
}

static bool read_at(int descriptor, uint64_t offset, void *bytes, size_t count)
{
    char *to = bytes;
    while (count > 0) {
        ssize_t n = pread(descriptor, to, count, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return false;
        to += n;
        offset += (uint64_t)n;
        count -= (size_t)n;
    }
    return true;
}

static bool sync_file(int descriptor)
{
    int done;
    do
        done = fsync(descriptor);
    while (done != 0 && errno == EINTR);
    return done == 0;
}

/* The entries of the folder that holds a file; file systems that cannot sync a folder say so by EINVAL. */
static bool sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == EACCES; /* a folder that can be written to but not read */
    bool done = sync_file(descriptor) || errno == EINVAL || errno == EROFS;
    int error = errno;
    close(descriptor);
    errno = error;
    return done;
}

/* ---- Checkpoints ---- */

/* How a checkpoint begins; behind it the places of the pages, the pages and the rest. */
typedef struct head {
    char mark[16];
    uint64_t sequence;
    uint64_t end; /* bytes of the record's file */
    uint64_t pages, rest;
    unsigned char digest[SS_SHA256_BYTES]; /* of what is above and what follows */
} head;

static const char mark[16] = "stickslip part 1";

typedef struct checkpoint {
    head head;
    bool there, whole;
    uint64_t *places; /* all in the arena */
    unsigned char *pages;
    void *rest;
} checkpoint;

/* "NAME.h5.part-NUMBER.0" */
static bool checkpoint_name(const char *part, int which, char name[PATH_MAX])
{
    int used = snprintf(name, PATH_MAX, "%s.%d", part, which);
    return used > 0 && used < PATH_MAX;
}

/* A checkpoint that is being written. */
typedef struct output {
    int descriptor;
    uint64_t offset;
    ss_sha256 sum;
    bool failed;
} output;

static void put(output *o, const void *bytes, size_t count)
{
    ss_sha256_add(&o->sum, bytes, count);
    o->failed = o->failed || !write_at(o->descriptor, o->offset, bytes, count);
    o->offset += count;
}

static bool fill_checkpoint(int descriptor, head *h, ss_page *const *pages, const void *rest)
{
    output o = {.descriptor = descriptor, .offset = sizeof *h};
    ss_sha256_begin(&o.sum);
    ss_sha256_add(&o.sum, h, offsetof(head, digest));
    uint64_t *places = calloc(h->pages + 1, sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < h->pages; i++)
        places[i] = pages[i]->index;
    put(&o, places, h->pages * sizeof *places);
    free(places);
    for (size_t i = 0; i < h->pages; i++)
        put(&o, pages[i]->bytes, SS_PAGE);
    put(&o, rest, h->rest);
    ss_sha256_end(&o.sum, h->digest);
    return !o.failed && write_at(descriptor, 0, h, sizeof *h) &&
           ftruncate(descriptor, (off_t)o.offset) == 0 && sync_file(descriptor);
}

/* Replaces the older checkpoint. The first two are new entries of the folder, which is synced, too. */
static bool write_checkpoint(const ss_part_file *file, head *h, ss_page *const *pages,
                             const void *rest)
{
    char name[PATH_MAX];
    bool first = h->sequence <= 2;
    if (!checkpoint_name(file->part, (int)(h->sequence % 2), name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int descriptor =
        open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (first ? O_CREAT | O_EXCL : 0), 0666);
    if (descriptor < 0)
        return false;
    bool done = fill_checkpoint(descriptor, h, pages, rest);
    int error = errno;
    done = close(descriptor) == 0 && done;
    errno = error;
    return done && (!first || sync_folder(file->part));
}

/* ---- Commits ---- */

static bool write_page(ss_part_file *file, const ss_page *page)
{
    uint64_t offset = page->index * SS_PAGE, end = file->pages.end;
    size_t count = offset >= end ? 0 : end - offset < SS_PAGE ? (size_t)(end - offset) : SS_PAGE;
    file->unsynced = true;
    return write_at(file->pages.descriptor, offset, page->bytes, count);
}

/* Pages from `first` on lie behind the end of the last commit. */
static size_t first_new(const ss_part_file *file, ss_page *const *list, size_t count)
{
    size_t first = count;
    uint64_t limit = (file->committed + SS_PAGE - 1) / SS_PAGE;
    while (first > 0 && list[first - 1]->index >= limit)
        first--;
    return first;
}

static bool write_pages(ss_part_file *file, ss_page *const *list, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (!write_page(file, list[i]))
            return false;
    return true;
}

/* The file has at least its length, also where HDF5 has not written yet. */
static bool extend(ss_part_file *file)
{
    struct stat info;
    if (fstat(file->pages.descriptor, &info) != 0)
        return false;
    if ((uint64_t)info.st_size >= file->pages.end)
        return true;
    file->unsynced = true;
    return ftruncate(file->pages.descriptor, (off_t)file->pages.end) == 0;
}

static bool sync_part(ss_part_file *file)
{
    if (file->unsynced && !sync_file(file->pages.descriptor))
        return false;
    file->unsynced = false;
    return true;
}

static bool commit(ss_part_file *file, ss_page *const *list, const void *rest, size_t rest_bytes)
{
    ss_pages *pages = &file->pages;
    size_t first = first_new(file, list, pages->count);
    if (!write_pages(file, list, first, pages->count) || !extend(file) || !sync_part(file))
        return false;
    head h = {
        .sequence = file->sequence + 1, .end = pages->end, .pages = first, .rest = rest_bytes};
    memcpy(h.mark, mark, sizeof h.mark);
    if (!write_checkpoint(file, &h, list, rest))
        return false;
    file->sequence++;
    file->committed = pages->end;
    return write_pages(file, list, 0, first);
}

static ss_status empty_pages(ss_part_file *file, ss_page **list, bool written)
{
    int error = errno;
    free(list);
    if (!written)
        return fail(file, "write", error);
    file->pages.on_disk = file->pages.end;
    ss_pages_drop(&file->pages);
    return SS_OK;
}

ss_status ss_part_file_commit(ss_part_file *file, const void *rest, size_t rest_bytes)
{
    ss_page **list = ss_pages_sorted(&file->pages);
    if (file->pages.error)
        return fail(file, "write", file->pages.error);
    return empty_pages(file, list, commit(file, list, rest, rest_bytes));
}

ss_status ss_part_file_write(ss_part_file *file)
{
    ss_page **list = ss_pages_sorted(&file->pages);
    if (file->pages.error)
        return fail(file, "write", file->pages.error);
    bool written = write_pages(file, list, 0, file->pages.count) && extend(file);
    SS_TRY(empty_pages(file, list, written));
    file->committed = file->pages.end;
    return SS_OK;
}

/* ---- Copies ---- */

static ss_status fail_to_read(const ss_part_file *file, const char *from, int error)
{
    return ss_fail(file->context, SS_IO, "record '%s': cannot read it: %s", from, strerror(error));
}

static ss_status copy_bytes(ss_part_file *file, const char *from, int source)
{
    char block[65536];
    uint64_t offset = 0;
    for (;;) {
        ssize_t n = pread(source, block, sizeof block, (off_t)offset);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_to_read(file, from, errno);
        if (!write_at(file->pages.descriptor, offset, block, (size_t)n))
            return fail(file, "write", errno);
        offset += (uint64_t)n;
    }
    file->pages.end = file->pages.on_disk = file->committed = offset;
    file->unsynced = true;
    return SS_OK;
}

/* Sizes that fit the file, and the checksum. */
static ss_status check(ss_arena *arena, int descriptor, checkpoint *c)
{
    struct stat info;
    head *h = &c->head;
    if (fstat(descriptor, &info) != 0 || !read_at(descriptor, 0, h, sizeof *h) ||
        memcmp(h->mark, mark, sizeof mark) != 0)
        return SS_OK;
    uint64_t size = (uint64_t)info.st_size - sizeof *h, each = SS_PAGE + sizeof *c->places;
    if (h->pages > size / each || h->rest != size - h->pages * each || h->end > INT64_MAX)
        return SS_OK;
    char *bytes;
    SS_TRY(SS_ARENA_NEW(arena, size, &bytes));
    if (!read_at(descriptor, sizeof *h, bytes, size))
        return SS_OK;
    ss_sha256 sum;
    unsigned char digest[SS_SHA256_BYTES];
    ss_sha256_begin(&sum);
    ss_sha256_add(&sum, h, offsetof(head, digest));
    ss_sha256_add(&sum, bytes, size);
    ss_sha256_end(&sum, digest);
    c->places = (uint64_t *)(void *)bytes;
    c->pages = (unsigned char *)bytes + h->pages * sizeof *c->places;
    c->rest = c->pages + h->pages * SS_PAGE;
    c->whole = memcmp(digest, h->digest, sizeof digest) == 0;
    for (size_t i = 0; i < h->pages && c->whole; i++)
        c->whole = c->places[i] < h->end / SS_PAGE + 1;
    return SS_OK;
}

static ss_status read_checkpoint(ss_arena *arena, const char *part, int which, checkpoint *c)
{
    char name[PATH_MAX];
    *c = (checkpoint){0};
    int descriptor = checkpoint_name(part, which, name)
                         ? open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                         : -1;
    if (descriptor < 0)
        return SS_OK;
    c->there = true;
    ss_status status = check(arena, descriptor, c);
    close(descriptor);
    return status;
}

/* The newer whole one; NULL: none is. *in_place: the other one was being replaced, which begins only when the changes of
 * this one have reached the file. */
static const checkpoint *newest(const checkpoint c[2], bool *in_place)
{
    int which = c[0].whole && (!c[1].whole || c[0].head.sequence > c[1].head.sequence) ? 0 : 1;
    *in_place = c[1 - which].there && !c[1 - which].whole;
    return c[which].whole ? &c[which] : NULL;
}

static ss_status apply(ss_part_file *file, const checkpoint *c, bool in_place)
{
    ss_pages *pages = &file->pages;
    for (size_t i = 0; i < c->head.pages && !in_place; i++) {
        uint64_t offset = c->places[i] * SS_PAGE, end = c->head.end;
        size_t count = offset >= end            ? 0
                       : end - offset < SS_PAGE ? (size_t)(end - offset)
                                                : SS_PAGE;
        if (!write_at(pages->descriptor, offset, c->pages + i * SS_PAGE, count))
            return fail(file, "write", errno);
    }
    if (!in_place)
        pages->end = c->head.end;
    if (ftruncate(pages->descriptor, (off_t)pages->end) != 0)
        return fail(file, "write", errno);
    pages->on_disk = file->committed = pages->end;
    return SS_OK;
}

static ss_status copy_part(ss_part_file *file, ss_arena *arena, const char *from, int source,
                           const checkpoint **c)
{
    enum { MOST_COPIES = 8 };
    for (int i = 0; i < MOST_COPIES; i++) {
        checkpoint *before, *after;
        bool in_place = false, was = false;
        SS_TRY(SS_ARENA_NEW(arena, 2, &before));
        SS_TRY(SS_ARENA_NEW(arena, 2, &after));
        for (int k = 0; k < 2; k++)
            SS_TRY(read_checkpoint(arena, from, k, &before[k]));
        SS_TRY(copy_bytes(file, from, source));
        for (int k = 0; k < 2; k++)
            SS_TRY(read_checkpoint(arena, from, k, &after[k]));
        const checkpoint *old = newest(before, &was);
        *c = newest(after, &in_place);
        /* A running simulation may have committed while the file was copied: then it is copied again. */
        bool same = old && *c && old->head.sequence == (*c)->head.sequence && was == in_place;
        if (same)
            return apply(file, *c, in_place);
        if (!old && !*c)
            return ss_fail(file->context, SS_INPUT,
                           "'%s' holds no whole checkpoint: neither '%s.0' nor '%s.1' is whole",
                           from, from, from);
    }
    return ss_fail(file->context, SS_IO,
                   "record '%s': a running simulation writes it faster than it can be read", from);
}

ss_status ss_part_file_copy(ss_part_file *file, ss_arena *arena, const char *from, void **rest,
                            size_t *rest_bytes)
{
    const checkpoint *c = NULL;
    *rest = NULL;
    *rest_bytes = 0;
    int source = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (source < 0)
        return ss_fail(file->context, SS_IO, "record '%s': cannot open it: %s", from,
                       strerror(errno));
    ss_status status = copy_part(file, arena, from, source, &c);
    close(source);
    if (status == SS_OK && c && c->head.rest > 0) {
        *rest = c->rest;
        *rest_bytes = c->head.rest;
    }
    return status;
}

bool ss_part_file_is(const char *path)
{
    char name[PATH_MAX];
    for (int i = 0; i < 2; i++)
        if (checkpoint_name(path, i, name) && access(name, F_OK) == 0)
            return true;
    return false;
}

/* ---- The end ---- */

static void close_descriptor(ss_part_file *file)
{
    if (file->pages.descriptor >= 0)
        close(file->pages.descriptor);
    file->pages.descriptor = -1;
    ss_pages_drop(&file->pages);
}

static void remove_checkpoints(const ss_part_file *file)
{
    char name[PATH_MAX];
    for (int i = 0; i < 2; i++)
        if (checkpoint_name(file->part, i, name))
            unlink(name);
}

/* The checkpoints go last: an old one must never meet a newer file. */
ss_status ss_part_file_finish(ss_part_file *file)
{
    int descriptor = file->pages.descriptor;
    if (ftruncate(descriptor, (off_t)file->pages.end) != 0 || !sync_file(descriptor))
        return fail(file, "write", errno);
    close_descriptor(file);
    if (rename(file->part, file->path) != 0)
        return ss_fail(file->context, SS_IO, "record '%s': cannot give it its name: %s", file->path,
                       strerror(errno));
    bool synced = sync_folder(file->path);
    int error = errno;
    remove_checkpoints(file);
    file->part = NULL;
    return synced ? SS_OK : fail(file, "sync the folder of", error);
}

void ss_part_file_leave(ss_part_file *file)
{
    close_descriptor(file);
    file->part = NULL;
}

void ss_part_file_discard(ss_part_file *file)
{
    close_descriptor(file);
    if (!file->part)
        return;
    unlink(file->part);
    remove_checkpoints(file);
    file->part = NULL;
}
