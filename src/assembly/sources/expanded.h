/* expanded.h: a model whose shapes contact, seen as one in which every contact that can be is an element of its own.
 *
 * Systems, forces and all else are those of the model, which must live longer. A contact rule gives its place to elements,
 * one for every two shapes that may meet, with copies of its laws for each of their points. */
#ifndef SS_ASSEMBLY_SOURCES_EXPANDED_H
#define SS_ASSEMBLY_SOURCES_EXPANDED_H

#include "assembly/work.h"

typedef struct ss_expanded {
    ss_model model; /* no shapes can meet in it */
    const ss_model *of;
    int *law;     /* by laws: the law of `of` that it is, or is a copy of */
    int *point;   /* by laws: point of its pair of shapes, -1: not of a contact */
    int n_points; /* of all pairs whose contacts come and go */
    ss_shape *
        meshes; /* by shapes of `of`: the mesh of its flat faces, where it may meet one; self NULL: none */
} ss_expanded;

/* Every two shapes that may meet. Fails where their contacts cannot be followed. */
ss_status ss_model_expand(const ss_model *model, ss_expanded **expanded);

/* Two shapes that may meet in one step. */
typedef struct ss_step_pair {
    int a, b; /* shapes */
    int rule; /* element whose laws they obey */
    int held; /* contacts that keep what meets in them until the step ends (ss_contact_hold); 0: functions of the poses */
    unsigned
        points; /* not held: which of the contacts that the two shapes can have, bit by bit; 0: all */
} ss_step_pair;
/* For one step: these pairs only, in ascending order. */
ss_status ss_model_expand_pairs(const ss_model *model, int n, const ss_step_pair *pairs,
                                ss_expanded **expanded);
void ss_expanded_destroy(ss_expanded *expanded);

/* Impulses and modes of the laws of `of`, and its contacts, from a state of the expanded model. The work is one of
 * the expanded model, and is placed anew. Positions, velocities, time and sums are copied as well. */
ss_status ss_expanded_report(const ss_expanded *expanded, ss_work *work, const ss_state *from,
                             ss_state *to);
/* Whether a law is the normal one of a contact that is not there, at the gaps just evaluated. */
bool ss_work_absent(const ss_work *work, int law);
/* Whether a law is the normal one of a contact that comes and goes with the faces that meet. */
bool ss_work_may_vanish(const ss_work *work, int law);
/* Whether a model has such contacts. */
bool ss_model_contacts_vanish(const ss_model *model);
/* The longest step in which no shape of such a contact moves farther than half its size, at velocities u and accelerations a;
 * INFINITY: any, s. */
double ss_work_contact_step(const ss_work *work, const double *u, const double *a);
/* Which features the points of `n_points` stand for, for a state to remember. */
void ss_expanded_save(const ss_expanded *expanded, const ss_work *work, double *features);
void ss_expanded_load(const ss_expanded *expanded, ss_work *work, const double *features);

#endif
