/* gnuplot.c: runs gnuplot. */
#include "figures/gnuplot.h"

#include "command.h"
#include "commands/paths.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Whatever could mean something to gnuplot is written as an octal number; digits too, lest they
 * join one. */
void ss_cli_quote(FILE *script, const char *text)
{
    fputc('"', script);
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < ' ')
            fputc(' ', script);
        else if (byte == ' ' || byte >= 0x80 || isalpha(byte))
            fputc(byte, script);
        else
            fprintf(script, "\\%03o", byte);
    }
    fputc('"', script);
}

/* Starts gnuplot with these three files as its standard streams. */
static int start(int script, int picture, int complaints, pid_t *child)
{
    char program[] = "gnuplot", defaults[] = "-d";
    char *words[] = {program, defaults, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    int error = posix_spawnp(child, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first line that says something. */
static void print_complaints(FILE *complaints, const char *file)
{
    char line[256] = "";
    rewind(complaints);
    while (fgets(line, sizeof line, complaints))
        if (line[strspn(line, " \t\r\n^")])
            break;
    line[strcspn(line, "\n")] = '\0';
    ss_cli_error("gnuplot could not draw '%s'%s%s", file, line[0] ? ": " : "", line);
}

static ss_cli_drawing run(FILE *script, int picture, const char *file)
{
    FILE *complaints = tmpfile();
    if (!complaints) {
        ss_cli_error("cannot draw '%s': no temporary file: %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    pid_t child = 0;
    ss_cli_drawing drawing = SS_CLI_DRAWN;
    int error = start(fileno(script), picture, fileno(complaints), &child);
    if (error == ENOENT) {
        drawing = SS_CLI_NO_GNUPLOT;
    } else if (error != 0) {
        ss_cli_error("cannot start gnuplot: %s", strerror(error));
        drawing = SS_CLI_NOT_DRAWN;
    } else if (!wait_for(child)) {
        print_complaints(complaints, file);
        drawing = SS_CLI_NOT_DRAWN;
    }
    fclose(complaints);
    return drawing;
}

/* gnuplot does not say that it could not write: a picture has an end, </svg> or the chunk IEND. */
static bool is_whole(int picture)
{
    char end[64] = "";
    off_t size = lseek(picture, 0, SEEK_END);
    off_t from = size > (off_t)sizeof end - 1 ? size - (off_t)sizeof end + 1 : 0;
    ssize_t n = pread(picture, end, sizeof end - 1, from);
    for (ssize_t i = 0; i < n; i++)
        if (strncmp(end + i, "</svg>", 6) == 0 || strncmp(end + i, "IEND", 4) == 0)
            return true;
    return false;
}

/* What a new file is given. */
static mode_t mask_of(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

ss_cli_drawing ss_cli_gnuplot(FILE *script, const char *file)
{
    char part[SS_CLI_PATH + 16];
    snprintf(part, sizeof part, "%s.part-XXXXXX", file);
    fflush(script);
    rewind(script);
    int picture = mkstemp(part);
    if (picture < 0 || fchmod(picture, 0666 & ~mask_of()) != 0) {
        ss_cli_error("cannot create '%s': %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    ss_cli_drawing drawing = run(script, picture, file);
    if (drawing == SS_CLI_DRAWN && !is_whole(picture)) {
        ss_cli_error("cannot write '%s': the disk is full or fails", file);
        drawing = SS_CLI_NOT_DRAWN;
    }
    if (close(picture) != 0)
        drawing = SS_CLI_NOT_DRAWN;
    if (drawing == SS_CLI_DRAWN && rename(part, file) != 0) {
        ss_cli_error("cannot create '%s': %s", file, strerror(errno));
        drawing = SS_CLI_NOT_DRAWN;
    }
    if (drawing != SS_CLI_DRAWN)
        unlink(part);
    return drawing;
}
