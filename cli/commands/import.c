/* import.c: stickslip import. */
#include "commands/paths.h"
#include "commands/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const ss_cli_option options[] = {
    {"output", 'o', "SCENE", "*.yaml", "where to write; not given: standard output"},
    SS_CLI_ALLOW_OUTSIDE,
    {NULL},
};

/* A new file that takes the place of the old one. */
static bool write_file(const char *path, const char *text)
{
    char part[SS_CLI_PATH];
    FILE *file = ss_cli_make_folder_of(path) ? ss_cli_open_beside(path, sizeof part, part) : NULL;
    bool written = file && fputs(text, file) >= 0;
    if (file)
        written = fclose(file) == 0 && written;
    written = written && rename(part, path) == 0;
    if (!written) {
        ss_cli_error("cannot write '%s': %s", path, strerror(errno));
        if (file)
            unlink(part);
    }
    return written;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    char *scene;
    const char *out = ss_cli_value(arguments, "output");
    ss_import_options how = {.allow_outside = ss_cli_has(arguments, "allow-outside")};
    if (!ss_cli_count(&ss_cli_import, arguments, 1, 1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (ss_import(session.context, arguments->operands[0], &how, &scene) == SS_OK) {
        if (out)
            code = write_file(out, scene) ? SS_CLI_DONE : SS_CLI_FAILED;
        else
            code = fputs(scene, stdout) >= 0 ? SS_CLI_DONE : SS_CLI_FAILED;
        ss_release(session.context, scene);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_import = {
    .name = "import",
    .operands = "ROBOT [-o SCENE]",
    .choices = "*.urdf|*.xml",
    .summary = "make a scene of a robot in URDF or MJCF",
    .details =
        "Reads a robot in URDF or MJCF and writes the scene that `stickslip run ROBOT` would run: "
        "a tree of links,\n"
        "shapes, contact rules, drives and stops, to be read and changed. What has no meaning here "
        "is named in one\n"
        "warning. Names of meshes are relative to the folder of the robot; write the scene there.\n"
        "\n"
        "Exit status: 0 done, 1 the scene could not be written, 2 bad input.",
    .examples = "  stickslip import robot.urdf\n"
                "  stickslip import robot.xml -o robot.yaml\n",
    .options = options,
    .run = run,
};
