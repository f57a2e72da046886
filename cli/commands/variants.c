/* variants.c: what a command compares: schemes, solvers, simulations and values of settings. */
#include "commands/variants.h"

#include <stdlib.h>
#include <string.h>

/* Options that list types. */
static const struct {
    const char *option, *key, *heading;
    ss_type_kind kind;
} kinds[] = {
    {"schemes", "scheme.type", "scheme", SS_TYPE_SCHEME},
    {"solvers", "solver.type", "solver", SS_TYPE_SOLVER},
    {"simulations", "simulation.type", "simulation", SS_TYPE_SIMULATION},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind whose types an axis lists; -1: another setting. */
static int kind_of(const ss_cli_axis *axis)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].key, axis->name) == 0)
            return i;
    return -1;
}

/* ---- Reading ---- */

static bool check_types(ss_cli_session *session, int kind, const ss_cli_axis *axis)
{
    for (int i = 0; i < axis->count; i++) {
        const ss_type *type;
        ss_location nowhere = {0};
        if (ss_type_find(session->context, kinds[kind].kind, axis->texts.items[i], nowhere,
                         &type) == SS_OK)
            continue;
        ss_cli_print_failure(session);
        return false;
    }
    return true;
}

static bool check_twice(const ss_cli_axis *axis)
{
    for (int i = 0; i < axis->count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(axis->texts.items[i], axis->texts.items[k]) == 0) {
                ss_cli_error("'%s' is given twice for '%s'", axis->texts.items[i], axis->name);
                return false;
            }
    return true;
}

static ss_cli_axis *next_axis(ss_cli_variants *variants)
{
    if (variants->n_axes < SS_CLI_AXES)
        return &variants->axes[variants->n_axes++];
    ss_cli_error("more than %d keys are compared", SS_CLI_AXES);
    return NULL;
}

/* The values of a list of types: what --schemes says, or all. */
static bool read_types(ss_cli_session *session, int kind, const char *given,
                       ss_cli_variants *variants)
{
    ss_cli_axis *axis = next_axis(variants);
    if (!axis)
        return false;
    *axis = (ss_cli_axis){.setting = true, .words = true};
    snprintf(axis->name, sizeof axis->name, "%s", kinds[kind].key);
    if (given && !ss_cli_names_split(given, &axis->texts))
        return false;
    for (size_t i = 0; !given && ss_type_at(session->context, kinds[kind].kind, i); i++)
        if (!ss_cli_names_add(&axis->texts,
                              ss_type_at(session->context, kinds[kind].kind, i)->name))
            return false;
    axis->count = axis->texts.count;
    if (axis->count == 0)
        ss_cli_error("--%s is empty; it must be names with commas between them",
                     kinds[kind].option);
    return axis->count > 0 && check_types(session, kind, axis) && check_twice(axis);
}

static bool read_each(ss_cli_session *session, const char *given, ss_cli_variants *variants)
{
    ss_cli_axis *axis = next_axis(variants);
    if (!axis || !ss_cli_axis_parse(session->context, given, true, axis))
        return false;
    int kind = kind_of(axis);
    if (kind >= 0)
        ss_cli_error("--each %s: use --%s", given, kinds[kind].option);
    if (axis->range)
        ss_cli_error("--each %s: it wants a list, KEY=a,b,c", given);
    for (int i = 0; i + 1 < variants->n_axes; i++)
        if (strcmp(variants->axes[i].name, axis->name) == 0) {
            ss_cli_error("--each %s: '%s' is compared already", given, axis->name);
            return false;
        }
    return kind < 0 && !axis->range && check_twice(axis);
}

static bool read_axes(ss_cli_session *session, const ss_cli_arguments *arguments,
                      ss_cli_variants *variants)
{
    for (int i = 0; i < KINDS; i++) {
        const char *given = ss_cli_value(arguments, kinds[i].option);
        if (given && !read_types(session, i, given, variants))
            return false;
    }
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "each") == 0 &&
            !read_each(session, arguments->given[i].value, variants))
            return false;
    return variants->n_axes > 0 || read_types(session, 0, NULL, variants);
}

/* ---- Settings that would hide what is compared ---- */

/* Whether a setting gives a value to a key, by the section it is in, too: "scheme=theta". */
static bool gives(const char *setting, const char *key)
{
    size_t length = strlen(key), section = strcspn(key, ".");
    bool whole = strncmp(setting, key, section) == 0 && setting[section] == '=';
    return whole || (strncmp(setting, key, length) == 0 && setting[length] == '=');
}

static const char *find_setting(const ss_cli_arguments *arguments, const char *key)
{
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "set") == 0 &&
            gives(arguments->given[i].value, key))
            return arguments->given[i].value;
    return NULL;
}

bool ss_cli_variants_have(const ss_cli_variants *variants, const ss_cli_arguments *arguments,
                          const char *key, const char *option)
{
    const char *set = find_setting(arguments, key);
    if (set)
        ss_cli_error("--set %s: the values of '%s' are those of %s", set, key, option);
    for (int i = 0; i < variants->n_axes && !set; i++)
        if (strcmp(variants->axes[i].name, key) == 0) {
            ss_cli_error("--each %s: the values of '%s' are those of %s", key, key, option);
            return true;
        }
    return set;
}

static bool check_settings(const ss_cli_variants *variants, const ss_cli_arguments *arguments)
{
    for (int i = 0; i < variants->n_axes; i++) {
        const ss_cli_axis *axis = &variants->axes[i];
        const char *set = find_setting(arguments, axis->name);
        int kind = kind_of(axis);
        if (set && kind >= 0)
            ss_cli_error("--set %s: the %s of this command are those of --%s; give --%s NAMES, and "
                         "their keys with --set %s.KEY=VALUE",
                         set, kinds[kind].option, kinds[kind].option, kinds[kind].option,
                         kinds[kind].heading);
        else if (set)
            ss_cli_error("--set %s: the values of '%s' are those of --each", set, axis->name);
        if (set)
            return false;
    }
    return true;
}

/* ---- Variants ---- */

static int index_of(const ss_cli_variants *variants, int variant, int axis)
{
    for (int i = variants->n_axes - 1; i > axis; i--)
        variant /= variants->axes[i].count;
    return variant % variants->axes[axis].count;
}

static const char *text_of(const ss_cli_variants *variants, int variant, int axis)
{
    return variants->axes[axis].texts.items[index_of(variants, variant, axis)];
}

static void name_variant(ss_cli_variants *variants, int variant)
{
    char *name = variants->names[variant];
    size_t capacity = sizeof variants->names[0], used = 0;
    for (int i = 0; i < variants->n_axes && used < capacity; i++) {
        const ss_cli_axis *axis = &variants->axes[i];
        const char *key = strrchr(axis->name, '.');
        bool type = kind_of(axis) >= 0;
        key = key ? key + 1 : axis->name;
        int n = snprintf(name + used, capacity - used, "%s%s%s%s", i ? " " : "", type ? "" : key,
                         type ? "" : "=", text_of(variants, variant, i));
        used += n > 0 ? (size_t)n : 0;
    }
}

/* The axis that lists a type; -1: none does. */
static int axis_of_type(const ss_cli_variants *variants, const char *type, size_t length)
{
    for (int i = 0; i < variants->n_axes; i++)
        for (int k = 0; kind_of(&variants->axes[i]) >= 0 && k < variants->axes[i].count; k++) {
            const char *name = variants->axes[i].texts.items[k];
            if (strlen(name) == length && strncmp(name, type, length) == 0)
                return i;
        }
    return -1;
}

static bool check_with(const ss_cli_variants *variants, const ss_cli_arguments *arguments)
{
    for (int i = 0; i < arguments->n_given; i++) {
        const char *given = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, "with") != 0)
            continue;
        size_t type = strcspn(given, ".="), key = type + strcspn(given + type, "=");
        if (given[type] != '.' || key == type + 1 || given[key] != '=') {
            ss_cli_error("--with is '%s'; it must be TYPE.KEY=VALUE, for example "
                         "event_driven.output=1e-3",
                         given);
            return false;
        }
        if (axis_of_type(variants, given, type) < 0) {
            ss_cli_error("--with %s: '%.*s' is none of the schemes, solvers and simulations that "
                         "are compared",
                         given, (int)type, given);
            return false;
        }
    }
    return true;
}

bool ss_cli_variants_read(ss_cli_session *session, const ss_cli_arguments *arguments,
                          ss_cli_variants *variants)
{
    *variants = (ss_cli_variants){0};
    if (!read_axes(session, arguments, variants) || !check_settings(variants, arguments) ||
        !check_with(variants, arguments))
        return false;
    double count = 1;
    for (int i = 0; i < variants->n_axes; i++)
        count *= variants->axes[i].count;
    const double most = 10000;
    if (count > most) {
        ss_cli_error("%.0f variants are more than %.0f", count, most);
        return false;
    }
    variants->names = calloc((size_t)count, sizeof *variants->names);
    if (!variants->names) {
        ss_cli_error("out of memory");
        return false;
    }
    variants->count = (int)count;
    for (int i = 0; i < variants->count; i++)
        name_variant(variants, i);
    return true;
}

void ss_cli_variants_release(ss_cli_variants *variants)
{
    for (int i = 0; i < variants->n_axes; i++)
        ss_cli_axis_release(&variants->axes[i]);
    free(variants->names);
    *variants = (ss_cli_variants){0};
}

/* Settings of a section whose type is compared may fit some of its types only. */
static bool fits_all(const ss_cli_variants *variants, const char *setting)
{
    if (gives(setting, "simulation.end"))
        return true;
    for (int i = 0; i < variants->n_axes; i++) {
        size_t section = strcspn(variants->axes[i].name, ".");
        if (kind_of(&variants->axes[i]) >= 0 &&
            strncmp(setting, variants->axes[i].name, section + 1) == 0)
            return false;
    }
    return true;
}

bool ss_cli_variants_load(const ss_cli_variants *variants, ss_cli_session *session,
                          const ss_cli_arguments *arguments, const char *setting, ss_scene **scene)
{
    ss_cli_arguments some = *arguments;
    ss_cli_changes changes = {.n_after = setting ? 1 : 0, .after = &setting};
    some.n_given = 0;
    some.given = calloc((size_t)arguments->n_given + 1, sizeof *some.given);
    *scene = NULL;
    for (int i = 0; some.given && i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "set") != 0 ||
            fits_all(variants, arguments->given[i].value))
            some.given[some.n_given++] = arguments->given[i];
    bool good = some.given && ss_cli_load_changed(session, &some, &changes, scene) == SS_OK;
    if (!some.given)
        ss_cli_error("out of memory");
    else if (!good)
        ss_cli_print_failure(session);
    free(some.given);
    return good;
}

/* "scheme.type=moreau", "solver.tolerance=1e-8": types before, other settings after those of --set. */
static bool add_axes(const ss_cli_variants *variants, int variant, ss_cli_names *before,
                     ss_cli_names *after)
{
    for (int i = 0; i < variants->n_axes; i++) {
        char text[SS_CLI_AXIS_NAME + 512];
        snprintf(text, sizeof text, "%s=%s", variants->axes[i].name, text_of(variants, variant, i));
        if (!ss_cli_names_add(kind_of(&variants->axes[i]) >= 0 ? before : after, text))
            return false;
    }
    return true;
}

/* "event_driven.output=1e-3" → "simulation.output=1e-3" where that is the variant's simulation. */
static bool add_with(const ss_cli_variants *variants, int variant,
                     const ss_cli_arguments *arguments, ss_cli_names *after)
{
    for (int i = 0; i < arguments->n_given; i++) {
        const char *given = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, "with") != 0)
            continue;
        char text[1024];
        size_t length = strcspn(given, ".");
        int axis = axis_of_type(variants, given, length);
        const char *type = text_of(variants, variant, axis);
        snprintf(text, sizeof text, "%s%s", kinds[kind_of(&variants->axes[axis])].heading,
                 given + length);
        if (strlen(type) == length && strncmp(type, given, length) == 0 &&
            !ss_cli_names_add(after, text))
            return false;
    }
    return true;
}

ss_status ss_cli_variants_run(const ss_cli_variants *variants, int variant, ss_cli_session *session,
                              const ss_cli_arguments *arguments, ss_cli_trial *trial)
{
    ss_cli_names before = {0}, after = {0};
    ss_cli_trial own = *trial;
    bool good = add_axes(variants, variant, &before, &after) &&
                add_with(variants, variant, arguments, &after);
    for (int i = 0; good && i < trial->n_settings; i++)
        good = ss_cli_names_add(&after, trial->settings[i]);
    own.n_before = before.count;
    own.before = (const char *const *)before.items;
    own.n_settings = after.count;
    own.settings = (const char *const *)after.items;
    ss_status status = good ? ss_cli_trial_run(session, arguments, &own) : SS_MEMORY;
    own.n_before = trial->n_before;
    own.before = trial->before;
    own.n_settings = trial->n_settings;
    own.settings = trial->settings;
    *trial = own;
    ss_cli_names_release(&before);
    ss_cli_names_release(&after);
    return status;
}

/* ---- Output ---- */

static const char *heading_of(const ss_cli_axis *axis)
{
    int kind = kind_of(axis);
    return kind >= 0 ? kinds[kind].heading : axis->name;
}

void ss_cli_variants_headings(const ss_cli_variants *variants, ss_cli_table *table)
{
    for (int i = 0; i < variants->n_axes; i++)
        ss_cli_table_text(table, heading_of(&variants->axes[i]));
}

void ss_cli_variants_cells(const ss_cli_variants *variants, int variant, ss_cli_table *table)
{
    for (int i = 0; i < variants->n_axes; i++)
        ss_cli_table_text(table, text_of(variants, variant, i));
}

void ss_cli_variants_write(const ss_cli_variants *variants, int variant, ss_cli_json *json)
{
    for (int i = 0; i < variants->n_axes; i++) {
        const ss_cli_axis *axis = &variants->axes[i];
        if (axis->words)
            ss_cli_json_text(json, heading_of(axis), text_of(variants, variant, i));
        else
            ss_cli_json_number(json, axis->name, axis->values[index_of(variants, variant, i)]);
    }
}
