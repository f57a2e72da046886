/* agreement.h: event-driven and augmented runs of a scene, compared.
 *
 * The two methods share the model and the solver, and nothing of how time goes on: one integrates accelerations between roots,
 * the other extrapolates steps on velocity level. Positions and velocities are compared at equal times, each to 1e-8 of the
 * largest value that it takes, or of 1 m, rad, m/s or rad/s if that is more.
 *
 * A comparison goes to the scene's end. It may stop before (`cut`) only where the motion itself does not let it go on: one
 * method, event-driven, runs twice, the second time from velocities moved by 1e-12 of themselves (or of 1 m/s, rad/s), and at
 * the sample that would be the next these two differ by more than 1e-8. 1e-12 is the relative error that both methods allow
 * in a single step: two exact methods would be no nearer to each other after it.
 */
#ifndef SS_TESTS_CASES_AGREEMENT_H
#define SS_TESTS_CASES_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_EXTRA = 8 };

#define MOVED_START 1e-12

typedef struct agreement {
    const char *scene;
    double end; /* s */
    int samples;
    double step_max; /* s, of the augmented run */
    const char *breaks;
    const char *model[MOST_EXTRA];     /* settings and parameters of both runs */
    const char *event[MOST_EXTRA];     /* of the event-driven run */
    const char *augmented[MOST_EXTRA]; /* of the augmented run */
    const char *ida[MOST_EXTRA];       /* of both event-driven runs where one is by IDA */
    double ida_end;                    /* s, of these two; 0: `end` */
    bool cut;                          /* the motion multiplies every difference: show_cuts */
    bool longer;                       /* long_agreement.c goes on */
    const char *
        why; /* it stops before the scene's end for another reason: a limit of the methods, or of patience */
} agreement;

/* Event-driven and augmented runs; fails where they differ by more than 1e-8. */
void compare_methods(size_t count, const agreement *list);
/* Event-driven runs by IDA, with the forces of held laws as unknowns, and by the method of the scene. */
void compare_with_ida(size_t count, const agreement *list);

/* Fails where a comparison ends before its scene does and nothing of the above is said. */
void check_ends(size_t count, const agreement *list);
/* Fails where a comparison that is cut could go on. */
void show_cuts(size_t count, const agreement *list);

#endif
