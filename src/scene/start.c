/* start.c: what is wrong with a scene where it starts: contacts that penetrate, constraints that do not hold. */
#include "scene/start.h"

#include "assembly/sources/contacts.h"
#include "base/context.h"
#include "scene/scene.h"

#include <math.h>

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

/* How far a law that opens is on the wrong side: by its distance to where it closes, on the side where its set pushes. */
static ss_status depth_of(ss_work *work, const ss_law *law, double *depth)
{
    const double push = 1;
    double d[SS_SET_MAX_DIM];
    ss_law_set set;
    *depth = 0;
    if (!(law->flags & SS_LAW_DISTANCE))
        return SS_OK;
    ss_law_at at = ss_work_law_at(work, law, 1, true);
    SS_TRY(law->ops->distance(law->object.self, &at, d));
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    for (int i = 0; i < law->dim; i++)
        *depth = fmax(*depth, law->dim > 1 || ss_set_contains(set.set, 1, &push, 0) ? -d[i] : d[i]);
    return SS_OK;
}

/* *deepest: of contacts so far. */
static ss_status check_law(ss_work *work, const ss_law *law, const double *gap, double size,
                           double *deepest)
{
    const ss_model *model = work->model;
    bool constraint = ss_law_is_constraint(law);
    double worst = 0;
    if (law->kind != SS_GEOMETRIC || ss_element_rule(&model->elements[law->element]))
        return SS_OK;
    if (!constraint && law->ops->law_class == SS_LAW_UNILATERAL)
        SS_TRY(depth_of(work, law, &worst));
    for (int i = 0; i < law->dim && constraint; i++)
        worst = fmax(worst, fabs(gap[law->offset + i]));
    if (!(worst > SS_START_ROUNDING * size))
        return SS_OK;
    if (!constraint)
        *deepest = fmax(*deepest, worst);
    ss_location where = law->object.where;
    ss_log(model->context, SS_LOG_WARNING, "%s:%d:%d: %s: %s %g at the start; %s",
           where.file ? where.file : "", where.line, where.column, law->object.owner,
           constraint ? "the constraint does not hold, its gap is" : "it penetrates by", worst,
           constraint ? "move the bodies, or the points that it joins, together"
                      : "move the body out, or turn the sign of the gap: it is positive when open");
    return SS_OK;
}

/* ---- Contacts of shapes ---- */

/* The smallest side of the box around a shape. */
static double thickness_of(const struct ss_work_contacts *c, int shape)
{
    double size = INFINITY;
    for (int i = 0; i < 3; i++)
        size = fmin(size, c->boxes[shape].high[i] - c->boxes[shape].low[i]);
    return size;
}

/* The deepest contact of each pair of shapes; those of a pair follow each other. */
static void warn_of_contacts(const ss_work *work, double *worst)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_model *model = work->model;
    int count = 0;
    for (int i = 0, next; i < c->n; i = next) {
        const ss_contact *deepest = &c->found[i];
        for (next = i;
             next < c->n && c->found[next].a == c->found[i].a && c->found[next].b == c->found[i].b;
             next++)
            if (c->found[next].gap < deepest->gap)
                deepest = &c->found[next];
        double size = fmin(thickness_of(c, deepest->a), thickness_of(c, deepest->b));
        if (-deepest->gap <= SS_START_ROUNDING * size)
            continue;
        *worst = fmax(*worst, -deepest->gap);
        if (count++ >= SS_START_MOST_WARNINGS)
            continue;
        const ss_placed *a = &model->shapes[deepest->a], *b = &model->shapes[deepest->b];
        ss_location where = (b->system >= 0 ? b : a)->object.where;
        ss_log(model->context, SS_LOG_WARNING,
               "%s:%d:%d: %s and %s penetrate each other by %g m at the start; move them apart",
               where.file ? where.file : "", where.line, where.column, b->object.owner,
               a->object.owner, -deepest->gap);
    }
    if (count > SS_START_MOST_WARNINGS)
        ss_log(model->context, SS_LOG_WARNING,
               "%d more pairs of shapes penetrate each other at the start",
               count - SS_START_MOST_WARNINGS);
}

static ss_status detect(ss_work *work, const ss_state *state, double *deepest)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT};
    SS_TRY(ss_work_evaluate_geometry(work, ss_state_time(state), ss_state_q(state)));
    SS_TRY(ss_work_detect(work, &early, 0, ss_state_u(state)));
    warn_of_contacts(work, deepest);
    return SS_OK;
}

/* Simulations that follow contacts for the whole run have no detection: a work of its own has. */
static ss_status check_contacts(const ss_scene *scene, ss_work *work, const ss_state *state,
                                double *deepest)
{
    ss_work *own;
    if (work->contacts)
        return detect(work, state, deepest);
    if (scene->model->contact_capacity == 0)
        return SS_OK;
    SS_TRY(ss_work_create(scene->model, scene->solver, &own));
    ss_status status = ss_work_find_sizes(own, 1);
    if (status == SS_OK)
        status = detect(own, state, deepest);
    ss_work_destroy(own);
    return status;
}

static ss_status check(const ss_scene *scene, double *gap, double *gamma)
{
    ss_work *work = ss_simulation_work(scene->simulation);
    ss_state *state = ss_simulation_state(scene->simulation);
    const ss_model *model = scene->model;
    double *deepest = &ss_state_edit_statistics(state)->penetration;
    SS_TRY(ss_work_measure(work, state, gap, gamma));
    double size = size_of(model, ss_state_q(state), gap);
    for (int l = 0; l < model->n_laws.count; l++)
        SS_TRY(check_law(work, &work->table.laws[l], gap, size, deepest));
    /* springs in place of laws hold nothing */
    if (ss_solver_settings(scene->solver)->forces != SS_FORCES_REGULARIZED)
        SS_TRY(ss_start_check_constraints(work, state, gap, gamma));
    return check_contacts(scene, work, state, deepest);
}

ss_status ss_scene_check_start(const ss_scene *scene)
{
    const ss_model *model = scene->model;
    ss_arena arena;
    double *gap, *gamma;
    ss_arena_init(&arena, scene->context);
    ss_status status = SS_ARENA_NEW(&arena, model->n_rows + 1, &gap);
    if (status == SS_OK)
        status = SS_ARENA_NEW(&arena, model->n_rows + 1, &gamma);
    if (status == SS_OK)
        status = check(scene, gap, gamma);
    ss_arena_release(&arena);
    return status;
}
