/* rollback.c: what was added to a model is removed again, so that a failed addition leaves nothing behind. */
#include "model/model.h"

#include "expression/graph.h"

ss_model_mark ss_model_marked(const ss_model *model)
{
    return (ss_model_mark){
        .systems = model->n_systems.count,
        .elements = model->n_elements.count,
        .laws = model->n_laws.count,
        .forces = model->n_forces.count,
        .formulas = model->n_formulas.count,
        .shapes = model->n_shapes.count,
        .parameters = ss_scope_count(model->scope),
    };
}

/* An object whose init failed has no self. */
void ss_model_destroy_objects(ss_model *model, const ss_model_mark *mark)
{
    for (int i = mark->forces; i < model->n_forces.count; i++)
        if (model->forces[i].object.self && model->forces[i].ops->destroy)
            model->forces[i].ops->destroy(model->forces[i].object.self);
    for (int i = mark->laws; i < model->n_laws.count; i++)
        if (model->laws[i].object.self && model->laws[i].ops->destroy)
            model->laws[i].ops->destroy(model->laws[i].object.self);
    for (int i = mark->elements; i < model->n_elements.count; i++)
        if (model->elements[i].object.self && model->elements[i].ops->destroy)
            model->elements[i].ops->destroy(model->elements[i].object.self);
    for (int i = mark->systems; i < model->n_systems.count; i++)
        if (model->systems[i].object.self && model->systems[i].ops->destroy)
            model->systems[i].ops->destroy(model->systems[i].object.self);
    for (int i = mark->shapes; i < model->n_shapes.count; i++) {
        const ss_shape *shape = &model->shapes[i].shape;
        if (shape->self && shape->ops->destroy)
            shape->ops->destroy(shape->self, model->context);
    }
    for (int i = mark->formulas; i < model->n_formulas.count; i++)
        ss_formula_destroy(model->formulas[i]);
}

static void remove_name(ss_model *model, ss_type_kind kind, const ss_object *object, int index)
{
    int found;
    if (object->name && ss_map_find(&model->names[kind], object->name, &found) && found == index)
        ss_map_remove(&model->names[kind], object->name);
}

/* A name that several systems had may belong to one of the first `count` systems alone, or to none. */
static void remove_variable(ss_model *model, int count, const char *name)
{
    int before, owner = -1, n = 0;
    ss_variable v;
    if (!ss_map_find(&model->variables, name, &before) || (before >= 0 && before < count))
        return;
    for (int s = 0; s < count && n < 2; s++)
        if (ss_system_variable(&model->systems[s], name, &v)) {
            owner = s;
            n++;
        }
    if (n == 0)
        ss_map_remove(&model->variables, name);
    else if (n == 1)
        ss_map_set(&model->variables, name, owner); /* it is there: no memory is needed */
}

static void remove_variables(ss_model *model, int count, const ss_system *system)
{
    for (int i = 0; i < system->nq; i++)
        remove_variable(model, count, ss_system_variable_brief(system, false, i).text);
    for (int i = 0; i < system->nu; i++)
        remove_variable(model, count, ss_system_variable_brief(system, true, i).text);
}

static void remove_names(ss_model *model, const ss_model_mark *mark)
{
    for (int i = mark->systems; i < model->n_systems.count; i++) {
        const ss_system *system = &model->systems[i];
        remove_name(model, SS_TYPE_SYSTEM, &system->object, i);
        if (system->object.self)
            remove_variables(model, mark->systems, system);
    }
    for (int i = mark->elements; i < model->n_elements.count; i++)
        remove_name(model, SS_TYPE_ELEMENT, &model->elements[i].object, i);
    for (int i = mark->laws; i < model->n_laws.count; i++) {
        const ss_law *law = &model->laws[i];
        remove_name(model, SS_TYPE_LAW, &law->object, i);
        model->elements[law->element].groups[law->group].has_law = false;
    }
    for (int i = mark->forces; i < model->n_forces.count; i++)
        remove_name(model, SS_TYPE_FORCE, &model->forces[i].object, i);
    for (int i = mark->shapes; i < model->n_shapes.count; i++)
        remove_name(model, SS_TYPE_SHAPE, &model->shapes[i].object, i);
}

void ss_model_rollback(ss_model *model, const ss_model_mark *mark)
{
    remove_names(model, mark);
    ss_model_destroy_objects(model, mark);
    model->n_systems.count = mark->systems;
    model->n_elements.count = mark->elements;
    model->n_laws.count = mark->laws;
    model->n_forces.count = mark->forces;
    model->n_formulas.count = mark->formulas;
    model->n_shapes.count = mark->shapes;
    ss_scope_truncate(model->scope, mark->parameters);
}
