/* problem.h: frictional contact problems in files, and how this field measures a solution.
 *
 * A problem is W P + q = u with, for each contact, normal row first, 0 <= u_N ⊥ P_N >= 0 and
 * Coulomb's law with the coefficient μ between P_T and u_T. It is read into an assembled
 * inclusion: for each contact the half line, then the interval (2D) or the disk (3D) that it
 * scales; bilateral rows, if any, come after the contacts. */
#ifndef STICKSLIP_PROBLEM_H
#define STICKSLIP_PROBLEM_H

#include <stickslip/inclusion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_problem ss_problem;

/* Reads a problem; the kind is told by the content, not by the name:
 *   text    `d nc nnz`, then nnz lines `row column value` of W (from zero; what is given twice is
 *           added), then d·nc values of q, then nc values of μ; d is 2 or 3
 *   FCLib   HDF5 with the group fclib_local (W, q, μ, and V, R, s of bilateral rows when present),
 *           or fclib_global (M, H, f, w, μ, and G, b when present), which is condensed:
 *           W = Hᵀ M⁻¹ H, q = w + Hᵀ M⁻¹ f
 * W is taken as it is given, symmetric or not. */
SS_API ss_status ss_problem_read(ss_context *context, const char *path, ss_problem **problem);
/* The same of a dense W (d·nc rows by rows), q and μ. */
SS_API ss_status ss_problem_from_dense(ss_context *context, int dimension, int n_contacts,
                                       const double *W, const double *q, const double *mu,
                                       ss_problem **problem);
/* problem may be NULL. */
SS_API void ss_problem_destroy(ss_problem *problem);

SS_API const ss_inclusion *ss_problem_inclusion(const ss_problem *problem);
SS_API int ss_problem_dimension(const ss_problem *problem); /* rows a contact: 2 or 3 */
SS_API int ss_problem_contacts(const ss_problem *problem);
/* What the file calls the problem; "" when it does not say. */
SS_API const char *ss_problem_title(const ss_problem *problem);
/* max |W - Wᵀ| / max |W| */
SS_API double ss_problem_asymmetry(const ss_problem *problem);
/* The first contact whose own block of W shows that W is not positive semidefinite, which every
 * Hᵀ M⁻¹ H is: W_NN < 0, or W_NN W_TT < W_NT² by more than one part in a hundred; -1 when there is
 * none. Such a file is damaged, and its problem need not have a solution. */
SS_API int ss_problem_indefinite_contact(const ss_problem *problem);
/* Replaces W by (W + Wᵀ) / 2. */
SS_API void ss_problem_symmetrize(ss_problem *problem);

/* Writes the rows of P, one a line, with all their digits; reads them back (n_rows numbers). */
SS_API ss_status ss_solution_write(ss_context *context, const char *path, int n_rows,
                                   const double *P);
SS_API ss_status ss_solution_read(ss_context *context, const char *path, int n_rows, double *P);

/* Writes an inclusion (assembled, or factored and then condensed) as a local FCLib problem with
 * P (may be NULL) as its solution. Its blocks are half lines with the interval or the disk that
 * each scales, all of one kind, and free rows; SS_UNSUPPORTED says which block is not. A half
 * line that scales nothing is a contact with μ = 0. */
SS_API ss_status ss_inclusion_write_fclib(ss_context *context, const ss_inclusion *inclusion,
                                          const double *P, const char *title, const char *path);

/* The residual of this field: ‖P - proj_K(P - ũ)‖ over all contacts, u = W P + q, ũ = u + μ‖u_T‖
 * n (De Saxcé), K the product of Coulomb's cones, and ‖u‖ of bilateral rows beside it. It mixes
 * N s and m/s; figures of others compare. */
typedef struct ss_cone_residual {
    double absolute;
    double relative; /* to max(‖q‖, ‖P‖, ‖u‖) */
    double to_load;  /* to ‖q‖ */
    int worst_block; /* normal block of the worst contact, or the worst bilateral one; -1: none */
} ss_cone_residual;

/* NULL when every block is one of a contact (a half line and at most one interval or plane disk
 * that it scales) or free, so that the residual above exists; else the reason. */
SS_API const char *ss_inclusion_not_coulomb(const ss_inclusion *inclusion);
/* Only for inclusions that pass the test above. u is that of ss_inclusion_free_motion, NULL when
 * assembled. */
SS_API ss_cone_residual ss_inclusion_cone_residual(const ss_inclusion *inclusion, const double *P,
                                                   const double *u);

#ifdef __cplusplus
}
#endif
#endif
