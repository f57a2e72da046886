/* tree_dynamics.c: M of a tree by composite bodies, h by recursive Newton–Euler, both in O(n depth) (Featherstone 2008, 5.3
 * and 6.2), with vectors in space and moments about the origin of each node. */
#include "la/small.h"
#include "types/systems/tree.h"

#include <string.h>

/* ---- M ---- */

/* J + what a mass adds that is seen from r: J about r of a body with `first` moment and J about its own origin (Steiner). */
static void add_inertia(const double r[3], const ss_tree_scratch *from, double J[9])
{
    double d = from->mass * ss_dot(3, r, r) + 2 * ss_dot(3, r, from->first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += from->J[3 * i + j] + (i == j ? d : 0.0) - from->mass * r[i] * r[j] -
                            r[i] * from->first[j] - from->first[i] * r[j];
}

/* K = A J Aᵀ */
static void turned(const double A[9], const double J[9], double K[9])
{
    double B[9];
    for (int i = 0; i < 3; i++)
        ss_turn(J, A + 3 * i, B + 3 * i);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            K[3 * i + j] = K[3 * j + i] = ss_dot(3, B + 3 * i, A + 3 * j);
}

/* From a child to its parent. */
static void away(const ss_tree_cache *cache, int child, int parent, double r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = cache->places[child].at.x[i] - (parent < 0 ? 0 : cache->places[parent].at.x[i]);
}

/* Each node with all that it carries. */
static void compose(const ss_tree_system *tree, const ss_tree_cache *cache)
{
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        ss_tree_scratch *s = &cache->scratch[n];
        double c[3];
        ss_turn(cache->places[n].at.A, node->first, c);
        turned(cache->places[n].at.A, node->J, s->J);
        s->mass = node->mass;
        double cc = ss_dot(3, c, c);
        for (int i = 0; i < 3; i++) {
            s->first[i] = node->mass * c[i];
            for (int j = 0; j < 3; j++)
                s->J[3 * i + j] += node->mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
        }
    }
    for (int n = tree->n_nodes - 1; n >= 0; n--) {
        int parent = tree->nodes[n].parent;
        if (parent < 0)
            continue;
        double r[3];
        ss_tree_scratch *from = &cache->scratch[n], *to = &cache->scratch[parent];
        away(cache, n, parent, r);
        add_inertia(r, from, to->J);
        for (int i = 0; i < 3; i++)
            to->first[i] += from->first[i] + from->mass * r[i];
        to->mass += from->mass;
    }
}

/* What a force and a torque about a node's origin do along its k-th velocity. */
static double along(const ss_tree_node *node, const ss_tree_place *p, int k, const double F[3],
                    const double N[3])
{
    double axis[3];
    bool turns = ss_tree_axis(node, p, k, axis);
    return ss_dot(3, axis, turns ? N : F);
}

/* Row and column of the k-th velocity of a node, up to the root. */
static void add_row(const ss_tree_system *tree, const ss_tree_cache *cache, int n, int k, double *M)
{
    const ss_tree_node *node = &tree->nodes[n];
    const ss_tree_scratch *s = &cache->scratch[n];
    double axis[3], F[3], N[3];
    int row = node->u + k, nu = tree->nu;
    if (ss_tree_axis(node, &cache->places[n], k, axis)) {
        ss_cross3(axis, s->first, F);
        ss_turn(s->J, axis, N);
    } else {
        for (int i = 0; i < 3; i++)
            F[i] = s->mass * axis[i];
        ss_cross3(s->first, axis, N);
    }
    for (int m = n; m >= 0; m = tree->nodes[m].parent) {
        const ss_tree_node *to = &tree->nodes[m];
        for (int j = m == n ? k : to->nu - 1; j >= 0; j--)
            M[row * nu + to->u + j] = M[(to->u + j) * nu + row] =
                along(to, &cache->places[m], j, F, N);
        if (to->parent < 0)
            break;
        double r[3], moment[3];
        away(cache, m, to->parent, r);
        ss_cross3(r, F, moment);
        ss_axpy(3, 1.0, moment, N);
    }
    M[row * nu + row] += node->armature;
}

ss_status ss_tree_mass(const void *self, const ss_at *at, double *M)
{
    const ss_tree_system *tree = self;
    ss_tree_cache cache = ss_tree_places(tree, at);
    memset(M, 0, (size_t)(tree->nu * tree->nu) * sizeof *M);
    compose(tree, &cache);
    for (int n = 0; n < tree->n_nodes; n++)
        for (int k = 0; k < tree->nodes[n].nu; k++)
            add_row(tree, &cache, n, k, M);
    return SS_OK;
}

/* ---- h ---- */

static void total_gravity(const ss_tree_system *tree, double g[3])
{
    memset(g, 0, 3 * sizeof *g);
    for (const ss_tree_gravity *one = *tree->gravity; one; one = one->next)
        ss_axpy(3, 1.0, one->acceleration, g);
}

/* Angular velocity and accelerations of a node, where u' = 0. Weight is an acceleration of space upwards. */
static void accelerate(const ss_tree_system *tree, const ss_tree_cache *cache, const double *u,
                       const double g[3], int n)
{
    const ss_tree_node *node = &tree->nodes[n];
    const ss_tree_place *p = &cache->places[n];
    ss_tree_scratch *s = &cache->scratch[n];
    ss_tree_scratch space = {.a = {-g[0], -g[1], -g[2]}};
    const ss_tree_scratch *from = node->parent < 0 ? &space : &cache->scratch[node->parent];
    double own[3] = {0}, r[3], a[3], b[3];
    memcpy(s->w, from->w, sizeof s->w);
    memcpy(s->alpha, from->alpha, sizeof s->alpha);
    memcpy(s->a, from->a, sizeof s->a);
    if (node->kind == SS_JOINT_FREE) {
        memcpy(s->w, u + node->u + 3, sizeof s->w);
        return;
    }
    away(cache, n, node->parent, r);
    ss_cross3(from->w, r, b);
    ss_cross3(from->w, b, a);
    ss_axpy(3, 1.0, a, s->a);
    ss_cross3(from->alpha, r, a);
    ss_axpy(3, 1.0, a, s->a);
    for (int k = 0; k < node->nu; k++)
        ss_axpy(3, u[node->u + k], p->S[k], own);
    ss_cross3(from->w, own, a);
    if (node->kind == SS_JOINT_SLIDE) {
        ss_axpy(3, 2.0, a, s->a);
        return;
    }
    ss_axpy(3, 1.0, own, s->w);
    ss_axpy(3, 1.0, a, s->alpha);
}

/* Force and torque about its origin that a node's own motion needs. */
static void burden(const ss_tree_node *node, const ss_tree_place *p, ss_tree_scratch *s)
{
    double c[3], a[3], b[3], K[9], L[3];
    ss_turn(p->at.A, node->first, c);
    memcpy(s->F, s->a, sizeof s->F);
    ss_cross3(s->alpha, c, a);
    ss_axpy(3, 1.0, a, s->F);
    ss_cross3(s->w, c, b);
    ss_cross3(s->w, b, a);
    ss_axpy(3, 1.0, a, s->F);
    for (int i = 0; i < 3; i++)
        s->F[i] *= node->mass;
    turned(p->at.A, node->J, K);
    ss_turn(K, s->alpha, s->N);
    ss_turn(K, s->w, L);
    ss_cross3(s->w, L, a);
    ss_axpy(3, 1.0, a, s->N);
    ss_cross3(c, s->F, a);
    ss_axpy(3, 1.0, a, s->N);
}

static double damping_of(const ss_tree_node *node, int k, const double *u)
{
    return -node->damping * u[node->u + k];
}

ss_status ss_tree_h(const void *self, const ss_at *at, double *h)
{
    const ss_tree_system *tree = self;
    const double *q = at->q[0], *u = at->u[0];
    ss_tree_cache cache = ss_tree_places(tree, at);
    double g[3];
    total_gravity(tree, g);
    for (int n = 0; n < tree->n_nodes; n++) {
        accelerate(tree, &cache, u, g, n);
        burden(&tree->nodes[n], &cache.places[n], &cache.scratch[n]);
    }
    for (int n = tree->n_nodes - 1; n >= 0; n--) {
        const ss_tree_node *node = &tree->nodes[n];
        const ss_tree_scratch *s = &cache.scratch[n];
        for (int k = 0; k < node->nu; k++) {
            h[node->u + k] = damping_of(node, k, u) - along(node, &cache.places[n], k, s->F, s->N);
            if (node->stiffness > 0)
                h[node->u + k] -= node->stiffness * (q[node->q] - node->rest);
        }
        if (node->parent < 0)
            continue;
        double r[3], moment[3];
        ss_tree_scratch *to = &cache.scratch[node->parent];
        away(&cache, n, node->parent, r);
        ss_cross3(r, s->F, moment);
        ss_axpy(3, 1.0, moment, to->N);
        ss_axpy(3, 1.0, s->N, to->N);
        ss_axpy(3, 1.0, s->F, to->F);
    }
    return SS_OK;
}

ss_status ss_tree_load(const void *self, const ss_at *at, double *Q)
{
    const ss_tree_system *tree = self;
    for (int n = 0; n < tree->n_nodes; n++)
        for (int k = 0; k < tree->nodes[n].nu; k++)
            Q[tree->nodes[n].u + k] = damping_of(&tree->nodes[n], k, at->u[0]);
    return SS_OK;
}

/* Of weight, zero at the origin, and of springs. */
ss_status ss_tree_potential(const void *self, const ss_at *at, double *V)
{
    const ss_tree_system *tree = self;
    ss_tree_cache cache = ss_tree_places(tree, at);
    double g[3];
    total_gravity(tree, g);
    *V = 0.0;
    for (int n = 0; n < tree->n_nodes; n++) {
        const ss_tree_node *node = &tree->nodes[n];
        double c[3], stretch = at->q[0][node->q] - node->rest;
        ss_turn(cache.places[n].at.A, node->first, c);
        ss_axpy(3, 1.0, cache.places[n].at.x, c);
        *V -= node->mass * ss_dot(3, g, c);
        if (node->stiffness > 0)
            *V += 0.5 * node->stiffness * stretch * stretch;
    }
    return SS_OK;
}

/* ---- Gravity ---- */

void ss_tree_attract(const ss_tree_system *tree, const double acceleration[3],
                     ss_tree_gravity *gravity)
{
    memcpy(gravity->acceleration, acceleration, sizeof gravity->acceleration);
    gravity->list = tree->gravity;
    gravity->next = *tree->gravity;
    *tree->gravity = gravity;
}

void ss_tree_release(ss_tree_gravity *gravity)
{
    ss_tree_gravity **at = gravity->list;
    while (at && *at && *at != gravity)
        at = &(*at)->next;
    if (at && *at)
        *at = gravity->next;
}
