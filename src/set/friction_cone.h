/* friction_cone.h: the parameters of the set 'cone', for those who make it without a name. */
#ifndef SS_SET_FRICTION_CONE_H
#define SS_SET_FRICTION_CONE_H

typedef struct ss_friction_cone {
    double mu; /* >= 0 */
} ss_friction_cone;

#endif
