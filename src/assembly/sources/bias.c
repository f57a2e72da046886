/* bias.c: ζ̂ of an element: how γ changes while the velocities of the systems stay as they are. */
#include "assembly/sources/contact_element.h"
#include "assembly/work.h"
#include "la/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Contacts of faces and edges end where these end: differences must not reach beyond. */
typedef struct contacts {
    int count; /* 0: contacts that are there always, or another element */
    ss_candidate_point points[SS_POINTS_MAX];
} contacts;

static contacts keep_contacts(const ss_work *work, int e)
{
    contacts now = {0};
    const ss_contact_pair *pair = ss_element_contact_pair(&work->table.elements[e]);
    if (!pair || !pair->points.by_feature)
        return now;
    now.count = pair->points.count;
    memcpy(now.points, ss_candidate_points(work->elements[e].at.cache),
           (size_t)now.count * sizeof *now.points);
    return now;
}

static void restore_contacts(const ss_work *work, int e, const contacts *now)
{
    if (now->count > 0)
        memcpy(ss_candidate_points(work->elements[e].at.cache), now->points,
               (size_t)now->count * sizeof *now->points);
}

/* Whether all that are near now are there at the place just evaluated. */
static bool are_there(const ss_work *work, int e, const contacts *now)
{
    const double near = 1e-6 * work->sizes.length;
    const ss_candidate_point *points =
        now->count > 0 ? ss_candidate_points(work->elements[e].at.cache) : NULL;
    for (int k = 0; k < now->count; k++)
        if (now->points[k].there && now->points[k].contact.gap < near && !points[k].there)
            return false;
    return true;
}

/* A motion with the velocities of now, and differences of γ along it. */
typedef struct motion {
    ss_work *work;
    int element;
    const double *q, *u;
    double t;
    contacts now;
} motion;

/* A formula of differences: γ at[i] s from now on has the weight weight[i]/s. `lower`: weights of a formula of lower order
 * with the same places, whose distance tells how good both are. */
typedef struct formula {
    int count;
    double at[6], weight[6], lower[6];
} formula;

static const formula central = {6,
                                {-3, -2, -1, 1, 2, 3},
                                {-1.0 / 60, 9.0 / 60, -45.0 / 60, 45.0 / 60, -9.0 / 60, 1.0 / 60},
                                {0, 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12, 0}};
static const formula one_sided = {3, {0, 1, 2}, {-1.5, 2, -0.5}, {-1.5, 2, -0.5}};

/* What differences say: whether all contacts were there, ζ̂'s largest row, and the largest distance between both orders. */
typedef struct outcome {
    bool there;
    double size, apart;
} outcome;

/* γ of all rows a time s along the motion; *there: of all contacts that are near now. */
static ss_status velocity_along(const motion *m, double s, double *gamma, bool *there)
{
    ss_work *work = m->work;
    memcpy(work->q, m->q, (size_t)work->model->n_q * sizeof *m->q);
    ss_work_move(work, m->q, m->u, s, work->q);
    work->elements[m->element].at.t = m->t + s;
    restore_contacts(work, m->element, &m->now);
    SS_TRY(ss_work_element_gaps(work, m->element));
    SS_TRY(ss_work_element_directions(work, m->element));
    ss_work_element_velocity(work, m->element, m->u, gamma);
    *there = *there && are_there(work, m->element, &m->now);
    return SS_OK;
}

static ss_status differences(const motion *m, const formula *f, double s, double *zeta_hat,
                             outcome *found)
{
    int rows = m->work->table.elements[m->element].rows;
    double *gamma = m->work->elements[m->element].gamma_E;
    double *lower = m->work->elements[m->element].zeta_lower;
    *found = (outcome){.there = true};
    memset(zeta_hat, 0, (size_t)rows * sizeof *zeta_hat);
    memset(lower, 0, (size_t)rows * sizeof *lower);
    for (int k = 0; k < f->count && found->there; k++) {
        SS_TRY(velocity_along(m, f->at[k] * s, gamma, &found->there));
        for (int i = 0; i < rows; i++) {
            zeta_hat[i] += f->weight[k] / s * gamma[i];
            lower[i] += f->lower[k] / s * gamma[i];
        }
    }
    for (int i = 0; i < rows; i++) {
        found->size = fmax(found->size, fabs(zeta_hat[i]));
        found->apart = fmax(found->apart, fabs(zeta_hat[i] - lower[i]));
    }
    return SS_OK;
}

/* A contact may run around a shape far faster than the shape turns, as that of a coin which lies nearly flat. With Ω its rate,
 * the fourth order is off by (Ω s)⁴ of ζ̂ and the sixth by 5 (Ω s)⁶: s becomes smaller until the latter is rounding, too. */
static ss_status refine(const motion *m, double s, double largest, double *zeta_hat, outcome *found)
{
    const double fits = 1e-10, rounding = 1e-15 * largest, least = 1e-4 * s;
    while (s > least) {
        double most = fmax(fits * found->size, rounding / s);
        if (!(found->apart > most))
            break;
        s = fmax(s * fmin(0.5, ss_pow(most / found->apart, 0.25)), least);
        SS_TRY(differences(m, &central, s, zeta_hat, found));
    }
    return SS_OK;
}

/* Smaller steps where a contact ends nearby; at its very end those to one side. */
static ss_status approach(const motion *m, double largest, double *zeta_hat)
{
    enum { MOST = 4 };
    double s = 1e-3 / largest; /* rounding is 1e-13 */
    outcome found = {0};
    for (int k = 0; k < MOST && !found.there; k++) {
        SS_TRY(differences(m, &central, s * ss_pow(8, -k), zeta_hat, &found));
        if (found.there)
            return refine(m, s * ss_pow(8, -k), largest, zeta_hat, &found);
    }
    for (int k = 0; k < 2 * MOST && !found.there; k++) {
        const int power = k / 2; /* each step to both sides */
        SS_TRY(differences(m, &one_sided, (k % 2 ? -0.01 : 0.01) * s * ss_pow(8, -power), zeta_hat,
                           &found));
    }
    return SS_OK;
}

ss_status ss_work_element_bias(ss_work *work, int e, const double *u, double *zeta_hat)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    double largest = 1 / work->sizes.time;
    memcpy(work->u, u, (size_t)work->model->n_u * sizeof *u);
    if (element->ops->zeta_hat) {
        ss_status status = element->ops->zeta_hat(element->object.self, &we->at, zeta_hat);
        if (status != SS_UNSUPPORTED)
            return status;
    }
    for (int i = 0; i < work->model->n_u; i++)
        largest = fmax(largest, fabs(u[i]) / work->sizes.u[i] / work->sizes.time);
    motion m = {work, e, work->q_scratch, u, we->at.t, keep_contacts(work, e)};
    memcpy(work->q_scratch, work->q, (size_t)work->model->n_q * sizeof *work->q);
    SS_TRY(approach(&m, largest, zeta_hat));
    memcpy(work->q, m.q, (size_t)work->model->n_q * sizeof *work->q);
    we->at.t = m.t;
    restore_contacts(work, e, &m.now);
    SS_TRY(ss_work_element_gaps(work, e));
    return ss_work_element_directions(work, e);
}
