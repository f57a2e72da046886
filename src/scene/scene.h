/* scene.h: inside of a scene: its sections, and what becomes of them. */
#ifndef SS_SCENE_SCENE_H
#define SS_SCENE_SCENE_H

#include "record/record.h"
#include "scene/tree.h"

#include <stickslip/scene.h>

/* ---- Sections ---- */

/* The format of scene files that this program reads. It changes when a scene of the old format would mean something else or
 * nothing. */
enum { SS_SCENE_FORMAT = 1 };

typedef enum ss_section_shape {
    SS_SECTION_FORMAT,  /* SS_SCENE_FORMAT */
    SS_SECTION_TEXT,    /* one text */
    SS_SECTION_PATHS,   /* a list of paths (or one) */
    SS_SECTION_NUMBERS, /* names and expressions */
    SS_SECTION_OBJECTS, /* names and maps of keys */
    SS_SECTION_OPTIONS, /* a map of keys */
} ss_section_shape;

typedef struct ss_section {
    const char *name;
    ss_section_shape shape;
    int type; /* ss_type_kind of its objects or of the section itself; -1: it has no types */
    const char *default_value; /* type when none is given; NULL: it must be given */
    const char *thing;         /* "system": what its objects are called in messages */
    const char *doc;           /* one sentence */
    const ss_key
        *keys; /* of what has no type: `record`, each plot, figure and expectation; else NULL */
} ss_section;

enum { SS_SECTION_COUNT = 20 };

/* In the order in which a scene is best read. */
extern const ss_section ss_sections[SS_SECTION_COUNT];
const ss_section *ss_section_find(const char *name);
/* Fails with the place unless the name of a section is known. */
ss_status ss_section_require(ss_context *context, const char *name, ss_location where,
                             const ss_section **section);
/* Checks what one file says, before anything is made of it: sections, kinds of nodes, names. */
ss_status ss_sections_check(ss_context *context, const ss_tree *root);

/* ---- Files → one tree ---- */

/* The merged tree of a file that was read, and of all files it includes. The options
 * say which includes are allowed. Paths of plugins in the tree are relative to the folder of this file. */
ss_status ss_scene_files_merge(ss_arena *arena, const ss_scene_source *source,
                               const ss_scene_options *options, ss_tree **root);

/* What one file says and where its relative paths point, as seen from the folder of the first
 * file. */
typedef struct ss_merge_file {
    const ss_tree *root;
    const char *folder;
} ss_merge_file;

/* Parameters and options of `own` win over included ones and take their places; names of objects
 * must differ. `included` is a list of trees merged before. The result has no `include`. */
ss_status ss_merge(ss_arena *arena, const ss_merge_file *own, const ss_tree *included,
                   ss_tree **merged);
/* Whether an entry of a section stays when the section's type becomes `type` (an entry, or NULL: no
 * change): of another type only the keys that all types have. */
bool ss_retype_keeps(const ss_section *section, const ss_tree *before, const ss_tree_entry *type,
                     const ss_tree_entry *entry);
/* What the command line changes in a merged tree: parameters (mu=0.3) and settings
 * (solver.tolerance=1e-8). Messages call the place "command line". */
ss_status ss_override_apply(ss_arena *arena, const ss_scene_options *options, ss_tree *root);

/* ---- Objects ---- */

/* Evaluates the parameters in their order and defines them in the model. map may be NULL. */
ss_status ss_parameters_define(const ss_tree *map, ss_model *model);

/* `node: {repeat: {i: 3}, …}` makes node_0, node_1 and node_2. Expressions of the object may use i; in
 * all of its texts {i}, {i+1} … stand for whole numbers. */
#define SS_REPEAT_DOC "Makes many of it: one to three indices and how often each counts, {i: 10}."

typedef ss_status (*ss_repeat_fn)(void *user, const ss_tree_entry *entry);
/* Visits every object of a section, those with `repeat` once for each of the copies that they stand
 * for. A copy lives as long as its visit. */
ss_status ss_repeat_visit(ss_context *context, const ss_tree *root, const char *section,
                          const ss_scope *scope, ss_repeat_fn visit, void *user);

/* Fills the struct that the keys refer to from a map of the scene: things without a type, `record`,
 * plots, shapes, expectations. owner: "plot 'phase'", for messages. */
ss_status ss_scene_bind(ss_arena *arena, const ss_tree_entry *entry, const ss_scope *scope,
                        const char *owner, const ss_key *keys, void *options);

/* Loads the plugins of a merged tree, whose paths are relative to `folder`, if the options allow it; else they must
 * have been loaded before. */
ss_status ss_build_plugins(ss_arena *arena, const ss_tree *root, const char *folder,
                           const ss_scene_options *options);
/* Fails unless the tree has a section `simulation`. */
ss_status ss_build_require_simulation(ss_context *context, const ss_tree *root);
/* Defines the parameters and adds the objects of a tree. */
ss_status ss_build_objects(const ss_tree *root, ss_model *model);
/* Makes and seals the model of a scene. */
ss_status ss_build_model(const ss_tree *root, ss_model *model);
/* Makes solver, scheme and simulation of scene->model. */
ss_status ss_build_simulation(const ss_tree *root, ss_scene *scene);
/* Warns of contacts that penetrate and constraints that do not hold where the scene starts. */
ss_status ss_scene_check_start(const ss_scene *scene);

/* ---- What a run leaves behind, how it looks and what it should be ---- */

/* The n-th switch of a law to one of its modes. */
typedef struct ss_expect_event {
    int law; /* -1: no event */
    bool constraint;
    int number; /* from 1 */
} ss_expect_event;

/* A value of the motion that is known from elsewhere. */
typedef struct ss_expect {
    ss_expectation face;
    ss_text value; /* text NULL: the order of switches counts */
    double at;     /* s; beyond the end: the end */
    int over;      /* 0 at one moment, 1 least, 2 largest of all */
    ss_expect_event event, since;
    int n_order;
    const ss_expect_event *order;
} ss_expect;

/* The sections `record`, `plots`, `drawing` and `expect`. */
typedef struct ss_output {
    int every; /* steps between two recorded states */
    ss_record_contacts contacts;
    int contacts_every;
    double flush; /* s */
    int n_plots;
    ss_plot *plots;
    int n_shapes;
    ss_drawn *shapes;
    int n_expectations;
    ss_expect *expectations;
} ss_output;

extern const ss_key ss_record_keys[], ss_plot_keys[], ss_drawing_keys[], ss_expect_keys[];

/* What these sections may name: that of a model, or of a record, which needs no model. */
typedef struct ss_output_names {
    const ss_scope *scope; /* parameters */
    const ss_layout *layout;
    const ss_columns *columns;
} ss_output_names;

/* Reads the sections; texts are copied to the arena. */
ss_status ss_output_read(ss_arena *arena, const ss_tree *root, const ss_output_names *names,
                         ss_output *output);
/* Reads one shape (ss_drawn) and checks its expressions; texts are copied to the arena. */
ss_status ss_drawing_read_shape(ss_arena *arena, const ss_tree_entry *entry,
                                const ss_output_names *names, void *shape);
/* Checks an expression of columns. */
ss_status ss_output_check(ss_context *context, const ss_output_names *names, const ss_text *text);
/* The index of a law. */
ss_status ss_output_law(ss_context *context, const ss_output_names *names, const ss_text *name,
                        const char *owner, int *index);
/* What is shown of a motion, for a reader that does not know scenes, a page in a browser: the
 * description, drawing, plots and expectations as JSON (docs/record.md); release it. */
ss_status ss_display_write(const ss_scene *scene, char **text);

struct ss_scene {
    ss_context *context;
    ss_arena arena;
    const char *name, *description, *folder;
    char *text, *display; /* owned */
    const ss_model *model;
    ss_model *own_model; /* the same, made by the scene; NULL: borrowed */
    ss_solver *solver;
    ss_scheme *scheme;
    ss_simulation *simulation;
    ss_output output;
};

#endif
