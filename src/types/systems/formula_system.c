/* formula_system.c: systems given by expressions: by mass matrix and force vector, M u' = h, q' = F u; or by
 * their energies.
 *
 * With kinetic energy T(q, u, t), quadratic in u, potential V(q, t) and generalized forces Q(q, u, t), Lagrange's
 * equations d/dt ∂T/∂u - ∂T/∂q + ∂V/∂q = Q are M u' = h with
 *
 *     M_ij = ∂²T/∂u_i∂u_j
 *     h_i  = ∂T/∂q_i - Σ_j ∂²T/∂u_i∂q_j u_j - ∂²T/∂u_i∂t - ∂V/∂q_i + Q_i
 */
#include "model/refuse.h"
#include "types/derive.h"
#include "types/types.h"

#include <string.h>

typedef struct formula_system {
    ss_texts coordinates, velocities; /* as given, here and in the next lines */
    ss_texts mass, force, F;
    ss_text kinetic, potential;
    int nq, nu;
    const ss_formula *M, *h, *load, *V, *rates, *derivatives; /* NULL: none; rates: identity */
} formula_system;

static const ss_key expression_keys[] = {
    {"coordinates", SS_KEY_TEXTS, offsetof(formula_system, coordinates), NULL, 0, 0, NULL, "",
     "Names of the coordinates; their velocities are called name' unless 'velocities' names them."},
    {"velocities", SS_KEY_TEXTS, offsetof(formula_system, velocities), "", 0, 0, NULL, "",
     "Names of the velocities where they are not the rates of the coordinates; wants 'F'."},
    {"F", SS_KEY_EXPRESSIONS, offsetof(formula_system, F), "", 0, 0, NULL, "",
     "Matrix F of q' = F u, one row for each coordinate."},
    {"mass", SS_KEY_EXPRESSIONS, offsetof(formula_system, mass), NULL, 0, 0, NULL, "kg, kg m²",
     "Mass matrix M(q, t) by rows; symmetric, positive definite."},
    {"force", SS_KEY_EXPRESSIONS, offsetof(formula_system, force), NULL, 0, 0, NULL, "N, N m",
     "Force vector h(q, u, t), gyroscopic terms included."},
    {"potential", SS_KEY_EXPRESSION, offsetof(formula_system, potential), "", 0, 0, NULL, "J",
     "Potential energy, for the energy balance only: 'force' must contain its forces."},
    {NULL},
};

static const ss_key lagrange_keys[] = {
    {"coordinates", SS_KEY_TEXTS, offsetof(formula_system, coordinates), NULL, 0, 0, NULL, "",
     "Names of the coordinates; their velocities are called name'."},
    {"kinetic", SS_KEY_EXPRESSION, offsetof(formula_system, kinetic), NULL, 0, 0, NULL, "J",
     "Kinetic energy, quadratic in the velocities."},
    {"potential", SS_KEY_EXPRESSION, offsetof(formula_system, potential), "0", 0, 0, NULL, "J",
     "Potential energy, of the coordinates and t."},
    {"forces", SS_KEY_EXPRESSIONS, offsetof(formula_system, force), "", 0, 0, NULL, "N, N m",
     "Generalized forces besides those of the potential, one for each coordinate."},
    {NULL},
};

static ss_status refuse(const ss_setup *setup, const ss_text *text, const char *what)
{
    return ss_fail_at(ss_setup_context(setup), SS_INPUT, text->where, "%s: %s",
                      ss_setup_owner(setup), what);
}

static ss_status compile(ss_setup *setup, const ss_system_nodes *n, const ss_node *M,
                         const ss_node *h, formula_system *self)
{
    bool constant = true;
    double value;
    self->nq = n->nq;
    self->nu = n->nu;
    for (int i = 0; i < n->nu * n->nu; i++)
        constant = constant && ss_graph_is_constant(n->graph, M[i], &value);
    if (constant)
        ss_setup_constant_mass(setup);
    SS_TRY(ss_setup_compile(setup, n->nu * n->nu, M, &self->M));
    return ss_setup_compile(setup, n->nu, h, &self->h);
}

/* ---- By mass matrix and force vector ---- */

static ss_status init_expression(void *opaque, ss_setup *setup)
{
    formula_system *self = opaque;
    ss_system_nodes n;
    ss_node *M, *h, *F, V;
    const char **names;
    SS_TRY(ss_derive_coordinates(setup, &self->coordinates));
    if ((self->velocities.rows > 0) != (self->F.rows > 0))
        return ss_refuse(setup, "'velocities' and 'F' belong together; give both or neither");
    if (self->velocities.rows) {
        SS_TRY(ss_derive_names(setup, &self->velocities, &names));
        SS_TRY(ss_setup_velocities(setup, self->velocities.rows, names));
    }
    SS_TRY(ss_derive_nodes(setup, 0, &n));
    SS_TRY(SS_SETUP_NEW(setup, n.nu * n.nu, &M));
    SS_TRY(SS_SETUP_NEW(setup, n.nu, &h));
    SS_TRY(SS_SETUP_NEW(setup, n.nq * n.nu, &F));
    SS_TRY(ss_derive_parse(setup, "mass", &self->mass, n.nu * n.nu, M));
    for (int i = 0; i < n.nu * n.nu; i++)
        if (ss_derive_has_velocity(&n, M[i]))
            return refuse(setup, &self->mass.items[i], "'mass' must not depend on velocities");
    SS_TRY(ss_derive_parse(setup, "force", &self->force, n.nu, h));
    if (self->F.rows)
        SS_TRY(ss_derive_parse(setup, "F", &self->F, n.nq * n.nu, F));
    if (self->potential.text)
        SS_TRY(ss_graph_parse(n.graph, &self->potential, &V));
    SS_TRY(compile(setup, &n, M, h, self));
    if (self->potential.text)
        SS_TRY(ss_setup_compile(setup, 1, &V, &self->V));
    if (self->F.rows)
        SS_TRY(ss_setup_compile(setup, n.nq * n.nu, F, &self->rates));
    return ss_derive_jacobians(setup, &n, n.nu, h, &self->derivatives);
}

/* ---- By energies ---- */

static ss_status derive_mass(ss_setup *setup, const formula_system *self, const ss_system_nodes *n,
                             ss_node T, ss_node *M)
{
    for (int i = 0; i < n->nu; i++) {
        ss_node momentum;
        SS_TRY(ss_graph_derivative(n->graph, T, n->u[i], &momentum));
        for (int j = 0; j < n->nu; j++) {
            SS_TRY(ss_graph_derivative(n->graph, momentum, n->u[j], &M[i * n->nu + j]));
            if (ss_derive_has_velocity(n, M[i * n->nu + j]))
                return refuse(setup, &self->kinetic,
                              "'kinetic' must be quadratic in the velocities; its second "
                              "derivatives with respect to them are not constant");
        }
    }
    return SS_OK;
}

/* sum -= a */
static ss_status subtract(ss_graph *graph, ss_node a, ss_node *sum)
{
    ss_node minus;
    SS_TRY(ss_graph_negate(graph, a, &minus));
    return ss_graph_add(graph, *sum, minus, sum);
}

static ss_status derive_h(ss_setup *setup, const ss_system_nodes *n, const ss_node energies[2],
                          const ss_node *Q, ss_node *h)
{
    ss_node momentum, part, t, T = energies[0], V = energies[1];
    SS_TRY(ss_setup_time(setup, &t));
    for (int i = 0; i < n->nu; i++) {
        SS_TRY(ss_graph_derivative(n->graph, T, n->q[i], &h[i]));
        SS_TRY(ss_graph_derivative(n->graph, T, n->u[i], &momentum));
        for (int j = 0; j < n->nq; j++) {
            SS_TRY(ss_graph_derivative(n->graph, momentum, n->q[j], &part));
            SS_TRY(ss_graph_multiply(n->graph, part, n->u[j], &part));
            SS_TRY(subtract(n->graph, part, &h[i]));
        }
        SS_TRY(ss_graph_derivative(n->graph, momentum, t, &part));
        SS_TRY(subtract(n->graph, part, &h[i]));
        SS_TRY(ss_graph_derivative(n->graph, V, n->q[i], &part));
        SS_TRY(subtract(n->graph, part, &h[i]));
        SS_TRY(ss_graph_add(n->graph, h[i], Q[i], &h[i]));
    }
    return SS_OK;
}

static ss_status init_lagrange(void *opaque, ss_setup *setup)
{
    formula_system *self = opaque;
    ss_system_nodes n;
    ss_node energies[2], *M, *h, *Q;
    SS_TRY(ss_derive_coordinates(setup, &self->coordinates));
    SS_TRY(ss_derive_nodes(setup, 0, &n));
    SS_TRY(ss_graph_parse(n.graph, &self->kinetic, &energies[0]));
    SS_TRY(ss_graph_parse(n.graph, &self->potential, &energies[1]));
    if (ss_derive_has_velocity(&n, energies[1]))
        return refuse(setup, &self->potential,
                      "'potential' must not depend on velocities; such forces go into 'forces'");
    SS_TRY(SS_SETUP_NEW(setup, n.nu * n.nu, &M));
    SS_TRY(SS_SETUP_NEW(setup, n.nu, &h));
    SS_TRY(SS_SETUP_NEW(setup, n.nu, &Q));
    if (self->force.rows)
        SS_TRY(ss_derive_parse(setup, "forces", &self->force, n.nu, Q));
    for (int i = 0; !self->force.rows && i < n.nu; i++)
        SS_TRY(ss_graph_constant(n.graph, 0, &Q[i]));
    SS_TRY(derive_mass(setup, self, &n, energies[0], M));
    SS_TRY(derive_h(setup, &n, energies, Q, h));
    SS_TRY(compile(setup, &n, M, h, self));
    SS_TRY(ss_setup_compile(setup, n.nu, Q, &self->load));
    SS_TRY(ss_setup_compile(setup, 1, &energies[1], &self->V));
    return ss_derive_jacobians(setup, &n, n.nu, h, &self->derivatives);
}

/* ---- Evaluation ---- */

static ss_status mass(const void *opaque, const ss_at *at, double *M)
{
    const formula_system *s = opaque;
    memcpy(M, ss_formula_run(s->M, at), (size_t)(s->nu * s->nu) * sizeof *M);
    return SS_OK;
}

static ss_status h(const void *opaque, const ss_at *at, double *h)
{
    const formula_system *s = opaque;
    memcpy(h, ss_formula_run(s->h, at), (size_t)s->nu * sizeof *h);
    return SS_OK;
}

/* Without a formula of their own, loads are all of h when there is no potential. */
static ss_status load(const void *opaque, const ss_at *at, double *Q)
{
    const formula_system *s = opaque;
    size_t bytes = (size_t)s->nu * sizeof *Q;
    if (s->load || !s->V)
        memcpy(Q, ss_formula_run(s->load ? s->load : s->h, at), bytes);
    else
        memset(Q, 0, bytes);
    return SS_OK;
}

static ss_status potential(const void *opaque, const ss_at *at, double *V)
{
    const formula_system *s = opaque;
    *V = s->V ? ss_formula_run(s->V, at)[0] : 0;
    return SS_OK;
}

static ss_status F(const void *opaque, const ss_at *at, double *F)
{
    const formula_system *s = opaque;
    if (s->rates) {
        memcpy(F, ss_formula_run(s->rates, at), (size_t)(s->nq * s->nu) * sizeof *F);
        return SS_OK;
    }
    for (int i = 0; i < s->nq; i++)
        for (int j = 0; j < s->nu; j++)
            F[i * s->nu + j] = i == j;
    return SS_OK;
}

static ss_status derivatives(const void *opaque, const ss_at *at, double *dhdq, double *dhdu)
{
    const formula_system *s = opaque;
    const double *both = ss_formula_run(s->derivatives, at);
    memcpy(dhdq, both, (size_t)(s->nu * s->nq) * sizeof *dhdq);
    memcpy(dhdu, both + s->nu * s->nq, (size_t)(s->nu * s->nu) * sizeof *dhdu);
    return SS_OK;
}

const ss_system_ops ss_lagrange_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "lagrange",
             "Given by kinetic and potential energy and generalized forces; M and h are derived.",
             sizeof(formula_system), lagrange_keys},
    .init = init_lagrange,
    .mass = mass,
    .h = h,
    .load = load,
    .potential = potential,
    .derivatives = derivatives,
};

const ss_system_ops ss_expression_system_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "expression",
             "Given by mass matrix and force vector as expressions.", sizeof(formula_system),
             expression_keys},
    .init = init_expression,
    .mass = mass,
    .h = h,
    .load = load,
    .potential = potential,
    .F = F,
    .derivatives = derivatives,
};
