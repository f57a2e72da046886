/* journal.c: a text file with a line for each piece of work that is done. */
#define _GNU_SOURCE
#include "studies/journal.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 64 };

uint64_t ss_cli_hash(uint64_t hash, const char *text)
{
    for (const char *c = text;; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        if (!*c)
            return hash;
    }
}

static void write_head(uint64_t key, char head[HEAD])
{
    snprintf(head, HEAD, "stickslip study 1 %016" PRIx64 "\n", key);
}

/* Lines that are whole; what is behind them, of a process that was killed, is cut off. */
static bool read_lines(FILE *file, void (*take)(void *, const char *), void *user)
{
    char *line = NULL;
    size_t capacity = 0;
    long whole = ftell(file);
    for (ssize_t n; (n = getline(&line, &capacity, file)) > 0 && line[n - 1] == '\n';) {
        line[n - 1] = '\0';
        take(user, line);
        whole = ftell(file);
    }
    free(line);
    return whole >= 0 && fseek(file, whole, SEEK_SET) == 0 && ftruncate(fileno(file), whole) == 0;
}

static bool is_of(FILE *file, const char *path, const char *head)
{
    char found[HEAD] = "";
    if (!fgets(found, sizeof found, file) || strchr(found, '\n') == NULL) {
        rewind(file); /* it is new, or was killed at once */
        return ftruncate(fileno(file), 0) == 0 && fputs(head, file) >= 0 && fflush(file) == 0;
    }
    if (strcmp(found, head) == 0)
        return true;
    ss_cli_error("'%s' is of another study: the scene, what is varied, the results or the version "
                 "are others; give another place with -o, or remove it",
                 path);
    errno = 0;
    return false;
}

bool ss_cli_journal_open(const char *path, uint64_t key, void (*take)(void *user, const char *line),
                         void *user, ss_cli_journal *journal)
{
    char head[HEAD];
    write_head(key, head);
    errno = 0;
    int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    journal->file = descriptor >= 0 ? fdopen(descriptor, "r+") : NULL;
    if (journal->file && is_of(journal->file, path, head) && read_lines(journal->file, take, user))
        return true;
    if (errno != 0)
        ss_cli_error("cannot write '%s': %s", path, strerror(errno));
    ss_cli_journal_close(journal);
    return false;
}

bool ss_cli_journal_add(const ss_cli_journal *journal, const char *line)
{
    bool good = fprintf(journal->file, "%s\n", line) > 0 && fflush(journal->file) == 0;
    if (!good)
        ss_cli_error("cannot write the journal: %s", strerror(errno));
    return good;
}

void ss_cli_journal_close(ss_cli_journal *journal)
{
    if (journal->file)
        fclose(journal->file);
    journal->file = NULL;
}
