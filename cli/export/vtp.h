/* vtp.h: PolyData files of VTK (XML, arrays inline in base64). */
#ifndef SS_CLI_EXPORT_VTP_H
#define SS_CLI_EXPORT_VTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ss_cli_vtp {
    FILE *out;
    const char *file;
} ss_cli_vtp;

/* False: a message was printed. */
bool ss_cli_vtp_begin(ss_cli_vtp *vtp, const char *file, size_t points, size_t vertices,
                      size_t triangles);
bool ss_cli_vtp_end(ss_cli_vtp *vtp);

/* <Points>, <PointData> and so on; tag "Points" has one array. */
void ss_cli_vtp_open(ss_cli_vtp *vtp, const char *tag);
void ss_cli_vtp_close(ss_cli_vtp *vtp, const char *tag);
void ss_cli_vtp_reals(ss_cli_vtp *vtp, const char *name, int components, size_t count,
                      const double *values);
void ss_cli_vtp_ints(ss_cli_vtp *vtp, const char *name, int components, size_t count,
                     const int *values);
/* One vertex for each point. */
void ss_cli_vtp_vertices(ss_cli_vtp *vtp, size_t count);
/* Three corners each. */
void ss_cli_vtp_triangles(ss_cli_vtp *vtp, size_t count, const int *corners);

#endif
