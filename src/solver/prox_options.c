/* prox_options.c: the options of JORprox and SORprox, as keys and as a struct. */
#include "solver/keys.h"
#include "solver/prox.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A choice fills an int. */
_Static_assert(sizeof(ss_r_choice) == sizeof(int) && sizeof(ss_stop) == sizeof(int) &&
                   sizeof(ss_sweep_order) == sizeof(int),
               "enums of ss_prox_options are filled by choices");

#define REAL(...)   SS_OPTION_REAL(ss_prox_options, __VA_ARGS__)
#define INT(...)    SS_OPTION_INT(ss_prox_options, __VA_ARGS__)
#define CHOICE(...) SS_OPTION_CHOICE(ss_prox_options, __VA_ARGS__)

#define SHARED_KEYS(relaxation_max)                                                             \
    REAL(tolerance, "1e-10", DBL_MIN, 1, "", "Relative residual of a converged solve."),        \
        INT(max_iterations, "10000", 1, 1e9, "Sweeps after which a solve is given up."),        \
        INT(min_iterations, "1", 0, 1e9, "Sweeps that are made in any case."),                  \
        REAL(relaxation, "1", DBL_MIN, relaxation_max, "",                                      \
             "Relaxation parameter omega: every r is multiplied by it."),                       \
        CHOICE(r, "diagonal", "diagonal|row_sum|spectral|mean",                                 \
               "Choice of r: 1/max G_hh, 1/max sum |G_hk|, 2/(mu_max + mu_min), 1/mean G_hh."), \
        REAL(r_scale, "1", DBL_MIN, 1, "", "Every r is multiplied by it."),                     \
        CHOICE(stop, "residual", "residual|impulse|velocity",                                   \
               "What ends the sweeps: a small residual, or impulses or velocities at rest."),   \
        REAL(absolute, "1e-12", 0, INFINITY, "N s or m/s",                                      \
             "Absolute change that counts as rest."),                                           \
        REAL(relative, "1e-10", 0, 1, "", "Relative change that counts as rest."),              \
        SS_OPTION_BOOL(ss_prox_options, warm_start, "true",                                     \
                       "Begin with the last impulses, else with zero.")

const ss_key ss_jorprox_keys[] = {SHARED_KEYS(10), {.name = NULL}};

const ss_key ss_sorprox_keys[] = {
    SHARED_KEYS(2),
    CHOICE(order, "forward", "forward|backward|symmetric", "Order of the blocks in a sweep."),
    {.name = NULL},
};

ss_prox_options ss_default_prox(void)
{
    return (ss_prox_options){
        .tolerance = 1e-10,
        .max_iterations = 10000,
        .min_iterations = 1,
        .relaxation = 1.0,
        .r = SS_R_DIAGONAL,
        .r_scale = 1.0,
        .stop = SS_STOP_RESIDUAL,
        .absolute = 1e-12,
        .relative = 1e-10,
        .warm_start = true,
        .order = SS_ORDER_FORWARD,
    };
}

ss_status ss_prox_check_options(const ss_prox_options *options, ss_context *context,
                                const char *name)
{
    if (options->min_iterations > options->max_iterations)
        return ss_fail(context, SS_INPUT,
                       "solver '%s': 'min_iterations' must not exceed max_iterations = %d, not %d",
                       name, options->max_iterations, options->min_iterations);
    return SS_OK;
}

/* The word of a choice in "first|second|third"; an empty one when there are not so many. */
static void word_of(const char *choices, int index, size_t capacity, char *word)
{
    for (; index > 0 && choices; index--) {
        choices = strchr(choices, '|');
        choices = choices ? choices + 1 : NULL;
    }
    size_t length = choices && index == 0 ? strcspn(choices, "|") : 0;
    length = length < capacity ? length : capacity - 1;
    if (length)
        memcpy(word, choices, length);
    word[length] = '\0';
}

static ss_status set_arg(ss_args *args, const ss_key *key, const ss_prox_options *options)
{
    const char *field = (const char *)options + key->offset;
    char word[32];
    switch (key->kind) {
    case SS_KEY_REAL:
        return ss_args_set_real(args, key->name, *(const double *)field);
    case SS_KEY_INT:
        return ss_args_set_real(args, key->name, *(const int *)field);
    case SS_KEY_BOOL:
        return ss_args_set_real(args, key->name, *(const bool *)field);
    default:
        word_of(key->choices, *(const int *)field, sizeof word, word);
        return word[0] ? ss_args_set_text(args, key->name, word)
                       : ss_args_set_real(args, key->name, *(const int *)field);
    }
}

ss_status ss_solver_create_prox(ss_context *context, const char *name,
                                const ss_prox_options *options, ss_solver **solver)
{
    const ss_type *type;
    ss_args *args;
    *solver = NULL;
    SS_TRY(ss_type_find(context, SS_TYPE_SOLVER, name, (ss_location){0}, &type));
    if (type->keys != ss_jorprox_keys && type->keys != ss_sorprox_keys)
        return ss_fail(context, SS_INPUT,
                       "solver '%s' has options of its own; ss_prox_options are those of 'jorprox' "
                       "and 'sorprox'",
                       name);
    SS_TRY(ss_args_create(context, &args));
    ss_status status = SS_OK;
    for (const ss_key *key = type->keys; key->name && status == SS_OK; key++)
        status = set_arg(args, key, options);
    if (status == SS_OK)
        status = ss_solver_create(context, name, args, NULL, solver);
    ss_args_destroy(args);
    return status;
}
