/* contact_element.c: the contacts of two shapes as an element. */
#include "assembly/sources/contact_element.h"

#include "assembly/sources/candidates.h"
#include "assembly/sources/contact_direction.h"
#include "geometry/vector.h"
#include "la/small.h"

#include <math.h>
#include <string.h>

const double ss_contact_absent_gap = 1e6;

/* Behind it: the points, then V of both sides. */
typedef struct contact_cache {
    ss_pose frame[2];
    ss_candidate_point points[];
} contact_cache;

size_t ss_contact_cache_size(const ss_contact_pair *pair)
{
    return sizeof(contact_cache) + (size_t)pair->points.count * sizeof(ss_candidate_point) +
           2 * (size_t)pair->capacity_V * sizeof(double);
}

ss_candidate_point *ss_candidate_points(void *cache)
{
    return ((contact_cache *)cache)->points;
}

static const ss_system *system_of(const ss_contact_pair *pair, int side)
{
    int s = pair->model->shapes[side ? pair->b : pair->a].system;
    return s < 0 ? NULL : &pair->model->systems[s];
}

static double *twist_of(const ss_contact_pair *pair, contact_cache *cache, int side)
{
    double *V = (double *)(void *)(cache->points + pair->points.count);
    return V + side * pair->capacity_V;
}

/* Where the shape of one side is; the frame of its system and V are kept. */
static void place_side(const ss_contact_pair *pair, const ss_at *at, int side, ss_pose *pose)
{
    const ss_placed *placed = &pair->model->shapes[side ? pair->b : pair->a];
    const ss_system *system = system_of(pair, side);
    contact_cache *cache = at->cache;
    *pose = *placed->at;
    if (!system)
        return;
    int k = pair->local[side];
    ss_at own = {.t = at->t, .q = &at->q[k], .u = &at->u[k], .F = &at->F[k]};
    system->ops->pose(system->object.self, &own, placed->frame, &cache->frame[side]);
    if (system->ops->twist)
        system->ops->twist(system->object.self, &own, placed->frame, twist_of(pair, cache, side));
    ss_pose_join(&cache->frame[side], placed->at, pose);
}

/* ---- Which contact is which ---- */

/* A point that has no contact, if possible one that never had. */
static ss_candidate_point *free_point(const ss_contact_pair *pair, contact_cache *cache)
{
    ss_candidate_point *free = NULL, *points = cache->points;
    for (int k = pair->points.count - 1; k >= 0; k--)
        if (!points[k].there && (!free || !points[k].named || free->named))
            free = &points[k];
    return free;
}

/* Contacts that were there last time keep their points; the others come after them, so that none takes a point
 * which is needed. */
static void assign(const ss_contact_pair *pair, contact_cache *cache, int count,
                   const ss_contact_point *contacts)
{
    bool known[SS_POINTS_MAX] = {false};
    for (int k = 0; k < pair->points.count; k++) {
        ss_candidate_point *point = &cache->points[k];
        point->there = false;
        for (int i = 0; i < count && point->named && !point->there; i++)
            if (contacts[i].feature == point->contact.feature) {
                known[i] = point->there = true;
                point->contact = contacts[i];
            }
    }
    for (int i = 0; i < count; i++) {
        ss_candidate_point *point = known[i] ? NULL : free_point(pair, cache);
        if (point)
            *point = (ss_candidate_point){
                .contact = contacts[i], .axis = -1, .there = true, .named = true};
    }
}

/* Whether there are no contacts worth looking at: the boxes around two shapes are apart by more than a tenth of the smaller
 * one's size. */
static bool are_far(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                    const ss_pose *pose_b)
{
    ss_bounds A, B;
    double apart = 0, size[2] = {0, 0};
    a->ops->bounds(a->self, pose_a, &A);
    b->ops->bounds(b->self, pose_b, &B);
    for (int i = 0; i < 3; i++) {
        apart = fmax(apart, fmax(A.low[i] - B.high[i], B.low[i] - A.high[i]));
        size[0] = fmax(size[0], A.high[i] - A.low[i]);
        size[1] = fmax(size[1], B.high[i] - B.low[i]);
    }
    return apart > 0.1 * fmin(size[0], size[1]);
}

/* ---- Contacts that are held ---- */

static const ss_pose *frame_of(const ss_contact_pair *pair, const contact_cache *cache, int side)
{
    return pair->local[side] < 0 ? &ss_pose_here : &cache->frame[side];
}

/* The body that has the surface: a plane or a mesh, else what is not round, else what does not move, else the first. */
static int normal_side(const ss_contact_pair *pair)
{
    const ss_shape_ops *a = pair->shapes[0]->ops, *b = pair->shapes[1]->ops;
    if (!a->support != !b->support)
        return a->support ? 1 : 0;
    if (!a->radius != !b->radius)
        return a->radius ? 1 : 0;
    return pair->local[1] < 0 ? 1 : 0;
}

void ss_contact_hold(const ss_contact_pair *pair, void *opaque, int k, const ss_contact *contact)
{
    contact_cache *cache = opaque;
    ss_candidate_point *point = &cache->points[k];
    *point = (ss_candidate_point){.axis = -1, .there = true};
    point->contact.feature = contact->feature;
    point->held.normal = normal_side(pair);
    ss_pose_rotate_back(frame_of(pair, cache, point->held.normal), contact->n, point->held.n);
    for (int side = 0; side < 2; side++) {
        const ss_shape *shape = pair->shapes[side];
        const ss_pose *frame = frame_of(pair, cache, side);
        double radius = shape->ops->radius ? shape->ops->radius(shape->self) : 0, p[3];
        ss_along3(contact->x, (side ? 1 : -1) * (contact->gap / 2 + radius), contact->n, p);
        ss_minus3(p, frame->x, p);
        ss_pose_rotate_back(frame, p, point->held.core[side]);
        point->held.radius[side] = radius;
    }
}

static void place_held(const ss_contact_pair *pair, const contact_cache *cache,
                       ss_candidate_point *point)
{
    ss_contact_point *contact = &point->contact;
    double core[2][3], apart[3];
    for (int side = 0; side < 2; side++)
        ss_pose_point(frame_of(pair, cache, side), point->held.core[side], core[side]);
    ss_pose_rotate(frame_of(pair, cache, point->held.normal), point->held.n, contact->n);
    ss_minus3(core[1], core[0], apart);
    contact->gap = ss_dot3(contact->n, apart) - point->held.radius[0] - point->held.radius[1];
    ss_along3(core[0], point->held.radius[0], contact->n, contact->a);
    ss_along3(core[1], -point->held.radius[1], contact->n, contact->b);
}

/* ---- Functions of the element ---- */

static void place_points(const ss_contact_pair *pair, contact_cache *cache, const ss_pose *poses)
{
    const ss_shape *a = pair->shapes[0], *b = pair->shapes[1];
    for (int k = 0; pair->held && k < pair->points.count; k++)
        place_held(pair, cache, &cache->points[k]);
    if (pair->held)
        return;
    if (pair->points.by_feature) {
        ss_contact_point contacts[SS_POINTS_MAX];
        int count =
            are_far(a, &poses[0], b, &poses[1])
                ? 0
                : ss_shapes_list_points(a, &poses[0], b, &poses[1], pair->points.count, contacts);
        assign(pair, cache, count, contacts);
        return;
    }
    for (int k = 0; k < pair->points.count; k++) {
        ss_candidate_point *point = &cache->points[k];
        int number = pair->some ? pair->number[k] : k;
        point->there = ss_shapes_place_point(a, &poses[0], b, &poses[1], number, &point->contact);
    }
}

static ss_status geometry(const void *self, const ss_at *at)
{
    const ss_contact_pair *pair = self;
    const ss_contact_rule *rule = ss_element_rule(&pair->model->elements[pair->rule]);
    contact_cache *cache = at->cache;
    ss_pose poses[2];
    for (int side = 0; side < 2; side++)
        place_side(pair, at, side, &poses[side]);
    place_points(pair, cache, poses);
    for (int k = 0; k < pair->points.count; k++) {
        ss_candidate_point *point = &cache->points[k];
        if (!point->there)
            continue;
        for (int i = 0; i < 3; i++)
            point->x[i] = (point->contact.a[i] + point->contact.b[i]) / 2;
        ss_contact_tangents(rule, pair->local[0] < 0 ? NULL : cache->frame[0].A, point->contact.n,
                            &point->axis, point->t);
    }
    return SS_OK;
}

static ss_status gap(const void *self, const ss_at *at, double *g)
{
    const ss_contact_pair *pair = self;
    int rows = pair->model->elements[pair->rule].rows;
    const ss_candidate_point *points = ss_candidate_points(at->cache);
    for (int k = 0; k < pair->points.count; k++)
        g[k * rows] = points[k].there ? points[k].contact.gap : ss_contact_absent_gap;
    return SS_OK;
}

static void fill_point(const ss_contact_pair *pair, contact_cache *cache, int side, int k,
                       double *W)
{
    const ss_element *rule = &pair->model->elements[pair->rule];
    const ss_system *system = system_of(pair, side);
    ss_candidate_point *point = &cache->points[k];
    const double *V = system->ops->twist ? twist_of(pair, cache, side) : NULL;
    bool again = side == 1 && pair->local[1] == pair->local[0]; /* both are frames of one system */
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &pair->model->laws[rule->laws[i]];
        for (int row = 0; row < law->dim; row++) {
            int first = rule->groups[law->group].row;
            ss_contact_direction to =
                ss_contact_row_direction(ss_element_rule(rule), law->group, law->row + row - first,
                                         point->contact.n, point->t);
            double *w = W + (k * rule->rows + law->row + row) * system->nu;
            (again ? ss_contact_row_add : ss_contact_row)(&cache->frame[side], V, system->nu,
                                                          point->x, &to, side ? 1 : -1, w);
        }
    }
}

static ss_status W(const void *self, const ss_at *at, double *const *W)
{
    const ss_contact_pair *pair = self;
    int rows = pair->model->elements[pair->rule].rows * pair->points.count;
    contact_cache *cache = at->cache;
    for (int side = 0; side < 2; side++) {
        const ss_system *system = system_of(pair, side);
        if (!system)
            continue;
        double *w = W[pair->local[side]];
        if (side == 0 || pair->local[1] != pair->local[0])
            memset(w, 0, (size_t)(rows * system->nu) * sizeof *w);
        for (int k = 0; k < pair->points.count; k++)
            if (cache->points[k].there)
                fill_point(pair, cache, side, k, w);
    }
    return SS_OK;
}

const ss_element_ops ss_contact_element_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "contacts", "The contacts of two shapes.",
             sizeof(ss_contact_pair), NULL},
    .geometry = geometry,
    .gap = gap,
    .W = W,
};

/* ---- Contacts that come and go ---- */

bool ss_work_absent(const ss_work *work, int l)
{
    const ss_law *law = &work->table.laws[l];
    return law->kind == SS_GEOMETRIC &&
           ss_element_contact_pair(&work->table.elements[law->element]) &&
           work->elements[law->element].g[law->row] >= ss_contact_absent_gap;
}

bool ss_work_may_vanish(const ss_work *work, int l)
{
    const ss_law *law = &work->table.laws[l];
    const ss_contact_pair *pair = ss_element_contact_pair(&work->table.elements[law->element]);
    return law->kind == SS_GEOMETRIC && pair && pair->points.by_feature;
}

bool ss_work_contacts_vanish(const ss_work *work)
{
    for (int l = 0; l < work->table.n_laws; l++)
        if (ss_work_may_vanish(work, l))
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
    double least = INFINITY;
    for (int e = work->model->n_elements.count; e < work->table.n_elements; e++) {
        const ss_element *element = &work->table.elements[e];
        const ss_contact_pair *pair = ss_element_contact_pair(element);
        if (!pair->points.by_feature)
            continue;
        double v = motion(work->model, element, u), rate = motion(work->model, element, a);
        double h = 2 * pair->reach / (v + sqrt(v * v + 2 * rate * pair->reach)); /* v h + a h²/2 */
        least = fmin(least, h);
    }
    return least;
}
