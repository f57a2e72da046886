/* phase.c: phases of laws, what they mean for the laws' forces, and their memory in a state. */
#include "la/small.h"
#include "simulation/event/event.h"

#include <float.h>
#include <string.h>

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
        law->phase = (ss_phase)m[SS_EVENT_PHASE];
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
        e->rows.kept[i] = fabs(e->rows.distance[i]) < 1e-9 ? 0 : e->rows.distance[i];
}

bool ss_event_is_silent(const ss_event_driven *e, int l)
{
    return ss_element_rule(&e->table->elements[e->table->laws[l].element]) != NULL;
}

int ss_event_side(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    if (law->kind != SS_GEOMETRIC || !law->ops->level || law->ops->impressed)
        return 0;
    return e->laws[l].set.set->ops == ss_set_negative_half_line()->ops ? -1 : 1;
}

bool ss_event_is_bounded(const ss_event_driven *e, int l)
{
    const ss_event_law *law = &e->laws[l];
    return ss_event_side(e, l) == 0 && law->set.set->ops != ss_set_free(1)->ops &&
           !law->single_valued;
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

double ss_event_onset_speed(const ss_event_driven *e, int l)
{
    return e->laws[l].from_rest ? 0.01 * e->options.slip : 0;
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
    if (set->ops == ss_set_interval()->ops || set->ops == ss_set_disk(2)->ops)
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
    if (set->ops == ss_set_free(1)->ops)
        return INFINITY;
    if (set->ops == ss_set_half_line()->ops)
        return lambda[0];
    if (set->ops == ss_set_negative_half_line()->ops)
        return -lambda[0];
    return ss_event_scale(e, l) - gauge(set, lambda);
}
