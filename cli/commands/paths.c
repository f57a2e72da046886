/* paths.c: makes names of files. */
#include "commands/paths.h"

#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool ss_cli_ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

bool ss_cli_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void ss_cli_file_name(const char *name, size_t capacity, char *text)
{
    size_t used = 0;
    for (const char *c = name; *c && used + 1 < capacity; c++) {
        unsigned char byte = (unsigned char)*c;
        bool fine = byte >= 0x80 || isalnum(byte) || strchr("._-", byte);
        text[used++] = fine ? *c : '_';
    }
    text[used] = '\0';
    if (used == 0 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        snprintf(text, capacity, "unnamed");
}

void ss_cli_stem(const char *path, size_t capacity, char *text)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - path) : strlen(path);
    snprintf(text, capacity, "%.*s", (int)length, path);
}

static bool make_one(const char *path)
{
    if (mkdir(path, 0777) == 0 || ss_cli_is_folder(path))
        return true;
    ss_cli_error("cannot create the folder '%s': %s", path, strerror(errno));
    return false;
}

bool ss_cli_make_folder(const char *path)
{
    char part[SS_CLI_PATH];
    if (strlen(path) >= sizeof part) {
        ss_cli_error("the path '%.40s…' is too long", path);
        return false;
    }
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (!make_one(part))
            return false;
    }
    return make_one(path);
}

bool ss_cli_make_folder_of(const char *file)
{
    char folder[SS_CLI_PATH];
    const char *slash = strrchr(file, '/');
    if (!slash || slash == file)
        return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - file), file);
    return ss_cli_make_folder(folder);
}

bool ss_cli_join(const char *folder, const char *name, const char *ending, size_t capacity,
                 char *path)
{
    const char *between = folder[0] && !ss_cli_ends_with(folder, "/") ? "/" : "";
    int used = snprintf(path, capacity, "%s%s%s%s", folder, between, name, ending);
    if (used >= 0 && (size_t)used < capacity)
        return true;
    ss_cli_error("the path '%.40s…' is too long", folder);
    return false;
}
