/* derive.h: formulas that types build: functions of time, and nodes with their derivatives. */
#ifndef SS_TYPES_DERIVE_H
#define SS_TYPES_DERIVE_H

#include <stickslip/model.h>

/* A parameter that may change with time, with its rate and acceleration. */
typedef struct ss_time_function {
    const ss_formula *formula; /* NULL: constant */
    double constant;
} ss_time_function;

typedef struct ss_time_value {
    double value, rate, acceleration;
} ss_time_value;

/* Compiles an expression of t and the parameters; fails when it depends on a coordinate. */
ss_status ss_time_function_compile(ss_setup *setup, const char *key, const ss_text *text,
                                   ss_time_function *function);
ss_time_value ss_time_function_at(const ss_time_function *function, const ss_at *at);

/* Nodes of positions and velocities of one connected system (0 for a system itself). */
typedef struct ss_system_nodes {
    ss_graph *graph;
    int nq, nu;
    ss_node *q, *u;
} ss_system_nodes;

ss_status ss_derive_nodes(ss_setup *setup, int local, ss_system_nodes *nodes);

/* Names from a list of texts, and the coordinates of a system that is being set up. */
ss_status ss_derive_names(ss_setup *setup, const ss_texts *texts, const char ***names);
ss_status ss_derive_coordinates(ss_setup *setup, const ss_texts *texts);

/* sum += a b */
ss_status ss_derive_add_product(ss_graph *graph, ss_node a, ss_node b, ss_node *sum);

/* Parses a list of `count` texts; fails naming `key` when there are not as many. */
ss_status ss_derive_parse(ss_setup *setup, const char *key, const ss_texts *texts, int count,
                          ss_node *nodes);
/* Whether a formula depends on any velocity of a system. */
bool ss_derive_has_velocity(const ss_system_nodes *nodes, ss_node formula);

/* ∂h/∂q (count × nq) and ∂h/∂u (count × nu) by rows, ∂h/∂q first. */
ss_status ss_derive_jacobians(ss_setup *setup, const ss_system_nodes *nodes, int count,
                              const ss_node *h, const ss_formula **formula);

#endif
