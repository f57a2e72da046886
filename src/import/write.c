/* write.c: a robot as a scene that a person can read. */
#include "import/robot.h"
#include "la/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ss_robot_number ss_robot_shortest(double value)
{
    ss_robot_number n;
    double back;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(n.text, sizeof n.text, "%.*g", digits, value + 0.0);
        for (char *c = n.text; *c; c++) /* of any locale */
            *c = (char)(*c == ',' ? '.' : *c);
        if (ss_number_read(n.text, strlen(n.text), &back) && back == value)
            break;
    }
    return n;
}

static void write_numbers(ss_writer *w, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        ss_write(w, "%s%s", i ? ", " : "", ss_robot_shortest(values[i]).text);
}

static bool all_zero(int count, const double *values)
{
    for (int i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* "key: [1, 2, 3]" behind a separator, unless all are zero. */
static void write_list(ss_writer *w, const char *before, const char *key, int count,
                       const double *values)
{
    if (all_zero(count, values))
        return;
    ss_write(w, "%s%s: [", before, key);
    write_numbers(w, count, values);
    ss_write(w, "]");
}

static void write_number(ss_writer *w, const char *before, const char *key, double value)
{
    if (value != 0)
        ss_write(w, "%s%s: %s", before, key, ss_robot_shortest(value).text);
}

/* A quaternion as axis and angle, unless it turns nothing. */
static void write_rotation(ss_writer *w, const char *before, const char *key, const double e[4])
{
    double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    double turn[4] = {e[1], e[2], e[3], 2 * ss_atan2(s, e[0])};
    if (s == 0 || turn[3] == 0)
        return;
    for (int i = 0; i < 3; i++)
        turn[i] /= s;
    write_list(w, before, key, 4, turn);
}

static void write_inertia(ss_writer *w, const double J[9])
{
    const double six[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
    bool diagonal = six[3] == 0 && six[4] == 0 && six[5] == 0;
    write_list(w, "\n        ", "inertia", diagonal ? 3 : 6, six);
}

static void write_link(ss_writer *w, const ss_robot_link *link)
{
    static const char next[] = "\n        ";
    ss_write(w, "\n      %s:", link->name);
    if (link->parent)
        ss_write(w, "%sparent: %s", next, link->parent);
    ss_write(w, "%sjoint: %s", next, link->joint);
    if (link->coordinate && strcmp(link->coordinate, link->name) != 0)
        ss_write(w, "%scoordinate: %s", next, link->coordinate);
    write_list(w, next, "at", 3, link->at);
    write_rotation(w, next, "rotation", link->e);
    write_list(w, next, "axis", 3, link->axis);
    write_list(w, next, "pivot", 3, link->pivot);
    write_number(w, next, "start", link->start);
    write_rotation(w, next, "start", link->ball);
    if (link->limited) {
        ss_write(w, "%slimits: [", next);
        write_numbers(w, 2, link->limits);
        ss_write(w, "]");
    }
    write_number(w, next, "armature", link->armature);
    write_number(w, next, "damping", link->damping);
    write_number(w, next, "friction", link->friction);
    write_number(w, next, "stiffness", link->stiffness);
    if (link->stiffness != 0)
        write_number(w, next, "rest", link->rest);
    if (link->apart)
        ss_write(w, "%sapart: [%s]", next, link->apart);
    write_number(w, next, "mass", link->mass);
    write_list(w, next, "centre", 3, link->centre);
    write_inertia(w, link->J);
    ss_write(w, "\n");
}

static void write_shape(ss_writer *w, const ss_robot *robot, const ss_robot_shape *shape)
{
    const char *type = shape->type;
    ss_write(w, "  %s: {type: %s", shape->name, type);
    if (strcmp(type, "sphere") == 0 || strcmp(type, "capsule") == 0 ||
        strcmp(type, "cylinder") == 0)
        write_number(w, ", ", "radius", shape->size[0]);
    if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0)
        write_number(w, ", ", "length", shape->size[1]);
    if (strcmp(type, "box") == 0)
        write_list(w, ", ", "size", 3, shape->size);
    if (strcmp(type, "ellipsoid") == 0)
        write_list(w, ", ", "axes", 3, shape->size);
    if (shape->file) {
        ss_write(w, ", file: ");
        char path[4096];
        const char *folder =
            robot->options->folder && shape->file[0] != '/' ? robot->options->folder : "";
        snprintf(path, sizeof path, "%s%s", folder, shape->file);
        ss_write_quoted(w, path);
        bool even = shape->scale[0] == shape->scale[1] && shape->scale[0] == shape->scale[2];
        if (!even || shape->scale[0] != 1)
            write_list(w, ", ", "scale", even ? 1 : 3, shape->scale);
    }
    if (shape->link)
        ss_write(w, ", on: %s.%s", robot->system, shape->link);
    write_list(w, ", ", "at", 3, shape->at);
    write_rotation(w, ", ", "rotation", shape->e);
    ss_write(w, ", material: %s}\n", shape->material);
}

static void write_section(ss_writer *w, const char *name, const ss_writer *lines)
{
    if (lines->length > 0)
        ss_write(w, "\n%s:\n%s", name, lines->text);
}

/* One warning for all. */
static void warn(const ss_robot *robot)
{
    char text[1500] = "";
    size_t used = 0;
    for (int i = 0; i < robot->n_omissions && used + 1 < sizeof text; i++) {
        const ss_robot_omission *o = &robot->omissions[i];
        char times[32] = "";
        if (o->count > 1)
            snprintf(times, sizeof times, ", %d times", o->count);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (line %d%s)", i ? "; " : "",
                                 o->what, o->line, times);
    }
    if (robot->n_omissions)
        ss_log(robot->context, SS_LOG_WARNING, "%s: left out: %s", robot->path, text);
}

ss_status ss_robot_write(ss_robot *robot, char **scene)
{
    ss_writer w = {.context = robot->context};
    const char *slash = strrchr(robot->path, '/');
    ss_write(&w, "# From %s.\n", slash ? slash + 1 : robot->path);
    write_section(&w, "parameters", &robot->lines[SS_ROBOT_PARAMETERS]);
    ss_write(&w, "\nsystems:\n  %s:\n    type: tree\n    links:", robot->system);
    for (int i = 0; i < robot->n_links; i++)
        write_link(&w, &robot->links[i]);
    if (robot->n_shapes > 0)
        ss_write(&w, "\nshapes:\n");
    for (int i = 0; i < robot->n_shapes; i++)
        write_shape(&w, robot, &robot->shapes[i]);
    write_section(&w, "elements", &robot->lines[SS_ROBOT_ELEMENTS]);
    if (!all_zero(3, robot->gravity))
        ss_robot_add_line(
            robot, SS_ROBOT_FORCES, "  gravity: {type: gravity, acceleration: [%s, %s, %s]}",
            ss_robot_shortest(robot->gravity[0]).text, ss_robot_shortest(robot->gravity[1]).text,
            ss_robot_shortest(robot->gravity[2]).text);
    write_section(&w, "forces", &robot->lines[SS_ROBOT_FORCES]);
    if (robot->lines[SS_ROBOT_ELEMENTS].length >
        0) /* limbs in a loop, feet on the floor: hyperstatic */
        ss_write(&w, "\nsolver: {type: auto}\n");
    ss_write(&w, "\nsimulation: {step: %s, end: 5}\n", ss_robot_shortest(robot->step).text);
    for (int i = 0; i < SS_ROBOT_SECTIONS; i++)
        w.status = w.status == SS_OK ? robot->lines[i].status : w.status;
    SS_TRY(ss_writer_finish(&w, scene));
    warn(robot);
    return SS_OK;
}
