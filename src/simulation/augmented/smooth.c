/* smooth.c: a smooth step by extrapolation of substeps (S6.3.2).
 *
 * All substeps must have the sides that are accepted, and so must what follows: a contact that
 * closes between the last midpoint and the end of the step shows up there only (S6.2.2).
 */
#include "assembly/sources/candidates.h"
#include "assembly/sources/contact_element.h"
#include "simulation/augmented/augmented.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Sides (S6.2.1) ---- */

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

/* A law without force that only the bound of its set takes away: μ = 0, or no bound. It never holds anything. */
static bool is_forceless(const ss_work *work, int l)
{
    int block = work->laws[l].block;
    return work->table.laws[l].kind == SS_KINEMATIC && block >= 0 &&
           work->blocks[block].set->kind != SS_SET_FREE && work->blocks[block].scale == 0;
}

static ss_side side_of(const ss_work *work, const ss_state *B, const ss_state *E, int l,
                       double rounding)
{
    const ss_law *law = &work->table.laws[l];
    const double *P = ss_state_P(E) + law->offset;
    if (ss_work_absent(work, l) || is_forceless(work, l))
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

/* Sides in the step that has just led from B to E, as numbers that fit into a state's memory; n_laws
 * elements. */
static void read_sides(const ss_work *work, const ss_state *B, const ss_state *E, double *sides)
{
    const ss_table *table = &work->table;
    int n_laws = table->n_laws;
    double rounding = rounding_of(E, table->n_rows);
    for (int l = 0; l < n_laws; l++)
        sides[l] = side_of(work, B, E, l, rounding);
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

/* Whether the force of a sliding law has a direction and a size of its own, whatever γ is: only the
 * sign of γ acts. */
static bool is_constant(const ss_law *law, double side)
{
    return law->kind == SS_KINEMATIC && law->dim == 1 && law->epsilon[0] == 0 &&
           !(law->flags & (SS_LAW_SET_OF_SPEED | SS_LAW_ADDED | SS_LAW_IMPRESSED)) &&
           (side == SS_SIDE_UPPER || side == SS_SIDE_LOWER);
}

/* Roles of the laws in ss_work_lag and ss_work_project. Only in smooth motion do laws in
 * constraint mode have γ = 0: else they may be in an impact. A least step may be at a dead centre,
 * where the row of constant friction vanishes or depends on others, and no u gives a wanted γ. */
static void find_roles(const ss_augmented *a, bool smooth)
{
    const ss_law *laws = ss_simulation_work(a->simulation)->table.laws;
    for (int l = 0; l < a->size.n_laws; l++) {
        bool left = a->sides[l] == SS_SIDE_FREE || (!smooth && is_constant(&laws[l], a->sides[l]));
        a->roles[l] = left ? SS_ROLE_NONE : SS_ROLE_SEEN;
        if (smooth && a->sides[l] == SS_SIDE_CLOSED)
            a->roles[l] = SS_ROLE_CLOSED;
    }
}

/* ---- Substeps ---- */

void ss_augmented_take_sides(ss_augmented *a, const ss_state *A)
{
    bool begun = ss_state_memory(A)[SS_AUGMENTED_NEXT] > 0;
    for (int l = 0; l < a->size.n_laws; l++)
        a->sides[l] = begun ? ss_state_memory(A)[SS_AUGMENTED_SIDES + l] : SS_SIDE_FREE;
    for (int i = a->size.n_laws; i < a->n_sides; i++)
        a->sides[i] = begun ? ss_state_memory(A)[SS_AUGMENTED_SIDES + i] : SS_SIDE_UNDECIDED;
}

void ss_augmented_keep(ss_augmented *a, const ss_state *A)
{
    ss_augmented_take_sides(a, A);
    for (int l = 0; l < a->size.n_laws; l++)
        a->keep[l] = a->rest.closed[l] =
            a->sides[l] == SS_SIDE_CLOSED || a->sides[l] == SS_SIDE_UNDECIDED;
}

/* On which side of its switches every formula is at the end of a substep. */
static void read_switches(ss_augmented *a, const ss_state *E)
{
    const double rounding = 1e-12;
    double *values = a->switches[1], *seen = a->seen + a->size.n_laws;
    ss_augmented_measure_switches(a, E, values);
    for (int i = 0; i < a->n_switches; i++)
        seen[i] = fabs(values[i]) <= rounding * a->switch_sizes[i] ? SS_SIDE_UNDECIDED
                  : values[i] > 0                                  ? SS_SIDE_UPPER
                                                                   : SS_SIDE_LOWER;
}

/* Whether the face or edge of a closed contact has ended: known even where a least step does not show
 * whether the contact is closed. */
static void read_ends(ss_augmented *a)
{
    const ss_work *work = ss_simulation_work(a->simulation);
    double *seen = a->seen + a->size.n_laws + a->n_switches;
    int n = a->n_sides - a->size.n_laws - a->n_switches; /* by laws, or none */
    for (int l = 0; l < n; l++) {
        bool closed = a->sides[l] != SS_SIDE_FREE && a->sides[l] != SS_SIDE_LOOSE;
        seen[l] = !closed || !ss_work_may_vanish(work, l) ? SS_SIDE_UNDECIDED
                  : ss_work_absent(work, l)               ? SS_SIDE_LOWER
                                                          : SS_SIDE_UPPER;
    }
}

void ss_augmented_measure_switches(ss_augmented *a, const ss_state *state, double *values)
{
    if (a->n_switches > 0)
        ss_work_switches(ss_simulation_work(a->simulation), ss_state_time(state), ss_state_q(state),
                         ss_state_u(state), values);
}

static bool converged(const ss_augmented *a)
{
    return ss_outcome_accepted(a->now.report.outcome);
}

ss_status ss_augmented_substep(ss_augmented *a, const ss_state *B, double dt, ss_state *E)
{
    a->substep = dt;
    SS_TRY(ss_simulation_step(a->simulation, B, dt, E, &a->now.report));
    read_sides(ss_simulation_work(a->simulation), B, E, a->seen);
    read_ends(a);
    read_switches(a, E);
    uint64_t iterations = (uint64_t)a->now.report.iterations;
    const ss_statistics more = {.tries = 1,
                                .iterations = iterations,
                                .max_iterations = iterations,
                                .worst_residual = converged(a) ? a->now.report.residual.value : 0};
    ss_augmented_add_effort(&a->now.effort, &more, &a->now.effort);
    return SS_OK;
}

ss_status ss_augmented_begin(ss_augmented *a, const ss_state *state, double dt, double near,
                             bool smooth)
{
    ss_work *work = ss_simulation_work(a->simulation);
    ss_state *B = a->chain[0];
    double before = ss_state_dt(state), *P = ss_state_edit_P(B);
    ss_state_copy(B, state);
    for (int i = 0; i < a->size.n_rows && before > 0; i++)
        P[i] *= dt / before;
    ss_state_set_dt(B, dt);
    find_roles(a, smooth);
    ss_work_hold_inelastic(work, smooth ? a->keep : NULL);
    SS_TRY(ss_work_leave_out_jumps(work, ss_state_time(B), -near, near, ss_state_q(B),
                                   ss_state_u(B), a->roles));
    return ss_work_lag(work, ss_state_time(B), dt, a->roles, false, ss_state_edit_q(B),
                       ss_state_edit_u(B));
}

/* Whether a formula that jumps at the end of the step has jumped depends on rounding of the time:
 * its laws are not changed. */
static ss_status leave_out_jumps_at(ss_augmented *a, const ss_state *E)
{
    ss_work *work = ss_simulation_work(a->simulation);
    double t = ss_state_time(E), near = fmax(2e-12 * work->sizes.time, 64 * DBL_EPSILON * fabs(t));
    return ss_work_leave_out_jumps(work, t, -near, near, ss_state_q(E), ss_state_u(E), a->roles);
}

ss_status ss_augmented_end(ss_augmented *a, double dt, ss_state *E)
{
    SS_TRY(leave_out_jumps_at(a, E));
    return ss_work_lag(ss_simulation_work(a->simulation), ss_state_time(E), dt, a->roles, true,
                       ss_state_edit_q(E), ss_state_edit_u(E));
}

ss_status ss_augmented_look_ahead(ss_augmented *a, const ss_state *state, double dt, bool smooth)
{
    ss_solve_report report = a->now.report;
    ss_simulation_work(a->simulation)->skips_freedom = true;
    SS_TRY(ss_augmented_begin(a, state, dt, dt / 2, smooth));
    SS_TRY(ss_augmented_substep(a, a->chain[0], dt, a->probe));
    bool sure = converged(a);
    for (int l = 0; l < a->n_sides; l++) {
        /* an undecided law is kept active whatever its gap: never one that was open */
        bool open =
            l < a->size.n_laws && (a->sides[l] == SS_SIDE_FREE || a->sides[l] == SS_SIDE_LOOSE);
        a->ahead[l] = sure ? a->seen[l] : open ? a->sides[l] : SS_SIDE_UNDECIDED;
    }
    a->now.report = report;
    return SS_OK;
}

/* q, u, energies and reserves at the end of a row; the impulses have been summed up there already. */
static void pack(ss_augmented *a, const ss_state *E)
{
    ss_model_size n = a->size;
    double *rest = a->y + n.n_q + n.n_u + n.n_rows;
    for (int l = 0; l < n.n_laws; l++)
        rest[2 + l] = ss_augmented_reserve(a, E, l);
    memcpy(a->y, ss_state_q(E), (size_t)n.n_q * sizeof *a->y);
    memcpy(a->y + n.n_q, ss_state_u(E), (size_t)n.n_u * sizeof *a->y);
    rest[0] = ss_state_statistics(E)->dissipated;
    rest[1] = ss_state_statistics(E)->load_work;
}

/* Whether impulses are unique is looked at in the first row: it costs more than a substep, and others are alike. */
static void note_freedom(ss_augmented *a, const ss_state *B, const ss_state *E)
{
    const ss_statistics *before = ss_state_statistics(B), *after = ss_state_statistics(E);
    a->now.indeterminate = after->indeterminate > before->indeterminate;
    a->now.unexamined = after->unexamined > before->unexamined;
    a->now.look = *ss_state_look(E);
    a->now.not_chosen = after->not_chosen > before->not_chosen;
}

/* One row: n substeps of size h/n. *E is the state at the end. */
static ss_status run_row(ss_augmented *a, const ss_state *A, double h, int n, ss_state **E,
                         ss_trial *trial)
{
    double *sum = a->y + a->size.n_q + a->size.n_u;
    ss_state *B = a->chain[0], *next = a->chain[1];
    ss_work *work = ss_simulation_work(a->simulation);
    SS_TRY(ss_augmented_begin(a, A, h / n, h / 2, true));
    memset(sum, 0, (size_t)a->size.n_rows * sizeof *sum);
    *trial = SS_TRIAL_SMOOTH;
    for (int k = 0; k < n; k++) {
        SS_TRY(ss_augmented_substep(a, B, h / n, next));
        if (!work->skips_freedom)
            note_freedom(a, B, next);
        work->skips_freedom = true;
        if (!converged(a))
            *trial = SS_TRIAL_FAILED;
        else if (!ss_sides_agree(a->n_sides, a->sides, a->seen))
            *trial = SS_TRIAL_SWITCH;
        if (*trial != SS_TRIAL_SMOOTH)
            return SS_OK;
        ss_sides_decide(a->n_sides, a->seen, a->sides);
        for (int i = 0; i < a->size.n_rows; i++)
            sum[i] += ss_state_P(next)[i];
        ss_state *other = B;
        B = next;
        next = other;
    }
    *E = B;
    SS_TRY(ss_augmented_end(a, h / n, B));
    pack(a, B);
    return SS_OK;
}

/* `sizes`: of the numbers; what an absolute error is by default relative to. */
static double weighted(int n, const double *change, const double *from, const double *to,
                       const double *sizes, const double tolerances[2])
{
    const double of_sizes = 1e-8;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double absolute = isnan(tolerances[0]) ? of_sizes * sizes[i] : tolerances[0];
        double tolerance = absolute + tolerances[1] * fmax(fabs(from[i]), fabs(to[i]));
        worst = fmax(worst, fabs(change[i]) / tolerance);
    }
    return worst;
}

/* |T_kk - T_(k-1)(k-1)| over the tolerance; <= 1 is good enough. */
static double error_of(const ss_augmented *a, const ss_state *A)
{
    int n_q = a->size.n_q, n_u = a->size.n_u;
    const double *best = ss_tableau_best(&a->tableau), *change = a->tableau.change;
    const ss_sizes *sizes = &ss_simulation_work(a->simulation)->sizes;
    const double of_q[] = {a->absolute_q, a->relative_q}, of_u[] = {a->absolute_u, a->relative_u};
    double q = weighted(n_q, change, ss_state_q(A), best, sizes->q, of_q);
    double u = weighted(n_u, change + n_q, ss_state_u(A), best + n_q, sizes->u, of_u);
    return fmax(q, u);
}

/* Rounding of a row is magnified by the sum of weights: for order 8, 1900 with 1, 3, 5, …, 15
 * substeps, 170 with as many growing numbers. */
static int substep_count(const ss_augmented *a, int row)
{
    static const int growing[SS_EXTRAPOLATION_MOST] = {1, 3, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97};
    if (a->substeps == SS_SUBSTEPS_GROWING)
        return growing[row];
    return a->substeps == SS_SUBSTEPS_ODD ? 2 * row + 1 : row + 1;
}

/* Rows of the tableau until the error is small, or the order is the one asked for. */
static ss_status fill_tableau(ss_augmented *a, const ss_state *A, double h, ss_state **E,
                              ss_trial *trial)
{
    int most = a->order ? a->order : a->order_max;
    ss_tableau_clear(&a->tableau);
    a->now.error = 0;
    ss_simulation_work(a->simulation)->skips_freedom = false;
    for (int row = 0; row < most; row++) {
        int n = substep_count(a, row);
        SS_TRY(run_row(a, A, h, n, E, trial));
        if (*trial != SS_TRIAL_SMOOTH)
            return SS_OK;
        ss_tableau_add(&a->tableau, n, a->y);
        a->now.reached = row + 1;
        if (a->order || row == 0)
            continue;
        a->now.error = error_of(a, A);
        if (a->now.error <= 1)
            return SS_OK;
    }
    if (!a->order)
        *trial = SS_TRIAL_INACCURATE;
    return SS_OK;
}

/* Gaps within a tolerance become zero where a pair has several contact points: corners of an edge on
 * a face have one height, or those of the next edge would not close together. */
static void level_contacts(const ss_augmented *a, const ss_table *table)
{
    const double nothing = 1e-11 * ss_simulation_work(a->simulation)->sizes.length;
    for (int l = 0; l < a->size.n_laws; l++) {
        const ss_law *law = &table->laws[l];
        const ss_contact_pair *pair = ss_element_contact_pair(&table->elements[law->element]);
        if (law->kind == SS_GEOMETRIC && pair && pair->points.count > 1 &&
            fabs(a->gap_B[law->offset]) < nothing)
            a->gap_E[law->offset] = 0;
    }
}

static ss_status take_out_drift(ss_augmented *a, const ss_state *A)
{
    ss_work *work = ss_simulation_work(a->simulation);
    SS_TRY(ss_work_measure_all(work, A, a->gap_B, a->gamma));
    SS_TRY(ss_work_measure_all(work, a->found, a->gap_E, a->gamma));
    for (int i = 0; i < a->size.n_rows;
         i++) { /* of a closed law it may become smaller, not larger */
        double before = a->gap_B[i];
        a->gap_E[i] = fmin(fmax(a->gap_E[i], fmin(before, 0)), fmax(before, 0));
    }
    level_contacts(a, &work->table);
    find_roles(a, true);
    SS_TRY(leave_out_jumps_at(a, a->found));
    return ss_work_project(work, ss_state_time(a->found), a->roles, a->gap_E,
                           ss_state_edit_q(a->found), ss_state_edit_u(a->found));
}

/* The end of the step: modes as the substeps had them, everything else from the tableau. */
static ss_status finish(ss_augmented *a, const ss_state *A, double h, const ss_state *E)
{
    ss_model_size n = a->size;
    const double *q = ss_tableau_best(&a->tableau), *u = q + n.n_q, *P = u + n.n_u,
                 *rest = P + n.n_rows;
    if (a->now
            .indeterminate) /* rows need not have the same: extrapolated they may leave their sets */
        P = a->y + n.n_q + n.n_u;
    ss_state *found = a->found;
    double t = ss_state_time(A) + h;
    ss_state_copy(found, E);
    ss_state_set_time(found, t);
    ss_state_set_dt(found, h);
    memcpy(ss_state_edit_q(found), q, (size_t)n.n_q * sizeof *q);
    memcpy(ss_state_edit_u(found), u, (size_t)n.n_u * sizeof *u);
    memcpy(ss_state_edit_P(found), P, (size_t)n.n_rows * sizeof *P);
    ss_state_edit_statistics(found)->dissipated = rest[0];
    ss_state_edit_statistics(found)->load_work = rest[1];
    ss_state_edit_statistics(found)->indeterminate =
        ss_state_statistics(A)->indeterminate + a->now.indeterminate;
    ss_state_edit_statistics(found)->not_chosen =
        ss_state_statistics(A)->not_chosen + a->now.not_chosen;
    ss_state_edit_statistics(found)->unexamined =
        ss_state_statistics(A)->unexamined + a->now.unexamined;
    *ss_state_edit_look(found) = a->now.look;
    memcpy(a->left, rest + 2, (size_t)n.n_laws * sizeof *a->left);
    ss_work *work = ss_simulation_work(a->simulation);
    SS_TRY(ss_work_review(work, t, ss_state_edit_q(found), ss_state_edit_u(found)));
    SS_TRY(take_out_drift(a, A));
    return ss_work_review(work, t, ss_state_edit_q(found), ss_state_edit_u(found));
}

ss_status ss_augmented_smooth(ss_augmented *a, const ss_state *A, double h, ss_trial *trial)
{
    ss_state *E = NULL;
    ss_augmented_take_sides(a, A);
    ss_status status = fill_tableau(a, A, h, &E, trial);
    if (status == SS_OK && *trial == SS_TRIAL_SMOOTH)
        status = finish(a, A, h, E);
    if (status == SS_NON_FINITE)
        *trial = SS_TRIAL_FAILED;
    return status == SS_NON_FINITE ? SS_OK : status;
}

static bool any_undecided(int n, const double *sides)
{
    for (int l = 0; l < n; l++)
        if (sides[l] == SS_SIDE_UNDECIDED)
            return true;
    return false;
}

/* The smaller a step, the less a force shows beside the rounding of velocities: undecided sides are
 * looked for with larger steps, as long as nothing else changes in them. Ends of contacts do not
 * count: those of open ones stay undecided. */
static ss_status look_far(ss_augmented *a, double h)
{
    int n = a->n_sides, n_asked = a->size.n_laws + a->n_switches;
    SS_TRY(ss_augmented_look_ahead(a, a->found, a->least, true));
    for (double dt = 10 * a->least; dt < h && any_undecided(n_asked, a->ahead); dt *= 10) {
        memcpy(a->known, a->ahead, (size_t)n * sizeof *a->known);
        SS_TRY(ss_augmented_look_ahead(a, a->found, dt, true));
        if (!ss_sides_agree(n, a->known, a->ahead)) {
            memcpy(a->ahead, a->known, (size_t)n * sizeof *a->known);
            return SS_OK;
        }
        ss_sides_decide(n, a->ahead, a->known);
        memcpy(a->ahead, a->known, (size_t)n * sizeof *a->known);
    }
    return SS_OK;
}

/* Formulas may jump at a break, where the step ends. */
static bool ends_at_break(const ss_augmented *a)
{
    double t = ss_state_time(a->found);
    for (int i = 0; i < a->breaks.rows; i++)
        if (fabs(t - a->breaks.values[i]) <= 4 * DBL_EPSILON * fabs(t))
            return true;
    return ss_time_is_due(ss_simulation_next_break(a->simulation), t);
}

ss_status ss_augmented_confirm(ss_augmented *a, double h, ss_trial *trial)
{
    int n = ends_at_break(a) ? a->size.n_laws : a->n_sides;
    ss_status status = look_far(a, h);
    a->hits = false;
    if (status == SS_NON_FINITE)
        *trial = SS_TRIAL_FAILED;
    if (status != SS_OK)
        return status == SS_NON_FINITE ? SS_OK : status;
    if (!ss_sides_agree(n, a->sides, a->ahead))
        *trial = SS_TRIAL_SWITCH;
    a->hits = a->driven && !ss_sides_agree(a->n_sides, a->sides, a->ahead);
    return SS_OK;
}
