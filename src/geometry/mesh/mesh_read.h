/* mesh_read.h: words and numbers of the texts that meshes come in. */
#ifndef SS_GEOMETRY_MESH_MESH_READ_H
#define SS_GEOMETRY_MESH_MESH_READ_H

#include "geometry/mesh/mesh.h"

typedef struct ss_mesh_text {
    const char *at, *end;
    const char *line_start;
    ss_location where; /* line of `at` */
    ss_context *context;
} ss_mesh_text;

typedef struct ss_word {
    const char *begin;
    size_t length;
    ss_location where;
} ss_word;

/* The next word, past ends of lines only if `lines`; false: there is none. */
bool ss_mesh_word(ss_mesh_text *text, bool lines, ss_word *word);
bool ss_word_is(const ss_word *word, const char *text);
void ss_mesh_skip_line(ss_mesh_text *text);
/* A finite number of a word, in any locale. */
bool ss_word_number(const ss_word *word, double *number);
/* Three numbers; `what` they are is for messages. */
ss_status ss_mesh_numbers(ss_mesh_text *text, bool lines, const char *what, double numbers[3]);

#endif
