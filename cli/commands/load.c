/* load.c: loads the scene that the command line names. */
#include "commands/load.h"

#include <string.h>

static ss_status check_parameters(ss_context *context, int count, const char *const *parameters)
{
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(parameters[i], '=');
        if (!equals || equals == parameters[i])
            return ss_fail(context, SS_INPUT, "'%s' is not of the form name=value", parameters[i]);
    }
    return SS_OK;
}

/* All settings in their order. */
static int collect_settings(const ss_cli_arguments *arguments, const ss_cli_changes *changes,
                            const char **settings)
{
    int count = 0;
    for (int i = 0; i < changes->n_before; i++)
        settings[count++] = changes->before[i];
    for (int i = 0; i < arguments->n_given; i++) {
        const ss_cli_given *given = &arguments->given[i];
        if (strcmp(given->option->name, "set") == 0)
            settings[count++] = given->value;
    }
    for (int i = 0; i < changes->n_after; i++)
        settings[count++] = changes->after[i];
    return count;
}

ss_status ss_cli_load_changed(ss_cli_session *session, const ss_cli_arguments *arguments,
                              const ss_cli_changes *changes, ss_scene **scene)
{
    static const ss_cli_changes none;
    void *memory;
    *scene = NULL;
    changes = changes ? changes : &none;
    ss_scene_options options = {.n_parameters = arguments->n_operands - 1,
                                .parameters = arguments->operands + 1,
                                .allow_outside = ss_cli_has(arguments, "allow-outside"),
                                .allow_plugins = ss_cli_has(arguments, "allow-plugins")};
    SS_TRY(check_parameters(session->context, options.n_parameters, options.parameters));
    size_t capacity = (size_t)(arguments->n_given + changes->n_before + changes->n_after) + 1;
    SS_TRY(ss_allocate(session->context, capacity, sizeof(char *), &memory));
    options.settings = memory;
    options.n_settings = collect_settings(arguments, changes, memory);
    ss_status status = ss_scene_load(session->context, arguments->operands[0], &options, scene);
    ss_release(session->context, memory);
    return status;
}

bool ss_cli_load(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene)
{
    ss_status status = ss_cli_load_changed(session, arguments, NULL, scene);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}
