/* build.c: the merged tree becomes model, solver, scheme and simulation. */
#include "scene/build.h"

#include "base/context.h"
#include "model/model.h"
#include "scene/arguments.h"
#include "scene/parameters.h"
#include "scene/path.h"
#include "scene/repeat.h"
#include "scene/sections.h"

#include <stdio.h>
#include <string.h>

/* ---- Types and arguments ---- */

/* An object or a section with a type, its type found and its arguments made. */
typedef struct typed {
    const char *type;
    ss_args *args;
} typed;

static ss_status fail_no_type(ss_context *context, ss_type_kind kind, const char *owner,
                              ss_location where)
{
    char all[512] = "";
    size_t used = 0;
    const ss_type *type;
    for (size_t i = 0; (type = ss_type_at(context, kind, i)) && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", type->name);
    return ss_fail_at(context, SS_INPUT, where, "%s: 'type' is missing (types: %s)", owner, all);
}

static ss_status find_type(ss_context *context, ss_type_kind kind, const char *default_value,
                           const char *owner, const ss_tree_entry *entry, const ss_type **type)
{
    const ss_tree_entry *given = ss_tree_find(entry->value, "type");
    if (!given && !default_value)
        return fail_no_type(context, kind, owner, entry->where);
    if (!given)
        return ss_type_find(context, kind, default_value, entry->where, type);
    if (given->value->kind != SS_TREE_TEXT || ss_tree_is_null(given->value))
        return ss_fail_at(context, SS_INPUT, given->value->where,
                          "%s: 'type' wants the name of a type, not %s", owner,
                          ss_tree_names(given->value));
    return ss_type_find(context, kind, given->value->text, given->value->where, type);
}

/* Whether things of this kind stand in a section by name. */
static bool is_object(ss_type_kind kind)
{
    return kind == SS_TYPE_SYSTEM || kind == SS_TYPE_ELEMENT || kind == SS_TYPE_FORCE ||
           kind == SS_TYPE_SHAPE;
}

static ss_status make_typed(ss_context *context, ss_type_kind kind, const char *default_value,
                            const char *owner, const ss_tree_entry *entry, typed *made)
{
    const ss_type *type;
    SS_TRY(find_type(context, kind, default_value, owner, entry, &type));
    ss_arguments_source source = {
        .map = entry->value,
        .where = entry->where,
        .owner = owner,
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): find_type has found it */
        .tables = {type->keys, ss_common_keys(kind)},
        .skip = {"type", is_object(kind) ? "repeat" : NULL,
                 kind == SS_TYPE_ELEMENT ? "laws" : NULL},
    };
    made->type = type->name;
    return ss_arguments_create(context, &source, &made->args);
}

/* Whether the last message begins with a place in a source. */
static bool has_place(const ss_context *context)
{
    for (const ss_source *source = context->sources; source; source = source->next) {
        size_t length = strlen(source->file);
        if (strncmp(context->message, source->file, length) == 0 && context->message[length] == ':')
            return true;
    }
    return false;
}

/* Types, above all a user's own, may fail without saying where; then the place of the object
 * helps. */
static ss_status placed(ss_context *context, ss_status status, ss_location where)
{
    if (status == SS_OK || status == SS_MEMORY || has_place(context))
        return status;
    return ss_fail_at(context, status, where, "%s", ss_context_message(context));
}

/* ---- Objects ---- */

typedef ss_status (*add_fn)(ss_model *model, const char *name, const char *type,
                            const ss_args *args);

static ss_status add_object(ss_model *model, ss_type_kind kind, const ss_tree_entry *entry,
                            add_fn add)
{
    char owner[128];
    snprintf(owner, sizeof owner, "%s '%s'", ss_type_kind_name(kind), entry->key);
    typed made;
    SS_TRY(make_typed(ss_model_context(model), kind, NULL, owner, entry, &made));
    ss_status status = add(model, entry->key, made.type, made.args);
    ss_args_destroy(made.args);
    return placed(ss_model_context(model), status, entry->where);
}

static ss_status add_law(ss_model *model, const char *element, const ss_tree_entry *entry)
{
    ss_context *context = ss_model_context(model);
    char owner[256];
    snprintf(owner, sizeof owner, "law '%s.%s'", element, entry->key);
    if (entry->value->kind != SS_TREE_MAP)
        return ss_fail_at(context, SS_INPUT, entry->value->where,
                          "%s wants a map of keys such as {type: unilateral}, not %s", owner,
                          ss_tree_names(entry->value));
    typed made;
    SS_TRY(make_typed(context, SS_TYPE_LAW, NULL, owner, entry, &made));
    ss_status status = ss_model_add_law(model, element, entry->key, made.type, made.args);
    ss_args_destroy(made.args);
    return placed(context, status, entry->where);
}

static ss_status add_laws(ss_model *model, const ss_tree_entry *element)
{
    const ss_tree_entry *laws = ss_tree_find(element->value, "laws");
    if (!laws && ss_model_has_default_laws(model, element->key))
        return SS_OK;
    if (!laws)
        return ss_fail_at(
            ss_model_context(model), SS_INPUT, element->where,
            "element '%s': 'laws' is missing: a law for each group of rows, e.g. laws: "
            "{gap: {type: unilateral}}",
            element->key);
    if (laws->value->kind != SS_TREE_MAP)
        return ss_fail_at(
            ss_model_context(model), SS_INPUT, laws->value->where,
            "element '%s': 'laws' wants a map of groups such as {gap: {type: unilateral}}, "
            "not %s",
            element->key, ss_tree_names(laws->value));
    for (size_t i = 0; i < laws->value->count; i++)
        SS_TRY(add_law(model, element->key, &laws->value->entries[i]));
    return SS_OK;
}

static const ss_tree *section(const ss_tree *root, const char *name)
{
    const ss_tree_entry *entry = ss_tree_find(root, name);
    return entry && !ss_tree_is_null(entry->value) ? entry->value : NULL;
}

/* What becomes of the objects of a section. */
typedef struct adder {
    ss_model *model;
    ss_type_kind kind;
    add_fn add;
} adder;

static ss_status add_one(void *user, const ss_tree_entry *entry)
{
    const adder *a = user;
    SS_TRY(add_object(a->model, a->kind, entry, a->add));
    return a->kind == SS_TYPE_ELEMENT ? add_laws(a->model, entry) : SS_OK;
}

static ss_status add_objects(ss_model *model, const ss_tree *root, const char *name,
                             ss_type_kind kind, add_fn add)
{
    const ss_tree *map = section(root, name);
    adder a = {model, kind, add};
    for (size_t i = 0; map && i < map->count; i++)
        SS_TRY(ss_repeat_visit(ss_model_context(model), ss_model_scope(model),
                               ss_section_find(name)->thing, &map->entries[i], add_one, &a));
    return SS_OK;
}

static ss_status require(ss_context *context, const ss_tree *root, const char *name,
                         const char *hint)
{
    const ss_tree *node = section(root, name);
    if (node && node->count > 0)
        return SS_OK;
    const ss_tree_entry *entry = ss_tree_find(root, name);
    return ss_fail_at(context, SS_INPUT, entry ? entry->where : root->where,
                      "the section '%s' is %s: %s", name, entry ? "empty" : "missing", hint);
}

ss_status ss_build_require_simulation(ss_context *context, const ss_tree *root)
{
    return require(context, root, "simulation",
                   "give at least the end of the motion and the step, e.g. "
                   "simulation: {step: 1e-4, end: 1}");
}

ss_status ss_build_objects(const ss_tree *root, ss_model *model)
{
    SS_TRY(ss_parameters_define(section(root, "parameters"), model));
    SS_TRY(add_objects(model, root, "systems", SS_TYPE_SYSTEM, ss_model_add_system));
    SS_TRY(add_objects(model, root, "elements", SS_TYPE_ELEMENT, ss_model_add_element));
    SS_TRY(add_objects(model, root, "forces", SS_TYPE_FORCE, ss_model_add_force));
    return add_objects(model, root, "shapes", SS_TYPE_SHAPE, ss_model_add_shape);
}

ss_status ss_build_model(const ss_tree *root, ss_model *model)
{
    ss_context *context = ss_model_context(model);
    SS_TRY(require(context, root, "systems", "a scene needs at least one system"));
    SS_TRY(ss_build_require_simulation(context, root));
    SS_TRY(ss_build_objects(root, model));
    return ss_model_seal(model);
}

/* ---- Plugins ---- */

ss_status ss_build_plugins(ss_arena *arena, const ss_tree *root, const char *folder, bool alone)
{
    const ss_tree_entry *entry = ss_tree_find(root, "plugins");
    if (!entry)
        return SS_OK;
    if (alone)
        return ss_fail_at(arena->context, SS_INPUT, entry->where,
                          "'plugins' is not allowed here: the scene must be self-contained");
    for (size_t i = 0; i < entry->value->count; i++) {
        const ss_tree *item = entry->value->items[i];
        ss_text path = {NULL, item->where};
        SS_TRY(ss_path_join(arena, folder, item->text, &path.text));
        SS_TRY(ss_context_load_plugin(arena->context, &path));
    }
    return SS_OK;
}

/* ---- Solver, scheme and simulation ---- */

/* Where a section of options stands; one that is left out, where the scene begins. */
static ss_location place_of(const ss_tree *root, const char *name)
{
    const ss_tree_entry *entry = ss_tree_find(root, name);
    return entry ? entry->where : root->where;
}

/* Reads a section of options; one that is left out counts as empty. */
static ss_status read_options(const ss_tree *root, const char *name, const ss_scene *scene,
                              typed *made)
{
    ss_tree empty = {.kind = SS_TREE_MAP, .where = root->where};
    const ss_section *s = ss_section_find(name);
    const ss_tree_entry *given = ss_tree_find(root, name);
    ss_tree_entry entry = {name, place_of(root, name), &empty};
    if (given && !ss_tree_is_null(given->value))
        entry.value = given->value;
    return make_typed(scene->context, (ss_type_kind)s->type, s->default_value, name, &entry, made);
}

static ss_status make_solver(const ss_tree *root, ss_scene *scene)
{
    typed made;
    SS_TRY(read_options(root, "solver", scene, &made));
    ss_status status = ss_solver_create(scene->context, made.type, made.args,
                                        ss_model_scope(scene->model), &scene->solver);
    ss_args_destroy(made.args);
    return placed(scene->context, status, place_of(root, "solver"));
}

static ss_status make_scheme(const ss_tree *root, ss_scene *scene)
{
    typed made;
    SS_TRY(read_options(root, "scheme", scene, &made));
    ss_status status = ss_scheme_create(scene->context, made.type, made.args,
                                        ss_model_scope(scene->model), &scene->scheme);
    ss_args_destroy(made.args);
    return placed(scene->context, status, place_of(root, "scheme"));
}

ss_status ss_build_simulation(const ss_tree *root, ss_scene *scene)
{
    typed made;
    SS_TRY(make_solver(root, scene));
    SS_TRY(make_scheme(root, scene));
    SS_TRY(read_options(root, "simulation", scene, &made));
    ss_status status =
        ss_simulation_create(scene->model, scene->solver, scene->scheme, made.type, made.args,
                             ss_model_scope(scene->model), &scene->simulation);
    ss_args_destroy(made.args);
    return placed(scene->context, status, place_of(root, "simulation"));
}
