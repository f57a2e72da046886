/* expanded.h: a model whose shapes touch, seen as one in which every touch that can be is an element of its own.
 *
 * Systems, forces and all else are those of the model, which must live longer. A rule of contact gives its place to elements,
 * one for every two shapes that may meet, with copies of its laws for each of their points. */
#ifndef SS_MODEL_EXPANDED_H
#define SS_MODEL_EXPANDED_H

#include "model/work.h"

typedef struct ss_expanded {
    ss_model model; /* no shapes can touch in it */
    const ss_model *of;
    int *law;     /* by laws: the law of `of` that it is, or is a copy of */
    int *point;   /* by laws: point of its pair of shapes, -1: not of a touch */
    int n_points; /* of all pairs whose touches come and go */
    ss_shape *meshes; /* by shapes of `of`: the mesh of its flat faces, where it may meet one; self NULL: none */
} ss_expanded;

/* Fails where shapes may meet whose touches cannot be followed. */
ss_status ss_model_expand(const ss_model *model, ss_expanded **expanded);
void ss_expanded_destroy(ss_expanded *expanded);

/* Percussions and modes of the laws of `of`, and its touches, from a state of the expanded model. The work is one of
 * the expanded model, and is placed anew. Positions, velocities, time and sums are copied as well. */
ss_status ss_expanded_report(const ss_expanded *expanded, ss_work *work, const ss_state *from,
                             ss_state *to);
/* Whether a law is the normal one of a touch that is not there, at the gaps just evaluated. */
bool ss_work_gone(const ss_work *work, int law);
/* Whether a law is the normal one of a touch that comes and goes with the faces that meet. */
bool ss_work_may_go(const ss_work *work, int law);
/* Whether a model has such touches. */
bool ss_model_touches_go(const ss_model *model);
/* The longest step in which no shape of such a touch moves farther than half its size, at velocities u and accelerations a;
 * INFINITY: any, s. */
double ss_work_touch_step(const ss_work *work, const double *u, const double *a);
/* Which features the points of `n_points` stand for, for a state to remember. */
void ss_expanded_save(const ss_expanded *expanded, const ss_work *work, double *features);
void ss_expanded_load(const ss_expanded *expanded, ss_work *work, const double *features);

#endif
