/* candidates.c: contacts that are followed: which, their entries in the table, what states know of them. */
#include "assembly/sources/candidates.h"

#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contact_element.h"
#include "assembly/sources/contacts.h"
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"
#include "model/body.h"

#include <math.h>
#include <string.h>

/* ---- Which ---- */

/* A shape as it is followed: over a whole run a box on a mesh is one, too. */
static const ss_shape *shape_of(const ss_work *work, int s, int other)
{
    const ss_placed *shapes = work->model->shapes;
    return work->candidates->follow == SS_FOLLOW_RUN &&
                   ss_points_need_mesh(&shapes[s].shape, &shapes[other].shape)
               ? &work->candidates->meshes[s]
               : &shapes[s].shape;
}

static ss_status make_mesh(ss_work *work, int s, int other)
{
    ss_shape *mesh = &work->candidates->meshes[s];
    const ss_placed *shapes = work->model->shapes;
    if (mesh->self || !ss_points_need_mesh(&shapes[s].shape, &shapes[other].shape))
        return SS_OK;
    return ss_points_make_mesh(work->model->context, &shapes[s].shape, mesh);
}

static ss_points points_of(const ss_work *work, const ss_candidate *pair)
{
    if (pair->held > 0)
        return (ss_points){.count = pair->held};
    if (pair->points)
        return (ss_points){.count = __builtin_popcount(pair->points)};
    return ss_shapes_points(shape_of(work, pair->a, pair->b), shape_of(work, pair->b, pair->a));
}

static ss_status refuse(const ss_model *model, int a, int b)
{
    const ss_placed *A = &model->shapes[a], *B = &model->shapes[b];
    bool mesh = ss_shape_mesh(&A->shape) || ss_shape_mesh(&B->shape);
    return ss_fail_at(model->context, SS_UNSUPPORTED, A->object.where,
                      "%s and %s: contacts of '%s' and '%s' cannot be followed through time%s; "
                      "'simulation: {type: constant}' finds them anew in every step",
                      A->object.owner, B->object.owner, A->shape.ops->type.name,
                      B->shape.ops->type.name,
                      mesh ? " (on a mesh those of spheres, boxes, hulls and meshes can)" : "");
}

/* Rows and laws of one more pair of a run. */
static ss_status count_pair(ss_work *work, const ss_candidate *pair)
{
    enum { MOST_LAWS = 20000 };
    const ss_element *rule = &work->model->elements[pair->rule];
    ss_state_space *space = &work->candidates->space;
    SS_TRY(make_mesh(work, pair->a, pair->b));
    SS_TRY(make_mesh(work, pair->b, pair->a));
    ss_points points = points_of(work, pair);
    if (points.count == 0)
        return refuse(work->model, pair->a, pair->b);
    for (int i = 0; i < rule->n_laws; i++)
        space->rows += points.count * work->model->laws[rule->laws[i]].dim;
    space->laws += points.count * rule->n_laws;
    space->points += points.by_feature ? points.count : 0;
    if (space->laws <= MOST_LAWS)
        return SS_OK;
    return ss_fail(
        work->model->context, SS_UNSUPPORTED,
        "simulation: so many shapes can meet that following each contact through time needs "
        "more than %d laws; type 'constant' finds them anew in every step",
        MOST_LAWS);
}

/* Every two shapes that may meet: counted first, then listed. */
static ss_status list_all(ss_work *work, bool list)
{
    const ss_model *model = work->model;
    struct ss_candidates *c = work->candidates;
    c->n = 0;
    for (int a = 0; a < model->n_shapes.count; a++)
        for (int b = a + 1; b < model->n_shapes.count; b++) {
            const ss_placed *A = &model->shapes[a], *B = &model->shapes[b];
            int rule = model->rule[A->material_index * model->n_materials + B->material_index];
            ss_candidate pair = {.a = a, .b = b, .rule = rule};
            bool apart = ss_placed_apart(model, A, B) ||
                         (ss_placed_is_still(model, A) && ss_placed_is_still(model, B));
            if (rule < 0 || apart)
                continue;
            if (list)
                c->pairs[c->n] = pair;
            else
                SS_TRY(count_pair(work, &pair));
            c->n++;
        }
    return SS_OK;
}

/* Laws that many contacts press belong to none of them. */
static ss_status check_loads(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l],
                     *normal = law->scale_from < 0 ? law : &model->laws[law->scale_from];
        if (normal->element != law->element && ss_element_rule(&model->elements[normal->element]))
            return ss_fail_at(model->context, SS_UNSUPPORTED, law->object.where,
                              "%s: it is pressed by '%s', which stands for many contacts",
                              law->object.owner, normal->object.name);
    }
    return SS_OK;
}

/* A step has as many as contacts can be found. */
static void count_most(const ss_model *model, ss_state_space *space)
{
    int rows = 0, laws = 0;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *rule = &model->elements[e];
        rows = ss_element_rule(rule) && rule->rows > rows ? rule->rows : rows;
        laws = ss_element_rule(rule) && rule->n_laws > laws ? rule->n_laws : laws;
    }
    space->rows = rows * model->contact_capacity;
    space->laws = laws * model->contact_capacity;
}

ss_status ss_candidates_create(ss_work *work, ss_follow follow)
{
    const ss_model *model = work->model;
    struct ss_candidates *c;
    if (follow == SS_FOLLOW_NONE || model->contact_capacity == 0)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &c));
    c->follow = follow;
    work->candidates = c;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_shapes.count, &c->meshes));
    if (follow == SS_FOLLOW_RUN) {
        SS_TRY(list_all(work, false));
        SS_TRY(SS_ARENA_NEW(&work->arena, c->n, &c->pairs));
        SS_TRY(list_all(work, true));
    } else {
        count_most(model, &c->space);
        SS_TRY(SS_ARENA_NEW(&work->arena, model->contact_capacity, &c->pairs));
        SS_TRY(SS_ARENA_NEW(&work->arena, model->contact_capacity, &c->found));
    }
    return check_loads(model);
}

void ss_candidates_destroy(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; work->candidates && work->candidates->meshes && s < model->n_shapes.count; s++)
        ss_points_release_mesh(model->context, &work->candidates->meshes[s]);
}

ss_state_space ss_work_state_space(const ss_work *work)
{
    return work->candidates ? work->candidates->space : (ss_state_space){0};
}

/* ---- The table ---- */

/* A table on its way. */
typedef struct maker {
    ss_work *work;
    ss_element *elements;
    ss_law *laws;
    ss_table *to; /* counts what it has so far */
} maker;

/* Half the least extent of both shapes; of a mesh, which may be a thin surface, there is none. */
static double reach(const ss_contact_pair *pair)
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++) {
        const ss_shape *shape = pair->shapes[k];
        ss_bounds box;
        if (!shape->ops->support)
            continue;
        shape->ops->bounds(shape->self, &ss_pose_here, &box);
        for (int i = 0; i < 3; i++)
            least = fmin(least, (box.high[i] - box.low[i]) / 2);
    }
    return least;
}

/* Largest distance of a corner of the box around a shape from the origin of its system. */
static double arm(const ss_shape *shape, const ss_placed *placed)
{
    ss_bounds box;
    double square = 0;
    if (placed->system < 0)
        return 0;
    shape->ops->bounds(shape->self, placed->at, &box);
    for (int i = 0; i < 3; i++)
        square += fmax(box.low[i] * box.low[i], box.high[i] * box.high[i]);
    return sqrt(square);
}

static void describe_pair(const ss_work *work, const ss_candidate *given, ss_contact_pair *pair)
{
    *pair = (ss_contact_pair){
        .model = work->model,
        .a = given->a,
        .b = given->b,
        .shapes = {shape_of(work, given->a, given->b), shape_of(work, given->b, given->a)},
        .rule = given->rule,
        .held = given->held > 0,
        .some = given->points != 0,
        .points = points_of(work, given)};
    pair->reach = reach(pair);
    if (pair->points.depth != 0) { /* how far shapes may move in a step */
        pair->reach = fmin(pair->reach, pair->points.depth / 2);
        pair->arm[0] = arm(pair->shapes[0], &work->model->shapes[pair->a]);
        pair->arm[1] = arm(pair->shapes[1], &work->model->shapes[pair->b]);
    }
    for (int k = 0, n = 0; given->points && n < pair->points.count; k++)
        if (given->points >> k & 1)
            pair->number[n++] = k;
}

static void connect(ss_contact_pair *pair, ss_connected *connected)
{
    int shapes[2] = {pair->a, pair->b};
    for (int side = 0; side < 2; side++) {
        int s = pair->model->shapes[shapes[side]].system;
        pair->local[side] = s < 0 ? -1 : connected->count;
        if (s < 0)
            continue;
        int capacity = 6 * pair->model->systems[s].nu;
        pair->capacity_V = capacity > pair->capacity_V ? capacity : pair->capacity_V;
        if (side == 1 && s == pair->model->shapes[pair->a].system) /* another frame of it */
            pair->local[1] = pair->local[0];
        else
            connected->systems[connected->count++] = s;
    }
}

/* Copies of the laws of a rule for one point. Friction follows the copy of the normal law. */
static void add_laws(maker *m, const ss_element *rule, int point, int *numbers)
{
    const ss_model *model = m->work->model;
    for (int i = 0; i < rule->n_laws; i++)
        numbers[i] = m->to->n_laws + i;
    for (int i = 0; i < rule->n_laws; i++) {
        ss_law *law = &m->laws[m->to->n_laws++];
        *law = model->laws[rule->laws[i]];
        int from = law->scale_from;
        for (int k = 0; from >= 0 && k < rule->n_laws; k++)
            if (rule->laws[k] == from)
                law->scale_from = numbers[k];
        law->element = m->to->n_elements;
        law->row += point * rule->rows;
        law->offset = m->to->n_rows;
        m->to->n_rows += law->dim;
    }
}

static ss_status add_pair(maker *m, const ss_candidate *given)
{
    const ss_element *rule = &m->work->model->elements[given->rule];
    ss_element *element = &m->elements[m->to->n_elements];
    ss_arena *arena = &m->work->table_arena;
    ss_contact_pair *pair;
    SS_TRY(SS_ARENA_NEW(arena, 1, &pair));
    describe_pair(m->work, given, pair);
    int count = pair->points.count;
    *element = *rule;
    element->ops = &ss_contact_element_ops;
    element->rule = NULL;
    element->object.self = pair;
    element->connected = (ss_connected){.capacity = 2};
    element->restitution = (ss_matrix){0};
    element->rows = count * rule->rows;
    element->n_laws = count * rule->n_laws;
    SS_TRY(SS_ARENA_NEW(arena, 2, &element->connected.systems));
    SS_TRY(SS_ARENA_NEW(arena, element->n_laws, &element->laws));
    connect(pair, &element->connected);
    element->object.cache_size = ss_contact_cache_size(pair);
    for (int k = 0; k < count; k++)
        add_laws(m, rule, k, element->laws + k * rule->n_laws);
    m->to->n_element_rows += element->rows;
    m->to->n_elements++;
    return SS_OK;
}

/* A rule that candidates stand for has no say of its own. */
static void silence_rules(maker *m)
{
    for (int l = 0; l < m->to->n_laws; l++)
        if (ss_element_rule(&m->elements[m->laws[l].element])) {
            m->laws[l].flags &= SS_LAW_CONSTANT_SET;
            m->laws[l].object.formulas = NULL;
        }
}

ss_status ss_candidates_fill_table(ss_work *work)
{
    const ss_model *model = work->model;
    const struct ss_candidates *c = work->candidates;
    maker m = {.work = work, .to = &work->table};
    int n_laws = model->n_laws.count;
    work->table = (ss_table){.n_elements = model->n_elements.count,
                             .n_laws = n_laws,
                             .n_rows = model->n_rows,
                             .n_element_rows = model->n_element_rows,
                             .elements = model->elements,
                             .laws = model->laws};
    if (!c)
        return SS_OK;
    for (int i = 0; i < c->n; i++)
        n_laws += points_of(work, &c->pairs[i]).count * model->elements[c->pairs[i].rule].n_laws;
    SS_TRY(SS_ARENA_NEW(&work->table_arena, work->table.n_elements + c->n, &m.elements));
    SS_TRY(SS_ARENA_NEW(&work->table_arena, n_laws, &m.laws));
    memcpy(m.elements, model->elements, (size_t)work->table.n_elements * sizeof *m.elements);
    memcpy(m.laws, model->laws, (size_t)work->table.n_laws * sizeof *m.laws);
    silence_rules(&m);
    for (int i = 0; i < c->n; i++)
        SS_TRY(add_pair(&m, &c->pairs[i]));
    work->table.elements = m.elements;
    work->table.laws = m.laws;
    work->candidates->all = work->table;
    return SS_OK;
}

/* ---- From step to step ---- */

static ss_candidate_point *points_at(const ss_work *work, int e)
{
    return ss_candidate_points(work->elements[e].at.cache);
}

void ss_candidates_recall(ss_work *work, ss_state *state)
{
    const double *features = ss_state_features(state);
    ss_rules_reset(work, 1, state); /* candidates stand for them */
    for (int e = work->model->n_elements.count; e < work->table.n_elements; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&work->table.elements[e]);
        ss_candidate_point *points = points_at(work, e);
        for (int k = 0; k < pair->points.count; k++) {
            points[k].axis = -1; /* tangents are those of the state, whatever was there before */
            if (!pair->points.by_feature)
                continue;
            points[k].named = *features > 0;
            if (*features > 0)
                points[k].contact.feature = (uint32_t)(*features - 1);
            features++;
        }
    }
}

/* ---- Of one step ---- */

/* Pairs of few contacts that are there at any pose have gaps that are exact everywhere: those of their contacts that are
 * within reach, bit by bit. Of other pairs, 0, the contacts that were detected are held. */
static unsigned near_points(const ss_work *work, const ss_contact *contact)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_shape *a = &work->model->shapes[contact->a].shape,
                   *b = &work->model->shapes[contact->b].shape;
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

/* Pairs of the contacts that were detected; false: they are those of the table. */
static bool find_pairs(ss_work *work)
{
    struct ss_candidates *x = work->candidates;
    const struct ss_work_contacts *c = work->contacts;
    x->n_found = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *contact = &c->found[i];
        ss_candidate *last = x->n_found > 0 ? &x->found[x->n_found - 1] : NULL;
        if (last && last->a == contact->a && last->b == contact->b) {
            last->held += last->points == 0;
            continue;
        }
        unsigned points = near_points(work, contact);
        x->found[x->n_found++] =
            (ss_candidate){contact->a, contact->b, contact->element, points == 0, points};
    }
    bool same = x->n_found == x->n;
    for (int i = 0; i < x->n && same; i++) {
        const ss_candidate *a = &x->found[i], *b = &x->pairs[i];
        same = a->a == b->a && a->b == b->b && a->rule == b->rule && a->held == b->held &&
               a->points == b->points;
    }
    return !same;
}

/* Where everything is when the step begins: held contacts as they were detected, tangents anew. */
static ss_status place_contacts(ss_work *work, const ss_state *B)
{
    const struct ss_work_contacts *c = work->contacts;
    int i = 0;
    SS_TRY(ss_work_evaluate_geometry(work, ss_state_time(B), ss_state_q(B)));
    SS_TRY(ss_work_gaps(work));
    for (int e = work->model->n_elements.count; e < work->table.n_elements; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&work->table.elements[e]);
        for (int k = 0; k < pair->points.count; k++) {
            points_at(work, e)[k].axis = -1;
            if (pair->held)
                ss_contact_hold(pair, work->elements[e].at.cache, k, &c->found[i + k]);
        }
        while (i < c->n && c->found[i].a == pair->a && c->found[i].b == pair->b)
            i++;
    }
    return ss_work_gaps(work);
}

/* Impulse and mode of one law of a contact, from the contact of the step before; NULL: it was open. */
static void load_law(const ss_work *work, int l, int rule_law, ss_candidate_point *point,
                     const ss_contact *old, ss_state *B)
{
    const ss_law *law = &work->table.laws[l], *given = &work->model->laws[rule_law];
    const ss_element *rule = &work->model->elements[given->element];
    double *P = ss_state_edit_P(B) + law->offset;
    for (int row = 0; row < law->dim; row++) {
        ss_contact_direction to = ss_contact_row_direction(
            ss_element_rule(rule), law->group, given->row + row - rule->groups[law->group].row,
            point->contact.n, point->t);
        P[row] = old ? ss_dot3(to.couple ? old->L : old->P, to.d) / ss_dot3(to.d, to.d) : 0;
    }
    const bool free[SS_RULE_GROUPS] = {false, old && old->slips, old && old->spins,
                                       old && old->rolls, old && old->slips};
    ss_state_edit_mode(B)[l] = old && old->closed && !free[law->group] ? 0 : 1;
}

static void load_contacts(const ss_work *work, ss_state *B)
{
    const ss_contact *before = ss_state_contacts(B);
    int n = ss_state_contact_count(B), from = 0;
    for (int e = work->model->n_elements.count; e < work->table.n_elements; e++) {
        const ss_element *element = &work->table.elements[e];
        const ss_contact_pair *pair = ss_element_contact_pair(element);
        const ss_element *rule = &work->model->elements[pair->rule];
        for (int k = 0; k < pair->points.count; k++) {
            ss_candidate_point *point = &points_at(work, e)[k];
            ss_contact wanted = {.a = pair->a, .b = pair->b, .feature = point->contact.feature};
            const ss_contact *old = ss_contact_before(&wanted, before, n, &from);
            for (int i = 0; i < rule->n_laws; i++)
                load_law(work, element->laws[k * rule->n_laws + i], rule->laws[i], point, old, B);
        }
    }
}

uint64_t ss_candidates_hash(const ss_work *work)
{
    const struct ss_candidates *c = work->candidates;
    uint64_t hash = SS_HASH_START;
    for (int i = 0; c->follow != SS_FOLLOW_RUN && i < c->n; i++) {
        hash = ss_hash_number(hash, (uint64_t)c->pairs[i].a);
        hash = ss_hash_number(hash, (uint64_t)c->pairs[i].b);
        hash = ss_hash_number(hash, (uint64_t)c->pairs[i].held);
        hash = ss_hash_number(hash, c->pairs[i].points);
    }
    return hash;
}

ss_status ss_candidates_collect(ss_work *work, double dt, ss_state *B, bool *changed)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT}; /* what closes within the step, too */
    struct ss_candidates *c = work->candidates;
    SS_TRY(ss_work_evaluate_geometry(work, ss_state_time(B), ss_state_q(B)));
    SS_TRY(ss_work_detect(work, &early, dt, ss_state_u(B)));
    *changed = find_pairs(work);
    if (*changed) {
        ss_candidate *old = c->pairs;
        c->pairs = c->found;
        c->found = old;
        c->n = c->n_found;
        SS_TRY(ss_work_lay_out_table(work));
    }
    work->table = c->all;
    ss_rules_reset(work, 1, B);
    SS_TRY(place_contacts(work, B));
    load_contacts(work, B);
    return SS_OK;
}

/* ---- What states say of the model ---- */

static void add_impulse(const ss_element *rule, const ss_law *law, int first, const double *P,
                        ss_candidate_point *point, ss_contact *contact)
{
    for (int row = 0; row < law->dim; row++) {
        ss_contact_direction to = ss_contact_row_direction(ss_element_rule(rule), law->group,
                                                           first + row, point->contact.n, point->t);
        double *sum = to.couple ? contact->L : contact->P;
        for (int k = 0; k < 3; k++)
            sum[k] += P[law->offset + row] * to.d[k];
    }
}

/* One point of a pair, whose laws begin at laws[0], the normal one; false: it is open and has no impulse. */
static bool report_point(const ss_work *work, const ss_contact_pair *pair, const int *laws,
                         ss_candidate_point *point, const ss_state *state, ss_contact *contact)
{
    const ss_element *rule = &work->model->elements[pair->rule];
    const double *P = ss_state_P(state);
    bool pushed = false;
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
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->table.laws[laws[i]];
        int first = work->model->laws[rule->laws[i]].row - rule->groups[law->group].row;
        bool constraint = ss_state_mode(state)[laws[i]] == 0;
        *modes[law->group] =
            law->group == SS_GROUP_GAP ? constraint : contact->closed && !constraint;
        pushed = pushed || P[law->offset] != 0;
        add_impulse(rule, law, first, P, point, contact);
    }
    return contact->closed || pushed;
}

static void add_to_rule(const ss_work *work, const ss_element *rule, const int *laws,
                        const ss_contact *contact, ss_state *state)
{
    ss_rule_sums sums = {.element = contact->element};
    double P[SS_RULE_GROUPS][3] = {{0}};
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->table.laws[laws[i]];
        memcpy(P[law->group], ss_state_P(state) + law->offset, (size_t)law->dim * sizeof(double));
    }
    ss_rule_sums_take(&sums, contact, P);
    ss_rule_sums_add(work, &sums, state);
}

static void report_pair(const ss_work *work, int e, ss_state *state)
{
    const ss_element *element = &work->table.elements[e];
    const ss_contact_pair *pair = ss_element_contact_pair(element);
    const ss_element *rule = &work->model->elements[pair->rule];
    for (int k = 0; k < pair->points.count; k++) {
        const int *laws = element->laws + k * rule->n_laws;
        ss_candidate_point *point = &points_at(work, e)[k];
        int count = ss_state_contact_count(state);
        ss_contact contact;
        if (!point->there || !report_point(work, pair, laws, point, state, &contact))
            continue;
        add_to_rule(work, rule, laws, &contact, state);
        if (count < work->model->contact_capacity) {
            ss_state_edit_contacts(state)[count] = contact;
            ss_state_set_contact_count(state, count + 1);
        }
    }
}

ss_status ss_candidates_report(ss_work *work, ss_state *state)
{
    const ss_model *model = work->model;
    double *features = ss_state_features(state);
    SS_TRY(ss_work_evaluate_geometry(work, ss_state_time(state), ss_state_q(state)));
    SS_TRY(ss_work_gaps(work));
    ss_rules_reset(work, SS_MODE_UNKNOWN, state);
    ss_state_set_contact_count(state, 0);
    for (int e = model->n_elements.count; e < work->table.n_elements; e++) {
        const ss_contact_pair *pair = ss_element_contact_pair(&work->table.elements[e]);
        report_pair(work, e, state);
        for (int k = 0; pair->points.by_feature && k < pair->points.count; k++) {
            const ss_candidate_point *point = &points_at(work, e)[k];
            *features++ = point->there ? 1.0 + point->contact.feature : 0;
        }
    }
    ss_rules_settle(work, state);
    if (work->candidates->follow == SS_FOLLOW_STEP)
        ss_state_clear_followed(state);
    return SS_OK;
}

void ss_candidates_drop(ss_work *work)
{
    work->table.n_elements = work->model->n_elements.count;
    work->table.n_laws = work->model->n_laws.count;
    work->table.n_rows = work->model->n_rows;
}
