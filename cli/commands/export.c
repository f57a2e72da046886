/* export.c: stickslip export. */
#include "commands/paths.h"
#include "commands/session.h"
#include "export/vtk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"csv", 0, NULL, NULL, "comma-separated values with a header line (the default)"},
    {"vtk", 0, "DIR", NULL, "files for ParaView: open DIR/NAME.pvd"},
    {"output", 'o', "FILE", "*", "where to write; standard output when it is not given"},
    {NULL},
};

static bool write_csv(ss_cli_session *session, ss_record *record, const ss_cli_arguments *arguments,
                      FILE *stream)
{
    ss_status status =
        ss_record_write_csv(record, arguments->n_operands - 1, arguments->operands + 1, stream);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}

static bool write_file(ss_cli_session *session, ss_record *record,
                       const ss_cli_arguments *arguments, const char *file)
{
    FILE *stream = ss_cli_make_folder_of(file) ? fopen(file, "w") : NULL;
    if (!stream) {
        ss_cli_error("cannot create '%s': %s", file, strerror(errno));
        return false;
    }
    bool fine = write_csv(session, record, arguments, stream);
    if (fclose(stream) != 0 && fine) {
        ss_cli_error("cannot write '%s': %s", file, strerror(errno));
        fine = false;
    }
    if (!fine)
        remove(file);
    return fine;
}

/* The folder is made; the files are named after the record. */
static bool write_vtk(ss_cli_session *session, ss_record *record, const char *path,
                      const char *folder)
{
    char stem[SS_CLI_PATH];
    if (!ss_cli_make_folder(folder))
        return false;
    ss_cli_stem(path, sizeof stem, stem);
    const char *slash = strrchr(stem, '/');
    return ss_cli_vtk(session, record, folder, slash ? slash + 1 : stem);
}

static bool write_any(ss_cli_session *session, ss_record *record, const ss_cli_arguments *arguments)
{
    const char *file = ss_cli_value(arguments, "output"), *vtk = ss_cli_value(arguments, "vtk");
    if (vtk)
        return write_vtk(session, record, arguments->operands[0], vtk);
    return file ? write_file(session, record, arguments, file)
                : write_csv(session, record, arguments, stdout);
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_record *record;
    if (!ss_cli_count(&ss_cli_export, arguments, 1, -1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    bool fine = false;
    if (ss_record_open(session.context, arguments->operands[0], &record) == SS_OK) {
        fine = write_any(&session, record, arguments);
        ss_record_close(record);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return fine ? SS_CLI_DONE : SS_CLI_BAD_INPUT;
}

const ss_cli_command ss_cli_export = {
    .name = "export",
    .operands = "RECORD [SIGNAL …] --csv [-o FILE] | --vtk DIR",
    .choices = "*.h5",
    .summary = "write a record as comma-separated values or for ParaView",
    .details =
        "Writes all columns of a record, or the given signals (columns or expressions of them), "
        "one line for\n"
        "each recorded state, with a header line and 17 significant digits, so that no number "
        "changes.\n"
        "With --vtk it writes what ParaView opens: shapes as meshes, spheres as points for glyphs "
        "(radius,\n"
        "quaternion), contacts with their forces in N, all with velocities, over time.\n"
        "Records can also be read directly with h5py, MATLAB and everything else that knows HDF5.",
    .examples = "  stickslip export woodpecker.h5 --csv -o woodpecker.csv\n"
                "  stickslip export heap.h5 --vtk heap\n"
                "  stickslip export woodpecker.h5 --csv t y \"y'\" 'abs(beak.slip.force)' | head\n",
    .options = options,
    .run = run,
};
