/* parallel.c: the threads of a context, and how they wait for each other. */
#include "base/parallel.h"

#include "base/context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often a thread looks before it sleeps: about a hundred microseconds. */
enum { SPIN = 6000 };

struct ss_pool {
    ss_context *context;
    int n_workers; /* beside the calling thread */
    struct ss_worker *workers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_uint sleeping; /* threads that wait for `changed` */
    atomic_uint epoch;    /* regions begun */
    atomic_uint running;  /* workers in the region */
    atomic_uint regions;  /* that all workers have left */
    atomic_uint here, barriers;
    ss_region_fn *fn; /* NULL: the end */
    void *user;
    int threads; /* of the region */
    int pause;   /* regions for which the calling thread works alone after workers were late */
    int alone;   /* how many of these are left */
    double seconds, waited; /* of regions since workers were last judged, and of these asleep */
};

typedef struct ss_worker {
    pthread_t thread;
    ss_pool *pool;
    int number;
} ss_worker;

/* The region that a thread is in. */
static _Thread_local struct {
    ss_pool *pool;
    int number, count;
    double slept; /* s */
} current = {NULL, 0, 1, 0};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int ss_thread_number(void)
{
    return current.number;
}

int ss_thread_count(void)
{
    return current.count;
}

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* ---- Waiting ---- */

static void wait_for_change(ss_pool *pool, const atomic_uint *value, unsigned old)
{
    for (int i = 0; i < SPIN; i++) {
        if (atomic_load_explicit(value, memory_order_acquire) != old)
            return;
        rest();
    }
    double begin = now();
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(value) == old)
        pthread_cond_wait(&pool->changed, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
    current.slept += now() - begin;
}

/* Wakes threads that sleep, after a value was stored. */
static void notify(ss_pool *pool)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&pool->sleeping) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->mutex);
}

void ss_thread_wait(const atomic_uint *value, unsigned old)
{
    if (current.count > 1)
        wait_for_change(current.pool, value, old);
}

void ss_thread_notify(void)
{
    if (current.count > 1)
        notify(current.pool);
}

void ss_thread_barrier(void)
{
    ss_pool *pool = current.pool;
    if (current.count == 1)
        return;
    unsigned passed = atomic_load_explicit(&pool->barriers, memory_order_relaxed);
    unsigned here = atomic_fetch_add_explicit(&pool->here, 1, memory_order_acq_rel) + 1;
    if (here == (unsigned)current.count) {
        atomic_store_explicit(&pool->here, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->barriers, passed + 1, memory_order_release);
        notify(pool);
    } else {
        wait_for_change(pool, &pool->barriers, passed);
    }
}

/* ---- Workers ---- */

static void *work(void *user)
{
    const ss_worker *me = user;
    ss_pool *pool = me->pool;
    for (unsigned epoch = 0;; epoch++) {
        wait_for_change(pool, &pool->epoch, epoch);
        if (!pool->fn)
            return NULL;
        if (me->number < pool->threads) {
            current.pool = pool;
            current.number = me->number;
            current.count = pool->threads;
            pool->fn(pool->user);
        }
        if (atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel) == 1) {
            atomic_fetch_add_explicit(&pool->regions, 1, memory_order_release);
            notify(pool);
        }
    }
}

static bool start_worker(ss_pool *pool)
{
    ss_worker *worker = &pool->workers[pool->n_workers];
    worker->pool = pool;
    worker->number = pool->n_workers + 1;
    if (pthread_create(&worker->thread, NULL, work, worker) != 0)
        return false;
    pool->n_workers++;
    return true;
}

static ss_pool *create(ss_context *context, int threads)
{
    void *memory, *workers;
    if (ss_allocate(context, 1, sizeof(ss_pool), &memory) != SS_OK)
        return NULL;
    if (ss_allocate(context, (size_t)threads, sizeof(ss_worker), &workers) != SS_OK) {
        ss_release(context, memory);
        return NULL;
    }
    ss_pool *pool = memory;
    memset(pool, 0, sizeof *pool);
    pool->context = context;
    pool->workers = workers;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->changed, NULL);
    while (pool->n_workers + 1 < threads && start_worker(pool)) {
    }
    return pool;
}

/* Lets all workers begin. */
static void begin(ss_pool *pool, ss_region_fn *fn, void *user, int threads)
{
    pool->fn = fn;
    pool->user = user;
    pool->threads = threads;
    atomic_store_explicit(&pool->running, (unsigned)pool->n_workers, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool->epoch, 1, memory_order_acq_rel);
    notify(pool);
}

void ss_pool_destroy(ss_pool *pool)
{
    if (!pool)
        return;
    begin(pool, NULL, NULL, 0);
    for (int i = 0; i < pool->n_workers; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->mutex);
    ss_release(pool->context, pool->workers);
    ss_release(pool->context, pool);
}

/* ---- Regions ---- */

/* By the calling thread alone, perhaps within a region of several. */
static void run_alone(ss_region_fn *fn, void *user)
{
    int number = current.number, count = current.count;
    current.number = 0;
    current.count = 1;
    fn(user);
    current.number = number;
    current.count = count;
}

/* Where other programs have the processors, workers come late, and waiting for them takes longer than doing their work:
 * then the calling thread works alone for a while, and for twice as long each time they are late again. Results do not
 * depend on it. */
static void judge_workers(ss_pool *pool, double seconds)
{
    enum { LEAST = 64, MOST = 8192 };
    const double late = 0.4, enough = 4e-3; /* part of the time; s */
    pool->seconds += seconds;
    pool->waited += current.slept;
    if (pool->seconds < enough)
        return;
    bool wait = pool->waited > late * pool->seconds;
    pool->seconds = pool->waited = 0;
    if (wait) {
        pool->pause = pool->pause == 0 ? LEAST : pool->pause < MOST ? 2 * pool->pause : MOST;
        pool->alone = pool->pause;
    } else if (pool->pause > 0) {
        pool->pause /= 2;
    }
}

void ss_parallel(ss_context *context, int threads, ss_region_fn *fn, void *user)
{
    if (threads > 1 && current.count == 1 && !context->pool)
        context->pool = create(context, context->options.threads);
    ss_pool *pool = context->pool;
    bool alone = threads <= 1 || current.count > 1 || !pool || pool->n_workers == 0;
    if (alone || pool->alone > 0) {
        if (!alone)
            pool->alone--;
        run_alone(fn, user);
        return;
    }
    double start = now();
    current.slept = 0;
    unsigned done = atomic_load_explicit(&pool->regions, memory_order_relaxed);
    threads = threads <= pool->n_workers ? threads : pool->n_workers + 1;
    begin(pool, fn, user, threads);
    current.pool = pool;
    current.number = 0;
    current.count = threads;
    fn(user);
    current.count = 1;
    wait_for_change(pool, &pool->regions, done);
    judge_workers(pool, now() - start);
}

typedef struct loop {
    ss_range_fn *fn;
    void *user;
    int n;
} loop;

static void run_part(void *user)
{
    const loop *l = user;
    int from, to;
    ss_thread_range(l->n, &from, &to);
    if (from < to)
        l->fn(l->user, from, to);
}

void ss_parallel_for(ss_context *context, int threads, int n, ss_range_fn *fn, void *user)
{
    if (threads <= 1 || current.count > 1)
        fn(user, 0, n);
    else
        ss_parallel(context, threads, run_part, &(loop){fn, user, n});
}

/* ---- Kernels that the processor can run ---- */

static ss_processor processor_of_machine(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return SS_PROCESSOR_V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return SS_PROCESSOR_V3;
#endif
    return SS_PROCESSOR_V2;
}

ss_processor ss_processor_level(void)
{
    const char *wanted = getenv("STICKSLIP_PROCESSOR");
    ss_processor level = processor_of_machine();
    if (wanted && strcmp(wanted, "v2") == 0)
        return SS_PROCESSOR_V2;
    if (wanted && strcmp(wanted, "v3") == 0 && level > SS_PROCESSOR_V3)
        return SS_PROCESSOR_V3;
    return level;
}
