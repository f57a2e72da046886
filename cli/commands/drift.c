/* drift.c: how far constraints are from being met. */
#include "commands/drift.h"

#include <math.h>

static ss_status allocate_rows(ss_context *context, int rows, double **values)
{
    void *memory;
    SS_TRY(ss_allocate(context, (size_t)rows + 1, sizeof(double), &memory));
    *values = memory;
    return SS_OK;
}

ss_status ss_cli_drift_begin(ss_context *context, ss_simulation *simulation, ss_cli_drift *drift)
{
    int rows = ss_work_sizes(ss_simulation_work(simulation)).n_rows;
    *drift = (ss_cli_drift){.context = context, .worst = (double)NAN};
    SS_TRY(allocate_rows(context, rows, &drift->gap));
    SS_TRY(allocate_rows(context, rows, &drift->gamma));
    return allocate_rows(context, rows, &drift->distance);
}

void ss_cli_drift_release(ss_cli_drift *drift)
{
    ss_release(drift->context, drift->gap);
    ss_release(drift->context, drift->gamma);
    ss_release(drift->context, drift->distance);
}

/* A spring has a gap, but no surface that it should keep. */
static bool has_surface(const ss_law_info *law)
{
    return law->kind == SS_GEOMETRIC && law->law_class != SS_LAW_SPRING;
}

static double depth(const ss_law_info *law, int mode, double d)
{
    if (law->law_class == SS_LAW_UNILATERAL && !(law->flags & SS_LAW_CLOSES_ELSEWHERE))
        return fmax(-d, 0);
    return mode == 0 ? fabs(d) : 0;
}

ss_status ss_cli_drift_update(ss_cli_drift *drift, ss_simulation *simulation, const ss_state *state)
{
    const ss_model *model = ss_simulation_model(simulation);
    ss_work *work = ss_simulation_work(simulation);
    SS_TRY(ss_work_measure(work, state, drift->gap, drift->gamma));
    SS_TRY(ss_work_distances(work, drift->distance));
    for (int l = 0; l < ss_model_sizes(model).n_laws; l++) {
        ss_law_info law = ss_model_law(model, l);
        for (int i = 0; has_surface(&law) && i < law.dim; i++)
            drift->worst = fmax(drift->worst, depth(&law, ss_state_mode(state)[l],
                                                    drift->distance[law.offset + i]));
    }
    return SS_OK;
}
