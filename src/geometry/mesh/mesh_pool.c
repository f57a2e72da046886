/* mesh_pool.c: gathers the contacts of a mesh and reduces each region to a few points. */
#include "geometry/mesh/mesh.h"
#include "geometry/pairs/convex.h"
#include "la/elementary.h"

static void give(const ss_mesh_pool *pool, const ss_contact_point *contact)
{
    ss_contact_point in_space;
    ss_contact_place(contact, pool->pair->pose_a, &in_space);
    ss_pair_send(pool->pair, &in_space);
}

ss_mesh_region *ss_mesh_pool_region(ss_mesh_pool *pool, const double n[3], double height)
{
    for (int i = 0; i < pool->n_regions; i++) {
        ss_mesh_region *region = &pool->regions[i];
        if (ss_square3(n, region->n) < 1e-12 && fabs(height - region->height) < 1e-6 * pool->size)
            return region;
    }
    return NULL;
}

/* Coordinates of a region's contacts across its normal, and the order along x, then y. */
typedef struct layout {
    double x[SS_MESH_REGION_MAX], y[SS_MESH_REGION_MAX];
    int order[SS_MESH_REGION_MAX];
} layout;

static void lay_out(const ss_mesh_region *region, layout *L)
{
    double t1[3], t2[3];
    ss_tangents3(region->n, t1, t2);
    for (int i = 0; i < region->count; i++) {
        L->x[i] = ss_dot3(t1, region->contacts[i].a);
        L->y[i] = ss_dot3(t2, region->contacts[i].a);
        int k = i;
        for (; k > 0; k--) {
            int before = L->order[k - 1];
            if (L->x[before] < L->x[i] || (L->x[before] == L->x[i] && L->y[before] <= L->y[i]))
                break;
            L->order[k] = before;
        }
        L->order[k] = i;
    }
}

/* Half of a convex hull (Andrew's chain): `step` 1 from the first to the last, -1 back; the last is left out. */
static int chain(const layout *L, int n, int step, double slack, int *hull)
{
    int count = 0;
    for (int i = step > 0 ? 0 : n - 1; i >= 0 && i < n; i += step) {
        int p = L->order[i];
        for (; count >= 2; count--) {
            int q = hull[count - 2], r = hull[count - 1];
            double ex = L->x[p] - L->x[q], ey = L->y[p] - L->y[q];
            double turn = (L->x[r] - L->x[q]) * ey - (L->y[r] - L->y[q]) * ex;
            if (turn < -slack * ss_hypot(ex, ey)) /* r is to the left of the way from q to p */
                break;
        }
        hull[count++] = p;
    }
    return count - 1;
}

/* Leaves the corners of the area that the contacts span, and the deepest one. */
static void reduce_to_hull(const ss_mesh_pool *pool, ss_mesh_region *region)
{
    layout L;
    int hull[2 * SS_MESH_REGION_MAX], n = region->count, deepest = 0;
    bool keep[SS_MESH_REGION_MAX] = {false};
    double slack = 1e-6 * pool->size, least = INFINITY;
    lay_out(region, &L);
    int count = chain(&L, n, 1, slack, hull);
    count += chain(&L, n, -1, slack, hull + count);
    for (int i = 0; i < count; i++) {
        keep[hull[i]] = true;
        least = fmin(least, region->contacts[hull[i]].gap);
    }
    for (int i = 1; i < n; i++)
        if (region->contacts[i].gap < region->contacts[deepest].gap)
            deepest = i;
    keep[deepest] |= region->contacts[deepest].gap < least - 1e-3 * slack;
    region->count = 0;
    for (int i = 0; i < n; i++)
        if (keep[i])
            region->contacts[region->count++] = region->contacts[i];
}

static void reduce(const ss_mesh_pool *pool, ss_mesh_region *region)
{
    ss_contact_point *t = region->contacts;
    if (region->count > 2)
        reduce_to_hull(pool, region);
    for (int i = 1; i < region->count; i++)
        if (t[i].gap < t[0].gap - 1e-9 * pool->size) { /* of nearly equal ones the first stays */
            ss_contact_point swap = t[0];
            t[0] = t[i];
            t[i] = swap;
        }
    region->count = ss_reduce(region->count, region->contacts, region->n, pool->size);
}

void ss_mesh_pool_add(ss_mesh_pool *pool, const ss_contact_point *contact, double height)
{
    ss_mesh_region *region = ss_mesh_pool_region(pool, contact->n, height);
    double same = 1e-6 * pool->size;
    if (!region && pool->n_regions == SS_MESH_REGIONS) {
        give(pool, contact);
        return;
    }
    if (!region) {
        region = &pool->regions[pool->n_regions++];
        *region = (ss_mesh_region){.height = height};
        ss_copy3(contact->n, region->n);
    }
    for (int i = 0; i < region->count; i++) {
        ss_contact_point *other = &region->contacts[i];
        if (ss_square3(contact->a, other->a) > same * same)
            continue;
        if (contact->gap < other->gap)
            *other = *contact;
        return;
    }
    if (region->count == SS_MESH_REGION_MAX)
        reduce_to_hull(pool, region);
    if (region->count == SS_MESH_REGION_MAX)
        reduce(pool, region);
    region->contacts[region->count++] = *contact;
}

/* One place of contact may be found as a corner on a face and as a crossing of edges beside it, the farther
 * apart the deeper it is: the deepest stands for all (S7.3). */
static bool repeated(const ss_mesh_pool *pool, const ss_mesh_region *region,
                     const ss_contact_point *contact)
{
    for (int i = 0; i < pool->n_regions; i++) {
        const ss_mesh_region *other = &pool->regions[i];
        if (other == region || ss_dot3(other->n, region->n) < 0.95)
            continue;
        for (int k = 0; k < other->count; k++) {
            const ss_contact_point *t = &other->contacts[k];
            double near = 2 * fmax(0, -fmin(t->gap, contact->gap)) + 1e-6 * pool->size;
            bool first = t->gap < contact->gap || (t->gap == contact->gap && other < region);
            if (first && ss_square3(t->a, contact->a) < near * near)
                return true;
        }
    }
    return false;
}

/* Whether a contact before the k-th of region i has a feature. */
static bool is_taken(const ss_mesh_pool *pool, int i, int k, uint32_t feature)
{
    for (int r = 0; r <= i; r++)
        for (int t = 0; t < (r == i ? k : pool->regions[r].count); t++)
            if (pool->regions[r].contacts[t].feature == feature)
                return true;
    return false;
}

void ss_mesh_pool_give(ss_mesh_pool *pool)
{
    for (int i = 0; i < pool->n_regions; i++)
        reduce(pool, &pool->regions[i]);
    for (int i = 0; i < pool->n_regions; i++)
        for (int k = 0; k < pool->regions[i].count; k++) {
            ss_contact_point *contact = &pool->regions[i].contacts[k];
            while (is_taken(pool, i, k, contact->feature))
                contact->feature++;
            if (!pool->merge || !repeated(pool, &pool->regions[i], contact))
                give(pool, contact);
        }
}
