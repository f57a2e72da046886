/* element_body_joint.c: joints between bodies in space.
 *
 * Each side carries an anchor and three axes a_k (of `system`) and b_k (of `to`), which coincide at first. With
 * r = x - x_to and ω the angular velocity of `system` relative to `to`, the rows are
 *
 *   along space   g = e_iᵀ r                γ = e_iᵀ (v - v_to)
 *   along         g = b_jᵀ r                γ = b_jᵀ (v - v_to'), v_to' of the point of `to` that is now at x
 *   dot           g = ± a_iᵀ b_j            γ = ± (a_i × b_j)ᵀ ω
 *   angle         g = atan2(± a_iᵀ b_j, a_kᵀ b_l): of a hinge a_2ᵀ b_3 and a_2ᵀ b_2; of a Cardan joint, whose cross carries
 *                 a_1 and b_2, -a_3ᵀ b_2 and a_2ᵀ b_2 about a_1, -a_1ᵀ b_3 and a_1ᵀ b_1 about b_2
 *   swing         g = the angle between a_1 and b_1
 *   spin          γ = a_iᵀ ω, b_iᵀ ω or e_iᵀ ω
 *
 * For a small turn θ of `system`, a_i = b_i + θ × b_i, so a_1ᵀ b_2 = θ_3 and -a_1ᵀ b_3 = θ_2.
 */
#include "la/elementary.h"
#include "la/small.h"
#include "model/refuse.h"
#include "types/points.h"
#include "types/types.h"

#include <math.h>
#include <string.h>

typedef enum row_form { ALONG_SPACE, ALONG, DOT, ANGLE, SWING, SPIN, SPIN_TO, SPIN_SPACE } row_form;

typedef struct joint_row {
    row_form form;
    int i, j;
    double sign;
    int k, l; /* of angles */
} joint_row;

typedef struct joint_group {
    const char *name;
    ss_row_kind kind;
    bool held; /* by a bilateral law, unless it is given another */
    int count;
    joint_row rows[3];
} joint_group;

/* Rows that hold. */
static const joint_group place = {
    "gap", SS_GEOMETRIC, true, 3, {{ALONG_SPACE, 0}, {ALONG_SPACE, 1}, {ALONG_SPACE, 2}}};
static const joint_group beside = {"gap", SS_GEOMETRIC, true, 2, {{ALONG, 0, 1}, {ALONG, 0, 2}}};
static const joint_group above = {"gap", SS_GEOMETRIC, true, 1, {{ALONG, 0, 0}}};
static const joint_group tilt = {"tilt", SS_GEOMETRIC, true, 2, {{DOT, 0, 2, -1}, {DOT, 0, 1, 1}}};
static const joint_group attitude = {
    "tilt", SS_GEOMETRIC, true, 3, {{DOT, 1, 2, 1}, {DOT, 2, 0, 1}, {DOT, 0, 1, 1}}};
static const joint_group right_angle = {"tilt", SS_GEOMETRIC, true, 1, {{DOT, 0, 1, 1}}};

/* Free rows: velocities, and for each coordinate two groups, so that it can have a stop and a drive. */
static const joint_group turn = {"turn", SS_KINEMATIC, false, 1, {{SPIN, 0}}};
static const joint_group turn_space = {
    "turn", SS_KINEMATIC, false, 3, {{SPIN_SPACE, 0}, {SPIN_SPACE, 1}, {SPIN_SPACE, 2}}};
static const joint_group turn_cross = {"turn", SS_KINEMATIC, false, 2, {{SPIN, 0}, {SPIN_TO, 1}}};
static const joint_group slip = {"slip", SS_KINEMATIC, false, 1, {{ALONG, 0, 0}}};
static const joint_group slip_plane = {
    "slip", SS_KINEMATIC, false, 2, {{ALONG, 0, 1}, {ALONG, 0, 2}}};
static const joint_group angle = {"angle", SS_GEOMETRIC, false, 1, {{ANGLE, 1, 2, 1, 1, 1}}};
static const joint_group drive = {"drive", SS_GEOMETRIC, false, 1, {{ANGLE, 1, 2, 1, 1, 1}}};
static const joint_group swing_angle = {"angle", SS_GEOMETRIC, false, 1, {{SWING}}};
static const joint_group swing_drive = {"drive", SS_GEOMETRIC, false, 1, {{SWING}}};
static const joint_group axis_angle = {"angle", SS_GEOMETRIC, false, 1, {{ANGLE, 2, 1, -1, 1, 1}}};
static const joint_group axis_drive = {"drive", SS_GEOMETRIC, false, 1, {{ANGLE, 2, 1, -1, 1, 1}}};
static const joint_group cross_angle = {
    "cross_angle", SS_GEOMETRIC, false, 1, {{ANGLE, 0, 2, -1, 0, 0}}};
static const joint_group cross_drive = {
    "cross_drive", SS_GEOMETRIC, false, 1, {{ANGLE, 0, 2, -1, 0, 0}}};
static const joint_group slide = {"slide", SS_GEOMETRIC, false, 1, {{ALONG, 0, 0}}};
static const joint_group push = {"push", SS_GEOMETRIC, false, 1, {{ALONG, 0, 0}}};
static const joint_group slide_plane = {"slide", SS_GEOMETRIC, false, 1, {{ALONG, 0, 1}}};
static const joint_group push_plane = {"push", SS_GEOMETRIC, false, 1, {{ALONG, 0, 1}}};
static const joint_group cross_slide = {"cross_slide", SS_GEOMETRIC, false, 1, {{ALONG, 0, 2}}};
static const joint_group cross_push = {"cross_push", SS_GEOMETRIC, false, 1, {{ALONG, 0, 2}}};

/* The groups of a joint, up to NULL. */
typedef const joint_group *const joint_kind[11];

static const joint_kind spherical = {&place, &turn_space, &swing_angle, &swing_drive};
static const joint_kind revolute = {&place, &tilt, &angle, &turn, &drive};
static const joint_kind prismatic = {&beside, &attitude, &slide, &slip, &push};
static const joint_kind cylindrical = {&beside, &tilt, &angle, &turn, &drive, &slide, &slip, &push};
static const joint_kind planar = {&above, &tilt,        &slip_plane, &angle,       &turn,
                                  &drive, &slide_plane, &push_plane, &cross_slide, &cross_push};
static const joint_kind universal = {&place,      &right_angle, &turn_cross, &axis_angle,
                                     &axis_drive, &cross_angle, &cross_drive};
static const joint_kind fixed = {&place, &attitude};

typedef struct body_joint {
    ss_text system, to;
    ss_matrix at, point, to_point, axis, cross_axis; /* as given */
    double angle, slide;                             /* in the initial configuration */
    void *kind;                                      /* joint_kind: the user pointer of the type */
    ss_joint_side a, b;
    int rows;
} body_joint;

/* clang-format off */
#define JOINT_KEYS                                                                                \
    {"system", SS_KEY_TEXT, offsetof(body_joint, system), NULL, 0, 0, NULL, "",                   \
     "Body, or link of a tree (robot.hand), that moves relative to `to`."},                                                        \
    {"to", SS_KEY_TEXT, offsetof(body_joint, to), "", 0, 0, NULL, "",                             \
     "Body or link that it is joined to; not given: space itself."},                                      \
    {"at", SS_KEY_REALS, offsetof(body_joint, at), "", 0, 0, NULL, "m",                           \
     "Where the joint is, in space, in the initial configuration."},                              \
    {"point", SS_KEY_REALS, offsetof(body_joint, point), "", 0, 0, NULL, "m",                     \
     "Instead of `at`: its place in the frame of `system`; the origin of that frame when neither is given."}, \
    {"to_point", SS_KEY_REALS, offsetof(body_joint, to_point), "", 0, 0, NULL, "m",               \
     "Its place in the frame of `to`, or in space; not given: the same place in the initial configuration."}
#define AXIS_KEY(doc)                                                                             \
    {"axis", SS_KEY_REALS, offsetof(body_joint, axis), NULL, 0, 0, NULL, "", doc}
#define ANGLE_KEY                                                                                 \
    {"angle", SS_KEY_REAL, offsetof(body_joint, angle), "0", 0, 0, NULL, "rad",                   \
     "Value of the angle in the initial configuration."}
#define SLIDE_KEY                                                                                 \
    {"slide", SS_KEY_REAL, offsetof(body_joint, slide), "0", 0, 0, NULL, "m",                     \
     "Value of the displacement in the initial configuration."}
/* clang-format on */

static const joint_group *const *groups_of(const body_joint *self)
{
    return self->kind;
}

/* Axes in space: the first along `axis`, the second along `cross` as far as it can. */
static ss_status make_axes(const ss_setup *setup, const body_joint *self, double d[3][3])
{
    double cross[3] = {0};
    d[0][0] = 1.0;
    if (self->axis.rows)
        SS_TRY(ss_read_direction(setup, "axis", &self->axis, 3, d[0]));
    if (self->cross_axis.rows)
        SS_TRY(ss_read_direction(setup, "cross_axis", &self->cross_axis, 3, cross));
    else
        cross[fabs(d[0][0]) < 0.7 ? 0 : 1] = 1.0;
    memcpy(d[1], cross, sizeof cross);
    ss_axpy(3, -ss_dot(3, d[0], cross), d[0], d[1]);
    double length = ss_norm(3, d[1]);
    if (self->cross_axis.rows && length < 1.0 - 1e-9)
        return ss_refuse(setup, "'cross_axis' must be at right angles to 'axis'");
    for (int i = 0; i < 3; i++)
        d[1][i] /= length;
    ss_cross3(d[0], d[1], d[2]);
    return SS_OK;
}

static ss_status make_anchors(const ss_setup *setup, body_joint *self)
{
    double x[3];
    if (self->at.rows && (self->point.rows || self->to_point.rows))
        return ss_refuse(setup, "give 'at' (a place in space), or 'point' and 'to_point'");
    if (self->point.rows)
        SS_TRY(ss_read_numbers(setup, "point", &self->point, 3, self->a.point.p));
    ss_side_start(setup, &self->a, x);
    if (self->at.rows)
        SS_TRY(ss_read_numbers(setup, "at", &self->at, 3, x));
    if (!self->point.rows)
        ss_side_anchor(setup, x, &self->a);
    ss_side_anchor(setup, x, &self->b);
    return self->to_point.rows
               ? ss_read_numbers(setup, "to_point", &self->to_point, 3, self->b.point.p)
               : SS_OK;
}

/* Points that are apart in a direction in which the joint holds them are most likely a slip of the pen: they are drawn
 * together within the first step. Rounded numbers are not meant. */
static void warn_of_gap(const ss_setup *setup, const body_joint *self, double d[3][3])
{
    const joint_group *group = groups_of(self)[0];
    double a[3], b[3], r[3], square = 0;
    ss_side_start(setup, &self->a, a);
    ss_side_start(setup, &self->b, b);
    for (int i = 0; i < 3; i++)
        r[i] = a[i] - b[i];
    for (int k = 0; k < group->count; k++) {
        const joint_row *row = &group->rows[k];
        double g = row->form == ALONG_SPACE ? r[row->i] : ss_dot(3, d[row->j], r);
        square += g * g;
    }
    double gap = sqrt(square), arm = fmax(ss_norm(3, self->a.point.p), ss_norm(3, self->b.point.p));
    if (gap > 1e-3 * arm)
        ss_log(ss_setup_context(setup), SS_LOG_WARNING,
               "%s: its points are %.3g m apart in the initial configuration; 'at' gives one place "
               "for both",
               ss_setup_owner(setup), gap);
}

static ss_status init(void *opaque, ss_setup *setup)
{
    body_joint *self = opaque;
    double d[3][3] = {{0}};
    SS_TRY(ss_side_attach(setup, &self->system, &self->a));
    SS_TRY(ss_side_attach(setup, &self->to, &self->b));
    if (self->a.point.local == self->b.point.local && self->a.point.frame == self->b.point.frame)
        return ss_refuse(setup, "it joins system '%s' to itself", self->system.text);
    SS_TRY(make_axes(setup, self, d));
    ss_side_axes(setup, d, &self->a);
    ss_side_axes(setup, d, &self->b);
    SS_TRY(make_anchors(setup, self));
    if (self->to_point.rows)
        warn_of_gap(setup, self, d);
    for (int k = 0; groups_of(self)[k]; k++) {
        const joint_group *group = groups_of(self)[k];
        SS_TRY(ss_setup_rows(setup, group->name, group->count, group->kind));
        if (group->held)
            ss_setup_default_law(setup, "bilateral", "stabilize", "true");
        self->rows += group->count;
    }
    return SS_OK;
}

/* ---- Rows ---- */

/* Both sides as they are now. */
typedef struct joint_at {
    ss_joint_side_at a, b;
    double r[3]; /* from the anchor of `to` to that of `system` */
} joint_at;

static joint_at evaluate(const body_joint *self, const ss_at *at)
{
    joint_at now = {ss_side_evaluate(&self->a, at), ss_side_evaluate(&self->b, at), {0}};
    memcpy(now.r, now.a.x, sizeof now.r);
    ss_axpy(3, -1.0, now.b.x, now.r);
    return now;
}

static double row_gap(const body_joint *self, const joint_at *now, const joint_row *row)
{
    const ss_joint_side_at *a = &now->a, *b = &now->b;
    double n[3];
    switch (row->form) {
    case ALONG_SPACE:
        return now->r[row->i];
    case ALONG:
        return ss_dot(3, b->d[row->j], now->r) + (row->j == 0 ? self->slide : 0.0);
    case DOT:
        return row->sign * ss_dot(3, a->d[row->i], b->d[row->j]);
    case ANGLE:
        return self->angle + ss_atan2(row->sign * ss_dot(3, a->d[row->i], b->d[row->j]),
                                      ss_dot(3, a->d[row->k], b->d[row->l]));
    case SWING:
        ss_cross3(a->d[0], b->d[0], n);
        return ss_atan2(ss_norm(3, n), ss_dot(3, a->d[0], b->d[0]));
    default:
        return 0.0;
    }
}

static ss_status gap(const void *opaque, const ss_at *at, double *g)
{
    const body_joint *self = opaque;
    joint_at now = evaluate(self, at);
    for (const joint_group *const *group = groups_of(self); *group; group++)
        for (int i = 0; i < (*group)->count; i++)
            *g++ = row_gap(self, &now, &(*group)->rows[i]);
    return SS_OK;
}

/* n with γ = nᵀω, for rows of the relative rotation. */
static void row_axis(const joint_at *now, const joint_row *row, double n[3])
{
    const ss_joint_side_at *a = &now->a, *b = &now->b;
    double s, c, across[3], along[3];
    memset(n, 0, 3 * sizeof *n);
    switch (row->form) {
    case DOT:
        ss_cross3(a->d[row->i], b->d[row->j], across);
        ss_axpy(3, row->sign, across, n);
        break;
    case ANGLE: /* (c s' - s c') / (s² + c²) */
        s = row->sign * ss_dot(3, a->d[row->i], b->d[row->j]);
        c = ss_dot(3, a->d[row->k], b->d[row->l]);
        ss_cross3(a->d[row->i], b->d[row->j], across);
        ss_cross3(a->d[row->k], b->d[row->l], along);
        ss_axpy(3, row->sign * c / (s * s + c * c), across, n);
        ss_axpy(3, -s / (s * s + c * c), along, n);
        break;
    case SWING: /* without direction where the axes coincide */
        ss_cross3(b->d[0], a->d[0], across);
        s = ss_norm(3, across);
        ss_axpy(3, s > 0 ? 1.0 / s : 0.0, across, n);
        break;
    case SPIN:
        memcpy(n, a->d[row->i], 3 * sizeof *n);
        break;
    case SPIN_TO:
        memcpy(n, b->d[row->i], 3 * sizeof *n);
        break;
    default:
        n[row->i] = 1.0;
    }
}

static void row_direction(const body_joint *self, const ss_at *at, const joint_at *now,
                          const joint_row *row, int index, double *const *W)
{
    static const double here[3] = {0, 0, 0};
    double n[3] = {0};
    if (row->form == ALONG_SPACE) {
        n[row->i] = 1.0;
        ss_side_apply_force(&self->a, at, here, 1.0, n, W, index);
        ss_side_apply_force(&self->b, at, here, -1.0, n, W, index);
    } else if (row->form == ALONG) {
        ss_side_apply_force(&self->a, at, here, 1.0, now->b.d[row->j], W, index);
        ss_side_apply_force(&self->b, at, now->r, -1.0, now->b.d[row->j], W, index);
    } else {
        row_axis(now, row, n);
        ss_side_twist(&self->a, at, 1.0, n, W, index);
        ss_side_twist(&self->b, at, -1.0, n, W, index);
    }
}

static ss_status W(const void *opaque, const ss_at *at, double *const *result)
{
    const body_joint *self = opaque;
    joint_at now = evaluate(self, at);
    int index = 0;
    memset(result[0], 0, (size_t)(self->rows * self->a.point.nu) * sizeof **result);
    if (self->b.point.local > 0)
        memset(result[1], 0, (size_t)(self->rows * self->b.point.nu) * sizeof **result);
    for (const joint_group *const *group = groups_of(self); *group; group++)
        for (int i = 0; i < (*group)->count; i++)
            row_direction(self, at, &now, &(*group)->rows[i], index++, result);
    return SS_OK;
}

/* ---- Types ---- */

#define JOINT_TYPE(joint, what, ...)                                                             \
    static const ss_key joint##_keys[] = {JOINT_KEYS, __VA_ARGS__{.name = NULL}};                \
    const ss_element_ops ss_##joint##_joint_ops = {                                              \
        .type = {SS_ABI, sizeof(ss_element_ops), #joint, what, sizeof(body_joint), joint##_keys, \
                 .user = (void *)(joint), .user_offset = offsetof(body_joint, kind)},            \
        .init = init,                                                                            \
        .gap = gap,                                                                              \
        .W = W,                                                                                  \
        .held = true,                                                                            \
    }

/* clang-format off */
#define HELD " Bilateral laws with drift stabilization hold "
JOINT_TYPE(spherical,
           "A ball joint between bodies." HELD "gap (3 rows); free: turn (3, kinematic), angle, drive (1, between "
           "`axis` on both).",
           {"axis", SS_KEY_REALS, offsetof(body_joint, axis), "", 0, 0, NULL, "",
            "Axis of both bodies, in space in the initial configuration, for angle and drive; x when not given."},);
JOINT_TYPE(revolute,
           "A hinge between bodies." HELD "gap (3 rows) and tilt (2); free: angle, drive (1), turn (1, kinematic).",
           AXIS_KEY("Axis of the hinge, in space in the initial configuration, of any length."), ANGLE_KEY,);
JOINT_TYPE(prismatic,
           "A slider between bodies." HELD "gap (2 rows) and tilt (3); free: slide, push (1), slip (1, kinematic).",
           AXIS_KEY("Direction in which it slides, in space in the initial configuration, of any length."),
           SLIDE_KEY,);
JOINT_TYPE(cylindrical,
           "A slider that turns." HELD "gap (2 rows) and tilt (2); free: slide, push, angle, drive (1 each), "
           "slip, turn (1 each, kinematic).",
           AXIS_KEY("Axis along which it slides and about which it turns, in space in the initial "
                    "configuration, of any length."), ANGLE_KEY, SLIDE_KEY,);
JOINT_TYPE(planar,
           "A body that slides on a plane of another." HELD "gap (1 row) and tilt (2); free: slip (2, kinematic), slide, push, "
           "cross_slide, cross_push (1 each), angle, drive (1), turn (1, kinematic).",
           AXIS_KEY("Normal of the plane, in space in the initial configuration, of any length."), ANGLE_KEY,
           {"cross_axis", SS_KEY_REALS, offsetof(body_joint, cross_axis), "", 0, 0, NULL, "",
            "Direction of slide and push, at right angles to `axis`, in space in the initial configuration; cross_slide and "
            "cross_push are across both. Any when not given."},);
JOINT_TYPE(universal,
           "A Cardan joint: `axis` on `system` stays at right angles to `cross_axis` on `to`." HELD
           "gap (3 rows) and tilt (1); free: turn (2, kinematic, about both axes), angle, drive (1, about `axis`), cross_angle, "
           "cross_drive (1, about `cross_axis`).",
           AXIS_KEY("Axis of the cross in `system`, in space in the initial configuration, of any length."),
           {"cross_axis", SS_KEY_REALS, offsetof(body_joint, cross_axis), NULL, 0, 0, NULL, "",
            "Axis of the cross in `to`, at right angles to `axis`, in space in the initial configuration."},);
JOINT_TYPE(fixed, "Two bodies made one." HELD "gap (3 rows) and tilt (3).",);
/* clang-format on */
