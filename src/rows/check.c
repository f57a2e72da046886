/* check.c: is an inclusion consistent? */
#include "rows/check.h"
#include "base/context.h"

#include "base/arena.h"
#include "la/small.h"

static ss_status check_set(ss_context *context, const ss_block *B, int i)
{
    if (!B->set)
        return ss_fail(context, SS_INPUT, "inclusion: block %d has no set", i);
    if (B->dim < 1 || B->dim > SS_SET_MAX_DIM)
        return ss_fail(context, SS_INPUT, "inclusion: block %d has %d rows; 1 to %d are possible",
                       i, B->dim, SS_SET_MAX_DIM);
    if (B->set->dim != B->dim)
        return ss_fail(context, SS_INPUT,
                       "inclusion: block %d has %d rows, but its set '%s' has dimension %d", i,
                       B->dim, B->set->ops->type.name, B->set->dim);
    return SS_OK;
}

static ss_status check_block(ss_context *context, const ss_inclusion *inclusion, int i, int offset)
{
    const ss_block *B = &inclusion->blocks[i];
    SS_TRY(check_set(context, B, i));
    if (B->offset != offset)
        return ss_fail(
            context, SS_INPUT,
            "inclusion: block %d begins at row %d; blocks follow each other, so it should be "
            "row %d",
            i, B->offset, offset);
    if (!(B->scale >= 0.0) || !isfinite(B->scale))
        return ss_fail(context, SS_INPUT,
                       "inclusion: block %d has the scale %g; it should be 0 or positive", i,
                       B->scale);
    if (!(B->r >= 0.0) || !isfinite(B->r))
        return ss_fail(context, SS_INPUT,
                       "inclusion: block %d has r = %g; it should be positive, or 0 to leave the "
                       "choice to the solver",
                       i, B->r);
    if (B->scale_from < -1 || B->scale_from >= inclusion->n_blocks || B->scale_from == i)
        return ss_fail(
            context, SS_INPUT,
            "inclusion: block %d is scaled by block %d; it should be another block from 0 to "
            "%d, or -1",
            i, B->scale_from, inclusion->n_blocks - 1);
    if (B->scale_from >= 0 && inclusion->blocks[B->scale_from].dim != 1)
        return ss_fail(
            context, SS_INPUT,
            "inclusion: block %d is scaled by block %d, which has %d rows; it should have 1", i,
            B->scale_from, inclusion->blocks[B->scale_from].dim);
    return SS_OK;
}

ss_status ss_inclusion_check_blocks(ss_context *context, const ss_inclusion *inclusion)
{
    int offset = 0;
    if (inclusion->n_blocks < 0)
        return ss_fail(context, SS_INPUT, "inclusion: %d blocks", inclusion->n_blocks);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        SS_TRY(check_block(context, inclusion, i, offset));
        offset += inclusion->blocks[i].dim;
    }
    if (offset != inclusion->n_rows)
        return ss_fail(context, SS_INPUT, "inclusion: the blocks have %d rows together, not %d",
                       offset, inclusion->n_rows);
    return SS_OK;
}

static ss_status check_start(ss_context *context, int n, const int *start)
{
    if (start[0] < 0)
        return ss_fail(context, SS_INPUT, "inclusion: block 0 starts at the item %d", start[0]);
    for (int i = 0; i < n; i++)
        if (start[i + 1] < start[i])
            return ss_fail(context, SS_INPUT,
                           "inclusion: the items of block %d end at %d, before they begin at %d", i,
                           start[i + 1], start[i]);
    return SS_OK;
}

/* home[k]: 1 + u_offset of the system that velocity k belongs to, 0 while it is unknown. */
static bool fits(const ss_factor *F, int n_u, int *home)
{
    int mark = F->u_offset + 1;
    bool known = home[F->u_offset] == mark;
    for (int k = F->u_offset; k < F->u_offset + F->nu; k++) {
        if (home[k] != (known ? mark : 0))
            return false;
        home[k] = mark;
    }
    int after = F->u_offset + F->nu;
    return after == n_u || home[after] != mark;
}

static ss_status check_factor(ss_context *context, const ss_factor *F, int i, int n_u, int *home)
{
    if (F->u_offset < 0 || F->nu < 0 || F->u_offset > n_u || F->nu > n_u - F->u_offset)
        return ss_fail(context, SS_INPUT,
                       "inclusion: block %d acts on the velocities %d to %d, but there are %d", i,
                       F->u_offset, F->u_offset + F->nu - 1, n_u);
    if (F->nu == 0)
        return SS_OK;
    if (!F->W || !F->MinvW)
        return ss_fail(context, SS_INPUT, "inclusion: a factor of block %d has no W or no M⁻¹W", i);
    if (!fits(F, n_u, home))
        return ss_fail(
            context, SS_INPUT,
            "inclusion: block %d acts on the velocities %d to %d, which overlap those of "
            "another system in part; systems are equal or apart",
            i, F->u_offset, F->u_offset + F->nu - 1);
    return SS_OK;
}

static ss_status check_factored(ss_context *context, const ss_inclusion *inclusion)
{
    SS_TRY(check_start(context, inclusion->n_blocks, inclusion->factor_start));
    bool none = inclusion->factor_start[inclusion->n_blocks] == inclusion->factor_start[0];
    if (inclusion->n_u < 0)
        return ss_fail(context, SS_INPUT, "inclusion: %d velocities", inclusion->n_u);
    if ((inclusion->n_u > 0 && !inclusion->u_free) || (inclusion->n_rows > 0 && !inclusion->b) ||
        (!none && !inclusion->factors))
        return ss_fail(context, SS_INPUT,
                       "inclusion: the factored form needs factors, u_free and b");
    int *home;
    const int *start = inclusion->factor_start;
    ss_status status = SS_NEW(context, inclusion->n_u, &home);
    SS_TRY(status);
    for (int i = 0; i < inclusion->n_blocks; i++)
        for (int f = start[i]; f < start[i + 1] && status == SS_OK; f++)
            status = check_factor(context, &inclusion->factors[f], i, inclusion->n_u, home);
    ss_release(context, home);
    return status;
}

static ss_status check_row(ss_context *context, const ss_inclusion *inclusion, int i)
{
    bool diagonal = false;
    int previous = -1;
    for (int e = inclusion->entry_start[i]; e < inclusion->entry_start[i + 1]; e++) {
        int column = inclusion->entries[e].column;
        if (column <= previous || column >= inclusion->n_blocks || !inclusion->entries[e].value)
            return ss_fail(
                context, SS_INPUT,
                "inclusion: the row of block %d has the column %d after %d; columns ascend, "
                "below %d, each with its value",
                i, column, previous, inclusion->n_blocks);
        diagonal = diagonal || column == i;
        previous = column;
    }
    if (!diagonal)
        return ss_fail(context, SS_INPUT, "inclusion: the row of block %d lacks its diagonal", i);
    return SS_OK;
}

static ss_status check_assembled(ss_context *context, const ss_inclusion *inclusion)
{
    if (inclusion->n_blocks == 0)
        return SS_OK;
    if (!inclusion->entry_start || !inclusion->entries || !inclusion->c)
        return ss_fail(
            context, SS_INPUT,
            "inclusion: neither factor_start (factored form) nor entry_start, entries and "
            "c (assembled form) are given");
    if (inclusion->refresh)
        return ss_fail(context, SS_INPUT, "inclusion: refresh belongs to the factored form only");
    SS_TRY(check_start(context, inclusion->n_blocks, inclusion->entry_start));
    for (int i = 0; i < inclusion->n_blocks; i++)
        SS_TRY(check_row(context, inclusion, i));
    return SS_OK;
}

ss_status ss_inclusion_check(ss_context *context, const ss_inclusion *inclusion)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, inclusion);
    SS_TRY(ss_inclusion_check_blocks(context, inclusion));
    if (inclusion->factor_start)
        SS_TRY(check_factored(context, inclusion));
    else
        SS_TRY(check_assembled(context, inclusion));
    return ss_inclusion_check_numbers(context, inclusion);
}

static ss_status not_finite(ss_context *context, int block, const char *what)
{
    return ss_fail(context, SS_NON_FINITE, "inclusion: %s of block %d is not finite", what, block);
}

static ss_status check_block_numbers(ss_context *context, const ss_inclusion *inclusion, int i)
{
    const ss_block *B = &inclusion->blocks[i];
    if (!isfinite(B->scale) || !isfinite(B->r))
        return not_finite(context, i, "scale or r");
    if (!inclusion->factor_start) {
        if (!ss_all_finite(B->dim, inclusion->c + B->offset))
            return not_finite(context, i, "c");
        for (int e = inclusion->entry_start[i]; e < inclusion->entry_start[i + 1]; e++) {
            const ss_entry *G = &inclusion->entries[e];
            if (!ss_all_finite(B->dim * inclusion->blocks[G->column].dim, G->value))
                return not_finite(context, i, "G");
        }
        return SS_OK;
    }
    if (!ss_all_finite(B->dim, inclusion->b + B->offset))
        return not_finite(context, i, "b");
    for (int f = inclusion->factor_start[i]; f < inclusion->factor_start[i + 1]; f++) {
        const ss_factor *F = &inclusion->factors[f];
        if (!ss_all_finite((long)F->nu * B->dim, F->W))
            return not_finite(context, i, "W");
        if (!ss_all_finite((long)F->nu * B->dim, F->MinvW))
            return not_finite(context, i, "M⁻¹W");
    }
    return SS_OK;
}

ss_status ss_inclusion_check_numbers(ss_context *context, const ss_inclusion *inclusion)
{
    if (inclusion->factor_start)
        for (int k = 0; k < inclusion->n_u; k++)
            if (!isfinite(inclusion->u_free[k]))
                return ss_fail(context, SS_NON_FINITE,
                               "inclusion: the free velocity %d is not finite", k);
    for (int i = 0; i < inclusion->n_blocks; i++)
        SS_TRY(check_block_numbers(context, inclusion, i));
    return SS_OK;
}
