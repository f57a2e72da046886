/* scene.h: inside of a scene. */
#ifndef SS_SCENE_SCENE_H
#define SS_SCENE_SCENE_H

#include "scene/output.h"

struct ss_scene {
    ss_context *context;
    ss_arena arena;
    const char *name, *description, *folder;
    char *text, *display; /* owned */
    const ss_model *model;
    ss_model *own_model; /* the same, made by the scene; NULL: borrowed */
    ss_solver *solver;
    ss_scheme *scheme;
    ss_simulation *simulation;
    ss_output output;
};

#endif
