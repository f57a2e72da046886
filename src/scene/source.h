/* source.h: the text of a scene file, clean: UTF-8 without byte order mark and control
 * characters, lines that end with a line feed.
 */
#ifndef SS_SCENE_SOURCE_H
#define SS_SCENE_SOURCE_H

#include "base/arena.h"

typedef struct ss_scene_source {
    const char *file; /* name for messages, kept by the context */
    const char *text;
    size_t length;
} ss_scene_source;

/* Largest scene file in bytes: space for some ten thousand objects. The YAML parser may need 400
 * times as much. */
enum { SS_SCENE_LARGEST_FILE = 4 * 1024 * 1024 };

/* Reads a file. `from` is the place that asked for it (line 0: nobody). */
ss_status ss_scene_source_read(ss_arena *arena, const char *path, ss_location from,
                               ss_scene_source *source);
/* Whether a text is UTF-8 without control characters other than tab and line feed. */
bool ss_scene_source_is_clean(const char *text, size_t length);
/* Cleans a text and makes it known to the context, so that messages can show its lines. */
ss_status ss_scene_source_take(ss_arena *arena, const char *file, const char *text, size_t length,
                               ss_scene_source *source);

#endif
