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
        .contact_capacity = model->contact_capacity,
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

/* Coulomb's coefficient, whatever the law calls it. */
static double friction_of(const ss_law *law)
{
    const double zeros[SS_SET_MAX_DIM] = {0}, first[SS_SET_MAX_DIM] = {1};
    ss_law_at at = {.dt = 1, .dim = law->dim, .g = zeros, .gamma = zeros};
    ss_law_set set;
    if (law->scale_from < 0 || law->ops->set(law->object.self, &at, &set) != SS_OK)
        return 0;
    return ss_set_support(set.set, set.scale, first);
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
        .law_class = l->ops->law_class,
        .flags = l->flags,
        .words = {l->ops->words[0], l->ops->words[1]},
        .friction = friction_of(l),
    };
}

ss_object_info ss_model_element(const ss_model *model, int element)
{
    const ss_element *e = &model->elements[element];
    return (ss_object_info){e->object.name, e->ops->type.name};
}

ss_object_info ss_model_force(const ss_model *model, int force)
{
    const ss_force *f = &model->forces[force];
    return (ss_object_info){f->object.name, f->ops->type.name};
}

/* The system that a position (or a velocity) belongs to; every system has some. */
static const ss_system *owner_of(const ss_model *model, int index, bool velocity)
{
    int low = 0, high = model->n_systems.count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        const ss_system *s = &model->systems[middle];
        if ((velocity ? s->u_offset : s->q_offset) <= index)
            low = middle;
        else
            high = middle;
    }
    return &model->systems[low];
}

ss_name ss_model_q_name(const ss_model *model, int index)
{
    const ss_system *system = owner_of(model, index, false);
    return ss_system_variable_name(system, false, index - system->q_offset);
}

ss_name ss_model_u_name(const ss_model *model, int index)
{
    const ss_system *system = owner_of(model, index, true);
    return ss_system_variable_name(system, true, index - system->u_offset);
}
