/* derive.h: nodes of formulas that the expression types build. */
#ifndef SS_TYPES_SYSTEMS_DERIVE_H
#define SS_TYPES_SYSTEMS_DERIVE_H

#include <stickslip/model.h>

/* Nodes of positions and velocities of one connected system (0 for a system itself). */
typedef struct ss_system_nodes {
    int nq, nu;
    ss_node *q, *u;
} ss_system_nodes;

ss_status ss_derive_nodes(ss_setup *setup, int local, ss_system_nodes *nodes);

/* Room for nodes that lives as long as the model. */
ss_status ss_derive_capacity(ss_setup *setup, int count, ss_node **nodes);

/* sum += a b */
ss_status ss_derive_add_product(ss_graph *graph, ss_node a, ss_node b, ss_node *sum);
/* sum -= a */
ss_status ss_derive_subtract(ss_graph *graph, ss_node a, ss_node *sum);

/* Parses a list of `count` texts; fails naming `key` when there are not as many. */
ss_status ss_derive_parse(ss_setup *setup, const char *key, const ss_texts *texts, int count,
                          ss_node *nodes);
bool ss_derive_depends_on_any(const ss_graph *graph, ss_node of, int count,
                              const ss_node *variables);

/* ∂h/∂q and ∂h/∂u by rows, dhdq first: what ss_system_ops.derivatives wants. */
ss_status ss_derive_jacobians(ss_setup *setup, const ss_system_nodes *nodes, const ss_node *h,
                              const ss_formula **formula);
/* Splits what the formula of ss_derive_jacobians gives. */
void ss_derive_split(int nq, int nu, const double *both, double *dhdq, double *dhdu);

#endif
