/* command.h: what a command of `stickslip` is made of. One table of options for each serves
 * parsing, help and shell completion. */
#ifndef SS_CLI_COMMAND_H
#define SS_CLI_COMMAND_H

#include <stdbool.h>

/* How the program ends. A run that was ended by a signal: 128 + its number. */
typedef enum ss_cli_exit {
    SS_CLI_DONE = 0,
    SS_CLI_FAILED =
        1, /* the simulation failed or is not trusted, or its results could not be written */
    SS_CLI_BAD_INPUT = 2, /* nothing was simulated */
} ss_cli_exit;

typedef struct ss_cli_option {
    const char *name;  /* without --; a table ends with NULL */
    char letter;       /* 'o' for -o, 0: none */
    const char *value; /* what its value is called, "FILE"; NULL: takes none */
    const char *
        choices; /* for completion: "svg|png" words, "*.h5" files, "@solver" types, "@scheme," lists of
                          * types; NULL: any */
    const char *doc;
} ss_cli_option;

/* Options of commands that may run code of others. */
#define SS_CLI_PLUGIN                                                      \
    {                                                                      \
        "plugin", 'p', "FILE", "*.so", "load a plugin; may be given again" \
    }
#define SS_CLI_ALLOW_PLUGINS                                              \
    {                                                                     \
        "allow-plugins", 0, NULL, NULL,                                   \
            "load the plugins that the scene names: only if you trust it" \
    }

#define SS_CLI_ALLOW_OUTSIDE                                                                       \
    {                                                                                              \
        "allow-outside", 0, NULL, NULL, "includes and meshes may be outside of the scene's folder" \
    }

/* Of runs. */
#define SS_CLI_ALLOW                                                                  \
    {                                                                                 \
        "allow", 0, "DOUBTS", "convergence|laws|energy|growth|tunnelling|uniqueness", \
            "doubts that do not fail the run: energy,growth"                          \
    }

/* Every command has it besides its own. */
extern const ss_cli_option ss_cli_help_option;

typedef struct ss_cli_arguments ss_cli_arguments;

typedef struct ss_cli_command {
    const char *name;
    const char *operands; /* "SCENE [name=value …]" */
    const char *choices;  /* what the first operand completes to, as in ss_cli_option */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs of --help */
    const char *examples;
    const ss_cli_option *options;
    int (*run)(const ss_cli_arguments *arguments); /* returns what the program exits with */
} ss_cli_command;

extern const ss_cli_command ss_cli_run, ss_cli_resume, ss_cli_recover, ss_cli_check, ss_cli_info,
    ss_cli_list, ss_cli_plot, ss_cli_export, ss_cli_schema, ss_cli_completion, ss_cli_view,
    ss_cli_verify, ss_cli_compare_command, ss_cli_convergence, ss_cli_sweep, ss_cli_bifurcation,
    ss_cli_solve, ss_cli_analyse, ss_cli_import;

/* All commands; NULL past the end. */
const ss_cli_command *ss_cli_command_at(int index);

typedef struct ss_cli_given {
    const ss_cli_option *option;
    const char *value; /* NULL when it takes none */
} ss_cli_given;

struct ss_cli_arguments {
    const ss_cli_option *options; /* that the command has */
    int n_operands;
    const char **operands;
    int n_given;
    ss_cli_given *given;
};

/* Sorts the words behind a command's name. False: a message was printed. Release with
 * ss_cli_release. */
bool ss_cli_parse(const ss_cli_command *command, int count, char **words,
                  ss_cli_arguments *arguments);
void ss_cli_release(ss_cli_arguments *arguments);

bool ss_cli_has(const ss_cli_arguments *arguments, const char *option);
/* The last value given, or NULL. */
const char *ss_cli_value(const ss_cli_arguments *arguments, const char *option);
/* Whether there are least … most operands (most < 0: any number); prints what is missing or too
 * much. */
bool ss_cli_count(const ss_cli_command *command, const ss_cli_arguments *arguments, int least,
                  int most);

void ss_cli_print_help(const ss_cli_command *command);
void ss_cli_print_overview(void);

/* Prints "stickslip: …" to standard error. */
void ss_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
