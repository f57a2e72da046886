/* lookup.h: things of the model by the names that a scene gives them. */
#ifndef SS_SCENE_LOOKUP_H
#define SS_SCENE_LOOKUP_H

#include <stickslip/model.h>

/* owner: "shape 'ball'", for messages, which stand at `where` and say what is near. */
ss_status ss_lookup_law(const ss_model *model, const char *name, ss_location where,
                        const char *owner, int *law);
ss_status ss_lookup_system(const ss_model *model, const char *name, ss_location where,
                           const char *owner, int *system);

#endif
