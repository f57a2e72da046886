/* session.c: a context, and the messages and failures that it reports. */
#include "commands/session.h"

#include "commands/interrupt.h"
#include "commands/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool load_plugin(ss_cli_session *session, const char *file)
{
    ss_text path = {.text = file};
    if (ss_context_load_plugin(session->context, &path) == SS_OK)
        return true;
    ss_cli_print_failure(session);
    return false;
}

/* Those of the environment, FILE:FILE, and those that the command line names. */
static bool load_plugins(ss_cli_session *session, const ss_cli_arguments *arguments)
{
    const char *list = getenv("STICKSLIP_PLUGINS");
    for (const char *file = list; file && *file;) {
        char path[SS_CLI_PATH];
        size_t length = strcspn(file, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, file);
        if (length > 0 && !load_plugin(session, path))
            return false;
        file += length + (file[length] == ':');
    }
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "plugin") == 0 &&
            !load_plugin(session, arguments->given[i].value))
            return false;
    return true;
}

bool ss_cli_session_begin(ss_cli_session *session, const ss_cli_arguments *arguments)
{
    *session = (ss_cli_session){0};
    ss_context_options options = ss_default_context();
    const char *threads = ss_cli_value(arguments, "threads");
    options.log = print_log;
    options.log_user = session;
    options.stop = ss_cli_signal_place();
    if (threads && !parse_threads(threads, &options.threads))
        return false;
    ss_status status = ss_context_create(&options, &session->context);
    if (status != SS_OK)
        ss_cli_error("cannot start: %s", ss_status_name(status));
    bool loads = false;
    for (const ss_cli_option *o = arguments->options; o && o->name; o++)
        loads = loads || strcmp(o->name, "plugin") == 0;
    if (status == SS_OK && (!loads || load_plugins(session, arguments)))
        return true;
    ss_cli_session_end(session);
    return false;
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
