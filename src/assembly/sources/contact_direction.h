/* contact_direction.h: the rows of one contact of two shapes, whoever asks for them. */
#ifndef SS_ASSEMBLY_SOURCES_CONTACT_DIRECTION_H
#define SS_ASSEMBLY_SOURCES_CONTACT_DIRECTION_H

#include "model/model.h"

/* What one row is: a force along d at the point, or a couple. */
typedef struct ss_contact_direction {
    double d[3];
    bool couple;
} ss_contact_direction;

/* Row `row` of a group of the rule, at a contact with the normal n and the tangents t. */
ss_contact_direction ss_contact_row_direction(const ss_contact_rule *rule, int group, int row,
                                              const double n[3], double (*t)[3]);
/* One row of W for the system of a frame: Vᵀ (f, r × f), or Vᵀ (0, couple). V NULL: one. */
void ss_contact_row(const ss_pose *frame, const double *V, int nu, const double x[3],
                    const ss_contact_direction *to, double sign, double *W);
/* The same, added to W. */
void ss_contact_row_add(const ss_pose *frame, const double *V, int nu, const double x[3],
                        const ss_contact_direction *to, double sign, double *W);
/* Two tangents; the first is near the rule's direction, or across an axis of space: the one that n is farthest from, if
 * *axis is -1, else that of last time. A is the rotation of the first shape's body, NULL: none. */
void ss_contact_tangents(const ss_contact_rule *rule, const double *A, const double n[3], int *axis,
                         double t[2][3]);

#endif
