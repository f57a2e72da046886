/* elastic.c: partially elastic impacts in schemes whose laws are on displacement level
 * (Stiegelmeier and Funk, S5.3.5): a step in which a law with restitution closes is rejected and
 * repeated with that law on velocity level, S5.52. */
#include "assembly/work.h"
#include "scheme/general.h"

#include <string.h>

ss_contact_policy ss_general_elastic_contacts(const void *self, const ss_model *model)
{
    (void)self;
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        if (ss_element_rule(&model->elements[law->element]) && law->kind == SS_GEOMETRIC &&
            ss_law_is_elastic(&model->elements[law->element], law))
            return SS_CONTACTS_FOLLOWED;
    }
    return SS_CONTACTS_DETECTED;
}

/* A law that was open when the step began, approaches, and is closed at its end. */
static bool hits(const ss_general *g, int l)
{
    const ss_law *law = &g->work->table.laws[l];
    const ss_work_law *wl = &g->work->laws[l];
    if (!wl->displaced || wl->block < 0 ||
        !ss_law_is_elastic(&g->work->table.elements[law->element], law) ||
        ss_state_mode(g->B)[l] == 0)
        return false;
    const double *P = g->work->P + g->work->blocks[wl->block].offset;
    for (int i = 0; i < law->dim; i++)
        if (P[i] != 0)
            return true;
    return false;
}

static bool mark_hits(ss_general *g)
{
    bool any = false;
    for (int l = 0; l < g->size.n_laws; l++) {
        bool hit = !g->on_velocity[l] && hits(g, l);
        g->on_velocity[l] = g->on_velocity[l] || hit;
        any = any || hit;
    }
    return any;
}

ss_status ss_general_solve_elastic(ss_general *g)
{
    ss_discretization d = *g->d;
    const ss_discretization *given = g->d;
    ss_solve_report report = {.outcome = SS_CONVERGED, .residual.worst_block = -1},
                    *total = g->report;
    memset(g->on_velocity, 0, (size_t)g->size.n_laws * sizeof *g->on_velocity);
    d.form.on_velocity = g->on_velocity;
    g->d = &d;
    g->report = &report;
    *total = report;
    do {
        SS_TRY(ss_general_evaluate(g));
        SS_TRY(ss_general_solve(g));
        ss_general_join_report(&report, total);
    } while (mark_hits(g));
    g->d = given;
    g->report = total;
    return SS_OK;
}
