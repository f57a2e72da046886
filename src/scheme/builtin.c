/* builtin.c: the built-in schemes enter a context. */
#include "scheme/builtin.h"

#include "base/context.h"

ss_status ss_register_builtin_schemes(ss_context *context)
{
    static const ss_scheme_ops *const all[] = {
        &ss_moreau_ops,
        &ss_moreau_stabilized_ops,
        &ss_theta_ops,
        &ss_paoli_schatzman_ops,
        &ss_stiegelmeier_ops,
        &ss_funk_ops,
        &ss_foerg_explicit_ops,
        &ss_foerg_implicit_ops,
        &ss_stewart_trinkle_ops,
        &ss_anitescu_potra_1997_ops,
        &ss_anitescu_potra_2002_ops,
        &ss_anitescu_hart_ops,
        &ss_potra_ops,
        &ss_gavrea_ops,
        &ss_ggl_ops,
        &ss_preconditioned_index3_ops,
        &ss_generalized_alpha_ops,
        &ss_free_choice_ops,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SS_TRY(ss_register_scheme(context, all[i]));
    return SS_OK;
}
