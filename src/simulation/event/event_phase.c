/* event_phase.c: the equations of motion while every law keeps its phase.
 *
 * Rows C of held laws obey W_Cᵀ u' + ζ̂_C = 0. A law that slides has the force s p, with p the point of its unit set that
 * resists and s its scale; where s = μ λ_N the force is carried by the column of the normal force, H_N = M⁻¹(W_N + μ W_T p)
 * (Wösle & Pfeiffer's H_R). So
 *
 *     u' = a_free + H_C λ_C,   (W_CᵀH_C) λ_C = -(W_Cᵀ a_free + ζ̂_C).
 *
 * Of dependent constraints the solution of least norm is taken; u' does not depend on the choice.
 */
#include "simulation/event/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

int ss_event_common_numbers(const ss_event_driven *e)
{
    return e->size.n_q + e->size.n_u + e->size.n_rows + 2;
}

int ss_event_numbers(const ss_event_driven *e)
{
    return ss_event_common_numbers(e) + (e->method == SS_METHOD_IDA ? e->size.n_rows : 0);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(int n, double scale, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += scale * x[i];
}

double ss_event_speed(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    return sqrt(dot(law->dim, e->gamma + law->offset, e->gamma + law->offset));
}

int ss_event_side(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    if (law->kind != SS_GEOMETRIC || !law->ops->level || law->ops->impressed)
        return 0;
    return e->set[l].set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1 : 1;
}

bool ss_event_is_spring(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    return law->kind == SS_GEOMETRIC && law->ops->impressed && !e->plain[l];
}

double ss_event_normal_sign(const ss_event_driven *e, int normal)
{
    int side = ss_event_side(e, normal);
    return side != 0 ? side : e->sign[normal];
}

void ss_event_keep_distance(ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    for (int i = law->offset; i < law->offset + law->dim && !e->was_closed[l]; i++)
        e->kept[i] = fabs(e->distance[i]) < 1e-9 ? 0 : e->distance[i];
}

/* The least θ with x ∈ θ C. */
static double gauge(const ss_set *set, const double *x)
{
    enum { BISECTIONS = 100 };
    double length = sqrt(dot(set->dim, x, x)), low = 0, high = 1;
    if (set->kind == SS_SET_INTERVAL || set->kind == SS_SET_DISK || set->kind == SS_SET_BALL)
        return length;
    if (length == 0)
        return 0;
    while (!ss_set_contains(set, high, x, 0) && high < DBL_MAX / 4)
        high *= 2;
    for (int i = 0; i < BISECTIONS && high - low > 2 * DBL_EPSILON * high; i++) {
        double middle = (low + high) / 2;
        *(ss_set_contains(set, middle, x, 0) ? &high : &low) = middle;
    }
    return high;
}

/* The scale of a law's set: a force, or μ times the normal force. */
static double scale_of(const ss_event_driven *e, int l)
{
    int from = e->model->laws[l].scale_from;
    double scale = e->set[l].scale;
    return from < 0 ? scale : scale * fabs(e->lambda[e->model->laws[from].offset]);
}

double ss_event_reserve(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    const ss_set *set = e->set[l].set;
    const double *lambda = e->lambda + law->offset;
    if (set->kind == SS_SET_FREE)
        return INFINITY;
    if (set->kind == SS_SET_HALF_LINE)
        return lambda[0];
    if (set->kind == SS_SET_NEGATIVE_HALF_LINE)
        return -lambda[0];
    return scale_of(e, l) - gauge(set, lambda);
}

/* W, and M⁻¹W where it is needed, of one row: all but what the element contacts is zero from the beginning. */
static void copy_directions(ss_event_driven *e, const ss_law *law, int i, bool pushes)
{
    const ss_element *element = &e->model->elements[law->element];
    const ss_work_element *we = &e->work->elements[law->element];
    int start = (law->offset + i) * e->size.n_u;
    for (int k = 0; k < element->connected.count; k++) {
        int s = element->connected.systems[k];
        const ss_system *system = &e->model->systems[s];
        double *to = e->MinvW + start + system->u_offset;
        const double *w = we->W[k] + (law->row + i) * system->nu;
        size_t bytes = (size_t)system->nu * sizeof *w;
        e->stale = e->stale || memcmp(e->W + start + system->u_offset, w, bytes) != 0;
        memcpy(e->W + start + system->u_offset, w, bytes);
        if (!pushes)
            continue;
        memcpy(to, w, bytes);
        ss_work_solve_system(e->work, s, to);
    }
}

/* W, γ and ζ of the rows of one law, from its element. */
static void copy_rows(ss_event_driven *e, const ss_law *law)
{
    const ss_work_element *we = &e->work->elements[law->element];
    bool pushes = e->phase[law - e->model->laws] != SS_PHASE_OPEN;
    for (int i = 0; i < law->dim; i++) {
        copy_directions(e, law, i, pushes);
        e->gamma[law->offset + i] = we->gamma_B[law->row + i];
        e->gap[law->offset + i] = we->g[law->row + i];
    }
}

/* γ of a driven law is what its velocity is beyond the one that it is to have. */
static ss_status drive(ss_event_driven *e, const ss_law *law)
{
    double v[SS_SET_MAX_DIM], a[SS_SET_MAX_DIM];
    ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    if (!law->ops->drive)
        return SS_OK;
    SS_TRY(law->ops->drive(law->object.self, &at, v, a));
    for (int i = 0; i < law->dim; i++) {
        e->gamma[law->offset + i] -= v[i];
        e->zeta_hat[law->offset + i] -= a[i];
    }
    return SS_OK;
}

/* ζ̂ of the laws of an element that are not open. */
static ss_status copy_bias(ss_event_driven *e, int element_index, const double *u)
{
    const ss_element *element = &e->model->elements[element_index];
    double *zeta_hat = e->work->row_scratch;
    bool any = false;
    for (int i = 0; i < element->n_laws; i++)
        any = any || e->phase[element->laws[i]] != SS_PHASE_OPEN;
    if (!any)
        return SS_OK;
    ss_status status = ss_work_element_bias(e->work, element_index, u, zeta_hat);
    if (status == SS_UNSUPPORTED)
        return ss_fail_at(e->model->context, SS_UNSUPPORTED, element->object.where,
                          "%s: it cannot give ζ̂, which event-driven integration needs",
                          element->object.owner);
    SS_TRY(status);
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *law = &e->model->laws[element->laws[i]];
        memcpy(e->zeta_hat + law->offset, zeta_hat + law->row, (size_t)law->dim * sizeof *zeta_hat);
    }
    return SS_OK;
}

double ss_event_onset(const ss_event_driven *e, int l)
{
    return e->from_rest[l] ? 0.01 * e->slip : 0;
}

/* The point of the unit set that resists sliding along γ. Where γ vanishes the direction is known from rest. */
static void resist(ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    double far[SS_SET_MAX_DIM], length = 0;
    const double *along = e->along + law->offset, *gamma = e->gamma + law->offset;
    double rest = law->dim == 1 ? 1 : ss_event_onset(e, l);
    for (int i = 0; i < law->dim; i++) {
        far[i] = (law->dim == 1 ? 0 : gamma[i]) + rest * along[i];
        length += far[i] * far[i];
    }
    length = sqrt(length);
    for (int i = 0; i < law->dim; i++)
        far[i] *= length > DBL_MIN
                      ? -1e8 / length
                      : 0; /* far outside: the normal there has nearly the direction of -γ, */
    ss_set_prox(e->set[l].set, 1, far, e->boundary + law->offset);
    for (int i = 0; i < law->dim; i++)
        far[i] += e->boundary[law->offset + i]; /* and so it has that direction */
    ss_set_prox(e->set[l].set, 1, far, e->boundary + law->offset);
}

/* What a spring that is not at its length has beside the point of its set. Beyond its zero, where integrators look for the
 * root, the force goes on as if it had not been reached. */
static ss_status spring_force(ss_event_driven *e, int l, const ss_law_at *at, double *force)
{
    const ss_law *law = &e->model->laws[l];
    ss_level level;
    e->stored[l] = false;
    if (e->phase[l] != SS_PHASE_SLIDING || e->along[law->offset] * at->g[0] <= 0)
        return SS_OK;
    SS_TRY(law->ops->level(law->object.self, at, &level));
    if (level != SS_LEVEL_IMPRESSED)
        return SS_OK;
    SS_TRY(law->ops->impressed(law->object.self, at, force));
    resist(e, l);
    force[0] -= e->set[l].scale * e->boundary[law->offset];
    e->stored[l] = law->ops->potential != NULL;
    return SS_OK;
}

/* A spring with a damper and a motor works everywhere, at its length and at rest, too. */
static ss_status plain_force(ss_event_driven *e, int l, const ss_law_at *at, double *force)
{
    const ss_law *law = &e->model->laws[l];
    e->stored[l] = law->ops->potential != NULL;
    return law->ops->impressed(law->object.self, at, force);
}

/* Set and single-valued force of a law; the latter joins h. */
static ss_status law_forces(ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    SS_TRY(law->ops->set(law->object.self, &at, &e->set[l]));
    e->unit[l] = e->set[l].scale;
    if (law->load_group >= 0)
        e->set[l].scale = e->unit[l] * e->pressure[l];
    double *force = e->added + law->offset;
    memset(e->lambda + law->offset, 0, (size_t)law->dim * sizeof *e->lambda);
    memset(force, 0, (size_t)law->dim * sizeof *force);
    if (e->phase[l] == SS_PHASE_OPEN && !e->plain[l])
        return SS_OK;
    if (law->ops->added)
        SS_TRY(law->ops->added(law->object.self, &at, force));
    if (ss_event_is_spring(e, l))
        SS_TRY(spring_force(e, l, &at, force));
    if (e->plain[l])
        SS_TRY(plain_force(e, l, &at, force));
    for (int i = 0; i < law->dim; i++)
        if (force[i] != 0)
            add(e->size.n_u, force[i], e->W + (law->offset + i) * e->size.n_u, e->h);
    return SS_OK;
}

double ss_event_time(const ss_event_driven *e, double t)
{
    return fmax(e->t_first, fmin(t, e->t_last));
}

ss_status ss_event_evaluate(ss_event_driven *e, double t, const double *q, const double *u)
{
    const ss_model *model = e->model;
    t = ss_event_time(e, t);
    e->stale = e->stale || !model->constant_mass;
    e->rates_known = false;
    memcpy(e->q, q, (size_t)e->size.n_q * sizeof *q);
    memcpy(e->u, u, (size_t)e->size.n_u * sizeof *u);
    SS_TRY(ss_work_prescribe_state(e->work, t, e->q, e->u));
    u = e->u;
    SS_TRY(ss_work_evaluate(e->work, t, e->q));
    SS_TRY(ss_work_forces(e->work, u, e->h));
    SS_TRY(ss_work_prescribe_accelerations(e->work, e->driven));
    SS_TRY(ss_work_distances(e->work, e->distance));
    for (int i = 0; i < model->n_elements.count; i++) {
        SS_TRY(ss_work_element_directions(e->work, i));
        ss_work_element_velocity(e->work, i, u, e->work->elements[i].gamma_B);
        SS_TRY(copy_bias(e, i, u));
    }
    for (int l = 0; l < model->n_laws.count; l++) {
        copy_rows(e, &model->laws[l]);
        SS_TRY(drive(e, &model->laws[l]));
        if (ss_event_is_spring(e, l))
            e->distance[model->laws[l].offset] = e->gap[model->laws[l].offset];
        SS_TRY(law_forces(e, l));
    }
    return SS_OK;
}

void ss_event_free_accelerations(const ss_event_driven *e, double *a)
{
    memcpy(a, e->h, (size_t)e->size.n_u * sizeof *a);
    ss_work_solve_mass(e->work, a);
    add(e->size.n_u, 1, e->driven, a); /* their M⁻¹ is zero */
}

/* Forces of a sliding law: constant ones to a_free, others to the column of the normal force. */
static void carry_friction(ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    int n_u = e->size.n_u;
    double *to =
        law->scale_from < 0 ? e->a_free : e->H + e->model->laws[law->scale_from].offset * n_u;
    double sign = law->scale_from < 0 ? 1 : ss_event_normal_sign(e, law->scale_from);
    resist(e, l);
    for (int i = 0; i < law->dim; i++)
        add(n_u, sign * e->set[l].scale * e->boundary[law->offset + i],
            e->MinvW + (law->offset + i) * n_u, to);
}

/* Rows of laws that are held, and M⁻¹W of all that are not open. */
static void list_held(ss_event_driven *e)
{
    const ss_model *model = e->model;
    int n_u = e->size.n_u;
    e->n_closed = 0;
    for (int l = 0; l < model->n_laws.count; l++) {
        int row = model->laws[l].offset, dim = model->laws[l].dim;
        if (e->phase[l] != SS_PHASE_OPEN)
            memcpy(e->H + row * n_u, e->MinvW + row * n_u, (size_t)(n_u * dim) * sizeof *e->H);
        for (int i = 0; e->phase[l] == SS_PHASE_CLOSED && i < dim; i++) {
            e->closed_law[e->n_closed] = l;
            e->held[e->n_closed++] = row + i;
        }
    }
}

void ss_event_assemble(ss_event_driven *e)
{
    bool anew = ss_event_uncouple(e);
    ss_event_free_accelerations(e, e->a_free);
    if (anew)
        list_held(e);
    for (int l = 0; l < e->model->n_laws.count; l++)
        if (e->phase[l] == SS_PHASE_SLIDING)
            carry_friction(e, l);
    if (anew)
        ss_event_couple(e);
    ss_event_find_c(e);
}

/* The scale of a sliding law; smooth even beyond the end of the phase. */
static double carried(const ss_event_driven *e, int l)
{
    int from = e->model->laws[l].scale_from;
    double scale = e->set[l].scale;
    if (from < 0)
        return scale;
    return scale * ss_event_normal_sign(e, from) * e->lambda[e->model->laws[from].offset];
}

/* The length of the force of the group that presses a law. */
static double pressure_of(const ss_event_driven *e, const ss_law *law)
{
    const ss_element *element = &e->model->elements[law->element];
    double square = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *other = &e->model->laws[element->laws[i]];
        for (int k = other->offset;
             other->group == law->load_group && k < other->offset + other->dim; k++)
            square += (e->lambda[k] + e->added[k]) * (e->lambda[k] + e->added[k]);
    }
    return sqrt(square);
}

double ss_event_press(ss_event_driven *e)
{
    double change = 0, most = DBL_MIN;
    for (int l = 0; e->model->loaded && l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        if (law->load_group < 0)
            continue;
        double now = pressure_of(e, law), unit = e->unit[l];
        change = fmax(change, fabs(now - e->pressure[l]));
        most = fmax(most, now);
        e->pressure[l] = now;
        e->set[l].scale = unit * now;
    }
    return change / most;
}

static void reduce(ss_event_driven *e)
{
    int n_u = e->size.n_u;
    const double *x = e->solution;
    ss_event_assemble(e);
    e->deficient = e->n_closed > 0 && ss_event_solve(e, e->solution) < e->n_closed;
    memcpy(e->a, e->a_free, (size_t)n_u * sizeof *e->a);
    for (int i = 0; i < e->n_closed; i++) {
        e->lambda[e->held[i]] = x[i];
        if (x[i] != 0)
            add(n_u, x[i], e->H + e->held[i] * n_u, e->a);
    }
    for (int l = 0; l < e->model->n_laws.count; l++) {
        const ss_law *law = &e->model->laws[l];
        for (int i = 0; e->phase[l] == SS_PHASE_SLIDING && i < law->dim; i++)
            e->lambda[law->offset + i] = carried(e, l) * e->boundary[law->offset + i];
    }
}

/* Friction of a joint depends on the force that the joint carries, and that on the friction. */
void ss_event_reduce(ss_event_driven *e)
{
    enum { MOST = 100 };
    reduce(e);
    for (int k = 0; k < MOST && ss_event_press(e) > 1e-14; k++)
        reduce(e);
}
