/* completion_bash.c: the completion script for bash. */
#include "commands/completion.h"

#include <stdio.h>

/* What a value or an operand completes to. */
static void print_choices(const char *choices)
{
    if (ss_cli_completes_files(choices)) {
        printf(
            "mapfile -t COMPREPLY < <(compgen -d -- \"$word\"; compgen -f -X '!%s' -- \"$word\")",
            choices);
        return;
    }
    bool list = ss_cli_completes_lists(choices);
    printf("mapfile -t COMPREPLY < <(compgen %s-W '",
           list ? "-P \"${word%\"${word##*,}\"}\" " : "");
    ss_cli_print_names(choices ? choices : "");
    printf("' -- \"%s\")", list ? "${word##*,}" : "$word");
}

static void print_value(const ss_cli_option *option)
{
    if (!option->value)
        return;
    fputs("        ", stdout);
    if (option->letter)
        printf("-%c|", option->letter);
    printf("--%s) ", option->name);
    print_choices(option->choices);
    puts("; return ;;");
}

static void print_command(const ss_cli_command *command)
{
    printf("    %s)\n        case $before in\n", command->name);
    for (const ss_cli_option *o = command->options; o->name; o++)
        print_value(o);
    puts("        esac");
    fputs("        if [[ $word == -* ]]; then\n"
          "            mapfile -t COMPREPLY < <(compgen -W '",
          stdout);
    for (const ss_cli_option *o = command->options; o->name; o++)
        printf("--%s ", o->name);
    puts("--help' -- \"$word\")\n            return\n        fi");
    fputs("        ", stdout);
    print_choices(command->choices);
    puts(" ;;");
}

void ss_cli_complete_bash(void)
{
    puts("# bash completion for stickslip\n"
         "_stickslip()\n"
         "{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    compopt -o filenames 2> /dev/null\n"
         "    if ((COMP_CWORD == 1)); then");
    fputs("        mapfile -t COMPREPLY < <(compgen -W '", stdout);
    for (int i = 0; ss_cli_command_at(i); i++)
        printf("%s ", ss_cli_command_at(i)->name);
    puts("--help --version' -- \"$word\")\n"
         "        return\n"
         "    fi\n"
         "    case ${COMP_WORDS[1]} in");
    for (int i = 0; ss_cli_command_at(i); i++)
        print_command(ss_cli_command_at(i));
    puts("    esac\n"
         "}\n"
         "complete -F _stickslip stickslip");
}
