/* analysis.h: what an inclusion and its solution leave open: rank, null space, uniqueness. */
#ifndef STICKSLIP_ANALYSIS_H
#define STICKSLIP_ANALYSIS_H

#include <stickslip/inclusion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far the modes of a solution determine its impulses. Laws in constraint mode hold their
 * rows: γ = 0 with impulses that may vary in their sets. A friction that slides follows its
 * normal impulse. A maps the impulses that may vary to the velocities of the held rows. */
typedef struct ss_determinacy {
    int held;         /* rows that are held = impulses that may vary */
    int rank;         /* of A */
    int nullity;      /* held - rank: dimension of the null space */
    double condition; /* of A without its null space, scaled by √G_ii: > 1e8 is nearly singular */
    bool forces_unique; /* no other impulses with the same modes */
    bool motion_unique; /* all of them lead to the same velocities */
} ss_determinacy;

/* Memory of an analysis and its last result. */
typedef struct ss_analysis ss_analysis;

SS_API ss_status ss_analysis_create(ss_context *context, ss_analysis **analysis);
SS_API void ss_analysis_destroy(ss_analysis *analysis);

/* At the solution P (and u in factored form). Projections shorter than `tolerance` times the
 * residual's reference count as none; it should lie above the tolerance that P was solved with.
 * Dense linear algebra in the held rows; SS_UNSUPPORTED when there are more than 2000. */
SS_API ss_status ss_analysis_determine(ss_analysis *analysis, const ss_inclusion *inclusion,
                                       const double *P, const double *u, double tolerance,
                                       ss_determinacy *determinacy);
/* Direction k of the null space, n_rows elements, frictions that slide with their normal
 * impulses included: P + a · direction holds the same rows. The directions are orthonormal in
 * the held rows. */
SS_API void ss_analysis_null_direction(const ss_analysis *analysis, int k, double *direction);

#ifdef __cplusplus
}
#endif
#endif
