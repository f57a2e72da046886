/* interrupt.c: Ctrl-C and TERM end a run, not the program. */
#include "commands/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A handler can reach nothing but what has static storage. */
static volatile sig_atomic_t noted;

static void note(int signal)
{
    noted = signal;
}

void ss_cli_watch_signals(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int ss_cli_signal(void)
{
    return noted;
}
