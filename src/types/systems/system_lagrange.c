/* system_lagrange.c: a system given by its energies.
 *
 * With kinetic energy T(q, u, t), quadratic in u, potential V(q, t) and generalized forces Q(q, u, t), Lagrange's
 * equations d/dt ∂T/∂u - ∂T/∂q + ∂V/∂q = Q are M u' = h with
 *
 *     M_ij = ∂²T/∂u_i∂u_j
 *     h_i  = ∂T/∂q_i - Σ_j ∂²T/∂u_i∂q_j u_j - ∂²T/∂u_i∂t - ∂V/∂q_i + Q_i
 */
#include "types/systems/derive.h"
#include "types/systems/formula_system.h"
#include "types/types.h"

typedef struct lagrange {
    ss_formula_system formulas; /* first: the functions of formula_system.c take it as self */
    ss_texts coordinates;
    ss_text kinetic, potential;
    ss_texts forces;
} lagrange;

static const ss_key keys[] = {
    {"coordinates", SS_KEY_TEXTS, offsetof(lagrange, coordinates), NULL, 0, 0, NULL, "",
     "Names of the coordinates; their velocities are called name'."},
    {"kinetic", SS_KEY_EXPRESSION, offsetof(lagrange, kinetic), NULL, 0, 0, NULL, "J",
     "Kinetic energy, quadratic in the velocities."},
    {"potential", SS_KEY_EXPRESSION, offsetof(lagrange, potential), "0", 0, 0, NULL, "J",
     "Potential energy, of the coordinates and t."},
    {"forces", SS_KEY_EXPRESSIONS, offsetof(lagrange, forces), "", 0, 0, NULL, "N, N m",
     "Generalized forces besides those of the potential, one for each coordinate."},
    {NULL},
};

static ss_status derive_mass(ss_setup *setup, const lagrange *self, const ss_system_nodes *nodes,
                             ss_node T, ss_node *M)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    for (int i = 0; i < nodes->nu; i++) {
        ss_node momentum;
        SS_TRY(ss_graph_derivative(graph, T, nodes->u[i], &momentum));
        for (int j = 0; j < nodes->nu; j++) {
            ss_node *Mij = &M[i * nodes->nu + j];
            SS_TRY(ss_graph_derivative(graph, momentum, nodes->u[j], Mij));
            if (ss_derive_depends_on_any(graph, *Mij, nodes->nu, nodes->u))
                return ss_fail_at(ss_setup_context(setup), SS_INPUT, self->kinetic.where,
                                  "%s: 'kinetic' must be quadratic in the velocities; its second "
                                  "derivatives with respect to them are not constant",
                                  ss_setup_owner(setup));
        }
    }
    return SS_OK;
}

/* ∂T/∂q_i - Σ_j ∂²T/∂u_i∂q_j u_j - ∂²T/∂u_i∂t */
static ss_status derive_gyroscopic(ss_setup *setup, const ss_system_nodes *nodes, ss_node T, int i,
                                   ss_node *h)
{
    ss_graph *graph;
    ss_node momentum, part, t;
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_setup_time(setup, &t));
    SS_TRY(ss_graph_derivative(graph, T, nodes->q[i], h));
    SS_TRY(ss_graph_derivative(graph, T, nodes->u[i], &momentum));
    for (int j = 0; j < nodes->nq; j++) {
        SS_TRY(ss_graph_derivative(graph, momentum, nodes->q[j], &part));
        SS_TRY(ss_graph_multiply(graph, part, nodes->u[j], &part));
        SS_TRY(ss_derive_subtract(graph, part, h));
    }
    SS_TRY(ss_graph_derivative(graph, momentum, t, &part));
    return ss_derive_subtract(graph, part, h);
}

static ss_status derive_h(ss_setup *setup, const ss_system_nodes *nodes, ss_node T, ss_node V,
                          const ss_node *Q, ss_node *h)
{
    ss_graph *graph;
    ss_node slope;
    SS_TRY(ss_setup_graph(setup, &graph));
    for (int i = 0; i < nodes->nu; i++) {
        SS_TRY(derive_gyroscopic(setup, nodes, T, i, &h[i]));
        SS_TRY(ss_graph_derivative(graph, V, nodes->q[i], &slope));
        SS_TRY(ss_derive_subtract(graph, slope, &h[i]));
        SS_TRY(ss_graph_add(graph, h[i], Q[i], &h[i]));
    }
    return SS_OK;
}

static ss_status parse_forces(ss_setup *setup, const lagrange *self, int nu, ss_node *Q)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    if (self->forces.rows)
        return ss_derive_parse(setup, "forces", &self->forces, nu, Q);
    for (int i = 0; i < nu; i++)
        SS_TRY(ss_graph_constant(graph, 0, &Q[i]));
    return SS_OK;
}

static ss_status init(void *data, ss_setup *setup)
{
    lagrange *self = data;
    ss_graph *graph;
    ss_system_nodes nodes;
    ss_node T, V, *M, *h, *Q;
    SS_TRY(ss_formula_system_coordinates(setup, &self->coordinates));
    SS_TRY(ss_derive_nodes(setup, 0, &nodes));
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_graph_parse(graph, &self->kinetic, &T));
    SS_TRY(ss_graph_parse(graph, &self->potential, &V));
    if (ss_derive_depends_on_any(graph, V, nodes.nu, nodes.u))
        return ss_fail_at(
            ss_setup_context(setup), SS_INPUT, self->potential.where,
            "%s: 'potential' must not depend on velocities; such forces go into 'forces'",
            ss_setup_owner(setup));
    SS_TRY(ss_derive_capacity(setup, nodes.nu * nodes.nu, &M));
    SS_TRY(ss_derive_capacity(setup, nodes.nu, &h));
    SS_TRY(ss_derive_capacity(setup, nodes.nu, &Q));
    SS_TRY(parse_forces(setup, self, nodes.nu, Q));
    SS_TRY(derive_mass(setup, self, &nodes, T, M));
    SS_TRY(derive_h(setup, &nodes, T, V, Q, h));
    ss_formula_system_nodes all = {.system = nodes, .mass = M, .h = h, .load = Q, .potential = &V};
    return ss_formula_system_compile(setup, &all, &self->formulas);
}

const ss_system_ops ss_lagrange_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "lagrange",
             "Given by kinetic and potential energy and generalized forces; M and h are derived.",
             sizeof(lagrange), keys},
    .init = init,
    .mass = ss_formula_system_mass,
    .h = ss_formula_system_h,
    .load = ss_formula_system_load,
    .potential = ss_formula_system_potential,
    .derivatives = ss_formula_system_derivatives,
};
