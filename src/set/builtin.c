/* builtin.c: the built-in sets enter a context. */
#include "set/builtin.h"

#include "base/context.h"

ss_status ss_register_builtin_sets(ss_context *context)
{
    static const ss_set_ops *const types[] = {
        &ss_set_type_free,      &ss_set_type_half_line, &ss_set_type_negative_half_line,
        &ss_set_type_interval,  &ss_set_type_disk,      &ss_set_type_ellipse,
        &ss_set_type_ellipsoid, &ss_set_type_polygon,   &ss_set_type_product,
        &ss_set_type_cone,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        SS_TRY(ss_register_set(context, types[i]));
    return SS_OK;
}
