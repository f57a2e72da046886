/* rows.h: the rows of a step, in the three forms that sweeps visit.
 *
 *   ROUND    contact of round bodies with Coulomb friction. A round body has the same inertia about every axis, and
 *            the contact acts through its centre: with arms r_a and r_b along the normal n, masses m and inertias J,
 *
 *                γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias,   G_NN = 1/m_a + 1/m_b,
 *                G_TT = G_NN + r_a²/J_a + r_b²/J_b,                G_NT = 0,
 *
 *            so that one visit solves a contact exactly.
 *   BODY     contact of rigid bodies of any shape with Coulomb friction: the normal, two arms, and the inertias of the
 *            bodies. Neither form stores W, M⁻¹W or tangents.
 *   GENERAL  blocks of an inclusion, with W and M⁻¹W: any law, any system. Blocks that act on one or two rigid bodies
 *            alone, as those of joints, are BODY rows too: a force and two torques each.
 *
 * Bodies are divided into subdomains by their positions; contacts within a subdomain, or between two, are a batch, which
 * one thread visits at a time. Batches that share a subdomain are visited one after the other, in an order that does not
 * depend on the threads; others at any time: the numbers are the same however that is done. Within a batch, contacts of a
 * form are in packs of four that share no body. GENERAL blocks come last, one after the other.
 */
#ifndef SS_ROWS_ROWS_H
#define SS_ROWS_ROWS_H

#include "base/arena.h"
#include "base/parallel.h"

#include <stickslip/inclusion.h>

#include <stdatomic.h>

enum { SS_LANES = 4, SS_COLOURS = 64, SS_SUBDOMAINS = 64 };

/* Velocities in space. Body 0 never moves: all that has infinite mass, its motion being in the bias. 1/J is that of a
 * round body. */
typedef struct ss_row_body {
    double v[3], m_inv; /* m/s, 1/kg */
    double w[3], J_inv; /* rad/s, 1/(kg m²) */
} ss_row_body;

/* GENERAL: its blocks are in the inclusion. */
typedef enum ss_row_form { SS_ROW_ROUND, SS_ROW_BODY, SS_ROW_GENERAL } ss_row_form;

/* A contact with Coulomb friction, as its source fills it. */
typedef struct ss_row_contact {
    int a, b;        /* bodies */
    double n[3];     /* from a to b */
    double r_a, r_b; /* ROUND: arms, m */
    /* Velocity of b minus a in space that is not in the bodies, and n times d/Δt or ε γ_B. Of contacts without
     * body 0 only its subdomain along n counts: what is driven is body 0. */
    double bias[3];
    double mu;
    double P[3];          /* on b, in space */
    uint8_t normal, slip; /* modes, after ss_rows_fetch */
    uint8_t form;         /* ss_row_form */
    bool asleep;          /* not to be solved: P and modes stay (assembly/after/sleep.c) */
} ss_row_contact;

/* Four contacts that share no body, number beside number: what sweeps need of every form. */
typedef struct ss_pack {
    int a[SS_LANES], b[SS_LANES];
    double n[3][SS_LANES];
    double bias_N[SS_LANES];
    double mu[SS_LANES];
    double P_N[SS_LANES], P_T[3][SS_LANES]; /* P_T in space */
} ss_pack;

/* In six lines of the cache. */
typedef struct ss_round_pack {
    ss_pack pack;
    double r_a[SS_LANES], r_b[SS_LANES];
} ss_round_pack;

typedef struct ss_body_pack {
    ss_pack pack;
    double arm_a[3][SS_LANES], arm_b[3][SS_LANES]; /* from the centres to the contact, m */
    double G_N[SS_LANES];                          /* G_NN */
    double G_TN[3][SS_LANES]; /* what a normal impulse of 1 adds to γ across n, in space */
    double G_T[SS_LANES];     /* the largest eigenvalue of G_TT */
    double S[6][SS_LANES];    /* the inverse of G_TT across n, in space: xx, yy, zz, xy, xz, yz */
    double bias_T[3][SS_LANES];
} ss_body_pack;

/* The bias across n of a ROUND pack with body 0. */
typedef struct ss_pack_drive {
    double bias_T[3][SS_LANES];
} ss_pack_drive;

/* Search direction of a pack's impulses, along the normal and across (solver/kernels/solve.c): by how much the last
 * sweep began farther than the one before it, and what it added. Single precision is enough for a direction. */
typedef struct ss_pack_momentum {
    float went[4][SS_LANES], added[4][SS_LANES];
} ss_pack_momentum;

/* What a sweep over a batch, or a residual of it, has found. */
typedef struct ss_tally {
    double change2; /* Σ ‖ΔP‖² G of a sweep, J */
    double error2;  /* the largest e², J */
    double size2;   /* what it counts against, J */
} ss_tally;

/* Cores fetch lines of the cache by twos: what one thread writes is as far from what another does. */
enum { SS_LINES = 128 };

/* Packs of one form by their numbers: first those of two bodies that move, then those with body 0, whose `a` is not read. */
typedef struct ss_pack_range {
    int from, wall, to;
} ss_pack_range;

/* Contacts within a subdomain or between two. */
typedef struct ss_batch {
    _Alignas(SS_LINES) int first; /* contacts: places in `order` */
    int end;
    ss_pack_range packs[SS_ROW_GENERAL]; /* by forms */
    int subdomain
        [2]; /* the lower one first; the same twice: within it. Every subdomain has one such batch */
    int rank[2]; /* how many batches of either subdomain are visited before */
    /* Of sweeps, by turns: a thread may begin the next while another reads the last; else the first. */
    ss_tally tally[2];
} ss_batch;

/* Batches of a subdomain: how many, and how many of them are done in this visit. */
typedef struct ss_ticket {
    _Alignas(SS_LINES) atomic_int done;
    int batches;
} ss_ticket;

/* How many batches were visited: threads that wait for one watch it. */
typedef struct ss_progress {
    _Alignas(SS_LINES) atomic_uint done;
} ss_progress;

/* Arrays that grow together. */
enum {
    SS_CAPACITY_BODIES,
    SS_CAPACITY_CONTACTS,
    SS_CAPACITY_PACKS,
    SS_CAPACITY_BODY_PACKS,
    SS_CAPACITY_SIDE, /* what packs of both forms have beside */
    SS_CAPACITY_BATCHES,
    SS_CAPACITY_PROGRESS,
    SS_CAPACITY_ISLANDS,
    SS_CAPACITY_GENERAL,
    SS_CAPACITY_FACTORS,
    SS_CAPACITY_NUMBERS,
    SS_CAPACITIES
};

/* A row of a law of two bodies that is no contact: the force d on b, -d on a, and torques about their centres, in space. */
typedef struct ss_body_row {
    double d[3], torque_a[3], torque_b[3];
} ss_body_row;

/* Blocks: GENERAL ones with factors, and BODY rows, which have none. Their velocities are those of the bodies, eight numbers each as in ss_row_body, and behind them those
 * of all systems as in u: bodies, free and begins of the store have space for both. */
typedef struct ss_general_rows {
    ss_inclusion inclusion; /* blocks, factors and b; u_free is the store's `free` */
    double *P;              /* n_rows, owned by who fills the rows */
    double *went, *added;   /* n_rows: search direction, as of packs */
    int (*bodies)[2];       /* per block: a and b of BODY rows; b = 0: the block has factors */
    ss_body_row *rows;      /* n_rows, of BODY rows */
    double *error2;         /* per block: of its laws, J; ss_rows_residual */
    bool *asleep;           /* per block: not to be solved */
    int *factor_start;      /* this and the next: for who maps blocks to the store */
    ss_factor *factors;
    double *numbers; /* of W and M⁻¹W */
    ss_tally tally[2];
    int n_rest; /* velocities behind the bodies */
} ss_general_rows;

typedef struct ss_rows {
    int n_bodies, n_subdomains;
    /* n_bodies, one at rest for each subdomain (ss_rows_idle_body), and velocities of other systems: with and without
     * impulses. */
    ss_row_body *bodies, *free;
    double (
        *inertia)[8]; /* per body: J⁻¹ in space, xx, yy, zz, 0, xy, xz, yz, 0; for BODY contacts */
    double (*centre)[3]; /* of body 1, 2 … in the order of their source: position, m */
    int *number; /* its number: bodies of a subdomain follow each other; body 0 is number 0 */
    int n_contacts;
    ss_row_contact *contacts; /* in the order of their source */
    double (*arms)[6];        /* per contact, BODY: from the centres of a and b, m */
    int n_round, n_body;      /* packs */
    ss_round_pack *round;     /* by batches */
    ss_body_pack *body;
    ss_pack_drive *drives; /* per ROUND pack, of those with body 0 */
    /* Per pack, BODY packs behind ROUND ones: */
    int (*content)[SS_LANES]; /* which contacts, -1: none */
    int8_t *rest;             /* sweeps that need not visit it (solver/kernels/sweep.c) */
    ss_pack_momentum *momenta;
    int n_batches;
    ss_batch
        *batches; /* those of one subdomain in the order of their ranks: the first is within it */
    ss_ticket *tickets; /* per subdomain */
    ss_progress *progress;
    int contact_start[SS_SUBDOMAINS +
                      2]; /* contacts whose lower subdomain comes before; one more for pairs */
    double reference;     /* the largest load of an island, √J: ss_rows_begin */
    /* Per body, idle ones too, then per velocity of other systems: */
    int *island; /* union-find */
    double *load2,
        *load_r; /* the load of its island and the r of the contact that has it, J and kg; 0: no contact */
    double *error2, *size2; /* the largest error and the largest impulse of its island, J */
    double tolerance;       /* 0: the solver's own */
    ss_residual residual;   /* the last, for all threads */
    ss_general_rows general;
    ss_context *context;
    ss_processor level;
    struct ss_rows_capacity {
        size_t n;
        void *memory;
    } capacity[SS_CAPACITIES];
    ss_row_body
        *begins[2]; /* bodies as the last two sweeps began, by turns; scratch after the solution */
    int subdomain_start[SS_SUBDOMAINS + 1]; /* bodies */
    uint8_t *subdomain;                     /* per body */
    int *order;                             /* contacts by batches */
    uint16_t *kind; /* per contact: its two subdomains, then its colour and kind (packs.c) */
    uint64_t *used; /* per body: colours of its contacts in a batch */
} ss_rows;

/* Memory for so many bodies, other velocities and contacts, kept from step to step. */
ss_status ss_rows_reserve(ss_rows *c, ss_context *context, int n_bodies, int n_rest,
                          int n_contacts);
/* Memory for blocks: the arrays of c->general that the store owns. All of them are GENERAL ones at first. */
ss_status ss_rows_reserve_general(ss_rows *c, int n_blocks, int n_rows, size_t n_factors,
                                  size_t n_numbers);
void ss_rows_release(ss_rows *c);
/* Subdomains from the centres, for about so many contacts, and the numbers of the bodies, by which all else is kept. A
 * thread works on bodies that lie side by side in memory: cores fetch what is next to that, too, and would take it from
 * each other. */
void ss_rows_divide(ss_rows *c, int n_contacts);
/* Batches and packs from bodies and contacts; contacts that are asleep have none. */
ss_status ss_rows_arrange(ss_rows *c, int threads);
/* Its steps: the contacts of each batch (subdomains.c), and memory for packs. */
void ss_rows_group(ss_rows *c, int threads);
ss_status ss_rows_reserve_packs(ss_rows *c, int n_round, int n_body);
/* A body of a subdomain at rest, for lanes that are empty. */
static inline int ss_rows_idle_body(const ss_rows *c, int subdomain)
{
    return c->n_bodies + SS_LINES / (int)sizeof(ss_row_body) * subdomain;
}
/* Where the velocities of other systems begin, in doubles from the first body. */
static inline int ss_rows_rest_offset(const ss_rows *c)
{
    return (c->n_bodies + 2 * SS_SUBDOMAINS) * (int)(sizeof(ss_row_body) / sizeof(double));
}
/* A pack by its number: BODY packs are behind ROUND ones. */
static inline ss_pack *ss_rows_pack(const ss_rows *c, ss_row_form form, int i)
{
    return form == SS_ROW_BODY ? &c->body[i - c->n_round].pack : &c->round[i].pack;
}
static inline bool ss_batch_within(const ss_batch *batch)
{
    return batch->subdomain[0] == batch->subdomain[1];
}
/* -1 where body 0 is the second of a contact: in the packs it is the first. */
static inline double ss_contact_sense(const ss_row_contact *t)
{
    return t->b == 0 ? -1 : 1;
}

/* What follows may be called by one thread, or by all threads of a parallel region together: each does its part, and all
 * come back when everything is done. */

/* Where an island of the store is joined: a body, or velocities of another system. */
static inline int ss_rows_node(const ss_rows *c, int u_offset)
{
    int rest = u_offset - ss_rows_rest_offset(c), numbers = sizeof(ss_row_body) / sizeof(double);
    return rest < 0 ? u_offset / numbers : c->n_bodies + 2 * SS_SUBDOMAINS + rest;
}
/* From the load that its contacts give to every body, and the blocks, with r as in ss_rows_begin: the load of its island;
 * and the same for errors and impulses (islands.c). By one thread. */
void ss_rows_join_loads(ss_rows *c, const double *r);
void ss_rows_join_errors(ss_rows *c);
/* A node of the island of a block; 0: it moves nothing. */
int ss_rows_block_node(const ss_rows *c, int block);
/* Velocities behind the bodies: without blocks nothing moves them. */
static inline int ss_rows_rest_nodes(const ss_rows *c)
{
    return c->general.inclusion.n_blocks > 0 ? c->general.n_rest : 0;
}
/* The nodes are 0 for what moves nothing, bodies that move, then velocities of other systems: the one after `node`, -1: none. */
static inline int ss_rows_next_node(const ss_rows *c, int node)
{
    int rest = c->n_bodies + 2 * SS_SUBDOMAINS, next = node + 1;
    next = next == c->n_bodies ? rest : next;
    return next < rest + ss_rows_rest_nodes(c) ? next : -1;
}

/* Visits every batch (subdomains.c). */
typedef void ss_batch_fn(ss_rows *c, ss_batch *batch, const void *user);
void ss_rows_visit(ss_rows *c, ss_batch_fn *visit, const void *user);
/* bodies = free + M⁻¹ W P, for the impulses in the packs and of the blocks. */
void ss_rows_motion(ss_rows *c);
/* The same, and the loads of islands, which residuals count against; other threads read them only after the next visit. `r` is 1 / max diag(G_ii)
 * of the blocks. */
void ss_rows_begin(ss_rows *c, const double *r);
/* As ss_inclusion_residual, of the impulses in the packs and the velocities in the bodies, island by island; worst_block is
 * not looked for. */
ss_residual ss_rows_residual(ss_rows *c, const double *r);
/* After ss_rows_residual: the contact, or n_contacts + the block, with the largest error; -1: there is none. */
int ss_rows_find_worst(const ss_rows *c);
/* 1 / max diag(G_ii) of the blocks. */
void ss_rows_natural_r(const ss_rows *c, double *r);
/* Impulses become zero. */
void ss_rows_clear(ss_rows *c);
/* G_NN of a contact, and the largest eigenvalue of G_TT. */
void ss_rows_contact_G(const ss_rows *c, int contact, double *G_N, double *G_T);
/* γ of a contact, in space and without bias. */
void ss_rows_relative(const ss_rows *c, const ss_row_body *bodies, int contact, double gamma[3]);
/* Impulses of the packs, back in the contacts, and whether normal law and friction are in constraint mode, as
 * ss_inclusion_modes. */
void ss_rows_fetch(ss_rows *c, double tolerance);

#endif
