/* vtp.c: writes PolyData files of VTK (XML, arrays inline in base64). */
#include "export/vtp.h"

#include "command.h"
#include "page/base64.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

bool ss_cli_vtp_begin(ss_cli_vtp *vtp, const char *file, size_t points, size_t vertices,
                      size_t triangles)
{
    *vtp = (ss_cli_vtp){fopen(file, "wb"), file};
    if (!vtp->out) {
        ss_cli_error("cannot create '%s': %s", file, strerror(errno));
        return false;
    }
    fprintf(vtp->out,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
            points, vertices, triangles);
    return true;
}

bool ss_cli_vtp_end(ss_cli_vtp *vtp)
{
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", vtp->out);
    bool failed = ferror(vtp->out) != 0;
    failed = fclose(vtp->out) != 0 || failed;
    if (failed)
        ss_cli_error("cannot write '%s': %s", vtp->file, strerror(errno));
    return !failed;
}

void ss_cli_vtp_open(ss_cli_vtp *vtp, const char *tag)
{
    fprintf(vtp->out, "<%s>\n", tag);
}

void ss_cli_vtp_close(ss_cli_vtp *vtp, const char *tag)
{
    fprintf(vtp->out, "</%s>\n", tag);
}

static void write_number(ss_cli_base64 *base64, uint64_t bits, int bytes)
{
    unsigned char little[8];
    for (int i = 0; i < bytes; i++)
        little[i] = (unsigned char)(bits >> (8 * i));
    ss_cli_base64_write(base64, (size_t)bytes, little);
}

/* The array begins with its length in bytes, in the same base64. */
static ss_cli_base64 begin_array(ss_cli_vtp *vtp, const char *type, const char *name,
                                 int components, size_t bytes)
{
    ss_cli_base64 base64 = {.out = vtp->out};
    fprintf(vtp->out,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type,
            name, components);
    write_number(&base64, bytes, 8);
    return base64;
}

static void end_array(ss_cli_vtp *vtp, ss_cli_base64 *base64)
{
    ss_cli_base64_end(base64);
    fputs("</DataArray>\n", vtp->out);
}

void ss_cli_vtp_reals(ss_cli_vtp *vtp, const char *name, int components, size_t count,
                      const double *values)
{
    size_t n = (size_t)components * count;
    ss_cli_base64 base64 = begin_array(vtp, "Float64", name, components, 8 * n);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_number(&base64, bits, 8);
    }
    end_array(vtp, &base64);
}

void ss_cli_vtp_ints(ss_cli_vtp *vtp, const char *name, int components, size_t count,
                     const int *values)
{
    size_t n = (size_t)components * count;
    ss_cli_base64 base64 = begin_array(vtp, "Int32", name, components, 4 * n);
    for (size_t i = 0; i < n; i++)
        write_number(&base64, (uint32_t)values[i], 4);
    end_array(vtp, &base64);
}

/* step, 2 step, …: where each cell ends. */
static void write_offsets(ss_cli_vtp *vtp, size_t count, uint64_t step)
{
    ss_cli_base64 base64 = begin_array(vtp, "Int64", "offsets", 1, 8 * count);
    for (size_t i = 1; i <= count; i++)
        write_number(&base64, step * i, 8);
    end_array(vtp, &base64);
}

void ss_cli_vtp_vertices(ss_cli_vtp *vtp, size_t count)
{
    ss_cli_vtp_open(vtp, "Verts");
    ss_cli_base64 base64 = begin_array(vtp, "Int64", "connectivity", 1, 8 * count);
    for (size_t i = 0; i < count; i++)
        write_number(&base64, i, 8);
    end_array(vtp, &base64);
    write_offsets(vtp, count, 1);
    ss_cli_vtp_close(vtp, "Verts");
}

void ss_cli_vtp_triangles(ss_cli_vtp *vtp, size_t count, const int *corners)
{
    ss_cli_vtp_open(vtp, "Polys");
    ss_cli_base64 base64 = begin_array(vtp, "Int64", "connectivity", 1, 24 * count);
    for (size_t i = 0; i < 3 * count; i++)
        write_number(&base64, (uint64_t)corners[i], 8);
    end_array(vtp, &base64);
    write_offsets(vtp, count, 3);
    ss_cli_vtp_close(vtp, "Polys");
}
