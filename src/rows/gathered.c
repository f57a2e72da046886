/* gathered.c: what a gathered inclusion does. */
#include "rows/gather.h"

#include "la/small.h"

/* gamma of a group of `dim` rows whose neighbours have as many: the shapes that fill real
 * problems. */
static inline void velocity_uniform(const ss_gathered *g, int k, int dim, const double *P,
                                    double *gamma)
{
    const double *G = g->diagonal + g->groups[k].diagonal, *x = P + g->groups[k].row;
    double sum[3];
    for (int a = 0; a < dim; a++) {
        sum[a] = g->c[g->groups[k].row + a];
        for (int b = 0; b < dim; b++)
            sum[a] += G[a * dim + b] * x[b];
    }
    const double *value = g->value + (g->start[k] < g->start[k + 1] ? g->place[g->start[k]] : 0);
    for (int e = g->start[k]; e < g->start[k + 1]; e++, value += dim * dim)
        ss_gathered_add(dim, value, P + g->groups[g->column[e]].row, sum);
    for (int a = 0; a < dim; a++)
        gamma[g->groups[k].row + a] = sum[a];
}

static void velocity_any(const ss_gathered *g, int k, const double *P, double *gamma)
{
    const ss_gathered_group *K = &g->groups[k];
    const double *G = g->diagonal + K->diagonal;
    for (int a = 0; a < K->dim; a++)
        gamma[K->row + a] = g->c[K->row + a] + ss_dot(K->dim, G + a * K->dim, P + K->row);
    for (int e = g->start[k]; e < g->start[k + 1]; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        for (int a = 0; a < K->dim; a++)
            gamma[K->row + a] += ss_dot(H->dim, g->value + g->place[e] + a * H->dim, P + H->row);
    }
}

void ss_gathered_velocity(const ss_gathered *g, const double *P, double *gamma)
{
    for (int k = 0; k < g->n_groups; k++) {
        if (g->uniform == 3)
            velocity_uniform(g, k, 3, P, gamma);
        else if (g->uniform == 2)
            velocity_uniform(g, k, 2, P, gamma);
        else
            velocity_any(g, k, P, gamma);
    }
}

void ss_gathered_take(const ss_gathered *g, const double *P, double *gathered)
{
    for (int k = 0; k < g->n_rows; k++)
        gathered[k] = P[g->home[k]];
}

void ss_gathered_give(const ss_gathered *g, const double *gathered, double *P)
{
    for (int k = 0; k < g->n_rows; k++)
        P[g->home[k]] = gathered[k];
}

double ss_gathered_scale(const ss_gathered *g, const ss_inclusion *inclusion, int block,
                         const double *P)
{
    const ss_block *B = &inclusion->blocks[block];
    return B->scale_from < 0 ? B->scale : B->scale * fabs(P[g->row_of[B->scale_from]]);
}
