/* names.h: lists on the command line: "moreau,theta". */
#ifndef SS_CLI_NAMES_H
#define SS_CLI_NAMES_H

#include <stdbool.h>

typedef struct ss_cli_names {
    int count;
    char **items;
} ss_cli_names;

/* Splits at commas; empty words are left out. False: out of memory, a message was printed. */
bool ss_cli_names_split(const char *text, ss_cli_names *words);
/* Adds a copy of a word. */
bool ss_cli_names_add(ss_cli_names *words, const char *word);
void ss_cli_names_release(ss_cli_names *words);

#endif
