/* figure_data.c: writes the numbers of a picture for gnuplot. */
#include "figures/figure_data.h"

#include <string.h>

static ss_status evaluate(ss_context *context, ss_record *record, const char *expression,
                          double **values)
{
    void *memory;
    SS_TRY(ss_allocate(context, ss_record_length(record) + 1, sizeof(double), &memory));
    *values = memory;
    ss_text text = {expression, {0}};
    return ss_record_evaluate(record, &text, memory);
}

static ss_status read_lanes(ss_record *record, const double *dt, ss_cli_data *data)
{
    void *memory;
    int n_laws = ss_record_law_count(record);
    SS_TRY(ss_allocate(data->context, (size_t)n_laws + 1, sizeof *data->lanes, &memory));
    data->lanes = memory;
    data->n_lanes = n_laws;
    for (int i = 0; i < n_laws; i++)
        SS_TRY(ss_cli_lane_read(data->context, record, i, data->t, dt, &data->lanes[i]));
    return SS_OK;
}

static ss_status read_modes(ss_record *record, ss_cli_data *data)
{
    double *dt = NULL;
    ss_status status = evaluate(data->context, record, "dt", &dt);
    if (status == SS_OK)
        status = read_lanes(record, dt, data);
    ss_release(data->context, dt);
    return status;
}

static ss_status read_all(ss_record *record, const ss_plot *plot, ss_cli_data *data)
{
    void *memory;
    data->count = ss_record_length(record);
    data->orbit = strcmp(plot->x, "t") != 0;
    SS_TRY(evaluate(data->context, record, "t", &data->t));
    SS_TRY(evaluate(data->context, record, plot->x, &data->x));
    SS_TRY(ss_allocate(data->context, (size_t)plot->n_y, sizeof *data->y, &memory));
    data->y = memory;
    data->n_y = plot->n_y;
    for (int i = 0; i < plot->n_y; i++)
        SS_TRY(evaluate(data->context, record, plot->y[i], &data->y[i]));
    return plot->modes && !data->orbit ? read_modes(record, data) : SS_OK;
}

static void keep(double *values, size_t first, size_t count)
{
    memmove(values, values + first, count * sizeof *values);
}

static void cut(ss_cli_range range, ss_cli_data *data)
{
    size_t first = 0, end = data->count;
    while (first < end && data->t[first] < range.from)
        first++;
    while (end > first && data->t[end - 1] > range.to)
        end--;
    data->count = end - first;
    keep(data->t, first, data->count);
    keep(data->x, first, data->count);
    for (int i = 0; i < data->n_y; i++)
        keep(data->y[i], first, data->count);
    for (int i = 0; i < data->n_lanes && data->count > 0; i++)
        ss_cli_lane_cut(data->t[0], data->t[data->count - 1], &data->lanes[i]);
}

bool ss_cli_data_read(ss_cli_session *session, ss_record *record, const ss_plot *plot,
                      ss_cli_range range, ss_cli_data *data)
{
    *data = (ss_cli_data){.context = session->context};
    if (read_all(record, plot, data) != SS_OK) {
        ss_cli_print_failure(session);
        return false;
    }
    cut(range, data);
    if (data->count == 0)
        ss_cli_error("there is nothing to draw: no recorded state is in the range");
    return data->count > 0;
}

void ss_cli_data_release(ss_cli_data *data)
{
    for (int i = 0; i < data->n_y; i++)
        ss_release(data->context, data->y[i]);
    for (int i = 0; i < data->n_lanes; i++)
        ss_cli_lane_release(data->context, &data->lanes[i]);
    ss_release(data->context, data->y);
    ss_release(data->context, data->lanes);
    ss_release(data->context, data->t);
    ss_release(data->context, data->x);
}
