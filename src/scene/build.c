/* build.c: the merged tree becomes model, solver, scheme and simulation. */
#include "model/model.h"
#include "options/options.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

/* ---- A map of a scene → arguments for tables of keys ---- */

enum { MOST_ITEMS = 1000000 };

/* A map being read. */
typedef struct reader {
    ss_context *context;
    const ss_tree_entry *entry;
    const char *owner;       /* "system 'toy'", for messages */
    const ss_key *tables[2]; /* keys it may have, NULL: none; they tell words from expressions */
    const char *skip[3];     /* keys that are no arguments: "type", "laws"; may be NULL */
} reader;

static ss_status refuse(const reader *r, const ss_tree_entry *entry, const ss_tree *node,
                        const char *why)
{
    return ss_fail_at(r->context, SS_INPUT, node->where, "%s: '%s' %s", r->owner, entry->key, why);
}

/* Rows and columns of a value; a single text is 0 × 0. */
static ss_status measure(const reader *r, const ss_tree_entry *entry, int *rows, int *columns)
{
    const ss_tree *value = entry->value;
    *rows = *columns = 0;
    if (ss_tree_is_null(value))
        return refuse(r, entry, value, "has no value");
    if (value->kind == SS_TREE_MAP)
        return refuse(r, entry, value, "wants a value or a list, not a map");
    if (value->kind == SS_TREE_TEXT)
        return SS_OK;
    if (value->count == 0)
        return refuse(r, entry, value, "is an empty list; leave the key out or give values");
    bool nested = value->items[0]->kind == SS_TREE_LIST;
    size_t width = nested ? value->items[0]->count : 1;
    if (width == 0)
        return refuse(r, entry, value->items[0], "has an empty row");
    if (value->count * width > MOST_ITEMS)
        return refuse(r, entry, value, "has more than 1000000 values");
    *rows = (int)value->count;
    *columns = (int)width;
    return SS_OK;
}

static ss_status take_text(const reader *r, const ss_tree_entry *entry, const ss_key *key,
                           const ss_tree *node, ss_text *text)
{
    if (node->kind == SS_TREE_MAP)
        return refuse(
            r, entry, node,
            "wants values in its list, not a map; put a formula that contains ': ' in quotes");
    if (node->kind == SS_TREE_LIST)
        return refuse(r, entry, node, "has a list where the others are single values");
    if (ss_tree_is_null(node))
        return refuse(r, entry, node, "has an empty place in its list");
    /* A word, a name, a title is taken as it stands. */
    bool names = key->kind == SS_KEY_TEXT || key->kind == SS_KEY_TEXTS;
    *text = names ? (ss_text){node->text, node->where} : node->spelled;
    return SS_OK;
}

static ss_status take_texts(const reader *r, const ss_tree_entry *entry, const ss_key *key,
                            int columns, ss_text *texts)
{
    const ss_tree *value = entry->value;
    if (value->kind == SS_TREE_TEXT)
        return take_text(r, entry, key, value, texts);
    bool nested = value->items[0]->kind == SS_TREE_LIST;
    for (size_t i = 0; i < value->count; i++) {
        const ss_tree *row = value->items[i];
        if (nested && row->kind != SS_TREE_LIST)
            return refuse(r, entry, row, "has a single value where the others are lists");
        if (nested && row->count != (size_t)columns)
            return ss_fail_at(r->context, SS_INPUT, row->where,
                              "%s: '%s' has a row of %zu values where the first row has %d",
                              r->owner, entry->key, row->count, columns);
        for (int j = 0; j < columns; j++)
            SS_TRY(take_text(r, entry, key, nested ? row->items[j] : row, texts++));
    }
    return SS_OK;
}

/* ---- Sets with parameters, as values of keys ---- */

static ss_status make_args(const reader *r, ss_args **args);

/* A set by name, or a map with its type and parameters: *args, NULL where it has none. */
static ss_status take_set(const reader *r, const ss_tree_entry *entry, const ss_tree *node,
                          ss_set_spec *spec, ss_args **args)
{
    char name[64], owner[128];
    const ss_type *type;
    *args = NULL;
    if (node->kind == SS_TREE_TEXT && !ss_tree_is_null(node)) {
        *spec = (ss_set_spec){.name = {node->text, node->where}};
        return SS_OK;
    }
    if (node->kind != SS_TREE_MAP)
        return refuse(r, entry, node, "wants a set such as disk or {type: polygon, …}");
    const ss_tree_entry *given = ss_tree_find(node, "type");
    if (!given || given->value->kind != SS_TREE_TEXT || ss_tree_is_null(given->value))
        return ss_fail_at(r->context, SS_INPUT, given ? given->value->where : node->where,
                          "%s: '%s' needs the 'type' of a set (types: %s)", r->owner, entry->key,
                          ss_type_hint(r->context, SS_TYPE_SET, NULL).all);
    *spec = (ss_set_spec){.name = {given->value->text, given->value->where}};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec->name.text, " \t"), spec->name.text);
    SS_TRY(ss_type_find(r->context, SS_TYPE_SET, name, spec->name.where, &type));
    snprintf(owner, sizeof owner, "set '%s'", type->name);
    const ss_tree_entry inner = {entry->key, node->where, (ss_tree *)node};
    const reader own = {.context = r->context,
                        .entry = &inner,
                        .owner = owner,
                        .tables = {type->keys},
                        .skip = {"type"}};
    ss_status status = make_args(&own, args);
    if (status != SS_OK)
        *args = NULL;
    spec->args = *args;
    return status;
}

static ss_status add_sets(const reader *r, const ss_tree_entry *entry, ss_args *args)
{
    const ss_tree *value = entry->value;
    int rows = 0, columns = 0;
    if (value->kind != SS_TREE_MAP)
        SS_TRY(measure(r, entry, &rows, &columns));
    size_t count = rows ? (size_t)rows : 1;
    ss_set_spec *specs = NULL;
    ss_args **made = NULL;
    ss_status status = SS_NEW(r->context, count, &specs);
    if (status == SS_OK)
        status = SS_NEW(r->context, count, &made);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = take_set(r, entry, rows ? value->items[i] : value, &specs[i], &made[i]);
    if (status == SS_OK)
        status = ss_args_set_sets(args, entry->key, entry->where, rows, specs);
    for (size_t i = 0; made && i < count; i++)
        ss_args_destroy(made[i]);
    ss_release(r->context, made);
    ss_release(r->context, specs);
    return status;
}

static ss_status add_arguments(const reader *r, ss_args *args);

/* A map of things by name, each with a map of keys. */
static ss_status add_things(const reader *r, const ss_tree_entry *entry, const ss_key *key,
                            ss_args *args)
{
    const ss_tree *map = entry->value;
    if (map->kind != SS_TREE_MAP || map->count == 0)
        return refuse(r, entry, map, "wants a map of names, each with a map of keys");
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *thing = &map->entries[i];
        char owner[512];
        ss_args *own;
        snprintf(owner, sizeof owner, "%s: %s.%s", r->owner, entry->key, thing->key);
        if (thing->value->kind != SS_TREE_MAP)
            return ss_fail_at(r->context, SS_INPUT, thing->value->where,
                              "%s wants a map of keys, not %s", owner, ss_tree_names(thing->value));
        reader inner = {r->context, thing, owner, {key->keys}, {NULL}};
        SS_TRY(ss_args_add_object(args, entry->key, thing->key, thing->where, &own));
        SS_TRY(add_arguments(&inner, own));
    }
    return SS_OK;
}

static ss_status add_argument(const reader *r, const ss_tree_entry *entry, const ss_key *key,
                              ss_args *args)
{
    if (key->kind == SS_KEY_OBJECTS)
        return add_things(r, entry, key, args);
    int rows, columns;
    ss_text *texts;
    if (key->kind == SS_KEY_SET || key->kind == SS_KEY_SETS)
        return add_sets(r, entry, args);
    SS_TRY(measure(r, entry, &rows, &columns));
    SS_TRY(SS_NEW(r->context, rows ? (size_t)rows * (size_t)columns : 1, &texts));
    ss_status status = take_texts(r, entry, key, columns, texts);
    if (status == SS_OK)
        status = ss_args_set_texts(args, entry->key, entry->where, rows, columns, texts);
    ss_release(r->context, texts);
    return status;
}

/* The key of an argument; NULL for one that is skipped. */
static const ss_key *find_key(const reader *r, const char *name)
{
    for (int i = 0; i < 3; i++)
        if (r->skip[i] && strcmp(r->skip[i], name) == 0)
            return NULL;
    for (int t = 0; t < 2; t++)
        for (const ss_key *key = r->tables[t]; key && key->name; key++)
            if (strcmp(key->name, name) == 0)
                return key;
    return NULL;
}

static ss_status add_arguments(const reader *r, ss_args *args)
{
    const ss_tree *map = r->entry->value;
    const char *names[SS_MOST_KEYS];
    if (map->count > SS_MOST_KEYS)
        return ss_fail_at(r->context, SS_INPUT, map->where, "%s: more than %d keys", r->owner,
                          SS_MOST_KEYS);
    size_t count = ss_options_names(r->tables[1], ss_options_names(r->tables[0], 0, names), names);
    for (int i = 0; i < 3 && count < SS_MOST_KEYS; i++)
        if (r->skip[i])
            names[count++] = r->skip[i];
    for (size_t i = 0; i < map->count; i++)
        SS_TRY(ss_options_check_key(r->context, count, names,
                                    &(ss_text){map->entries[i].key, map->entries[i].where},
                                    r->owner));
    for (size_t i = 0; i < map->count; i++) {
        const ss_key *key = find_key(r, map->entries[i].key);
        if (key)
            SS_TRY(add_argument(r, &map->entries[i], key, args));
    }
    return SS_OK;
}

static ss_status make_args(const reader *r, ss_args **args)
{
    SS_TRY(ss_args_create(r->context, args));
    ss_args_set_location(*args, r->entry->where);
    ss_status status = add_arguments(r, *args);
    if (status != SS_OK)
        ss_args_destroy(*args);
    return status;
}

ss_status ss_scene_bind(ss_arena *arena, const ss_tree_entry *entry, const ss_scope *scope,
                        const char *owner, const ss_key *keys, void *options)
{
    reader r = {arena->context, entry, owner, {keys}, {NULL}};
    ss_option_table table = {keys, options};
    ss_args *args;
    SS_TRY(make_args(&r, &args));
    ss_status status = ss_options_bind_tables(arena, 1, &table, args, scope, owner);
    ss_args_destroy(args);
    return status;
}

/* ---- Types ---- */

/* An object or a section with a type: finds the type and makes the arguments. */
static ss_status make_typed(ss_context *context, const ss_section *section, const char *owner,
                            const ss_tree_entry *entry, const ss_type **type, ss_args **args)
{
    ss_type_kind kind = section ? (ss_type_kind)section->type : SS_TYPE_LAW;
    const char *default_value = section ? section->default_value : NULL;
    const ss_tree_entry *given = ss_tree_find(entry->value, "type");
    if (!given && !default_value)
        return ss_fail_at(context, SS_INPUT, entry->where, "%s: 'type' is missing (types: %s)",
                          owner, ss_type_hint(context, kind, NULL).all);
    if (given && (given->value->kind != SS_TREE_TEXT || ss_tree_is_null(given->value)))
        return ss_fail_at(context, SS_INPUT, given->value->where,
                          "%s: 'type' wants the name of a type, not %s", owner,
                          ss_tree_names(given->value));
    SS_TRY(ss_type_find(context, kind, given ? given->value->text : default_value,
                        given ? given->value->where : entry->where, type));
    bool object = section && section->shape == SS_SECTION_OBJECTS;
    reader r = {
        .context = context,
        .entry = entry,
        .owner = owner,
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): ss_type_find has found it */
        .tables = {(*type)->keys, ss_common_keys(kind)},
        .skip = {"type", object ? "repeat" : NULL, kind == SS_TYPE_ELEMENT ? "laws" : NULL},
    };
    return make_args(&r, args);
}

/* Types, above all a user's own, may fail without saying where: unless the last message begins with
 * a place in a source, it gets that of the object. */
static ss_status placed(ss_context *context, ss_status status, ss_location where)
{
    if (status == SS_OK || status == SS_MEMORY)
        return status;
    for (const ss_source *source = context->sources; source; source = source->next) {
        size_t length = strlen(source->file);
        if (strncmp(context->message, source->file, length) == 0 && context->message[length] == ':')
            return status;
    }
    return ss_fail_at(context, status, where, "%s", ss_context_message(context));
}

/* ---- Objects ---- */

typedef ss_status (*add_fn)(ss_model *model, const char *name, const char *type,
                            const ss_args *args);
static const add_fn adders[SS_TYPE_KINDS] = {
    [SS_TYPE_SYSTEM] = ss_model_add_system,         [SS_TYPE_ELEMENT] = ss_model_add_element,
    [SS_TYPE_FORCE] = ss_model_add_force,           [SS_TYPE_SHAPE] = ss_model_add_shape,
    [SS_TYPE_CONTROLLER] = ss_model_add_controller,
};

/* Where objects go. */
typedef struct adder {
    ss_model *model;
    const ss_section *section; /* NULL: laws of an element */
    const char *element;
} adder;

static ss_status add_object(const adder *a, const ss_tree_entry *entry)
{
    ss_context *context = ss_model_context(a->model);
    char owner[256];
    if (a->section)
        snprintf(owner, sizeof owner, "%s '%s'", a->section->thing, entry->key);
    else
        snprintf(owner, sizeof owner, "law '%s.%s'", a->element, entry->key);
    if (entry->value->kind != SS_TREE_MAP)
        return ss_fail_at(context, SS_INPUT, entry->value->where,
                          "%s wants a map of keys such as {type: unilateral}, not %s", owner,
                          ss_tree_names(entry->value));
    const ss_type *type;
    ss_args *args;
    SS_TRY(make_typed(context, a->section, owner, entry, &type, &args));
    ss_status status = a->section
                           ? adders[a->section->type](a->model, entry->key, type->name, args)
                           : ss_model_add_law(a->model, a->element, entry->key, type->name, args);
    ss_args_destroy(args);
    return placed(context, status, entry->where);
}

/* Inputs and outputs have keys, but no types. */
static bool is_plain(const ss_section *section)
{
    return section->keys == ss_input_keys || section->keys == ss_output_keys;
}

static ss_status add_plain(const adder *a, const ss_tree_entry *entry)
{
    ss_context *context = ss_model_context(a->model);
    char owner[256];
    ss_args *args;
    snprintf(owner, sizeof owner, "%s '%s'", a->section->thing, entry->key);
    reader r = {.context = context,
                .entry = entry,
                .owner = owner,
                .tables = {a->section->keys},
                .skip = {"repeat"}};
    SS_TRY(make_args(&r, &args));
    ss_status status =
        (a->section->keys == ss_input_keys ? ss_model_add_input
                                           : ss_model_add_output)(a->model, entry->key, args);
    ss_args_destroy(args);
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
    adder a = {.model = model, .element = element->key};
    for (size_t i = 0; i < laws->value->count; i++)
        SS_TRY(add_object(&a, &laws->value->entries[i]));
    return SS_OK;
}

static ss_status add_visited(void *user, const ss_tree_entry *entry)
{
    const adder *a = user;
    if (is_plain(a->section))
        return add_plain(a, entry);
    SS_TRY(add_object(a, entry));
    return a->section->type == SS_TYPE_ELEMENT ? add_laws(a->model, entry) : SS_OK;
}

static ss_status require(ss_context *context, const ss_tree *root, const char *name,
                         const char *hint)
{
    const ss_tree *node = ss_tree_value(root, name);
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
    SS_TRY(ss_parameters_define(ss_tree_value(root, "parameters"), model));
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        adder a = {.model = model, .section = &ss_sections[i]};
        bool typed = a.section->shape == SS_SECTION_OBJECTS && a.section->type >= 0;
        if (typed || is_plain(a.section))
            SS_TRY(ss_repeat_visit(ss_model_context(model), root, a.section->name,
                                   ss_model_scope(model), add_visited, &a));
    }
    return SS_OK;
}

ss_status ss_build_model(const ss_tree *root, ss_model *model)
{
    ss_context *context = ss_model_context(model);
    SS_TRY(require(context, root, "systems", "a scene needs at least one system"));
    SS_TRY(ss_build_require_simulation(context, root));
    SS_TRY(ss_build_objects(root, model));
    return ss_model_seal(model);
}

static ss_status refuse_plugin(ss_context *context, const ss_tree *item)
{
    return ss_fail_at(
        context, SS_INPUT, item->where,
        "the scene names the plugin '%s', which is not loaded: a plugin runs as part of "
        "the program. If you trust it, load it by --plugin FILE or in the list "
        "STICKSLIP_PLUGINS=FILE:FILE, or allow all that a scene file names by "
        "--allow-plugins",
        item->text);
}

ss_status ss_build_plugins(ss_arena *arena, const ss_tree *root, const char *folder,
                           const ss_scene_options *options)
{
    const ss_tree_entry *entry = ss_tree_find(root, "plugins");
    if (!entry)
        return SS_OK;
    if (options->self_contained)
        return ss_fail_at(arena->context, SS_INPUT, entry->where,
                          "'plugins' is not allowed here: the scene must be self-contained");
    for (size_t i = 0; i < entry->value->count; i++) {
        const ss_tree *item = entry->value->items[i];
        ss_text path = {NULL, item->where};
        if (!options->allow_plugins) {
            if (!ss_context_has_plugin(arena->context, item->text))
                return refuse_plugin(arena->context, item);
            continue;
        }
        SS_TRY(ss_path_join(arena, folder, item->text, &path.text));
        SS_TRY(ss_context_load_plugin(arena->context, &path));
    }
    return SS_OK;
}

/* ---- Solver, scheme and simulation ---- */

/* Makes one of them of its section of options; one that is left out counts as empty and stands where
 * the scene begins. */
static ss_status make(const ss_tree *root, const char *name, ss_scene *scene)
{
    const ss_section *section = ss_section_find(name);
    const ss_scope *scope = ss_model_scope(scene->model);
    ss_tree empty = {.kind = SS_TREE_MAP, .where = root->where};
    const ss_tree_entry *given = ss_tree_find(root, name);
    ss_tree_entry entry = {name, given ? given->where : root->where, &empty};
    if (given && !ss_tree_is_null(given->value))
        entry.value = given->value;
    const ss_type *type;
    ss_args *args;
    SS_TRY(make_typed(scene->context, section, name, &entry, &type, &args));
    ss_status status;
    if (section->type == SS_TYPE_SOLVER)
        status = ss_solver_create(scene->context, type->name, args, scope, &scene->solver);
    else if (section->type == SS_TYPE_SCHEME)
        status = ss_scheme_create(scene->context, type->name, args, scope, &scene->scheme);
    else
        status = ss_simulation_create(scene->model, scene->solver, scene->scheme, type->name, args,
                                      scope, &scene->simulation);
    ss_args_destroy(args);
    return placed(scene->context, status, entry.where);
}

static bool has_key(const ss_type *type, const char *name)
{
    for (const ss_key *key = type->keys; key && key->name; key++)
        if (strcmp(key->name, name) == 0)
            return true;
    return false;
}

/* Keys of laws that only some solvers look at. */
static ss_status check_law_keys(const ss_scene *scene)
{
    const ss_model *model = scene->model;
    const ss_type *type;
    ss_forces forces = ss_solver_settings(scene->solver)->forces;
    bool weighs = forces == SS_FORCES_WEIGHTED || forces == SS_FORCES_REGULARIZED;
    SS_TRY(ss_type_find(scene->context, SS_TYPE_SOLVER, ss_solver_name(scene->solver),
                        (ss_location){0}, &type));
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        if (law->r > 0 && !has_key(type, "r"))
            return ss_fail_at(scene->context, SS_INPUT, law->object.where,
                              "%s: 'r' does nothing here: it goes with the solvers sorprox and "
                              "jorprox, not with '%s'; leave it out, or change the solver",
                              law->object.owner, type->name);
        if (law->rigidity != 1 && !weighs)
            return ss_fail_at(
                scene->context, SS_INPUT, law->object.where,
                "%s: 'rigidity' does nothing here: it goes with 'forces: weighted' or "
                "'regularized' of the solver; leave it out, or change 'forces'",
                law->object.owner);
    }
    return SS_OK;
}

ss_status ss_build_simulation(const ss_tree *root, ss_scene *scene)
{
    SS_TRY(make(root, "solver", scene));
    SS_TRY(check_law_keys(scene));
    SS_TRY(make(root, "scheme", scene));
    SS_TRY(make(root, "simulation", scene));
    return ss_scene_check_start(scene);
}
