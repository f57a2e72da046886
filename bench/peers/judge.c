/* judge.c: contacts, impulses and what a program itself demanded of the normal velocities go into an inclusion of ours. */
#include "peers/judge.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench_grains: out of memory\n");
        exit(1);
    }
    return memory;
}

/* An inclusion of contacts, a normal and a friction block each. */
typedef struct judge {
    ss_block *blocks;
    ss_factor *factors;
    int *start;
    double *numbers, *b, *P, *u;
} judge;

static void tangents(const double n[3], double t[2][3])
{
    int k = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                    : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double length = 0;
    for (int i = 0; i < 3; i++) {
        t[0][i] = (i == k) - n[k] * n[i];
        length += t[0][i] * t[0][i];
    }
    for (int i = 0; i < 3; i++)
        t[0][i] /= sqrt(length);
    t[1][0] = n[1] * t[0][2] - n[2] * t[0][1];
    t[1][1] = n[2] * t[0][0] - n[0] * t[0][2];
    t[1][2] = n[0] * t[0][1] - n[1] * t[0][0];
}

/* A row of W for one sphere: a force along d at the arm r n. */
static void fill_row(const double d[3], const double n[3], double r, double sign, double *W)
{
    for (int k = 0; k < 3; k++)
        W[k] = sign * d[k];
    W[3] = sign * r * (n[1] * d[2] - n[2] * d[1]);
    W[4] = sign * r * (n[2] * d[0] - n[0] * d[2]);
    W[5] = sign * r * (n[0] * d[1] - n[1] * d[0]);
}

static void fill_contact(const pouring *p, const grain_contact *t, int i, judge *j)
{
    double d[3][3], J = 0.4 * p->mass * p->radius * p->radius, *W = j->numbers + 72 * (size_t)i;
    memcpy(d[0], t->n, sizeof d[0]);
    tangents(t->n, d + 1);
    for (int k = 0; k < 3; k++) {
        j->P[3 * i + k] = t->P[0] * d[k][0] + t->P[1] * d[k][1] + t->P[2] * d[k][2];
        j->b[3 * i + k] = k == 0 ? t->rate : 0;
    }
    for (int block = 2 * i; block < 2 * i + 2; block++) {
        int first = block % 2, dim = 1 + first, n = j->start[block];
        j->blocks[block] = (ss_block){.set = first ? ss_set_disk(2) : ss_set_half_line(),
                                      .offset = 3 * i + first,
                                      .dim = dim,
                                      .scale_from = first ? 2 * i : -1,
                                      .scale = first ? p->mu : 1};
        for (int side = 0; side < 2; side++) {
            int body = side ? t->b : t->a;
            if (body < 0)
                continue;
            for (int row = 0; row < dim; row++) {
                double *w = W + 6 * row;
                fill_row(d[first + row], t->n, side ? -t->arm : t->arm, side ? 1 : -1, w);
                for (int k = 0; k < 6; k++)
                    w[6 * dim + k] = w[k] / (k < 3 ? p->mass : J);
            }
            j->factors[n++] = (ss_factor){6 * body, 6, W, W + 6 * dim};
            W += 12 * dim;
        }
        j->start[block + 1] = n;
    }
}

judgement judge_step(const pouring *p, const grain *before, int n, const grain_contact *contacts)
{
    size_t capacity = (size_t)n;
    judge j = {
        .blocks = zeros(2 * capacity, sizeof *j.blocks),
        .factors = zeros(4 * capacity, sizeof *j.factors),
        .start = zeros(2 * capacity + 1, sizeof *j.start),
        .numbers = zeros(72 * capacity, sizeof *j.numbers),
        .b = zeros(3 * capacity, sizeof *j.b),
        .P = zeros(3 * capacity, sizeof *j.P),
        .u = zeros(12 * (size_t)p->n, sizeof *j.u),
    };
    judgement found = {0};
    double *u_free = j.u + 6 * (size_t)p->n;
    for (int i = 0; i < p->n; i++) {
        memcpy(u_free + 6 * i, before[i].v, sizeof before[i].v);
        memcpy(u_free + 6 * i + 3, before[i].w, sizeof before[i].w);
        u_free[6 * i + 2] -= p->gravity * p->dt;
    }
    for (int i = 0; i < n; i++) {
        double P2 = 0;
        fill_contact(p, &contacts[i], i, &j);
        for (int k = 0; k < 3; k++)
            P2 += contacts[i].P[k] * contacts[i].P[k];
        found.contacts += P2 > 0;
        found.mean += fmax(0, -contacts[i].gap);
        found.deepest = fmax(found.deepest, -contacts[i].gap);
    }
    found.mean /= found.contacts ? found.contacts : 1;
    ss_inclusion inclusion = {.n_blocks = 2 * n,
                              .n_rows = 3 * n,
                              .blocks = j.blocks,
                              .n_u = 6 * p->n,
                              .factor_start = j.start,
                              .factors = j.factors,
                              .u_free = u_free,
                              .b = j.b};
    ss_inclusion_free_motion(&inclusion, j.P, j.u);
    found.residual = ss_inclusion_residual(&inclusion, j.P, j.u).value;
    void *memory[] = {j.blocks, j.factors, j.start, j.numbers, j.b, j.P, j.u};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    return found;
}
