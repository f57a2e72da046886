/* display.h: what is shown of a motion, for a reader that does not know scenes: a page in a browser. */
#ifndef SS_SCENE_DISPLAY_H
#define SS_SCENE_DISPLAY_H

#include "scene/scene.h"

/* The description, drawing, plots and expectations of a scene as JSON (docs/record.md); release it. */
ss_status ss_display_write(const ss_scene *scene, char **text);

#endif
