/* paths.h: names of files. */
#ifndef SS_CLI_COMMANDS_PATHS_H
#define SS_CLI_COMMANDS_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SS_CLI_PATH = 4096 };

bool ss_cli_ends_with(const char *text, const char *ending);
bool ss_cli_is_folder(const char *path);

/* A name as part of a file name: letters, digits, '.', '_', '-' and everything beyond ASCII
 * stay, the rest becomes '_'. */
void ss_cli_file_name(const char *name, size_t capacity, char *text);

/* The path without its ending: "out/toy.h5" → "out/toy". */
void ss_cli_stem(const char *path, size_t capacity, char *text);

/* Makes a folder and those above it. False: a message was printed. */
bool ss_cli_make_folder(const char *path);
/* The same for the folder a file is in. */
bool ss_cli_make_folder_of(const char *file);

/* Joins folder, name and ending. False: too long, a message was printed. */
bool ss_cli_join(const char *folder, const char *name, const char *ending, size_t capacity,
                 char *path);

/* A new file beside another, to be renamed to it: its name, FILE.part-XXXXXX, cannot be guessed. NULL: see errno. */
FILE *ss_cli_open_beside(const char *file, size_t capacity, char *part);

/* "toy.h5.part-0123456789abcdef" → "toy.h5"; false: the path is not that of a part file. */
bool ss_cli_part_target(const char *part, char target[SS_CLI_PATH]);

/* Makes sure that no other run writes this record and what is beside it, until the program ends: by a lock on
 * PATH.lock. False: another one does, a message was printed. */
bool ss_cli_claim(const char *path);
/* Ends that before the end of the program. */
void ss_cli_release_claim(void);

#endif
