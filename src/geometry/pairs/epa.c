/* epa.c: how deep the origin is in C: a polytope inside of C grows where it is nearest to the origin until it has
 * reached C's surface there (van den Bergen 2001). */
#include "geometry/pairs/minkowski.h"

enum { VERTICES = 128, FACES = 2 * VERTICES };

typedef struct face {
    int v[3];           /* counter-clockwise from outside */
    double m[3], depth; /* outward normal; distance of the origin below */
} face;

typedef struct polytope {
    int n_vertices, n_faces;
    ss_vertex vertices[VERTICES];
    face faces[FACES];
    double size;
} polytope;

typedef struct edge {
    int from, to;
} edge;

static void make_face(polytope *P, int i, int j, int k)
{
    face *f = &P->faces[P->n_faces++];
    const double *p = P->vertices[i].w, *q = P->vertices[j].w, *r = P->vertices[k].w;
    *f = (face){.v = {i, j, k}, .depth = INFINITY};
    ss_normal3(p, q, r, f->m);
    double area = ss_unit3(f->m, f->m);
    if (area > 1e-14 * ss_distance3(q, p) *
                   ss_distance3(r, p)) /* or a sliver, which only closes the surface */
        f->depth = ss_dot3(f->m, p);
}

/* An edge that comes back the other way is inside of what is taken away. */
static int toggle(edge *edges, int count, int from, int to)
{
    for (int i = 0; i < count; i++)
        if (edges[i].from == to && edges[i].to == from) {
            edges[i] = edges[count - 1];
            return count - 1;
        }
    edges[count] = (edge){from, to};
    return count + 1;
}

/* Takes the faces away that see the new vertex and closes the hole with it. */
static bool grow(polytope *P, const ss_vertex *vertex)
{
    edge edges[3 * FACES];
    int n_edges = 0, kept = 0, index = P->n_vertices;
    if (index == VERTICES)
        return false;
    for (int i = 0; i < P->n_faces; i++) {
        face f = P->faces[i];
        double height = ss_height3(f.m, vertex->w, P->vertices[f.v[0]].w);
        if (f.depth < INFINITY && height > 1e-15 * P->size)
            for (int k = 0; k < 3; k++)
                n_edges = toggle(edges, n_edges, f.v[k], f.v[(k + 1) % 3]);
        else
            P->faces[kept++] = f;
    }
    P->n_faces = kept;
    if (n_edges == 0 || kept + n_edges > FACES)
        return false;
    P->vertices[P->n_vertices++] = *vertex;
    for (int i = 0; i < n_edges; i++)
        make_face(P, edges[i].from, edges[i].to, index);
    return true;
}

static const face *nearest(const polytope *P)
{
    const face *best = &P->faces[0];
    for (int i = 1; i < P->n_faces; i++)
        if (P->faces[i].depth < best->depth)
            best = &P->faces[i];
    return best;
}

/* How far a point is off the point, line or plane of the first `count` vertices. */
static double off(const ss_simplex *s, int count, const double w[3])
{
    const double *p = s->v[0].w, *q = s->v[1].w;
    double m[3];
    if (count == 1)
        return ss_distance3(w, p);
    ss_normal3(p, q, count == 2 ? w : s->v[2].w, m);
    if (count == 2)
        return ss_length3(m) / ss_distance3(q, p);
    ss_unit3(m, m);
    return fabs(ss_height3(m, w, p));
}

/* Directions across what the first vertices span, all sides. */
static int across(const ss_simplex *s, int count, double directions[6][3])
{
    double e[3] = {0, 0, 1}, t1[3], t2[3];
    if (count == 2)
        ss_minus3(s->v[1].w, s->v[0].w, e);
    else if (count == 3)
        ss_normal3(s->v[0].w, s->v[1].w, s->v[2].w, e);
    ss_unit3(e, e);
    ss_tangents3(e, t1, t2);
    int n = 0;
    const double *axes[] = {e, t1, t2};
    for (int i = count == 2 ? 1 : 0; i < (count == 3 ? 1 : 3); i++)
        for (int sign = 1; sign >= -1; sign -= 2)
            ss_scale3(sign, axes[i], directions[n++]);
    return n;
}

/* Completes the simplex to a tetrahedron; false: C has no volume. */
static bool complete(const ss_difference *C, ss_simplex *s, double *size)
{
    for (int i = 0; i < s->count; i++)
        *size = fmax(*size, ss_length3(s->v[i].w));
    for (int count = 1; count < 4; count++) {
        if (count < s->count && off(s, count, s->v[count].w) > 1e-10 * *size)
            continue;
        double directions[6][3], most = 0;
        ss_vertex best = {0};
        int n = across(s, count, directions);
        for (int i = 0; i < n; i++) {
            ss_vertex v;
            ss_difference_support(C, directions[i], &v);
            *size = fmax(*size, ss_length3(v.w));
            double distance = off(s, count, v.w);
            if (distance > most) {
                most = distance;
                best = v;
            }
        }
        if (most <= 1e-12 * *size) {
            s->count = count;
            return false;
        }
        s->v[count] = best;
    }
    s->count = 4;
    return true;
}

static void begin(polytope *P, const ss_simplex *s, double size)
{
    double m[3];
    P->size = size;
    P->n_vertices = 4;
    P->n_faces = 0;
    for (int i = 0; i < 4; i++)
        P->vertices[i] = s->v[i];
    ss_normal3(s->v[0].w, s->v[1].w, s->v[2].w, m);
    bool above = ss_height3(m, s->v[3].w, s->v[0].w) > 0;
    static const int sides[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                       {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    for (int i = 0; i < 4; i++)
        make_face(P, sides[above][i][0], sides[above][i][1], sides[above][i][2]);
}

/* C is flat (or less): the direction out is across, towards B if that can be told. */
static void flat(const ss_difference *C, ss_simplex *s, double n[3])
{
    double v[3], directions[6][3];
    across(s, s->count, directions);
    bool back = ss_dot3(directions[0], C->offset) < 0;
    ss_scale3(back ? -1 : 1, directions[0], n);
    ss_simplex_nearest(s, v);
}

void ss_epa(const ss_difference *C, double tolerance, ss_simplex *simplex, double n[3])
{
    polytope P;
    double size = 0, v[3], least = INFINITY;
    if (!complete(C, simplex, &size)) {
        flat(C, simplex, n);
        return;
    }
    begin(&P, simplex, size);
    for (;;) {
        const face *f = nearest(&P);
        double back[3], depth = f->depth;
        ss_vertex w;
        if (depth >= least) /* rounding has torn the surface: no face is better than the best */
            break;
        ss_scale3(-1, f->m, back);
        ss_difference_support(C, back, &w);
        P.size = fmax(P.size, ss_length3(w.w));
        double reached = ss_dot3(f->m, w.w);
        if (reached < least) {
            least = reached;
            ss_copy3(back, n);
            simplex->count = 3;
            for (int i = 0; i < 3; i++)
                simplex->v[i] = P.vertices[f->v[i]];
        }
        if (reached - depth <= fmax(tolerance, 1e-14 * P.size) || !grow(&P, &w))
            break;
    }
    ss_simplex_nearest(simplex, v);
}
