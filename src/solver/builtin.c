/* builtin.c: the built-in solvers enter a context. */
#include "base/context.h"
#include "solver/methods.h"
#include "solver/prox.h"

ss_status ss_register_builtin_solvers(ss_context *context)
{
    static const ss_method *const methods[] = {
        &ss_method_auto,
        &ss_method_exact,
        &ss_method_interior,
        &ss_method_alart_curnier,
        &ss_method_fischer_burmeister,
        &ss_method_proximal,
        &ss_method_woesle_pfeiffer,
        &ss_method_admm,
        &ss_method_nesterov,
        &ss_method_uzawa,
        &ss_method_lemke,
        &ss_method_funk,
        &ss_method_enumeration,
        &ss_method_gamma,
    };
    SS_TRY(ss_register_solver(context, &ss_solver_type_sorprox));
    SS_TRY(ss_register_solver(context, &ss_solver_type_jorprox));
    ss_type_extend(context, SS_TYPE_SOLVER, "sorprox", &ss_sorprox_rows);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        SS_TRY(ss_method_register(context, methods[k]));
    return SS_OK;
}
