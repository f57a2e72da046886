/* element_expression.c: kinematics given by expressions.
 *
 * Gaps g(q, t):        W = Fᵀ (∂g/∂q)ᵀ, ζ = ∂g/∂t
 * Slips s(q, u, t):    linear in u; W = (∂s/∂u)ᵀ, ζ = s at u = 0
 * Both:                ζ̂ = Σ ∂γ/∂q q' + ∂γ/∂t with γ as a formula
 */
#include "model/refuse.h"
#include "types/derive.h"
#include "types/types.h"

#include <string.h>

typedef struct connected_part {
    int nq, nu;
    int first; /* of this system's slopes in the output of `slopes` */
} connected_part;

typedef struct expression_element {
    ss_texts gap, slip;
    int n_gap, n_slip, n_connected;
    connected_part *parts;
    const ss_formula *gaps; /* n_gap */
    const ss_formula *slopes; /* per system, per row: ∂g/∂q (nq) of gaps, ∂s/∂u (nu) of slips */
    const ss_formula *zeta, *zeta_hat;
} expression_element;

static const ss_key keys[] = {
    {"gap", SS_KEY_EXPRESSIONS, offsetof(expression_element, gap), "", 0, 0, NULL, "m, rad",
     "Gap or gaps of coordinates and t, positive when open: the group 'gap' of geometric rows."},
    {"slip", SS_KEY_EXPRESSIONS, offsetof(expression_element, slip), "", 0, 0, NULL, "m/s, rad/s",
     "Relative velocities, linear in the velocities: the group 'slip' of kinematic rows."},
    {NULL},
};

static ss_status refuse(ss_setup *setup, const ss_text *text, const char *what)
{
    return ss_fail_at(ss_setup_context(setup), SS_INPUT, text->where, "%s: %s",
                      ss_setup_owner(setup), what);
}

static ss_status check_gaps(ss_setup *setup, const expression_element *self, const ss_node *rows,
                            const ss_system_nodes *nodes)
{
    for (int row = 0; row < self->n_gap; row++)
        for (int k = 0; k < self->n_connected; k++)
            if (ss_derive_has_velocity(&nodes[k], rows[row]))
                return refuse(setup, &self->gap.items[row], "a gap must not depend on velocities");
    return SS_OK;
}

/* Slopes of one row with respect to one system. */
static ss_status derive_row(ss_setup *setup, const expression_element *self, int row,
                            ss_node formula, const ss_system_nodes *nodes, int k, ss_node *slopes)
{
    bool gap = row < self->n_gap;
    const ss_node *variables = gap ? nodes[k].q : nodes[k].u;
    for (int j = 0; j < (gap ? nodes[k].nq : nodes[k].nu); j++) {
        SS_TRY(ss_graph_derivative(nodes->graph, formula, variables[j], &slopes[j]));
        for (int i = 0; i < self->n_connected; i++)
            if (ss_derive_has_velocity(&nodes[i], slopes[j]))
                return refuse(setup, &self->slip.items[row - self->n_gap],
                              "a slip must be linear in the velocities");
    }
    return SS_OK;
}

static ss_status compile_slopes(ss_setup *setup, expression_element *self, const ss_node *rows,
                                const ss_system_nodes *nodes)
{
    ss_node *slopes;
    int count = 0;
    SS_TRY(SS_SETUP_NEW(setup, self->n_connected, &self->parts));
    for (int k = 0; k < self->n_connected; k++) {
        self->parts[k] = (connected_part){nodes[k].nq, nodes[k].nu, count};
        count += self->n_gap * nodes[k].nq + self->n_slip * nodes[k].nu;
    }
    SS_TRY(SS_SETUP_NEW(setup, count, &slopes));
    for (int k = 0; k < self->n_connected; k++) {
        ss_node *place = slopes + self->parts[k].first;
        for (int row = 0; row < self->n_gap + self->n_slip; row++) {
            SS_TRY(derive_row(setup, self, row, rows[row], nodes, k, place));
            place += row < self->n_gap ? nodes[k].nq : nodes[k].nu;
        }
    }
    SS_TRY(ss_setup_compile(setup, self->n_gap, rows, &self->gaps));
    return ss_setup_compile(setup, count, slopes, &self->slopes);
}

/* ∂f/∂t, and along with the motion when q' = u: df/dt = ∂f/∂t + Σ ∂f/∂q u. */
static ss_status derive_in_time(const expression_element *self, const ss_system_nodes *nodes,
                                ss_node t, ss_node f, bool motion, ss_node *rate)
{
    ss_node slope;
    SS_TRY(ss_graph_derivative(nodes->graph, f, t, rate));
    for (int k = 0; motion && k < self->n_connected; k++)
        for (int j = 0; j < nodes[k].nq; j++) {
            SS_TRY(ss_graph_derivative(nodes->graph, f, nodes[k].q[j], &slope));
            SS_TRY(ss_derive_add_product(nodes->graph, slope, nodes[k].u[j], rate));
        }
    return SS_OK;
}

/* ζ of a slip: s at u = 0. */
static ss_status at_rest(const expression_element *self, const ss_system_nodes *nodes,
                         ss_node *zeta)
{
    ss_node zero;
    SS_TRY(ss_graph_constant(nodes->graph, 0, &zero));
    for (int k = 0; k < self->n_connected; k++)
        for (int j = 0; j < nodes[k].nu; j++)
            SS_TRY(ss_graph_substitute(nodes->graph, *zeta, 1, &nodes[k].u[j], &zero, zeta));
    return SS_OK;
}

static ss_status compile_zetas(ss_setup *setup, expression_element *self, const ss_node *rows,
                               const ss_system_nodes *nodes)
{
    int count = self->n_gap + self->n_slip;
    ss_node *zeta, *zeta_hat, t;
    SS_TRY(SS_SETUP_NEW(setup, count, &zeta));
    SS_TRY(SS_SETUP_NEW(setup, count, &zeta_hat));
    SS_TRY(ss_setup_time(setup, &t));
    for (int row = 0; row < count; row++) {
        zeta[row] = rows[row];
        SS_TRY(row < self->n_gap ? derive_in_time(self, nodes, t, rows[row], false, &zeta[row])
                                 : at_rest(self, nodes, &zeta[row]));
    }
    SS_TRY(ss_setup_compile(setup, count, zeta, &self->zeta));
    for (int k = 0; k < self->n_connected; k++)
        if (nodes[k].nq != nodes[k].nu)
            return SS_OK;
    for (int row = 0; row < count; row++) {
        ss_node gamma = rows[row];
        if (row < self->n_gap)
            SS_TRY(derive_in_time(self, nodes, t, rows[row], true, &gamma));
        SS_TRY(derive_in_time(self, nodes, t, gamma, true, &zeta_hat[row]));
    }
    return ss_setup_compile(setup, count, zeta_hat, &self->zeta_hat);
}

/* Every row as a formula, touching the systems it names; then the nodes of all connected systems. */
static ss_status init(void *data, ss_setup *setup)
{
    expression_element *self = data;
    ss_node *rows;
    ss_system_nodes *nodes;
    self->n_gap = self->gap.rows * self->gap.columns;
    self->n_slip = self->slip.rows * self->slip.columns;
    if (self->n_gap + self->n_slip == 0)
        return ss_refuse(setup, "it needs a 'gap', a 'slip', or both");
    SS_TRY(SS_SETUP_NEW(setup, self->n_gap + self->n_slip, &rows));
    SS_TRY(ss_derive_parse(setup, "gap", &self->gap, self->n_gap, rows));
    SS_TRY(ss_derive_parse(setup, "slip", &self->slip, self->n_slip, rows + self->n_gap));
    self->n_connected = ss_setup_connected_count(setup);
    if (self->n_connected == 0)
        return ss_refuse(setup, "its expressions contain no coordinate of any system");
    SS_TRY(SS_SETUP_NEW(setup, self->n_connected, &nodes));
    for (int k = 0; k < self->n_connected; k++)
        SS_TRY(ss_derive_nodes(setup, k, &nodes[k]));
    SS_TRY(check_gaps(setup, self, rows, nodes));
    if (self->n_gap)
        SS_TRY(ss_setup_rows(setup, "gap", self->n_gap, SS_GEOMETRIC));
    if (self->n_slip)
        SS_TRY(ss_setup_rows(setup, "slip", self->n_slip, SS_KINEMATIC));
    SS_TRY(compile_slopes(setup, self, rows, nodes));
    return compile_zetas(setup, self, rows, nodes);
}

static ss_status gap(const void *data, const ss_at *at, double *g)
{
    const expression_element *self = data;
    memcpy(g, ss_formula_run(self->gaps, at), (size_t)self->n_gap * sizeof *g);
    return SS_OK;
}

/* w = Fᵀ slope; F = NULL: identity. */
static void through_F(const connected_part *part, const double *F, const double *slope, double *w)
{
    for (int j = 0; j < part->nu; j++) {
        w[j] = F ? 0 : slope[j];
        for (int i = 0; F && i < part->nq; i++)
            w[j] += F[i * part->nu + j] * slope[i];
    }
}

static ss_status directions(const void *data, const ss_at *at, double *const *W)
{
    const expression_element *self = data;
    const double *slopes = ss_formula_run(self->slopes, at);
    for (int k = 0; k < self->n_connected; k++) {
        const connected_part *part = &self->parts[k];
        const double *slope = slopes + part->first;
        for (int row = 0; row < self->n_gap; row++, slope += part->nq)
            through_F(part, at->F[k], slope, W[k] + row * part->nu);
        size_t bytes = (size_t)(self->n_slip * part->nu) * sizeof *slope;
        memcpy(W[k] + self->n_gap * part->nu, slope, bytes);
    }
    return SS_OK;
}

static ss_status zeta(const void *data, const ss_at *at, double *z)
{
    const expression_element *self = data;
    memcpy(z, ss_formula_run(self->zeta, at), (size_t)(self->n_gap + self->n_slip) * sizeof *z);
    return SS_OK;
}

static ss_status zeta_hat(const void *data, const ss_at *at, double *z)
{
    const expression_element *self = data;
    if (!self->zeta_hat)
        return SS_UNSUPPORTED;
    memcpy(z, ss_formula_run(self->zeta_hat, at), (size_t)(self->n_gap + self->n_slip) * sizeof *z);
    return SS_OK;
}

const ss_element_ops ss_expression_element_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "expression",
             "Gaps and relative velocities given as expressions; W, ζ and ζ̂ are derived.",
             sizeof(expression_element), keys},
    .init = init,
    .gap = gap,
    .W = directions,
    .zeta = zeta,
    .zeta_hat = zeta_hat,
};
