/* verify.c: stickslip verify. */
#include "commands/expectation.h"
#include "commands/session.h"

#include <math.h>
#include <stdio.h>

static const ss_cli_option options[] = {
    {"json", 0, NULL, NULL, "a list of objects instead of a table"},
    {NULL},
};

static void print_comparison(const ss_cli_comparison *c)
{
    const ss_expectation *e = &c->expected;
    printf("  %s  %-24s %-13.7g expected %.7g ± %.2g\n", c->met ? "ok  " : "MISS", e->name,
           c->measured, e->is, e->within);
    if (!c->met)
        printf("        %s%s%s%s\n", e->what, isnan(c->measured) ? ": never came to that" : "",
               e->source[0] ? "; " : "", e->source);
}

/* What is not met. */
typedef struct misses {
    int count;
    const char *first; /* its name */
} misses;

static ss_status compare(const ss_scene *scene, ss_record *record, bool as_json, misses *missed)
{
    ss_cli_json json = {.out = stdout};
    int count = ss_scene_expectation_count(scene);
    if (as_json)
        ss_cli_json_open(&json, NULL, '[');
    for (int i = 0; i < count; i++) {
        ss_cli_comparison c;
        SS_TRY(ss_cli_compare(scene, record, i, &c));
        if (!c.met && missed->count++ == 0)
            missed->first = c.expected.name;
        if (as_json)
            ss_cli_write_comparison(&c, &json);
        else
            print_comparison(&c);
    }
    if (as_json) {
        ss_cli_json_close(&json, ']');
        putchar('\n');
    } else {
        printf("%d of %d expectations met\n", count - missed->count, count);
    }
    return SS_OK;
}

static int verify(ss_cli_session *session, const ss_cli_arguments *arguments)
{
    ss_scene *scene = NULL;
    ss_record *record = NULL;
    misses missed = {0};
    ss_status status = ss_record_open(session->context, arguments->operands[0], &record);
    if (status == SS_OK)
        status = ss_scene_of_record(record, &scene);
    if (status == SS_OK)
        status = compare(scene, record, ss_cli_has(arguments, "json"), &missed);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    fflush(stdout);
    if (status == SS_OK && missed.count > 0)
        ss_cli_error("%s: '%s'%s not met", arguments->operands[0], missed.first,
                     missed.count == 1 ? " is" : " and others are");
    ss_scene_destroy(scene);
    ss_record_close(record);
    if (status != SS_OK)
        return SS_CLI_BAD_INPUT;
    return missed.count ? SS_CLI_FAILED : SS_CLI_DONE;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    if (!ss_cli_count(&ss_cli_verify, arguments, 1, 1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = verify(&session, arguments);
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_verify = {
    .name = "verify",
    .operands = "RECORD [--json]",
    .choices = "*.h5",
    .summary = "compare a record with what its scene expects",
    .details = "Measures what the scene's section `expect` asks for and compares it with the "
               "values given\n"
               "there, which are known from elsewhere: a closed form, a book, another program.\n"
               "\n"
               "Exit status: 0 all expectations are met, 1 some are not, 2 bad input.",
    .examples = "  stickslip run woodpecker.yaml && stickslip verify woodpecker.h5\n",
    .options = options,
    .run = run,
};
