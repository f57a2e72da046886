/* model.h: inside of the model. */
#ifndef SS_MODEL_MODEL_H
#define SS_MODEL_MODEL_H

#include "base/arena.h"
#include "base/context.h"
#include "base/map.h"
#include "geometry/geometry.h"
#include "model/body.h"
#include "model/refuse.h"

#include <stickslip/model.h>

/* What every object of a model has. */
typedef struct ss_object {
    const char *name;
    const char *owner; /* "system 'toy'", for messages */
    ss_location where;
    void *self;
    void (*destroy)(void *self); /* NULL: nothing to do */
    size_t cache_size;           /* bytes */
    struct ss_formula *formulas; /* that work in its cache */
} ss_object;

typedef struct ss_system {
    ss_object object;
    const ss_system_ops *ops;
    int nq, nu, q_offset, u_offset;
    size_t
        mass_offset; /* into the mass matrices of a work; bodies that are round or still have none */
    size_t F_offset; /* into the F matrices of a work, if it has one there */
    bool has_F;      /* F is kept: for motion, or for elements that contact the system */
    bool constant_mass;
    const char **q_names, **u_names; /* without the system's name; u_names NULL: q' */
    double *q0, *u0;                 /* initial values */
    int n_frames;                    /* with names; 0: one without */
    const char **frame_names;
    bool *excluded;     /* n_frames²: frames that never meet; NULL: none */
    bool *still_frames; /* n_frames: those that never move; NULL: none */
    int *mass_parents;  /* nu: M is a tree's (ss_setup_mass_tree); NULL: it is dense */
    int more_frames;    /* number of its second frame among all, after sealing */
    ss_body *body;      /* NULL: not a rigid body in space */
    bool plain;         /* M⁻¹ is diagonal, with one number for the translations and one for the
                             rotations: a round or still body; after sealing */
    bool prescribed;    /* its velocities are functions of time */
    ss_mass mass;       /* whether it has points, and what it weighs */
} ss_system;

typedef struct ss_group {
    const char *name;
    int row, rows; /* in the element */
    ss_row_kind kind;
    const char *law, *law_key, *law_value; /* the law it has by default; NULL: none */
    bool has_law;                          /* it was given one */
} ss_group;

/* Systems that an element or a force contacts. */
typedef struct ss_connected {
    int count, capacity;
    int *systems;
} ss_connected;

typedef struct ss_element {
    ss_object object;
    const ss_element_ops *ops;
    ss_connected connected;
    int n_groups, rows;
    ss_group *groups;
    int row_offset;                     /* first row in the arrays over all elements' rows */
    ss_matrix restitution;              /* as given; rows = 0: the laws' own */
    const struct ss_contact_rule *rule; /* NULL: an ordinary element */
    int n_laws;                         /* after sealing */
    int *laws;
} ss_element;

typedef struct ss_law {
    ss_object object; /* name: "beak.gap" */
    const ss_law_ops *ops;
    unsigned flags; /* of its type, but for what its parameters make void */
    int element, group;
    int row, dim; /* rows of the element */
    int offset;   /* first row in P, after sealing */
    ss_row_kind kind;
    const double *epsilon; /* dim restitution coefficients */
    double r;
    double rigidity;               /* N/m */
    ss_connected connected;        /* systems that its formulas name */
    const ss_formula *restitution; /* of all rows; NULL: epsilon is constant, else 1 there */
    bool scaled;
    ss_text scale_name;
    int scale_from; /* law, or -1; after sealing */
    int load_group; /* group of the same element whose impulse scales it, or -1 */
} ss_law;

typedef struct ss_force {
    ss_object object;
    const ss_force_ops *ops;
    ss_connected connected;
} ss_force;

/* A shape, and what carries it. */
typedef struct ss_placed {
    ss_object object;
    ss_shape shape;
    int system;        /* -1: fixed in space */
    int frame;         /* of the system, from 0 */
    const ss_pose *at; /* in that frame: its own, or ss_pose_here */
    const char *material;
    double density;     /* kg/m³ */
    int material_index; /* after sealing */
    int frame_index;    /* among all frames, after sealing; -1: fixed in space */
} ss_placed;

/* Growing arrays of objects, by kind. */
typedef struct ss_list {
    int count, capacity;
} ss_list;

/* Kinds of objects that have no types. */
enum { SS_KIND_INPUT = SS_TYPE_KINDS, SS_KIND_OUTPUT, SS_MODEL_KINDS };

/* What a state holds of an input: value + rate (t - since) until a set time, from there on `end`; and what it was where the
 * last step ended. */
enum {
    SS_INPUT_VALUE,
    SS_INPUT_RATE,
    SS_INPUT_SINCE,
    SS_INPUT_UNTIL,
    SS_INPUT_END,
    SS_INPUT_LAST,
    SS_INPUT_NUMBERS
};

typedef struct ss_named_input {
    ss_object object;
    double value, min, max;
    const char *unit;
    int controller; /* that sets it, or -1 */
} ss_named_input;

/* A number that outputs and controllers may ask of a state. */
typedef enum ss_quantity_kind {
    SS_QUANTITY_TIME_STEP,
    SS_QUANTITY_POSITION,
    SS_QUANTITY_VELOCITY,
    SS_QUANTITY_ACCELERATION, /* mean over the last step */
    SS_QUANTITY_GAP,          /* of an element's row, as the next one */
    SS_QUANTITY_RELATIVE_VELOCITY,
    SS_QUANTITY_IMPULSE, /* of a law's row, as the next one */
    SS_QUANTITY_FORCE,
    SS_QUANTITY_MODE,
    SS_QUANTITY_CONTACT, /* of two shapes */
    SS_QUANTITY_ENERGY,
} ss_quantity_kind;

/* Parts of a contact and of the energy. */
enum {
    SS_CONTACT_X,
    SS_CONTACT_Y,
    SS_CONTACT_Z,
    SS_CONTACT_NORMAL,
    SS_CONTACT_COUNT,
    SS_CONTACT_PARTS
};
enum {
    SS_ENERGY_KINETIC,
    SS_ENERGY_POTENTIAL,
    SS_ENERGY_DISSIPATED,
    SS_ENERGY_LOAD,
    SS_ENERGY_PARTS
};

typedef struct ss_quantity {
    ss_quantity_kind kind;
    int index; /* system, element, law, or first shape */
    int part;  /* coordinate, row, second shape */
    int which; /* of a contact or the energy */
} ss_quantity;

/* What an output or a controller sees of a state: quantities, and expressions of them. */
typedef struct ss_observer {
    int n_quantities, quantity_capacity;
    ss_quantity *quantities;
    int n_nodes, node_capacity;
    ss_node *nodes; /* while it is set up */
    const ss_formula *formula;
} ss_observer;

typedef struct ss_named_output {
    ss_object object;
    ss_observer seen;
    ss_text value;
    const char *unit;
} ss_named_output;

typedef struct ss_controller {
    ss_object object;
    const ss_controller_ops *ops;
    ss_observer seen;
    double period, delay; /* s; period 0: the type's own instants */
    int n_states;
    const ss_text *states; /* names while it is set up, or NULL */
    const double *initial;
    int n_inputs, input_capacity;
    int *inputs;   /* that it sets */
    int pending;   /* most samples that wait for their delay */
    size_t offset; /* of its memory in the control part of a state, after sealing */
} ss_controller;

/* What a state holds of a controller, from its offset on: the next instant, how many samples wait for their delay, its states,
 * and these samples: the time at which they act, the time of the next, and value and end of each input. */
enum { SS_CONTROL_NEXT, SS_CONTROL_WAITING, SS_CONTROL_STATES };
static inline size_t ss_controller_sample(const ss_controller *controller)
{
    return 2 + 2 * (size_t)controller->n_inputs;
}

struct ss_model {
    ss_context *context;
    ss_arena arena;
    ss_arena given; /* initial values of the system that is being added, as given */
    ss_scope *scope;
    bool sealed;
    bool prescribed;    /* some system's motion is; after sealing */
    bool constant_mass; /* every system's is; after sealing */
    bool loaded;        /* some law is scaled by a whole group */
    ss_list n_systems, n_elements, n_laws, n_forces, n_formulas, n_shapes;
    ss_list n_inputs, n_outputs, n_controllers;
    ss_system *systems;
    ss_element *elements;
    ss_law *laws;
    ss_force *forces;
    ss_formula **formulas;
    ss_placed *shapes;
    ss_named_input *inputs;
    ss_named_output *outputs;
    ss_controller *controllers;
    size_t
        control_size; /* doubles of inputs, controllers and accelerations in a state; after sealing */
    size_t rates_offset; /* where accelerations begin among them */
    bool keeps_rates;    /* there are any */
    bool
        inputs_store; /* energies depend on inputs: where these jump, work is done; after sealing */
    const char *directory; /* of files that shapes and controllers name */
    bool confined;         /* they must be in it or below it */
    int n_frames;          /* after sealing: first one a system, in their order, then all others */
    int n_materials;       /* after sealing: rule[i n_materials + j], element or -1 */
    int *rule;
    int contact_capacity; /* most contacts of a state */
    ss_map names
        [SS_MODEL_KINDS]; /* of systems, elements, laws, forces, controllers, inputs and outputs */
    ss_map variables;     /* "y", "y'" → system, -1: several have it */
    int n_q, n_u, n_rows, n_element_rows;
    size_t mass_size, F_size;    /* doubles */
    int largest_mass, largest_F; /* doubles, of one system */
    bool any_F;                  /* some system's q' is not u */
};

/* A coordinate or a velocity. */
typedef struct ss_variable {
    int system, index;
    bool velocity;
} ss_variable;

/* How many frames carry shapes, at least 1, and the number of one of them among all. */
static inline int ss_system_frames(const ss_system *system)
{
    return system->n_frames ? system->n_frames : 1;
}
static inline int ss_model_frame(const ss_model *model, int system, int frame)
{
    return frame == 0 ? system : model->systems[system].more_frames + frame - 1;
}

/* Reserves memory for one more element of a growing array and zeroes it. */
ss_status ss_list_grow(ss_model *model, ss_list *list, size_t size, void **array);

/* How much a model held at some time, so that what was added since can be removed. */
enum {
    SS_MARK_FORCES,
    SS_MARK_LAWS,
    SS_MARK_ELEMENTS,
    SS_MARK_SYSTEMS,
    SS_MARK_SHAPES,
    SS_MARK_CONTROLLERS,
    SS_MARK_OUTPUTS,
    SS_MARK_INPUTS,
    SS_MODEL_LISTS
};
typedef struct ss_model_mark {
    int counts[SS_MODEL_LISTS];
    int formulas;
    size_t parameters;
} ss_model_mark;
ss_model_mark ss_model_marked(const ss_model *model);
/* Removes all that was added after a mark: objects, laws, names and parameters. Memory stays with the model.
 * A parameter that was there keeps its last value. */
void ss_model_rollback(ss_model *model, const ss_model_mark *mark);

/* Where the inputs of a formula come from. */
enum {
    SS_LOCAL_TIME = -1,
    SS_LOCAL_INPUT = -2, /* put into frames when it is set */
    SS_LOCAL_OWN = -3,   /* - ss_own: of the rows of a law */
};
typedef struct ss_input {
    int local; /* a connected system, or as above */
    int index;
    bool velocity;
} ss_input;

struct ss_formula {
    ss_program *program;
    int n_inputs;
    ss_input *inputs;
    size_t cache_offset; /* bytes: where its frame begins */
    int n_switches;      /* it has the terms that change their signs where others jump; else 0 */
    bool fed;            /* it has inputs of the model */
    ss_formula *next;    /* of the same object */
};

struct ss_setup {
    ss_model *model;
    ss_type_kind kind;
    ss_object *object;
    const ss_type *type;       /* of the object, first member of its ops */
    const ss_args *args;       /* of the object */
    ss_system *system;         /* kind SS_TYPE_SYSTEM */
    ss_element *element;       /* kind SS_TYPE_ELEMENT */
    ss_law *law;               /* kind SS_TYPE_LAW */
    bool of_state;             /* laws: formulas know more than the time */
    ss_connected *connected;   /* elements and forces */
    ss_observer *seen;         /* outputs and controllers */
    ss_controller *controller; /* kind SS_TYPE_CONTROLLER */
    ss_graph *graph;           /* made on demand, gone with the setup */
    ss_list n_inputs;          /* variables of the graph, in order */
    ss_input *inputs;
    ss_node *nodes;
    ss_list n_switches; /* terms that change their signs where formulas jump or have a kink */
    ss_node *switches;
    int *locals; /* per system: 1 + its local index, 0: not connected; made when there are many */
};

/* What a state has beside the numbers of its model. */
typedef struct ss_state_space {
    int rows, laws;     /* of contacts that are followed: behind the model's in P and modes */
    int points;         /* of those that come and go: features (ss_state_features) */
    int unused;         /* 0 */
    size_t own, memory; /* numbers of the scheme and of the simulation */
} ss_state_space;
size_t ss_state_capacity(const ss_model *model, const ss_state_space *space); /* bytes */
/* Makes memory of that many bytes, zero, an empty state. */
void ss_state_shape(const ss_model *model, const ss_state_space *space, ss_state *state);
/* As ss_state_create_for. */
ss_status ss_state_create_with(const ss_model *model, const ss_state_space *space,
                               ss_state **state);
/* The last look at whether impulses are unique: part of the state, so that a resumed run looks when the other one did. */
typedef struct ss_freedom_look {
    uint64_t seen;          /* of laws and modes, a hash; 0: none so far */
    uint32_t indeterminate; /* 1: they were not unique, */
    uint32_t unexamined;    /* 1: or there were too many rows to find out */
} ss_freedom_look;
/* Inputs, controllers and accelerations: control_size numbers, laid out by ss_control_lay_out. */
double *ss_state_edit_control(ss_state *state);
const double *ss_state_control(const ss_state *state);
/* Whether inputs were changed since the last step. */
bool ss_state_inputs_jumped(const ss_state *state);
void ss_state_set_inputs_jumped(ss_state *state, bool jumped);
ss_freedom_look *ss_state_edit_look(ss_state *state);
const ss_freedom_look *ss_state_look(const ss_state *state);
/* Of each point of contacts that come and go: 1 + the feature that it stands for, 0: none. */
double *ss_state_features(ss_state *state);
/* Contacts that are followed have no impulses and are open. */
void ss_state_clear_followed(ss_state *state);
void ss_state_set_contact_count(ss_state *state, int count);

/* Whether an element has laws by default, so that it may go without laws of its own. */
bool ss_model_has_default_laws(const ss_model *model, const char *element);

static inline ss_model_size ss_model_size_of(const ss_model *model)
{
    return (ss_model_size){
        .n_systems = model->n_systems.count,
        .n_elements = model->n_elements.count,
        .n_laws = model->n_laws.count,
        .n_forces = model->n_forces.count,
        .n_shapes = model->n_shapes.count,
        .n_q = model->n_q,
        .n_u = model->n_u,
        .n_rows = model->n_rows,
        .contact_capacity = model->contact_capacity,
        .n_inputs = model->n_inputs.count,
        .n_outputs = model->n_outputs.count,
        .n_controllers = model->n_controllers.count,
    };
}

/* Whether impulses cannot move a system; -1, the fixed world, cannot be moved. */
static inline bool ss_system_is_still(const ss_model *model, int system)
{
    return system < 0 || (model->systems[system].body && model->systems[system].body->still);
}

/* Whether impulses cannot move what carries a shape. */
static inline bool ss_placed_is_still(const ss_model *model, const ss_placed *placed)
{
    if (ss_system_is_still(model, placed->system))
        return true;
    const bool *still = model->systems[placed->system].still_frames;
    return still && still[placed->frame];
}

/* Whether two shapes are on frames that never meet: one and the same, or two that their system excludes. */
static inline bool ss_placed_apart(const ss_model *model, const ss_placed *a, const ss_placed *b)
{
    if (a->frame_index == b->frame_index)
        return true;
    if (a->system != b->system || a->system < 0)
        return false;
    const ss_system *system = &model->systems[a->system];
    return system->excluded && system->excluded[a->frame * system->n_frames + b->frame];
}

/* Weighs a body with its solids; takes the solids away again; moves its initial place to its centre of mass
 * (body.c). */
ss_status ss_body_weigh(ss_model *model, ss_system *system);
void ss_body_unweigh(ss_body *body);
void ss_body_centre(ss_system *system);

/* An object that is added: its name and type, its arguments, and the struct for the keys of its kind. */
typedef struct ss_addition {
    ss_type_kind kind;
    const char *name, *type;
    const ss_args *args;
    void *common; /* NULL: the kind has no such keys */
} ss_addition;

/* ---- Inputs, outputs and controllers (inputs.c, controllers.c) ---- */

/* Keys of inputs and outputs. */
extern const ss_key ss_input_keys[], ss_output_keys[];
/* The control part of a state: laid out when the model is sealed, at its start, and whether a saved one can be. */
void ss_control_lay_out(ss_model *model);
void ss_control_start(const ss_model *model, double *control);
bool ss_control_is_sound(const ss_model *model, const double *control);
/* From a time on an input is held at a value, or goes from it to `end` until another time (INFINITY: held). */
void ss_input_hold(double *input, double t, double value);
void ss_input_ramp(double *input, double t, double value, double until, double end);
double ss_input_at(const double *input, double t);
/* Times that differ by rounding only. */
bool ss_time_is_due(double due, double t);
/* The node of an input of the model: value + rate (t - since). */
ss_status ss_setup_input_node(ss_setup *setup, int input, const char *name, ss_node *node);
/* The node of what an observer may name beside parameters, time and inputs. */
ss_status ss_setup_quantity(ss_setup *setup, ss_graph *graph, const char *name, ss_node *node);
size_t ss_setup_quantity_names(const ss_setup *setup, size_t capacity, const char **names,
                               size_t count);
/* The graph's variable for one input of a formula, declared when it is new. */
ss_status ss_setup_declare(ss_setup *setup, const char *name, ss_input input, ss_node *node);
/* Puts the inputs of the model into the frame of a formula. */
void ss_formula_feed(const ss_formula *formula, void *cache, const double *control);
/* Gives groups of rows that have no law the one they have by default (seal.c). */
ss_status ss_model_complete_laws(ss_model *model);
/* Makes a place for an object without a type, and fills `self` from its arguments (model.c). */
ss_status ss_model_begin_plain(ss_model *model, const ss_addition *addition, const ss_key *keys,
                               void *self, ss_setup *setup);
typedef ss_status ss_add_fn(ss_model *model, const char *name, const char *type,
                            const ss_args *args);
/* Adds something, or leaves nothing behind (model.c). */
ss_status ss_model_add(ss_model *model, ss_add_fn *fn, const char *name, const char *type,
                       const ss_args *args);
/* Calls the init function of a type, and keeps self when it succeeds (model.c). */
ss_status ss_object_init(ss_setup *setup, ss_status (*init)(void *, ss_setup *),
                         void (*destroy)(void *), void *self);
typedef struct ss_controller_common {
    double period, delay;
} ss_controller_common;

/* Releases what a setup holds while init runs. */
void ss_setup_finish(ss_setup *setup);

/* Enters coordinates and velocities of a new system into the model's variables (formula.c). */
ss_status ss_model_add_variables(ss_model *model, int system);
/* Finds "y" or "toy.y"; the system is -1 when several have a "y". */
bool ss_model_find_variable(const ss_model *model, const char *name, ss_variable *variable);
/* Finds "y" in one system; sets index and velocity. */
bool ss_system_variable(const ss_system *system, const char *name, ss_variable *variable);
/* "y", by a number among all positions and velocities; "y" and "toy.y" */
ss_name ss_system_variable_at(const ss_system *system, int index);
ss_name ss_system_variable_brief(const ss_system *system, bool velocity, int index);
ss_name ss_system_variable_name(const ss_system *system, bool velocity, int index);

/* Keys that every system, element or law has besides those of its type, and the structs they fill. */
const ss_key *ss_model_keys(ss_type_kind kind);
typedef struct ss_system_common {
    ss_matrix position, velocity;
} ss_system_common;
typedef struct ss_element_common {
    ss_matrix restitution;
} ss_element_common;
typedef struct ss_shape_common {
    ss_text on, material;
    ss_matrix at, rotation;
    double density;
} ss_shape_common;
typedef struct ss_law_common {
    ss_texts restitution;
    double r;
    double rigidity;
} ss_law_common;

/* Contact rules (contact_rule.c): an element whose rows are those of every contact of two materials. */
typedef struct ss_contact_rule {
    ss_texts between;
    int capacity;
    double length;
    ss_matrix direction;
    bool sleep;
} ss_contact_rule;
enum {
    SS_GROUP_GAP,
    SS_GROUP_SLIP,
    SS_GROUP_SPIN,
    SS_GROUP_ROLL,
    SS_GROUP_SLIP_SPIN,
    SS_RULE_GROUPS
};
extern const ss_element_ops ss_contact_rule_ops;
/* NULL: an ordinary element. */
static inline const ss_contact_rule *ss_element_rule(const ss_element *element)
{
    return element->rule;
}

/* Laws that open and close, or change to a known force. */
static inline bool ss_law_opens(const ss_law *law)
{
    return (law->flags & SS_LAW_OPENS) != 0;
}

/* The level that its type and its gaps give it. */
static inline ss_status ss_law_level(const ss_law *law, const ss_law_at *at, ss_level *level)
{
    *level = law->flags & SS_LAW_NEVER_ACTIVE ? SS_LEVEL_IMPRESSED : SS_LEVEL_ACTIVE;
    return ss_law_opens(law) ? law->ops->level(law->object.self, at, level) : SS_OK;
}

/* Reads the restitution of the law that is set up; its coefficients at a place, which must be in [0, 1] (restitution.c). */
ss_status ss_law_set_restitution(ss_setup *setup, const ss_texts *given);
ss_status ss_law_restitution(const ss_model *model, const ss_law *law, const ss_law_at *at,
                             double *epsilon);
/* As ss_setup_compile, but where it jumps or has a kink is no event (formula.c). */
ss_status ss_setup_compile_plain(ss_setup *setup, int count, const ss_node *outputs,
                                 const ss_formula **formula);

/* The set of a law that may act: its constant one, or of those that it declares number `kind`, or the first one if there are fewer.
 * *more is set where there are more than `kind`. */
ss_status ss_law_declared_set(const ss_law *law, double t, int kind, ss_law_set *set, bool *more);

/* Joints and rods: constraints of positions, always closed. */
static inline bool ss_law_is_constraint(const ss_law *law)
{
    return law->kind == SS_GEOMETRIC && law->ops->law_class == SS_LAW_BILATERAL;
}

/* Fails with SS_INPUT at an object, whose name stands in front of the message. */
ss_status ss_refuse_object(const ss_model *model, const ss_object *object, const char *format, ...)
    SS_PRINTF(3, 4);
/* Fails: there is no system of that name, but perhaps one of a name like it. */
ss_status ss_model_no_system(const ss_model *model, const char *owner, ss_location where,
                             const char *name);
/* The system and the frame that "system.frame", or "system", names (shapes.c). */
ss_status ss_model_find_frame(const ss_model *model, const char *owner, ss_location where,
                              const char *name, int *system, int *frame);
/* A frame in a frame (inspect.c). */
void ss_pose_join(const ss_pose *outer, const ss_pose *inner, ss_pose *pose);
/* What shapes add to sealing (shapes.c): their mass, the laws of their rules, and which
 * rule two materials obey. */
ss_status ss_model_weigh_shapes(ss_model *model);
ss_status ss_model_check_rules(ss_model *model);
ss_status ss_model_seal_shapes(ss_model *model);
/* Makes a place for it in the list of its kind, and fills its self and `common` from the arguments. */
ss_status ss_model_begin(ss_model *model, const ss_addition *addition, ss_setup *setup,
                         void **self);
/* Adds a shape, but does not clear up when it fails (shapes.c). */
ss_status ss_model_place_shape(ss_model *model, const char *name, const char *type,
                               const ss_args *args);

#endif
