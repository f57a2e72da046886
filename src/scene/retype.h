/* retype.h: what is left of a section that is given another type. */
#ifndef SS_SCENE_RETYPE_H
#define SS_SCENE_RETYPE_H

#include "scene/sections.h"

/* Whether an entry of a section stays when the section's type becomes `type` (an entry, or NULL: no
 * change): of another type only the keys that all types have. */
bool ss_retype_keeps(const ss_section *section, const ss_tree *before, const ss_tree_entry *type,
                     const ss_tree_entry *entry);

#endif
