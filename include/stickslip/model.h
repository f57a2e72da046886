/* model.h: systems, elements, laws and forces; the sealed model and its copyable state.
 *
 *   M u' = h + Σ forces + Σ W λ,   q' = F u
 *   γ = Wᵀ u + ζ,                   each law: -(γ_E + ε γ_B) ∈ N_C(P)
 *
 * A *system* owns a slice of q and u and gives M, h and F. An *element* is kinematics between systems: groups of
 * rows, each row a relative velocity, geometric rows with a gap besides. A *law* says what the rows of a
 * group obey. A *force* adds to h. Add them, seal the model; then it is constant, and all that moves is in
 * an ss_state.
 */
#ifndef STICKSLIP_MODEL_H
#define STICKSLIP_MODEL_H

#include <stickslip/expression.h>
#include <stickslip/inclusion.h>
#include <stickslip/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_model ss_model;

/* ---- Where a function is evaluated ---------------------------------------------------------------- */

/* A system sees itself as q[0], u[0]; an element or a force sees the systems it contacts, in the order in
 * which its init connected them. */
typedef struct ss_at {
    double t;               /* s */
    const double *const *q; /* positions of each connected system */
    const double *const *u; /* velocities of each connected system */
    const double *const *
        F; /* elements: q' = F u of each connected system, nq × nu by rows; F[k] = NULL: identity */
    void *cache; /* the object's own memory (ss_setup_cache), filled by its geometry function */
    double
        dt; /* h of a system: s, wanted is the mean over such a step that begins with u; 0: at u */
} ss_at;

/* ---- Setting up an object: given to the init function of every type -------------------------------- */

typedef struct ss_setup ss_setup;

SS_API ss_context *ss_setup_context(const ss_setup *setup);
/* "system 'toy'", for messages. */
SS_API const char *ss_setup_owner(const ss_setup *setup);
SS_API ss_location ss_setup_location(const ss_setup *setup);
/* Where one of its keys was given; where the object is when it was not. */
SS_API ss_location ss_setup_key_location(const ss_setup *setup, const char *key);
/* Zeroed memory that lives as long as the model. */
SS_API ss_status ss_setup_allocate(ss_setup *setup, size_t count, size_t size, void **memory);
/* Asks for bytes of cache (ss_at.cache); adds up; *offset says where they begin. */
SS_API ss_status ss_setup_cache(ss_setup *setup, size_t bytes, size_t *offset);

/* Systems: declares coordinates by name. Velocities are named after them with a ' behind. */
SS_API ss_status ss_setup_coordinates(ss_setup *setup, int count, const char *const *names);
/* Systems with q' = F u, F not the identity: names of the velocities. */
SS_API ss_status ss_setup_velocities(ss_setup *setup, int count, const char *const *names);
/* Systems whose `pose` has several frames (the links of a tree), or one with a name: shapes name them as
 * `on: system.frame`. Not called: one frame, `on: system`. */
SS_API ss_status ss_setup_frames(ss_setup *setup, int count, const char *const *names);
/* Systems: the mass matrix never changes; it is evaluated and factored once. */
SS_API void ss_setup_constant_mass(ss_setup *setup);
/* Systems of infinite mass (M⁻¹ = 0) that move as they must: review_u gives their velocities as a function of
 * t alone, review_q their positions. Forces and impulses on them bring work into the model. */
SS_API void ss_setup_prescribed(ss_setup *setup);

/* Elements and forces: contacts a system by name; *local is its index in ss_at. Touching twice is the same. */
SS_API ss_status ss_setup_connect(ss_setup *setup, const ss_text *system, int *local);
/* How many systems are connected so far. */
SS_API int ss_setup_connected_count(const ss_setup *setup);
/* How many positions and velocities a connected system has. */
SS_API void ss_setup_connected(const ss_setup *setup, int local, int *nq, int *nu);
/* The type name of a connected system ("point"), so that a spring knows how to find a point on it. */
SS_API const char *ss_setup_connected_type(const ss_setup *setup, int local);
/* The parameters of a connected system, `self` of its type's functions: gravity finds the mass there. */
SS_API const void *ss_setup_connected_self(const ss_setup *setup, int local);
/* Initial positions and velocities of a connected system. */
SS_API void ss_setup_connected_initial(const ss_setup *setup, int local, const double **q,
                                       const double **u);
/* Elements and forces: the systems of the model by number, in the order they were added; NULL past the end. */
SS_API const char *ss_setup_system_name(const ss_setup *setup, int index);

/* A geometric row has a gap g with γ = dg/dt; a kinematic row has a relative velocity only. */
typedef enum ss_row_kind { SS_GEOMETRIC = 1, SS_KINEMATIC = 2 } ss_row_kind;

/* Elements: declares the next group of rows. Laws are attached to groups by name ("gap", "slip"). */
SS_API ss_status ss_setup_rows(ss_setup *setup, const char *group, int rows, ss_row_kind kind);
/* Elements: the law that the last group of rows obeys unless it is given one: a type, and one of its keys with
 * a value (key NULL: none). */
SS_API void ss_setup_default_law(ss_setup *setup, const char *type, const char *key,
                                 const char *value);

/* Laws: the rows the law is for. */
SS_API int ss_setup_dim(const ss_setup *setup);
SS_API ss_row_kind ss_setup_row_kind(const ss_setup *setup);
/* Laws: takes back flags of its type (ss_law_flags) that the parameters of this law make void. */
SS_API void ss_setup_drop_law_flags(ss_setup *setup, unsigned flags);
/* Laws: whether any restitution coefficient of its rows is not zero. */
SS_API bool ss_setup_elastic(const ss_setup *setup);
/* Laws: the set is scaled by the impulse of another law (Coulomb): "gap" of the same element, or
 * "element.gap"; text NULL: the only geometric group of one row of the same element. */
SS_API ss_status ss_setup_scale_from(ss_setup *setup, const ss_text *law);
/* Laws: the set is scaled by the length of the impulse of a group of the same element, all its rows together:
 * friction in a joint by the force that the joint carries. Steps solve again until it fits. */
SS_API ss_status ss_setup_scale_from_group(ss_setup *setup, const ss_text *group);

/* A graph that knows the model's parameters, the time t, and coordinates and velocities: of the system itself
 * while a system is set up; of all systems (which contacts them) for elements and forces, as "y" when
 * only one system has that coordinate, always as "system.y". The graph lives until init returns. */
SS_API ss_status ss_setup_graph(ss_setup *setup, ss_graph **graph);
/* The node of a coordinate (velocity = false) or a velocity of a connected system, or of the time. */
SS_API ss_status ss_setup_variable(ss_setup *setup, int local, bool velocity, int index,
                                   ss_node *node);
SS_API ss_status ss_setup_time(ss_setup *setup, ss_node *node);
/* Which coordinate or velocity a name means; contacts its system (elements and forces). */
SS_API ss_status ss_setup_find(ss_setup *setup, const ss_text *name, int *local, bool *velocity,
                               int *index);

/* Expressions compiled for evaluation at an ss_at. Inputs that the outputs do not use need not be valid. */
typedef struct ss_formula ss_formula;
SS_API ss_status ss_setup_compile(ss_setup *setup, int count, const ss_node *outputs,
                                  const ss_formula **formula);
/* Evaluates all outputs; they stay in the object's cache until the formula runs again. */
SS_API const double *ss_formula_run(const ss_formula *formula, const ss_at *at);

/* ---- Kinds of types. Functions return a status; those marked optional may be NULL. ------------------ */

typedef struct ss_system_ops {
    ss_type type; /* type.size = sizeof(ss_system_ops) */
    /* Declares coordinates, checks parameters. Required. */
    ss_status (*init)(void *self, ss_setup *setup);
    void (*destroy)(void *self); /* optional */
    /* Precomputation for one (q, t), kept in at->cache. u is not valid here. Optional. */
    ss_status (*geometry)(const void *self, const ss_at *at);
    /* One of the two: M or M⁻¹, nu × nu, symmetric. M⁻¹ may have zero rows: infinite mass. */
    ss_status (*mass)(const void *self, const ss_at *at, double *M);
    ss_status (*inverse_mass)(const void *self, const ss_at *at, double *Minv);
    /* h(q, u, t), nu elements, to be set. Optional: zero. */
    ss_status (*h)(const void *self, const ss_at *at, double *h);
    /* The part of h whose work counts as work of loads (neither from the potential nor gyroscopic). Optional:
     * zero if there is a potential, else all of h. */
    ss_status (*load)(const void *self, const ss_at *at, double *Q);
    /* Potential energy in J. Optional. */
    ss_status (*potential)(const void *self, const ss_at *at, double *V);
    /* F of q' = F u, nq × nu by rows. Optional: identity, nq = nu. */
    ss_status (*F)(const void *self, const ss_at *at, double *F);
    /* q_E = q_B + F u dt; q_E may be q_B or at->q[0]. Optional: by F, which is then needed at every place. */
    void (*move)(const void *self, const ss_at *at, const double *u, double dt, const double *q_B,
                 double *q_E);
    /* ∂h/∂q (nu × nq) and ∂h/∂u (nu × nu) by rows. Optional: by differences. */
    ss_status (*derivatives)(const void *self, const ss_at *at, double *dhdq, double *dhdu);
    /* Where a frame is that carries shapes, from q and t alone; frames count from 0 (ss_setup_frames). Optional: the
     * system carries no shapes. */
    void (*pose)(const void *self, const ss_at *at, int frame, ss_pose *pose);
    /* The velocity of a frame, (v, ω) = V u with v of its origin and ω both in space; 6 × nu by rows.
     * Optional: nu = 6 and V = 1. u is not valid here. */
    void (*twist)(const void *self, const ss_at *at, int frame, double *V);
    /* May change positions or velocities at the end of a step: normalization, prescribed motion. Optional. */
    /* at: the time and the cache; its q and u are not valid. */
    ss_status (*review_q)(const void *self, const ss_at *at, double *q);
    ss_status (*review_u)(const void *self, const ss_at *at, const double *q, double *u);
    /* Systems of prescribed motion: how fast the velocities of review_u change, u' at at->t. Optional; event-driven
     * integration needs it. */
    ss_status (*acceleration)(const void *self, const ss_at *at, double *a);
    /* Initial q and u (zero before) from the keys position and velocity as given (rows = 0: not given). at: t = 0 and
     * the cache. Optional: one number for each coordinate and velocity. */
    ss_status (*initial)(void *self, const ss_setup *setup, const ss_at *at,
                         const ss_matrix *position, const ss_matrix *velocity, double *q,
                         double *u);
} ss_system_ops;

typedef struct ss_element_ops {
    ss_type type; /* type.size = sizeof(ss_element_ops) */
    /* Contacts systems, declares groups of rows. Required. */
    ss_status (*init)(void *self, ss_setup *setup);
    void (*destroy)(void *self); /* optional */
    /* Precomputation for one (q, t). u is not valid here. Optional. */
    ss_status (*geometry)(const void *self, const ss_at *at);
    /* Gaps of all rows (m; rad), positive when open; entries of kinematic rows are ignored. Required when a group
     * is geometric. */
    ss_status (*gap)(const void *self, const ss_at *at, double *g);
    /* W[k][row * nu_k + j] = ∂γ_row/∂u_j of connected system k. u is not valid here. Required. */
    ss_status (*W)(const void *self, const ss_at *at, double *const *W);
    /* ζ: γ at u = 0, per row. u is not valid here. Optional: zero. */
    ss_status (*zeta)(const void *self, const ss_at *at, double *zeta);
    /* ζ̂: dγ/dt at u' = 0, per row. Optional: by differences. */
    ss_status (*zeta_hat)(const void *self, const ss_at *at, double *zeta_hat);
    /* Full restitution matrix rows × rows (Frémond), by rows. Optional: the laws' own restitution. */
    ss_status (*restitution)(const void *self, const ss_at *at, double *epsilon);
    bool
        held; /* its init gives default laws (ss_setup_default_law): it may go without laws of its own */
} ss_element_ops;

/* What a law sees of its rows in a step. */
typedef struct ss_law_at {
    double t;        /* s, where the scheme evaluates the laws */
    double dt;       /* s */
    int dim;         /* rows of this law */
    const double *g; /* gaps (geometric rows), else zeros */
    const double
        *gamma;  /* γ_B, relative velocities at the beginning of the step; NULL for `level` */
    void *cache; /* the law's own memory (ss_setup_cache), for formulas of t */
} ss_law_at;

/* dynamY's level flags. */
typedef enum ss_level {
    SS_LEVEL_ACTIVE = 0,    /* obeys the inclusion on velocity level */
    SS_LEVEL_IMPRESSED = 1, /* not active, but with a known impulse (pre-stressed spring) */
    SS_LEVEL_INACTIVE = 2,  /* not active, impulse zero (open contact) */
} ss_level;

/* The set of admissible impulses in a step: scale · set; scale in N s (a force bound times dt), or a number
 * that multiplies the impulse of what ss_setup_scale_from or ss_setup_scale_from_group named. */
typedef struct ss_law_set {
    const ss_set *set;
    double scale;
} ss_law_set;

/* What a law is. A type without a class is refused. */
typedef enum ss_law_class {
    SS_LAW_UNILATERAL = 1, /* geometric rows that open and close: contacts, stops. Needs `level` */
    SS_LAW_BILATERAL,      /* a constraint, always active: no `level` */
    SS_LAW_FRICTION,       /* kinematic rows: resists a relative velocity within its set */
    SS_LAW_SPRING,         /* has a known force where it is impressed. Needs `impressed` */
    SS_LAW_DRIVE, /* kinematic rows: keeps a given velocity within its set. Needs `drive` */
} ss_law_class;

/* What a law has and what it depends on. Each flag that stands for a function goes with it: one without the other is
 * refused. Either the set is constant, or the flags say what it depends on. */
typedef enum ss_law_flags {
    SS_LAW_CONSTANT_SET = 1 << 0,  /* the set depends on the parameters and dt alone */
    SS_LAW_SET_OF_TIME = 1 << 1,   /* it depends on t */
    SS_LAW_SET_OF_GAP = 1 << 2,    /* it depends on the gaps */
    SS_LAW_SET_OF_SPEED = 1 << 3,  /* it depends on γ_B */
    SS_LAW_OPENS = 1 << 4,         /* `level`: the law is not always active */
    SS_LAW_IMPRESSED = 1 << 5,     /* `impressed`: it has a known impulse where it is not active */
    SS_LAW_ADDED = 1 << 6,         /* `added`: it has a known impulse where it is active */
    SS_LAW_CORRECTED = 1 << 7,     /* `correction` */
    SS_LAW_STORES_ENERGY = 1 << 8, /* `potential` */
    SS_LAW_DISTANCE = 1 << 9,      /* `distance` */
    SS_LAW_WORK = 1 << 10,         /* `work` */
    SS_LAW_CLOSES_ELSEWHERE =
        1 << 11, /* geometric rows: may close at another gap than zero, so that it is no law for
                                          contacts of shapes, which are looked at where they meet */
    SS_LAW_NEVER_ACTIVE = 1 << 12, /* impressed at every gap: no `level`, no block */
    SS_LAW_DERIVATIVES = 1 << 13,  /* `derivatives`: implicit schemes linearize its known impulse */
} ss_law_flags;

typedef struct ss_law_ops {
    ss_type type; /* type.size = sizeof(ss_law_ops) */
    ss_law_class law_class;
    unsigned flags; /* ss_law_flags */
    int row_kinds;  /* SS_GEOMETRIC | SS_KINEMATIC: what it may be attached to */
    bool each_row;  /* true: one law for every row of a group; false: one law for the whole group */
    const char *words[2]; /* what constraint and impressed mode are called: {"closed", "open"} */
    /* Checks parameters against ss_setup_dim. Required. */
    ss_status (*init)(void *self, ss_setup *setup);
    void (*destroy)(void *self); /* optional */
    /* Whether the law is active. SS_LAW_OPENS; else always. A law scaled by an inactive law is inactive itself. */
    ss_status (*level)(const void *self, const ss_law_at *at, ss_level *level);
    /* The set of admissible impulses in this step. Required. */
    ss_status (*set)(const void *self, const ss_law_at *at, ss_law_set *set);
    /* Level impressed: the impulse P (dim). SS_LAW_IMPRESSED. */
    ss_status (*impressed)(const void *self, const ss_law_at *at, double *P);
    /* Level active: a single-valued impulse beside the set-valued one (Stribeck's term). SS_LAW_ADDED. */
    ss_status (*added)(const void *self, const ss_law_at *at, double *P);
    /* Added to γ_E + ε γ_B in the inclusion: drift stabilization g/dt (S7.3). SS_LAW_CORRECTED; else zero. */
    ss_status (*correction)(const void *self, const ss_law_at *at, double *c);
    /* First guess of P, given last step's. Optional: last step's. */
    ss_status (*guess)(const void *self, const ss_law_at *at, double *P);
    /* Energy stored at the gap g, J. SS_LAW_STORES_ENERGY. */
    ss_status (*potential)(const void *self, int dim, const double *g, double *V);
    /* Geometric rows: d = 0 where the law closes, g but for a constant, so that with the set for the
     * same gaps -(d/Δt + γ_E) ∈ N_C(P) is the law on displacement level (S5.57), open or closed.
     * SS_LAW_DISTANCE; else schemes take the law on velocity level always. */
    ss_status (*distance)(const void *self, const ss_law_at *at, double *d);
    /* How the work Pᵀγ of the impulse is shared out, γ the mean of both ends of the step: *load is brought in
     * by a motor, *lost is taken out, the rest comes from the potential. SS_LAW_WORK; else all of it is -*lost, or, when
     * impressed with a potential, all comes from that. */
    ss_status (*work)(const void *self, const ss_law_at *at, const double *P, const double *gamma,
                      double *load, double *lost);
    /* Kinematic rows that are driven: the velocity v (dim) that takes the place of γ = 0, and its rate a, at the time at->t.
     * For drives, and no other class. Its correction is -v. */
    ss_status (*drive)(const void *self, const ss_law_at *at, double *v, double *a);
    /* The i-th of the sets that `set` may give, whatever its scale; NULL after the last. For laws whose set is not constant,
     * and no others: solvers look at these before the first step. */
    const ss_set *(*set_kind)(const void *self, int dim, int i);
    /* Laws that another law's impulse scales (ss_setup_scale_from) and whose set is not constant: the largest impulse
     * along the first row for each N s of that one at rest (ss_law_info.friction). Optional: 0. */
    double (*coefficient)(const void *self);
    /* The known force λ of one row, that of `impressed` or `added`: ∂λ/∂g in N/m and ∂λ/∂γ in N s/m. Schemes that take forces
     * of the end of the step linearize it with them. Laws of single rows (each_row) only. SS_LAW_DERIVATIVES. */
    ss_status (*derivatives)(const void *self, const ss_law_at *at, double *dg, double *dgamma);
} ss_law_ops;

typedef struct ss_force_ops {
    ss_type type; /* type.size = sizeof(ss_force_ops) */
    /* Contacts systems. Required. */
    ss_status (*init)(void *self, ss_setup *setup);
    void (*destroy)(void *self);                              /* optional */
    ss_status (*geometry)(const void *self, const ss_at *at); /* optional */
    /* Adds to h[k] of every connected system. Required. */
    ss_status (*h)(const void *self, const ss_at *at, double *const *h);
    /* Potential energy in J. Optional: the force's work counts as work of loads. */
    ss_status (*potential)(const void *self, const ss_at *at, double *V);
    /* With n connected systems, adds ∂h_k/∂q_l (nu_k × nq_l by rows) to dhdq[k n + l] and ∂h_k/∂u_l to
     * dhdu[k n + l]. Optional: by differences. */
    ss_status (*derivatives)(const void *self, const ss_at *at, double *const *dhdq,
                             double *const *dhdu);
    /* h depends on t at most: it has no derivatives and couples no systems. */
    bool constant;
} ss_force_ops;

/* Each copies the ops struct; names, documentation, keys and functions that it points to must outlive the context.
 * What fails registers nothing, and `user` stays the caller's. */
SS_API ss_status ss_register_system(ss_context *context, const ss_system_ops *ops);
SS_API ss_status ss_register_element(ss_context *context, const ss_element_ops *ops);
SS_API ss_status ss_register_law(ss_context *context, const ss_law_ops *ops);
SS_API ss_status ss_register_force(ss_context *context, const ss_force_ops *ops);

/* Loads a shared library and calls its `ss_status ss_plugin(ss_context *)`, which registers its types: all of them, or
 * none when it fails. */
SS_API ss_status ss_context_load_plugin(ss_context *context, const ss_text *path);
/* Whether a plugin whose file has this name, folders left out, was loaded: a scene that names it needs nothing more. */
SS_API bool ss_context_has_plugin(const ss_context *context, const char *path);
typedef ss_status (*ss_plugin_fn)(ss_context *context);

/* ---- Building a model ------------------------------------------------------------------------------- */

SS_API ss_status ss_model_create(ss_context *context, ss_model **model);
SS_API void ss_model_destroy(ss_model *model);
SS_API ss_context *ss_model_context(const ss_model *model);

/* Named numbers for expressions. Define before they are used. */
SS_API ss_status ss_model_define(ss_model *model, const char *name, double value);
SS_API const ss_scope *ss_model_scope(const ss_model *model);

/* Each adds one object: a name without '.', a registered type, arguments for its keys (copied). What fails leaves the
 * model as it was. */
SS_API ss_status ss_model_add_system(ss_model *model, const char *name, const char *type,
                                     const ss_args *args);
SS_API ss_status ss_model_add_element(ss_model *model, const char *name, const char *type,
                                      const ss_args *args);
/* Attaches a law to a group of rows of an element. */
SS_API ss_status ss_model_add_law(ss_model *model, const char *element, const char *group,
                                  const char *type, const ss_args *args);
SS_API ss_status ss_model_add_force(ss_model *model, const char *name, const char *type,
                                    const ss_args *args);

/* Puts a shape on a system that has a pose, or into the fixed world. Shapes meet by the rules of elements of
 * type 'contact': which materials, and the laws of their contacts. */
SS_API ss_status ss_model_add_shape(ss_model *model, const char *name, const char *type,
                                    const ss_args *args);
/* Where relative names of files in shapes begin; NULL: the working directory. */
SS_API ss_status ss_model_set_directory(ss_model *model, const char *directory);

/* Checks everything and allocates everything; afterwards the model is constant. When it fails because something is missing
 * or wrong, the model can be completed and sealed again. */
SS_API ss_status ss_model_seal(ss_model *model);

/* ---- Looking at a sealed model ------------------------------------------------------------------------ */

typedef struct ss_model_size {
    int n_systems, n_elements, n_laws, n_forces, n_shapes;
    int n_q, n_u;         /* positions, velocities */
    int n_rows;           /* rows of all laws: length of g, γ and P */
    int contact_capacity; /* most contacts of shapes at a time; 0: no shapes can meet */
} ss_model_size;

typedef struct ss_law_info {
    const char *
        name; /* "beak.gap", or "cradle.gap.1", "cradle.gap.2" where a group has one law for each row */
    const char *element; /* "beak" */
    const char *type;    /* "unilateral" */
    int offset;          /* first row */
    int dim;
    ss_row_kind kind;
    ss_law_class law_class; /* 0 in a record */
    unsigned
        flags; /* ss_law_flags of this law: those of its type but for what its parameters make void; 0 in a record */
    const char *words[2]; /* names of constraint and impressed mode */
    double
        friction; /* largest impulse along the first row for each N s of the law that scales it; 0: none does */
} ss_law_info;

typedef struct ss_system_info {
    const char *name;
    const char *type;
    int q_offset, nq, u_offset, nu;
} ss_system_info;

typedef struct ss_shape_info {
    const char *name;
    const char *material;
    const ss_shape *shape;
    int system; /* -1: fixed in space */
    int frame;  /* of the system; 0: the first, or the only one */
    ss_pose at; /* in that frame; on a body seen from its centre of mass */
} ss_shape_info;

SS_API ss_model_size ss_model_sizes(const ss_model *model);
SS_API ss_system_info ss_model_system(const ss_model *model, int system);
SS_API ss_law_info ss_model_law(const ss_model *model, int law);
SS_API ss_shape_info ss_model_shape(const ss_model *model, int shape);
/* Names and types of elements and forces. */
typedef struct ss_object_info {
    const char *name;
    const char *type;
} ss_object_info;
SS_API ss_object_info ss_model_element(const ss_model *model, int element);
SS_API ss_object_info ss_model_force(const ss_model *model, int force);
/* Where a shape is in space at the positions q. */
SS_API void ss_model_shape_pose(const ss_model *model, int shape, double t, const double *q,
                                ss_pose *pose);
/* "toy.y", "toy.y'" */
typedef struct ss_name {
    char text[256];
} ss_name;
SS_API ss_name ss_model_q_name(const ss_model *model, int index);
SS_API ss_name ss_model_u_name(const ss_model *model, int index);

/* ---- State ---------------------------------------------------------------------------------------------- */

/* Everything that moves, in one block of memory without pointers: copied with memcpy, written to files. */
typedef struct ss_state ss_state;

/* What a certificate finds wrong with a step: which property of a law, or of the motion, does not hold (docs/verdict.md). */
typedef enum ss_breach {
    SS_BREACH_NONE,
    SS_BREACH_PULL,            /* a one-sided law acts the wrong way: a contact pulls; N s */
    SS_BREACH_CONE,            /* an impulse is outside of its set; N s */
    SS_BREACH_SLIP,            /* friction does not oppose the slip with all it has; N s */
    SS_BREACH_COMPLEMENTARITY, /* a contact acts while it opens, or a held row moves; m/s */
    SS_BREACH_APPROACH,        /* a closed contact still approaches; m/s */
    SS_BREACH_RESTITUTION,     /* γ⁺ is not -ε γ⁻; m/s */
    SS_BREACH_MOMENTUM,        /* velocities are not those that the impulses make; J */
    SS_BREACH_GAP,             /* a closed contact has penetrated, or is at a distance; m */
    SS_BREACH_RUNAWAY,         /* impulses so large that rounding hides whether laws hold; N s */
} ss_breach;
enum { SS_BREACH_COUNT = SS_BREACH_RUNAWAY + 1 };

/* The first breach of a run. */
typedef struct ss_violation {
    double t;      /* s */
    double size;   /* by how much, in the unit of its kind */
    uint64_t kind; /* ss_breach */
    char law[128]; /* "beak.gap", "contact.slip of stone and floor", "system toy" */
} ss_violation;

/* Sums over a run, part of the state. */
typedef struct ss_statistics {
    uint64_t steps;          /* accepted */
    uint64_t tries;          /* steps of the scheme, with parts of steps and rejected ones */
    uint64_t iterations;     /* of the solver, all tries */
    uint64_t max_iterations; /* in one step */
    uint64_t failures;       /* solves that did not converge */
    uint64_t switches;       /* changes of mode of any law */
    double worst_residual;   /* relative, of converged and failed solves alike */
    double dissipated;       /* J, taken out by the laws: -Σ Pᵀ (γ_B + γ_E)/2 */
    double load_work;        /* J, brought in by loads and moving constraints */
    uint64_t indeterminate;  /* steps whose impulses are not unique (ss_forces) */
    uint64_t not_chosen;     /* steps in which the choice of `forces` could not be found */
    uint64_t forces;         /* ss_forces of the last solve */
    uint64_t gains;          /* impacts that added energy */
    double gained;           /* J, by them */
    uint64_t unconverged;    /* accepted steps whose solve did not converge (on_failure: warn) */
    uint64_t unexamined;     /* steps with too many rows to see whether impulses are unique */
    uint64_t uneven;   /* of those that are not unique: steps with islands of so many held rows that
                                `forces: even` looks at every two systems alone, or not at all */
    uint64_t too_fast; /* steps in which a shape was too fast for its contacts to be seen */
    uint64_t certified;     /* solves and smooth phases that were certified */
    uint64_t uncertified;   /* those that could not be, while certification is on */
    uint64_t violations;    /* those in which a law did not hold */
    ss_violation violation; /* the first of them; all zero: none */
} ss_statistics;

/* "a contact pulls", …; and the unit of its size. */
SS_API const char *ss_breach_text(ss_breach breach);
SS_API const char *ss_breach_unit(ss_breach breach);

/* A state at the initial conditions, t = 0. */
SS_API ss_status ss_state_create(const ss_model *model, ss_state **state);
/* The same with space for `own` numbers of a scheme (ss_state_own, ss_scheme_state_size) and for `count`
 * of a simulation (ss_state_memory), zero at first. */
SS_API ss_status ss_state_create_for(const ss_model *model, size_t own, size_t count,
                                     ss_state **state);
/* state may be NULL. */
SS_API void ss_state_destroy(ss_state *state);
/* Both states belong to the same model. Numbers of the simulation's own are copied when `to` has as much space for
 * them as `from`, else those of `to` stay. */
SS_API void ss_state_copy(ss_state *to, const ss_state *from);
SS_API size_t ss_state_bytes(const ss_state *state);
/* Fills a state from ss_state_bytes() bytes; fails when they are not of a state of this model. */
SS_API ss_status ss_state_restore(const ss_model *model, size_t bytes, const void *memory,
                                  ss_state *state);

SS_API double ss_state_time(const ss_state *state);
SS_API void ss_state_set_time(ss_state *state, double t);
/* Each part of a state has two accessors: ss_state_q to read, ss_state_edit_q to write. */
SS_API const double *ss_state_q(const ss_state *state);
SS_API double *ss_state_edit_q(ss_state *state);
SS_API const double *ss_state_u(const ss_state *state);
SS_API double *ss_state_edit_u(ss_state *state);
/* What a scheme carries from step to step beside q, u and P; zero at first. */
SS_API const double *ss_state_own(const ss_state *state);
SS_API double *ss_state_edit_own(ss_state *state);
/* Impulses of the last step by rows of all laws, N s. Gaps and relative velocities: ss_work_measure. */
SS_API const double *ss_state_P(const ss_state *state);
SS_API double *ss_state_edit_P(ss_state *state);
/* Of every law: 0 constraint; ±1 impressed, with the sign of γ for laws of one kinematic row (of γ less its speed for a motor). */
SS_API const int *ss_state_mode(const ss_state *state);
SS_API int *ss_state_edit_mode(ss_state *state);
/* Size of the last step, s; a reported force is P / dt. 0 before the first step. */
SS_API double ss_state_dt(const ss_state *state);
SS_API void ss_state_set_dt(ss_state *state, double dt);
SS_API const ss_statistics *ss_state_statistics(const ss_state *state);
SS_API ss_statistics *ss_state_edit_statistics(ss_state *state);
/* A contact of two shapes in the last step. Its laws are those of an element of type 'contact', whose own rows in
 * P and mode hold sums over its contacts. */
typedef struct ss_contact {
    int a, b;                    /* shapes */
    uint32_t feature;            /* tells the contacts of two shapes apart */
    int element;                 /* whose laws it obeys */
    uint8_t closed;              /* the normal law is in constraint mode */
    uint8_t slips, spins, rolls; /* closed, and the law is in impressed mode */
    uint32_t unused;             /* 0 */
    double x[3];                 /* the point, in space, m */
    double n[3];                 /* unit normal, from a to b */
    double gap;                  /* m, where the scheme evaluates the laws */
    double P[3]; /* impulse on b (minus that on a), in space, N s; a reported force is P / dt */
    double L[3]; /* impulse couple on b: of drilling and rolling friction, in space, N m s */
} ss_contact;

SS_API int ss_state_contact_count(const ss_state *state);
SS_API const ss_contact *ss_state_contacts(const ss_state *state);
SS_API ss_contact *ss_state_edit_contacts(ss_state *state);

/* What a simulation has to remember between steps, so that a saved state goes on as if it had never been saved. */
SS_API const double *ss_state_memory(const ss_state *state);
SS_API double *ss_state_edit_memory(ss_state *state);
SS_API size_t ss_state_memory_count(const ss_state *state);

#ifdef __cplusplus
}
#endif
#endif
