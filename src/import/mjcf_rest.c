/* mjcf_rest.c: contacts, equality, tendons, actuators and keyframes of MJCF. */
#include "import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *number(double value, ss_robot_number *n)
{
    *n = ss_robot_shortest(value);
    return n->text;
}

/* ---- Contact rules: one for each two materials that meet ---- */

static bool meet(const ss_mjcf_material *a, const ss_mjcf_material *b)
{
    return (a->moves || b->moves) && ((a->type & b->affinity) || (b->type & a->affinity));
}

/* The larger of both, unless one has priority. */
static void combine(const ss_mjcf_material *a, const ss_mjcf_material *b, ss_mjcf_material *both)
{
    *both = a->priority >= b->priority ? *a : *b;
    if (a->priority != b->priority)
        return;
    both->condim = a->condim > b->condim ? a->condim : b->condim;
    for (int i = 0; i < 3; i++)
        both->friction[i] = fmax(a->friction[i], b->friction[i]);
}

static void write_rule(ss_mjcf *m, const ss_mjcf_material *a, const ss_mjcf_material *b)
{
    static const char *const groups[] = {"slip", "spin", "roll"};
    ss_mjcf_material both;
    char laws[256] = "";
    size_t used = 0;
    combine(a, b, &both);
    int count = both.condim == 1 ? 0 : both.condim == 3 ? 1 : both.condim == 4 ? 2 : 3;
    for (int i = 0; i < count; i++) {
        ss_robot_number n;
        if (both.friction[i] > 0)
            used +=
                (size_t)snprintf(laws + used, sizeof laws - used, ", %s: {type: friction, mu: %s}",
                                 groups[i], number(both.friction[i], &n));
    }
    ss_robot_add_line(m->robot, SS_ROBOT_ELEMENTS,
                      "  %s_on_%s: {type: contact, between: [%s, %s], laws: {gap: {type: "
                      "unilateral}%s}}",
                      a->name, b->name, a->name, b->name, laws);
}

static void write_rules(ss_mjcf *m)
{
    for (int i = 0; i < m->n_materials; i++)
        for (int k = 0; k <= i; k++)
            if (meet(&m->materials[i], &m->materials[k]))
                write_rule(m, &m->materials[i], &m->materials[k]);
}

/* The link of a body that an attribute names; -1 where it may be left out, or "world": space. */
static ss_status find_body(const ss_mjcf *m, const xmlNode *node, const char *attribute,
                           bool required, int *link)
{
    const char *name = ss_xml_get(node, attribute);
    *link = -1;
    if (required)
        SS_TRY(ss_xml_need(m->xml, node, attribute, &name));
    if (!name || strcmp(name, "world") == 0)
        return SS_OK;
    return ss_map_find(&m->bodies, name, link)
               ? SS_OK
               : ss_xml_fail(m->xml, node, "there is no body '%s'", name);
}

static ss_status read_contacts(ss_mjcf *m, const xmlNode *contact)
{
    for (xmlNode *n = ss_xml_child(contact, NULL); n; n = ss_xml_next(n, NULL)) {
        int a, b;
        if (!ss_xml_is(n, "exclude")) {
            SS_TRY(ss_mjcf_omit_node(m, n));
            continue;
        }
        SS_TRY(find_body(m, n, "body1", true, &a));
        SS_TRY(find_body(m, n, "body2", true, &b));
        if (a < 0 || b < 0) {
            SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, n).line,
                                 "exclusions of contacts with the world"));
            continue;
        }
        ss_robot_link *link = &m->robot->links[a];
        SS_TRY(ss_robot_text(m->robot, &link->apart, "%s%s%s", link->apart ? link->apart : "",
                             link->apart ? ", " : "", m->robot->links[b].name));
    }
    return SS_OK;
}

/* ---- Coordinates ---- */

static ss_status find_joint(const ss_mjcf *m, const xmlNode *node, const char *attribute,
                            const ss_mjcf_joint **joint)
{
    const char *name;
    int index;
    SS_TRY(ss_xml_need(m->xml, node, attribute, &name));
    if (!ss_map_find(&m->joint_index, name, &index))
        return ss_xml_fail(m->xml, node, "there is no joint '%s'", name);
    *joint = &m->joints[index];
    if ((*joint)->nq != 1)
        return ss_xml_fail(m->xml, node, "joint '%s' must be a hinge or a slide", name);
    return SS_OK;
}

/* "(robot.knee + 0.3)" as the file counts it; or its rate. */
static void write_coordinate(const ss_mjcf *m, const ss_mjcf_joint *joint, bool rate,
                             size_t capacity, char *text)
{
    const char *name = m->robot->links[joint->link].coordinate;
    ss_robot_number n;
    if (rate || joint->ref == 0)
        snprintf(text, capacity, "%s.%s%s", m->robot->system, name, rate ? "'" : "");
    else
        snprintf(text, capacity, "(%s.%s + %s)", m->robot->system, name, number(joint->ref, &n));
}

/* Something with a length: a joint, or a fixed tendon, which is a sum. */
typedef struct length {
    char value[1500], rate[1500];
    int count;
    const ss_mjcf_joint *joints[16];
    double share[16];
} length;

static ss_status add_joint(const ss_mjcf *m, const xmlNode *node, const ss_mjcf_joint *joint,
                           double share, length *sum)
{
    enum { MOST = 16 };
    char value[200], rate[200];
    ss_robot_number n;
    size_t used = strlen(sum->value), rates = strlen(sum->rate);
    if (sum->count == MOST)
        return ss_xml_fail(m->xml, node, "more than %d joints", MOST);
    write_coordinate(m, joint, false, sizeof value, value);
    write_coordinate(m, joint, true, sizeof rate, rate);
    const char *plus = sum->count ? " + " : "";
    char factor[40] = "";
    if (share != 1)
        snprintf(factor, sizeof factor, share < 0 ? "(%s)*" : "%s*", number(share, &n));
    snprintf(sum->value + used, sizeof sum->value - used, "%s%s%s", plus, factor, value);
    snprintf(sum->rate + rates, sizeof sum->rate - rates, "%s%s%s", plus, factor, rate);
    sum->joints[sum->count] = joint;
    sum->share[sum->count++] = share;
    return SS_OK;
}

static const xmlNode *tendon_named(const ss_mjcf *m, const char *name)
{
    for (xmlNode *t = ss_xml_child(m->root, "tendon"); t; t = ss_xml_next(t, "tendon"))
        for (xmlNode *n = ss_xml_child(t, "fixed"); n; n = ss_xml_next(n, "fixed"))
            if (ss_xml_get(n, "name") && strcmp(ss_xml_get(n, "name"), name) == 0)
                return n;
    return NULL;
}

static ss_status read_tendon(const ss_mjcf *m, const xmlNode *tendon, length *sum)
{
    const ss_mjcf_joint *joint = NULL;
    *sum = (length){.count = 0};
    for (xmlNode *n = ss_xml_child(tendon, "joint"); n; n = ss_xml_next(n, "joint")) {
        double share = 0;
        SS_TRY(find_joint(m, n, "joint", &joint));
        SS_TRY(ss_xml_numbers(m->xml, n, "coef", 1, &share, NULL));
        SS_TRY(add_joint(m, n, joint, share, sum));
    }
    return sum->count ? SS_OK : ss_xml_fail(m->xml, tendon, "a fixed tendon needs joints");
}

/* Stops, springs and dampers of a fixed tendon. */
static ss_status read_tendons(ss_mjcf *m, const xmlNode *section)
{
    for (xmlNode *n = ss_xml_child(section, NULL); n; n = ss_xml_next(n, NULL)) {
        length sum;
        double range[2];
        int count;
        const char *name;
        ss_robot_number low, high;
        if (!ss_xml_is(n, "fixed")) {
            SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, n).line, "<%s> tendons",
                                 (const char *)n->name));
            continue;
        }
        SS_TRY(read_tendon(m, n, &sum));
        SS_TRY(ss_mjcf_omit(m, n, NULL, "stiffness damping springlength frictionloss"));
        SS_TRY(ss_mjcf_numbers(m, n, NULL, "range", 2, range, &count));
        if (!ss_mjcf_true(m, n, NULL, "limited", m->autolimits && count == 2) || count < 2)
            continue;
        SS_TRY(
            ss_robot_name(m->robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(n, "name"), "tendon", &name));
        ss_robot_add_line(
            m->robot, SS_ROBOT_ELEMENTS,
            "  %s: {type: expression, gap: \"%s\", laws: {gap: {type: stop, lower: %s, "
            "upper: %s}}}",
            name, sum.value, number(range[0], &low), number(range[1], &high));
    }
    return SS_OK;
}

/* ---- Equality ---- */

/* Two bodies that share a point, or are one. */
static ss_status join_bodies(ss_mjcf *m, const xmlNode *node, const char *type)
{
    double anchor[3] = {0};
    int a, b;
    const char *name;
    char to[300] = "", point[200] = "";
    ss_robot_number x, y, z;
    bool point_given;
    SS_TRY(find_body(m, node, "body1", true, &a));
    SS_TRY(find_body(m, node, "body2", false, &b));
    if (a < 0 && b < 0)
        return ss_xml_fail(m->xml, node, "one of both bodies must move");
    SS_TRY(ss_xml_numbers(m->xml, node, "anchor", 3, anchor, &point_given));
    SS_TRY(ss_mjcf_omit(m, node, NULL, "relpose torquescale solref solimp"));
    if (a < 0) /* the anchor is then one of space */
        snprintf(point, sizeof point, ", at: [%s, %s, %s]", number(anchor[0], &x),
                 number(anchor[1], &y), number(anchor[2], &z));
    else if (point_given)
        snprintf(point, sizeof point, ", point: [%s, %s, %s]", number(anchor[0], &x),
                 number(anchor[1], &y), number(anchor[2], &z));
    if (a >= 0 && b >= 0)
        snprintf(to, sizeof to, ", to: %s.%s", m->robot->system, m->robot->links[b].name);
    SS_TRY(ss_robot_name(m->robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(node, "name"),
                         (const char *)node->name, &name));
    ss_robot_add_line(m->robot, SS_ROBOT_ELEMENTS, "  %s: {type: %s, system: %s.%s%s%s}", name,
                      type, m->robot->system, m->robot->links[a < 0 ? b : a].name, to, point);
    return SS_OK;
}

/* a - a₀ = c₀ + c₁ (b - b₀) + …, where both lengths have the values a₀, b₀ in the reference. */
static ss_status write_polynomial(ss_mjcf *m, const xmlNode *node, const length *a, const length *b)
{
    double c[5] = {0, 1};
    char text[3500];
    const char *name;
    ss_robot_number n;
    double a0 = 0, b0 = 0;
    SS_TRY(ss_mjcf_numbers(m, node, NULL, "polycoef", 5, c, NULL));
    for (int i = 0; i < a->count; i++)
        a0 += a->share[i] * a->joints[i]->ref;
    for (int i = 0; b && i < b->count; i++)
        b0 += b->share[i] * b->joints[i]->ref;
    size_t used = (size_t)snprintf(text, sizeof text, "%s - (%s)", a->value, number(a0 + c[0], &n));
    for (int i = 1; b && i < 5; i++) {
        char power[8] = "";
        if (c[i] == 0 || used >= sizeof text)
            continue;
        if (i > 1)
            snprintf(power, sizeof power, "^%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used, " - (%s)*", number(c[i], &n));
        used = used < sizeof text ? used : sizeof text - 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "(%s - (%s))%s", b->value,
                                 number(b0, &n), power);
        used = used < sizeof text ? used : sizeof text - 1;
    }
    SS_TRY(ss_mjcf_omit(m, node, NULL, "solref solimp"));
    SS_TRY(
        ss_robot_name(m->robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(node, "name"), "equal", &name));
    ss_robot_add_line(
        m->robot, SS_ROBOT_ELEMENTS,
        "  %s: {type: expression, gap: \"%s\", laws: {gap: {type: bilateral, stabilize: "
        "true}}}",
        name, text);
    return SS_OK;
}

/* The length of joint1, or tendon1. */
static ss_status read_length(const ss_mjcf *m, const xmlNode *node, const char *attribute,
                             length *sum)
{
    const ss_mjcf_joint *joint = NULL;
    const char *name;
    *sum = (length){.count = 0};
    if (attribute[0] == 'j') {
        SS_TRY(find_joint(m, node, attribute, &joint));
        return add_joint(m, node, joint, 1, sum);
    }
    SS_TRY(ss_xml_need(m->xml, node, attribute, &name));
    const xmlNode *tendon = tendon_named(m, name);
    return tendon ? read_tendon(m, tendon, sum)
                  : ss_xml_fail(m->xml, node, "there is no fixed tendon '%s'", name);
}

static ss_status read_equality(ss_mjcf *m, const xmlNode *section)
{
    for (xmlNode *n = ss_xml_child(section, NULL); n; n = ss_xml_next(n, NULL)) {
        bool joint = ss_xml_is(n, "joint");
        length a, b;
        if (!ss_mjcf_true(m, n, NULL, "active", true))
            continue;
        if (ss_xml_is(n, "connect") || ss_xml_is(n, "weld")) {
            SS_TRY(join_bodies(m, n, ss_xml_is(n, "weld") ? "fixed" : "spherical"));
        } else if (joint || ss_xml_is(n, "tendon")) {
            const char *second = joint ? "joint2" : "tendon2";
            bool other = ss_xml_get(n, second) != NULL;
            SS_TRY(read_length(m, n, joint ? "joint1" : "tendon1", &a));
            if (other)
                SS_TRY(read_length(m, n, second, &b));
            SS_TRY(write_polynomial(m, n, &a, other ? &b : NULL));
        } else {
            SS_TRY(ss_mjcf_omit_node(m, n));
        }
    }
    return SS_OK;
}

/* ---- Actuators: force = gain ctrl + b₀ + b₁ length + b₂ rate, kept within a range ---- */

typedef struct drive {
    double gain, bias[3], gear, range[2], controls[2];
    bool limited, controlled; /* the force, the control is kept within a range */
} drive;

static ss_status read_drive(const ss_mjcf *m, const xmlNode *node, drive *d, bool *known)
{
    double gains[10] = {1}, biases[10] = {0}, gears[6] = {1}, kp = 1, kv = 1;
    const char *gain = ss_mjcf_get(m, node, NULL, "gaintype"),
               *bias = ss_mjcf_get(m, node, NULL, "biastype"),
               *dynamics = ss_mjcf_get(m, node, NULL, "dyntype");
    int n, controls;
    *d = (drive){.gain = 1};
    *known = true;
    SS_TRY(ss_mjcf_numbers(m, node, NULL, "gear", 6, gears, NULL));
    SS_TRY(ss_mjcf_numbers(m, node, NULL, "forcerange", 2, d->range, &n));
    d->gear = gears[0];
    SS_TRY(ss_mjcf_numbers(m, node, NULL, "ctrlrange", 2, d->controls, &controls));
    d->controlled =
        ss_mjcf_true(m, node, NULL, "ctrllimited", m->autolimits && controls == 2) && controls == 2;
    d->limited = ss_mjcf_true(m, node, NULL, "forcelimited", m->autolimits && n == 2) && n == 2;
    if (ss_xml_is(node, "position")) {
        double damping = 0;
        SS_TRY(ss_mjcf_numbers(m, node, NULL, "kp", 1, &kp, NULL));
        SS_TRY(ss_mjcf_numbers(m, node, NULL, "kv", 1, &damping, NULL));
        d->gain = kp;
        d->bias[1] = -kp;
        d->bias[2] = -damping;
    } else if (ss_xml_is(node, "velocity")) {
        SS_TRY(ss_mjcf_numbers(m, node, NULL, "kv", 1, &kv, NULL));
        d->gain = kv;
        d->bias[2] = -kv;
    } else if (ss_xml_is(node, "general")) {
        SS_TRY(ss_mjcf_numbers(m, node, NULL, "gainprm", 10, gains, NULL));
        SS_TRY(ss_mjcf_numbers(m, node, NULL, "biasprm", 10, biases, NULL));
        d->gain = gains[0];
        bool affine = bias && strcmp(bias, "affine") == 0;
        for (int i = 0; i < 3; i++)
            d->bias[i] = affine ? biases[i] : 0;
        *known = (!gain || strcmp(gain, "fixed") == 0) &&
                 (!bias || affine || strcmp(bias, "none") == 0) &&
                 (!dynamics || strcmp(dynamics, "none") == 0);
    } else {
        *known = ss_xml_is(node, "motor");
    }
    return SS_OK;
}

/* "min(max(5*ctrl + …, -1), 1)" */
static void write_force(const drive *d, const char *ctrl, const length *sum, size_t capacity,
                        char *text)
{
    ss_robot_number n, low, high;
    char inner[3600], control[200];
    snprintf(control, sizeof control, "%s", ctrl);
    if (d->controlled)
        snprintf(control, sizeof control, "min(max(%s, %s), %s)", ctrl,
                 number(d->controls[0], &low), number(d->controls[1], &high));
    size_t used =
        d->gain == 1 ? (size_t)snprintf(inner, sizeof inner, "%s", control)
                     : (size_t)snprintf(inner, sizeof inner, "%s*%s", number(d->gain, &n), control);
    for (int i = 0; i < 3; i++) {
        double factor = i ? d->bias[i] * d->gear : d->bias[0];
        const char *of = i == 0 ? "" : i == 1 ? sum->value : sum->rate;
        if (factor != 0)
            used += (size_t)snprintf(inner + used, sizeof inner - used,
                                     i == 0           ? " %c %s%s"
                                     : sum->count > 1 ? " %c %s*(%s)"
                                                      : " %c %s*%s",
                                     factor < 0 ? '-' : '+', number(fabs(factor), &n), of);
    }
    if (d->limited)
        snprintf(text, capacity, "min(max(%s, %s), %s)", inner, number(d->range[0], &low),
                 number(d->range[1], &high));
    else
        snprintf(text, capacity, "%s", inner);
}

static ss_status write_drive(ss_mjcf *m, const xmlNode *node, const drive *d, const length *sum)
{
    const char *name, *ctrl;
    char force[4000], on[1500] = "";
    ss_writer line = {.context = m->robot->context};
    ss_robot_number n;
    SS_TRY(
        ss_robot_name(m->robot, SS_ROBOT_OBJECT_NAMES, ss_xml_get(node, "name"), "drive", &name));
    SS_TRY(ss_robot_text(m->robot, &ctrl, "ctrl_%s", name));
    ss_robot_add_line(m->robot, SS_ROBOT_PARAMETERS, "  %s: %s", ctrl,
                      number(m->n_drives < m->n_controls ? m->controls[m->n_drives] : 0, &n));
    write_force(d, ctrl, sum, sizeof force, force);
    for (int i = 0; i < sum->count; i++) {
        size_t used = strlen(on);
        snprintf(on + used, sizeof on - used, "%s%s.%s'", i ? ", " : "", m->robot->system,
                 m->robot->links[sum->joints[i]->link].coordinate);
    }
    ss_write(&line, "  %s: {type: load, on: [%s], force: [", name, on);
    for (int i = 0; i < sum->count; i++) {
        double factor = d->gear * sum->share[i];
        ss_write(&line, i ? ", " : "");
        if (factor == 1)
            ss_write(&line, "\"%s\"", force);
        else
            ss_write(&line, "\"%s*(%s)\"", number(factor, &n), force);
    }
    ss_write(&line, "]}\n");
    if (line.status == SS_OK)
        ss_write(&m->robot->lines[SS_ROBOT_FORCES], "%s", line.text);
    ss_release(m->robot->context, line.text);
    return line.status;
}

static ss_status read_actuators(ss_mjcf *m, const xmlNode *section)
{
    for (xmlNode *n = ss_xml_child(section, NULL); n; n = ss_xml_next(n, NULL), m->n_drives++) {
        bool joint = ss_mjcf_get(m, n, NULL, "joint") != NULL, known;
        bool tendon = ss_mjcf_get(m, n, NULL, "tendon") != NULL;
        length sum;
        drive d;
        SS_TRY(read_drive(m, n, &d, &known));
        const char *moved = ss_xml_get(n, "tendon");
        if (!known || (!joint && !tendon) || (moved && !tendon_named(m, moved))) {
            SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, n).line,
                                 "<%s> of a kind that is not known", (const char *)n->name));
            continue;
        }
        SS_TRY(read_length(m, n, joint ? "joint" : "tendon", &sum));
        SS_TRY(ss_mjcf_omit(m, n, NULL, "actrange"));
        SS_TRY(write_drive(m, n, &d, &sum));
    }
    return SS_OK;
}

/* ---- The first keyframe: where the joints begin, and the controls ---- */

enum { MOST_DRIVES = 1000 };

static ss_status take_key(ss_mjcf *m, const xmlNode *key)
{
    double *q;
    int n;
    ss_xml_text text = {"qpos", ss_xml_get(key, "qpos")};
    SS_TRY(SS_ARENA_NEW(&m->robot->arena, m->nq + 1, &q));
    SS_TRY(ss_xml_read_numbers(m->xml, key, &text, m->nq, q, &n));
    SS_TRY(ss_mjcf_omit(m, key, NULL, "qvel act mpos mquat time"));
    text = (ss_xml_text){"ctrl", ss_xml_get(key, "ctrl")};
    SS_TRY(SS_ARENA_NEW(&m->robot->arena, MOST_DRIVES, &m->controls));
    SS_TRY(ss_xml_read_numbers(m->xml, key, &text, MOST_DRIVES, m->controls, &m->n_controls));
    if (n > 0 && n != m->nq)
        return ss_xml_fail(m->xml, key, "'qpos' has %d numbers, the joints have %d", n, m->nq);
    for (int j = 0; n > 0 && j < m->n_joints; j++) {
        const ss_mjcf_joint *joint = &m->joints[j];
        ss_robot_link *link = &m->robot->links[joint->link];
        const double *own = q + joint->q;
        if (joint->nq == 7) {
            memcpy(link->at, own, sizeof link->at);
            memcpy(link->e, own + 3, sizeof link->e);
        } else if (joint->nq == 4) {
            memcpy(link->ball, own, sizeof link->ball);
        } else {
            link->start = own[0] - joint->ref;
            if (link->limited)
                link->start = fmin(fmax(link->start, link->limits[0]), link->limits[1]);
        }
    }
    return SS_OK;
}

static ss_status read_keys(ss_mjcf *m, const xmlNode *section)
{
    const xmlNode *first = ss_xml_child(section, "key");
    if (first && ss_xml_next(first, "key"))
        SS_TRY(ss_robot_omit(m->robot, ss_xml_where(m->xml, first).line,
                             "keyframes but for the first"));
    return first ? take_key(m, first) : SS_OK;
}

ss_status ss_mjcf_rest(ss_mjcf *m)
{
    static const struct {
        const char *name;
        ss_status (*read)(ss_mjcf *m, const xmlNode *section);
    } sections[] = {{"contact", read_contacts},
                    {"tendon", read_tendons},
                    {"equality", read_equality},
                    {"keyframe", read_keys},
                    {"actuator", read_actuators}};
    write_rules(m);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (xmlNode *n = ss_xml_child(m->root, sections[i].name); n;
             n = ss_xml_next(n, sections[i].name))
            SS_TRY(sections[i].read(m, n));
    return SS_OK;
}
