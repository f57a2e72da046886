/* body.c: what rigid bodies weigh. */
#include "model/model.h"

#include <string.h>

void ss_setup_mass(ss_setup *setup, ss_mass mass)
{
    setup->system->mass = mass;
}

ss_mass ss_setup_connected_mass(const ss_setup *setup, int local)
{
    return setup->model->systems[setup->connected->systems[local]].mass;
}

void ss_setup_body(ss_setup *setup, ss_body *body)
{
    setup->system->body = body;
    ss_setup_mass(setup, (ss_mass){SS_MASS_BODY, 3, &body->mass});
}

const ss_body *ss_setup_connected_body(const ss_setup *setup, int local)
{
    return setup->model->systems[setup->connected->systems[local]].body;
}

/* J += m (|c|² I - c cᵀ): Huygens and Steiner. */
static void shift(double m, const double c[3], double J[9])
{
    double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += m * ((i == j ? cc : 0.0) - c[i] * c[j]);
}

/* Until sealing `origin` holds minus the sum of m c, and J is about the frame's origin. */
void ss_body_add_solid(ss_body *body, double mass, const double centre[3], const double inertia[9])
{
    if (body->still || body->has_inertia)
        return;
    body->solid += mass;
    for (int i = 0; i < 3; i++)
        body->origin[i] -= mass * centre[i];
    for (int i = 0; i < 9; i++)
        body->J[i] += inertia[i];
    shift(mass, centre, body->J);
}

/* The inverse of a symmetric matrix; false when it is not positive definite. */
static bool invert(const double J[9], double inverse[9])
{
    double minor = J[0] * J[4] - J[1] * J[1];
    double c0 = J[4] * J[8] - J[5] * J[5], c1 = J[2] * J[5] - J[1] * J[8],
           c2 = J[1] * J[5] - J[2] * J[4];
    double det = J[0] * c0 + J[1] * c1 + J[2] * c2;
    if (!(J[0] > 0 && minor > 0 && det > 0))
        return false;
    inverse[0] = c0 / det;
    inverse[1] = inverse[3] = c1 / det;
    inverse[2] = inverse[6] = c2 / det;
    inverse[4] = (J[0] * J[8] - J[2] * J[2]) / det;
    inverse[5] = inverse[7] = (J[1] * J[2] - J[0] * J[5]) / det;
    inverse[8] = minor / det;
    return true;
}

/* ∫ r rᵀ dm = tr(J)/2 - J is positive of all matter, or zero along an axis: no moment exceeds the sum of the other two. */
static bool of_matter(const double J[9])
{
    const double rounding = 1e-9;
    double K[9], unused[9], trace = J[0] + J[4] + J[8];
    for (int i = 0; i < 9; i++)
        K[i] = (i % 4 == 0 ? (0.5 + rounding) * trace : 0.0) - J[i];
    return invert(K, unused);
}

static ss_status weigh(const ss_model *model, const ss_object *object, ss_body *body)
{
    if (body->solid > 0) {
        double scale = body->has_mass ? body->mass / body->solid : 1.0;
        for (int i = 0; i < 3; i++)
            body->origin[i] /= body->solid;
        shift(-body->solid, body->origin, body->J);
        for (int i = 0; i < 9; i++)
            body->J[i] *= scale;
        if (!body->has_mass)
            body->mass = body->solid;
    }
    if (!(body->mass > 0))
        return ss_refuse_object(model, object,
                                "it has no mass; give 'mass' and 'inertia', a shape with a "
                                "density, or 'fixed: true'");
    if (!body->has_inertia && !(body->solid > 0))
        return ss_refuse_object(model, object,
                                "it has no inertia; give 'inertia', or a shape that has a volume");
    if (!invert(body->J, body->Jinv))
        return ss_refuse_object(model, object, "its inertia is not positive definite");
    if (body->has_inertia && !of_matter(body->J))
        ss_log(model->context, SS_LOG_WARNING,
               "%s: no rigid body has this inertia: one of its principal moments exceeds the sum "
               "of the other two",
               object->owner);
    /* round: its moments are the same but for the rounding of a sum of solids */
    const double *J = body->J, size = 1e-14 * J[0];
    body->round = fabs(J[4] - J[0]) <= size && fabs(J[8] - J[0]) <= size && fabs(J[1]) <= size &&
                  fabs(J[2]) <= size && fabs(J[5]) <= size;
    return SS_OK;
}

ss_status ss_body_weigh(ss_model *model, ss_system *system)
{
    ss_body *body = system->body;
    if (!body->still)
        SS_TRY(weigh(model, &system->object, body));
    system->plain = body->still || body->round;
    system->constant_mass = system->plain || body->frame == SS_FRAME_BODY;
    return SS_OK;
}

void ss_body_unweigh(ss_body *body)
{
    if (body->still || body->has_inertia)
        return;
    body->solid = 0;
    memset(body->origin, 0, sizeof body->origin);
    memset(body->J, 0, sizeof body->J);
    if (!body->has_mass)
        body->mass = 0;
}

void ss_body_centre(ss_system *system)
{
    double A[9], r[3];
    ss_body_rotation(system->q0 + 3, A);
    ss_turn(A, system->body->origin, r);
    for (int i = 0; i < 3; i++)
        system->q0[i] -= r[i];
}
