/* record_values.c: numbers of a record: blocks of states, single states, expressions. */
#include "record/record.h"

ss_status ss_record_allocate_block(ss_record *record, ss_arena *arena, size_t count,
                                   ss_block_of_states *block)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        size_t width = (size_t)ss_series_width(&record->layout, id);
        SS_TRY(SS_ARENA_NEW(arena, count * width, &block->values[id]));
    }
    return SS_OK;
}

ss_status ss_record_read_block(ss_record *record, size_t first, size_t count,
                               ss_block_of_states *block)
{
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = SS_OK;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT && status == SS_OK; id++)
        status = ss_table_read(&record->tables[id], first, count, block->values[id]);
    ss_silence_end(&silence);
    return status;
}

static ss_status read_states(ss_record *record, ss_arena *arena, size_t first, size_t count,
                             double *values)
{
    ss_block_of_states block;
    SS_TRY(ss_record_allocate_block(record, arena, count, &block));
    SS_TRY(ss_record_read_block(record, first, count, &block));
    for (size_t row = 0; row < count; row++)
        for (int i = 0; i < record->columns.count; i++) {
            const ss_column *column = &record->columns.items[i];
            size_t width = (size_t)ss_series_width(&record->layout, column->series);
            *values++ = block.values[column->series][row * width + (size_t)column->index];
        }
    return SS_OK;
}

ss_status ss_record_states(ss_record *record, size_t first, size_t count, double *values)
{
    if (first > record->length || count > record->length - first)
        return ss_fail(record->context, SS_INPUT,
                       "record '%s' has %zu states; there are none from %zu to %zu",
                       record->store.path, record->length, first, first + count - 1);
    ss_arena arena;
    ss_arena_init(&arena, record->context);
    ss_status status = read_states(record, &arena, first, count, values);
    ss_arena_release(&arena);
    return status;
}

ss_status ss_record_row(ss_record *record, size_t row, double *values)
{
    if (row >= record->length)
        return ss_fail(record->context, SS_INPUT,
                       "record '%s' has %zu states; there is no state %zu", record->store.path,
                       record->length, row);
    return ss_record_states(record, row, 1, values);
}

static ss_status read_column(const ss_record *record, const ss_column *column, double *values)
{
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = ss_table_read_column(&record->tables[column->series], column->index,
                                            record->length, values);
    ss_silence_end(&silence);
    return status;
}

static ss_status run_signal(ss_record *record, const ss_signal *signal, ss_arena *arena,
                            double *values)
{
    double **columns, *frame;
    SS_TRY(SS_ARENA_NEW(arena, signal->n_inputs, &columns));
    SS_TRY(SS_ARENA_NEW(arena, ss_program_frame(signal->program), &frame));
    for (int i = 0; i < signal->n_inputs; i++) {
        SS_TRY(SS_ARENA_NEW(arena, record->length, &columns[i]));
        SS_TRY(read_column(record, signal->inputs[i], columns[i]));
    }
    ss_program_prepare(signal->program, frame);
    for (size_t row = 0; row < record->length; row++) {
        for (int i = 0; i < signal->n_inputs; i++)
            frame[i] = columns[i][row];
        ss_program_run(signal->program, frame);
        values[row] = ss_program_outputs(signal->program, frame)[0];
    }
    return SS_OK;
}

ss_status ss_record_evaluate(ss_record *record, const ss_text *expression, double *values)
{
    ss_signal signal;
    SS_TRY(
        ss_signal_compile(record->context, &record->layout, &record->columns, expression, &signal));
    ss_arena arena;
    ss_arena_init(&arena, record->context);
    ss_status status = run_signal(record, &signal, &arena, values);
    ss_arena_release(&arena);
    ss_signal_release(&signal);
    return status;
}
