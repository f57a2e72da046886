/* scenes.c: how long a step of a scene takes. Runs the scenes given, or the woodpecker, without recording, and fails
 * when the woodpecker (0.5 s with steps of 1e-5 s) takes a second or more.
 */
#include <stickslip/stickslip.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print(ss_scene *scene, double loading, double running)
{
    const ss_state *state = ss_simulation_state(ss_scene_simulation(scene));
    const ss_statistics *sums = ss_state_statistics(state);
    double steps = (double)sums->steps;
    printf("%-24s loaded in %7.2f ms  %9.0f steps in %7.3f s  %8.3f us a step  %5.2f iterations\n",
           ss_scene_name(scene), 1e3 * loading, steps, running, 1e6 * running / steps,
           (double)sums->iterations / steps);
}

/* Seconds that the run took, or -1. */
static double measure(ss_context *context, const char *path)
{
    ss_scene *scene;
    double begin = seconds();
    if (ss_scene_load(context, path, NULL, &scene) != SS_OK)
        return -1;
    double loaded = seconds();
    double running = -1;
    if (ss_simulation_run(ss_scene_simulation(scene), NULL, NULL) == SS_OK) {
        running = seconds() - loaded;
        print(scene, loaded - begin, running);
    }
    ss_scene_destroy(scene);
    return running;
}

int main(int argc, char **argv)
{
    char *const woodpecker[] = {"scenes/woodpecker.yaml"};
    int count = argc > 1 ? argc - 1 : 1;
    char *const *paths = argc > 1 ? argv + 1 : woodpecker;
    ss_context *context;
    if (ss_context_create(NULL, &context) != SS_OK)
        return 2;
    bool good = true;
    for (int i = 0; i < count; i++) {
        double running = measure(context, paths[i]);
        if (running < 0)
            fprintf(stderr, "%s: %s\n", paths[i], ss_context_message(context));
        good = good && running >= 0;
        if (strstr(paths[i], "woodpecker") && running >= 1.0)
            good = false;
    }
    ss_context_destroy(context);
    return good ? 0 : 1;
}
