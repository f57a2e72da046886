/* report.c: prints a record in a few lines. */
#include "commands/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST_COORDINATE = 2, MOST_COORDINATES = 12, LAST_EVENTS = 5 };

void ss_cli_print_line(const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("  %-10s ", label);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

void ss_cli_kinds_add(ss_cli_kinds *kinds, const char *kind)
{
    int i = 0;
    while (i < kinds->count && strcmp(kinds->words[i], kind) != 0)
        i++;
    if (i == SS_CLI_MOST_KINDS)
        return;
    kinds->words[i] = kind;
    kinds->number[i]++;
    kinds->count += i == kinds->count;
}

void ss_cli_kinds_print(const ss_cli_kinds *kinds, const char *label)
{
    if (kinds->count == 0)
        return;
    printf("  %-10s ", label);
    for (int i = 0; i < kinds->count; i++)
        printf("%s%d %s", i ? ", " : "", kinds->number[i], kinds->words[i]);
    putchar('\n');
}

/* One recorded state. */
typedef struct state {
    ss_record *record;
    double *values;
} state;

static double value_of(const state *s, const char *name)
{
    size_t column;
    return ss_record_find_column(s->record, name, &column) ? s->values[column] : (double)NAN;
}

static void print_time(const ss_record *record, double to, double seconds)
{
    char wall[64] = "";
    unsigned long long steps = ss_record_statistics(record).steps;
    if (seconds >= 0)
        snprintf(wall, sizeof wall, ", computed in %.3g s", seconds);
    ss_cli_print_line("end", "t = %.9g s after %llu step%s%s", to, steps, steps == 1 ? "" : "s",
                      wall);
    if (ss_record_finished(record))
        return;
    const char *note = ss_record_note(record);
    ss_cli_print_line("", "the run did not reach its end%s%s", note[0] ? ": " : "", note);
}

static int longest_name(const ss_record *record, size_t first, size_t count)
{
    size_t longest = 0;
    for (size_t i = first; i < first + count; i++) {
        size_t length = strlen(ss_record_column_name(record, i));
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

static void print_coordinate(const state *s, size_t column, int width)
{
    printf("%-*s = %-16.9g", width, ss_record_column_name(s->record, column), s->values[column]);
}

static void print_end_state(const state *s)
{
    size_t n_q = ss_record_position_count(s->record), n_u = ss_record_velocity_count(s->record);
    size_t lines = n_q > n_u ? n_q : n_u;
    size_t shown = lines > MOST_COORDINATES ? MOST_COORDINATES : lines;
    int width_q = longest_name(s->record, FIRST_COORDINATE, n_q < shown ? n_q : shown);
    int width_u = longest_name(s->record, FIRST_COORDINATE + n_q, n_u < shown ? n_u : shown);
    for (size_t i = 0; i < shown; i++) {
        printf("  %-10s ", i == 0 ? "end state" : "");
        if (i < n_q)
            print_coordinate(s, FIRST_COORDINATE + i, width_q);
        else
            printf("%*s", width_q + 19, "");
        if (i < n_u)
            print_coordinate(s, FIRST_COORDINATE + n_q + i, width_u);
        putchar('\n');
    }
    if (lines > shown)
        ss_cli_print_line("", "… and %zu more coordinates", lines - shown);
}

static void print_switches(const ss_record *record)
{
    size_t count = ss_record_event_count(record);
    if (count == 0) {
        ss_cli_print_line("switches", "none");
        return;
    }
    size_t first = count > LAST_EVENTS ? count - LAST_EVENTS : 0;
    ss_cli_print_line("switches", "%zu%s", count, first > 0 ? "; the last ones:" : ":");
    for (size_t i = first; i < count; i++) {
        ss_record_event e = ss_record_event_at(record, i);
        ss_cli_print_line("", "%-12.9g s  %s  %s → %s", e.t, e.law, e.from, e.to);
    }
}

static void print_shapes(const ss_record *record)
{
    ss_cli_kinds kinds = {0};
    for (int i = 0; i < ss_record_shape_count(record); i++)
        ss_cli_kinds_add(&kinds, ss_record_shape(record, i).type);
    ss_cli_kinds_print(&kinds, "shapes");
}

static void print_rule(const ss_record *record, int element, int n, const ss_contact *contacts)
{
    int points = 0, closed = 0, slips = 0;
    for (int i = 0; i < n; i++)
        if (contacts[i].element == element) {
            points++;
            closed += contacts[i].closed;
            slips += contacts[i].slips;
        }
    if (points > 0)
        ss_cli_print_line("", "%s: %d, %d closed, %d of them slip",
                          ss_record_element_name(record, element), points, closed, slips);
}

/* Of the last state that carries them, and the most of any. */
static ss_status print_contacts(ss_record *record, ss_context *context)
{
    size_t last = 0;
    int most = -1;
    for (size_t i = 0; i < ss_record_length(record); i++) {
        int count = ss_record_contact_count(record, i);
        last = count >= 0 ? i : last;
        most = count > most ? count : most;
    }
    if (most < 0)
        return SS_OK;
    int n = ss_record_contact_count(record, last);
    void *memory;
    SS_TRY(ss_allocate(context, (size_t)n + 1, sizeof(ss_contact), &memory));
    ss_status status = ss_record_read_contacts(record, last, memory);
    ss_cli_print_line("contacts", "%d at the end, %d at most", n, most);
    for (int i = 0; status == SS_OK && i < ss_record_element_count(record); i++)
        print_rule(record, i, n, memory);
    ss_release(context, memory);
    return status;
}

ss_status ss_cli_largest(ss_record *record, ss_context *context, const char *expression,
                         double *most)
{
    size_t count = ss_record_length(record);
    void *memory;
    SS_TRY(ss_allocate(context, count + 1, sizeof(double), &memory));
    const double *values = memory;
    ss_text text = {expression, {0}};
    ss_status status = ss_record_evaluate(record, &text, memory);
    *most = 0;
    for (size_t i = 0; status == SS_OK && i < count; i++)
        if (!(values[i] <= *most) && !isnan(*most))
            *most = values[i];
    ss_release(context, memory);
    return status;
}

static void print_energies(const state *s)
{
    ss_cli_print_line("energy", "kinetic        %14.6g J", value_of(s, "energy.kinetic"));
    ss_cli_print_line("", "potential      %14.6g J", value_of(s, "energy.potential"));
    ss_cli_print_line("", "dissipated     %14.6g J", value_of(s, "energy.dissipated"));
    ss_cli_print_line("", "work of loads  %14.6g J", value_of(s, "energy.load"));
    ss_cli_print_line("", "balance error  %14.6g J", value_of(s, "energy.balance"));
}

static void print_solver(const ss_record *record)
{
    ss_statistics s = ss_record_statistics(record);
    double mean = s.tries > 0 ? (double)s.iterations / (double)s.tries : 0;
    ss_cli_print_line("solver",
                      "worst residual %.3g; iterations a solve: %.3g on average, %llu at most",
                      s.worst_residual, mean, (unsigned long long)s.max_iterations);
    if (s.failures > 0)
        ss_cli_print_line("", "%llu solve%s did NOT converge", (unsigned long long)s.failures,
                          s.failures == 1 ? "" : "s");
    else
        ss_cli_print_line("", "no accepted solve failed");
}

/* Which forces, when there were many, and impacts that added energy. */
static void print_doubts(const ss_record *record)
{
    ss_statistics s = ss_record_statistics(record);
    const char *choice = ss_forces_name((ss_forces)s.forces);
    bool springs = s.forces == SS_FORCES_REGULARIZED;
    if ((springs && s.not_chosen == 0) || s.forces == SS_FORCES_CONE_COMPLEMENTARITY)
        ss_cli_print_line("forces", "made unique: %s%s", choice,
                          springs ? ", compliance in place of the laws: dampers on velocity level, "
                                    "springs on displacement level"
                                  : ", which is not Coulomb's law");
    if (s.indeterminate > 0)
        ss_cli_print_line("forces", "NOT unique in %llu of %llu steps; chosen: %s",
                          (unsigned long long)s.indeterminate, (unsigned long long)s.steps, choice);
    if (s.not_chosen > 0)
        ss_cli_print_line("", "in %llu of them that choice was not found: any solution%s",
                          (unsigned long long)s.not_chosen,
                          springs ? "; `compliance` is below what `tolerance` can tell" : "");
    if (s.gains > 0)
        ss_cli_print_line("impacts", "%llu ADDED energy, %.3g J together",
                          (unsigned long long)s.gains, s.gained);
}

static void print_record(const ss_record *record, const char *path)
{
    struct stat status = {0};
    stat(path, &status);
    double size = (double)status.st_size;
    const char *unit = size < 1e6 ? "kB" : "MB";
    size_t n = ss_record_length(record);
    ss_cli_print_line("record", "%s (%zu states, %.3g %s)", path, n,
                      size / (size < 1e6 ? 1e3 : 1e6), unit);
    if (!ss_record_finished(record))
        ss_cli_print_line("", "`stickslip resume %s` continues it", path);
}

void ss_cli_print_verdict(const ss_record *record)
{
    ss_verdict verdict = ss_record_verdict(record);
    ss_cli_print_line("verdict", "%s%s",
                      verdict.doubts ? "NOT trusted: " : "trusted: ", verdict.text);
}

static ss_status print_all(const state *end, ss_context *context, const char *path, double seconds)
{
    ss_record *record = end->record;
    print_time(record, value_of(end, "t"), seconds);
    print_end_state(end);
    print_switches(record);
    print_shapes(record);
    SS_TRY(print_contacts(record, context));
    print_energies(end);
    print_solver(record);
    print_doubts(record);
    print_record(record, path);
    return SS_OK;
}

ss_status ss_cli_report(ss_record *record, ss_context *context, const char *path, double seconds)
{
    size_t length = ss_record_length(record);
    if (length == 0) {
        ss_cli_print_line("record", "%s has no states", path);
        return SS_OK;
    }
    void *memory;
    SS_TRY(ss_allocate(context, ss_record_column_count(record), sizeof(double), &memory));
    state end = {record, memory};
    ss_status status = ss_record_row(record, length - 1, end.values);
    if (status == SS_OK)
        status = print_all(&end, context, path, seconds);
    ss_release(context, memory);
    return status;
}
