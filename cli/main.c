/* main.c: the command `stickslip`. */
#include "command.h"

#include <stickslip/stickslip.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const ss_cli_command *const commands[] = {
    &ss_cli_run,         &ss_cli_resume,  &ss_cli_recover,
    &ss_cli_check,       &ss_cli_info,    &ss_cli_plot,
    &ss_cli_view,        &ss_cli_verify,  &ss_cli_compare_command,
    &ss_cli_convergence, &ss_cli_sweep,   &ss_cli_bifurcation,
    &ss_cli_solve,       &ss_cli_analyse, &ss_cli_export,
    &ss_cli_list,        &ss_cli_schema,  &ss_cli_import,
    &ss_cli_completion,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const ss_cli_command *ss_cli_command_at(int index)
{
    return index < N_COMMANDS ? commands[index] : NULL;
}

void ss_cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("stickslip: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static const ss_cli_command *find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *near = ss_nearest(name, N_COMMANDS, names);
    if (near)
        ss_cli_error("there is no command '%s'; did you mean '%s'?", name, near);
    else
        ss_cli_error("there is no command '%s'; `stickslip --help` lists them", name);
    return SS_CLI_BAD_INPUT;
}

/* `stickslip help run` is `stickslip run --help`. */
static int show_help(int count, char **words)
{
    if (count == 0) {
        ss_cli_print_overview();
        return SS_CLI_DONE;
    }
    const ss_cli_command *command = find(words[0]);
    if (!command)
        return refuse_command(words[0]);
    ss_cli_print_help(command);
    return SS_CLI_DONE;
}

static int start(const ss_cli_command *command, int count, char **words)
{
    ss_cli_arguments arguments;
    if (!ss_cli_parse(command, count, words, &arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_DONE;
    if (ss_cli_has(&arguments, "help"))
        ss_cli_print_help(command);
    else
        code = command->run(&arguments);
    ss_cli_release(&arguments);
    return code;
}

static int dispatch(int count, char **words)
{
    const char *word = words[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return show_help(count - 1, words + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("stickslip %s\n", ss_version());
        return SS_CLI_DONE;
    }
    if (word[0] == '-') {
        ss_cli_error("stickslip itself has the options --help and --version, not '%s'; those of a "
                     "command stand behind it",
                     word);
        return SS_CLI_BAD_INPUT;
    }
    const ss_cli_command *command = find(word);
    return command ? start(command, count - 1, words + 1) : refuse_command(word);
}

/* A file that is opened while 0, 1 or 2 is closed would get that number, and messages would be written into it. */
static bool open_standard_files(void)
{
    for (int i = 0; i <= 2; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == 0 ? O_RDONLY : O_WRONLY) != i)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!open_standard_files())
        return SS_CLI_FAILED;
    if (argc < 2) {
        ss_cli_print_overview();
        return SS_CLI_BAD_INPUT;
    }
    int code = dispatch(argc - 1, argv + 1);
    bool unwritten = ferror(stdout) != 0;
    unwritten = fflush(stdout) != 0 || unwritten;
    if (unwritten && code == SS_CLI_DONE) {
        ss_cli_error("cannot write to standard output");
        code = SS_CLI_FAILED;
    }
    return code;
}
