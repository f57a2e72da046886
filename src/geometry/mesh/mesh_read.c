/* mesh_read.c: points and triangles of OBJ and STL files. */
#include "geometry/mesh/mesh.h"

#include "base/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Points and triangles as they come ---- */

void ss_mesh_source_release(ss_mesh_source *source)
{
    ss_release(source->context, source->points);
    ss_release(source->context, source->corners);
    ss_release(source->context, source->path);
    source->path = NULL;
    source->points = NULL;
    source->corners = NULL;
}

static ss_status grow(ss_context *context, size_t need, size_t size, size_t *capacity,
                      void **memory)
{
    if (need <= *capacity)
        return SS_OK;
    size_t more = need + need / 2 + 64;
    SS_TRY(ss_reallocate(context, more, size, memory));
    *capacity = more;
    return SS_OK;
}

ss_status ss_mesh_source_point(ss_mesh_source *source, const double point[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(point[k]))
            return ss_fail_at(source->context, SS_NON_FINITE, source->where,
                              "point %zu has a coordinate %g; give finite numbers",
                              source->n_points + 1, point[k]);
    if (source->n_points >= INT_MAX / 8)
        return ss_fail_at(source->context, SS_UNSUPPORTED, source->where, "too many points");
    SS_TRY(grow(source->context, 3 * (source->n_points + 1), sizeof *source->points,
                &source->point_capacity, (void **)&source->points));
    memcpy(source->points + 3 * source->n_points++, point, 3 * sizeof *point);
    return SS_OK;
}

ss_status ss_mesh_source_triangle(ss_mesh_source *source, int p, int q, int r)
{
    const int corners[3] = {p, q, r};
    if (source->n_corners >= INT_MAX / 8)
        return ss_fail_at(source->context, SS_UNSUPPORTED, source->where, "too many triangles");
    SS_TRY(grow(source->context, source->n_corners + 3, sizeof *source->corners,
                &source->corner_capacity, (void **)&source->corners));
    memcpy(source->corners + source->n_corners, corners, sizeof corners);
    source->n_corners += 3;
    return SS_OK;
}

/* ---- Words and numbers of texts ---- */

typedef struct reader {
    const char *at, *end;
    const char *line_start;
    ss_location where; /* line of `at` */
    ss_context *context;
} reader;

typedef struct word {
    const char *begin;
    size_t length;
    ss_location where;
} word;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void next_line(reader *text)
{
    text->at++;
    text->line_start = text->at;
    text->where.line++;
}

static void skip_line(reader *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
    if (text->at < text->end)
        next_line(text);
}

/* The next word, past ends of lines only if `lines`; false: there is none. */
static bool next_word(reader *text, bool lines, word *w)
{
    while (text->at < text->end && (is_blank(*text->at) || (lines && *text->at == '\n'))) {
        if (*text->at == '\n')
            next_line(text);
        else
            text->at++;
    }
    text->where.column = (int)(text->at - text->line_start) + 1;
    *w = (word){text->at, 0, text->where};
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n')
        text->at++;
    w->length = (size_t)(text->at - w->begin);
    return w->length > 0;
}

static bool is(const word *w, const char *text)
{
    return w->length == strlen(text) && memcmp(w->begin, text, w->length) == 0;
}

/* A finite number, in any locale. */
static bool number_of(const word *w, double *number)
{
    for (size_t k = 0; k < w->length; k++)
        if (w->begin[k] == '\0' || !strchr("+-.0123456789eE", w->begin[k]))
            return false;
    return w->length > 0 && w->length < 64 && ss_number_read(w->begin, w->length, number) &&
           isfinite(*number);
}

/* For messages: what a word begins with. */
static int shown(const word *w)
{
    return w->length < 40 ? (int)w->length : 40;
}

/* Three numbers; `what` they are is for messages. */
static ss_status read_numbers(reader *text, bool lines, const char *what, double numbers[3])
{
    for (int k = 0; k < 3; k++) {
        word w;
        if (!next_word(text, lines, &w) || !number_of(&w, &numbers[k]))
            return ss_fail_at(text->context, SS_INPUT, w.where,
                              "%s needs three finite numbers; number %d is '%.*s'", what, k + 1,
                              shown(&w), w.begin);
    }
    return SS_OK;
}

/* ---- STL, as text and binary; normals are left out: the corners' order tells the side ---- */

enum { HEADER = 84, RECORD = 50 };

static ss_status expect(reader *text, const char *wanted)
{
    word w;
    next_word(text, true, &w);
    if (is(&w, wanted))
        return SS_OK;
    return ss_fail_at(text->context, SS_INPUT, w.where, "'%s' should stand here, not '%.*s'",
                      wanted, shown(&w), w.begin);
}

static ss_status add_triangle(ss_mesh_source *source)
{
    int last = (int)source->n_points;
    return ss_mesh_source_triangle(source, last - 3, last - 2, last - 1);
}

/* What follows "facet": normal x y z outer loop vertex … vertex … vertex … endloop endfacet */
static ss_status facet(ss_mesh_source *source, reader *text)
{
    double numbers[3];
    SS_TRY(expect(text, "normal"));
    SS_TRY(read_numbers(text, true, "a normal", numbers));
    SS_TRY(expect(text, "outer"));
    SS_TRY(expect(text, "loop"));
    for (int k = 0; k < 3; k++) {
        SS_TRY(expect(text, "vertex"));
        source->where = text->where;
        SS_TRY(read_numbers(text, true, "a vertex", numbers));
        SS_TRY(ss_mesh_source_point(source, numbers));
    }
    SS_TRY(expect(text, "endloop"));
    SS_TRY(expect(text, "endfacet"));
    return add_triangle(source);
}

static ss_status read_text(ss_mesh_source *source, reader *text)
{
    word w;
    SS_TRY(expect(text, "solid"));
    skip_line(text); /* its name */
    while (next_word(text, true, &w)) {
        if (is(&w, "facet"))
            SS_TRY(facet(source, text));
        else if (is(&w, "endsolid") || is(&w, "solid"))
            skip_line(text);
        else
            return ss_fail_at(text->context, SS_INPUT, w.where,
                              "'facet' or 'endsolid' should stand here, not '%.*s'", shown(&w),
                              w.begin);
    }
    return SS_OK;
}

static uint32_t little_endian(const char *bytes)
{
    uint32_t value = 0;
    for (int k = 3; k >= 0; k--)
        value = value << 8 | (unsigned char)bytes[k];
    return value;
}

static double real(const char *bytes)
{
    uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Binary files say how many triangles they have; their headers may begin with any word. */
static ss_status read_stl(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    size_t n = size >= HEADER ? little_endian(text + HEADER - 4) : 0;
    bool binary = size >= HEADER && size - HEADER == n * RECORD;
    bool words = size >= 5 && memcmp(text, "solid", 5) == 0;
    source->where = (ss_location){file, 1, 1};
    if (!binary && !words)
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "no STL file: a text begins with 'solid'; a binary file with %zu triangles has "
            "%zu bytes, this one %zu",
            n, HEADER + n * RECORD, size);
    if (!binary)
        SS_TRY(
            read_text(source, &(reader){text, text + size, text, source->where, source->context}));
    for (size_t i = 0; i < n && binary; i++) {
        const char *record = text + HEADER + i * RECORD + 12;
        for (int k = 0; k < 3; k++, record += 12) {
            double point[3] = {real(record), real(record + 4), real(record + 8)};
            SS_TRY(ss_mesh_source_point(source, point));
        }
        SS_TRY(add_triangle(source));
    }
    if (source->n_corners == 0)
        return ss_fail_at(source->context, SS_INPUT, source->where,
                          "there is no triangle in this file");
    return SS_OK;
}

/* ---- OBJ: points (v) and faces (f); all else is looks, and left out ---- */

/* The point of a corner "7", "7/1/3" or "-1" (the last point so far). */
static ss_status corner(const ss_mesh_source *source, const word *w, int *point)
{
    const char *slash = memchr(w->begin, '/', w->length);
    word first = {w->begin, slash ? (size_t)(slash - w->begin) : w->length, w->where};
    double number, count = (double)source->n_points;
    if (!number_of(&first, &number) || number == 0 || number != floor(number) || number > count ||
        number < -count)
        return ss_fail_at(source->context, SS_INPUT, w->where,
                          "'%.*s' is no point; there are %zu so far, counted from 1", shown(w),
                          w->begin, source->n_points);
    *point = (int)(number > 0 ? number - 1 : count + number);
    return SS_OK;
}

/* Polygons become fans around their first corner. */
static ss_status face(ss_mesh_source *source, reader *text)
{
    int corners[3] = {0}, n = 0;
    word w;
    ss_location where = text->where;
    while (next_word(text, false, &w)) {
        SS_TRY(corner(source, &w, &corners[n < 2 ? n : 2]));
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

static ss_status read_obj(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    reader t = {text, text + size, text, {file, 1, 1}, source->context};
    word w;
    for (; t.at < t.end; skip_line(&t)) {
        if (!next_word(&t, false, &w))
            continue;
        source->where = w.where;
        double point[3];
        if (is(&w, "v")) {
            SS_TRY(read_numbers(&t, false, "a point", point));
            SS_TRY(ss_mesh_source_point(source, point));
        } else if (is(&w, "f")) {
            SS_TRY(face(source, &t));
        }
    }
    source->where = (ss_location){file, t.where.line, 1};
    if (source->n_corners == 0)
        return ss_fail_at(source->context, SS_INPUT, source->where,
                          "no face up to here: a face is a line 'f' with three or more points");
    return SS_OK;
}

/* ---- Files ---- */

/* Bytes: ten million triangles in a binary .stl. All of a file is in memory. */
enum { LARGEST_FILE = 1 << 29 };

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    for (size_t k = 0; k < m; k++)
        if (n < m || (name[n - m + k] | 32) != end[k])
            return false;
    return true;
}

ss_status ss_mesh_read(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    if (ends_with(file, ".obj"))
        return read_obj(source, file, text, size);
    if (ends_with(file, ".stl"))
        return read_stl(source, file, text, size);
    return ss_fail_at(source->context, SS_INPUT, source->where,
                      "%s: a mesh is read from a file whose name ends with .obj or .stl", file);
}

ss_status ss_mesh_read_file(ss_mesh_source *source, const ss_text *file, const char *directory)
{
    char *text;
    size_t length;
    if (file->where.line > 0)
        source->where = file->where;
    const ss_file_request request = {
        {file->text, source->where}, directory, source->confined, LARGEST_FILE};
    SS_TRY(ss_file_obtain(source->context, &request, &source->path, &text, &length));
    ss_status status = ss_mesh_read(source, source->path, text, length);
    ss_release(source->context, text);
    return status;
}
