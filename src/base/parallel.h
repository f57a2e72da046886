/* parallel.h: regions and loops that several threads share.
 *
 * The threads of a context are started when they are first needed, and wait between regions: they spin for some
 * microseconds, then sleep, so that a busy machine loses nothing to them. Outside a region there is one thread, number 0.
 */
#ifndef SS_BASE_PARALLEL_H
#define SS_BASE_PARALLEL_H

#include <stickslip/base.h>

#include <stdatomic.h>

typedef struct ss_pool ss_pool;

typedef void ss_region_fn(void *user);
/* Calls fn on `threads` threads, the calling one among them, and returns when all are done. Where threads cannot be
 * started, on fewer: ss_thread_count says on how many. Regions within regions have one thread. */
void ss_parallel(ss_context *context, int threads, ss_region_fn *fn, void *user);

/* The calling thread's number in its region, and how many there are. */
int ss_thread_number(void);
int ss_thread_count(void);
/* Waits until all threads of the region are here. */
void ss_thread_barrier(void);
/* Waits until *value is no longer `old`; whoever changes it calls ss_thread_notify behind. */
void ss_thread_wait(const atomic_uint *value, unsigned old);
void ss_thread_notify(void);

/* The calling thread's part from … to - 1 of 0 … n - 1, in the order of the threads. */
static inline void ss_thread_range(int n, int *from, int *to)
{
    long thread = ss_thread_number(), threads = ss_thread_count();
    *from = (int)(n * thread / threads);
    *to = (int)(n * (thread + 1) / threads);
}

/* Calls fn for the parts of 0 … n - 1, one on each thread. */
typedef void ss_range_fn(void *user, int from, int to);
void ss_parallel_for(ss_context *context, int threads, int n, ss_range_fn *fn, void *user);

void ss_pool_destroy(ss_pool *pool);

/* x86-64-v2, with vectors of two numbers; v3, of four; v4, of eight. Other processors count as v2. */
typedef enum ss_processor { SS_PROCESSOR_V2, SS_PROCESSOR_V3, SS_PROCESSOR_V4 } ss_processor;

/* The level of this machine, or a lower one that the variable STICKSLIP_PROCESSOR of the environment asks for: v2 or v3. */
ss_processor ss_processor_level(void);

#endif
