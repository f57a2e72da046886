/* force_load.c: forces given as expressions of coordinates, velocities and t. */
#include "la/small.h"
#include "types/derive.h"
#include "types/types.h"

typedef struct load_target {
    int local, index;
} load_target;

/* How the forces depend on one connected system. */
typedef struct load_part {
    int nq, nu;
    const ss_formula *formula; /* derivatives of all with respect to q, then to u */
} load_part;

typedef struct load {
    ss_texts on, force;
    load_target *targets;
    const ss_formula *formula;
    int n_parts;
    load_part *parts;
} load;

static const ss_key keys[] = {
    {"on", SS_KEY_TEXTS, offsetof(load, on), NULL, 0, 0, NULL, "",
     "Coordinates the force acts on: y, or toy.y; of a body in space its velocities, ball.x' for a "
     "force and ball.wz for a torque."},
    {"force", SS_KEY_EXPRESSIONS, offsetof(load, force), NULL, 0, 0, NULL, "N, N m",
     "Force on each of them, of coordinates, velocities and t."},
    {NULL},
};

static ss_status init(void *data, ss_setup *setup)
{
    load *self = data;
    ss_node *nodes;
    int count = self->on.rows;
    SS_TRY(SS_SETUP_NEW(setup, count, &self->targets));
    SS_TRY(SS_SETUP_NEW(setup, count, &nodes));
    for (int i = 0; i < count; i++) {
        load_target *target = &self->targets[i];
        bool velocity;
        SS_TRY(ss_setup_find(setup, &self->on.items[i], &target->local, &velocity, &target->index));
        int nq, nu;
        ss_setup_connected(setup, target->local, &nq, &nu);
        if (!velocity && nq != nu)
            return ss_fail_at(
                ss_setup_context(setup), SS_INPUT, self->on.items[i].where,
                "%s: the velocities of this system are not the rates of its coordinates; "
                "name a velocity (x', y', z', wx, wy, wz of a body) instead of '%s'",
                ss_setup_owner(setup), self->on.items[i].text);
    }
    SS_TRY(ss_derive_parse(setup, "force", &self->force, count, nodes));
    SS_TRY(ss_setup_compile(setup, count, nodes, &self->formula));
    self->n_parts = ss_setup_connected_count(setup);
    SS_TRY(SS_SETUP_NEW(setup, self->n_parts, &self->parts));
    for (int k = 0; k < self->n_parts; k++) {
        ss_system_nodes of;
        SS_TRY(ss_derive_nodes(setup, k, &of));
        self->parts[k] = (load_part){.nq = of.nq, .nu = of.nu};
        SS_TRY(ss_derive_jacobians(setup, &of, count, nodes, &self->parts[k].formula));
    }
    return SS_OK;
}

static ss_status add(const void *data, const ss_at *at, double *const *h)
{
    const load *self = data;
    const double *values = ss_formula_run(self->formula, at);
    for (int i = 0; i < self->on.rows; i++)
        h[self->targets[i].local][self->targets[i].index] += values[i];
    return SS_OK;
}

static ss_status derivatives(const void *data, const ss_at *at, double *const *dhdq,
                             double *const *dhdu)
{
    const load *self = data;
    for (int l = 0; l < self->n_parts; l++) {
        const load_part *part = &self->parts[l];
        const double *by_q = ss_formula_run(part->formula, at);
        const double *by_u = by_q + self->on.rows * part->nq;
        for (int i = 0; i < self->on.rows; i++) {
            const load_target *target = &self->targets[i];
            int block = target->local * self->n_parts + l;
            ss_axpy(part->nq, 1.0, by_q + i * part->nq, dhdq[block] + target->index * part->nq);
            ss_axpy(part->nu, 1.0, by_u + i * part->nu, dhdu[block] + target->index * part->nu);
        }
    }
    return SS_OK;
}

const ss_force_ops ss_load_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "load",
             "Forces given as expressions of coordinates, velocities and t.", sizeof(load), keys},
    .init = init,
    .h = add,
    .derivatives = derivatives,
};
