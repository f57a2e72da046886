/* paths.c: makes names of files. */
#include "commands/paths.h"

#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

FILE *ss_cli_open_beside(const char *file, size_t capacity, char *part)
{
    snprintf(part, capacity, "%s.part-XXXXXX", file);
    int descriptor = mkstemp(part);
    mode_t mask = umask(0);
    umask(mask);
    FILE *out =
        descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (!out && descriptor >= 0) {
        close(descriptor);
        unlink(part);
    }
    return out;
}

bool ss_cli_part_target(const char *part, char target[SS_CLI_PATH])
{
    static const char mark[] = ".part-";
    const char *found = NULL;
    for (const char *next = strstr(part, mark); next; next = strstr(next + 1, mark))
        found = next;
    if (!found || found == part || strlen(part) >= SS_CLI_PATH)
        return false;
    const char *number = found + sizeof mark - 1;
    if (strlen(number) != 16 || strspn(number, "0123456789abcdef") != 16)
        return false;
    snprintf(target, SS_CLI_PATH, "%.*s", (int)(found - part), part);
    return true;
}

/* ---- One run in one place ---- */

static struct claim {
    int descriptor; /* -1 or 0: none */
    char path[SS_CLI_PATH + 8];
} claimed;

/* The kernel ends the lock with the process, however that ends; the file that may stay behind means nothing. */
static bool lock(const char *file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat here, there;
    for (;;) {
        int descriptor = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor < 0)
            return false;
        bool locked = fcntl(descriptor, F_SETLK, &whole) == 0;
        /* another run may have removed it between the two calls */
        bool same = locked && fstat(descriptor, &here) == 0 && stat(file, &there) == 0 &&
                    here.st_ino == there.st_ino && here.st_dev == there.st_dev;
        claimed.descriptor = descriptor;
        if (same)
            return true;
        int error = errno;
        close(descriptor);
        claimed.descriptor = -1;
        errno = error;
        if (!locked)
            return false;
    }
}

bool ss_cli_claim(const char *path)
{
    snprintf(claimed.path, sizeof claimed.path, "%s.lock", path);
    if (lock(claimed.path))
        return true;
    if (errno == EACCES || errno == EAGAIN)
        ss_cli_error("another run is writing '%s'; choose another place with -o", path);
    else
        ss_cli_error("cannot create '%s': %s", claimed.path, strerror(errno));
    return false;
}

void ss_cli_release_claim(void)
{
    if (claimed.descriptor <= 0)
        return;
    unlink(claimed.path);
    close(claimed.descriptor);
    claimed.descriptor = -1;
}
