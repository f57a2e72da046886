/* check_solver.c: whether the solver can treat the laws of a model, before the first step. */
#include "assembly/work.h"

#include <stdio.h>
#include <string.h>

/* Laws as blocks that act on nothing. */
typedef struct element_blocks {
    int n, n_rows;
    int *law; /* ascending */
    ss_block *blocks;
    int *factor_start;
    double *b;
} element_blocks;

static ss_status no_refresh(void *user, const double *u, double *u_free, double *b)
{
    (void)user, (void)u, (void)u_free, (void)b;
    return SS_OK;
}

static ss_status refuse(const ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    bool cones = ss_solver_settings(work->solver)->forces == SS_FORCES_CONE_COMPLEMENTARITY;
    char reason[512];
    snprintf(reason, sizeof reason, "%s", ss_context_message(work->model->context));
    return ss_fail_at(work->model->context, SS_UNSUPPORTED, element->object.where,
                      "%s cannot be solved: %s%s", element->object.owner, reason,
                      cones                       ? "; 'forces: any' takes all laws"
                      : strstr(reason, "sorprox") ? ""
                                                  : "; sorprox takes all laws");
}

/* Laws as blocks, with their sets number `kind`: all from the first to the last of those that belong to the element or scale
 * one of its own, as what stands between them may matter to a solver. Those that are never active have no block. */
static ss_status collect(const ss_work *work, const ss_element *element, int kind,
                         element_blocks *to, bool *more)
{
    const ss_table *table = &work->table;
    int first = table->n_laws, last = -1;
    for (int i = 0; i < element->n_laws; i++) {
        int l = element->laws[i], from = table->laws[l].scale_from;
        int low = from >= 0 && from < l ? from : l, high = from > l ? from : l;
        first = low < first ? low : first;
        last = high > last ? high : last;
    }
    to->n = to->n_rows = 0;
    for (int l = first; l <= last; l++) {
        const ss_law *law = &table->laws[l];
        ss_law_set set = {0};
        if (law->flags & SS_LAW_NEVER_ACTIVE)
            continue;
        SS_TRY(ss_law_declared_set(law, work->t, kind, &set, more));
        to->blocks[to->n] = (ss_block){.set = set.set,
                                       .offset = to->n_rows,
                                       .dim = law->dim,
                                       .scale_from = -1,
                                       .scale = set.scale};
        to->law[to->n++] = l;
        to->n_rows += law->dim;
    }
    for (int k = 0; k < to->n; k++)
        for (int i = 0; i < to->n; i++)
            if (to->law[i] == table->laws[to->law[k]].scale_from)
                to->blocks[k].scale_from = i;
    return SS_OK;
}

static ss_status check_element(ss_work *work, int e, bool refresh, element_blocks *blocks)
{
    ss_status status = SS_OK;
    bool more = true;
    for (int kind = 0; more && status == SS_OK; kind++) {
        more = false;
        SS_TRY(collect(work, &work->table.elements[e], kind, blocks, &more));
        ss_inclusion inclusion = {.n_blocks = blocks->n,
                                  .n_rows = blocks->n_rows,
                                  .blocks = blocks->blocks,
                                  .factor_start = blocks->factor_start,
                                  .b = blocks->b,
                                  .refresh = refresh ? no_refresh : NULL};
        status = ss_solver_check(work->solver, &inclusion);
    }
    return status == SS_UNSUPPORTED ? refuse(work, e) : status;
}

ss_status ss_work_check_solver(ss_work *work, bool refresh)
{
    const ss_model *model = work->model;
    int n = work->table.n_laws;
    element_blocks blocks = {0};
    ss_arena arena;
    ss_arena_init(&arena, model->context);
    ss_status status = SS_ARENA_NEW(&arena, n, &blocks.law);
    if (status == SS_OK)
        status = SS_ARENA_NEW(&arena, n, &blocks.blocks);
    if (status == SS_OK)
        status = SS_ARENA_NEW(&arena, n + 1, &blocks.factor_start);
    if (status == SS_OK)
        status = SS_ARENA_NEW(&arena, work->table.n_rows, &blocks.b);
    for (int e = 0; e < work->table.n_elements && status == SS_OK; e++)
        status = check_element(work, e, refresh, &blocks);
    ss_arena_release(&arena);
    return status;
}
