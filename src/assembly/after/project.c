/* project.c: takes the drift out of positions and velocities.
 *
 * Laws that hold have γ = 0 and gaps that stay. What a scheme leaves of it is taken out by the
 * smallest change in the kinetic norm, Δu = M⁻¹W λ with WᵀM⁻¹W λ = -γ. Constraints may depend on
 * each other, even contradict each other: conjugate residuals find a solution all the same, or what
 * comes nearest to one.
 */
#include "assembly/work.h"
#include "la/small.h"

#include <string.h>

/* Laws whose rows are changed; geometric ones only when positions are moved. */
typedef struct selection {
    ss_work *work;
    const ss_role *roles;
    ss_role least;
    bool geometric_only;
    bool firm_only; /* without friction that slides: it must not contend with constraints */
} selection;

static bool selected(const selection *s, int l)
{
    bool geometric = s->work->table.laws[l].kind == SS_GEOMETRIC;
    return s->roles[l] >= s->least && (!s->geometric_only || geometric) &&
           (!s->firm_only || geometric || s->roles[l] == SS_ROLE_CLOSED);
}

static bool any_selected(const selection *s)
{
    for (int l = 0; l < s->work->table.n_laws; l++)
        if (selected(s, l))
            return true;
    return false;
}

/* Geometry and directions of all elements with a selected law, and M⁻¹W of its rows if wanted. */
static ss_status directions(const selection *s, bool solve)
{
    const ss_table *table = &s->work->table;
    for (int e = 0; e < table->n_elements; e++) {
        const ss_element *element = &table->elements[e];
        bool any = false;
        for (int i = 0; i < element->n_laws; i++)
            any = any || selected(s, element->laws[i]);
        if (!any)
            continue;
        SS_TRY(ss_work_element_gaps(s->work, e));
        SS_TRY(ss_work_element_directions(s->work, e));
        for (int i = 0; solve && i < element->n_laws; i++)
            if (selected(s, element->laws[i]))
                ss_work_law_directions(s->work, &table->laws[element->laws[i]]);
    }
    return SS_OK;
}

/* v = M⁻¹W x */
static void apply_impulse(const selection *s, const double *x, double *v)
{
    const ss_work *work = s->work;
    memset(v, 0, (size_t)work->model->n_u * sizeof *v);
    for (int l = 0; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        const ss_connected *connected = &work->table.elements[law->element].connected;
        for (int i = 0; selected(s, l) && i < law->dim; i++)
            for (int k = 0; k < connected->count; k++) {
                const ss_system *system = &work->model->systems[connected->systems[k]];
                const double *MinvW = work->elements[law->element].MinvW[k];
                ss_axpy(system->nu, x[law->offset + i], MinvW + (law->row + i) * system->nu,
                        v + system->u_offset);
            }
    }
}

/* y = Wᵀ v */
static void relative_velocities(const selection *s, const double *v, double *y)
{
    const ss_work *work = s->work;
    memset(y, 0, (size_t)work->table.n_rows * sizeof *y);
    for (int l = 0; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        const ss_connected *connected = &work->table.elements[law->element].connected;
        for (int i = 0; selected(s, l) && i < law->dim; i++)
            for (int k = 0; k < connected->count; k++) {
                const ss_system *system = &work->model->systems[connected->systems[k]];
                const double *W = work->elements[law->element].W[k] + (law->row + i) * system->nu;
                for (int j = 0; j < system->nu; j++)
                    y[law->offset + i] += W[j] * v[system->u_offset + j];
            }
    }
}

/* y = G x with G = WᵀM⁻¹W; v is scratch. */
static void multiply(const selection *s, const double *x, double *v, double *y)
{
    apply_impulse(s, x, v);
    relative_velocities(s, v, y);
}

/* v = M⁻¹W λ with G λ = r, or as near to r as can be, by conjugate residuals; r is used up. They end
 * where what G sees of r is rounding, or as little as the rows of one corner on two walls differ: beyond that, rounding would be divided
 * by rounding, and x would grow beyond all bounds when constraints depend on each other. */
static void solve(const selection *s, double *r, double *v)
{
    int n = s->work->table.n_rows, most = 2 * n + 10;
    double *x = r + n, *p = x + n, *Gp = p + n, *Gr = Gp + n;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(p, r, (size_t)n * sizeof *p);
    multiply(s, r, v, Gr);
    multiply(s, Gr, v, Gp);
    const double nothing = 1e-100; /* its square is still a number */
    const double seen = 1e-13;
    double rGr = ss_dot(n, r, Gr), small = fmax(1e-30 * rGr, nothing);
    double rr = ss_dot(n, r, r), GrGr = ss_dot(n, Gr, Gr);
    double G2 = GrGr > 0 ? fmax(ss_dot(n, Gp, Gp) / GrGr, GrGr / rr) : 0; /* about ‖G‖² */
    memcpy(Gp, Gr, (size_t)n * sizeof *Gp);
    for (int k = 0; k < most && rGr > small && GrGr > seen * seen * G2 * rr; k++) {
        double alpha = rGr / ss_dot(n, Gp, Gp), before = rGr;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * Gp[i];
        }
        multiply(s, r, v, Gr);
        rGr = ss_dot(n, r, Gr);
        rr = ss_dot(n, r, r);
        GrGr = ss_dot(n, Gr, Gr);
        for (int i = 0; i < n; i++) {
            p[i] = r[i] + rGr / before * p[i];
            Gp[i] = Gr[i] + rGr / before * Gp[i];
        }
    }
    apply_impulse(s, x, v);
}

/* Positions move until the gaps of laws that hold are `gap` again. */
static ss_status project_positions(ss_work *work, double t, const ss_role *roles, const double *gap,
                                   double *q)
{
    enum { MOST = 4 };
    selection s = {work, roles, SS_ROLE_CLOSED, true, false};
    double before = INFINITY, *r = work->row_scratch;
    for (int k = 0; k < MOST; k++) {
        SS_TRY(ss_work_evaluate(work, t, q));
        SS_TRY(directions(&s, true));
        double worst = 0;
        memset(r, 0, (size_t)work->table.n_rows * sizeof *r);
        for (int l = 0; l < work->table.n_laws; l++) {
            const ss_law *law = &work->table.laws[l];
            for (int i = 0; selected(&s, l) && i < law->dim; i++) {
                int row = law->offset + i;
                r[row] = gap[row] - work->elements[law->element].g[law->row + i];
                worst = fmax(worst, fabs(r[row]));
            }
        }
        if (worst == 0 || !(worst < before / 2))
            break;
        before = worst;
        solve(&s, r, work->u_scratch);
        ss_work_move(work, q, work->u_scratch, 1, q);
    }
    return SS_OK;
}

/* γ at a configuration beyond the velocities that laws drive their rows with, by rows; zero for rows that are not
 * selected. */
static ss_status velocities(const selection *s, double t, const double *q, const double *u,
                            double *gamma)
{
    const ss_table *table = &s->work->table;
    SS_TRY(ss_work_evaluate(s->work, t, q));
    SS_TRY(directions(s, true));
    relative_velocities(s, u, gamma);
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        double v[SS_SET_MAX_DIM] = {0}, a[SS_SET_MAX_DIM];
        ss_law_at at = ss_work_law_at(s->work, law, 0, false);
        if (!selected(s, l))
            continue;
        if (law->ops->law_class == SS_LAW_DRIVE)
            SS_TRY(law->ops->drive(law->object.self, &at, v, a));
        for (int i = 0; i < law->dim; i++)
            gamma[law->offset + i] += s->work->elements[law->element].zeta[law->row + i] - v[i];
    }
    return SS_OK;
}

/* u += M⁻¹W λ, so that γ becomes smaller by r. */
static void slow_down(const selection *s, double *r, double *u)
{
    int n_rows = s->work->table.n_rows, n_u = s->work->model->n_u;
    for (int i = 0; i < n_rows; i++)
        r[i] = -r[i];
    solve(s, r, s->work->u_scratch);
    ss_axpy(n_u, 1, s->work->u_scratch, u);
}

ss_status ss_work_project(ss_work *work, double t, const ss_role *roles, const double *gap,
                          double *q, double *u)
{
    selection s = {work, roles, SS_ROLE_CLOSED, false, false};
    if (!any_selected(&s))
        return SS_OK;
    if (gap)
        SS_TRY(project_positions(work, t, roles, gap, q));
    SS_TRY(velocities(&s, t, q, u, work->row_scratch));
    slow_down(&s, work->row_scratch, u);
    return SS_OK;
}

/* γ a time s along the motion, with the velocities of now. */
static ss_status velocities_at(const selection *sel, double t, double s, const double *q,
                               const double *u, double *gamma)
{
    SS_TRY(ss_work_predict(sel->work, t, q, u, s, sel->work->q_moved));
    return velocities(sel, t + s, sel->work->q_moved, u, gamma);
}

/* u changes along M⁻¹W of now until γ_- is what is wanted, γ at first. Its configuration depends on u: hence the
 * repetition. Wanted half a step ago, given γ_- and γ_+, seen half a step ago and ahead: a step turns γ_+ into -ε γ_+,
 * which is γ_- of the next one; laws that are held are steady when the two are equal. */
static ss_status approach_lag(const selection *s, double t, double dt, const double *q, double *u)
{
    enum { MOST = 12 };
    const ss_table *table = &s->work->table;
    int n = table->n_rows;
    double *gamma = s->work->lag, *before = gamma + n, *ahead = before + n,
           *r = s->work->row_scratch;
    double least = INFINITY;
    for (int k = 0; k < MOST; k++) {
        SS_TRY(velocities_at(s, t, dt / 2, q, u, ahead));
        SS_TRY(velocities_at(s, t, -dt / 2, q, u, before));
        for (int l = 0; l < table->n_laws; l++) {
            const ss_law *law = &table->laws[l];
            for (int i = 0; s->roles[l] == SS_ROLE_CLOSED && i < law->dim; i++) {
                int row = law->offset + i;
                double epsilon = ss_work_restitution(s->work, law, i);
                gamma[row] = -epsilon / (1 + epsilon) * (ahead[row] - before[row]);
            }
        }
        double worst = 0;
        for (int i = 0; i < n; i++) {
            r[i] = before[i] - gamma[i];
            worst = fmax(worst, fabs(r[i]));
        }
        if (worst == 0 || !(worst < 0.7 * least))
            break;
        least = worst;
        SS_TRY(ss_work_evaluate(s->work, t, q));
        SS_TRY(directions(s, true));
        slow_down(s, r, u);
    }
    return SS_OK;
}

/* Whether some selected law is friction that slides. */
static bool any_loose(const selection *s)
{
    for (int l = 0; l < s->work->table.n_laws; l++)
        if (s->roles[l] == SS_ROLE_SEEN && s->work->table.laws[l].kind == SS_KINEMATIC)
            return true;
    return false;
}

/* There may be more rows than coordinates. What all of them together miss is left to friction that
 * slides. */
static ss_status set_back(const selection *s, double t, double dt, const double *q, double *u)
{
    selection firm = *s;
    firm.firm_only = true;
    SS_TRY(velocities_at(s, t, 0, q, u, s->work->lag));
    SS_TRY(approach_lag(s, t, dt, q, u));
    return any_loose(s) && any_selected(&firm) ? approach_lag(&firm, t, dt, q, u) : SS_OK;
}

/* u changes along M⁻¹W of now until γ is what is wanted. */
static ss_status bring_rows(const selection *s, double t, const double *q, const double *wanted,
                            double *u)
{
    const ss_table *table = &s->work->table;
    double *now = s->work->lag;
    SS_TRY(velocities_at(s, t, 0, q, u, now));
    memset(s->work->row_scratch, 0, (size_t)table->n_rows * sizeof *now);
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        for (int i = law->offset; selected(s, l) && i < law->offset + law->dim; i++)
            s->work->row_scratch[i] = now[i] - wanted[i];
    }
    slow_down(s, s->work->row_scratch, u);
    return SS_OK;
}

/* The reverse: γ becomes what γ_- is, and zero where it is held. */
static ss_status bring_forward(const selection *s, double t, double dt, const double *q, double *u)
{
    const ss_table *table = &s->work->table;
    double *before = s->work->lag + table->n_rows;
    selection firm = *s;
    firm.firm_only = true;
    SS_TRY(velocities_at(s, t, -dt / 2, q, u, before));
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        for (int i = 0; s->roles[l] == SS_ROLE_CLOSED && i < law->dim; i++)
            before[law->offset + i] = 0;
    }
    SS_TRY(bring_rows(s, t, q, before, u));
    return any_loose(s) && any_selected(&firm) ? bring_rows(&firm, t, q, before, u) : SS_OK;
}

static bool moves_anything(const ss_work *work, const ss_law *law, int i)
{
    const ss_element *element = &work->table.elements[law->element];
    for (int k = 0; k < element->connected.count; k++) {
        int nu = work->model->systems[element->connected.systems[k]].nu;
        const double *w = work->elements[law->element].W[k] + (law->row + i) * nu;
        for (int j = 0; j < nu; j++)
            if (w[j] != 0)
                return true;
    }
    return false;
}

/* A contact that ends between two times along the motion, or a formula that jumps to zero, has no velocity beyond: its law is
 * left out. */
static ss_status leave_out_ending(selection *s, double t, const double times[2], const double *q,
                                  const double *u)
{
    ss_work *work = s->work;
    int n = work->table.n_laws;
    memcpy(work->lag_roles, s->roles, (size_t)n * sizeof *work->lag_roles);
    s->roles = work->lag_roles;
    for (int k = 0; k < 2; k++) {
        SS_TRY(ss_work_predict(work, t, q, u, times[k], work->q_moved));
        SS_TRY(ss_work_evaluate_geometry(work, t + times[k], work->q_moved));
        SS_TRY(directions(s, false));
        for (int l = 0; l < n; l++)
            for (int i = 0; selected(s, l) && i < work->table.laws[l].dim; i++)
                if (!moves_anything(work, &work->table.laws[l], i))
                    work->lag_roles[l] = SS_ROLE_NONE;
    }
    return SS_OK;
}

/* |γ|²/(WᵀM⁻¹W) of the fastest sliding friction: twice the energy that its rows see. */
static ss_status sliding_energy(const selection *s, double t, const double *q, const double *u,
                                double *most)
{
    double *gamma = s->work->lag;
    *most = 0;
    SS_TRY(velocities(s, t, q, u, gamma));
    for (int l = 0; l < s->work->table.n_laws; l++) {
        const ss_law *law = &s->work->table.laws[l];
        const ss_connected *connected = &s->work->table.elements[law->element].connected;
        if (s->roles[l] != SS_ROLE_SEEN || law->kind != SS_KINEMATIC)
            continue;
        double G = 0;
        for (int k = 0; k < connected->count; k++) {
            int nu = s->work->model->systems[connected->systems[k]].nu;
            const ss_work_element *we = &s->work->elements[law->element];
            G += ss_dot(nu * law->dim, we->W[k] + law->row * nu, we->MinvW[k] + law->row * nu);
        }
        double speed = ss_norm(law->dim, gamma + law->offset);
        *most = G > 0 ? fmax(*most, speed * speed / G) : *most;
    }
    return SS_OK;
}

static double twice_kinetic(ss_work *work, const double *u)
{
    double sum = 0;
    for (int i = 0; i < work->model->n_systems.count; i++)
        sum += 2 * ss_work_kinetic(work, i, u + work->model->systems[i].u_offset);
    return sum;
}

/* Whether sliding friction asks for a change of u from `before` that is large beside the motion. At
 * the dead centre of a crank the row of the slider vanishes, or depends on those of joints: no u gives
 * it a wanted γ. */
static ss_status asks_too_much(const selection *s, double t, const double *q, const double *before,
                               const double *u, bool *large)
{
    const double part = 0.1;
    double sliding, *change = s->work->u_lag + s->work->model->n_u;
    SS_TRY(sliding_energy(s, t, q, before, &sliding));
    for (int i = 0; i < s->work->model->n_u; i++)
        change[i] = u[i] - before[i];
    *large = !(twice_kinetic(s->work, change) <=
               part * part * (twice_kinetic(s->work, before) + sliding));
    return SS_OK;
}

static void leave_out_sliding(selection *s)
{
    int n = s->work->table.n_laws;
    if (s->roles != s->work->lag_roles)
        memcpy(s->work->lag_roles, s->roles, (size_t)n * sizeof *s->roles);
    s->roles = s->work->lag_roles;
    for (int l = 0; l < n; l++)
        if (s->roles[l] == SS_ROLE_SEEN && s->work->table.laws[l].kind == SS_KINEMATIC)
            s->work->lag_roles[l] = SS_ROLE_NONE;
}

ss_status ss_work_lag(ss_work *work, double t, double dt, const ss_role *roles, bool back,
                      const double *q, double *u)
{
    ss_status (*shift)(const selection *, double, double, const double *, double *) =
        back ? bring_forward : set_back;
    selection s = {work, roles, SS_ROLE_SEEN, false, false};
    bool large;
    size_t bytes = (size_t)work->model->n_u * sizeof *u;
    if (!any_selected(&s))
        return SS_OK;
    if (work->rows_end)
        SS_TRY(leave_out_ending(&s, t, (double[]){-dt / 2, back ? 0 : dt / 2}, q, u));
    memcpy(work->u_lag, u, bytes);
    SS_TRY(shift(&s, t, dt, q, u));
    if (!any_loose(&s))
        return SS_OK;
    SS_TRY(asks_too_much(&s, t, q, work->u_lag, u, &large));
    if (!large)
        return SS_OK;
    leave_out_sliding(&s);
    memcpy(u, work->u_lag, bytes);
    return any_selected(&s) ? shift(&s, t, dt, q, u) : SS_OK;
}
