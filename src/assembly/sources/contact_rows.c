/* contact_rows.c: the contacts of a step as rows: which form each takes, and its numbers.
 *
 * A contact of rigid bodies that obeys a unilateral law and, or not, Coulomb's friction is a ROUND or a BODY row
 * (rows/rows.h); every other one is a group of GENERAL blocks (contact_blocks.c). What has infinite mass is body 0 of the
 * store, whatever its shape; its motion is in the bias.
 */
#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contacts.h"
#include "geometry/vector.h"

#include "solver/kernels/sweep.h"

#include <string.h>

/* ---- Directions ---- */

ss_contact_direction ss_contact_row_direction(const ss_contact_rule *rule, int group, int row,
                                              const double n[3], double (*t)[3])
{
    bool normal = group == SS_GROUP_GAP || group == SS_GROUP_SPIN || row == 2;
    double length = group == SS_GROUP_SLIP_SPIN && row == 2 ? rule->length : 1;
    ss_contact_direction to = {
        .couple = group == SS_GROUP_SPIN || group == SS_GROUP_ROLL || row == 2,
    };
    ss_scale3(length, normal ? n : t[row], to.d);
    return to;
}

void ss_contact_row_add(const ss_pose *frame, const double *V, int nu, const double x[3],
                        const ss_contact_direction *to, double sign, double *W)
{
    double wrench[6] = {0}, r[3]; /* force and torque about the origin, of a unit impulse at x */
    ss_scale3(sign, to->d, wrench + (to->couple ? 3 : 0));
    ss_minus3(x, frame->x, r);
    if (!to->couple)
        ss_cross3(r, wrench, wrench + 3);
    for (int j = 0; j < nu; j++)
        for (int k = 0; k < 6; k++)
            W[j] += (V ? V[k * nu + j] : j == k) * wrench[k];
}

void ss_contact_row(const ss_pose *frame, const double *V, int nu, const double x[3],
                    const ss_contact_direction *to, double sign, double *W)
{
    memset(W, 0, (size_t)nu * sizeof *W);
    ss_contact_row_add(frame, V, nu, x, to, sign, W);
}

/* The part of d across n, normalized; false when d is along n. */
static bool across(const double n[3], const double d[3], double t[3])
{
    ss_along3(d, -ss_dot3(n, d), n, t);
    double length = ss_length3(t);
    for (int i = 0; i < 3; i++)
        t[i] /= length;
    return length > 1e-6;
}

/* The axis that n is farthest from; rounding does not choose between two. */
static int farthest_axis(const double n[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(n[i]) < fabs(n[least]) - 1e-6 ? i : least;
    return least;
}

void ss_contact_tangents(const ss_contact_rule *rule, const double *A, const double n[3],
                         int *across_axis, double t[2][3])
{
    double axis[3] = {0};
    bool found = false;
    if (rule->direction.rows == 3) {
        const double *d = rule->direction.values;
        for (int i = 0; i < 3; i++)
            axis[i] = A ? ss_dot3(A + 3 * i, d) : d[i];
        found = across(n, axis, t[0]);
    }
    if (!found) {
        if (*across_axis < 0 || fabs(n[*across_axis]) > 0.9)
            *across_axis = farthest_axis(n);
        memset(axis, 0, sizeof axis);
        axis[*across_axis] = 1;
        across(n, axis, t[0]);
    }
    ss_cross3(n, t[0], t[1]);
}

/* ---- Which form ---- */

/* Constant sets are asked for once, and again when the step changes: their scale may depend on it. A rule is simple when it has a
 * unilateral normal law and, or not, Coulomb's friction that is the same in all directions. */
static void look_at_rules(ss_work *work, double dt)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    const double zero[SS_SET_MAX_DIM] = {0};
    for (int e = 0; e < model->n_elements.count && c->rules_dt != dt; e++) {
        const ss_element *element = &model->elements[e];
        ss_simple_rule *rule = &c->rules[e];
        *rule = (ss_simple_rule){.simple = true};
        for (int i = 0; ss_element_rule(element) && i < element->n_laws; i++) {
            const ss_law *law = &model->laws[element->laws[i]];
            ss_law_at at = {.t = work->t, .dt = dt, .dim = law->dim, .g = zero, .gamma = zero};
            ss_law_set set = {0};
            bool known = (law->flags & SS_LAW_CONSTANT_SET) && !(law->flags & SS_LAW_ADDED) &&
                         law->r == 0 && !law->restitution &&
                         law->ops->set(law->object.self, &at, &set) == SS_OK;
            bool normal = known && law->group == SS_GROUP_GAP &&
                          law->ops->law_class == SS_LAW_UNILATERAL &&
                          set.set->kind == SS_SET_HALF_LINE && !(law->flags & SS_LAW_CORRECTED);
            bool slip = known && law->group == SS_GROUP_SLIP && law->scale_from >= 0 &&
                        set.set->kind == SS_SET_DISK && law->epsilon[0] == 0 &&
                        law->epsilon[1] == 0;
            rule->simple = rule->simple && (normal || slip);
            rule->normal = law->group == SS_GROUP_GAP ? law : rule->normal;
            rule->mu = slip ? set.scale : rule->mu;
        }
    }
    c->rules_dt = dt;
}

/* Whether the rows of a step may be ROUND or BODY: its solver sweeps them, laws are on velocity level or have their gaps,
 * and impulses act on bodies through M alone. */
static bool may_sweep(const ss_work *work, const ss_law_form *form)
{
    bool velocities = form->kind == SS_FORM_VELOCITY || form->kind == SS_FORM_DISPLACEMENT ||
                      form->kind == SS_FORM_AVERAGE;
    return !work->contacts->general_only && velocities && !form->implicit && !work->modified &&
           ss_solver_sweeps(work->solver);
}

/* r = x - centre; whether it is along n, and then how long. */
static bool find_arm(const ss_contact *contact, int body, const double centre[3], double r[3],
                     double *along)
{
    double across[3];
    *along = 0;
    memset(r, 0, 3 * sizeof *r);
    if (body == 0)
        return true;
    ss_minus3(contact->x, centre, r);
    *along = ss_dot3(r, contact->n);
    ss_along3(r, -*along, contact->n, across);
    return ss_dot3(across, across) <= 1e-24 * *along * *along;
}

ss_status ss_contact_is_active(const ss_work *work, const ss_contact *contact, const ss_law *law,
                               double dt, bool *active)
{
    const ss_work_law *wl = &work->laws[law - work->model->laws];
    ss_law_at at = {.t = work->t,
                    .dt = dt,
                    .dim = 1,
                    .g = &contact->gap,
                    .cache = wl->at->cache,
                    .size = work->sizes.length};
    ss_level level = SS_LEVEL_ACTIVE;
    if (!wl->displaced)
        SS_TRY(ss_law_level(law, &at, &level));
    *active = level == SS_LEVEL_ACTIVE;
    return SS_OK;
}

/* ---- Numbers ---- */

/* Adds ± the velocity at the contact of a shape. */
static void add_velocity(const ss_work *work, const ss_contact *contact, int side, const double *u,
                         double gamma[3])
{
    double v[3];
    ss_work_shape_velocity(work, side ? contact->b : contact->a, contact->x, u, v);
    ss_along3(gamma, side ? 1 : -1, v, gamma);
}

void ss_work_contact_drive(const ss_work *work, int i, const double *u, double gamma[3])
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    const int shapes[2] = {contact->a, contact->b};
    if (c->store.contacts[i].a != 0 && c->store.contacts[i].b != 0)
        return;
    for (int side = 1; side >= 0; side--)
        if (work->model->shapes[shapes[side]].system >= 0 && c->shape_body[shapes[side]] == 0)
            add_velocity(work, contact, side, u, gamma);
}

/* n γ as the step begins. Translations alone move ROUND contacts along the normal. */
static double normal_velocity(const ss_work *work, int i, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_row_contact *t = &c->store.contacts[i];
    const ss_row_body *bodies = c->store.begins[0];
    double gamma[3] = {0};
    ss_work_contact_drive(work, i, u_B, gamma);
    for (int k = 0; t->form == SS_ROW_ROUND && k < 3; k++)
        gamma[k] += bodies[t->b].v[k] - bodies[t->a].v[k];
    if (t->form == SS_ROW_BODY && t->b != 0)
        add_velocity(work, &c->found[i], 1, u_B, gamma);
    if (t->form == SS_ROW_BODY && t->a != 0)
        add_velocity(work, &c->found[i], 0, u_B, gamma);
    return ss_dot3(t->n, gamma);
}

double ss_contact_displacement(const ss_law_form *form, const ss_law *law, double gap, double dt,
                               double gamma)
{
    double d = gap + form->shift * dt * gamma;
    bool clamp = form->clamp || (form->clamp_elastic && law->epsilon[0] != 0);
    return (clamp && d < 0 ? 0 : d) / dt;
}

static void fill_row(const ss_work *work, const ss_simple_rule *rule, int i)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_row_body *bodies = c->store.begins[0];
    const ss_contact *contact = &c->found[i];
    ss_row_contact *t = &c->store.contacts[i];
    double arms[6];
    *t = (ss_row_contact){
        .a = c->store.number[c->shape_body[contact->a]],
        .b = c->store.number[c->shape_body[contact->b]],
        .mu = rule->mu,
    };
    ss_copy3(contact->n, t->n);
    bool a = find_arm(contact, t->a, bodies[t->a].w, arms, &t->r_a) && c->round[contact->a];
    bool b = find_arm(contact, t->b, bodies[t->b].w, arms + 3, &t->r_b) && c->round[contact->b];
    t->r_b = -t->r_b;
    t->form = a && b ? SS_ROW_ROUND : SS_ROW_BODY;
    if (t->form == SS_ROW_BODY)
        memcpy(c->store.arms[i], arms, sizeof arms);
    double gamma = normal_velocity(work, i, c->u_B);
    bool displaced = work->laws[rule->normal - work->model->laws].displaced;
    double bias = displaced
                      ? ss_contact_displacement(&c->form, rule->normal, contact->gap, c->dt, gamma)
                  : c->form.kind == SS_FORM_AVERAGE ? c->form.average * gamma
                                                    : rule->normal->epsilon[0] * gamma;
    ss_along3(t->bias, bias, t->n, t->bias);
}

/* ---- Filling ---- */

/* Bodies of a contact that will be needed soon. */
static void prefetch(const struct ss_work_contacts *c, const ss_contact *contact)
{
    const int shapes[2] = {contact->a, contact->b};
    for (int k = 0; k < 2; k++)
        if (c->shape_body[shapes[k]] >= 0)
            __builtin_prefetch(&c->store.begins[0][c->store.number[c->shape_body[shapes[k]]]]);
}

/* What some contacts turn out to need. */
typedef struct fill_call {
    const ss_work *work;
    atomic_int worst;                 /* status */
    atomic_bool swept, body, general; /* some are ROUND or BODY, BODY, GENERAL */
} fill_call;

/* Contacts from … to - 1, at their places among all; `kind` says which are active. */
static void fill_some(void *user, int from, int to)
{
    enum { AHEAD = 8 };
    fill_call *call = user;
    const struct ss_work_contacts *c = call->work->contacts;
    bool any[SS_ROW_GENERAL + 1] = {false};
    for (int i = from; i < to; i++) {
        const ss_contact *contact = &c->found[i];
        const ss_simple_rule *rule = &c->rules[contact->element];
        bool active = true;
        if (c->forms && i + AHEAD < to)
            prefetch(c, &c->found[i + AHEAD]);
        if (rule->normal) {
            ss_status status =
                ss_contact_is_active(call->work, contact, rule->normal, c->dt, &active);
            if (status != SS_OK)
                atomic_store(&call->worst, (int)status);
        }
        c->store.kind[i] = active;
        if (!active)
            continue;
        if (c->forms && rule->normal && rule->simple && c->shape_body[contact->a] >= 0 &&
            c->shape_body[contact->b] >= 0)
            fill_row(call->work, rule, i);
        else
            c->store.contacts[i] = (ss_row_contact){.form = SS_ROW_GENERAL};
        any[c->store.contacts[i].form] = true;
    }
    if (any[SS_ROW_ROUND] || any[SS_ROW_BODY])
        atomic_store(&call->swept, true);
    if (any[SS_ROW_BODY])
        atomic_store(&call->body, true);
    if (any[SS_ROW_GENERAL])
        atomic_store(&call->general, true);
}

/* What is not active has no row. */
static void drop_inactive(struct ss_work_contacts *c)
{
    int kept = 0;
    for (int i = 0; i < c->n; i++) {
        if (!c->store.kind[i])
            continue;
        if (kept < i) {
            c->found[kept] = c->found[i];
            c->store.contacts[kept] = c->store.contacts[i];
            if (c->store.contacts[i].form == SS_ROW_BODY)
                memcpy(c->store.arms[kept], c->store.arms[i], sizeof *c->store.arms);
        }
        kept++;
    }
    c->n = c->store.n_contacts = kept;
}

static void take_centres(void *user, int from, int to)
{
    struct ss_work_contacts *c = user;
    for (int s = from; s < to; s++)
        if (c->system_body[s])
            ss_copy3(c->frames[s].x, c->store.centre[c->system_body[s]]);
}

static void take_beginnings(void *user, int from, int to)
{
    const ss_work *work = user;
    struct ss_work_contacts *c = work->contacts;
    for (int s = from; s < to; s++) {
        ss_row_body *body = &c->store.begins[0][c->store.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        ss_copy3(c->u_B + work->model->systems[s].u_offset, body->v);
        ss_copy3(c->frames[s].x, body->w);
    }
}

/* Numbers for this step, by position; the bodies as the step begins, with their centres for w: one line of the cache
 * each, for all that contacts ask of them. */
static void number_bodies(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    int n_systems = work->model->n_systems.count;
    ss_work_parallel_for(work, n_systems, take_centres, c);
    ss_rows_divide(&c->store, c->n);
    c->store.begins[0][0] = (ss_row_body){{0}};
    ss_work_parallel_for(work, n_systems, take_beginnings, work);
}

ss_status ss_contacts_fill(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                           double *impulse)
{
    struct ss_work_contacts *c = work->contacts;
    fill_call call = {.work = work, .worst = SS_OK};
    c->form = *form;
    c->dt = dt;
    c->u_B = u_B;
    c->forms = c->store.n_bodies > 1 && may_sweep(work, form);
    look_at_rules(work, dt);
    for (int l = 0; l < work->model->n_laws.count; l++)
        if (ss_element_rule(&work->model->elements[work->model->laws[l].element]))
            work->laws[l].displaced = ss_work_is_displaced(work, form, l);
    SS_TRY(ss_rows_reserve(&c->store, work->model->context, c->store.n_bodies, work->model->n_u,
                           c->n));
    if (c->forms)
        number_bodies(work);
    ss_work_parallel_for(work, c->n, fill_some, &call);
    SS_TRY((ss_status)atomic_load(&call.worst));
    c->forms = call.swept;
    c->any_body = call.body;
    drop_inactive(c);
    return call.general ? ss_contact_blocks_add(work, false, impulse) : SS_OK;
}

/* ---- First guess ---- */

const ss_contact *ss_contact_before(const ss_contact *wanted, const ss_contact *before, int n,
                                    int *from)
{
    while (*from < n && (before[*from].a < wanted->a ||
                         (before[*from].a == wanted->a && before[*from].b < wanted->b)))
        ++*from;
    for (int k = *from; k < n && before[k].a == wanted->a && before[k].b == wanted->b; k++)
        if (before[k].feature == wanted->feature)
            return &before[k];
    return NULL;
}

/* The first of the contacts that is not before another one. */
static int first_from(const ss_contact *contacts, int n, const ss_contact *wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ss_contact *k = &contacts[middle];
        if (k->a < wanted->a || (k->a == wanted->a && k->b < wanted->b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct guess_call {
    ss_work *work;
    const ss_state *B;
} guess_call;

/* Impulses of the last step. Driven bodies move as they do at the end of the step. */
static void guess_some(void *user, int begin, int end)
{
    const double none[3] = {0};
    const guess_call *call = user;
    ss_work *work = call->work;
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = call->B ? ss_state_contacts(call->B) : NULL;
    int n = call->B ? ss_state_contact_count(call->B) : 0;
    int from = begin < end ? first_from(before, n, &c->found[begin]) : 0;
    for (int i = begin; i < end; i++) {
        ss_row_contact *t = &c->store.contacts[i];
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        if (t->form == SS_ROW_GENERAL) {
            ss_contact_blocks_guess(work, i, old ? old->P : none, old ? old->L : none);
            continue;
        }
        if (old)
            ss_copy3(old->P, t->P);
        ss_work_contact_drive(work, i, work->inclusion.u_free, t->bias);
    }
}

ss_status ss_contacts_guess(ss_work *work, const ss_state *B)
{
    ss_work_parallel_for(work, work->contacts->n, guess_some, &(guess_call){work, B});
    return SS_OK;
}
