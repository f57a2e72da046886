/* reduced.h: the reduced system, forces and accelerations while every law keeps its phase. */
#ifndef SS_SIMULATION_EVENT_REDUCED_H
#define SS_SIMULATION_EVENT_REDUCED_H

#include "simulation/event/phase.h"

/* Islands: closed rows connected through systems. Those of different islands do not act on each
 * other. */
typedef struct ss_reduced_islands {
    int count;
    int *of_row; /* closed rows: root of the island */
    int *parent; /* union–find over systems */
    int *rows;   /* closed rows that act, island after island, */
    int *start;  /* count + 1: where an island begins among them */
} ss_reduced_islands;

/* Factors of the islands' matrices, made when a matrix is used for the second time. */
typedef struct ss_reduced_factors {
    bool used, ready; /* the matrices have been solved with, are factored */
    bool *definite;   /* islands: Cholesky's factor exists */
    double *matrix;   /* n × n in all, island after island */
    double *x;        /* scaled forces of an island */
    double *scratch;  /* of LAPACK */
    int scratch_size;
    int *pivots;
} ss_reduced_factors;

typedef struct ss_reduced {
    /* closed rows C: those of closed laws */
    int n;
    int *row, *law; /* their rows among those of all laws, and their laws */
    double *G, *c;  /* n × n by rows; n */
    double *scale;  /* 1/√(WᵀM⁻¹W); 0: the row has no effect */
    double *lambda; /* their forces, N */
    bool deficient; /* they are dependent: the forces are not unique */

    double *H; /* n_u a row of all laws: M⁻¹W with the friction that a unit of λ carries */
    double *a_free, *a; /* n_u: u' without the forces of closed rows, and with them */

    bool stale;       /* W or M have changed since G and H were formed, */
    ss_phase *phases; /* for these phases */
    ss_reduced_islands islands;
    ss_reduced_factors factors;
} ss_reduced;

/* u' without any set-valued force. */
void ss_event_free_accelerations(const ss_event_driven *e, double *a);
/* a_free, H, G and c for the phases that are set, after an evaluation. */
void ss_event_assemble(ss_event_driven *e);
/* G λ = -c in the sense of least squares and least norm; returns the rank. A row without effect
 * gets no force, and counts as one. */
int ss_event_solve(ss_event_driven *e, double *lambda);
/* Assembles and solves: rows.lambda, a and `deficient`. */
void ss_event_reduce(ss_event_driven *e);
/* Normal loads of joint friction from the forces; returns their change, relative to the largest. */
double ss_event_update_loads(ss_event_driven *e);
/* Whether the force of a row has any effect: not where a formula's W is zero for now. */
bool ss_event_row_acts(const ss_event_driven *e, int row);

#endif
