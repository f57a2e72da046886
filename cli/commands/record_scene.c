/* record_scene.c: loads the scene that a record was made from. */
#include "commands/record_scene.h"

#include "commands/paths.h"

#include <stdio.h>
#include <string.h>

/* Paths in the scene are relative to where it was; messages name the record it is in. */
static ss_status parse(ss_cli_session *session, const ss_record *record, const char *path,
                       const char *until, ss_scene **scene)
{
    const char *text = ss_record_scene_text(record), *slash = strrchr(path, '/');
    char file[SS_CLI_PATH], end[256];
    if (!text[0])
        return ss_fail(session->context, SS_INPUT,
                       "record '%s' holds no scene: it was not made by `stickslip run`", path);
    if (!ss_cli_join(ss_record_scene_folder(record), slash ? slash + 1 : path, "", sizeof file,
                     file))
        return ss_fail(session->context, SS_INPUT, "record '%s': its scene cannot be found", path);
    snprintf(end, sizeof end, "simulation.end=%s", until ? until : "");
    const char *settings[] = {end};
    ss_scene_options options = {.n_settings = until ? 1 : 0, .settings = settings};
    return ss_scene_parse(session->context, file, text, strlen(text), &options, scene);
}

bool ss_cli_record_scene(ss_cli_session *session, const char *record, const char *until,
                         ss_scene **scene)
{
    ss_record *r;
    *scene = NULL;
    ss_status status = ss_record_open(session->context, record, &r);
    if (status == SS_OK) {
        status = parse(session, r, record, until, scene);
        ss_record_close(r);
    }
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}
