/* round.h: contacts of round bodies with Coulomb friction, in the smallest form there is.
 *
 * A round body has the same inertia about every axis, and contacts act through its centre: with arms r_a and r_b along
 * the normal n, masses m and inertias J,
 *
 *     γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias,   G_NN = 1/m_a + 1/m_b,
 *     G_TT = G_NN + r_a²/J_a + r_b²/J_b,                G_NT = 0,
 *
 * so that one visit of SORprox solves a contact exactly, and neither W nor tangents are stored. Bodies are
 * divided into parts; contacts within a part, or between two, are a group, which one thread visits at a time. Groups that
 * share a part are visited one after the other, in an order that does not depend on the threads; others at any time:
 * the numbers are the same however that is done. Within a group, four contacts at a time share no body.
 */
#ifndef SS_ROWS_ROUND_H
#define SS_ROWS_ROUND_H

#include "base/arena.h"

#include <stickslip/inclusion.h>

#include <stdatomic.h>

enum { SS_LANES = 4, SS_COLOURS = 64, SS_PARTS = 64 };

/* Velocities in space. Body 0 never moves: all that has infinite mass, its motion being in the bias. */
typedef struct ss_round_body {
    double v[3], m_inv; /* m/s, 1/kg */
    double w[3], J_inv; /* rad/s, 1/(kg m²) */
} ss_round_body;

/* A contact as it is found. */
typedef struct ss_round_contact {
    int a, b;    /* bodies */
    double n[3]; /* from a to b */
    double r_a, r_b;
    /* Velocity of b minus a in space that is not in the bodies, and n times d/Δt or ε γ_B. Of contacts without
     * body 0 only its part along n counts: what is driven is body 0. */
    double bias[3];
    double mu;
    double P[3];          /* on b, in space */
    uint8_t normal, slip; /* modes, after ss_round_fetch */
    bool asleep;          /* not to be solved: P and modes stay (model/work_contact_sleep.c) */
} ss_round_contact;

/* Four contacts that share no body, number beside number: what sweeps need, in six lines of the cache. */
typedef struct ss_contact_pack {
    int a[SS_LANES], b[SS_LANES];
    double n[3][SS_LANES];
    double r_a[SS_LANES], r_b[SS_LANES];
    double bias_N[SS_LANES];
    double mu[SS_LANES];
    double P_N[SS_LANES], P_T[3][SS_LANES]; /* P_T in space */
} ss_contact_pack;

/* The bias across n of a pack with body 0. */
typedef struct ss_pack_drive {
    double bias_T[3][SS_LANES];
} ss_pack_drive;

/* The way of a pack's impulses, along the normal and across (solver/round_momentum.c): by how much the last sweep began
 * farther than the one before it, and what it added. It is but a direction, for which single precision is enough. */
typedef struct ss_pack_momentum {
    float went[4][SS_LANES], added[4][SS_LANES];
} ss_pack_momentum;

/* What a sweep over a group, or a residual of it, has found. */
typedef struct ss_tally {
    double change2; /* Σ ‖ΔP‖² G of a sweep, J */
    double error2;  /* the largest e², J */
    double size2;   /* what it counts against, J */
} ss_tally;

/* Cores fetch lines of the cache by twos: what one thread writes is as far from what another does. */
enum { SS_LINES = 128 };

/* Contacts within a part or between two parts: packs of bodies that move, and behind them those with body 0, whose `a` need not be
 * looked at. */
typedef struct ss_contact_group {
    _Alignas(SS_LINES) int first; /* contacts: places in `order` */
    int end;
    int from, wall, to; /* packs */
    int part
        [2]; /* the lower one first; the same twice: within a part, which every part has one of */
    int rank[2]; /* how many groups of either part are visited before */
    ss_tally tally
        [2]; /* of sweeps by tickets: a thread may begin the next while another looks at the last; else the first */
} ss_contact_group;

/* Groups of a part: how many, and how many of them are done in this visit. */
typedef struct ss_part_ticket {
    _Alignas(SS_LINES) atomic_int done;
    int groups;
} ss_part_ticket;

/* Where the threads of a region wait for each other: how many are here, and how often all were. */
typedef struct ss_barrier {
    _Alignas(SS_LINES) atomic_int here;
    _Alignas(SS_LINES) atomic_int times;
} ss_barrier;

/* Memory that grows together. */
enum {
    SS_CAPACITY_BODIES,
    SS_CAPACITY_CONTACTS,
    SS_CAPACITY_PACKS,
    SS_CAPACITY_GROUPS,
    SS_CAPACITY_MEETING,
    SS_ROUND_ROOMS
};

typedef struct ss_round_rows {
    int n_bodies, n_parts;
    /* n_bodies and one at rest for each part (ss_round_nobody): with and without impulses */
    ss_round_body *bodies, *free;
    double (*centre)[3]; /* of body 1, 2 … in the order of who asks: where it is, m */
    int *
        number; /* its number: bodies of a part follow each other (ss_round_divide); body 0 is number 0 */
    int n_contacts;
    ss_round_contact *contacts; /* in the order they were found */
    int n_packs;
    ss_contact_pack *packs;   /* by groups */
    ss_pack_drive *drives;    /* per pack, of those with body 0 */
    int (*content)[SS_LANES]; /* per pack: which contacts, -1: none */
    int8_t *rest;             /* per pack: sweeps that need not visit it (solver/round_sweep.c) */
    int n_groups;
    ss_contact_group
        *groups; /* those with one part in the order of their ranks: the first is within it */
    ss_part_ticket *tickets; /* per part */
    ss_barrier *barrier;
    int contact_start
        [SS_PARTS + 2]; /* contacts whose lower part comes before; one more than parts for pairs */
    double reference;   /* max √r ‖γ‖ without impulses, √J: ss_round_begin */

    double tolerance; /* 0: the solver's own */

    ss_context *context;
    struct ss_round_capacity {
        int n;
        void *memory;
    } capacity[SS_ROUND_ROOMS];
    ss_pack_momentum *momenta; /* per pack */
    ss_round_body *begins
        [2]; /* bodies as the last two sweeps began, by tickets; free for other use after the solution */
    int part_start[SS_PARTS + 1]; /* bodies */
    uint8_t *part;                /* per body */
    int *order;                   /* contacts by groups */
    uint16_t *kind; /* per contact: its two parts, then its colour and kind (round_packs.c) */
    uint64_t *used; /* per body: colours of its contacts in a group */
} ss_round_rows;

/* Memory for so many bodies and contacts, kept from step to step. */
ss_status ss_round_reserve(ss_round_rows *c, ss_context *context, int n_bodies, int n_contacts);
void ss_round_release(ss_round_rows *c);
/* Parts from the centres, for about so many contacts, and the numbers of the bodies, by which all else is kept. A thread works
 * on bodies that lie side by side in memory: cores fetch what is next to that, too, and would take it from each other. */
void ss_round_divide(ss_round_rows *c, int n_contacts);
/* Groups and packs from bodies and contacts; contacts that are asleep have none. */
ss_status ss_round_arrange(ss_round_rows *c, int threads);
/* Its steps: the contacts of each group (round_groups.c), and memory for packs. */
void ss_round_group(ss_round_rows *c, int threads);
ss_status ss_round_reserve_packs(ss_round_rows *c, int n_packs);
/* A body of a part at rest, for lanes that are empty. */
static inline int ss_round_idle_body(const ss_round_rows *c, int part)
{
    return c->n_bodies + SS_LINES / (int)sizeof(ss_round_body) * part;
}
static inline bool ss_group_within(const ss_contact_group *g)
{
    return g->part[0] == g->part[1];
}
/* -1 where body 0 is the second of a contact: in the packs it is the first. */
static inline double ss_contact_sense(const ss_round_contact *t)
{
    return t->b == 0 ? -1 : 1;
}

/* What follows may be called by one thread, or by all threads of a parallel region together: each does its share, and all
 * come back when everything is done. */

/* Visits every group (round_visit.c). */
typedef void ss_group_fn(ss_round_rows *c, ss_contact_group *group, const void *user);
void ss_round_visit(ss_round_rows *c, ss_group_fn *visit, const void *user);
/* As OpenMP's barrier, which asks the kernel to wake the others, though they are awake. */
void ss_round_barrier(ss_round_rows *c);
/* bodies = free + M⁻¹ W P, for the impulses in the packs. */
void ss_round_motion(ss_round_rows *c);
/* The same, and what residuals count against; other threads know that only after the next visit. */
void ss_round_begin(ss_round_rows *c);
/* As ss_inclusion_residual, of the impulses in the packs and the velocities in the bodies; worst_block counts contacts. */
ss_residual ss_round_residual(ss_round_rows *c);
/* Impulses become zero. */
void ss_round_clear(ss_round_rows *c);
/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n of a contact, in space and without bias. */
void ss_round_relative(const ss_round_body *bodies, const ss_round_contact *contact,
                       double gamma[3]);
/* Impulses of the packs, back in the contacts, and whether normal law and friction are in constraint
 * mode, as ss_inclusion_modes. */
void ss_round_fetch(ss_round_rows *c, double tolerance, double reference);

#endif
