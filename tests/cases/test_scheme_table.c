/* test_scheme_table.c: all schemes on all scenes, steps of constant size: what runs, what is refused and why. The table is
 * docs/tables-schemes.md. */
#include "support/test.h"
#include "table.h"

#include <stickslip/stickslip.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 80, MOST_SCHEMES = 32 };

static const reason reasons[] = {
    {'r', "treats inelastic impacts only",
     "a law that can open has restitution. The scheme puts gaps in the place of ε γ_B, or leaves "
     "it out: its impacts are inelastic."},
    {'m', "matrix of restitution",
     "an element has a matrix of restitution. Poisson's impact law, and restitution on positions, "
     "take one coefficient for each law."},
    {'d', "the mean velocity",
     "a law takes its drift out by g/Δt. With laws on the mean velocity the drift would grow by "
     "1 + √2 in every step."},
    {'e', "a restitution is an expression",
     "a restitution depends on how it is hit. Restitution on positions has no velocity before an "
     "impact."},
};
enum { N_REASONS = sizeof reasons / sizeof *reasons };

/* Large scenes with fewer bodies. */
static const char *parameter_of(const char *scene)
{
    static const char *const variants[][2] = {
        {"heap", "n=3"}, {"mixer", "n=2"}, {"funnel", "n=2"}, {"elevator", "n=8"}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i][0], scene) == 0)
            return variants[i][1];
    return NULL;
}

/* Scenes whose own steps are not constant take those of this size. */
static bool chooses_steps(const char *scene)
{
    static const char *const names[] = {
        "changing_laws", "directed_friction",  "disk_patch", "friction_characteristic",
        "knife_edge",    "oblique_oscillator", "scotch_yoke"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], scene) == 0)
            return true;
    return strstr(scene, "_augmented") != NULL;
}

static ss_status advance(ss_simulation *simulation)
{
    ss_step step;
    for (int i = 0; i < STEPS && !ss_simulation_done(simulation); i++)
        SS_TRY(ss_simulation_advance(simulation, &step));
    return SS_OK;
}

/* '+' runs, the mark of a reason, '-' stops in a step. */
static char try_scheme(ss_context *context, const char *scene, const char *scheme)
{
    char path[1024], type[128], what[512];
    const char *settings[3] = {type, "simulation.type=constant", "simulation.step=1e-4"};
    const char *parameter = parameter_of(scene);
    ss_scene_options options = {.settings = settings,
                                .n_settings = chooses_steps(scene) ? 3 : 1,
                                .parameters = &parameter,
                                .n_parameters = parameter != NULL};
    ss_scene *loaded;
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", SS_SOURCE_DIR, scene);
    snprintf(type, sizeof type, "scheme.type=%s", scheme);
    snprintf(what, sizeof what, "%s with %s", scene, scheme);
    ss_status status = ss_scene_load(context, path, &options, &loaded);
    if (status == SS_UNSUPPORTED)
        return mark_of(N_REASONS, reasons, what, ss_context_message(context));
    if (status != SS_OK)
        fail_msg("%s: %s", what, ss_context_message(context));
    status = advance(ss_scene_simulation(loaded));
    if (status == SS_UNSUPPORTED || status == SS_INPUT)
        fail_msg("%s is refused in mid-run: %s", what, ss_context_message(context));
    ss_scene_destroy(loaded);
    return status == SS_OK ? '+' : '-';
}

static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static void add_schemes(page *p, ss_context *context, int n)
{
    add(p,
        "# Schemes and scenes\n\n"
        "Every scheme on every scene of `scenes/`, with %d steps of constant size (large scenes "
        "have fewer bodies). A test makes this table.\n\n"
        "* `+`: runs\n"
        "* `-`: stops in a step: explicit schemes on stiff systems, and solves that do not "
        "converge\n",
        STEPS);
    add_reasons(p, N_REASONS, reasons);
    add(p, "\nLetters are refusals before the first step. [Schemes](schemes.md) has the theory.\n"
           "\nThe columns are\n\n");
    for (int k = 0; k < n; k++)
        add(p, "%d. `%s`\n", k + 1, ss_type_at(context, SS_TYPE_SCHEME, (size_t)k)->name);
    add(p, "\n");
    add_head(p, "scene", n);
}

static void schemes_run_what_their_mathematics_allows(void **state)
{
    static page p;
    (void)state;
    ss_context *context;
    struct dirent **scenes;
    int n_schemes = 0, n = scandir(SS_SOURCE_DIR "/scenes", &scenes, is_scene, alphasort);
    assert_true(n > 40);
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    while (ss_type_at(context, SS_TYPE_SCHEME, (size_t)n_schemes))
        n_schemes++;
    assert_in_range(n_schemes, 18, MOST_SCHEMES);
    add_schemes(&p, context, n_schemes);
    for (int i = 0; i < n; i++) {
        char name[256], marks[MOST_SCHEMES];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(scenes[i]->d_name) - strlen(".yaml")),
                 scenes[i]->d_name);
        for (int k = 0; k < n_schemes; k++)
            marks[k] =
                try_scheme(context, name, ss_type_at(context, SS_TYPE_SCHEME, (size_t)k)->name);
        add_row(&p, name, n_schemes, marks);
        free(scenes[i]);
    }
    free(scenes);
    ss_context_destroy(context);
    compare_page(&p, "tables-schemes.md");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_run_what_their_mathematics_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
