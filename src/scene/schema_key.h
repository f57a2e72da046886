/* schema_key.h: the JSON Schema of the value of one key. */
#ifndef SS_SCENE_SCHEMA_KEY_H
#define SS_SCENE_SCHEMA_KEY_H

#include "scene/json.h"

#include <stickslip/options.h>

void ss_schema_key(ss_json *json, const ss_key *key);

#endif
