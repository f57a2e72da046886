/* store.h: tables in HDF5 files. */
#ifndef SS_CLI_STUDIES_STORE_H
#define SS_CLI_STUDIES_STORE_H

#include "commands/paths.h"

#include <hdf5.h>

typedef struct ss_cli_store {
    hid_t file;
    char path[SS_CLI_PATH], part[SS_CLI_PATH + 8];
} ss_cli_store;

/* A new file beside its place; closed in any case. */
bool ss_cli_store_open(const char *path, ss_cli_store *store);
bool ss_cli_store_texts(const ss_cli_store *store, const char *name, size_t count,
                        const char *const *texts);
bool ss_cli_store_numbers(const ss_cli_store *store, const char *name, size_t rows, size_t columns,
                          const double *values);
/* With `good` the file gets its name, otherwise it goes and a message is printed. Returns whether it is there. */
bool ss_cli_store_close(ss_cli_store *store, bool good);

#endif
