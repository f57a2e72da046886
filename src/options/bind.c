/* bind.c: arguments → the fields that a table of keys names. */
#include "base/context.h"
#include "expression/quantity.h"
#include "options/options.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One key being bound. */
typedef struct binding {
    ss_arena *arena;
    const ss_scope *scope;
    const char *owner;
    const ss_key *key;
    const ss_arg *arg;
    ss_location where; /* of the argument, or of the object when a default is bound */
    char *field;
} binding;

static ss_context *context_of(const binding *b)
{
    return b->arena->context;
}

static ss_location place_of(const binding *b, const ss_item *item)
{
    return item->text.where.line ? item->text.where : b->where;
}

static bool is_single(const ss_arg *arg)
{
    return arg->rows == 0 && arg->columns == 0;
}

static ss_status wrong_kind(const binding *b, ss_location where, const char *wanted)
{
    return ss_fail_at(context_of(b), SS_INPUT, where, "%s: '%s' wants %s", b->owner, b->key->name,
                      wanted);
}

/* "a number > 0", "a number in [0, 1]" */
static void describe_range(const ss_key *key, size_t capacity, char *text)
{
    const char *noun = key->kind == SS_KEY_INT ? "a whole number" : "a number";
    if (key->min == 0 && key->max == 0)
        snprintf(text, capacity, "%s%s", noun, key->kind == SS_KEY_INT ? "" : ", finite");
    else if (key->min == DBL_MIN && isinf(key->max))
        snprintf(text, capacity, "%s > 0", noun);
    else if (key->min == DBL_MIN)
        snprintf(text, capacity, "%s > 0 and <= %g", noun, key->max);
    else if (isinf(key->max))
        snprintf(text, capacity, "%s >= %g", noun, key->min);
    else
        snprintf(text, capacity, "%s in [%g, %g]", noun, key->min, key->max);
}

static bool in_range(const ss_key *key, double value)
{
    if (isnan(value))
        return false;
    if (isinf(key->min) && isinf(key->max))
        return true;
    if (isinf(value))
        return false;
    return (key->min == 0 && key->max == 0) || (value >= key->min && value <= key->max);
}

/* A number with a unit has the dimension of the key. */
static ss_status check_unit(const binding *b, const ss_text *text)
{
    double value;
    ss_dimension dimension;
    if (!ss_quantity_is(text->text))
        return SS_OK;
    SS_TRY(ss_quantity_read(context_of(b), text, &value, &dimension));
    const char *unit = b->key->unit ? b->key->unit : "";
    if (ss_unit_fits(unit, dimension))
        return SS_OK;
    return ss_fail_at(context_of(b), SS_INPUT, text->where,
                      unit[0] ? "%s: '%s' is in %s; '%s' is not"
                              : "%s: '%s' is a number without unit%s; '%s' has one",
                      b->owner, b->key->name, unit, text->text);
}

static ss_status number(const binding *b, const ss_item *item, double *value)
{
    ss_text text = item->text;
    text.where = place_of(b, item);
    if (!item->is_number)
        SS_TRY(check_unit(b, &text));
    if (item->is_number)
        *value = item->number;
    else
        SS_TRY(ss_evaluate(context_of(b), b->scope, &text, value));
    if (in_range(b->key, *value))
        return SS_OK;
    char range[96];
    const char *unit = b->key->unit ? b->key->unit : "";
    describe_range(b->key, sizeof range, range);
    return ss_fail_at(context_of(b), SS_INPUT, text.where, "%s: '%s' must be %s%s%s, not %g",
                      b->owner, b->key->name, range, unit[0] ? " in " : "", unit, *value);
}

/* The word `auto` for a key that has it by default. */
static bool is_auto(const binding *b)
{
    const ss_item *item = b->arg->items;
    return !item->is_number && b->key->default_value &&
           strcmp(b->key->default_value, SS_AUTO) == 0 && strcmp(item->text.text, SS_AUTO) == 0;
}

static ss_status bind_int(const binding *b)
{
    double value;
    SS_TRY(number(b, b->arg->items, &value));
    if (value != floor(value) || fabs(value) > INT_MAX)
        return ss_fail_at(context_of(b), SS_INPUT, place_of(b, b->arg->items),
                          "%s: '%s' must be a whole number, not %g", b->owner, b->key->name, value);
    int whole = (int)value;
    memcpy(b->field, &whole, sizeof whole);
    return SS_OK;
}

static ss_status bind_bool(const binding *b)
{
    const ss_item *item = b->arg->items;
    bool value;
    if (item->is_number ? item->number == 1 : strcmp(item->text.text, "true") == 0)
        value = true;
    else if (item->is_number ? item->number == 0 : strcmp(item->text.text, "false") == 0)
        value = false;
    else
        return wrong_kind(b, place_of(b, item), "true or false");
    memcpy(b->field, &value, sizeof value);
    return SS_OK;
}

static ss_status bind_choice(const binding *b)
{
    const ss_item *item = b->arg->items;
    char buffer[256], *rest = buffer;
    const char *words[16];
    size_t count = 0;
    snprintf(buffer, sizeof buffer, "%s", b->key->choices);
    for (char *word = strtok_r(buffer, "|", &rest); word && count < 16;
         word = strtok_r(NULL, "|", &rest)) {
        int choice = (int)count;
        words[count++] = word;
        if (item->is_number || strcmp(word, item->text.text) != 0)
            continue;
        memcpy(b->field, &choice, sizeof choice);
        return SS_OK;
    }
    ss_hint hint = ss_hint_of(item->is_number ? NULL : item->text.text, count, words);
    return ss_fail_at(context_of(b), SS_INPUT, place_of(b, item),
                      "%s: '%s' must be one of %s, not '%s'%s", b->owner, b->key->name,
                      b->key->choices, item->is_number ? "a number" : item->text.text, hint.near);
}

static ss_status copy_text(const binding *b, const ss_item *item, ss_text *text)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.17g", item->number);
    text->where = place_of(b, item);
    ss_text given = {item->text.text, text->where};
    bool expression = b->key->kind == SS_KEY_EXPRESSION || b->key->kind == SS_KEY_EXPRESSIONS;
    if (expression && !item->is_number)
        SS_TRY(check_unit(b, &given));
    return ss_arena_copy_string(b->arena, item->is_number ? digits : item->text.text, &text->text);
}

static ss_status bind_numbers(const binding *b)
{
    bool one = is_single(b->arg);
    ss_matrix matrix = {one ? 1 : b->arg->rows, one ? 1 : b->arg->columns, NULL};
    if (b->key->kind == SS_KEY_REALS && matrix.columns != 1)
        return wrong_kind(b, b->where, "a list of numbers");
    size_t count = (size_t)matrix.rows * (size_t)matrix.columns;
    double *values;
    SS_TRY(SS_ARENA_NEW(b->arena, count, &values));
    for (size_t i = 0; i < count; i++)
        SS_TRY(number(b, &b->arg->items[i], &values[i]));
    matrix.values = values;
    memcpy(b->field, &matrix, sizeof matrix);
    return SS_OK;
}

static ss_status bind_texts(const binding *b)
{
    bool one = is_single(b->arg);
    ss_texts texts = {one ? 1 : b->arg->rows, one ? 1 : b->arg->columns, NULL};
    if (b->key->kind == SS_KEY_TEXTS && texts.columns != 1)
        return wrong_kind(b, b->where, "a list of names");
    size_t count = (size_t)texts.rows * (size_t)texts.columns;
    ss_text *items;
    SS_TRY(SS_ARENA_NEW(b->arena, count, &items));
    for (size_t i = 0; i < count; i++)
        SS_TRY(copy_text(b, &b->arg->items[i], &items[i]));
    texts.items = items;
    memcpy(b->field, &texts, sizeof texts);
    return SS_OK;
}

static ss_status bind_sets(const binding *b)
{
    bool one = is_single(b->arg);
    ss_set_specs specs = {one ? 1 : b->arg->rows, NULL};
    ss_set_spec *items;
    if ((one ? 1 : b->arg->columns) != 1 || (b->key->kind == SS_KEY_SET && !one))
        return wrong_kind(b, b->where, "a set such as disk or {type: polygon, …}");
    SS_TRY(SS_ARENA_NEW(b->arena, specs.rows, &items));
    for (int i = 0; i < specs.rows; i++) {
        if (b->arg->items[i].is_number)
            return wrong_kind(b, place_of(b, &b->arg->items[i]), "the name of a set");
        SS_TRY(copy_text(b, &b->arg->items[i], &items[i].name));
        items[i].args = b->arg->items[i].args;
        items[i].scope = b->scope;
    }
    specs.items = items;
    memcpy(b->field, b->key->kind == SS_KEY_SET ? (const void *)items : &specs,
           b->key->kind == SS_KEY_SET ? sizeof *items : sizeof specs);
    return SS_OK;
}

/* Each thing gets a struct of its own, and what its keys say. */
static ss_status bind_objects(const binding *b)
{
    ss_objects objects = {b->arg->rows, NULL};
    ss_object_given *items;
    if (!b->arg->objects)
        return wrong_kind(b, b->where, "a map of names, each with a map of keys");
    SS_TRY(SS_ARENA_NEW(b->arena, objects.count, &items));
    for (int i = 0; i < objects.count; i++) {
        char owner[512];
        const ss_item *given = &b->arg->items[i];
        SS_TRY(copy_text(b, given, &items[i].name));
        for (int k = 0; k < i; k++)
            if (strcmp(items[k].name.text, items[i].name.text) == 0)
                return ss_fail_at(context_of(b), SS_INPUT, place_of(b, given),
                                  "%s: '%s' has '%s' twice", b->owner, b->key->name,
                                  items[i].name.text);
        SS_TRY(ss_arena_allocate(b->arena, 1, b->key->size, &items[i].self));
        snprintf(owner, sizeof owner, "%s: %s.%s", b->owner, b->key->name, items[i].name.text);
        ss_option_table table = {.keys = b->key->keys, .self = items[i].self};
        SS_TRY(ss_options_bind_tables(b->arena, 1, &table, b->arg->objects[i], b->scope, owner));
    }
    objects.items = items;
    memcpy(b->field, &objects, sizeof objects);
    return SS_OK;
}

static ss_status bind_scalar(const binding *b)
{
    if (b->arg->rows || b->arg->columns)
        return wrong_kind(b, b->where, "a single value, not a list");
    switch (b->key->kind) {
    case SS_KEY_REAL: {
        double value = NAN;
        if (!is_auto(b))
            SS_TRY(number(b, b->arg->items, &value));
        memcpy(b->field, &value, sizeof value);
        return SS_OK;
    }
    case SS_KEY_INT:
        return bind_int(b);
    case SS_KEY_BOOL:
        return bind_bool(b);
    case SS_KEY_CHOICE:
        return bind_choice(b);
    default: {
        ss_text text = {0};
        SS_TRY(copy_text(b, b->arg->items, &text));
        memcpy(b->field, &text, sizeof text);
        return SS_OK;
    }
    }
}

static ss_status bind_value(const binding *b)
{
    if (b->key->kind == SS_KEY_OBJECTS)
        return bind_objects(b);
    if (b->arg->objects)
        return wrong_kind(b, b->where, "a value or a list, not a map");
    if (is_single(b->arg) && !b->arg->items[0].is_number && b->arg->items[0].text.text[0] == '\0')
        return ss_fail_at(context_of(b), SS_INPUT, place_of(b, b->arg->items),
                          "%s: '%s' has no value", b->owner, b->key->name);
    bool sets = b->key->kind == SS_KEY_SET || b->key->kind == SS_KEY_SETS;
    if (b->arg->sets && !sets)
        return wrong_kind(b, b->where, "values, not a set");
    if (sets)
        return bind_sets(b);
    switch (b->key->kind) {
    case SS_KEY_REALS:
    case SS_KEY_MATRIX:
        return bind_numbers(b);
    case SS_KEY_TEXTS:
    case SS_KEY_EXPRESSIONS:
        return bind_texts(b);
    default:
        return bind_scalar(b);
    }
}

static ss_status bind_default(binding *b)
{
    if (!b->key->default_value)
        return ss_fail_at(context_of(b), SS_INPUT, b->where, "%s: '%s' is missing: %s", b->owner,
                          b->key->name, b->key->doc);
    if (!b->key->default_value[0])
        return SS_OK;
    ss_item item = {.text = {b->key->default_value, {0}}};
    ss_arg arg = {.key = b->key->name, .items = &item};
    b->arg = &arg;
    ss_status status = bind_value(b);
    b->arg = NULL;
    return status;
}

/* ---- Keys that do nothing where another key has another value ---- */

static const ss_key *key_named(const ss_key *keys, const char *name, size_t length)
{
    for (; keys->name; keys++)
        if (strlen(keys->name) == length && memcmp(keys->name, name, length) == 0)
            return keys;
    return NULL;
}

/* Whether a field has the value of a word of `length` letters. */
static bool has_value(const ss_key *key, const char *field, const char *value, size_t length)
{
    if (key->kind == SS_KEY_BOOL)
        return *(const bool *)field == (value[0] == 't');
    if (key->kind != SS_KEY_CHOICE)
        return (key->kind == SS_KEY_INT ? *(const int *)field : *(const double *)field) ==
               strtod(value, NULL);
    const char *word = key->choices;
    for (int i = *(const int *)field; i > 0; i--)
        word += strcspn(word, "|") + 1;
    return strcspn(word, "|") == length && memcmp(word, value, length) == 0;
}

/* Whether a condition holds: `when` from behind the name of the other key on. */
static bool holds(const ss_key *other, const char *field, const char *condition)
{
    const char *value = condition + strcspn(condition, "=>") + 1;
    if (condition[0] == '>')
        return (other->kind == SS_KEY_INT ? *(const int *)field : *(const double *)field) >
               strtod(value, NULL);
    bool any = false;
    for (; *value && !any; value += value[0] == '|') {
        size_t length = strcspn(value, "|");
        any = has_value(other, field, value, length);
        value += length;
    }
    return any != (condition[0] == '!');
}

/* Fails when a key was given that does nothing beside the values of the others. */
static ss_status check_when(const binding *b, const ss_option_table *table, const ss_args *args)
{
    const char *when = b->key->when;
    if (!b->arg || !when)
        return SS_OK;
    size_t length = strcspn(when, "=>!");
    const ss_key *other = key_named(table->keys, when, length);
    const char *condition = when + length;
    if (!other || (condition[0] ? holds(other, (const char *)table->self + other->offset, condition)
                                : ss_args_find(args, other->name) != NULL))
        return SS_OK;
    return ss_fail_at(context_of(b), SS_INPUT, b->where,
                      "%s: '%s' does nothing here: it goes with '%s%s%s'; leave it out, or %s '%s'",
                      b->owner, b->key->name, other->name, condition[0] == '=' ? ": " : "",
                      condition + (condition[0] == '='), condition[0] ? "change" : "give",
                      other->name);
}

ss_status ss_options_check_key(ss_context *context, size_t count, const char *const *names,
                               const ss_text *key, const char *owner)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], key->text) == 0)
            return SS_OK;
    ss_hint hint = ss_hint_of(key->text, count, names);
    return ss_fail_at(context, SS_INPUT, key->where, "%s: unknown key '%s'%s (keys: %s)", owner,
                      key->text, hint.near, hint.all);
}

size_t ss_options_names(const ss_key *keys, size_t count, const char **names)
{
    for (; keys && keys->name && count < SS_MOST_KEYS; keys++)
        names[count++] = keys->name;
    return count;
}

ss_status ss_options_bind_tables(ss_arena *arena, int count, const ss_option_table *tables,
                                 const ss_args *args, const ss_scope *scope, const char *owner)
{
    const char *names[SS_MOST_KEYS];
    size_t n = 0;
    for (int t = 0; t < count; t++)
        n = ss_options_names(tables[t].keys, n, names);
    for (size_t i = 0; args && i < args->count; i++)
        SS_TRY(ss_options_check_key(arena->context, n, names,
                                    &(ss_text){args->list[i].key, args->list[i].where}, owner));
    for (int t = 0; t < count; t++) {
        binding b = {
            .arena = tables[t].arena ? tables[t].arena : arena, .scope = scope, .owner = owner};
        for (b.key = tables[t].keys; b.key && b.key->name; b.key++) {
            b.arg = ss_args_find(args, b.key->name);
            b.where = ss_args_location(args, b.key->name);
            b.field = (char *)tables[t].self + b.key->offset;
            SS_TRY(b.arg ? bind_value(&b) : bind_default(&b));
        }
        for (b.key = tables[t].keys; b.key && b.key->name; b.key++) {
            b.arg = ss_args_find(args, b.key->name);
            b.where = ss_args_location(args, b.key->name);
            SS_TRY(check_when(&b, &tables[t], args));
        }
    }
    return SS_OK;
}

ss_status ss_options_bind(ss_arena *arena, const ss_type *type, const ss_args *args,
                          const ss_scope *scope, const char *owner, void *self)
{
    ss_type_start(type, self);
    ss_option_table table = {.keys = type->keys, .self = self};
    return ss_options_bind_tables(arena, 1, &table, args, scope, owner);
}
