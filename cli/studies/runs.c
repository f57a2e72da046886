/* runs.c: computes the runs of a sweep, each apart from the others. */
#include "studies/runs.h"

#include "commands/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASSIGNMENT = SS_CLI_AXIS_NAME + 512 };

const char *ss_cli_run_end_name(ss_cli_run_end end)
{
    static const char *const names[] = {"missing", "trusted", "not trusted",
                                        "failed",  "refused", "crashed"};
    return names[end];
}

bool ss_cli_runs_reserve(ss_cli_runs *runs)
{
    size_t count = (size_t)runs->plan.count, width = (size_t)runs->results.count;
    runs->outcomes = calloc(count, sizeof *runs->outcomes);
    runs->values = calloc(count * width + 1, sizeof *runs->values);
    if (!runs->outcomes || !runs->values) {
        ss_cli_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        runs->outcomes[i].values = runs->values + i * width;
        for (size_t k = 0; k < width; k++)
            runs->outcomes[i].values[k] = (double)NAN;
    }
    return true;
}

void ss_cli_runs_release(ss_cli_runs *runs)
{
    for (int i = 0; runs->outcomes && i < runs->plan.count; i++)
        free(runs->outcomes[i].reason);
    free(runs->outcomes);
    free(runs->values);
    ss_cli_plan_release(&runs->plan);
}

/* ---- One run ---- */

/* What the command line would say of a run. */
typedef struct words {
    char (*assignments)[ASSIGNMENT];
    const char **operands, **settings;
    int n_operands, n_settings;
} words;

static bool write_words(const ss_cli_runs *runs, int run, words *w)
{
    const ss_cli_plan *plan = &runs->plan;
    size_t n = (size_t)plan->n_axes;
    *w = (words){.assignments = calloc(n, sizeof *w->assignments),
                 .operands = calloc(n + (size_t)plan->n_fixed + 1, sizeof *w->operands),
                 .settings = calloc(n, sizeof *w->settings)};
    if (!w->assignments || !w->operands || !w->settings)
        return false;
    w->operands[w->n_operands++] = runs->arguments->operands[0];
    for (int i = 0; i < plan->n_fixed; i++)
        w->operands[w->n_operands++] = plan->fixed[i];
    for (int i = 0; i < plan->n_axes; i++) {
        ss_cli_plan_assign(plan, run, i, ASSIGNMENT, w->assignments[i]);
        if (plan->axes[i].setting)
            w->settings[w->n_settings++] = w->assignments[i];
        else
            w->operands[w->n_operands++] = w->assignments[i];
    }
    return true;
}

static void release_words(words *w)
{
    free(w->assignments);
    free(w->operands);
    free(w->settings);
}

ss_status ss_cli_runs_load(const ss_cli_runs *runs, ss_cli_session *session, int run,
                           ss_scene **scene)
{
    words w;
    ss_status status = SS_MEMORY;
    *scene = NULL;
    if (write_words(runs, run, &w)) {
        ss_cli_arguments arguments = *runs->arguments;
        arguments.operands = w.operands;
        arguments.n_operands = w.n_operands;
        ss_cli_changes changes = {.n_after = w.n_settings, .after = w.settings};
        status = ss_cli_load_changed(session, &arguments, &changes, scene);
    }
    release_words(&w);
    return status;
}

static ss_status run_trial(const ss_cli_runs *runs, ss_cli_session *session, int run,
                           ss_cli_trial *trial)
{
    words w;
    ss_status status = SS_MEMORY;
    if (write_words(runs, run, &w)) {
        ss_cli_arguments arguments = *runs->arguments;
        arguments.operands = w.operands;
        arguments.n_operands = w.n_operands;
        trial->n_settings = w.n_settings;
        trial->settings = w.settings;
        status = ss_cli_trial_run(session, &arguments, trial);
    }
    release_words(&w);
    return status;
}

static ss_status measure(const ss_cli_runs *runs, ss_context *context, const char *path,
                         ss_cli_run_outcome *outcome, size_t capacity, char *reason)
{
    ss_record *record;
    SS_TRY(ss_record_open(context, path, &record));
    unsigned allowed = runs->allowed | ss_record_allowed(record) | (unsigned)SS_DOUBT_UNFINISHED;
    ss_verdict verdict = ss_record_verdict(record);
    outcome->events = (double)ss_record_event_count(record);
    if (outcome->end == SS_CLI_RUN_TRUSTED && (verdict.doubts & ~allowed) != 0) {
        outcome->end = SS_CLI_RUN_DOUBTFUL;
        snprintf(reason, capacity, "%s", verdict.text);
    }
    ss_status status = ss_cli_results_measure(&runs->results, context, record, outcome->values);
    ss_record_close(record);
    return status;
}

static void write_outcome(const ss_cli_runs *runs, const ss_cli_run_outcome *outcome, char *reason,
                          FILE *out)
{
    for (char *c = reason; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    fprintf(out, "%d\t%.17g\t%.17g\t%.17g", (int)outcome->end, outcome->t, outcome->steps,
            outcome->events);
    for (int i = 0; i < runs->results.count; i++)
        fprintf(out, "\t%.17g", outcome->values[i]);
    fprintf(out, "\t%s\n", reason);
}

static void name_record(const ss_cli_runs *runs, int run, size_t capacity, char *path)
{
    snprintf(path, capacity, "%.*s/%06d.h5", SS_CLI_PATH - 32, runs->records, run);
}

void ss_cli_runs_work(const ss_cli_runs *runs, int run, FILE *out)
{
    ss_cli_session session;
    ss_cli_trial trial = {.plain = true};
    ss_cli_run_outcome outcome = runs->outcomes[run];
    char reason[512] = "";
    name_record(runs, run, sizeof trial.record, trial.record);
    if (!ss_cli_session_begin(&session, runs->arguments))
        return;
    ss_status status = run_trial(runs, &session, run, &trial);
    snprintf(reason, sizeof reason, "%s", trial.reason);
    outcome.end = trial.end == SS_CLI_ENDED    ? SS_CLI_RUN_TRUSTED
                  : trial.end == SS_CLI_BROKEN ? SS_CLI_RUN_BROKEN
                                               : SS_CLI_RUN_REFUSED;
    outcome.t = trial.t;
    outcome.steps = (double)trial.sums.steps;
    if (status == SS_OK && trial.end != SS_CLI_REFUSED)
        status = measure(runs, session.context, trial.record, &outcome, sizeof reason, reason);
    if (status != SS_OK && status != SS_STOPPED) {
        outcome.end = SS_CLI_RUN_BROKEN;
        snprintf(reason, sizeof reason, "%s", ss_context_message(session.context));
    }
    if (!runs->keep)
        remove(trial.record);
    if (status != SS_STOPPED)
        write_outcome(runs, &outcome, reason, out);
    ss_cli_session_end(&session);
}

/* ---- All of them ---- */

static bool set_reason(ss_cli_run_outcome *outcome, const char *reason)
{
    size_t size = strlen(reason) + 1;
    free(outcome->reason);
    outcome->reason = malloc(size);
    if (outcome->reason)
        memcpy(outcome->reason, reason, size);
    return outcome->reason;
}

bool ss_cli_runs_take(ss_cli_runs *runs, int run, const char *line)
{
    char *end = NULL;
    double head[4];
    if (run < 0 || run >= runs->plan.count)
        return false;
    ss_cli_run_outcome *outcome = &runs->outcomes[run];
    for (int i = 0; i < 4 + runs->results.count; i++) {
        double value = strtod(line, &end);
        if (end == line || *end != '\t')
            return false;
        *(i < 4 ? &head[i] : &outcome->values[i - 4]) = value;
        line = end + 1;
    }
    if (!(head[0] >= SS_CLI_RUN_TRUSTED && head[0] < SS_CLI_RUN_ENDS))
        return false;
    outcome->end = (ss_cli_run_end)head[0];
    outcome->t = head[1];
    outcome->steps = head[2];
    outcome->events = head[3];
    return set_reason(outcome, line);
}

void ss_cli_runs_crash(ss_cli_runs *runs, int run, const char *reason)
{
    runs->outcomes[run].end = SS_CLI_RUN_CRASHED;
    set_reason(&runs->outcomes[run], reason);
}

int ss_cli_runs_count(const ss_cli_runs *runs, ss_cli_run_end end)
{
    int count = 0;
    for (int i = 0; i < runs->plan.count; i++)
        count += runs->outcomes[i].end == end;
    return count;
}
