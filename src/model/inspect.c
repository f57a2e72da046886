/* inspect.c: looking at a sealed model. */
#include "model/model.h"

ss_model_size ss_model_sizes(const ss_model *model)
{
    return (ss_model_size){
        .n_systems = model->n_systems.count,
        .n_elements = model->n_elements.count,
        .n_laws = model->n_laws.count,
        .n_forces = model->n_forces.count,
        .n_shapes = model->n_shapes.count,
        .n_q = model->n_q,
        .n_u = model->n_u,
        .n_rows = model->n_rows,
    };
}

ss_system_info ss_model_system(const ss_model *model, int system)
{
    const ss_system *s = &model->systems[system];
    return (ss_system_info){
        .name = s->object.name,
        .type = s->ops->type.name,
        .q_offset = s->q_offset,
        .nq = s->nq,
        .u_offset = s->u_offset,
        .nu = s->nu,
    };
}

ss_law_info ss_model_law(const ss_model *model, int law)
{
    const ss_law *l = &model->laws[law];
    return (ss_law_info){
        .name = l->object.name,
        .element = model->elements[l->element].object.name,
        .type = l->ops->type.name,
        .offset = l->offset,
        .dim = l->dim,
        .kind = l->kind,
        .words = {l->ops->words[0], l->ops->words[1]},
    };
}

const char *ss_model_q_name(const ss_model *model, int index)
{
    int s = 0;
    while (index >= model->systems[s].q_offset + model->systems[s].nq)
        s++;
    const ss_system *system = &model->systems[s];
    return model->variable_list[system->first_variable + index - system->q_offset].name;
}

const char *ss_model_u_name(const ss_model *model, int index)
{
    int s = 0;
    while (index >= model->systems[s].u_offset + model->systems[s].nu)
        s++;
    const ss_system *system = &model->systems[s];
    int place = system->first_variable + system->nq + index - system->u_offset;
    return model->variable_list[place].name;
}
