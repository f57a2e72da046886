/* builtin.h: inside of a scheme, and the schemes of this folder. */
#ifndef SS_SCHEME_BUILTIN_H
#define SS_SCHEME_BUILTIN_H

#include "base/arena.h"

#include <stickslip/scheme.h>

struct ss_scheme {
    ss_context *context;
    const ss_scheme_ops *ops;
    ss_arena arena;
    void *self;
    double *scratch;
};

/* Reserves the scratch memory of a scheme for works of this size, after ss_scheme_prepare. */
ss_status ss_scheme_reserve(ss_scheme *scheme, const ss_model *model, const ss_model_size *size);

extern const ss_scheme_ops ss_moreau_ops, ss_moreau_stabilized_ops, ss_theta_ops,
    ss_paoli_schatzman_ops, ss_stiegelmeier_ops, ss_funk_ops, ss_foerg_explicit_ops,
    ss_foerg_implicit_ops, ss_stewart_trinkle_ops, ss_anitescu_potra_1997_ops,
    ss_anitescu_potra_2002_ops, ss_anitescu_hart_ops, ss_potra_ops, ss_gavrea_ops, ss_ggl_ops,
    ss_preconditioned_index3_ops, ss_generalized_alpha_ops, ss_free_choice_ops;

#endif
