/* mjcf.c: robots in MJCF: included files, compiler, options, default classes. */
#include "import/mjcf.h"

#include "la/elementary.h"
#include "model/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Default classes ---- */

static const xmlNode *class_in(const xmlNode *defaults, const char *name)
{
    const char *own = ss_xml_get(defaults, "class");
    if (own && strcmp(own, name) == 0)
        return defaults;
    for (xmlNode *n = ss_xml_child(defaults, "default"); n; n = ss_xml_next(n, "default")) {
        const xmlNode *found = class_in(n, name);
        if (found)
            return found;
    }
    return NULL;
}

/* The class at the top is "main", if it has no other name. */
static const xmlNode *class_named(const ss_mjcf *m, const char *name)
{
    const xmlNode *found = name && m->defaults ? class_in(m->defaults, name) : NULL;
    return found ? found : m->defaults;
}

static const char *default_of(const xmlNode *class, const char *element, const char *name)
{
    for (; ss_xml_is(class, "default"); class = class->parent)
        for (xmlNode *n = ss_xml_child(class, element); n; n = ss_xml_next(n, element))
            if (ss_xml_get(n, name))
                return ss_xml_get(n, name);
    return NULL;
}

const char *ss_mjcf_get(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                        const char *name)
{
    const char *value = ss_xml_get(node, name), *own = ss_xml_get(node, "class");
    const char *element = (const char *)node->name;
    if (value || !m->defaults)
        return value;
    if (strcmp(element, "fixed") == 0)
        element = "tendon";
    const xmlNode *class = class_named(m, own ? own : inherited);
    value = default_of(class, element, name);
    bool drive = strcmp(element, "motor") == 0 || strcmp(element, "position") == 0 ||
                 strcmp(element, "velocity") == 0;
    return !value && drive ? default_of(class, "general", name) : value;
}

/* ---- Numbers ---- */

ss_status ss_mjcf_numbers(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                          const char *name, int most, double *values, int *count)
{
    int n;
    return ss_xml_read_numbers(m->xml, node,
                               &(ss_xml_text){name, ss_mjcf_get(m, node, inherited, name)}, most,
                               values, count ? count : &n);
}

ss_status ss_mjcf_int(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                      const char *name, int *value)
{
    double number = *value;
    SS_TRY(ss_mjcf_numbers(m, node, inherited, name, 1, &number, NULL));
    if (number != floor(number) || fabs(number) > 2147483647)
        return ss_xml_fail(m->xml, node, "'%s' wants a whole number, not %g", name, number);
    *value = (int)number;
    return SS_OK;
}

bool ss_mjcf_true(const ss_mjcf *m, const xmlNode *node, const char *inherited, const char *name,
                  bool otherwise)
{
    const char *value = ss_mjcf_get(m, node, inherited, name);
    if (!value || strcmp(value, "auto") == 0)
        return otherwise;
    return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

double ss_mjcf_angle(const ss_mjcf *m, double value)
{
    return m->degrees ? value * 3.14159265358979323846 / 180 : value;
}

/* ---- Orientations ---- */

static ss_status normalize(const ss_mjcf *m, const xmlNode *node, const char *name, int n,
                           double *v)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += v[i] * v[i];
    if (!(length > 0))
        return ss_xml_fail(m->xml, node, "'%s' has no direction", name);
    for (int i = 0; i < n; i++)
        v[i] /= sqrt(length);
    return SS_OK;
}

/* The quaternion of three axes, columns of a rotation. */
static void quaternion_of(double a[3][3], double e[4])
{
    double trace = a[0][0] + a[1][1] + a[2][2];
    int k = 0;
    if (trace > 0) {
        double s = 2 * sqrt(1 + trace);
        e[0] = s / 4;
        for (int i = 0; i < 3; i++)
            e[1 + i] = (a[(i + 1) % 3][(i + 2) % 3] - a[(i + 2) % 3][(i + 1) % 3]) / s;
        return;
    }
    for (int i = 1; i < 3; i++)
        k = a[i][i] > a[k][k] ? i : k;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double s = 2 * sqrt(1 + a[k][k] - a[i][i] - a[j][j]);
    e[0] = (a[i][j] - a[j][i]) / s;
    e[1 + k] = s / 4;
    e[1 + i] = (a[k][i] + a[i][k]) / s;
    e[1 + j] = (a[k][j] + a[j][k]) / s;
}

/* The smallest turn of the z axis into a direction. */
static void turn_z(const double z[3], double e[4])
{
    double c = sqrt((1 + z[2]) / 2);
    if (c < 1e-12) {
        e[0] = e[2] = e[3] = 0;
        e[1] = 1;
        return;
    }
    e[0] = c;
    e[1] = -z[1] / (2 * c);
    e[2] = z[0] / (2 * c);
    e[3] = 0;
}

static void turn_euler(const ss_mjcf *m, const double angles[3], double e[4])
{
    double all[4] = {1}, next[4];
    for (int i = 0; i < 3; i++) {
        char axis = m->sequence[i];
        bool fixed = axis < 'a'; /* capitals turn about axes that stay */
        int k = (fixed ? axis + 32 : axis) - 'x';
        double half = ss_mjcf_angle(m, angles[i]) / 2, one[4] = {ss_cos(half)};
        one[1 + k] = ss_sin(half);
        if (fixed)
            ss_quaternion_product(one, all, next);
        else
            ss_quaternion_product(all, one, next);
        memcpy(all, next, sizeof all);
    }
    memcpy(e, all, sizeof all);
}

ss_status ss_mjcf_pose(const ss_mjcf *m, const xmlNode *node, const char *inherited, double x[3],
                       double e[4])
{
    double v[6], a[3][3];
    int n;
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "pos", 3, x, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "quat", 4, v, &n));
    if (n == 4) {
        SS_TRY(normalize(m, node, "quat", 4, v));
        memcpy(e, v, 4 * sizeof *e);
    }
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "axisangle", 4, v, &n));
    if (n == 4) {
        SS_TRY(normalize(m, node, "axisangle", 3, v));
        double half = ss_mjcf_angle(m, v[3]) / 2;
        e[0] = ss_cos(half);
        for (int i = 0; i < 3; i++)
            e[1 + i] = ss_sin(half) * v[i];
    }
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "euler", 3, v, &n));
    if (n == 3)
        turn_euler(m, v, e);
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "zaxis", 3, v, &n));
    if (n == 3) {
        SS_TRY(normalize(m, node, "zaxis", 3, v));
        turn_z(v, e);
    }
    SS_TRY(ss_mjcf_numbers(m, node, inherited, "xyaxes", 6, v, &n));
    if (n < 6)
        return SS_OK;
    SS_TRY(normalize(m, node, "xyaxes", 3, v));
    double along = v[0] * v[3] + v[1] * v[4] + v[2] * v[5];
    for (int i = 0; i < 3; i++)
        v[3 + i] -= along * v[i];
    SS_TRY(normalize(m, node, "xyaxes", 3, v + 3));
    memcpy(a[0], v, sizeof a[0]);
    memcpy(a[1], v + 3, sizeof a[1]);
    ss_cross3(a[0], a[1], a[2]);
    quaternion_of(a, e);
    return SS_OK;
}

/* ---- What is left out ---- */

ss_status ss_mjcf_omit(const ss_mjcf *m, const xmlNode *node, const char *inherited,
                       const char *names)
{
    for (const char *at = names; *at; at += strspn(at, " ")) {
        char name[64];
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        if (ss_mjcf_get(m, node, inherited, name))
            SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, node).line, "%s of <%s>", name,
                                 (const char *)node->name));
    }
    return SS_OK;
}

ss_status ss_mjcf_omit_node(const ss_mjcf *m, const xmlNode *node)
{
    return ss_robot_omit(m->robot, ss_xml_where(m->xml, node).line, "<%s>",
                         (const char *)node->name);
}

/* ---- Included files: their elements take the place of <include> ---- */

enum { MOST_FILES = 100, DEEPEST = 200 };

static ss_status include_all(ss_mjcf *m, xmlNode *node, int depth, int *files);

static ss_status include_file(ss_mjcf *m, xmlNode *include, int depth, int *files)
{
    const char *file, *path;
    ss_xml other;
    ss_location from = ss_xml_where(m->xml, include);
    SS_TRY(ss_xml_need(m->xml, include, "file", &file));
    SS_TRY(ss_robot_text(m->robot, &path, "%s%s", file[0] == '/' ? "" : m->robot->folder, file));
    if (!m->robot->options->allow_outside && !ss_file_is_below(path, m->robot->folder))
        return ss_xml_fail(m->xml, include,
                           "'%s' is not below the folder of the file; --allow-outside allows that",
                           file);
    if (++*files > MOST_FILES)
        return ss_xml_fail(m->xml, include,
                           "more than %d files are included; perhaps one "
                           "includes itself",
                           MOST_FILES);
    SS_TRY(ss_xml_read(m->robot->context, path, from, &other));
    xmlNode *root = xmlDocGetRootElement(other.doc), *behind = include, *next;
    for (xmlNode *n = root->children; n; n = next) {
        next = n->next;
        xmlUnlinkNode(n);
        behind = xmlAddNextSibling(behind, n);
    }
    ss_xml_release(&other);
    xmlNode *parent = include->parent;
    xmlUnlinkNode(include);
    xmlFreeNode(include);
    return include_all(m, parent, depth, files);
}

static ss_status include_all(ss_mjcf *m, xmlNode *node, int depth, int *files)
{
    if (depth > DEEPEST)
        return ss_xml_fail(m->xml, node, "elements are nested deeper than %d", DEEPEST);
    for (xmlNode *n = ss_xml_child(node, NULL); n; n = ss_xml_next(n, NULL)) {
        if (ss_xml_is(n, "include")) /* goes on with its parent */
            return include_file(m, n, depth, files);
        SS_TRY(include_all(m, n, depth + 1, files));
    }
    return SS_OK;
}

/* ---- Compiler and options. A later one adds to the earlier. ---- */

static bool said(const xmlNode *node, const char *name, const char *value)
{
    const char *is = ss_xml_get(node, name);
    return is && strcmp(is, value) == 0;
}

static ss_status set_folder(ss_mjcf *m, const char *folder)
{
    size_t length = strlen(folder);
    bool slash = length == 0 || folder[length - 1] == '/';
    return ss_robot_text(m->robot, &m->meshes, "%s%s", folder, slash ? "" : "/");
}

static ss_status read_compiler(ss_mjcf *m, const xmlNode *node)
{
    const char *sequence = ss_xml_get(node, "eulerseq"), *meshes = ss_xml_get(node, "meshdir");
    meshes = meshes ? meshes : ss_xml_get(node, "assetdir");
    if (ss_xml_get(node, "angle"))
        m->degrees = !said(node, "angle", "radian");
    if (ss_xml_get(node, "autolimits"))
        m->autolimits = said(node, "autolimits", "true");
    if (ss_xml_get(node, "inertiafromgeom"))
        m->from_geoms = said(node, "inertiafromgeom", "true")    ? 1
                        : said(node, "inertiafromgeom", "false") ? 0
                                                                 : -1;
    if (said(node, "coordinate", "global"))
        return ss_xml_fail(m->xml, node,
                           "coordinate=\"global\" is not read; use local coordinates");
    if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
        return ss_xml_fail(m->xml, node, "'eulerseq' wants three of xyzXYZ, not '%.20s'", sequence);
    if (sequence)
        memcpy(m->sequence, sequence, 4);
    if (meshes)
        SS_TRY(set_folder(m, meshes));
    return ss_mjcf_omit(m, node, NULL,
                        "boundmass boundinertia settotalmass balanceinertia strippath "
                        "inertiagrouprange exactmeshinertia");
}

static ss_status read_option(ss_mjcf *m, const xmlNode *node)
{
    SS_TRY(ss_xml_numbers(m->xml, node, "gravity", 3, m->robot->gravity, NULL));
    SS_TRY(ss_xml_numbers(m->xml, node, "timestep", 1, &m->robot->step, NULL));
    if (!(m->robot->step > 0))
        return ss_xml_fail(m->xml, node, "'timestep' must be > 0, not %g", m->robot->step);
    for (const xmlAttr *a = node->properties; a; a = a->next)
        if (strcmp((const char *)a->name, "gravity") != 0 &&
            strcmp((const char *)a->name, "timestep") != 0)
            SS_TRY(ss_mjcf_omit(m, node, NULL, (const char *)a->name));
    for (xmlNode *n = ss_xml_child(node, "flag"); n; n = ss_xml_next(n, "flag")) {
        if (said(n, "gravity", "disable"))
            memset(m->robot->gravity, 0, sizeof m->robot->gravity);
        for (const xmlAttr *a = n->properties; a; a = a->next)
            if (strcmp((const char *)a->name, "gravity") != 0)
                SS_TRY(ss_mjcf_omit(m, n, NULL, (const char *)a->name));
    }
    return SS_OK;
}

static ss_status read_head(ss_mjcf *m)
{
    static const char *const later[] = {"worldbody", "contact", "equality", "tendon",   "actuator",
                                        "keyframe",  "default", "asset",    "compiler", "option"};
    for (xmlNode *n = ss_xml_child(m->root, NULL); n; n = ss_xml_next(n, NULL)) {
        bool known = false;
        for (size_t i = 0; i < sizeof later / sizeof *later; i++)
            known = known || ss_xml_is(n, later[i]);
        if (ss_xml_is(n, "compiler"))
            SS_TRY(read_compiler(m, n));
        if (ss_xml_is(n, "option"))
            SS_TRY(read_option(m, n));
        if (ss_xml_is(n, "default") && m->defaults && !ss_xml_get(n, "class")) {
            /* a second default at the top adds to the first */
            xmlNode *to = (xmlNode *)m->defaults, *next;
            for (xmlNode *c = n->children; c; c = next) {
                next = c->next;
                xmlUnlinkNode(c);
                xmlAddChild(to, c);
            }
        } else if (ss_xml_is(n, "default") && !m->defaults) {
            m->defaults = n;
        }
        if (!known)
            SS_TRY(ss_mjcf_omit_node(m, n));
    }
    return SS_OK;
}

static ss_status read_all(ss_mjcf *m)
{
    int files = 0, worlds = 0;
    SS_TRY(include_all(m, (xmlNode *)m->root, 0, &files));
    SS_TRY(read_head(m));
    for (xmlNode *n = ss_xml_child(m->root, "worldbody"); n; n = ss_xml_next(n, "worldbody")) {
        SS_TRY(ss_mjcf_world(m, n));
        worlds++;
    }
    if (worlds == 0 || m->robot->n_links == 0)
        return ss_xml_fail(m->xml, m->root, "it has no <worldbody> with a <body>");
    return ss_mjcf_rest(m);
}

ss_status ss_import_mjcf(ss_robot *robot, const ss_xml *xml)
{
    ss_xml own = *xml;
    ss_mjcf m = {.robot = robot,
                 .xml = &own,
                 .root = xmlDocGetRootElement(xml->doc),
                 .degrees = true,
                 .autolimits = true,
                 .from_geoms = -1,
                 .sequence = "xyz",
                 .meshes = ""};
    robot->step = 2e-3;
    SS_TRY(ss_robot_name(robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(m.root, "model"), "robot",
                         &robot->system));
    ss_map_init(&m.bodies, robot->context);
    ss_map_init(&m.joint_index, robot->context);
    ss_status status = read_all(&m);
    ss_map_release(&m.bodies);
    ss_map_release(&m.joint_index);
    ss_release(robot->context, m.joints);
    ss_release(robot->context, m.materials);
    return status;
}
