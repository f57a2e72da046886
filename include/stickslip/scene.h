/* scene.h: scene files (YAML) → model, solver, scheme, simulation and plots. docs/scene.md describes the format. */
#ifndef STICKSLIP_SCENE_H
#define STICKSLIP_SCENE_H

#include <stickslip/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_scene ss_scene;

/* What the command line adds to a scene. All texts are borrowed during the call. */
typedef struct ss_scene_options {
    int n_parameters;
    const char *const
        *parameters; /* "mu=0.3": replaces a declared parameter; the value is an expression */
    int n_settings;
    const char *const *
        settings; /* "solver.tolerance=1e-8", "systems.toy.position=[0, 1]": replaces or adds a value */
    bool
        self_contained; /* refuse `include` and `plugins`: for texts from strangers; default false */
    bool
        allow_outside; /* files that the scene includes or takes meshes from may be anywhere; default false: in the
                           folder of the scene or below it */
    bool
        allow_plugins; /* load the plugins that the scene names: they run as part of the program; default
                           false: those that were not loaded before (ss_context_load_plugin) are refused */
} ss_scene_options;

/* Loads a scene and its includes, builds and seals the model, makes the simulation. options may be NULL.
 * Paths in a scene are relative to the file they stand in. */
SS_API ss_status ss_scene_load(ss_context *context, const char *path,
                               const ss_scene_options *options, ss_scene **scene);
/* The same from a text; `file` is the name for messages and the base of relative paths. */
SS_API ss_status ss_scene_parse(ss_context *context, const char *file, const char *text,
                                size_t length, const ss_scene_options *options, ss_scene **scene);
/* The same around a sealed model that was built in C: `text` has the sections `simulation`, and `solver`, `scheme`,
 * `record`, `plots`, `drawing`, `expect` as wanted. Borrows the model. ss_scene_text is "": a record of such a
 * scene cannot be resumed. */
SS_API ss_status ss_scene_create(const ss_model *model, const char *file, const char *text,
                                 ss_scene **scene);
/* What the scene in a record shows and expects: its name, description, plots, drawing and expectations. It loads no
 * plugin, opens no file and builds no model: ss_scene_model and ss_scene_simulation are NULL. */
SS_API ss_status ss_scene_of_record(const ss_record *record, ss_scene **scene);
SS_API void ss_scene_destroy(ss_scene *scene); /* scene may be NULL */

/* Adds objects to a model that is not sealed yet, from a text with the sections `parameters`, `systems`, `elements`
 * (with their laws), `forces` and `shapes` of a scene. Expressions may use parameters that are defined already
 * (ss_model_define), objects may name objects that were added before. `file` is the name for messages, which say
 * file:line:column. When it fails the model is as it was before. */
SS_API ss_status ss_model_add_text(ss_model *model, const char *file, const char *text);

SS_API const char *ss_scene_name(const ss_scene *scene); /* `name`, or the file's base name */
SS_API const char *ss_scene_description(const ss_scene *scene); /* may be "" */
SS_API const ss_model *ss_scene_model(const ss_scene *scene);
SS_API ss_simulation *ss_scene_simulation(ss_scene *scene);
/* The scene as one self-contained text with includes, overrides and settings merged in: running it again gives
 * the same motion. Kept in records. */
SS_API const char *ss_scene_text(const ss_scene *scene);
/* The directory that relative paths (plugins) of the merged text refer to. */
SS_API const char *ss_scene_folder(const ss_scene *scene);

/* Steps between two recorded states (`record.every`, default 1). */
SS_API int ss_scene_record_every(const ss_scene *scene);
/* The whole section `record`, with the scene's name and text. The texts are the scene's. */
SS_API ss_recorder_options ss_scene_recorder(const ss_scene *scene);

/* A plot declared in the scene. x and y are expressions of the columns of a record (record.h). */
typedef struct ss_plot {
    const char *name;    /* file name without ending */
    const char *title;   /* may be "" */
    const char *x_label; /* may be "" */
    const char *y_label; /* may be "" */
    const char *x;       /* "t" unless a phase plot */
    int n_y;
    const char *const *y;
    const char *const *exact; /* closed forms of y; NULL: none are given */
    bool modes;               /* a lane of bars with the mode of every law under the curves */
} ss_plot;

SS_API int ss_scene_plot_count(const ss_scene *scene);
SS_API ss_plot ss_scene_plot(const ss_scene *scene, int index);

/* ---- Drawing: how the motion looks ---- */

/* Something that a shape was given: one item or a matrix of them. */
typedef struct ss_drawn_property {
    const char *key;   /* "radius" */
    bool expression;   /* items are expressions of the columns of a record; otherwise words */
    int rows, columns; /* 1 × 1: one item */
    const char *const *items; /* by rows */
} ss_drawn_property;

typedef struct ss_drawn {
    const char *name;
    const char *kind; /* "circle" */
    int n_properties; /* of those that were given */
    const ss_drawn_property *properties;
} ss_drawn;

SS_API int ss_scene_drawn_count(const ss_scene *scene);
SS_API ss_drawn ss_scene_drawn(const ss_scene *scene, int index);

/* ---- Expectations: what is known about the motion from elsewhere ---- */

typedef struct ss_expectation {
    const char *name;
    const char *what;   /* "y at beak.gap closed 2", for people */
    const char *source; /* where the value comes from; may be "" */
    double is;
    double within; /* largest |measured - is| */
} ss_expectation;

SS_API int ss_scene_expectation_count(const ss_scene *scene);
SS_API ss_expectation ss_scene_expectation(const ss_scene *scene, int index);
/* What a record of the scene says; NaN when it never comes to the moment of the expectation. */
SS_API ss_status ss_scene_measure(const ss_scene *scene, int index, ss_record *record,
                                  double *value);

/* A text in YAML, as scenes are written, as JSON: numbers, true, false and null as such, every other value as a text;
 * keys in their order. Includes and `repeat` stay as they stand. `file` is the name for messages. Owned by the caller
 * (ss_release). */
SS_API ss_status ss_yaml_to_json(ss_context *context, const char *file, const char *text,
                                 size_t length, char **json);

/* A reference of all sections, types and keys in Markdown, made from the registered types. Owned by the caller
 * (ss_release). */
SS_API ss_status ss_scene_reference(ss_context *context, char **markdown);

/* The JSON Schema of scene files, made from the registered types and their keys. Owned by the caller
 * (ss_release). */
SS_API ss_status ss_scene_schema(ss_context *context, char **schema);

#ifdef __cplusplus
}
#endif
#endif
