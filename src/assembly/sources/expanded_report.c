/* expanded_report.c: what a state of the expanded model says of the model itself. */
#include "assembly/sources/expanded.h"

#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contact_element.h"
#include "la/small.h"

#include <math.h>
#include <string.h>

static void add_impulse(const ss_expanded *expanded, const ss_law *law, const double *P,
                        ss_followed_point *point, ss_contact *contact)
{
    const ss_element *rule = &expanded->of->elements[contact->element];
    const ss_law *old = &expanded->of->laws[expanded->law[law - expanded->model.laws]];
    int first = rule->groups[law->group].row;
    for (int row = 0; row < law->dim; row++) {
        ss_contact_direction to = ss_contact_row_direction(
            ss_element_rule(rule), law->group, old->row + row - first, point->contact.n, point->t);
        double *sum = to.couple ? contact->L : contact->P;
        for (int k = 0; k < 3; k++)
            sum[k] += P[law->offset + row] * to.d[k];
    }
}

/* One point of a pair whose laws begin at laws[0], the normal one; false: it is open and has no impulse. */
static bool report_point(const ss_expanded *expanded, const ss_state *from,
                         const ss_contact_pair *pair, const int *laws, int n_laws,
                         ss_followed_point *point, ss_contact *contact)
{
    const double *P = ss_state_P(from);
    *contact = (ss_contact){
        .a = pair->a,
        .b = pair->b,
        .feature = point->contact.feature,
        .element = pair->rule,
        .gap = point->contact.gap,
    };
    uint8_t *modes[SS_RULE_GROUPS] = {&contact->closed, &contact->slips, &contact->spins,
                                      &contact->rolls, &contact->slips};
    memcpy(contact->x, point->x, sizeof contact->x);
    memcpy(contact->n, point->contact.n, sizeof contact->n);
    bool pushed = false;
    for (int i = 0; i < n_laws; i++) {
        const ss_law *law = &expanded->model.laws[laws[i]];
        bool constraint = ss_state_mode(from)[laws[i]] == 0;
        *modes[law->group] =
            law->group == SS_GROUP_GAP ? constraint : contact->closed && !constraint;
        pushed = pushed || P[law->offset] != 0;
        add_impulse(expanded, law, P, point, contact);
    }
    return contact->closed || pushed;
}

/* The rows of a rule hold the sums over its contacts. It is closed when any of them is, and slips when any closed one
 * does; 2: nothing closed yet. */
static void sum_up(const ss_expanded *expanded, const ss_state *from, int l, bool closed,
                   ss_state *to)
{
    const ss_law *law = &expanded->model.laws[l];
    int *mode = &ss_state_edit_mode(to)[expanded->law[l]];
    double *P = ss_state_edit_P(to) + expanded->of->laws[expanded->law[l]].offset;
    for (int row = 0; row < law->dim; row++)
        P[row] += ss_state_P(from)[law->offset + row];
    if (!closed)
        return;
    bool constraint = law->group == SS_GROUP_GAP || ss_state_mode(from)[l] == 0;
    *mode = constraint ? (*mode == 2 ? 0 : *mode) : 1;
}

static void report_pair(const ss_expanded *expanded, const ss_work *work, int e,
                        const ss_state *from, ss_state *to)
{
    const ss_element *element = &expanded->model.elements[e];
    const ss_contact_pair *pair = ss_element_contact_pair(element);
    ss_followed_point *points = ss_followed_points(work->elements[e].at.cache);
    int n_laws = element->n_laws / pair->points.count;
    for (int k = 0; k < pair->points.count; k++) {
        const int *laws = element->laws + k * n_laws;
        int count = ss_state_contact_count(to);
        ss_contact contact;
        if (!points[k].there ||
            !report_point(expanded, from, pair, laws, n_laws, &points[k], &contact))
            continue;
        for (int i = 0; i < n_laws; i++)
            sum_up(expanded, from, laws[i], contact.closed, to);
        if (count < expanded->of->contact_capacity) {
            ss_state_edit_contacts(to)[count] = contact;
            ss_state_set_contact_count(to, count + 1);
        }
    }
}

static void copy_motion(const ss_expanded *expanded, const ss_state *from, ss_state *to)
{
    const ss_model *of = expanded->of;
    ss_state_set_time(to, ss_state_time(from));
    ss_state_set_dt(to, ss_state_dt(from));
    *ss_state_edit_statistics(to) = *ss_state_statistics(from);
    memcpy(ss_state_edit_q(to), ss_state_q(from), (size_t)of->n_q * sizeof(double));
    memcpy(ss_state_edit_u(to), ss_state_u(from), (size_t)of->n_u * sizeof(double));
    memset(ss_state_edit_P(to), 0, (size_t)of->n_rows * sizeof(double));
    ss_state_set_contact_count(to, 0);
}

ss_status ss_expanded_report(const ss_expanded *expanded, ss_work *work, const ss_state *from,
                             ss_state *to)
{
    const ss_model *of = expanded->of;
    int *modes = ss_state_edit_mode(to);
    copy_motion(expanded, from, to);
    for (int l = 0; l < of->n_laws.count; l++)
        modes[l] = 2;
    for (int l = 0; l < expanded->model.n_laws.count; l++) {
        const ss_law *law = &expanded->model.laws[l], *old = &of->laws[expanded->law[l]];
        if (expanded->point[l] >= 0)
            continue;
        modes[expanded->law[l]] = ss_state_mode(from)[l];
        memcpy(ss_state_edit_P(to) + old->offset, ss_state_P(from) + law->offset,
               (size_t)law->dim * sizeof(double));
    }
    SS_TRY(ss_work_evaluate(work, ss_state_time(from), ss_state_q(from)));
    SS_TRY(ss_work_gaps(work));
    for (int e = 0; e < expanded->model.n_elements.count; e++)
        if (ss_element_contact_pair(&expanded->model.elements[e]))
            report_pair(expanded, work, e, from, to);
    for (int l = 0; l < of->n_laws.count; l++)
        modes[l] = modes[l] == 2 ? 1 : modes[l];
    return SS_OK;
}

bool ss_work_absent(const ss_work *work, int l)
{
    const ss_law *law = &work->model->laws[l];
    return law->kind == SS_GEOMETRIC &&
           ss_element_contact_pair(&work->model->elements[law->element]) &&
           work->elements[law->element].g[law->row] >= ss_contact_absent_gap;
}

static bool may_go(const ss_model *model, int l)
{
    const ss_law *law = &model->laws[l];
    const ss_contact_pair *pair = ss_element_contact_pair(&model->elements[law->element]);
    return law->kind == SS_GEOMETRIC && pair && pair->points.by_feature;
}

bool ss_work_may_vanish(const ss_work *work, int l)
{
    return may_go(work->model, l);
}

bool ss_model_contacts_vanish(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++)
        if (may_go(model, l))
            return true;
    return false;
}

/* How fast points of both shapes of a pair move at most, added up; or their accelerations, without those of turning. */
static double motion(const ss_model *model, const ss_element *element, const double *u)
{
    const ss_contact_pair *pair = ss_element_contact_pair(element);
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        if (pair->local[side] < 0)
            continue;
        const ss_system *system = &model->systems[element->connected.systems[pair->local[side]]];
        const double *v = u + system->u_offset;
        sum += system->body ? ss_norm(3, v) + pair->arm[side] * ss_norm(3, v + 3) : 0;
    }
    return sum;
}

double ss_work_contact_step(const ss_work *work, const double *u, const double *a)
{
    const ss_model *model = work->model;
    double least = INFINITY;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        const ss_contact_pair *pair = ss_element_contact_pair(element);
        if (!pair || !pair->points.by_feature)
            continue;
        double v = motion(model, element, u), rate = motion(model, element, a);
        double h = 2 * pair->reach / (v + sqrt(v * v + 2 * rate * pair->reach)); /* v h + a h²/2 */
        least = fmin(least, h);
    }
    return least;
}

/* `features` to and fro: what is gone gives its point away. */
static void exchange(const ss_expanded *expanded, const ss_work *work, bool save, double *features)
{
    for (int e = 0; e < expanded->model.n_elements.count; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&expanded->model.elements[e]);
        if (!pair || !pair->points.by_feature)
            continue;
        ss_followed_point *points = ss_followed_points(work->elements[e].at.cache);
        for (int k = 0; k < pair->points.count; k++, features++) {
            if (save)
                *features = points[k].there ? 1.0 + points[k].contact.feature : 0;
            else
                points[k].named = *features > 0;
            if (!save && *features > 0)
                points[k].contact.feature = (uint32_t)(*features - 1);
        }
    }
}

void ss_expanded_save(const ss_expanded *expanded, const ss_work *work, double *features)
{
    exchange(expanded, work, true, features);
}

/* Tangents are those of the state, whatever was there before. */
static void forget_axes(const ss_expanded *expanded, const ss_work *work)
{
    for (int e = 0; e < expanded->model.n_elements.count; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&expanded->model.elements[e]);
        for (int k = 0; pair && k < pair->points.count; k++)
            ss_followed_points(work->elements[e].at.cache)[k].axis = -1;
    }
}

void ss_expanded_load(const ss_expanded *expanded, ss_work *work, const double *features)
{
    forget_axes(expanded, work);
    exchange(expanded, work, false, (double *)features);
}
