/* test_quantity.c: numbers with units: values, dimensions, what is no quantity, messages. */

#include "expression/quantity.h"

#include "base/context.h"

#include "support/test.h"
#include <stickslip/expression.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Values from the definitions of the units. */
static const struct {
    const char *text;
    double value;
    ss_dimension dimension;
} quantities[] = {
    {"500 mm", 0.5, {.metre = 1}},
    {"-3 deg", -PI / 60, {.radian = 1}},
    {"180 °", PI, {.radian = 1}},
    {"2 kN/m", 2000, {.kilogram = 1, .second = -2}},
    {"45 g", 0.045, {.kilogram = 1}},
    {"45 kg", 45, {.kilogram = 1}},
    {"30 rpm", PI, {.radian = 1, .second = -1}},
    {"2 rev/min", 4 * PI / 60, {.radian = 1, .second = -1}},
    {"36 km/h", 10, {.metre = 1, .second = -1}},
    {"+1.5e3 um", 1.5e-3, {.metre = 1}},
    {".5 µm", .5e-6, {.metre = 1}},
    {"7 μs", 7e-6, {.second = 1}},
    {" 2  kg m^2 ", 2, {.metre = 2, .kilogram = 1}},
    {"2 kg·m²", 2, {.metre = 2, .kilogram = 1}},
    {"3 g/cm³", 3000, {.metre = -3, .kilogram = 1}},
    {"3 g/cm^3", 3000, {.metre = -3, .kilogram = 1}},
    {"3 g*cm^-3", 3000, {.metre = -3, .kilogram = 1}},
    {"5 N mm/deg", 0.9 / PI, {.metre = 2, .kilogram = 1, .second = -2, .radian = -1}},
    {"5 1/s", 5, {.second = -1}},
    {"5 1/ms²", 5e6, {.second = -2}},
    {"5 kHz", 5000, {.second = -1}},
    {"2 mN s", 2e-3, {.metre = 1, .kilogram = 1, .second = -1}},
    {"1 N/m s", 1, {.kilogram = 1, .second = -1}}, /* each / divides by one factor */
    {"1 N/m/s", 1, {.kilogram = 1, .second = -3}},
    {"2 min", 120, {.second = 1}},
    {"2 MPa", 2e6, {.metre = -1, .kilogram = 1, .second = -2}},
    {"3 mbar", 300, {.metre = -1, .kilogram = 1, .second = -2}},
    {"4 kJ", 4000, {.metre = 2, .kilogram = 1, .second = -2}},
    {"4 mW", 4e-3, {.metre = 2, .kilogram = 1, .second = -3}},
    {"10 in", 0.254, {.metre = 1}},
    {"10 ft", 3.048, {.metre = 1}},
    {"2 t", 2000, {.kilogram = 1}},
    {"100 lb", 45.359237, {.kilogram = 1}},
    {"2 dm", 0.2, {.metre = 1}},
    {"2 mrad", 2e-3, {.radian = 1}},
};
enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static ss_context *make(void **state)
{
    return *state;
}

static void values(void **state)
{
    ss_context *context = make(state);
    for (int i = 0; i < N_QUANTITIES; i++) {
        double value, evaluated;
        ss_dimension d, e = quantities[i].dimension;
        ss_text text = {quantities[i].text, {0}};
        assert_true(ss_quantity_is(text.text));
        assert_int_equal(ss_quantity_read(context, &text, &value, &d), SS_OK);
        if (fabs(value - quantities[i].value) > 4e-16 * fabs(quantities[i].value))
            fail_msg("%s is %.17g, not %.17g", text.text, value, quantities[i].value);
        if (d.metre != e.metre || d.kilogram != e.kilogram || d.second != e.second ||
            d.radian != e.radian)
            fail_msg("%s: m^%d kg^%d s^%d rad^%d", text.text, d.metre, d.kilogram, d.second,
                     d.radian);
        assert_int_equal(ss_evaluate(context, NULL, &text, &evaluated), SS_OK);
        assert_true(evaluated == value);
    }
}

static void formulas_are_none(void **state)
{
    static const char *const texts[] = {"",   "1",     "1 + 2", "1 / 2", "2*m",   "500mm",
                                        "m",  "-m",    "1 ? 2", "2 × 3", "- 3 m", "2 foo",
                                        "1e", "0x1 m", "3 m1",  "1 - m", ". m",   "2 _m"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ss_quantity_is(texts[i]) && strcmp(texts[i], "3 m1") != 0)
            fail_msg("'%s' is no quantity", texts[i]);
}

static void messages(void **state)
{
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"3 m + 2", "f:2:9: a number with a unit stands alone: nothing can be behind it"},
        {"3 m*x", "f:2:9: 'x' is no unit; there are m, g, s,"},
        {"3 m1", "f:2:8: a number with a unit stands alone"},
        {"3 m/", "f:2:8: a number with a unit stands alone"},
        {"1 m 1", "f:2:9: a number with a unit stands alone"},
        {"1 m foo", "f:2:9: 'foo' is no unit"},
        {"1e999 kg", "f:2:5: the value is not finite"},
        {"500mm", "f:2:8: an operator is missing; did you mean 500*mm? A number with a unit stands "
                  "alone and has a blank before the unit: 500 mm"},
    };
    ss_context *context = make(state);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        double value;
        ss_text text = {faults[i].text, {"f", 2, 5}};
        assert_int_not_equal(ss_evaluate(context, NULL, &text, &value), SS_OK);
        if (strncmp(ss_context_message(context), faults[i].message, strlen(faults[i].message)) != 0)
            fail_msg("%s: %s", faults[i].text, ss_context_message(context));
    }
}

static void fits(void **state)
{
    static const struct {
        const char *unit, *quantity;
        bool fits;
    } cases[] = {
        {"m", "1 mm", true},
        {"m", "1 s", false},
        {"m or rad", "1 mm", true},
        {"m or rad", "1 deg", true},
        {"m or rad", "1 s", false},
        {"N/m, N m/rad", "1 kN/mm", true},
        {"N/m, N m/rad", "1 N m/rad", true},
        {"N/m, N m/rad", "1 N m", false},
        {"rad/s", "1 rpm", true},
        {"rad/s", "1 Hz", false}, /* one would mean 2π of the other */
        {"1/s²", "1 1/s^2", true},
        {"m/s^2", "1 cm/s²", true},
        {"kg, kg m²", "1 g cm²", true},
        {"kg/m³", "1 g/cm^3", true},
        {"", "1 m", false},
        {NULL, "1 m", false},
        {"", "1 rad", false},
        {SS_UNIT_ANY, "1 m", true},
        {"m", "1 m/s s", true},
    };
    ss_context *context = make(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        ss_dimension dimension;
        ss_text text = {cases[i].quantity, {0}};
        assert_int_equal(ss_quantity_read(context, &text, &value, &dimension), SS_OK);
        if (ss_unit_fits(cases[i].unit, dimension) != cases[i].fits)
            fail_msg("'%s' and %s", cases[i].unit ? cases[i].unit : "none", cases[i].quantity);
    }
}

static int set_up(void **state)
{
    ss_context *context;
    if (ss_context_create_bare(NULL, &context) != SS_OK)
        return 1;
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(formulas_are_none),
        cmocka_unit_test(messages),
        cmocka_unit_test(fits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
