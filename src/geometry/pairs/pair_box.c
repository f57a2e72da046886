/* pair_box.c: two boxes: the axis along which they are farthest apart (or overlap least) among the normals of their
 * sides and the directions across an edge of each, then the common part of the two sides. */
#include "geometry/pairs/convex.h"

/* Everything in A's frame. */
typedef struct boxes {
    const double *h_a, *h_b;
    double R[3][3], absolute[3][3]; /* B's axes as columns */
    double d[3];                    /* from A's centre to B's */
    double size;
} boxes;

typedef struct axis {
    double n[3], gap;
} axis;

static void set_up(const ss_shape_pair *pair, boxes *S)
{
    S->h_a = ((const ss_box *)pair->a->self)->half;
    S->h_b = ((const ss_box *)pair->b->self)->half;
    ss_pose_point_back(pair->pose_a, pair->pose_b->x, S->d);
    const double *A = pair->pose_a->A, *B = pair->pose_b->A;
    S->size = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            S->R[i][k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
            S->absolute[i][k] = fabs(S->R[i][k]);
        }
        S->size = fmax(S->size, fmax(S->h_a[i], S->h_b[i]));
    }
}

static void side_axes(const boxes *S, axis *best)
{
    for (int i = 0; i < 3; i++) {
        double gap = fabs(S->d[i]) - S->h_a[i] - ss_dot3(S->absolute[i], S->h_b);
        if (gap > best->gap) {
            *best = (axis){.gap = gap};
            best->n[i] = S->d[i] < 0 ? -1 : 1;
        }
    }
    axis other = {.gap = -INFINITY};
    for (int k = 0; k < 3; k++) {
        const double v[3] = {S->R[0][k], S->R[1][k], S->R[2][k]};
        double along = ss_dot3(S->d, v), reach = 0;
        for (int i = 0; i < 3; i++)
            reach += S->absolute[i][k] * S->h_a[i];
        double gap = fabs(along) - S->h_b[k] - reach;
        if (gap > other.gap) {
            other.gap = gap;
            ss_scale3(along < 0 ? -1 : 1, v, other.n);
        }
    }
    if (other.gap > best->gap + 1e-13 * S->size) /* the same to rounding: A's */
        *best = other;
}

static void edge_axes(const boxes *S, axis *best)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double p = S->R[i1][k], q = S->R[i2][k], square = p * p + q * q;
            if (square < 1e-12) /* parallel edges have no direction across that a side has not */
                continue;
            double along = S->d[i2] * p - S->d[i1] * q;
            double reach = S->h_a[i1] * S->absolute[i2][k] + S->h_a[i2] * S->absolute[i1][k] +
                           S->h_b[k1] * S->absolute[i][k2] + S->h_b[k2] * S->absolute[i][k1];
            double gap = fabs(along) - reach, length = sqrt(square);
            if (gap <= (best->gap + 1e-12 * S->size) * length)
                continue;
            *best = (axis){.gap = gap / length};
            best->n[i1] = (along < 0 ? q : -q) / length;
            best->n[i2] = (along < 0 ? -p : p) / length;
        }
}

void ss_pair_box_box(const ss_shape_pair *pair)
{
    boxes S;
    axis best = {.gap = -INFINITY};
    set_up(pair, &S);
    side_axes(&S, &best);
    if (best.gap >= pair->margin)
        return;
    edge_axes(&S, &best);
    if (best.gap >= pair->margin)
        return;
    double n[3], back[3];
    ss_face face_a, face_b;
    ss_contact_point contacts[SS_CONTACT_POINTS_MAX];
    const double *origin = pair->pose_a->x;
    ss_pose_rotate(pair->pose_a, best.n, n);
    ss_scale3(-1, n, back);
    ss_convex first = ss_shape_convex(pair->a, pair->pose_a);
    ss_convex second = ss_shape_convex(pair->b, pair->pose_b);
    ss_convex_face(&first, n, origin, &face_a);
    ss_convex_face(&second, back, origin, &face_b);
    int count = ss_manifold(&face_a, &face_b, n, pair->margin, contacts);
    /* points as near as the axis tells are the nearest; otherwise corners and edges face each other in the open */
    if (!(ss_least_gap(count, contacts) <=
          best.gap + 1e-7 * S.size * (best.gap < 0) + 1e-12 * S.size)) {
        ss_pair_convex_convex(pair);
        return;
    }
    for (int i = 0; i < count; i++) {
        ss_add3(contacts[i].a, origin, contacts[i].a);
        ss_add3(contacts[i].b, origin, contacts[i].b);
        ss_pair_send(pair, &contacts[i]);
    }
}
