/* contacts.h: the source of rows that detects contacts of shapes. */
#ifndef SS_ASSEMBLY_SOURCES_CONTACTS_H
#define SS_ASSEMBLY_SOURCES_CONTACTS_H

#include "assembly/work.h"
#include "rows/rows.h"

/* ---- Sleep (after/sleep.c): Islands of bodies that rest are left out of the solution.
 *
 * Systems that rows join form an island. An island without velocity sleeps when its impulses of the step before, with
 * zero velocity again, solve its rows of this step: then they are taken as they are, and nothing moves. Nothing is
 * remembered but the state, so a run that goes on from a saved state sleeps as the one that saved it.
 *
 * After each solve, where zero solves the rows as well, it takes the place of what was found. */

typedef struct ss_island {
    double error;     /* how far zero velocity is from a solution, √J */
    double reference; /* to which that is compared, √J */
    bool awake;       /* it is solved */
} ss_island;

/* A part of the inclusion. */
typedef struct ss_part {
    ss_inclusion inclusion;
    ss_solver *solver;
    ss_arena arena; /* of what follows, but for velocities */
    int capacity_blocks, capacity_rows, capacity_factors;
    ss_block *blocks;
    int *factor_start;
    ss_factor *factors;
    double *b, *P;
    int *index;         /* by blocks of the whole: in the part, -1: not there */
    double *u_free, *u; /* n_u */
} ss_part;

typedef struct ss_sleep {
    ss_work *work;
    ss_island *islands; /* n_u: by where the velocities of their first systems begin */
    double *u;          /* n_u: zero, but for prescribed motions */
    double *u_left;     /* n_u: u_free + M⁻¹WP */
    const double *u_E;  /* n_u: what was found so far */
    int capacity_r;
    double *r; /* by blocks (rows/residual.h) */
    ss_part part;
    ss_solver *exact; /* for islands that seem to rest */
} ss_sleep;

/* NULL where no rule asks for it. */
ss_status ss_sleep_create(ss_work *work, ss_sleep **sleep);
void ss_sleep_destroy(ss_sleep *sleep);
/* As ss_work_solve_loaded with the work's solver, of GENERAL blocks: work->P is the guess, which the scales fit, and
 * becomes the solution. */
ss_status ss_sleep_solve(ss_work *work, ss_sleep *sleep, const ss_state *B, double *u_E,
                         ss_solve_report *report);
/* Rows of several forms: marks those of islands that sleep, whose free velocities become zero. */
ss_status ss_sleep_mark(ss_work *work, ss_sleep *sleep, const ss_state *B);
/* After their solution: every now and then islands that seem to rest are solved exactly; what rests gets velocities of
 * zero, in the store. */
ss_status ss_sleep_settle(ss_work *work, ss_sleep *sleep, const ss_state *B,
                          ss_solve_report *report);

/* ---- Contacts ---- */

/* GENERAL rows of a contact. */
typedef struct ss_contact_blocks {
    double t[2][3];            /* tangents */
    int block[SS_RULE_GROUPS]; /* of the inclusion, -1: none */
} ss_contact_blocks;

/* What a contact rule is to rows: simple is a unilateral normal law and, or not, Coulomb's friction. */
typedef struct ss_simple_rule {
    bool simple;
    const ss_law *normal;
    double mu;
} ss_simple_rule;

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
    ss_contact_blocks *blocks;
    bool fast_now; /* some shape was, where contacts were last looked for */
    long too_fast; /* how often a shape was too fast to be stopped for sure */

    /* Rows (contact_rows.c, contact_solve.c). */
    ss_simple_rule *rules; /* per element */
    double rules_dt;       /* the step they were found for, s */
    bool general_only;     /* every row is to be GENERAL, for analysis */
    bool forms;            /* some contacts of this step are ROUND or BODY rows of the store */
    bool any_body;         /* some rows are BODY rows */
    bool elastic;          /* some contacts have restitution */
    int closed;            /* rows in constraint mode in the last step */
    ss_law_form form;      /* of the laws of this step */
    double dt;             /* s */
    const double *u_B;     /* with which it begins */
    ss_rows store;
    int *system_body,
        *shape_body; /* body of the store (store.number has its number in this step), 0: static, -1: none */
    bool *round;    /* per shape: what carries it has the same inertia about every axis */
    int *system_at; /* n_u: system, where its velocities begin */

    ss_sleep *sleep; /* NULL: not wanted */

    /* GENERAL rows: W and M⁻¹W, one behind the other. */
    size_t pool_size, pool_used;
    double *pool;
    int *block_contact; /* by blocks: contact */
    int capacity_blocks, capacity_rows, capacity_factors;
};

ss_status ss_work_contacts_create(ss_work *work);
void ss_work_contacts_destroy(ss_work *work);
/* Finds the contacts at the configuration that matter in a step dt which begins with u. */
ss_status ss_work_detect(ss_work *work, const ss_law_form *form, double dt, const double *u);
ss_status ss_speed_create(ss_work *work);
/* Warns of shapes that are too fast for laws on velocity level, once; says how often at the end. */
void ss_work_contacts_watch(ss_work *work, const ss_law_form *form, double dt, const double *u);
void ss_work_contacts_report_speed(const ss_work *work);
/* Fills rows with the contacts that were found and whose laws are active (contact_rows.c). Known impulses of GENERAL ones
 * are added to `impulse`; NULL: none. */
ss_status ss_contacts_fill(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                           double *impulse);
/* Impulses of the last step as a first guess. */
ss_status ss_contacts_guess(ss_work *work, const ss_state *B);
/* Blocks of the inclusion (contact_blocks.c): for GENERAL contacts, or for the others; the first guess of those of a contact,
 * from its impulse and couple in space; and all blocks of the inclusion as rows of the store. */
ss_status ss_contact_blocks_add(ss_work *work, bool swept, double *impulse);
void ss_contact_blocks_guess(ss_work *work, int i, const double P[3], const double L[3]);
ss_status ss_contact_blocks_map(ss_work *work);
/* Solves all rows as blocks of one inclusion, or does something else with them, from the impulses that the contacts have,
 * which become those that it leaves. */
typedef ss_status ss_blocks_fn(ss_solver *solver, const ss_inclusion *inclusion, double *P,
                               double *u, ss_solve_report *report);
ss_status ss_work_contacts_solve_blocks(ss_work *work, ss_blocks_fn *solve, double *u,
                                        ss_solve_report *report);
/* Shows a watch the solved step with all rows as blocks of one inclusion; nothing else changes. */
ss_status ss_work_contacts_show(ss_work *work, ss_inclusion_watch watch, void *user,
                                const ss_solve_report *report);
/* Adds the velocity at a ROUND or BODY contact that does not depend on impulses: of what is driven. */
void ss_work_contact_drive(const ss_work *work, int contact, const double *u, double gamma[3]);
/* Solves rows of several forms (contact_solve.c). */
ss_status ss_work_contacts_solve(ss_work *work, const ss_state *B, double *u_E,
                                 ss_solve_report *report);
/* Velocities u of the bodies of the store. */
void ss_work_row_bodies(const ss_work *work, const double *u, ss_row_body *bodies);
/* Impulses and modes of ROUND and BODY contacts, after a solution. */
void ss_work_contacts_fetch(ss_work *work, const ss_solve_report *report);
/* Adds WP of ROUND and BODY contacts. */
void ss_work_contacts_impulse(const ss_work *work, double *impulse);
/* Twist (v, ω) of the frame of a shape that moves, and the velocity at a point x that moves with it. */
void ss_work_shape_twist(const ss_work *work, int shape, const double *u, double twist[6]);
void ss_work_shape_velocity(const ss_work *work, int shape, const double x[3], const double *u,
                            double v[3]);
/* What contacts of one rule add to its laws: the rows of a rule hold the sums over its contacts. */
typedef struct ss_rule_sums {
    int element;
    bool closed;
    bool slips[SS_RULE_GROUPS], sticks[SS_RULE_GROUPS];
    double P[SS_RULE_GROUPS][3]; /* by groups and rows */
} ss_rule_sums;
enum { SS_MODE_UNKNOWN = 2 }; /* of a rule's law of which nothing is closed yet */

void ss_rule_sums_take(ss_rule_sums *sums, const ss_contact *contact, double P[SS_RULE_GROUPS][3]);
void ss_rule_sums_add(const ss_work *work, const ss_rule_sums *sums, ss_state *E);
/* Laws of rules get this mode and no impulse; what is still unknown in the end is open. */
void ss_rules_reset(const ss_work *work, int mode, ss_state *state);
void ss_rules_settle(const ss_work *work, ss_state *state);
/* Where the velocities begin that impulses on a shape change; -1: it does not move. */
int ss_work_moved_at(const ss_work *work, int shape);
/* The contact of the last step with the same shapes and feature, from ascending lists; *from is where to
 * begin, 0 at first. */
const ss_contact *ss_contact_before(const ss_contact *wanted, const ss_contact *before, int n,
                                    int *from);
/* Two tangents; the first is near the rule's direction, or across the axis that n is farthest from. */
void ss_work_contact_tangents(const ss_work *work, const ss_contact *contact, double t[2][3]);
/* The system on a side of a contact that has rows of its own; -1: there is none, or it is that of the first side. */
int ss_contact_system(const ss_work *work, const ss_contact *contact, int side);
/* Whether the normal law of a contact is active. */
ss_status ss_contact_is_active(const ss_work *work, const ss_contact *contact, const ss_law *law,
                               double dt, bool *active);
/* d/Δt of a normal law, with d as the form wants it (S5.57). */
double ss_contact_displacement(const ss_law_form *form, const ss_law *law, double gap, double dt,
                               double gamma);
/* ζ̂ of γ̇_N = Wᵀu̇ + ζ̂ of every contact that was found, with the velocities u, in the arena; dt: a
 * step that resolves the motion. */
ss_status ss_work_contact_biases(ss_work *work, ss_arena *arena, double dt, const double *u,
                                 double **zeta_hat);

#endif
