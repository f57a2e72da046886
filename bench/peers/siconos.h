/* siconos.h: Siconos numerics on the same problems, for comparison. */
#ifndef BENCH_PEERS_SICONOS_H
#define BENCH_PEERS_SICONOS_H

#include <stickslip/problem.h>

/* Configurations that can treat problems of a dimension. */
int siconos_count(int dimension);
const char *siconos_name(int dimension, int k);

/* A problem in Siconos's storage, made once. */
typedef struct siconos_problem siconos_problem;
siconos_problem *siconos_create(const ss_problem *problem);

/* Solves from zero with configuration k; returns the seconds that the driver took. */
double siconos_solve(siconos_problem *problem, int k, double tolerance, double *P);

#endif
