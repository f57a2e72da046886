/* thread_range.h: equal parts of a loop for the threads of a parallel region. */
#ifndef SS_BASE_THREAD_RANGE_H
#define SS_BASE_THREAD_RANGE_H

#include <omp.h>

/* The calling thread's part from … to - 1 of 0 … n - 1, in the order of the threads. */
static inline void ss_thread_range(int n, int *from, int *to)
{
    long thread = omp_get_thread_num(), threads = omp_get_num_threads();
    *from = (int)(n * thread / threads);
    *to = (int)(n * (thread + 1) / threads);
}

#endif
