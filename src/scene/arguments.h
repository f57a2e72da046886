/* arguments.h: a map of a scene → arguments for a table of keys. */
#ifndef SS_SCENE_ARGUMENTS_H
#define SS_SCENE_ARGUMENTS_H

#include "scene/tree.h"

/* What the arguments are made of. */
typedef struct ss_arguments_source {
    const ss_tree *map;
    ss_location where;       /* of the object */
    const char *owner;       /* "system 'toy'", for messages */
    const ss_key *tables[2]; /* keys it may have, NULL: none; they tell words from expressions */
    const char *skip[3];     /* keys that are no arguments: "type", "laws"; may be NULL */
} ss_arguments_source;

/* The caller destroys the arguments. */
ss_status ss_arguments_create(ss_context *context, const ss_arguments_source *source,
                              ss_args **args);

#endif
