/* completion_zsh.c: the completion script for zsh. */
#include "commands/completion.h"

#include <stdio.h>
#include <string.h>

/* Text inside single quotes, where [ ] and : mean something to _arguments. */
static void print_text(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr("[]:\\", *c))
            putchar('\\');
        putchar(*c);
    }
}

static void print_action(const char *choices)
{
    if (!choices)
        return;
    if (ss_cli_completes_files(choices)) {
        printf("_files%s%s%s", choices[1] ? " -g \"" : "", choices[1] ? choices : "",
               choices[1] ? "\"" : "");
        return;
    }
    bool list = ss_cli_completes_lists(choices);
    fputs(list ? "{_values -s , name " : "(", stdout);
    ss_cli_print_names(choices);
    putchar(list ? '}' : ')');
}

static void print_spec(const ss_cli_option *option)
{
    putchar('[');
    print_text(option->doc);
    putchar(']');
    if (option->value) {
        putchar(':');
        print_text(option->value);
        putchar(':');
        print_action(option->choices);
    }
    puts("' \\");
}

static void print_option(const ss_cli_option *option)
{
    const char *repeat = option->value ? "*" : "";
    printf("            '%s--%s", repeat, option->name);
    print_spec(option);
    if (!option->letter)
        return;
    printf("            '%s-%c", repeat, option->letter);
    print_spec(option);
}

static void print_command(const ss_cli_command *command)
{
    printf("    %s)\n        _arguments \\\n", command->name);
    for (const ss_cli_option *o = command->options; o->name; o++)
        print_option(o);
    print_option(&ss_cli_help_option);
    fputs("            '1:operand:", stdout);
    print_action(command->choices);
    puts("' \\\n            '*:operand:' ;;");
}

void ss_cli_complete_zsh(void)
{
    puts("#compdef stickslip\n"
         "# zsh completion for stickslip\n"
         "_stickslip()\n"
         "{\n"
         "    local -a commands\n"
         "    commands=(");
    for (int i = 0; ss_cli_command_at(i); i++) {
        printf("        '%s:", ss_cli_command_at(i)->name);
        print_text(ss_cli_command_at(i)->summary);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    for (int i = 0; ss_cli_command_at(i); i++)
        print_command(ss_cli_command_at(i));
    puts("    esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "    _stickslip \"$@\"\n"
         "else\n"
         "    compdef _stickslip stickslip\n"
         "fi");
}
