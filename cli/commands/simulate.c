/* simulate.c: runs a scene into a record, for `run` and `resume`. */
#include "commands/simulate.h"

#include "commands/interrupt.h"
#include "commands/report.h"
#include "commands/report_json.h"
#include "figures/plots.h"

#include <stdio.h>
#include <string.h>

bool ss_cli_plot_format(const ss_cli_arguments *arguments, const char **format)
{
    const char *given = ss_cli_value(arguments, "format");
    *format = given ? given : "svg";
    if (strcmp(*format, "svg") == 0 || strcmp(*format, "png") == 0)
        return true;
    ss_cli_error("--format is '%s'; it can be svg or png", *format);
    return false;
}

bool ss_cli_allowed(const ss_cli_arguments *arguments, unsigned *allowed)
{
    const char *names = ss_cli_value(arguments, "allow");
    *allowed = 0;
    if (ss_doubts_add(names, allowed))
        return true;
    ss_cli_error("--allow is '%s'; it can name convergence, laws, energy, growth, tunnelling and "
                 "uniqueness, "
                 "with commas between",
                 names);
    return false;
}

typedef struct watcher {
    ss_cli_session *session;
    ss_recorder *recorder;
    ss_cli_dump *dump;
    ss_cli_live *live;
} watcher;

static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    watcher *w = user;
    if (w->dump)
        ss_cli_dump_next_step(w->dump);
    SS_TRY(ss_recorder_observe(w->recorder, simulation, step));
    if (w->live)
        ss_cli_live_update(w->live, step->state);
    else
        ss_cli_progress_update(&w->session->progress, ss_state_time(step->state));
    return ss_cli_signal() ? SS_STOPPED : SS_OK;
}

static ss_status run_to_end(ss_cli_session *session, const ss_cli_job *job)
{
    ss_simulation *simulation = ss_scene_simulation(job->scene);
    watcher w = {session, job->recorder, job->dump, job->live};
    ss_cli_watch_signals();
    ss_cli_progress_begin(&session->progress, !job->quiet && !job->json && !job->live,
                          ss_state_time(ss_simulation_state(simulation)),
                          ss_simulation_settings(simulation)->end);
    ss_status status = ss_simulation_run(simulation, observe, &w);
    ss_cli_progress_wipe(&session->progress);
    if (job->live)
        ss_cli_live_end(job->live, ss_simulation_state(simulation));
    return status;
}

/* A refusal that only the first step could find leaves the old record alone. */
static bool is_refused(const ss_cli_job *job, ss_status status, uint64_t steps)
{
    const ss_state *state = ss_simulation_state(ss_scene_simulation(job->scene));
    return status == SS_UNSUPPORTED && ss_state_statistics(state)->steps == steps;
}

static int refuse(const ss_cli_session *session, const ss_cli_job *job)
{
    ss_cli_print_failure(session);
    ss_recorder_discard(job->recorder);
    return SS_CLI_BAD_INPUT;
}

/* Says why the run did not reach its end, to the user and in the record. */
static void explain(const ss_cli_session *session, const ss_cli_job *job, ss_status status)
{
    double t = ss_state_time(ss_simulation_state(ss_scene_simulation(job->scene)));
    if (status == SS_STOPPED) {
        ss_cli_error("interrupted at t = %.6g s", t);
        ss_recorder_set_note(job->recorder, "interrupted");
    } else if (status != SS_OK) {
        ss_cli_print_failure(session);
        ss_recorder_set_note(job->recorder, ss_context_message(session->context));
    }
}

/* A run that ended early has said why. Nothing else hides that a run is not trusted. */
static void complain(const ss_record *record, unsigned allowed)
{
    ss_verdict verdict = ss_record_verdict(record);
    unsigned doubts = verdict.doubts & ~(unsigned)SS_DOUBT_UNFINISHED;
    if (doubts == 0)
        return;
    if ((doubts & ~allowed) != 0)
        ss_cli_error("not trusted: %s", verdict.text);
    else
        ss_cli_error("warning: not trusted, as allowed: %s", verdict.text);
}

static ss_status report(ss_cli_session *session, const ss_cli_job *job, ss_record *record,
                        double seconds, const ss_cli_drawn *drawn)
{
    if (job->quiet)
        return SS_OK;
    SS_TRY(ss_cli_report(record, session->context, job->record, seconds));
    ss_cli_print_drawn(drawn);
    if (job->dump)
        ss_cli_print_dumped(job->dump);
    ss_cli_print_verdict(record);
    return SS_OK;
}

/* Plots and summary come from the record, as `plot` and `info` would make them. */
static ss_status look_back(ss_cli_session *session, const ss_cli_job *job, double seconds,
                           unsigned *doubts)
{
    ss_record *record;
    SS_TRY(ss_record_open(session->context, job->record, &record));
    unsigned allowed = job->allowed | ss_record_allowed(record);
    *doubts = ss_record_verdict(record).doubts & ~allowed;
    ss_cli_drawn drawn = {0};
    if (job->plots)
        drawn = ss_cli_draw_scene_plots(session, job->scene, record, job->record, job->format);
    ss_status status =
        job->json ? ss_cli_report_json(record, session->context, job->record, seconds, &drawn)
                  : report(session, job, record, seconds, &drawn);
    fflush(stdout);
    complain(record, allowed);
    ss_record_close(record);
    return status;
}

int ss_cli_simulate(ss_cli_session *session, const ss_cli_job *job)
{
    const ss_state *start = ss_simulation_state(ss_scene_simulation(job->scene));
    uint64_t steps = ss_state_statistics(start)->steps;
    double began = ss_cli_clock();
    ss_status status = run_to_end(session, job);
    if (is_refused(job, status, steps))
        return refuse(session, job);
    double seconds = ss_cli_clock() - began;
    explain(session, job, status);
    ss_status closed = ss_recorder_close(job->recorder);
    if (closed != SS_OK)
        ss_cli_print_failure(session);
    unsigned doubts = SS_DOUBT_UNFINISHED;
    ss_status seen = closed == SS_OK ? look_back(session, job, seconds, &doubts) : SS_OK;
    if (seen != SS_OK)
        ss_cli_print_failure(session);
    if (status == SS_STOPPED && closed == SS_OK)
        return 128 + ss_cli_signal();
    bool good = status == SS_OK && closed == SS_OK && seen == SS_OK && doubts == 0;
    return good ? SS_CLI_DONE : SS_CLI_FAILED;
}
