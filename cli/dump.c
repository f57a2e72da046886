#include "dump.h"

#include "report.h"

#include <math.h>
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

bool ss_cli_dump_begin(ss_cli_dump *dump, const char *record, const char *title)
{
    char stem[SS_CLI_PATH];
    if (dump->every == 0)
        return true;
    dump->title = title;
    ss_cli_stem(record, sizeof stem, stem);
    return ss_cli_join("", stem, "-inclusions", sizeof dump->folder, dump->folder) &&
           ss_cli_make_folder(dump->folder);
}

void ss_cli_dump_end(ss_cli_dump *dump, ss_cli_session *session)
{
    ss_release(session->context, dump->P);
    ss_release(session->context, dump->u);
    dump->P = dump->u = NULL;
    if (dump->every > 0 && dump->written == 0)
        rmdir(dump->folder);
}

static ss_status reserve(ss_cli_dump *dump, ss_context *context, const ss_inclusion *inclusion)
{
    int larger = inclusion->n_rows > inclusion->n_u ? inclusion->n_rows : inclusion->n_u;
    size_t room = (size_t)larger + 1;
    if (room <= dump->room)
        return SS_OK;
    void *P = dump->P, *u = dump->u;
    ss_status status = ss_reallocate(context, room, sizeof(double), &P);
    dump->P = P;
    if (status == SS_OK)
        status = ss_reallocate(context, room, sizeof(double), &u);
    dump->u = u;
    dump->room = status == SS_OK ? room : 0;
    return status;
}

/* Schemes and simulations that solve several times a step leave another inclusion than that of its
 * percussions. */
static bool belongs(const ss_cli_dump *dump, const ss_inclusion *inclusion, const ss_step *step)
{
    const double slack = 10, small = 1e-12;
    ss_inclusion_free_motion(inclusion, dump->P, dump->u);
    double residual = ss_inclusion_residual(inclusion, dump->P, dump->u).value;
    return residual <= slack * step->report->residual.value + small;
}

/* Only contacts with Coulomb's friction and bilateral rows have a place in such a file. */
static bool can_write(ss_cli_dump *dump, ss_cli_session *session, const ss_inclusion *inclusion)
{
    const char *reason = ss_inclusion_not_coulomb(inclusion);
    if (!reason)
        return true;
    ss_cli_progress_wipe(&session->progress);
    ss_cli_error("inclusions are not written: %s", reason);
    dump->refused = true;
    return false;
}

static ss_status write_file(ss_cli_dump *dump, ss_cli_session *session,
                            const ss_inclusion *inclusion, double t)
{
    char title[512], file[SS_CLI_PATH], name[64];
    snprintf(title, sizeof title, "%s, t = %.9g s", dump->title, t);
    snprintf(name, sizeof name, "%08lu", dump->steps);
    if (!ss_cli_join(dump->folder, name, ".hdf5", sizeof file, file))
        return ss_fail(session->context, SS_IO, "inclusions cannot be written");
    SS_TRY(ss_inclusion_write_fclib(session->context, inclusion, dump->P, title, file));
    dump->written++;
    return SS_OK;
}

ss_status ss_cli_dump_observe(ss_cli_dump *dump, ss_cli_session *session, ss_simulation *simulation,
                              const ss_step *step)
{
    if (dump->every == 0 || !step->report)
        return SS_OK;
    const ss_work *work = ss_simulation_work(simulation);
    const ss_inclusion *inclusion = ss_work_inclusion(ss_simulation_work(simulation));
    dump->steps++;
    if (dump->steps % dump->every != 0 || dump->refused || inclusion->n_blocks == 0 ||
        !can_write(dump, session, inclusion))
        return SS_OK;
    SS_TRY(reserve(dump, session->context, inclusion));
    memcpy(dump->P, ss_work_percussions(work), (size_t)inclusion->n_rows * sizeof *dump->P);
    if (!belongs(dump, inclusion, step)) {
        dump->other++;
        return SS_OK;
    }
    return write_file(dump, session, inclusion, ss_state_time(step->state));
}

void ss_cli_print_dumped(const ss_cli_dump *dump)
{
    if (dump->every == 0)
        return;
    ss_cli_print_line("inclusions", dump->written ? "%lu in %s/" : "%lu", dump->written,
                      dump->folder);
    if (dump->other > 0)
        ss_cli_print_line("", "%lu left out: the step was not solved by one inclusion alone",
                          dump->other);
}
