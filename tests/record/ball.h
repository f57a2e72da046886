/* ball.h: a ball that bounces and slides over a floor, beside a cart: a motion with impacts,
 * sticking and slipping, a law of two rows, and coordinates x of two systems. */
#ifndef SS_TESTS_RECORD_BALL_H
#define SS_TESTS_RECORD_BALL_H

#include "support/run.h"

#include <stickslip/record.h>

#include <unistd.h>

static const double BALL_STEP = 1e-3;

/* options may be NULL. */
static inline world ball_world_in(const ss_context_options *options)
{
    world w = world_create(options);
    assert_ok(&w, ss_register_builtin_schemes(w.context));
    assert_ok(&w, ss_register_builtin_simulations(w.context));
    assert_ok(&w, ss_model_define(w.model, "mu", 0.3));
    assert_ok(&w, ss_model_define(w.model, "weight", 2 * 9.81));
    add_system(&w, "ball", "point", "dim", "3", "mass", "2", "position", "0 0 0.3", "velocity",
               "0.4 -0.3 0");
    add_system(&w, "cart", "point", "dim", "1", "mass", "1", "velocity", "0.5");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81", "on", "ball");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 1");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.6");
    add_law(&w, "floor", "slip", "friction", "mu", "0.3");
    return w;
}

static inline world ball_world(void)
{
    return ball_world_in(NULL);
}

/* Seals it. */
static inline run ball_run(world *w, double end)
{
    return run_create(w, BALL_STEP, end, 0);
}

/* A folder of its own for each test, removed at the end with all that is in it. */
typedef struct folder {
    char path[256];
} folder;

static inline folder make_folder(void)
{
    folder f;
    snprintf(f.path, sizeof f.path, "%s/record-XXXXXX", SS_BINARY_DIR);
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline void remove_folder(const folder *f)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", f->path);
    assert_int_equal(system(command), 0);
}

typedef struct file_name {
    char path[512];
} file_name;

static inline file_name file_in(const folder *f, const char *name)
{
    file_name n;
    snprintf(n.path, sizeof n.path, "%s/%s", f->path, name);
    return n;
}

static inline bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Runs to the end, or until `steps` steps were made (negative: to the end), and closes the
 * record. */
typedef struct stopper {
    ss_recorder *recorder;
    long left; /* steps */
} stopper;

static inline ss_status stopper_observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    stopper *s = user;
    SS_TRY(ss_recorder_observe(s->recorder, simulation, step));
    if (step->report && s->left > 0)
        s->left--;
    return s->left == 0 ? SS_STOPPED : SS_OK;
}

static inline void record_steps(run *r, ss_recorder *recorder, long steps)
{
    stopper s = {recorder, steps};
    ss_status status = ss_simulation_run(r->simulation, stopper_observe, &s);
    assert_int_equal(status, s.left == 0 ? SS_STOPPED : SS_OK);
    assert_ok(r->w, ss_recorder_close(recorder));
}

/* Records a whole run of the ball. */
static inline void record_ball(const char *path, double end, int every)
{
    world w = ball_world();
    run r = ball_run(&w, end);
    ss_recorder_options options = ss_default_recorder();
    options.every = every;
    options.scene_name = "ball";
    ss_recorder *recorder;
    assert_ok(&w, ss_recorder_create(r.simulation, path, &options, &recorder));
    record_steps(&r, recorder, -1);
    run_destroy(&r);
}

static inline size_t column_of(ss_record *record, const char *name)
{
    size_t column = 0;
    if (!ss_record_find_column(record, name, &column))
        fail_msg("there is no column %s", name);
    return column;
}

#endif
