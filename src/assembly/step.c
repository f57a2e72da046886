/* step.c: the stages of a step between the evaluation of a configuration and the motion that follows.
 *
 *   evaluate   M, h and forces at (q, t)                         evaluate.c
 *   detect     contacts of shapes                                sources/contacts.c
 *   fill       rows of the active laws                           sources/
 *   solve      impulses and velocities at the end of the step    solver/
 *   finish     modes, impulses back to their owners, energy      sources/, after/
 *   move       q                                                 evaluate.c
 *
 * A scheme calls them in this order, through ss_work_evaluate, ss_work_forces, ss_work_laws_as, ss_work_solve,
 * ss_work_finish and ss_work_move. Observers see the state that results.
 */
#include "assembly/after/certify.h"
#include "assembly/sources/contacts.h"
#include "assembly/sources/source.h"
#include "rows/residual.h"

#include <string.h>

/* The sources of rows: elements where there are others than contact rules; contacts where shapes can meet and their contacts
 * are not followed. */
static const ss_row_source *const sources[] = {&ss_source_elements, &ss_source_contacts};

static bool acts(const ss_work *work, int source)
{
    bool detected = work->contacts && !work->candidates;
    return source == 1 ? detected : !(detected && work->only_rules);
}

/* ---- Detect and fill ---- */

ss_status ss_work_laws_as(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                          double *impulse)
{
    bool forces = form->kind != SS_FORM_IMPACT && form->kind != SS_FORM_PROJECTION;
    work->form = form->kind;
    work->levels_kept = form->keep_levels;
    work->law_time = work->t;
    work->turned = form->springs.turned;
    work->inclusion.n_blocks = work->inclusion.n_rows = 0;
    if (acts(work, 1))
        SS_TRY(ss_work_detect(work, form, dt, u_B));
    for (int i = 0; i < 2; i++)
        if (acts(work, i))
            SS_TRY(sources[i]->fill(work, form, dt, u_B, forces ? impulse : NULL));
    return SS_OK;
}

bool ss_law_is_elastic(const ss_element *element, const ss_law *law)
{
    if (element->ops->restitution)
        return true;
    for (int i = 0; i < element->restitution.rows * element->rows; i++)
        if (element->restitution.values[i] != 0)
            return true;
    for (int i = 0; i < law->dim; i++)
        if (law->epsilon[i] != 0)
            return true;
    return false;
}

/* Whether a law, or friction that it presses, has restitution: with gaps an impact may take two steps, and friction would
 * reflect the velocity in each. */
static bool reflects(const ss_table *table, int l)
{
    const ss_element *element = &table->elements[table->laws[l].element];
    bool any = ss_law_is_elastic(element, &table->laws[l]);
    for (int i = 0; i < element->n_laws && !any; i++) {
        const ss_law *other = &table->laws[element->laws[i]];
        any = other->scale_from == l && ss_law_is_elastic(element, other);
    }
    return any;
}

bool ss_work_is_displaced(const ss_work *work, const ss_law_form *form, int l)
{
    const ss_law *law = &work->table.laws[l];
    if (!ss_law_has_distance(law) || (form->on_velocity && form->on_velocity[l]))
        return false;
    if (form->kind == SS_FORM_PROJECTION)
        return true;
    return form->kind == SS_FORM_DISPLACEMENT && !(form->split && reflects(&work->table, l));
}

ss_status ss_work_laws(ss_work *work, double dt, const double *u_B, double *impulse)
{
    ss_law_form velocity = {.kind = SS_FORM_VELOCITY};
    return ss_work_laws_as(work, &velocity, dt, u_B, impulse);
}

/* ---- Solve ---- */

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
    for (int i = 0; i < 2; i++)
        if (acts(work, i))
            SS_TRY(sources[i]->guess(work, B));
    ss_sleep *sleep = work->contacts && B ? work->contacts->sleep : NULL;
    ss_work_apply_normal_load(work);
    if (work->contacts && work->contacts->forms)
        SS_TRY(ss_work_contacts_solve(work, B, u_E, report));
    else if (sleep)
        SS_TRY(ss_sleep_solve(work, sleep, B, u_E, report));
    else
        SS_TRY(ss_work_solve_loaded(work, solve_all, NULL, u_E, report));
    if (work->amend)
        SS_TRY(work->amend(work->amend_user, work, u_E, report));
    ss_work_certify(work, B, u_E, report);
    if (!work->watch)
        return SS_OK;
    return work->contacts && work->contacts->forms
               ? ss_work_contacts_show(work, work->watch, work->watch_user, report)
               : work->watch(work->watch_user, inclusion, work->P, report);
}

void ss_work_watch(ss_work *work, ss_inclusion_watch watch, void *user)
{
    work->watch = watch;
    work->watch_user = user;
}

/* ---- Finish ---- */

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
                               ss_state *E)
{
    ss_statistics *sums = ss_state_edit_statistics(E);
    ss_freedom_look *look = ss_state_edit_look(E);
    bool substitute =
        report->forces == SS_FORCES_REGULARIZED || report->forces == SS_FORCES_CONE_COMPLEMENTARITY;
    sums->forces = (uint64_t)report->forces;
    if (work->skips_freedom || (substitute && report->chosen) || report->freedom == 0)
        return SS_OK;
    SS_TRY(ss_work_examine_freedom(work, u_E, report->residual.value, look));
    sums->indeterminate += look->indeterminate;
    sums->unexamined += look->unexamined;
    sums->uneven += look->indeterminate && report->forces == SS_FORCES_EVEN && report->freedom < 0;
    sums->not_chosen += look->indeterminate && !report->chosen;
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
    /* A projection within the solve's own error is none. Where rest of dependent contacts ends, solutions that slide are as good, with
     * some 1e-12 of what the loads give. */
    const double error = fmax(4 * report->residual.value, 1e-11);
    const ss_model *model = work->model;
    const double *u_B = ss_state_u(B), *u_E = ss_state_u(E);
    ss_statistics *sums = ss_state_edit_statistics(E);
    *sums = *ss_state_statistics(B);
    *ss_state_edit_look(E) = *ss_state_look(B);
    ss_state_set_time(E, ss_state_time(B) + dt);
    ss_state_set_dt(E, dt);
    if (work->inclusion.n_blocks > 0)
        ss_inclusion_modes_marginal(&work->inclusion, work->P, u_E, error, work->modes,
                                    work->marginal);
    if (ss_work_has_gains(work))
        ss_work_join_systems(work);
    for (int i = 0; i < 2; i++)
        if (acts(work, i))
            SS_TRY(sources[i]->finish(work, dt, u_B, E));
    for (int s = 0; s < model->n_systems.count; s++)
        sums->load_work += load_power(work, s, u_B, u_E) * dt;
    for (int l = 0; l < model->n_laws.count; l++)
        sums->switches += (ss_state_mode(B)[l] == 0) != (ss_state_mode(E)[l] == 0);
    count_solve(report, sums);
    sums->too_fast += work->contacts && work->contacts->fast_now;
    ss_work_count_gain(work, u_B, u_E, &report->residual, sums);
    return count_freedom(work, u_E, report, E);
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
