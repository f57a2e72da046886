/* controller_samples.c: sets inputs to values of a table, from a file or the scene. */
#include "base/context.h"
#include "model/refuse.h"
#include "types/types.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELD, LINEAR };

typedef struct samples {
    ss_texts inputs, columns;
    ss_text file, time;
    ss_matrix table;
    int between;
    int n;          /* rows */
    double *times;  /* n */
    double *values; /* n × inputs */
} samples;

static const ss_key keys[] = {
    {"inputs", SS_KEY_TEXTS, offsetof(samples, inputs), NULL, 0, 0, NULL, "",
     "Inputs that it sets."},
    {"file", SS_KEY_TEXT, offsetof(samples, file), "", 0, 0, NULL, "",
     "Text file of values separated by commas (CSV), whose first line names the columns."},
    {"time", SS_KEY_TEXT, offsetof(samples, time), "t", 0, 0, NULL, "",
     "Column of the times, in s.", "file"},
    {"columns", SS_KEY_TEXTS, offsetof(samples, columns), "", 0, 0, NULL, "",
     "Columns of the inputs, where they have other names than the inputs.", "file"},
    {"table", SS_KEY_MATRIX, offsetof(samples, table), "", 0, 0, NULL, "",
     "Instead of a file: rows of a time, in s, and a value for each input."},
    {"between", SS_KEY_CHOICE, offsetof(samples, between), "held", 0, 0, "held|linear", "",
     "What an input is between two samples: the one before, or on the straight line between them. "
     "The last one is held."},
    {.name = NULL},
};

/* ---- Text files of values ---- */

typedef struct line {
    const char *text, *end;
    int number;
} line;

static bool next_line(line *l, const char *end)
{
    if (l->end >= end)
        return false;
    l->text = l->number ? l->end + 1 : l->end;
    if (l->text >= end)
        return false;
    const char *stop = memchr(l->text, '\n', (size_t)(end - l->text));
    l->end = stop ? stop : end;
    l->number++;
    return true;
}

static bool is_empty(const line *l)
{
    const char *p = l->text;
    while (p < l->end && strchr(" \t\r", *p))
        p++;
    return p == l->end || *p == '#';
}

/* The next field of a line, without blanks and quotes around it. */
static bool next_field(const line *l, const char **place, const char **text, size_t *length)
{
    if (*place > l->end)
        return false;
    const char *stop = memchr(*place, ',', (size_t)(l->end - *place));
    const char *first = *place, *last = stop ? stop : l->end;
    *place = last + 1;
    while (first < last && strchr(" \t\r\"", *first))
        first++;
    while (last > first && strchr(" \t\r\"", last[-1]))
        last--;
    *text = first;
    *length = (size_t)(last - first);
    return true;
}

static int find_column(const line *head, const char *name)
{
    const char *place = head->text, *text;
    size_t length;
    for (int i = 0; next_field(head, &place, &text, &length); i++)
        if (strlen(name) == length && memcmp(text, name, length) == 0)
            return i;
    return -1;
}

/* Where the time and each input stand in a line. */
static ss_status find_columns(const samples *self, ss_setup *setup, const line *head, int *places)
{
    const ss_texts *names = self->columns.rows ? &self->columns : &self->inputs;
    for (int i = 0; i <= self->inputs.rows; i++) {
        const char *name = i == 0 ? self->time.text : names->items[i - 1].text;
        places[i] = find_column(head, name);
        if (places[i] < 0)
            return ss_refuse(setup, "'file' %s has no column '%s' in its first line: %.*s",
                             self->file.text, name, (int)(head->end - head->text), head->text);
    }
    return SS_OK;
}

static ss_status read_line(const samples *self, ss_setup *setup, const line *l, const int *places,
                           double *row)
{
    const char *place = l->text, *text;
    size_t length;
    int found = 0;
    for (int i = 0; next_field(l, &place, &text, &length); i++)
        for (int k = 0; k <= self->inputs.rows; k++) {
            if (places[k] != i)
                continue;
            if (!ss_number_read(text, length, &row[k]) || !isfinite(row[k]))
                return ss_refuse(setup, "'file' %s, line %d: '%.*s' is not a finite number",
                                 self->file.text, l->number, (int)length, text);
            found++;
        }
    if (found == 1 + self->inputs.rows)
        return SS_OK;
    return ss_refuse(setup, "'file' %s, line %d: values are missing", self->file.text, l->number);
}

/* Rows of a time and the values, as many as there are lines at most. */
static ss_status read_text(samples *self, ss_setup *setup, const char *text, size_t length,
                           double **rows)
{
    int width = 1 + self->inputs.rows, most = 1, *places;
    line l = {.end = text};
    for (size_t i = 0; i < length; i++)
        most += text[i] == '\n';
    SS_TRY(SS_SETUP_NEW(setup, width, &places));
    SS_TRY(SS_SETUP_NEW(setup, (size_t)most * (size_t)width, rows));
    bool headed = false;
    while (next_line(&l, text + length)) {
        if (is_empty(&l))
            continue;
        if (headed)
            SS_TRY(read_line(self, setup, &l, places, *rows + self->n++ * width));
        else
            SS_TRY(find_columns(self, setup, &l, places));
        headed = true;
    }
    return SS_OK;
}

static ss_status read_file(samples *self, ss_setup *setup, double **rows)
{
    const char *text;
    size_t length;
    if (self->columns.rows && self->columns.rows != self->inputs.rows)
        return ss_refuse(setup, "'columns' has %d names for %d inputs", self->columns.rows,
                         self->inputs.rows);
    SS_TRY(ss_setup_read_file(setup, &self->file, &text, &length));
    return read_text(self, setup, text, length, rows);
}

/* ---- The table ---- */

static ss_status check_table(const samples *self, const ss_setup *setup, const double *rows)
{
    const char *key = self->file.text ? "file" : "table";
    int width = 1 + self->inputs.rows;
    if (self->n == 0)
        return ss_refuse(setup, "'%s' has no samples", key);
    for (int i = 0; i < self->n; i++) {
        const double *row = rows + i * width;
        if (i > 0 && !(row[0] > row[-width]))
            return ss_refuse(setup, "'%s': times must increase, but %.9g s follows %.9g s", key,
                             row[0], row[-width]);
        for (int k = 0; k < self->inputs.rows; k++) {
            double min, max;
            ss_setup_control_range(setup, k, &min, &max);
            if (row[1 + k] < min || row[1 + k] > max)
                return ss_refuse(
                    setup, "'%s': %.9g at t = %.9g s is not in the range of input '%s', %g … %g",
                    key, row[1 + k], row[0], self->inputs.items[k].text, min, max);
        }
    }
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    samples *self = opaque;
    int width = 1 + self->inputs.rows, index;
    double *rows = (double *)self->table.values;
    for (int i = 0; i < self->inputs.rows; i++)
        SS_TRY(ss_setup_control(setup, &self->inputs.items[i], &index));
    if ((self->file.text != NULL) == (self->table.rows > 0))
        return ss_refuse(setup, "give either 'file' or 'table'");
    if (self->file.text)
        SS_TRY(read_file(self, setup, &rows));
    else if (self->table.columns != width)
        return ss_refuse(setup, "'table' has rows of %d numbers; a time and %d values are wanted",
                         self->table.columns, self->inputs.rows);
    if (self->table.rows)
        self->n = self->table.rows;
    SS_TRY(check_table(self, setup, rows));
    SS_TRY(SS_SETUP_NEW(setup, self->n, &self->times));
    SS_TRY(SS_SETUP_NEW(setup, (size_t)self->n * (size_t)self->inputs.rows, &self->values));
    for (int i = 0; i < self->n; i++) {
        self->times[i] = rows[i * width];
        for (int k = 0; k < self->inputs.rows; k++)
            self->values[i * self->inputs.rows + k] = rows[i * width + 1 + k];
    }
    return SS_OK;
}

/* How many samples are not after t. */
static int count_until(const samples *self, double t)
{
    int from = 0, to = self->n;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (self->times[middle] <= t)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static double next(const void *opaque, double t)
{
    const samples *self = opaque;
    int i = count_until(self, t);
    return i < self->n ? self->times[i] : (double)INFINITY;
}

/* At the time of a sample but for rounding, or between two of them where a run begins there. */
static ss_status sample(const void *opaque, const ss_sample *at)
{
    const samples *self = opaque;
    int n = self->inputs.rows;
    int i = count_until(self, at->t + 16 * DBL_EPSILON * fabs(at->t)) - 1;
    if (i < 0)
        return SS_OK;
    bool slopes = self->between == LINEAR && i + 1 < self->n;
    const double *from = self->values + i * n, *to = from + n;
    for (int k = 0; k < n; k++) {
        at->value[k] = from[k];
        if (!slopes)
            continue;
        double length = self->times[i + 1] - self->times[i];
        at->value[k] += fmax(0, at->t - self->times[i]) / length * (to[k] - from[k]);
        at->end[k] = to[k];
    }
    return SS_OK;
}

const ss_controller_ops ss_samples_ops = {
    .type = {SS_ABI, sizeof(ss_controller_ops), "samples",
             "Sets inputs to the values of a table, held or on straight lines.", sizeof(samples),
             keys},
    .init = init,
    .sample = sample,
    .next = next,
};
