/* merge.h: a scene file and the files it includes become one tree. */
#ifndef SS_SCENE_MERGE_H
#define SS_SCENE_MERGE_H

#include "scene/tree.h"

/* What one file says and where its relative paths point, as seen from the folder of the first
 * file ("" or with its last slash). */
typedef struct ss_merge_file {
    const ss_tree *root;
    const char *folder;
} ss_merge_file;

/* Parameters and options of `own` win over included ones and take their places; names of objects
 * must differ. `included` is a list of trees merged before. The result has no `include`. */
ss_status ss_merge(ss_arena *arena, const ss_merge_file *own, const ss_tree *included,
                   ss_tree **merged);

#endif
