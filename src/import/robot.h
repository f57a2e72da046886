/* robot.h: a robot on its way from another format to a scene: links, shapes, and lines of the scene's other sections. */
#ifndef SS_IMPORT_ROBOT_H
#define SS_IMPORT_ROBOT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/writer.h"
#include "import/xml.h"

#include <stickslip/import.h>

/* Joints by the words of a tree's keys. */
typedef struct ss_robot_link {
    const char *name, *parent; /* parent NULL: space */
    const char *joint;         /* "hinge" */
    const char *coordinate;    /* NULL: as the link */
    double at[3], e[4];        /* of its frame in that of its parent: place, quaternion */
    double axis[3], pivot[3];
    double mass, centre[3], J[9]; /* J about the centre, in the axes of the link */
    double armature, damping, stiffness, rest, friction;
    bool limited;
    double limits[2];
    double start;      /* of a hinge or slide */
    double ball[4];    /* start of a ball: a quaternion */
    const char *apart; /* "a, b": links that it never meets; NULL: none */
} ss_robot_link;

typedef struct ss_robot_shape {
    const char *name, *link; /* link NULL: in space */
    const char *type;        /* "box" */
    const char *file;        /* hull or mesh, else NULL */
    double size
        [3]; /* box: edges; sphere: radius; capsule, cylinder: radius and length; ellipsoid: half axes */
    double scale[3];
    double at[3], e[4];
    const char *material;
} ss_robot_shape;

/* What has no meaning here: how often, and where first. */
typedef struct ss_robot_omission {
    const char *what;
    int count, line;
} ss_robot_omission;

typedef enum ss_robot_section {
    SS_ROBOT_PARAMETERS,
    SS_ROBOT_ELEMENTS,
    SS_ROBOT_FORCES,
    SS_ROBOT_SECTIONS
} ss_robot_section;

/* Names of one kind differ. */
typedef enum ss_robot_names {
    SS_ROBOT_LINK_NAMES,
    SS_ROBOT_COORDINATE_NAMES,
    SS_ROBOT_SHAPE_NAMES,
    SS_ROBOT_MATERIAL_NAMES,
    SS_ROBOT_OBJECT_NAMES, /* elements, forces, parameters */
    SS_ROBOT_NAMES
} ss_robot_names;

typedef struct ss_robot {
    ss_context *context;
    ss_arena arena;
    const ss_import_options *options;
    const char *path, *folder; /* of the file; the folder has its last slash, or is "" */
    const char *system;        /* name of the tree */
    double gravity[3], step;
    int n_links, n_shapes, n_omissions;
    int link_capacity, shape_capacity, omission_capacity;
    ss_robot_link *links;
    ss_robot_shape *shapes;
    ss_robot_omission *omissions;
    ss_writer lines[SS_ROBOT_SECTIONS];
    ss_map names[SS_ROBOT_NAMES];
} ss_robot;

ss_status ss_robot_begin(ss_context *context, const char *path, const ss_import_options *options,
                         ss_robot *robot);
void ss_robot_release(ss_robot *robot);

/* A name of scenes like the given one, different from all others of its kind; NULL: made of `otherwise`. */
ss_status ss_robot_name(ss_robot *robot, ss_robot_names kind, const char *given,
                        const char *otherwise, const char **name);
/* A text that lives as long as the robot. */
ss_status ss_robot_text(ss_robot *robot, const char **text, const char *format, ...)
    SS_PRINTF(3, 4);
/* New ones, with joints that are fixed, unit quaternions and scale 1; a pointer holds until the next call. */
ss_status ss_robot_add_link(ss_robot *robot, ss_robot_link **link);
ss_status ss_robot_add_shape(ss_robot *robot, ss_robot_shape **shape);
/* Adds to a section: "  name: {…}" without the line break. */
void ss_robot_add_line(ss_robot *robot, ss_robot_section section, const char *format, ...)
    SS_PRINTF(3, 4);
/* Something is left out. */
ss_status ss_robot_omit(ss_robot *robot, int line, const char *format, ...) SS_PRINTF(3, 4);
/* Whether meshes are read from files of that name: .obj, .stl. */
bool ss_robot_is_mesh(const char *path);
/* A file beside the robot's as scenes name it, "meshes/foot.stl": whether it is there and may be read; if not it is
 * counted among what is left out. */
ss_status ss_robot_file(ss_robot *robot, int line, const char *path, bool *there);

/* The scene, and one warning that names what was left out (write.c). */
ss_status ss_robot_write(ss_robot *robot, char **scene);
/* The shortest decimal number that is this one. */
typedef struct ss_robot_number {
    char text[32];
} ss_robot_number;
ss_robot_number ss_robot_shortest(double value);

/* Reads a file (urdf.c, mjcf.c). */
ss_status ss_import_urdf(ss_robot *robot, const ss_xml *xml);
ss_status ss_import_mjcf(ss_robot *robot, const ss_xml *xml);

#endif
