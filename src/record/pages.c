/* pages.c: a driver of HDF5 that keeps in memory what is written. Its memory is that of HDF5, from malloc: the limits of
 * a context hold for the model, not for the library below. */
#include "record/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Pages ---- */

static ss_page *find(const ss_pages *pages, uint64_t index)
{
    ss_page *page = pages->buckets ? pages->table[index % pages->buckets] : NULL;
    while (page && page->index != index)
        page = page->next;
    return page;
}

static bool grow(ss_pages *pages)
{
    size_t buckets = pages->buckets ? 2 * pages->buckets : 256;
    ss_page **table = calloc(buckets, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < pages->buckets; i++)
        for (ss_page *page = pages->table[i], *next; page; page = next) {
            next = page->next;
            page->next = table[page->index % buckets];
            table[page->index % buckets] = page;
        }
    free(pages->table);
    pages->table = table;
    pages->buckets = buckets;
    return true;
}

/* The bytes below; zeros where the file does not reach. */
static bool read_below(const ss_pages *pages, uint64_t offset, size_t count, unsigned char *bytes)
{
    while (count > 0 && offset < pages->on_disk) {
        ssize_t n = pread(pages->descriptor, bytes, count, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        bytes += n;
        offset += (uint64_t)n;
        count -= (size_t)n;
    }
    memset(bytes, 0, count);
    return true;
}

/* A page to be written to; `whole`: all of it will be. */
static ss_page *provide(ss_pages *pages, uint64_t index, bool whole)
{
    ss_page *page = find(pages, index);
    if (page)
        return page;
    if (pages->count >= pages->buckets && !grow(pages))
        return NULL;
    page = malloc(sizeof *page);
    if (!page)
        return NULL;
    if (!whole && !read_below(pages, index * SS_PAGE, SS_PAGE, page->bytes)) {
        free(page);
        return NULL;
    }
    page->index = index;
    page->next = pages->table[index % pages->buckets];
    pages->table[index % pages->buckets] = page;
    pages->count++;
    return page;
}

static int in_order(const void *a, const void *b)
{
    uint64_t x = (*(ss_page *const *)a)->index, y = (*(ss_page *const *)b)->index;
    return (x > y) - (x < y);
}

ss_page **ss_pages_sorted(ss_pages *pages)
{
    if (pages->count == 0)
        return NULL;
    ss_page **list = malloc(pages->count * sizeof *list);
    if (!list) {
        pages->error = ENOMEM;
        return NULL;
    }
    size_t n = 0;
    for (size_t i = 0; i < pages->buckets; i++)
        for (ss_page *page = pages->table[i]; page; page = page->next)
            list[n++] = page;
    qsort(list, n, sizeof *list, in_order);
    return list;
}

void ss_pages_drop(ss_pages *pages)
{
    for (size_t i = 0; i < pages->buckets; i++)
        for (ss_page *page = pages->table[i], *next; page; page = next) {
            next = page->next;
            free(page);
        }
    free(pages->table);
    pages->table = NULL;
    pages->count = pages->buckets = 0;
}

/* ---- The driver ---- */

typedef struct driver_file {
    H5FD_t base; /* HDF5's own part: first */
    ss_pages *pages;
    haddr_t eoa;
} driver_file;

/* What the access properties carry. */
typedef struct driver_info {
    ss_pages *pages;
} driver_info;

static ss_pages *pages_of(const H5FD_t *file)
{
    return ((const driver_file *)file)->pages;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)most;
    const driver_info *info = H5Pget_driver_info(access);
    driver_file *file = info ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    file->pages = info->pages;
    if (flags & H5F_ACC_TRUNC) {
        ss_pages_drop(file->pages);
        file->pages->end = 0;
    }
    return &file->base;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

/* Those of HDF5's own driver for files, so that files look the same. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((driver_file *)file)->eoa = eoa;
    return 0;
}

static haddr_t driver_end(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return pages_of(file)->end;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t start, size_t count,
                          void *bytes)
{
    (void)type;
    (void)list;
    const ss_pages *pages = pages_of(file);
    unsigned char *to = bytes;
    uint64_t offset = start;
    while (count > 0) {
        size_t in_page = offset % SS_PAGE;
        size_t n = SS_PAGE - in_page < count ? SS_PAGE - in_page : count;
        const ss_page *page = find(pages, offset / SS_PAGE);
        if (page)
            memcpy(to, page->bytes + in_page, n);
        else if (!read_below(pages, offset, n, to))
            return -1;
        to += n;
        offset += n;
        count -= n;
    }
    return 0;
}

/* HDF5 is never told of a failure, which it does not survive: the commit is. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t start, size_t count,
                           const void *bytes)
{
    (void)type;
    (void)list;
    ss_pages *pages = pages_of(file);
    const unsigned char *from = bytes;
    uint64_t offset = start;
    while (count > 0) {
        size_t in_page = offset % SS_PAGE;
        size_t n = SS_PAGE - in_page < count ? SS_PAGE - in_page : count;
        ss_page *page = provide(pages, offset / SS_PAGE, n == SS_PAGE);
        if (page)
            memcpy(page->bytes + in_page, from, n);
        else if (!pages->error)
            pages->error = errno ? errno : ENOMEM;
        from += n;
        offset += n;
        count -= n;
    }
    pages->end = offset > pages->end ? offset : pages->end;
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t list, hbool_t closing)
{
    (void)list;
    (void)closing;
    pages_of(file)->end = ((driver_file *)file)->eoa;
    return 0;
}

hid_t ss_pages_access(ss_pages *pages)
{
    static const H5FD_class_t driver = {
        .name = "stickslip",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(driver_info),
        .open = driver_open,
        .close = driver_close,
        .query = driver_query,
        .get_eoa = driver_eoa,
        .set_eoa = driver_set_eoa,
        .get_eof = driver_end,
        .read = driver_read,
        .write = driver_write,
        .truncate = driver_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    driver_info info = {pages};
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), id = H5FDregister(&driver);
    H5Pset_driver(list, id, &info);
    H5FDunregister(id);
    return list;
}
