/* register.c: types of systems, elements, laws and forces enter a context. */
#include "model/model.h"

ss_status ss_register_system(ss_context *context, const ss_system_ops *ops)
{
    SS_TRY(ss_register_type(context, SS_TYPE_SYSTEM, &ops->type, sizeof *ops));
    SS_REQUIRE(context, SS_TYPE_SYSTEM, ops, init);
    if (!ops->mass && !ops->inverse_mass)
        return ss_fail(context, SS_INPUT,
                       "system type '%s': one of 'mass' and 'inverse_mass' is needed",
                       ops->type.name);
    return SS_OK;
}

ss_status ss_register_element(ss_context *context, const ss_element_ops *ops)
{
    SS_TRY(ss_register_type(context, SS_TYPE_ELEMENT, &ops->type, sizeof *ops));
    SS_REQUIRE(context, SS_TYPE_ELEMENT, ops, init);
    SS_REQUIRE(context, SS_TYPE_ELEMENT, ops, W);
    return SS_OK;
}

ss_status ss_register_law(ss_context *context, const ss_law_ops *ops)
{
    SS_TRY(ss_register_type(context, SS_TYPE_LAW, &ops->type, sizeof *ops));
    SS_REQUIRE(context, SS_TYPE_LAW, ops, init);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, set);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, words[SS_MODE_CONSTRAINT]);
    SS_REQUIRE(context, SS_TYPE_LAW, ops, words[SS_MODE_IMPRESSED]);
    return SS_OK;
}

ss_status ss_register_force(ss_context *context, const ss_force_ops *ops)
{
    SS_TRY(ss_register_type(context, SS_TYPE_FORCE, &ops->type, sizeof *ops));
    SS_REQUIRE(context, SS_TYPE_FORCE, ops, init);
    SS_REQUIRE(context, SS_TYPE_FORCE, ops, h);
    return SS_OK;
}
