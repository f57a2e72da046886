/* mjcf.h: what the parts of the reader of MJCF share. */
#ifndef SS_IMPORT_MJCF_H
#define SS_IMPORT_MJCF_H

#include "import/robot.h"

/* A joint of the file, in its order. */
typedef struct ss_mjcf_joint {
    const char *given; /* its name in the file; NULL: none */
    const xmlNode *node;
    int link;   /* of the robot */
    int q, nq;  /* its numbers in a keyframe */
    double ref; /* its value where the coordinate of the scene is zero */
} ss_mjcf_joint;

/* What a geom says about contacts; one material of the scene each. */
typedef struct ss_mjcf_material {
    const char *name;
    int type, affinity, condim, priority;
    double friction[3]; /* sliding; about the normal, rolling, m */
    bool moves;         /* some geom of it can */
} ss_mjcf_material;

typedef struct ss_mjcf {
    ss_robot *robot;
    ss_xml *xml;
    const xmlNode *root;
    const xmlNode *defaults; /* <default> at the top, or NULL */
    bool degrees, autolimits;
    int from_geoms;     /* inertia of a body: -1: where it gives none; 0: never; 1: always */
    char sequence[4];   /* of Euler angles */
    const char *meshes; /* folder with its last slash, or "" */
    int n_joints, joint_capacity, n_materials, material_capacity, nq;
    ss_mjcf_joint *joints;
    ss_mjcf_material *materials;
    int n_controls, n_drives; /* numbers of the keyframe; actuators read so far */
    double *controls;
    ss_map bodies; /* names of the file → links */
    ss_map joint_index;
} ss_mjcf;

/* An attribute of an element, its own or of its default class; `inherited` is the class of the body (childclass), or NULL. */
const char *ss_mjcf_get(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                        const char *name);
/* Up to `most` numbers of it; `values` are set as far as given. count may be NULL. */
ss_status ss_mjcf_numbers(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                          const char *name, int most, double *values, int *count);
ss_status ss_mjcf_int(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                      const char *name, int *value);
bool ss_mjcf_true(const ss_mjcf *m, const xmlNode *node, const char *inherited, const char *name,
                  bool otherwise);
/* pos and quat, axisangle, xyaxes, zaxis or euler. */
ss_status ss_mjcf_pose(const ss_mjcf *m, const xmlNode *node, const char *inherited, double x[3],
                       double e[4]);
/* An element's attributes of the list that have no meaning here are left out, by name. */
ss_status ss_mjcf_omit(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                       const char *names);
ss_status ss_mjcf_omit_node(const ss_mjcf *m, const xmlNode *node);
double ss_mjcf_angle(const ss_mjcf *m, double value);

/* Bodies with joints and geoms (mjcf_body.c, mjcf_geom.c). */
ss_status ss_mjcf_world(ss_mjcf *m, const xmlNode *world);
ss_status ss_mjcf_geom(ss_mjcf *m, const xmlNode *geom, const char *inherited, int link);
/* Mass, centre and inertia of the geoms of a body. */
ss_status ss_mjcf_weigh(ss_mjcf *m, const xmlNode *body, const char *inherited,
                        ss_robot_link *link);
/* Contacts, equality, actuators, keyframes (mjcf_rest.c). */
ss_status ss_mjcf_rest(ss_mjcf *m);

#endif
