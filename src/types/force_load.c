/* force_load.c: forces given as expressions of coordinates, velocities and t. */
#include "types/derive.h"
#include "types/types.h"

typedef struct load_target {
    int local, index;
} load_target;

typedef struct load {
    ss_texts on, force;
    load_target *targets;
    const ss_formula *formula;
} load;

static const ss_key keys[] = {
    {"on", SS_KEY_TEXTS, offsetof(load, on), NULL, 0, 0, NULL, "",
     "Coordinates the force acts on: y, or toy.y."},
    {"force", SS_KEY_EXPRESSIONS, offsetof(load, force), NULL, 0, 0, NULL, "N, N m",
     "Force on each of them, of coordinates, velocities and t."},
    {NULL},
};

static ss_status init(void *data, ss_setup *setup)
{
    load *self = data;
    ss_node *nodes;
    int count = self->on.rows;
    SS_TRY(ss_setup_allocate(setup, (size_t)count, sizeof *self->targets, (void **)&self->targets));
    SS_TRY(ss_derive_room(setup, count, &nodes));
    for (int i = 0; i < count; i++) {
        load_target *target = &self->targets[i];
        bool velocity;
        SS_TRY(ss_setup_find(setup, &self->on.items[i], &target->local, &velocity, &target->index));
        int nq, nu;
        ss_setup_touched(setup, target->local, &nq, &nu);
        if (!velocity && nq != nu)
            return ss_fail_at(ss_setup_context(setup), SS_INPUT, self->on.items[i].where,
                              "%s: the velocities of this system are not the rates of its coordinates; "
                              "name a velocity instead of '%s'",
                              ss_setup_owner(setup), self->on.items[i].text);
    }
    SS_TRY(ss_derive_parse(setup, "force", &self->force, count, nodes));
    return ss_setup_compile(setup, count, nodes, &self->formula);
}

static ss_status add(const void *data, const ss_at *at, double *const *h)
{
    const load *self = data;
    const double *values = ss_formula_run(self->formula, at);
    for (int i = 0; i < self->on.rows; i++)
        h[self->targets[i].local][self->targets[i].index] += values[i];
    return SS_OK;
}

const ss_force_ops ss_load_ops = {
    .type = {sizeof(ss_force_ops), "load", "Forces given as expressions of coordinates, velocities and t.",
             sizeof(load), keys},
    .init = init,
    .h = add,
};
