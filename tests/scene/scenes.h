/* scenes.h: loading scenes in tests. */
#ifndef SS_TESTS_SCENE_SCENES_H
#define SS_TESTS_SCENE_SCENES_H

#include "support/test.h"

#include <stickslip/stickslip.h>

#include <stdio.h>
#include <string.h>

static inline ss_context *make_context(void)
{
    ss_context *context;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    return context;
}

static inline void check_ok(const ss_context *context, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s: %s", ss_status_name(status), ss_context_message(context));
}

/* A path is relative to the source tree. */
static inline ss_scene *load(ss_context *context, const char *path, const ss_scene_options *options)
{
    char file[1024];
    snprintf(file, sizeof file, "%s/%s", SS_SOURCE_DIR, path);
    ss_scene *scene;
    check_ok(context, ss_scene_load(context, file, options, &scene));
    return scene;
}

static inline ss_scene *parse(ss_context *context, const char *text,
                              const ss_scene_options *options)
{
    ss_scene *scene;
    check_ok(context, ss_scene_parse(context, "test.yaml", text, strlen(text), options, &scene));
    return scene;
}

/* Up to `steps` steps, or to the end. */
static inline void advance(ss_scene *scene, int steps)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    const ss_context *context = ss_model_context(ss_scene_model(scene));
    ss_step step;
    for (int i = 0; i < steps && !ss_simulation_done(simulation); i++)
        check_ok(context, ss_simulation_advance(simulation, &step));
}

static inline const double *positions(ss_scene *scene)
{
    return ss_state_edit_q(ss_simulation_state(ss_scene_simulation(scene)));
}

static inline const double *velocities(ss_scene *scene)
{
    return ss_state_edit_u(ss_simulation_state(ss_scene_simulation(scene)));
}

#endif
