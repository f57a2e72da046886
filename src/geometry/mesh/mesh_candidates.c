/* mesh_candidates.c: the contacts of two meshes, without those that another one opens by a shorter displacement. */
#include "geometry/mesh/mesh_candidates.h"
#include "geometry/vector.h"

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

/* Whether the way apart along another contact's normal is shorter and opens this one, too: the planes across that normal
 * have what meets here on its two sides. Where surfaces are not convex, their parts stand before the planes of each
 * other, and every contact counts. */
static bool is_opened_by(const ss_mesh_candidate *candidate, const ss_mesh_candidate *other,
                         double slack)
{
    const ss_contact_point *t = &other->contact;
    return !other->nearly && t->gap > candidate->contact.gap + slack &&
           all_beyond(candidate->count[0], candidate->corners[0], t->n, t->a, -1, slack) &&
           all_beyond(candidate->count[1], candidate->corners[1], t->n, t->b, 1, slack);
}

static bool same_direction(const ss_mesh_candidate *candidate, const ss_mesh_candidate *other)
{
    return ss_dot3(candidate->contact.n, other->contact.n) > 1 - 1e-9;
}

/* Whether a corner that only nearly pushes has lost the one it goes with. */
static bool is_left_alone(const ss_mesh_candidates *candidates, const ss_mesh_candidate *candidate,
                          const bool *opened)
{
    for (int k = 0; candidate->nearly && k < candidates->count; k++)
        if (!opened[k] && !candidates->list[k].nearly &&
            same_direction(candidate, &candidates->list[k]))
            return false;
    return candidate->nearly;
}

/* What opens one is not opened by it, so that the order does not matter. */
static void drop_opened(ss_mesh_candidates *candidates)
{
    bool opened[SS_MESH_CANDIDATES] = {false};
    double slack = 1e-6 * candidates->size;
    int count = 0;
    for (int i = 0; i < candidates->count; i++)
        for (int k = 0; k < candidates->count && !opened[i] &&
                        candidates->list[i].contact.gap <= candidates->sure;
             k++)
            opened[i] = is_opened_by(&candidates->list[i], &candidates->list[k], slack);
    for (int i = 0; i < candidates->count && candidates->pool; i++)
        opened[i] = opened[i] || is_left_alone(candidates, &candidates->list[i], opened);
    for (int i = 0; i < candidates->count; i++)
        if (!opened[i])
            candidates->list[count++] = candidates->list[i];
    candidates->count = count;
}

/* The plane is that of the face; where two faces lie on each other that of the first mesh will do for both. */
static void give(ss_mesh_pool *pool, const ss_mesh_candidate *candidate)
{
    const ss_contact_point *t = &candidate->contact;
    double height = ss_dot3(t->n, t->a);
    if (candidate->turned && !ss_mesh_pool_has(pool, t->n, height))
        height = ss_dot3(t->n, t->b);
    ss_mesh_pool_add(pool, t, height);
}

void ss_mesh_candidates_give(ss_mesh_candidates *candidates)
{
    drop_opened(candidates);
    for (int i = 0; i < candidates->count; i++)
        give(candidates->pool, &candidates->list[i]);
    candidates->count = 0;
}

/* In the place of the one with the largest gap, if that is larger. */
static void replace_farthest(ss_mesh_candidates *candidates, const ss_mesh_candidate *candidate)
{
    int farthest = 0;
    for (int i = 1; i < candidates->count; i++)
        if (candidates->list[i].contact.gap > candidates->list[farthest].contact.gap)
            farthest = i;
    if (candidate->contact.gap < candidates->list[farthest].contact.gap)
        candidates->list[farthest] = *candidate;
}

void ss_mesh_candidates_add(ss_mesh_candidates *candidates, const ss_mesh_candidate *candidate)
{
    if (candidates->count == SS_MESH_CANDIDATES)
        drop_opened(candidates);
    if (candidates->count == SS_MESH_CANDIDATES && !candidates->pool) {
        replace_farthest(candidates, candidate);
        return;
    }
    if (candidates->count == SS_MESH_CANDIDATES)
        ss_mesh_candidates_give(candidates);
    candidates->list[candidates->count++] = *candidate;
}

/* A corner above several triangles of a flat piece of surface has one feature. */
static bool is_known(int count, const ss_contact_point *contacts, uint32_t feature)
{
    for (int i = 0; i < count; i++)
        if (contacts[i].feature == feature)
            return true;
    return false;
}

static void into_space(const ss_contact_point *contact, const ss_pose *pose, ss_contact_point *to)
{
    *to = *contact;
    ss_pose_rotate(pose, contact->n, to->n);
    ss_pose_point(pose, contact->a, to->a);
    ss_pose_point(pose, contact->b, to->b);
}

int ss_mesh_candidates_nearest(ss_mesh_candidates *candidates, const ss_pose *pose, int capacity,
                               ss_contact_point *contacts)
{
    int count = 0;
    drop_opened(candidates);
    for (; count < capacity && candidates->count > 0;) {
        int nearest = 0;
        for (int i = 1; i < candidates->count; i++)
            if (candidates->list[i].contact.gap < candidates->list[nearest].contact.gap)
                nearest = i;
        const ss_contact_point *contact = &candidates->list[nearest].contact;
        if (!is_known(count, contacts, contact->feature))
            into_space(contact, pose, &contacts[count++]);
        candidates->list[nearest] = candidates->list[--candidates->count];
    }
    return count;
}
