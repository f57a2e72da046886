/* reduce.c: the few of many points that hold a body as all of them do. */
#include "geometry/pairs/manifold.h"
#include "geometry/vector.h"

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
    double e[3], f[3], m[3];
    ss_minus3(q->a, p->a, e);
    ss_minus3(r->a, p->a, f);
    ss_cross3(e, f, m);
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
        double d[3];
        ss_minus3(t[i].a, t[0].a, d);
        double distance = ss_length3(d);
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
