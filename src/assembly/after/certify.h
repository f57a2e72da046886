/* certify.h: certifies steps: whether what a solve returned obeys the laws of its rows (docs/verdict.md). */
#ifndef SS_ASSEMBLY_AFTER_CERTIFY_H
#define SS_ASSEMBLY_AFTER_CERTIFY_H

#include "assembly/work.h"

/* From now on every accepted solve is certified. */
ss_status ss_work_start_certifying(ss_work *work);
/* The solve that has just ended, of a work that certifies; B is where the step begins, NULL: not known. Changes nothing but
 * the findings. */
void ss_work_certify(ss_work *work, const ss_state *B, const double *u_E,
                     const ss_solve_report *report);
/* Forgets the findings; adds them to the sums of a state. What happens in tries that are not accepted is forgotten so. */
void ss_work_clear_findings(ss_work *work);
void ss_work_add_findings(ss_work *work, double t, ss_statistics *sums);
/* What an event-driven simulation says of a step. */
typedef struct ss_phase_claims {
    double absolute;      /* error of positions that the integrator was asked for, in parts of */
    double slip;          /* sizes of the scene; slower than this part counts as at rest */
    const double *impact; /* rows of all laws: impulses of the impact at the end, N s */
    bool unique; /* else its impulses are some of many, and others may be those within the sets */
} ss_phase_claims;

/* A smooth phase from B to E, and an impact at its end, with the laws of the table: impulses over it, gaps and velocities
 * where it ends. */
ss_status ss_work_certify_phase(ss_work *work, const ss_state *B, const ss_state *E,
                                const ss_phase_claims *claims);
/* One row after an impact from the relative velocity `before`. */
void ss_work_certify_row(ss_work *work, int block, int row, double epsilon, double before,
                         const double *u_E);

#endif
