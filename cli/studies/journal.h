/* journal.h: what a study has done so far, so that it can go on after its end. */
#ifndef SS_CLI_STUDIES_JOURNAL_H
#define SS_CLI_STUDIES_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ss_cli_journal {
    FILE *file;
} ss_cli_journal;

/* A number of everything that a study depends on: begin with SS_CLI_HASH, add texts one by one. FNV-1a. */
#define SS_CLI_HASH UINT64_C(0xcbf29ce484222325)
uint64_t ss_cli_hash(uint64_t hash, const char *text);

/* Opens the journal of a study, giving `take` each line of an earlier process that is whole. False: it belongs to
 * another study, or cannot be written; a message was printed. */
bool ss_cli_journal_open(const char *path, uint64_t key, void (*take)(void *user, const char *line),
                         void *user, ss_cli_journal *journal);
/* A line without its end; a kill of this process no longer loses it. False: a message was printed. */
bool ss_cli_journal_add(const ss_cli_journal *journal, const char *line);
void ss_cli_journal_close(ss_cli_journal *journal);

#endif
