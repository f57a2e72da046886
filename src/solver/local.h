/* local.h: one group alone, u = G P + c with the others held fixed, solved exactly. */
#ifndef SS_SOLVER_LOCAL_H
#define SS_SOLVER_LOCAL_H

#include "rows/gather.h"

/* A contact with dry friction. */
typedef struct ss_local_contact {
    const double *G;   /* dim × dim by rows, normal row first; borrowed */
    double inverse[9]; /* when regular */
    double S[4];       /* 3 rows: G_TT - G_TN G_NT / G_NN */
    double mu;
    double
        lambda; /* 3 rows: the last ‖u_T‖ / ‖P_T‖ when it slipped: the next search begins there */
    double
        leave; /* 3 rows: share of the error that a search from the last lambda may leave; 0: none */
    bool prepared; /* inverse, regular and S are there: made when they are needed first */
    bool regular;
} ss_local_contact;

static inline void ss_contact_init(const double *G, double mu, ss_local_contact *contact)
{
    contact->G = G;
    contact->mu = mu;
    contact->lambda = 0.0;
    contact->leave = 0.0;
    contact->prepared = false;
}

/* Take-off, stick or slip: P such that 0 <= u_N ⊥ P_N >= 0 and Coulomb's law. When there are
 * several solutions (μ and the coupling of N and T are large), the first of take-off, stick and
 * slip; false when there is none, which needs G_NN = 0 or, in the plane, a wedge: P is the
 * nearest guess then. */
bool ss_contact_solve2(ss_local_contact *contact, const double *c, double *P);
bool ss_contact_solve3(ss_local_contact *contact, const double *c, double *P);

/* Any other block: its prox in the metric of G. P holds the last impulse. `inverse` is that
 * of G, dim × dim, or NULL when G is singular. */
void ss_single_solve(const ss_block *block, double scale, const double *G, const double *inverse,
                     double r, const double *c, double *P);

/* inverse of G, n × n by rows; false when G is singular. work has 2 n² elements. */
bool ss_small_inverse(int n, const double *G, double *work, double *inverse);

#endif
