/* compact.h: touches of round bodies with Coulomb friction, in the smallest form there is.
 *
 * A round body has the same inertia about every axis, and touches act through its centre: with arms r_a and r_b along
 * the normal n, masses m and inertias J,
 *
 *     γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias,   G_NN = 1/m_a + 1/m_b,
 *     G_TT = G_NN + r_a²/J_a + r_b²/J_b,                G_NT = 0,
 *
 * so that one visit of SORprox solves a touch exactly, and neither W nor tangents are stored. Bodies are
 * divided into parts; touches within a part, or between two, are a group, which one thread visits at a time. Groups that
 * share a part are visited one after the other, in an order that does not depend on the threads; others at any time:
 * the numbers are the same however that is done. Within a group, four touches at a time share no body.
 */
#ifndef SS_INCLUSION_COMPACT_H
#define SS_INCLUSION_COMPACT_H

#include "base/arena.h"

#include <stickslip/inclusion.h>

#include <stdatomic.h>

enum { SS_LANES = 4, SS_COLOURS = 64, SS_PARTS = 64 };

/* Velocities in space. Body 0 never moves: all that has infinite mass, its motion being in the bias. */
typedef struct ss_round_body {
    double v[3], m_inv; /* m/s, 1/kg */
    double w[3], J_inv; /* rad/s, 1/(kg m²) */
} ss_round_body;

/* A touch as it is found. */
typedef struct ss_round_touch {
    int a, b;    /* bodies */
    double n[3]; /* from a to b */
    double r_a, r_b;
    /* Velocity of b minus a in space that is not in the bodies, and n times d/Δt or ε γ_B. Of touches without
     * body 0 only its part along n counts: what is driven is body 0. */
    double bias[3];
    double mu;
    double P[3];          /* on b, in space */
    uint8_t normal, slip; /* modes, after ss_compact_fetch */
    bool asleep;          /* not to be solved: P and modes stay (model/work_contact_sleep.c) */
} ss_round_touch;

/* Four touches that share no body, number beside number: what sweeps need, in six lines of the cache. */
typedef struct ss_touch_pack {
    int a[SS_LANES], b[SS_LANES];
    double n[3][SS_LANES];
    double r_a[SS_LANES], r_b[SS_LANES];
    double bias_N[SS_LANES];
    double mu[SS_LANES];
    double P_N[SS_LANES], P_T[3][SS_LANES]; /* P_T in space */
} ss_touch_pack;

/* The bias across n of a pack with body 0. */
typedef struct ss_pack_drive {
    double bias_T[3][SS_LANES];
} ss_pack_drive;

/* The way of a pack's percussions, along the normal and across (solver/compact_momentum.c): by how much the last sweep began
 * farther than the one before it, and what it added. It is but a direction, for which single precision is enough. */
typedef struct ss_pack_way {
    float went[4][SS_LANES], added[4][SS_LANES];
} ss_pack_way;

/* What a sweep over a group, or a residual of it, has found. */
typedef struct ss_tally {
    double change2; /* Σ ‖ΔP‖² G of a sweep, J */
    double error2;  /* the largest e², J */
    double size2;   /* what it counts against, J */
} ss_tally;

/* Cores fetch lines of the cache by twos: what one thread writes is as far from what another does. */
enum { SS_LINES = 128 };

/* Touches within a part or between two parts: packs of bodies that move, and behind them those with body 0, whose `a` need not be
 * looked at. */
typedef struct ss_touch_group {
    _Alignas(SS_LINES) int first; /* touches: places in `order` */
    int end;
    int from, wall, to; /* packs */
    int part[2];        /* the lower one first; the same twice: within a part, which every part has one of */
    int rank[2];        /* how many groups of either part are visited before */
    ss_tally tally[2];  /* of sweeps by turns: a thread may begin the next while another looks at the last; else the first */
} ss_touch_group;

/* Groups of a part: how many, and how many of them are done in this visit. */
typedef struct ss_part_turn {
    _Alignas(SS_LINES) atomic_int done;
    int groups;
} ss_part_turn;

/* Where the threads of a region wait for each other: how many are here, and how often all were. */
typedef struct ss_meeting {
    _Alignas(SS_LINES) atomic_int here;
    _Alignas(SS_LINES) atomic_int times;
} ss_meeting;

/* Memory that grows together. */
enum {
    SS_ROOM_BODIES,
    SS_ROOM_TOUCHES,
    SS_ROOM_PACKS,
    SS_ROOM_GROUPS,
    SS_ROOM_MEETING,
    SS_COMPACT_ROOMS
};

typedef struct ss_compact {
    int n_bodies, n_parts;
    /* n_bodies and one at rest for each part (ss_compact_nobody): with and without percussions */
    ss_round_body *bodies, *free;
    double (*centre)[3]; /* of body 1, 2 … in the order of who asks: where it is, m */
    int *number;         /* its number: bodies of a part follow each other (ss_compact_divide); body 0 is number 0 */
    int n_touches;
    ss_round_touch *touches; /* in the order they were found */
    int n_packs;
    ss_touch_pack *packs;  /* by groups */
    ss_pack_drive *drives; /* per pack, of those with body 0 */
    int (*content)[SS_LANES]; /* per pack: which touches, -1: none */
    int8_t *rest;             /* per pack: sweeps that need not visit it (solver/compact_sweep.c) */
    int n_groups;
    ss_touch_group *groups;        /* those with one part in the order of their ranks: the first is within it */
    ss_part_turn *turns;           /* per part */
    ss_meeting *meeting;
    int touch_start[SS_PARTS + 2]; /* touches whose lower part comes before; one more than parts for pairs */
    double reference;                /* max √r ‖γ‖ without percussions, √J: ss_compact_begin */

    double tolerance;                /* 0: the solver's own */

    ss_context *context;
    struct ss_compact_room {
        int n;
        void *memory;
    } room[SS_COMPACT_ROOMS];
    ss_pack_way *ways;        /* per pack */
    ss_round_body *begins[2]; /* bodies as the last two sweeps began, by turns; free for other use after the solution */
    int part_start[SS_PARTS + 1]; /* bodies */
    uint8_t *part;   /* per body */
    int *order;      /* touches by groups */
    uint16_t *kind;  /* per touch: its two parts, then its colour and kind (compact_packs.c) */
    uint64_t *used;  /* per body: colours of its touches in a group */
} ss_compact;

/* Memory for so many bodies and touches, kept from step to step. */
ss_status ss_compact_reserve(ss_compact *c, ss_context *context, int n_bodies, int n_touches);
void ss_compact_release(ss_compact *c);
/* Parts from the centres, for about so many touches, and the numbers of the bodies, by which all else is kept. A thread works
 * on bodies that lie side by side in memory: cores fetch what is next to that, too, and would take it from each other. */
void ss_compact_divide(ss_compact *c, int n_touches);
/* Groups and packs from bodies and touches; touches that are asleep have none. */
ss_status ss_compact_arrange(ss_compact *c, int threads);
/* Its steps: the touches of each group (compact_groups.c), and memory for packs. */
void ss_compact_group(ss_compact *c, int threads);
ss_status ss_compact_reserve_packs(ss_compact *c, int n_packs);
/* A body of a part at rest, for lanes that are empty. */
static inline int ss_compact_nobody(const ss_compact *c, int part)
{
    return c->n_bodies + SS_LINES / (int)sizeof(ss_round_body) * part;
}
static inline bool ss_group_within(const ss_touch_group *g)
{
    return g->part[0] == g->part[1];
}
/* -1 where body 0 is the second of a touch: in the packs it is the first. */
static inline double ss_touch_sense(const ss_round_touch *t)
{
    return t->b == 0 ? -1 : 1;
}

/* What follows may be called by one thread, or by all threads of a parallel region together: each does its share, and all
 * come back when everything is done. */

/* Visits every group (compact_visit.c). */
typedef void ss_group_fn(ss_compact *c, ss_touch_group *group, const void *user);
void ss_compact_visit(ss_compact *c, ss_group_fn *visit, const void *user);
/* As OpenMP's barrier, which asks the kernel to wake the others, though they are awake. */
void ss_compact_meet(ss_compact *c);
/* bodies = free + M⁻¹ W P, for the percussions in the packs. */
void ss_compact_motion(ss_compact *c);
/* The same, and what residuals count against; other threads know that only after the next visit. */
void ss_compact_begin(ss_compact *c);
/* As ss_inclusion_residual, of the percussions in the packs and the velocities in the bodies; worst_block counts touches. */
ss_residual ss_compact_residual(ss_compact *c);
/* Percussions become zero. */
void ss_compact_clear(ss_compact *c);
/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n of a touch, in space and without bias. */
void ss_compact_relative(const ss_round_body *bodies, const ss_round_touch *touch, double gamma[3]);
/* Percussions of the packs, back in the touches, and whether normal law and friction are in constraint
 * mode, as ss_inclusion_modes. */
void ss_compact_fetch(ss_compact *c, double tolerance, double reference);

#endif
