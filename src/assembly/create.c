/* create.c: all memory of a work, allocated once. */
#include "assembly/sources/candidates.h"
#include "assembly/sources/contact_element.h"
#include "assembly/sources/contacts.h"
#include "base/context.h"

#include <string.h>

static ss_status make_cache(const ss_work *work, ss_arena *arena, const ss_object *object,
                            void **made)
{
    char *cache;
    SS_TRY(SS_ARENA_NEW(arena, object->cache_size, &cache));
    for (const ss_formula *f = object->formulas; f; f = f->next) {
        ss_program_prepare(f->program, (double *)(void *)(cache + f->cache_offset));
        ss_formula_feed(f, cache, work->control);
    }
    *made = cache;
    return SS_OK;
}

/* Pointers to the slices of q, u and F that one object sees. */
static ss_status see(ss_work *work, ss_arena *arena, const ss_connected *connected,
                     const ss_object *object, ss_at *at)
{
    const ss_model *model = work->model;
    const double **q, **u, **F;
    void *cache;
    SS_TRY(SS_ARENA_NEW(arena, connected->count, &q));
    SS_TRY(SS_ARENA_NEW(arena, connected->count, &u));
    SS_TRY(SS_ARENA_NEW(arena, connected->count, &F));
    SS_TRY(make_cache(work, arena, object, &cache));
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &model->systems[connected->systems[k]];
        q[k] = work->q + system->q_offset;
        u[k] = work->u + system->u_offset;
        F[k] = system->has_F ? work->F + system->F_offset : NULL;
    }
    *at = (ss_at){.q = q, .u = u, .F = F, .cache = cache};
    return SS_OK;
}

static ss_status lay_out_systems(ss_work *work)
{
    const ss_model *model = work->model;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_systems.count, &work->systems));
    for (int s = 0; s < model->n_systems.count; s++) {
        ss_connected self = {.count = 1, .systems = &s};
        SS_TRY(see(work, &work->arena, &self, &model->systems[s].object, &work->systems[s]));
    }
    return SS_OK;
}

static ss_status lay_out_forces(ss_work *work)
{
    const ss_model *model = work->model;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_forces.count, &work->forces));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_forces.count, &work->force_h));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_forces.count, &work->force_aim));
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_force *force = &model->forces[f];
        SS_TRY(see(work, &work->arena, &force->connected, &force->object, &work->forces[f]));
        SS_TRY(SS_ARENA_NEW(&work->arena, force->connected.count, &work->force_h[f]));
    }
    return SS_OK;
}

/* An output or a controller sees its quantities as positions of a first system, and its states as those of a second. */
static ss_status lay_out_observer(ss_work *work, const ss_object *object, const ss_observer *seen,
                                  double **observed, ss_at *at)
{
    const double **q;
    void *cache;
    SS_TRY(SS_ARENA_NEW(&work->arena, 2, &q));
    SS_TRY(SS_ARENA_NEW(&work->arena, seen->n_quantities, observed));
    SS_TRY(make_cache(work, &work->arena, object, &cache));
    q[0] = *observed;
    *at = (ss_at){.q = q, .cache = cache};
    return SS_OK;
}

static ss_status lay_out_observers(ss_work *work)
{
    const ss_model *model = work->model;
    int n_outputs = model->n_outputs.count, n_controllers = model->n_controllers.count;
    SS_TRY(SS_ARENA_NEW(&work->arena, n_outputs, &work->outputs));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_controllers, &work->controllers));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_outputs + n_controllers, &work->observed));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_outputs + n_controllers ? 2 * model->n_rows : 0,
                        &work->seen_rows));
    for (int i = 0; i < n_outputs; i++)
        SS_TRY(lay_out_observer(work, &model->outputs[i].object, &model->outputs[i].seen,
                                &work->observed[i], &work->outputs[i]));
    for (int i = 0; i < n_controllers; i++)
        SS_TRY(lay_out_observer(work, &model->controllers[i].object, &model->controllers[i].seen,
                                &work->observed[n_outputs + i], &work->controllers[i]));
    return SS_OK;
}

static ss_status lay_out_element(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    ss_arena *arena = &work->table_arena;
    int rows = element->rows;
    double **numbers[] = {&we->g, &we->zeta, &we->gamma_B, &we->gamma_E, &we->zeta_lower};
    SS_TRY(see(work, arena, &element->connected, &element->object, &we->at));
    SS_TRY(SS_ARENA_NEW(arena, element->connected.count, &we->W));
    SS_TRY(SS_ARENA_NEW(arena, element->connected.count, &we->MinvW));
    for (int k = 0; k < element->connected.count; k++) {
        int nu = work->model->systems[element->connected.systems[k]].nu;
        SS_TRY(SS_ARENA_NEW(arena, nu * rows, &we->W[k]));
        SS_TRY(SS_ARENA_NEW(arena, nu * rows, &we->MinvW[k]));
    }
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SS_TRY(SS_ARENA_NEW(arena, rows, numbers[k]));
    if (element->ops->restitution || element->restitution.rows)
        SS_TRY(SS_ARENA_NEW(arena, rows * rows, &we->epsilon));
    for (int i = 0; i < element->restitution.rows * rows; i++)
        we->epsilon[i] = element->restitution.values[i];
    if (work->candidates && ss_element_rule(element)) /* candidates stand for it */
        we->g[element->groups[SS_GROUP_GAP].row] = ss_contact_absent_gap;
    return SS_OK;
}

static ss_status lay_out_inclusion(ss_work *work)
{
    const ss_model *model = work->model;
    const ss_table *table = &work->table;
    ss_arena *arena = &work->table_arena;
    int n_laws = table->n_laws, n_rows = table->n_rows;
    work->n_factors = 0;
    SS_TRY(SS_ARENA_NEW(arena, n_laws, &work->laws));
    for (int l = 0; l < n_laws; l++) {
        const ss_law *law = l < model->n_laws.count ? &model->laws[l] : &table->laws[l];
        ss_at *at;
        work->laws[l].block = -1;
        work->laws[l].level = SS_LEVEL_INACTIVE;
        work->n_factors += table->elements[law->element].connected.count;
        SS_TRY(SS_ARENA_NEW(arena, 1, &at));
        SS_TRY(see(work, arena, &law->connected, &law->object, at));
        work->laws[l].at = at;
    }
    SS_TRY(SS_ARENA_NEW(arena, n_laws, &work->blocks));
    SS_TRY(SS_ARENA_NEW(arena, n_laws, &work->block_law));
    SS_TRY(SS_ARENA_NEW(arena, n_laws, &work->modes));
    SS_TRY(SS_ARENA_NEW(arena, n_laws, &work->marginal));
    SS_TRY(SS_ARENA_NEW(arena, work->n_factors, &work->factors));
    SS_TRY(SS_ARENA_NEW(arena, n_laws + 1, &work->factor_start));
    SS_TRY(SS_ARENA_NEW(arena, n_rows, &work->added));
    SS_TRY(SS_ARENA_NEW(arena, n_rows, &work->restitution));
    for (int l = 0; l < n_laws; l++)
        memcpy(work->restitution + table->laws[l].offset, table->laws[l].epsilon,
               (size_t)table->laws[l].dim * sizeof(double));
    SS_TRY(SS_ARENA_NEW(arena, n_rows, &work->P));
    work->inclusion = (ss_inclusion){.blocks = work->blocks,
                                     .factors = work->factors,
                                     .factor_start = work->factor_start,
                                     .n_u = model->n_u};
    SS_TRY(SS_ARENA_NEW(arena, model->n_u, &work->inclusion.u_free));
    return SS_ARENA_NEW(arena, n_rows, &work->inclusion.b);
}

static ss_status lay_out_systems_and_forces(ss_work *work)
{
    const ss_model *model = work->model;
    int n_u = model->n_u;
    ss_arena *arena = &work->arena;
    double **velocities[] = {&work->u,           &work->load, &work->u_scratch,
                             &work->force_alone, &work->gain, &work->size};
    double **positions[] = {&work->q, &work->q_scratch, &work->q_moved};
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++)
        SS_TRY(SS_ARENA_NEW(arena, n_u, velocities[i]));
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        SS_TRY(SS_ARENA_NEW(arena, model->n_q, positions[i]));
    SS_TRY(SS_ARENA_NEW(arena, n_u, &work->group));
    SS_TRY(SS_ARENA_NEW(arena, 2 * (size_t)n_u, &work->u_lag));
    SS_TRY(SS_ARENA_NEW(arena, model->mass_size, &work->mass));
    SS_TRY(SS_ARENA_NEW(arena, model->largest_mass, &work->mass_scratch));
    SS_TRY(SS_ARENA_NEW(arena, model->F_size, &work->F));
    SS_TRY(SS_ARENA_NEW(arena, model->largest_F, &work->F_scratch));
    SS_TRY(lay_out_systems(work));
    return lay_out_forces(work);
}

ss_status ss_work_lay_out_table(ss_work *work)
{
    ss_table *table = &work->table;
    ss_arena *arena = &work->table_arena;
    ss_arena_reset(arena);
    work->clusters_ready = work->modified = false;
    SS_TRY(ss_candidates_fill_table(work));
    int n_switches = ss_work_switch_count(work);
    work->rows_end = n_switches > 0 || ss_work_contacts_vanish(work);
    SS_TRY(SS_ARENA_NEW(arena, 5 * table->n_rows + table->n_element_rows, &work->row_scratch));
    SS_TRY(SS_ARENA_NEW(arena, table->n_rows, &work->side_g));
    SS_TRY(SS_ARENA_NEW(arena, table->n_rows, &work->side_d));
    SS_TRY(SS_ARENA_NEW(arena, 3 * table->n_rows, &work->lag));
    SS_TRY(SS_ARENA_NEW(arena, table->n_laws, &work->lag_roles));
    for (int i = 0; i < 2; i++)
        SS_TRY(SS_ARENA_NEW(arena, n_switches, &work->switches[i]));
    SS_TRY(SS_ARENA_NEW(arena, table->n_elements, &work->elements));
    work->only_rules = true;
    for (int e = 0; e < table->n_elements; e++) {
        work->only_rules = work->only_rules && ss_element_rule(&table->elements[e]);
        SS_TRY(lay_out_element(work, e));
    }
    SS_TRY(lay_out_inclusion(work));
    work->any_elastic = false;
    for (int l = 0; l < table->n_laws; l++)
        work->any_elastic =
            work->any_elastic ||
            ss_law_is_elastic(&table->elements[table->laws[l].element], &table->laws[l]);
    const ss_solver_size size = {.n_blocks = table->n_laws,
                                 .n_rows = table->n_rows,
                                 .n_u = work->model->n_u,
                                 .n_factors = work->n_factors};
    return ss_solver_reserve(work->solver, &size);
}

/* Whether a type of the model may not run on worker threads. */
static bool is_serial(const ss_model *model)
{
    unsigned flags = 0;
    for (int i = 0; i < model->n_systems.count; i++)
        flags |= model->systems[i].ops->type.flags;
    for (int i = 0; i < model->n_elements.count; i++)
        flags |= model->elements[i].ops->type.flags;
    for (int i = 0; i < model->n_laws.count; i++)
        flags |= model->laws[i].ops->type.flags;
    for (int i = 0; i < model->n_forces.count; i++)
        flags |= model->forces[i].ops->type.flags;
    for (int i = 0; i < model->n_shapes.count; i++)
        flags |= model->shapes[i].shape.ops->type.flags;
    return (flags & SS_TYPE_SERIAL) != 0;
}

static int count_threads(const ss_model *model)
{
    enum { MANY = 500 };
    bool bodies = !is_serial(model);
    for (int s = 0; s < model->n_systems.count; s++)
        bodies = bodies && model->systems[s].body;
    return bodies && model->n_systems.count >= MANY ? ss_context_threads(model->context) : 1;
}

static ss_status lay_out(ss_work *work, ss_follow follow)
{
    SS_TRY(SS_ARENA_NEW(&work->arena, work->model->control_size, &work->control));
    ss_control_start(work->model, work->control);
    SS_TRY(lay_out_systems_and_forces(work));
    SS_TRY(ss_sizes_reserve(&work->arena, work->model, &work->sizes));
    SS_TRY(ss_candidates_create(work, follow));
    SS_TRY(ss_work_lay_out_table(work));
    SS_TRY(ss_work_contacts_create(work));
    SS_TRY(lay_out_observers(work));
    return ss_work_reserve_freedom(work);
}

ss_status ss_work_create(const ss_model *model, ss_solver *solver, ss_work **work)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, solver);
    SS_GIVEN(model->context, work);
    return ss_work_create_following(model, solver, SS_FOLLOW_NONE, work);
}

ss_status ss_work_create_following(const ss_model *model, ss_solver *solver, ss_follow follow,
                                   ss_work **work)
{
    *work = NULL;
    if (!model->sealed)
        return ss_fail(model->context, SS_INPUT, "a work needs a sealed model");
    ss_work *w;
    SS_TRY(SS_NEW(model->context, 1, &w));
    w->model = model;
    w->solver = solver;
    w->threads = count_threads(model);
    ss_arena_init(&w->arena, model->context);
    ss_arena_init(&w->table_arena, model->context);
    ss_status status = lay_out(w, follow);
    if (status != SS_OK) {
        ss_work_destroy(w);
        return status;
    }
    *work = w;
    return SS_OK;
}

void ss_work_destroy(ss_work *work)
{
    if (!work)
        return;
    ss_work_contacts_destroy(work);
    ss_candidates_destroy(work);
    ss_freedom_release(&work->freedom);
    ss_arena_release(&work->table_arena);
    ss_arena_release(&work->arena);
    ss_release(work->model->context, work);
}

const ss_model *ss_work_model(const ss_work *work)
{
    return work->model;
}

ss_inclusion *ss_work_inclusion(ss_work *work)
{
    return &work->inclusion;
}

ss_model_size ss_work_sizes(const ss_work *work)
{
    ss_model_size size = ss_model_sizes(work->model);
    size.n_elements = work->table.n_elements;
    size.n_laws = work->table.n_laws;
    size.n_rows = work->table.n_rows;
    return size;
}
