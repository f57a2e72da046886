/* inspect.c: looking at a sealed model. */
#include "model/model.h"

ss_model_size ss_model_sizes(const ss_model *model)
{
    return ss_model_size_of(model);
}

bool ss_model_has_default_laws(const ss_model *model, const char *element)
{
    int index;
    return ss_map_find(&model->names[SS_TYPE_ELEMENT], element, &index) &&
           model->elements[index].ops->held;
}

ss_system_info ss_model_system(const ss_model *model, int system)
{
    if (system < 0 || system >= model->n_systems.count)
        return (ss_system_info){0};
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

/* Coulomb's coefficient, whatever the law calls it: declared, or that of a constant set. */
static double friction_of(const ss_law *law)
{
    const double zeros[SS_SET_MAX_DIM] = {0}, first[SS_SET_MAX_DIM] = {1};
    ss_law_at at = {.dt = 1, .dim = law->dim, .g = zeros, .gamma = zeros};
    ss_law_set set;
    if (law->scale_from < 0)
        return 0;
    if (law->ops->coefficient)
        return law->ops->coefficient(law->object.self);
    if (!(law->flags & SS_LAW_CONSTANT_SET) || law->ops->set(law->object.self, &at, &set) != SS_OK)
        return 0;
    return ss_set_support(set.set, set.scale, first);
}

ss_status ss_law_declared_set(const ss_law *law, double t, int kind, ss_law_set *set, bool *more)
{
    static const double zeros[SS_SET_MAX_DIM] = {0};
    const ss_law_at at = {.t = t, .dt = 1, .dim = law->dim, .g = zeros, .gamma = zeros};
    const void *self = law->object.self;
    if (law->flags & SS_LAW_CONSTANT_SET)
        return law->ops->set(self, &at, set);
    const ss_set *one = law->ops->set_kind(self, law->dim, kind);
    *set = (ss_law_set){one ? one : law->ops->set_kind(self, law->dim, 0), 1};
    *more = *more || (one && law->ops->set_kind(self, law->dim, kind + 1));
    return SS_OK;
}

ss_law_info ss_model_law(const ss_model *model, int law)
{
    if (law < 0 || law >= model->n_laws.count)
        return (ss_law_info){0};
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
    if (element < 0 || element >= model->n_elements.count)
        return (ss_object_info){0};
    const ss_element *e = &model->elements[element];
    return (ss_object_info){e->object.name, e->ops->type.name};
}

ss_object_info ss_model_force(const ss_model *model, int force)
{
    if (force < 0 || force >= model->n_forces.count)
        return (ss_object_info){0};
    const ss_force *f = &model->forces[force];
    return (ss_object_info){f->object.name, f->ops->type.name};
}

/* The name of a position or a velocity of the model. */
static ss_name variable_name(const ss_model *model, int index, bool velocity)
{
    int low = 0, high = model->n_systems.count; /* every system has some */
    if (index < 0 || index >= (velocity ? model->n_u : model->n_q))
        return (ss_name){0};
    while (high - low > 1) {
        int middle = (low + high) / 2;
        const ss_system *s = &model->systems[middle];
        *((velocity ? s->u_offset : s->q_offset) <= index ? &low : &high) = middle;
    }
    const ss_system *system = &model->systems[low];
    return ss_system_variable_name(system, velocity,
                                   index - (velocity ? system->u_offset : system->q_offset));
}

ss_name ss_model_q_name(const ss_model *model, int index)
{
    return variable_name(model, index, false);
}

ss_name ss_model_u_name(const ss_model *model, int index)
{
    return variable_name(model, index, true);
}

/* ---- Shapes ---- */

void ss_pose_join(const ss_pose *outer, const ss_pose *inner, ss_pose *pose)
{
    const double *A = outer->A, *B = inner->A;
    for (int i = 0; i < 3; i++) {
        pose->x[i] = outer->x[i] + A[3 * i] * inner->x[0] + A[3 * i + 1] * inner->x[1] +
                     A[3 * i + 2] * inner->x[2];
        for (int j = 0; j < 3; j++)
            pose->A[3 * i + j] =
                A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
}

ss_shape_info ss_model_shape(const ss_model *model, int shape)
{
    if (shape < 0 || shape >= model->n_shapes.count)
        return (ss_shape_info){0};
    const ss_placed *placed = &model->shapes[shape];
    return (ss_shape_info){
        .name = placed->object.name,
        .material = placed->material,
        .shape = &placed->shape,
        .system = placed->system,
        .frame = placed->frame,
        .at = *placed->at,
    };
}

void ss_model_shape_pose(const ss_model *model, int shape, double t, const double *q, ss_pose *pose)
{
    const ss_placed *placed = &model->shapes[shape];
    if (placed->system < 0) {
        *pose = *placed->at;
        return;
    }
    const ss_system *system = &model->systems[placed->system];
    const double *positions = q + system->q_offset;
    ss_at at = {.t = t, .q = &positions};
    ss_pose frame;
    system->ops->pose(system->object.self, &at, placed->frame, &frame);
    ss_pose_join(&frame, placed->at, pose);
}

ss_status ss_model_frame_of(const ss_model *model, const char *name, int *system, int *frame)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    return ss_model_find_frame(model, "frame", (ss_location){0}, name, system, frame);
}
