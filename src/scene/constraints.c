/* constraints.c: constraints that contradict each other where a scene starts, that nothing can hold, or that its velocities do
 * not obey.
 *
 * With W of the rows that are held, G = WᵀM⁻¹W: some velocities give them the relative velocities r exactly when r is in the
 * range of G, and so it is with displacements and gaps. What is left of r outside of the range no impulse can take away. */
#include "base/arena.h"
#include "la/eigen.h"
#include "la/small.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 400 };            /* dense linear algebra; larger models are not examined */
static const double singular = 1e-9; /* of the largest singular value of the scaled G */
static const double contrary = 1e-6; /* of the largest r: what is left outside of the range */

typedef struct held {
    ss_work *work;
    ss_arena arena;
    int n;
    int *law, *row; /* by rows that are held: law, and row of its element */
    double **MinvW; /* by rows: of the systems that its element connects, one behind the other */
    double *velocity, *gap; /* r; gap NAN: it has none */
    double *scale;          /* 1/√G_ii, 0: no impulse can change the row */
    double *U;              /* left singular vectors of the scaled G by columns */
    int rank;
    const double *gap_of, *gamma_of; /* by rows of all laws */
} held;

/* Laws with impulses of any size: constraints, and motors without a limit. */
static ss_status is_held(const held *h, const ss_law *law, bool *yes)
{
    ss_law_set set;
    *yes = false;
    if (law->ops->law_class != SS_LAW_BILATERAL && law->ops->law_class != SS_LAW_DRIVE)
        return SS_OK;
    ss_law_at at = ss_work_law_at(h->work, law, 1, true);
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    *yes = set.set->kind == SS_SET_FREE;
    return SS_OK;
}

static ss_status add_row(held *h, int l, int k)
{
    const ss_law *law = &h->work->table.laws[l];
    const ss_connected *connected = &h->work->model->elements[law->element].connected;
    const ss_work_element *we = &h->work->elements[law->element];
    double drive[SS_SET_MAX_DIM] = {0}, rate[SS_SET_MAX_DIM];
    int size = 0, i = h->n++;
    for (int s = 0; s < connected->count; s++)
        size += h->work->model->systems[connected->systems[s]].nu;
    SS_TRY(SS_ARENA_NEW(&h->arena, size, &h->MinvW[i]));
    double *to = h->MinvW[i];
    for (int s = 0; s < connected->count; s++) {
        int nu = h->work->model->systems[connected->systems[s]].nu;
        memcpy(to, we->W[s] + (law->row + k) * nu, (size_t)nu * sizeof *to);
        ss_work_solve_system(h->work, connected->systems[s], to);
        to += nu;
    }
    if (law->ops->drive) {
        ss_law_at at = ss_work_law_at(h->work, law, 1, true);
        SS_TRY(law->ops->drive(law->object.self, &at, drive, rate));
    }
    h->law[i] = l;
    h->row[i] = law->row + k;
    h->velocity[i] = h->gamma_of[law->offset + k] - drive[k];
    h->gap[i] = law->kind == SS_GEOMETRIC ? h->gap_of[law->offset + k] : NAN;
    return SS_OK;
}

static ss_status collect(held *h)
{
    const ss_model *model = h->work->model;
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &h->work->table.laws[l];
        bool yes;
        if (ss_element_rule(&model->elements[law->element]))
            continue;
        SS_TRY(is_held(h, law, &yes));
        if (!yes)
            continue;
        SS_TRY(ss_work_element_directions(h->work, law->element));
        for (int k = 0; k < law->dim && h->n < MOST_ROWS; k++)
            SS_TRY(add_row(h, l, k));
    }
    return SS_OK;
}

/* w_iᵀ M⁻¹ w_j */
static double coupling(const held *h, int i, int j)
{
    const ss_model *model = h->work->model;
    int a = model->laws[h->law[i]].element, b = model->laws[h->law[j]].element;
    const ss_connected *A = &model->elements[a].connected, *B = &model->elements[b].connected;
    double sum = 0;
    for (int s = 0; s < A->count; s++) {
        const double *to = h->MinvW[j];
        int nu = model->systems[A->systems[s]].nu;
        for (int t = 0; t < B->count; t++) {
            if (A->systems[s] == B->systems[t])
                sum += ss_dot(nu, h->work->elements[a].W[s] + h->row[i] * nu, to);
            to += model->systems[B->systems[t]].nu;
        }
    }
    return sum;
}

static ss_status decompose(held *h)
{
    int n = h->n;
    size_t square = (size_t)n * (size_t)n;
    double *G, *sigma, *Vt, *work;
    SS_TRY(SS_ARENA_NEW(&h->arena, square, &G));
    SS_TRY(SS_ARENA_NEW(&h->arena, square, &h->U));
    SS_TRY(SS_ARENA_NEW(&h->arena, square, &Vt));
    SS_TRY(SS_ARENA_NEW(&h->arena, n, &sigma));
    SS_TRY(SS_ARENA_NEW(&h->arena, ss_svd_work(n), &work));
    for (int i = 0; i < n; i++) {
        double own = coupling(h, i, i);
        h->scale[i] = own > 0 ? 1 / sqrt(own) : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            G[(size_t)j * (size_t)n + (size_t)i] = h->scale[i] * h->scale[j] * coupling(h, i, j);
    if (!ss_svd(n, G, sigma, h->U, Vt, work))
        return SS_OK;
    while (h->rank < n && sigma[h->rank] > singular * sigma[0])
        h->rank++;
    return SS_OK;
}

/* The part of r, scaled, that is outside of the range of G; returns the largest number of the scaled r. */
static double outside(const held *h, const double *r, double *left)
{
    int n = h->n;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        left[i] = isnan(r[i]) ? 0 : h->scale[i] * r[i];
        largest = fmax(largest, fabs(left[i]));
    }
    for (int k = 0; k < h->rank; k++) {
        const double *column = h->U + (size_t)k * (size_t)n;
        ss_axpy(n, -ss_dot(n, column, left), column, left);
    }
    return largest;
}

static void warn(const held *h, int i, const char *text)
{
    const ss_model *model = h->work->model;
    const ss_object *object = &model->laws[h->law[i]].object;
    ss_log(model->context, SS_LOG_WARNING, "%s:%d:%d: %s: %s",
           object->where.file ? object->where.file : "", object->where.line, object->where.column,
           object->owner, text);
}

static int largest_of(int n, const double *x, int without)
{
    int found = -1;
    for (int i = 0; i < n; i++)
        if (i != without && (found < 0 || fabs(x[i]) > fabs(x[found])))
            found = i;
    return found;
}

/* Names the two laws that are farthest from what the others leave them. */
static void warn_of_contradiction(const held *h, const double *r, const char *what, double *left)
{
    char text[512];
    double largest = outside(h, r, left);
    int i = largest_of(h->n, left, -1), j = largest_of(h->n, left, i);
    if (i < 0 || j < 0 || !(fabs(left[i]) > contrary * largest))
        return;
    int first = h->law[i] < h->law[j] ? i : j, second = first == i ? j : i;
    snprintf(text, sizeof text, "it contradicts %s: no %s obey both; take one of them out",
             h->work->model->laws[h->law[first]].object.owner, what);
    warn(h, second, text);
}

/* What is fixed or driven on both sides. */
static void warn_of_immovable(const held *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->scale[i] == 0 && fabs(h->velocity[i]) > 0) {
            char text[256];
            snprintf(text, sizeof text,
                     "its relative velocity is %g at the start, and no impulse can change it: what "
                     "it joins is fixed or driven; take it out, or free a body",
                     h->velocity[i]);
            warn(h, i, text);
            return;
        }
}

/* Velocities that constraints take away at once. A motor is there to change them. */
static void warn_of_velocities(const held *h, const double *left, double speed)
{
    int count = 0;
    for (int i = 0; i < h->n && count < SS_START_MOST_WARNINGS; i++) {
        const ss_law *law = &h->work->model->laws[h->law[i]];
        bool obeyed = fabs(h->velocity[i]) <= SS_START_ROUNDING * speed;
        char text[256];
        if (obeyed || law->ops->law_class != SS_LAW_BILATERAL || h->scale[i] == 0 ||
            fabs(left[i]) > 0.5 * h->scale[i] * fabs(h->velocity[i]) || law->epsilon[0] > 0)
            continue;
        snprintf(text, sizeof text,
                 "its relative velocity is %g at the start, which the first step takes away as an "
                 "impact; give velocities that obey it",
                 h->velocity[i]);
        warn(h, i, text);
        count++;
    }
}

static ss_status check(held *h, const ss_state *state)
{
    double *left, speed = 0;
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->law));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->row));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->MinvW));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->velocity));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->gap));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &h->scale));
    SS_TRY(SS_ARENA_NEW(&h->arena, MOST_ROWS, &left));
    SS_TRY(ss_work_evaluate(h->work, ss_state_time(state), ss_state_q(state)));
    SS_TRY(ss_work_gaps(h->work));
    SS_TRY(collect(h));
    if (h->n == 0 || h->n == MOST_ROWS)
        return SS_OK;
    SS_TRY(decompose(h));
    for (int i = 0; i < h->work->model->n_u; i++)
        speed = fmax(speed, fabs(ss_state_u(state)[i]));
    warn_of_immovable(h);
    warn_of_contradiction(h, h->gap, "positions nearby", left);
    warn_of_contradiction(h, h->velocity, "velocities", left);
    warn_of_velocities(h, left, speed);
    return SS_OK;
}

ss_status ss_start_check_constraints(ss_work *work, const ss_state *state, const double *gap,
                                     const double *gamma)
{
    held h = {.work = work, .gap_of = gap, .gamma_of = gamma};
    ss_arena_init(&h.arena, work->model->context);
    ss_status status = check(&h, state);
    ss_arena_release(&h.arena);
    return status;
}
