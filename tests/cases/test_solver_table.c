/* test_solver_table.c: all solvers on all laws: what is solved, what is refused and why. The table is
 * docs/tables-solvers.md. */
#include "support/test.h"
#include "table.h"

#include <stickslip/stickslip.h>

#include <stdio.h>
#include <string.h>

enum { MOST_SOLVERS = 32 };

static const reason reasons[] = {
    {'c', "a block is neither a half line",
     "it solves in friction cones: laws must be one-sided contacts, constraints, or friction that "
     "a contact presses."},
    {'f', "a scaled block is not",
     "friction must have one row, or two with equal bounds, and be pressed by a one-sided "
     "contact."},
    {'s', "a half line scales several blocks",
     "friction must stand right behind the law that presses it, and be the only one."},
    {'h', "half lines, intervals and plane disks only",
     "pivots know half lines, intervals and disks only."},
    {'p', "stick and slip in the plane", "states are known for planar friction only."},
    {'n', "its derivatives are known",
     "derivatives are known for half lines, intervals, disks and constraints only."},
    {'o', "scaled by one that is not a half line",
     "friction must be pressed by a one-sided contact."},
    {'v', "velocities that are refreshed",
     "forces that follow the velocities within a solution need a solver that sweeps."},
};
enum { N_REASONS = sizeof reasons / sizeof *reasons };

#define PLANE "systems: {mass: {type: point, dim: 2, mass: 1, velocity: [0.01, 0]}}\n"
#define SPACE "systems: {mass: {type: point, dim: 3, mass: 1, velocity: [0.01, 0, 0]}}\n"
#define BODY                                                                                  \
    "systems: {ball: {type: body, mass: 1, inertia: 0.004, position: [0, 0, 0.1], velocity: " \
    "[0.01, 0, 0, 0, 0, 1]}}\n"                                                               \
    "shapes: {ball: {type: sphere, on: ball, radius: 0.1}, floor: {type: plane}}\n"
#define WEIGHT_2 "forces: {weight: {type: gravity, acceleration: [1, -9.81]}}\n"
#define WEIGHT_3 "forces: {weight: {type: gravity, acceleration: [1, 0.5, -9.81]}}\n"

typedef struct law_case {
    const char *name, *text;
} law_case;

static const law_case cases[] = {
    {"`unilateral`", PLANE WEIGHT_2 "elements: {floor: {type: plane, system: mass, normal: [0, 1], "
                                    "laws: {gap: {type: unilateral}}}}\n"},
    {"`friction`, planar", PLANE WEIGHT_2 "elements: {floor: {type: plane, system: mass, normal: "
                                          "[0, 1], laws: {gap: {type: unilateral}, "
                                          "slip: {type: friction, mu: 0.3}}}}\n"},
    {"`friction`, disk", SPACE WEIGHT_3
     "elements: {floor: {type: plane, system: mass, normal: [0, 0, 1], laws: {gap: {type: "
     "unilateral}, slip: {type: friction, mu: 0.3}}}}\n"},
    {"`friction`, ellipse", SPACE WEIGHT_3
     "elements: {floor: {type: plane, system: mass, normal: [0, 0, 1], laws: {gap: {type: "
     "unilateral}, slip: {type: friction, mu: [0.3, 0.2]}}}}\n"},
    {"`friction`, ellipsoid (`slip_spin`)", BODY WEIGHT_3
     "elements: {contact: {type: contact, length: 0.1, laws: {gap: {type: unilateral}, slip_spin: "
     "{type: friction, mu: [0.3, 0.3, 0.1]}}}}\n"},
    {"`friction`, slip and spin", BODY WEIGHT_3
     "elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, "
     "mu: 0.3}, spin: {type: friction, mu: 0.01}}}}\n"},
    {"`friction`, constant bound", PLANE WEIGHT_2 "elements: {floor: {type: plane, system: mass, "
                                                  "normal: [0, 1], laws: {gap: {type: unilateral}, "
                                                  "slip: {type: friction, bound: 3}}}}\n"},
    {"`friction` on a constraint", PLANE WEIGHT_2
     "elements: {rail: {type: plane, system: mass, normal: [0, 1], laws: {gap: {type: bilateral}, "
     "slip: {type: friction, mu: 0.3}}}}\n"},
    {"`friction`, two contacts in the order N1 N2 T1 T2",
     "systems: {a: {type: point, dim: 2, mass: 1, velocity: [0.01, 0]}, b: {type: point, dim: 2, "
     "mass: 1, velocity: [0.01, 0]}}\n" WEIGHT_2 "elements:\n"
     "  first: {type: expression, gap: a.y, laws: {gap: {type: unilateral}}}\n"
     "  second: {type: expression, gap: b.y, laws: {gap: {type: unilateral}}}\n"
     "  first_slip: {type: expression, slip: a.x', laws: {slip: {type: friction, mu: 0.3, normal: "
     "first.gap}}}\n"
     "  second_slip: {type: expression, slip: b.x', laws: {slip: {type: friction, mu: 0.3, normal: "
     "second.gap}}}\n"},
    {"`bilateral`", PLANE WEIGHT_2 "elements: {rail: {type: plane, system: mass, normal: [0, 1], "
                                   "laws: {gap: {type: bilateral}}}}\n"},
    {"`stribeck`", PLANE WEIGHT_2 "elements: {floor: {type: plane, system: mass, normal: [0, 1], "
                                  "laws: {gap: {type: unilateral}, "
                                  "slip: {type: stribeck, bound: 3, delta: 1}}}}\n"},
    {"`characteristic`",
     PLANE WEIGHT_2 "elements: {floor: {type: plane, system: mass, normal: [0, 1], laws: {gap: "
                    "{type: unilateral}, "
                    "slip: {type: characteristic, mu: [0.4, 0.3], speed: [0, 0.1]}}}}\n"},
    {"`prestressed_spring`", PLANE WEIGHT_2 "elements: {spring: {type: expression, gap: y, laws: "
                                            "{gap: {type: prestressed_spring, preload: "
                                            "5, stiffness: 100, tolerance: 1e-4}}}}\n"},
    {"`stop`", PLANE WEIGHT_2 "elements: {guide: {type: expression, gap: y, laws: {gap: {type: "
                              "stop, lower: 0, upper: 1}}}}\n"},
    {"`motor`", PLANE WEIGHT_2
     "elements: {drive: {type: expression, slip: x', laws: {slip: {type: motor, speed: 1, limit: "
     "5}}}}\n"},
    {"`motor` without a limit", PLANE WEIGHT_2
     "elements: {drive: {type: expression, slip: x', laws: {slip: {type: motor, speed: 1}}}}\n"},
    {"`spring_damper`", PLANE WEIGHT_2
     "elements: {support: {type: expression, gap: y, laws: {gap: {type: spring_damper, stiffness: "
     "100, damping: 1}}}}\n"},
    {"`joint_friction`",
     "systems: {bar: {type: body, mass: 1, inertia: 0.1, position: [1, 0, 0]}}\n" WEIGHT_3
     "elements: {pin: {type: revolute, system: bar, at: [0, 0, 0], axis: [0, 1, 0], laws: {turn: "
     "{type: joint_friction, mu: 0.1, radius: 0.02}}}}\n"},
    {"any law, with `moreau: implicit`", PLANE "forces: {weight: {type: gravity, acceleration: [1, "
                                               "-9.81]}, air: {type: damper, system: mass, "
                                               "to_point: [0, 5], damping: 0.1}}\n"
                                               "scheme: {type: moreau, implicit: true}\n"
                                               "elements: {floor: {type: plane, system: mass, "
                                               "normal: [0, 1], laws: {gap: {type: unilateral}, "
                                               "slip: {type: friction, mu: 0.3}}}}\n"},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* '+' runs, the mark of a reason, '-' does not converge. */
static char try_solver(ss_context *context, const law_case *law, const char *solver)
{
    char text[4096], type[128], what[512];
    const char *setting = type;
    ss_scene_options options = {.settings = &setting, .n_settings = 1};
    ss_scene *scene;
    snprintf(text, sizeof text, "%ssimulation: {type: constant, step: 1e-3, end: 0.02}\n",
             law->text);
    snprintf(type, sizeof type, "solver.type=%s", solver);
    snprintf(what, sizeof what, "%s with %s", law->name, solver);
    ss_status status = ss_scene_parse(context, "law.yaml", text, strlen(text), &options, &scene);
    if (status == SS_UNSUPPORTED)
        return mark_of(N_REASONS, reasons, what, ss_context_message(context));
    if (status != SS_OK)
        fail_msg("%s: %s", what, ss_context_message(context));
    status = ss_simulation_run(ss_scene_simulation(scene), NULL, NULL);
    if (status == SS_UNSUPPORTED || status == SS_INPUT)
        fail_msg("%s is refused in mid-run: %s", what, ss_context_message(context));
    ss_scene_destroy(scene);
    return status == SS_OK ? '+' : '-';
}

static void add_solvers(page *p, ss_context *context, int n)
{
    add(p, "# Solvers and laws\n\n"
           "Every solver with its default options on every law, twenty steps of a small model. A "
           "test makes this table.\n\n"
           "* `+`: solved\n"
           "* `-`: does not converge\n");
    add_reasons(p, N_REASONS, reasons);
    add(p, "\nLetters are refusals before the first step. [Solvers](solvers.md) says what each "
           "does.\n\nThe columns are\n\n");
    for (int k = 0; k < n; k++)
        add(p, "%d. `%s`\n", k + 1, ss_type_at(context, SS_TYPE_SOLVER, (size_t)k)->name);
    add(p, "\n");
    add_head(p, "law", n);
}

static void solvers_take_laws_or_refuse_them(void **state)
{
    static page p;
    (void)state;
    ss_context *context;
    int n = 0;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    while (ss_type_at(context, SS_TYPE_SOLVER, (size_t)n))
        n++;
    assert_in_range(n, 16, MOST_SOLVERS);
    add_solvers(&p, context, n);
    for (int i = 0; i < N_CASES; i++) {
        char marks[MOST_SOLVERS];
        for (int k = 0; k < n; k++)
            marks[k] = try_solver(context, &cases[i],
                                  ss_type_at(context, SS_TYPE_SOLVER, (size_t)k)->name);
        add_row(&p, cases[i].name, n, marks);
    }
    ss_context_destroy(context);
    compare_page(&p, "tables-solvers.md");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_take_laws_or_refuse_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
