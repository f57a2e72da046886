#include "simulation/switching.h"

#include "model/expanded.h"

static ss_side side_of(const ss_simulation *simulation, const ss_state *E, int l)
{
    ss_law_info law = ss_model_law(ss_simulation_model(simulation), l);
    const ss_work *work = ss_simulation_work(simulation);
    const double *P = ss_state_P(E) + law.offset;
    if (ss_work_gone(work, l))
        return SS_SIDE_FREE;
    if (ss_state_mode(E)[l] == 0)
        return ss_work_marginal(work, l) ? SS_SIDE_UNDECIDED : SS_SIDE_HELD;
    bool zero = true;
    for (int i = 0; i < law.dim; i++)
        zero = zero && P[i] == 0;
    if (zero)
        return ss_work_active(work, l) ? SS_SIDE_LOOSE : SS_SIDE_FREE;
    return law.dim == 1 && P[0] < 0 ? SS_SIDE_PULLED : SS_SIDE_PUSHED;
}

void ss_sides_read(const ss_simulation *simulation, const ss_state *E, double *sides)
{
    int n_laws = ss_model_sizes(ss_simulation_model(simulation)).n_laws;
    const ss_law *laws = ss_simulation_model(simulation)->laws;
    for (int l = 0; l < n_laws; l++)
        sides[l] = side_of(simulation, E, l);
    for (int l = 0; l < n_laws; l++) {
        int from = laws[l].scale_from; /* friction whose radius is zero, or rounding */
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

void ss_sides_shares(int n_laws, const double *sides, bool smooth, ss_share *shares)
{
    for (int l = 0; l < n_laws; l++) {
        shares[l] = sides[l] == SS_SIDE_FREE ? SS_SHARE_NONE : SS_SHARE_SEEN;
        if (smooth && sides[l] == SS_SIDE_HELD)
            shares[l] = SS_SHARE_HELD;
    }
}
