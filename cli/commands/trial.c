/* trial.c: runs a scene once with other settings and notes the outcome. */
#include "commands/trial.h"

#include "commands/drift.h"
#include "commands/interrupt.h"
#include "commands/report.h"
#include "commands/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct watcher {
    ss_cli_session *session;
    ss_recorder *recorder;
    ss_cli_drift drift;
    bool plain;
    double cpu, since; /* s */
} watcher;

static double cpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What is measured and recorded here does not count as time of the scheme. */
static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    watcher *w = user;
    w->cpu += w->plain ? 0 : cpu_clock() - w->since;
    SS_TRY(ss_recorder_observe(w->recorder, simulation, step));
    if (!w->plain)
        SS_TRY(ss_cli_drift_update(&w->drift, simulation, step->state));
    ss_cli_progress_update(&w->session->progress, ss_state_time(step->state));
    w->since = w->plain ? 0 : cpu_clock(); /* a system call */
    return ss_cli_signal() ? SS_STOPPED : SS_OK;
}

static ss_status simulate(watcher *w, ss_simulation *simulation)
{
    ss_cli_watch_signals();
    ss_cli_progress_begin(&w->session->progress, true, 0, ss_simulation_settings(simulation)->end);
    w->since = cpu_clock();
    ss_status status = ss_simulation_run(simulation, observe, w);
    ss_cli_progress_wipe(&w->session->progress);
    return status;
}

/* "file:3:5: what" → "what": the list that it becomes part of is about one scene. */
static const char *skip_place(const char *message)
{
    const char *colon = strstr(message, ": ");
    int line, column, used = 0;
    for (const char *c = message; colon && c < colon; c++)
        if (sscanf(c, ":%d:%d%n", &line, &column, &used) == 2 && c + used == colon)
            return colon + 2;
    return message;
}

/* The first line of the message. */
static void take_reason(const ss_cli_session *session, ss_cli_trial *trial)
{
    const char *message = skip_place(ss_context_message(session->context));
    snprintf(trial->reason, sizeof trial->reason, "%.*s", (int)strcspn(message, "\n"), message);
}

static bool is_broken(ss_status status)
{
    return status == SS_NOT_CONVERGED || status == SS_NON_FINITE || status == SS_SINGULAR ||
           status == SS_UNSUPPORTED;
}

static ss_status worst_balance(ss_cli_session *session, ss_cli_trial *trial)
{
    ss_record *record;
    SS_TRY(ss_record_open(session->context, trial->record, &record));
    ss_status status =
        ss_cli_largest(record, session->context, "abs(energy.balance)", &trial->balance);
    ss_record_close(record);
    return status;
}

static ss_status run_scene(ss_cli_session *session, ss_scene *scene, ss_cli_trial *trial)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    watcher w = {.session = session, .plain = trial->plain};
    ss_recorder_options options = ss_scene_recorder(scene);
    SS_TRY(ss_recorder_create(simulation, trial->record, &options, &w.recorder));
    ss_status status = ss_cli_drift_begin(session->context, simulation, &w.drift);
    if (status == SS_OK)
        status = simulate(&w, simulation);
    trial->end = status == SS_OK ? SS_CLI_ENDED : SS_CLI_BROKEN;
    if (status == SS_UNSUPPORTED &&
        ss_state_statistics(ss_simulation_state(simulation))->steps == 0) {
        trial->end = SS_CLI_REFUSED;
        take_reason(session, trial);
        ss_cli_drift_release(&w.drift);
        ss_recorder_discard(w.recorder);
        return SS_OK;
    }
    if (is_broken(status)) {
        take_reason(session, trial);
        ss_recorder_set_note(w.recorder, trial->reason);
        status = SS_OK;
    }
    const ss_state *state = ss_simulation_state(simulation);
    trial->t = ss_state_time(state);
    trial->sums = *ss_state_statistics(state);
    trial->drift = w.drift.worst;
    trial->cpu = w.cpu;
    for (int i = 0; trial->q && i < ss_model_sizes(ss_simulation_model(simulation)).n_q; i++)
        trial->q[i] = ss_state_q(state)[i];
    ss_cli_drift_release(&w.drift);
    if (status != SS_OK) {
        ss_recorder_discard(w.recorder);
        return status;
    }
    SS_TRY(ss_recorder_close(w.recorder));
    return trial->plain ? SS_OK : worst_balance(session, trial);
}

ss_status ss_cli_trial_run(ss_cli_session *session, const ss_cli_arguments *arguments,
                           ss_cli_trial *trial)
{
    ss_scene *scene;
    ss_cli_changes changes = {.n_before = trial->n_before,
                              .before = trial->before,
                              .n_after = trial->n_settings,
                              .after = trial->settings};
    trial->end = SS_CLI_REFUSED;
    trial->reason[0] = '\0';
    ss_status status = ss_cli_load_changed(session, arguments, &changes, &scene);
    if (status == SS_MEMORY)
        return status;
    if (status != SS_OK) {
        take_reason(session, trial);
        return SS_OK;
    }
    status = run_scene(session, scene, trial);
    ss_scene_destroy(scene);
    return status;
}
