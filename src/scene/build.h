/* build.h: the merged tree → model, solver, scheme and simulation. */
#ifndef SS_SCENE_BUILD_H
#define SS_SCENE_BUILD_H

#include "scene/scene.h"

/* Loads the plugins of a merged tree, whose paths are relative to `folder`. `alone` refuses
 * plugins. */
ss_status ss_build_plugins(ss_arena *arena, const ss_tree *root, const char *folder, bool alone);
/* Fails unless the tree has a section `simulation`. */
ss_status ss_build_require_simulation(ss_context *context, const ss_tree *root);
/* Defines the parameters and adds the objects of a tree. */
ss_status ss_build_objects(const ss_tree *root, ss_model *model);
/* Makes and seals the model of a scene. */
ss_status ss_build_model(const ss_tree *root, ss_model *model);
/* Makes solver, scheme and simulation of scene->model. */
ss_status ss_build_simulation(const ss_tree *root, ss_scene *scene);

#endif
