/* candidates.h: contacts that are followed.
 *
 * A candidate is an element like any other: the contacts that two shapes may have, each with a gap that is a smooth function
 * of the configuration, and with copies of the laws of its rule. Candidates stand behind the elements and laws of the model
 * in the table of the work; the rule itself does nothing then. What a state knows of them stands behind the model's part:
 * impulses and modes, and which features meet. Its contacts, and the sums of its rules, are told by ss_candidates_report.
 */
#ifndef SS_ASSEMBLY_SOURCES_CANDIDATES_H
#define SS_ASSEMBLY_SOURCES_CANDIDATES_H

#include "assembly/work.h"

/* Two shapes whose contacts are followed. */
typedef struct ss_candidate {
    int a, b; /* shapes */
    int rule; /* element whose laws they obey */
    int held; /* contacts that keep what meets in them until the step ends (ss_contact_hold); 0: functions of the poses */
    unsigned
        points; /* not held: which of the contacts that the two shapes can have, bit by bit; 0: all */
} ss_candidate;

struct ss_candidates {
    ss_follow follow;
    int n, n_found;
    ss_candidate *pairs; /* n: those of the table, in ascending order */
    ss_candidate *found; /* of the step that begins */
    ss_table all;        /* the table with them */
    ss_state_space space;
    ss_shape
        *meshes; /* by shapes: the mesh of its flat faces, where it may meet one; self NULL: none */
};

/* Lists the candidates of a whole run; refuses what cannot be followed. */
ss_status ss_candidates_create(ss_work *work, ss_follow follow);
void ss_candidates_destroy(ss_work *work);
/* Fills the table of the work, in its arena of the table. */
ss_status ss_candidates_fill_table(ss_work *work);
/* A hash of the candidates of a step, with which laws of the table differ between steps; the same value while they do not. The work
 * has candidates. */
uint64_t ss_candidates_hash(const ss_work *work);
/* What a state has for candidates. */
ss_state_space ss_work_state_space(const ss_work *work);

/* Before a step of a run: they are those of the state, in which only they have impulses and modes, not their rules. */
void ss_candidates_recall(ss_work *work, ss_state *state);
/* Before one step, for a state at its beginning: detects what may close within it, and gives the state what is known of it.
 * *changed: the table has other candidates than before. */
ss_status ss_candidates_collect(ss_work *work, double dt, ss_state *B, bool *changed);
/* After a step: contacts, and the sums of their rules, from what the candidates of a state have. */
ss_status ss_candidates_report(ss_work *work, ss_state *state);
/* The table has the entries of the model alone, until the next step collects candidates. */
void ss_candidates_drop(ss_work *work);

/* Whether a law is the normal one of a contact that is not there, at the gaps just evaluated. */
bool ss_work_absent(const ss_work *work, int law);
/* Whether a law is the normal one of a contact that comes and goes with the faces that meet; whether there are such. */
bool ss_work_may_vanish(const ss_work *work, int law);
bool ss_work_contacts_vanish(const ss_work *work);
/* The longest step in which no shape of such a contact moves farther than half its size, at velocities u and accelerations a;
 * INFINITY: any, s. */
double ss_work_contact_step(const ss_work *work, const double *u, const double *a);

#endif
