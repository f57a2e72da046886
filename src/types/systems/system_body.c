/* system_body.c: a rigid body in space, with Euler parameters (S7.2).
 *
 *   M = diag(m, J), h = (0, -ω × J ω), q' = (v, F ω), J constant in the body's axes
 *
 * Fixed and driven bodies have infinite mass, M⁻¹ = 0, and move as they must.
 */
#include "la/elementary.h"
#include "la/small.h"
#include "model/body.h"
#include "model/refuse.h"
#include "types/derive.h"
#include "types/points.h"
#include "types/rotation.h"
#include "types/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where a driven body is: x(t), turned from its rotation at t = 0 by angle(t) about a fixed axis. */
typedef struct body_motion {
    ss_time_function x[3], angle;
    double axis[3];
} body_motion;

typedef struct body {
    ss_body body; /* first: the model finds it here */
    double mass;
    ss_matrix inertia, rotation, angles, axis; /* as given */
    ss_texts motion;
    ss_text angle;
    bool fixed;
    int frame;
    double *q0;         /* of bodies that are still; NULL: it is not */
    body_motion *moves; /* NULL: not driven */
} body;

static const ss_key keys[] = {
    {"mass", SS_KEY_REAL, offsetof(body, mass), "", DBL_MIN, INFINITY, NULL, "kg",
     "Mass; not given: that of its shapes, by their density."},
    {"inertia", SS_KEY_REALS, offsetof(body, inertia), "", 0, 0, NULL, "kg m^2",
     "Inertia about the centre of mass in the axes of the body: one number (the same about every "
     "axis), three principal moments, six numbers xx, yy, zz, xy, xz, yz of the tensor (xy stands "
     "for -∫ x y dm), or its nine numbers by rows; not given: that of its shapes."},
    {"frame", SS_KEY_CHOICE, offsetof(body, frame), "inertial", 0, 0, "inertial|body", "",
     "Axes in which the angular velocity wx, wy, wz is given and counted: of space, or of the "
     "body."},
    {"rotation", SS_KEY_REALS, offsetof(body, rotation), "", 0, 0, NULL, "rad",
     "Initial rotation: an axis of any length and an angle about it, [0, 0, 1, pi/2]."},
    {"yaw_pitch_roll", SS_KEY_REALS, offsetof(body, angles), "", 0, 0, NULL, "rad",
     "Initial rotation by angles instead: turned about z by yaw, then about its own y by pitch, "
     "then about its own x by roll."},
    {"fixed", SS_KEY_BOOL, offsetof(body, fixed), "false", 0, 0, NULL, "",
     "The body rests where it is, whatever acts on it."},
    {"motion", SS_KEY_EXPRESSIONS, offsetof(body, motion), "", 0, 0, NULL, "m",
     "Driven body: its place [x, y, z] as expressions of t."},
    {"turn", SS_KEY_EXPRESSION, offsetof(body, angle), "", 0, 0, NULL, "rad",
     "Driven body: the angle by which it is turned about `axis` from its initial rotation, an "
     "expression of t."},
    {"axis", SS_KEY_REALS, offsetof(body, axis), "", 0, 0, NULL, "",
     "Axis of `turn` in space, of any length.", "turn"},
    {.name = NULL},
};

/* ---- Parameters ---- */

static ss_status init_motion(ss_setup *setup, body *self)
{
    body_motion *moves;
    SS_TRY(SS_SETUP_NEW(setup, 1, &moves));
    self->moves = moves;
    if (self->motion.rows && self->motion.rows * self->motion.columns != 3)
        return ss_refuse(setup, "'motion' must be three expressions of t, for x, y and z");
    for (int i = 0; i < self->motion.rows; i++)
        SS_TRY(ss_time_function_compile(setup, "motion", &self->motion.items[i], &moves->x[i]));
    if (!self->angle.text != !self->axis.rows)
        return ss_refuse(setup, "'turn' and 'axis' go together");
    if (!self->angle.text)
        return SS_OK;
    SS_TRY(ss_read_direction(setup, "axis", &self->axis, 3, moves->axis));
    return ss_time_function_compile(setup, "turn", &self->angle, &moves->angle);
}

static ss_status init(void *opaque, ss_setup *setup)
{
    static const char *const places[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
    static const char *const rates[] = {"x'", "y'", "z'", "wx", "wy", "wz"};
    body *self = opaque;
    bool driven = self->motion.rows > 0 || self->angle.text || self->axis.rows > 0;
    self->body.still = self->fixed || driven;
    self->body.frame = self->frame;
    self->body.mass = self->mass;
    self->body.has_mass = self->mass > 0;
    self->body.has_inertia = self->inertia.rows > 0;
    if (self->fixed && driven)
        return ss_refuse(setup, "it cannot be fixed and driven ('motion', 'turn')");
    if (self->inertia.rows && !(self->mass > 0) && !self->body.still)
        return ss_refuse(setup, "'inertia' needs a 'mass' too");
    if (self->inertia.rows)
        SS_TRY(ss_read_inertia(setup, &self->inertia, self->body.J));
    SS_TRY(ss_setup_coordinates(setup, SS_BODY_NQ, places));
    SS_TRY(ss_setup_velocities(setup, SS_BODY_NU, rates));
    ss_setup_body(setup, &self->body);
    if (self->body.still)
        SS_TRY(SS_SETUP_NEW(setup, SS_BODY_NQ, &self->q0));
    if (driven)
        ss_setup_prescribed(setup);
    return driven ? init_motion(setup, self) : SS_OK;
}

/* ---- The torque -ω × K ω of a body with the inertia K ---- */

/* ∂((K ω) × ω)/∂ω, 3 × 3 by rows. */
static void gyroscopic_derivative(const double K[9], const double omega[3], double D[9])
{
    double L[3];
    ss_turn(K, omega, L);
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, column[3] = {K[j], K[3 + j], K[6 + j]}, a[3],
               b[3];
        ss_cross3(column, omega, a);
        ss_cross3(L, unit, b);
        for (int i = 0; i < 3; i++)
            D[3 * i + j] = a[i] + b[i];
    }
}

/* The same with respect to a small turn of the body in space, by which δ(K ω) = θ × K ω - K (θ × ω). */
static void gyroscopic_turned(const double K[9], const double omega[3], double D[9])
{
    double L[3];
    ss_turn(K, omega, L);
    for (int j = 0; j < 3; j++) {
        double theta[3] = {j == 0, j == 1, j == 2}, a[3], b[3], Kb[3], c[3];
        ss_cross3(theta, L, a);
        ss_cross3(theta, omega, b);
        ss_turn(K, b, Kb);
        ss_axpy(3, -1.0, Kb, a);
        ss_cross3(a, omega, c);
        for (int i = 0; i < 3; i++)
            D[3 * i + j] = c[i];
    }
}

/* x = A⁻¹ f by Cramer's rule; false where A has no inverse. */
static bool solve(const double A[9], const double f[3], double x[3])
{
    double c[3][3], rows[3][3];
    memcpy(rows, A, sizeof rows);
    ss_cross3(rows[1], rows[2], c[0]);
    ss_cross3(rows[2], rows[0], c[1]);
    ss_cross3(rows[0], rows[1], c[2]);
    double det = ss_dot(3, rows[0], c[0]);
    for (int i = 0; i < 3; i++)
        x[i] = (c[0][i] * f[0] + c[1][i] * f[1] + c[2][i] * f[2]) / det;
    return det != 0;
}

/* The mean ω of a step of size dt without other torques, by the implicit midpoint rule with K constant, which
 * keeps ωᵀKω and, in the body's axes, |Kω|: K (ω̄ - ω) = dt/2 (K ω̄) × ω̄. dt = 0: ω itself, as in a step
 * too long for Newton's method, which has no mean worth the name. */
static void gyroscopic_mean(const double K[9], const double omega[3], double dt, double mean[3])
{
    enum { MOST = 8 };
    double size = ss_dot(3, omega, omega);
    memcpy(mean, omega, 3 * sizeof *mean);
    if (dt == 0 || !(size > 0))
        return;
    for (int k = 0; k < MOST; k++) {
        double D[9], L[3], torque[3], lag[3], f[3], x[3];
        ss_turn(K, mean, L);
        ss_cross3(L, mean, torque);
        for (int i = 0; i < 3; i++)
            lag[i] = mean[i] - omega[i];
        ss_turn(K, lag, f);
        ss_axpy(3, -dt / 2, torque, f);
        gyroscopic_derivative(K, mean, D);
        for (int i = 0; i < 9; i++)
            D[i] = K[i] - dt / 2 * D[i];
        if (!solve(D, f, x))
            break;
        ss_axpy(3, -1.0, x, mean);
        if (ss_dot(3, x, x) <= 16 * DBL_EPSILON * DBL_EPSILON * size)
            return;
    }
    memcpy(mean, omega, 3 * sizeof *mean);
}

/* ---- Dynamics ---- */

/* K = A J Aᵀ in the frame of the angular velocity. */
static void turned(const ss_body *b, const double e[4], const double J[9], double K[9])
{
    if (b->round || b->frame == SS_FRAME_BODY) {
        memcpy(K, J, 9 * sizeof *K);
        return;
    }
    double A[9], B[9];
    ss_body_rotation(e, A);
    for (int i = 0; i < 3; i++) /* B = A J, J symmetric */
        ss_turn(J, A + 3 * i, B + 3 * i);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            K[3 * i + j] = K[3 * j + i] = ss_dot(3, B + 3 * i, A + 3 * j);
}

static ss_status inverse_mass(const void *opaque, const ss_at *at, double *Minv)
{
    const ss_body *b = opaque;
    double K[9];
    memset(Minv, 0, SS_BODY_NU * SS_BODY_NU * sizeof *Minv);
    if (b->still)
        return SS_OK;
    Minv[0] = Minv[7] = Minv[14] = 1.0 / b->mass;
    turned(b, at->q[0] + 3, b->Jinv, K);
    for (int i = 0; i < 3; i++)
        memcpy(Minv + 6 * (3 + i) + 3, K + 3 * i, 3 * sizeof *K);
    return SS_OK;
}

static ss_status h(const void *opaque, const ss_at *at, double *h)
{
    const ss_body *b = opaque;
    const double *omega = at->u[0] + 3;
    double K[9], L[3], mean[3];
    memset(h, 0, SS_BODY_NU * sizeof *h);
    if (b->still || b->round)
        return SS_OK;
    turned(b, at->q[0] + 3, b->J, K);
    gyroscopic_mean(K, omega, at->dt, mean);
    ss_turn(K, mean, L);
    ss_cross3(L, mean, h + 3);
    return SS_OK;
}

/* Gyroscopic forces do no work. */
static ss_status load(const void *self, const ss_at *at, double *Q)
{
    (void)self, (void)at;
    memset(Q, 0, SS_BODY_NU * sizeof *Q);
    return SS_OK;
}

static ss_status F(const void *opaque, const ss_at *at, double *F)
{
    const ss_body *b = opaque;
    double rates[12];
    memset(F, 0, SS_BODY_NQ * SS_BODY_NU * sizeof *F);
    F[0] = F[7] = F[14] = 1.0;
    ss_body_rates(b, at->q[0] + 3, rates);
    for (int i = 0; i < 4; i++)
        memcpy(F + 6 * (3 + i) + 3, rates + 3 * i, 3 * sizeof *rates);
    return SS_OK;
}

static void move(const void *opaque, const ss_at *at, const double *u, double dt, const double *q_B,
                 double *q_E)
{
    const ss_body *b = opaque;
    const double *e = at->q[0] + 3, *w = u + 3;
    const double omega[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    double turn[4];
    if (b->frame == SS_FRAME_BODY)
        ss_quaternion_product(e, omega, turn);
    else
        ss_quaternion_product(omega, e, turn);
    for (int i = 0; i < SS_BODY_NQ; i++)
        q_E[i] = q_B[i] + dt * (i < 3 ? u[i] : turn[i - 3]);
}

static ss_status derivatives(const void *opaque, const ss_at *at, double *dhdq, double *dhdu)
{
    const ss_body *b = opaque;
    const double *e = at->q[0] + 3, *omega = at->u[0] + 3;
    double K[9], D[9], T[9], back[12];
    memset(dhdq, 0, SS_BODY_NU * SS_BODY_NQ * sizeof *dhdq);
    memset(dhdu, 0, SS_BODY_NU * SS_BODY_NU * sizeof *dhdu);
    if (b->still || b->round)
        return SS_OK;
    turned(b, e, b->J, K);
    gyroscopic_derivative(K, omega, D);
    for (int i = 0; i < 9; i++)
        dhdu[6 * (3 + i / 3) + 3 + i % 3] = D[i];
    if (b->frame == SS_FRAME_BODY)
        return SS_OK;
    gyroscopic_turned(K, omega, T);
    ss_body_turns(b, e, back);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++)
                dhdq[7 * (3 + i) + 3 + j] += T[3 * i + k] * back[4 * k + j];
    return SS_OK;
}

/* ---- Shapes ---- */

static void pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    (void)self, (void)frame;
    memcpy(pose->x, at->q[0], sizeof pose->x);
    ss_body_rotation(at->q[0] + 3, pose->A);
}

static void twist(const void *self, const ss_at *at, int frame, double *V)
{
    (void)frame;
    const ss_body *b = self;
    double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(V, 0, SS_BODY_NU * SS_BODY_NU * sizeof *V);
    if (b->frame == SS_FRAME_BODY)
        ss_body_rotation(at->q[0] + 3, A);
    V[0] = V[7] = V[14] = 1.0;
    for (int i = 0; i < 3; i++)
        memcpy(V + 6 * (3 + i) + 3, A + 3 * i, 3 * sizeof *A);
}

/* ---- Motion ---- */

static ss_status review_q(const void *opaque, const ss_at *at, double *q)
{
    const body *self = opaque;
    const body_motion *m = self->moves;
    if (self->q0)
        memcpy(q, self->q0, SS_BODY_NQ * sizeof *q);
    for (int i = 0; m && i < self->motion.rows; i++)
        q[i] = ss_time_function_at(&m->x[i], at).value;
    if (m && self->q0 && self->angle.text) {
        double turn[4];
        ss_axis_angle(m->axis, ss_time_function_at(&m->angle, at).value, turn);
        ss_quaternion_product(turn, self->q0 + 3, q + 3);
    }
    double length = ss_dot(4, q + 3, q + 3);
    if (length == 1.0)
        return SS_OK;
    length = sqrt(length);
    for (int i = 3; i < SS_BODY_NQ; i++)
        q[i] /= length;
    return SS_OK;
}

/* Velocities of a driven body, or their rates: the axis of `turn` does not move in the frame of the angular velocity, as it
 * turns with the body and so is where it was. */
static void driven_rates(const body *self, const ss_at *at, bool second, double *u)
{
    const body_motion *m = self->moves;
    double axis[3];
    memset(u, 0, SS_BODY_NU * sizeof *u);
    for (int i = 0; m && i < self->motion.rows; i++) {
        ss_time_value x = ss_time_function_at(&m->x[i], at);
        u[i] = second ? x.acceleration : x.rate;
    }
    if (!m || !self->q0 || !self->angle.text)
        return;
    ss_time_value angle = ss_time_function_at(&m->angle, at);
    ss_body_turn(&self->body, self->q0 + 3, false, m->axis, axis);
    ss_axpy(3, second ? angle.acceleration : angle.rate, axis, u + 3);
}

static ss_status review_u(const void *opaque, const ss_at *at, const double *q, double *u)
{
    const body *self = opaque;
    (void)q;
    if (self->body.still)
        driven_rates(self, at, false, u);
    return SS_OK;
}

static ss_status acceleration(const void *opaque, const ss_at *at, double *a)
{
    driven_rates(opaque, at, true, a);
    return SS_OK;
}

/* ---- Initial values ---- */

static ss_status initial_rotation(const ss_setup *setup, const body *self,
                                  const ss_matrix *position, double *e)
{
    int ways = (self->rotation.rows > 0) + (self->angles.rows > 0) + (position->rows == SS_BODY_NQ);
    e[0] = 1.0;
    if (ways > 1)
        return ss_refuse(setup,
                         "give the rotation once: 'rotation', 'yaw_pitch_roll' or the last four "
                         "numbers of 'position'");
    if (self->rotation.rows)
        return ss_read_axis_angle(setup, "rotation", &self->rotation, e);
    if (self->angles.rows)
        return ss_read_yaw_pitch_roll(setup, "yaw_pitch_roll", &self->angles, e);
    if (position->rows == SS_BODY_NQ)
        memcpy(e, position->values + 3, 4 * sizeof *e);
    return SS_OK;
}

static ss_status initial(void *opaque, const ss_setup *setup, const ss_at *at,
                         const ss_matrix *position, const ss_matrix *velocity, double *q, double *u)
{
    body *self = opaque;
    if (position->rows && position->rows != 3 && position->rows != SS_BODY_NQ)
        return ss_refuse(setup,
                         "'position' must be 3 numbers x, y, z, or 7 with e0, e1, e2, e3, not %d",
                         position->rows);
    if (position->rows && self->motion.rows)
        return ss_refuse(setup, "'motion' says where it is; leave 'position' away");
    if (position->rows)
        memcpy(q, position->values, 3 * sizeof *q);
    SS_TRY(initial_rotation(setup, self, position, q + 3));
    if (!(ss_norm(4, q + 3) > 0.5))
        return ss_refuse(setup, "e0, e1, e2, e3 of 'position' must be a quaternion of length 1");
    if (velocity->rows && self->body.still)
        return ss_refuse(setup, "a body that is fixed or driven takes no 'velocity'");
    if (velocity->rows && velocity->rows != 3 && velocity->rows != SS_BODY_NU)
        return ss_refuse(setup,
                         "'velocity' must be 3 or 6 numbers, x', y', z' and wx, wy, wz, not %d",
                         velocity->rows);
    if (velocity->rows)
        memcpy(u, velocity->values, (size_t)velocity->rows * sizeof *u);
    if (self->q0)
        memcpy(self->q0, q, SS_BODY_NQ * sizeof *q);
    SS_TRY(review_q(self, at, q));
    return review_u(self, at, q, u);
}

const ss_system_ops ss_body_ops = {
    .type =
        {SS_ABI, sizeof(ss_system_ops), "body",
         "A rigid body in space: its centre of mass x, y, z and Euler parameters e0, e1, e2, e3.",
         sizeof(body), keys},
    .init = init,
    .inverse_mass = inverse_mass,
    .h = h,
    .load = load,
    .F = F,
    .move = move,
    .derivatives = derivatives,
    .pose = pose,
    .twist = twist,
    .review_q = review_q,
    .review_u = review_u,
    .acceleration = acceleration,
    .initial = initial,
};
