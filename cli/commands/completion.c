/* completion.c: stickslip completion. */
#include "commands/completion.h"

#include "commands/session.h"

#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {{NULL}};

bool ss_cli_completes_files(const char *choices)
{
    return choices && choices[0] == '*';
}

bool ss_cli_completes_lists(const char *choices)
{
    return choices && choices[0] == '@' && strchr(choices, ',');
}

/* kind: "scheme" or "scheme," */
static void print_types(const char *kind)
{
    ss_cli_session session;
    if (!ss_cli_session_begin(&session, &(ss_cli_arguments){0}))
        return;
    for (ss_type_kind k = 0; k < SS_TYPE_KINDS; k++) {
        const char *name = ss_type_kind_name(k);
        if (strcspn(kind, ",") != strlen(name) || strncmp(kind, name, strlen(name)) != 0)
            continue;
        for (size_t i = 0; ss_type_at(session.context, k, i); i++)
            printf("%s%s", i ? " " : "", ss_type_at(session.context, k, i)->name);
    }
    ss_cli_session_end(&session);
}

void ss_cli_print_names(const char *choices)
{
    if (choices[0] == '@') {
        print_types(choices + 1);
        return;
    }
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
    .details = "Prints a script for a shell. Once it is loaded, Tab completes commands, options, "
               "files, and the\n"
               "names of schemes and solvers.",
    .examples = "  source <(stickslip completion bash)\n"
                "  stickslip completion bash > /etc/bash_completion.d/stickslip\n"
                "  stickslip completion zsh > ~/.zfunc/_stickslip\n"
                "  stickslip completion fish > ~/.config/fish/completions/stickslip.fish\n",
    .options = options,
    .run = run,
};
