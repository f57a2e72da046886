/* work_project.c: takes the drift out of positions and velocities.
 *
 * Laws that hold have γ = 0 and gaps that stay. What a scheme leaves of it is taken out by the smallest change in the
 * kinetic norm, Δu = M⁻¹W λ with WᵀM⁻¹W λ = -γ. Constraints may depend on each other: conjugate gradients find a
 * solution all the same, as long as there is one.
 */
#include "model/work.h"

#include <math.h>
#include <string.h>

/* What is projected: rows of the laws that hold; geometric ones only when positions are moved. */
typedef struct selection {
    ss_work *work;
    const bool *hold;
    bool geometric_only;
} selection;

static bool selected(const selection *s, int l)
{
    return s->hold[l] && (!s->geometric_only || s->work->model->laws[l].kind == SS_GEOMETRIC);
}

/* Geometry and directions of all elements with a selected law. */
static ss_status directions(const selection *s)
{
    const ss_model *model = s->work->model;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        bool any = false;
        for (int i = 0; i < element->n_laws; i++)
            any = any || selected(s, element->laws[i]);
        if (!any)
            continue;
        SS_TRY(ss_work_element_gaps(s->work, e));
        SS_TRY(ss_work_element_directions(s->work, e));
        for (int i = 0; i < element->n_laws; i++)
            if (selected(s, element->laws[i]))
                ss_work_law_directions(s->work, &model->laws[element->laws[i]]);
    }
    return SS_OK;
}

/* u += scale · (M⁻¹W)_row */
static void add_row(const ss_work *work, const ss_law *law, int i, double scale, double *u)
{
    const ss_element *element = &work->model->elements[law->element];
    for (int k = 0; k < element->touched.count; k++) {
        const ss_system *system = &work->model->systems[element->touched.systems[k]];
        const double *w = work->elements[law->element].MinvW[k] + (law->row + i) * system->nu;
        for (int j = 0; j < system->nu; j++)
            u[system->u_offset + j] += scale * w[j];
    }
}

/* (Wᵀ u)_row */
static double row_velocity(const ss_work *work, const ss_law *law, int i, const double *u)
{
    const ss_element *element = &work->model->elements[law->element];
    double sum = 0;
    for (int k = 0; k < element->touched.count; k++) {
        const ss_system *system = &work->model->systems[element->touched.systems[k]];
        const double *w = work->elements[law->element].W[k] + (law->row + i) * system->nu;
        for (int j = 0; j < system->nu; j++)
            sum += w[j] * u[system->u_offset + j];
    }
    return sum;
}

/* v = M⁻¹W x */
static void push(const selection *s, const double *x, double *v)
{
    const ss_model *model = s->work->model;
    memset(v, 0, (size_t)model->n_u * sizeof *v);
    for (int l = 0; l < model->n_laws.count; l++)
        for (int i = 0; selected(s, l) && i < model->laws[l].dim; i++)
            add_row(s->work, &model->laws[l], i, x[model->laws[l].offset + i], v);
}

/* y = Wᵀ v */
static void pull(const selection *s, const double *v, double *y)
{
    const ss_model *model = s->work->model;
    memset(y, 0, (size_t)model->n_rows * sizeof *y);
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
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

/* v = M⁻¹W λ with WᵀM⁻¹W λ = r by conjugate gradients; r is used up. */
static void solve(const selection *s, double *r, double *v)
{
    int n = s->work->model->n_rows, most = 2 * n + 10;
    double *x = r + n, *p = x + n, *Ap = p + n;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(p, r, (size_t)n * sizeof *p);
    double rr = dot(n, r, r), small = 1e-32 * rr;
    for (int k = 0; k < most && rr > small; k++) {
        push(s, p, v);
        pull(s, v, Ap);
        double curvature = dot(n, p, Ap);
        if (!(curvature > 0))
            break;
        double alpha = rr / curvature, before = rr;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * Ap[i];
        }
        rr = dot(n, r, r);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    push(s, x, v);
}

/* r = gap - g; returns the largest of them. */
static double gap_error(const selection *s, const double *gap, double *r)
{
    const ss_model *model = s->work->model;
    double worst = 0;
    memset(r, 0, (size_t)model->n_rows * sizeof *r);
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        for (int i = 0; selected(s, l) && i < law->dim; i++) {
            int row = law->offset + i;
            r[row] = gap[row] - s->work->elements[law->element].g[law->row + i];
            worst = fmax(worst, fabs(r[row]));
        }
    }
    return worst;
}

static ss_status project_positions(ss_work *work, double t, const bool *hold, const double *gap,
                                   double *q)
{
    enum { MOST = 4 };
    selection s = {work, hold, true};
    double before = INFINITY;
    for (int k = 0; k < MOST; k++) {
        SS_TRY(ss_work_place(work, t, q));
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

static ss_status project_velocities(ss_work *work, double t, const bool *hold, const double *q,
                                    double *u)
{
    const ss_model *model = work->model;
    selection s = {work, hold, false};
    double *r = work->row_scratch, *v = work->u_scratch;
    SS_TRY(ss_work_place(work, t, q));
    SS_TRY(directions(&s));
    pull(&s, u, r);
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        for (int i = 0; selected(&s, l) && i < law->dim; i++)
            r[law->offset + i] = -r[law->offset + i] - work->elements[law->element].zeta[law->row + i];
    }
    solve(&s, r, v);
    for (int i = 0; i < model->n_u; i++)
        u[i] += v[i];
    return SS_OK;
}

ss_status ss_work_project(ss_work *work, double t, const bool *hold, const double *gap, double *q,
                          double *u)
{
    bool any = false;
    for (int l = 0; l < work->model->n_laws.count; l++)
        any = any || hold[l];
    if (!any)
        return SS_OK;
    if (gap)
        SS_TRY(project_positions(work, t, hold, gap, q));
    return project_velocities(work, t, hold, q, u);
}
