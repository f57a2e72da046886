#include "simulation/switching.h"

static ss_side side_of(const ss_simulation *simulation, const ss_state *E, int l)
{
    ss_law_info law = ss_model_law(ss_simulation_model(simulation), l);
    const double *P = ss_state_P(E) + law.offset;
    if (ss_state_mode(E)[l] == 0)
        return ss_work_marginal(ss_simulation_work(simulation), l) ? SS_SIDE_UNDECIDED : SS_SIDE_HELD;
    bool zero = true;
    for (int i = 0; i < law.dim; i++)
        zero = zero && P[i] == 0;
    if (zero)
        return SS_SIDE_FREE;
    return law.dim == 1 && P[0] < 0 ? SS_SIDE_PULLED : SS_SIDE_PUSHED;
}

void ss_sides_read(const ss_simulation *simulation, const ss_state *E, double *sides)
{
    int n_laws = ss_model_sizes(ss_simulation_model(simulation)).n_laws;
    for (int l = 0; l < n_laws; l++)
        sides[l] = side_of(simulation, E, l);
}

bool ss_sides_agree(int n_laws, const double *accepted, const double *seen)
{
    for (int l = 0; l < n_laws; l++)
        if (accepted[l] != seen[l] && accepted[l] != SS_SIDE_UNDECIDED && seen[l] != SS_SIDE_UNDECIDED)
            return false;
    return true;
}

void ss_sides_decide(int n_laws, const double *seen, double *accepted)
{
    for (int l = 0; l < n_laws; l++)
        if (accepted[l] == SS_SIDE_UNDECIDED)
            accepted[l] = seen[l];
}
