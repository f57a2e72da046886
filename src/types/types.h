/* types.h: the built-in systems, elements, laws and forces, one file each. */
#ifndef SS_TYPES_TYPES_H
#define SS_TYPES_TYPES_H

#include <stickslip/model.h>

/* A point mass: coordinates x, then y, then z. */
typedef struct ss_point_mass {
    int dim;     /* 1, 2, 3 */
    double mass; /* kg */
} ss_point_mass;

/* A rigid body in the plane: coordinates x, y of its centre of mass and its angle phi. */
typedef struct ss_planar_body {
    double mass;    /* kg */
    double inertia; /* kg m², about the centre of mass */
} ss_planar_body;

extern const ss_system_ops ss_point_ops;
extern const ss_system_ops ss_planar_body_ops;
extern const ss_system_ops ss_body_ops;
extern const ss_system_ops ss_linear_ops;
extern const ss_system_ops ss_lagrange_ops;
extern const ss_system_ops ss_expression_system_ops;

extern const ss_element_ops ss_plane_ops;
extern const ss_element_ops ss_distance_ops;
extern const ss_element_ops ss_joint_ops;
extern const ss_element_ops ss_spherical_joint_ops;
extern const ss_element_ops ss_revolute_joint_ops;
extern const ss_element_ops ss_prismatic_joint_ops;
extern const ss_element_ops ss_cylindrical_joint_ops;
extern const ss_element_ops ss_planar_joint_ops;
extern const ss_element_ops ss_universal_joint_ops;
extern const ss_element_ops ss_fixed_joint_ops;
extern const ss_element_ops ss_gear_ops;
extern const ss_element_ops ss_expression_element_ops;

extern const ss_law_ops ss_unilateral_ops;
extern const ss_law_ops ss_bilateral_ops;
extern const ss_law_ops ss_friction_ops;
extern const ss_law_ops ss_joint_friction_ops;
extern const ss_law_ops ss_stribeck_ops;
extern const ss_law_ops ss_characteristic_ops;
extern const ss_law_ops ss_prestressed_spring_ops;
extern const ss_law_ops ss_stop_ops;
extern const ss_law_ops ss_motor_ops;
extern const ss_law_ops ss_spring_damper_ops;

extern const ss_force_ops ss_gravity_ops;
extern const ss_force_ops ss_spring_ops;
extern const ss_force_ops ss_damper_ops;
extern const ss_force_ops ss_drive_ops;
extern const ss_force_ops ss_load_ops;

#endif
