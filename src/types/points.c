/* points.c: points that move with a system, or are fixed in space; pairs of them; frames of joints. */
#include "types/points.h"

#include "geometry/geometry.h"
#include "la/elementary.h"
#include "la/small.h"
#include "model/refuse.h"
#include "types/systems/tree.h"
#include "types/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

ss_status ss_read_direction(const ss_setup *setup, const char *key, const ss_matrix *given, int dim,
                            double *n)
{
    SS_TRY(ss_read_numbers(setup, key, given, dim, n));
    double length = ss_vector_length(dim, n);
    if (!(length > 0) || !isfinite(length))
        return ss_refuse(setup, "'%s' must have a direction; its length is %g", key, length);
    for (int i = 0; i < dim; i++)
        n[i] /= length;
    return SS_OK;
}

ss_status ss_point_attach(ss_setup *setup, const ss_text *system, const char *key,
                          const ss_matrix *place, ss_point *point)
{
    *point = (ss_point){0};
    SS_TRY(ss_setup_connect_frame(setup, system, &point->local, &point->frame));
    ss_setup_connected(setup, point->local, &point->nq, &point->nu);
    ss_mass mass = ss_setup_connected_mass(setup, point->local);
    point->dim = mass.dim;
    point->turns = mass.kind == SS_MASS_PLANAR_BODY;
    point->body = ss_setup_connected_body(setup, point->local);
    if (mass.kind == SS_MASS_TREE)
        point->tree = ss_setup_connected_self(setup, point->local);
    if (mass.kind == SS_MASS_NONE)
        return ss_refuse(setup,
                         "there are no points on system '%s' of type '%s'; use a system of type "
                         "point, planar_body or body, a link of a tree, or an expression",
                         system->text, ss_setup_connected_type(setup, point->local));
    if (mass.kind == SS_MASS_POINT && place->rows)
        return ss_refuse(setup, "'%s' is for bodies that turn; system '%s' is a point", key,
                         system->text);
    return place->rows ? ss_read_numbers(setup, key, place, point->dim, point->p) : SS_OK;
}

ss_status ss_point_fix(const ss_setup *setup, int dim, const char *key, const ss_matrix *place,
                       ss_point *point)
{
    *point = (ss_point){.local = -1, .dim = dim};
    return ss_read_numbers(setup, key, place, dim, point->p);
}

static bool is_mass(const ss_point *point)
{
    return !point->turns && !point->body && !point->tree;
}

/* What the tree of a point sees of the object that connects it. */
static ss_at tree_at(const ss_point *point, const ss_at *at)
{
    return (ss_at){.t = at->t, .q = &at->q[point->local], .u = at->u ? &at->u[point->local] : NULL};
}

static void link_pose(const ss_point *point, const ss_at *at, ss_pose *pose)
{
    ss_at own = tree_at(point, at);
    ss_tree_pose(point->tree, &own, point->frame, pose);
}

void ss_point_arm(const ss_point *point, const ss_at *at, double *arm)
{
    memset(arm, 0, (size_t)point->dim * sizeof *arm);
    if (point->turns) {
        double c = ss_cos(at->q[point->local][2]), s = ss_sin(at->q[point->local][2]);
        arm[0] = c * point->p[0] - s * point->p[1];
        arm[1] = s * point->p[0] + c * point->p[1];
    } else if (point->body) {
        const double *p = point->p, *origin = point->body->origin;
        double A[9], r[3] = {p[0] + origin[0], p[1] + origin[1], p[2] + origin[2]};
        ss_body_rotation(at->q[point->local] + 3, A);
        ss_turn(A, r, arm);
    } else if (point->tree) {
        ss_pose pose;
        link_pose(point, at, &pose);
        ss_turn(pose.A, point->p, arm);
    }
}

void ss_point_position(const ss_point *point, const ss_at *at, double *x)
{
    if (is_mass(point)) {
        const double *place = point->local < 0 ? point->p : at->q[point->local];
        memcpy(x, place, (size_t)point->dim * sizeof *x);
        return;
    }
    if (point->tree) {
        ss_pose pose;
        link_pose(point, at, &pose);
        ss_turn(pose.A, point->p, x);
        ss_axpy(3, 1.0, pose.x, x);
        return;
    }
    ss_point_arm(point, at, x);
    ss_axpy(point->dim, 1.0, at->q[point->local], x);
}

void ss_point_velocity(const ss_point *point, const ss_at *at, double *v)
{
    memset(v, 0, (size_t)point->dim * sizeof *v);
    if (point->local < 0)
        return;
    const double *u = at->u[point->local];
    double arm[3], omega[3], turning[3];
    if (point->tree) {
        ss_at own = tree_at(point, at);
        ss_point_position(point, at, arm);
        ss_tree_velocity(point->tree, &own, point->frame, arm, v);
        return;
    }
    memcpy(v, u, (size_t)point->dim * sizeof *v);
    if (is_mass(point))
        return;
    ss_point_arm(point, at, arm);
    if (point->turns) {
        v[0] -= u[2] * arm[1];
        v[1] += u[2] * arm[0];
    } else if (point->body) {
        ss_body_turn(point->body, at->q[point->local] + 3, true, u + 3, omega);
        ss_cross3(omega, arm, turning);
        ss_axpy(3, 1.0, turning, v);
    }
}

void ss_point_bias(const ss_point *point, const ss_at *at, double *a)
{
    double arm[3], omega[3], turning[3];
    memset(a, 0, (size_t)point->dim * sizeof *a);
    if (is_mass(point))
        return;
    if (point->tree) {
        ss_at own = tree_at(point, at);
        ss_point_position(point, at, arm);
        ss_tree_bias(point->tree, &own, point->frame, arm, a);
        return;
    }
    ss_point_arm(point, at, arm);
    if (point->turns) {
        double rate = at->u[point->local][2];
        a[0] = -rate * rate * arm[0];
        a[1] = -rate * rate * arm[1];
        return;
    }
    /* ω' in space is A times ω' in the body, zero with it */
    ss_body_turn(point->body, at->q[point->local] + 3, true, at->u[point->local] + 3, omega);
    ss_cross3(omega, arm, turning);
    ss_cross3(omega, turning, a);
}

void ss_point_generalized_force_from(const ss_point *point, const ss_at *at, const double *offset,
                                     const double *f, double *w)
{
    if (point->local < 0)
        return;
    if (point->tree) {
        ss_at own = tree_at(point, at);
        ss_tree_wrench wrench = {.f = {f[0], f[1], f[2]}};
        ss_point_position(point, at, wrench.x);
        ss_axpy(3, 1.0, offset, wrench.x);
        ss_tree_push(point->tree, &own, point->frame, &wrench, w);
        return;
    }
    for (int i = 0; i < point->dim && i < 3; i++)
        w[i] += f[i];
    if (is_mass(point))
        return;
    double arm[3], torque[3], own[3];
    ss_point_arm(point, at, arm);
    ss_axpy(point->dim, 1.0, offset, arm);
    if (point->turns) {
        w[2] += arm[0] * f[1] - arm[1] * f[0];
        return;
    }
    ss_cross3(arm, f, torque);
    ss_body_turn(point->body, at->q[point->local] + 3, false, torque, own);
    ss_axpy(3, 1.0, own, w + 3);
}

void ss_point_generalized_force(const ss_point *point, const ss_at *at, const double *f, double *w)
{
    static const double here[3] = {0, 0, 0};
    ss_point_generalized_force_from(point, at, here, f, w);
}

/* ---- How a point depends on the turning of its body, for derivatives of forces ---- */

/* J += the Jacobian ∂v/∂u, dim × nu by rows. */
static void add_jacobian(const ss_point *point, const ss_at *at, double *J)
{
    for (int i = 0; i < point->dim; i++) {
        double f[3] = {i == 0, i == 1, i == 2};
        ss_point_generalized_force(point, at, f, J + i * point->nu);
    }
}

/* What turning the body does, with θ the small turn that belongs to the angular velocities: the columns
 * ∂v/∂θ (dim × n) and ∂(Jᵀf)/∂θ, rows of the angular velocities (n × n), n = nu - dim. */
static void find_turning(const ss_point *point, const ss_at *at, const double *f, double *dv,
                         double *dw)
{
    double A[9], arm[3], turning[3];
    ss_point_arm(point, at, arm);
    if (point->turns) {
        double omega = at->u[point->local][2];
        dv[0] = -omega * arm[0];
        dv[1] = -omega * arm[1];
        *dw = -(arm[0] * f[0] + arm[1] * f[1]);
    }
    if (!point->body)
        return;
    bool own = point->body->frame == SS_FRAME_BODY;
    memcpy(A, ss_pose_here.A, sizeof A);
    if (own) /* A: the directions, in space, that the angular velocities belong to */
        ss_body_rotation(at->q[point->local] + 3, A);
    ss_point_velocity(point, at, turning);
    ss_axpy(3, -1.0, at->u[point->local], turning); /* ω × r */
    for (int j = 0; j < 3; j++) {
        double theta[3] = {A[j], A[3 + j], A[6 + j]}, moved[3], column[3], torque[3];
        if (own) { /* ω and the axes of the torque turn too */
            ss_cross3(theta, turning, column);
            ss_cross3(f, theta, moved);
            ss_cross3(arm, moved, torque);
        } else {
            ss_cross3(theta, arm, moved);
            ss_cross3(at->u[point->local] + 3, moved, column);
            ss_cross3(moved, f, torque);
        }
        for (int i = 0; i < 3; i++) {
            dv[3 * i + j] = column[i];
            dw[3 * i + j] = A[i] * torque[0] + A[3 + i] * torque[1] + A[6 + i] * torque[2];
        }
    }
}

/* ∂/∂q (rows × nq) += ∂/∂(x, θ) (rows × nu), both by rows. */
static void add_by_q(const ss_point *point, const ss_at *at, int rows, const double *by_turn,
                     double *by_q)
{
    int nq = point->nq, nu = point->nu;
    double T[12] = {0};
    if (point->body)
        ss_body_turns(point->body, at->q[point->local] + 3, T);
    for (int i = 0; i < rows; i++) {
        const double *from = by_turn + i * nu;
        double *to = by_q + i * nq;
        ss_axpy(point->body ? 3 : nu, 1.0, from, to);
        for (int k = 0; point->body && k < 3; k++)
            ss_axpy(4, from[3 + k], T + 4 * k, to + 3);
    }
}

/* ---- Two points and the ray between them ---- */

/* For derivatives: what moves, its velocities, and three generalized forces. */
static ss_status reserve(ss_setup *setup, ss_point_pair *pair)
{
    int nq = pair->a.nq + pair->b.nq, nu = pair->a.nu + pair->b.nu;
    if (!pair->a.tree && !pair->b.tree)
        return SS_OK;
    return ss_setup_cache(setup, (size_t)(nq + 3 * nu) * sizeof(double), &pair->scratch);
}

static ss_status attach_points(ss_setup *setup, ss_point_pair *pair)
{
    SS_TRY(ss_point_attach(setup, &pair->system, "point", &pair->point, &pair->a));
    pair->dim = pair->a.dim;
    if (!pair->to.text && !pair->to_point.rows)
        return ss_refuse(setup, "the second point is missing: give 'to' (a system), or 'to_point' "
                                "(a point fixed in space)");
    if (!pair->to.text)
        return ss_point_fix(setup, pair->dim, "to_point", &pair->to_point, &pair->b);
    SS_TRY(ss_point_attach(setup, &pair->to, "to_point", &pair->to_point, &pair->b));
    if (pair->b.dim != pair->dim)
        return ss_refuse(setup, "system '%s' has %d dimension%s, system '%s' has %d",
                         pair->system.text, pair->dim, pair->dim == 1 ? "" : "s", pair->to.text,
                         pair->b.dim);
    return SS_OK;
}

ss_status ss_pair_attach(ss_setup *setup, ss_point_pair *pair)
{
    SS_TRY(attach_points(setup, pair));
    return reserve(setup, pair);
}

void ss_pair_difference(const ss_point_pair *pair, const ss_at *at, ss_point_fn *of, double *d)
{
    double a[3];
    of(&pair->a, at, a);
    of(&pair->b, at, d);
    ss_axpy(pair->dim, -1.0, a, d);
}

ss_ray ss_pair_ray(const ss_point_pair *pair, const ss_at *at)
{
    ss_ray ray = {.n = {1.0, 0.0, 0.0}};
    double d[3];
    ss_pair_difference(pair, at, ss_point_position, d);
    ray.length = ss_vector_length(pair->dim, d);
    if (ray.length > 0)
        for (int i = 0; i < pair->dim; i++)
            ray.n[i] = d[i] / ray.length;
    return ray;
}

void ss_pair_generalized_force(const ss_point_pair *pair, const ss_at *at, const double *f,
                               int offset, double *const *w)
{
    double opposite[3] = {-f[0]};
    for (int i = 1; i < pair->dim; i++)
        opposite[i] = -f[i];
    ss_point_generalized_force(&pair->a, at, opposite, w[pair->a.local] + offset * pair->a.nu);
    if (pair->b.local >= 0)
        ss_point_generalized_force(&pair->b, at, f, w[pair->b.local] + offset * pair->b.nu);
}

void ss_pair_clear(const ss_point_pair *pair, int rows, double *const *W)
{
    memset(W[pair->a.local], 0, (size_t)(rows * pair->a.nu) * sizeof(double));
    if (pair->b.local >= 0)
        memset(W[pair->b.local], 0, (size_t)(rows * pair->b.nu) * sizeof(double));
}

/* out += sign J_kᵀ A J_l */
static void add_product(double sign, const ss_point *k, const double *Jk, const double *A,
                        const ss_point *l, const double *Jl, double *out)
{
    for (int i = 0; i < k->nu; i++)
        for (int j = 0; j < l->nu; j++)
            for (int a = 0; a < k->dim; a++)
                for (int b = 0; b < k->dim; b++)
                    out[i * l->nu + j] +=
                        sign * Jk[a * k->nu + i] * A[a * k->dim + b] * Jl[b * l->nu + j];
}

/* What the force at end k does to the generalized force there when end l moves. */
static void add_block(const ss_point_pair *pair, const ss_at *at, const ss_pair_force *force, int k,
                      int l, double *dhdq, double *dhdu)
{
    const ss_point *a = k ? &pair->b : &pair->a, *b = l ? &pair->b : &pair->a;
    double sign = k == l ? 1.0 : -1.0, side = k ? 1.0 : -1.0;
    double Ja[18] = {0}, Jb[18] = {0}, dv[9] = {0}, dw[9] = {0}, D[36] = {0};
    int n = b->nu - b->dim;
    add_jacobian(a, at, Ja);
    add_jacobian(b, at, Jb);
    find_turning(b, at, force->f, dv, dw);
    if (force->A)
        add_product(sign, a, Ja, force->A, b, Jb, D);
    if (force->B)
        add_product(sign, a, Ja, force->B, b, Jb, dhdu);
    for (int i = 0; force->B && i < a->nu; i++)
        for (int j = 0; j < n; j++)
            for (int x = 0; x < a->dim; x++)
                for (int y = 0; y < a->dim; y++)
                    D[i * b->nu + b->dim + j] +=
                        sign * Ja[x * a->nu + i] * force->B[x * a->dim + y] * dv[y * n + j];
    for (int i = 0; k == l && i < n * n; i++) /* the arm of the force turns with the body */
        D[(b->dim + i / n) * b->nu + b->dim + i % n] += side * dw[i];
    add_by_q(b, at, a->nu, D, dhdq);
}

/* ---- The same by central differences, where a link is one of both ---- */

/* Both systems as they are moved, and generalized forces on them. */
typedef struct moved_pair {
    const ss_point_pair *pair;
    const ss_pair_force *force;
    double zero[6]; /* relative place and velocity where they are */
    int n, nq[2], nu[2];
    double *q[2], *u[2], *plus[2], *minus[2];
} moved_pair;

static void lay_out(const ss_at *at, moved_pair *m)
{
    const ss_point_pair *pair = m->pair;
    double *numbers = (double *)(void *)((char *)at->cache + pair->scratch);
    m->n = pair->b.local >= 0 && pair->b.local != pair->a.local ? 2 : 1;
    for (int k = 0; k < m->n; k++) {
        const ss_point *point = pair->a.local == k ? &pair->a : &pair->b;
        m->nq[k] = point->nq;
        m->nu[k] = point->nu;
        m->q[k] = numbers;
        m->u[k] = m->q[k] + m->nq[k];
        m->plus[k] = m->u[k] + m->nu[k];
        m->minus[k] = m->plus[k] + m->nu[k];
        numbers = m->minus[k] + m->nu[k];
        memcpy(m->q[k], at->q[k], (size_t)m->nq[k] * sizeof *m->q[k]);
        memcpy(m->u[k], at->u[k], (size_t)m->nu[k] * sizeof *m->u[k]);
    }
    ss_pair_difference(pair, at, ss_point_position, m->zero);
    ss_pair_difference(pair, at, ss_point_velocity, m->zero + 3);
}

/* Jᵀ (f + A (d - d0) + B (v - v0)), d0 and v0 in `zero`. */
static void moved_force(const moved_pair *m, const ss_at *at, double *const *w)
{
    const ss_pair_force *force = m->force;
    double d[6], f[3] = {force->f[0], force->f[1], force->f[2]};
    ss_pair_difference(m->pair, at, ss_point_position, d);
    ss_pair_difference(m->pair, at, ss_point_velocity, d + 3);
    for (int i = 0; i < 9; i++) {
        f[i / 3] += force->A ? force->A[i] * (d[i % 3] - m->zero[i % 3]) : 0;
        f[i / 3] += force->B ? force->B[i] * (d[3 + i % 3] - m->zero[3 + i % 3]) : 0;
    }
    ss_pair_clear(m->pair, 1, w);
    ss_pair_generalized_force(m->pair, at, f, 0, w);
}

/* The columns of the numbers x of one system, in blocks of as many columns. */
static void add_columns(const moved_pair *m, const ss_at *at, int count, double *x,
                        double *const blocks[2])
{
    for (int j = 0; j < count; j++) {
        double kept = x[j], step = SS_CENTRAL_STEP * fmax(fabs(kept), 1.0);
        x[j] = kept + step;
        moved_force(m, at, m->plus);
        x[j] = kept - step;
        moved_force(m, at, m->minus);
        x[j] = kept;
        for (int k = 0; k < m->n; k++)
            for (int i = 0; i < m->nu[k]; i++)
                blocks[k][i * count + j] += (m->plus[k][i] - m->minus[k][i]) / (2 * step);
    }
}

static void differences(moved_pair *m, const ss_at *at, double *const *dhdq, double *const *dhdu)
{
    ss_at moved = *at;
    lay_out(at, m);
    moved.q = (const double *const[]){m->q[0], m->q[1]};
    moved.u = (const double *const[]){m->u[0], m->u[1]};
    for (int l = 0; l < m->n; l++) {
        double *by_q[2] = {dhdq[l], m->n > 1 ? dhdq[m->n + l] : NULL};
        double *by_u[2] = {dhdu[l], m->n > 1 ? dhdu[m->n + l] : NULL};
        add_columns(m, &moved, m->nq[l], m->q[l], by_q);
        add_columns(m, &moved, m->nu[l], m->u[l], by_u);
    }
}

void ss_pair_derivatives(const ss_point_pair *pair, const ss_at *at, const ss_pair_force *force,
                         double *const *dhdq, double *const *dhdu)
{
    if (pair->a.tree || pair->b.tree) {
        differences(&(moved_pair){.pair = pair, .force = force}, at, dhdq, dhdu);
        return;
    }
    const int local[2] = {pair->a.local, pair->b.local};
    int n = local[1] >= 0 && local[1] != local[0] ? 2 : 1;
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            if (local[k] >= 0 && local[l] >= 0)
                add_block(pair, at, force, k, l, dhdq[local[k] * n + local[l]],
                          dhdu[local[k] * n + local[l]]);
}

/* ---- The frame of a joint on each of the bodies it connects ---- */

ss_status ss_side_attach(ss_setup *setup, const ss_text *system, ss_joint_side *side)
{
    static const ss_matrix origin;
    *side = (ss_joint_side){.point = {.local = -1, .dim = 3}};
    if (!system->text)
        return SS_OK;
    SS_TRY(ss_point_attach(setup, system, "point", &origin, &side->point));
    if (!side->point.body && !side->point.tree)
        return ss_refuse(
            setup, "it connects systems of type body and links of trees; '%s' is of type '%s'",
            system->text, ss_setup_connected_type(setup, side->point.local));
    return SS_OK;
}

/* Initial pose: the frame's origin, and A. */
static void start_pose(const ss_setup *setup, const ss_joint_side *side, double x[3], double A[9])
{
    const double *q, *u;
    memset(x, 0, 3 * sizeof *x);
    memcpy(A, ss_pose_here.A, sizeof ss_pose_here.A);
    if (side->point.local < 0)
        return;
    ss_setup_connected_initial(setup, side->point.local, &q, &u);
    if (side->point.tree) {
        ss_pose pose;
        ss_tree_pose(side->point.tree, &(ss_at){.q = &q}, side->point.frame, &pose);
        memcpy(x, pose.x, 3 * sizeof *x);
        memcpy(A, pose.A, sizeof pose.A);
        return;
    }
    memcpy(x, q, 3 * sizeof *x);
    ss_body_rotation(q + 3, A);
}

void ss_side_anchor(const ss_setup *setup, const double x[3], ss_joint_side *side)
{
    double origin[3], A[9], r[3];
    start_pose(setup, side, origin, A);
    for (int i = 0; i < 3; i++)
        r[i] = x[i] - origin[i];
    ss_turn_back(A, r, side->point.p);
}

void ss_side_axes(const ss_setup *setup, double d[3][3], ss_joint_side *side)
{
    double origin[3], A[9];
    start_pose(setup, side, origin, A);
    for (int k = 0; k < 3; k++)
        ss_turn_back(A, d[k], side->d[k]);
}

void ss_side_start(const ss_setup *setup, const ss_joint_side *side, double x[3])
{
    double origin[3], A[9];
    start_pose(setup, side, origin, A);
    ss_turn(A, side->point.p, x);
    ss_axpy(3, 1.0, origin, x);
}

ss_joint_side_at ss_side_evaluate(const ss_joint_side *side, const ss_at *at)
{
    ss_joint_side_at now;
    ss_point_position(&side->point, at, now.x);
    if (side->point.local < 0) {
        memcpy(now.d, side->d, sizeof now.d);
        return now;
    }
    ss_pose pose;
    if (side->point.tree)
        link_pose(&side->point, at, &pose);
    else
        ss_body_rotation(at->q[side->point.local] + 3, pose.A);
    for (int k = 0; k < 3; k++)
        ss_turn(pose.A, side->d[k], now.d[k]);
    return now;
}

void ss_side_twist(const ss_joint_side *side, const ss_at *at, double sign, const double n[3],
                   double *const *W, int row)
{
    const ss_point *point = &side->point;
    if (point->local < 0)
        return;
    double own[3];
    if (point->tree) {
        ss_at seen = tree_at(point, at);
        ss_tree_wrench wrench = {.n = {sign * n[0], sign * n[1], sign * n[2]}};
        ss_tree_push(point->tree, &seen, point->frame, &wrench, W[point->local] + row * point->nu);
        return;
    }
    ss_body_turn(point->body, at->q[point->local] + 3, false, n, own);
    ss_axpy(3, sign, own, W[point->local] + row * point->nu + 3);
}

void ss_side_apply_force(const ss_joint_side *side, const ss_at *at, const double offset[3],
                         double sign, const double f[3], double *const *W, int row)
{
    const ss_point *point = &side->point;
    double signed_f[3] = {sign * f[0], sign * f[1], sign * f[2]};
    if (point->local >= 0)
        ss_point_generalized_force_from(point, at, offset, signed_f,
                                        W[point->local] + row * point->nu);
}
