/* completion.c: stickslip completion. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {{NULL}};

bool ss_cli_completes_files(const char *choices)
{
    return choices && choices[0] == '*';
}

void ss_cli_print_words(const char *choices)
{
    for (const char *c = choices; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

static int run(const ss_cli_arguments *arguments)
{
    if (!ss_cli_count(&ss_cli_completion, arguments, 1, 1))
        return SS_CLI_BAD_INPUT;
    const char *shell = arguments->operands[0];
    if (strcmp(shell, "bash") == 0)
        ss_cli_complete_bash();
    else if (strcmp(shell, "zsh") == 0)
        ss_cli_complete_zsh();
    else if (strcmp(shell, "fish") == 0)
        ss_cli_complete_fish();
    else {
        ss_cli_error("there is no completion for '%s'; there is for bash, zsh and fish", shell);
        return SS_CLI_BAD_INPUT;
    }
    return SS_CLI_DONE;
}

const ss_cli_command ss_cli_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .choices = "bash|zsh|fish",
    .summary = "print a script that makes a shell complete stickslip's commands",
    .details = "Prints a script for a shell. Once it is loaded, Tab completes commands, options "
               "and files.",
    .examples = "  source <(stickslip completion bash)\n"
                "  stickslip completion bash > /etc/bash_completion.d/stickslip\n"
                "  stickslip completion zsh > ~/.zfunc/_stickslip\n"
                "  stickslip completion fish > ~/.config/fish/completions/stickslip.fish\n",
    .options = options,
    .run = run,
};
