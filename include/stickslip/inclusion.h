/* inclusion.h: the normal cone inclusion -(G P + c) ∈ N_C(P), the narrow waist of stickslip.
 *
 * C is the product of the blocks' sets. G and c exist in one of two forms:
 *
 *   factored    G P + c = Wᵀ u + b, u = u_free + M⁻¹ W P: block i knows its columns of W and M⁻¹W,
 *               restricted to the systems it contacts. A solver keeps u beside P; G is never formed.
 *   assembled   G by blocks, stored by block rows (a dense G is the full pattern), and c.
 *
 * An inclusion is plain data, borrowed from whoever made it.
 */
#ifndef STICKSLIP_INCLUSION_H
#define STICKSLIP_INCLUSION_H

#include <stickslip/set.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One local set-valued law: P_i in scale · set, or, with scale_from = j >= 0, in (scale · |P_j|) ·
 * set. The rows of the blocks follow each other without gaps. */
typedef struct ss_block {
    const ss_set *set;
    int offset;      /* first row in P */
    int dim;         /* rows, 1 … SS_SET_MAX_DIM; equals set->dim */
    int scale_from;  /* block whose impulse scales the set (Coulomb), or -1; its dim is 1 */
    double scale;    /* >= 0; N s, or the friction coefficient when scale_from >= 0 */
    double r;        /* relaxation of this block in place of the solver's choice; 0: the solver's */
    double rigidity; /* k of the spring that stands for this block where forces are weighted or
                        regularized (solver.h), N/m; 0: 1 */
} ss_block;

/* What one block does to one system: columns of W and of M⁻¹W, each nu × dim, column by column. Two
 * factors mean the same system, with the same u_offset and nu, or have no velocity in common. */
typedef struct ss_factor {
    int u_offset; /* first velocity of the system in u */
    int nu;
    const double *W;
    const double *MinvW;
} ss_factor;

/* One block of G in its block row; columns ascend in a row. */
typedef struct ss_entry {
    int column;          /* block index j */
    const double *value; /* G_ij, dim_i × dim_j by rows */
} ss_entry;

/* Called between sweeps when h or ζ depend on the velocities at the end of the step (implicit
 * treatment): computes u_free and b again from the current u. */
typedef ss_status (*ss_refresh_fn)(void *user, const double *u, double *u_free, double *b);

typedef struct ss_inclusion {
    int n_blocks;
    int n_rows;
    const ss_block *blocks;

    /* Factored form: block i has the factors factor_start[i] … factor_start[i + 1] - 1.
     * factor_start = NULL: the inclusion is assembled. */
    int n_u;
    const int *factor_start;
    const ss_factor *factors;
    double *u_free;        /* n_u: velocities without the impulses of this inclusion */
    double *b;             /* n_rows: ζ + ε γ_B, and the like */
    ss_refresh_fn refresh; /* NULL: u_free and b are constant */
    void *refresh_user;

    /* Assembled form, same indexing. The diagonal entry of every row is present. */
    const int *entry_start;
    const ss_entry *entries;
    const double *c; /* n_rows */
    /* What ss_problem_read keeps beside, for solvers: G by contacts. NULL in every other inclusion. */
    const struct ss_gathered *gathered;
} ss_inclusion;

/* Fails with a message when offsets, dims, references or numbers of the inclusion are inconsistent.
 * Solvers trust the structure (they look for numbers that are not finite only): check what you
 * built by hand once. */
SS_API ss_status ss_inclusion_check(ss_context *context, const ss_inclusion *inclusion);

/* gamma = G P + c of one block. Factored: from u; assembled: from P. */
SS_API void ss_inclusion_velocity(const ss_inclusion *inclusion, const double *P, const double *u,
                                  int block, double *gamma);
/* u = u_free + M⁻¹ W P (factored form only). */
SS_API void ss_inclusion_free_motion(const ss_inclusion *inclusion, const double *P, double *u);
/* u += M⁻¹ W_i dP_i (factored form; nothing to do in the assembled one). */
SS_API void ss_inclusion_apply_impulse(const ss_inclusion *inclusion, int block, const double *dP,
                                       double *u);
/* The diagonal block G_ii, dim × dim by rows. */
SS_API void ss_inclusion_diagonal(const ss_inclusion *inclusion, int block, double *Gii);
/* The scale of a block's set at P: scale, or scale · |P_j|. */
SS_API double ss_inclusion_scale(const ss_inclusion *inclusion, const double *P, int block);

/* A copy in assembled form, owned by the caller; sets stay borrowed. Only pairs of blocks that
 * share a system have an entry. What refresh would change is frozen as it stands. */
SS_API ss_status ss_inclusion_assemble(ss_context *context, const ss_inclusion *inclusion,
                                       ss_inclusion **assembled);
/* An assembled inclusion from a dense G (n_rows × n_rows by rows) and c; everything is copied. */
SS_API ss_status ss_inclusion_from_dense(ss_context *context, int n_blocks, const ss_block *blocks,
                                         const double *G, const double *c,
                                         ss_inclusion **assembled);
/* Releases what the two functions above made. */
SS_API void ss_inclusion_destroy(ss_inclusion *inclusion);

/* How well P solves the inclusion. With r_i = 1 / max diag(G_ii) and γ_i = (G P + c)_i, a block has
 *
 *     e_i = ‖P_i - prox_{C_i}(P_i - r_i γ_i)‖ / √r_i         (unit √J, whatever the block's unit)
 *
 * and value = max_i e_i / reference, a number without unit that does not change when masses, lengths or times are scaled.
 * C_i is scaled by the impulse that P holds. The reference is the load L = max_i √r_i ‖c_i‖, or the largest impulse
 * max_i ‖P_i‖ / √r_i up to 100 L: an impulse that grows without bound hides nothing. Where c_i is nothing beside the
 * velocities that form it, they count by 1e-5. Errors of contacts that are more than a hundred times lighter than the one
 * with the load count more, by the root of that ratio.
 *
 * Errors below 64 rounding units of the numbers that were subtracted to form γ_i count as zero, up to 1e-3
 * L: no solver can do better. A block that moves nothing (G_ii = 0) has the smallest r_i of all blocks, 1 when all are
 * so. All blocks count as one island; ss_solver_solve solves islands one by one, and reports the worst. */
typedef struct ss_residual {
    double value;     /* relative, compared with the tolerance; INFINITY: P or u is not finite */
    double absolute;  /* e_i of the worst block, √J */
    double reference; /* what that counts against, √J */
    int worst_block;  /* -1 when there is no block */
} ss_residual;

SS_API ss_residual ss_inclusion_residual(const ss_inclusion *inclusion, const double *P,
                                         const double *u);

/* Blocks whose laws contradict each other: unbounded impulses x of theirs (half lines and free rows) move nothing, Gx = 0, but
 * cᵀx < 0, which no solution allows, with Coulomb's friction neither. `blocks` receives the first `capacity` of them, *count
 * their number: 0 where that is not found, which proves nothing. Of more than 256 such rows those with the largest
 * impulses P are looked at. Gx counts as zero below 1e-8 |cᵀx|, scaled to a G of unit diagonal and a c of length 1. */
SS_API ss_status ss_inclusion_contradiction(ss_context *context, const ss_inclusion *inclusion,
                                            const double *P, int capacity, int *blocks, int *count);

/* State of a law over a step, read off the prox at the solution (S6.2.1). */
typedef enum ss_mode {
    SS_MODE_CONSTRAINT, /* prox does nothing, γ_E + ε γ_B = 0: closed, sticking */
    SS_MODE_IMPRESSED,  /* prox projects, the force is on the edge of its set: open, slipping */
} ss_mode;

/* The mode of every block at the solution P (u in factored form). A projection shorter than
 * `tolerance` times the residual's reference, or than its rounding, counts as none; `tolerance`
 * should lie above the one P was solved with. modes has n_blocks elements. */
SS_API void ss_inclusion_modes(const ss_inclusion *inclusion, const double *P, const double *u,
                               double tolerance, ss_mode *modes);

#ifdef __cplusplus
}
#endif
#endif
