/* fuzz_checkpoint.c: a saved state that was changed. The first byte chooses the run, every six bytes after it a place and
 * a value. What is restored must go on for some steps, or fail with a message. */
#include <stickslip/stickslip.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, BEFORE = 30, AFTER = 3, EDIT = 6 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

/* A run that has made some steps, and its state there. */
typedef struct begun {
    ss_context *context;
    ss_scene *scene;
    void *saved, *changed;
    size_t bytes;
} begun;

static const struct {
    const char *scene, *setting;
} choices[RUNS] = {
    {"woodpecker.yaml", "solver.max_iterations=50"},
    {"woodpecker_augmented.yaml", "solver.max_iterations=50"},
    {"woodpecker.yaml", "simulation={type: event_driven, output: 1e-3, end: 1}"},
    {"stack.yaml", "simulation.end=1"},
    {"three_balls.yaml", "solver.max_iterations=20"},
};

static void begin(begun *b, int choice)
{
    char path[1024];
    ss_step step;
    must(ss_context_create(NULL, &b->context) == SS_OK);
    ss_scene_options options = {.n_settings = 1, .settings = &choices[choice].setting};
    snprintf(path, sizeof path, SS_SOURCE_DIR "/scenes/%s", choices[choice].scene);
    ss_status status = ss_scene_load(b->context, path, &options, &b->scene);
    if (status != SS_OK)
        fputs(ss_context_message(b->context), stderr);
    must(status == SS_OK);
    ss_simulation *simulation = ss_scene_simulation(b->scene);
    for (int i = 0; i < BEFORE; i++)
        must(ss_simulation_advance(simulation, &step) == SS_OK);
    b->bytes = ss_state_bytes(ss_simulation_state(simulation));
    b->saved = malloc(b->bytes);
    b->changed = malloc(b->bytes);
    must(b->saved && b->changed);
    memcpy(b->saved, ss_simulation_state(simulation), b->bytes);
}

/* One byte says which kind of value, two its place, two what; one whether it is a whole word. */
static void edit(begun *b, const uint8_t *bytes)
{
    static const double reals[] = {0, -1, 1e300, -1e300, 1e-300, 1e9, 0.5, 3};
    size_t words = b->bytes / 4;
    size_t place = ((size_t)bytes[1] << 8 | bytes[2]) * 4 % (words * 4);
    uint32_t integer = (uint32_t)bytes[3] << 8 | bytes[4];
    uint64_t value = bytes[0] % 3 == 0 ? integer : (uint64_t) - (int64_t)integer;
    if (bytes[0] % 3 == 2) {
        double real = reals[bytes[3] % 8];
        memcpy(&value, &real, sizeof real);
        place &= ~(size_t)7;
    }
    size_t width = bytes[0] % 3 == 2 || bytes[5] % 2 ? 8 : 4;
    memcpy((char *)b->changed + place, &value, place + width <= b->bytes ? width : 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static begun all[RUNS];
    if (size < 1 + EDIT || size > 1 + 32 * EDIT)
        return 0;
    begun *b = &all[data[0] % RUNS];
    if (!b->scene)
        begin(b, data[0] % RUNS);
    memcpy(b->changed, b->saved, b->bytes);
    for (size_t i = 1; i + EDIT <= size; i += EDIT)
        edit(b, data + i);
    ss_simulation *simulation = ss_scene_simulation(b->scene);
    ss_status status = ss_state_restore(ss_scene_model(b->scene), b->bytes, b->changed,
                                        ss_simulation_state(simulation));
    ss_step step;
    for (int i = 0; i < AFTER && status == SS_OK && !ss_simulation_done(simulation); i++)
        status = ss_simulation_advance(simulation, &step);
    must(status == SS_OK || ss_context_message(b->context)[0] != '\0');
    return 0;
}
