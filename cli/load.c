#include "load.h"

#include <stdlib.h>
#include <string.h>

static bool check_parameters(int count, const char *const *parameters)
{
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(parameters[i], '=');
        if (!equals || equals == parameters[i]) {
            ss_cli_error("'%s' is not of the form name=value", parameters[i]);
            return false;
        }
    }
    return true;
}

/* All values of --set, in their order. */
static int collect_settings(const ss_cli_arguments *arguments, const char **settings)
{
    int count = 0;
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "set") == 0)
            settings[count++] = arguments->given[i].value;
    return count;
}

bool ss_cli_load(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene)
{
    *scene = NULL;
    ss_scene_options options = {.n_parameters = arguments->n_operands - 1,
                                .parameters = arguments->operands + 1};
    if (!check_parameters(options.n_parameters, options.parameters))
        return false;
    const char **settings = calloc((size_t)arguments->n_given + 1, sizeof *settings);
    if (!settings) {
        ss_cli_error("out of memory");
        return false;
    }
    options.settings = settings;
    options.n_settings = collect_settings(arguments, settings);
    ss_status status = ss_scene_load(session->context, arguments->operands[0], &options, scene);
    free(settings);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}
