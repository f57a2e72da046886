/* urdf.c: robots in URDF: links with inertia and shapes, joints of every type, mimic, package:// paths. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "import/robot.h"
#include "la/elementary.h"
#include "model/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A link or a joint of the file. */
typedef struct part {
    const char *given; /* its name in the file */
    const char *name;  /* in the scene; of a joint, that of its coordinate */
    const xmlNode *node;
    int parent, child; /* of a joint: links */
    int joint;         /* of a link: the joint that leads to it, -1: none */
    bool used; /* of a link: it has mass, shapes, or carries something else than a floating joint */
} part;

typedef struct urdf {
    ss_robot *robot;
    const ss_xml *xml;
    int n_links, n_joints;
    part *links, *joints;
    ss_map link_index, joint_index;
} urdf;

/* ---- Numbers ---- */

static void quaternion_of(const double rpy[3], double e[4])
{
    double c[3], s[3];
    for (int i = 0; i < 3; i++) {
        c[i] = ss_cos(rpy[i] / 2);
        s[i] = ss_sin(rpy[i] / 2);
    }
    const double yaw[4] = {c[2], 0, 0, s[2]}, pitch[4] = {c[1], 0, s[1], 0},
                 roll[4] = {c[0], s[0], 0, 0};
    double both[4];
    ss_quaternion_product(yaw, pitch, both);
    ss_quaternion_product(both, roll, e);
}

/* <origin> of an element, if it has one. */
static ss_status read_origin(const urdf *u, const xmlNode *node, double x[3], double e[4])
{
    double rpy[3] = {0};
    const xmlNode *origin = ss_xml_child(node, "origin");
    if (!origin)
        return SS_OK;
    SS_TRY(ss_xml_numbers(u->xml, origin, "xyz", 3, x, NULL));
    SS_TRY(ss_xml_numbers(u->xml, origin, "rpy", 3, rpy, NULL));
    quaternion_of(rpy, e);
    return SS_OK;
}

/* One number of an attribute that must be there. */
static ss_status need_number(const urdf *u, const xmlNode *node, const char *name, double *value)
{
    const char *text;
    SS_TRY(ss_xml_need(u->xml, node, name, &text));
    return ss_xml_numbers(u->xml, node, name, 1, value, NULL);
}

/* ---- Links ---- */

static ss_status read_inertial(const urdf *u, const xmlNode *node, ss_robot_link *link)
{
    static const struct {
        const char *name;
        int at[2];
    } moments[] = {{"ixx", {0, 0}}, {"iyy", {4, 4}}, {"izz", {8, 8}},
                   {"ixy", {1, 3}}, {"ixz", {2, 6}}, {"iyz", {5, 7}}};
    const xmlNode *inertial = ss_xml_child(node, "inertial");
    double e[4] = {1}, J[9] = {0}, A[9], B[9];
    if (!inertial)
        return SS_OK;
    const xmlNode *mass = ss_xml_child(inertial, "mass");
    const xmlNode *inertia = ss_xml_child(inertial, "inertia");
    if (!mass)
        return ss_xml_fail(u->xml, inertial, "the element <mass> is missing");
    SS_TRY(read_origin(u, inertial, link->centre, e));
    SS_TRY(need_number(u, mass, "value", &link->mass));
    if (link->mass < 0)
        return ss_xml_fail(u->xml, mass, "'value' must be a mass >= 0, not %g", link->mass);
    for (size_t i = 0; inertia && i < sizeof moments / sizeof *moments; i++) {
        double value = 0;
        SS_TRY(ss_xml_numbers(u->xml, inertia, moments[i].name, 1, &value, NULL));
        J[moments[i].at[0]] = J[moments[i].at[1]] = value;
    }
    memcpy(link->J, J, sizeof J);
    if (e[0] == 1.0)
        return SS_OK;
    ss_body_rotation(e, A);
    for (int i = 0; i < 3; i++)
        ss_turn(J, A + 3 * i, B + 3 * i);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            link->J[3 * i + j] = link->J[3 * j + i] =
                B[3 * i] * A[3 * j] + B[3 * i + 1] * A[3 * j + 1] + B[3 * i + 2] * A[3 * j + 2];
    return SS_OK;
}

/* The folder of a package among those above the file, or beside it: where "package://NAME/" begins, as seen from the
 * folder of the file. */
static ss_status find_package(const urdf *u, const char *name, const char **path)
{
    char absolute[4096], up[1024] = "";
    const char *rest = strchr(name, '/');
    size_t length = rest ? (size_t)(rest - name) : strlen(name);
    const char *folder = u->robot->folder[0] ? u->robot->folder : "./";
    char *real = realpath(folder, NULL);
    if (!real || strlen(real) >= sizeof absolute) {
        free(real);
        return ss_robot_text(u->robot, path, "%s", rest ? rest + 1 : "");
    }
    snprintf(absolute, sizeof absolute, "%s", real);
    free(real);
    for (char *end = strrchr(absolute, '/'); end; end = strrchr(absolute, '/')) {
        if (strlen(end + 1) == length && strncmp(end + 1, name, length) == 0)
            break;
        *end = '\0';
        if (strlen(up) + 4 < sizeof up)
            strcat(up, "../");
        if (end == absolute) { /* none above: beside the file */
            up[0] = '\0';
            break;
        }
    }
    bool found = strrchr(absolute, '/') != NULL;
    return found ? ss_robot_text(u->robot, path, "%s%s", up, rest ? rest + 1 : "")
                 : ss_robot_text(u->robot, path, "%s", name);
}

static ss_status mesh_path(const urdf *u, const char *given, const char **path)
{
    if (strncmp(given, "package://", 10) == 0)
        return find_package(u, given + 10, path);
    return ss_robot_text(u->robot, path, "%s",
                         strncmp(given, "file://", 7) == 0 ? given + 7 : given);
}

static ss_status read_mesh(const urdf *u, const xmlNode *mesh, bool solid, ss_robot_shape *shape,
                           bool *there)
{
    const char *given;
    int line = ss_xml_where(u->xml, mesh).line;
    *there = false;
    SS_TRY(ss_xml_need(u->xml, mesh, "filename", &given));
    SS_TRY(ss_xml_numbers(u->xml, mesh, "scale", 3, shape->scale, NULL));
    SS_TRY(mesh_path(u, given, &shape->file));
    if (shape->scale[0] == 0 || shape->scale[1] == 0 || shape->scale[2] == 0)
        return ss_xml_fail(u->xml, mesh, "'scale' must not be 0");
    if (!ss_robot_is_mesh(shape->file))
        return ss_robot_omit(u->robot, line, "meshes that are neither .stl nor .obj");
    shape->type = solid ? "hull" : "mesh";
    return ss_robot_file(u->robot, line, shape->file, there);
}

/* The sizes of a shape must be positive. */
static ss_status read_size(const urdf *u, const xmlNode *node, ss_robot_shape *shape)
{
    int count = 3;
    if (ss_xml_is(node, "box")) {
        const char *text;
        SS_TRY(ss_xml_need(u->xml, node, "size", &text));
        SS_TRY(ss_xml_numbers(u->xml, node, "size", 3, shape->size, NULL));
    } else {
        count = ss_xml_is(node, "sphere") ? 1 : 2;
        SS_TRY(need_number(u, node, "radius", &shape->size[0]));
        if (count == 2)
            SS_TRY(need_number(u, node, "length", &shape->size[1]));
    }
    for (int i = 0; i < count; i++)
        if (!(shape->size[i] > 0))
            return ss_xml_fail(u->xml, node, "sizes must be > 0, not %g", shape->size[i]);
    return SS_OK;
}

static ss_status read_shape(const urdf *u, const part *link, const xmlNode *node, bool solid)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule"};
    const xmlNode *geometry = ss_xml_child(node, "geometry");
    const xmlNode *kind = ss_xml_child(geometry, NULL);
    ss_robot_shape shape = {.e = {1}, .scale = {1, 1, 1}, .link = link->name}, *kept;
    bool there = false;
    if (!kind)
        return ss_xml_fail(u->xml, node,
                           "<geometry> with a box, sphere, cylinder or mesh is missing");
    SS_TRY(read_origin(u, node, shape.at, shape.e));
    shape.material = solid ? "robot" : "visual";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ss_xml_is(kind, kinds[i])) {
            shape.type = kinds[i];
            there = true;
            SS_TRY(read_size(u, kind, &shape));
        }
    if (ss_xml_is(kind, "mesh"))
        SS_TRY(read_mesh(u, kind, solid, &shape, &there));
    else if (!there)
        return ss_xml_fail(
            u->xml, kind,
            "there is no geometry of this kind (box, sphere, cylinder, capsule, mesh)");
    if (!there)
        return SS_OK;
    SS_TRY(ss_robot_name(u->robot, SS_ROBOT_SHAPE_NAMES, ss_xml_get(node, "name"), link->name,
                         &shape.name));
    SS_TRY(ss_robot_add_shape(u->robot, &kept));
    *kept = shape;
    return SS_OK;
}

/* What collides; of a link where nothing does, what is seen. */
static ss_status read_shapes(const urdf *u, const part *link)
{
    bool solid = ss_xml_child(link->node, "collision") != NULL;
    const char *name = solid ? "collision" : "visual";
    for (xmlNode *n = ss_xml_child(link->node, name); n; n = ss_xml_next(n, name))
        SS_TRY(read_shape(u, link, n, solid));
    for (xmlNode *n = ss_xml_child(link->node, NULL); n; n = ss_xml_next(n, NULL))
        if (!ss_xml_is(n, "collision") && !ss_xml_is(n, "visual") && !ss_xml_is(n, "inertial"))
            SS_TRY(ss_robot_omit(u->robot, ss_xml_where(u->xml, n).line, "<%s> of links",
                                 (const char *)n->name));
    return SS_OK;
}

/* ---- Joints ---- */

/* Two unit vectors at right angles to a third. */
static void across(const double n[3], double a[3], double b[3])
{
    double c[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0}, along = 0, length = 0;
    for (int i = 0; i < 3; i++)
        along += n[i] * c[i];
    for (int i = 0; i < 3; i++) {
        a[i] = c[i] - along * n[i];
        length += a[i] * a[i];
    }
    for (int i = 0; i < 3; i++)
        a[i] /= sqrt(length);
    b[0] = n[1] * a[2] - n[2] * a[1];
    b[1] = n[2] * a[0] - n[0] * a[2];
    b[2] = n[0] * a[1] - n[1] * a[0];
}

static ss_status read_axis(const urdf *u, const part *joint, double axis[3])
{
    const xmlNode *node = ss_xml_child(joint->node, "axis");
    axis[0] = 1;
    axis[1] = axis[2] = 0;
    if (node)
        SS_TRY(ss_xml_numbers(u->xml, node, "xyz", 3, axis, NULL));
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return ss_xml_fail(u->xml, node, "the axis of joint '%s' has no direction", joint->given);
    return SS_OK;
}

/* A joint begins at zero, or as near as its limits are. */
static double nearest(const ss_robot_link *link, double start)
{
    if (!link->limited)
        return start;
    return fmin(fmax(start, link->limits[0]), link->limits[1]);
}

static ss_status read_limits(const urdf *u, const part *joint, bool limits, ss_robot_link *link)
{
    const xmlNode *limit = ss_xml_child(joint->node, "limit");
    const xmlNode *dynamics = ss_xml_child(joint->node, "dynamics");
    bool lower, upper;
    if (dynamics) {
        SS_TRY(ss_xml_numbers(u->xml, dynamics, "damping", 1, &link->damping, NULL));
        SS_TRY(ss_xml_numbers(u->xml, dynamics, "friction", 1, &link->friction, NULL));
        if (link->damping < 0 || link->friction < 0)
            return ss_xml_fail(u->xml, dynamics, "damping and friction must be >= 0");
    }
    if (!limit)
        return SS_OK;
    if (ss_xml_get(limit, "effort") || ss_xml_get(limit, "velocity"))
        SS_TRY(ss_robot_omit(u->robot, ss_xml_where(u->xml, limit).line,
                             "limits of effort and velocity, as there are no drives"));
    if (!limits)
        return SS_OK;
    SS_TRY(ss_xml_numbers(u->xml, limit, "lower", 1, &link->limits[0], &lower));
    SS_TRY(ss_xml_numbers(u->xml, limit, "upper", 1, &link->limits[1], &upper));
    if (link->limits[0] > link->limits[1])
        return ss_xml_fail(u->xml, limit, "'lower' (%g) must be below 'upper' (%g)",
                           link->limits[0], link->limits[1]);
    link->limited = (lower || upper) && link->limits[0] < link->limits[1];
    if (!link->limited)
        SS_TRY(ss_robot_omit(u->robot, ss_xml_where(u->xml, limit).line,
                             "limits that are equal, or not given"));
    link->start = nearest(link, 0);
    return SS_OK;
}

/* A slide along `axis` without mass, for a joint that moves in a plane; it takes the place of the parent. */
static ss_status add_slide(const urdf *u, const part *joint, const char *suffix,
                           const double axis[3], ss_robot_link *link)
{
    ss_robot_link *slide;
    char name[300];
    SS_TRY(ss_robot_add_link(u->robot, &slide));
    slide->joint = "slide";
    slide->parent = link->parent;
    memcpy(slide->at, link->at, sizeof slide->at);
    memcpy(slide->e, link->e, sizeof slide->e);
    memcpy(slide->axis, axis, sizeof slide->axis);
    snprintf(name, sizeof name, "%.200s%s", joint->given, suffix);
    SS_TRY(ss_robot_name(u->robot, SS_ROBOT_LINK_NAMES, name, "slide", &slide->name));
    SS_TRY(ss_robot_name(u->robot, SS_ROBOT_COORDINATE_NAMES, name, "slide", &slide->coordinate));
    link->parent = slide->name;
    memset(link->at, 0, sizeof link->at);
    memcpy(link->e, (double[4]){1}, sizeof link->e);
    return SS_OK;
}

static ss_status read_planar(const urdf *u, const part *joint, ss_robot_link *link)
{
    double n[3], a[3], b[3], length = 0;
    memcpy(n, link->axis, sizeof n);
    for (int i = 0; i < 3; i++)
        length += n[i] * n[i];
    for (int i = 0; i < 3; i++)
        n[i] /= sqrt(length);
    across(n, a, b);
    SS_TRY(add_slide(u, joint, "_x", a, link));
    SS_TRY(add_slide(u, joint, "_y", b, link));
    link->joint = "hinge";
    return SS_OK;
}

/* The joint that leads to a link. `link` is no pointer into the robot's list, which may grow. */
static ss_status read_joint(const urdf *u, const part *joint, ss_robot_link *link)
{
    const char *type;
    SS_TRY(ss_xml_need(u->xml, joint->node, "type", &type));
    SS_TRY(read_origin(u, joint->node, link->at, link->e));
    link->parent = u->links[joint->parent].name;
    link->coordinate = joint->name;
    if (strcmp(type, "fixed") == 0) {
        link->coordinate = NULL;
        return SS_OK;
    }
    if (strcmp(type, "floating") == 0) {
        const part *parent = &u->links[joint->parent];
        if (parent->joint >= 0 || parent->used)
            return ss_xml_fail(
                u->xml, joint->node,
                "joint '%s' floats: its parent must be a root link without mass, shapes "
                "and other joints",
                joint->given);
        link->joint = "free";
        link->parent = link->coordinate = NULL;
        return SS_OK;
    }
    SS_TRY(read_axis(u, joint, link->axis));
    bool turns = strcmp(type, "revolute") == 0;
    if (turns || strcmp(type, "continuous") == 0) {
        link->joint = "hinge";
        return read_limits(u, joint, turns, link);
    }
    if (strcmp(type, "prismatic") == 0) {
        link->joint = "slide";
        return read_limits(u, joint, true, link);
    }
    if (strcmp(type, "planar") == 0)
        return read_planar(u, joint, link);
    return ss_xml_fail(u->xml, joint->node,
                       "joint '%s': there is no type '%s' (revolute, continuous, prismatic, fixed, "
                       "floating, planar)",
                       joint->given, type);
}

static ss_status read_link(const urdf *u, const part *own)
{
    ss_robot_link link = {.name = own->name, .joint = "fixed", .e = {1}, .ball = {1}}, *kept;
    bool floats = false;
    for (int j = 0; j < u->n_joints; j++)
        floats = floats ||
                 (&u->links[u->joints[j].parent] == own && ss_xml_get(u->joints[j].node, "type") &&
                  strcmp(ss_xml_get(u->joints[j].node, "type"), "floating") == 0);
    if (floats && own->joint < 0 && !own->used) /* it stands for space */
        return SS_OK;
    SS_TRY(read_inertial(u, own->node, &link));
    if (own->joint >= 0)
        SS_TRY(read_joint(u, &u->joints[own->joint], &link));
    SS_TRY(ss_robot_add_link(u->robot, &kept));
    *kept = link;
    return read_shapes(u, own);
}

/* ---- Mimic: a constraint between two coordinates ---- */

static ss_robot_link *link_named(const urdf *u, const char *name)
{
    for (int i = 0; i < u->robot->n_links; i++)
        if (strcmp(u->robot->links[i].name, name) == 0)
            return &u->robot->links[i];
    return NULL;
}

static ss_status read_mimic(const urdf *u, const part *joint)
{
    const xmlNode *mimic = ss_xml_child(joint->node, "mimic");
    const char *given, *name, *system = u->robot->system;
    double factor = 1, offset = 0;
    int other;
    if (!mimic)
        return SS_OK;
    SS_TRY(ss_xml_need(u->xml, mimic, "joint", &given));
    SS_TRY(ss_xml_numbers(u->xml, mimic, "multiplier", 1, &factor, NULL));
    SS_TRY(ss_xml_numbers(u->xml, mimic, "offset", 1, &offset, NULL));
    if (!ss_map_find(&u->joint_index, given, &other))
        return ss_xml_fail(u->xml, mimic, "there is no joint '%s'", given);
    ss_robot_link *own = link_named(u, u->links[joint->child].name);
    const ss_robot_link *led = link_named(u, u->links[u->joints[other].child].name);
    if (!own || !led || !own->coordinate || !led->coordinate || led == own ||
        strcmp(own->joint, "free") == 0 || strcmp(led->joint, "free") == 0)
        return ss_xml_fail(u->xml, mimic, "both joints must be hinges or slides, and different");
    own->start = nearest(own, factor * led->start + offset);
    SS_TRY(ss_robot_name(u->robot, SS_ROBOT_OBJECT_NAMES, joint->given, "mimic", &name));
    ss_robot_add_line(
        u->robot, SS_ROBOT_ELEMENTS,
        "  %s_mimics: {type: expression, gap: \"%s.%s - (%s) * %s.%s - (%s)\", laws: {gap: "
        "{type: bilateral, stabilize: true}}}",
        name, system, own->coordinate, ss_robot_shortest(factor).text, system, led->coordinate,
        ss_robot_shortest(offset).text);
    return SS_OK;
}

/* ---- The file ---- */

static ss_status add_part(urdf *u, const xmlNode *node, bool joint)
{
    part *p = joint ? &u->joints[u->n_joints] : &u->links[u->n_links];
    ss_map *index = joint ? &u->joint_index : &u->link_index;
    int found;
    *p = (part){.node = node, .joint = -1};
    SS_TRY(ss_xml_need(u->xml, node, "name", &p->given));
    if (ss_map_find(index, p->given, &found))
        return ss_xml_fail(u->xml, node, "a second %s '%s'", joint ? "joint" : "link", p->given);
    SS_TRY(ss_map_set(index, p->given, joint ? u->n_joints++ : u->n_links++));
    return ss_robot_name(u->robot, joint ? SS_ROBOT_COORDINATE_NAMES : SS_ROBOT_LINK_NAMES,
                         p->given, "part", &p->name);
}

static ss_status list_parts(urdf *u, const xmlNode *root)
{
    size_t count = 1;
    for (xmlNode *n = ss_xml_child(root, NULL); n; n = ss_xml_next(n, NULL))
        count++;
    SS_TRY(SS_ARENA_NEW(&u->robot->arena, count, &u->links));
    SS_TRY(SS_ARENA_NEW(&u->robot->arena, count, &u->joints));
    for (xmlNode *n = ss_xml_child(root, NULL); n; n = ss_xml_next(n, NULL)) {
        if (ss_xml_is(n, "link") || ss_xml_is(n, "joint"))
            SS_TRY(add_part(u, n, ss_xml_is(n, "joint")));
        else if (n->ns && n->ns->prefix && strcmp((const char *)n->ns->prefix, "xacro") == 0)
            return ss_xml_fail(u->xml, n,
                               "a xacro file is to be expanded first: xacro FILE > robot.urdf");
        else if (!ss_xml_is(n, "material"))
            SS_TRY(ss_robot_omit(u->robot, ss_xml_where(u->xml, n).line, "<%s>",
                                 (const char *)n->name));
    }
    if (u->n_links == 0)
        return ss_xml_fail(u->xml, root, "it has no <link>");
    return SS_OK;
}

static ss_status find_link(const urdf *u, const part *joint, const char *end, int *link)
{
    const xmlNode *node = ss_xml_child(joint->node, end);
    const char *name;
    if (!node)
        return ss_xml_fail(u->xml, joint->node, "joint '%s': <%s link=\"…\"/> is missing",
                           joint->given, end);
    SS_TRY(ss_xml_need(u->xml, node, "link", &name));
    return ss_map_find(&u->link_index, name, link)
               ? SS_OK
               : ss_xml_fail(u->xml, node, "there is no link '%s'", name);
}

static ss_status connect(urdf *u)
{
    int roots = 0;
    for (int j = 0; j < u->n_joints; j++) {
        part *joint = &u->joints[j];
        const char *type = ss_xml_get(joint->node, "type");
        SS_TRY(find_link(u, joint, "parent", &joint->parent));
        SS_TRY(find_link(u, joint, "child", &joint->child));
        if (u->links[joint->child].joint >= 0)
            return ss_xml_fail(
                u->xml, joint->node, "link '%s' is the child of two joints, '%s' too",
                u->links[joint->child].given, u->joints[u->links[joint->child].joint].given);
        u->links[joint->child].joint = j;
        if (!type || strcmp(type, "floating") != 0)
            u->links[joint->parent].used = true;
    }
    for (int i = 0; i < u->n_links; i++) {
        part *link = &u->links[i];
        roots += link->joint < 0;
        link->used = link->used || ss_xml_child(link->node, "inertial") ||
                     ss_xml_child(link->node, "collision") || ss_xml_child(link->node, "visual");
        int up = i, steps = 0;
        while (u->links[up].joint >= 0 && steps++ <= u->n_links)
            up = u->joints[u->links[up].joint].parent;
        if (steps > u->n_links)
            return ss_xml_fail(u->xml, link->node, "link '%s': its parents lead in a circle",
                               link->given);
    }
    return roots == 1
               ? SS_OK
               : ss_xml_fail(u->xml, u->links[0].node,
                             "%d links are the child of no joint; a robot has one root", roots);
}

static ss_status read_all(urdf *u, const xmlNode *root)
{
    SS_TRY(list_parts(u, root));
    SS_TRY(connect(u));
    for (int i = 0; i < u->n_links; i++)
        SS_TRY(read_link(u, &u->links[i]));
    for (int j = 0; j < u->n_joints; j++)
        SS_TRY(read_mimic(u, &u->joints[j]));
    return SS_OK;
}

ss_status ss_import_urdf(ss_robot *robot, const ss_xml *xml)
{
    const xmlNode *root = xmlDocGetRootElement(xml->doc);
    urdf u = {.robot = robot, .xml = xml};
    SS_TRY(ss_robot_name(robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(root, "name"), "robot",
                         &robot->system));
    ss_map_init(&u.link_index, robot->context);
    ss_map_init(&u.joint_index, robot->context);
    ss_status status = read_all(&u, root);
    ss_map_release(&u.link_index);
    ss_map_release(&u.joint_index);
    return status;
}
