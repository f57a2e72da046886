/* restitution.c: coefficients of restitution of a law: numbers, or expressions of how it is hit. */
#include "model/model.h"
#include "options/options.h"

#include <math.h>
#include <string.h>

static ss_status check(const ss_setup *setup, const ss_text *text, double value)
{
    if (value >= 0 && value <= 1)
        return SS_OK;
    return ss_fail_at(setup->model->context, SS_INPUT, text->where,
                      "%s: 'restitution' must be a number in [0, 1], not %g", setup->object->owner,
                      value);
}

/* Numbers stay numbers; a coefficient that depends on anything counts as 1 where only matters whether there is any. */
static ss_status compile(ss_setup *setup, const ss_texts *given, double *epsilon)
{
    ss_law *law = setup->law;
    ss_graph *graph;
    ss_node nodes[SS_SET_MAX_DIM];
    bool constant = true;
    ss_setup_know_state(setup);
    SS_TRY(ss_setup_graph(setup, &graph));
    for (int i = 0; i < law->dim; i++) {
        const ss_text *text = &given->items[given->rows == 1 ? 0 : i];
        SS_TRY(ss_graph_parse(graph, text, &nodes[i]));
        if (ss_graph_is_constant(graph, nodes[i], &epsilon[i])) {
            SS_TRY(check(setup, text, epsilon[i]));
            continue;
        }
        epsilon[i] = 1;
        constant = false;
    }
    return constant ? SS_OK : ss_setup_compile_plain(setup, law->dim, nodes, &law->restitution);
}

ss_status ss_law_set_restitution(ss_setup *setup, const ss_texts *given)
{
    ss_model *model = setup->model;
    ss_law *law = setup->law;
    const ss_element *element = &model->elements[law->element];
    double *epsilon;
    if (ss_args_find(setup->args, "restitution") &&
        (element->restitution.rows || element->ops->restitution))
        return ss_fail_at(
            model->context, SS_INPUT, ss_setup_key_location(setup, "restitution"),
            "%s: the element has a restitution matrix of its own; give one or the other",
            law->object.owner);
    if ((given->rows != 1 && given->rows != law->dim) || given->columns != 1)
        return ss_refuse(setup, "'restitution' has %d numbers for %d rows",
                         given->rows * given->columns, law->dim);
    SS_TRY(SS_ARENA_NEW(&model->arena, law->dim, &epsilon));
    law->epsilon = epsilon;
    return compile(setup, given, epsilon);
}

ss_status ss_law_restitution(const ss_model *model, const ss_law *law, const ss_law_at *at,
                             double *epsilon)
{
    if (!law->restitution) {
        memcpy(epsilon, law->epsilon, (size_t)law->dim * sizeof *epsilon);
        return SS_OK;
    }
    memcpy(epsilon, ss_law_formula_run(law->restitution, at), (size_t)law->dim * sizeof *epsilon);
    for (int i = 0; i < law->dim; i++)
        if (!(epsilon[i] >= 0 && epsilon[i] <= 1))
            return ss_fail_at(model->context, SS_INPUT, law->object.where,
                              "%s: its restitution is %g at t = %.9g s and γ = %.9g; it must be "
                              "in [0, 1]",
                              law->object.owner, epsilon[i], at->t, at->gamma[i]);
    return SS_OK;
}
