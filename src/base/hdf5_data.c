/* hdf5_data.c: the values of arrays in HDF5 files: chunks, filters and conversion. */
#include "base/hdf5.h"

#include <string.h>
#include <zlib.h>

size_t ss_number_bytes(ss_number number)
{
    static const size_t bytes[] = {
        [SS_NUMBER_REAL] = sizeof(double),
        [SS_NUMBER_INT8] = 1,
        [SS_NUMBER_UINT8] = 1,
        [SS_NUMBER_INT32] = 4,
        [SS_NUMBER_UINT32] = 4,
        [SS_NUMBER_INT64] = 8,
        [SS_NUMBER_UINT64] = 8,
        [SS_NUMBER_TEXT] = sizeof(const char *),
    };
    return bytes[number];
}

/* ---- Trees of chunks ---- */

/* Deflate makes at most 1032 bytes of one; a chunk that is not full, and a small dataset, have some more. */
enum { MOST_EXPANSION = 1032, SLACK = 65536, LARGE_CHUNK = 1 << 26, DEEPEST_TREE = 8 };

static bool explains(uint64_t stored, uint64_t bytes)
{
    return bytes <= SLACK || (bytes - SLACK) / MOST_EXPANSION <= stored;
}

static bool comes_after(const ss_hdf5_chunk *a, const ss_hdf5_chunk *b)
{
    return a->first[0] > b->first[0] || (a->first[0] == b->first[0] && a->first[1] > b->first[1]);
}

/* Chunks ascend and do not overlap in sum, so that nothing in the file stands for more than itself. */
static ss_status add_chunk(ss_hdf5_array *array, const ss_hdf5_chunk *chunk, size_t *capacity)
{
    ss_hdf5 *file = array->file;
    bool fits = chunk->address <= file->end && chunk->bytes <= file->end - chunk->address &&
                chunk->bytes <= file->end - array->stored && chunk->first[0] <= INT64_MAX &&
                chunk->first[1] <= INT64_MAX && chunk->first[0] % array->chunk[0] == 0 &&
                chunk->first[1] % array->chunk[1] == 0;
    if (!fits || (array->n_chunks > 0 && !comes_after(chunk, &array->chunks[array->n_chunks - 1])))
        return ss_hdf5_fault(file, "has chunks that do not follow each other");
    if (array->n_chunks == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 16;
        SS_TRY(SS_RESIZE(file->context, *capacity, &array->chunks));
    }
    array->chunks[array->n_chunks++] = *chunk;
    array->stored += chunk->bytes;
    return SS_OK;
}

typedef struct visitor {
    ss_hdf5_array *array;
    size_t capacity, nodes;
} visitor;

/* A node has a key before each child: bytes of the chunk, filters it skipped, its first element and 0. */
static ss_status visit_node(visitor *v, uint64_t address, int level)
{
    ss_hdf5_array *array = v->array;
    ss_hdf5 *file = array->file;
    uint8_t head[24], entry[8 + 24 + 8];
    size_t key = 8 + 8 * ((size_t)array->rank + 1);
    SS_TRY(ss_hdf5_fetch(file, address, sizeof head, head));
    /* Each node takes that much of the file: more of them are visited twice. */
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 1 || head[5] >= DEEPEST_TREE ||
        (level >= 0 && head[5] != level) || v->nodes++ > file->end / sizeof head)
        return ss_hdf5_fault(file, "has a damaged list of chunks");
    unsigned count = (unsigned)ss_hdf5_number(head + 6, 2);
    for (unsigned i = 0; i < count; i++) {
        SS_TRY(ss_hdf5_fetch(file, address + sizeof head + i * (key + 8), key + 8, entry));
        uint64_t child = ss_hdf5_number(entry + key, 8);
        ss_hdf5_chunk chunk = {.first = {ss_hdf5_number(entry + 8, 8),
                                         array->rank == 2 ? ss_hdf5_number(entry + 16, 8) : 0},
                               .address = child,
                               .bytes = (uint32_t)ss_hdf5_number(entry, 4),
                               .skipped = (uint32_t)ss_hdf5_number(entry + 4, 4)};
        SS_TRY(head[5] > 0 ? visit_node(v, child, head[5] - 1)
                           : add_chunk(array, &chunk, &v->capacity));
    }
    return SS_OK;
}

static uint64_t chunk_bytes(const ss_hdf5_array *array)
{
    return array->chunk[0] * array->chunk[1] * array->bytes;
}

ss_status ss_hdf5_chunks(ss_hdf5_array *array, uint64_t tree)
{
    ss_hdf5 *file = array->file;
    visitor v = {.array = array};
    if (array->rank < 1 || array->chunk[0] < 1 || array->chunk[1] < 1 ||
        array->chunk[0] > UINT32_MAX / array->chunk[1] / array->bytes)
        return ss_hdf5_fault(file, "has chunks of an impossible size");
    array->stored = 0;
    if (tree != UINT64_MAX)
        SS_TRY(visit_node(&v, tree, -1));
    bool matters = array->stored > 0 || chunk_bytes(array) > LARGE_CHUNK;
    if (matters && !explains(array->stored, chunk_bytes(array)))
        return ss_hdf5_fault(file, "has chunks that are larger than what is stored");
    if (!explains(array->stored, array->extent[0] * array->extent[1] * array->bytes))
        return ss_hdf5_fault(file, "is larger than what is stored");
    return SS_OK;
}

/* ---- Filters, undone ---- */

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3 };

static voidpf allocate(voidpf context, uInt count, uInt size)
{
    void *memory;
    return ss_allocate(context, count, size, &memory) == SS_OK ? memory : Z_NULL;
}

static void release(voidpf context, voidpf memory)
{
    ss_release(context, memory);
}

/* `capacity`: of `to`; *count: bytes of `from`, then of `to`. */
static ss_status undo_deflate(ss_hdf5 *file, const uint8_t *from, uint8_t *to, size_t capacity,
                              size_t *count)
{
    z_stream z = {.zalloc = allocate,
                  .zfree = release,
                  .opaque = file->context,
                  .next_in = (Bytef *)from,
                  .avail_in = (uInt)*count,
                  .next_out = to,
                  .avail_out = (uInt)capacity};
    int done = inflateInit(&z);
    if (done == Z_OK) {
        done = inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    *count = capacity - z.avail_out;
    if (done == Z_MEM_ERROR)
        return SS_MEMORY;
    return done == Z_STREAM_END ? SS_OK : ss_hdf5_fault(file, "is compressed wrongly");
}

/* First bytes of all elements, then second ones … */
static void undo_shuffle(const uint8_t *from, uint8_t *to, size_t count, size_t size)
{
    size_t n = count / size;
    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < n; i++)
            to[i * size + b] = from[b * n + i];
    memcpy(to + n * size, from + n * size, count - n * size);
}

/* Fletcher's sums of words that are big-endian, as HDF5 forms them. */
static uint32_t checksum(const uint8_t *bytes, size_t count)
{
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < count; i += 2) {
        a = (a + ((uint64_t)bytes[i] << 8) + (i + 1 < count ? bytes[i + 1] : 0)) % 65535;
        b = (b + a) % 65535;
    }
    return (uint32_t)(b << 16 | a);
}

/* The sums are the same modulo 65535. */
static bool same_sums(uint32_t a, uint32_t b)
{
    return (a & 0xffff) % 65535 == (b & 0xffff) % 65535 && (a >> 16) % 65535 == (b >> 16) % 65535;
}

static ss_status undo_checksum(ss_hdf5 *file, const uint8_t *from, size_t *count)
{
    if (*count < 4)
        return ss_hdf5_fault(file, "has a wrong checksum");
    *count -= 4;
    return same_sums(checksum(from, *count), (uint32_t)ss_hdf5_number(from + *count, 4))
               ? SS_OK
               : ss_hdf5_fault(file, "has a wrong checksum");
}

/* The stored bytes are in `values`; each filter goes to `raw` and changes places. Both have space for what is stored, and
 * for a chunk with checksums. */
static ss_status undo_filters(ss_hdf5_array *array, const ss_hdf5_chunk *chunk, size_t capacity)
{
    ss_hdf5 *file = array->file;
    size_t count = chunk->bytes;
    for (int i = array->n_filters - 1; i >= 0; i--) {
        if (chunk->skipped >> i & 1)
            continue;
        if (array->filters[i] == FLETCHER32) {
            SS_TRY(undo_checksum(file, array->values, &count));
            continue;
        }
        if (array->filters[i] == DEFLATE)
            SS_TRY(undo_deflate(file, array->values, array->raw, capacity, &count));
        else
            undo_shuffle(array->values, array->raw, count, array->bytes);
        uint8_t *other = array->values;
        array->values = array->raw;
        array->raw = other;
    }
    return count == chunk_bytes(array) ? SS_OK : ss_hdf5_fault(file, "has a chunk of a wrong size");
}

/* Space for the largest of what is stored and what comes out of it. */
static ss_status decode(ss_hdf5_array *array, size_t index)
{
    ss_hdf5 *file = array->file;
    const ss_hdf5_chunk *chunk = &array->chunks[index];
    size_t capacity = (size_t)chunk_bytes(array) + 4 * SS_HDF5_FILTERS;
    if (array->decoded == index)
        return SS_OK;
    array->decoded = SIZE_MAX;
    if (capacity > UINT32_MAX)
        return ss_hdf5_fault(file, "has chunks of an impossible size");
    if (chunk->bytes > capacity && array->n_filters == 0)
        return ss_hdf5_fault(file, "has a chunk of a wrong size");
    size_t space = chunk->bytes > capacity ? chunk->bytes : capacity;
    SS_TRY(SS_RESIZE(file->context, space, &array->values));
    if (array->n_filters > 0)
        SS_TRY(SS_RESIZE(file->context, space, &array->raw));
    SS_TRY(ss_hdf5_fetch(file, chunk->address, chunk->bytes, array->values));
    SS_TRY(undo_filters(array, chunk, capacity));
    array->decoded = index;
    return SS_OK;
}

/* ---- Conversion ---- */

static double real_at(const ss_hdf5_array *array, uint64_t bits)
{
    double real;
    float single;
    uint32_t half = (uint32_t)bits;
    memcpy(&real, &bits, sizeof real);
    memcpy(&single, &half, sizeof single);
    return array->bytes == sizeof real ? real : (double)single;
}

/* Nearest of those that a type has; no number becomes 0. */
static void store_integer(int64_t value, uint64_t large, ss_number number, void *to)
{
    bool too_large = large > INT64_MAX; /* then it is what counts */
    int64_t v = too_large ? INT64_MAX : value;
#define CLAMPED(low, high) (v < (low) ? (low) : v > (high) ? (high) : v)
    switch (number) {
    case SS_NUMBER_INT8:
        *(int8_t *)to = (int8_t)CLAMPED(INT8_MIN, INT8_MAX);
        break;
    case SS_NUMBER_UINT8:
        *(uint8_t *)to = (uint8_t)CLAMPED(0, UINT8_MAX);
        break;
    case SS_NUMBER_INT32:
        *(int32_t *)to = (int32_t)CLAMPED(INT32_MIN, INT32_MAX);
        break;
    case SS_NUMBER_UINT32:
        *(uint32_t *)to = (uint32_t)CLAMPED(0, UINT32_MAX);
        break;
    case SS_NUMBER_INT64:
        *(int64_t *)to = v;
        break;
    default:
        *(uint64_t *)to = too_large ? large : v < 0 ? 0 : (uint64_t)v;
    }
#undef CLAMPED
}

static void convert_real(double real, ss_number number, void *to)
{
    static const double limit = 9223372036854775808.0; /* 2^63 */
    if (number == SS_NUMBER_REAL)
        memcpy(to, &real, sizeof real);
    else if (real >= 2 * limit)
        store_integer(0, UINT64_MAX, number, to);
    else if (real >= limit)
        store_integer(0, (uint64_t)real, number, to);
    else
        store_integer(real < -limit ? INT64_MIN : real != real ? 0 : (int64_t)real, 0, number, to);
}

static void convert(const ss_hdf5_array *array, const uint8_t *from, ss_number number, void *to)
{
    int size = (int)array->bytes;
    uint64_t bits = 0;
    for (int i = 0; i < size; i++)
        bits = bits << 8 | from[array->big_endian ? i : size - 1 - i];
    if (array->class == SS_HDF5_REAL) {
        convert_real(real_at(array, bits), number, to);
        return;
    }
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    int64_t value = (int64_t)(array->is_signed ? (bits ^ sign) - sign : bits);
    uint64_t large = array->is_signed ? 0 : bits;
    if (number != SS_NUMBER_REAL) {
        store_integer(value, large, number, to);
        return;
    }
    double real = array->is_signed ? (double)value : (double)bits;
    memcpy(to, &real, sizeof real);
}

/* Whether memory has the same bytes as the file. */
static bool is_same(const ss_hdf5_array *array, ss_number number)
{
    static const uint16_t one = 1;
    bool little = *(const uint8_t *)&one == 1;
    if (array->bytes != ss_number_bytes(number) ||
        (array->big_endian == little && array->bytes > 1))
        return false;
    if (array->class == SS_HDF5_REAL || number == SS_NUMBER_REAL)
        return array->class == SS_HDF5_REAL && number == SS_NUMBER_REAL;
    bool is_signed =
        number == SS_NUMBER_INT8 || number == SS_NUMBER_INT32 || number == SS_NUMBER_INT64;
    return array->is_signed == is_signed;
}

static void convert_all(const ss_hdf5_array *array, const uint8_t *from, uint64_t count,
                        ss_number number, uint8_t *to)
{
    size_t bytes = ss_number_bytes(number);
    if (is_same(array, number)) {
        memcpy(to, from, count * bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        convert(array, from + i * array->bytes, number, to + i * bytes);
}

/* ---- Reading ---- */

/* The part of an array that is wanted, and where it goes. */
typedef struct part {
    const uint64_t *first, *count;
    ss_number number;
    uint8_t *values;
} part;

enum { BLOCK = 4096 };

/* One row of the part. */
static ss_status read_row(ss_hdf5_array *array, const part *p, uint64_t row)
{
    uint8_t block[BLOCK];
    uint64_t at =
        array->address + ((p->first[0] + row) * array->extent[1] + p->first[1]) * array->bytes;
    uint8_t *to = p->values + row * p->count[1] * ss_number_bytes(p->number);
    uint64_t most = BLOCK / array->bytes;
    if (is_same(array, p->number))
        return ss_hdf5_fetch(array->file, at, p->count[1] * array->bytes, to);
    for (uint64_t i = 0, n; i < p->count[1]; i += n) {
        n = p->count[1] - i < most ? p->count[1] - i : most;
        SS_TRY(ss_hdf5_fetch(array->file, at + i * array->bytes, n * array->bytes, block));
        convert_all(array, block, n, p->number, to + i * ss_number_bytes(p->number));
    }
    return SS_OK;
}

/* An array that was never written reads as zeros. Whole rows are one long row. */
static ss_status read_whole(ss_hdf5_array *array, part *p)
{
    uint64_t flat_first[2] = {0, p->first[0]}, flat_count[2] = {1, p->count[0]};
    uint64_t extent = array->extent[1];
    if (array->address == UINT64_MAX) {
        memset(p->values, 0, p->count[0] * p->count[1] * ss_number_bytes(p->number));
        return SS_OK;
    }
    if (p->count[1] == extent) {
        flat_first[1] *= extent;
        flat_count[1] *= extent;
        p->first = flat_first;
        p->count = flat_count;
        return read_row(array, p, 0);
    }
    for (uint64_t row = 0; row < p->count[0]; row++)
        SS_TRY(read_row(array, p, row));
    return SS_OK;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a chunk has of the part. */
static ss_status read_chunk(ss_hdf5_array *array, const part *p, size_t index)
{
    const ss_hdf5_chunk *chunk = &array->chunks[index];
    uint64_t from[2], to[2];
    for (int i = 0; i < 2; i++) {
        from[i] = larger(p->first[i], chunk->first[i]);
        to[i] = smaller(p->first[i] + p->count[i], chunk->first[i] + array->chunk[i]);
        if (from[i] >= to[i])
            return SS_OK;
    }
    SS_TRY(decode(array, index));
    for (uint64_t row = from[0]; row < to[0]; row++) {
        uint64_t inside = (row - chunk->first[0]) * array->chunk[1] + from[1] - chunk->first[1];
        uint64_t outside = (row - p->first[0]) * p->count[1] + from[1] - p->first[1];
        convert_all(array, array->values + inside * array->bytes, to[1] - from[1], p->number,
                    p->values + outside * ss_number_bytes(p->number));
    }
    return SS_OK;
}

/* The first chunk that may have some of the rows from `row` on. */
static size_t first_chunk(const ss_hdf5_array *array, uint64_t row)
{
    size_t low = 0, high = array->n_chunks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (array->chunks[middle].first[0] + (array->chunk[0] - 1) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Chunks that are not there are zeros. */
static ss_status read_chunks(ss_hdf5_array *array, const part *p)
{
    uint64_t end = p->first[0] + p->count[0];
    memset(p->values, 0, p->count[0] * p->count[1] * ss_number_bytes(p->number));
    for (size_t i = first_chunk(array, p->first[0]);
         i < array->n_chunks && array->chunks[i].first[0] < end; i++)
        SS_TRY(read_chunk(array, p, i));
    return SS_OK;
}

ss_status ss_hdf5_array_read(ss_hdf5_array *array, const uint64_t first[2], const uint64_t count[2],
                             ss_number number, void *values)
{
    part p = {first, count, number, values};
    for (int i = 0; i < 2; i++)
        if (first[i] > array->extent[i] || count[i] > array->extent[i] - first[i])
            return ss_hdf5_fault(array->file, "is too short");
    if (array->class == SS_HDF5_TEXT || number == SS_NUMBER_TEXT)
        return ss_hdf5_fault(array->file, "does not hold numbers");
    if (count[0] == 0 || count[1] == 0)
        return SS_OK;
    return array->layout == SS_HDF5_WHOLE ? read_whole(array, &p) : read_chunks(array, &p);
}

ss_status ss_hdf5_array_read_texts(ss_hdf5_array *array, char *texts)
{
    uint64_t bytes = array->extent[0] * array->extent[1] * array->bytes;
    if (array->class != SS_HDF5_TEXT)
        return ss_hdf5_fault(array->file, "is not a text");
    if (array->address != UINT64_MAX)
        return ss_hdf5_fetch(array->file, array->address, bytes, texts);
    memset(texts, 0, bytes);
    return SS_OK;
}
