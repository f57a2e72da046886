/* record.h: what a run leaves behind. HDF5, layout in docs/record.md, readable without stickslip.
 *
 * Columns have names: "t" and "dt" (s); positions and velocities "toy.y", "toy.y'" (and "y",
 * "y'" when only one system has them); of every law "beak.gap.gap" (geometric laws; m),
 * "beak.gap.gamma" (m/s), "beak.gap.P" (N s), "beak.gap.force" (P/dt, N), "beak.gap.mode" (0
 * constraint, ±1 impressed), laws of more rows with ".1", ".2" … behind all but the mode;
 * "energy.kinetic", "energy.potential", "energy.dissipated", "energy.load", "energy.balance"
 * (J); "solver.iterations", "solver.residual", "solver.outcome"; "order".
 */
#ifndef STICKSLIP_RECORD_H
#define STICKSLIP_RECORD_H

#include <stdio.h>

#include <stickslip/simulation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Writing ---- */

typedef struct ss_recorder ss_recorder;

/* Which contacts of shapes are recorded. */
typedef enum ss_record_contacts {
    SS_RECORD_ALL_CONTACTS,
    SS_RECORD_CLOSED_CONTACTS, /* those whose normal law is in constraint mode */
    SS_RECORD_NO_CONTACTS
} ss_record_contacts;

/* All texts are copied. */
typedef struct ss_recorder_options {
    int every; /* steps between two recorded states; default 1, range 1 … 1e9. The first and the
                               last state are always recorded, and so are all events. */
    const char *scene_name; /* kept in the record; default "" */
    const char *scene_text; /* the merged scene, so that the record can be run again; default "" */
    const char *scene_folder; /* what relative paths in scene_text refer to; default "" */
    const char *display; /* JSON: what a page shows of the motion (docs/record.md); default "" */
    ss_record_contacts contacts; /* contacts of shapes in recorded states; default all */
    double
        flush; /* longest time by the clock between two commits of the record to the disk, s; 0 or default: 10 */
    int contacts_every; /* recorded states from one with contacts to the next; 0 or 1: all have them; … 1e9 */
} ss_recorder_options;

SS_API ss_recorder_options ss_default_recorder(void);

/* Creates the file under a temporary name beside `path` (path.part-NUMBER); ss_recorder_close gives
 * it its name, so that a half-written record never replaces a whole one. options may be NULL. */
SS_API ss_status ss_recorder_create(ss_simulation *simulation, const char *path,
                                    const ss_recorder_options *options, ss_recorder **recorder);
/* Continues the record `from`: restores the simulation's state from its checkpoint and takes
 * over what is recorded. The result goes to `to` (NULL: `from` itself, replaced when the
 * recorder is closed) and has the same bytes in its datasets as if the run had never been
 * interrupted. Of the options, which may be NULL, the texts replace those of the record where
 * they are not ""; `every` and what is said of contacts stay what they were. */
SS_API ss_status ss_recorder_resume(ss_simulation *simulation, const char *from, const char *to,
                                    const ss_recorder_options *options, ss_recorder **recorder);
/* An ss_observe_fn with the recorder as user. Must see every step. */
SS_API ss_status ss_recorder_observe(void *recorder, ss_simulation *simulation,
                                     const ss_step *step);
/* Keeps a sentence in the record: why the run ended early. */
SS_API ss_status ss_recorder_set_note(ss_recorder *recorder, const char *note);
/* Writes what is buffered and the checkpoint (the whole state), closes the file and gives it its
 * name, also after a run that failed or was stopped. Frees the recorder whatever happens. NULL:
 * does nothing. */
SS_API ss_status ss_recorder_close(ss_recorder *recorder);
/* Ends a recorder without leaving a record. NULL: does nothing. */
SS_API void ss_recorder_discard(ss_recorder *recorder);
/* Makes a record `to` of what a run that was killed, or that goes on, has left in its part file. The part file stays. */
SS_API ss_status ss_record_recover(ss_context *context, const char *part, const char *to);

/* ---- Reading ---- */

typedef struct ss_record ss_record;

SS_API ss_status ss_record_open(ss_context *context, const char *path, ss_record **record);
SS_API void ss_record_close(ss_record *record);

SS_API size_t ss_record_length(const ss_record *record); /* recorded states */
/* Columns in their order: t, dt, the positions, the velocities, the laws, the energies, the
 * solver. */
SS_API size_t ss_record_column_count(const ss_record *record);
SS_API size_t ss_record_position_count(const ss_record *record);
SS_API size_t ss_record_velocity_count(const ss_record *record);
SS_API const char *ss_record_column_name(const ss_record *record, size_t column);
/* "s", "J", "" for pure numbers; "m or rad" where the record cannot know. */
SS_API const char *ss_record_column_unit(const ss_record *record, size_t column);
/* Finds a column by its name or by a short name ("y"); false when there is none. */
SS_API bool ss_record_find_column(const ss_record *record, const char *name, size_t *column);
/* Values of an expression of columns and of the scene's parameters ("beak.gap.force",
 * "abs(y')"); `values` has ss_record_length() elements. */
SS_API ss_status ss_record_evaluate(ss_record *record, const ss_text *expression, double *values);
/* All columns of one recorded state; `values` has ss_record_column_count() elements. */
SS_API ss_status ss_record_row(ss_record *record, size_t row, double *values);
/* All columns of `count` recorded states from `first` on, one state behind the other: the fast way through a record
 * with many columns. `values` has count × ss_record_column_count() elements. */
SS_API ss_status ss_record_states(ss_record *record, size_t first, size_t count, double *values);

/* A switch of a law: S6.2.1. */
typedef struct ss_record_event {
    double t;              /* end of the step in which it was seen, s */
    int index;             /* of the law */
    const char *law;       /* "beak.gap" */
    const char *from, *to; /* "open", "closed" */
    bool constraint;       /* whether it switched to constraint mode */
    double P;              /* magnitude of the law's impulse in that step, N s */
} ss_record_event;

SS_API size_t ss_record_event_count(const ss_record *record);
SS_API ss_record_event ss_record_event_at(const ss_record *record, size_t index);

/* Contacts of shapes in a recorded state: how many, -1 when they were not recorded (contacts_every, or the whole
 * record has none), and themselves: `contacts` has space for that many. Forces are P divided by the state's dt. */
SS_API bool ss_record_has_contacts(const ss_record *record);
SS_API int ss_record_contact_count(const ss_record *record, size_t row);
SS_API ss_status ss_record_read_contacts(ss_record *record, size_t row, ss_contact *contacts);

/* Shapes as the model has them. The texts live as long as the record. */
typedef struct ss_recorded_shape {
    const char *name, *type, *material;
    const char *system; /* that carries it, "ball", or its frame, "arm.hand"; "": fixed in space */
    double position[3], rotation[4]; /* in that frame: m, Euler parameters e0 … e3 */
    double radius;                   /* of a sphere, m; else 0 */
    int mesh;                        /* shapes that look the same share one; -1: none */
} ss_recorded_shape;

SS_API int ss_record_shape_count(const ss_record *record);
SS_API ss_recorded_shape ss_record_shape(const ss_record *record, int shape);
SS_API int ss_record_mesh_count(const ss_record *record);
/* Owned by the record. */
SS_API ss_triangles ss_record_mesh(const ss_record *record, int mesh);
/* The name of an element, as ss_contact has its number. */
SS_API int ss_record_element_count(const ss_record *record);
SS_API const char *ss_record_element_name(const ss_record *record, int element);

/* Laws as the model has them. The texts live as long as the record. */
SS_API int ss_record_law_count(const ss_record *record);
SS_API ss_law_info ss_record_law(const ss_record *record, int law);
/* The scene's parameters. */
SS_API int ss_record_parameter_count(const ss_record *record);
SS_API const char *ss_record_parameter_name(const ss_record *record, int index);
SS_API double ss_record_parameter_value(const ss_record *record, int index);

/* Gives the context of the record what its run depended on: files that the scene names are then those of the record,
 * whether they are there, have changed or not; a plugin that is another one is told to the log. */
SS_API ss_status ss_record_provide(ss_record *record);

SS_API const char *ss_record_scene_name(const ss_record *record);
SS_API const char *ss_record_scene_text(const ss_record *record);
SS_API const char *ss_record_scene_folder(const ss_record *record);
SS_API const char *ss_record_version(const ss_record *record); /* of stickslip that wrote it */
SS_API const char *ss_record_note(const ss_record *record);    /* "" when there is none */
/* Part of the largest sum of all energies. */
#define SS_ENERGY_BOUND 0.01

typedef struct ss_verdict {
    unsigned doubts; /* of ss_doubt; 0: trusted */
    const char
        *text; /* what is said of them, and what was not examined; lives as long as the record */
} ss_verdict;

SS_API ss_verdict ss_record_verdict(const ss_record *record);
/* Doubts that the scene allows: simulation.allow. */
SS_API unsigned ss_record_allowed(const ss_record *record);
/* Whether the run had reached its end when the record was closed. */
SS_API bool ss_record_finished(const ss_record *record);
SS_API int ss_record_every(const ss_record *record);
SS_API ss_statistics ss_record_statistics(const ss_record *record);

/* Comma-separated values (RFC 4180, lines end with \n) with a header line and 17 significant
 * digits: the given expressions, or all columns when count is 0. */
SS_API ss_status ss_record_write_csv(ss_record *record, int count, const char *const *expressions,
                                     FILE *stream);
/* All columns into a file. */
SS_API ss_status ss_record_export_csv(ss_record *record, const char *path);

/* Whether an expression can be evaluated on records of this model: for checking plots when a
 * scene is loaded. */
SS_API ss_status ss_record_check_expression(const ss_model *model, const ss_text *expression);

#ifdef __cplusplus
}
#endif
#endif
