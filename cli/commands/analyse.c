/* analyse.c: stickslip analyse. */
#include "commands/load.h"
#include "commands/report.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"at", 0, "T", NULL, "time in s to which the scene is run first (0)"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene, as `run` does"},
    {"json", 0, NULL, NULL, "one JSON object instead of text"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

static const char *mode_word(const ss_model *model, const ss_active_set *set, int i)
{
    return ss_model_law(model, set->laws[i]).words[set->modes[i] == SS_MODE_CONSTRAINT ? 0 : 1];
}

static void print_laws(const ss_model *model, const ss_active_set *set)
{
    int row = 0;
    if (set->n_laws == 0)
        ss_cli_print_line("laws", "none is active");
    for (int i = 0; i < set->n_laws; i++) {
        ss_law_info law = ss_model_law(model, set->laws[i]);
        printf("  %-10s %-14s %-7s force", i ? "" : "laws", law.name, mode_word(model, set, i));
        for (int k = 0; k < law.dim; k++)
            printf(" %.6g", set->P[row++] / set->dt);
        printf(" %s\n", law.dim == 1 ? "N or N m" : "N");
    }
}

/* "leg1.gap 0.5, leg2.gap -0.5" of one direction of the null space. */
static void print_direction(const ss_model *model, const ss_active_set *set, int k)
{
    const double *direction = set->null + (size_t)k * (size_t)set->n_rows;
    const char *separator = "";
    int row = 0;
    printf("  %-10s ", k ? "" : "null space");
    for (int i = 0; i < set->n_laws; i++) {
        ss_law_info law = ss_model_law(model, set->laws[i]);
        for (int c = 0; c < law.dim; c++, row++) {
            char part[16] = "";
            if (fabs(direction[row]) < 1e-9)
                continue;
            if (law.dim > 1)
                snprintf(part, sizeof part, ".%d", c + 1);
            printf("%s%s%s %.4g", separator, law.name, part, direction[row]);
            separator = ", ";
        }
    }
    putchar('\n');
}

static void print_forces(const ss_model *model, const ss_active_set *set)
{
    const ss_determinacy *d = &set->determinacy;
    if (!set->examined) {
        ss_cli_print_line("forces", "not examined: %d rows are too many", set->n_rows);
        return;
    }
    ss_cli_print_line("forces", "%d rows held, rank %d, null space of dimension %d, condition %.3g",
                      d->held, d->rank, d->nullity, d->condition);
    for (int k = 0; k < d->nullity; k++)
        print_direction(model, set, k);
    ss_cli_print_line("", "forces %s; motion %s%s", d->forces_unique ? "unique" : "NOT unique",
                      !d->motion_unique    ? "NOT unique: it depends on the choice"
                      : d->forces_unique   ? "unique"
                      : set->limits_unique ? "unique"
                                           : "of this step unique;",
                      d->motion_unique && !set->limits_unique
                          ? " what slips or opens next depends on the choice"
                          : "");
    if (set->rank == set->n_rows)
        ss_cli_print_line("", "G is regular: the γ-equations exist");
    else
        ss_cli_print_line("", "G has rank %d of %d: the γ-equations do not exist", set->rank,
                          set->n_rows);
}

static void print_impacts(const ss_active_set *set)
{
    if (set->impact_rows == 0)
        return;
    const char *verdict = set->impact_monotone      ? "monotone, never add energy"
                          : set->impact_dissipative ? "never add energy, friction included"
                          : set->impact_most >= 0   ? "may add energy or not"
                          : set->impact_friction    ? "may add energy, with friction"
                                                    : "NOT monotone, may add energy";
    if (set->impact_unexamined)
        ss_cli_print_line("impacts", "not examined: %s", set->impact_unexamined);
    else if (set->impact_least == set->impact_most)
        ss_cli_print_line("impacts", "%s: least eigenvalue of sym(ΔG) %.4g 1/kg", verdict,
                          set->impact_least);
    else
        ss_cli_print_line("impacts", "%s: least eigenvalue of sym(ΔG) from %.4g to %.4g 1/kg",
                          verdict, set->impact_least, set->impact_most);
    if (isfinite(set->impact_ratio))
        ss_cli_print_line("", "two motions grow apart by at most %.6g", set->impact_ratio);
}

static void print_painleve(const ss_active_set *set)
{
    if (set->closed == 0)
        return;
    ss_cli_print_line("closed", "%d contact%s, %d friction%s sliding", set->closed,
                      set->closed == 1 ? "" : "s", set->sliding, set->sliding == 1 ? "" : "s");
    if (!set->consistent)
        ss_cli_print_line("", "friction is strong enough for Painlevé's paradox");
    else if (set->regular)
        ss_cli_print_line("", "forces and accelerations exist for every load");
    else
        ss_cli_print_line("", "no paradox found; the contacts depend on each other, or are many");
    if (set->solutions == 0)
        ss_cli_print_line("", "here: NO solution, a jam that only an impact resolves");
    else if (set->solutions > 1)
        ss_cli_print_line("", "here: %d solutions, the motion is NOT determined", set->solutions);
    else if (set->solutions == 1)
        ss_cli_print_line("", "here: one solution");
}

static void write_laws(const ss_model *model, const ss_active_set *set, ss_cli_json *json)
{
    int row = 0;
    ss_cli_json_open(json, "laws", '[');
    for (int i = 0; i < set->n_laws; i++) {
        ss_law_info law = ss_model_law(model, set->laws[i]);
        ss_cli_json_open(json, NULL, '{');
        ss_cli_json_text(json, "name", law.name);
        ss_cli_json_text(json, "mode", mode_word(model, set, i));
        ss_cli_json_open(json, "impulse", '[');
        for (int k = 0; k < law.dim; k++)
            ss_cli_json_number(json, NULL, set->P[row++]);
        ss_cli_json_close(json, ']');
        ss_cli_json_close(json, '}');
    }
    ss_cli_json_close(json, ']');
}

static void write_null_space(const ss_active_set *set, ss_cli_json *json)
{
    ss_cli_json_open(json, "null_space", '[');
    for (int k = 0; k < set->determinacy.nullity; k++) {
        ss_cli_json_open(json, NULL, '[');
        for (int i = 0; i < set->n_rows; i++)
            ss_cli_json_number(json, NULL, set->null[(size_t)k * (size_t)set->n_rows + (size_t)i]);
        ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
}

static void write_determinacy(const ss_active_set *set, ss_cli_json *json)
{
    const ss_determinacy *d = &set->determinacy;
    ss_cli_json_number(json, "held", d->held);
    ss_cli_json_number(json, "rank", d->rank);
    ss_cli_json_number(json, "nullity", d->nullity);
    ss_cli_json_number(json, "condition", d->condition);
    write_null_space(set, json);
    ss_cli_json_bool(json, "forces_unique", d->forces_unique);
    ss_cli_json_bool(json, "motion_unique", d->motion_unique);
    ss_cli_json_bool(json, "limits_unique", set->limits_unique);
    ss_cli_json_number(json, "rank_G", set->rank);
    ss_cli_json_bool(json, "gamma_equations", set->rank == set->n_rows);
}

static void write_impacts(const ss_active_set *set, ss_cli_json *json)
{
    ss_cli_json_number(json, "impact_rows", set->impact_rows);
    ss_cli_json_bool(json, "impact_friction", set->impact_friction);
    ss_cli_json_bool(json, "impact_examined", !set->impact_unexamined);
    if (!set->impact_unexamined) {
        ss_cli_json_bool(json, "impact_dissipative", set->impact_dissipative);
        ss_cli_json_bool(json, "impact_monotone", set->impact_monotone);
    }
    ss_cli_json_number(json, "impact_least_eigenvalue", set->impact_least);
    ss_cli_json_number(json, "impact_most_eigenvalue", set->impact_most);
    ss_cli_json_number(json, "impact_expansion", set->impact_ratio);
}

static void write_json(const ss_scene *scene, const ss_active_set *set)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "scene", ss_scene_name(scene));
    ss_cli_json_number(&json, "t", set->t);
    ss_cli_json_number(&json, "dt", set->dt);
    write_laws(ss_scene_model(scene), set, &json);
    ss_cli_json_number(&json, "rows", set->n_rows);
    ss_cli_json_bool(&json, "examined", set->examined);
    if (set->examined)
        write_determinacy(set, &json);
    write_impacts(set, &json);
    ss_cli_json_number(&json, "closed", set->closed);
    ss_cli_json_number(&json, "sliding", set->sliding);
    ss_cli_json_bool(&json, "consistent", set->consistent);
    ss_cli_json_bool(&json, "regular", set->regular);
    ss_cli_json_number(&json, "solutions", set->solutions);
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

static void print_text(const ss_scene *scene, const ss_active_set *set)
{
    printf("%s at t = %.9g s, for a step of %.3g s\n", ss_scene_name(scene), set->t, set->dt);
    print_laws(ss_scene_model(scene), set);
    if (set->n_laws == 0)
        return;
    print_forces(ss_scene_model(scene), set);
    print_impacts(set);
    print_painleve(set);
}

static int analyse(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene *scene,
                   bool run_first)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_active_set *set;
    ss_status status = run_first ? ss_simulation_run(simulation, NULL, NULL) : SS_OK;
    if (status == SS_OK)
        status = ss_simulation_analyse(simulation, &set);
    if (status != SS_OK) {
        ss_cli_print_failure(session);
        return SS_CLI_FAILED;
    }
    if (ss_cli_has(arguments, "json"))
        write_json(scene, set);
    else
        print_text(scene, set);
    ss_active_set_destroy(set);
    return SS_CLI_DONE;
}

/* The value of --at; false: a message was printed. */
static bool read_time(const ss_cli_arguments *arguments, double *t)
{
    const char *text = ss_cli_value(arguments, "at");
    char *end = NULL;
    *t = text ? strtod(text, &end) : 0;
    if (!text || (end != text && *end == '\0' && *t >= 0 && isfinite(*t)))
        return true;
    ss_cli_error("--at is '%s'; it must be a time >= 0", text);
    return false;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_scene *scene;
    double t;
    int code = SS_CLI_BAD_INPUT;
    if (!ss_cli_count(&ss_cli_analyse, arguments, 1, -1) || !read_time(arguments, &t) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    char end[64];
    snprintf(end, sizeof end, "simulation.end=%.17g", t);
    const char *const after[] = {end};
    ss_cli_changes changes = {.n_after = t > 0, .after = after};
    if (ss_cli_load_changed(&session, arguments, &changes, &scene) == SS_OK) {
        code = analyse(&session, arguments, scene, t > 0);
        ss_scene_destroy(scene);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_analyse = {
    .name = "analyse",
    .operands = "SCENE [name=value …] [--at T] [--json]",
    .choices = "*.yaml",
    .summary = "say what the contacts of a scene leave open: rank, uniqueness, paradoxes",
    .details =
        "Runs a scene to the time T without recording it and looks at the laws that are active "
        "there:\n"
        "\n"
        "  laws        with their modes and forces in a step from there\n"
        "  forces      rank and null space of the rows that are held; whether forces and motion "
        "are unique;\n"
        "              whether G is regular, so that the equations in the velocities exist\n"
        "  impacts     whether the restitution coefficients make a monotone impact law, by the "
        "least\n"
        "              eigenvalue of the symmetric part of ΔG, Δ = (1 - ε)/(1 + ε), and how much "
        "farther\n"
        "              apart an impact can bring two motions (1: not at all)\n"
        "  closed      contacts that stay closed: whether forces and accelerations exist and are "
        "unique\n"
        "              (Painlevé's paradox: strong friction in a contact that slides)\n"
        "\n"
        "Exit status: 0 analysed, 1 the run failed, 2 bad input.",
    .examples = "  stickslip analyse table.yaml --at 5\n"
                "  stickslip analyse painleve.yaml theta=1.2 mu=1.8 --json\n",
    .options = options,
    .run = run,
};
