/* sections.h: the sections of a scene, what each looks like and what it is for. */
#ifndef SS_SCENE_SECTIONS_H
#define SS_SCENE_SECTIONS_H

#include "scene/tree.h"

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
} ss_section;

enum { SS_SECTION_COUNT = 17 };

/* In the order in which a scene is best read. */
const ss_section *ss_section_at(int index);
const ss_section *ss_section_find(const char *name);

/* Whether a section describes the model: parameters and objects. The others say what is done with it. */
bool ss_section_is_model(const ss_section *section);

/* Keys of what has no type of its own: `record`, and each plot, shape and expectation. NULL for the
 * other sections. */
const ss_key *ss_section_keys(const ss_section *section);

/* Fails with the place unless the name of a section is known. */
ss_status ss_section_require(ss_context *context, const char *name, ss_location where,
                             const ss_section **section);
/* Checks what one file says, before anything is made of it: sections, kinds of nodes, names. */
ss_status ss_sections_check(ss_context *context, const ss_tree *root);
/* Fails unless a text may be the name of a thing (`thing` for the message: "system"). */
ss_status ss_scene_check_name(ss_context *context, const char *thing, const char *name,
                              ss_location where);

#endif
