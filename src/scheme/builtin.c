#include "scheme/builtin.h"

#include "base/context.h"

ss_status ss_register_builtin_schemes(ss_context *context)
{
    return ss_register_scheme(context, &ss_moreau_ops);
}
