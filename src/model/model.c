/* model.c: a model and the objects added to it. */
#include "model/model.h"

#include "options/options.h"

#include <stdio.h>
#include <string.h>

ss_status ss_list_grow(ss_model *model, ss_list *list, size_t size, void **array)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        SS_TRY(ss_reallocate(model->context, (size_t)capacity, size, array));
        list->capacity = capacity;
    }
    memset((char *)*array + (size_t)list->count * size, 0, size);
    list->count++;
    return SS_OK;
}

ss_status ss_model_create(ss_context *context, ss_model **model)
{
    *model = NULL;
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_model), &memory));
    ss_model *m = memory;
    m->context = context;
    ss_arena_init(&m->arena, context);
    ss_arena_init(&m->given, context);
    for (int kind = 0; kind < SS_TYPE_KINDS; kind++)
        ss_map_init(&m->names[kind], context);
    ss_map_init(&m->variables, context);
    ss_status status = ss_scope_create(context, &m->scope);
    if (status != SS_OK) {
        ss_model_destroy(m);
        return status;
    }
    *model = m;
    return SS_OK;
}

/* The status of adding something, which leaves nothing behind when it failed. */
static ss_status settle(ss_model *model, const ss_model_mark *mark, ss_status status)
{
    if (status != SS_OK)
        ss_model_rollback(model, mark);
    return status;
}

void ss_model_destroy(ss_model *model)
{
    if (!model)
        return;
    ss_model_destroy_objects(model, &(ss_model_mark){0});
    for (int kind = 0; kind < SS_TYPE_KINDS; kind++)
        ss_map_release(&model->names[kind]);
    ss_map_release(&model->variables);
    ss_scope_destroy(model->scope);
    ss_context *context = model->context;
    void *arrays[] = {model->systems, model->elements, model->laws,
                      model->forces,  model->formulas, model->shapes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ss_release(context, arrays[i]);
    ss_arena_release(&model->arena);
    ss_arena_release(&model->given);
    ss_release(context, model);
}

ss_context *ss_model_context(const ss_model *model)
{
    return model->context;
}

const ss_scope *ss_model_scope(const ss_model *model)
{
    return model->scope;
}

ss_status ss_model_define(ss_model *model, const char *name, double value)
{
    ss_variable v;
    if (ss_model_find_variable(model, name, &v) || strcmp(name, "t") == 0)
        return ss_fail(model->context, SS_INPUT,
                       "the parameter '%s' has the name of a coordinate or of the time", name);
    return ss_scope_define(model->scope, name, value);
}

/* ---- Adding ---- */

ss_status ss_model_check_open(ss_model *model, ss_type_kind kind, const char *name,
                              ss_location where)
{
    if (model->sealed)
        return ss_fail_at(model->context, SS_INPUT, where,
                          "%s '%s': the model is sealed; add before sealing",
                          ss_type_kind_name(kind), name);
    int index;
    if (ss_map_find(&model->names[kind], name, &index))
        return ss_fail_at(model->context, SS_INPUT, where, "there is a %s '%s' already",
                          ss_type_kind_name(kind), name);
    if (!name[0] || (strchr(name, '.') && kind != SS_TYPE_LAW))
        return ss_fail_at(model->context, SS_INPUT, where,
                          "'%s' cannot be the name of a %s: it must not be empty or contain '.'",
                          name, ss_type_kind_name(kind));
    return SS_OK;
}

ss_status ss_model_name_object(ss_model *model, ss_type_kind kind, const char *name,
                               ss_location where, ss_object *object)
{
    char owner[256];
    if (strlen(name) > 200)
        return ss_fail_at(model->context, SS_INPUT, where,
                          "the name '%.20s…' is too long: at most "
                          "200 bytes",
                          name);
    snprintf(owner, sizeof owner, "%s '%.200s'", ss_type_kind_name(kind), name);
    SS_TRY(ss_arena_copy_string(&model->arena, name, &object->name));
    SS_TRY(ss_arena_copy_string(&model->arena, owner, &object->owner));
    object->where = where;
    return SS_OK;
}

/* Finds the type, allocates self and fills it and the common struct from the arguments. */
ss_status ss_model_bind_object(ss_model *model, ss_type_kind kind, const ss_type *type,
                               const ss_args *args, void *common, ss_object *object, void **self)
{
    SS_TRY(ss_arena_allocate(&model->arena, 1, type->self_size ? type->self_size : 1, self));
    ss_type_start(type, *self);
    ss_option_table tables[] = {
        {.keys = type->keys, .self = *self},
        {ss_model_keys(kind), common, kind == SS_TYPE_SYSTEM ? &model->given : NULL},
    };
    return ss_options_bind_tables(&model->arena, 2, tables, args, model->scope, object->owner);
}

static ss_status find_type(ss_model *model, ss_type_kind kind, const char *type,
                           const ss_args *args, const void **ops)
{
    const ss_type *found;
    SS_TRY(ss_type_find(model->context, kind, type, ss_args_location(args, NULL), &found));
    *ops = found;
    return SS_OK;
}

static ss_status init_system(ss_model *model, ss_system *system, const ss_args *args, void *self)
{
    ss_setup setup = {
        .model = model, .kind = SS_TYPE_SYSTEM, .object = &system->object, .args = args};
    setup.system = system;
    ss_status status = system->ops->init(self, &setup);
    ss_setup_finish(&setup);
    SS_TRY(status);
    system->object.self = self;
    if (system->nq == 0)
        return ss_fail(model->context, SS_INPUT, "%s: its type declares no coordinates",
                       system->object.owner);
    if (!system->ops->F && system->nq != system->nu)
        return ss_fail(model->context, SS_INPUT, "%s: %d positions and %d velocities, but no F",
                       system->object.owner, system->nq, system->nu);
    return SS_OK;
}

static ss_status read_initial(ss_model *model, const ss_system *system, const char *key, int wanted,
                              const ss_matrix *given, const ss_args *args, double *values)
{
    if (given->rows == 0)
        return SS_OK;
    if (given->rows != wanted)
        return ss_fail_at(model->context, SS_INPUT, ss_args_location(args, key),
                          "%s: '%s' has %d numbers, the system has %d", system->object.owner, key,
                          given->rows, wanted);
    memcpy(values, given->values, (size_t)wanted * sizeof *values);
    return SS_OK;
}

/* The type's own reading of `position` and `velocity`, with its formulas at t = 0. */
static ss_status ask_initial(ss_model *model, ss_system *system, const ss_system_common *common,
                             const ss_args *args)
{
    ss_setup setup = {
        .model = model, .kind = SS_TYPE_SYSTEM, .object = &system->object, .args = args};
    setup.system = system;
    ss_at at = {0};
    size_t bytes = system->object.cache_size;
    SS_TRY(ss_allocate(model->context, 1, bytes ? bytes : 1, &at.cache));
    for (const ss_formula *f = system->object.formulas; f; f = f->next)
        ss_program_prepare(f->program, (double *)(void *)((char *)at.cache + f->cache_offset));
    ss_status status = system->ops->initial(system->object.self, &setup, &at, &common->position,
                                            &common->velocity, system->q0, system->u0);
    ss_release(model->context, at.cache);
    return status;
}

static ss_status start_system(ss_model *model, ss_system *system, const ss_system_common *common,
                              const ss_args *args)
{
    SS_TRY(SS_ARENA_NEW(&model->arena, system->nq, &system->q0));
    SS_TRY(SS_ARENA_NEW(&model->arena, system->nu, &system->u0));
    if (system->ops->initial)
        return ask_initial(model, system, common, args);
    SS_TRY(
        read_initial(model, system, "position", system->nq, &common->position, args, system->q0));
    return read_initial(model, system, "velocity", system->nu, &common->velocity, args, system->u0);
}

static ss_status add_system(ss_model *model, const char *name, const char *type,
                            const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    SS_TRY(ss_model_check_open(model, SS_TYPE_SYSTEM, name, where));
    const void *ops;
    SS_TRY(find_type(model, SS_TYPE_SYSTEM, type, args, &ops));
    SS_TRY(
        ss_list_grow(model, &model->n_systems, sizeof *model->systems, (void **)&model->systems));
    int index = model->n_systems.count - 1;
    ss_system *system = &model->systems[index];
    system->ops = ops;
    SS_TRY(ss_model_name_object(model, SS_TYPE_SYSTEM, name, where, &system->object));
    ss_system_common common = {0};
    void *self;
    ss_arena_reset(&model->given);
    SS_TRY(ss_model_bind_object(model, SS_TYPE_SYSTEM, &system->ops->type, args, &common,
                                &system->object, &self));
    SS_TRY(init_system(model, system, args, self));
    SS_TRY(start_system(model, system, &common, args));
    SS_TRY(ss_map_reserve(&model->names[SS_TYPE_SYSTEM], 1)); /* variables cannot be taken back */
    SS_TRY(ss_model_add_variables(model, index));
    return ss_map_set(&model->names[SS_TYPE_SYSTEM], system->object.name, index);
}

ss_status ss_model_add_system(ss_model *model, const char *name, const char *type,
                              const ss_args *args)
{
    ss_model_mark mark = ss_model_marked(model);
    return settle(model, &mark, add_system(model, name, type, args));
}

static ss_status init_element(ss_model *model, ss_element *element, const ss_args *args, void *self)
{
    ss_setup setup = {
        .model = model, .kind = SS_TYPE_ELEMENT, .object = &element->object, .args = args};
    setup.element = element;
    setup.connected = &element->connected;
    ss_status status = element->ops->init(self, &setup);
    ss_setup_finish(&setup);
    SS_TRY(status);
    element->object.self = self;
    if (element->rows == 0 || (element->connected.count == 0 && !ss_element_rule(element)))
        return ss_fail_at(model->context, SS_INPUT, element->object.where,
                          "%s: it has %d rows and contacts %d systems; both must be at least 1",
                          element->object.owner, element->rows, element->connected.count);
    return SS_OK;
}

static ss_status add_element(ss_model *model, const char *name, const char *type,
                             const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    SS_TRY(ss_model_check_open(model, SS_TYPE_ELEMENT, name, where));
    const void *ops;
    SS_TRY(find_type(model, SS_TYPE_ELEMENT, type, args, &ops));
    SS_TRY(ss_list_grow(model, &model->n_elements, sizeof *model->elements,
                        (void **)&model->elements));
    int index = model->n_elements.count - 1;
    ss_element *element = &model->elements[index];
    element->ops = ops;
    SS_TRY(ss_model_name_object(model, SS_TYPE_ELEMENT, name, where, &element->object));
    ss_element_common common = {0};
    void *self;
    SS_TRY(ss_model_bind_object(model, SS_TYPE_ELEMENT, &element->ops->type, args, &common,
                                &element->object, &self));
    SS_TRY(init_element(model, element, args, self));
    element->restitution = common.restitution;
    if (common.restitution.rows &&
        (common.restitution.rows != element->rows || common.restitution.columns != element->rows))
        return ss_fail_at(model->context, SS_INPUT, ss_args_location(args, "restitution"),
                          "%s: 'restitution' is %d × %d, the element has %d rows",
                          element->object.owner, common.restitution.rows,
                          common.restitution.columns, element->rows);
    return ss_map_set(&model->names[SS_TYPE_ELEMENT], element->object.name, index);
}

ss_status ss_model_add_element(ss_model *model, const char *name, const char *type,
                               const ss_args *args)
{
    ss_model_mark mark = ss_model_marked(model);
    return settle(model, &mark, add_element(model, name, type, args));
}

static ss_status add_force(ss_model *model, const char *name, const char *type, const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    SS_TRY(ss_model_check_open(model, SS_TYPE_FORCE, name, where));
    const void *ops;
    SS_TRY(find_type(model, SS_TYPE_FORCE, type, args, &ops));
    SS_TRY(ss_list_grow(model, &model->n_forces, sizeof *model->forces, (void **)&model->forces));
    int index = model->n_forces.count - 1;
    ss_force *force = &model->forces[index];
    force->ops = ops;
    SS_TRY(ss_model_name_object(model, SS_TYPE_FORCE, name, where, &force->object));
    void *self;
    SS_TRY(ss_model_bind_object(model, SS_TYPE_FORCE, &force->ops->type, args, NULL, &force->object,
                                &self));
    ss_setup setup = {
        .model = model, .kind = SS_TYPE_FORCE, .object = &force->object, .args = args};
    setup.connected = &force->connected;
    ss_status status = force->ops->init(self, &setup);
    ss_setup_finish(&setup);
    SS_TRY(status);
    force->object.self = self;
    return ss_map_set(&model->names[SS_TYPE_FORCE], force->object.name, index);
}

ss_status ss_model_add_force(ss_model *model, const char *name, const char *type,
                             const ss_args *args)
{
    ss_model_mark mark = ss_model_marked(model);
    return settle(model, &mark, add_force(model, name, type, args));
}

/* ---- Laws ---- */

/* Names of an element's groups with such kinds of rows. */
static void name_groups(const ss_element *element, int kinds, size_t capacity, char *all)
{
    size_t used = 0;
    all[0] = 0;
    for (int g = 0; g < element->n_groups && used < capacity; g++) {
        const ss_group *group = &element->groups[g];
        if (!(kinds & (int)group->kind))
            continue;
        int n = snprintf(all + used, capacity - used, "%s%s", used ? ", " : "", group->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static ss_status find_group(ss_model *model, const char *element, const char *group,
                            ss_location where, int *element_index, int *group_index)
{
    if (!ss_map_find(&model->names[SS_TYPE_ELEMENT], element, element_index))
        return ss_fail_at(model->context, SS_UNKNOWN_NAME, where, "there is no element '%s'",
                          element);
    const ss_element *e = &model->elements[*element_index];
    const char *names[16];
    char all[256];
    size_t count = 0;
    for (int g = 0; g < e->n_groups; g++) {
        if (strcmp(e->groups[g].name, group) == 0) {
            *group_index = g;
            return SS_OK;
        }
        if (count < 16)
            names[count++] = e->groups[g].name;
    }
    name_groups(e, SS_GEOMETRIC | SS_KINEMATIC, sizeof all, all);
    const char *near = ss_nearest(group, count, names);
    return ss_fail_at(model->context, SS_UNKNOWN_NAME, where,
                      "%s: it has no group of rows '%s'%s%s%s (groups: %s)", e->object.owner, group,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

static ss_status law_restitution(ss_model *model, ss_law *law, const ss_matrix *given,
                                 const ss_args *args)
{
    const ss_element *element = &model->elements[law->element];
    ss_location where = ss_args_location(args, "restitution");
    if (ss_args_find(args, "restitution") &&
        (element->restitution.rows || element->ops->restitution))
        return ss_fail_at(
            model->context, SS_INPUT, where,
            "%s: the element has a restitution matrix of its own; give one or the other",
            law->object.owner);
    if (given->rows != 1 && given->rows != law->dim)
        return ss_fail_at(model->context, SS_INPUT, where,
                          "%s: 'restitution' has %d numbers for %d rows", law->object.owner,
                          given->rows, law->dim);
    double *epsilon;
    SS_TRY(SS_ARENA_NEW(&model->arena, law->dim, &epsilon));
    for (int i = 0; i < law->dim; i++)
        epsilon[i] = given->values[given->rows == 1 ? 0 : i];
    law->epsilon = epsilon;
    return SS_OK;
}

static ss_status add_one_law(ss_model *model, ss_law place, const char *name, const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    SS_TRY(ss_model_check_open(model, SS_TYPE_LAW, name, where));
    SS_TRY(ss_list_grow(model, &model->n_laws, sizeof *model->laws, (void **)&model->laws));
    int index = model->n_laws.count - 1;
    ss_law *law = &model->laws[index];
    *law = place;
    SS_TRY(ss_model_name_object(model, SS_TYPE_LAW, name, where, &law->object));
    ss_law_common common = {0};
    void *self;
    SS_TRY(ss_model_bind_object(model, SS_TYPE_LAW, &law->ops->type, args, &common, &law->object,
                                &self));
    SS_TRY(law_restitution(model, law, &common.restitution, args));
    law->r = common.r;
    law->rigidity = common.rigidity;
    ss_setup setup = {
        .model = model, .kind = SS_TYPE_LAW, .object = &law->object, .args = args, .law = law};
    ss_status status = law->ops->init(self, &setup);
    ss_setup_finish(&setup);
    SS_TRY(status);
    law->object.self = self;
    return ss_map_set(&model->names[SS_TYPE_LAW], law->object.name, index);
}

/* Fails: a law is for the other kind of rows. */
static ss_status refuse_rows(const ss_model *model, const ss_law *law, ss_location where)
{
    const ss_element *element = &model->elements[law->element];
    bool geometric = law->kind == SS_GEOMETRIC;
    char fit[256];
    name_groups(element, law->ops->row_kinds, sizeof fit, fit);
    return ss_fail_at(
        model->context, SS_INPUT, where, "%s: the law '%s' is for %s rows, '%s' has %s rows%s%s%s",
        element->object.owner, law->ops->type.name, geometric ? "kinematic" : "geometric",
        element->groups[law->group].name, geometric ? "geometric" : "kinematic",
        fit[0] ? " (groups that fit: " : "", fit, fit[0] ? ")" : "");
}

static ss_status add_law(ss_model *model, const char *element, const char *group, const char *type,
                         const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    ss_law law = {.scale_from = -1, .load_group = -1};
    SS_TRY(find_group(model, element, group, where, &law.element, &law.group));
    const void *ops;
    SS_TRY(find_type(model, SS_TYPE_LAW, type, args, &ops));
    law.ops = ops;
    law.flags = law.ops->flags;
    ss_group rows = model->elements[law.element].groups[law.group];
    law.kind = rows.kind;
    if (!(law.ops->row_kinds & (int)rows.kind))
        return refuse_rows(model, &law, where);
    bool many = law.ops->each_row && rows.rows > 1;
    for (int i = 0; i < (many ? rows.rows : 1); i++) {
        char name[256];
        law.row = rows.row + i;
        law.dim = law.ops->each_row ? 1 : rows.rows;
        if (many)
            snprintf(name, sizeof name, "%s.%s.%d", element, group, i + 1);
        else
            snprintf(name, sizeof name, "%s.%s", element, group);
        SS_TRY(add_one_law(model, law, name, args));
    }
    model->elements[law.element].groups[law.group].has_law = true;
    return SS_OK;
}

ss_status ss_model_add_law(ss_model *model, const char *element, const char *group,
                           const char *type, const ss_args *args)
{
    ss_model_mark mark = ss_model_marked(model);
    return settle(model, &mark, add_law(model, element, group, type, args));
}
