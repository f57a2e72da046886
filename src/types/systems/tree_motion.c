/* tree_motion.c: where the links of a tree are, and how they move with its velocities. */
#include "geometry/geometry.h"
#include "types/rotation.h"
#include "types/systems/tree.h"

#include <string.h>

static const ss_body in_space = {.frame = SS_FRAME_INERTIAL};

/* C = A B, 3 × 3 by rows. */
static void multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* A node with the coordinates q of its own; parent NULL: space. */
static void place(const ss_tree_node *node, const ss_pose *parent, const double *q,
                  ss_tree_place *p)
{
    double e[4], R[9], zero[9], along[3];
    if (node->kind == SS_JOINT_FREE) {
        memcpy(p->at.x, q, sizeof p->at.x);
        ss_body_rotation(q + 3, p->at.A);
        return;
    }
    if (!parent)
        parent = &ss_pose_here;
    ss_turn(parent->A, node->at.x, p->at.x);
    for (int i = 0; i < 3; i++)
        p->at.x[i] += parent->x[i];
    multiply(parent->A, node->at.A, zero);
    if (node->kind == SS_JOINT_BALL) {
        ss_body_rotation(q, R);
        multiply(zero, R, p->at.A);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                p->S[k][i] = zero[3 * i + k];
        return;
    }
    ss_turn(zero, node->axis, along);
    memcpy(p->S[0], along, sizeof along);
    if (node->kind == SS_JOINT_HINGE) {
        ss_axis_angle(node->axis, q[0], e);
        ss_body_rotation(e, R);
        multiply(zero, R, p->at.A);
        return;
    }
    memcpy(p->at.A, zero, sizeof zero);
    for (int i = 0; i < 3; i++)
        p->at.x[i] += q[0] * along[i];
}

/* ---- All nodes, in the cache: whether there are any, the q they belong to, places, scratch ---- */

static size_t head(const ss_tree_system *tree)
{
    return (size_t)(1 + tree->nq) * sizeof(double);
}

size_t ss_tree_cache_size(const ss_tree_system *tree)
{
    return head(tree) + (size_t)tree->n_nodes * (sizeof(ss_tree_place) + sizeof(ss_tree_scratch));
}

static ss_tree_cache cache_of(const ss_tree_system *tree, void *memory)
{
    char *bytes = (char *)memory + head(tree);
    ss_tree_cache cache = {.places = (ss_tree_place *)(void *)bytes};
    cache.scratch =
        (ss_tree_scratch *)(void *)(bytes + (size_t)tree->n_nodes * sizeof(ss_tree_place));
    return cache;
}

static bool is_known(const ss_tree_system *tree, const ss_at *at)
{
    const double *known = at->cache;
    return known && known[0] != 0 &&
           memcmp(known + 1, at->q[0], (size_t)tree->nq * sizeof *known) == 0;
}

ss_status ss_tree_geometry(const void *self, const ss_at *at)
{
    const ss_tree_system *tree = self;
    double *known = at->cache;
    ss_tree_cache cache = cache_of(tree, at->cache);
    known[0] = 1;
    memcpy(known + 1, at->q[0], (size_t)tree->nq * sizeof *known);
    for (int i = 0; i < tree->n_nodes; i++) {
        const ss_tree_node *node = &tree->nodes[i];
        place(node, node->parent < 0 ? NULL : &cache.places[node->parent].at, at->q[0] + node->q,
              &cache.places[i]);
    }
    return SS_OK;
}

ss_tree_cache ss_tree_places(const ss_tree_system *tree, const ss_at *at)
{
    if (!is_known(tree, at))
        ss_tree_geometry(tree, at);
    return cache_of(tree, at->cache);
}

/* ---- One frame, from q alone: the nodes on the way to it, from the root on ---- */

typedef void visit_fn(void *user, const ss_tree_node *node, const ss_tree_place *p);

static void follow(const ss_tree_system *tree, const ss_at *at, int n, visit_fn *visit, void *user,
                   ss_tree_place *p)
{
    const ss_tree_node *node = &tree->nodes[n];
    ss_tree_place parent;
    if (node->parent >= 0)
        follow(tree, at, node->parent, visit, user, &parent);
    if (is_known(tree, at))
        *p = cache_of(tree, at->cache).places[n];
    else
        place(node, node->parent < 0 ? NULL : &parent.at, at->q[0] + node->q, p);
    if (visit)
        visit(user, node, p);
}

bool ss_tree_axis(const ss_tree_node *node, const ss_tree_place *p, int k, double axis[3])
{
    if (node->kind == SS_JOINT_FREE) {
        for (int i = 0; i < 3; i++)
            axis[i] = i == k % 3;
        return k >= 3;
    }
    memcpy(axis, p->S[k], 3 * sizeof *axis);
    return node->kind != SS_JOINT_SLIDE;
}

void ss_tree_pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    const ss_tree_system *tree = self;
    const ss_tree_frame *f = &tree->frames[frame];
    ss_tree_place p;
    *pose = f->at;
    if (f->node < 0)
        return;
    if (is_known(tree, at))
        p = cache_of(tree, at->cache).places[f->node];
    else
        follow(tree, at, f->node, NULL, NULL, &p);
    ss_turn(p.at.A, f->at.x, pose->x);
    for (int i = 0; i < 3; i++)
        pose->x[i] += p.at.x[i];
    multiply(p.at.A, f->at.A, pose->A);
}

/* What visitors gather about a point x that moves with a frame. */
typedef struct gathering {
    double x[3];
    int nu;
    double *V;           /* 6 × nu */
    const double *f, *n; /* force and torque */
    double *w;           /* nu: what they do */
    const double *u;
    double v[3];                              /* velocity */
    double last[3], omega[3], alpha[3], a[3]; /* of the last node's origin, where u' = 0 */
} gathering;

static void add_columns(void *user, const ss_tree_node *node, const ss_tree_place *p)
{
    gathering *to = user;
    double r[3], v[3], axis[3];
    ss_minus3(to->x, p->at.x, r);
    for (int k = 0; k < node->nu; k++) {
        bool turns = ss_tree_axis(node, p, k, axis);
        double *column = to->V + node->u + k;
        ss_cross3(axis, r, v);
        for (int i = 0; i < 3; i++) {
            column[i * to->nu] = turns ? v[i] : axis[i];
            column[(3 + i) * to->nu] = turns ? axis[i] : 0.0;
        }
    }
}

static void add_wrench(void *user, const ss_tree_node *node, const ss_tree_place *p)
{
    gathering *to = user;
    double r[3], moment[3], axis[3];
    ss_minus3(to->x, p->at.x, r);
    ss_cross3(r, to->f, moment);
    ss_add3(moment, to->n, moment);
    for (int k = 0; k < node->nu; k++) {
        bool turns = ss_tree_axis(node, p, k, axis);
        to->w[node->u + k] += ss_dot3(axis, turns ? moment : to->f);
    }
}

static void add_velocity(void *user, const ss_tree_node *node, const ss_tree_place *p)
{
    gathering *to = user;
    double r[3], v[3], axis[3];
    ss_minus3(to->x, p->at.x, r);
    for (int k = 0; k < node->nu; k++) {
        if (ss_tree_axis(node, p, k, axis))
            ss_cross3(axis, r, v);
        else
            ss_copy3(axis, v);
        for (int i = 0; i < 3; i++)
            to->v[i] += to->u[node->u + k] * v[i];
    }
}

/* Accelerations of the origin of the last node where u' = 0, as of a point of it at r from that origin. */
static void carry(const gathering *g, const double r[3], double a[3])
{
    double b[3], c[3];
    ss_cross3(g->omega, r, b);
    ss_cross3(g->omega, b, c);
    ss_cross3(g->alpha, r, b);
    for (int i = 0; i < 3; i++)
        a[i] = g->a[i] + b[i] + c[i];
}

static void add_bias(void *user, const ss_tree_node *node, const ss_tree_place *p)
{
    gathering *g = user;
    double own[3] = {0}, r[3], turn[3];
    if (node->kind == SS_JOINT_FREE) {
        ss_copy3(g->u + node->u + 3, g->omega);
        ss_copy3(p->at.x, g->last);
        return;
    }
    ss_minus3(p->at.x, g->last, r);
    carry(g, r, g->a);
    for (int k = 0; k < node->nu; k++)
        for (int i = 0; i < 3; i++)
            own[i] += g->u[node->u + k] * p->S[k][i];
    ss_cross3(g->omega, own, turn);
    bool slides = node->kind == SS_JOINT_SLIDE;
    for (int i = 0; i < 3; i++) {
        g->a[i] += slides ? 2 * turn[i] : 0;
        g->alpha[i] += slides ? 0 : turn[i];
        g->omega[i] += slides ? 0 : own[i];
    }
    ss_copy3(p->at.x, g->last);
}

/* Visits the nodes on the way to a frame. */
static void visit_frame(const ss_tree_system *tree, const ss_at *at, int frame, visit_fn *visit,
                        gathering *g)
{
    ss_tree_place p;
    if (tree->frames[frame].node >= 0)
        follow(tree, at, tree->frames[frame].node, visit, g, &p);
}

void ss_tree_twist(const void *self, const ss_at *at, int frame, double *V)
{
    const ss_tree_system *tree = self;
    ss_pose pose;
    gathering g = {.V = V, .nu = tree->nu};
    memset(V, 0, 6 * (size_t)tree->nu * sizeof *V);
    ss_tree_pose(self, at, frame, &pose);
    ss_copy3(pose.x, g.x);
    visit_frame(tree, at, frame, add_columns, &g);
}

void ss_tree_push(const ss_tree_system *tree, const ss_at *at, int frame,
                  const ss_tree_wrench *wrench, double *w)
{
    gathering g = {.f = wrench->f, .n = wrench->n, .w = w};
    ss_copy3(wrench->x, g.x);
    visit_frame(tree, at, frame, add_wrench, &g);
}

void ss_tree_velocity(const ss_tree_system *tree, const ss_at *at, int frame, const double x[3],
                      double v[3])
{
    gathering g = {.u = at->u[0]};
    ss_copy3(x, g.x);
    visit_frame(tree, at, frame, add_velocity, &g);
    ss_copy3(g.v, v);
}

void ss_tree_bias(const ss_tree_system *tree, const ss_at *at, int frame, const double x[3],
                  double a[3])
{
    gathering g = {.u = at->u[0]};
    double r[3];
    visit_frame(tree, at, frame, add_bias, &g);
    ss_minus3(x, g.last, r);
    carry(&g, r, a);
}

/* ---- q' = F u ---- */

/* Where the quaternion of a node begins, and the velocities that turn it; false: it has none. */
static bool turning(const ss_tree_node *node, int *q, int *u)
{
    bool free = node->kind == SS_JOINT_FREE;
    *q = node->q + (free ? 3 : 0);
    *u = node->u + (free ? 3 : 0);
    return free || node->kind == SS_JOINT_BALL;
}

ss_status ss_tree_F(const void *self, const ss_at *at, double *F)
{
    const ss_tree_system *tree = self;
    memset(F, 0, (size_t)(tree->nq * tree->nu) * sizeof *F);
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        double rates[12];
        int q, u;
        bool turns = turning(node, &q, &u);
        int straight = turns ? q - node->q : node->nq;
        for (int i = 0; i < straight; i++)
            F[(node->q + i) * tree->nu + node->u + i] = 1.0;
        if (!turns)
            continue;
        ss_body_rates(&in_space, at->q[0] + q, rates);
        for (int i = 0; i < 4; i++)
            memcpy(F + (q + i) * tree->nu + u, rates + 3 * i, 3 * sizeof *rates);
    }
    return SS_OK;
}

void ss_tree_move(const void *self, const ss_at *at, const double *velocities, double dt,
                  const double *q_B, double *q_E)
{
    const ss_tree_system *tree = self;
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        int q, u;
        bool turns = turning(node, &q, &u);
        int straight = turns ? q - node->q : node->nq;
        double turn[4];
        if (turns) {
            const double *w = velocities + u;
            const double omega[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
            ss_quaternion_product(omega, at->q[0] + q, turn);
        }
        for (int i = 0; i < straight; i++)
            q_E[node->q + i] = q_B[node->q + i] + dt * velocities[node->u + i];
        for (int i = 0; turns && i < 4; i++)
            q_E[q + i] = q_B[q + i] + dt * turn[i];
    }
}

ss_status ss_tree_review_q(const void *self, const ss_at *at, double *coordinates)
{
    const ss_tree_system *tree = self;
    (void)at;
    for (int n = 0; n < tree->n_nodes; n++) {
        int q, u;
        if (!turning(&tree->nodes[n], &q, &u))
            continue;
        double *e = coordinates + q;
        double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int i = 0; length != 1.0 && i < 4; i++)
            e[i] /= length;
    }
    return SS_OK;
}
