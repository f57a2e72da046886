/* fuzz_scene.c: any text as a scene. What is accepted must run a few steps, and its merged text
 * must stand for it. */
#include <stickslip/stickslip.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 20000, MOST_COORDINATES = 50, STEPS = 2 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

/* Steps may fail (a fuzzed model rarely makes sense), but must return. */
static void run(ss_scene *scene)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_step step;
    if (ss_model_sizes(ss_scene_model(scene)).n_u > MOST_COORDINATES)
        return;
    for (int i = 0; i < STEPS && !ss_simulation_done(simulation); i++)
        if (ss_simulation_advance(simulation, &step) != SS_OK)
            return;
}

/* The merged text is accepted, and is its own merged text. */
static void read_again(ss_context *context, const ss_scene *scene)
{
    ss_scene_options options = {.self_contained = true};
    ss_scene *again;
    const char *text = ss_scene_text(scene);
    ss_status status = ss_scene_parse(context, "again.yaml", text, strlen(text), &options, &again);
    must(status == SS_OK);
    must(strcmp(ss_scene_text(again), text) == 0);
    ss_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Whatever the text says, a solve ends soon. */
    const char *settings[] = {"solver.max_iterations=20", "solver.min_iterations=1"};
    ss_scene_options options = {.n_settings = 2, .settings = settings, .self_contained = true};
    ss_context *context;
    ss_scene *scene;
    if (size > LONGEST || ss_context_create(NULL, &context) != SS_OK)
        return 0;
    ss_status status =
        ss_scene_parse(context, "fuzz.yaml", (const char *)data, size, &options, &scene);
    must((status == SS_OK) == (scene != NULL));
    if (scene) {
        read_again(context, scene);
        run(scene);
    } else {
        must(ss_context_message(context)[0] != '\0');
    }
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return 0;
}
