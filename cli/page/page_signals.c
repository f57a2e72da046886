/* page_signals.c: collects and writes the curves of a page. */
#include "page/page_signals.h"

#include "page/base64.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A page of MOST_SAMPLES numbers has about 11 MB, and so has one of twice as many with half the bytes. Fewer
 * than LEAST_ROWS states would not look like a motion. */
enum { MOST_SAMPLES = 2000000, LEAST_ROWS = 300, MOST_ROWS = 20000, FEWEST_ROWS = 50 };

static ss_status choose_rows(ss_cli_signals *s, size_t most)
{
    void *all;
    ss_text t = {"t", {0}};
    SS_TRY(ss_allocate(s->context, ss_record_length(s->record) + 1, sizeof(double), &all));
    s->all = all;
    SS_TRY(ss_record_evaluate(s->record, &t, s->all));
    return ss_cli_rows_choose(s->context, s->record, s->all, most, &s->rows);
}

/* Takes the chosen ones of `count` states from `first` on; returns how many of the chosen are done. */
static size_t take_states(ss_cli_signals *s, size_t done, size_t first, size_t count,
                          const double *states)
{
    size_t columns = ss_record_column_count(s->record);
    for (; done < s->rows.count && s->rows.index[done] < first + count; done++) {
        const double *state = states + (s->rows.index[done] - first) * columns;
        s->t[done] = state[0];
        s->dt[done] = state[1];
        for (size_t i = 0; i < columns; i++)
            s->columns[i * s->rows.count + done] = (float)state[i];
    }
    return done;
}

/* Once through the record, which is kept by states and not by columns. */
static ss_status read_columns(ss_cli_signals *s, double *states, size_t block)
{
    size_t length = ss_record_length(s->record), done = 0;
    for (size_t first = 0; first < length; first += block) {
        size_t count = length - first < block ? length - first : block;
        SS_TRY(ss_record_states(s->record, first, count, states));
        done = take_states(s, done, first, count, states);
    }
    return SS_OK;
}

static ss_status read_record(ss_cli_signals *s)
{
    enum { BLOCK = 1 << 20 }; /* numbers at a time */
    size_t columns = ss_record_column_count(s->record), n = s->rows.count;
    size_t block = BLOCK / (columns + 1) + 1;
    void *times, *samples, *states;
    SS_TRY(ss_allocate(s->context, 2 * n + 1, sizeof(double), &times));
    s->t = times;
    s->dt = s->t + n;
    SS_TRY(ss_allocate(s->context, columns * n + 1, sizeof(float), &samples));
    s->columns = samples;
    SS_TRY(ss_allocate(s->context, block * columns, sizeof(double), &states));
    ss_status status = read_columns(s, states, block);
    ss_release(s->context, states);
    return status;
}

static ss_status grow(ss_context *context, size_t needed, size_t size, size_t *capacity,
                      void **memory)
{
    if (needed <= *capacity)
        return SS_OK;
    size_t more = needed > 2 * *capacity ? needed : 2 * *capacity;
    SS_TRY(ss_reallocate(context, more, size, memory));
    *capacity = more;
    return SS_OK;
}

static ss_status append(ss_cli_signals *s, const char *name)
{
    void *list = s->list;
    SS_TRY(grow(s->context, s->count + 1, sizeof *s->list, &s->capacity, &list));
    s->list = list;
    s->list[s->count++] = (ss_cli_signal){.name = name};
    return SS_OK;
}

/* How many states evenly; those beside switches may be as many again. With very many columns only positions count,
 * in half the bytes. */
static size_t choose_most(ss_cli_signals *s)
{
    size_t columns = ss_record_column_count(s->record), most = MOST_SAMPLES / (columns + 1);
    if (most >= LEAST_ROWS)
        return most < MOST_ROWS ? most : MOST_ROWS;
    s->coarse = true;
    most = MOST_SAMPLES / (ss_record_position_count(s->record) + 1);
    return most < FEWEST_ROWS ? FEWEST_ROWS : most < LEAST_ROWS ? most : LEAST_ROWS;
}

ss_status ss_cli_signals_begin(ss_context *context, ss_record *record, ss_cli_signals *signals)
{
    *signals = (ss_cli_signals){.context = context, .record = record};
    size_t columns = ss_record_column_count(record);
    SS_TRY(choose_rows(signals, choose_most(signals)));
    SS_TRY(read_record(signals));
    for (size_t i = 0; i < columns; i++)
        SS_TRY(append(signals, ss_record_column_name(record, i)));
    return SS_OK;
}

void ss_cli_signals_release(ss_cli_signals *signals)
{
    ss_release(signals->context, signals->all);
    ss_release(signals->context, signals->t);
    ss_release(signals->context, signals->columns);
    ss_release(signals->context, signals->list);
    ss_release(signals->context, signals->samples);
    ss_cli_rows_release(signals->context, &signals->rows);
}

const float *ss_cli_signals_column(const ss_cli_signals *signals, size_t column)
{
    return signals->columns + column * signals->rows.count;
}

/* Room for one more curve. */
static ss_status new_curve(ss_cli_signals *s, float **curve)
{
    size_t n = s->rows.count;
    void *samples = s->samples;
    SS_TRY(
        grow(s->context, (s->n_curves + 1) * n, sizeof *s->samples, &s->curves_capacity, &samples));
    s->samples = samples;
    *curve = s->samples + s->n_curves * n;
    return SS_OK;
}

static ss_status sample(ss_cli_signals *s, size_t index, float *curve)
{
    size_t n = s->rows.count;
    ss_text text = {s->list[index].name, {0}};
    if (index < ss_record_column_count(s->record)) {
        memcpy(curve, ss_cli_signals_column(s, index), n * sizeof *curve);
        s->list[index].value = n > 0 ? (double)curve[0] : 0;
        return SS_OK;
    }
    SS_TRY(ss_record_evaluate(s->record, &text, s->all));
    for (size_t i = 0; i < n; i++)
        curve[i] = (float)s->all[s->rows.index[i]];
    s->list[index].value = n > 0 ? s->all[s->rows.index[0]] : 0;
    return SS_OK;
}

/* A curve that does not vary gives its capacity back. */
static ss_status read_signal(ss_cli_signals *s, size_t index)
{
    ss_cli_signal *signal = &s->list[index];
    float *curve;
    if (signal->read)
        return SS_OK;
    SS_TRY(new_curve(s, &curve));
    SS_TRY(sample(s, index, curve));
    signal->read = true;
    signal->curve = s->n_curves;
    for (size_t i = 1; i < s->rows.count; i++)
        signal->varies = signal->varies || memcmp(&curve[i], &curve[0], sizeof *curve) != 0;
    s->n_curves += signal->varies;
    return SS_OK;
}

ss_status ss_cli_signals_add(ss_cli_signals *signals, const char *expression, size_t *index)
{
    if (!ss_record_find_column(signals->record, expression, index)) {
        *index = ss_record_column_count(signals->record);
        while (*index < signals->count && strcmp(signals->list[*index].name, expression) != 0)
            ++*index;
        if (*index == signals->count)
            SS_TRY(append(signals, expression));
    }
    return read_signal(signals, *index);
}

ss_status ss_cli_page_number(ss_cli_signals *signals, ss_cli_json *json, const char *key,
                             const char *expression)
{
    size_t index;
    SS_TRY(ss_cli_signals_add(signals, expression, &index));
    if (!signals->list[index].varies) {
        ss_cli_json_number(json, key, signals->list[index].value);
        return SS_OK;
    }
    ss_cli_json_open(json, key, '{');
    ss_cli_json_number(json, "s", (double)index);
    ss_cli_json_close(json, '}');
    return SS_OK;
}

/* Of a large record: times, positions, energies and the solver. */
static bool matters(const ss_cli_signals *s, size_t column)
{
    const char *name = s->list[column].name;
    return column < 2 + ss_record_position_count(s->record) || strncmp(name, "energy.", 7) == 0 ||
           strncmp(name, "solver.", 7) == 0;
}

ss_status ss_cli_signals_add_columns(ss_cli_signals *signals)
{
    size_t columns = ss_record_column_count(signals->record);
    bool all = !signals->coarse && signals->rows.count * columns <= MOST_SAMPLES;
    for (size_t i = 0; i < columns; i++)
        if (all || matters(signals, i))
            SS_TRY(read_signal(signals, i));
    return SS_OK;
}

static void find_range(const ss_cli_signals *s, size_t curve, float *low, float *high)
{
    const float *samples = s->samples + curve * s->rows.count;
    *low = *high = samples[0];
    for (size_t i = 0; i < s->rows.count; i++) {
        *low = fminf(*low, samples[i]);
        *high = fmaxf(*high, samples[i]);
    }
}

static void write_curve(const ss_cli_signals *s, const ss_cli_signal *signal, ss_cli_json *json)
{
    float low, high;
    ss_cli_json_number(json, "curve", (double)signal->curve);
    if (!s->coarse)
        return;
    find_range(s, signal->curve, &low, &high);
    ss_cli_json_short(json, "low", (double)low);
    ss_cli_json_short(json, "high", (double)high);
}

void ss_cli_signals_write(const ss_cli_signals *signals, ss_cli_json *json)
{
    size_t columns = ss_record_column_count(signals->record);
    ss_cli_json_open(json, "signals", '[');
    for (size_t i = 0; i < signals->count; i++) {
        const ss_cli_signal *signal = &signals->list[i];
        ss_cli_json_open(json, NULL, '{');
        ss_cli_json_text(json, "name", signal->name);
        if (i < columns)
            ss_cli_json_text(json, "unit", ss_record_column_unit(signals->record, i));
        if (signal->read && signal->varies)
            write_curve(signals, signal, json);
        else if (signal->read)
            ss_cli_json_number(json, "value", signal->value);
        ss_cli_json_close(json, '}');
    }
    ss_cli_json_close(json, ']');
}

static void write_number(ss_cli_base64 *base64, uint64_t bits, int bytes)
{
    unsigned char little[8];
    for (int i = 0; i < bytes; i++)
        little[i] = (unsigned char)(bits >> (8 * i));
    ss_cli_base64_write(base64, (size_t)bytes, little);
}

static void write_coarsely(const ss_cli_signals *s, size_t curve, ss_cli_base64 *base64)
{
    const float *samples = s->samples + curve * s->rows.count;
    float low, high;
    find_range(s, curve, &low, &high);
    for (size_t i = 0; i < s->rows.count; i++) {
        double share = ((double)samples[i] - (double)low) / ((double)high - (double)low);
        write_number(base64, isfinite(share) ? (uint64_t)lround(65535 * share) : 0, 2);
    }
}

void ss_cli_signals_write_samples(const ss_cli_signals *signals, FILE *out)
{
    ss_cli_base64 base64 = {.out = out};
    for (size_t i = 0; i < signals->rows.count; i++) {
        uint64_t bits;
        memcpy(&bits, &signals->t[i], sizeof bits);
        write_number(&base64, bits, 8);
    }
    for (size_t i = 0; signals->coarse && i < signals->n_curves; i++)
        write_coarsely(signals, i, &base64);
    for (size_t i = 0; !signals->coarse && i < signals->n_curves * signals->rows.count; i++) {
        uint32_t bits;
        memcpy(&bits, &signals->samples[i], sizeof bits);
        write_number(&base64, bits, 4);
    }
    ss_cli_base64_end(&base64);
}
