
#include "watch.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

/* ---- Things that stand ---- */

static void look_at_moves(run *r, const ss_state *state)
{
    double *start = r->user, *most = start + 2000;
    int n = ss_model_sizes(ss_scene_model(r->scene)).n_q;
    assert_true(n <= 2000);
    if (ss_state_time(state) == 0)
        memcpy(start, ss_state_q(state), (size_t)n * sizeof *start);
    for (int i = 0; i < n; i++)
        *most = fmax(*most, fabs(ss_state_q(state)[i] - start[i]));
}

double largest_move(const char *scene, const char *const *overrides)
{
    run r;
    double start[2001] = {0};
    open_run(&r, scene, overrides);
    r.look = look_at_moves;
    r.user = start;
    finish_run(&r);
    close_run(&r);
    return start[2000];
}

/* ---- Boxes ---- */

static int find_box(const ss_model *model)
{
    for (int s = 0; s < ss_model_sizes(model).n_systems; s++)
        if (strcmp(ss_model_system(model, s).name, "box") == 0)
            return s;
    return -1;
}

/* The frame of the box, from a shape that sits on it without being turned. */
static void frame_of_box(const run *r, const ss_state *state, int box, ss_pose *frame)
{
    const ss_model *model = ss_scene_model(r->scene);
    *frame = (ss_pose){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int s = 0; s < ss_model_sizes(model).n_shapes; s++) {
        ss_shape_info info = ss_model_shape(model, s);
        if (box < 0 || info.system != box)
            continue;
        ss_model_shape_pose(model, s, ss_state_time(state), ss_state_q(state), frame);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                frame->x[i] -= frame->A[3 * i + j] * info.at.x[j];
        return;
    }
}

/* A pose as it is seen from a frame. */
static ss_pose seen_from(const ss_pose *frame, const ss_pose *pose)
{
    ss_pose seen = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            seen.x[i] += frame->A[3 * k + i] * (pose->x[k] - frame->x[k]);
            for (int j = 0; j < 3; j++)
                seen.A[3 * i + j] += frame->A[3 * k + i] * pose->A[3 * k + j];
        }
    return seen;
}

static double coordinate(const ss_pose *pose, int axis, const double p[3])
{
    const double *a = pose->A + 3 * axis;
    return pose->x[axis] + a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
}

/* The largest coordinate of a shape, by farthest points or by corners. */
static double reach(run *r, const ss_shape *shape, const ss_pose *pose)
{
    double most = 0, radius = shape->ops->radius ? shape->ops->radius(shape->self) : 0;
    for (int k = 0; shape->ops->support && k < 6; k++) {
        double p[3], d[3], sign = k < 3 ? 1 : -1;
        for (int j = 0; j < 3; j++)
            d[j] = sign * pose->A[3 * (k % 3) + j];
        shape->ops->support(shape->self, d, p);
        most = fmax(most, fabs(coordinate(pose, k % 3, p)) + radius);
    }
    if (shape->ops->support)
        return most;
    ss_triangles drawn = {0};
    assert_int_equal(shape->ops->triangles(shape->self, r->context, &drawn), SS_OK);
    for (int k = 0; k < 3 * drawn.n_points; k++)
        most = fmax(most, fabs(coordinate(pose, k % 3, drawn.points + k - k % 3)));
    ss_release(r->context, drawn.points);
    ss_release(r->context, drawn.corners);
    return most;
}

void look_at_surfaces(run *r, const ss_state *state)
{
    double *most = r->user;
    const ss_model *model = ss_scene_model(r->scene);
    int box = find_box(model);
    ss_pose frame;
    frame_of_box(r, state, box, &frame);
    for (int s = 0; s < ss_model_sizes(model).n_shapes; s++) {
        ss_shape_info info = ss_model_shape(model, s);
        ss_pose pose;
        if (info.system < 0 || info.system == box)
            continue;
        ss_model_shape_pose(model, s, ss_state_time(state), ss_state_q(state), &pose);
        pose = seen_from(&frame, &pose);
        *most = fmax(*most, reach(r, info.shape, &pose));
    }
}

/* ---- Funnels ---- */

/* Distance of (x, z) from the segment between two points of a profile. */
static double from_segment(const double a[2], const double b[2], double x, double z)
{
    double d[2] = {b[0] - a[0], b[1] - a[1]};
    double s = ((x - a[0]) * d[0] + (z - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
    s = fmin(fmax(s, 0), 1);
    return hypot(x - a[0] - s * d[0], z - a[1] - s * d[1]);
}

/* How far a point between floor and brim is before the walls of funnel.obj, negative behind them. All four have one profile. */
static double before_walls(const double x[3])
{
    static const double profile[3][2] = {{0.2, 0.4}, {0.035, 0.15}, {0.035, 0.05}};
    double least = INFINITY;
    for (int k = 0; k < 2; k++) {
        double out = fabs(x[k]), distance = fmin(from_segment(profile[0], profile[1], out, x[2]),
                                                 from_segment(profile[1], profile[2], out, x[2]));
        double width = x[2] < 0.15 ? 0.035 : 0.035 + (x[2] - 0.15) / 0.25 * 0.165;
        least = fmin(least, out < width ? distance : -distance);
    }
    return least;
}

static bool is_beside_walls(const double x[3])
{
    return x[2] > 0.05 && x[2] < 0.4;
}

static double depth_of_ball(const double x[3], double radius)
{
    return is_beside_walls(x) ? radius - before_walls(x) : 0;
}

/* Of its corners behind the walls, and of the rims of the throat inside of it. */
static double depth_of_box(const ss_pose *pose, const double half[3])
{
    double deepest = 0;
    for (int corner = 0; corner < 8; corner++) {
        double x[3];
        for (int i = 0; i < 3; i++) {
            x[i] = pose->x[i];
            for (int j = 0; j < 3; j++)
                x[i] += pose->A[3 * i + j] * (corner >> j & 1 ? half[j] : -half[j]);
        }
        if (is_beside_walls(x))
            deepest = fmax(deepest, -before_walls(x));
    }
    for (int n = 0; n < 8 * 71; n++) {
        double along = (n % 71 - 35) * 1e-3, out = n / 71 % 2 ? 0.035 : -0.035, inside = INFINITY;
        bool turned = n / 71 / 2 % 2;
        double x[3] = {turned ? along : out, turned ? out : along, n / 71 / 4 ? 0.15 : 0.05};
        for (int j = 0; j < 3; j++) {
            double local = 0;
            for (int i = 0; i < 3; i++)
                local += pose->A[3 * i + j] * (x[i] - pose->x[i]);
            inside = fmin(inside, half[j] - fabs(local));
        }
        deepest = fmax(deepest, inside);
    }
    return deepest;
}

static void look_at_walls(run *r, const ss_state *state)
{
    static const double half_box[3] = {0.018, 0.014, 0.011};
    passage *p = r->user;
    const ss_model *model = ss_scene_model(r->scene);
    int n = ss_model_sizes(model).n_systems;
    assert_true(n <= MOST_BODIES);
    for (int s = 0; s < n; s++) { /* the first shapes are theirs */
        ss_pose pose;
        ss_model_shape_pose(model, s, 0, ss_state_q(state), &pose);
        if (p->gone[s])
            continue;
        p->gone[s] = pose.x[2] < 0.05;
        p->through += p->gone[s];
        bool ball = strcmp(ss_model_shape(model, s).shape->ops->type.name, "sphere") == 0;
        double radius = n > 5 ? 0.007 : 0.018;
        p->deepest =
            fmax(p->deepest, ball ? depth_of_ball(pose.x, radius) : depth_of_box(&pose, half_box));
    }
}

passage pass_funnel(const char *scene, const char *const *overrides)
{
    run r;
    passage p = {0};
    open_run(&r, scene, overrides);
    r.look = look_at_walls;
    r.user = &p;
    finish_run(&r);
    close_run(&r);
    return p;
}
