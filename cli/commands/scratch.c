/* scratch.c: a temporary folder for what other programs write. */
#define _XOPEN_SOURCE 700
#include "commands/scratch.h"

#include "commands/paths.h"

#include "command.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ss_cli_scratch_make(ss_cli_scratch *scratch)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(scratch->folder, sizeof scratch->folder, "%s/stickslip-XXXXXX",
             tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(scratch->folder)) {
        ss_cli_error("cannot create a temporary folder '%s': %s", scratch->folder, strerror(errno));
        return false;
    }
    snprintf(scratch->output, sizeof scratch->output, "%s/output", scratch->folder);
    snprintf(scratch->complaints, sizeof scratch->complaints, "%s/complaints", scratch->folder);
    return true;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void ss_cli_scratch_remove(const ss_cli_scratch *scratch)
{
    nftw(scratch->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void ss_cli_scratch_explain(const ss_cli_scratch *scratch, const char *program)
{
    char line[512] = "", last[512] = "";
    FILE *file = fopen(scratch->complaints, "r");
    while (file && fgets(line, sizeof line, file))
        if (line[strspn(line, " \t\r\n")])
            memcpy(last, line, sizeof last);
    if (file)
        fclose(file);
    last[strcspn(last, "\n")] = '\0';
    ss_cli_error("%s failed%s%s", program, last[0] ? ": " : "", last);
}

static bool copy(FILE *in, FILE *out)
{
    char buffer[65536];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, count, out) != count)
            return false;
    return !ferror(in);
}

/* Whole or not at all, also when several do it. */
bool ss_cli_copy_file(const char *from, const char *to)
{
    char part[SS_CLI_PATH + 16];
    FILE *in = fopen(from, "rb"), *out = in ? ss_cli_open_beside(to, sizeof part, part) : NULL;
    bool good = in && out && copy(in, out);
    if (in)
        fclose(in);
    if (out && fclose(out) != 0)
        good = false;
    if (good && rename(part, to) == 0)
        return true;
    if (out)
        unlink(part);
    return false;
}
