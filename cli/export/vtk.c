/* vtk.c: writes a record as files for ParaView. */
#include "export/vtk.h"

#include "commands/paths.h"
#include "export/vtp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, PHI, E0, E1, E2, E3, VX, VY, VZ, COORDINATES };

/* A shape and where its system's coordinates are among the columns; -1: it has none of that name. */
typedef struct body {
    ss_recorded_shape shape;
    long column[COORDINATES];
} body;

typedef struct job {
    ss_cli_session *session;
    ss_record *record;
    const char *folder, *name;
    int n;
    body *bodies;
    double *state;        /* all columns of one state */
    size_t points, faces; /* of all shapes that are meshes */
    size_t n_spheres;
    double *numbers[3]; /* points, velocities; space for the larger of meshes and spheres */
    int *corners, *owner;
} job;

/* ---- Where shapes are ---- */

static void find_columns(const ss_record *record, body *b)
{
    static const char *const names[COORDINATES] = {"x",  "y",  "z",  "phi", "e0", "e1",
                                                   "e2", "e3", "x'", "y'",  "z'"};
    for (int i = 0; i < COORDINATES; i++) {
        char name[1024];
        size_t column;
        snprintf(name, sizeof name, "%s.%s", b->shape.system, names[i]);
        bool found = b->shape.system[0] && ss_record_find_column(record, name, &column);
        b->column[i] = found ? (long)column : -1;
    }
}

static double value(const job *j, const body *b, int coordinate)
{
    return b->column[coordinate] < 0 ? 0 : j->state[b->column[coordinate]];
}

/* a b */
static void multiply(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* x + e p ē */
static void move(const double x[3], const double e[4], const double p[3], double y[3])
{
    double q[4] = {0, p[0], p[1], p[2]}, bar[4] = {e[0], -e[1], -e[2], -e[3]}, half[4], all[4];
    multiply(e, q, half);
    multiply(half, bar, all);
    for (int k = 0; k < 3; k++)
        y[k] = x[k] + all[1 + k];
}

static void place(const job *j, const body *b, double x[3], double e[4])
{
    double origin[3] = {value(j, b, X), value(j, b, Y), value(j, b, Z)}, turn[4] = {1, 0, 0, 0};
    if (b->column[E0] >= 0) {
        double length = 0;
        for (int k = 0; k < 4; k++)
            length = hypot(length, turn[k] = value(j, b, E0 + k));
        for (int k = 0; k < 4; k++)
            turn[k] /= length;
    } else {
        turn[0] = cos(value(j, b, PHI) / 2);
        turn[3] = sin(value(j, b, PHI) / 2);
    }
    move(origin, turn, b->shape.position, x);
    multiply(turn, b->shape.rotation, e);
}

/* ---- Files of one state ---- */

static bool is_sphere(const body *b)
{
    return b->shape.radius > 0;
}

static void name_file(const job *j, const char *part, size_t row, char file[SS_CLI_PATH])
{
    snprintf(file, SS_CLI_PATH, "%s/%s_%s_%06zu.vtp", j->folder, j->name, part, row);
}

static void write_points(ss_cli_vtp *vtp, size_t count, const double *points)
{
    ss_cli_vtp_open(vtp, "Points");
    ss_cli_vtp_reals(vtp, "Points", 3, count, points);
    ss_cli_vtp_close(vtp, "Points");
}

/* Meshes one behind the other; cells know their shape and its velocity. */
static bool write_meshes(job *j, size_t row)
{
    double *points = j->numbers[0], *velocity = j->numbers[1];
    size_t n_points = 0, n_faces = 0;
    for (int i = 0; i < j->n; i++) {
        const body *b = &j->bodies[i];
        if (is_sphere(b) || b->shape.mesh < 0)
            continue;
        ss_triangles mesh = ss_record_mesh(j->record, b->shape.mesh);
        double x[3], e[4];
        place(j, b, x, e);
        for (int k = 0; k < mesh.n_triangles; k++, n_faces++) {
            j->owner[n_faces] = i;
            for (int c = 0; c < 3; c++) {
                j->corners[3 * n_faces + (size_t)c] = mesh.corners[3 * k + c] + (int)n_points;
                velocity[3 * n_faces + (size_t)c] = value(j, b, VX + c);
            }
        }
        for (int k = 0; k < mesh.n_points; k++, n_points++)
            move(x, e, mesh.points + 3 * k, points + 3 * n_points);
    }
    char file[SS_CLI_PATH];
    ss_cli_vtp vtp;
    name_file(j, "bodies", row, file);
    if (!ss_cli_vtp_begin(&vtp, file, n_points, 0, n_faces))
        return false;
    ss_cli_vtp_open(&vtp, "CellData");
    ss_cli_vtp_ints(&vtp, "shape", 1, n_faces, j->owner);
    ss_cli_vtp_reals(&vtp, "velocity", 3, n_faces, velocity);
    ss_cli_vtp_close(&vtp, "CellData");
    write_points(&vtp, n_points, points);
    ss_cli_vtp_triangles(&vtp, n_faces, j->corners);
    return ss_cli_vtp_end(&vtp);
}

/* Points for glyphs: radius, Euler parameters, velocity. */
static bool write_spheres(job *j, size_t row)
{
    double *points = j->numbers[0], *velocity = j->numbers[1], *turns = j->numbers[2];
    double *radius = j->numbers[2] + 4 * j->n_spheres;
    size_t n = 0;
    for (int i = 0; i < j->n; i++) {
        const body *b = &j->bodies[i];
        if (!is_sphere(b))
            continue;
        place(j, b, points + 3 * n, turns + 4 * n);
        for (int k = 0; k < 3; k++)
            velocity[3 * n + (size_t)k] = value(j, b, VX + k);
        radius[n] = b->shape.radius;
        j->owner[n++] = i;
    }
    char file[SS_CLI_PATH];
    ss_cli_vtp vtp;
    name_file(j, "spheres", row, file);
    if (!ss_cli_vtp_begin(&vtp, file, n, n, 0))
        return false;
    ss_cli_vtp_open(&vtp, "PointData");
    ss_cli_vtp_ints(&vtp, "shape", 1, n, j->owner);
    ss_cli_vtp_reals(&vtp, "radius", 1, n, radius);
    ss_cli_vtp_reals(&vtp, "quaternion", 4, n, turns);
    ss_cli_vtp_reals(&vtp, "velocity", 3, n, velocity);
    ss_cli_vtp_close(&vtp, "PointData");
    write_points(&vtp, n, points);
    ss_cli_vtp_vertices(&vtp, n);
    return ss_cli_vtp_end(&vtp);
}

/* The columns of contacts that become arrays of points. */
typedef struct contact_arrays {
    double *point, *force, *normal, *couple, *gap;
    int *mode, *shapes, *element;
} contact_arrays;

static void unpack(size_t n, const ss_contact *contacts, double dt, const contact_arrays *t)
{
    for (size_t i = 0; i < n; i++) {
        const ss_contact *c = &contacts[i];
        for (size_t k = 0; k < 3; k++) {
            t->point[3 * i + k] = c->x[k];
            t->normal[3 * i + k] = c->n[k];
            t->force[3 * i + k] = dt > 0 ? c->P[k] / dt : 0;
            t->couple[3 * i + k] = dt > 0 ? c->L[k] / dt : 0;
        }
        t->gap[i] = c->gap;
        t->mode[i] = c->closed ? 1 + c->slips : 0;
        t->shapes[2 * i] = c->a;
        t->shapes[2 * i + 1] = c->b;
        t->element[i] = c->element;
    }
}

static bool write_contacts(const job *j, size_t row, size_t n, const contact_arrays *t)
{
    char file[SS_CLI_PATH];
    ss_cli_vtp vtp;
    name_file(j, "contacts", row, file);
    if (!ss_cli_vtp_begin(&vtp, file, n, n, 0))
        return false;
    ss_cli_vtp_open(&vtp, "PointData");
    ss_cli_vtp_reals(&vtp, "force", 3, n, t->force);
    ss_cli_vtp_reals(&vtp, "couple", 3, n, t->couple);
    ss_cli_vtp_reals(&vtp, "normal", 3, n, t->normal);
    ss_cli_vtp_reals(&vtp, "gap", 1, n, t->gap);
    ss_cli_vtp_ints(&vtp, "mode", 1, n, t->mode);
    ss_cli_vtp_ints(&vtp, "shapes", 2, n, t->shapes);
    ss_cli_vtp_ints(&vtp, "element", 1, n, t->element);
    ss_cli_vtp_close(&vtp, "PointData");
    write_points(&vtp, n, t->point);
    ss_cli_vtp_vertices(&vtp, n);
    return ss_cli_vtp_end(&vtp);
}

static bool read_contacts(const job *j, size_t row, ss_contact *contacts)
{
    if (ss_record_read_contacts(j->record, row, contacts) == SS_OK)
        return true;
    ss_cli_print_failure(j->session);
    return false;
}

static bool export_contacts(const job *j, size_t row)
{
    int count = ss_record_contact_count(j->record, row);
    if (count < 0)
        return true;
    size_t n = (size_t)count, dt = 0;
    ss_contact *contacts = calloc(n + 1, sizeof *contacts);
    double *reals = calloc(13 * n + 1, sizeof *reals);
    int *ints = calloc(4 * n + 1, sizeof *ints);
    bool fine = contacts && reals && ints;
    if (!fine)
        ss_cli_error("out of memory");
    fine = fine && read_contacts(j, row, contacts);
    if (fine) {
        contact_arrays t = {reals,          reals + 3 * n, reals + 6 * n, reals + 9 * n,
                            reals + 12 * n, ints,          ints + n,      ints + 3 * n};
        ss_record_find_column(j->record, "dt", &dt);
        unpack(n, contacts, j->state[dt], &t);
        fine = write_contacts(j, row, n, &t);
    }
    free(contacts);
    free(reals);
    free(ints);
    return fine;
}

/* ---- All states ---- */

static void list_file(const job *j, FILE *pvd, int part, const char *what, size_t row)
{
    fprintf(pvd, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"%s_%s_%06zu.vtp\"/>\n",
            j->state[0], part, what, j->name, what, row);
}

static bool export_state(job *j, FILE *pvd, size_t row)
{
    if (ss_record_row(j->record, row, j->state) != SS_OK) {
        ss_cli_print_failure(j->session);
        return false;
    }
    if (!write_meshes(j, row) || !write_spheres(j, row) || !export_contacts(j, row))
        return false;
    list_file(j, pvd, 0, "bodies", row);
    list_file(j, pvd, 1, "spheres", row);
    if (ss_record_contact_count(j->record, row) >= 0)
        list_file(j, pvd, 2, "contacts", row);
    return true;
}

static bool export_all(job *j)
{
    char file[SS_CLI_PATH];
    snprintf(file, sizeof file, "%s/%s.pvd", j->folder, j->name);
    FILE *pvd = fopen(file, "w");
    bool fine = pvd != NULL;
    if (fine)
        fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
              "byte_order=\"LittleEndian\">\n<Collection>\n",
              pvd);
    for (size_t row = 0; fine && row < ss_record_length(j->record); row++)
        if (!export_state(j, pvd, row)) {
            fclose(pvd);
            return false;
        }
    if (fine)
        fputs("</Collection>\n</VTKFile>\n", pvd);
    fine = fine && fclose(pvd) == 0;
    if (fine)
        printf("%s\n", file);
    else
        ss_cli_error("cannot write '%s': %s", file, strerror(errno));
    return fine;
}

static void measure(job *j)
{
    for (int i = 0; i < j->n; i++) {
        body *b = &j->bodies[i];
        b->shape = ss_record_shape(j->record, i);
        find_columns(j->record, b);
        if (is_sphere(b)) {
            j->n_spheres++;
        } else if (b->shape.mesh >= 0) {
            ss_triangles mesh = ss_record_mesh(j->record, b->shape.mesh);
            j->points += (size_t)mesh.n_points;
            j->faces += (size_t)mesh.n_triangles;
        }
    }
}

static bool allocate(job *j)
{
    j->bodies = calloc((size_t)j->n, sizeof *j->bodies);
    j->state = calloc(ss_record_column_count(j->record), sizeof *j->state);
    if (!j->bodies || !j->state)
        return false;
    measure(j);
    size_t capacity = (j->points > j->faces ? j->points : j->faces) + j->n_spheres;
    for (int i = 0; i < 3; i++)
        j->numbers[i] = calloc(5 * capacity + 1, sizeof(double));
    j->corners = calloc(3 * j->faces + 1, sizeof *j->corners);
    j->owner = calloc(capacity + 1, sizeof *j->owner);
    return j->numbers[0] && j->numbers[1] && j->numbers[2] && j->corners && j->owner;
}

bool ss_cli_vtk(ss_cli_session *session, ss_record *record, const char *folder, const char *name)
{
    job j = {.session = session, .record = record, .folder = folder, .name = name};
    j.n = ss_record_shape_count(record);
    if (j.n == 0) {
        ss_cli_error("there is nothing for ParaView: the scene of this record has no shapes");
        return false;
    }
    bool fine = allocate(&j);
    if (fine)
        fine = export_all(&j);
    else
        ss_cli_error("out of memory");
    free(j.bodies);
    free(j.state);
    for (int i = 0; i < 3; i++)
        free(j.numbers[i]);
    free(j.corners);
    free(j.owner);
    return fine;
}
