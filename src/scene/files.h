/* files.h: a scene file with all it includes. */
#ifndef SS_SCENE_FILES_H
#define SS_SCENE_FILES_H

#include "scene/source.h"
#include "scene/tree.h"

/* How deep files may include files. */
enum { SS_SCENE_DEEPEST_INCLUDE = 16 };

/* The merged tree of a file that was read, and of all files it includes. `alone` refuses
 * includes. Paths of plugins in the tree are relative to the folder of this file. */
ss_status ss_scene_files_merge(ss_arena *arena, const ss_scene_source *source, bool alone,
                               ss_tree **root);

#endif
