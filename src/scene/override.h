/* override.h: what the command line changes in a scene: parameters (mu=0.3) and settings
 * (solver.tolerance=1e-8). */
#ifndef SS_SCENE_OVERRIDE_H
#define SS_SCENE_OVERRIDE_H

#include "scene/tree.h"

#include <stickslip/scene.h>

/* Changes the merged tree. Messages call the place "command line". */
ss_status ss_override_apply(ss_arena *arena, const ss_scene_options *options, ss_tree *root);

#endif
