/* analysis.c: rank, null space and uniqueness at a solution. */
#include "la/small.h"
#include "rows/freedom.h"

#include <stickslip/analysis.h>

#include <string.h>

struct ss_analysis {
    ss_context *context;
    ss_freedom freedom;
    const ss_inclusion *inclusion;
};

ss_status ss_analysis_create(ss_context *context, ss_analysis **analysis)
{
    void *memory;
    *analysis = NULL;
    SS_TRY(ss_allocate(context, 1, sizeof **analysis, &memory));
    *analysis = memory;
    (*analysis)->context = context;
    return SS_OK;
}

void ss_analysis_destroy(ss_analysis *analysis)
{
    if (!analysis)
        return;
    ss_freedom_release(&analysis->freedom);
    ss_release(analysis->context, analysis);
}

/* Whether a null direction moves anything: G K N_j beside what its parts do alone. */
static bool moves(const ss_freedom *f, const ss_inclusion *inclusion, int j)
{
    const double *N = f->N + (size_t)j * (size_t)f->n;
    for (int k = 0; k < inclusion->n_rows; k++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < f->n; i++) {
            double part = f->R[(size_t)i * (size_t)inclusion->n_rows + (size_t)k] * N[i];
            sum += part;
            size += fabs(part);
        }
        if (fabs(sum) > 1e-9 * size)
            return true;
    }
    return false;
}

ss_status ss_analysis_determine(ss_analysis *analysis, const ss_inclusion *inclusion,
                                const double *P, const double *u, double tolerance,
                                ss_determinacy *determinacy)
{
    ss_freedom *f = &analysis->freedom;
    SS_TRY(ss_freedom_find(f, analysis->context, inclusion, P, u, tolerance));
    analysis->inclusion = inclusion;
    *determinacy = (ss_determinacy){
        .held = f->n,
        .rank = f->rank,
        .nullity = f->nullity,
        .condition = f->condition,
        .forces_unique = f->nullity == 0 || !ss_freedom_has_capacity(f, inclusion, P),
        .motion_unique = true,
    };
    for (int j = 0; j < f->nullity && !determinacy->forces_unique; j++)
        if (moves(f, inclusion, j))
            determinacy->motion_unique = false;
    return SS_OK;
}

void ss_analysis_null_direction(const ss_analysis *analysis, int k, double *direction)
{
    const ss_freedom *f = &analysis->freedom;
    const ss_inclusion *inclusion = analysis->inclusion;
    memset(direction, 0, (size_t)inclusion->n_rows * sizeof *direction);
    ss_freedom_spread(f, inclusion, f->N + (size_t)k * (size_t)f->n, direction);
}
