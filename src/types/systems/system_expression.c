/* system_expression.c: a system given by its mass matrix and force vector as expressions, M u' = h, q' = F u. */
#include "types/systems/formula_system.h"
#include "types/types.h"

typedef struct expression_system {
    ss_formula_system formulas; /* first: the functions of formula_system.c take it as self */
    ss_texts coordinates, velocities;
    ss_texts mass, force, F;
    ss_text potential;
} expression_system;

static const ss_key keys[] = {
    {"coordinates", SS_KEY_TEXTS, offsetof(expression_system, coordinates), NULL, 0, 0, NULL, "",
     "Names of the coordinates; their velocities are called name' unless 'velocities' names them."},
    {"velocities", SS_KEY_TEXTS, offsetof(expression_system, velocities), "", 0, 0, NULL, "",
     "Names of the velocities where they are not the rates of the coordinates; wants 'F'."},
    {"F", SS_KEY_EXPRESSIONS, offsetof(expression_system, F), "", 0, 0, NULL, "",
     "Matrix F of q' = F u, one row for each coordinate."},
    {"mass", SS_KEY_EXPRESSIONS, offsetof(expression_system, mass), NULL, 0, 0, NULL, "kg, kg m²",
     "Mass matrix M(q, t) by rows; symmetric, positive definite."},
    {"force", SS_KEY_EXPRESSIONS, offsetof(expression_system, force), NULL, 0, 0, NULL, "N, N m",
     "Force vector h(q, u, t), gyroscopic terms included."},
    {"potential", SS_KEY_EXPRESSION, offsetof(expression_system, potential), "", 0, 0, NULL, "J",
     "Potential energy, for the energy balance only: 'force' must contain its forces."},
    {NULL},
};

static ss_status declare(ss_setup *setup, const expression_system *self)
{
    SS_TRY(ss_formula_system_coordinates(setup, &self->coordinates));
    bool own_velocities = self->velocities.rows > 0, F = self->F.rows > 0;
    if (own_velocities != F)
        return ss_fail_at(ss_setup_context(setup), SS_INPUT, ss_setup_location(setup),
                          "%s: 'velocities' and 'F' belong together; give both or neither",
                          ss_setup_owner(setup));
    return own_velocities ? ss_formula_system_velocities(setup, &self->velocities) : SS_OK;
}

static ss_status check_mass(ss_setup *setup, const expression_system *self,
                            const ss_system_nodes *nodes, const ss_node *M)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    for (int i = 0; i < nodes->nu * nodes->nu; i++)
        if (ss_derive_depends_on_any(graph, M[i], nodes->nu, nodes->u))
            return ss_fail_at(ss_setup_context(setup), SS_INPUT, self->mass.items[i].where,
                              "%s: 'mass' must not depend on velocities", ss_setup_owner(setup));
    return SS_OK;
}

static ss_status init(void *data, ss_setup *setup)
{
    expression_system *self = data;
    ss_graph *graph;
    ss_system_nodes nodes;
    ss_node *M, *h, *F, V;
    SS_TRY(declare(setup, self));
    SS_TRY(ss_derive_nodes(setup, 0, &nodes));
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_derive_capacity(setup, nodes.nu * nodes.nu, &M));
    SS_TRY(ss_derive_capacity(setup, nodes.nu, &h));
    SS_TRY(ss_derive_capacity(setup, nodes.nq * nodes.nu, &F));
    SS_TRY(ss_derive_parse(setup, "mass", &self->mass, nodes.nu * nodes.nu, M));
    SS_TRY(check_mass(setup, self, &nodes, M));
    SS_TRY(ss_derive_parse(setup, "force", &self->force, nodes.nu, h));
    ss_formula_system_nodes all = {.system = nodes, .mass = M, .h = h};
    if (self->F.rows) {
        SS_TRY(ss_derive_parse(setup, "F", &self->F, nodes.nq * nodes.nu, F));
        all.F = F;
    }
    if (self->potential.text) {
        SS_TRY(ss_graph_parse(graph, &self->potential, &V));
        all.potential = &V;
    }
    return ss_formula_system_compile(setup, &all, &self->formulas);
}

const ss_system_ops ss_expression_system_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "expression",
             "Given by mass matrix and force vector as expressions.", sizeof(expression_system),
             keys},
    .init = init,
    .mass = ss_formula_system_mass,
    .h = ss_formula_system_h,
    .load = ss_formula_system_load,
    .potential = ss_formula_system_potential,
    .F = ss_formula_system_F,
    .derivatives = ss_formula_system_derivatives,
};
