/* mesh_tree.c: a tree of boxes around the triangles of a mesh and the material behind them. */
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"

enum { LEAF = 4, DEPTH = 64 };

static void include(const double p[3], ss_bounds *box)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = p[k] < box->low[k] ? p[k] : box->low[k];
        box->high[k] = p[k] > box->high[k] ? p[k] : box->high[k];
    }
}

static void measure(const ss_mesh *mesh, ss_mesh_node *node)
{
    node->surface = (ss_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    node->material = node->surface;
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++) {
            int triangle = mesh->order[i];
            double deep[3];
            const double *corner = ss_mesh_corner(mesh, triangle, k);
            ss_along3(corner, -mesh->thickness, ss_mesh_normal(mesh, triangle), deep);
            include(corner, &node->surface);
            include(corner, &node->material);
            include(deep, &node->material);
        }
}

/* Three times the middle of a triangle along an axis. */
static double middle(const ss_mesh *mesh, int triangle, int axis)
{
    return ss_mesh_corner(mesh, triangle, 0)[axis] + ss_mesh_corner(mesh, triangle, 1)[axis] +
           ss_mesh_corner(mesh, triangle, 2)[axis];
}

/* Before in the order along an axis; equal ones by number, so that there is one order. */
static bool before(const ss_mesh *mesh, int axis, int a, int b)
{
    double x = middle(mesh, a, axis), y = middle(mesh, b, axis);
    return x < y || (x == y && a < b);
}

/* Hoare's selection: the `half` first ones along the axis come first. */
static void halve(const ss_mesh *mesh, int axis, int first, int count, int half)
{
    int *order = mesh->order, low = first, high = first + count - 1, wanted = first + half;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, k = high;
        while (i <= k) {
            while (before(mesh, axis, order[i], pivot))
                i++;
            while (before(mesh, axis, pivot, order[k]))
                k--;
            if (i > k)
                break;
            int swap = order[i];
            order[i++] = order[k];
            order[k--] = swap;
        }
        if (wanted <= k)
            high = k;
        else if (wanted >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const ss_bounds *box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis])
            axis = k;
    return axis;
}

/* Halves of halves: its depth is at most the bits of the number of triangles. */
static void split(ss_mesh *mesh, int first, int count)
{
    ss_mesh_node *node = &mesh->nodes[mesh->n_nodes++];
    *node = (ss_mesh_node){.first = first, .count = count};
    measure(mesh, node);
    if (count <= LEAF)
        return;
    halve(mesh, longest_axis(&node->surface), first, count, count / 2);
    split(mesh, first, count / 2);
    node->second = mesh->n_nodes;
    split(mesh, first + count / 2, count - count / 2);
}

ss_status ss_mesh_make_tree(ss_mesh *mesh, ss_context *context)
{
    void *memory;
    SS_TRY(ss_allocate(context, (size_t)mesh->n_triangles, sizeof *mesh->order, &memory));
    mesh->order = memory;
    SS_TRY(ss_allocate(context, 2 * (size_t)mesh->n_triangles, sizeof *mesh->nodes, &memory));
    mesh->nodes = memory;
    for (int i = 0; i < mesh->n_triangles; i++)
        mesh->order[i] = i;
    split(mesh, 0, mesh->n_triangles);
    return SS_OK;
}

static bool apart(const ss_bounds *a, const ss_bounds *b)
{
    bool gap = false;
    for (int k = 0; k < 3; k++)
        gap |= (a->low[k] > b->high[k]) | (b->low[k] > a->high[k]);
    return gap;
}

void ss_mesh_visit(const ss_mesh *mesh, const ss_bounds *box, bool deep, ss_mesh_visit_fn visit,
                   void *user)
{
    int stack[DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int at = stack[--depth];
        const ss_mesh_node *node = &mesh->nodes[at];
        if (apart(deep ? &node->material : &node->surface, box))
            continue;
        if (node->second) {
            stack[depth++] = node->second;
            stack[depth++] = at + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            visit(user, mesh->order[i]);
    }
}
