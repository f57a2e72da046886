/* mesh_obj.c: points (v) and faces (f) of Wavefront's OBJ files; all else is looks, and left out. */
#include "geometry/mesh/mesh_read.h"

#include <math.h>
#include <string.h>

/* The point of a corner "7", "7/1/3" or "-1" (the last point so far). */
static ss_status corner(const ss_mesh_source *source, const ss_word *word, int *point)
{
    const char *slash = memchr(word->begin, '/', word->length);
    ss_word first = {word->begin, slash ? (size_t)(slash - word->begin) : word->length,
                     word->where};
    double number, count = (double)source->n_points;
    if (!ss_word_number(&first, &number) || number == 0 || number != floor(number) ||
        number > count || number < -count)
        return ss_fail_at(source->context, SS_INPUT, word->where,
                          "'%.*s' is no point; there are %zu so far, counted from 1",
                          word->length < 40 ? (int)word->length : 40, word->begin,
                          source->n_points);
    *point = (int)(number > 0 ? number - 1 : count + number);
    return SS_OK;
}

/* Polygons become fans around their first corner. */
static ss_status face(ss_mesh_source *source, ss_mesh_text *text)
{
    int corners[3] = {0}, n = 0;
    ss_word word;
    ss_location where = text->where;
    while (ss_mesh_word(text, false, &word)) {
        SS_TRY(corner(source, &word, &corners[n < 2 ? n : 2]));
        if (++n < 3)
            continue;
        SS_TRY(ss_mesh_source_triangle(source, corners[0], corners[1], corners[2]));
        corners[1] = corners[2];
    }
    if (n < 3)
        return ss_fail_at(source->context, SS_INPUT, where, "a face has %d corners; give 3 or more",
                          n);
    return SS_OK;
}

ss_status ss_mesh_read_obj(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    ss_mesh_text t = {text, text + size, text, {file, 1, 1}, source->context};
    ss_word word;
    for (; t.at < t.end; ss_mesh_skip_line(&t)) {
        if (!ss_mesh_word(&t, false, &word))
            continue;
        source->where = word.where;
        double point[3];
        if (ss_word_is(&word, "v")) {
            SS_TRY(ss_mesh_numbers(&t, false, "a point", point));
            SS_TRY(ss_mesh_source_point(source, point));
        } else if (ss_word_is(&word, "f")) {
            SS_TRY(face(source, &t));
        }
    }
    source->where = (ss_location){file, t.where.line, 1};
    if (source->n_corners == 0)
        return ss_fail_at(source->context, SS_INPUT, source->where,
                          "no face up to here: a face is a line 'f' with three or more points");
    return SS_OK;
}
