/* work.h: inside of the work: the model evaluated at a place, and the inclusion of its active laws. */
#ifndef SS_MODEL_WORK_H
#define SS_MODEL_WORK_H

#include "model/model.h"

#include <stickslip/scheme.h>

/* A touched system as an element or a force sees it. */
typedef struct ss_work_element {
    ss_at at;
    double **W;     /* per touched system: nu × rows, column by column */
    double **MinvW; /* the same */
    double *g, *zeta, *gamma_B, *gamma_E;
    double *epsilon; /* rows × rows when the element has a matrix, else NULL */
} ss_work_element;

typedef struct ss_work_law {
    ss_level level;
    int block;          /* of the inclusion, -1: not active */
    const double *added; /* percussion beside the set-valued one (or the impressed one); NULL: none */
} ss_work_law;

struct ss_work {
    const ss_model *model;
    ss_solver *solver;
    ss_arena arena;

    double t;
    double *q, *u; /* the place; u of the last evaluation */
    double *mass;  /* per system: Cholesky factor L of M, or M⁻¹ (systems with inverse_mass) */
    double *F;
    bool mass_ready; /* constant masses have been factored */
    ss_at *systems;  /* per system */
    ss_at *forces;   /* per force */
    double ***force_h; /* per force: h of each touched system */
    double *load;      /* the part of h whose work counts as work of loads */
    ss_work_element *elements;
    ss_work_law *laws;
    double *added; /* n_rows */
    double *P;     /* n_rows: percussions of the active laws, by blocks */
    ss_mode *modes; /* by blocks */
    double *u_scratch;    /* n_u */
    double *mass_scratch; /* as mass */

    ss_inclusion inclusion;
    ss_block *blocks;
    int n_factors; /* when all laws are active */
    ss_factor *factors;
    int *factor_start;
    int *block_law; /* law of each block */
};

/* Allocates everything (work_create.c). */
ss_status ss_work_lay_out(ss_work *work);

/* Geometry, gaps and W of one element (work_laws.c). */
ss_status ss_work_element_gaps(ss_work *work, int element);
ss_status ss_work_element_directions(ss_work *work, int element);
/* Whether any of its laws is active or impressed. */
bool ss_work_element_at_work(const ss_work *work, int element);
/* γ = Wᵀ u + ζ for all rows of an element. */
void ss_work_element_velocity(const ss_work *work, int element, const double *u, double *gamma);

/* Mass matrices of one system (work_mass.c). */
ss_status ss_work_factor_mass(ss_work *work, int system);
/* Kinetic energy of one system at the velocities u (nu elements), J. */
double ss_work_kinetic(ss_work *work, int system, const double *u);
/* x = M⁻¹ x for one system; x has nu elements. */
void ss_work_solve_system(const ss_work *work, int system, double *x);

#endif
