/* followed.c: steps of schemes that follow contacts of shapes. */
#include "simulation/followed.h"

#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contact_element.h"
#include "assembly/sources/contacts.h"
#include "assembly/sources/expanded.h"
#include "geometry/vector.h"

#include <string.h>

struct ss_followed {
    ss_solver *solver;
    ss_step_pair *found, *pairs; /* of this step, and of the expanded model */
    int n_found, n_pairs;
    ss_expanded *expanded;
    ss_work *work;       /* of the expanded model */
    ss_state *from, *to; /* of the expanded model */
};

/* ---- The model of a step ---- */

static void release(struct ss_followed *f)
{
    if (!f->expanded)
        return;
    ss_state_destroy(f->from);
    ss_state_destroy(f->to);
    ss_work_destroy(f->work);
    ss_expanded_destroy(f->expanded);
    f->from = f->to = NULL;
    f->work = NULL;
    f->expanded = NULL;
}

/* The expanded model of the pairs that were found, and the scheme prepared for it. */
static ss_status rebuild(ss_simulation *s)
{
    struct ss_followed *f = s->followed;
    release(f);
    f->n_pairs = f->n_found;
    if (f->n_found > 0)
        memcpy(f->pairs, f->found, (size_t)f->n_found * sizeof *f->pairs);
    SS_TRY(ss_model_expand_pairs(s->model, f->n_pairs, f->pairs, &f->expanded));
    const ss_model *model = &f->expanded->model;
    size_t own = ss_scheme_state_size(s->scheme, model);
    SS_TRY(ss_work_create(model, f->solver, &f->work));
    SS_TRY(ss_state_create_for(model, own, 0, &f->from));
    SS_TRY(ss_state_create_for(model, own, 0, &f->to));
    return ss_scheme_prepare(s->scheme, model);
}

ss_status ss_followed_create(ss_simulation *s, ss_solver *solver)
{
    int capacity = s->model->contact_capacity;
    SS_TRY(SS_ARENA_NEW(&s->arena, 1, &s->followed));
    SS_TRY(SS_ARENA_NEW(&s->arena, capacity, &s->followed->found));
    SS_TRY(SS_ARENA_NEW(&s->arena, capacity, &s->followed->pairs));
    s->followed->solver = solver;
    return rebuild(s);
}

void ss_followed_destroy(ss_simulation *s)
{
    if (s->followed)
        release(s->followed);
}

const ss_work *ss_followed_work(const ss_simulation *s)
{
    return s->followed->work;
}

/* ---- Pairs ---- */

/* Pairs of few contacts that are there at any pose have gaps that are exact everywhere: those of their contacts that are
 * within reach, bit by bit. Of other pairs, 0, the contacts that were detected are held. */
static unsigned near_points(const ss_simulation *s, const ss_contact *contact)
{
    const struct ss_work_contacts *c = s->work->contacts;
    const ss_shape *a = &s->model->shapes[contact->a].shape,
                   *b = &s->model->shapes[contact->b].shape;
    ss_points points = ss_shapes_points(a, b);
    unsigned near = 0;
    if (points.count > SS_STEP_POINTS_MAX || points.by_feature)
        return 0;
    for (int k = 0; k < points.count; k++) {
        ss_contact_point point;
        bool there =
            ss_shapes_place_point(a, c->poses[contact->a], b, c->poses[contact->b], k, &point);
        if (there && point.gap <= c->reach[contact->a] + c->reach[contact->b])
            near |= 1u << k;
    }
    return near;
}

static void collect_pairs(ss_simulation *s)
{
    struct ss_followed *f = s->followed;
    const struct ss_work_contacts *c = s->work->contacts;
    f->n_found = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *contact = &c->found[i];
        ss_step_pair *last = f->n_found > 0 ? &f->found[f->n_found - 1] : NULL;
        if (last && last->a == contact->a && last->b == contact->b) {
            last->held += last->points == 0;
            continue;
        }
        unsigned points = near_points(s, contact);
        f->found[f->n_found++] =
            (ss_step_pair){contact->a, contact->b, contact->element, points == 0, points};
    }
}

static bool same_pairs(const struct ss_followed *f)
{
    bool same = f->n_found == f->n_pairs;
    for (int i = 0; i < f->n_found && same; i++) {
        const ss_step_pair *a = &f->found[i], *b = &f->pairs[i];
        same = a->a == b->a && a->b == b->b && a->rule == b->rule && a->held == b->held &&
               a->points == b->points;
    }
    return same;
}

/* ---- The state where a step begins ---- */

static void load_motion(const ss_simulation *s, const ss_state *B)
{
    ss_state *to = s->followed->from;
    const ss_model *model = &s->followed->expanded->model;
    ss_state_set_time(to, ss_state_time(B));
    ss_state_set_dt(to, ss_state_dt(B));
    *ss_state_edit_statistics(to) = *ss_state_statistics(B);
    memcpy(ss_state_edit_q(to), ss_state_q(B), (size_t)model->n_q * sizeof(double));
    memcpy(ss_state_edit_u(to), ss_state_u(B), (size_t)model->n_u * sizeof(double));
    size_t own = ss_scheme_state_size(s->scheme, model);
    if (own > 0)
        memcpy(ss_state_edit_own(to), ss_state_own(B), own * sizeof(double));
}

/* Laws of elements that are no contacts. */
static void load_laws(const struct ss_followed *f, const ss_state *B)
{
    const ss_expanded *x = f->expanded;
    for (int l = 0; l < x->model.n_laws.count; l++) {
        const ss_law *law = &x->model.laws[l], *old = &x->of->laws[x->law[l]];
        if (x->point[l] >= 0)
            continue;
        ss_state_edit_mode(f->from)[l] = ss_state_mode(B)[x->law[l]];
        memcpy(ss_state_edit_P(f->from) + law->offset, ss_state_P(B) + old->offset,
               (size_t)law->dim * sizeof(double));
    }
}

/* Impulse and mode of one law of a contact, from the contact of the step before; NULL: it was open. */
static void load_contact_law(const struct ss_followed *f, int l, ss_followed_point *point,
                             const ss_contact *old)
{
    const ss_expanded *x = f->expanded;
    const ss_law *law = &x->model.laws[l], *given = &x->of->laws[x->law[l]];
    const ss_element *rule = &x->of->elements[given->element];
    double *P = ss_state_edit_P(f->from) + law->offset;
    for (int row = 0; row < law->dim; row++) {
        ss_contact_direction to = ss_contact_row_direction(
            ss_element_rule(rule), law->group, given->row + row - rule->groups[law->group].row,
            point->contact.n, point->t);
        P[row] = old ? ss_dot3(to.couple ? old->L : old->P, to.d) / ss_dot3(to.d, to.d) : 0;
    }
    const bool free[SS_RULE_GROUPS] = {false, old && old->slips, old && old->spins,
                                       old && old->rolls, old && old->slips};
    ss_state_edit_mode(f->from)[l] = old && old->closed && !free[law->group] ? 0 : 1;
}

static void load_contacts(const struct ss_followed *f, const ss_state *B)
{
    const ss_model *model = &f->expanded->model;
    const ss_contact *before = ss_state_contacts(B);
    int n = ss_state_contact_count(B), from = 0;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        const ss_contact_pair *pair = ss_element_contact_pair(element);
        int n_laws = pair ? element->n_laws / pair->points.count : 0;
        for (int k = 0; pair && k < pair->points.count; k++) {
            ss_followed_point *point = &ss_followed_points(f->work->elements[e].at.cache)[k];
            ss_contact wanted = {.a = pair->a, .b = pair->b, .feature = point->contact.feature};
            const ss_contact *old = ss_contact_before(&wanted, before, n, &from);
            for (int i = 0; i < n_laws; i++)
                load_contact_law(f, element->laws[k * n_laws + i], point, old);
        }
    }
}

/* Where everything is when the step begins: held contacts as they were detected, tangents anew. */
static ss_status place_contacts(ss_simulation *s, const ss_state *B)
{
    const struct ss_followed *f = s->followed;
    const struct ss_work_contacts *c = s->work->contacts;
    const ss_model *model = &f->expanded->model;
    int i = 0;
    SS_TRY(ss_work_evaluate_geometry(f->work, ss_state_time(B), ss_state_q(B)));
    SS_TRY(ss_work_gaps(f->work));
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&model->elements[e]);
        void *cache = f->work->elements[e].at.cache;
        for (int k = 0; pair && k < pair->points.count; k++) {
            ss_followed_points(cache)[k].axis = -1;
            if (pair->held)
                ss_contact_hold(pair, cache, k, &c->found[i + k]);
        }
        while (pair && i < c->n && c->found[i].a == pair->a && c->found[i].b == pair->b)
            i++;
    }
    return ss_work_gaps(f->work);
}

/* ---- A step ---- */

static void count_switches(const ss_simulation *s, const ss_state *B, ss_state *E)
{
    ss_statistics *sums = ss_state_edit_statistics(E);
    sums->switches = ss_state_statistics(B)->switches;
    for (int l = 0; l < ss_model_sizes(s->model).n_laws; l++)
        sums->switches += (ss_state_mode(B)[l] == 0) != (ss_state_mode(E)[l] == 0);
}

ss_status ss_followed_step(ss_simulation *s, const ss_state *B, double dt, ss_state *E,
                           ss_solve_report *report)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT}; /* what closes within the step, too */
    struct ss_followed *f = s->followed;
    SS_TRY(ss_work_evaluate_geometry(s->work, ss_state_time(B), ss_state_q(B)));
    SS_TRY(ss_work_detect(s->work, &early, dt, ss_state_u(B)));
    collect_pairs(s);
    if (!f->expanded || !same_pairs(f))
        SS_TRY(rebuild(s));
    load_motion(s, B);
    load_laws(f, B);
    SS_TRY(place_contacts(s, B));
    load_contacts(f, B);
    ss_work_watch(f->work, s->work->watch, s->work->watch_user);
    SS_TRY(ss_scheme_step(s->scheme, f->work, f->from, dt, f->to, report));
    SS_TRY(ss_expanded_report(f->expanded, f->work, f->to, E));
    size_t own = ss_scheme_state_size(s->scheme, &f->expanded->model);
    if (own > 0)
        memcpy(ss_state_edit_own(E), ss_state_own(f->to), own * sizeof(double));
    count_switches(s, B, E);
    return SS_OK;
}
