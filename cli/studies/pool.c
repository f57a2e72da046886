/* pool.c: does pieces of work in processes of their own, several at once: one that crashes ends no other. */
#include "studies/pool.h"

#include "commands/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

/* A process at work, and what it has written so far. */
typedef struct worker {
    pid_t process; /* 0: none */
    int pipe, index;
    char *text;
    size_t length;
} worker;

bool ss_cli_jobs(const ss_cli_arguments *arguments, int *jobs)
{
    const char *given = ss_cli_value(arguments, "jobs");
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    char *end = NULL;
    if (given)
        n = strtol(given, &end, 10);
    if (given && (*end || end == given || n < 1 || n > MOST_JOBS)) {
        ss_cli_error("--jobs is '%s'; it must be a number 1 … %d", given, MOST_JOBS);
        return false;
    }
    *jobs = n < 1 ? 1 : n > MOST_JOBS ? MOST_JOBS : (int)n;
    return true;
}

/* Never returns. A worker ends with its parent. */
static void be_worker(const ss_cli_pool *pool, int index, int out, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    FILE *file = fdopen(out, "w");
    if (!file || getppid() != parent)
        _exit(1);
    pool->work(pool->user, index, file);
    _exit(ferror(file) || fclose(file) != 0);
}

static bool start(const ss_cli_pool *pool, int index, worker *w)
{
    int ends[2];
    pid_t parent = getpid();
    fflush(NULL);
    if (pipe(ends) != 0) {
        ss_cli_error("cannot start a process: %s", strerror(errno));
        return false;
    }
    *w = (worker){.process = fork(), .pipe = ends[0], .index = index};
    if (w->process == 0) {
        close(ends[0]);
        be_worker(pool, index, ends[1], parent);
    }
    close(ends[1]);
    if (w->process > 0)
        return true;
    ss_cli_error("cannot start a process: %s", strerror(errno));
    close(ends[0]);
    w->process = 0;
    return false;
}

/* Reads what is there; false at the end. */
static bool receive(worker *w)
{
    char buffer[4096];
    ssize_t count = read(w->pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
        return true;
    char *text = count > 0 ? realloc(w->text, w->length + (size_t)count + 1) : NULL;
    if (!text)
        return false;
    memcpy(text + w->length, buffer, (size_t)count);
    w->text = text;
    w->length += (size_t)count;
    text[w->length] = '\0';
    return true;
}

static int finish(worker *w)
{
    int status = 0;
    close(w->pipe);
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
        continue;
    w->process = 0;
    return status;
}

/* Takes what a worker leaves. */
static bool end(const ss_cli_pool *pool, worker *w)
{
    char crash[64];
    int status = finish(w);
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        snprintf(crash, sizeof crash, "its process was ended by signal %d", WTERMSIG(status));
    else
        snprintf(crash, sizeof crash, "its process exited with %d", WEXITSTATUS(status));
    bool good = ss_cli_signal() == 0 &&
                pool->take(pool->user, w->index, w->text ? w->text : "", well ? NULL : crash);
    free(w->text);
    w->text = NULL;
    return good;
}

static void stop_all(int n, worker *workers)
{
    for (int i = 0; i < n; i++)
        if (workers[i].process)
            kill(workers[i].process, SIGTERM);
    for (int i = 0; i < n; i++)
        if (workers[i].process) {
            finish(&workers[i]);
            free(workers[i].text);
        }
}

/* Waits until a worker has something, or for a moment. */
static bool wait_for_some(const ss_cli_pool *pool, worker *workers)
{
    struct pollfd files[MOST_JOBS];
    for (int i = 0; i < pool->jobs; i++)
        files[i] =
            (struct pollfd){.fd = workers[i].process ? workers[i].pipe : -1, .events = POLLIN};
    if (poll(files, (nfds_t)pool->jobs, 200) <= 0)
        return true;
    for (int i = 0; i < pool->jobs; i++)
        if (workers[i].process && files[i].revents && !receive(&workers[i]) &&
            !end(pool, &workers[i]))
            return false;
    return true;
}

/* Gives work to those that have none; whether anybody has some. */
static bool employ(const ss_cli_pool *pool, worker *workers, int *next, bool *failed)
{
    bool busy = false;
    for (int i = 0; i < pool->jobs; i++) {
        while (*next < pool->count && pool->wanted && !pool->wanted(pool->user, *next))
            ++*next;
        if (!workers[i].process && *next < pool->count && !*failed)
            *failed = !start(pool, (*next)++, &workers[i]);
        busy = busy || workers[i].process;
    }
    return busy;
}

bool ss_cli_pool_run(const ss_cli_pool *pool)
{
    worker workers[MOST_JOBS] = {{0}};
    int next = 0;
    bool failed = false;
    ss_cli_watch_signals();
    while (!ss_cli_signal() && !failed && employ(pool, workers, &next, &failed))
        failed = failed || !wait_for_some(pool, workers);
    stop_all(pool->jobs, workers);
    return !failed && !ss_cli_signal();
}
