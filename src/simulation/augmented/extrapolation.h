/* extrapolation.h: from several approximations of low order to one of high order (S6.3.1). */
#ifndef SS_SIMULATION_AUGMENTED_EXTRAPOLATION_H
#define SS_SIMULATION_AUGMENTED_EXTRAPOLATION_H

enum { SS_EXTRAPOLATION_MOST = 12 };

/* The last row T_k1 … T_kk of the tableau S6.87, and how far its end is from the end of the row
 * before. */
typedef struct ss_tableau {
    int size;                            /* numbers that are extrapolated together */
    int rows;                            /* so far */
    int substeps[SS_EXTRAPOLATION_MOST]; /* n_i */
    double *T;                           /* SS_EXTRAPOLATION_MOST × size */
    double *change;                      /* T_kk - T_(k-1)(k-1); of one row: zero */
} ss_tableau;

/* Doubles that T and change need together. */
int ss_tableau_capacity(int size);
void ss_tableau_init(ss_tableau *tableau, int size, double *memory);
/* Forgets all rows. */
void ss_tableau_clear(ss_tableau *tableau);
/* Adds the row that begins with y, the approximation with n substeps. */
void ss_tableau_add(ss_tableau *tableau, int n, const double *y);
/* T_kk, the approximation of the highest order. */
const double *ss_tableau_best(const ss_tableau *tableau);

#endif
