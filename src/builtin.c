/* builtin.c: a context knows every built-in type. They use the same registration as a user's own. */
#include "base/context.h"

static ss_status register_all(ss_context *context)
{
    SS_TRY(ss_register_builtin_sets(context));
    SS_TRY(ss_register_builtin_shapes(context));
    SS_TRY(ss_register_builtin_solvers(context));
    SS_TRY(ss_register_builtin_types(context));
    SS_TRY(ss_register_builtin_schemes(context));
    return ss_register_builtin_simulations(context);
}

ss_status ss_context_create(const ss_context_options *options, ss_context **context)
{
    SS_GIVEN(NULL, context);
    SS_TRY(ss_context_create_bare(options, context));
    ss_status status = register_all(*context);
    if (status != SS_OK) {
        ss_context_destroy(*context);
        *context = NULL;
    }
    return status;
}
