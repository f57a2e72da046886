/* contacts.c: finds the contacts of shapes at a configuration. */
#include "assembly/sources/contacts.h"

#include "assembly/sources/candidates.h"
#include "assembly/sources/contact_direction.h"
#include "geometry/vector.h"
#include "model/body.h"

#include <math.h>
#include <string.h>

/* Whether (v, ω) is not u itself. */
static bool has_twist(const ss_system *system)
{
    bool itself = system->body && system->body->frame == SS_FRAME_INERTIAL;
    return system->ops->pose && system->ops->twist && !itself;
}

static ss_status lay_out_poses(ss_work *work, struct ss_work_contacts *c)
{
    const ss_model *model = work->model;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_shapes.count, &c->poses));
    for (int i = 0; i < model->n_shapes.count; i++) {
        const ss_placed *placed = &model->shapes[i];
        ss_pose *own;
        if (placed->system < 0) {
            c->poses[i] = placed->at;
        } else if (placed->at == &ss_pose_here) {
            c->poses[i] = &c->frames[placed->frame_index];
        } else {
            SS_TRY(SS_ARENA_NEW(&work->arena, 1, &own));
            c->poses[i] = own;
        }
    }
    return SS_OK;
}

static ss_status lay_out(ss_work *work, struct ss_work_contacts *c)
{
    const ss_model *model = work->model;
    int n_shapes = model->n_shapes.count, n_systems = model->n_systems.count;
    int n_frames = model->n_frames;
    SS_TRY(SS_ARENA_NEW(&work->arena, n_shapes, &c->boxes));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_shapes, &c->group));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_shapes, &c->reach));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_frames, &c->frames));
    SS_TRY(lay_out_poses(work, c));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_frames, &c->V));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_systems, &c->system_body));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_shapes, &c->shape_body));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_shapes, &c->round));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &c->system_at));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->contact_capacity, &c->found));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->contact_capacity, &c->blocks));
    SS_TRY(SS_ARENA_NEW(&work->arena, c->capacity_blocks, &c->block_contact));
    for (int i = 0; i < n_shapes; i++)
        c->reach[i] = -1; /* not known yet */
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_elements.count, &c->rules));
    c->rules_dt = NAN;
    for (int s = 0; s < n_systems; s++)
        if (model->systems[s].nu > 0)
            c->system_at[model->systems[s].u_offset] = s;
    for (int s = 0; s < n_systems; s++)
        for (int k = 0; k < ss_system_frames(&model->systems[s]); k++)
            if (has_twist(&model->systems[s]))
                SS_TRY(SS_ARENA_NEW(&work->arena, 6 * model->systems[s].nu,
                                    &c->V[ss_model_frame(model, s, k)]));
    return ss_broad_create(model->context, &c->broad);
}

/* Bodies of the store, which get other numbers in every step. */
static void count_bodies(const ss_model *model, struct ss_work_contacts *c)
{
    c->store.n_bodies = 1;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_body *body = model->systems[s].body;
        c->system_body[s] = body && !body->still ? c->store.n_bodies++ : 0;
    }
    for (int i = 0; i < model->n_shapes.count; i++) {
        int s = model->shapes[i].system;
        const ss_body *body = s < 0 ? NULL : model->systems[s].body;
        bool still = s < 0 || (body && body->still);
        c->shape_body[i] = still ? 0 : c->system_body[s] > 0 ? c->system_body[s] : -1;
        c->round[i] = still || (body && body->round);
    }
}

ss_status ss_work_contacts_create(ss_work *work)
{
    bool follows = work->candidates != NULL;
    if (work->model->contact_capacity == 0 ||
        (follows && work->candidates->follow == SS_FOLLOW_RUN))
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &work->contacts));
    for (int l = 0; l < work->model->n_laws.count; l++) {
        const ss_law *law = &work->model->laws[l];
        work->contacts->elastic |= ss_element_rule(&work->model->elements[law->element]) &&
                                   law->kind == SS_GEOMETRIC && law->epsilon[0] != 0;
    }
    work->contacts->capacity_blocks = work->model->n_laws.count;
    work->contacts->capacity_rows = work->model->n_rows;
    work->contacts->capacity_factors = work->n_factors;
    SS_TRY(lay_out(work, work->contacts));
    count_bodies(work->model, work->contacts);
    SS_TRY(ss_speed_create(work));
    return follows ? SS_OK : ss_sleep_create(work, &work->contacts->sleep);
}

void ss_work_contacts_destroy(ss_work *work)
{
    if (!work->contacts)
        return;
    ss_work_contacts_report_speed(work);
    ss_sleep_destroy(work->contacts->sleep);
    ss_broad_destroy(work->contacts->broad);
    ss_rows_release(&work->contacts->store);
    ss_release(work->model->context, work->contacts->pool);
}

/* ---- Where the shapes are ---- */

static void update_frames(ss_work *work, int s)
{
    const ss_system *system = &work->model->systems[s];
    struct ss_work_contacts *c = work->contacts;
    if (!system->ops->pose)
        return;
    for (int k = 0; k < ss_system_frames(system); k++) {
        int f = ss_model_frame(work->model, s, k);
        system->ops->pose(system->object.self, &work->systems[s], k, &c->frames[f]);
        if (c->V[f])
            system->ops->twist(system->object.self, &work->systems[s], k, c->V[f]);
    }
}

void ss_work_shape_twist(const ss_work *work, int shape, const double *u, double twist[6])
{
    const ss_placed *placed = &work->model->shapes[shape];
    const ss_system *system = &work->model->systems[placed->system];
    const double *V = work->contacts->V[placed->frame_index], *us = u + system->u_offset;
    for (int i = 0; i < 6; i++) {
        twist[i] = V ? 0 : us[i];
        for (int j = 0; V && j < system->nu; j++)
            twist[i] += V[i * system->nu + j] * us[j];
    }
}

void ss_work_shape_velocity(const ss_work *work, int shape, const double x[3], const double *u,
                            double v[3])
{
    double twist[6], r[3];
    ss_work_shape_twist(work, shape, u, twist);
    ss_minus3(x, work->contacts->frames[work->model->shapes[shape].frame_index].x, r);
    ss_cross3(twist + 3, r, v);
    ss_add3(twist, v, v);
}

/* Twice the displacement that the farthest point of a shape may go in a step, so that what closes within it
 * is seen before; 0 for laws on velocity level, which wait until they are closed. */
static double reach(const ss_work *work, int shape, double dt, const double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    int s = work->model->shapes[shape].system, f = work->model->shapes[shape].frame_index;
    double twist[6], size = 0;
    if (s < 0)
        return 0;
    ss_work_shape_twist(work, shape, u, twist);
    for (int i = 0; i < 3; i++)
        size = fmax(size, fmax(fabs(c->boxes[shape].high[i] - c->frames[f].x[i]),
                               fabs(c->boxes[shape].low[i] - c->frames[f].x[i])));
    double turning = sqrt(3 * ss_dot3(twist + 3, twist + 3)) * size;
    return 2 * dt * (ss_length3(twist) + (isfinite(turning) ? turning : 0)) +
           2 * work->sizes.acceleration * dt * dt;
}

static void update_shape(ss_work *work, int i, bool early, double dt, const double *u)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    const ss_placed *placed = &model->shapes[i];
    const double near = 1e-9 * work->sizes.length;
    int f = placed->frame_index;
    if (f < 0 && c->reach[i] == (early ? 0 : near)) /* it has not moved since */
        return;
    if (f >= 0 && c->poses[i] != &c->frames[f])
        ss_pose_join(&c->frames[f], placed->at, (ss_pose *)c->poses[i]);
    c->group[i] = ss_placed_is_still(model, placed) ? -1 : f; /* they do not meet */
    ss_shape_bounds(&placed->shape, c->poses[i], &c->boxes[i]);
    c->reach[i] = early ? reach(work, i, dt, u) : near;
    ss_bounds_grow(&c->boxes[i], c->reach[i]);
}

typedef struct update {
    ss_work *work;
    bool early;
    double dt;
    const double *u;
} update;

static void update_all_frames(void *user, int from, int to)
{
    const update *up = user;
    for (int s = from; s < to; s++)
        update_frames(up->work, s);
}

static void update_some(void *user, int from, int to)
{
    const update *up = user;
    for (int i = from; i < to; i++)
        update_shape(up->work, i, up->early, up->dt, up->u);
}

static void update_shapes(ss_work *work, bool early, double dt, const double *u)
{
    update up = {work, early, dt, u};
    ss_work_parallel_for(work, work->model->n_systems.count, update_all_frames, &up);
    ss_work_parallel_for(work, work->model->n_shapes.count, update_some, &up);
}

/* ---- Contacts ---- */

void ss_work_contact_tangents(const ss_work *work, const ss_contact *contact, double t[2][3])
{
    int f = work->model->shapes[contact->a].frame_index, axis = -1;
    ss_contact_tangents(ss_element_rule(&work->model->elements[contact->element]),
                        f < 0 ? NULL : work->contacts->frames[f].A, contact->n, &axis, t);
}

/* Where the contacts of one thread go. */
typedef struct finder {
    const ss_work *work;
    int a, b; /* shapes that are looked at */
    int n, capacity;
    bool overflow;
    ss_contact *found;
} finder;

static void receive(void *user, const ss_contact_point *point)
{
    finder *f = user;
    const ss_model *model = f->work->model;
    if (f->n == f->capacity) {
        f->overflow = true;
        return;
    }
    ss_contact *contact = &f->found[f->n++];
    *contact = (ss_contact){
        .a = f->a,
        .b = f->b,
        .feature = point->feature,
        .gap = point->gap,
        .element = model->rule[model->shapes[f->a].material_index * model->n_materials +
                               model->shapes[f->b].material_index],
    };
    for (int i = 0; i < 3; i++) {
        contact->x[i] = (point->a[i] + point->b[i]) / 2;
        contact->n[i] = point->n[i];
    }
}

/* A shape that will be needed soon. */
static void prefetch(const ss_model *model, const struct ss_work_contacts *c, int shape)
{
    __builtin_prefetch(&model->shapes[shape].shape);
    __builtin_prefetch(&model->shapes[shape].material_index);
    __builtin_prefetch(c->poses[shape]);
}

static void look(finder *f, const ss_near *near, int from, int to)
{
    enum { AHEAD = 8 };
    const ss_model *model = f->work->model;
    const struct ss_work_contacts *c = f->work->contacts;
    for (int i = from; i < to; i++) {
        if (i + AHEAD < to)
            prefetch(model, c, near[i + AHEAD].b);
        int a = near[i].a, b = near[i].b;
        const ss_placed *A = &model->shapes[a], *B = &model->shapes[b];
        if (model->rule[A->material_index * model->n_materials + B->material_index] < 0 ||
            ss_placed_apart(model, A, B))
            continue;
        f->a = a;
        f->b = b;
        ss_shapes_collide(&A->shape, c->poses[a], &B->shape, c->poses[b], c->reach[a] + c->reach[b],
                          receive, f);
    }
}

/* Every thread looks at a part of the pairs and has a part of the capacity; the parts are then moved
 * together, so that contacts stand in the order of the pairs. False: a part was too small. */
typedef struct looking {
    ss_work *work;
    const ss_near *near;
    int count, capacity;
    int *found; /* per thread: contacts */
    atomic_bool full;
} looking;

static void look_part(void *user)
{
    looking *all = user;
    int from, to, thread = ss_thread_number();
    ss_thread_range(all->count, &from, &to);
    finder f = {.work = all->work,
                .capacity = all->capacity,
                .found = all->work->contacts->found + (size_t)thread * (size_t)all->capacity};
    look(&f, all->near, from, to);
    all->found[thread] = f.n;
    if (f.overflow)
        atomic_store(&all->full, true);
}

static bool look_together(ss_work *work, const ss_near *near, int count)
{
    enum { MOST = 1024 }; /* threads */
    struct ss_work_contacts *c = work->contacts;
    int found[MOST] = {0};
    looking all = {work, near, count, work->model->contact_capacity / work->threads, found, false};
    ss_parallel(work->model->context, work->threads, look_part, &all);
    c->n = 0;
    for (int k = 0; k < work->threads && !all.full; k++) {
        memmove(c->found + c->n, c->found + (size_t)k * (size_t)all.capacity,
                (size_t)found[k] * sizeof *c->found);
        c->n += found[k];
    }
    return !all.full;
}

ss_status ss_work_detect(ss_work *work, const ss_law_form *form, double dt, const double *u)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_near *near;
    int count;
    update_shapes(work, form->kind == SS_FORM_DISPLACEMENT, dt, u);
    if (form->kind != SS_FORM_DISPLACEMENT || (form->split && c->elastic)) /* some law is blind */
        ss_work_contacts_watch(work, form, dt, u);
    SS_TRY(
        ss_broad_pairs(c->broad, work->model->n_shapes.count, c->boxes, c->group, &near, &count));
    if (work->threads > 1 && look_together(work, near, count))
        return SS_OK;
    finder f = {.work = work, .capacity = work->model->contact_capacity, .found = c->found};
    look(&f, near, 0, count);
    c->n = f.n;
    if (!f.overflow)
        return SS_OK;
    return ss_fail(
        work->model->context, SS_INPUT,
        "at t = %g s there are more than %d contacts; give an element of type 'contact' a "
        "larger 'capacity'",
        work->t, work->model->contact_capacity);
}

/* ---- ζ̂ ----
 *
 * How the normal velocities of contacts change while the velocities of the systems stay as they are: ζ̂ of γ̇ = Wᵀu̇ + ζ̂, by
 * differences along the motion, so that the curvature of both shapes is in it. */

/* γ_N = nᵀ (v_b - v_a) of a contact, at the frames just placed. */
static double normal_velocity(const ss_work *work, const ss_contact *contact, const double *u)
{
    double sum = 0, v[3];
    for (int side = 0; side < 2; side++) {
        int shape = side ? contact->b : contact->a;
        if (work->model->shapes[shape].system < 0)
            continue;
        ss_work_shape_velocity(work, shape, contact->x, u, v);
        for (int i = 0; i < 3; i++)
            sum += (side ? 1 : -1) * contact->n[i] * v[i];
    }
    return sum;
}

/* The contacts wanted, and where the motion begins. */
typedef struct motion {
    int n;
    const ss_contact *wanted;
    const double *q, *u;
    double t;
} motion;

/* γ_N of the wanted contacts a time s along the motion; NAN of those that are not there. */
static ss_status velocities_along(ss_work *work, const motion *m, double s, double *gamma)
{
    const ss_law_form early = {.kind = SS_FORM_DISPLACEMENT};
    int from = 0;
    ss_work_move(work, m->q, m->u, s, work->q);
    SS_TRY(ss_work_evaluate_geometry(work, m->t + s, work->q));
    SS_TRY(ss_work_detect(work, &early, fabs(s), m->u));
    for (int i = 0; i < m->n; i++) {
        const ss_contact *now =
            ss_contact_before(&m->wanted[i], work->contacts->found, work->contacts->n, &from);
        gamma[i] = now ? normal_velocity(work, now, m->u) : NAN;
    }
    return SS_OK;
}

/* Central where the contact is there on both sides, else one-sided. */
static double slope(double before, double now, double after, double s)
{
    bool has_before = isfinite(before), has_after = isfinite(after);
    if (has_before && has_after)
        return (after - before) / (2 * s);
    return has_after ? (after - now) / s : has_before ? (now - before) / s : 0;
}

ss_status ss_work_contact_biases(ss_work *work, ss_arena *arena, double dt, const double *u,
                                 double **zeta_hat)
{
    struct ss_work_contacts *c = work->contacts;
    int n = c->n;
    double t = work->t, s = 1e-2 * dt, *q = work->q_scratch, *before, *now;
    ss_contact *wanted;
    SS_TRY(SS_ARENA_NEW(arena, n, &wanted));
    SS_TRY(SS_ARENA_NEW(arena, n, &before));
    SS_TRY(SS_ARENA_NEW(arena, n, &now));
    SS_TRY(SS_ARENA_NEW(arena, n, zeta_hat));
    if (n == 0)
        return SS_OK;
    memcpy(wanted, c->found, (size_t)n * sizeof *wanted);
    memcpy(q, work->q, (size_t)work->model->n_q * sizeof *q);
    for (int i = 0; i < n; i++)
        now[i] = normal_velocity(work, &wanted[i], u);
    const motion along = {n, wanted, q, u, t};
    SS_TRY(velocities_along(work, &along, -s, before));
    SS_TRY(velocities_along(work, &along, s, *zeta_hat));
    for (int i = 0; i < n; i++)
        (*zeta_hat)[i] = slope(before[i], now[i], (*zeta_hat)[i], s);
    SS_TRY(ss_work_evaluate_geometry(work, t, q));
    memcpy(work->contacts->found, wanted, (size_t)n * sizeof *wanted);
    c->n = n;
    return SS_OK;
}
