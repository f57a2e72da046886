/* evaluate.c: the phase of every law, kept in the state, and forces and rows at one (q, u, t). */
#include "la/elementary.h"
#include "la/small.h"
#include "rows/kind.h"
#include "simulation/event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Phases ---- */

size_t ss_event_memory(const void *self, const ss_work *work)
{
    ss_model_size size = ss_work_sizes(work);
    (void)self;
    return SS_EVENT_HEAD + SS_EVENT_PER_LAW * (size_t)size.n_laws + 2 * (size_t)size.n_rows;
}

const double *ss_event_law_memory(const ss_state *state, int l)
{
    return ss_state_memory(state) + SS_EVENT_HEAD + SS_EVENT_PER_LAW * l;
}

double *ss_event_edit_law_memory(ss_state *state, int l)
{
    return ss_state_edit_memory(state) + SS_EVENT_HEAD + SS_EVENT_PER_LAW * l;
}

void ss_event_recall(ss_event_driven *e, const ss_state *state)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        const double *m = ss_event_law_memory(state, l);
        ss_event_law *law = &e->laws[l];
        double phase = m[SS_EVENT_PHASE]; /* a saved state may come from anybody */
        law->phase = phase > 0 && phase <= SS_PHASE_SLIDING ? (ss_phase)phase : SS_PHASE_OPEN;
        law->from_rest = m[SS_EVENT_FROM_REST] != 0;
        law->in_contact = law->phase == SS_PHASE_CLOSED;
        law->was_closed = law->at_length = law->in_contact;
        law->leaving = law->at_rest = false;
        law->force_sign = m[SS_EVENT_SIGN] < 0 ? -1 : 1;
        memcpy(&law->impacts, m + SS_EVENT_IMPACT, sizeof law->impacts);
    }
    const double *rows = ss_event_law_memory(state, e->size.n_laws);
    size_t bytes = (size_t)e->size.n_rows * sizeof *rows;
    memcpy(e->rows.along, rows, bytes);
    memcpy(e->rows.kept, rows + e->size.n_rows, bytes);
}

static int mode_of(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    if (e->laws[l].phase != SS_PHASE_SLIDING)
        return e->laws[l].phase == SS_PHASE_CLOSED ? 0 : 1;
    return law->dim == 1 && e->rows.along[law->offset] < 0 ? -1 : 1;
}

void ss_event_remember(const ss_event_driven *e, bool resolved, ss_state *state)
{
    ss_state_edit_memory(state)[SS_EVENT_RESOLVED] = resolved;
    for (int l = 0; l < e->size.n_laws; l++) {
        double *m = ss_event_edit_law_memory(state, l);
        const ss_event_law *law = &e->laws[l];
        m[SS_EVENT_PHASE] = law->phase;
        m[SS_EVENT_FROM_REST] = law->from_rest;
        m[SS_EVENT_SIGN] = law->force_sign;
        memcpy(m + SS_EVENT_IMPACT, &law->impacts, sizeof law->impacts);
        ss_state_edit_mode(state)[l] = mode_of(e, l);
    }
    double *rows = ss_event_edit_law_memory(state, e->size.n_laws);
    size_t bytes = (size_t)e->size.n_rows * sizeof *rows;
    memcpy(rows, e->rows.along, bytes);
    memcpy(rows + e->size.n_rows, e->rows.kept, bytes);
}

void ss_event_keep_distance(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    for (int i = law->offset; i < law->offset + law->dim && !e->laws[l].was_closed; i++)
        e->rows.kept[i] = fabs(e->rows.distance[i]) < e->laws[l].drift ? 0 : e->rows.distance[i];
}

bool ss_event_is_silent(const ss_event_driven *e, int l)
{
    return ss_element_rule(&e->table->elements[e->table->laws[l].element]) != NULL;
}

int ss_event_side(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    if (law->kind != SS_GEOMETRIC || !ss_law_opens(law) || (law->flags & SS_LAW_IMPRESSED))
        return 0;
    return e->laws[l].set.set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1 : 1;
}

bool ss_event_is_bounded(const ss_event_driven *e, int l)
{
    const ss_event_law *law = &e->laws[l];
    return ss_event_side(e, l) == 0 && law->set.set->kind != SS_SET_FREE && !law->single_valued;
}

double ss_event_normal_sign(const ss_event_driven *e, int normal)
{
    int side = ss_event_side(e, normal);
    return side != 0 ? side : e->laws[normal].force_sign;
}

double ss_event_speed(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    return ss_norm(law->dim, e->rows.gamma + law->offset);
}

double ss_event_still(const ss_event_driven *e, int j)
{
    return isnan(e->options.slip) ? SS_EVENT_SLIP * e->work->sizes.u[j] : e->options.slip;
}

double ss_event_onset_speed(const ss_event_driven *e, int l)
{
    double slip = e->laws[l].slip;
    return e->laws[l].from_rest ? slip * ss_exp(-ss_event_speed(e, l) / slip) : 0;
}

double ss_event_scale(const ss_event_driven *e, int l)
{
    int from = e->table->laws[l].scale_from;
    double scale = e->laws[l].set.scale;
    return from < 0 ? scale : scale * fabs(e->rows.lambda[e->table->laws[from].offset]);
}

/* The least θ with x ∈ θ C. */
static double gauge(const ss_set *set, const double *x)
{
    enum { BISECTIONS = 100 };
    double length = ss_norm(set->dim, x), low = 0, high = 1;
    if (ss_set_is_round(set) || set->kind == SS_SET_BALL)
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

double ss_event_reserve(const ss_event_driven *e, int l)
{
    const ss_set *set = e->laws[l].set.set;
    const double *lambda = e->rows.lambda + e->table->laws[l].offset;
    if (set->kind == SS_SET_FREE)
        return INFINITY;
    if (set->kind == SS_SET_HALF_LINE)
        return lambda[0];
    if (set->kind == SS_SET_NEGATIVE_HALF_LINE)
        return -lambda[0];
    return ss_event_scale(e, l) - gauge(set, lambda);
}

/* ---- Rows ---- */

/* W of one row, and M⁻¹W if `acts`. Systems that the element does not connect keep their zeros. */
static void copy_directions(ss_event_driven *e, const ss_law *law, int i, bool acts)
{
    const ss_element *element = &e->table->elements[law->element];
    const ss_work_element *we = &e->work->elements[law->element];
    int start = (law->offset + i) * e->size.n_u;
    for (int k = 0; k < element->connected.count; k++) {
        int s = element->connected.systems[k];
        const ss_system *system = &e->model->systems[s];
        double *W = e->rows.W + start + system->u_offset;
        double *MinvW = e->rows.MinvW + start + system->u_offset;
        const double *w = we->W[k] + (law->row + i) * system->nu;
        size_t bytes = (size_t)system->nu * sizeof *w;
        e->reduced.stale = e->reduced.stale || memcmp(W, w, bytes) != 0;
        memcpy(W, w, bytes);
        if (!acts)
            continue;
        memcpy(MinvW, w, bytes);
        ss_work_solve_system(e->work, s, MinvW);
    }
}

/* W, γ and g of the rows of one law, from its element. */
static void copy_rows(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    const ss_work_element *we = &e->work->elements[law->element];
    bool acts = e->laws[l].phase != SS_PHASE_OPEN;
    for (int i = 0; i < law->dim; i++) {
        copy_directions(e, law, i, acts);
        e->rows.gamma[law->offset + i] = we->gamma_B[law->row + i];
        e->rows.gap[law->offset + i] = we->g[law->row + i];
    }
}

/* γ and ζ̂ of a drive are relative to what it prescribes. */
static ss_status subtract_drive(ss_event_driven *e, const ss_law *law)
{
    double v[SS_SET_MAX_DIM], a[SS_SET_MAX_DIM];
    ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    if (law->ops->law_class != SS_LAW_DRIVE)
        return SS_OK;
    SS_TRY(law->ops->drive(law->object.self, &at, v, a));
    for (int i = 0; i < law->dim; i++) {
        e->rows.gamma[law->offset + i] -= v[i];
        e->rows.zeta_hat[law->offset + i] -= a[i];
    }
    return SS_OK;
}

/* ζ̂ of an element with a law that is not open. */
static ss_status copy_bias(ss_event_driven *e, int element_index, const double *u)
{
    const ss_element *element = &e->table->elements[element_index];
    double *zeta_hat = e->work->row_scratch;
    bool any = false;
    for (int i = 0; i < element->n_laws; i++)
        any = any || e->laws[element->laws[i]].phase != SS_PHASE_OPEN;
    if (!any)
        return SS_OK;
    SS_TRY(ss_work_element_bias(e->work, element_index, u, zeta_hat));
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *law = &e->table->laws[element->laws[i]];
        memcpy(e->rows.zeta_hat + law->offset, zeta_hat + law->row,
               (size_t)law->dim * sizeof *zeta_hat);
    }
    return SS_OK;
}

/* Where γ vanishes the direction is known from rest. The normal to the set at the projection of a
 * point far outside has nearly the direction of -γ; a second projection corrects it. */
void ss_event_resist(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    const ss_set *set = e->laws[l].set.set;
    const double *along = e->rows.along + law->offset, *gamma = e->rows.gamma + law->offset;
    double far[SS_SET_MAX_DIM], *boundary = e->rows.boundary + law->offset, length = 0;
    double rest = law->dim == 1 ? 1 : ss_event_onset_speed(e, l);
    for (int i = 0; i < law->dim; i++) {
        far[i] = (law->dim == 1 ? 0 : gamma[i]) + rest * along[i];
        length += far[i] * far[i];
    }
    length = sqrt(length);
    for (int i = 0; i < law->dim; i++)
        far[i] *= length > DBL_MIN ? -1e8 / length : 0;
    ss_set_prox(set, 1, far, boundary);
    for (int i = 0; i < law->dim; i++)
        far[i] += boundary[i];
    ss_set_prox(set, 1, far, boundary);
}

/* Force of a spring off its length, beside the point of its set. Beyond the zero of its length,
 * where integrators look for the root, it continues as before it. */
static ss_status spring_force(ss_event_driven *e, int l, const ss_law_at *at, double *force)
{
    const ss_law *law = &e->table->laws[l];
    ss_level level;
    e->laws[l].stores_energy = false;
    if (e->laws[l].phase != SS_PHASE_SLIDING || e->rows.along[law->offset] * at->g[0] <= 0)
        return SS_OK;
    SS_TRY(law->ops->level(law->object.self, at, &level));
    if (level != SS_LEVEL_IMPRESSED)
        return SS_OK;
    SS_TRY(law->ops->impressed(law->object.self, at, force));
    ss_event_resist(e, l);
    force[0] -= e->laws[l].set.scale * e->rows.boundary[law->offset];
    e->laws[l].stores_energy = (law->flags & SS_LAW_STORES_ENERGY) != 0;
    return SS_OK;
}

/* Of forces, and for the phase that is set: friction may slide more easily than it breaks away. */
ss_status ss_event_find_set(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    ss_event_law *own = &e->laws[l];
    ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    at.slip = own->phase == SS_PHASE_SLIDING ? SS_SLIP_SLIDES : SS_SLIP_STICKS;
    SS_TRY(law->ops->set(law->object.self, &at, &own->set));
    own->unit_scale = own->set.scale;
    if (law->load_group >= 0)
        own->set.scale = own->unit_scale * own->normal_load;
    return SS_OK;
}

/* Set and single-valued force of a law; the latter is added to h. */
static ss_status evaluate_law(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    ss_event_law *own = &e->laws[l];
    ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    double *force = e->rows.added + law->offset;
    SS_TRY(ss_event_find_set(e, l));
    SS_TRY(ss_work_find_restitution(e->work, l));
    memset(e->rows.lambda + law->offset, 0, (size_t)law->dim * sizeof *e->rows.lambda);
    memset(force, 0, (size_t)law->dim * sizeof *force);
    if (own->phase == SS_PHASE_OPEN && !own->single_valued)
        return SS_OK;
    if (law->flags & SS_LAW_ADDED)
        SS_TRY(law->ops->added(law->object.self, &at, force));
    if (own->spring)
        SS_TRY(spring_force(e, l, &at, force));
    if (own->single_valued) {
        own->stores_energy = (law->flags & SS_LAW_STORES_ENERGY) != 0;
        SS_TRY(law->ops->impressed(law->object.self, &at, force));
    }
    int n_u = e->size.n_u;
    for (int i = 0; i < law->dim; i++)
        if (force[i] != 0)
            ss_axpy(n_u, force[i], e->rows.W + (law->offset + i) * n_u, e->point.h);
    return SS_OK;
}

double ss_event_time(const ss_event_driven *e, double t)
{
    return fmax(e->point.t_first, fmin(t, e->point.t_last));
}

ss_status ss_event_evaluate(ss_event_driven *e, double t, const double *q, const double *u)
{
    const ss_model *model = e->model;
    ss_event_point *point = &e->point;
    ss_event_rows *rows = &e->rows;
    t = ss_event_time(e, t);
    e->reduced.stale = e->reduced.stale || !model->constant_mass;
    point->rates_known = false;
    memcpy(point->q, q, (size_t)e->size.n_q * sizeof *q);
    memcpy(point->u, u, (size_t)e->size.n_u * sizeof *u);
    SS_TRY(ss_work_prescribe_state(e->work, t, point->q, point->u));
    SS_TRY(ss_work_evaluate(e->work, t, point->q));
    SS_TRY(ss_work_forces(e->work, point->u, point->h));
    SS_TRY(ss_work_prescribe_accelerations(e->work, point->prescribed));
    SS_TRY(ss_work_distances(e->work, rows->distance));
    for (int i = 0; i < e->table->n_elements; i++) {
        SS_TRY(ss_work_element_directions(e->work, i));
        ss_work_element_velocity(e->work, i, point->u, e->work->elements[i].gamma_B);
        SS_TRY(copy_bias(e, i, point->u));
    }
    for (int l = 0; l < e->table->n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        copy_rows(e, l);
        SS_TRY(subtract_drive(e, law));
        if (e->laws[l].spring)
            rows->distance[law->offset] = rows->gap[law->offset];
        SS_TRY(evaluate_law(e, l));
    }
    return SS_OK;
}
