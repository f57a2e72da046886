/* yaml.h: YAML text → tree, with libfyaml. */
#ifndef SS_SCENE_YAML_H
#define SS_SCENE_YAML_H

#include "scene/source.h"
#include "scene/tree.h"

/* Deepest nesting of lists and maps. */
enum { SS_YAML_DEEPEST = 32 };

/* The tree of a source's one document; an empty document gives an empty text. The text that
 * counts begins at `first` (a value on the command line stands behind its name), and the places
 * refer to the whole source. */
ss_status ss_yaml_parse(ss_arena *arena, const ss_scene_source *source, size_t first,
                        ss_tree **root);

#endif
