/* arguments.c: options and operands of a command. */
#include "command.h"

#include <stickslip/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ss_cli_option ss_cli_help_option = {"help", 'h', NULL, NULL, "show this help"};

enum { MOST_OPTIONS = 32 };

static const ss_cli_option *find_long(const ss_cli_command *command, const char *name,
                                      size_t length)
{
    for (const ss_cli_option *o = command->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    bool help = length == 4 && strncmp(name, "help", 4) == 0;
    return help ? &ss_cli_help_option : NULL;
}

static const ss_cli_option *find_letter(const ss_cli_command *command, char letter)
{
    for (const ss_cli_option *o = command->options; o->name; o++)
        if (o->letter == letter)
            return o;
    return letter == 'h' ? &ss_cli_help_option : NULL;
}

static bool refuse_option(const ss_cli_command *command, const char *word, size_t length)
{
    const char *names[MOST_OPTIONS];
    char plain[64];
    size_t count = 0;
    for (const ss_cli_option *o = command->options; o->name && count + 1 < MOST_OPTIONS; o++)
        names[count++] = o->name;
    names[count++] = "help";
    const char *name = word + strspn(word, "-");
    snprintf(plain, sizeof plain, "%.*s", (int)(length - (size_t)(name - word)), name);
    const char *near = ss_nearest(plain, count, names);
    if (near)
        ss_cli_error("%s has no option '%.*s'; did you mean '--%s'?", command->name, (int)length,
                     word, near);
    else
        ss_cli_error("%s has no option '%.*s'; `stickslip %s --help` lists them", command->name,
                     (int)length, word, command->name);
    return false;
}

static void give(ss_cli_arguments *arguments, const ss_cli_option *option, const char *value)
{
    arguments->given[arguments->n_given++] = (ss_cli_given){option, value};
}

/* Takes the option at words[*i]; `inline_value` is what stands behind = or the letter, or NULL. */
static bool take(const ss_cli_option *option, const char *inline_value, int count, char **words,
                 int *i, ss_cli_arguments *arguments)
{
    if (!option->value && inline_value) {
        ss_cli_error("the option '--%s' takes no value", option->name);
        return false;
    }
    if (option->value && !inline_value) {
        if (*i + 1 >= count) {
            ss_cli_error("the option '%s' needs a value: --%s %s", words[*i], option->name,
                         option->value);
            return false;
        }
        inline_value = words[++*i];
    }
    give(arguments, option, inline_value);
    return true;
}

static bool take_long(const ss_cli_command *command, int count, char **words, int *i,
                      ss_cli_arguments *arguments)
{
    const char *word = words[*i];
    size_t length = strcspn(word, "=");
    const ss_cli_option *option = find_long(command, word + 2, length - 2);
    if (!option)
        return refuse_option(command, word, length);
    return take(option, word[length] ? word + length + 1 : NULL, count, words, i, arguments);
}

static bool take_letter(const ss_cli_command *command, int count, char **words, int *i,
                        ss_cli_arguments *arguments)
{
    const char *word = words[*i];
    const ss_cli_option *option = find_letter(command, word[1]);
    if (!option)
        return refuse_option(command, word, strlen(word));
    return take(option, word[2] ? word + 2 : NULL, count, words, i, arguments);
}

static bool sort_names(const ss_cli_command *command, int count, char **words,
                       ss_cli_arguments *arguments)
{
    bool options = true;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (!options || word[0] != '-' || !word[1])
            arguments->operands[arguments->n_operands++] = word;
        else if (word[1] == '-' ? !take_long(command, count, words, &i, arguments)
                                : !take_letter(command, count, words, &i, arguments))
            return false;
    }
    return true;
}

bool ss_cli_parse(const ss_cli_command *command, int count, char **words,
                  ss_cli_arguments *arguments)
{
    size_t capacity = (size_t)count + 1;
    *arguments = (ss_cli_arguments){.options = command->options,
                                    .operands = calloc(capacity, sizeof *arguments->operands),
                                    .given = calloc(capacity, sizeof *arguments->given)};
    bool fine = arguments->operands && arguments->given;
    if (!fine)
        ss_cli_error("out of memory");
    fine = fine && sort_names(command, count, words, arguments);
    if (!fine)
        ss_cli_release(arguments);
    return fine;
}

void ss_cli_release(ss_cli_arguments *arguments)
{
    free(arguments->operands);
    free(arguments->given);
    *arguments = (ss_cli_arguments){0};
}

const char *ss_cli_value(const ss_cli_arguments *arguments, const char *option)
{
    const char *value = NULL;
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, option) == 0)
            value = arguments->given[i].value;
    return value;
}

bool ss_cli_has(const ss_cli_arguments *arguments, const char *option)
{
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, option) == 0)
            return true;
    return false;
}

bool ss_cli_count(const ss_cli_command *command, const ss_cli_arguments *arguments, int least,
                  int most)
{
    int n = arguments->n_operands;
    if (n >= least && (most < 0 || n <= most))
        return true;
    if (n < least)
        ss_cli_error("%s needs more: stickslip %s %s", command->name, command->name,
                     command->operands);
    else
        ss_cli_error("'%s' is one too many: stickslip %s %s", arguments->operands[most],
                     command->name, command->operands);
    return false;
}
