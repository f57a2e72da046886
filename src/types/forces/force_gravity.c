/* force_gravity.c: the weight of point masses and bodies. */
#include "model/body.h"
#include "types/refuse.h"
#include "types/types.h"
#include "types/vectors.h"

#include <string.h>

typedef struct weight {
    int local, dim;
    const double *mass; /* a body may learn its mass after its weight is asked for */
} weight;

typedef struct gravity {
    ss_matrix acceleration;
    ss_texts on;
    int count;
    weight *weights;
} gravity;

static const ss_key keys[] = {
    {"acceleration", SS_KEY_REALS, offsetof(gravity, acceleration), NULL, 0, 0, NULL, "m/s^2",
     "Acceleration vector, one number for each dimension: [0, -9.81]."},
    {"on", SS_KEY_TEXTS, offsetof(gravity, on), "", 0, 0, NULL, "",
     "Systems it acts on; not given: all of type point, planar_body and body."},
    {.name = NULL},
};

/* Fills dim and mass of a connected system; dim 0: it has no weight. */
static void weigh(const ss_setup *setup, weight *w)
{
    const char *type = ss_setup_connected_type(setup, w->local);
    const void *system = ss_setup_connected_self(setup, w->local);
    if (strcmp(type, ss_point_ops.type.name) == 0) {
        w->dim = ((const ss_point_mass *)system)->dim;
        w->mass = &((const ss_point_mass *)system)->mass;
    } else if (strcmp(type, ss_planar_body_ops.type.name) == 0) {
        w->dim = 2;
        w->mass = &((const ss_planar_body *)system)->mass;
    } else if (ss_setup_connected_body(setup, w->local)) {
        w->dim = 3;
        w->mass = &ss_setup_connected_body(setup, w->local)->mass;
    }
}

static ss_status check(const ss_setup *setup, const gravity *self, const char *system,
                       const weight *w)
{
    int given = self->acceleration.rows;
    if (w->local < self->count)
        return ss_refuse(setup, "system '%s' is listed twice in 'on'", system);
    if (w->dim == 0)
        return ss_refuse(
            setup, "system '%s' of type '%s' has no weight; use type point, planar_body or body",
            system, ss_setup_connected_type(setup, w->local));
    if (w->dim != given)
        return ss_refuse(setup,
                         "'acceleration' has %d number%s, but system '%s' has %d dimension%s",
                         given, given == 1 ? "" : "s", system, w->dim, w->dim == 1 ? "" : "s");
    return SS_OK;
}

static ss_status add(ss_setup *setup, gravity *self, const ss_text *system)
{
    weight w = {0};
    SS_TRY(ss_setup_connect(setup, system, &w.local));
    weigh(setup, &w);
    if (!self->on.rows && w.dim == 0)
        return SS_OK;
    SS_TRY(check(setup, self, system->text, &w));
    self->weights[self->count++] = w;
    return SS_OK;
}

static ss_status add_all(ss_setup *setup, gravity *self)
{
    const char *name;
    for (int i = 0; (name = ss_setup_system_name(setup, i)); i++) {
        ss_text system = {name, ss_setup_location(setup)};
        SS_TRY(add(setup, self, &system));
    }
    if (self->count == 0)
        return ss_refuse(setup, "there is no system of type point, planar_body or body to act on");
    return SS_OK;
}

static int count_systems(const ss_setup *setup)
{
    int count = 0;
    while (ss_setup_system_name(setup, count))
        count++;
    return count;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    gravity *self = opaque;
    int most = self->on.rows ? self->on.rows : count_systems(setup);
    SS_TRY(ss_setup_allocate(setup, (size_t)most, sizeof *self->weights, (void **)&self->weights));
    if (!self->on.rows)
        return add_all(setup, self);
    for (int i = 0; i < self->on.rows; i++)
        SS_TRY(add(setup, self, &self->on.items[i]));
    return SS_OK;
}

static ss_status h(const void *opaque, const ss_at *at, double *const *h)
{
    const gravity *self = opaque;
    (void)at;
    for (int i = 0; i < self->count; i++) {
        const weight *w = &self->weights[i];
        ss_vector_add(w->dim, *w->mass, self->acceleration.values, h[w->local]);
    }
    return SS_OK;
}

/* -m aᵀx, zero at the origin. */
static ss_status potential(const void *opaque, const ss_at *at, double *V)
{
    const gravity *self = opaque;
    *V = 0.0;
    for (int i = 0; i < self->count; i++) {
        const weight *w = &self->weights[i];
        *V -= *w->mass * ss_vector_dot(w->dim, self->acceleration.values, at->q[w->local]);
    }
    return SS_OK;
}

const ss_force_ops ss_gravity_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "gravity", "The weight of point masses and bodies.",
             sizeof(gravity), keys},
    .init = init,
    .h = h,
    .potential = potential,
    .constant = true,
};
