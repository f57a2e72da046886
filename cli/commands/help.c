/* help.c: what --help prints. */
#include "command.h"

#include <stdio.h>

void ss_cli_print_overview(void)
{
    puts("stickslip simulates mechanical systems that hit, stick, slip, lift off and jam.\n"
         "\n"
         "usage: stickslip COMMAND …\n");
    for (int i = 0; ss_cli_command_at(i); i++)
        printf("  %-11s %s\n", ss_cli_command_at(i)->name, ss_cli_command_at(i)->summary);
    puts("\n"
         "  --help      this overview; `stickslip COMMAND --help` says all about a command\n"
         "  --version   the version\n"
         "\n"
         "It exits with 0 when done, 1 when the simulation failed, 2 when the input is bad,\n"
         "130 or 143 when a run was interrupted (Ctrl-C or TERM); its record is kept.\n"
         "\n"
         "examples:\n"
         "  stickslip run scenes/woodpecker.yaml\n"
         "  stickslip run scenes/woodpecker.yaml mu=0.25 -o slippery.h5\n"
         "  stickslip plot woodpecker.h5 phi_M phi_S --modes\n"
         "  stickslip export woodpecker.h5 --csv -o woodpecker.csv");
}

static void print_option(const ss_cli_option *option)
{
    char name[64];
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(name, sizeof name, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-24s %s\n", name, option->doc);
}

void ss_cli_print_help(const ss_cli_command *command)
{
    printf("usage: stickslip %s %s\n\n%s\n\noptions:\n", command->name, command->operands,
           command->details);
    for (const ss_cli_option *o = command->options; o->name; o++)
        print_option(o);
    print_option(&ss_cli_help_option);
    printf("\nexamples:\n%s", command->examples);
}
