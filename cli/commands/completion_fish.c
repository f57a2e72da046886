/* completion_fish.c: the completion script for fish. */
#include "commands/completion.h"

#include <stdio.h>
#include <string.h>

static void print_quoted(const char *text)
{
    putchar('\'');
    for (const char *c = text; *c; c++) {
        if (strchr("'\\", *c))
            putchar('\\');
        putchar(*c);
    }
    putchar('\'');
}

static void print_option(const ss_cli_command *command, const ss_cli_option *option)
{
    printf("complete -c stickslip -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->value && ss_cli_completes_files(option->choices))
        fputs(" -r -F", stdout);
    else if (option->value)
        fputs(" -x", stdout);
    if (option->choices && !ss_cli_completes_files(option->choices)) {
        bool list = ss_cli_completes_lists(option->choices);
        fputs(list ? " -a '(__fish_complete_list , \"string split \\\" \\\" \\\"" : " -a '",
              stdout);
        ss_cli_print_names(option->choices);
        fputs(list ? "\\\"\")'" : "'", stdout);
    }
    fputs(" -d ", stdout);
    print_quoted(option->doc);
    putchar('\n');
}

static void print_operands(const ss_cli_command *command)
{
    if (!command->choices)
        return;
    printf("complete -c stickslip -n '__fish_seen_subcommand_from %s' ", command->name);
    if (ss_cli_completes_files(command->choices)) {
        printf("-k -a '(__fish_complete_suffix %s)'\n", command->choices + 1);
        return;
    }
    fputs("-a '", stdout);
    ss_cli_print_names(command->choices);
    puts("'");
}

void ss_cli_complete_fish(void)
{
    puts("# fish completion for stickslip\n"
         "complete -c stickslip -f\n"
         "complete -c stickslip -n __fish_use_subcommand -l version -d 'the version'\n"
         "complete -c stickslip -n __fish_use_subcommand -l help -d 'the commands'");
    for (int i = 0; ss_cli_command_at(i); i++) {
        const ss_cli_command *command = ss_cli_command_at(i);
        printf("complete -c stickslip -n __fish_use_subcommand -a %s -d ", command->name);
        print_quoted(command->summary);
        putchar('\n');
        for (const ss_cli_option *o = command->options; o->name; o++)
            print_option(command, o);
        print_option(command, &ss_cli_help_option);
        print_operands(command);
    }
}
