/* plugin.c: a user's own types from a shared library. */
#include "model/model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool loaded(const ss_context *context, const void *library)
{
    for (size_t i = 0; i < context->n_plugins; i++)
        if (context->plugins[i] == library)
            return true;
    return false;
}

ss_status ss_context_load_plugin(ss_context *context, const ss_text *path)
{
    /* dlopen searches the library path for names without a slash; a scene means a file. */
    char file[4096];
    int n = snprintf(file, sizeof file, "%s%s", strchr(path->text, '/') ? "" : "./", path->text);
    if (n < 0 || (size_t)n >= sizeof file)
        return ss_fail_at(context, SS_INPUT, path->where, "the path of the plugin is too long");
    /* Never closed: registered types point into it for the life of the process. */
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ss_fail_at(context, SS_IO, path->where, "cannot load the plugin: %s", dlerror());
    if (loaded(context, library))
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
    ss_type_mark mark = ss_types_mark(context);
    ss_status status = plugin(context);
    if (status != SS_OK) { /* all of its types, or none */
        ss_types_rollback(context, &mark);
        return status;
    }
    context->plugins[context->n_plugins++] = library;
    return SS_OK;
}
