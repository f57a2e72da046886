/* contact_speed.c: warns of shapes that are too fast for laws on velocity level.
 *
 * Such laws see a contact only once shapes overlap. A surface that moves in a step, along its normal, by more than half of the
 * shape's thickness there may be on the other side of something thin before that, or be pushed out there. Balls are looked at as
 * they are, other shapes as the boxes around them in their own axes, whose sides move by translation and by turning.
 * Laws with gaps look ahead and need no warning; of schemes that keep those with restitution on velocity
 * level only these are warned of.
 */
#include "assembly/sources/contacts.h"
#include "model/body.h"

#include "base/context.h"
#include "geometry/geometry.h"

#include <math.h>

static bool is_ball(const ss_placed *placed)
{
    return placed->shape.ops->kind == SS_SHAPE_SPHERE;
}

ss_status ss_speed_create(ss_work *work)
{
    const ss_model *model = work->model;
    int n = 0;
    for (int i = 0; i < model->n_shapes.count; i++)
        n += !is_ball(&model->shapes[i]);
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &work->contacts->own));
    ss_bounds *own = work->contacts->own;
    for (int i = 0; i < model->n_shapes.count; i++) {
        const ss_shape *shape = &model->shapes[i].shape;
        if (!is_ball(&model->shapes[i]))
            shape->ops->bounds(shape->self, &ss_pose_here, own++);
    }
    return SS_OK;
}

/* Velocity at a point x of space that moves with a shape, and its angular velocity. */
static void velocities(const ss_work *work, int shape, const double *u, const double x[3],
                       double v[3], double w[3])
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_system *system = &work->model->systems[work->model->shapes[shape].system];
    int f = work->model->shapes[shape].frame_index;
    double twist[6] = {0}, r[3];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < system->nu; j++)
            twist[i] += (c->V[f] ? c->V[f][i * system->nu + j] : i == j) * u[system->u_offset + j];
    for (int i = 0; i < 3; i++) {
        r[i] = x[i] - c->frames[f].x[i];
        w[i] = twist[3 + i];
    }
    ss_cross3(w, r, v);
    for (int i = 0; i < 3; i++)
        v[i] += twist[i];
}

/* How far a surface moves along its normal in a step, and half of the thickness there; where that is worst. */
typedef struct ss_displacement {
    double travel, half; /* m */
} ss_displacement;

static ss_displacement displacement_of_ball(const ss_work *work, int shape, double dt,
                                            const double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_bounds *box = &c->boxes[shape];
    double v[3], w[3];
    velocities(work, shape, u, c->poses[shape]->x, v, w);
    return (ss_displacement){dt * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
                             (box->high[0] - box->low[0]) / 2 - c->reach[shape]};
}

static ss_displacement displacement_of_box(const ss_work *work, int shape, const ss_bounds *own,
                                           double dt, const double *u)
{
    const ss_pose *pose = work->contacts->poses[shape];
    double centre[3], half[3], x[3], v[3], w[3], v_own[3], w_own[3];
    ss_displacement worst = {0, INFINITY};
    for (int i = 0; i < 3; i++) {
        centre[i] = (own->high[i] + own->low[i]) / 2;
        half[i] = (own->high[i] - own->low[i]) / 2;
        if (!isfinite(half[i]))
            return worst;
    }
    ss_turn(pose->A, centre, x);
    for (int i = 0; i < 3; i++)
        x[i] += pose->x[i];
    velocities(work, shape, u, x, v, w);
    ss_turn_back(pose->A, v, v_own);
    ss_turn_back(pose->A, w, w_own);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double turning = fabs(w_own[j]) * half[k] + fabs(w_own[k]) * half[j];
        double travel = dt * (fabs(v_own[i]) + turning);
        if (travel * worst.half > worst.travel * half[i] || isinf(worst.half))
            worst = (ss_displacement){travel, half[i]};
    }
    return worst;
}

static bool is_elastic(const ss_model *model, int element)
{
    const ss_element *rule = &model->elements[element];
    for (int k = 0; k < rule->n_laws; k++) {
        const ss_law *law = &model->laws[rule->laws[k]];
        if (law->kind == SS_GEOMETRIC && law->epsilon[0] != 0)
            return true;
    }
    return false;
}

/* Whether some law of its contacts is on velocity level. */
static bool is_blind(const ss_model *model, const ss_law_form *form, const ss_placed *placed)
{
    if (form->kind != SS_FORM_DISPLACEMENT)
        return true;
    for (int j = 0; form->split && j < model->n_materials; j++) {
        int rule = model->rule[placed->material_index * model->n_materials + j];
        if (rule >= 0 && is_elastic(model, rule))
            return true;
    }
    return false;
}

void ss_work_contacts_watch(ss_work *work, const ss_law_form *form, double dt, const double *u)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_bounds *own = c->own;
    c->fast_now = false;
    for (int i = 0; i < work->model->n_shapes.count; i++) {
        const ss_placed *placed = &work->model->shapes[i];
        const ss_bounds *box = is_ball(placed) ? NULL : own++;
        if (placed->system < 0)
            continue;
        ss_displacement w =
            box ? displacement_of_box(work, i, box, dt, u) : displacement_of_ball(work, i, dt, u);
        if (!(w.travel > w.half) || !is_blind(work->model, form, placed))
            continue;
        c->fast_now = true;
        if (c->too_fast++ == 0)
            ss_log(work->model->context, SS_LOG_WARNING,
                   "t = %.9g s: %s moves by %.3g m in a step of %.3g s, more than half of its "
                   "thickness (%.3g m): it may pass through others; choose a smaller step%s",
                   work->t, placed->object.owner, w.travel, dt, w.half,
                   form->kind == SS_FORM_DISPLACEMENT
                       ? ", or no restitution"
                       : ", or a scheme that looks ahead, e.g. moreau_stabilized");
    }
}

void ss_work_contacts_report_speed(const ss_work *work)
{
    if (work->contacts->too_fast > 1)
        ss_log(work->model->context, SS_LOG_WARNING,
               "shapes moved by more than half of their thickness in a step %ld times",
               work->contacts->too_fast);
}
