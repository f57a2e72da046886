/* register.c: types of systems, elements, laws, forces and controllers enter a context, one by one or as a plugin. */
#include "base/context.h"
#include "model/model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static ss_status check_system(ss_context *context, const void *opaque)
{
    const ss_system_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SYSTEM, ops, init);
    if (!ops->mass && !ops->inverse_mass)
        return ss_fail(context, SS_INPUT,
                       "system type '%s': one of 'mass' and 'inverse_mass' is needed",
                       ops->type.name);
    return SS_OK;
}

ss_status ss_register_system(ss_context *context, const ss_system_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SYSTEM, ops ? &ops->type : NULL, sizeof *ops,
                            check_system);
}

static ss_status check_element(ss_context *context, const void *opaque)
{
    const ss_element_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_ELEMENT, ops, init);
    SS_REQUIRE(context, SS_TYPE_ELEMENT, ops, W);
    return SS_OK;
}

ss_status ss_register_element(ss_context *context, const ss_element_ops *ops)
{
    return ss_register_type(context, SS_TYPE_ELEMENT, ops ? &ops->type : NULL, sizeof *ops,
                            check_element);
}

static ss_status refuse_law(ss_context *context, const ss_law_ops *ops, const char *why)
{
    return ss_fail(context, SS_INPUT, "law type '%s': %s", ops->type.name, why);
}

/* A flag and its function come together. */
static ss_status check_functions(ss_context *context, const ss_law_ops *ops)
{
    const struct {
        unsigned flag;
        bool given;
        const char *names[2];
    } all[] = {
        {SS_LAW_OPENS, ops->level != NULL, {"SS_LAW_OPENS", "level"}},
        {SS_LAW_IMPRESSED, ops->impressed != NULL, {"SS_LAW_IMPRESSED", "impressed"}},
        {SS_LAW_ADDED, ops->added != NULL, {"SS_LAW_ADDED", "added"}},
        {SS_LAW_CORRECTED, ops->correction != NULL, {"SS_LAW_CORRECTED", "correction"}},
        {SS_LAW_STORES_ENERGY, ops->potential != NULL, {"SS_LAW_STORES_ENERGY", "potential"}},
        {SS_LAW_DISTANCE, ops->distance != NULL, {"SS_LAW_DISTANCE", "distance"}},
        {SS_LAW_WORK, ops->work != NULL, {"SS_LAW_WORK", "work"}},
        {SS_LAW_DERIVATIVES, ops->derivatives != NULL, {"SS_LAW_DERIVATIVES", "derivatives"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool flag = (ops->flags & all[i].flag) != 0;
        if (flag != all[i].given)
            return ss_fail(context, SS_INPUT, "law type '%s': %s '%s' without %s '%s'",
                           ops->type.name, flag ? "the flag" : "the function", all[i].names[!flag],
                           flag ? "the function" : "the flag", all[i].names[flag]);
    }
    return SS_OK;
}

/* What cannot be, by class. */
static ss_status check_class(ss_context *context, const ss_law_ops *ops)
{
    const unsigned depends =
        SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_GAP | SS_LAW_SET_OF_SPEED | SS_LAW_SET_OF_POSITION;
    ss_law_class is = ops->law_class;
    bool opens = ops->flags & SS_LAW_OPENS, impressed = ops->flags & SS_LAW_IMPRESSED,
         never_active = ops->flags & SS_LAW_NEVER_ACTIVE;
    if ((int)is < SS_LAW_UNILATERAL || (int)is > SS_LAW_DRIVE)
        return refuse_law(context, ops,
                          "it has no class; give one of SS_LAW_UNILATERAL, SS_LAW_BILATERAL, "
                          "SS_LAW_FRICTION, SS_LAW_SPRING, SS_LAW_DRIVE");
    if (((ops->flags & SS_LAW_CONSTANT_SET) != 0) == ((ops->flags & depends) != 0))
        return refuse_law(context, ops,
                          "either its set is constant (SS_LAW_CONSTANT_SET), or flags say what it "
                          "depends on (SS_LAW_SET_OF_…)");
    if (ops->row_kinds <= 0 || ops->row_kinds > (SS_GEOMETRIC | SS_KINEMATIC))
        return refuse_law(context, ops, "'row_kinds' is SS_GEOMETRIC, SS_KINEMATIC or both");
    if (is == SS_LAW_UNILATERAL && (!opens || ops->row_kinds != SS_GEOMETRIC))
        return refuse_law(context, ops, "a unilateral law opens, and is for geometric rows");
    if (is == SS_LAW_BILATERAL && opens)
        return refuse_law(context, ops, "a bilateral law is always active, so it has no 'level'");
    if ((is == SS_LAW_FRICTION || is == SS_LAW_DRIVE) && ops->row_kinds != SS_KINEMATIC)
        return refuse_law(context, ops, "frictions and drives are for kinematic rows");
    if (((ops->flags & SS_LAW_CONSTANT_SET) == 0) != (ops->set_kind != NULL))
        return refuse_law(context, ops,
                          "laws whose set is not constant, and no others, have 'set_kind'");
    if ((is == SS_LAW_SPRING) != impressed || (impressed && opens == never_active))
        return refuse_law(context, ops,
                          "springs, and no other laws, have 'impressed'; 'level' says when, or "
                          "SS_LAW_NEVER_ACTIVE");
    if ((ops->flags & SS_LAW_DERIVATIVES) &&
        (!ops->each_row || !(ops->flags & (SS_LAW_IMPRESSED | SS_LAW_ADDED))))
        return refuse_law(context, ops,
                          "'derivatives' are those of a known force, 'impressed' or 'added', of a "
                          "single row (each_row)");
    if ((is == SS_LAW_DRIVE) != (ops->drive != NULL))
        return refuse_law(context, ops, "drives, and no other laws, have the function 'drive'");
    return SS_OK;
}

static ss_status check_law(ss_context *context, const void *opaque)
{
    const ss_law_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_LAW, ops, init);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, set);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, words[SS_MODE_CONSTRAINT]);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, words[SS_MODE_IMPRESSED]);
    SS_TRY(check_class(context, ops));
    return check_functions(context, ops);
}

ss_status ss_register_law(ss_context *context, const ss_law_ops *ops)
{
    return ss_register_type(context, SS_TYPE_LAW, ops ? &ops->type : NULL, sizeof *ops, check_law);
}

static ss_status check_force(ss_context *context, const void *opaque)
{
    const ss_force_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_FORCE, ops, init);
    SS_REQUIRE(context, SS_TYPE_FORCE, ops, h);
    return SS_OK;
}

ss_status ss_register_force(ss_context *context, const ss_force_ops *ops)
{
    return ss_register_type(context, SS_TYPE_FORCE, ops ? &ops->type : NULL, sizeof *ops,
                            check_force);
}

static ss_status check_controller(ss_context *context, const void *opaque)
{
    const ss_controller_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_CONTROLLER, ops, init);
    SS_REQUIRE(context, SS_TYPE_CONTROLLER, ops, sample);
    return SS_OK;
}

ss_status ss_register_controller(ss_context *context, const ss_controller_ops *ops)
{
    return ss_register_type(context, SS_TYPE_CONTROLLER, ops ? &ops->type : NULL, sizeof *ops,
                            check_controller);
}

/* ---- Plugins ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What a record says of it. */
static ss_status describe_plugin(ss_context *context, void *library, const char *file)
{
    enum { LARGEST_PLUGIN = 1 << 28 };
    char *bytes = NULL;
    size_t length = 0;
    const char *version = dlsym(library, "ss_plugin_version");
    SS_TRY(ss_arena_copy_string(&context->arena, version ? version : "",
                                &context->plugins[context->n_plugins].version));
    ss_status status = ss_file_read(context, file, LARGEST_PLUGIN, &bytes, &length);
    if (status == SS_OK)
        ss_sha256_text(bytes, length, context->plugins[context->n_plugins].sum);
    ss_release(context, bytes);
    return status == SS_IO ? SS_OK : status;
}

ss_status ss_context_load_plugin(ss_context *context, const ss_text *path)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    /* dlopen searches the library path for names without a slash; a scene means a file. */
    char file[4096];
    int n = snprintf(file, sizeof file, "%s%s", strchr(path->text, '/') ? "" : "./", path->text);
    if (n < 0 || (size_t)n >= sizeof file)
        return ss_fail_at(context, SS_INPUT, path->where, "the path of the plugin is too long");
    /* Never closed: registered types point into it for the life of the process. */
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ss_fail_at(context, SS_IO, path->where, "cannot load the plugin: %s", dlerror());
    for (size_t i = 0; i < context->n_plugins; i++)
        if (context->plugins[i].library == library)
            return SS_OK;
    if (context->n_plugins == SS_MAX_PLUGINS)
        return ss_fail_at(context, SS_INPUT, path->where, "more than %d plugins", SS_MAX_PLUGINS);
    ss_plugin_fn plugin;
    void *symbol = dlsym(library, "ss_plugin");
    if (!symbol)
        return ss_fail_at(context, SS_INPUT, path->where,
                          "'%s' is no stickslip plugin: it has no function "
                          "'ss_status ss_plugin(ss_context *)'",
                          path->text);
    memcpy(&plugin, &symbol, sizeof plugin);
    const char *name;
    SS_TRY(ss_arena_copy_string(&context->arena, base_of(path->text), &name));
    ss_type_mark mark = ss_types_mark(context);
    ss_status status = plugin(context);
    if (status != SS_OK) { /* all of its types, or none */
        ss_types_rollback(context, &mark);
        return status;
    }
    SS_TRY(describe_plugin(context, library, file));
    context->plugins[context->n_plugins].library = library;
    context->plugins[context->n_plugins++].name = name;
    return SS_OK;
}

bool ss_context_has_plugin(const ss_context *context, const char *path)
{
    for (size_t i = 0; i < context->n_plugins; i++)
        if (strcmp(context->plugins[i].name, base_of(path)) == 0)
            return true;
    return false;
}
