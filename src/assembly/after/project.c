/* project.c: takes the drift out of positions and velocities.
 *
 * Laws that hold have γ = 0 and gaps that stay. What a scheme leaves of it is taken out by the
 * smallest change in the kinetic norm, Δu = M⁻¹W λ with WᵀM⁻¹W λ = -γ. Constraints may depend on
 * each other, even contradict each other: conjugate residuals find a solution all the same, or what
 * comes nearest to one.
 */
#include "assembly/work.h"

#include <math.h>
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

/* Geometry and directions of all elements with a selected law. */
static ss_status directions(const selection *s)
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
        for (int i = 0; i < element->n_laws; i++)
            if (selected(s, element->laws[i]))
                ss_work_law_directions(s->work, &table->laws[element->laws[i]]);
    }
    return SS_OK;
}

/* u += scale · (M⁻¹W)_row */
static void add_row(const ss_work *work, const ss_law *law, int i, double scale, double *u)
{
    const ss_element *element = &work->table.elements[law->element];
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        const double *w = work->elements[law->element].MinvW[k] + (law->row + i) * system->nu;
        for (int j = 0; j < system->nu; j++)
            u[system->u_offset + j] += scale * w[j];
    }
}

/* (Wᵀ u)_row */
static double row_velocity(const ss_work *work, const ss_law *law, int i, const double *u)
{
    const ss_element *element = &work->table.elements[law->element];
    double sum = 0;
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        const double *w = work->elements[law->element].W[k] + (law->row + i) * system->nu;
        for (int j = 0; j < system->nu; j++)
            sum += w[j] * u[system->u_offset + j];
    }
    return sum;
}

/* v = M⁻¹W x */
static void apply_impulse(const selection *s, const double *x, double *v)
{
    const ss_model *model = s->work->model;
    memset(v, 0, (size_t)model->n_u * sizeof *v);
    for (int l = 0; l < s->work->table.n_laws; l++)
        for (int i = 0; selected(s, l) && i < s->work->table.laws[l].dim; i++)
            add_row(s->work, &s->work->table.laws[l], i, x[s->work->table.laws[l].offset + i], v);
}

/* y = Wᵀ v */
static void pull(const selection *s, const double *v, double *y)
{
    const ss_table *table = &s->work->table;
    memset(y, 0, (size_t)table->n_rows * sizeof *y);
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        for (int i = 0; selected(s, l) && i < law->dim; i++)
            y[law->offset + i] = row_velocity(s->work, law, i, v);
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = G x with G = WᵀM⁻¹W; v is scratch. */
static void multiply(const selection *s, const double *x, double *v, double *y)
{
    apply_impulse(s, x, v);
    pull(s, v, y);
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
    double rGr = dot(n, r, Gr), small = fmax(1e-30 * rGr, nothing);
    double rr = dot(n, r, r), GrGr = dot(n, Gr, Gr);
    double G2 = GrGr > 0 ? fmax(dot(n, Gp, Gp) / GrGr, GrGr / rr) : 0; /* about ‖G‖² */
    memcpy(Gp, Gr, (size_t)n * sizeof *Gp);
    for (int k = 0; k < most && rGr > small && GrGr > seen * seen * G2 * rr; k++) {
        double alpha = rGr / dot(n, Gp, Gp), before = rGr;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * Gp[i];
        }
        multiply(s, r, v, Gr);
        rGr = dot(n, r, Gr);
        rr = dot(n, r, r);
        GrGr = dot(n, Gr, Gr);
        for (int i = 0; i < n; i++) {
            p[i] = r[i] + rGr / before * p[i];
            Gp[i] = Gr[i] + rGr / before * Gp[i];
        }
    }
    apply_impulse(s, x, v);
}

/* r = gap - g; returns the largest of them. */
static double gap_error(const selection *s, const double *gap, double *r)
{
    const ss_table *table = &s->work->table;
    double worst = 0;
    memset(r, 0, (size_t)table->n_rows * sizeof *r);
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        for (int i = 0; selected(s, l) && i < law->dim; i++) {
            int row = law->offset + i;
            r[row] = gap[row] - s->work->elements[law->element].g[law->row + i];
            worst = fmax(worst, fabs(r[row]));
        }
    }
    return worst;
}

static ss_status project_positions(ss_work *work, double t, const ss_role *roles, const double *gap,
                                   double *q)
{
    enum { MOST = 4 };
    selection s = {work, roles, SS_ROLE_CLOSED, true, false};
    double before = INFINITY;
    for (int k = 0; k < MOST; k++) {
        SS_TRY(ss_work_evaluate(work, t, q));
        SS_TRY(directions(&s));
        double worst = gap_error(&s, gap, work->row_scratch);
        if (worst == 0 || !(worst < before / 2))
            break;
        before = worst;
        solve(&s, work->row_scratch, work->u_scratch);
        ss_work_move(work, q, work->u_scratch, 1, q);
    }
    return SS_OK;
}

/* What the velocity of a law's rows is beyond the one that it drives them with. */
static ss_status add_outside(const ss_work *work, const ss_law *law, double *gamma)
{
    double v[SS_SET_MAX_DIM] = {0}, a[SS_SET_MAX_DIM];
    ss_law_at at = ss_work_law_at(work, law, 0, false);
    if (law->ops->drive)
        SS_TRY(law->ops->drive(law->object.self, &at, v, a));
    for (int i = 0; i < law->dim; i++)
        gamma[i] += work->elements[law->element].zeta[law->row + i] - v[i];
    return SS_OK;
}

/* γ at the place, by rows; zero for rows that are not selected. */
static ss_status velocities(const selection *s, double t, const double *q, const double *u,
                            double *gamma)
{
    const ss_table *table = &s->work->table;
    SS_TRY(ss_work_evaluate(s->work, t, q));
    SS_TRY(directions(s));
    pull(s, u, gamma);
    for (int l = 0; l < table->n_laws; l++) {
        if (selected(s, l))
            SS_TRY(add_outside(s->work, &table->laws[l], gamma + table->laws[l].offset));
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
    for (int i = 0; i < n_u; i++)
        u[i] += s->work->u_scratch[i];
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

/* γ that the laws are to have half a step ago, given γ_- and γ_+, seen half a step ago and ahead. A
 * step turns γ_+ into -ε γ_+, which is γ_- of the next one: laws that are held are steady when the
 * two are equal. */
static void wanted(const selection *s, const double *before, const double *ahead, double *gamma)
{
    const ss_table *table = &s->work->table;
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        for (int i = 0; s->roles[l] == SS_ROLE_CLOSED && i < law->dim; i++) {
            int row = law->offset + i;
            double epsilon = ss_work_restitution(s->work, law, i);
            gamma[row] = -epsilon / (1 + epsilon) * (ahead[row] - before[row]);
        }
    }
}

/* Places the directions at (t, q) and changes u along them until γ there would be smaller by r. */
static ss_status slow_down_at(const selection *s, double t, const double *q, double *r, double *u)
{
    SS_TRY(ss_work_evaluate(s->work, t, q));
    SS_TRY(directions(s));
    slow_down(s, r, u);
    return SS_OK;
}

/* u changes along M⁻¹W of now until γ_- is what is wanted, γ at first. Its place depends on u: hence
 * the repetition. */
static ss_status approach_lag(const selection *s, double t, double dt, const double *q, double *u)
{
    enum { MOST = 12 };
    int n = s->work->table.n_rows;
    double *gamma = s->work->lag, *before = gamma + n, *ahead = before + n,
           *r = s->work->row_scratch;
    double least = INFINITY;
    for (int k = 0; k < MOST; k++) {
        SS_TRY(velocities_at(s, t, dt / 2, q, u, ahead));
        SS_TRY(velocities_at(s, t, -dt / 2, q, u, before));
        wanted(s, before, ahead, gamma);
        double worst = 0;
        for (int i = 0; i < n; i++) {
            r[i] = before[i] - gamma[i];
            worst = fmax(worst, fabs(r[i]));
        }
        if (worst == 0 || !(worst < 0.7 * least))
            break;
        least = worst;
        SS_TRY(slow_down_at(s, t, q, r, u));
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

/* W of the elements with selected laws a time s along the motion, and nothing else. */
static ss_status see_rows(const selection *sel, double t, double s, const double *q,
                          const double *u)
{
    ss_work *work = sel->work;
    const ss_table *table = &work->table;
    SS_TRY(ss_work_predict(work, t, q, u, s, work->q_moved));
    SS_TRY(ss_work_evaluate_geometry(work, t + s, work->q_moved));
    for (int e = 0; e < table->n_elements; e++) {
        const ss_element *element = &table->elements[e];
        bool any = false;
        for (int i = 0; i < element->n_laws; i++)
            any = any || selected(sel, element->laws[i]);
        if (!any)
            continue;
        SS_TRY(ss_work_element_gaps(work, e));
        SS_TRY(ss_work_element_directions(work, e));
    }
    return SS_OK;
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
        SS_TRY(see_rows(s, t, times[k], q, u));
        for (int l = 0; l < n; l++)
            for (int i = 0; selected(s, l) && i < work->table.laws[l].dim; i++)
                if (!moves_anything(work, &work->table.laws[l], i))
                    work->lag_roles[l] = SS_ROLE_NONE;
    }
    return SS_OK;
}

ss_status ss_work_lag(ss_work *work, double t, double dt, const ss_role *roles, bool back,
                      const double *q, double *u)
{
    selection s = {work, roles, SS_ROLE_SEEN, false, false};
    if (!any_selected(&s))
        return SS_OK;
    if (work->rows_end)
        SS_TRY(leave_out_ending(&s, t, (double[]){-dt / 2, back ? 0 : dt / 2}, q, u));
    return back ? bring_forward(&s, t, dt, q, u) : set_back(&s, t, dt, q, u);
}
