/* switching.c: the side of every law in a step (S6.2.1). */
#include "simulation/switching.h"

#include "assembly/sources/candidates.h"
#include "assembly/work.h"
#include "simulation/simulation.h"

#include <math.h>

/* Sliding that is reversed passes through rest, whatever the number of rows. The error of a step would
 * not show it: when it is reversed near the middle of 1, 3, 5, … substeps, the impulses of all rows
 * of the tableau are on one line over the step size. */
static bool is_reversed(const ss_law *law, const double *before, const double *P)
{
    double along = 0;
    for (int i = 0; i < law->dim; i++)
        along += (law->dim == 1 ? 1 : before[i]) * P[i];
    return along < 0;
}

/* Opening gaps have no impulse. Solvers by linear equations leave rounding of the others there. */
static double rounding_of(const ss_state *E, int n_rows)
{
    double most = 0;
    for (int i = 0; i < n_rows; i++)
        most = fmax(most, fabs(ss_state_P(E)[i]));
    return 1e-13 * most;
}

static ss_side side_of(const ss_simulation *simulation, const ss_state *B, const ss_state *E, int l,
                       double rounding)
{
    const ss_work *work = simulation->work;
    const ss_law *law = &work->table.laws[l];
    const double *P = ss_state_P(E) + law->offset;
    if (ss_work_absent(work, l))
        return SS_SIDE_FREE;
    if (ss_state_mode(E)[l] == 0)
        return ss_work_marginal(work, l) ? SS_SIDE_UNDECIDED : SS_SIDE_CLOSED;
    bool zero = true;
    for (int i = 0; i < law->dim; i++)
        zero = zero && fabs(P[i]) <= (law->kind == SS_GEOMETRIC ? rounding : 0);
    if (zero)
        return ss_work_active(work, l) ? SS_SIDE_LOOSE : SS_SIDE_FREE;
    return is_reversed(law, ss_state_P(B) + law->offset, P) ? SS_SIDE_LOWER : SS_SIDE_UPPER;
}

void ss_sides_read(const ss_simulation *simulation, const ss_state *B, const ss_state *E,
                   double *sides)
{
    const ss_table *table = &simulation->work->table;
    int n_laws = table->n_laws;
    double rounding = rounding_of(E, table->n_rows);
    for (int l = 0; l < n_laws; l++)
        sides[l] = side_of(simulation, B, E, l, rounding);
    for (int l = 0; l < n_laws; l++) {
        int from = table->laws[l].scale_from; /* friction whose radius is zero, or rounding */
        if (from >= 0 && (sides[from] == SS_SIDE_UNDECIDED || sides[from] == SS_SIDE_LOOSE ||
                          sides[from] == SS_SIDE_FREE))
            sides[l] = sides[from];
    }
}

static bool agree(double a, double b)
{
    if (a == b || a == SS_SIDE_UNDECIDED || b == SS_SIDE_UNDECIDED)
        return true;
    return (a == SS_SIDE_FREE && b == SS_SIDE_LOOSE) || (a == SS_SIDE_LOOSE && b == SS_SIDE_FREE);
}

bool ss_sides_agree(int n_laws, const double *accepted, const double *seen)
{
    for (int l = 0; l < n_laws; l++)
        if (!agree(accepted[l], seen[l]))
            return false;
    return true;
}

void ss_sides_decide(int n_laws, const double *seen, double *accepted)
{
    for (int l = 0; l < n_laws; l++)
        if (accepted[l] == SS_SIDE_UNDECIDED)
            accepted[l] = seen[l];
}

void ss_sides_roles(int n_laws, const double *sides, bool smooth, ss_role *roles)
{
    for (int l = 0; l < n_laws; l++) {
        roles[l] = sides[l] == SS_SIDE_FREE ? SS_ROLE_NONE : SS_ROLE_SEEN;
        if (smooth && sides[l] == SS_SIDE_CLOSED)
            roles[l] = SS_ROLE_CLOSED;
    }
}
