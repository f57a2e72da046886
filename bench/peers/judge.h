/* judge.h: one routine that judges a step of grains, whoever made it. */
#ifndef BENCH_PEERS_JUDGE_H
#define BENCH_PEERS_JUDGE_H

#include "peers/grains.h"

#include <stddef.h>

typedef struct judgement {
    int contacts;         /* that press */
    double mean, deepest; /* penetration, m */
    double residual;
} judgement;

/* Contacts of a step before which the grains were `before`. */
judgement judge_step(const pouring *p, const grain *before, int n, const grain_contact *contacts);

/* Memory of zeros; without it the program ends. */
void *zeros(size_t count, size_t size);

#endif
