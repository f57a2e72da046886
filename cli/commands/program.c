/* program.c: runs other programs. */
#include "commands/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool succeeded(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

ss_cli_outcome ss_cli_run_program(const char *const *words, const char *output,
                                  const char *complaints)
{
    enum { NEW = O_WRONLY | O_CREAT | O_TRUNC };
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return SS_CLI_BROKE;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, NEW, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints, NEW, 0600);
    int error = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return SS_CLI_MISSING;
    return error == 0 && succeeded(child) ? SS_CLI_RAN : SS_CLI_BROKE;
}
