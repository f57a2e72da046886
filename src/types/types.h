/* types.h: the built-in systems, elements, laws, forces and controllers. */
#ifndef SS_TYPES_TYPES_H
#define SS_TYPES_TYPES_H

#include <stickslip/model.h>

extern const ss_system_ops ss_point_ops, ss_planar_body_ops, ss_body_ops, ss_linear_ops,
    ss_lagrange_ops, ss_expression_system_ops, ss_tree_ops;

extern const ss_element_ops ss_plane_ops, ss_distance_ops, ss_joint_ops, ss_spherical_joint_ops,
    ss_revolute_joint_ops, ss_prismatic_joint_ops, ss_cylindrical_joint_ops, ss_planar_joint_ops,
    ss_universal_joint_ops, ss_fixed_joint_ops, ss_gear_ops, ss_expression_element_ops;

extern const ss_law_ops ss_unilateral_ops, ss_bilateral_ops, ss_friction_ops, ss_joint_friction_ops,
    ss_stribeck_ops, ss_characteristic_ops, ss_prestressed_spring_ops, ss_stop_ops, ss_motor_ops,
    ss_spring_damper_ops;

extern const ss_controller_ops ss_expression_controller_ops, ss_samples_ops;

extern const ss_force_ops ss_gravity_ops, ss_spring_ops, ss_damper_ops, ss_drive_ops, ss_load_ops;

/* Memory that lives as long as the model, zeroed: SS_SETUP_NEW(setup, count, &pointer). */
#define SS_SETUP_NEW(setup, count, pointer) \
    ss_setup_allocate((setup), (size_t)(count), sizeof **(pointer), (void **)(pointer))

#endif
