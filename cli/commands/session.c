/* session.c: a context, and the messages and failures that it reports. */
#include "commands/session.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_WARNINGS = 10 };

/* A run that goes on without converging could print millions of them. */
static void print_log(void *user, ss_log_level level, const char *message)
{
    ss_cli_session *session = user;
    if (level > SS_LOG_WARNING)
        return;
    session->warnings++;
    if (session->warnings > MOST_WARNINGS)
        return;
    ss_cli_progress_wipe(&session->progress);
    fprintf(stderr, "stickslip: warning: %s\n", message);
    if (session->warnings == MOST_WARNINGS)
        fputs("stickslip: warning: further warnings are not shown\n", stderr);
}

static bool parse_threads(const char *text, int *threads)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > 1024) {
        ss_cli_error("--threads is '%s'; it must be a number 1 … 1024", text);
        return false;
    }
    *threads = (int)n;
    return true;
}

bool ss_cli_session_begin(ss_cli_session *session, const char *threads)
{
    *session = (ss_cli_session){0};
    ss_context_options options = ss_default_context();
    options.log = print_log;
    options.log_user = session;
    if (threads && !parse_threads(threads, &options.threads))
        return false;
    ss_status status = ss_context_create(&options, &session->context);
    if (status != SS_OK)
        ss_cli_error("cannot start: %s", ss_status_name(status));
    return status == SS_OK;
}

void ss_cli_session_end(ss_cli_session *session)
{
    ss_context_destroy(session->context);
    session->context = NULL;
}

void ss_cli_print_failure(const ss_cli_session *session)
{
    ss_cli_error("%s", ss_context_message(session->context));
}
