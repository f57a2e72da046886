/* bind.h: keys of things without a type: `record`, plots, shapes, expectations. */
#ifndef SS_SCENE_BIND_H
#define SS_SCENE_BIND_H

#include "scene/tree.h"

#include <stickslip/model.h>

/* Fills the struct that the keys refer to from a map of the scene. owner: "plot 'phase'", for
 * messages. */
ss_status ss_scene_bind(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                        const char *owner, const ss_key *keys, void *options);

#endif
