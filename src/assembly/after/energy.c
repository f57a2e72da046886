/* energy.c: gaps, relative velocities and energies at a state. */
#include "assembly/work.h"

#include <string.h>

/* Of the first elements and laws of the table. */
static ss_status measure(ss_work *work, const ss_state *state, const ss_table *part, double *gap,
                         double *gamma)
{
    SS_TRY(ss_work_evaluate(work, ss_state_time(state), ss_state_q(state)));
    for (int e = 0; e < part->n_elements; e++) {
        SS_TRY(ss_work_element_gaps(work, e));
        SS_TRY(ss_work_element_directions(work, e));
        ss_work_element_velocity(work, e, ss_state_u(state), work->elements[e].gamma_B);
    }
    for (int l = 0; l < part->n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        const ss_work_element *we = &work->elements[law->element];
        bool has_gap =
            law->kind == SS_GEOMETRIC && !ss_element_rule(&work->table.elements[law->element]);
        for (int i = 0; i < law->dim; i++) {
            gap[law->offset + i] = has_gap ? we->g[law->row + i] : 0;
            gamma[law->offset + i] = we->gamma_B[law->row + i];
        }
    }
    return SS_OK;
}

ss_status ss_work_measure(ss_work *work, const ss_state *state, double *gap, double *gamma)
{
    const ss_table model = {.n_elements = work->model->n_elements.count,
                            .n_laws = work->model->n_laws.count};
    return measure(work, state, &model, gap, gamma);
}

ss_status ss_work_measure_all(ss_work *work, const ss_state *state, double *gap, double *gamma)
{
    return measure(work, state, &work->table, gap, gamma);
}

static ss_status potential_of_systems(ss_work *work, double *V)
{
    const ss_model *model = work->model;
    double part;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        part = 0;
        if (system->ops->potential)
            SS_TRY(system->ops->potential(system->object.self, &work->systems[s], &part));
        *V += part;
    }
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_force *force = &model->forces[f];
        part = 0;
        if (force->ops->potential)
            SS_TRY(force->ops->potential(force->object.self, &work->forces[f], &part));
        *V += part;
    }
    return SS_OK;
}

static ss_status potential_of_laws(ss_work *work, double *V)
{
    const ss_table *table = &work->table;
    for (int l = 0; l < work->model->n_laws.count; l++) {
        const ss_law *law = &table->laws[l];
        if (!(law->flags & SS_LAW_STORES_ENERGY))
            continue;
        double part = 0;
        SS_TRY(ss_work_element_gaps(work, law->element));
        SS_TRY(law->ops->potential(law->object.self, law->dim,
                                   work->elements[law->element].g + law->row, &part));
        *V += part;
    }
    return SS_OK;
}

ss_status ss_work_energy(ss_work *work, const ss_state *state, ss_energy *energy)
{
    const ss_model *model = work->model;
    const ss_statistics *sums = ss_state_statistics(state);
    *energy = (ss_energy){.dissipated = sums->dissipated, .load_work = sums->load_work};
    SS_TRY(ss_work_evaluate(work, ss_state_time(state), ss_state_q(state)));
    memcpy(work->u, ss_state_u(state), (size_t)model->n_u * sizeof *work->u);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        energy->kinetic += ss_work_kinetic(work, s, ss_state_u(state) + system->u_offset);
    }
    SS_TRY(potential_of_systems(work, &energy->potential));
    return potential_of_laws(work, &energy->potential);
}
