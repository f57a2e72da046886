/* start.c: what is wrong with a scene where it starts: contacts that penetrate, constraints that do not hold. */
#include "assembly/work.h"
#include "base/context.h"
#include "scene/scene.h"

#include <math.h>

/* Part of the scene's size up to which a gap counts as rounding of the numbers in its file: people write four digits. */
static const double rounding = 1e-4;

/* The largest position or gap: the size that gaps are compared with. */
static double size_of(const ss_model *model, const double *q, const double *gap)
{
    double size = 0;
    for (int i = 0; i < model->n_q; i++)
        size = fmax(size, fabs(q[i]));
    for (int i = 0; i < model->n_rows; i++)
        size = fmax(size, fabs(gap[i]));
    return size;
}

static void warn_of_law(const ss_model *model, const ss_law *law, const double *gap, double size)
{
    bool constraint = ss_law_is_constraint(law);
    double worst = 0;
    if (!constraint && law->ops->law_class != SS_LAW_UNILATERAL)
        return;
    for (int i = 0; i < law->dim; i++) {
        double g = gap[law->offset + i];
        worst = fmax(worst, constraint ? fabs(g) : -g);
    }
    if (law->kind != SS_GEOMETRIC || !(worst > rounding * size))
        return;
    ss_location where = law->object.where;
    ss_log(model->context, SS_LOG_WARNING, "%s:%d:%d: %s: %s %g at the start; %s",
           where.file ? where.file : "", where.line, where.column, law->object.owner,
           constraint ? "the constraint does not hold, its gap is" : "it penetrates by", worst,
           constraint ? "move the bodies, or the points that it joins, together"
                      : "move the body out, or turn the sign of the gap: it is positive when open");
}

ss_status ss_scene_check_start(const ss_scene *scene)
{
    const ss_model *model = scene->model;
    const ss_state *state = ss_simulation_state(scene->simulation);
    ss_work *work = ss_simulation_work(scene->simulation);
    ss_arena arena;
    double *gap, *gamma;
    ss_arena_init(&arena, scene->context);
    ss_status status = SS_ARENA_NEW(&arena, model->n_rows + 1, &gap);
    if (status == SS_OK)
        status = SS_ARENA_NEW(&arena, model->n_rows + 1, &gamma);
    if (status == SS_OK)
        status = ss_work_measure(work, state, gap, gamma);
    double size = status == SS_OK ? size_of(model, ss_state_q(state), gap) : 0;
    for (int l = 0; l < model->n_laws.count && status == SS_OK; l++)
        warn_of_law(model, &model->laws[l], gap, size);
    ss_arena_release(&arena);
    return status;
}
