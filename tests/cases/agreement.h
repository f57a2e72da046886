/* agreement.h: event-driven and augmented runs of a scene, compared.
 *
 * The two methods share the model and the solver, and nothing of how time goes on: one integrates accelerations between roots,
 * the other extrapolates steps on velocity level. Positions and velocities are compared at equal times, each to 1e-8 of the
 * largest value that it takes, or of 1 m, rad, m/s or rad/s if that is more.
 */
#ifndef SS_TESTS_CASES_AGREEMENT_H
#define SS_TESTS_CASES_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_EXTRA = 4 };

typedef struct agreement {
    const char *scene;
    double end; /* s */
    int samples;
    double step_max; /* s, of the augmented run */
    const char *breaks;
    const char *model[MOST_EXTRA];     /* settings and parameters of both runs */
    const char *event[MOST_EXTRA];     /* of the event-driven run */
    const char *augmented[MOST_EXTRA]; /* of the augmented run */
    bool not_by_ida; /* the list says why */
} agreement;

/* Event-driven and augmented runs; fails where they differ by more than 1e-8. */
void compare_methods(size_t count, const agreement *list);
/* Event-driven runs by IDA, with the forces of held laws as unknowns, and by the method of the scene. */
void compare_with_ida(size_t count, const agreement *list);

#endif
