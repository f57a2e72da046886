/* lanes.c: the modes of laws over time. */
#include "figures/lanes.h"

#include <stdio.h>
#include <string.h>

static size_t count_events(const ss_record *record, int law)
{
    size_t count = 0, all = ss_record_event_count(record);
    for (size_t i = 0; i < all; i++)
        count += ss_record_event_at(record, i).index == law;
    return count;
}

static ss_status read_mode(ss_context *context, ss_record *record, int law, double **mode)
{
    char name[1024];
    void *memory;
    SS_TRY(ss_allocate(context, ss_record_length(record) + 1, sizeof(double), &memory));
    *mode = memory;
    snprintf(name, sizeof name, "%s.mode", ss_record_law(record, law).name);
    ss_text text = {name, {0}};
    return ss_record_evaluate(record, &text, memory);
}

static void push(ss_cli_lane *lane, double t, double mode)
{
    if (lane->count > 0 && t <= lane->t[lane->count - 1])
        t = lane->t[lane->count - 1];
    lane->t[lane->count] = t;
    lane->mode[lane->count++] = mode;
}

/* Events know constraint and impressed only; the direction is that of the state beside. */
static double with_direction(bool constraint, double beside)
{
    if (constraint)
        return 0;
    return beside != 0 ? beside : 1;
}

/* A step that ends with a switch is wholly in the new mode. */
static void push_event(ss_cli_lane *lane, const ss_record_event *event, double dt, double next)
{
    double last = lane->count > 0 ? lane->mode[lane->count - 1] : 0;
    push(lane, event->t - dt, with_direction(!event->constraint, last));
    push(lane, event->t, with_direction(event->constraint, next));
}

static void merge(const ss_record *record, int law, const ss_cli_states *s, ss_cli_lane *lane)
{
    size_t row = 0, rows = s->count, events = ss_record_event_count(record);
    for (size_t i = 0; i < events; i++) {
        ss_record_event event = ss_record_event_at(record, i);
        if (event.index != law)
            continue;
        for (; row < rows && s->t[row] < event.t; row++)
            push(lane, s->t[row], s->mode[row]);
        size_t beside = row < rows ? row : rows - 1;
        push_event(lane, &event, s->dt[beside], s->mode[beside]);
    }
    for (; row < rows; row++)
        push(lane, s->t[row], s->mode[row]);
}

ss_status ss_cli_lane_merge(ss_context *context, const ss_record *record, int law,
                            const ss_cli_states *states, ss_cli_lane *lane)
{
    size_t capacity = states->count + 2 * count_events(record, law);
    void *times, *modes;
    *lane = (ss_cli_lane){0};
    SS_TRY(ss_allocate(context, capacity + 1, sizeof(double), &times));
    lane->t = times;
    SS_TRY(ss_allocate(context, capacity + 1, sizeof(double), &modes));
    lane->mode = modes;
    if (states->count > 0)
        merge(record, law, states, lane);
    return SS_OK;
}

ss_status ss_cli_lane_read(ss_context *context, ss_record *record, int law, const double *t,
                           const double *dt, ss_cli_lane *lane)
{
    double *mode = NULL;
    *lane = (ss_cli_lane){0};
    ss_status status = read_mode(context, record, law, &mode);
    ss_cli_states states = {ss_record_length(record), t, dt, mode};
    if (status == SS_OK)
        status = ss_cli_lane_merge(context, record, law, &states, lane);
    ss_release(context, mode);
    return status;
}

void ss_cli_lane_release(ss_context *context, ss_cli_lane *lane)
{
    ss_release(context, lane->t);
    ss_release(context, lane->mode);
}

void ss_cli_lane_cut(double from, double to, ss_cli_lane *lane)
{
    size_t first = 0, end = lane->count;
    while (first < end && lane->t[first] < from)
        first++;
    while (end > first && lane->t[end - 1] > to)
        end--;
    lane->count = end - first;
    memmove(lane->t, lane->t + first, lane->count * sizeof *lane->t);
    memmove(lane->mode, lane->mode + first, lane->count * sizeof *lane->mode);
}
