/* random.h: a small deterministic generator (splitmix64) for tests. The same seed gives the same
 * numbers on every machine. */
#ifndef SS_TESTS_SUPPORT_RANDOM_H
#define SS_TESTS_SUPPORT_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct random_state {
    uint64_t state;
} random_state;

static inline uint64_t random_bits(random_state *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double random_unit(random_state *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/* In [low, high). */
static inline double random_between(random_state *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

/* 0, 1, …, count - 1. */
static inline int random_below(random_state *r, int count)
{
    return (int)(random_bits(r) % (uint64_t)count);
}

/* In [low, high), 0 < low < high, every decade equally likely. */
static inline double random_log(random_state *r, double low, double high)
{
    return low * pow(high / low, random_unit(r));
}

/* 1 or -1. */
static inline double random_sign(random_state *r)
{
    return random_bits(r) & 1 ? 1.0 : -1.0;
}

/* Standard normal (Box and Muller). */
static inline double random_normal(random_state *r)
{
    double radius = sqrt(-2 * log(1 - random_unit(r)));
    return radius * cos(6.283185307179586 * random_unit(r));
}

#endif
