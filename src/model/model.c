/* model.c: a model and the objects added to it. What fails to be added leaves nothing behind. */
#include "model/model.h"
#include "base/context.h"

#include "expression/graph.h"
#include "options/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The keys that every object of a kind has ---- */

static const ss_key system_keys[] = {
    {"position", SS_KEY_REALS, offsetof(ss_system_common, position), "", 0, 0, NULL, "m, rad",
     "Initial positions q, one for each coordinate; zero when not given."},
    {"velocity", SS_KEY_REALS, offsetof(ss_system_common, velocity), "", 0, 0, NULL, "m/s, rad/s",
     "Initial velocities u; zero when not given."},
    {NULL},
};

static const ss_key element_keys[] = {
    {"restitution", SS_KEY_MATRIX, offsetof(ss_element_common, restitution), "", 0, 0, NULL, "",
     "Full restitution matrix over the element's rows (Frémond), instead of the laws' own "
     "numbers."},
    {NULL},
};

static const ss_key shape_keys[] = {
    {"on", SS_KEY_TEXT, offsetof(ss_shape_common, on), "", 0, 0, NULL, "",
     "System that carries the shape, or one of its frames as system.frame; not given: it is fixed "
     "in space."},
    {"at", SS_KEY_REALS, offsetof(ss_shape_common, at), "", 0, 0, NULL, "m",
     "Origin of the shape's frame in that of the system, three numbers; zero when not given."},
    {"rotation", SS_KEY_REALS, offsetof(ss_shape_common, rotation), "", 0, 0, NULL, "rad",
     "Turns the shape's frame: an axis (any length) and an angle, four numbers."},
    {"material", SS_KEY_TEXT, offsetof(ss_shape_common, material), "", 0, 0, NULL, "",
     "Any word; elements of type 'contact' say which materials meet, and how."},
    {"density", SS_KEY_REAL, offsetof(ss_shape_common, density), "", 0, INFINITY, NULL, "kg/m³",
     "Adds mass and inertia of the shape to its system; not given: the system has them already."},
    {NULL},
};

static const ss_key controller_keys[] = {
    {"period", SS_KEY_REAL, offsetof(ss_controller_common, period), "", DBL_MIN, INFINITY, NULL,
     "s", "Time between two samples; the first is at t = 0."},
    {"delay", SS_KEY_REAL, offsetof(ss_controller_common, delay), "0", 0, INFINITY, NULL, "s",
     "Time from a sample until the inputs have the values found in it."},
    {NULL},
};

static const ss_key law_keys[] = {
    {"restitution", SS_KEY_EXPRESSIONS, offsetof(ss_law_common, restitution), "0", 0, 1, NULL, "",
     "Newton's restitution ε of -(γ_E + ε γ_B) ∈ N_C(P), in [0, 1]: one number, or one for each "
     "row. "
     "Or expressions of t, coordinates and velocities, and of the law's own `gap` and `approach`, "
     "the speed at which the gap closes, or `slip`."},
    {"r", SS_KEY_REAL, offsetof(ss_law_common, r), "", DBL_MIN, INFINITY, NULL, "kg",
     "Relaxation of this law in JORprox and SORprox, instead of the solver's choice."},
    {"rigidity", SS_KEY_REAL, offsetof(ss_law_common, rigidity), "1", DBL_MIN, INFINITY, NULL,
     "N/m",
     "Stiffness k of the spring that stands for this law where the solver's key `forces` is "
     "`weighted` or `regularized`; only ratios matter for the former."},
    {NULL},
};

const ss_key *ss_model_keys(ss_type_kind kind)
{
    static const ss_key *const all[SS_TYPE_KINDS] = {
        [SS_TYPE_SYSTEM] = system_keys,         [SS_TYPE_ELEMENT] = element_keys,
        [SS_TYPE_SHAPE] = shape_keys,           [SS_TYPE_LAW] = law_keys,
        [SS_TYPE_CONTROLLER] = controller_keys,
    };
    return all[kind];
}

/* ---- Lists of objects ---- */

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

/* A list of the model by the kind of its objects, which all begin with an ss_object. */
typedef struct object_list {
    int kind; /* ss_type_kind, SS_KIND_INPUT or SS_KIND_OUTPUT */
    ss_list *n;
    void **array;
    size_t size;
} object_list;

/* In the order in which objects are destroyed. */
static object_list list_at(ss_model *m, int i)
{
    const object_list all[SS_MODEL_LISTS] = {
        {SS_TYPE_FORCE, &m->n_forces, (void **)&m->forces, sizeof *m->forces},
        {SS_TYPE_LAW, &m->n_laws, (void **)&m->laws, sizeof *m->laws},
        {SS_TYPE_ELEMENT, &m->n_elements, (void **)&m->elements, sizeof *m->elements},
        {SS_TYPE_SYSTEM, &m->n_systems, (void **)&m->systems, sizeof *m->systems},
        {SS_TYPE_SHAPE, &m->n_shapes, (void **)&m->shapes, sizeof *m->shapes},
        {SS_TYPE_CONTROLLER, &m->n_controllers, (void **)&m->controllers, sizeof *m->controllers},
        {SS_KIND_OUTPUT, &m->n_outputs, (void **)&m->outputs, sizeof *m->outputs},
        {SS_KIND_INPUT, &m->n_inputs, (void **)&m->inputs, sizeof *m->inputs},
    };
    return all[i];
}

static ss_object *object_at(const object_list *list, int i)
{
    return (ss_object *)(void *)((char *)*list->array + (size_t)i * list->size);
}

ss_model_mark ss_model_marked(const ss_model *model)
{
    return (ss_model_mark){
        .counts = {model->n_forces.count, model->n_laws.count, model->n_elements.count,
                   model->n_systems.count, model->n_shapes.count, model->n_controllers.count,
                   model->n_outputs.count, model->n_inputs.count},
        .formulas = model->n_formulas.count,
        .parameters = ss_scope_count(model->scope),
    };
}

/* Calls the destroy functions of all objects after a mark. One whose init failed has no self. */
static void destroy_objects(ss_model *model, const ss_model_mark *mark)
{
    for (int k = 0; k < SS_MODEL_LISTS; k++) {
        object_list list = list_at(model, k);
        for (int i = mark->counts[k]; i < list.n->count; i++) {
            const ss_object *object = object_at(&list, i);
            if (!object->self)
                continue;
            if (object->destroy)
                object->destroy(object->self);
            else if (list.kind == SS_TYPE_SHAPE && model->shapes[i].shape.ops->destroy)
                model->shapes[i].shape.ops->destroy(object->self, model->context);
        }
    }
    for (int i = mark->formulas; i < model->n_formulas.count; i++)
        if (model->formulas[i])
            ss_program_destroy(model->formulas[i]->program);
}

/* A name that several systems had may belong to one of the first `count` systems alone, or to none. */
static void remove_variables(ss_model *model, int count, const ss_system *system)
{
    for (int i = 0; i < system->nq + system->nu; i++) {
        ss_name name = ss_system_variable_at(system, i);
        int before, owner = -1, n = 0;
        ss_variable v;
        if (!ss_map_find(&model->variables, name.text, &before) || (before >= 0 && before < count))
            continue;
        for (int s = 0; s < count && n < 2; s++)
            if (ss_system_variable(&model->systems[s], name.text, &v)) {
                owner = s;
                n++;
            }
        if (n == 0)
            ss_map_remove(&model->variables, name.text);
        else if (n == 1)
            ss_map_set(&model->variables, name.text, owner); /* it is there: no memory is needed */
    }
}

void ss_model_rollback(ss_model *model, const ss_model_mark *mark)
{
    for (int i = mark->counts[SS_MARK_LAWS]; i < model->n_laws.count; i++)
        if (model->laws[i].ops) /* else it was not attached yet */
            model->elements[model->laws[i].element].groups[model->laws[i].group].has_law = false;
    for (int i = mark->counts[SS_MARK_SYSTEMS]; i < model->n_systems.count; i++)
        if (model->systems[i].object.self)
            remove_variables(model, mark->counts[SS_MARK_SYSTEMS], &model->systems[i]);
    destroy_objects(model, mark);
    for (int k = 0; k < SS_MODEL_LISTS; k++) {
        object_list list = list_at(model, k);
        for (int i = mark->counts[k], found; i < list.n->count; i++) {
            const ss_object *object = object_at(&list, i);
            if (object->name && ss_map_find(&model->names[list.kind], object->name, &found) &&
                found == i)
                ss_map_remove(&model->names[list.kind], object->name);
        }
        list.n->count = mark->counts[k];
    }
    model->n_formulas.count = mark->formulas;
    ss_scope_truncate(model->scope, mark->parameters);
}

/* ---- The model ---- */

ss_status ss_model_create(ss_context *context, ss_model **model)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, model);
    *model = NULL;
    ss_model *m;
    SS_TRY(SS_NEW(context, 1, &m));
    m->context = context;
    ss_arena_init(&m->arena, context);
    ss_arena_init(&m->given, context);
    for (int kind = 0; kind < SS_MODEL_KINDS; kind++)
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

void ss_model_destroy(ss_model *model)
{
    if (!model)
        return;
    ss_context *context = model->context;
    destroy_objects(model, &(ss_model_mark){0});
    for (int kind = 0; kind < SS_MODEL_KINDS; kind++)
        ss_map_release(&model->names[kind]);
    ss_map_release(&model->variables);
    ss_scope_destroy(model->scope);
    for (int k = 0; k < SS_MODEL_LISTS; k++)
        ss_release(context, *list_at(model, k).array);
    ss_release(context, model->formulas);
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
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    ss_variable v;
    int input;
    if (ss_model_find_variable(model, name, &v) || strcmp(name, "t") == 0)
        return ss_fail(model->context, SS_INPUT,
                       "the parameter '%s' has the name of a coordinate or of the time", name);
    if (ss_map_find(&model->names[SS_KIND_INPUT], name, &input))
        return ss_fail(model->context, SS_INPUT, "the parameter '%s' has the name of an input",
                       name);
    return ss_scope_define(model->scope, name, value);
}

/* ---- Adding ---- */

static const char *kind_name(int kind)
{
    return kind == SS_KIND_INPUT    ? "input"
           : kind == SS_KIND_OUTPUT ? "output"
                                    : ss_type_kind_name((ss_type_kind)kind);
}

static ss_status check_name(ss_model *model, const ss_addition *a, ss_location where)
{
    const char *kind = kind_name((int)a->kind), *name = a->name;
    int index;
    if (model->sealed)
        return ss_fail_at(model->context, SS_INPUT, where,
                          "%s '%s': the model is sealed; add before sealing", kind, name);
    if (ss_map_find(&model->names[a->kind], name, &index))
        return ss_fail_at(model->context, SS_INPUT, where, "there is a %s '%s' already", kind,
                          name);
    if (!name[0] || (strchr(name, '.') && a->kind != SS_TYPE_LAW))
        return ss_fail_at(model->context, SS_INPUT, where,
                          "'%s' cannot be the name of a %s: it must not be empty or contain '.'",
                          name, kind);
    if (strlen(name) > 200)
        return ss_fail_at(model->context, SS_INPUT, where,
                          "the name '%.20s…' is too long: at most 200 bytes", name);
    return SS_OK;
}

/* A place for an object in the list of its kind, with a name. */
static ss_status make_place(ss_model *model, const ss_addition *a, ss_setup *setup)
{
    ss_location where = ss_args_location(a->args, NULL);
    object_list list = {0};
    char owner[256];
    for (int k = 0; k < SS_MODEL_LISTS && list.kind != (int)a->kind; k++)
        list = list_at(model, k);
    SS_TRY(ss_list_grow(model, list.n, list.size, list.array));
    ss_object *object = object_at(&list, list.n->count - 1);
    *setup = (ss_setup){.model = model, .kind = a->kind, .object = object, .args = a->args};
    snprintf(owner, sizeof owner, "%s '%.200s'", kind_name((int)a->kind), a->name);
    SS_TRY(ss_arena_copy_string(&model->arena, a->name, &object->name));
    SS_TRY(ss_arena_copy_string(&model->arena, owner, &object->owner));
    object->where = where;
    return ss_map_set(&model->names[a->kind], object->name, list.n->count - 1);
}

ss_status ss_model_begin(ss_model *model, const ss_addition *a, ss_setup *setup, void **self)
{
    ss_location where = ss_args_location(a->args, NULL);
    const ss_type *type;
    SS_TRY(check_name(model, a, where));
    SS_TRY(ss_type_find(model->context, a->kind, a->type, where, &type));
    SS_TRY(make_place(model, a, setup));
    SS_TRY(ss_arena_allocate(&model->arena, 1, type->self_size ? type->self_size : 1, self));
    ss_type_start(type, *self);
    setup->type = type;
    ss_arena_reset(&model->given);
    ss_option_table tables[] = {
        {.keys = type->keys, .self = *self},
        {ss_model_keys(a->kind), a->common, a->kind == SS_TYPE_SYSTEM ? &model->given : NULL},
    };
    return ss_options_bind_tables(&model->arena, 2, tables, a->args, model->scope,
                                  setup->object->owner);
}

ss_status ss_model_begin_plain(ss_model *model, const ss_addition *a, const ss_key *keys,
                               void *self, ss_setup *setup)
{
    ss_option_table table = {.keys = keys, .self = self};
    SS_TRY(check_name(model, a, ss_args_location(a->args, NULL)));
    SS_TRY(make_place(model, a, setup));
    return ss_options_bind_tables(&model->arena, 1, &table, a->args, model->scope,
                                  setup->object->owner);
}

ss_status ss_object_init(ss_setup *setup, ss_status (*init)(void *, ss_setup *),
                         void (*destroy)(void *), void *self)
{
    ss_status status = init(self, setup);
    ss_setup_finish(setup);
    SS_TRY(status);
    setup->object->self = self;
    setup->object->destroy = destroy;
    return SS_OK;
}

static ss_status read_initial(const ss_setup *setup, const char *key, int wanted,
                              const ss_matrix *given, double *values)
{
    if (given->rows == 0)
        return SS_OK;
    if (given->rows != wanted)
        return ss_refuse(setup, "'%s' has %d numbers, the system has %d", key, given->rows, wanted);
    memcpy(values, given->values, (size_t)wanted * sizeof *values);
    return SS_OK;
}

/* Initial values as given, or by the type's own reading, with its formulas at t = 0. */
static ss_status start_system(ss_setup *setup, const ss_system_common *common)
{
    ss_model *model = setup->model;
    ss_system *system = setup->system;
    ss_at at = {0};
    SS_TRY(SS_ARENA_NEW(&model->arena, system->nq, &system->q0));
    SS_TRY(SS_ARENA_NEW(&model->arena, system->nu, &system->u0));
    if (!system->ops->initial) {
        SS_TRY(read_initial(setup, "position", system->nq, &common->position, system->q0));
        return read_initial(setup, "velocity", system->nu, &common->velocity, system->u0);
    }
    size_t bytes = system->object.cache_size;
    double *inputs;
    SS_TRY(SS_ARENA_NEW(&model->arena, model->n_inputs.count * SS_INPUT_NUMBERS, &inputs));
    ss_control_start(model, inputs);
    SS_TRY(ss_allocate(model->context, 1, bytes ? bytes : 1, &at.cache));
    for (const ss_formula *f = system->object.formulas; f; f = f->next) {
        ss_program_prepare(f->program, (double *)(void *)((char *)at.cache + f->cache_offset));
        ss_formula_feed(f, at.cache, inputs);
    }
    ss_status status = system->ops->initial(system->object.self, setup, &at, &common->position,
                                            &common->velocity, system->q0, system->u0);
    ss_release(model->context, at.cache);
    return status;
}

static ss_status add_system(ss_model *model, const char *name, const char *type,
                            const ss_args *args)
{
    ss_system_common common = {0};
    ss_setup setup;
    void *self;
    SS_TRY(ss_model_begin(model, &(ss_addition){SS_TYPE_SYSTEM, name, type, args, &common}, &setup,
                          &self));
    ss_system *system = setup.system = &model->systems[model->n_systems.count - 1];
    system->ops = (const ss_system_ops *)setup.type;
    SS_TRY(ss_object_init(&setup, system->ops->init, system->ops->destroy, self));
    if (system->nq == 0)
        return ss_fail(model->context, SS_INPUT, "%s: its type declares no coordinates",
                       system->object.owner);
    if (!system->ops->F && system->nq != system->nu)
        return ss_fail(model->context, SS_INPUT, "%s: %d positions and %d velocities, but no F",
                       system->object.owner, system->nq, system->nu);
    SS_TRY(start_system(&setup, &common));
    SS_TRY(ss_model_add_variables(model, model->n_systems.count - 1));
    return system->ops->added
               ? system->ops->added(self, model, system->object.name, system->object.where)
               : SS_OK;
}

ss_status ss_model_add(ss_model *model, ss_add_fn *fn, const char *name, const char *type,
                       const ss_args *args)
{
    ss_model_mark mark = ss_model_marked(model);
    ss_status status = fn(model, name, type, args);
    if (status != SS_OK)
        ss_model_rollback(model, &mark);
    return status;
}

ss_status ss_model_add_system(ss_model *model, const char *name, const char *type,
                              const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, type);
    return ss_model_add(model, add_system, name, type, args);
}

static ss_status add_element(ss_model *model, const char *name, const char *type,
                             const ss_args *args)
{
    ss_element_common common = {0};
    ss_setup setup;
    void *self;
    SS_TRY(ss_model_begin(model, &(ss_addition){SS_TYPE_ELEMENT, name, type, args, &common}, &setup,
                          &self));
    ss_element *element = setup.element = &model->elements[model->n_elements.count - 1];
    element->ops = (const ss_element_ops *)setup.type;
    setup.connected = &element->connected;
    SS_TRY(ss_object_init(&setup, element->ops->init, element->ops->destroy, self));
    if (element->rows == 0 || (element->connected.count == 0 && !ss_element_rule(element)))
        return ss_refuse(&setup, "it has %d rows and contacts %d systems; both must be at least 1",
                         element->rows, element->connected.count);
    element->restitution = common.restitution;
    if (common.restitution.rows && ss_element_rule(element))
        return ss_refuse(&setup, "a matrix of restitution is not for contacts of shapes; give "
                                 "'restitution' of its laws");
    if (common.restitution.rows &&
        (common.restitution.rows != element->rows || common.restitution.columns != element->rows))
        return ss_refuse(&setup, "'restitution' is %d × %d, the element has %d rows",
                         common.restitution.rows, common.restitution.columns, element->rows);
    return SS_OK;
}

ss_status ss_model_add_element(ss_model *model, const char *name, const char *type,
                               const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, type);
    return ss_model_add(model, add_element, name, type, args);
}

static ss_status add_force(ss_model *model, const char *name, const char *type, const ss_args *args)
{
    ss_setup setup;
    void *self;
    SS_TRY(ss_model_begin(model, &(ss_addition){SS_TYPE_FORCE, name, type, args, NULL}, &setup,
                          &self));
    ss_force *force = &model->forces[model->n_forces.count - 1];
    force->ops = (const ss_force_ops *)setup.type;
    setup.connected = &force->connected;
    return ss_object_init(&setup, force->ops->init, force->ops->destroy, self);
}

ss_status ss_model_add_force(ss_model *model, const char *name, const char *type,
                             const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, type);
    return ss_model_add(model, add_force, name, type, args);
}

ss_status ss_model_add_shape(ss_model *model, const char *name, const char *type,
                             const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, type);
    return ss_model_add(model, ss_model_place_shape, name, type, args);
}

/* ---- Laws ---- */

/* Names of an element's groups with such kinds of rows, the first 16. */
static size_t name_groups(const ss_element *element, int kinds, const char *names[16])
{
    size_t count = 0;
    for (int g = 0; g < element->n_groups && count < 16; g++)
        if (kinds & (int)element->groups[g].kind)
            names[count++] = element->groups[g].name;
    return count;
}

static ss_status find_group(ss_model *model, const char *element, const char *group,
                            ss_location where, ss_law *law)
{
    if (!ss_map_find(&model->names[SS_TYPE_ELEMENT], element, &law->element))
        return ss_fail_at(model->context, SS_UNKNOWN_NAME, where, "there is no element '%s'",
                          element);
    const ss_element *e = &model->elements[law->element];
    for (law->group = 0; law->group < e->n_groups; law->group++)
        if (strcmp(e->groups[law->group].name, group) == 0)
            return SS_OK;
    const char *names[16];
    ss_hint hint = ss_hint_of(group, name_groups(e, SS_GEOMETRIC | SS_KINEMATIC, names), names);
    return ss_fail_at(model->context, SS_UNKNOWN_NAME, where,
                      "%s: it has no group of rows '%s'%s (groups: %s)", e->object.owner, group,
                      hint.near, hint.all);
}

static ss_status add_one_law(ss_model *model, ss_law place, const char *name, const ss_args *args)
{
    ss_law_common common = {0};
    ss_setup setup;
    void *self;
    ss_addition a = {SS_TYPE_LAW, name, place.ops->type.name, args, &common};
    SS_TRY(ss_model_begin(model, &a, &setup, &self));
    ss_law *law = setup.law = &model->laws[model->n_laws.count - 1];
    place.object = law->object;
    *law = place;
    setup.connected = model->elements[law->element].rule ? NULL : &law->connected;
    ss_status status = ss_law_set_restitution(&setup, &common.restitution);
    if (status != SS_OK) {
        ss_setup_finish(&setup);
        return status;
    }
    setup.of_state = false;
    law->r = common.r;
    law->rigidity = common.rigidity;
    return ss_object_init(&setup, law->ops->init, law->ops->destroy, self);
}

static ss_status add_law(ss_model *model, const char *element, const char *group, const char *type,
                         const ss_args *args)
{
    ss_location where = ss_args_location(args, NULL);
    ss_law law = {.scale_from = -1, .load_group = -1};
    SS_TRY(find_group(model, element, group, where, &law));
    const ss_type *found;
    SS_TRY(ss_type_find(model->context, SS_TYPE_LAW, type, where, &found));
    law.ops = (const ss_law_ops *)found;
    law.flags = law.ops->flags;
    ss_group rows = model->elements[law.element].groups[law.group];
    law.kind = rows.kind;
    if (!(law.ops->row_kinds & (int)rows.kind)) {
        const ss_element *e = &model->elements[law.element];
        bool geometric = rows.kind == SS_GEOMETRIC;
        const char *names[16];
        size_t n_fit = name_groups(e, law.ops->row_kinds, names);
        return ss_fail_at(model->context, SS_INPUT, where,
                          "%s: the law '%s' is for %s rows, '%s' has %s rows%s%s%s",
                          e->object.owner, law.ops->type.name,
                          geometric ? "kinematic" : "geometric", rows.name,
                          geometric ? "geometric" : "kinematic", n_fit ? " (groups that fit: " : "",
                          n_fit ? ss_hint_of(NULL, n_fit, names).all : "", n_fit ? ")" : "");
    }
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
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, element);
    SS_GIVEN(model->context, group);
    SS_GIVEN(model->context, type);
    ss_model_mark mark = ss_model_marked(model);
    ss_status status = add_law(model, element, group, type, args);
    if (status != SS_OK)
        ss_model_rollback(model, &mark);
    return status;
}
