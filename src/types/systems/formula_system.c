/* formula_system.c: what the two systems given by expressions share. */
#include "types/systems/formula_system.h"

#include <string.h>

/* Names of a list of texts. */
static ss_status names_of(ss_setup *setup, const ss_texts *texts, const char ***names)
{
    SS_TRY(ss_setup_allocate(setup, (size_t)texts->rows, sizeof **names, (void **)names));
    for (int i = 0; i < texts->rows; i++)
        (*names)[i] = texts->items[i].text;
    return SS_OK;
}

ss_status ss_formula_system_coordinates(ss_setup *setup, const ss_texts *texts)
{
    const char **names;
    SS_TRY(names_of(setup, texts, &names));
    return ss_setup_coordinates(setup, texts->rows, names);
}

ss_status ss_formula_system_velocities(ss_setup *setup, const ss_texts *texts)
{
    const char **names;
    SS_TRY(names_of(setup, texts, &names));
    return ss_setup_velocities(setup, texts->rows, names);
}

static bool all_constant(const ss_graph *graph, int count, const ss_node *nodes)
{
    double value;
    for (int i = 0; i < count; i++)
        if (!ss_graph_is_constant(graph, nodes[i], &value))
            return false;
    return true;
}

ss_status ss_formula_system_compile(ss_setup *setup, const ss_formula_system_nodes *n,
                                    ss_formula_system *self)
{
    ss_graph *graph;
    int nq = n->system.nq, nu = n->system.nu;
    SS_TRY(ss_setup_graph(setup, &graph));
    self->nq = nq;
    self->nu = nu;
    if (all_constant(graph, nu * nu, n->mass))
        ss_setup_constant_mass(setup);
    SS_TRY(ss_setup_compile(setup, nu * nu, n->mass, &self->mass));
    SS_TRY(ss_setup_compile(setup, nu, n->h, &self->h));
    if (n->load)
        SS_TRY(ss_setup_compile(setup, nu, n->load, &self->load));
    if (n->potential)
        SS_TRY(ss_setup_compile(setup, 1, n->potential, &self->potential));
    if (n->F)
        SS_TRY(ss_setup_compile(setup, nq * nu, n->F, &self->F));
    return ss_derive_jacobians(setup, &n->system, n->h, &self->derivatives);
}

ss_status ss_formula_system_mass(const void *self, const ss_at *at, double *M)
{
    const ss_formula_system *s = self;
    memcpy(M, ss_formula_run(s->mass, at), (size_t)(s->nu * s->nu) * sizeof *M);
    return SS_OK;
}

ss_status ss_formula_system_h(const void *self, const ss_at *at, double *h)
{
    const ss_formula_system *s = self;
    memcpy(h, ss_formula_run(s->h, at), (size_t)s->nu * sizeof *h);
    return SS_OK;
}

ss_status ss_formula_system_load(const void *self, const ss_at *at, double *Q)
{
    const ss_formula_system *s = self;
    /* Without a formula of their own, loads are all of h when there is no potential. */
    size_t bytes = (size_t)s->nu * sizeof *Q;
    if (s->load || !s->potential)
        memcpy(Q, ss_formula_run(s->load ? s->load : s->h, at), bytes);
    else
        memset(Q, 0, bytes);
    return SS_OK;
}

ss_status ss_formula_system_potential(const void *self, const ss_at *at, double *V)
{
    const ss_formula_system *s = self;
    *V = s->potential ? ss_formula_run(s->potential, at)[0] : 0;
    return SS_OK;
}

ss_status ss_formula_system_F(const void *self, const ss_at *at, double *F)
{
    const ss_formula_system *s = self;
    if (s->F) {
        memcpy(F, ss_formula_run(s->F, at), (size_t)(s->nq * s->nu) * sizeof *F);
        return SS_OK;
    }
    for (int i = 0; i < s->nq; i++)
        for (int j = 0; j < s->nu; j++)
            F[i * s->nu + j] = i == j;
    return SS_OK;
}

ss_status ss_formula_system_derivatives(const void *self, const ss_at *at, double *dhdq,
                                        double *dhdu)
{
    const ss_formula_system *s = self;
    ss_derive_split(s->nq, s->nu, ss_formula_run(s->derivatives, at), dhdq, dhdu);
    return SS_OK;
}
