/* paths.h: names of files. */
#ifndef SS_CLI_COMMANDS_PATHS_H
#define SS_CLI_COMMANDS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
