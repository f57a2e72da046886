/* recover.c: stickslip recover. */
#include "commands/paths.h"
#include "commands/session.h"

#include <stdio.h>
#include <unistd.h>

static const ss_cli_option options[] = {
    {"output", 'o', "FILE", "*.h5", "the record to be made, of one part file"},
    {NULL},
};

static bool choose_target(const char *part, const char *out, char target[SS_CLI_PATH])
{
    if (out)
        return ss_cli_make_folder_of(out) && ss_cli_join("", out, "", SS_CLI_PATH, target);
    if (!ss_cli_part_target(part, target)) {
        ss_cli_error("'%s' does not end with .part-NUMBER; -o says what the record is called",
                     part);
        return false;
    }
    if (access(target, F_OK) == 0) {
        ss_cli_error("'%s' is there; -o says what else the record is called", target);
        return false;
    }
    return true;
}

static ss_status tell(ss_cli_session *session, const char *part, const char *target)
{
    ss_record *record;
    double last = 0;
    SS_TRY(ss_record_open(session->context, target, &record));
    size_t length = ss_record_length(record), columns = ss_record_column_count(record);
    ss_status status = SS_OK;
    if (length > 0) {
        void *row;
        status = ss_allocate(session->context, columns, sizeof last, &row);
        if (status == SS_OK)
            status = ss_record_row(record, length - 1, row);
        last = status == SS_OK ? *(double *)row : 0;
        ss_release(session->context, row);
    }
    if (status == SS_OK)
        printf(
            "%s: %zu states up to t = %.9g s, from %s; `stickslip resume %s` goes on from there\n",
            target, length, last, part, target);
    ss_record_close(record);
    return status;
}

static bool recover(ss_cli_session *session, const char *part, const char *out)
{
    char target[SS_CLI_PATH];
    if (!choose_target(part, out, target) || !ss_cli_claim(target))
        return false;
    ss_status status = ss_record_recover(session->context, part, target);
    if (status == SS_OK)
        status = tell(session, part, target);
    ss_cli_release_claim();
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    const char *out = ss_cli_value(arguments, "output");
    if (!ss_cli_count(&ss_cli_recover, arguments, 1, out ? 1 : -1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_DONE;
    for (int i = 0; i < arguments->n_operands; i++)
        if (!recover(&session, arguments->operands[i], out))
            code = SS_CLI_BAD_INPUT;
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_recover = {
    .name = "recover",
    .operands = "PART… [-o FILE]",
    .choices = "*.part-*",
    .summary = "make records of what killed runs have left",
    .details =
        "A run that is killed, by signal 9, a full disk or a power cut, leaves NAME.h5.part-NUMBER "
        "with its two\n"
        "checkpoints, NAME.h5.part-NUMBER.0 and .1. Of these three files `recover` makes the "
        "record "
        "NAME.h5, or\n"
        "FILE with -o, up to the last whole checkpoint, which is at most `record.flush` (10 s by "
        "the clock) older\n"
        "than the end of the run. A record that is there is not replaced without -o. The part file "
        "stays; remove it\n"
        "when the record is as wanted.\n"
        "\n"
        "`info`, `view`, `plot`, `export` and `resume` take a part file as it is, also that of a "
        "run that goes on.\n"
        "\n"
        "Exit status: 0 all records are made, 2 one could not be.",
    .examples = "  stickslip recover woodpecker.h5.part-5c0e2f81a7d94b36\n"
                "  stickslip recover *.part-????????????????\n"
                "  stickslip recover woodpecker.h5.part-5c0e2f81a7d94b36 -o saved/woodpecker.h5\n",
    .options = options,
    .run = run,
};
