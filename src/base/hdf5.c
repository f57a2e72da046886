/* hdf5.c: files, groups and descriptions of arrays in HDF5 files. */
#include "base/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t undefined = UINT64_MAX;

ss_status ss_hdf5_fault(ss_hdf5 *file, const char *fault)
{
    file->fault = fault;
    return SS_INPUT;
}

static ss_status system_fault(ss_hdf5 *file)
{
    file->fault = strerror(errno);
    return SS_IO;
}

uint64_t ss_hdf5_number(const uint8_t *bytes, int count)
{
    uint64_t number = 0;
    for (int i = count - 1; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

static unsigned short_at(const uint8_t *bytes)
{
    return (unsigned)ss_hdf5_number(bytes, 2);
}

static uint64_t word_at(const uint8_t *bytes)
{
    return ss_hdf5_number(bytes, 8);
}

/* ---- Bytes ---- */

static ss_status read_at(ss_hdf5 *file, uint64_t address, size_t count, uint8_t *bytes)
{
    while (count > 0) {
        ssize_t n = pread(file->descriptor, bytes, count, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return system_fault(file);
        if (n == 0)
            return ss_hdf5_fault(file, "ends too early");
        bytes += n;
        address += (uint64_t)n;
        count -= (size_t)n;
    }
    return SS_OK;
}

/* What describes the file is small and lies close together: it comes from a window of the file. */
ss_status ss_hdf5_fetch(ss_hdf5 *file, uint64_t address, uint64_t count, void *bytes)
{
    if (address > file->end || count > file->end - address)
        return ss_hdf5_fault(file, "points outside of the file");
    if (count > SS_HDF5_WINDOW / 2)
        return read_at(file, address, count, bytes);
    bool inside = address >= file->at && address - file->at <= file->held &&
                  count <= file->held - (address - file->at);
    if (!inside) {
        uint64_t left = file->end - address;
        size_t more = left < SS_HDF5_WINDOW ? (size_t)left : SS_HDF5_WINDOW;
        file->held = 0;
        SS_TRY(read_at(file, address, more, file->window));
        file->at = address;
        file->held = more;
    }
    memcpy(bytes, file->window + (address - file->at), count);
    return SS_OK;
}

/* ---- Files ---- */

static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* The superblock of version 0. Its base address is 0: there is no user block. */
static ss_status read_superblock(ss_hdf5 *file, uint64_t size)
{
    uint8_t block[96];
    file->end = size;
    if (size < sizeof block)
        return ss_hdf5_fault(file, "is no HDF5 file");
    SS_TRY(ss_hdf5_fetch(file, 0, sizeof block, block));
    if (memcmp(block, signature, sizeof signature) != 0)
        return ss_hdf5_fault(file, "is no HDF5 file");
    if (block[8] != 0 || block[13] != 8 || block[14] != 8)
        return ss_hdf5_fault(file, "is of another form of HDF5");
    if (word_at(block + 24) != 0)
        return ss_hdf5_fault(file, "has something in front of it");
    uint64_t end = word_at(block + 40);
    if (end > size)
        return ss_hdf5_fault(file, "ends too early");
    file->end = end;
    file->held = 0;
    file->root = word_at(block + 64);
    return SS_OK;
}

static ss_status open_file(ss_hdf5 *file, const char *path, bool locked)
{
    struct stat status;
    /* Opening a pipe would wait. */
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
        return system_fault(file);
    if (!S_ISREG(status.st_mode))
        return ss_hdf5_fault(file, "is no HDF5 file");
    /* Who writes holds it alone. File systems without locks are no fault. */
    if (locked && flock(file->descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        file->fault = "a running simulation is writing it";
        return SS_IO;
    }
    return read_superblock(file, (uint64_t)status.st_size);
}

ss_status ss_hdf5_open(ss_hdf5 *file, ss_context *context, const char *path, bool locked)
{
    *file = (ss_hdf5){.context = context, .descriptor = -1};
    ss_status status = open_file(file, path, locked);
    if (status != SS_OK)
        ss_hdf5_close(file);
    return status;
}

void ss_hdf5_close(ss_hdf5 *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

/* ---- Headers of objects ---- */

enum {
    SPACE = 1,
    TYPE = 3,
    LINK = 6,
    EXTERNAL = 7,
    LAYOUT = 8,
    FILTERS = 11,
    ATTRIBUTE = 12,
    CONTINUED = 16,
    MEMBERS = 17,
    ATTRIBUTES_ELSEWHERE = 21,
    MOST_BLOCKS = 64
};

typedef struct message {
    unsigned type, flags, size;
    uint64_t address;
} message;

typedef ss_status (*message_fn)(ss_hdf5 *file, const message *m, void *user);

typedef struct blocks {
    int count;
    unsigned left; /* messages */
    struct {
        uint64_t address, size;
    } block[MOST_BLOCKS];
} blocks;

static ss_status add_block(ss_hdf5 *file, blocks *b, uint64_t address, uint64_t size)
{
    if (b->count == MOST_BLOCKS || address > file->end || size > file->end - address)
        return ss_hdf5_fault(file, "has an impossible description");
    b->block[b->count].address = address;
    b->block[b->count++].size = size;
    return SS_OK;
}

static ss_status continue_at(ss_hdf5 *file, blocks *b, const message *m)
{
    uint8_t bytes[16];
    if (m->size < sizeof bytes)
        return ss_hdf5_fault(file, "has an impossible description");
    SS_TRY(ss_hdf5_fetch(file, m->address, sizeof bytes, bytes));
    return add_block(file, b, word_at(bytes), word_at(bytes + 8));
}

static ss_status walk_block(ss_hdf5 *file, blocks *b, int index, message_fn visit, void *user)
{
    uint64_t at = b->block[index].address, end = at + b->block[index].size;
    for (; b->left > 0 && end - at >= 8; b->left--) {
        uint8_t head[8];
        SS_TRY(ss_hdf5_fetch(file, at, sizeof head, head));
        message m = {short_at(head), head[4], short_at(head + 2), at + 8};
        if (m.size > end - m.address)
            return ss_hdf5_fault(file, "has an impossible description");
        if (m.flags & 2)
            return ss_hdf5_fault(file, "shares its description with another object");
        SS_TRY(m.type == CONTINUED ? continue_at(file, b, &m) : visit(file, &m, user));
        at = m.address + m.size;
    }
    return SS_OK;
}

static ss_status walk_header(ss_hdf5 *file, uint64_t header, message_fn visit, void *user)
{
    uint8_t head[16];
    SS_TRY(ss_hdf5_fetch(file, header, sizeof head, head));
    if (head[0] != 1)
        return ss_hdf5_fault(file, memcmp(head, "OHDR", 4) == 0 ? "is of another form of HDF5"
                                                                : "is no object");
    blocks b = {.left = short_at(head + 2)};
    SS_TRY(add_block(file, &b, header + 16, ss_hdf5_number(head + 8, 4)));
    for (int i = 0; i < b.count; i++)
        SS_TRY(walk_block(file, &b, i, visit, user));
    return SS_OK;
}

/* ---- Groups ---- */

enum { LONGEST_NAME = 255, DEEPEST_TREE = 8, MOST_NODES = 4096, MOST_MEMBERS = 10000 };

/* A group that is listed: its tree of names. */
typedef struct group {
    bool found;
    uint64_t tree, heap;         /* addresses */
    uint64_t names, names_bytes; /* the segment of the heap */
    int nodes, members;
    ss_status (*each)(ss_hdf5 *file, const char *name, uint64_t header, void *user);
    void *user;
} group;

static ss_status find_members(ss_hdf5 *file, const message *m, void *user)
{
    group *g = user;
    uint8_t bytes[16];
    if (m->type == LINK)
        return ss_hdf5_fault(file, "has links that may lead elsewhere");
    if (m->type != MEMBERS)
        return SS_OK;
    if (m->size < sizeof bytes)
        return ss_hdf5_fault(file, "has an impossible description");
    SS_TRY(ss_hdf5_fetch(file, m->address, sizeof bytes, bytes));
    g->found = true;
    g->tree = word_at(bytes);
    g->heap = word_at(bytes + 8);
    return SS_OK;
}

static ss_status open_heap(ss_hdf5 *file, group *g)
{
    uint8_t head[32];
    SS_TRY(ss_hdf5_fetch(file, g->heap, sizeof head, head));
    g->names = word_at(head + 24);
    g->names_bytes = word_at(head + 8);
    bool fits = memcmp(head, "HEAP", 4) == 0 && g->names <= file->end &&
                g->names_bytes <= file->end - g->names;
    return fits ? SS_OK : ss_hdf5_fault(file, "has no names");
}

static ss_status visit_member(ss_hdf5 *file, group *g, const uint8_t entry[40])
{
    char name[LONGEST_NAME + 1];
    uint64_t offset = word_at(entry);
    if (g->members++ == MOST_MEMBERS)
        return ss_hdf5_fault(file, "has too many parts");
    if (offset >= g->names_bytes)
        return ss_hdf5_fault(file, "has a name that is not there");
    uint64_t left = g->names_bytes - offset;
    size_t count = left < sizeof name ? (size_t)left : sizeof name;
    SS_TRY(ss_hdf5_fetch(file, g->names + offset, count, name));
    if (!memchr(name, '\0', count))
        return ss_hdf5_fault(file, "has too long a name");
    if (ss_hdf5_number(entry + 16, 4) == 2)
        return ss_hdf5_fault(file, "has links that may lead elsewhere");
    return g->each(file, name, word_at(entry + 8), g->user);
}

static ss_status visit_names(ss_hdf5 *file, group *g, uint64_t address)
{
    uint8_t head[8], entry[40];
    SS_TRY(ss_hdf5_fetch(file, address, sizeof head, head));
    if (memcmp(head, "SNOD", 4) != 0)
        return ss_hdf5_fault(file, "has no names");
    unsigned count = short_at(head + 6);
    for (unsigned i = 0; i < count; i++) {
        SS_TRY(ss_hdf5_fetch(file, address + 8 + (uint64_t)40 * i, sizeof entry, entry));
        SS_TRY(visit_member(file, g, entry));
    }
    return SS_OK;
}

/* Levels descend, so that there is no circle. */
static ss_status visit_tree(ss_hdf5 *file, group *g, uint64_t address, int level)
{
    uint8_t head[24], child[8];
    SS_TRY(ss_hdf5_fetch(file, address, sizeof head, head));
    bool fits = memcmp(head, "TREE", 4) == 0 && head[4] == 0 && head[5] < DEEPEST_TREE &&
                (level < 0 || head[5] == level) && g->nodes++ < MOST_NODES;
    if (!fits)
        return ss_hdf5_fault(file, "has no names");
    unsigned count = short_at(head + 6);
    for (unsigned i = 0; i < count; i++) {
        SS_TRY(ss_hdf5_fetch(file, address + 32 + (uint64_t)16 * i, sizeof child, child));
        SS_TRY(head[5] > 0 ? visit_tree(file, g, word_at(child), head[5] - 1)
                           : visit_names(file, g, word_at(child)));
    }
    return SS_OK;
}

/* Not a group: nothing is listed, and g->found is false. */
static ss_status list_group(ss_hdf5 *file, uint64_t header, group *g)
{
    SS_TRY(walk_header(file, header, find_members, g));
    if (!g->found)
        return SS_OK;
    SS_TRY(open_heap(file, g));
    return visit_tree(file, g, g->tree, -1);
}

/* ---- Paths ---- */

typedef struct lookup {
    const char *name;
    size_t length;
    uint64_t header; /* undefined: not found */
} lookup;

static ss_status compare_name(ss_hdf5 *file, const char *name, uint64_t header, void *user)
{
    lookup *l = user;
    (void)file;
    if (strlen(name) == l->length && memcmp(name, l->name, l->length) == 0)
        l->header = header;
    return SS_OK;
}

/* The header of the object at a path; undefined: it is missing. */
static ss_status find_header(ss_hdf5 *file, const char *path, uint64_t *header)
{
    *header = file->root;
    for (const char *part = path + (path[0] == '/'); *part && *header != undefined;) {
        lookup l = {part, strcspn(part, "/"), undefined};
        group g = {.each = compare_name, .user = &l};
        SS_TRY(list_group(file, *header, &g));
        *header = l.header;
        part += l.length + (part[l.length] == '/');
    }
    return SS_OK;
}

ss_status ss_hdf5_find(ss_hdf5 *file, const char *path, ss_hdf5_kind *kind)
{
    uint64_t header;
    *kind = SS_HDF5_NOTHING;
    SS_TRY(find_header(file, path, &header));
    if (header == undefined)
        return SS_OK;
    group g = {0};
    SS_TRY(walk_header(file, header, find_members, &g));
    *kind = g.found ? SS_HDF5_GROUP : SS_HDF5_ARRAY;
    return SS_OK;
}

typedef struct listing {
    ss_hdf5_name_fn each;
    void *user;
} listing;

static ss_status list_name(ss_hdf5 *file, const char *name, uint64_t header, void *user)
{
    const listing *l = user;
    (void)file;
    (void)header;
    return l->each(l->user, name);
}

static ss_status find_existing(ss_hdf5 *file, const char *path, uint64_t *header)
{
    SS_TRY(find_header(file, path, header));
    return *header == undefined ? ss_hdf5_fault(file, "is missing") : SS_OK;
}

ss_status ss_hdf5_members(ss_hdf5 *file, const char *path, ss_hdf5_name_fn each, void *user)
{
    uint64_t header;
    listing l = {each, user};
    group g = {.each = list_name, .user = &l};
    SS_TRY(find_existing(file, path, &header));
    return list_group(file, header, &g);
}

/* ---- Descriptions of arrays ---- */

static ss_status read_space(ss_hdf5 *file, const message *m, ss_hdf5_array *array)
{
    uint8_t bytes[8 + 32];
    size_t size = m->size < sizeof bytes ? m->size : sizeof bytes;
    if (size < 4)
        return ss_hdf5_fault(file, "has an impossible size");
    SS_TRY(ss_hdf5_fetch(file, m->address, size, bytes));
    int version = bytes[0], rank = bytes[1];
    size_t head = version == 1 ? 8 : 4, sizes = (size_t)rank * 8;
    bool limited = bytes[2] & 1;
    if ((version != 1 && version != 2) || (version == 2 && bytes[3] > 1) || rank > 2 ||
        size < head + sizes * (limited ? 2 : 1))
        return ss_hdf5_fault(file, "has an impossible size");
    array->rank = rank;
    array->extent[0] = rank > 0 ? word_at(bytes + head) : 1;
    array->extent[1] = rank > 1 ? word_at(bytes + head + 8) : 1;
    array->growing = rank > 0 && limited && word_at(bytes + head + sizes) == undefined;
    return SS_OK;
}

static bool is_integer(const uint8_t *type, uint32_t bytes)
{
    return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && short_at(type + 8) == 0 &&
           short_at(type + 10) == 8 * bytes;
}

/* IEEE 754 of single or double precision. */
static bool is_real(const uint8_t *type, uint32_t bytes)
{
    static const uint8_t single[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127},
                         twice[12] = {0, 0, 64, 0, 52, 11, 0, 52, 255, 3};
    return (bytes == 8 && memcmp(type + 8, twice, 12) == 0) ||
           (bytes == 4 && memcmp(type + 8, single, 12) == 0);
}

static ss_status read_type(ss_hdf5 *file, const message *m, ss_hdf5_array *array)
{
    static const char other[] = "is neither numbers nor texts of fixed length";
    uint8_t type[20] = {0};
    size_t size = m->size < sizeof type ? m->size : sizeof type;
    if (size < 8)
        return ss_hdf5_fault(file, other);
    SS_TRY(ss_hdf5_fetch(file, m->address, size, type));
    array->bytes = (uint32_t)ss_hdf5_number(type + 4, 4);
    array->big_endian = type[1] & 1;
    array->is_signed = type[1] & 8;
    bool fits = array->bytes > 0;
    switch (type[0] & 15) {
    case 0:
        array->class = SS_HDF5_INTEGER;
        fits = fits && size >= 12 && is_integer(type, array->bytes);
        break;
    case 1:
        array->class = SS_HDF5_REAL;
        fits = fits && size == sizeof type && !(type[1] & 64) && is_real(type, array->bytes);
        break;
    case 3:
        array->class = SS_HDF5_TEXT;
        break;
    default:
        fits = false;
    }
    return fits ? SS_OK : ss_hdf5_fault(file, other);
}

/* What is said of a dataset, in any order. */
typedef struct description {
    ss_hdf5_array *array;
    bool space, type, layout;
    uint64_t tree; /* of chunks */
} description;

static ss_status read_layout(ss_hdf5 *file, const message *m, description *d)
{
    uint8_t bytes[32] = {0};
    size_t size = m->size < sizeof bytes ? m->size : sizeof bytes;
    ss_hdf5_array *array = d->array;
    SS_TRY(ss_hdf5_fetch(file, m->address, size, bytes));
    if (bytes[0] != 3 || bytes[1] > 2)
        return ss_hdf5_fault(file, "is stored in a form that stickslip does not write");
    array->layout = bytes[1] == 2 ? SS_HDF5_CHUNKED : SS_HDF5_WHOLE;
    if (bytes[1] == 0) {
        array->address = m->address + 4;
        array->stored = short_at(bytes + 2);
        return array->stored + 4 <= m->size ? SS_OK : ss_hdf5_fault(file, "has an impossible size");
    }
    if (bytes[1] == 1) {
        array->address = word_at(bytes + 2);
        array->stored = word_at(bytes + 10);
        return size >= 18 ? SS_OK : ss_hdf5_fault(file, "has an impossible size");
    }
    int rank = bytes[2] - 1;
    if (rank < 1 || rank > 2 || size < 11 + 4 * ((size_t)rank + 1))
        return ss_hdf5_fault(file, "has chunks of an impossible size");
    d->tree = word_at(bytes + 3);
    array->chunk[0] = ss_hdf5_number(bytes + 11, 4);
    array->chunk[1] = rank == 2 ? ss_hdf5_number(bytes + 15, 4) : 1;
    return SS_OK;
}

static ss_status read_filters(ss_hdf5 *file, const message *m, ss_hdf5_array *array)
{
    uint8_t head[8];
    if (m->size < 8)
        return ss_hdf5_fault(file, "is compressed by an unknown filter");
    SS_TRY(ss_hdf5_fetch(file, m->address, sizeof head, head));
    if (head[0] != 1 || head[1] > SS_HDF5_FILTERS)
        return ss_hdf5_fault(file, "is compressed by an unknown filter");
    array->n_filters = head[1];
    uint64_t at = 8;
    for (int i = 0; i < array->n_filters; i++) {
        if (m->size < at + 8)
            return ss_hdf5_fault(file, "is compressed by an unknown filter");
        SS_TRY(ss_hdf5_fetch(file, m->address + at, sizeof head, head));
        array->filters[i] = (uint16_t)short_at(head);
        if (array->filters[i] < 1 || array->filters[i] > 3)
            return ss_hdf5_fault(file, "is compressed by an unknown filter");
        unsigned values = short_at(head + 6);
        at += 8 + (uint64_t)(short_at(head + 2) + 7) / 8 * 8 + 4 * (uint64_t)(values + values % 2);
    }
    return SS_OK;
}

static ss_status describe(ss_hdf5 *file, const message *m, void *user)
{
    description *d = user;
    switch (m->type) {
    case SPACE:
        d->space = true;
        return read_space(file, m, d->array);
    case TYPE:
        d->type = true;
        return read_type(file, m, d->array);
    case LAYOUT:
        d->layout = true;
        return read_layout(file, m, d);
    case FILTERS:
        return read_filters(file, m, d->array);
    case EXTERNAL:
        return ss_hdf5_fault(file, "is stored in other files");
    default:
        return SS_OK;
    }
}

/* An array that is whole lies in the file, or was never written and reads as zeros. */
static ss_status check_whole(ss_hdf5_array *array, uint64_t bytes)
{
    ss_hdf5 *file = array->file;
    bool written = array->address != undefined;
    bool fits = array->n_filters == 0 && bytes <= file->end &&
                (!written || (bytes <= array->stored && array->address <= file->end &&
                              bytes <= file->end - array->address));
    return fits ? SS_OK : ss_hdf5_fault(file, "is larger than its file");
}

static ss_status check_size(ss_hdf5_array *array, uint64_t *bytes)
{
    uint64_t rows = array->extent[0], columns = array->extent[1];
    uint64_t most = (uint64_t)INT64_MAX / array->bytes;
    if ((columns > 0 && rows > most / columns) || columns > most)
        return ss_hdf5_fault(array->file, "has an impossible size");
    *bytes = rows * columns * array->bytes;
    return SS_OK;
}

static ss_status open_dataset(ss_hdf5_array *array, uint64_t header)
{
    description d = {.array = array};
    uint64_t bytes;
    SS_TRY(walk_header(array->file, header, describe, &d));
    if (!d.space || !d.type || !d.layout)
        return ss_hdf5_fault(array->file, "is no dataset");
    SS_TRY(check_size(array, &bytes));
    if (array->layout == SS_HDF5_WHOLE)
        return check_whole(array, bytes);
    if (array->class == SS_HDF5_TEXT)
        return ss_hdf5_fault(array->file, "is a text in chunks");
    return ss_hdf5_chunks(array, d.tree);
}

/* ---- Attributes ---- */

typedef struct attribute {
    uint64_t type, space, value, end; /* addresses */
    char name[LONGEST_NAME + 1];
} attribute;

static uint64_t padded(uint64_t size, int version)
{
    return version == 1 ? (size + 7) / 8 * 8 : size;
}

static ss_status read_attribute(ss_hdf5 *file, const message *m, attribute *a)
{
    uint8_t head[9] = {0};
    if (m->size < sizeof head)
        return ss_hdf5_fault(file, "has an impossible attribute");
    SS_TRY(ss_hdf5_fetch(file, m->address, sizeof head, head));
    int version = head[0];
    unsigned name = short_at(head + 2), type = short_at(head + 4), space = short_at(head + 6);
    a->end = m->address + m->size;
    a->type = m->address + (version == 3 ? 9 : 8) + padded(name, version);
    a->space = a->type + padded(type, version);
    a->value = a->space + padded(space, version);
    if (version < 1 || version > 3 || (version > 1 && head[1] != 0) || a->value > a->end ||
        name < 1 || name > sizeof a->name)
        return ss_hdf5_fault(file, "has an impossible attribute");
    SS_TRY(ss_hdf5_fetch(file, m->address + (version == 3 ? 9 : 8), name, a->name));
    return memchr(a->name, '\0', name) ? SS_OK : ss_hdf5_fault(file, "has an impossible attribute");
}

typedef struct attribute_lookup {
    const char *name; /* NULL: all are listed */
    bool found;
    ss_hdf5_array *array;
    listing list;
} attribute_lookup;

static ss_status take_attribute(ss_hdf5 *file, const attribute *a, attribute_lookup *l)
{
    uint64_t bytes;
    message type = {TYPE, 0, (unsigned)(a->space - a->type), a->type};
    message space = {SPACE, 0, (unsigned)(a->value - a->space), a->space};
    ss_hdf5_array *array = l->array;
    SS_TRY(read_type(file, &type, array));
    SS_TRY(read_space(file, &space, array));
    SS_TRY(check_size(array, &bytes));
    array->layout = SS_HDF5_WHOLE;
    array->address = a->value;
    array->stored = a->end - a->value;
    l->found = true;
    return check_whole(array, bytes);
}

static ss_status visit_attribute(ss_hdf5 *file, const message *m, void *user)
{
    attribute_lookup *l = user;
    attribute a;
    if (m->type == ATTRIBUTES_ELSEWHERE)
        return ss_hdf5_fault(file, "has attributes in a form that stickslip does not write");
    if (m->type != ATTRIBUTE)
        return SS_OK;
    SS_TRY(read_attribute(file, m, &a));
    if (!l->name)
        return l->list.each(l->list.user, a.name);
    return strcmp(a.name, l->name) == 0 ? take_attribute(file, &a, l) : SS_OK;
}

ss_status ss_hdf5_attributes(ss_hdf5 *file, const char *path, ss_hdf5_name_fn each, void *user)
{
    uint64_t header;
    attribute_lookup l = {.list = {each, user}};
    SS_TRY(find_existing(file, path, &header));
    return walk_header(file, header, visit_attribute, &l);
}

ss_status ss_hdf5_array_open(ss_hdf5 *file, const char *path, const char *name,
                             ss_hdf5_array *array)
{
    uint64_t header;
    *array = (ss_hdf5_array){.file = file, .decoded = SIZE_MAX};
    SS_TRY(find_existing(file, path, &header));
    if (!name)
        return open_dataset(array, header);
    attribute_lookup l = {.name = name, .array = array};
    SS_TRY(walk_header(file, header, visit_attribute, &l));
    return l.found ? SS_OK : ss_hdf5_fault(file, "is missing");
}

void ss_hdf5_array_close(ss_hdf5_array *array)
{
    if (!array->file)
        return;
    ss_release(array->file->context, array->chunks);
    ss_release(array->file->context, array->values);
    ss_release(array->file->context, array->raw);
    *array = (ss_hdf5_array){0};
}
