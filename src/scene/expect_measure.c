/* expect_measure.c: what a record says about an expectation. */
#include "scene/expect.h"

#include <math.h>

/* A value over time. */
typedef struct curve {
    size_t count;
    double *t, *value;
} curve;

static double value_at(const curve *c, double t)
{
    size_t low = 0, high = c->count - 1;
    if (isnan(t) || t <= c->t[0])
        return isnan(t) ? t : c->value[0];
    if (t >= c->t[high])
        return c->value[high];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(c->t[middle] <= t ? &low : &high) = middle;
    }
    double part = (t - c->t[low]) / (c->t[high] - c->t[low]);
    return c->value[low] + part * (c->value[high] - c->value[low]);
}

static bool fits(const ss_expect_event *event, const ss_record_event *switched)
{
    return switched->index == event->law && switched->constraint == event->constraint;
}

/* NaN: it never happened. */
static double time_of(const ss_record *record, const ss_expect_event *event)
{
    size_t count = ss_record_event_count(record);
    int seen = 0;
    for (size_t i = 0; i < count; i++) {
        ss_record_event switched = ss_record_event_at(record, i);
        if (fits(event, &switched) && ++seen == event->number)
            return switched.t;
    }
    return (double)NAN;
}

static double extreme(const curve *c, bool largest)
{
    double found = c->value[0];
    for (size_t i = 1; i < c->count; i++)
        found = largest ? fmax(found, c->value[i]) : fmin(found, c->value[i]);
    return found;
}

static double measure_curve(const ss_expect *expect, const ss_record *record, const curve *c)
{
    if (c->count == 0)
        return (double)NAN;
    if (expect->over)
        return extreme(c, expect->over == 2);
    double t = expect->event.law >= 0 ? time_of(record, &expect->event) : expect->at;
    double value = value_at(c, t);
    if (expect->since.law >= 0)
        value -= value_at(c, time_of(record, &expect->since));
    return value;
}

/* Switches that do not follow the order; NaN when not even one whole round of it is there. */
static double measure_order(const ss_expect *expect, const ss_record *record)
{
    size_t count = ss_record_event_count(record), first = 0, order = (size_t)expect->n_order;
    size_t wrong = 0;
    for (; first < count; first++) {
        ss_record_event switched = ss_record_event_at(record, first);
        if (fits(&expect->order[0], &switched))
            break;
    }
    if (count - first < order)
        return (double)NAN;
    for (size_t i = first; i < count; i++) {
        ss_record_event switched = ss_record_event_at(record, i);
        wrong += !fits(&expect->order[(i - first) % order], &switched);
    }
    return (double)wrong;
}

ss_status ss_expect_measure(ss_context *context, const ss_expect *expect, ss_record *record,
                            double *value)
{
    *value = (double)NAN;
    if (!expect->value.text) {
        *value = measure_order(expect, record);
        return SS_OK;
    }
    size_t count = ss_record_length(record);
    void *memory;
    SS_TRY(ss_allocate(context, 2 * count + 1, sizeof(double), &memory));
    curve c = {count, memory, (double *)memory + count};
    ss_text time = {"t", {0}};
    ss_status status = ss_record_evaluate(record, &time, c.t);
    if (status == SS_OK)
        status = ss_record_evaluate(record, &expect->value, c.value);
    if (status == SS_OK)
        *value = measure_curve(expect, record, &c);
    ss_release(context, memory);
    return status;
}
