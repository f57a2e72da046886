/* repeat.h: one object of a scene that stands for many.
 *
 * `node: {repeat: {i: 3}, …}` makes node_0, node_1 and node_2. Expressions of the object may use i; in
 * all of its texts {i}, {i+1} … stand for whole numbers.
 */
#ifndef SS_SCENE_REPEAT_H
#define SS_SCENE_REPEAT_H

#include "scene/tree.h"

enum { SS_REPEAT_INDICES = 3 };
#define SS_REPEAT_DOC "Makes many of it: one to three indices and how often each counts, {i: 10}."

typedef ss_status (*ss_repeat_fn)(void *user, const ss_tree_entry *entry);

/* Visits an entry of a section, or each of the copies that it stands for. A copy lives as long as its visit.
 * `thing` is what the section's objects are called in messages: "system". */
ss_status ss_repeat_visit(ss_context *context, const ss_scope *scope, const char *thing,
                          const ss_tree_entry *entry, ss_repeat_fn visit, void *user);
/* A section's map with all copies written out. */
ss_status ss_repeat_write_out(ss_arena *arena, const ss_scope *scope, const char *thing,
                              const ss_tree *map, ss_tree **all);

#endif
