/* contacts.h: contacts of shapes at a place, and their rows. */
#ifndef SS_ASSEMBLY_SOURCES_CONTACTS_H
#define SS_ASSEMBLY_SOURCES_CONTACTS_H

#include "assembly/after/sleep.h"
#include "rows/round.h"

/* Beside the ss_contact of a contact. */
typedef struct ss_contact_rows {
    double t[2][3];            /* tangents */
    int block[SS_RULE_GROUPS]; /* of the inclusion, -1: none */
} ss_contact_rows;

/* Bodies of the round form that rest (work_contact_sleep.c). */
typedef struct ss_sleep {
    int *parent;         /* per body: heaps as trees */
    ss_island *islands;  /* per body, by the first of a heap */
    ss_round_body *left; /* per body: velocities with the impulses of the contacts */
} ss_sleep;

struct ss_work_contacts {
    ss_broad *broad;
    const ss_pose **poses; /* per shape: its own, that of its system, or where it is for ever */
    ss_bounds *boxes;      /* per shape */
    int *group;            /* per shape: its system, -1: it never moves */
    ss_bounds *own;        /* per shape that is no ball: in its own frame */
    double *reach;         /* per shape: distance at which contacts are looked for, m */
    ss_pose *frames;       /* per frame; that of a system's first frame is the system's number */
    double **V;            /* per frame: 6 × nu by rows, NULL: one */

    /* Contacts in ascending order of their shapes. */
    int n;
    ss_contact *found;
    ss_contact_rows *rows;
    long too_fast; /* how often a shape was too fast to be stopped for sure */

    /* The round form (work_contact_round.c), in use when `round`. */
    bool allow_round, round;
    bool elastic;      /* some contacts have restitution */
    int held;          /* rows in constraint mode in the last step */
    const double *u_B; /* with which it begins */
    ss_round_rows round_rows;
    int *system_body,
        *shape_body; /* body of the round form (round.number has its number in this step), 0: still, -1: none */

    ss_sleep *sleep;      /* NULL: nobody sleeps */
    struct ss_rest *rest; /* the same in the general form (work_contact_rest.h) */

    /* The general form: W and M⁻¹W of the rows, one behind the other. */
    int first_block; /* of the contacts */
    size_t pool_size, pool_used;
    double *pool;
    int *block_contact; /* by blocks - first_block: contact */
    int capacity_blocks, capacity_rows, capacity_factors;
};

ss_status ss_work_contacts_create(ss_work *work);
void ss_work_contacts_destroy(ss_work *work);
/* Finds the contacts at the place that matter in a step dt which begins with u. */
ss_status ss_work_contacts_find(ss_work *work, const ss_law_form *form, double dt, const double *u);
ss_status ss_speed_create(ss_work *work);
/* Warns of shapes that are too fast for laws on velocity level, once; says how often at the end. */
void ss_work_contacts_watch(ss_work *work, const ss_law_form *form, double dt, const double *u);
void ss_work_contacts_report_speed(const ss_work *work);
/* Adds the velocity at a contact of the round form that does not depend on impulses: of what is driven. */
void ss_work_contact_drive(const ss_work *work, int contact, const double *u, double gamma[3]);
/* Finds out which bodies sleep: their free velocities become zero, and their contacts are marked. */
ss_status ss_sleep_create(ss_work *work);
void ss_sleep_find(ss_work *work, const ss_state *B, const double *u_B);
/* After the solution, step after step: bodies that rest get velocities of exactly zero. */
ss_status ss_sleep_settle(ss_work *work, uint64_t step, ss_solve_report *report);
/* Adds the blocks of all contacts whose laws are active. */
ss_status ss_work_contacts_add(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                               double *impulse);
/* Velocities u of the bodies of the round form. */
void ss_work_round_bodies(const ss_work *work, const double *u, ss_round_body *bodies);
/* Finds the bodies of the round form, which get other numbers in every step. */
void ss_work_contacts_count_bodies(ss_work *work);
/* Makes the round form instead, when all contacts are of round bodies and obey Coulomb; `round` says
 * whether it was possible. */
ss_status ss_work_contacts_round(ss_work *work, const ss_law_form *form, double dt,
                                 const double *u_B);
ss_status ss_work_contacts_round_solve(ss_work *work, const ss_state *B, double *u_E,
                                       ss_solve_report *report);
/* Impulses and modes of the contacts, after a solution. */
void ss_work_contacts_round_fetch(ss_work *work, const ss_solve_report *report);
void ss_work_contacts_round_finish(ss_work *work, const ss_solve_report *report, const double *u_B,
                                   ss_state *E);
/* The contact of the last step with the same shapes and feature, from ascending lists; *from is where to
 * begin, 0 at first. */
const ss_contact *ss_contact_before(const ss_contact *wanted, const ss_contact *before, int n,
                                    int *from);
/* Two tangents; the first is near the rule's direction, or across the axis that n is farthest from. */
void ss_work_contact_tangents(const ss_work *work, const ss_contact *contact, double t[2][3]);
/* Modes of the rules' laws that are `from` become `to`. */
void ss_work_contacts_settle_modes(const ss_work *work, int from, int to, ss_state *E);
/* Whether the normal law l of a contact is active. */
ss_status ss_contact_is_active(const ss_work *work, const ss_contact *contact, int l, double dt,
                               bool *active);
/* d/Δt of a normal law, with d as the form wants it (S5.57). */
double ss_contact_displacement(const ss_law_form *form, const ss_law *law, double gap, double dt,
                               double gamma);
/* ζ̂ of γ̇_N = Wᵀu̇ + ζ̂ of every contact that was found, with the velocities u, in the arena; dt: a
 * step that resolves the motion. */
ss_status ss_work_contact_biases(ss_work *work, ss_arena *arena, double dt, const double *u,
                                 double **zeta_hat);
/* Impulses of the last step as a first guess. */
void ss_work_contacts_guess(ss_work *work, const ss_state *B);
/* Writes the contacts into the state, and sums into the rows of their rules. */
void ss_work_contacts_finish(ss_work *work, const double *u_B, ss_state *E);

#endif
