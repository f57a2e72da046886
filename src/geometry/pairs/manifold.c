/* manifold.c: what two faces have in common, seen along the normal. */
#include "geometry/pairs/manifold.h"
#include "geometry/vector.h"

/* A face laid out across n: heights are along n. */
typedef struct layout {
    int count;
    double x[SS_FACE_MAX], y[SS_FACE_MAX], z[SS_FACE_MAX];
    uint32_t ids[SS_FACE_MAX];
    double slope[2]; /* dz/dx and dz/dy of the face; of an edge along itself */
    double turn;     /* 1: counter-clockwise seen against n, -1 */
} layout;

/* The contacts found so far, in the frame (t1, t2, n). */
typedef struct pool {
    int count;
    double x[SS_POOL_MAX], y[SS_POOL_MAX];
    uint32_t features[SS_POOL_MAX];
    double same; /* points nearer than this are one */
} pool;

/* A face seen from the side shows its edge only: the one that is farthest along `up` n. */
static void edge_of(const ss_face *face, const double n[3], double up, ss_face *edge)
{
    double most = -INFINITY;
    for (int i = 0; i < face->count; i++) {
        int k = (i + 1) % face->count;
        double height = up * (ss_dot3(n, face->points[i]) + ss_dot3(n, face->points[k]));
        if (height > most) {
            most = height;
            edge->count = 2;
            ss_copy3(face->points[i], edge->points[0]);
            ss_copy3(face->points[k], edge->points[1]);
            edge->ids[0] = face->ids[i];
            edge->ids[1] = face->ids[k];
        }
    }
}

static void lay_out(const ss_face *face, const double t1[3], const double t2[3], const double n[3],
                    layout *L)
{
    L->count = face->count;
    for (int i = 0; i < face->count; i++) {
        L->x[i] = ss_dot3(t1, face->points[i]);
        L->y[i] = ss_dot3(t2, face->points[i]);
        L->z[i] = ss_dot3(n, face->points[i]);
        L->ids[i] = face->ids[i];
    }
    if (face->count == 2) {
        double x = L->x[1] - L->x[0], y = L->y[1] - L->y[0], z = L->z[1] - L->z[0];
        double square = x * x + y * y;
        L->slope[0] = square > 0 ? z * x / square : 0;
        L->slope[1] = square > 0 ? z * y / square : 0;
        L->turn = 1;
    } else {
        double up = ss_dot3(n, face->normal);
        L->slope[0] = -ss_dot3(t1, face->normal) / up;
        L->slope[1] = -ss_dot3(t2, face->normal) / up;
        L->turn = up > 0 ? 1 : -1;
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
    uint32_t low = L->ids[i], high = L->ids[k];
    if (low > high) {
        low = L->ids[k];
        high = L->ids[i];
    }
    return (low * 181 + high) & 0x7fff;
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

static void add_crossings(const layout *A, const layout *B, pool *P)
{
    int sides_a = A->count == 2 ? 1 : A->count, sides_b = B->count == 2 ? 1 : B->count;
    for (int i = 0; i < sides_a; i++)
        for (int j = 0; j < sides_b; j++)
            add_crossing(A, i, B, j, P);
}

static double size_of(const layout *L)
{
    double size = 0;
    for (int i = 1; i < L->count; i++)
        size = fmax(size, fmax(fabs(L->x[i] - L->x[0]), fabs(L->y[i] - L->y[0])));
    return size;
}

static int contacts_of(const pool *P, const layout *A, const layout *B, const double t1[3],
                       const double t2[3], const double n[3], double margin,
                       ss_contact_point *contacts)
{
    int count = 0;
    for (int i = 0; i < P->count; i++) {
        double x = P->x[i], y = P->y[i], z_a = height(A, x, y), z_b = height(B, x, y);
        ss_contact_point *t = &contacts[count];
        t->gap = z_b - z_a;
        if (!(t->gap < margin))
            continue;
        t->feature = P->features[i];
        ss_copy3(n, t->n);
        for (int k = 0; k < 3; k++) {
            double across = x * t1[k] + y * t2[k];
            t->a[k] = across + z_a * n[k];
            t->b[k] = across + z_b * n[k];
        }
        count++;
    }
    return count;
}

static bool shows_edge(const ss_face *face, const double n[3])
{
    return face->count >= 3 && fabs(ss_dot3(face->normal, n)) < 0.3;
}

int ss_manifold_all(const ss_face *a, const ss_face *b, const double n[3], double margin,
                    ss_contact_point all[SS_POOL_MAX], double *size)
{
    ss_face edge;
    layout A, B;
    pool P = {.count = 0};
    double t1[3], t2[3];
    ss_tangents3(n, t1, t2);
    if (shows_edge(a, n)) {
        edge_of(a, n, 1, &edge);
        lay_out(&edge, t1, t2, n, &A);
    } else {
        lay_out(a, t1, t2, n, &A);
    }
    if (shows_edge(b, n)) {
        edge_of(b, n, -1, &edge);
        lay_out(&edge, t1, t2, n, &B);
    } else {
        lay_out(b, t1, t2, n, &B);
    }
    *size = fmin(size_of(&A), size_of(&B));
    P.same = 1e-7 * *size;
    add_corners(&A, &B, 1u << 30, &P);
    add_corners(&B, &A, 2u << 30, &P);
    add_crossings(&A, &B, &P);
    return contacts_of(&P, &A, &B, t1, t2, n, margin, all);
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
