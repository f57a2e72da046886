/* page_signals.h: the curves of a page: columns of the record, and expressions of them. */
#ifndef SS_CLI_PAGE_PAGE_SIGNALS_H
#define SS_CLI_PAGE_PAGE_SIGNALS_H

#include "json.h"
#include "page/page_rows.h"

typedef struct ss_cli_signal {
    const char *name;  /* expression */
    bool read, varies; /* a signal that does not vary is one number */
    double value;      /* of one that does not */
    size_t curve;      /* place of its samples, of one that does */
} ss_cli_signal;

typedef struct ss_cli_signals {
    ss_context *context;
    ss_record *record;
    ss_cli_rows rows;
    double *t, *dt;         /* of the chosen states */
    size_t count, capacity; /* signals; the first are the columns of the record */
    ss_cli_signal *list;
    double *all;                      /* one signal at all states */
    float *columns;                   /* every column at the chosen states, one behind the other */
    size_t n_curves, curves_capacity; /* curves of rows.count samples each */
    float *samples;
    bool coarse; /* samples are written as 16-bit numbers between the least and the largest */
} ss_cli_signals;

/* Chooses the states. Release in any case. */
ss_status ss_cli_signals_begin(ss_context *context, ss_record *record, ss_cli_signals *signals);
void ss_cli_signals_release(ss_cli_signals *signals);

/* The samples of a column of the record at the chosen states. */
const float *ss_cli_signals_column(const ss_cli_signals *signals, size_t column);
/* Reads the signal of an expression, unless it is there already. The text must outlive the
 * signals. */
ss_status ss_cli_signals_add(ss_cli_signals *signals, const char *expression, size_t *index);
/* Writes a number that may move: the number itself, or {"s": index of a signal}. */
ss_status ss_cli_page_number(ss_cli_signals *signals, ss_cli_json *json, const char *key,
                             const char *expression);
/* Reads the columns that people may want to see: all, or in a large record those that matter. */
ss_status ss_cli_signals_add_columns(ss_cli_signals *signals);

/* A list of all signals that were read. */
void ss_cli_signals_write(const ss_cli_signals *signals, ss_cli_json *json);
/* Times (float64) and then the curves (float32, or uint16 where coarse), little-endian, in base64. */
void ss_cli_signals_write_samples(const ss_cli_signals *signals, FILE *out);

#endif
