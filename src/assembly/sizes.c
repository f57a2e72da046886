/* sizes.c: sizes of the scene from its initial state and the loads there.
 *
 * The unit of a coordinate is known where its system is a point or a body. A row that moves only rotations of such systems is
 * an angle, all others are lengths; a coordinate of another system has the size that moves the rows of its laws by the size
 * of the scene.
 */
#include "assembly/sizes.h"

#include "assembly/work.h"
#include "la/small.h"

#include <math.h>
#include <string.h>

typedef enum unit { LENGTH, ANGLE, UNKNOWN } unit;

ss_status ss_sizes_reserve(ss_arena *arena, const ss_model *model, ss_sizes *sizes)
{
    *sizes = (ss_sizes){1, 1, 1, 1, 1, 1, NULL, NULL, NULL};
    SS_TRY(SS_ARENA_NEW(arena, model->n_q, &sizes->q));
    SS_TRY(SS_ARENA_NEW(arena, model->n_u, &sizes->u));
    SS_TRY(SS_ARENA_NEW(arena, model->n_laws.count, &sizes->is_angle));
    for (int i = 0; i < model->n_q; i++)
        sizes->q[i] = 1;
    for (int i = 0; i < model->n_u; i++)
        sizes->u[i] = 1;
    return SS_OK;
}

/* Of coordinate, or velocity, j of a system. */
static unit unit_of(const ss_system *system, int j)
{
    if (system->mass.kind == SS_MASS_NONE)
        return UNKNOWN;
    return j < system->mass.dim ? LENGTH : ANGLE;
}

/* Largest |W| of a row over the velocities of a unit; and Σ |W q| of those of an unknown one. Where one of these has W = 1 it
 * is a length like the row, and the others are turned by arms. */
typedef struct reach {
    double of[3], moved, arm;
    bool plain;
} reach;

static reach reach_of(const ss_work *work, const ss_element *element, int row)
{
    const ss_work_element *we = &work->elements[element - work->table.elements];
    reach r = {{0}, 0, 0, false};
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        for (int j = 0; j < system->nu; j++) {
            double W = fabs(we->W[k][row * system->nu + j]), *most = &r.of[unit_of(system, j)];
            *most = fmax(*most, W);
            if (unit_of(system, j) != UNKNOWN)
                continue;
            r.plain = r.plain || W == 1;
            r.arm = W != 1 ? fmax(r.arm, W) : r.arm;
            if (system->nq == system->nu)
                r.moved += W * fabs(work->q[system->q_offset + j]);
        }
    }
    return r;
}

/* What is found before lengths and times are known. */
typedef struct survey {
    ss_work *work;
    const double *a; /* n_u: accelerations by the forces alone */
    ss_sizes *sizes;
    double angular; /* rad/s² */
} survey;

static void note(double *most, double value)
{
    if (isfinite(value))
        *most = fmax(*most, fabs(value));
}

/* Speed and acceleration of a row by the velocities u and accelerations a alone, with what the law prescribes. */
static void survey_row(survey *s, const ss_law *law, int k, const double *drive)
{
    const ss_element *element = &s->work->table.elements[law->element];
    const ss_work_element *we = &s->work->elements[law->element];
    bool angle = s->sizes->is_angle[law - s->work->table.laws];
    double rate = 0;
    for (int c = 0; c < element->connected.count; c++) {
        const ss_system *system = &s->work->model->systems[element->connected.systems[c]];
        rate += ss_dot(system->nu, we->W[c] + (law->row + k) * system->nu, s->a + system->u_offset);
    }
    note(angle ? &s->sizes->rate : &s->sizes->speed, we->gamma_B[law->row + k]);
    note(angle ? &s->sizes->rate : &s->sizes->speed, drive[k]);
    note(angle ? &s->angular : &s->sizes->acceleration, rate);
}

/* The largest |W| by which velocities of unknown unit move rows of lengths, in sizes->u. */
static void find_reach(const ss_work *work, const ss_law *law, double *most)
{
    const ss_element *element = &work->table.elements[law->element];
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        const double *W = work->elements[law->element].W[k] + law->row * system->nu;
        for (int i = 0; i < law->dim * system->nu; i++)
            if (unit_of(system, i % system->nu) == UNKNOWN)
                note(&most[system->u_offset + i % system->nu], W[i]);
    }
}

static ss_status survey_law(survey *s, const ss_law *law)
{
    const ss_element *element = &s->work->table.elements[law->element];
    ss_sizes *sizes = s->sizes;
    double drive[SS_SET_MAX_DIM] = {0}, ignored[SS_SET_MAX_DIM];
    bool *angle = &sizes->is_angle[law - s->work->table.laws];
    find_reach(s->work, law, sizes->u);
    *angle = true;
    for (int k = 0; k < law->dim; k++) {
        reach r = reach_of(s->work, element, law->row + k);
        *angle = *angle && r.of[ANGLE] > 0 && r.of[LENGTH] == 0 && r.of[UNKNOWN] == 0;
        if (r.of[LENGTH] > 0)
            note(&sizes->length, r.of[ANGLE] / r.of[LENGTH]);
        if (r.plain)
            note(&sizes->length, r.arm);
        if (law->kind == SS_GEOMETRIC && !*angle) {
            note(&sizes->length, s->work->elements[law->element].g[law->row + k]);
            note(&sizes->length, r.moved);
        }
    }
    if (law->ops->law_class == SS_LAW_DRIVE) {
        ss_law_at at = ss_work_law_at(s->work, law, 1, true);
        SS_TRY(law->ops->drive(law->object.self, &at, drive, ignored));
    }
    for (int k = 0; k < law->dim; k++)
        survey_row(s, law, k, drive);
    return SS_OK;
}

static void survey_system(survey *s, const ss_system *system)
{
    const ss_mass *mass = &system->mass;
    const double *q = s->work->q + system->q_offset, *u = s->work->u + system->u_offset;
    for (int j = 0; mass->kind != SS_MASS_NONE && j < system->nu; j++) {
        bool length = unit_of(system, j) == LENGTH;
        if (length)
            note(&s->sizes->length, q[j]);
        note(length ? &s->sizes->speed : &s->sizes->rate, u[j]);
        note(length ? &s->sizes->acceleration : &s->angular, s->a[system->u_offset + j]);
    }
}

/* Shapes that are not without end. */
static void survey_shape(const survey *s, const ss_placed *placed)
{
    ss_bounds box;
    ss_shape_bounds(&placed->shape, placed->at, &box);
    for (int i = 0; i < 3; i++)
        note(&s->sizes->length, (box.high[i] - box.low[i]) / 2);
}

static ss_status survey_scene(survey *s)
{
    const ss_model *model = s->work->model;
    ss_sizes *sizes = s->sizes;
    sizes->length = sizes->speed = sizes->acceleration = sizes->rate = 0;
    memset(sizes->u, 0, (size_t)model->n_u * sizeof *sizes->u);
    for (int i = 0; i < model->n_systems.count; i++)
        survey_system(s, &model->systems[i]);
    for (int i = 0; i < model->n_shapes.count; i++)
        survey_shape(s, &model->shapes[i]);
    for (int e = 0; e < model->n_elements.count; e++) {
        if (ss_element_rule(&model->elements[e]))
            continue;
        SS_TRY(ss_work_element_gaps(s->work, e));
        SS_TRY(ss_work_element_directions(s->work, e));
        ss_work_element_velocity(s->work, e, s->work->u, s->work->elements[e].gamma_B);
        for (int i = 0; i < model->elements[e].n_laws; i++)
            SS_TRY(survey_law(s, &s->work->table.laws[model->elements[e].laws[i]]));
    }
    return SS_OK;
}

/* Where one of length, speed and acceleration is missing it follows from the others, or from a hundredth of the run. */
static void complete(const survey *s, double end)
{
    const double part = end / 100;
    ss_sizes *z = s->sizes;
    double turn = fmax(z->rate, sqrt(s->angular)); /* 1/s */
    if (z->length == 0)
        z->length = z->speed > 0 && z->acceleration > 0 ? z->speed * z->speed / z->acceleration
                    : z->speed > 0                      ? z->speed * part
                    : z->acceleration > 0               ? z->acceleration * part * part
                                                        : 1;
    z->speed = fmax(z->speed, sqrt(2 * z->acceleration * z->length));
    if (z->speed == 0)
        z->speed = z->length * (turn > 0 ? turn : 1 / end);
    z->time = z->length / z->speed;
    z->rate = fmax(z->rate, 1 / z->time);
    if (z->acceleration == 0)
        z->acceleration = z->speed / z->time;
}

static void size_system(const ss_work *work, int s, ss_sizes *z)
{
    const ss_system *system = &work->model->systems[s];
    double *q = z->q + system->q_offset, *u = z->u + system->u_offset;
    for (int j = 0; j < system->nu; j++) {
        unit kind = unit_of(system, j);
        double own = fmax(fabs(work->u[system->u_offset + j]) * z->time,
                          system->nq == system->nu ? fabs(work->q[system->q_offset + j]) : 0);
        double size = u[j] > 0 ? z->length / u[j] : own > 0 ? own : 1;
        u[j] = kind == LENGTH ? z->speed : kind == ANGLE ? z->rate : size / z->time;
        if (system->nq == system->nu)
            q[j] = kind == LENGTH ? z->length : kind == ANGLE ? 1 : size;
    }
    for (int j = 0; system->nq != system->nu && j < system->nq; j++)
        q[j] = unit_of(system, j) == LENGTH ? z->length : 1;
}

/* Kinetic energy at these speeds, and what the forces there do along the sizes of the coordinates. */
static void find_energy(ss_work *work, const double *h, ss_sizes *z)
{
    double most = 0, *v = work->force_alone;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        for (int j = 0; j < system->nu && !system->prescribed; j++) {
            memset(v, 0, (size_t)system->nu * sizeof *v);
            v[j] = z->u[system->u_offset + j];
            note(&most, ss_work_kinetic(work, s, v));
            note(&most, h[system->u_offset + j] * v[j] * z->time);
        }
    }
    z->energy = most > 0 ? most : 1;
}

ss_status ss_work_initial(ss_work *work, double *q, double *u)
{
    const ss_model *model = work->model;
    for (int i = 0; i < model->n_systems.count; i++) {
        const ss_system *system = &model->systems[i];
        memcpy(q + system->q_offset, system->q0, (size_t)system->nq * sizeof *q);
        memcpy(u + system->u_offset, system->u0, (size_t)system->nu * sizeof *u);
    }
    return ss_work_prescribe_state(work, 0, q, u);
}

ss_status ss_work_find_sizes(ss_work *work, double end)
{
    const ss_model *model = work->model;
    double *h = work->u_lag, *a = h + model->n_u; /* no step is on its way */
    survey s = {work, a, &work->sizes, 0};
    SS_TRY(ss_work_initial(work, work->q_scratch, work->u_scratch));
    SS_TRY(ss_work_evaluate(work, 0, work->q_scratch));
    memcpy(work->u, work->u_scratch, (size_t)model->n_u * sizeof *work->u);
    SS_TRY(ss_work_forces(work, work->u_scratch, h));
    memcpy(a, h, (size_t)model->n_u * sizeof *a);
    ss_work_solve_mass(work, a);
    SS_TRY(ss_work_prescribe_accelerations(work, a));
    SS_TRY(survey_scene(&s));
    complete(&s, end);
    for (int i = 0; i < model->n_systems.count; i++)
        size_system(work, i, &work->sizes);
    find_energy(work, h, &work->sizes);
    return SS_OK;
}

double ss_work_gap_size(const ss_work *work, int law)
{
    bool angle = law < work->model->n_laws.count && work->sizes.is_angle[law];
    return angle ? 1 : work->sizes.length;
}

double ss_work_speed_size(const ss_work *work, int law)
{
    bool angle = law < work->model->n_laws.count && work->sizes.is_angle[law];
    return angle ? work->sizes.rate : work->sizes.speed;
}
