/* text.h: texts that are a part of a scene: the objects of a model, or what is done with one. */
#ifndef SS_SCENE_TEXT_H
#define SS_SCENE_TEXT_H

#include "scene/source.h"
#include "scene/tree.h"

typedef enum ss_text_part {
    SS_TEXT_MODEL,      /* parameters, systems, elements, forces, shapes */
    SS_TEXT_SIMULATION, /* solver, scheme, simulation, record, plots … */
} ss_text_part;

/* The tree of a text; sections of another part are refused, and so are `include` and `plugins`. */
ss_status ss_scene_text_parse(ss_arena *arena, const ss_scene_source *source, ss_text_part part,
                              ss_tree **root);

#endif
