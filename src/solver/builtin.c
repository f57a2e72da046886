/* builtin.c: the built-in solvers enter a context. */
#include "base/context.h"
#include "solver/auto.h"
#include "solver/exact.h"
#include "solver/gamma.h"
#include "solver/interior.h"
#include "solver/newton.h"
#include "solver/pivoting.h"
#include "solver/prox.h"
#include "solver/splitting.h"

ss_status ss_register_builtin_solvers(ss_context *context)
{
    static const ss_solver_ops *const solvers[] = {
        &ss_solver_type_sorprox,
        &ss_solver_type_jorprox,
        &ss_solver_type_auto,
        &ss_solver_type_exact,
        &ss_solver_type_interior,
        &ss_solver_type_alart_curnier,
        &ss_solver_type_fischer_burmeister,
        &ss_solver_type_proximal,
        &ss_solver_type_woesle_pfeiffer,
        &ss_solver_type_admm,
        &ss_solver_type_nesterov,
        &ss_solver_type_uzawa,
        &ss_solver_type_lemke,
        &ss_solver_type_funk,
        &ss_solver_type_enumeration,
        &ss_solver_type_gamma,
    };
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
        SS_TRY(ss_register_solver(context, solvers[k]));
    ss_type_extend(context, SS_TYPE_SOLVER, "sorprox", &ss_sorprox_rows);
    return SS_OK;
}
