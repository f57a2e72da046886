/* path.h: paths in scenes, relative to the file they stand in. */
#ifndef SS_SCENE_PATH_H
#define SS_SCENE_PATH_H

#include "base/arena.h"

/* The folder of a file with its last slash: "a/" of "a/b.yaml", "" of "b.yaml". */
ss_status ss_path_folder(ss_arena *arena, const char *file, const char **folder);
/* A path as seen from the folder (with its last slash, or ""); absolute paths stay. */
ss_status ss_path_join(ss_arena *arena, const char *folder, const char *path, const char **joined);
/* The absolute path of a folder, with its last slash. */
ss_status ss_path_absolute(ss_arena *arena, const char *folder, const char **absolute);
/* The name of a file without folder and ending: "woodpecker". */
ss_status ss_path_stem(ss_arena *arena, const char *file, const char **stem);

#endif
