/* system_tree.c: bodies that joints connect, in the coordinates of the joints: robots, chains, pendulums. */
#include "types/systems/tree.h"
#include "types/types.h"

#include <float.h>

#define MOVING   "joint=hinge|slide|ball|universal"
#define STRAIGHT "joint=hinge|slide|universal"

static const ss_key link_keys[] = {
    {"parent", SS_KEY_TEXT, offsetof(ss_link, parent), "", 0, 0, NULL, "",
     "Link that its joint connects it to; not given: space."},
    {"joint", SS_KEY_CHOICE, offsetof(ss_link, joint), "fixed", 0, 0,
     "fixed|free|hinge|slide|ball|universal", "", "How it moves relative to its parent."},
    {"at", SS_KEY_REALS, offsetof(ss_link, at), "", 0, 0, NULL, "m",
     "Origin of its frame in the frame of its parent, where the joint is at zero; of a free link "
     "its "
     "place at first."},
    {"rotation", SS_KEY_REALS, offsetof(ss_link, rotation), "", 0, 0, NULL, "rad",
     "How its frame is turned there: an axis of any length and an angle about it."},
    {"yaw_pitch_roll", SS_KEY_REALS, offsetof(ss_link, angles), "", 0, 0, NULL, "rad",
     "The same by angles: about z, then about its own y, then about its own x."},
    {"axis", SS_KEY_REALS, offsetof(ss_link, axis), "", 0, 0, NULL, "",
     "Axis of the joint in the axes of the link, of any length.", STRAIGHT},
    {"cross_axis", SS_KEY_REALS, offsetof(ss_link, cross_axis), "", 0, 0, NULL, "",
     "Second axis: the joint turns about `axis`, which the parent holds, then about this one, "
     "which the "
     "link holds.",
     "joint=universal"},
    {"pivot", SS_KEY_REALS, offsetof(ss_link, pivot), "", 0, 0, NULL, "m",
     "Point of the joint in the frame of the link; its origin when not given.",
     "joint=hinge|ball|universal"},
    {"mass", SS_KEY_REAL, offsetof(ss_link, mass), "0", 0, INFINITY, NULL, "kg",
     "Mass; links that carry others may have none."},
    {"centre", SS_KEY_REALS, offsetof(ss_link, centre), "", 0, 0, NULL, "m",
     "Centre of mass in its frame; the origin when not given."},
    {"inertia", SS_KEY_REALS, offsetof(ss_link, inertia), "", 0, 0, NULL, "kg m^2",
     "Inertia about the centre of mass in its axes, 1, 3, 6 or 9 numbers as of a body; not given: "
     "a point "
     "mass."},
    {"apart", SS_KEY_TEXTS, offsetof(ss_link, apart), "", 0, 0, NULL, "",
     "Other links that its shapes never meet, besides those that a joint connects it to."},
    {"coordinate", SS_KEY_TEXT, offsetof(ss_link, coordinate), "", 0, 0, NULL, "",
     "Name of its coordinate; that of the link when not given."},
    {"start", SS_KEY_REALS, offsetof(ss_link, start), "", 0, 0, NULL, "rad, m",
     "Coordinate of the joint at first: one number, two of a universal joint, axis and angle of a "
     "ball.",
     MOVING},
    {"rate", SS_KEY_REALS, offsetof(ss_link, rate), "", 0, 0, NULL, "rad/s, m/s",
     "Its velocity at first: one number, two of a universal joint, three of a ball, in the axes "
     "that the "
     "link has at zero.",
     MOVING},
    {"armature", SS_KEY_REAL, offsetof(ss_link, armature), "0", 0, INFINITY, NULL, "kg m^2, kg",
     "Inertia that a drive adds to the joint, that of the rotor times its ratio squared.", MOVING},
    {"damping", SS_KEY_REAL, offsetof(ss_link, damping), "0", 0, INFINITY, NULL, "N m s, N s/m",
     "Viscous resistance.", MOVING},
    {"stiffness", SS_KEY_REAL, offsetof(ss_link, stiffness), "0", 0, INFINITY, NULL, "N m, N/m",
     "Of a spring in the joint.", STRAIGHT},
    {"rest", SS_KEY_REAL, offsetof(ss_link, rest), "0", 0, 0, NULL, "rad, m",
     "Coordinate where that spring is free.", "stiffness"},
    {"limits", SS_KEY_REALS, offsetof(ss_link, limits), "", -INFINITY, INFINITY, NULL, "rad, m",
     "Stops: smallest and largest value of the coordinate, -inf and inf for none; the law `stop` "
     "of an "
     "element SYSTEM_COORDINATE.",
     "joint=hinge|slide"},
    {"restitution", SS_KEY_REAL, offsetof(ss_link, restitution), "0", 0, 1, NULL, "",
     "Of the stops.", "limits"},
    {"friction", SS_KEY_REAL, offsetof(ss_link, friction), "0", 0, INFINITY, NULL, "N m, N",
     "Dry friction: largest torque or force; the law `friction` of an element SYSTEM_COORDINATE.",
     MOVING},
    {.name = NULL},
};

static const ss_key keys[] = {
    {.name = "links",
     .kind = SS_KEY_OBJECTS,
     .offset = offsetof(ss_tree_system, links),
     .doc = "Its bodies by name, each with the joint to its parent. Every link is a frame that "
            "carries shapes, "
            "`on: SYSTEM.LINK`.",
     .keys = link_keys,
     .size = sizeof(ss_link)},
    {.name = NULL},
};

const ss_system_ops ss_tree_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "tree",
             "Bodies that joints connect, in the coordinates of the joints: a robot, a chain, a "
             "pendulum.",
             sizeof(ss_tree_system), keys},
    .init = ss_tree_init,
    .geometry = ss_tree_geometry,
    .mass = ss_tree_mass,
    .h = ss_tree_h,
    .load = ss_tree_load,
    .potential = ss_tree_potential,
    .F = ss_tree_F,
    .move = ss_tree_move,
    .pose = ss_tree_pose,
    .twist = ss_tree_twist,
    .review_q = ss_tree_review_q,
    .initial = ss_tree_initial,
    .added = ss_tree_added,
};
