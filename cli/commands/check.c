/* check.c: stickslip check. */
#include "commands/load.h"
#include "commands/report.h"

#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene, as `run` does"},
    {"text", 0, NULL, NULL, "print the scene with includes, parameters and settings merged in"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

static void print_parameters(const ss_model *model)
{
    const ss_scope *scope = ss_model_scope(model);
    size_t count = ss_scope_count(scope);
    for (size_t i = 0; i < count; i++)
        ss_cli_print_line(i ? "" : "parameters", "%-12s = %.9g", ss_scope_name(scope, i),
                          ss_scope_value(scope, i));
}

enum { MOST_LINES = 40 };

/* Whether line i of `count` is printed; the first one that is not says how many are left out. */
static bool fits(int i, int count)
{
    if (i == MOST_LINES)
        ss_cli_print_line("", "… and %d more", count - i);
    return i < MOST_LINES;
}

static void print_systems(const ss_model *model)
{
    int count = ss_model_sizes(model).n_systems;
    for (int i = 0; i < count && fits(i, count); i++) {
        ss_system_info s = ss_model_system(model, i);
        printf("  %-10s %-12s (%s)", i ? "" : "systems", s.name, s.type);
        for (int k = 0; k < s.nq; k++) {
            ss_name name = ss_model_q_name(model, s.q_offset + k);
            printf("%s%s", k ? ", " : "  ", strrchr(name.text, '.') + 1);
        }
        putchar('\n');
    }
}

static void print_shapes(const ss_model *model)
{
    int count = ss_model_sizes(model).n_shapes;
    ss_cli_kinds kinds = {0};
    for (int i = 0; i < count; i++)
        ss_cli_kinds_add(&kinds, ss_model_shape(model, i).shape->ops->type.name);
    ss_cli_kinds_print(&kinds, "shapes");
    for (int i = 0; i < count && fits(i, count); i++) {
        ss_shape_info s = ss_model_shape(model, i);
        ss_cli_print_line("", "%-12s (%s)  on %s%s%s", s.name, s.shape->ops->type.name,
                          s.system < 0 ? "the fixed world" : ss_model_system(model, s.system).name,
                          s.material[0] ? ", of " : "", s.material);
    }
}

static void print_elements(const ss_model *model)
{
    ss_model_size size = ss_model_sizes(model);
    for (int i = 0; i < size.n_elements && fits(i, size.n_elements); i++) {
        ss_object_info e = ss_model_element(model, i);
        ss_cli_print_line(i ? "" : "elements", "%-12s (%s)", e.name, e.type);
    }
    if (size.contact_capacity > 0)
        ss_cli_print_line("contacts", "at most %d at a time", size.contact_capacity);
}

static void print_laws(const ss_model *model)
{
    int count = ss_model_sizes(model).n_laws;
    for (int i = 0; i < count && fits(i, count); i++) {
        ss_law_info law = ss_model_law(model, i);
        ss_cli_print_line(i ? "" : "laws", "%-12s (%s)  %d %s row%s, %s or %s", law.name, law.type,
                          law.dim, law.kind == SS_GEOMETRIC ? "geometric" : "kinematic",
                          law.dim == 1 ? "" : "s", law.words[0], law.words[1]);
    }
}

static void print_signals(const ss_model *model)
{
    ss_model_size size = ss_model_sizes(model);
    for (int i = 0; i < size.n_inputs && fits(i, size.n_inputs); i++) {
        ss_input_info input = ss_model_input(model, i);
        ss_cli_print_line(i ? "" : "inputs", "%-12s = %.9g %s, %.9g … %.9g%s%s", input.name,
                          input.value, input.unit, input.min, input.max,
                          input.controller ? ", set by " : "",
                          input.controller ? input.controller : "");
    }
    for (int i = 0; i < size.n_outputs && fits(i, size.n_outputs); i++) {
        ss_output_info output = ss_model_output(model, i);
        ss_cli_print_line(i ? "" : "outputs", "%-12s %s", output.name, output.unit);
    }
    for (int i = 0; i < size.n_controllers && fits(i, size.n_controllers); i++) {
        ss_object_info c = ss_model_controller(model, i);
        ss_cli_print_line(i ? "" : "controllers", "%-12s (%s)", c.name, c.type);
    }
}

static void print_forces(const ss_model *model)
{
    int count = ss_model_sizes(model).n_forces;
    for (int i = 0; i < count && fits(i, count); i++) {
        ss_object_info f = ss_model_force(model, i);
        ss_cli_print_line(i ? "" : "forces", "%-12s (%s)", f.name, f.type);
    }
}

static void print_plots(const ss_scene *scene)
{
    int count = ss_scene_plot_count(scene);
    for (int i = 0; i < count; i++) {
        ss_plot plot = ss_scene_plot(scene, i);
        printf("  %-10s %-12s ", i ? "" : "plots", plot.name);
        for (int k = 0; k < plot.n_y; k++)
            printf("%s%s", k ? ", " : "", plot.y[k]);
        printf(" over %s%s\n", plot.x, plot.modes ? ", with modes" : "");
    }
}

static void print_scene(ss_scene *scene)
{
    const ss_model *model = ss_scene_model(scene);
    ss_model_size size = ss_model_sizes(model);
    const char *description = ss_scene_description(scene);
    printf("%s%s%s\n", ss_scene_name(scene), description[0] ? ": " : "", description);
    ss_cli_print_line("sizes", "%d positions, %d velocities, %d rows of laws", size.n_q, size.n_u,
                      size.n_rows);
    ss_cli_print_line("", "%d systems, %d shapes, %d elements, %d laws, %d forces", size.n_systems,
                      size.n_shapes, size.n_elements, size.n_laws, size.n_forces);
    ss_cli_print_line("runs", "to t = %.9g s",
                      ss_simulation_settings(ss_scene_simulation(scene))->end);
    print_parameters(model);
    print_systems(model);
    print_shapes(model);
    print_elements(model);
    print_laws(model);
    print_forces(model);
    print_signals(model);
    print_plots(scene);
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_scene *scene;
    if (!ss_cli_count(&ss_cli_check, arguments, 1, -1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    bool loaded = ss_cli_load(&session, arguments, &scene);
    if (loaded) {
        if (ss_cli_has(arguments, "text"))
            fputs(ss_scene_text(scene), stdout);
        else
            print_scene(scene);
        ss_scene_destroy(scene);
    }
    ss_cli_session_end(&session);
    return loaded ? SS_CLI_DONE : SS_CLI_BAD_INPUT;
}

const ss_cli_command ss_cli_check = {
    .name = "check",
    .operands = "SCENE [name=value …] [options]",
    .choices = "*.yaml",
    .summary = "load a scene and say what is in it, without running it",
    .details =
        "Loads a scene file as `run` does, with everything that can be checked before the first "
        "step,\n"
        "and prints its parameters, systems, shapes, elements, laws, forces, inputs, outputs, "
        "controllers and plots. Errors name "
        "file, line and column.\n"
        "\n"
        "Exit status: 0 the scene is fine, 2 it is not.",
    .examples = "  stickslip check woodpecker.yaml\n"
                "  stickslip check woodpecker.yaml mu=0.25 --text > merged.yaml\n",
    .options = options,
    .run = run,
};
