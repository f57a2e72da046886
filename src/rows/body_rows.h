/* body_rows.h: blocks of a store beside its contacts, as BODY rows or with W and M⁻¹W. */
#ifndef SS_ROWS_BODY_ROWS_H
#define SS_ROWS_BODY_ROWS_H

#include "geometry/vector.h"
#include "rows/rows.h"

/* w = J⁻¹ L */
static inline void ss_body_turn(const double J[8], const double L[3], double w[3])
{
    w[0] = J[0] * L[0] + J[4] * L[1] + J[5] * L[2];
    w[1] = J[4] * L[0] + J[1] * L[1] + J[6] * L[2];
    w[2] = J[5] * L[0] + J[6] * L[1] + J[2] * L[2];
}

static inline bool ss_block_has_body_rows(const ss_general_rows *g, int i)
{
    return g->bodies[i][1] > 0;
}

/* γ = Wᵀu + b of a block. */
static inline void ss_rows_block_velocity(const ss_general_rows *g, const ss_row_body *bodies,
                                          int i, double *gamma)
{
    const ss_block *B = &g->inclusion.blocks[i];
    if (!ss_block_has_body_rows(g, i)) {
        ss_inclusion_velocity(&g->inclusion, NULL, bodies[0].v, i, gamma);
        return;
    }
    const ss_row_body *b = &bodies[g->bodies[i][1]], *a = &bodies[g->bodies[i][0]];
    const ss_body_row *row = &g->rows[B->offset];
    double v[3];
    ss_minus3(b->v, a->v, v);
    for (int k = 0; k < B->dim; k++, row++)
        gamma[k] = g->inclusion.b[B->offset + k] + ss_dot3(row->d, v) +
                   ss_dot3(row->torque_a, a->w) + ss_dot3(row->torque_b, b->w);
}

/* u += M⁻¹W dP of a block. */
static inline void ss_rows_block_apply(const ss_general_rows *g, double (*inertia)[8], int i,
                                       const double *dP, ss_row_body *bodies)
{
    if (!ss_block_has_body_rows(g, i)) {
        ss_inclusion_apply_impulse(&g->inclusion, i, dP, bodies[0].v);
        return;
    }
    ss_row_body *b = &bodies[g->bodies[i][1]], *a = &bodies[g->bodies[i][0]];
    const ss_body_row *row = &g->rows[g->inclusion.blocks[i].offset];
    double force[3] = {0}, torque_a[3] = {0}, torque_b[3] = {0}, w[3];
    for (int k = 0; k < g->inclusion.blocks[i].dim; k++, row++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a block has one row at least */
        ss_along3(force, dP[k], row->d, force);
        ss_along3(torque_a, dP[k], row->torque_a, torque_a);
        ss_along3(torque_b, dP[k], row->torque_b, torque_b);
    }
    ss_along3(b->v, b->m_inv, force, b->v);
    ss_body_turn(inertia[g->bodies[i][1]], torque_b, w);
    ss_add3(b->w, w, b->w);
    if (g->bodies[i][0] == 0)
        return;
    ss_along3(a->v, -a->m_inv, force, a->v);
    ss_body_turn(inertia[g->bodies[i][0]], torque_a, w);
    ss_add3(a->w, w, a->w);
}

#endif
