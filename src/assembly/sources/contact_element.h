/* contact_element.h: the contacts of two shapes as an element like any other: each has its rows and its laws whether
 * it is near or not, so that it can be followed through time. Made by candidates.c. */
#ifndef SS_ASSEMBLY_SOURCES_CONTACT_ELEMENT_H
#define SS_ASSEMBLY_SOURCES_CONTACT_ELEMENT_H

#include "geometry/pairs/points.h"
#include "model/model.h"

enum { SS_STEP_POINTS_MAX = 8 }; /* of a pair of which a step follows some contacts only */

/* `self` of such an element. Its rows are those of its rule, point behind point. */
typedef struct ss_contact_pair {
    const ss_model *model;     /* with the shapes */
    int a, b;                  /* shapes */
    const ss_shape *shapes[2]; /* as they are followed: a box on a mesh is one, too */
    int rule;                  /* element of that model whose laws they obey */
    bool held;                 /* each contact is one that ss_contact_hold was given */
    int local[2];              /* connected system of a and b, -1: fixed in space */
    ss_points points;
    bool some;                      /* its contacts are some of those that the shapes can have */
    int number[SS_STEP_POINTS_MAX]; /* some: which */
    int capacity_V;                 /* doubles */
    double reach;                   /* half the size of the smaller shape, or of what is found, m */
    double arm
        [2]; /* of a and b, where that is to be kept by turning bodies, too: largest distance from its system's origin, m */
} ss_contact_pair;

/* One of its contacts at the last geometry, in the element's cache. */
typedef struct ss_candidate_point {
    ss_contact_point contact;
    double x[3];    /* in the middle of its two points */
    double t[2][3]; /* tangents */
    int axis;       /* that they were made with; it stays within a step, so that they do not jump */
    bool there;     /* false: what meets there is gone, and its gap counts as large */
    bool named;     /* by_feature: contact.feature is its own */
    struct {        /* of a pair that is held, in the frames of the systems of a and b */
        double core[2][3]; /* a point of each body; what meets is a ball around it */
        double radius[2];  /* m */
        double n[3];
        int normal; /* which of the two frames n is fixed in */
    } held;
} ss_candidate_point;

extern const double ss_contact_absent_gap; /* gap of a contact that is not there, m */
extern const ss_element_ops ss_contact_element_ops;

/* NULL: another element. */
static inline const ss_contact_pair *ss_element_contact_pair(const ss_element *element)
{
    return element->ops == &ss_contact_element_ops ? element->object.self : NULL;
}

/* Makes a detected contact number k of a pair that is held, at the place of the last geometry: points of both bodies and
 * the normal stay what they are in the frames of their systems. The gap is then a smooth function of the poses, exact for
 * balls and corners on a plane, and right to first order for all others. */
void ss_contact_hold(const ss_contact_pair *pair, void *cache, int k, const ss_contact *contact);

size_t ss_contact_cache_size(const ss_contact_pair *pair); /* bytes */
ss_candidate_point *ss_candidate_points(void *cache);

#endif
