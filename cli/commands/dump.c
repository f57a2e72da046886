/* dump.c: writes the inclusions of a run as problem files. */
#include "commands/dump.h"

#include "commands/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ss_cli_dump_parse(const char *text, ss_cli_dump *dump)
{
    const char *key = "every=";
    *dump = (ss_cli_dump){0};
    if (!text)
        return true;
    const char *number = strncmp(text, key, strlen(key)) == 0 ? text + strlen(key) : "";
    char *end;
    dump->every = number[0] >= '0' && number[0] <= '9' ? strtoul(number, &end, 10) : 0;
    if (dump->every > 0 && *end == '\0')
        return true;
    ss_cli_error("--dump-inclusions is '%s'; it must be every=N, for every N-th step", text);
    return false;
}

/* Only contacts with Coulomb's friction and bilateral rows have a place in such a file. */
static bool can_write(ss_cli_dump *dump, const ss_inclusion *inclusion)
{
    const char *reason = ss_inclusion_not_coulomb(inclusion);
    if (!reason)
        return true;
    ss_cli_progress_wipe(&dump->session->progress);
    ss_cli_error("inclusions are not written: %s", reason);
    dump->refused = true;
    return false;
}

/* 00000050.hdf5, and 00000050-2.hdf5 … when a step solves more than one. */
static ss_status write_file(ss_cli_dump *dump, const ss_inclusion *inclusion, const double *P)
{
    char title[512], file[SS_CLI_PATH], name[64], number[32] = "";
    ss_context *context = dump->session->context;
    if (dump->in_step > 1)
        snprintf(number, sizeof number, "-%lu", dump->in_step);
    snprintf(name, sizeof name, "%08lu%s", dump->steps + 1, number);
    snprintf(title, sizeof title, "%s, step %s from t = %.9g s", dump->title, name,
             ss_state_time(ss_simulation_state(dump->simulation)));
    if (!ss_cli_join(dump->folder, name, ".hdf5", sizeof file, file))
        return ss_fail(context, SS_IO, "inclusions cannot be written");
    SS_TRY(ss_inclusion_write_fclib(context, inclusion, P, title, file));
    dump->written++;
    return SS_OK;
}

static ss_status watch(void *user, const ss_inclusion *inclusion, const double *P,
                       const ss_solve_report *report)
{
    (void)report;
    ss_cli_dump *dump = user;
    if ((dump->steps + 1) % dump->every != 0 || dump->refused || inclusion->n_blocks == 0 ||
        !can_write(dump, inclusion))
        return SS_OK;
    dump->in_step++;
    return write_file(dump, inclusion, P);
}

bool ss_cli_dump_begin(ss_cli_dump *dump, ss_cli_session *session, ss_scene *scene,
                       const char *record)
{
    char stem[SS_CLI_PATH];
    if (dump->every == 0)
        return true;
    dump->session = session;
    dump->title = ss_scene_name(scene);
    dump->simulation = ss_scene_simulation(scene);
    ss_cli_stem(record, sizeof stem, stem);
    if (!ss_cli_join("", stem, "-inclusions", sizeof dump->folder, dump->folder) ||
        !ss_cli_make_folder(dump->folder))
        return false;
    ss_work_watch(ss_simulation_work(dump->simulation), watch, dump);
    return true;
}

void ss_cli_dump_end(ss_cli_dump *dump)
{
    if (dump->every == 0)
        return;
    ss_work_watch(ss_simulation_work(dump->simulation), NULL, NULL);
    if (dump->written == 0)
        rmdir(dump->folder);
}

void ss_cli_dump_next_step(ss_cli_dump *dump)
{
    dump->steps++;
    dump->in_step = 0;
}

void ss_cli_print_dumped(const ss_cli_dump *dump)
{
    if (dump->every > 0)
        ss_cli_print_line("inclusions", dump->written ? "%lu in %s/" : "%lu", dump->written,
                          dump->folder);
}
