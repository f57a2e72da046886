/* mesh_stl.c: STL files, as text and binary. Their normals are left out: the corners' order tells the side. */
#include "geometry/mesh/mesh_read.h"

#include <string.h>

enum { HEADER = 84, RECORD = 50 };

static ss_status expect(ss_mesh_text *text, const char *wanted)
{
    ss_word word;
    ss_mesh_word(text, true, &word);
    if (ss_word_is(&word, wanted))
        return SS_OK;
    return ss_fail_at(text->context, SS_INPUT, word.where, "'%s' should stand here, not '%.*s'",
                      wanted, word.length < 40 ? (int)word.length : 40, word.begin);
}

static ss_status add_triangle(ss_mesh_source *source)
{
    int last = (int)source->n_points;
    return ss_mesh_source_triangle(source, last - 3, last - 2, last - 1);
}

/* What follows "facet": normal x y z outer loop vertex … vertex … vertex … endloop endfacet */
static ss_status facet(ss_mesh_source *source, ss_mesh_text *text)
{
    double numbers[3];
    SS_TRY(expect(text, "normal"));
    SS_TRY(ss_mesh_numbers(text, true, "a normal", numbers));
    SS_TRY(expect(text, "outer"));
    SS_TRY(expect(text, "loop"));
    for (int k = 0; k < 3; k++) {
        SS_TRY(expect(text, "vertex"));
        source->where = text->where;
        SS_TRY(ss_mesh_numbers(text, true, "a vertex", numbers));
        SS_TRY(ss_mesh_source_point(source, numbers));
    }
    SS_TRY(expect(text, "endloop"));
    SS_TRY(expect(text, "endfacet"));
    return add_triangle(source);
}

static ss_status read_text(ss_mesh_source *source, ss_mesh_text *text)
{
    ss_word word;
    SS_TRY(expect(text, "solid"));
    ss_mesh_skip_line(text); /* its name */
    while (ss_mesh_word(text, true, &word)) {
        if (ss_word_is(&word, "facet"))
            SS_TRY(facet(source, text));
        else if (ss_word_is(&word, "endsolid") || ss_word_is(&word, "solid"))
            ss_mesh_skip_line(text);
        else
            return ss_fail_at(text->context, SS_INPUT, word.where,
                              "'facet' or 'endsolid' should stand here, not '%.*s'",
                              word.length < 40 ? (int)word.length : 40, word.begin);
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

static ss_status read_binary(ss_mesh_source *source, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *record = bytes + HEADER + i * RECORD + 12;
        for (int k = 0; k < 3; k++, record += 12) {
            double point[3] = {real(record), real(record + 4), real(record + 8)};
            SS_TRY(ss_mesh_source_point(source, point));
        }
        SS_TRY(add_triangle(source));
    }
    return SS_OK;
}

/* Binary files say how many triangles they have; their headers may begin with any word. */
ss_status ss_mesh_read_stl(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    size_t n = size >= HEADER ? little_endian(text + HEADER - 4) : 0;
    bool binary = size >= HEADER && size - HEADER == n * RECORD;
    bool words = size >= 5 && memcmp(text, "solid", 5) == 0;
    source->where = (ss_location){file, 1, 1};
    if (binary)
        SS_TRY(read_binary(source, text, n));
    else if (words)
        SS_TRY(read_text(source,
                         &(ss_mesh_text){text, text + size, text, source->where, source->context}));
    else
        return ss_fail_at(
            source->context, SS_INPUT, source->where,
            "no STL file: a text begins with 'solid'; a binary file with %zu triangles has "
            "%zu bytes, this one %zu",
            n, HEADER + n * RECORD, size);
    if (source->n_corners == 0)
        return ss_fail_at(source->context, SS_INPUT, source->where,
                          "there is no triangle in this file");
    return SS_OK;
}
