/* force_gravity.c: the weight of point masses and bodies, and of trees, which take it into their own h. */
#include "la/small.h"
#include "model/body.h"
#include "model/refuse.h"
#include "types/systems/tree.h"
#include "types/types.h"

#include <string.h>

typedef struct weight {
    int local, dim;
    const double *mass; /* NULL: a tree, */
    ss_tree_gravity tree;
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
     "Systems it acts on; not given: all of type point, planar_body, body and tree."},
    {.name = NULL},
};

static ss_status add(ss_setup *setup, gravity *self, const ss_text *system)
{
    int local, given = self->acceleration.rows;
    SS_TRY(ss_setup_connect(setup, system, &local));
    ss_mass mass = ss_setup_connected_mass(setup, local);
    if (!self->on.rows && mass.kind == SS_MASS_NONE)
        return SS_OK;
    if (local < self->count)
        return ss_refuse(setup, "system '%s' is listed twice in 'on'", system->text);
    if (mass.kind == SS_MASS_NONE)
        return ss_refuse(
            setup,
            "system '%s' of type '%s' has no weight; use type point, planar_body, body or tree",
            system->text, ss_setup_connected_type(setup, local));
    if (mass.dim != given)
        return ss_refuse(
            setup, "'acceleration' has %d number%s, but system '%s' has %d dimension%s", given,
            given == 1 ? "" : "s", system->text, mass.dim, mass.dim == 1 ? "" : "s");
    self->weights[self->count++] = (weight){.local = local, .dim = mass.dim, .mass = mass.mass};
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    gravity *self = opaque;
    int most = self->on.rows;
    while (!self->on.rows && ss_setup_system_name(setup, most))
        most++;
    SS_TRY(SS_SETUP_NEW(setup, most, &self->weights));
    for (int i = 0; i < most; i++) {
        ss_text system = {ss_setup_system_name(setup, i), ss_setup_location(setup)};
        SS_TRY(add(setup, self, self->on.rows ? &self->on.items[i] : &system));
    }
    if (self->count == 0)
        return ss_refuse(setup,
                         "there is no system of type point, planar_body, body or tree to act on");
    for (int i = 0; i < self->count; i++)
        if (!self->weights[i].mass)
            ss_tree_attract(ss_setup_connected_self(setup, self->weights[i].local),
                            self->acceleration.values, &self->weights[i].tree);
    return SS_OK;
}

static void destroy(void *opaque)
{
    gravity *self = opaque;
    for (int i = 0; i < self->count; i++)
        ss_tree_release(&self->weights[i].tree);
}

static ss_status h(const void *opaque, const ss_at *at, double *const *h)
{
    const gravity *self = opaque;
    (void)at;
    for (int i = 0; i < self->count; i++) {
        const weight *w = &self->weights[i];
        if (w->mass)
            ss_axpy(w->dim, *w->mass, self->acceleration.values, h[w->local]);
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
        if (w->mass)
            *V -= *w->mass * ss_dot(w->dim, self->acceleration.values, at->q[w->local]);
    }
    return SS_OK;
}

const ss_force_ops ss_gravity_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "gravity",
             "The weight of point masses, bodies and trees.", sizeof(gravity), keys},
    .init = init,
    .destroy = destroy,
    .h = h,
    .potential = potential,
    .constant = true,
};
