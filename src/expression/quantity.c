/* quantity.c: reads numbers with units and converts them to SI. */
#include "expression/quantity.h"

#include "expression/token.h"
#include "la/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * quantity: number blanks unit
 * unit:     factor { (" " | "*" | "·" | "/") factor }   each "/" divides by the one factor behind it
 * factor:   symbol [ "^" whole number | "²" | "³" ] | "1"
 * symbol:   a unit, or a prefix and a unit that takes prefixes
 */

typedef struct known_unit {
    const char *symbol;
    double factor; /* in SI */
    ss_dimension dimension;
    bool prefixes;
} known_unit;

#define PI 3.14159265358979323846

static const known_unit units[] = {
    {"m", 1, {.metre = 1}, true},
    {"g", 1e-3, {.kilogram = 1}, true},
    {"s", 1, {.second = 1}, true},
    {"rad", 1, {.radian = 1}, true},
    {"N", 1, {.metre = 1, .kilogram = 1, .second = -2}, true},
    {"J", 1, {.metre = 2, .kilogram = 1, .second = -2}, true},
    {"W", 1, {.metre = 2, .kilogram = 1, .second = -3}, true},
    {"Pa", 1, {.metre = -1, .kilogram = 1, .second = -2}, true},
    {"Hz", 1, {.second = -1}, true},
    {"bar", 1e5, {.metre = -1, .kilogram = 1, .second = -2}, true},
    {"deg", PI / 180, {.radian = 1}, false},
    {"°", PI / 180, {.radian = 1}, false},
    {"rev", 2 * PI, {.radian = 1}, false},
    {"rpm", 2 * PI / 60, {.radian = 1, .second = -1}, false},
    {"min", 60, {.second = 1}, false},
    {"h", 3600, {.second = 1}, false},
    {"t", 1000, {.kilogram = 1}, false},
    {"in", 0.0254, {.metre = 1}, false},
    {"ft", 0.3048, {.metre = 1}, false},
    {"lb", 0.45359237, {.kilogram = 1}, false},
};
enum { N_UNITS = sizeof units / sizeof *units };

static const struct {
    const char *symbol;
    double factor;
} prefixes[] = {
    {"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6}, {"μ", 1e-6}, {"m", 1e-3},
    {"c", 1e-2}, {"d", 1e-1}, {"k", 1e3},  {"M", 1e6},  {"G", 1e9},
};
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes };

/* ---- Factors ---- */

static bool is(const char *text, size_t length, const char *symbol)
{
    return strlen(symbol) == length && memcmp(text, symbol, length) == 0;
}

/* The unit of a symbol, or NULL; *factor is its size with the prefix. */
static const known_unit *find(const char *text, size_t length, double *factor)
{
    for (int i = 0; i < N_UNITS; i++)
        if (is(text, length, units[i].symbol)) {
            *factor = units[i].factor;
            return &units[i];
        }
    for (int k = 0; k < N_PREFIXES; k++) {
        size_t skip = strlen(prefixes[k].symbol);
        if (skip >= length || memcmp(text, prefixes[k].symbol, skip) != 0)
            continue;
        for (int i = 0; i < N_UNITS; i++)
            if (units[i].prefixes && is(text + skip, length - skip, units[i].symbol)) {
                *factor = prefixes[k].factor * units[i].factor;
                return &units[i];
            }
    }
    return NULL;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The letters of a symbol; superscripts and dots end it. */
static size_t symbol_length(const char *text)
{
    size_t n = 0;
    while (ss_is_letter(text[n]) && text[n] != '_' && !begins(text + n, "²") &&
           !begins(text + n, "³") && !begins(text + n, "·") && !begins(text + n, "⋅"))
        n++;
    return n;
}

/* What stands behind a symbol: its power, and how long that is. */
static int read_power(const char *text, size_t *length)
{
    *length = 0;
    if (begins(text, "²") || begins(text, "³")) {
        *length = strlen("²");
        return begins(text, "²") ? 2 : 3;
    }
    size_t sign = text[0] == '^' && text[1] == '-';
    if (text[0] != '^' || text[1 + sign] < '1' || text[1 + sign] > '9')
        return 1;
    *length = 2 + sign;
    return (text[1 + sign] - '0') * (sign ? -1 : 1);
}

static void multiply(ss_dimension *dimension, ss_dimension by, int power)
{
    dimension->metre += power * by.metre;
    dimension->kilogram += power * by.kilogram;
    dimension->second += power * by.second;
    dimension->radian += power * by.radian;
}

/* What joins two factors: how long it is, and whether it divides; 0: there is none. */
static size_t join_length(const char *text, bool *divides)
{
    static const char *const joins[] = {"*", "·", "⋅", "/"};
    size_t blanks = strspn(text, " \t\n");
    *divides = false;
    for (int i = 0; i < 4; i++)
        if (begins(text + blanks, joins[i])) {
            *divides = i == 3;
            size_t length = blanks + strlen(joins[i]);
            return length + strspn(text + length, " \t\n");
        }
    return blanks;
}

typedef struct product {
    double factor;
    ss_dimension dimension;
    size_t length; /* of the text that was read */
    size_t whole;  /* the same without a factor that is none, and what is before it */
    size_t wrong;  /* length of a symbol there that is no unit */
} product;

/* Reads factors as long as there are some; false: what is at `length` is no factor. */
static bool read_product(const char *text, product *p)
{
    bool divides = false;
    *p = (product){.factor = 1};
    for (;;) {
        double factor = 1;
        size_t symbol = symbol_length(text + p->length), power_length = 0;
        bool one = p->length == 0 && text[0] == '1';
        const known_unit *found = find(text + p->length, symbol, &factor);
        p->wrong = symbol;
        if (!found && !(one && symbol == 0))
            return false;
        p->length += one ? 1 : symbol;
        if (found) {
            int power = read_power(text + p->length, &power_length);
            power = divides ? -power : power;
            p->factor *= ss_pow(factor, power);
            multiply(&p->dimension, found->dimension, power);
        }
        p->length += power_length;
        size_t join = join_length(text + p->length, &divides);
        bool more = ss_is_letter(text[p->length + join]);
        p->whole = p->length;
        if (join == 0 || !more)
            return true;
        p->length += join;
    }
}

/* ---- Quantities ---- */

/* Where the unit of a quantity begins; 0: the text is none. */
static size_t find_unit(const char *text)
{
    size_t start = strspn(text, " \t\n"), sign = text[start] == '-' || text[start] == '+';
    const char *number = text + start + sign;
    char *end = NULL;
    bool digit = (number[0] >= '0' && number[0] <= '9') ||
                 (number[0] == '.' && number[1] >= '0' && number[1] <= '9');
    if (!digit || number[1] == 'x' || number[1] == 'X')
        return 0;
    strtod(number, &end);
    size_t blanks = strspn(end, " \t\n");
    double factor;
    bool unit =
        find(end + blanks, symbol_length(end + blanks), &factor) || begins(end + blanks, "1/");
    return blanks > 0 && unit ? (size_t)(end + blanks - text) : 0;
}

bool ss_unit_is(const char *name, size_t length)
{
    double factor;
    return find(name, length, &factor);
}

bool ss_quantity_is(const char *text)
{
    return find_unit(text) > 0;
}

static ss_status fail(ss_context *context, const ss_text *text, size_t at, const product *p)
{
    const char *symbol = text->text + at + p->length;
    return ss_text_fail(
        context, SS_INPUT, text, at + p->length,
        "'%.*s' is no unit; there are m, g, s, rad, N, J, W, Pa, Hz, bar with the "
        "prefixes n, u, m, c, d, k, M, G, and deg, rev, rpm, min, h, t, in, ft, lb; "
        "a product of numbers and names has a '*'",
        (int)p->wrong, symbol);
}

ss_status ss_quantity_read(ss_context *context, const ss_text *text, double *value,
                           ss_dimension *dimension)
{
    product p;
    size_t at = find_unit(text->text);
    if (!read_product(text->text + at, &p))
        return fail(context, text, at, &p);
    size_t end = at + p.length;
    end += strspn(text->text + end, " \t\n");
    if (text->text[end])
        return ss_text_fail(context, SS_INPUT, text, end,
                            "a number with a unit stands alone: nothing can be behind it");
    *value = strtod(text->text, NULL) * p.factor;
    if (dimension)
        *dimension = p.dimension;
    if (isfinite(*value))
        return SS_OK;
    return ss_text_fail(context, SS_NON_FINITE, text, 0, "the value is not finite");
}

static bool same(ss_dimension a, ss_dimension b)
{
    return a.metre == b.metre && a.kilogram == b.kilogram && a.second == b.second &&
           a.radian == b.radian;
}

bool ss_unit_fits(const char *unit, ss_dimension dimension)
{
    if (unit && strcmp(unit, SS_UNIT_ANY) == 0)
        return true;
    while (unit && *unit) {
        product p;
        read_product(unit, &p);
        unit += p.whole;
        bool end = !*unit || begins(unit, ", ") || begins(unit, " or ");
        if (end && same(p.dimension, dimension))
            return true;
        while (*unit && !begins(unit, ", ") && !begins(unit, " or "))
            unit++;
        unit += begins(unit, ", ") ? 2 : begins(unit, " or ") ? 4 : 0;
    }
    return false;
}
