/* run.h: runs a scene and keeps what its tests look at. */
#ifndef SS_TESTS_CASES_RUN_H
#define SS_TESTS_CASES_RUN_H

#include <stickslip/stickslip.h>

enum { MOST_EVENTS = 4096, MOST_OVERRIDES = 24 };

typedef struct event {
    double t;
    const char *law;
    const char *to;
} event;

/* A look at every state: `look` is called with the state after each step. */
typedef struct run {
    bool plain; /* without certificates */
    ss_context *context;
    ss_scene *scene;
    ss_state *state;
    int n_events;
    event events[MOST_EVENTS];
    int n_warnings;
    char warning[512]; /* the last one */
    void (*look)(struct run *run, const ss_state *state);
    void *user;
} run;

/* Loads scenes/NAME.yaml; overrides end with NULL: "mu=0.3" for parameters, "simulation.step=1e-4" for settings. */
void open_run(run *r, const char *scene, const char *const *overrides);
void open_threaded_run(run *r, const char *scene, const char *const *overrides, int threads);
/* Runs to the end; fails the test when the run fails. */
void finish_run(run *r);
void close_run(run *r);

/* Index of a position (or velocity, "toy.y'") by full name. */
double position(const run *r, const char *name);
double velocity(const run *r, const char *name);
/* Mode of a law by name: 0 constraint. */
int mode(const run *r, const char *law);
/* Time of the n-th event (from 0) of a law that ends in a mode; -1: there is none. */
double event_time(const run *r, const char *law, const char *to, int n);

#endif
