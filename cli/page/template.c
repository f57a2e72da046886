/* template.c: finds and reads the viewer as the build made it. */
#include "page/template.h"

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "<!-- record -->";

/* share/stickslip/viewer.html beside the folder of the program, in the build as when installed; or where
 * STICKSLIP_VIEWER says. */
static bool find_file(char *path)
{
    const char *given = getenv("STICKSLIP_VIEWER");
    if (given && given[0])
        return ss_cli_join("", given, "", SS_CLI_PATH, path);
    char program[SS_CLI_PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
    }
    return ss_cli_join(program, "share/stickslip/viewer", ".html", SS_CLI_PATH, path);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    while (text) {
        length += fread(text + length, 1, capacity - length - 1, file);
        if (length < capacity - 1)
            break;
        char *more = realloc(text, capacity *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        text[length] = '\0';
    fclose(file);
    return text;
}

static bool refuse(const char *path)
{
    ss_cli_error(
        "the viewer is not there: '%s' cannot be read. It is made when stickslip is built on a "
        "machine with npm (Debian: apt install nodejs npm) that reaches the npm registry",
        path);
    return false;
}

bool ss_cli_template_find_opener(char *path)
{
    if (!find_file(path))
        return false;
    char *slash = strrchr(path, '/');
    size_t used = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(path + used, SS_CLI_PATH - used, "open.html");
    return access(path, R_OK) == 0 || refuse(path);
}

bool ss_cli_template_read(ss_cli_template *template)
{
    char path[SS_CLI_PATH];
    if (!find_file(path))
        return false;
    template->text = read_file(path);
    if (!template->text)
        return refuse(path);
    const char *place = strstr(template->text, mark);
    template->before = place ? (size_t)(place - template->text) : 0;
    if (!place) {
        ss_cli_error("'%s' is not the viewer of this version: it has no place for a record", path);
        free(template->text);
    }
    return place != NULL;
}
