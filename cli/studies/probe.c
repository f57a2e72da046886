/* probe.c: evaluates expressions at states. */
#include "studies/probe.h"

#include <string.h>

static int count_names(const ss_cli_probe *s)
{
    return s->n_q + s->n_u;
}

/* "box.x" and, when only one system has it, "x"; -1: there is none. */
static int find(const ss_cli_probe *s, const char *name)
{
    int found = -1, count = 0;
    for (int i = 0; i < count_names(s); i++) {
        const char *own = strrchr(s->names[i].text, '.');
        if (strcmp(s->names[i].text, name) == 0)
            return i;
        if (own && strcmp(own + 1, name) == 0) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    const ss_cli_probe *s = user;
    double value;
    int index = find(s, name);
    if (strcmp(name, "t") == 0 || index >= 0) {
        *node = ss_graph_variable_node(graph, 1 + index);
        return SS_OK;
    }
    if (!ss_scope_find(ss_model_scope(s->model), name, &value))
        return SS_UNKNOWN_NAME;
    return ss_graph_constant(graph, value, node);
}

static size_t list_names(void *user, size_t capacity, const char **names)
{
    const ss_cli_probe *s = user;
    const ss_scope *scope = ss_model_scope(s->model);
    size_t count = 0, own = (size_t)count_names(s), all = own + ss_scope_count(scope);
    for (; count < all && count < capacity; count++)
        names[count] = count < own ? s->names[count].text : ss_scope_name(scope, count - own);
    return all;
}

/* Variables have names that no expression can have; resolve knows those of users. */
static ss_status declare(ss_cli_probe *s)
{
    for (int i = 0; i < 1 + count_names(s); i++) {
        ss_node node;
        char name[32];
        snprintf(name, sizeof name, "_%d_", i);
        SS_TRY(ss_graph_variable(s->graph, name, &node));
    }
    return SS_OK;
}

static ss_status compile(ss_cli_probe *s, int count, const char *const *expressions, ss_node *nodes)
{
    for (int i = 0; i < count; i++) {
        ss_text text = {expressions[i], {0}};
        SS_TRY(ss_graph_parse(s->graph, &text, &nodes[i]));
    }
    return ss_program_compile(s->graph, count, nodes, &s->program);
}

ss_status ss_cli_probe_create(const ss_model *model, int count, const char *const *expressions,
                              ss_cli_probe *probe)
{
    void *memory;
    ss_context *context = ss_model_context(model);
    ss_model_size size = ss_model_sizes(model);
    *probe = (ss_cli_probe){.model = model, .count = count};
    SS_TRY(ss_allocate(context, (size_t)(size.n_q + size.n_u) + 1, sizeof(ss_name), &memory));
    probe->names = memory;
    probe->n_q = size.n_q;
    probe->n_u = size.n_u;
    for (int i = 0; i < size.n_q; i++)
        probe->names[i] = ss_model_q_name(model, i);
    for (int i = 0; i < size.n_u; i++)
        probe->names[size.n_q + i] = ss_model_u_name(model, i);
    ss_resolver resolver = {probe, resolve, list_names};
    SS_TRY(ss_graph_create(context, &resolver, &probe->graph));
    SS_TRY(declare(probe));
    SS_TRY(ss_allocate(context, (size_t)count + 1, sizeof(ss_node), &memory));
    ss_status status = compile(probe, count, expressions, memory);
    ss_release(context, memory);
    SS_TRY(status);
    SS_TRY(ss_allocate(context, ss_program_frame(probe->program) + 1, sizeof(double), &memory));
    probe->frame = memory;
    ss_program_prepare(probe->program, probe->frame);
    return SS_OK;
}

void ss_cli_probe_release(ss_cli_probe *probe)
{
    if (!probe->model)
        return;
    ss_context *context = ss_model_context(probe->model);
    ss_program_destroy(probe->program);
    ss_graph_destroy(probe->graph);
    ss_release(context, probe->frame);
    ss_release(context, probe->names);
    *probe = (ss_cli_probe){0};
}

const double *ss_cli_probe_at(ss_cli_probe *s, const ss_state *state)
{
    s->frame[0] = ss_state_time(state);
    memcpy(s->frame + 1, ss_state_q(state), (size_t)s->n_q * sizeof(double));
    memcpy(s->frame + 1 + s->n_q, ss_state_u(state), (size_t)s->n_u * sizeof(double));
    ss_program_run(s->program, s->frame);
    return ss_program_outputs(s->program, s->frame);
}
