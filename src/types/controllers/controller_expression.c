/* controller_expression.c: a sampled controller whose law is given by expressions. */
#include "model/refuse.h"
#include "types/types.h"

typedef struct expression {
    ss_texts inputs, values, states, next;
    ss_matrix initial;
} expression;

static const ss_key keys[] = {
    {"inputs", SS_KEY_TEXTS, offsetof(expression, inputs), NULL, 0, 0, NULL, "",
     "Inputs that it sets."},
    {"values", SS_KEY_EXPRESSIONS, offsetof(expression, values), NULL, 0, 0, NULL, "",
     "Their values: expressions of what outputs may name, of outputs, and of its states before the "
     "sample."},
    {"states", SS_KEY_TEXTS, offsetof(expression, states), "", 0, 0, NULL, "",
     "Names of states of its own, for its expressions."},
    {"initial", SS_KEY_REALS, offsetof(expression, initial), "", 0, 0, NULL, "",
     "States before the first sample; zero when not given.", "states"},
    {"next", SS_KEY_EXPRESSIONS, offsetof(expression, next), "", 0, 0, NULL, "",
     "States after a sample, expressions like the values.", "states"},
    {.name = NULL},
};

/* As many expressions as names, in a list. */
static ss_status check_count(const ss_setup *setup, const char *key, const ss_texts *given,
                             const ss_texts *names)
{
    if (given->rows == names->rows && (given->rows == 0 || given->columns == 1))
        return SS_OK;
    return ss_refuse(setup, "'%s' wants a list of %d expression%s, one for each name, not %d", key,
                     names->rows, names->rows == 1 ? "" : "s", given->rows * given->columns);
}

static ss_status init(void *opaque, ss_setup *setup)
{
    const expression *self = opaque;
    int index, n_states = self->states.rows;
    SS_TRY(check_count(setup, "values", &self->values, &self->inputs));
    SS_TRY(check_count(setup, "next", &self->next, &self->states));
    if (self->initial.rows != 0 && self->initial.rows != n_states)
        return ss_refuse(setup, "'initial' has %d numbers for %d states", self->initial.rows,
                         n_states);
    if (n_states)
        SS_TRY(ss_setup_states(setup, n_states, self->states.items, self->initial.values));
    for (int i = 0; i < self->inputs.rows; i++) {
        SS_TRY(ss_setup_control(setup, &self->inputs.items[i], &index));
        SS_TRY(ss_setup_observe(setup, &self->values.items[i], &index));
    }
    for (int i = 0; i < n_states; i++)
        SS_TRY(ss_setup_observe(setup, &self->next.items[i], &index));
    return SS_OK;
}

static ss_status sample(const void *opaque, const ss_sample *at)
{
    const expression *self = opaque;
    for (int i = 0; i < self->inputs.rows; i++)
        at->value[i] = at->y[i];
    for (int i = 0; i < self->states.rows; i++)
        at->x[i] = at->y[self->inputs.rows + i];
    return SS_OK;
}

const ss_controller_ops ss_expression_controller_ops = {
    .type = {SS_ABI, sizeof(ss_controller_ops), "expression",
             "A sampled controller given by expressions, with states of its own.",
             sizeof(expression), keys},
    .init = init,
    .sample = sample,
};
