/* tree_build.c: links as a scene gives them become the nodes and frames of a tree, with names and initial values. */
#include "geometry/geometry.h"
#include "model/model.h"
#include "options/options.h"
#include "types/points.h"
#include "types/rotation.h"
#include "types/systems/tree.h"
#include "types/types.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LINKS = 1000 };

static const char *const joint_names[] = {"fixed", "free", "hinge", "slide", "ball", "universal"};

static const ss_link *link_of(const ss_tree_system *tree, int i)
{
    return tree->links.items[i].self;
}

/* ---- Messages about a link: a setup whose object is called "system 'robot': links.thigh" ---- */

typedef struct link_setup {
    ss_setup setup;
    ss_object object;
    char owner[512];
} link_setup;

static const ss_setup *about(const ss_setup *setup, const ss_tree_system *tree, int link,
                             link_setup *own)
{
    const ss_object_given *given = &tree->links.items[link];
    const ss_arg *arg = ss_args_find(setup->args, "links");
    snprintf(own->owner, sizeof own->owner, "%s: links.%s", setup->object->owner, given->name.text);
    own->setup = *setup;
    own->object = *setup->object;
    own->object.owner = own->owner;
    own->object.where = given->name.where;
    own->setup.object = &own->object;
    own->setup.args = arg && arg->objects ? arg->objects[link] : NULL;
    return &own->setup;
}

/* ---- Nodes ---- */

/* A tree that is being made. */
typedef struct builder {
    ss_setup *setup;
    ss_tree_system *tree;
    int *parent; /* per link: its parent, -1: space */
    bool *made;  /* per link */
} builder;

static void rotation_of(const double e[4], double A[9])
{
    ss_body_rotation(e, A);
}

static void turn_matrix(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* Where the frame of a link is in that of its parent, with its joint at zero; and its quaternion. */
static ss_status read_pose(const ss_setup *setup, const ss_link *link, ss_pose *pose, double e[4])
{
    *pose = ss_pose_here;
    e[0] = 1.0, e[1] = e[2] = e[3] = 0.0;
    if (link->at.rows)
        SS_TRY(ss_read_numbers(setup, "at", &link->at, 3, pose->x));
    if (link->rotation.rows && link->angles.rows)
        return ss_refuse(setup, "'rotation' and 'yaw_pitch_roll' say the same; give one of them");
    if (link->rotation.rows)
        SS_TRY(ss_read_axis_angle(setup, "rotation", &link->rotation, e));
    if (link->angles.rows)
        SS_TRY(ss_read_yaw_pitch_roll(setup, "yaw_pitch_roll", &link->angles, e));
    rotation_of(e, pose->A);
    return SS_OK;
}

static ss_status read_axis(const ss_setup *setup, const char *key, const ss_matrix *given,
                           const char *joint, double axis[3])
{
    if (!given->rows)
        return ss_refuse(setup, "'%s' is missing: a joint of type '%s' needs one", key, joint);
    return ss_read_direction(setup, key, given, 3, axis);
}

/* A new node. */
static ss_tree_node *add_node(ss_tree_system *tree, int parent, ss_joint_kind kind)
{
    static const int nq[] = {
        [SS_JOINT_FREE] = 7, [SS_JOINT_HINGE] = 1, [SS_JOINT_SLIDE] = 1, [SS_JOINT_BALL] = 4};
    ss_tree_node *node = &tree->nodes[tree->n_nodes++];
    *node = (ss_tree_node){.parent = parent,
                           .kind = (int)kind,
                           .q = tree->nq,
                           .u = tree->nu,
                           .nq = nq[kind],
                           .nu = kind == SS_JOINT_FREE   ? 6
                                 : kind == SS_JOINT_BALL ? 3
                                                         : 1,
                           .at = ss_pose_here};
    tree->nq += node->nq;
    tree->nu += node->nu;
    return node;
}

static void set_joint(ss_tree_node *node, const ss_link *link)
{
    node->armature = link->armature;
    node->damping = link->damping;
    node->stiffness = link->stiffness;
    node->rest = link->rest;
}

/* The nodes of a link with a joint that moves; `base` is where its frame is in the parent node, its joint at zero. */
static ss_status add_joint(builder *b, const ss_setup *setup, int i, int parent,
                           const ss_pose *base)
{
    ss_tree_system *tree = b->tree;
    const ss_link *link = link_of(tree, i);
    ss_joint_kind kind = (ss_joint_kind)link->joint;
    bool universal = kind == SS_JOINT_UNIVERSAL;
    double pivot[3] = {0}, axis[3] = {0}, cross[3] = {0}, arm[3];
    if (link->pivot.rows)
        SS_TRY(ss_read_numbers(setup, "pivot", &link->pivot, 3, pivot));
    if (kind != SS_JOINT_FREE && kind != SS_JOINT_BALL)
        SS_TRY(read_axis(setup, "axis", &link->axis, joint_names[kind], axis));
    if (universal)
        SS_TRY(read_axis(setup, "cross_axis", &link->cross_axis, joint_names[kind], cross));
    ss_cross3(axis, cross, arm);
    if (universal && !(sqrt(ss_dot3(arm, arm)) > 1e-6))
        return ss_refuse(setup, "'cross_axis' must not be parallel to 'axis'");
    ss_tree_node *node = add_node(tree, parent, universal ? SS_JOINT_HINGE : kind);
    set_joint(node, link);
    if (kind != SS_JOINT_FREE) {
        node->at = *base;
        ss_turn(base->A, pivot, arm);
        for (int k = 0; k < 3; k++)
            node->at.x[k] += arm[k];
    }
    memcpy(node->axis, axis, sizeof axis);
    if (universal) {
        node = add_node(tree, tree->n_nodes - 1, SS_JOINT_HINGE);
        set_joint(node, link);
        memcpy(node->axis, cross, sizeof cross);
    }
    tree->frames[i] = (ss_tree_frame){.node = tree->n_nodes - 1, .at = ss_pose_here};
    for (int k = 0; k < 3; k++)
        tree->frames[i].at.x[k] = -pivot[k];
    return SS_OK;
}

/* J of a mass at c += about the origin. */
static void add_point(double mass, const double c[3], double J[9])
{
    double cc = ss_dot3(c, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
}

/* The mass of a link goes to its node; that of one fixed in space moves nothing. */
static ss_status add_mass(const ss_setup *setup, ss_tree_system *tree, int i)
{
    const ss_link *link = link_of(tree, i);
    const ss_tree_frame *frame = &tree->frames[i];
    double c[3] = {0}, x[3], J[9] = {0}, AJ[9], K[9];
    if (link->centre.rows)
        SS_TRY(ss_read_numbers(setup, "centre", &link->centre, 3, c));
    if (link->inertia.rows)
        SS_TRY(ss_read_inertia(setup, &link->inertia, J));
    if (frame->node < 0)
        return SS_OK;
    ss_tree_node *node = &tree->nodes[frame->node];
    const double *A = frame->at.A;
    ss_turn(A, c, x);
    ss_add3(x, frame->at.x, x);
    turn_matrix(A, J, AJ);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            K[3 * r + k] = ss_dot3(AJ + 3 * r, A + 3 * k);
    for (int k = 0; k < 9; k++)
        node->J[k] += (K[k] + K[3 * (k % 3) + k / 3]) / 2;
    add_point(link->mass, x, node->J);
    node->mass += link->mass;
    for (int k = 0; k < 3; k++)
        node->first[k] += link->mass * x[k];
    return SS_OK;
}

static ss_status add_link(builder *b, int i)
{
    link_setup own;
    ss_tree_system *tree = b->tree;
    const ss_setup *setup = about(b->setup, tree, i, &own);
    const ss_link *link = link_of(tree, i);
    int parent = b->parent[i];
    ss_pose pose, base;
    double e[4];
    if (link->joint == SS_JOINT_FREE && parent >= 0)
        return ss_refuse(setup,
                         "'joint' cannot be free: the link has a parent; leave 'parent' out");
    SS_TRY(read_pose(setup, link, &pose, e));
    ss_tree_frame space = {-1, ss_pose_here};
    const ss_tree_frame *from = parent < 0 ? &space : &tree->frames[parent];
    ss_pose_join(&from->at, &pose, &base);
    if (link->joint == SS_JOINT_FIXED)
        tree->frames[i] = (ss_tree_frame){from->node, base};
    else
        SS_TRY(add_joint(b, setup, i, from->node, &base));
    b->made[i] = true;
    return add_mass(setup, tree, i);
}

/* The link that a key of link i names. */
static ss_status find_link(const ss_setup *setup, const ss_tree_system *tree, int i,
                           const char *key, const char *name, int *link)
{
    const char *names[64];
    link_setup own;
    size_t count = 0;
    for (*link = 0; *link < tree->links.count; ++*link)
        if (strcmp(tree->links.items[*link].name.text, name) == 0)
            return SS_OK;
    for (int k = 0; k < tree->links.count && count < 64; k++)
        names[count++] = tree->links.items[k].name.text;
    return ss_refuse(about(setup, tree, i, &own), "'%s' names no link: there is no '%s'%s", key,
                     name, ss_hint_of(name, count, names).near);
}

static ss_status find_parents(builder *b)
{
    ss_tree_system *tree = b->tree;
    for (int i = 0; i < tree->links.count; i++) {
        const char *parent = link_of(tree, i)->parent.text;
        b->parent[i] = -1;
        if (parent)
            SS_TRY(find_link(b->setup, tree, i, "parent", parent, &b->parent[i]));
    }
    return SS_OK;
}

/* Every link after its parent; in the order in which they were given, where that is possible. */
static ss_status add_links(builder *b)
{
    ss_tree_system *tree = b->tree;
    int left = tree->links.count, before = left + 1;
    while (left > 0 && left < before) {
        before = left;
        for (int i = 0; i < tree->links.count; i++)
            if (!b->made[i] && (b->parent[i] < 0 || b->made[b->parent[i]])) {
                SS_TRY(add_link(b, i));
                left--;
            }
    }
    for (int i = 0; left > 0 && i < tree->links.count; i++) {
        link_setup own;
        if (!b->made[i])
            return ss_refuse(about(b->setup, tree, i, &own),
                             "'parent' leads in a circle; a loop is closed by a joint, an element "
                             "that connects two links");
    }
    return SS_OK;
}

/* ---- Mass ---- */

/* The centre in place of m c, and J about it. */
static void finish_node(ss_tree_node *node)
{
    if (!(node->mass > 0))
        return;
    for (int k = 0; k < 3; k++)
        node->first[k] /= node->mass;
    add_point(-node->mass, node->first, node->J);
}

/* What moves needs inertia, its own or of what it carries. */
static ss_status check_masses(const builder *b)
{
    const ss_tree_system *tree = b->tree;
    for (int i = 0; i < tree->n_frames; i++) {
        int n = tree->frames[i].node;
        bool heavy = n < 0;
        for (int m = n < 0 ? tree->n_nodes : n; m < tree->n_nodes && !heavy; m++) {
            int up = m;
            while (up > n)
                up = tree->nodes[up].parent;
            heavy = up == n && (tree->nodes[m].mass > 0 || tree->nodes[m].J[0] > 0 ||
                                tree->nodes[m].J[4] > 0 || tree->nodes[m].armature > 0);
        }
        link_setup own;
        if (!heavy)
            return ss_refuse(about(b->setup, tree, i, &own),
                             "'mass' is missing: neither this link nor any that it carries has "
                             "mass, and its joint has no armature");
    }
    return SS_OK;
}

/* ---- Names ---- */

void ss_tree_coordinate(const ss_tree_system *tree, int link, ss_name *name)
{
    const ss_link *l = link_of(tree, link);
    snprintf(name->text, sizeof name->text, "%.200s",
             l->coordinate.text ? l->coordinate.text : tree->links.items[link].name.text);
}

/* Names of coordinates and velocities, in space for `count` of them. */
typedef struct naming {
    ss_name *q, *u;
    const char **q_names, **u_names;
} naming;

static void name_link(const ss_tree_system *tree, int i, const naming *to)
{
    static const char *const q[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
    static const char *const u[] = {"x'", "y'", "z'", "wx", "wy", "wz"};
    int kind = link_of(tree, i)->joint;
    const ss_tree_node *node = &tree->nodes[tree->frames[i].node];
    ss_name base;
    ss_tree_coordinate(tree, i, &base);
    bool plain = tree->frames[i].node == tree->base;
    int first = kind == SS_JOINT_BALL ? 3 : 0;
    for (int k = 0; k < node->nq && node->nq > 1; k++)
        snprintf(to->q[node->q + k].text, sizeof base.text, "%.200s%s%s", plain ? "" : base.text,
                 plain ? "" : "_", q[first + k]);
    for (int k = 0; k < node->nu && node->nq > 1; k++)
        snprintf(to->u[node->u + k].text, sizeof base.text, "%.200s%s%s", plain ? "" : base.text,
                 plain ? "" : "_", u[first + k]);
    int rows = node->nq > 1 ? 0 : kind == SS_JOINT_UNIVERSAL ? 2 : 1;
    for (int k = 0; k < rows; k++) {
        char number[4] = "";
        const ss_tree_node *one = node - (rows - 1) + k;
        if (rows > 1)
            snprintf(number, sizeof number, "_%d", k + 1);
        snprintf(to->q[one->q].text, sizeof base.text, "%.200s%s", base.text, number);
        snprintf(to->u[one->u].text, sizeof base.text, "%.200s%s'", base.text, number);
    }
}

static ss_status declare(ss_setup *setup, ss_tree_system *tree)
{
    naming to;
    const char **frames;
    SS_TRY(SS_SETUP_NEW(setup, tree->nq, &to.q));
    SS_TRY(SS_SETUP_NEW(setup, tree->nu, &to.u));
    SS_TRY(SS_SETUP_NEW(setup, tree->nq, &to.q_names));
    SS_TRY(SS_SETUP_NEW(setup, tree->nu, &to.u_names));
    SS_TRY(SS_SETUP_NEW(setup, tree->n_frames, &frames));
    for (int i = 0; i < tree->n_frames; i++) {
        frames[i] = tree->links.items[i].name.text;
        if (link_of(tree, i)->joint != SS_JOINT_FIXED)
            name_link(tree, i, &to);
    }
    for (int k = 0; k < tree->nq; k++)
        to.q_names[k] = to.q[k].text;
    for (int k = 0; k < tree->nu; k++)
        to.u_names[k] = to.u[k].text;
    SS_TRY(ss_setup_coordinates(setup, tree->nq, to.q_names));
    SS_TRY(ss_setup_velocities(setup, tree->nu, to.u_names));
    return ss_setup_frames(setup, tree->n_frames, frames);
}

/* Links of one node, and of nodes that a joint connects, never meet. Those that cannot move meet what moves. */
static ss_status exclude(ss_setup *setup, const ss_tree_system *tree)
{
    for (int i = 0; i < tree->n_frames; i++) {
        int a = tree->frames[i].node, other;
        const ss_texts *apart = &link_of(tree, i)->apart;
        if (a < 0)
            SS_TRY(ss_setup_still_frame(setup, i));
        for (int k = 0; k < apart->rows; k++) {
            SS_TRY(find_link(setup, tree, i, "apart", apart->items[k].text, &other));
            SS_TRY(ss_setup_exclude(setup, i, other));
        }
        for (int k = 0; k < i; k++) {
            int b = tree->frames[k].node;
            int above_a = a < 0 ? -2 : tree->nodes[a].parent;
            int above_b = b < 0 ? -2 : tree->nodes[b].parent;
            while (above_a >= 0 && !(tree->nodes[above_a].mass > 0)) /* the cross of a joint */
                above_a = tree->nodes[above_a].parent;
            while (above_b >= 0 && !(tree->nodes[above_b].mass > 0))
                above_b = tree->nodes[above_b].parent;
            if (a == b || above_a == b || above_b == a)
                SS_TRY(ss_setup_exclude(setup, i, k));
        }
    }
    return SS_OK;
}

/* The velocity before each, on its way to the root. */
static ss_status make_parents(ss_setup *setup, ss_tree_system *tree)
{
    SS_TRY(SS_SETUP_NEW(setup, tree->nu, &tree->parents));
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        const ss_tree_node *above = node->parent < 0 ? NULL : &tree->nodes[node->parent];
        for (int k = 0; k < node->nu; k++)
            tree->parents[node->u + k] = k > 0   ? node->u + k - 1
                                         : above ? above->u + above->nu - 1
                                                 : -1;
    }
    return ss_setup_mass_tree(setup, tree->parents);
}

ss_status ss_tree_init(void *self, ss_setup *setup)
{
    ss_tree_system *tree = self;
    builder b = {.setup = setup, .tree = tree};
    size_t cache;
    int n = tree->links.count, free = 0;
    if (n > MOST_LINKS)
        return ss_refuse(setup, "'links' has %d links, at most %d are possible", n, MOST_LINKS);
    tree->n_frames = n;
    SS_TRY(SS_SETUP_NEW(setup, 2 * n, &tree->nodes));
    SS_TRY(SS_SETUP_NEW(setup, n, &tree->frames));
    SS_TRY(SS_SETUP_NEW(setup, n, &b.parent));
    SS_TRY(SS_SETUP_NEW(setup, n, &b.made));
    SS_TRY(SS_SETUP_NEW(setup, 1, &tree->gravity));
    SS_TRY(find_parents(&b));
    SS_TRY(add_links(&b));
    if (tree->nu == 0)
        return ss_refuse(setup, "'links' has no joint that moves; give one of them a 'joint'");
    for (int i = 0; i < tree->n_nodes; i++)
        finish_node(&tree->nodes[i]);
    SS_TRY(check_masses(&b));
    tree->base = -1;
    for (int i = 0; i < tree->n_nodes; i++)
        if (tree->nodes[i].kind == SS_JOINT_FREE)
            tree->base = free++ ? -1 : i;
    SS_TRY(declare(setup, tree));
    SS_TRY(exclude(setup, tree));
    SS_TRY(make_parents(setup, tree));
    ss_setup_mass(setup, (ss_mass){SS_MASS_TREE, 3, NULL});
    return ss_setup_cache(setup, ss_tree_cache_size(tree), &cache);
}

/* ---- Initial values ---- */

/* Where a joint begins, by the keys of its link. */
static ss_status start_joint(const ss_setup *setup, const ss_tree_system *tree, int i, double *q,
                             double *u)
{
    const ss_link *link = link_of(tree, i);
    int kind = link->joint, n = tree->frames[i].node;
    if (kind == SS_JOINT_FIXED)
        return SS_OK;
    const ss_tree_node *node = &tree->nodes[kind == SS_JOINT_UNIVERSAL ? n - 1 : n];
    int count = kind == SS_JOINT_UNIVERSAL ? 2 : 1;
    double e[4] = {1, 0, 0, 0};
    ss_pose pose;
    if (kind == SS_JOINT_FREE) {
        SS_TRY(read_pose(setup, link, &pose, e));
        memcpy(q + node->q, pose.x, 3 * sizeof *q);
        memcpy(q + node->q + 3, e, sizeof e);
    } else if (kind == SS_JOINT_BALL) {
        if (link->start.rows)
            SS_TRY(ss_read_axis_angle(setup, "start", &link->start, e));
        memcpy(q + node->q, e, sizeof e);
    } else if (link->start.rows) {
        SS_TRY(ss_read_numbers(setup, "start", &link->start, count, q + node->q));
    }
    if (link->rate.rows)
        SS_TRY(ss_read_numbers(setup, "rate", &link->rate, kind == SS_JOINT_BALL ? 3 : count,
                               u + node->u));
    if (!link->limits.rows)
        return SS_OK;
    const double *limits = link->limits.values;
    if (q[node->q] < limits[0] || q[node->q] > limits[1])
        return ss_refuse(setup, "'start' must be within 'limits', [%g, %g]: the joint begins at %g",
                         limits[0], limits[1], q[node->q]);
    return SS_OK;
}

/* `position` and `velocity`: all numbers of the tree, or those of its free link. */
static ss_status read_all(const ss_setup *setup, const char *key, const ss_matrix *given, int all,
                          const int base[2], double *values)
{
    if (given->rows == 0)
        return SS_OK;
    if (given->rows != all && given->rows != base[0] && given->rows != base[1])
        return base[0] ? ss_refuse(setup,
                                   "'%s' must be %d or %d numbers of the free link, or all %d of "
                                   "the tree, not %d",
                                   key, base[0], base[1], all, given->rows)
                       : ss_refuse(setup, "'%s' must be all %d numbers of the tree, not %d", key,
                                   all, given->rows);
    memcpy(values, given->values, (size_t)given->rows * sizeof *values);
    return SS_OK;
}

ss_status ss_tree_initial(void *self, const ss_setup *setup, const ss_at *at,
                          const ss_matrix *position, const ss_matrix *velocity, double *q,
                          double *u)
{
    const ss_tree_system *tree = self;
    (void)at;
    for (int i = 0; i < tree->n_frames; i++) {
        link_setup own;
        SS_TRY(start_joint(about(setup, tree, i, &own), tree, i, q, u));
    }
    bool based = tree->base == 0; /* its numbers come first */
    SS_TRY(
        read_all(setup, "position", position, tree->nq, (int[]){based ? 3 : 0, based ? 7 : 0}, q));
    SS_TRY(
        read_all(setup, "velocity", velocity, tree->nu, (int[]){based ? 3 : 0, based ? 6 : 0}, u));
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        const double *e = q + node->q + (node->kind == SS_JOINT_FREE ? 3 : 0);
        double ee = e[0] * e[0];
        for (int k = 1; node->nq > 1 && k < 4; k++)
            ee += e[k] * e[k];
        if (node->nq > 1 && !(ee > 0.25))
            return ss_refuse(setup, "'position': e0, e1, e2, e3 must be a quaternion of length 1");
    }
    return ss_tree_review_q(tree, at, q);
}
