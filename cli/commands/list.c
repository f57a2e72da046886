/* list.c: stickslip list. */
#include "commands/session.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"markdown", 'm', NULL, NULL, "as tables for documentation"},
    SS_CLI_PLUGIN,
    {NULL},
};

/* "sets" or "set" */
static bool is_kind(const char *word, ss_type_kind kind)
{
    char plural[32];
    snprintf(plural, sizeof plural, "%ss", ss_type_kind_name(kind));
    return strcmp(word, plural) == 0 || strcmp(word, ss_type_kind_name(kind)) == 0;
}

static void format_range(const ss_key *key, size_t capacity, char *text)
{
    text[0] = '\0';
    if (key->kind == SS_KEY_CHOICE)
        snprintf(text, capacity, "%s", key->choices);
    else if (key->kind == SS_KEY_BOOL)
        snprintf(text, capacity, "true|false");
    else if (key->kind == SS_KEY_OBJECTS)
        snprintf(text, capacity, "names");
    else if (key->kind == SS_KEY_TEXT || key->kind == SS_KEY_TEXTS)
        snprintf(text, capacity, "text");
    else if (key->kind == SS_KEY_SET || key->kind == SS_KEY_SETS)
        snprintf(text, capacity, "set%s", key->kind == SS_KEY_SET ? "" : "s");
    else if (key->kind == SS_KEY_EXPRESSION || key->kind == SS_KEY_EXPRESSIONS)
        snprintf(text, capacity, "expression%s", key->kind == SS_KEY_EXPRESSION ? "" : "s");
    else if (key->min == DBL_MIN && isinf(key->max))
        snprintf(text, capacity, "> 0");
    else if (key->min == DBL_MIN)
        snprintf(text, capacity, "> 0, ≤ %g", key->max);
    else if (isinf(key->max) && !isinf(key->min))
        snprintf(text, capacity, "≥ %g", key->min);
    else if (isinf(key->min) && !isinf(key->max))
        snprintf(text, capacity, "≤ %g", key->max);
    else if (key->min < key->max && !isinf(key->max))
        snprintf(text, capacity, "%g … %g", key->min, key->max);
    else
        snprintf(text, capacity, "any");
}

static const char *default_of(const ss_key *key)
{
    if (!key->default_value)
        return "required";
    return key->default_value[0] ? key->default_value : "–";
}

/* Characters, not bytes. */
static int length_of(const char *text)
{
    int length = 0;
    for (const char *c = text; *c; c++)
        length += ((unsigned char)*c & 0xc0) != 0x80;
    return length;
}

static void widen(int *width, const char *text)
{
    int length = length_of(text);
    *width = length > *width ? length : *width;
}

static void print_cell(const char *text, int width)
{
    printf("%s%*s", text, width - length_of(text) + 2, "");
}

static const char *unit_of(const ss_key *key)
{
    return key->unit ? key->unit : "";
}

/* What a key is for, and beside which values of others it may be given. */
static const char *doc_of(const ss_key *key, size_t capacity, char *text)
{
    snprintf(text, capacity, "%s%s%s%s", key->doc ? key->doc : "", key->when ? " Only with " : "",
             key->when ? key->when : "", key->when ? "." : "");
    return text;
}

/* Names, defaults, units and ranges below each other. */
static void print_table(const ss_key *keys)
{
    char range[256], doc[1024];
    int name = 0, default_value = 0, unit = 0, widest = 0;
    for (const ss_key *key = keys; key->name; key++) {
        format_range(key, sizeof range, range);
        widen(&name, key->name);
        widen(&default_value, default_of(key));
        widen(&unit, unit_of(key));
        widen(&widest, range);
    }
    for (const ss_key *key = keys; key->name; key++) {
        format_range(key, sizeof range, range);
        fputs("      ", stdout);
        print_cell(key->name, name);
        print_cell(default_of(key), default_value);
        print_cell(unit_of(key), unit);
        print_cell(range, widest);
        puts(doc_of(key, sizeof doc, doc));
    }
}

/* Bars inside a cell would end it. */
static void print_markdown_cell(const char *text)
{
    putchar(' ');
    for (const char *c = text; *c; c++) {
        if (*c == '|')
            putchar('\\');
        putchar(*c);
    }
    fputs(" |", stdout);
}

static void print_markdown_key(const ss_key *key)
{
    char range[256], name[128], doc[1024];
    format_range(key, sizeof range, range);
    snprintf(name, sizeof name, "`%s`", key->name);
    putchar('|');
    print_markdown_cell(name);
    print_markdown_cell(default_of(key));
    print_markdown_cell(unit_of(key));
    print_markdown_cell(range);
    print_markdown_cell(doc_of(key, sizeof doc, doc));
    putchar('\n');
}

static void print_keys(const ss_key *keys, bool markdown)
{
    if (!keys || !keys->name)
        return;
    if (markdown) {
        puts("\n| key | default | unit | range | |\n|---|---|---|---|---|");
        for (const ss_key *key = keys; key->name; key++)
            print_markdown_key(key);
    } else {
        print_table(keys);
    }
    for (const ss_key *key = keys; key->name; key++)
        if (key->kind == SS_KEY_OBJECTS) {
            printf(markdown ? "\nEach of `%s`:\n" : "      each of %s:\n", key->name);
            print_keys(key->keys, markdown);
        }
}

/* What a scheme can do. */
static void print_abilities(ss_context *context, const char *name, bool markdown)
{
    char text[512];
    ss_scheme_describe(context, name, sizeof text, text);
    if (text[0])
        printf(markdown ? "\n%s\n" : "      %s\n", text);
}

static void print_kind(ss_context *context, ss_type_kind kind, bool markdown)
{
    const char *name = ss_type_kind_name(kind);
    const ss_key *common = ss_common_keys(kind);
    printf(markdown ? "## %ss\n" : "%ss\n", name);
    for (size_t i = 0; ss_type_at(context, kind, i); i++) {
        const ss_type *type = ss_type_at(context, kind, i);
        if (markdown)
            printf("\n### `%s`\n\n%s\n", type->name, type->doc);
        else
            printf("\n  %s: %s\n", type->name, type->doc);
        if (kind == SS_TYPE_SCHEME)
            print_abilities(context, type->name, markdown);
        print_keys(type->keys, markdown);
    }
    if (common && common->name) {
        printf(markdown ? "\n### every %s\n" : "\n  every %s:\n", name);
        print_keys(common, markdown);
    }
    putchar('\n');
}

static bool find_kinds(const char *word, ss_type_kind *first, ss_type_kind *last)
{
    static const char *const names[] = {"sets",   "solvers", "systems", "elements",   "laws",
                                        "forces", "shapes",  "schemes", "simulations"};
    *first = 0;
    *last = SS_TYPE_KINDS - 1;
    if (!word)
        return true;
    for (ss_type_kind kind = 0; kind < SS_TYPE_KINDS; kind++)
        if (is_kind(word, kind)) {
            *first = *last = kind;
            return true;
        }
    const char *near = ss_nearest(word, sizeof names / sizeof *names, names);
    ss_cli_error(
        "there is no list of '%s'%s%s%s; there are sets, solvers, systems, elements, laws, "
        "forces, shapes, schemes and simulations",
        word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_type_kind first, last;
    const char *word = arguments->n_operands > 0 ? arguments->operands[0] : NULL;
    if (!ss_cli_count(&ss_cli_list, arguments, 0, 1) || !find_kinds(word, &first, &last) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    for (ss_type_kind kind = first; kind <= last; kind++)
        print_kind(session.context, kind, ss_cli_has(arguments, "markdown"));
    ss_cli_session_end(&session);
    return SS_CLI_DONE;
}

const ss_cli_command ss_cli_list = {
    .name = "list",
    .operands = "[sets|solvers|systems|elements|laws|forces|shapes|schemes|simulations] "
                "[--plugin FILE …] [--markdown]",
    .choices = "sets|solvers|systems|elements|laws|forces|shapes|schemes|simulations",
    .summary = "list the types that scenes can use, with all their keys",
    .details = "Lists every type of a kind, or of all kinds, and each of its keys with default, "
               "unit, range and\n"
               "meaning. Scene files, C programs and --set use the same names.",
    .examples = "  stickslip list laws\n"
                "  stickslip list shapes --plugin examples/lens.so\n"
                "  stickslip list --markdown > types.md\n",
    .options = options,
    .run = run,
};
