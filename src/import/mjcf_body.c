/* mjcf_body.c: bodies of MJCF with their joints and inertia. */
#include "import/mjcf.h"
#include "model/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A body being read: its element, its parent among the links (-1: space), the class it hands on. */
typedef struct body {
    const xmlNode *node;
    int parent;
    const char *inherited;
} body;

/* ---- Joints ---- */

static ss_status keep_joint(ss_mjcf *m, const ss_mjcf_joint *joint)
{
    int found;
    if (m->n_joints == m->joint_capacity) {
        int capacity = m->joint_capacity ? 2 * m->joint_capacity : 32;
        SS_TRY(SS_RESIZE(m->robot->context, capacity, &m->joints));
        m->joint_capacity = capacity;
    }
    m->joints[m->n_joints] = *joint;
    if (joint->given) {
        if (ss_map_find(&m->joint_index, joint->given, &found))
            return ss_xml_fail(m->xml, joint->node, "a second joint '%s'", joint->given);
        SS_TRY(ss_map_set(&m->joint_index, joint->given, m->n_joints));
    }
    m->n_joints++;
    m->nq += joint->nq;
    return SS_OK;
}

/* Angles of a hinge, lengths of a slide. */
static double value_of(const ss_mjcf *m, const ss_robot_link *link, double value)
{
    return strcmp(link->joint, "slide") == 0 ? value : ss_mjcf_angle(m, value);
}

/* Stops and spring, in the coordinate of the scene, which is zero where the file's is `ref`. */
static ss_status read_range(const ss_mjcf *m, const body *b, const xmlNode *node, double *ref,
                            ss_robot_link *link)
{
    double range[2] = {0}, spring = 0;
    int n;
    bool ball = strcmp(link->joint, "ball") == 0;
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "ref", 1, ref, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "springref", 1, &spring, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "range", 2, range, &n));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "stiffness", 1, &link->stiffness, NULL));
    *ref = value_of(m, link, *ref);
    bool limited = ss_mjcf_true(m, node, b->inherited, "limited", m->autolimits && n == 2);
    if (ball) {
        if (limited || link->stiffness > 0)
            SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, node).line,
                                 "limits and springs of ball joints"));
        link->stiffness = 0;
        *ref = 0;
        return SS_OK;
    }
    link->rest = value_of(m, link, spring) - *ref;
    if (!limited || n < 2)
        return SS_OK;
    for (int i = 0; i < 2; i++)
        link->limits[i] = value_of(m, link, range[i]) - *ref;
    if (!(link->limits[0] < link->limits[1]))
        return ss_xml_fail(m->xml, node, "'range' must be a smaller and a larger number, not %g %g",
                           range[0], range[1]);
    link->limited = true;
    link->start = fmin(fmax(0, link->limits[0]), link->limits[1]);
    return SS_OK;
}

static ss_status read_axis(const ss_mjcf *m, const body *b, const xmlNode *node,
                           ss_robot_link *link)
{
    double *axis = link->axis;
    axis[2] = 1;
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "axis", 3, axis, NULL));
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return ss_xml_fail(m->xml, node, "'axis' has no direction");
    return SS_OK;
}

/* A joint other than a free one. */
static ss_status read_joint(const ss_mjcf *m, const body *b, const xmlNode *node, double *ref,
                            ss_robot_link *link)
{
    const char *type = ss_mjcf_get(m, node, b->inherited, "type");
    link->joint = type ? type : "hinge";
    bool ball = strcmp(link->joint, "ball") == 0, slide = strcmp(link->joint, "slide") == 0;
    if (!ball && !slide && strcmp(link->joint, "hinge") != 0)
        return ss_xml_fail(
            m->xml, node, "there is no joint of type '%s' (free, ball, slide, hinge)", link->joint);
    if (!ball)
        SS_TRY(read_axis(m, b, node, link));
    if (!slide)
        SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "pos", 3, link->pivot, NULL));
    SS_TRY(read_range(m, b, node, ref, link));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "damping", 1, &link->damping, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "armature", 1, &link->armature, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, b->inherited, "frictionloss", 1, &link->friction, NULL));
    if (link->damping < 0 || link->armature < 0 || link->friction < 0 || link->stiffness < 0)
        return ss_xml_fail(m->xml, node,
                           "damping, armature, frictionloss and stiffness must be >= 0");
    return ss_mjcf_omit(
        m, node, b->inherited,
        "solreflimit solimplimit solreffriction solimpfriction springdamper margin");
}

static bool is_free(const ss_mjcf *m, const body *b, const xmlNode *node)
{
    const char *type = ss_xml_is(node, "joint") ? ss_mjcf_get(m, node, b->inherited, "type") : NULL;
    return ss_xml_is(node, "freejoint") || (type && strcmp(type, "free") == 0);
}

static xmlNode *next_joint(xmlNode *node)
{
    while (node && !ss_xml_is(node, "joint") && !ss_xml_is(node, "freejoint"))
        node = ss_xml_next(node, NULL);
    return node;
}

/* Adds a link and its joint, if it has one; the k-th of a body with several. */
static ss_status add_link(ss_mjcf *m, const body *b, const xmlNode *node, ss_robot_link *link)
{
    ss_mjcf_joint joint = {.node = node, .link = m->robot->n_links, .q = m->nq, .nq = 1};
    ss_robot_link *kept;
    if (node && is_free(m, b, node)) {
        if (b->parent >= 0)
            return ss_xml_fail(m->xml, node, "a free joint is for bodies of the world");
        link->joint = "free";
        joint.nq = 7;
    } else if (node) {
        SS_TRY(read_joint(m, b, node, &joint.ref, link));
        joint.nq = strcmp(link->joint, "ball") == 0 ? 4 : 1;
    }
    if (node) {
        joint.given = ss_xml_get(node, "name");
        if (joint.nq != 7)
            SS_TRY(ss_robot_name(m->robot, SS_ROBOT_COORDINATE_NAMES,
                                 joint.given ? joint.given : link->name, "joint",
                                 &link->coordinate));
        SS_TRY(keep_joint(m, &joint));
    }
    SS_TRY(ss_robot_add_link(m->robot, &kept));
    *kept = *link;
    return SS_OK;
}

/* The links of a body with several joints but for its own: without mass, each carried by the one before. */
static ss_status add_chain(ss_mjcf *m, const body *b, xmlNode **joint, ss_robot_link *link)
{
    for (xmlNode *next; *joint && (next = next_joint(ss_xml_next(*joint, NULL))); *joint = next) {
        ss_robot_link between = *link;
        char name[300];
        snprintf(name, sizeof name, "%.200s_of", link->name);
        SS_TRY(ss_robot_name(m->robot, SS_ROBOT_LINK_NAMES, name, "link", &between.name));
        SS_TRY(add_link(m, b, *joint, &between));
        link->parent = between.name;
        memset(link->at, 0, sizeof link->at);
        memcpy(link->e, (double[4]){1}, sizeof link->e);
    }
    return SS_OK;
}

/* ---- Inertia ---- */

/* J = A diag Aᵀ of a quaternion. */
static void turned(const double e[4], const double diagonal[3], double J[9])
{
    double A[9];
    ss_body_rotation(e, A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += A[3 * i + k] * diagonal[k] * A[3 * j + k];
            J[3 * i + j] = J[3 * j + i] = sum;
        }
}

static ss_status read_inertial(const ss_mjcf *m, const xmlNode *node, ss_robot_link *link)
{
    static const int place[6] = {0, 4, 8, 1, 2, 5};
    double e[4] = {1}, diagonal[3] = {0}, full[6];
    const char *text;
    int n;
    SS_TRY(ss_mjcf_pose(m, node, NULL, link->centre, e));
    SS_TRY(ss_xml_need(m->xml, node, "mass", &text));
    SS_TRY(ss_xml_numbers(m->xml, node, "mass", 1, &link->mass, NULL));
    if (link->mass < 0)
        return ss_xml_fail(m->xml, node, "'mass' must be >= 0, not %g", link->mass);
    SS_TRY(ss_mjcf_numbers(m, node, NULL, "fullinertia", 6, full, &n));
    if (n == 6) {
        for (int i = 0; i < 6; i++)
            link->J[place[i]] = full[i];
        link->J[3] = link->J[1];
        link->J[6] = link->J[2];
        link->J[7] = link->J[5];
        return SS_OK;
    }
    SS_TRY(ss_xml_numbers(m->xml, node, "diaginertia", 3, diagonal, NULL));
    if (e[0] == 1.0)
        for (int i = 0; i < 3; i++)
            link->J[4 * i] = diagonal[i];
    else
        turned(e, diagonal, link->J);
    return SS_OK;
}

/* ---- Bodies ---- */

static ss_status read_body(ss_mjcf *m, const body *outer);

/* What holds bodies in another way. */
static bool is_structure(const xmlNode *node)
{
    static const char *const names[] = {"frame",     "replicate", "attach",
                                        "composite", "flexcomp",  "plugin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ss_xml_is(node, names[i]))
            return true;
    return false;
}

/* Geoms and bodies in a body, or in the world (link -1). */
static ss_status read_children(ss_mjcf *m, const xmlNode *node, int link, const char *inherited)
{
    for (xmlNode *n = ss_xml_child(node, NULL); n; n = ss_xml_next(n, NULL)) {
        if (ss_xml_is(n, "geom"))
            SS_TRY(ss_mjcf_geom(m, n, inherited, link));
        else if (ss_xml_is(n, "body"))
            SS_TRY(read_body(m, &(body){n, link, inherited}));
        else if (is_structure(n))
            return ss_xml_fail(m->xml, n, "it stands for bodies, and is not read; write them out");
        else if (!ss_xml_is(n, "inertial") && !ss_xml_is(n, "joint") && !ss_xml_is(n, "freejoint"))
            SS_TRY(ss_mjcf_omit_node(m, n));
    }
    return SS_OK;
}

static ss_status read_body(ss_mjcf *m, const body *outer)
{
    ss_robot_link link = {.joint = "fixed", .e = {1}, .ball = {1}};
    const char *given = ss_xml_get(outer->node, "name"),
               *class = ss_xml_get(outer->node, "childclass");
    body b = {outer->node, outer->parent, class ? class : outer->inherited};
    const xmlNode *inertial = ss_xml_child(b.node, "inertial");
    xmlNode *joint = next_joint(ss_xml_child(b.node, NULL));
    int found;
    SS_TRY(ss_robot_name(m->robot, SS_ROBOT_LINK_NAMES, given, "body", &link.name));
    if (b.parent >= 0)
        link.parent = m->robot->links[b.parent].name;
    SS_TRY(ss_mjcf_pose(m, b.node, NULL, link.at, link.e));
    SS_TRY(add_chain(m, &b, &joint, &link));
    if (inertial && m->from_geoms != 1)
        SS_TRY(read_inertial(m, inertial, &link));
    else if (m->from_geoms != 0)
        SS_TRY(ss_mjcf_weigh(m, b.node, b.inherited, &link));
    SS_TRY(ss_mjcf_omit(m, b.node, NULL, "mocap gravcomp"));
    int own = m->robot->n_links;
    SS_TRY(add_link(m, &b, joint, &link));
    if (given && ss_map_find(&m->bodies, given, &found))
        return ss_xml_fail(m->xml, b.node, "a second body '%s'", given);
    if (given)
        SS_TRY(ss_map_set(&m->bodies, given, own));
    return read_children(m, b.node, own, b.inherited);
}

ss_status ss_mjcf_world(ss_mjcf *m, const xmlNode *world)
{
    return read_children(m, world, -1, NULL);
}
