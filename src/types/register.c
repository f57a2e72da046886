/* register.c: makes the built-in types known to a context. */
#include "base/context.h"
#include "model/model.h"
#include "types/types.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

ss_status ss_register_builtin_types(ss_context *context)
{
    static const ss_system_ops *const systems[] = {
        &ss_point_ops,    &ss_planar_body_ops,       &ss_body_ops, &ss_linear_ops,
        &ss_lagrange_ops, &ss_expression_system_ops, &ss_tree_ops,
    };
    static const ss_element_ops *const elements[] = {
        &ss_plane_ops,
        &ss_distance_ops,
        &ss_joint_ops,
        &ss_spherical_joint_ops,
        &ss_revolute_joint_ops,
        &ss_prismatic_joint_ops,
        &ss_cylindrical_joint_ops,
        &ss_planar_joint_ops,
        &ss_universal_joint_ops,
        &ss_fixed_joint_ops,
        &ss_gear_ops,
        &ss_expression_element_ops,
        &ss_contact_rule_ops,
    };
    static const ss_law_ops *const laws[] = {
        &ss_unilateral_ops,     &ss_bilateral_ops,          &ss_friction_ops, &ss_stribeck_ops,
        &ss_characteristic_ops, &ss_prestressed_spring_ops, &ss_stop_ops,     &ss_motor_ops,
        &ss_spring_damper_ops,  &ss_joint_friction_ops,
    };
    static const ss_force_ops *const forces[] = {
        &ss_gravity_ops, &ss_spring_ops, &ss_damper_ops, &ss_drive_ops, &ss_load_ops,
    };
    SS_TRY(ss_register_controller(context, &ss_expression_controller_ops));
    SS_TRY(ss_register_controller(context, &ss_samples_ops));
    for (size_t i = 0; i < COUNT(systems); i++)
        SS_TRY(ss_register_system(context, systems[i]));
    for (size_t i = 0; i < COUNT(elements); i++)
        SS_TRY(ss_register_element(context, elements[i]));
    for (size_t i = 0; i < COUNT(laws); i++)
        SS_TRY(ss_register_law(context, laws[i]));
    for (size_t i = 0; i < COUNT(forces); i++)
        SS_TRY(ss_register_force(context, forces[i]));
    return SS_OK;
}
