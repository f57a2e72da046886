/* normal_load.c: laws whose sets are scaled by the impulse of a whole group (joint friction). */
#include "assembly/work.h"

#include <math.h>

/* The length of the impulse of the group that presses a law. */
static double pressure(const ss_work *work, const ss_law *law)
{
    const ss_element *element = &work->table.elements[law->element];
    double square = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *other = &work->table.laws[element->laws[i]];
        const ss_work_law *wl = &work->laws[element->laws[i]];
        if (other->group != law->load_group || wl->level == SS_LEVEL_INACTIVE)
            continue;
        for (int k = 0; k < other->dim; k++) {
            double P = wl->block < 0 ? 0 : work->P[work->blocks[wl->block].offset + k];
            P += wl->added ? wl->added[k] : 0;
            square += P * P;
        }
    }
    return sqrt(square);
}

double ss_work_apply_normal_load(ss_work *work)
{
    double most = 0, change = 0;
    for (int i = 0; work->model->loaded && i < work->inclusion.n_blocks; i++) {
        int l = work->block_law[i];
        if (work->table.laws[l].load_group < 0)
            continue;
        double scale = work->laws[l].unit_load * pressure(work, &work->table.laws[l]);
        most = fmax(most, scale);
        change = fmax(change, fabs(scale - work->blocks[i].scale));
        work->blocks[i].scale = scale;
    }
    return change > 0 ? change / most : 0;
}

ss_status ss_work_solve_loaded(ss_work *work, ss_work_solve_fn *solve, void *user, double *u,
                               ss_solve_report *report)
{
    enum { MOST = 100 };
    const double fits = 1e-11;
    int iterations = 0, solves = 0;
    double misfit;
    do {
        SS_TRY(solve(work, user, u, report));
        iterations += report->iterations;
        solves++;
        misfit = ss_outcome_accepted(report->outcome) ? ss_work_apply_normal_load(work) : 0;
    } while (misfit > fits && solves < MOST);
    if (misfit > fits)
        report->outcome = SS_MAX_ITERATIONS;
    report->iterations = iterations;
    return SS_OK;
}
