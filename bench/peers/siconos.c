#include "peers/siconos.h"

#include <siconos/numerics/CSparseMatrix.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#include <suitesparse/cs.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct configuration {
    const char *name;
    int id;
    int local;   /* local solver of NSGS, or 0 */
    bool blocks; /* block storage, else columns */
    int most;    /* iterations */
} configuration;

static const configuration spatial[] = {
    {"NSGS, local Newton GP", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, true,
     10000000},
    {"NSGS, local Newton GP hybrid", SICONOS_FRICTION_3D_NSGS,
     SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, true, 10000000},
    {"NSGS, local Newton", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, true,
     10000000},
    {"NSGS, quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, true,
     10000000},
    {"NSGS, local iterated projection", SICONOS_FRICTION_3D_NSGS,
     SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, true, 10000000},
    {"Newton AC", SICONOS_FRICTION_3D_NSN_AC, 0, false, 1000},
    {"Newton FB", SICONOS_FRICTION_3D_NSN_FB, 0, false, 1000},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, false, 1000000},
    {"ACLM fixed point", SICONOS_FRICTION_3D_ACLMFP, 0, true, 10000},
    {"extragradient", SICONOS_FRICTION_3D_EG, 0, true, 1000000},
    {"fixed point projection", SICONOS_FRICTION_3D_FPP, 0, true, 1000000},
    {"proximal", SICONOS_FRICTION_3D_PROX, 0, false, 10000},
};

static const configuration planar[] = {
    {"NSGS 2D", SICONOS_FRICTION_2D_NSGS, 0, true, 10000000},
    {"CPG 2D", SICONOS_FRICTION_2D_CPG, 0, true, 1000000},
};

struct siconos_problem {
    FrictionContactProblem *blocks, *columns;
    int n_rows;
    double *velocity;
};

static const configuration *at(int dimension, int k)
{
    return dimension == 2 ? &planar[k] : &spatial[k];
}

int siconos_count(int dimension)
{
    return dimension == 2 ? (int)(sizeof planar / sizeof *planar)
                          : (int)(sizeof spatial / sizeof *spatial);
}

const char *siconos_name(int dimension, int k)
{
    return at(dimension, k)->name;
}

/* W by columns; zeros that no contact needs are left out. */
static CSparseMatrix *columns_of(const ss_inclusion *A)
{
    CSparseMatrix *triplets = cs_dl_spalloc(A->n_rows, A->n_rows, 1, 1, 1);
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
            const ss_block *row = &A->blocks[i], *column = &A->blocks[A->entries[e].column];
            for (int k = 0; k < row->dim * column->dim; k++)
                cs_dl_entry(triplets, row->offset + k / column->dim,
                            column->offset + k % column->dim, A->entries[e].value[k]);
        }
    CSparseMatrix *columns = cs_dl_compress(triplets);
    cs_dl_spfree(triplets);
    return columns;
}

static FrictionContactProblem *copy_of(const ss_problem *p, bool blocks)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    int d = ss_problem_dimension(p), nc = ss_problem_contacts(p), n = d * nc;
    FrictionContactProblem *made = frictionContactProblem_new();
    CSparseMatrix *W = columns_of(A);
    made->dimension = d;
    made->numberOfContacts = nc;
    made->q = malloc((size_t)n * sizeof(double));
    made->mu = malloc((size_t)nc * sizeof(double));
    memcpy(made->q, A->c, (size_t)n * sizeof(double));
    for (int k = 0; k < nc; k++)
        made->mu[k] = A->blocks[2 * k + 1].scale;
    if (blocks) {
        made->M = NM_create(NM_SPARSE_BLOCK, n, n);
        SBM_null(made->M->matrix1);
        SBM_from_csparse(d, W, made->M->matrix1);
    } else {
        made->M = NM_create(NM_SPARSE, n, n);
        NM_csc_alloc(made->M, 0);
        made->M->matrix2->origin = NSM_CSC;
        made->M->matrix2->csc = W;
    }
    return made;
}

siconos_problem *siconos_create(const ss_problem *problem)
{
    siconos_problem *p = calloc(1, sizeof *p);
    numerics_set_verbose(0);
    p->n_rows = ss_problem_dimension(problem) * ss_problem_contacts(problem);
    p->blocks = copy_of(problem, true);
    p->columns = copy_of(problem, false);
    p->velocity = malloc((size_t)p->n_rows * sizeof(double));
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double siconos_solve(siconos_problem *p, int k, double tolerance, double *P)
{
    int d = p->blocks->dimension;
    const configuration *c = at(d, k);
    SolverOptions *options = solver_options_create(c->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = c->most;
    if (c->local)
        solver_options_update_internal(options, 0, c->local);
    if (c->id == SICONOS_FRICTION_3D_NSGS)
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    memset(P, 0, (size_t)p->n_rows * sizeof *P);
    memset(p->velocity, 0, (size_t)p->n_rows * sizeof *P);
    FrictionContactProblem *problem = c->blocks ? p->blocks : p->columns;
    double begin = now();
    if (d == 2)
        fc2d_driver(problem, P, p->velocity, options);
    else
        fc3d_driver(problem, P, p->velocity, options);
    double seconds = now() - begin;
    solver_options_delete(options);
    return seconds;
}
