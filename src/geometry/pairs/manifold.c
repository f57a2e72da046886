/* manifold.c: what two faces have in common, seen along the normal, and the few of many points that hold a body as all of
 * them do. */
#include "geometry/pairs/convex.h"

/* Coordinates along and across the normal. */
typedef struct frame {
    double t1[3], t2[3], n[3];
} frame;

/* A face laid out across n: heights are along n. */
typedef struct layout {
    int count;
    double x[SS_FACE_MAX], y[SS_FACE_MAX], z[SS_FACE_MAX];
    uint32_t ids[SS_FACE_MAX];
    double slope[2]; /* dz/dx and dz/dy of the face; of an edge along itself */
    double turn;     /* 1: counter-clockwise seen against n, -1 */
    double size;     /* across n */
} layout;

/* The contacts found so far, in the frame (t1, t2, n). */
typedef struct pool {
    int count;
    double x[SS_POOL_MAX], y[SS_POOL_MAX];
    uint32_t features[SS_POOL_MAX];
    double same; /* points nearer than this are one */
} pool;

/* The edge of a face that is farthest along `up` n. */
static void edge_of(const ss_face *face, const double n[3], double up, ss_face *edge)
{
    double most = -INFINITY;
    int best = 0;
    for (int i = 0; i < face->count; i++) {
        int k = (i + 1) % face->count;
        double height = up * (ss_dot3(n, face->points[i]) + ss_dot3(n, face->points[k]));
        if (height > most) {
            most = height;
            best = i;
        }
    }
    edge->count = 2;
    for (int end = 0; end < 2; end++) {
        int k = (best + end) % face->count;
        ss_copy3(face->points[k], edge->points[end]);
        edge->ids[end] = face->ids[k];
    }
}

/* A face seen from the side shows its edge only. */
static void lay_out(const ss_face *face, const frame *F, double up, layout *L)
{
    ss_face edge;
    if (face->count >= 3 && fabs(ss_dot3(face->normal, F->n)) < 0.3) {
        edge_of(face, F->n, up, &edge);
        face = &edge;
    }
    L->count = face->count;
    L->size = 0;
    for (int i = 0; i < face->count; i++) {
        L->x[i] = ss_dot3(F->t1, face->points[i]);
        L->y[i] = ss_dot3(F->t2, face->points[i]);
        L->z[i] = ss_dot3(F->n, face->points[i]);
        L->ids[i] = face->ids[i];
        L->size = fmax(L->size, fmax(fabs(L->x[i] - L->x[0]), fabs(L->y[i] - L->y[0])));
    }
    if (face->count == 2) {
        double x = L->x[1] - L->x[0], y = L->y[1] - L->y[0], z = L->z[1] - L->z[0];
        double square = x * x + y * y;
        L->slope[0] = square > 0 ? z * x / square : 0;
        L->slope[1] = square > 0 ? z * y / square : 0;
        L->turn = 1;
    } else {
        double along = ss_dot3(F->n, face->normal);
        L->slope[0] = -ss_dot3(F->t1, face->normal) / along;
        L->slope[1] = -ss_dot3(F->t2, face->normal) / along;
        L->turn = along > 0 ? 1 : -1;
    }
}

static double height(const layout *L, double x, double y)
{
    return L->z[0] + L->slope[0] * (x - L->x[0]) + L->slope[1] * (y - L->y[0]);
}

static bool inside(const layout *L, double x, double y, double tolerance)
{
    for (int i = 0; i < L->count; i++) {
        int k = i + 1 == L->count ? 0 : i + 1;
        double ex = L->x[k] - L->x[i], ey = L->y[k] - L->y[i], length = sqrt(ex * ex + ey * ey);
        double dx = x - L->x[i], dy = y - L->y[i];
        if (L->turn * (ex * dy - ey * dx) < -tolerance * length)
            return false;
        if (L->count == 2 && ex * dx + ey * dy < -tolerance * length)
            return false;
    }
    return true;
}

static void add(pool *P, double x, double y, uint32_t feature)
{
    for (int i = 0; i < P->count; i++) {
        double dx = x - P->x[i], dy = y - P->y[i];
        if (dx * dx + dy * dy <= P->same * P->same)
            return;
    }
    if (P->count == SS_POOL_MAX)
        return;
    P->x[P->count] = x;
    P->y[P->count] = y;
    P->features[P->count++] = feature;
}

static void add_corners(const layout *of, const layout *other, uint32_t mark, pool *P)
{
    for (int i = 0; i < of->count; i++)
        if (inside(other, of->x[i], of->y[i], P->same))
            add(P, of->x[i], of->y[i], mark | of->ids[i]);
}

/* The same for the edge whichever way it runs. */
static uint32_t edge_mark(const layout *L, int i, int k)
{
    uint32_t p = L->ids[i], q = L->ids[k];
    return (p < q ? p * 181 + q : q * 181 + p) & 0x7fff;
}

static void add_crossing(const layout *A, int i, const layout *B, int j, pool *P)
{
    int i1 = i + 1 == A->count ? 0 : i + 1, j1 = j + 1 == B->count ? 0 : j + 1;
    double ex = A->x[i1] - A->x[i], ey = A->y[i1] - A->y[i];
    double fx = B->x[j1] - B->x[j], fy = B->y[j1] - B->y[j];
    double dx = B->x[j] - A->x[i], dy = B->y[j] - A->y[i];
    double det = ex * fy - ey * fx, s = dx * fy - dy * fx, t = dx * ey - dy * ex;
    if (det < 0) {
        det = -det;
        s = -s;
        t = -t;
    }
    if (s < 0 || t < 0 || s > det || t > det)
        return;
    if (det * det <= 1e-16 * (ex * ex + ey * ey) * (fx * fx + fy * fy)) /* parallel */
        return;
    uint32_t feature = 3u << 30 | edge_mark(A, i, i1) << 15 | edge_mark(B, j, j1);
    add(P, A->x[i] + s / det * ex, A->y[i] + s / det * ey, feature);
}

int ss_manifold_all(const ss_face *a, const ss_face *b, const double n[3], double margin,
                    ss_contact_point all[SS_POOL_MAX], double *size)
{
    layout A, B;
    pool P = {.count = 0};
    frame F;
    int count = 0;
    ss_copy3(n, F.n);
    ss_tangents3(n, F.t1, F.t2);
    lay_out(a, &F, 1, &A);
    lay_out(b, &F, -1, &B);
    *size = fmin(A.size, B.size);
    P.same = 1e-7 * *size;
    add_corners(&A, &B, 1u << 30, &P);
    add_corners(&B, &A, 2u << 30, &P);
    for (int i = 0; i < (A.count == 2 ? 1 : A.count); i++)
        for (int j = 0; j < (B.count == 2 ? 1 : B.count); j++)
            add_crossing(&A, i, &B, j, &P);
    for (int i = 0; i < P.count; i++) {
        double x = P.x[i], y = P.y[i], z_a = height(&A, x, y), z_b = height(&B, x, y);
        ss_contact_point *t = &all[count];
        t->gap = z_b - z_a;
        if (!(t->gap < margin))
            continue;
        t->feature = P.features[i];
        ss_copy3(n, t->n);
        for (int k = 0; k < 3; k++) {
            double across = x * F.t1[k] + y * F.t2[k];
            t->a[k] = across + z_a * n[k];
            t->b[k] = across + z_b * n[k];
        }
        count++;
    }
    return count;
}

int ss_manifold(const ss_face *a, const ss_face *b, const double n[3], double margin,
                ss_contact_point contacts[SS_CONTACT_POINTS_MAX])
{
    ss_contact_point all[SS_POOL_MAX];
    double size;
    int count = ss_manifold_all(a, b, n, margin, all, &size);
    count = ss_reduce(count, all, n, size);
    for (int i = 0; i < count; i++)
        contacts[i] = all[i];
    return count;
}

/* ---- Few of many ---- */

static void swap(ss_contact_point *contacts, int i, int k)
{
    ss_contact_point t = contacts[i];
    contacts[i] = contacts[k];
    contacts[k] = t;
}

/* Twice the area of (p, q, r) seen along n. */
static double area(const ss_contact_point *p, const ss_contact_point *q, const ss_contact_point *r,
                   const double n[3])
{
    double m[3];
    ss_normal3(p->a, q->a, r->a, m);
    return ss_dot3(m, n);
}

static int deepest(int count, const ss_contact_point *t, double tolerance)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (t[i].gap < t[best].gap - tolerance)
            best = i;
    return best;
}

static int farthest(int count, const ss_contact_point *t, double tolerance)
{
    int best = 1;
    double most = 0;
    for (int i = 1; i < count; i++) {
        double distance = ss_distance3(t[i].a, t[0].a);
        if (distance > most + tolerance) {
            most = distance;
            best = i;
        }
    }
    return best;
}

static int widest(int count, const ss_contact_point *t, const double n[3], double tolerance)
{
    int best = 2;
    double most = 0;
    for (int i = 2; i < count; i++) {
        double A = fabs(area(&t[0], &t[1], &t[i], n));
        if (A > most + tolerance) {
            most = A;
            best = i;
        }
    }
    return best;
}

/* What adds most to the triangle of the first three; 0: nothing does. */
static int outermost(int count, const ss_contact_point *t, const double n[3], double tolerance)
{
    int best = 0;
    double most = tolerance, sign = area(&t[0], &t[1], &t[2], n) < 0 ? -1 : 1;
    for (int i = 3; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double A = -sign * area(&t[k], &t[(k + 1) % 3], &t[i], n);
            if (A > most + tolerance) {
                most = A;
                best = i;
            }
        }
    return best;
}

int ss_reduce(int count, ss_contact_point *contacts, const double n[3], double length)
{
    double tolerance = 1e-7 * length;
    if (count <= 4)
        return count;
    swap(contacts, 0, deepest(count, contacts, tolerance));
    swap(contacts, 1, farthest(count, contacts, tolerance));
    swap(contacts, 2, widest(count, contacts, n, tolerance * length));
    int last = outermost(count, contacts, n, tolerance * length);
    if (last == 0)
        return 3;
    swap(contacts, 3, last);
    return 4;
}
