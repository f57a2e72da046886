/* parameters.h: the section `parameters`. */
#ifndef SS_SCENE_PARAMETERS_H
#define SS_SCENE_PARAMETERS_H

#include "scene/tree.h"

#include <stickslip/model.h>

/* Evaluates the parameters in their order and defines them in the model. map may be NULL. */
ss_status ss_parameters_define(const ss_tree *map, ss_model *model);

#endif
