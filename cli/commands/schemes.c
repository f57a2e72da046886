/* schemes.c: the schemes that a command is to try. */
#include "commands/schemes.h"

#include <string.h>

static bool take_all(const ss_context *context, ss_cli_names *schemes)
{
    for (size_t i = 0; ss_type_at(context, SS_TYPE_SCHEME, i); i++)
        if (!ss_cli_names_add(schemes, ss_type_at(context, SS_TYPE_SCHEME, i)->name))
            return false;
    return true;
}

/* A scheme of --set would run under the name of every other. */
static bool sets_scheme(const ss_cli_arguments *arguments)
{
    for (int i = 0; i < arguments->n_given; i++) {
        const char *value = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, "set") != 0 ||
            (strncmp(value, "scheme.type=", 12) != 0 && strncmp(value, "scheme=", 7) != 0))
            continue;
        ss_cli_error("--set %s: the schemes of this command are those of --schemes; give "
                     "--schemes NAMES, and their keys with --set scheme.KEY=VALUE",
                     value);
        return true;
    }
    return false;
}

bool ss_cli_schemes(ss_cli_session *session, const ss_cli_arguments *arguments,
                    ss_cli_names *schemes)
{
    const char *given = ss_cli_value(arguments, "schemes");
    *schemes = (ss_cli_names){0};
    if (sets_scheme(arguments))
        return false;
    if (!given)
        return take_all(session->context, schemes);
    if (!ss_cli_names_split(given, schemes))
        return false;
    if (schemes->count == 0)
        ss_cli_error("--schemes is empty; it must be names with commas between them");
    for (int i = 0; i < schemes->count; i++) {
        const ss_type *type;
        ss_location nowhere = {0};
        if (ss_type_find(session->context, SS_TYPE_SCHEME, schemes->items[i], nowhere, &type) ==
            SS_OK)
            continue;
        ss_cli_print_failure(session);
        return false;
    }
    return schemes->count > 0;
}
