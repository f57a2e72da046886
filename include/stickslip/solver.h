/* solver.h: solvers of inclusions. */
#ifndef STICKSLIP_SOLVER_H
#define STICKSLIP_SOLVER_H

#include <stickslip/inclusion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a solve ended. It is never silent: what is not converged is reported as such.
 *   converged            the residual is below the tolerance, whatever made the solver stop
 *   settled              impulses or velocities rest, which was the stop criterion asked for;
 *                        the residual is above the tolerance
 *   iterations used up   neither
 *   diverged             the iterates grew without bound or were not finite
 */
#define SS_OUTCOME_LIST(X)                     \
    X(SS_CONVERGED, "converged")               \
    X(SS_SETTLED, "settled")                   \
    X(SS_MAX_ITERATIONS, "iterations used up") \
    X(SS_DIVERGED, "diverged")

typedef enum ss_outcome {
#define X(code, words) code,
    SS_OUTCOME_LIST(X)
#undef X
} ss_outcome;

SS_API const char *ss_outcome_name(ss_outcome outcome);
/* Whether a solve ended as its options asked: converged or settled. Everything else is a
 * failure. */
SS_API bool ss_outcome_accepted(ss_outcome outcome);

/* Which impulses, where the modes of a solution leave many (docs/ill-posed.md). All but the
 * last two solve the inclusion itself. Those between need dense linear algebra in the held rows. */
typedef enum ss_forces {
    SS_FORCES_EVEN, /* Σ P_N² + Σ (P_T/μ)² least over the held contacts of an island, or of two systems
                       where an island has too many; the default */
    SS_FORCES_ANY,          /* what the method finds */
    SS_FORCES_MINIMUM_NORM, /* Σ P² least over the held rows (Preclik, Rüde & Popa, section 3) */
    SS_FORCES_WEIGHTED,     /* Σ P²/k least, k the blocks' rigidity: PRP (29), (35) */
    SS_FORCES_ENERGY_MIN,   /* least kinetic energy after the step: a bound */
    SS_FORCES_ENERGY_MAX, /* most: the other bound; a local maximum when several directions are free */
    SS_FORCES_REGULARIZED, /* the inclusion with G + s D, D = diag(1/k): springs in its place */
    SS_FORCES_CONE_COMPLEMENTARITY, /* (P_N, P_T) in the friction cone, -(γ_N, γ_T) in ITS normal
                                       cone (PRP 4.4, Anitescu): not Coulomb's law, what slides
                                       lifts off. Planar and spatial friction only */
} ss_forces;

SS_API const char *ss_forces_name(ss_forces forces); /* "minimum_norm" */

/* Keys of every solver beside those of its type. */
typedef struct ss_solver_common {
    ss_forces forces;  /* default even */
    double compliance; /* s of `regularized`, 1/s² with k in N/m; default 1e-6, > 0; springs that a
                          step of size Δt takes implicitly have s = 1/Δt² */
} ss_solver_common;

typedef struct ss_solve_report {
    ss_outcome outcome;
    int iterations;       /* sweeps over all blocks */
    ss_residual residual; /* at the returned P, whatever the stop criterion was */
    char method
        [80]; /* methods of a solver that has several, with their iterations: "exact 64, interior 12"; else "" */
    ss_forces forces; /* which impulses were asked for */
    int freedom;      /* dimension of the set of impulses to choose from; -1: not examined (any,
                     regularized, cone_complementarity) */
    bool chosen; /* they are those that `forces` asks for; false: another solution, because that
                     choice could not be found, or because springs are too stiff to be told from
                     the error of the solve */
} ss_solve_report;

/* Sees every iterate: iteration 0 is the first guess. P has n_rows elements. Islands follow each other: the first guess of the
 * next one counts as an iteration, too. */
typedef void (*ss_trace_fn)(void *user, int iteration, const double *P);

/* A solve's capacity: what the largest inclusion will need. */
typedef struct ss_solver_size {
    int n_blocks, n_rows, n_u, n_factors;
} ss_solver_size;

/* One solve: the inclusion, the first guess, and where the solution goes. */
typedef struct ss_solve_call {
    const ss_inclusion *inclusion; /* to be solved; borrowed, its structure is consistent */
    double *P;                     /* n_rows: holds the first guess and receives the solution */
    double *u; /* n_u: receives u_free + M⁻¹WP; NULL when the inclusion is assembled */
    ss_solve_report *report; /* receives outcome, iterations and residual; never NULL */
    ss_trace_fn trace;       /* sees every iterate; NULL: nobody does */
    void *trace_user;        /* first argument of trace */
} ss_solve_call;

typedef struct ss_solver ss_solver;

/* A kind of solver. */
typedef struct ss_solver_ops {
    ss_type type; /* type.size = sizeof(ss_solver_ops) */

    /* Checks and prepares the options once they are filled. May be NULL. */
    ss_status (*init)(void *self, ss_context *context);
    /* Releases what init and reserve made; also called when init failed. May be NULL. */
    void (*destroy)(void *self, ss_context *context);

    /* NULL when the solver can treat this inclusion, else the reason. May be NULL: treats all. */
    const char *(*refuses)(const void *self, const ss_inclusion *inclusion);

    /* Allocates scratch memory for inclusions up to a size; called again when it grows. May be
     * NULL. */
    ss_status (*reserve)(void *self, ss_context *context, const ss_solver_size *size);

    /* Solves. Allocates nothing. A failure to converge is an outcome, not a bad status: P and u are
     * finite then, too. Required. */
    ss_status (*solve)(void *self, ss_context *context, const ss_solve_call *call);

    /* The relative residual of a converged solve, which the choice of `forces` keeps. May be NULL:
     * 1e-10. */
    double (*tolerance)(const void *self);
} ss_solver_ops;

SS_API ss_status ss_register_solver(ss_context *context, const ss_solver_ops *ops);

/* Makes a solver by name ("sorprox"); args and scope may be NULL. */
SS_API ss_status ss_solver_create(ss_context *context, const char *name, const ss_args *args,
                                  const ss_scope *scope, ss_solver **solver);
SS_API void ss_solver_destroy(ss_solver *solver);
SS_API const char *ss_solver_name(const ss_solver *solver);
SS_API ss_status ss_solver_reserve(ss_solver *solver, const ss_solver_size *size);
/* forces and compliance. */
SS_API const ss_solver_common *ss_solver_settings(const ss_solver *solver);
/* The relative residual that was asked for. */
SS_API double ss_solver_tolerance(const ss_solver *solver);
/* trace = NULL ends tracing. */
SS_API void ss_solver_set_trace(ss_solver *solver, ss_trace_fn trace, void *user);
/* SS_UNSUPPORTED with the reason when the solver refuses the inclusion, by the sets of its blocks and how they scale each
 * other; its numbers do not matter. */
SS_API ss_status ss_solver_check(ss_solver *solver, const ss_inclusion *inclusion);
/* Reserves when needed, then solves. SS_UNSUPPORTED with the reason when the solver refuses the
 * inclusion. */
SS_API ss_status ss_solver_solve(ss_solver *solver, const ss_inclusion *inclusion, double *P,
                                 double *u, ss_solve_report *report);

/* The choice of the relaxation r_i of a block (S4.2.4.3). A block that moves nothing (G_ii = 0) has
 * the smallest r_i that the diagonal choice gives to any block, 1 when no block moves anything.
 * SORprox with ω = 1 solves a block of one row exactly with the diagonal choice; a block of more
 * than two rows with a strongly coupled G_ii may need the row sum. */
typedef enum ss_r_choice {
    SS_R_DIAGONAL, /* 1 / max_h G_hh over the block's rows (S4.59) */
    SS_R_ROW_SUM,  /* 1 / max_h Σ_k |G_hk| (S4.60) */
    SS_R_SPECTRAL, /* 2 / (μ_max + μ_min) of the whole G, one for all blocks (S4.56); above 192 rows
                      μ_max is estimated from above, μ_min from below */
    SS_R_MEAN,     /* 1 / mean_h G_hh over the block's rows */
} ss_r_choice;

/* When JORprox and SORprox stop. */
typedef enum ss_stop {
    SS_STOP_RESIDUAL, /* residual.value <= tolerance: the only one that proves anything */
    SS_STOP_IMPULSE,  /* |ΔP| <= absolute + relative |P| in every row (dynamY's AbortLa) */
    SS_STOP_VELOCITY, /* |Δu| <= absolute + relative |u| in every row of u (dynamY's AbortU);
                           factored form only */
} ss_stop;

/* Order of the blocks in SORprox; symmetric changes between forward and backward sweeps. */
typedef enum ss_sweep_order {
    SS_ORDER_FORWARD,
    SS_ORDER_BACKWARD,
    SS_ORDER_SYMMETRIC,
} ss_sweep_order;

/* Options of JORprox (S4.30) and SORprox (S4.37); keys of the same names in scene files.
 *
 * The residual is evaluated after sweeps 1, 2, 4, 8 …, whenever the change of a sweep gives hope,
 * and at the end. What does not converge returns the best P of these, and of P = 0 when it
 * diverges: when a sweep changes P by 1e8 times what the first one did, or beyond all numbers.
 * JORprox is sure to converge for a diagonally dominant G only; elsewhere choose a smaller r.
 *
 * An inclusion with `refresh` is converged when, besides, refreshing moves no velocity by more than
 * absolute + tolerance · |u|. When it diverges, u_free and b are again as they were given. */
typedef struct ss_prox_options {
    double tolerance;   /* of the relative residual; default 1e-10, range (0, 1] */
    int max_iterations; /* sweeps; default 10000, range 1 … 1e9 */
    int min_iterations; /* default 1, range 0 … 1e9: with one sweep at least a resting body does not
                           creep within the tolerance */
    double relaxation;    /* ω, multiplies r_i; default 1, range (0, 2), of JORprox (0, 10] */
    ss_r_choice r;        /* default diagonal */
    double r_scale;       /* α, multiplies r_i, too (S4.2.4.3); default 1, range (0, 1] */
    ss_stop stop;         /* default residual */
    double absolute;      /* of the stops impulse (N s) and velocity (m/s); default 1e-12, >= 0 */
    double relative;      /* of the same; default 1e-10, range 0 … 1 */
    bool warm_start;      /* begin with the given impulses, else with zero; default true */
    ss_sweep_order order; /* SORprox only; default forward */
} ss_prox_options;

SS_API ss_prox_options ss_default_prox(void);

/* ss_solver_create("jorprox" or "sorprox") with its options in a struct; checked like the keys. */
SS_API ss_status ss_solver_create_prox(ss_context *context, const char *name,
                                       const ss_prox_options *options, ss_solver **solver);

#ifdef __cplusplus
}
#endif
#endif
