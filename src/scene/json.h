/* json.h: JSON with indentation. */
#ifndef SS_SCENE_JSON_H
#define SS_SCENE_JSON_H

#include "scene/writer.h"

typedef struct ss_json {
    ss_writer *writer;
    int depth;
    bool first; /* nothing yet in the innermost object or list */
} ss_json;

/* Members of an object have a key, items of a list have NULL. */
void ss_json_open(ss_json *json, const char *key, char bracket); /* '{' or '[' */
void ss_json_close(ss_json *json, char bracket);                 /* '}' or ']' */
void ss_json_text(ss_json *json, const char *key, const char *text);
/* A number, true, false or anything else that is JSON as it stands. */
void ss_json_raw(ss_json *json, const char *key, const char *raw);
void ss_json_number(ss_json *json, const char *key, double value);

#endif
