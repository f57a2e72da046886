/* keys.c: the keys that every object of a kind has. */
#include "model/model.h"

#include <float.h>
#include <math.h>

static const ss_key system_keys[] = {
    {"position", SS_KEY_REALS, offsetof(ss_system_common, position), "", 0, 0, NULL, "m, rad",
     "Initial positions q, one for each coordinate; zero when not given."},
    {"velocity", SS_KEY_REALS, offsetof(ss_system_common, velocity), "", 0, 0, NULL, "m/s, rad/s",
     "Initial velocities u; zero when not given."},
    {NULL},
};

static const ss_key element_keys[] = {
    {"restitution", SS_KEY_MATRIX, offsetof(ss_element_common, restitution), "", 0, 0, NULL, "",
     "Full restitution matrix over the element's rows (Frémond), instead of the laws' own "
     "numbers."},
    {NULL},
};

static const ss_key shape_keys[] = {
    {"on", SS_KEY_TEXT, offsetof(ss_shape_common, on), "", 0, 0, NULL, "",
     "System that carries the shape, or one of its frames as system.frame; not given: it is fixed "
     "in space."},
    {"at", SS_KEY_REALS, offsetof(ss_shape_common, at), "", 0, 0, NULL, "m",
     "Origin of the shape's frame in that of the system, three numbers; zero when not given."},
    {"rotation", SS_KEY_REALS, offsetof(ss_shape_common, rotation), "", 0, 0, NULL, "rad",
     "Turns the shape's frame: an axis (any length) and an angle, four numbers."},
    {"material", SS_KEY_TEXT, offsetof(ss_shape_common, material), "", 0, 0, NULL, "",
     "Any word; elements of type 'contact' say which materials meet, and how."},
    {"density", SS_KEY_REAL, offsetof(ss_shape_common, density), "", 0, INFINITY, NULL, "kg/m³",
     "Adds mass and inertia of the shape to its system; not given: the system has them already."},
    {NULL},
};

static const ss_key law_keys[] = {
    {"restitution", SS_KEY_REALS, offsetof(ss_law_common, restitution), "0", 0, 1, NULL, "",
     "Newton's restitution ε of -(γ_E + ε γ_B) ∈ N_C(P): one number, or one for each row."},
    {"r", SS_KEY_REAL, offsetof(ss_law_common, r), "", DBL_MIN, INFINITY, NULL, "kg",
     "Relaxation of this law in JORprox and SORprox, instead of the solver's choice."},
    {"rigidity", SS_KEY_REAL, offsetof(ss_law_common, rigidity), "1", DBL_MIN, INFINITY, NULL,
     "N/m",
     "Stiffness k of the spring that stands for this law where the solver's key `forces` is "
     "`weighted` or `regularized`; only ratios matter for the former."},
    {NULL},
};

const ss_key *ss_model_keys(ss_type_kind kind)
{
    switch (kind) {
    case SS_TYPE_SYSTEM:
        return system_keys;
    case SS_TYPE_ELEMENT:
        return element_keys;
    case SS_TYPE_SHAPE:
        return shape_keys;
    case SS_TYPE_LAW:
        return law_keys;
    default:
        return NULL;
    }
}
