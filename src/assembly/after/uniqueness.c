/* uniqueness.c: whether the impulses of a step are unique. */
#include "assembly/sources/contacts.h"

/* Held rows, and rows at all, up to which rank and capacity are looked at in every change of modes. */
enum { MOST_HELD = 48, MOST_ROWS = 192 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

ss_status ss_work_reserve_freedom(ss_work *work)
{
    const ss_model *model = work->model;
    if (work->contacts) /* as many contacts as are looked at */
        return ss_freedom_reserve(&work->freedom, model->context, MOST_ROWS, MOST_ROWS, model->n_u,
                                  MOST_HELD);
    return ss_freedom_reserve(
        &work->freedom, model->context, smaller(work->table.n_laws, MOST_ROWS),
        smaller(work->table.n_rows, MOST_ROWS), model->n_u, smaller(work->table.n_rows, MOST_HELD));
}

/* Whether laws or modes differ from those of the last look; takes note of them. */
static bool has_changed(ss_work *work, int held)
{
    uint64_t seen = 14695981039346656037u + (uint64_t)held; /* Fowler, Noll and Vo's hash */
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        seen = (seen ^ (uint64_t)work->block_law[i]) * 1099511628211u;
        seen = (seen ^ (uint64_t)work->modes[i]) * 1099511628211u;
    }
    bool changed = seen != work->seen;
    work->seen = seen;
    return changed;
}

static int count_held(const ss_work *work)
{
    int held = work->contacts && work->contacts->forms ? work->contacts->closed : 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        if (work->modes[i] == SS_MODE_CONSTRAINT)
            held += work->blocks[i].dim;
    return held;
}

ss_status ss_work_examine_freedom(ss_work *work, const double *u_E, double tolerance)
{
    const double least = 1e-9;
    int held = count_held(work);
    if (!has_changed(work, held))
        return SS_OK;
    /* More rows than velocities are never independent. */
    work->indeterminate = held > work->model->n_u;
    bool many = held > MOST_HELD || work->inclusion.n_rows > MOST_ROWS;
    if (work->indeterminate || many || held < 2)
        return SS_OK;
    double loose = 100 * tolerance > least ? 100 * tolerance : least;
    SS_TRY(ss_freedom_find(&work->freedom, work->model->context, &work->inclusion, work->P, u_E,
                           loose));
    work->indeterminate = work->freedom.nullity > 0 &&
                          ss_freedom_has_capacity(&work->freedom, &work->inclusion, work->P);
    return SS_OK;
}
