/* interrupt.c: Ctrl-C and TERM end a run, not the program. */
#include "commands/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* A handler can reach nothing but what has static storage. */
static volatile sig_atomic_t noted;
static struct timespec noted_at; /* written and read in the handler alone */

/* `timeout` and schedulers signal the process and its group: a second signal within a second is the same one. */
static void note(int signal)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since =
        (double)(now.tv_sec - noted_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - noted_at.tv_nsec);
    if (noted && since >= 1)
        _exit(128 + signal);
    if (noted)
        return;
    noted = signal;
    noted_at = now;
}

void ss_cli_watch_signals(void)
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

const volatile sig_atomic_t *ss_cli_signal_place(void)
{
    return &noted;
}

int ss_cli_signal(void)
{
    return noted;
}
