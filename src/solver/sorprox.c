/* sorprox.c: SORprox, the successive (Gauss-Seidel) solution of the blocks (S4.37), and JORprox, all
 * blocks at once from the last iterate (S4.30): options and sweeps. */
#include "base/context.h"
#include "base/parallel.h"
#include "solver/kernels/general.h"
#include "solver/keys.h"

#include <float.h>
#include <pthread.h>
#include <string.h>

/* ---- Options, as keys and as a struct ---- */

/* A choice fills an int. */
_Static_assert(sizeof(ss_r_choice) == sizeof(int) && sizeof(ss_stop) == sizeof(int) &&
                   sizeof(ss_sweep_order) == sizeof(int),
               "enums of ss_prox_options are filled by choices");

#define REAL(...)   SS_OPTION_REAL(ss_prox_options, __VA_ARGS__)
#define INT(...)    SS_OPTION_INT(ss_prox_options, __VA_ARGS__)
#define CHOICE(...) SS_OPTION_CHOICE(ss_prox_options, __VA_ARGS__)

#define SHARED_KEYS(relaxation_max)                                                                \
    REAL(tolerance, "1e-10", DBL_MIN, 1, "", "Relative residual of a converged solve."),           \
        INT(max_iterations, "10000", 1, 1e9, "Sweeps after which a solve is given up."),           \
        INT(min_iterations, "1", 0, 1e9, "Sweeps that are made in any case."),                     \
        REAL(relaxation, "1", DBL_MIN, relaxation_max, "",                                         \
             "Relaxation parameter omega: every r is multiplied by it."),                          \
        CHOICE(r, "diagonal", "diagonal|row_sum|spectral|mean",                                    \
               "Choice of r: 1/max G_hh, 1/max sum |G_hk|, 2/(mu_max + mu_min), 1/mean G_hh."),    \
        REAL(r_scale, "1", DBL_MIN, 1, "", "Every r is multiplied by it."),                        \
        CHOICE(stop, "residual", "residual|impulse|velocity",                                      \
               "What ends the sweeps: a small residual, or impulses or velocities at rest."),      \
        REAL(absolute, "1e-12", 0, INFINITY, "N s or m/s", "Absolute change that counts as rest.", \
             "stop=impulse|velocity"),                                                             \
        REAL(relative, "1e-10", 0, 1, "", "Relative change that counts as rest.",                  \
             "stop=impulse|velocity"),                                                             \
        SS_OPTION_BOOL(ss_prox_options, warm_start, "true",                                        \
                       "Begin with the last impulses, else with zero.")

static const ss_key jorprox_keys[] = {SHARED_KEYS(10), {.name = NULL}};

static const ss_key sorprox_keys[] = {
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

static ss_status check_options(const ss_prox_options *options, ss_context *context,
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
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, options);
    SS_GIVEN(context, solver);
    const ss_type *type;
    ss_args *args;
    *solver = NULL;
    SS_TRY(ss_type_find(context, SS_TYPE_SOLVER, name, (ss_location){0}, &type));
    if (type->keys != jorprox_keys && type->keys != sorprox_keys)
        return ss_fail(context, SS_INPUT,
                       "solver '%s' has options of its own; ss_prox_options are those of 'jorprox' "
                       "and 'sorprox'",
                       name);
    SS_TRY(ss_args_create(context, &args));
    ss_status status = SS_OK;
    const ss_prox_options defaults = ss_default_prox();
    for (const ss_key *key = type->keys; key->name && status == SS_OK; key++) {
        size_t size = key->kind == SS_KEY_REAL   ? sizeof(double)
                      : key->kind == SS_KEY_BOOL ? sizeof(bool)
                                                 : sizeof(int);
        if (memcmp((const char *)options + key->offset, (const char *)&defaults + key->offset,
                   size) != 0) /* the others are not given: some do nothing beside others */
            status = set_arg(args, key, options);
    }
    if (status == SS_OK)
        status = ss_solver_create(context, name, args, NULL, solver);
    ss_args_destroy(args);
    return status;
}

/* ---- SORprox ---- */

static double tolerance(const void *self)
{
    return ((const ss_prox_solver *)self)->options.tolerance;
}

static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)context;
    bool backward = s->options.order == SS_ORDER_BACKWARD ||
                    (s->options.order == SS_ORDER_SYMMETRIC && iteration % 2 == 0);
    ss_kernel_pass p = {.s = s, .inclusion = inclusion, .P = P, .u = u, .next = P};
    return inclusion->factor_start ? ss_kernel_sweep(p, true, backward, 0, inclusion->n_blocks)
                                   : ss_kernel_sweep(p, false, backward, 0, inclusion->n_blocks);
}

static ss_status init(void *self, ss_context *context)
{
    const ss_prox_options *options = self;
    if (options->relaxation >= 2.0)
        return ss_fail(context, SS_INPUT,
                       "solver 'sorprox': 'relaxation' must be a number > 0 and < 2, not %g",
                       options->relaxation);
    return check_options(options, context, "sorprox");
}

ss_status ss_sorprox_solve(void *self, ss_context *context, const ss_solve_call *call)
{
    return ss_prox_iterate(self, context, call, sweep);
}

const ss_solver_ops ss_solver_type_sorprox = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "sorprox",
             .doc = "Projected Gauss-Seidel sweeps with relaxation; never forms G.",
             .self_size = sizeof(ss_prox_solver),
             .keys = sorprox_keys},
    .init = init,
    .destroy = ss_prox_destroy,
    .refuses = ss_prox_refuses,
    .reserve = ss_prox_reserve,
    .solve = ss_sorprox_solve,
    .tolerance = tolerance,
};

/* ---- JORprox ---- */

enum { PARALLEL_BLOCKS = 1024 };

/* Blocks first … end - 1; their new impulses go to s->next. */
static ss_prox_change visit_some(const ss_kernel_pass *p, int first, int end)
{
    return p->inclusion->factor_start ? ss_kernel_sweep(*p, true, false, first, end)
                                      : ss_kernel_sweep(*p, false, false, first, end);
}

/* What threads visit together. */
typedef struct visiting {
    ss_kernel_pass pass;
    pthread_mutex_t mutex;
    ss_prox_change all;
} visiting;

static void visit_range(void *user, int first, int end)
{
    visiting *v = user;
    ss_prox_change change = visit_some(&v->pass, first, end);
    pthread_mutex_lock(&v->mutex);
    v->all.error2 = ss_max_nan(v->all.error2, change.error2);
    v->all.reference2 = ss_max_nan(v->all.reference2, change.reference2);
    pthread_mutex_unlock(&v->mutex);
}

/* Each block is computed from P and u alone and the maximum has no order, so that neither the number of threads nor their
 * timing shows. */
static ss_prox_change jacobi_sweep(ss_prox_solver *s, const ss_inclusion *inclusion,
                                   ss_context *context, int iteration, double *P, double *u)
{
    (void)iteration;
    int n = inclusion->n_blocks;
    visiting v = {{s, inclusion, P, u, s->next}, PTHREAD_MUTEX_INITIALIZER};
    if (s->threads == 1 || n < PARALLEL_BLOCKS)
        v.all = visit_some(&v.pass, 0, n);
    else
        ss_parallel_for(context, s->threads, n, visit_range, &v);
    if (inclusion->n_rows > 0)
        memcpy(P, s->next, (size_t)inclusion->n_rows * sizeof *P);
    if (inclusion->factor_start)
        ss_inclusion_free_motion(inclusion, P, u);
    return v.all;
}

static ss_status jacobi_init(void *self, ss_context *context)
{
    return check_options(self, context, "jorprox");
}

/* By one thread where a set may not be asked by worker threads. */
static ss_status jacobi_solve(void *self, ss_context *context, const ss_solve_call *call)
{
    ss_prox_solver *s = self;
    const ss_inclusion *inclusion = call->inclusion;
    s->threads = ss_context_threads(context);
    for (int i = 0; i < inclusion->n_blocks && s->threads > 1; i++)
        if (inclusion->blocks[i].set->ops->type.flags & SS_TYPE_SERIAL)
            s->threads = 1;
    return ss_prox_iterate(s, context, call, jacobi_sweep);
}

const ss_solver_ops ss_solver_type_jorprox = {
    .type =
        {.abi = SS_ABI,
         .size = sizeof(ss_solver_ops),
         .name = "jorprox",
         .doc =
             "Projected Jacobi sweeps with relaxation; converges where G is diagonally dominant or "
             "r is small.",
         .self_size = sizeof(ss_prox_solver),
         .keys = jorprox_keys},
    .init = jacobi_init,
    .destroy = ss_prox_destroy,
    .refuses = ss_prox_refuses,
    .reserve = ss_prox_reserve,
    .solve = jacobi_solve,
    .tolerance = tolerance,
};
