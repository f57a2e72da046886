/* graph.h: inside of the expression graph.
 *
 * A vertex is created once for each different term and refers to older vertices only, so the order
 * of indices is a topological order and nothing here recurses over the depth of a formula.
 */
#ifndef SS_EXPRESSION_GRAPH_H
#define SS_EXPRESSION_GRAPH_H

#include "base/map.h"
#include "expression/program.h"

/* What a name stands for: a node in a graph, a number in a scope. */
typedef union ss_named {
    ss_node node;
    double value;
} ss_named;

typedef struct ss_name_entry {
    const char *name;
    ss_named named;
} ss_name_entry;

/* Names in the order they were added. */
typedef struct ss_name_table {
    ss_arena arena; /* the names */
    ss_map index;   /* name → entry */
    ss_name_entry *entries;
    size_t count, capacity;
} ss_name_table;

void ss_name_table_init(ss_name_table *table, ss_context *context);
void ss_name_table_release(ss_name_table *table);
/* The entry of a name, or NULL. Valid until the next one is added. */
ss_name_entry *ss_name_table_find(const ss_name_table *table, const char *name);
/* Adds a name that is not in the table yet. */
ss_status ss_name_table_add(ss_name_table *table, const char *name, ss_named named);
/* Removes all but the first `count` names of a scope. */
void ss_scope_truncate(ss_scope *scope, size_t count);

/* The first two vertices of every graph. */
enum { SS_ZERO = 0, SS_ONE = 1 };

enum { SS_GRAPH_LARGEST = 1 << 22 }; /* vertices */

typedef struct ss_graph_vertex {
    unsigned char op;   /* ss_operation */
    bool singular;      /* holds a constant part that is not finite: such terms must not vanish */
    uint64_t variables; /* bit i: may depend on variable i; the last bit: on any of the others */
    union {
        double value;        /* of a constant */
        int variable;        /* position of a variable among the inputs */
        ss_node operands[3]; /* of an operation; those past its arity are SS_ZERO */
    };
} ss_graph_vertex;

/* A derivative that is known. */
typedef struct ss_partial {
    ss_node of; /* SS_ZERO: free */
    ss_node variable;
    ss_node node;
} ss_partial;

struct ss_graph {
    ss_context *context;
    ss_resolver resolver;

    ss_graph_vertex *vertices;
    int count, capacity;
    bool *seen;     /* capacity; all false between traversals */
    ss_node *path;  /* capacity; scratch of a traversal */
    ss_node *order; /* capacity; result of a traversal */

    ss_node *buckets; /* hash table of vertices; SS_ZERO: free */
    size_t bucket_count;

    ss_node *variables;
    int variable_count, variable_capacity;
    ss_name_table names;

    ss_partial *partials; /* hash table of derivatives */
    size_t partial_count, partial_capacity;
};

/* The vertex of an operation as it is, found or made. */
ss_status ss_graph_intern(ss_graph *graph, const ss_graph_vertex *vertex, ss_node *node);

/* Fails unless the node belongs to the graph. */
ss_status ss_graph_check(const ss_graph *graph, ss_node node);

/* Builds terms without a check at each step: after a failure every further term is SS_ZERO and the
 * status keeps the first failure. */
typedef struct ss_builder {
    ss_graph *graph;
    ss_status status;
} ss_builder;

/* The simplified term; operands past the arity are SS_ZERO. */
ss_node ss_build(ss_builder *builder, ss_operation op, ss_node x, ss_node y, ss_node z);
ss_node ss_build_constant(ss_builder *builder, double value);

/* Whether a traversal enters a vertex. */
typedef bool (*ss_enter_fn)(const ss_graph *graph, ss_node node, const void *user);

/* Puts every vertex that can be reached from the roots into graph->order, operands before what uses
 * them; returns how many. Vertices that are not entered are left out with all that lies below
 * them. */
int ss_graph_traverse(const ss_graph *graph, int count, const ss_node *roots, ss_enter_fn enter,
                      const void *user);

/* Enters what may depend on one of the variables whose bits are in *(const uint64_t *)user. */
bool ss_graph_enter_masked(const ss_graph *graph, ss_node node, const void *user);

/* The bit of a variable in ss_graph_vertex.variables. */
uint64_t ss_graph_bit(const ss_graph *graph, ss_node variable);

static inline ss_operation ss_graph_operation(const ss_graph *graph, ss_node node)
{
    return (ss_operation)graph->vertices[node].op;
}

static inline int ss_graph_arity(const ss_graph *graph, ss_node node)
{
    return ss_operation_arity(ss_graph_operation(graph, node));
}

#endif
