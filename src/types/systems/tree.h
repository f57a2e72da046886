/* tree.h: inside of the system type `tree`: bodies that joints connect, in the coordinates of the joints.
 *
 * A *link* is what a scene names: a frame, with mass or without. Links that are fixed to each other are one *node*; every other
 * link has a node of its own, whose frame begins at its joint and has the axes of the link; a universal joint has one more.
 * Node behind node, parents first, their coordinates follow each other in q and u.
 */
#ifndef SS_TYPES_SYSTEMS_TREE_H
#define SS_TYPES_SYSTEMS_TREE_H

#include "model/body.h"

typedef enum ss_joint_kind {
    SS_JOINT_FIXED,
    SS_JOINT_FREE,
    SS_JOINT_HINGE,
    SS_JOINT_SLIDE,
    SS_JOINT_BALL,
    SS_JOINT_UNIVERSAL, /* of a link; its nodes are hinges */
} ss_joint_kind;

/* As the keys of a link fill it. */
typedef struct ss_link {
    ss_text parent, coordinate;
    int joint; /* ss_joint_kind */
    ss_matrix at, rotation, angles, axis, cross_axis, pivot;
    double mass;
    ss_matrix centre, inertia;
    double armature, damping, stiffness, rest, restitution, friction;
    ss_matrix limits, start, rate;
    ss_texts apart;
} ss_link;

typedef struct ss_tree_node {
    int parent;       /* node, -1: space */
    int kind;         /* FREE, HINGE, SLIDE or BALL */
    int q, u, nq, nu; /* its coordinates and velocities */
    ss_pose at;       /* of its frame in that of its parent, where the joint is at zero */
    double axis[3];   /* of a hinge or slide, in its own frame; a unit vector */
    double mass;      /* kg */
    double first[3];  /* mass times centre, kg m; the centre itself once the tree is complete */
    double J[9]; /* inertia about its origin, kg m²; about its centre once the tree is complete */
    double armature;        /* added to M for each of its velocities, kg or kg m² */
    double damping;         /* N s/m or N m s */
    double stiffness, rest; /* N/m or N m; the coordinate where the spring is free */
} ss_tree_node;

typedef struct ss_tree_frame {
    int node;   /* -1: fixed in space */
    ss_pose at; /* in the frame of the node */
} ss_tree_frame;

/* Gravity that acts on a tree: one of a list to which each force of that type adds itself. */
typedef struct ss_tree_gravity ss_tree_gravity;
struct ss_tree_gravity {
    double acceleration[3]; /* m/s² */
    ss_tree_gravity *next;
    ss_tree_gravity **list; /* it is in */
};

typedef struct ss_tree_system {
    ss_objects links; /* of ss_link */
    int n_nodes, n_frames, nq, nu;
    int base; /* the only free node, -1: none, or several */
    ss_tree_node *nodes;
    ss_tree_frame *frames; /* of the links, in their order */
    int *parents;          /* nu: of velocities */
    ss_tree_gravity **gravity;
} ss_tree_system;

/* Where a node is, in space. */
typedef struct ss_tree_place {
    ss_pose at;
    double S[3][3]; /* axes of its velocities but for a free node: one, or three */
} ss_tree_place;

/* What a node needs while M or h is made. */
typedef struct ss_tree_scratch {
    double w[3], alpha[3], a[3]; /* angular velocity; accelerations where u' = 0 */
    double F[3], N[3]; /* force and torque about its origin that it and what it carries need */
    double mass, first[3], J[9]; /* of the same */
} ss_tree_scratch;

/* In the cache of the system. */
typedef struct ss_tree_cache {
    ss_tree_place *places;
    ss_tree_scratch *scratch;
} ss_tree_cache;
size_t ss_tree_cache_size(const ss_tree_system *tree); /* bytes */

/* Kinematics (tree_motion.c). All places of nodes, made if they are not there for at->q[0]. */
ss_tree_cache ss_tree_places(const ss_tree_system *tree, const ss_at *at);
ss_status ss_tree_geometry(const void *tree, const ss_at *at);
void ss_tree_pose(const void *tree, const ss_at *at, int frame, ss_pose *pose);
void ss_tree_twist(const void *tree, const ss_at *at, int frame, double *V);
/* The k-th axis of a node, and whether it turns about it. */
bool ss_tree_axis(const ss_tree_node *node, const ss_tree_place *p, int k, double axis[3]);
/* A force f at a point x and a torque n, in space. */
typedef struct ss_tree_wrench {
    double x[3], f[3], n[3];
} ss_tree_wrench;
/* w += the generalized force of a force and a torque on a frame. */
void ss_tree_push(const ss_tree_system *tree, const ss_at *at, int frame,
                  const ss_tree_wrench *wrench, double *w);
/* Velocity of a point x that moves with a frame; its acceleration where u' = 0. */
void ss_tree_velocity(const ss_tree_system *tree, const ss_at *at, int frame, const double x[3],
                      double v[3]);
void ss_tree_bias(const ss_tree_system *tree, const ss_at *at, int frame, const double x[3],
                  double a[3]);
ss_status ss_tree_F(const void *tree, const ss_at *at, double *F);
void ss_tree_move(const void *tree, const ss_at *at, const double *u, double dt, const double *q_B,
                  double *q_E);
ss_status ss_tree_review_q(const void *tree, const ss_at *at, double *q);

/* Dynamics (tree_dynamics.c). */
ss_status ss_tree_mass(const void *tree, const ss_at *at, double *M);
ss_status ss_tree_h(const void *tree, const ss_at *at, double *h);
ss_status ss_tree_load(const void *tree, const ss_at *at, double *Q);
ss_status ss_tree_potential(const void *tree, const ss_at *at, double *V);

/* Making a tree (tree_build.c). */
ss_status ss_tree_init(void *tree, ss_setup *setup);
ss_status ss_tree_initial(void *tree, const ss_setup *setup, const ss_at *at,
                          const ss_matrix *position, const ss_matrix *velocity, double *q,
                          double *u);
/* Adds the elements of stops and dry friction in joints (tree_joints.c). */
ss_status ss_tree_added(void *tree, ss_model *model, const char *name, ss_location where);
/* The name of a link's coordinate, and of the k-th when there are more. */
void ss_tree_coordinate(const ss_tree_system *tree, int link, ss_name *name);

/* Gravity begins and ceases to act. */
void ss_tree_attract(const ss_tree_system *tree, const double acceleration[3],
                     ss_tree_gravity *gravity);
void ss_tree_release(ss_tree_gravity *gravity);

#endif
