/* bind.c: binds keys of things without a type: `record`, plots, shapes, expectations. */
#include "scene/bind.h"

#include "options/options.h"
#include "scene/arguments.h"

ss_status ss_scene_bind(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                        const char *owner, const ss_key *keys, void *options)
{
    ss_arguments_source source = {entry->value, entry->where, owner, {keys}, {NULL}};
    ss_option_table table = {keys, options};
    ss_args *args;
    SS_TRY(ss_arguments_create(arena->context, &source, &args));
    ss_status status = ss_options_bind_tables(arena, 1, &table, args, ss_model_scope(model), owner);
    ss_args_destroy(args);
    return status;
}
