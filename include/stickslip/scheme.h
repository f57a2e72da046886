/* scheme.h: one-step schemes, and the work they do it with.
 *
 * A scheme evaluates the model where it wants to (ss_work_evaluate, ss_work_forces, ss_work_laws),
 * solves the inclusion (ss_work_solve) and fills the state at the end of the step (ss_work_finish).
 */
#ifndef STICKSLIP_SCHEME_H
#define STICKSLIP_SCHEME_H

#include <stickslip/model.h>
#include <stickslip/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything a step needs, allocated once. After the first step nothing is allocated. */
typedef struct ss_work ss_work;

/* Borrows the model and the solver. */
SS_API ss_status ss_work_create(const ss_model *model, ss_solver *solver, ss_work **work);
SS_API void ss_work_destroy(ss_work *work);
SS_API const ss_model *ss_work_model(const ss_work *work);
/* What its steps work with: the sizes of the model and, behind its elements, laws and rows, those of contacts that
 * are followed. Arrays by laws or rows have these lengths. */
SS_API ss_model_size ss_work_sizes(const ss_work *work);

/* Geometry, M (factored) and F at (q, t). Everything below refers to this place. */
SS_API ss_status ss_work_evaluate(ss_work *work, double t, const double *q);
/* Geometry and F at (q, t), for forces, gaps and W; masses stay those of the last ss_work_evaluate. */
SS_API ss_status ss_work_evaluate_geometry(ss_work *work, double t, const double *q);
/* h(q, u, t) of systems and forces together; n_u elements. */
SS_API ss_status ss_work_forces(ss_work *work, const double *u, double *h);
/* The same, but systems that can give the mean of h over a step of size dt that begins with u do so: gyroscopic
 * forces then neither bring in nor take out energy. */
SS_API ss_status ss_work_forces_over(ss_work *work, const double *u, double dt, double *h);
/* Gaps, levels, W, M⁻¹W, ζ, sets and restitution for a step dt that begins with u_B; the impulses
 * of impressed and added impulses (n_u, N s) are added to `impulse`. Call after
 * ss_work_evaluate. */
SS_API ss_status ss_work_laws(ss_work *work, double dt, const double *u_B, double *impulse);

/* How the laws of a step are written. */
typedef enum ss_form_kind {
    /* -(γ_E + ε γ_B) ∈ N(P), with the laws' own corrections (S5.52, S7.3). */
    SS_FORM_VELOCITY,
    /* -(d/Δt + γ_E) ∈ N(P) for geometric laws that have a distance, open or closed (S5.57); the
     * others as above. */
    SS_FORM_DISPLACEMENT,
    /* -(γ_E + average γ_B) ∈ N(P), whatever the restitution (S5.3.6.6, S5.3.6.7). */
    SS_FORM_AVERAGE,
    /* γ' + 2a γ + a² g = 0 for bilateral laws, g = 0 where the row has none (S5.8, S5.1.3.1); the others as
     * SS_FORM_VELOCITY. */
    SS_FORM_ACCELERATION,
    /* -γ_E ∈ N(P) at one instant: bounded forces do nothing. */
    SS_FORM_IMPACT,
    /* -(d + Wᵀx) ∈ N(P) for geometric laws that have a distance; x = M⁻¹WP is a displacement. */
    SS_FORM_PROJECTION,
} ss_form_kind;

/* All numbers default to zero. */
typedef struct ss_law_form {
    ss_form_kind kind;
    /* displacement */
    bool split;         /* laws with restitution stay on velocity level */
    bool clamp;         /* d is not taken beyond the closed side, max(0, d) */
    bool clamp_elastic; /* the same, for laws with restitution only */
    double shift;       /* shift Δt γ_B is added to d */
    double reach;       /* laws farther away than this are left out, m; 0: none */
    /* average: (1 - β)/β for velocities β u_E + (1 - β) u_B */
    double average;
    /* not on displacement level: open laws that are nearer than this are active, too, m */
    double near;
    /* acceleration: a >= 0, 1/s */
    double baumgarte;
    /* Which laws are active stays as the last ss_work_levels or ss_work_laws found it. */
    bool keep_levels;
    /* d by rows of all laws, from ss_work_distances; NULL: the distances at the place. */
    const double *distance;
    /* By laws: stays on velocity level; NULL: none. */
    const bool *on_velocity;
    /* Forces follow the velocities within the solution (ss_inclusion's refresh), which contacts of round bodies cannot in their
     * round form. */
    bool implicit;
    /* Known forces of laws with derivatives (SS_LAW_DERIVATIVES), λ = λ(g, γ_B) + ∂λ/∂g Δt (ahead γ_B + moved (γ_E - γ_B)) +
     * ∂λ/∂γ turned (γ_E - γ_B), g where the laws are. What depends on γ_E must be part of M̂ (ss_work_add_law_derivatives). */
    struct ss_springs {
        double ahead, moved, turned;
        bool in_h; /* they are part of the scheme's h, and no impulse here */
    } springs;
} ss_law_form;

/* ss_work_laws in another form. */
SS_API ss_status ss_work_laws_as(ss_work *work, const ss_law_form *form, double dt,
                                 const double *u_B, double *impulse);
/* Which laws are active at the place. */
SS_API ss_status ss_work_levels(ss_work *work, const ss_law_form *form, double dt);
/* Laws that are active whatever their gap (n_laws elements, borrowed; NULL: none), until the next
 * call: a contact that is closed may only be opened by its own impulse, not by a midpoint that
 * lies off a curved surface. */
SS_API void ss_work_keep_active(ss_work *work, const bool *laws);
/* Laws whose own restitution does not act (n_laws elements, borrowed; NULL: none), until the next call: a contact that is
 * held in smooth motion hits nothing. A matrix of restitution stays. */
SS_API void ss_work_hold_inelastic(ss_work *work, const bool *laws);
/* Distances (ss_law_ops.distance) at the place, by rows of all laws; zero for laws that have none.
 * A law with two sides takes the nearer one. */
SS_API ss_status ss_work_distances(ss_work *work, double *d);
/* The same at another place, with the sides that the last ss_work_distances or ss_work_laws
 * found. */
SS_API ss_status ss_work_distances_again(ss_work *work, double *d);

/* Derivatives of h at the place: clear, then add weight_q ∂h/∂q F and weight_u ∂h/∂u at the
 * velocities u, once or several times. They stay until they are cleared. The first clearing
 * allocates. */
SS_API ss_status ss_work_clear_derivatives(ss_work *work);
SS_API ss_status ss_work_add_derivatives(ss_work *work, const double *u, double weight_q,
                                         double weight_u);
/* Adds those of the known forces of laws, W ∂λ/∂g Wᵀ and W ∂λ/∂γ Wᵀ, at the place and the velocities u; the forces W λ
 * themselves to h (NULL: not wanted). */
SS_API ss_status ss_work_add_law_derivatives(ss_work *work, const double *u, double *h);
/* y = ∂h/∂q F u */
SS_API void ss_work_stiffness_times(const ss_work *work, const double *u, double *y);
/* y = ∂h/∂u u */
SS_API void ss_work_damping_times(const ss_work *work, const double *u, double *y);
/* Replaces M by M̂ = M - a ∂h/∂q F - b ∂h/∂u with these derivatives, until the next ss_work_evaluate.
 * SS_SINGULAR, naming the system, when its symmetric part is not positive definite. */
SS_API ss_status ss_work_modify_mass(ss_work *work, double a, double b);

/* x = M⁻¹ x, or M̂⁻¹ x; n_u elements. */
SS_API void ss_work_solve_mass(const ss_work *work, double *x);
/* q = q_B + F(q_B) u dt: where the systems would be without further forces. Changes the place. */
SS_API ss_status ss_work_predict(ss_work *work, double t, const double *q_B, const double *u,
                                 double dt, double *q);
/* q_E = q_B + F u dt, with F of the place. */
SS_API void ss_work_move(const ss_work *work, const double *q_B, const double *u, double dt,
                         double *q_E);
/* Puts the velocities of prescribed motions at time t into u. */
SS_API ss_status ss_work_prescribe(ss_work *work, double t, double *u);
/* Lets systems review positions, then velocities, at time t. */
SS_API ss_status ss_work_review(ss_work *work, double t, double *q, double *u);

/* The inclusion of the active laws as ss_work_laws left it; u_free and b may be changed before
 * solving. */
SS_API ss_inclusion *ss_work_inclusion(ss_work *work);
/* The law of a block of that inclusion, by name, and whose contact it is: "toe.gap", "contact.slip of stone
 * and floor"; "none" when there is no such block. In the round form of contacts (docs/contact.md) blocks are
 * contacts, named by their normal law. */
SS_API ss_name ss_work_block_name(const ss_work *work, int block);
/* After a solve that failed, why: "; there is no solution: no impulses satisfy 'a.gap', 'b.gap' together", where that is proved
 * (ss_inclusion_contradiction, then *proved); or "; impulses run away along 'a.gap', 'b.gap'", the laws with the largest
 * impulses; empty where none is far beyond the load. */
SS_API ss_status ss_work_explain_failure(ss_work *work, size_t capacity, char *text, bool *proved);
/* Solves with `u_free` as velocities without impulses; warm-starts from P of state B (NULL: from
 * zero); u_E receives the velocities. */
SS_API ss_status ss_work_solve(ss_work *work, const ss_state *B, const double *u_free, double *u_E,
                               ss_solve_report *report);
/* Sees every inclusion right after it was solved: P (n_rows) is its solution. */
typedef ss_status (*ss_inclusion_watch)(void *user, const ss_inclusion *inclusion, const double *P,
                                        const ss_solve_report *report);
/* watch = NULL ends it. While there is one, contacts of round bodies are solved in the form of all
 * others, too. */
SS_API void ss_work_watch(ss_work *work, ss_inclusion_watch watch, void *user);
/* Fills t, dt, P, modes and statistics of E from the last solve. E's q and u must be set. The
 * statistics of E become those of B plus this step's. */
SS_API ss_status ss_work_finish(ss_work *work, const ss_state *B, double dt,
                                const ss_solve_report *report, ss_state *E);

/* Whether a law that was in constraint mode in the last step may as well have been impressed:
 * within rounding its impulse lies at the boundary of its set. */
SS_API bool ss_work_marginal(const ss_work *work, int law);
/* Whether a law was active in the last step. */
SS_API bool ss_work_active(const ss_work *work, int law);

/* How a law takes part in the two functions below; n_laws elements. */
typedef enum ss_role {
    SS_ROLE_NONE,
    SS_ROLE_SEEN,   /* active, and its relative velocity may be anything */
    SS_ROLE_CLOSED, /* in constraint mode: γ = 0 */
} ss_role;

/* Takes the drift out of laws that are held: moves q along M⁻¹W until their gaps are `gap` (n_rows
 * elements, geometric rows only; NULL: positions stay), then u until their relative velocities are
 * zero, both by the least kinetic norm. Changes the place. */
SS_API ss_status ss_work_project(ss_work *work, double t, const ss_role *roles, const double *gap,
                                 double *q, double *u);
/* Schemes take W and ζ at the midpoint of a step, half a step behind the velocities at its end.
 * ss_work_lag turns velocities at t into those of a train of steps of size dt: the laws see half a
 * step ago the relative velocities that they have now (and those that are held what a step with
 * their restitution leaves). Without it the first step feels only half of what a curved or moving
 * constraint asks for. `back` is the reverse. Changes the place. */
SS_API ss_status ss_work_lag(ss_work *work, double t, double dt, const ss_role *roles, bool back,
                             const double *q, double *u);

/* Gaps (zero for kinematic rows) and relative velocities at a state, by rows of all laws of the model. */
SS_API ss_status ss_work_measure(ss_work *work, const ss_state *state, double *gap, double *gamma);

/* Energies at a state, J. */
typedef struct ss_energy {
    double kinetic, potential;
    double dissipated, load_work; /* since t = 0 */
} ss_energy;
SS_API ss_status ss_work_energy(ss_work *work, const ss_state *state, ss_energy *energy);

/* Where the constraints of a scheme hold. */
typedef enum ss_constraint_level {
    SS_ON_VELOCITY,     /* positions may drift */
    SS_ON_DISPLACEMENT, /* gaps, linearized or not; no drift adds up */
    SS_ON_BOTH,         /* velocities in the step, positions by a projection after it */
} ss_constraint_level;

/* How contacts of shapes reach a scheme. */
typedef enum ss_contact_policy {
    /* Found anew wherever laws are evaluated (ss_work_laws_as): the fastest way, for schemes that need gaps and
     * directions at that place only. */
    SS_CONTACTS_DETECTED,
    /* Found once, where the step begins. Each is then an element of its own until the step ends: its gap can be asked
     * for anywhere (ss_work_distances), its laws have modes and impulses of their own. */
    SS_CONTACTS_FOLLOWED,
} ss_contact_policy;

/* What a scheme can do. */
/* How impacts are solved. */
typedef enum ss_impact_law {
    SS_IMPACT_NEWTON,    /* -(γ⁺ + ε γ⁻) ∈ N(P), by rows */
    SS_IMPACT_POISSON,   /* compression and expansion as two inclusions */
    SS_IMPACT_POSITIONS, /* restitution on positions, in two steps */
} ss_impact_law;

typedef struct ss_abilities {
    /* In smooth motion, with the default options and forces that may depend on velocities; 0: the
     * scheme declares nothing, and nothing is refused for it. */
    int order;
    bool elastic;   /* impacts with restitution */
    bool bilateral; /* constraints that never open */
    ss_constraint_level level;
    /* The error has an expansion in powers of Δt while no law switches: extrapolation works. */
    bool expansion;
    ss_contact_policy contacts;
    /* Forces follow the velocities within the solution (ss_inclusion's refresh), which not every solver can. */
    bool refresh;
    /* The order holds also with constraints of velocities alone (bilateral laws on kinematic rows); else it is 1 then: the
     * velocity at the end obeys them along directions of another place. */
    bool kinematic;
    ss_impact_law impact;
} ss_abilities;

/* One step from B to E. */
typedef struct ss_scheme_ops {
    ss_type type;                                       /* type.size = sizeof(ss_scheme_ops) */
    ss_status (*init)(void *self, ss_context *context); /* optional */
    void (*destroy)(void *self, ss_context *context);   /* optional */
    /* NULL when the scheme can treat the model, else the reason. Optional. */
    const char *(*refuses)(const void *self, const ss_model *model);
    /* Scratch memory of the scheme, in doubles; `size` is that of the work (ss_work_sizes). Optional: 0. */
    size_t (*scratch)(const void *self, const ss_model *model, const ss_model_size *size);
    /* Steps from B to E. A solve that did not converge is reported in `report`; the status is for
     * faults. Required. */
    ss_status (*step)(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report);
    ss_abilities can;
    /* Corrects `can` where these options change it. Optional. */
    void (*adapt)(const void *self, ss_abilities *can);
    /* Numbers that the scheme carries in the state (ss_state_own), zero at first. With contacts that are followed their
     * count may depend on the systems only. Optional: 0. */
    size_t (*state_size)(const void *self, const ss_model *model);
    /* Which contacts of shapes it needs with these options and this model. Optional: can.contacts. */
    ss_contact_policy (*contacts)(const void *self, const ss_model *model);
} ss_scheme_ops;

SS_API ss_status ss_register_scheme(ss_context *context, const ss_scheme_ops *ops);

typedef struct ss_scheme ss_scheme;
/* args and scope may be NULL. */
SS_API ss_status ss_scheme_create(ss_context *context, const char *name, const ss_args *args,
                                  const ss_scope *scope, ss_scheme **scheme);
SS_API void ss_scheme_destroy(ss_scheme *scheme);
SS_API const char *ss_scheme_name(const ss_scheme *scheme);
SS_API ss_abilities ss_scheme_abilities(const ss_scheme *scheme);
/* Which contacts of shapes the scheme needs for a model. */
SS_API ss_contact_policy ss_scheme_contacts(const ss_scheme *scheme, const ss_model *model);
/* The same in a sentence, with the default options; "" when the type is no scheme or declares nothing. */
SS_API void ss_scheme_describe(ss_context *context, const char *name, size_t capacity, char *text);
/* How many numbers of its own a state of this scheme has. */
SS_API size_t ss_scheme_state_size(const ss_scheme *scheme, const ss_model *model);
/* Checks that the scheme can treat the model and reserves its scratch memory. */
SS_API ss_status ss_scheme_prepare(ss_scheme *scheme, const ss_model *model);
SS_API ss_status ss_scheme_step(ss_scheme *scheme, ss_work *work, const ss_state *B, double dt,
                                ss_state *E, ss_solve_report *report);

#ifdef __cplusplus
}
#endif
#endif
