/* create.c: all memory of a work, allocated once. */
#include "assembly/sources/contacts.h"
#include "assembly/sources/expanded.h"

static ss_status make_cache(ss_work *work, const ss_object *object, void **made)
{
    char *cache;
    SS_TRY(SS_ARENA_NEW(&work->arena, object->cache_size, &cache));
    for (const ss_formula *f = object->formulas; f; f = f->next)
        ss_program_prepare(f->program, (double *)(void *)(cache + f->cache_offset));
    *made = cache;
    return SS_OK;
}

/* Pointers to the slices of q, u and F that one object sees. */
static ss_status see(ss_work *work, const ss_connected *connected, const ss_object *object,
                     ss_at *at)
{
    const ss_model *model = work->model;
    const double **q, **u, **F;
    void *cache;
    SS_TRY(SS_ARENA_NEW(&work->arena, connected->count, &q));
    SS_TRY(SS_ARENA_NEW(&work->arena, connected->count, &u));
    SS_TRY(SS_ARENA_NEW(&work->arena, connected->count, &F));
    SS_TRY(make_cache(work, object, &cache));
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
        SS_TRY(see(work, &self, &model->systems[s].object, &work->systems[s]));
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
        SS_TRY(see(work, &force->connected, &force->object, &work->forces[f]));
        SS_TRY(SS_ARENA_NEW(&work->arena, force->connected.count, &work->force_h[f]));
    }
    return SS_OK;
}

static ss_status lay_out_element(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    SS_TRY(see(work, &element->connected, &element->object, &we->at));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->connected.count, &we->W));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->connected.count, &we->MinvW));
    for (int k = 0; k < element->connected.count; k++) {
        int nu = work->model->systems[element->connected.systems[k]].nu;
        SS_TRY(SS_ARENA_NEW(&work->arena, nu * element->rows, &we->W[k]));
        SS_TRY(SS_ARENA_NEW(&work->arena, nu * element->rows, &we->MinvW[k]));
    }
    SS_TRY(SS_ARENA_NEW(&work->arena, element->rows, &we->g));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->rows, &we->zeta));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->rows, &we->gamma_B));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->rows, &we->gamma_E));
    SS_TRY(SS_ARENA_NEW(&work->arena, element->rows, &we->zeta_lower));
    if (element->ops->restitution || element->restitution.rows)
        SS_TRY(SS_ARENA_NEW(&work->arena, element->rows * element->rows, &we->epsilon));
    for (int i = 0; i < element->restitution.rows * element->rows; i++)
        we->epsilon[i] = element->restitution.values[i];
    return SS_OK;
}

static ss_status lay_out_inclusion(ss_work *work)
{
    const ss_model *model = work->model;
    int n_laws = work->table.n_laws, n_factors = 0;
    for (int l = 0; l < n_laws; l++)
        n_factors += work->table.elements[work->table.laws[l].element].connected.count;
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws, &work->laws));
    for (int l = 0; l < n_laws; l++)
        if (work->table.laws[l].object.cache_size)
            SS_TRY(make_cache(work, &work->table.laws[l].object, &work->laws[l].cache));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws, &work->blocks));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws, &work->block_law));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws, &work->modes));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws, &work->marginal));
    work->n_factors = n_factors;
    SS_TRY(SS_ARENA_NEW(&work->arena, n_factors, &work->factors));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_laws + 1, &work->factor_start));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_rows, &work->added));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_rows, &work->P));
    ss_inclusion *inclusion = &work->inclusion;
    inclusion->blocks = work->blocks;
    inclusion->factors = work->factors;
    inclusion->factor_start = work->factor_start;
    inclusion->n_u = model->n_u;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &inclusion->u_free));
    return SS_ARENA_NEW(&work->arena, work->table.n_rows, &inclusion->b);
}

ss_status ss_work_lay_out(ss_work *work)
{
    const ss_model *model = work->model;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_q, &work->q));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->u));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->load));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->u_scratch));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->force_alone));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->mass_size, &work->mass));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->largest_mass, &work->mass_scratch));
    SS_TRY(SS_ARENA_NEW(&work->arena, 5 * work->table.n_rows + work->table.n_element_rows,
                        &work->row_scratch));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_q, &work->q_scratch));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_rows, &work->side_g));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_rows, &work->side_d));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_q, &work->q_moved));
    SS_TRY(SS_ARENA_NEW(&work->arena, 3 * work->table.n_rows, &work->lag));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_laws, &work->lag_roles));
    for (int i = 0; i < 2; i++)
        SS_TRY(SS_ARENA_NEW(&work->arena, ss_work_switch_count(work), &work->switches[i]));
    work->rows_end = ss_work_switch_count(work) > 0 || ss_model_contacts_vanish(model);
    SS_TRY(SS_ARENA_NEW(&work->arena, model->F_size, &work->F));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->largest_F, &work->F_scratch));
    SS_TRY(lay_out_systems(work));
    SS_TRY(lay_out_forces(work));
    SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_elements, &work->elements));
    for (int e = 0; e < work->table.n_elements; e++)
        SS_TRY(lay_out_element(work, e));
    SS_TRY(lay_out_inclusion(work));
    return ss_work_contacts_create(work);
}

static ss_status lay_out_sums(ss_work *work)
{
    const ss_model *model = work->model;
    for (int l = 0; l < work->table.n_laws; l++)
        work->any_elastic = work->any_elastic ||
                            ss_law_is_elastic(&work->table.elements[work->table.laws[l].element],
                                              &work->table.laws[l]);
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->group));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->gain));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->size));
    return ss_work_reserve_freedom(work);
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

ss_status ss_work_create(const ss_model *model, ss_solver *solver, ss_work **work)
{
    *work = NULL;
    if (!model->sealed)
        return ss_fail(model->context, SS_INPUT, "a work needs a sealed model");
    void *memory;
    SS_TRY(ss_allocate(model->context, 1, sizeof(ss_work), &memory));
    ss_work *w = memory;
    w->model = model;
    w->solver = solver;
    w->threads = count_threads(model);
    w->table = (ss_table){.n_elements = model->n_elements.count,
                          .n_laws = model->n_laws.count,
                          .n_rows = model->n_rows,
                          .n_element_rows = model->n_element_rows,
                          .elements = model->elements,
                          .laws = model->laws};
    ss_arena_init(&w->arena, model->context);
    ss_status status = ss_work_lay_out(w);
    if (status == SS_OK)
        status = lay_out_sums(w);
    ss_solver_size size = {
        .n_blocks = w->table.n_laws,
        .n_rows = w->table.n_rows,
        .n_u = model->n_u,
        .n_factors = w->n_factors,
    };
    if (status == SS_OK)
        status = ss_solver_reserve(solver, &size);
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
    ss_freedom_release(&work->freedom);
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
