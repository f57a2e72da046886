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
    double slack = 1e-6 * ways->size;
    int count = 0;
    for (int i = 0; i < ways->count; i++)
        for (int k = 0; k < ways->count && !opened[i] && ways->list[i].touch.gap <= ways->sure; k++)
            opened[i] = is_opened_by(&ways->list[i], &ways->list[k], slack);
    for (int i = 0; i < ways->count && ways->pool; i++)
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

/* In the place of the one with the largest gap, if that is larger. */
static void replace_farthest(ss_mesh_ways *ways, const ss_mesh_way *way)
{
    int farthest = 0;
    for (int i = 1; i < ways->count; i++)
        if (ways->list[i].touch.gap > ways->list[farthest].touch.gap)
            farthest = i;
    if (way->touch.gap < ways->list[farthest].touch.gap)
        ways->list[farthest] = *way;
}

void ss_mesh_ways_add(ss_mesh_ways *ways, const ss_mesh_way *way)
{
    if (ways->count == SS_MESH_WAYS)
        drop_opened(ways);
    if (ways->count == SS_MESH_WAYS && !ways->pool) {
        replace_farthest(ways, way);
        return;
    }
    if (ways->count == SS_MESH_WAYS)
        ss_mesh_ways_give(ways);
    ways->list[ways->count++] = *way;
}

/* A corner above several triangles of a flat piece of surface has one feature. */
static bool is_known(int count, const ss_touch *touches, uint32_t feature)
{
    for (int i = 0; i < count; i++)
        if (touches[i].feature == feature)
            return true;
    return false;
}

static void into_space(const ss_touch *touch, const ss_pose *pose, ss_touch *to)
{
    *to = *touch;
    ss_pose_rotate(pose, touch->n, to->n);
    ss_pose_point(pose, touch->a, to->a);
    ss_pose_point(pose, touch->b, to->b);
}

int ss_mesh_ways_nearest(ss_mesh_ways *ways, const ss_pose *pose, int room, ss_touch *touches)
{
    int count = 0;
    drop_opened(ways);
    for (; count < room && ways->count > 0;) {
        int nearest = 0;
        for (int i = 1; i < ways->count; i++)
            if (ways->list[i].touch.gap < ways->list[nearest].touch.gap)
                nearest = i;
        const ss_touch *touch = &ways->list[nearest].touch;
        if (!is_known(count, touches, touch->feature))
            into_space(touch, pose, &touches[count++]);
        ways->list[nearest] = ways->list[--ways->count];
    }
    return count;
}
