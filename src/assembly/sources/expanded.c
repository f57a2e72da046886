/* expanded.c: makes the elements of contacts. */
#include "assembly/sources/expanded.h"

#include "assembly/sources/contact_element.h"
#include "geometry/mesh/mesh.h"
#include "model/body.h"

#include <math.h>
#include <string.h>

/* What is being made, and where. */
typedef struct maker {
    ss_expanded *to;
    const ss_model *of;
    int element, law; /* next */
    int *moved;       /* by laws of `of`: where it is now */
    bool given;       /* these pairs only, for one step */
    int n_pairs;
    const ss_step_pair *pairs;
} maker;

typedef ss_status (*pair_fn)(maker *m, const ss_step_pair *pair);

static bool is_still(const ss_model *model, int s)
{
    return s < 0 || (model->systems[s].body && model->systems[s].body->still);
}

/* Calls for every two shapes that may meet. */
static ss_status each_pair(maker *m, pair_fn call)
{
    const ss_model *of = m->of;
    for (int i = 0; i < m->n_pairs; i++)
        SS_TRY(call(m, &m->pairs[i]));
    for (int a = 0; !m->given && a < of->n_shapes.count; a++)
        for (int b = a + 1; b < of->n_shapes.count; b++) {
            const ss_placed *A = &of->shapes[a], *B = &of->shapes[b];
            int rule = of->rule[A->material_index * of->n_materials + B->material_index];
            bool apart = A->frame_index == B->frame_index ||
                         (is_still(of, A->system) && is_still(of, B->system));
            if (rule >= 0 && !apart)
                SS_TRY(call(m, &(ss_step_pair){.a = a, .b = b, .rule = rule}));
        }
    return SS_OK;
}

/* ---- Shapes as they are followed ---- */

static const ss_shape *followed(const maker *m, int s, int other)
{
    const ss_placed *shapes = m->of->shapes;
    return !m->given && ss_points_need_mesh(&shapes[s].shape, &shapes[other].shape)
               ? &m->to->meshes[s]
               : &shapes[s].shape;
}

static ss_status make_mesh(maker *m, int s, int other)
{
    ss_shape *mesh = &m->to->meshes[s];
    const ss_shape *shape = &m->of->shapes[s].shape;
    if (mesh->self || !ss_points_need_mesh(shape, &m->of->shapes[other].shape))
        return SS_OK;
    return ss_points_make_mesh(m->of->context, shape, mesh);
}

static ss_status make_meshes(maker *m, const ss_step_pair *pair)
{
    SS_TRY(make_mesh(m, pair->a, pair->b));
    return make_mesh(m, pair->b, pair->a);
}

static ss_points points_of(const maker *m, const ss_step_pair *pair)
{
    if (pair->held > 0)
        return (ss_points){.count = pair->held};
    if (pair->points)
        return (ss_points){.count = __builtin_popcount(pair->points)};
    return ss_shapes_points(followed(m, pair->a, pair->b), followed(m, pair->b, pair->a));
}

/* ---- How many ---- */

static ss_status refuse(const ss_model *of, int a, int b)
{
    const ss_placed *A = &of->shapes[a], *B = &of->shapes[b];
    bool mesh = ss_shape_mesh(&A->shape) || ss_shape_mesh(&B->shape);
    return ss_fail_at(of->context, SS_UNSUPPORTED, A->object.where,
                      "%s and %s: contacts of '%s' and '%s' cannot be followed through time%s; "
                      "'simulation: {type: constant}' finds them anew in every step",
                      A->object.owner, B->object.owner, A->shape.ops->type.name,
                      B->shape.ops->type.name,
                      mesh ? " (on a mesh those of spheres, boxes, hulls and meshes can)" : "");
}

static ss_status count_pair(maker *m, const ss_step_pair *pair)
{
    enum { MOST_LAWS = 20000 };
    const ss_model *of = m->of;
    ss_points points = points_of(m, pair);
    if (points.count == 0)
        return refuse(of, pair->a, pair->b);
    m->element++;
    m->law += points.count * of->elements[pair->rule].n_laws;
    if (m->law <= MOST_LAWS || m->given)
        return SS_OK;
    return ss_fail(
        of->context, SS_UNSUPPORTED,
        "simulation: so many shapes can meet that following each contact through time needs "
        "more than %d laws; type 'constant' finds them anew in every step",
        MOST_LAWS);
}

static void count_kept(maker *m)
{
    for (int e = 0; e < m->of->n_elements.count; e++)
        if (!ss_element_rule(&m->of->elements[e])) {
            m->element++;
            m->law += m->of->elements[e].n_laws;
        }
}

/* ---- Elements ---- */

/* A copy of law l of `of`, for the element that is being made. */
static void add_law(maker *m, int l, int point)
{
    ss_law *law = &m->to->model.laws[m->law];
    *law = m->of->laws[l];
    law->element = m->element;
    law->offset = m->to->model.n_rows;
    m->to->model.n_rows += law->dim;
    m->to->law[m->law] = l;
    m->to->point[m->law] = point;
    if (point >= 0)
        law->row += point * m->of->elements[m->of->laws[l].element].rows;
    m->moved[l] = m->law++;
}

/* Friction follows the copy of the normal law. */
static ss_status connect(maker *m, int from)
{
    for (int l = from; l < m->law; l++) {
        ss_law *law = &m->to->model.laws[l];
        if (law->scale_from < 0)
            continue;
        const ss_law *normal = &m->of->laws[law->scale_from];
        bool rule = ss_element_rule(&m->of->elements[normal->element]) != NULL;
        if (rule && normal->element != m->of->laws[m->to->law[l]].element)
            return ss_fail_at(m->of->context, SS_UNSUPPORTED, law->object.where,
                              "%s: it is pressed by '%s', which stands for many contacts",
                              law->object.owner, normal->object.name);
        law->scale_from = m->moved[law->scale_from];
    }
    return SS_OK;
}

static void finish_element(maker *m)
{
    ss_element *element = &m->to->model.elements[m->element];
    element->row_offset = m->to->model.n_element_rows;
    m->to->model.n_element_rows += element->rows;
    m->element++;
}

static ss_status keep_elements(maker *m)
{
    for (int e = 0; e < m->of->n_elements.count; e++) {
        const ss_element *old = &m->of->elements[e];
        ss_element *element = &m->to->model.elements[m->element];
        if (ss_element_rule(old))
            continue;
        *element = *old;
        SS_TRY(SS_ARENA_NEW(&m->to->model.arena, old->n_laws, &element->laws));
        for (int i = 0; i < old->n_laws; i++) {
            element->laws[i] = m->law;
            add_law(m, old->laws[i], -1);
        }
        finish_element(m);
    }
    return connect(m, 0);
}

static void contact(ss_contact_pair *pair, ss_element *element)
{
    int shapes[2] = {pair->a, pair->b};
    for (int side = 0; side < 2; side++) {
        int s = pair->model->shapes[shapes[side]].system;
        pair->local[side] = s < 0 ? -1 : element->connected.count;
        if (s < 0)
            continue;
        int capacity = 6 * pair->model->systems[s].nu;
        pair->capacity_V = capacity > pair->capacity_V ? capacity : pair->capacity_V;
        if (side == 1 && s == pair->model->shapes[pair->a].system) /* another frame of it */
            pair->local[1] = pair->local[0];
        else
            element->connected.systems[element->connected.count++] = s;
    }
}

/* Half the least extent of both shapes; of a mesh, which may be a thin surface, there is none. */
static double reach(const ss_shape *a, const ss_shape *b)
{
    const ss_shape *both[2] = {a, b};
    double least = INFINITY;
    for (int k = 0; k < 2; k++) {
        ss_bounds box;
        if (!both[k]->ops->support)
            continue;
        both[k]->ops->bounds(both[k]->self, &ss_pose_here, &box);
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

/* How far shapes may move in a step. */
static void limit(const ss_model *of, ss_contact_pair *pair)
{
    pair->reach = reach(pair->shapes[0], pair->shapes[1]);
    if (pair->points.depth == 0)
        return;
    pair->reach = fmin(pair->reach, pair->points.depth / 2);
    pair->arm[0] = arm(pair->shapes[0], &of->shapes[pair->a]);
    pair->arm[1] = arm(pair->shapes[1], &of->shapes[pair->b]);
}

static ss_status add_pair(maker *m, const ss_step_pair *given)
{
    int a = given->a, b = given->b;
    const ss_element *old = &m->of->elements[given->rule];
    ss_element *element = &m->to->model.elements[m->element];
    ss_arena *arena = &m->to->model.arena;
    ss_contact_pair *pair;
    SS_TRY(SS_ARENA_NEW(arena, 1, &pair));
    *pair = (ss_contact_pair){.model = m->of,
                              .a = a,
                              .b = b,
                              .shapes = {followed(m, a, b), followed(m, b, a)},
                              .rule = given->rule,
                              .held = given->held > 0,
                              .some = given->points != 0,
                              .points = points_of(m, given)};
    limit(m->of, pair);
    int count = pair->points.count;
    for (int k = 0, n = 0; given->points && n < count; k++)
        if (given->points >> k & 1)
            pair->number[n++] = k;
    *element = *old;
    element->ops = &ss_contact_element_ops;
    element->rule = NULL;
    element->object.self = pair;
    element->connected = (ss_connected){.capacity = 2};
    element->restitution = (ss_matrix){0};
    element->rows = count * old->rows;
    element->n_laws = count * old->n_laws;
    SS_TRY(SS_ARENA_NEW(arena, 2, &element->connected.systems));
    SS_TRY(SS_ARENA_NEW(arena, element->n_laws, &element->laws));
    contact(pair, element);
    element->object.cache_size = ss_contact_cache_size(pair);
    for (int k = 0; k < count; k++) {
        int from = m->law;
        for (int i = 0; i < old->n_laws; i++) {
            element->laws[k * old->n_laws + i] = m->law;
            add_law(m, old->laws[i], k);
        }
        SS_TRY(connect(m, from));
    }
    m->to->n_points += pair->points.by_feature ? count : 0;
    finish_element(m);
    return SS_OK;
}

static ss_status fill(maker *m)
{
    ss_model *model = &m->to->model;
    SS_TRY(SS_ARENA_NEW(&model->arena, m->of->n_shapes.count, &m->to->meshes));
    if (!m->given)
        SS_TRY(each_pair(m, make_meshes));
    SS_TRY(each_pair(m, count_pair));
    count_kept(m);
    model->n_elements = (ss_list){m->element, m->element};
    model->n_laws = (ss_list){m->law, m->law};
    SS_TRY(SS_ARENA_NEW(&model->arena, m->element, &model->elements));
    SS_TRY(SS_ARENA_NEW(&model->arena, m->law, &model->laws));
    SS_TRY(SS_ARENA_NEW(&model->arena, m->law, &m->to->law));
    SS_TRY(SS_ARENA_NEW(&model->arena, m->law, &m->to->point));
    SS_TRY(SS_ARENA_NEW(&model->arena, m->of->n_laws.count, &m->moved));
    m->element = m->law = 0;
    SS_TRY(keep_elements(m));
    return each_pair(m, add_pair);
}

static ss_status expand(maker *m, ss_expanded **expanded)
{
    const ss_model *of = m->of;
    void *memory;
    *expanded = NULL;
    SS_TRY(ss_allocate(of->context, 1, sizeof(ss_expanded), &memory));
    ss_expanded *to = memory;
    to->of = of;
    to->model = *of;
    to->model.contact_capacity = 0;
    to->model.n_shapes = (ss_list){0};
    to->model.n_rows = to->model.n_element_rows = 0;
    ss_arena_init(&to->model.arena, of->context);
    m->to = to;
    ss_status status = fill(m);
    if (status != SS_OK) {
        ss_expanded_destroy(to);
        return status;
    }
    *expanded = to;
    return SS_OK;
}

ss_status ss_model_expand(const ss_model *of, ss_expanded **expanded)
{
    return expand(&(maker){.of = of}, expanded);
}

ss_status ss_model_expand_pairs(const ss_model *of, int n, const ss_step_pair *pairs,
                                ss_expanded **expanded)
{
    return expand(&(maker){.of = of, .given = true, .n_pairs = n, .pairs = pairs}, expanded);
}

void ss_expanded_destroy(ss_expanded *expanded)
{
    if (!expanded)
        return;
    for (int s = 0; expanded->meshes && s < expanded->of->n_shapes.count; s++)
        ss_points_release_mesh(expanded->of->context, &expanded->meshes[s]);
    ss_arena_release(&expanded->model.arena);
    ss_release(expanded->of->context, expanded);
}
