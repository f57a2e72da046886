/* options.h: one table of keys for each type serves scene files, the command line, C programs, help and
 * documentation. A type declares where each option lives in its own struct; arguments given by name are
 * checked against the table and stored there.
 */
#ifndef STICKSLIP_OPTIONS_H
#define STICKSLIP_OPTIONS_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of text with its place, e.g. an expression in a scene file. Owned by whoever gave it. */
typedef struct ss_text {
    const char *text; /* NULL: not given */
    ss_location where;
} ss_text;

/* What an option's field holds. Numbers may be given as expressions of the parameters. */
typedef enum ss_key_kind {
    SS_KEY_REAL,        /* double; NAN where it is SS_AUTO */
    SS_KEY_INT,         /* int */
    SS_KEY_BOOL,        /* bool */
    SS_KEY_CHOICE,      /* int, or an enum of its size: index into `choices` */
    SS_KEY_TEXT,        /* ss_text: a word, a path, a name, taken as it stands */
    SS_KEY_EXPRESSION,  /* ss_text: an expression, compiled by the type itself */
    SS_KEY_REALS,       /* ss_matrix with one column (a single number is a list of one) */
    SS_KEY_MATRIX,      /* ss_matrix */
    SS_KEY_TEXTS,       /* ss_texts with one column */
    SS_KEY_EXPRESSIONS, /* ss_texts: a list, or rows of a matrix */
    SS_KEY_SET,         /* ss_set_spec: a set with its parameters; valid while init runs */
    SS_KEY_SETS,        /* ss_set_specs: a list of them */
    SS_KEY_OBJECTS,     /* ss_objects: things by name, each with keys of its own (`keys`) */
} ss_key_kind;

/* The default value of a real key whose type chooses it, from sizes of the scene; may be given, too. */
#define SS_AUTO "auto"

/* Numbers by rows: values[row * columns + column]. rows = 0: not given. */
typedef struct ss_matrix {
    int rows;
    int columns;
    const double *values;
} ss_matrix;

/* Texts by rows, as ss_matrix. */
typedef struct ss_texts {
    int rows;
    int columns;
    const ss_text *items;
} ss_texts;

typedef struct ss_args ss_args;
typedef struct ss_scope ss_scope;

/* A set as it was asked for: ss_set_create_from makes it. */
typedef struct ss_set_spec {
    ss_text name;          /* "disk", or "disk 2" with its dimension; NULL: not given */
    const ss_args *args;   /* its parameters; NULL: none */
    const ss_scope *scope; /* names that they may use */
} ss_set_spec;

typedef struct ss_set_specs {
    int rows; /* 0: not given */
    const ss_set_spec *items;
} ss_set_specs;
/* Things by name, in the order in which they were given: the links of a tree. */
typedef struct ss_object_given {
    ss_text name;
    void *self; /* the struct that the key's `keys` fill */
} ss_object_given;

typedef struct ss_objects {
    int count; /* 0: not given */
    const ss_object_given *items;
} ss_objects;

/* One option of a type. A table of keys ends with a key whose name is NULL. */
typedef struct ss_key {
    const char *name;
    ss_key_kind kind;
    size_t offset; /* offsetof(struct, field) */
    const char
        *default_value; /* default, as it would be written; NULL: must be given; "": stays zero */
    double min,
        max; /* range of numbers, bounds included; min = max = 0: any finite number; min = DBL_MIN:
                             positive; -INFINITY and INFINITY: any number, infinite ones included */
    const char *choices; /* SS_KEY_CHOICE: "first|second|third" */
    const char *unit;    /* "m", "N s", "" */
    const char *doc;     /* one sentence */
    /* Where the key does something: "laws=displacement|mixed", "beta=0", "order>0", "order!=1", or "turn" where that key
     * is given. The other key is one of the same table. Elsewhere giving this one is an error. NULL: everywhere. */
    const char *when;
    const struct ss_key *keys; /* SS_KEY_OBJECTS: the keys of each thing, */
    size_t size;               /* and the bytes of the struct they fill */
} ss_key;

/* The number of the binary interface. A type is accepted when its number is the library's. Within one number ops
 * structs only grow at their end; members that a type was built without read as zero. */
#define SS_ABI 2

/* Flags of a type. */
typedef enum ss_type_flags {
    SS_TYPE_SERIAL =
        1, /* its functions may not run on worker threads: an interpreter, global state */
} ss_type_flags;

/* What every type begins with, whatever its kind. Each ops struct has it as first member.
 *
 * A type with data of its own, beside the parameters of each object, gives it as `user`. The library stores the
 * pointer in `self` before the keys are filled, at `user_offset`: `self` reaches every function, and so does the
 * pointer, whatever the function. What changes in the course of a motion does not belong there but in the state. */
typedef struct ss_type {
    int abi;          /* SS_ABI */
    size_t size;      /* sizeof the ops struct that the type was built with */
    const char *name; /* as in scene files: "disk" */
    const char *doc;  /* one sentence, shown by `stickslip list` */
    size_t
        self_size; /* bytes of the struct that `keys` fill, `self` of the functions; zeroed first */
    const ss_key *keys; /* NULL: no options */
    unsigned flags;     /* ss_type_flags */
    void *user;         /* NULL: none */
    size_t user_offset; /* offsetof(struct, field) of a `void *` in self, when there is a user */
    void (*release)(
        void *user); /* called once when the context is destroyed; NULL: nothing to do */
} ss_type;

typedef enum ss_type_kind {
    SS_TYPE_SET,
    SS_TYPE_SOLVER,
    SS_TYPE_SYSTEM,
    SS_TYPE_ELEMENT,
    SS_TYPE_LAW,
    SS_TYPE_FORCE,
    SS_TYPE_SHAPE,
    SS_TYPE_SCHEME,
    SS_TYPE_SIMULATION,
    SS_TYPE_CONTROLLER,
    SS_TYPE_KINDS
} ss_type_kind;

/* "set", "solver", … */
SS_API const char *ss_type_kind_name(ss_type_kind kind);
/* Registered types in the order of registration; NULL past the end. */
SS_API const ss_type *ss_type_at(const ss_context *context, ss_type_kind kind, size_t index);
/* The type of a name, or a message that lists what there is. */
SS_API ss_status ss_type_find(ss_context *context, ss_type_kind kind, const char *name,
                              ss_location where, const ss_type **type);

/* Arguments by name, to be matched with a table of keys. */
SS_API ss_status ss_args_create(ss_context *context, ss_args **args);
SS_API void ss_args_destroy(ss_args *args);

/* Each call gives (or replaces) one argument; everything is copied. */
SS_API ss_status ss_args_set_real(ss_args *args, const char *key, double value);
SS_API ss_status ss_args_set_reals(ss_args *args, const char *key, int count, const double *values);
SS_API ss_status ss_args_set_matrix(ss_args *args, const char *key, int rows, int columns,
                                    const double *values);
/* Text: a word, or an expression where a number or an expression is wanted. */
SS_API ss_status ss_args_set_text(ss_args *args, const char *key, const char *text);
/* The same with places: where the key stands, and each text. rows × columns texts by rows; a list is n × 1,
 * a single text 0 × 0 (one item). */
SS_API ss_status ss_args_set_texts(ss_args *args, const char *key, ss_location where, int rows,
                                   int columns, const ss_text *items);
/* A set with parameters, or a list of sets (count 0: one, not a list). `args` of the items are copied, too; their
 * `scope` is not looked at. */
SS_API ss_status ss_args_set_sets(ss_args *args, const char *key, ss_location where, int count,
                                  const ss_set_spec *items);
/* Adds a thing to an argument of kind SS_KEY_OBJECTS; its own arguments go into *object, which belongs to `args`. */
SS_API ss_status ss_args_add_object(ss_args *args, const char *key, const char *name,
                                    ss_location where, ss_args **object);
/* Where the arguments as a whole stand: named when a key is missing. */
SS_API void ss_args_set_location(ss_args *args, ss_location where);

/* A list of named numbers that expressions may use. */

SS_API ss_status ss_scope_create(ss_context *context, ss_scope **scope);
SS_API void ss_scope_destroy(ss_scope *scope);
/* Adds or replaces a named number. */
SS_API ss_status ss_scope_define(ss_scope *scope, const char *name, double value);
SS_API bool ss_scope_find(const ss_scope *scope, const char *name, double *value);
SS_API size_t ss_scope_count(const ss_scope *scope);
/* Names in the order they were defined; index < ss_scope_count(). */
SS_API const char *ss_scope_name(const ss_scope *scope, size_t index);
SS_API double ss_scope_value(const ss_scope *scope, size_t index);

#ifdef __cplusplus
}
#endif
#endif
