/* series.c: the datasets of a record that have one entry for each recorded state. */
#include "record/series.h"

#include <stickslip/solver.h>

#define X(code, words) words ", "
#define OUTCOMES       SS_OUTCOME_LIST(X)

static const ss_series table[SS_SERIES_COUNT] = {
    [SS_SERIES_TIME] = {"/time", SS_NUMBER_REAL, SS_WIDTH_NONE, "s", NULL, "time t"},
    [SS_SERIES_DT] = {"/dt", SS_NUMBER_REAL, SS_WIDTH_NONE, "s", NULL,
                      "size of the step that led to this state; 0 at the start"},
    [SS_SERIES_Q] = {"/q", SS_NUMBER_REAL, SS_WIDTH_Q, "m or rad", "/names/q", "positions"},
    [SS_SERIES_U] = {"/u", SS_NUMBER_REAL, SS_WIDTH_U, "m/s or rad/s", "/names/u", "velocities"},
    [SS_SERIES_GAP] = {"/gap", SS_NUMBER_REAL, SS_WIDTH_ROWS, "m or rad", "/names/rows",
                       "gaps, positive when open; NaN for rows without a gap"},
    [SS_SERIES_GAMMA] = {"/gamma", SS_NUMBER_REAL, SS_WIDTH_ROWS, "m/s or rad/s", "/names/rows",
                         "relative velocities at the end of the step"},
    [SS_SERIES_IMPULSE] = {"/impulse", SS_NUMBER_REAL, SS_WIDTH_ROWS, "N s or N m s", "/names/rows",
                           "impulses over the step"},
    [SS_SERIES_FORCE] = {"/force", SS_NUMBER_REAL, SS_WIDTH_ROWS, "N or N m", "/names/rows",
                         "impulse / dt; 0 at the start"},
    [SS_SERIES_MODE] = {"/mode", SS_NUMBER_INT8, SS_WIDTH_LAWS, "", "/names/laws",
                        "0 constraint; 1 or -1 impressed, with the sign of gamma for laws of one "
                        "kinematic row"},
    [SS_SERIES_KINETIC] = {"/energy/kinetic", SS_NUMBER_REAL, SS_WIDTH_NONE, "J", NULL,
                           "kinetic energy"},
    [SS_SERIES_POTENTIAL] = {"/energy/potential", SS_NUMBER_REAL, SS_WIDTH_NONE, "J", NULL,
                             "potential energy"},
    [SS_SERIES_DISSIPATED] = {"/energy/dissipated", SS_NUMBER_REAL, SS_WIDTH_NONE, "J", NULL,
                              "energy taken out by the laws since the start"},
    [SS_SERIES_LOAD] = {"/energy/load", SS_NUMBER_REAL, SS_WIDTH_NONE, "J", NULL,
                        "work of loads and moving constraints since the start"},
    [SS_SERIES_BALANCE] = {"/energy/balance", SS_NUMBER_REAL, SS_WIDTH_NONE, "J", NULL,
                           "kinetic + potential + dissipated - load, minus its value at the start: "
                           "the error of the energy balance"},
    [SS_SERIES_ITERATIONS] = {"/solver/iterations", SS_NUMBER_INT32, SS_WIDTH_NONE, "", NULL,
                              "iterations of the step's solve"},
    [SS_SERIES_RESIDUAL] = {"/solver/residual", SS_NUMBER_REAL, SS_WIDTH_NONE, "", NULL,
                            "relative residual of the step's solve"},
    [SS_SERIES_OUTCOME] = {"/solver/outcome", SS_NUMBER_INT8, SS_WIDTH_NONE, "", NULL,
                           "how the step's solve ended: " OUTCOMES "counted from 0"},
    [SS_SERIES_ORDER] = {"/order", SS_NUMBER_INT8, SS_WIDTH_NONE, "", NULL,
                         "order of the step where the simulation chooses it, else 0"},
};

const ss_series *ss_series_at(ss_series_id id)
{
    return &table[id];
}

int ss_series_width(const ss_layout *layout, ss_series_id id)
{
    switch (table[id].width) {
    case SS_WIDTH_NONE:
        return 1;
    case SS_WIDTH_Q:
        return layout->n_q;
    case SS_WIDTH_U:
        return layout->n_u;
    case SS_WIDTH_ROWS:
        return layout->n_rows;
    case SS_WIDTH_LAWS:
        return layout->n_laws;
    }
    return 0;
}

size_t ss_number_bytes(ss_number number)
{
    switch (number) {
    case SS_NUMBER_REAL:
        return sizeof(double);
    case SS_NUMBER_INT8:
        return sizeof(int8_t);
    case SS_NUMBER_INT32:
    case SS_NUMBER_UINT32:
        return sizeof(int32_t);
    case SS_NUMBER_INT64:
        return sizeof(int64_t);
    }
    return 0;
}

hid_t ss_number_native(ss_number number)
{
    switch (number) {
    case SS_NUMBER_REAL:
        return H5T_NATIVE_DOUBLE;
    case SS_NUMBER_INT8:
        return H5T_NATIVE_INT8;
    case SS_NUMBER_INT32:
        return H5T_NATIVE_INT32;
    case SS_NUMBER_UINT32:
        return H5T_NATIVE_UINT32;
    case SS_NUMBER_INT64:
        return H5T_NATIVE_INT64;
    }
    return H5I_INVALID_HID;
}
