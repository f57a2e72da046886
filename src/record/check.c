/* check.c: expressions of columns that records of a model will have. */
#include "record/columns.h"

#include <stickslip/record.h>

static ss_status check(ss_arena *arena, const ss_model *model, const ss_text *expression)
{
    ss_layout layout;
    SS_TRY(ss_layout_of_model(arena, model, &layout));
    ss_columns columns;
    ss_signal signal = {0};
    ss_status status = ss_columns_create(arena, &layout, &columns);
    if (status == SS_OK)
        status = ss_signal_compile(arena->context, &layout, &columns, expression, &signal);
    if (status == SS_OK)
        ss_signal_release(&signal);
    ss_columns_release(&columns);
    return status;
}

ss_status ss_record_check_expression(const ss_model *model, const ss_text *expression)
{
    ss_arena arena;
    ss_arena_init(&arena, ss_model_context(model));
    ss_status status = check(&arena, model, expression);
    ss_arena_release(&arena);
    return status;
}
