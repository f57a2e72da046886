/* mesh_ways.c */
#include "contact/mesh_ways.h"
#include "contact/vector.h"

/* Whether corners are all on the far side of the plane through `from` across n: `side` 1 in front of it, -1 behind. */
static bool all_beyond(int count, const double (*corners)[3], const double n[3],
                       const double from[3], double side, double slack)
{
    for (int k = 0; k < count; k++) {
        double d[3];
        ss_minus3(corners[k], from, d);
        if (side * ss_dot3(n, d) < -slack)
            return false;
    }
    return true;
}

/* Whether the way apart along another touch's normal is shorter and opens this one, too: the planes across that normal
 * have what meets here on its two sides. Where surfaces are not convex, their parts stand before the planes of each
 * other, and every touch counts. */
static bool is_opened_by(const ss_mesh_way *way, const ss_mesh_way *other, double slack)
{
    const ss_touch *t = &other->touch;
    return !other->nearly && t->gap > way->touch.gap + slack &&
           all_beyond(way->count[0], way->corners[0], t->n, t->a, -1, slack) &&
           all_beyond(way->count[1], way->corners[1], t->n, t->b, 1, slack);
}

static bool same_way(const ss_mesh_way *way, const ss_mesh_way *other)
{
    return ss_dot3(way->touch.n, other->touch.n) > 1 - 1e-9;
}

/* Whether a corner that only nearly pushes has lost the one it goes with. */
static bool is_left_alone(const ss_mesh_ways *ways, const ss_mesh_way *way, const bool *opened)
{
    for (int k = 0; way->nearly && k < ways->count; k++)
        if (!opened[k] && !ways->list[k].nearly && same_way(way, &ways->list[k]))
            return false;
    return way->nearly;
}

/* What opens one is not opened by it, so that the order does not matter. */
static void drop_opened(ss_mesh_ways *ways)
{
    bool opened[SS_MESH_WAYS] = {false};
    double slack = 1e-6 * ways->pool->size;
    int count = 0;
    for (int i = 0; i < ways->count; i++)
        for (int k = 0; k < ways->count && !opened[i]; k++)
            opened[i] = is_opened_by(&ways->list[i], &ways->list[k], slack);
    for (int i = 0; i < ways->count; i++)
        opened[i] = opened[i] || is_left_alone(ways, &ways->list[i], opened);
    for (int i = 0; i < ways->count; i++)
        if (!opened[i])
            ways->list[count++] = ways->list[i];
    ways->count = count;
}

/* The plane is that of the face; where two faces lie on each other that of the first mesh will do for both. */
static void give(ss_mesh_pool *pool, const ss_mesh_way *way)
{
    const ss_touch *t = &way->touch;
    double height = ss_dot3(t->n, t->a);
    if (way->turned && !ss_mesh_pool_has(pool, t->n, height))
        height = ss_dot3(t->n, t->b);
    ss_mesh_pool_add(pool, t, height);
}

void ss_mesh_ways_give(ss_mesh_ways *ways)
{
    drop_opened(ways);
    for (int i = 0; i < ways->count; i++)
        give(ways->pool, &ways->list[i]);
    ways->count = 0;
}

void ss_mesh_ways_add(ss_mesh_ways *ways, const ss_mesh_way *way)
{
    if (ways->count == SS_MESH_WAYS)
        drop_opened(ways);
    if (ways->count == SS_MESH_WAYS)
        ss_mesh_ways_give(ways);
    ways->list[ways->count++] = *way;
}
