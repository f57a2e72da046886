/* variants.h: the schemes, solvers, simulations and values of settings that a command compares. */
#ifndef SS_CLI_COMMANDS_VARIANTS_H
#define SS_CLI_COMMANDS_VARIANTS_H

#include "commands/trial.h"
#include "json.h"
#include "studies/axis.h"
#include "table.h"

/* Options of commands that compare. */
#define SS_CLI_VARIANTS                                                                            \
    {"schemes", 0, "NAMES", "@scheme,", "schemes: a,b,c (all, where nothing else is compared)"},   \
        {"solvers", 0, "NAMES", "@solver,", "solvers: a,b,c (the scene's)"},                       \
        {"simulations", 0, "NAMES", "@simulation,", "simulations: a,b,c (the scene's)"},           \
        {"each", 0, "KEY=a,b,c", NULL, "values of any other setting; may be given several times"}, \
    {                                                                                              \
        "with", 0, "TYPE.KEY=VALUE", NULL,                                                         \
            "a setting of one of the types: event_driven.output=1e-3; may be given several times"  \
    }

typedef struct ss_cli_variants {
    int n_axes; /* what is compared, every value with every other */
    ss_cli_axis axes[SS_CLI_AXES];
    int count;
    char (*names)[256]; /* "moreau", "moreau newton", "moreau tolerance=1e-8" */
} ss_cli_variants;

/* Those of --schemes, --solvers, --simulations and --each, or all schemes. False: one does not exist, --set gives a
 * value to what is compared, or --with names a type that is not; a message was printed. Release in any case. */
bool ss_cli_variants_read(ss_cli_session *session, const ss_cli_arguments *arguments,
                          ss_cli_variants *variants);
void ss_cli_variants_release(ss_cli_variants *variants);

/* Whether a key is compared, or given by --set: then a message was printed. */
bool ss_cli_variants_have(const ss_cli_variants *variants, const ss_cli_arguments *arguments,
                          const char *key, const char *option);

/* The scene as it is but for --set, without settings of what is compared. False: a message was printed. */
bool ss_cli_variants_load(const ss_cli_variants *variants, ss_cli_session *session,
                          const ss_cli_arguments *arguments, const char *setting, ss_scene **scene);
/* Runs a variant: types are set before --set, other settings after it, those of the trial last. */
ss_status ss_cli_variants_run(const ss_cli_variants *variants, int variant, ss_cli_session *session,
                              const ss_cli_arguments *arguments, ss_cli_trial *trial);

/* A column for everything that is compared: its heading, and the cell of a variant. */
void ss_cli_variants_headings(const ss_cli_variants *variants, ss_cli_table *table);
void ss_cli_variants_cells(const ss_cli_variants *variants, int variant, ss_cli_table *table);
/* The same as members of an object. */
void ss_cli_variants_write(const ss_cli_variants *variants, int variant, ss_cli_json *json);

#endif
