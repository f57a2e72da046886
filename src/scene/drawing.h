/* drawing.h: the section `drawing`: how the motion looks. */
#ifndef SS_SCENE_DRAWING_H
#define SS_SCENE_DRAWING_H

#include "scene/tree.h"

#include <stickslip/scene.h>

const ss_key *ss_drawing_keys(void);

/* Reads one shape and checks its expressions; texts are copied to the arena. */
ss_status ss_drawing_read_shape(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                                ss_drawn *shape);

#endif
