/* solve.c: stickslip solve. */
#include "commands/attempt.h"
#include "commands/paths.h"
#include "commands/report.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

static const ss_cli_option options[] = {
    {"solver", 0, "NAME", "@solver", "which solver (auto); `stickslip list solvers` names them"},
    {"tol", 0, "TOL", NULL, "tolerance of the relative residual (1e-8)"},
    {"max-iter", 0, "N", NULL, "iterations after which it is given up (the solver's default)"},
    {"set", 's', "KEY=VALUE", NULL, "any other option of the solver: --set relaxation=1.2"},
    {"all", 'a', NULL, NULL, "every solver that there is, in a table"},
    {"symmetrize", 0, NULL, NULL, "solve with (W + Wᵀ)/2 instead of W as it is given"},
    {"json", 0, NULL, NULL, "one JSON object instead of text"},
    {"output", 'o', "FILE", "*", "write the solution P, one number a line (--all: the best one)"},
    {NULL},
};

enum { SS_CLI_LISTED = 6 };

typedef struct solving {
    ss_cli_session session;
    const ss_cli_arguments *arguments;
    const char *path;
    ss_problem *problem;
    double asymmetry; /* of W as it was given */
    int indefinite;   /* contact whose block shows that W is not positive semidefinite, or -1 */
    int contradicting[SS_CLI_LISTED]; /* blocks that leave no solution: the first of them */
    int contradictions;               /* how many; 0: not proved */
} solving;

static void print_problem(const solving *s)
{
    const char *title = ss_problem_title(s->problem);
    int contacts = ss_problem_contacts(s->problem), d = ss_problem_dimension(s->problem);
    int rows = ss_problem_inclusion(s->problem)->n_rows, bilateral = rows - d * contacts;
    ss_cli_print_line("problem", "%s%s%s", s->path, title[0] ? ": " : "", title);
    ss_cli_print_line("", "%d contact%s in %dD", contacts, contacts == 1 ? "" : "s", d);
    if (bilateral)
        ss_cli_print_line("", "%d bilateral row%s", bilateral, bilateral == 1 ? "" : "s");
    if (s->asymmetry > 1e-12)
        ss_cli_print_line("", "W is asymmetric by %.2g of its largest element%s", s->asymmetry,
                          ss_cli_has(s->arguments, "symmetrize") ? "; symmetrized" : "");
    if (s->indefinite >= 0)
        ss_cli_print_line("",
                          "W is not positive semidefinite, by the block of contact %d: the file is "
                          "damaged, and there may be no solution",
                          s->indefinite);
}

/* Which forces, when a choice was asked for. */
static void print_choice(const ss_solve_report *report)
{
    const char *name = ss_forces_name((ss_forces)report->forces);
    if (report->forces == SS_FORCES_ANY)
        return;
    if (!report->chosen && report->forces == SS_FORCES_REGULARIZED)
        ss_cli_print_line("forces",
                          "%s: NOT found, `compliance` is below what `tolerance` can tell", name);
    else if (report->freedom < 0)
        ss_cli_print_line("forces", "%s: another problem, whose residual is shown", name);
    else if (report->freedom == 0)
        ss_cli_print_line("forces", "unique: nothing to choose");
    else
        ss_cli_print_line("forces", "%s, %s a space of dimension %d", name,
                          report->chosen ? "chosen from" : "NOT found in", report->freedom);
}

static void print_attempt(const ss_cli_attempt *a)
{
    const ss_solve_report *report = &a->report;
    bool several = report->method[0] != '\0';
    ss_cli_print_line("solver", "%s%s%s", a->solver, several ? ": " : "", report->method);
    ss_cli_print_line("status", "%s after %d iterations, %.4g s", ss_outcome_name(report->outcome),
                      report->iterations, a->seconds);
    ss_cli_print_line("residual", "ours    %.3g relative, %.3g √J absolute", report->residual.value,
                      report->residual.absolute);
    ss_cli_print_line("", "cone    %.3g relative to max(‖q‖, ‖P‖, ‖u‖), %.3g to ‖q‖, %.3g absolute",
                      a->cone.relative, a->cone.to_load, a->cone.absolute);
    print_choice(report);
}

/* After a solve that failed: whether laws contradict each other. */
static ss_status find_contradiction(solving *s, const ss_cli_attempt *a)
{
    if (!a || !a->P || ss_cli_attempt_good(a))
        return SS_OK;
    return ss_inclusion_contradiction(s->session.context, ss_problem_inclusion(s->problem), a->P,
                                      SS_CLI_LISTED, s->contradicting, &s->contradictions);
}

/* "contact 3" or "bilateral row 0", counted from 0. */
static void name_block(const solving *s, int block, size_t capacity, char *text)
{
    const ss_inclusion *A = ss_problem_inclusion(s->problem);
    bool contact = A->blocks[block].set->kind == SS_SET_HALF_LINE;
    int count = 0;
    for (int i = 0; i < block; i++)
        count += contact ? A->blocks[i].set->kind == SS_SET_HALF_LINE
                         : A->blocks[i].set->kind == SS_SET_FREE;
    snprintf(text, capacity, "%s %d", contact ? "contact" : "bilateral row", count);
}

static void print_contradiction(const solving *s)
{
    char text[256] = "", name[48];
    size_t used = 0;
    if (s->contradictions == 0)
        return;
    for (int i = 0; i < s->contradictions && i < SS_CLI_LISTED; i++) {
        name_block(s, s->contradicting[i], sizeof name, name);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (s->contradictions > SS_CLI_LISTED)
        snprintf(text + used, sizeof text - used, " and %d more",
                 s->contradictions - SS_CLI_LISTED);
    ss_cli_error("the problem has no solution: no impulses satisfy %s%s", text,
                 s->contradictions > 1 ? " together" : "");
}

static void write_contradiction(const solving *s, ss_cli_json *json)
{
    char name[48];
    if (s->contradictions == 0)
        return;
    ss_cli_json_open(json, "no_solution", '[');
    for (int i = 0; i < s->contradictions && i < SS_CLI_LISTED; i++) {
        name_block(s, s->contradicting[i], sizeof name, name);
        ss_cli_json_text(json, NULL, name);
    }
    ss_cli_json_close(json, ']');
}

static void write_json(const solving *s, int count, const ss_cli_attempt *attempts)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "problem", s->path);
    ss_cli_json_text(&json, "title", ss_problem_title(s->problem));
    ss_cli_json_number(&json, "dimension", ss_problem_dimension(s->problem));
    ss_cli_json_number(&json, "contacts", ss_problem_contacts(s->problem));
    ss_cli_json_number(&json, "rows", ss_problem_inclusion(s->problem)->n_rows);
    ss_cli_json_number(&json, "asymmetry", s->asymmetry);
    if (s->indefinite >= 0)
        ss_cli_json_number(&json, "indefinite_contact", s->indefinite);
    write_contradiction(s, &json);
    ss_cli_json_open(&json, "solves", '[');
    for (int i = 0; i < count; i++)
        ss_cli_attempt_write(&attempts[i], &json);
    ss_cli_json_close(&json, ']');
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

/* Writes P where -o says. */
static bool write_solution(solving *s, const ss_cli_attempt *a)
{
    const char *file = ss_cli_value(s->arguments, "output");
    if (!file || !a || !a->P)
        return true;
    int rows = ss_problem_inclusion(s->problem)->n_rows;
    if (!ss_cli_make_folder_of(file))
        return false;
    if (ss_solution_write(s->session.context, file, rows, a->P) != SS_OK) {
        ss_cli_print_failure(&s->session);
        return false;
    }
    if (!ss_cli_has(s->arguments, "json"))
        ss_cli_print_line("solution", "%s (%s)", file, a->solver);
    return true;
}

static int solve_with_one(solving *s)
{
    const char *name = ss_cli_value(s->arguments, "solver");
    ss_cli_attempt a = {.solver = name ? name : "auto"};
    ss_status status = ss_cli_attempt_run(&s->session, s->arguments, s->problem, false, &a);
    bool good = false;
    if (status != SS_OK) {
        ss_cli_print_failure(&s->session);
    } else if (a.refused[0]) {
        ss_cli_error("%s", a.refused);
        status = SS_UNSUPPORTED;
    } else if ((status = find_contradiction(s, &a)) != SS_OK) {
        ss_cli_print_failure(&s->session);
    } else {
        if (ss_cli_has(s->arguments, "json")) {
            write_json(s, 1, &a);
        } else {
            print_problem(s);
            print_attempt(&a);
        }
        good = write_solution(s, &a) && ss_cli_attempt_good(&a);
        if (!ss_cli_attempt_good(&a))
            ss_cli_error("%s did not solve the problem: %s", a.solver,
                         ss_outcome_name(a.report.outcome));
        print_contradiction(s);
    }
    ss_cli_attempt_release(&s->session, &a);
    if (status != SS_OK)
        return SS_CLI_BAD_INPUT;
    return good ? SS_CLI_DONE : SS_CLI_FAILED;
}

static void print_attempts(int count, const ss_cli_attempt *attempts)
{
    static const char *const headings[] = {
        "solver", "status", "iterations", "residual", "cone relative", "cone absolute", "time/s"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    ss_cli_table table;
    ss_cli_table_begin(&table, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        ss_cli_table_text(&table, headings[i]);
    for (int i = 0; i < count; i++) {
        const ss_cli_attempt *a = &attempts[i];
        if (a->refused[0])
            continue;
        ss_cli_table_text(&table, a->solver);
        ss_cli_table_text(&table, ss_outcome_name(a->report.outcome));
        ss_cli_table_number(&table, "%.0f", a->report.iterations);
        ss_cli_table_number(&table, "%.3g", a->report.residual.value);
        ss_cli_table_number(&table, "%.3g", a->cone.relative);
        ss_cli_table_number(&table, "%.3g", a->cone.absolute);
        ss_cli_table_number(&table, "%.3g", a->seconds);
    }
    ss_cli_table_print(&table);
    ss_cli_table_release(&table);
    for (int i = 0; i < count; i++)
        if (attempts[i].refused[0])
            printf("  %s: %s\n", attempts[i].solver, attempts[i].refused);
}

/* The smallest error of all; NULL when there is none. */
static const ss_cli_attempt *best_of(int count, const ss_cli_attempt *attempts)
{
    const ss_cli_attempt *best = NULL;
    for (int i = 0; i < count; i++)
        if (!attempts[i].refused[0] && (!best || attempts[i].cone.absolute < best->cone.absolute))
            best = &attempts[i];
    return best;
}

static int report_all(solving *s, int count, const ss_cli_attempt *attempts)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || ss_cli_attempt_good(&attempts[i]);
    if (!any && find_contradiction(s, best_of(count, attempts)) != SS_OK) {
        ss_cli_print_failure(&s->session);
        return SS_CLI_FAILED;
    }
    if (ss_cli_has(s->arguments, "json")) {
        write_json(s, count, attempts);
    } else {
        print_problem(s);
        putchar('\n');
        print_attempts(count, attempts);
    }
    bool written = write_solution(s, best_of(count, attempts));
    if (!any)
        ss_cli_error("no solver solved the problem");
    print_contradiction(s);
    return any && written ? SS_CLI_DONE : SS_CLI_FAILED;
}

static int solve_with_all(solving *s)
{
    enum { MOST = 64 };
    ss_cli_attempt attempts[MOST] = {0};
    const ss_context *context = s->session.context;
    int count = 0, code = SS_CLI_DONE;
    while (count < MOST && code == SS_CLI_DONE &&
           ss_type_at(context, SS_TYPE_SOLVER, (size_t)count)) {
        ss_cli_attempt *a = &attempts[count];
        a->solver = ss_type_at(context, SS_TYPE_SOLVER, (size_t)count++)->name;
        if (ss_cli_attempt_run(&s->session, s->arguments, s->problem, true, a) != SS_OK) {
            ss_cli_print_failure(&s->session);
            code = SS_CLI_BAD_INPUT;
        }
    }
    if (code == SS_CLI_DONE)
        code = report_all(s, count, attempts);
    for (int i = 0; i < count; i++)
        ss_cli_attempt_release(&s->session, &attempts[i]);
    return code;
}

static bool is_positive(const ss_cli_arguments *arguments, const char *option)
{
    char *end;
    const char *text = ss_cli_value(arguments, option);
    if (!text || (strtod(text, &end) > 0 && *end == '\0'))
        return true;
    ss_cli_error("--%s is '%s'; it must be a positive number", option, text);
    return false;
}

static bool check_options(const ss_cli_arguments *arguments)
{
    if (ss_cli_has(arguments, "all") && ss_cli_has(arguments, "solver")) {
        ss_cli_error("--all and --solver exclude each other");
        return false;
    }
    return is_positive(arguments, "tol") && is_positive(arguments, "max-iter");
}

static int solve(solving *s)
{
    if (!check_options(s->arguments))
        return SS_CLI_BAD_INPUT;
    if (ss_problem_read(s->session.context, s->path, &s->problem) != SS_OK) {
        ss_cli_print_failure(&s->session);
        return SS_CLI_BAD_INPUT;
    }
    s->asymmetry = ss_problem_asymmetry(s->problem);
    s->indefinite = ss_problem_indefinite_contact(s->problem);
    if (ss_cli_has(s->arguments, "symmetrize"))
        ss_problem_symmetrize(s->problem);
    int code = ss_cli_has(s->arguments, "all") ? solve_with_all(s) : solve_with_one(s);
    ss_problem_destroy(s->problem);
    return code;
}

static int run(const ss_cli_arguments *arguments)
{
    solving s = {.arguments = arguments};
    if (!ss_cli_count(&ss_cli_solve, arguments, 1, 1) ||
        !ss_cli_session_begin(&s.session, arguments))
        return SS_CLI_BAD_INPUT;
    s.path = arguments->operands[0];
    int code = solve(&s);
    ss_cli_session_end(&s.session);
    return code;
}

const ss_cli_command ss_cli_solve = {
    .name = "solve",
    .operands = "PROBLEM [--solver NAME] [--tol 1e-8] [--max-iter N] [--all] [--json] [-o FILE]",
    .choices = "*",
    .summary = "solve a frictional contact problem from a file",
    .details =
        "Reads a frictional contact problem, u = W P + q with 0 ≤ u_N ⊥ P_N ≥ 0 and Coulomb's law "
        "for each contact,\n"
        "solves it, and prints solver, status, iterations, time and residuals. A problem is\n"
        "\n"
        "  text    `d nc nnz` (d = 2 or 3 rows a contact), nnz lines `row column value` of W, "
        "counted from 0,\n"
        "          d·nc values of q and nc values of μ\n"
        "  FCLib   HDF5 with fclib_local, or fclib_global, which is condensed\n"
        "\n"
        "Residuals: `ours` has no unit. `cone` is that of the literature, "
        "‖P - proj_K(P - u - μ‖u_T‖ n)‖ over all\n"
        "contacts, which mixes N s and m/s. --tol bounds ours and cone relative to ‖q‖ alike; "
        "sorprox and jorprox\n"
        "know ours alone. --set measure=cone is content with cone relative to max(‖q‖, ‖P‖, "
        "‖u‖), as many papers are.\n"
        "\n"
        "The time is that of a solve from P = 0; short ones are repeated, and the shortest time "
        "counts.\n"
        "\n"
        "Exit status: 0 solved (--all: by one solver at least), 1 not solved, 2 bad input.",
    .examples = "  stickslip solve KaplasTower.fcp\n"
                "  stickslip solve KaplasTower.fcp --solver sorprox --set relaxation=1.2 -o P.txt\n"
                "  stickslip solve capsules.hdf5 --all --tol 1e-4 --max-iter 1000\n"
                "  stickslip solve capsules.hdf5 --json\n"
                "  stickslip solve table.fcp --set forces=minimum_norm\n",
    .options = options,
    .run = run,
};
