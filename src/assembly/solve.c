/* solve.c: solves the inclusion of a step and writes its results into the state. */
#include "assembly/after/sleep.h"
#include "assembly/sources/contacts.h"
#include "rows/residual.h"

#include <math.h>
#include <string.h>

static ss_status first_guess(ss_work *work, const ss_state *B)
{
    int n_blocks = work->contacts ? work->contacts->first_block : work->inclusion.n_blocks;
    for (int i = 0; i < n_blocks; i++) {
        const ss_law *law = &work->model->laws[work->block_law[i]];
        const ss_work_element *we = &work->elements[law->element];
        double *P = work->P + work->blocks[i].offset;
        if (!B) {
            memset(P, 0, (size_t)law->dim * sizeof *P);
            continue;
        }
        const double *before = ss_state_P(B) + law->offset,
                     *added = work->laws[work->block_law[i]].added;
        for (int k = 0; k < law->dim; k++)
            P[k] = before[k] - (added ? added[k] : 0);
        ss_law_at at = {work->t, ss_state_dt(B), law->dim, we->g + law->row,
                        we->gamma_B + law->row};
        if (law->ops->guess)
            SS_TRY(law->ops->guess(law->object.self, &at, P));
    }
    if (work->contacts)
        ss_work_contacts_guess(work, B);
    return SS_OK;
}

static ss_status solve_all(ss_work *work, void *unused, double *u, ss_solve_report *report)
{
    (void)unused;
    return ss_solver_solve(work->solver, &work->inclusion, work->P, u, report);
}

ss_status ss_work_solve(ss_work *work, const ss_state *B, const double *u_free, double *u_E,
                        ss_solve_report *report)
{
    ss_inclusion *inclusion = &work->inclusion;
    if (u_free != inclusion->u_free)
        memcpy(inclusion->u_free, u_free, (size_t)inclusion->n_u * sizeof *u_free);
    if (work->contacts && work->contacts->round)
        return ss_work_contacts_round_solve(work, B, u_E, report);
    SS_TRY(first_guess(work, B));
    struct ss_rest *rest = work->contacts ? work->contacts->rest : NULL;
    ss_work_apply_normal_load(work);
    if (rest && B)
        SS_TRY(ss_rest_solve(work, rest, B, u_E, report));
    else
        SS_TRY(ss_work_solve_loaded(work, solve_all, NULL, u_E, report));
    return work->watch ? work->watch(work->watch_user, inclusion, work->P, report) : SS_OK;
}

void ss_work_watch(ss_work *work, ss_inclusion_watch watch, void *user)
{
    work->watch = watch;
    work->watch_user = user;
}

static int sign_of(double x)
{
    return x < 0 ? -1 : 1;
}

/* Mode of a law: 0 constraint; ±1 impressed, with the direction of sliding for one kinematic row: that of what a motor misses its
 * speed by. */
static ss_status find_mode(const ss_work *work, int l, double dt, const double *gamma_E, int *mode)
{
    const ss_law *law = &work->model->laws[l];
    int block = work->laws[l].block;
    bool holds = block >= 0 && work->modes[block] == SS_MODE_CONSTRAINT;
    bool directed = law->dim == 1 && law->kind == SS_KINEMATIC && block >= 0;
    double v = 0, a;
    *mode = holds ? 0 : 1;
    if (holds || !directed)
        return SS_OK;
    if (law->ops->drive) {
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        SS_TRY(law->ops->drive(law->object.self, &at, &v, &a));
    }
    *mode = sign_of(gamma_E[0] - v);
    return SS_OK;
}

/* Mean velocity of a row that comes from outside. */
static double outside(const ss_work *work, const ss_law *law, int i, const double *u_B,
                      const double *u_E)
{
    return (ss_work_outside_velocity(work, law->element, law->row + i, u_B) +
            ss_work_outside_velocity(work, law->element, law->row + i, u_E)) /
           2;
}

/* What the impulse's work Pᵀγ̄ is. */
static ss_status account(const ss_work *work, int l, double dt, const double *P,
                         const double *middle, ss_statistics *sums)
{
    const ss_law *law = &work->model->laws[l];
    if (law->ops->work) {
        double load = 0, lost = 0;
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        SS_TRY(law->ops->work(law->object.self, &at, P, middle, &load, &lost));
        sums->load_work += load;
        sums->dissipated += lost;
        return SS_OK;
    }
    if (work->laws[l].level == SS_LEVEL_IMPRESSED && law->ops->potential)
        return SS_OK;
    for (int i = 0; i < law->dim; i++)
        sums->dissipated -= P[i] * middle[i];
    return SS_OK;
}

/* Impulse, mode and dissipation of one law. P γ̄ is what the law takes out; ζ and prescribed motions are from outside. */
static ss_status finish_law(ss_work *work, int l, double dt, const double *u_B, ss_state *E)
{
    const ss_law *law = &work->model->laws[l];
    const ss_work_law *wl = &work->laws[l];
    ss_statistics *sums = ss_state_edit_statistics(E);
    const ss_work_element *we = &work->elements[law->element];
    const double *gamma_B = we->gamma_B + law->row, *gamma_E = we->gamma_E + law->row;
    double *P = ss_state_edit_P(E) + law->offset;
    memset(P, 0, (size_t)law->dim * sizeof *P);
    if (wl->level != SS_LEVEL_INACTIVE) {
        if (wl->block >= 0)
            memcpy(P, work->P + work->blocks[wl->block].offset, (size_t)law->dim * sizeof *P);
        double middle[SS_SET_MAX_DIM];
        for (int i = 0; i < law->dim; i++) {
            P[i] += wl->added ? wl->added[i] : 0;
            middle[i] = (gamma_B[i] + gamma_E[i]) / 2;
            sums->load_work -= P[i] * outside(work, law, i, u_B, ss_state_u(E));
        }
        SS_TRY(account(work, l, dt, P, middle, sums));
    }
    return find_mode(work, l, dt, gamma_E, ss_state_edit_mode(E) + l);
}

static void count_solve(const ss_solve_report *report, ss_statistics *sums)
{
    uint64_t iterations = (uint64_t)report->iterations;
    sums->steps++;
    sums->tries++;
    sums->iterations += iterations;
    sums->max_iterations = iterations > sums->max_iterations ? iterations : sums->max_iterations;
    sums->failures += !ss_outcome_accepted(report->outcome);
    if (!(report->residual.value <= sums->worst_residual))
        sums->worst_residual = report->residual.value;
}

/* Friction cones leave nothing open, and springs do not where the solve could tell them. */
static ss_status count_freedom(ss_work *work, const double *u_E, const ss_solve_report *report,
                               ss_statistics *sums)
{
    bool substitute =
        report->forces == SS_FORCES_REGULARIZED || report->forces == SS_FORCES_CONE_COMPLEMENTARITY;
    sums->forces = (uint64_t)report->forces;
    if ((substitute && report->chosen) || report->freedom == 0)
        return SS_OK;
    SS_TRY(ss_work_examine_freedom(work, u_E, report->residual.value));
    sums->indeterminate += work->indeterminate;
    sums->not_chosen += work->indeterminate && !report->chosen;
    return SS_OK;
}

/* Of a system, with the mean of two velocities, W. */
static double load_power(const ss_work *work, int s, const double *u_B, const double *u_E)
{
    const ss_system *system = &work->model->systems[s];
    double power = 0;
    for (int i = system->u_offset; i < system->u_offset + system->nu; i++)
        power += work->load[i] * (u_B[i] + u_E[i]) / 2;
    return power;
}

ss_status ss_work_finish(ss_work *work, const ss_state *B, double dt, const ss_solve_report *report,
                         ss_state *E)
{
    enum { ROUNDING = 4 }; /* a projection within the solve's own error is none */
    const ss_model *model = work->model;
    const double *u_B = ss_state_u(B), *u_E = ss_state_u(E);
    ss_statistics *sums = ss_state_edit_statistics(E);
    *sums = *ss_state_statistics(B);
    ss_state_set_time(E, ss_state_time(B) + dt);
    ss_state_set_dt(E, dt);
    ss_inclusion_modes_marginal(&work->inclusion, work->P, u_E, ROUNDING * report->residual.value,
                                work->modes, work->marginal);
    for (int e = 0; e < model->n_elements.count; e++)
        if (ss_work_element_at_work(work, e))
            ss_work_element_velocity(work, e, u_E, work->elements[e].gamma_E);
    for (int l = 0; l < model->n_laws.count; l++)
        SS_TRY(finish_law(work, l, dt, u_B, E));
    if (work->contacts && work->contacts->round)
        ss_work_contacts_round_finish(work, report, u_B, E);
    else if (work->contacts)
        ss_work_contacts_finish(work, u_B, E);
    for (int s = 0; s < model->n_systems.count; s++)
        sums->load_work += load_power(work, s, u_B, u_E) * dt;
    for (int l = 0; l < model->n_laws.count; l++)
        sums->switches += (ss_state_mode(B)[l] == 0) != (ss_state_mode(E)[l] == 0);
    count_solve(report, sums);
    ss_work_count_gain(work, u_B, u_E, &report->residual, sums);
    return count_freedom(work, u_E, report, sums);
}

bool ss_work_marginal(const ss_work *work, int law)
{
    int block = work->laws[law].block;
    return block >= 0 && work->marginal[block];
}

bool ss_work_active(const ss_work *work, int law)
{
    return work->laws[law].block >= 0;
}
