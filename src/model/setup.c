/* setup.c: what the init function of a type may ask for. */
#include "expression/token.h"
#include "model/model.h"
#include "options/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ss_context *ss_setup_context(const ss_setup *setup)
{
    return setup->model->context;
}

const char *ss_setup_owner(const ss_setup *setup)
{
    return setup->object->owner;
}

ss_location ss_setup_location(const ss_setup *setup)
{
    return setup->object->where;
}

ss_location ss_setup_key_location(const ss_setup *setup, const char *key)
{
    const ss_arg *arg = ss_args_find(setup->args, key);
    return arg && arg->where.line ? arg->where : setup->object->where;
}

ss_status ss_setup_allocate(ss_setup *setup, size_t count, size_t size, void **memory)
{
    return ss_arena_allocate(&setup->model->arena, count, size, memory);
}

ss_status ss_setup_cache(ss_setup *setup, size_t bytes, size_t *offset)
{
    enum { ALIGN = 16 };
    if (bytes > SIZE_MAX / 4)
        return ss_fail(setup->model->context, SS_MEMORY, "%s: %zu bytes of cache",
                       setup->object->owner, bytes);
    *offset = setup->object->cache_size;
    setup->object->cache_size += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return SS_OK;
}

ss_status ss_setup_read_file(ss_setup *setup, const ss_text *file, const char **text,
                             size_t *length)
{
    enum { LARGEST = 1 << 28 };
    ss_model *model = setup->model;
    ss_text name = {file->text, file->where.line ? file->where : setup->object->where};
    const ss_file_request request = {name, model->directory, model->confined, LARGEST};
    char *path = NULL, *bytes = NULL;
    ss_status status = ss_file_obtain(model->context, &request, &path, &bytes, length);
    if (status == SS_OK)
        status = ss_arena_copy_text(&model->arena, bytes, *length, text);
    ss_release(model->context, bytes);
    ss_release(model->context, path);
    return status;
}

/* ---- Messages ---- */

ss_status ss_refuse(const ss_setup *setup, const char *format, ...)
{
    char text[512], key[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ss_location where = setup->object->where;
    if (sscanf(text, "'%63[^']'", key) == 1)
        where = ss_setup_key_location(setup, key);
    return ss_fail_at(setup->model->context, SS_INPUT, where, "%s: %s", setup->object->owner, text);
}

ss_status ss_refuse_object(const ss_model *model, const ss_object *object, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ss_fail_at(model->context, SS_INPUT, object->where, "%s: %s", object->owner, text);
}

ss_status ss_read_numbers(const ss_setup *setup, const char *key, const ss_matrix *given, int count,
                          double *numbers)
{
    if (given->rows != count)
        return ss_refuse(setup, "'%s' must be a list of %d number%s, not %d", key, count,
                         count == 1 ? "" : "s", given->rows);
    memcpy(numbers, given->values, (size_t)count * sizeof *numbers);
    return SS_OK;
}

/* ---- Systems ---- */

static bool identifier(const char *name, bool prime)
{
    size_t length = strlen(name);
    if (prime && length > 1 && name[length - 1] == '\'')
        length--;
    for (size_t i = 0; i < length; i++)
        if (!ss_is_letter(name[i]) && (i == 0 || name[i] < '0' || name[i] > '9'))
            return false;
    return length > 0 && length <= 50 && strcmp(name, "t") != 0;
}

/* Copies names of coordinates, velocities or frames, which must be different identifiers. */
static ss_status copy_names(ss_setup *setup, int count, const char *const *names, const char *of,
                            bool prime, const char ***copies)
{
    ss_model *model = setup->model;
    SS_TRY(SS_ARENA_NEW(&model->arena, count, copies));
    for (int i = 0; i < count; i++) {
        if (!identifier(names[i], prime))
            return ss_refuse_object(
                model, setup->object,
                "'%s' cannot be the name of a %s: letters, digits and _ only, not beginning with "
                "a digit, at most 50; 't' is the time",
                names[i], of);
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return ss_refuse(setup, "the name '%s' stands twice", names[i]);
        SS_TRY(ss_arena_copy_string(&model->arena, names[i], &(*copies)[i]));
    }
    return SS_OK;
}

/* The system before may have the same names of coordinates or velocities. */
static ss_status name_variables(ss_setup *setup, int count, const char *const *names, bool prime,
                                const char ***kept)
{
    const ss_model *model = setup->model;
    if (model->n_systems.count > 1) {
        const ss_system *before = &model->systems[model->n_systems.count - 2];
        *kept = prime ? before->u_names : before->q_names;
        bool same = *kept && count == (prime ? before->nu : before->nq);
        for (int i = 0; same && i < count; i++)
            same = strcmp(names[i], (*kept)[i]) == 0;
        if (same)
            return SS_OK;
    }
    return copy_names(setup, count, names, "coordinate", prime, kept);
}

ss_status ss_setup_coordinates(ss_setup *setup, int count, const char *const *names)
{
    ss_system *system = setup->system;
    if (count < 1)
        return ss_refuse(setup, "a system needs at least one coordinate");
    SS_TRY(name_variables(setup, count, names, false, &system->q_names));
    system->nq = system->nu = count;
    return SS_OK;
}

ss_status ss_setup_velocities(ss_setup *setup, int count, const char *const *names)
{
    if (count < 1)
        return ss_refuse(setup, "a system needs at least one velocity");
    SS_TRY(name_variables(setup, count, names, true, &setup->system->u_names));
    setup->system->nu = count;
    return SS_OK;
}

ss_status ss_setup_frames(ss_setup *setup, int count, const char *const *names)
{
    ss_system *system = setup->system;
    if (count < 1 || !system->ops->pose)
        return ss_refuse(
            setup, "frames need the function 'pose' and a number of at least 1, not %d", count);
    SS_TRY(copy_names(setup, count, names, "frame", false, &system->frame_names));
    system->n_frames = count;
    return SS_OK;
}

static ss_status check_frame(const ss_setup *setup, int frame)
{
    int count = setup->system->n_frames;
    return frame >= 0 && frame < count
               ? SS_OK
               : ss_refuse(setup, "there is no frame %d: there are %d", frame, count);
}

ss_status ss_setup_exclude(ss_setup *setup, int frame_a, int frame_b)
{
    ss_system *system = setup->system;
    int n = system->n_frames;
    SS_TRY(check_frame(setup, frame_a));
    SS_TRY(check_frame(setup, frame_b));
    if (!system->excluded)
        SS_TRY(SS_ARENA_NEW(&setup->model->arena, (size_t)n * (size_t)n, &system->excluded));
    system->excluded[frame_a * n + frame_b] = system->excluded[frame_b * n + frame_a] = true;
    return SS_OK;
}

ss_status ss_setup_still_frame(ss_setup *setup, int frame)
{
    ss_system *system = setup->system;
    SS_TRY(check_frame(setup, frame));
    if (!system->still_frames)
        SS_TRY(SS_ARENA_NEW(&setup->model->arena, system->n_frames, &system->still_frames));
    system->still_frames[frame] = true;
    return SS_OK;
}

ss_status ss_setup_mass_tree(ss_setup *setup, const int *parents)
{
    ss_system *system = setup->system;
    if (!system->ops->mass || system->nu < 1)
        return ss_refuse(setup, "the tree of a mass matrix needs 'mass' and velocities");
    SS_TRY(SS_ARENA_NEW(&setup->model->arena, system->nu, &system->mass_parents));
    for (int i = 0; i < system->nu; i++) {
        if (parents[i] < -1 || parents[i] >= i)
            return ss_refuse(setup, "the parent of velocity %d is %d: it must be before it", i,
                             parents[i]);
        system->mass_parents[i] = parents[i];
    }
    return SS_OK;
}

void ss_setup_constant_mass(ss_setup *setup)
{
    setup->system->constant_mass = true;
}

void ss_setup_prescribed(ss_setup *setup)
{
    setup->system->prescribed = true;
}

/* ---- Elements and forces ---- */

/* Local index of a system, touching it when it is new. An object that contacts many systems keeps a table of them. */
static ss_status contact(ss_setup *setup, int system, int *local)
{
    enum { MANY = 16 };
    ss_connected *connected = setup->connected;
    if (!setup->locals && connected->count >= MANY) {
        SS_TRY(SS_NEW(setup->model->context, setup->model->n_systems.count, &setup->locals));
        for (int i = 0; i < connected->count; i++)
            setup->locals[connected->systems[i]] = i + 1;
    }
    *local = setup->locals ? setup->locals[system] - 1 : connected->count - 1;
    while (!setup->locals && *local >= 0 && connected->systems[*local] != system)
        (*local)--;
    if (*local >= 0)
        return SS_OK;
    if (connected->count == connected->capacity) {
        int capacity = connected->capacity ? 2 * connected->capacity : 4;
        int *systems;
        SS_TRY(SS_ARENA_NEW(&setup->model->arena, capacity, &systems));
        if (connected->count)
            memcpy(systems, connected->systems, (size_t)connected->count * sizeof *systems);
        connected->systems = systems;
        connected->capacity = capacity;
    }
    *local = connected->count++;
    connected->systems[*local] = system;
    if (setup->locals)
        setup->locals[system] = connected->count;
    return SS_OK;
}

ss_status ss_model_no_system(const ss_model *model, const char *owner, ss_location where,
                             const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (int s = 0; s < model->n_systems.count && count < 64; s++)
        names[count++] = model->systems[s].object.name;
    return ss_fail_at(model->context, SS_UNKNOWN_NAME, where, "%s: there is no system '%s'%s",
                      owner, name, ss_hint_of(name, count, names).near);
}

ss_status ss_setup_connect(ss_setup *setup, const ss_text *system, int *local)
{
    int index;
    if (!ss_map_find(&setup->model->names[SS_TYPE_SYSTEM], system->text, &index))
        return ss_model_no_system(setup->model, setup->object->owner,
                                  system->where.line ? system->where : setup->object->where,
                                  system->text);
    return contact(setup, index, local);
}

ss_status ss_setup_connect_frame(ss_setup *setup, const ss_text *name, int *local, int *frame)
{
    ss_model *model = setup->model;
    ss_location where = name->where.line ? name->where : setup->object->where;
    int index;
    SS_TRY(ss_model_find_frame(model, setup->object->owner, where, name->text, &index, frame));
    return contact(setup, index, local);
}

static const ss_system *connected_system(const ss_setup *setup, int local)
{
    if (setup->system)
        return setup->system;
    return &setup->model->systems[setup->connected->systems[local]];
}

void ss_setup_know_state(ss_setup *setup)
{
    setup->of_state = true;
}

bool ss_setup_connects(const ss_setup *setup)
{
    return setup->connected != NULL;
}

int ss_setup_connected_count(const ss_setup *setup)
{
    return setup->connected->count;
}

void ss_setup_connected(const ss_setup *setup, int local, int *nq, int *nu)
{
    const ss_system *system = connected_system(setup, local);
    *nq = system->nq;
    *nu = system->nu;
}

const char *ss_setup_connected_type(const ss_setup *setup, int local)
{
    return connected_system(setup, local)->ops->type.name;
}

const void *ss_setup_connected_self(const ss_setup *setup, int local)
{
    return connected_system(setup, local)->object.self;
}

void ss_setup_connected_initial(const ss_setup *setup, int local, const double **q,
                                const double **u)
{
    const ss_system *system = connected_system(setup, local);
    *q = system->q0;
    *u = system->u0;
}

const char *ss_setup_system_name(const ss_setup *setup, int index)
{
    const ss_model *model = setup->model;
    return index >= 0 && index < model->n_systems.count ? model->systems[index].object.name : NULL;
}

ss_status ss_setup_rows(ss_setup *setup, const char *group, int rows, ss_row_kind kind)
{
    ss_element *element = setup->element;
    if (rows < 1)
        return ss_refuse(setup, "group '%s' has no rows", group);
    if (kind == SS_GEOMETRIC && !ss_element_rule(element))
        SS_REQUIRE(setup->model->context, SS_TYPE_ELEMENT, element->ops, gap);
    ss_group *groups;
    SS_TRY(SS_ARENA_NEW(&setup->model->arena, element->n_groups + 1, &groups));
    if (element->n_groups)
        memcpy(groups, element->groups, (size_t)element->n_groups * sizeof *groups);
    ss_group *last = &groups[element->n_groups];
    *last = (ss_group){.row = element->rows, .rows = rows, .kind = kind};
    SS_TRY(ss_arena_copy_string(&setup->model->arena, group, &last->name));
    element->groups = groups;
    element->n_groups++;
    element->rows += rows;
    return SS_OK;
}

void ss_setup_default_law(ss_setup *setup, const char *type, const char *key, const char *value)
{
    ss_group *last = &setup->element->groups[setup->element->n_groups - 1];
    last->law = type;
    last->law_key = key;
    last->law_value = value;
}

int ss_setup_dim(const ss_setup *setup)
{
    return setup->law->dim;
}

ss_row_kind ss_setup_row_kind(const ss_setup *setup)
{
    return setup->law->kind;
}

void ss_setup_drop_law_flags(ss_setup *setup, unsigned flags)
{
    const unsigned depends =
        SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_GAP | SS_LAW_SET_OF_SPEED | SS_LAW_SET_OF_POSITION;
    setup->law->flags &= ~flags;
    if (!(setup->law->flags & depends))
        setup->law->flags |= SS_LAW_CONSTANT_SET;
}

bool ss_setup_elastic(const ss_setup *setup)
{
    const ss_law *law = setup->law;
    const ss_element *element = &setup->model->elements[law->element];
    for (int i = 0; i < law->dim; i++)
        for (int j = 0; j < element->restitution.columns; j++)
            if (element->restitution.values[(law->row + i) * element->rows + j] != 0)
                return true;
    for (int i = 0; i < law->dim; i++)
        if (law->epsilon[i] != 0)
            return true;
    return false;
}

ss_status ss_setup_scale_from(ss_setup *setup, const ss_text *law)
{
    setup->law->scaled = true;
    if (law && law->text)
        setup->law->scale_name = *law;
    return SS_OK;
}

ss_status ss_setup_scale_from_group(ss_setup *setup, const ss_text *group)
{
    const ss_element *element = &setup->model->elements[setup->law->element];
    for (int k = 0; k < element->n_groups; k++)
        if (strcmp(element->groups[k].name, group->text) == 0)
            setup->law->load_group = k;
    if (setup->law->load_group >= 0 && setup->law->load_group != setup->law->group)
        return SS_OK;
    return ss_fail_at(setup->model->context, SS_UNKNOWN_NAME,
                      group->where.line ? group->where : setup->object->where,
                      "%s: '%s' cannot scale it: another group of the same element is needed",
                      setup->object->owner, group->text);
}
