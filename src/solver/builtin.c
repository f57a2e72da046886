#include "base/context.h"
#include "solver/prox.h"

ss_status ss_register_builtin_solvers(ss_context *context)
{
    SS_TRY(ss_register_solver(context, &ss_solver_type_sorprox));
    return ss_register_solver(context, &ss_solver_type_jorprox);
}
