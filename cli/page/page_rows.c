/* page_rows.c: chooses which recorded states a page keeps. */
#include "page/page_rows.h"

#include <stdlib.h>

/* Being chosen. */
typedef struct choice {
    size_t length, count, most;
    bool *kept;
} choice;

static void keep(choice *c, size_t row)
{
    if (c->kept[row] || c->count >= c->most)
        return;
    c->kept[row] = true;
    c->count++;
}

static void keep_evenly(choice *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        keep(c, (size_t)((double)i * (double)(c->length - 1) / (double)(count - 1) + 0.5));
}

/* The first state at or after a time. */
static size_t row_after(const choice *c, const double *t, double time)
{
    size_t low = 0, high = c->length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->length ? low : c->length - 1;
}

static void keep_switches(choice *c, const ss_record *record, const double *t)
{
    size_t count = ss_record_event_count(record);
    for (size_t i = 0; i < count; i++) {
        size_t row = row_after(c, t, ss_record_event_at(record, i).t);
        keep(c, row);
        keep(c, row > 0 ? row - 1 : 0);
    }
}

static ss_status keep_failures(choice *c, ss_context *context, ss_record *record)
{
    void *memory;
    SS_TRY(ss_allocate(context, c->length, sizeof(double), &memory));
    double *outcome = memory;
    ss_text text = {"solver.outcome", {0}};
    ss_status status = ss_record_evaluate(record, &text, outcome);
    for (size_t i = 0; status == SS_OK && i < c->length; i++)
        if (outcome[i] > 0)
            keep(c, i);
    ss_release(context, memory);
    return status;
}

static ss_status collect(ss_context *context, const choice *c, ss_cli_rows *rows)
{
    void *memory;
    SS_TRY(ss_allocate(context, c->count + 1, sizeof *rows->index, &memory));
    rows->index = memory;
    rows->count = 0;
    for (size_t i = 0; i < c->length; i++)
        if (c->kept[i])
            rows->index[rows->count++] = i;
    return SS_OK;
}

ss_status ss_cli_rows_choose(ss_context *context, ss_record *record, const double *t, size_t most,
                             ss_cli_rows *rows)
{
    choice c = {.length = ss_record_length(record)};
    bool all = c.length <= most;
    void *memory;
    *rows = (ss_cli_rows){0};
    SS_TRY(ss_allocate(context, c.length + 1, sizeof *c.kept, &memory));
    c.kept = memory;
    c.most = all ? c.length : 2 * most;
    ss_status status = SS_OK;
    for (size_t i = 0; all && i < c.length; i++)
        keep(&c, i);
    if (!all) {
        keep_evenly(&c, most);
        status = keep_failures(&c, context, record);
        keep_switches(&c, record, t);
    }
    if (status == SS_OK)
        status = collect(context, &c, rows);
    ss_release(context, memory);
    return status;
}

void ss_cli_rows_release(ss_context *context, ss_cli_rows *rows)
{
    ss_release(context, rows->index);
    *rows = (ss_cli_rows){0};
}
