/* compact.h: touches of round bodies with Coulomb friction, in the smallest form there is.
 *
 * A round body has the same inertia about every axis, and touches act through its centre: with arms r_a and r_b along
 * the normal n, masses m and inertias J,
 *
 *     γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias,   G_NN = 1/m_a + 1/m_b,
 *     G_TT = G_NN + r_a²/J_a + r_b²/J_b,                G_NT = 0,
 *
 * so that one visit of SORprox solves a touch exactly, and neither W nor tangents are stored. Touches are
 * coloured: those of one colour share no body that moves, can be visited in any order, four at a time and
 * by several threads, and give the same numbers however that is done.
 */
#ifndef SS_INCLUSION_COMPACT_H
#define SS_INCLUSION_COMPACT_H

#include "base/arena.h"

#include <stickslip/inclusion.h>

enum { SS_LANES = 4, SS_COLOURS = 64, SS_CHUNK = 32 };

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
    double bias
        [3]; /* velocity of b minus a in space that is not in the bodies, and n times d/Δt or ε γ_B */
    double mu;
    double P[3];          /* on b, in space */
    ss_mode normal, slip; /* after ss_compact_fetch */
    bool asleep;          /* not to be solved: P and modes stay (model/work_contact_sleep.c) */
} ss_round_touch;

/* Four touches of one colour, number beside number. */
typedef struct ss_touch_pack {
    int a[SS_LANES], b[SS_LANES], touch[SS_LANES]; /* touch -1: none */
    int rest; /* sweeps that need not visit it (solver/compact_sweep.c) */
    double n[3][SS_LANES];
    double r_a[SS_LANES], r_b[SS_LANES];
    double bias_N[SS_LANES], bias_T[3][SS_LANES];
    double mu[SS_LANES], G_N[SS_LANES], G_T[SS_LANES], r_N[SS_LANES], r_T[SS_LANES]; /* r = 1/G */
    double P_N[SS_LANES], P_T[3][SS_LANES]; /* P_T in space */
} ss_touch_pack;

/* Where the sweeps left the percussions of a pack, and the way they go (solver/compact_momentum.c). */
typedef struct ss_pack_way {
    double before_N[SS_LANES], before_T[3][SS_LANES];
    double way_N[SS_LANES], way_T[3][SS_LANES];
} ss_pack_way;

/* At most SS_CHUNK packs of one colour: what one thread visits at a time. With `wall`, all of body 0 with
 * others: `a` need not be looked at. */
typedef struct ss_touch_chunk {
    int from, to;
    bool wall;
    double change2; /* Σ ‖ΔP‖² G of the last sweep, J */
    double error2;  /* of the last residual, J */
} ss_touch_chunk;

typedef struct ss_compact {
    int n_bodies;
    /* n_bodies and one of no mass: with and without percussions, and at the beginning of the step */
    ss_round_body *bodies, *free, *begin;
    int n_touches;
    ss_round_touch *touches; /* in the order they were found */
    int n_packs;
    ss_touch_pack *packs; /* by colours */
    int n_chunks;
    ss_touch_chunk *chunks;           /* by colours */
    int colour_start[SS_COLOURS + 2]; /* chunks; the last colour has one touch a pack, visited in order */
    double reference;                 /* max √r ‖γ‖ without percussions, √J: ss_compact_load */

    double tolerance;                 /* 0: the solver's own */

    ss_context *context;
    struct ss_compact_room {
        int bodies, touches, packs, chunks;
    } room;
    ss_pack_way *ways; /* per pack */
    ss_round_body *bodies_before, *bodies_way;
    int *colour;    /* per touch: four kinds a colour */
    uint64_t *used; /* per body: colours of its touches */
} ss_compact;

/* Memory for so many bodies and touches, kept from step to step. */
ss_status ss_compact_reserve(ss_compact *c, ss_context *context, int n_bodies, int n_touches);
void ss_compact_release(ss_compact *c);
/* Fills the packs from bodies and touches. */
ss_status ss_compact_colour(ss_compact *c);
/* The chunks of a colour that are the calling thread's. */
void ss_compact_share(const ss_compact *c, int colour, int *from, int *to);
/* Whether threads must wait for each other after a colour: not when one of them has all of it and of the next. */
bool ss_compact_wait(const ss_compact *c, int colour);
/* bodies = free + M⁻¹ W P, for the percussions in the packs. */
void ss_compact_motion(ss_compact *c, int threads);
/* What residuals count against. */
void ss_compact_load(ss_compact *c, int threads);
/* As ss_inclusion_residual, of the percussions in the packs and the velocities in the bodies; worst_block counts touches. */
ss_residual ss_compact_residual(ss_compact *c, int threads);
/* Percussions become zero. */
void ss_compact_clear(ss_compact *c);
/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n of a touch, in space and without bias. */
void ss_compact_relative(const ss_round_body *bodies, const ss_round_touch *touch, double gamma[3]);
/* Percussions of the packs, back in the touches, and whether normal law and friction are in constraint
 * mode, as ss_inclusion_modes. */
void ss_compact_fetch(ss_compact *c, int threads, double tolerance, double reference);

#endif
