/* pair_capsule.c: two capsules: the points of two segments that are nearest to each other. */
#include "geometry/pairs/convex.h"

/* Axes u and v, half lengths, and the displacement d from A's middle to B's: points s u and d + t v. */
typedef struct segments {
    double u[3], v[3], d[3];
    double h_a, h_b, r_a, r_b;
    double uv, ud, vd; /* uᵀv, uᵀd, vᵀd */
} segments;

static double clamp(double x, double h)
{
    return fmin(fmax(x, -h), h);
}

static ss_contact_point contact_at(const segments *S, const ss_pose *pose_a, double s, double t,
                                   uint32_t feature)
{
    double a[3], b[3], n[3], t2[3];
    ss_scale3(s, S->u, a);
    ss_along3(S->d, t, S->v, b);
    ss_minus3(b, a, n);
    double distance = ss_unit3(n, n);
    if (distance == 0) { /* the segments cross: apart across both */
        ss_cross3(S->u, S->v, n);
        if (ss_unit3(n, n) < 1e-8)
            ss_tangents3(S->u, n, t2);
    }
    ss_contact_point contact = {.gap = distance - S->r_a - S->r_b, .feature = feature};
    ss_copy3(n, contact.n);
    ss_along3(a, S->r_a, n, contact.a);
    ss_along3(b, -S->r_b, n, contact.b);
    ss_add3(contact.a, pose_a->x, contact.a);
    ss_add3(contact.b, pose_a->x, contact.b);
    return contact;
}

/* Ends that have the other segment beside them; an end of B at an end of A is the same point. */
static int ends(const segments *S, const ss_pose *pose_a, ss_contact_point contacts[4])
{
    double slack = 1e-7 * fmin(S->h_a, S->h_b), found[2];
    int count = 0, of_a;
    for (int sign = -1; sign <= 1; sign += 2) {
        double s = sign * S->h_a, t = S->uv * s - S->vd;
        if (fabs(t) > S->h_b + slack)
            continue;
        found[count] = clamp(t, S->h_b);
        contacts[count] = contact_at(S, pose_a, s, found[count], sign < 0 ? 1 : 2);
        count++;
    }
    of_a = count;
    for (int sign = -1; sign <= 1; sign += 2) {
        double t = sign * S->h_b, s = S->uv * t + S->ud;
        bool same = fabs(s) > S->h_a + slack;
        for (int i = 0; i < of_a; i++)
            same = same || fabs(found[i] - t) <= 2 * slack;
        if (!same)
            contacts[count++] = contact_at(S, pose_a, clamp(s, S->h_a), t, sign < 0 ? 3 : 4);
    }
    return count;
}

/* Nearly side by side they contact along a line: at the ends of it, and where they are nearest if that is between. */
void ss_pair_capsule_capsule(const ss_shape_pair *pair)
{
    const ss_capsule *first = pair->a->self, *second = pair->b->self;
    segments S = {.h_a = 0.5 * first->length,
                  .h_b = 0.5 * second->length,
                  .r_a = first->radius,
                  .r_b = second->radius};
    for (int i = 0; i < 3; i++) {
        S.u[i] = pair->pose_a->A[3 * i + 2];
        S.v[i] = pair->pose_b->A[3 * i + 2];
    }
    ss_minus3(pair->pose_b->x, pair->pose_a->x, S.d);
    S.uv = ss_dot3(S.u, S.v);
    S.ud = ss_dot3(S.u, S.d);
    S.vd = ss_dot3(S.v, S.d);
    double square = 1 - S.uv * S.uv;
    double s = square > 1e-14 ? clamp((S.ud - S.uv * S.vd) / square, S.h_a) : 0;
    double t = clamp(S.uv * s - S.vd, S.h_b);
    s = clamp(S.uv * t + S.ud, S.h_a);
    ss_contact_point closest = contact_at(&S, pair->pose_a, s, t, 0), contacts[4];
    if (closest.gap >= pair->margin)
        return;
    int count = S.uv * S.uv > 0.99 ? ends(&S, pair->pose_a, contacts) : 0;
    if (count < 2 || closest.gap < ss_least_gap(count, contacts) - 1e-9 * fmin(S.h_a, S.h_b))
        ss_pair_send(pair, &closest);
    if (count >= 2)
        ss_pair_send_near(pair, count, contacts);
}
