/* emit.h: tree → YAML text. */
#ifndef SS_SCENE_EMIT_H
#define SS_SCENE_EMIT_H

#include "scene/tree.h"

/* The tree as YAML that gives the same tree when parsed. The caller releases the text. */
ss_status ss_emit(ss_context *context, const ss_tree *root, char **text);

#endif
