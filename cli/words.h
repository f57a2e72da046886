/* words.h: lists on the command line: "moreau,theta". */
#ifndef STICKSLIP_CLI_WORDS_H
#define STICKSLIP_CLI_WORDS_H

#include <stdbool.h>

typedef struct ss_cli_words {
    int count;
    char **items;
} ss_cli_words;

/* Splits at commas; empty words are left out. False: out of memory, a message was printed. */
bool ss_cli_words_split(const char *text, ss_cli_words *words);
/* Adds a copy of a word. */
bool ss_cli_words_add(ss_cli_words *words, const char *word);
void ss_cli_words_release(ss_cli_words *words);

#endif
