/* hdf5_mutator.h: changes of HDF5 files that keep their structure: fields of what describes the file, numbers in it that
 * are addresses and sizes, and now and then any bytes. */
#ifndef SS_FUZZ_HDF5_MUTATOR_H
#define SS_FUZZ_HDF5_MUTATOR_H

#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return below ? *state % below : 0;
}

static int is_mark(const uint8_t *p)
{
    return memcmp(p, "TREE", 4) == 0 || memcmp(p, "SNOD", 4) == 0 || memcmp(p, "HEAP", 4) == 0 ||
           (p[0] == 1 && p[1] == 0 && p[3] == 0 && p[4] == 1 && p[5] == 0 && p[7] == 0);
}

/* A place in the file's description: close behind a mark found by looking on from anywhere. */
static size_t find_place(const uint8_t *data, size_t size, uint32_t *random)
{
    size_t at = draw(random, (uint32_t)size) & ~(size_t)7;
    for (size_t i = 0; i + 8 <= size && i < 65536; i += 8, at = at + 16 <= size ? at + 8 : 0)
        if (at + 8 <= size && is_mark(data + at))
            break;
    at += draw(random, 160);
    return at < size ? at : size - 1;
}

static uint64_t interesting(size_t size, uint32_t *random)
{
    static const uint64_t values[] = {0,          1,          2,          7,          8,
                                      127,        255,        256,        65535,      65536,
                                      0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, INT64_MAX,
                                      UINT64_MAX, 1ull << 63, 1ull << 40, 96,         1032};
    uint32_t pick = draw(random, 28);
    if (pick < 20)
        return values[pick];
    return pick < 24 ? draw(random, (uint32_t)size) & ~7u : size + draw(random, 64) - 32;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint32_t random = seed | 1;
    if (size < 96 || draw(&random, 20) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (uint32_t n = 1 + draw(&random, 3); n > 0; n--) {
        size_t place = find_place(data, size, &random);
        static const size_t widths[] = {1, 2, 4, 8};
        size_t width = widths[draw(&random, 4)];
        place &= ~(width - 1);
        if (draw(&random, 3) == 0) { /* 64 bytes by the fuzzer's own changes, of the same length */
            size_t length = size - place < 64 ? size - place : 64;
            LLVMFuzzerMutate(data + place, length, length);
        } else if (draw(&random, 4) == 0) {
            data[place] = (uint8_t)(data[place] + draw(&random, 5) - 2);
        } else {
            uint64_t value = interesting(size, &random);
            memcpy(data + place, &value, size - place < width ? size - place : width);
        }
    }
    return size;
}

#endif
