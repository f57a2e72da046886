/* work_contacts.h: touches of shapes at a place, and their rows. */
#ifndef SS_MODEL_WORK_CONTACTS_H
#define SS_MODEL_WORK_CONTACTS_H

#include "model/work.h"

/* Beside the ss_contact of a touch. */
typedef struct ss_touch_rows {
    double t[2][3];            /* tangents */
    int block[SS_RULE_GROUPS]; /* of the inclusion, -1: none */
} ss_touch_rows;

struct ss_work_contacts {
    ss_broad *broad;
    bool ready;
    ss_pose *poses;   /* per shape */
    ss_bounds *boxes; /* per shape */
    int *group;       /* per shape: its system, -1: it never moves */
    double *reach;    /* per shape: distance at which touches are looked for, m */
    ss_pose *frames;  /* per system */
    double **V;       /* per system: 6 × nu by rows, NULL: one */

    /* Touches in ascending order of their shapes. */
    int n;
    ss_contact *found;
    ss_touch_rows *rows;
    int a, b; /* shapes whose touches are being found */
    bool overflow;

    /* The general form: W and M⁻¹W of the rows, one behind the other. */
    int first_block; /* of the touches */
    size_t pool_size, pool_used;
    double *pool;
    int *block_contact; /* by blocks - first_block: touch */
    int room_blocks, room_rows, room_factors;
};

/* The laws of one rule by groups, -1: none (work_contacts.c). */
typedef struct ss_rule_laws {
    int law[SS_RULE_GROUPS];
} ss_rule_laws;

ss_status ss_work_contacts_create(ss_work *work);
void ss_work_contacts_destroy(ss_work *work);
/* Finds the touches at the place that matter in a step dt which begins with u. */
ss_status ss_work_contacts_find(ss_work *work, const ss_law_form *form, double dt, const double *u);
/* Makes room in the inclusion for the blocks of all touches. */
ss_status ss_work_contacts_reserve(ss_work *work);
/* Adds the blocks of all touches whose laws are active. */
ss_status ss_work_contacts_add(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                               double *impulse);
/* Percussions of the last step as a first guess. */
void ss_work_contacts_guess(ss_work *work, const ss_state *B);
/* Writes the touches into the state, and sums into the rows of their rules. */
void ss_work_contacts_finish(ss_work *work, const double *u_B, ss_state *E);

#endif
