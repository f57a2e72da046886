/* fields.c: the datasets of a record, with their units and descriptions. */
#include "record/fields.h"

#include <stickslip/solver.h>

#define X(code, words) words ", "
#define OUTCOMES       SS_OUTCOME_LIST(X)

/* Which size of the layout a series has. */
enum { WIDTH_Q = -4, WIDTH_U, WIDTH_ROWS, WIDTH_LAWS };

const ss_field ss_series[SS_SERIES_COUNT] = {
    [SS_SERIES_TIME] = {"/time", SS_NUMBER_REAL, 1, 0, "s", "time t"},
    [SS_SERIES_DT] = {"/dt", SS_NUMBER_REAL, 1, 0, "s",
                      "size of the step that led to this state; 0 at the start"},
    [SS_SERIES_Q] = {"/q", SS_NUMBER_REAL, WIDTH_Q, 0, "m or rad", "positions", "/names/q"},
    [SS_SERIES_U] = {"/u", SS_NUMBER_REAL, WIDTH_U, 0, "m/s or rad/s", "velocities", "/names/u"},
    [SS_SERIES_GAP] = {"/gap", SS_NUMBER_REAL, WIDTH_ROWS, 0, "m or rad",
                       "gaps, positive when open; NaN for rows without a gap", "/names/rows"},
    [SS_SERIES_GAMMA] = {"/gamma", SS_NUMBER_REAL, WIDTH_ROWS, 0, "m/s or rad/s",
                         "relative velocities at the end of the step", "/names/rows"},
    [SS_SERIES_IMPULSE] = {"/impulse", SS_NUMBER_REAL, WIDTH_ROWS, 0, "N s or N m s",
                           "impulses over the step", "/names/rows"},
    [SS_SERIES_FORCE] = {"/force", SS_NUMBER_REAL, WIDTH_ROWS, 0, "N or N m",
                         "impulse / dt; 0 at the start", "/names/rows"},
    [SS_SERIES_MODE] = {"/mode", SS_NUMBER_INT8, WIDTH_LAWS, 0, "",
                        "0 constraint; 1 or -1 impressed, with the sign of gamma for laws of one "
                        "kinematic row",
                        "/names/laws"},
    [SS_SERIES_KINETIC] = {"/energy/kinetic", SS_NUMBER_REAL, 1, 0, "J", "kinetic energy"},
    [SS_SERIES_POTENTIAL] = {"/energy/potential", SS_NUMBER_REAL, 1, 0, "J", "potential energy"},
    [SS_SERIES_DISSIPATED] = {"/energy/dissipated", SS_NUMBER_REAL, 1, 0, "J",
                              "energy taken out by the laws since the start"},
    [SS_SERIES_LOAD] = {"/energy/load", SS_NUMBER_REAL, 1, 0, "J",
                        "work of loads and moving constraints since the start"},
    [SS_SERIES_BALANCE] = {"/energy/balance", SS_NUMBER_REAL, 1, 0, "J",
                           "kinetic + potential + dissipated - load, minus its value at the start: "
                           "the error of the energy balance"},
    [SS_SERIES_ITERATIONS] = {"/solver/iterations", SS_NUMBER_INT32, 1, 0, "",
                              "iterations of the step's solve"},
    [SS_SERIES_RESIDUAL] = {"/solver/residual", SS_NUMBER_REAL, 1, 0, "",
                            "relative residual of the step's solve"},
    [SS_SERIES_OUTCOME] = {"/solver/outcome", SS_NUMBER_INT8, 1, 0, "",
                           "how the step's solve ended: " OUTCOMES "counted from 0"},
    [SS_SERIES_ORDER] = {"/order", SS_NUMBER_INT8, 1, 0, "",
                         "order of the step where the simulation chooses it, else 0"},
};

int ss_series_width(const ss_layout *layout, ss_series_id id)
{
    const int sizes[] = {layout->n_q, layout->n_u, layout->n_rows, layout->n_laws};
    int width = ss_series[id].width;
    return width < 0 ? sizes[width - WIDTH_Q] : 1;
}

#define AT(member) offsetof(ss_contact, member)
const ss_item_type ss_contact_fields = {
    sizeof(ss_contact),
    9,
    {{"/contacts/shapes", SS_NUMBER_INT32, 2, AT(a), "",
      "the two shapes, a and b: indices into /names/shapes, from 0"},
     {"/contacts/feature", SS_NUMBER_UINT32, 1, AT(feature), "",
      "tells the contacts of two shapes apart"},
     {"/contacts/element", SS_NUMBER_INT32, 1, AT(element), "",
      "whose laws it obeys: index into /names/elements, from 0"},
     {"/contacts/mode", SS_NUMBER_INT8, 4, AT(closed), "",
      "closed, slips, spins, rolls: 1 yes, 0 no; all 0: open"},
     {"/contacts/point", SS_NUMBER_REAL, 3, AT(x), "m", "where it is, in space"},
     {"/contacts/normal", SS_NUMBER_REAL, 3, AT(n), "", "unit normal from a to b"},
     {"/contacts/gap", SS_NUMBER_REAL, 1, AT(gap), "m", "gap where the scheme evaluates the laws"},
     {"/contacts/impulse", SS_NUMBER_REAL, 3, AT(P), "N s",
      "impulse on b over the step, in space; divided by dt of its state it is the force"},
     {"/contacts/couple", SS_NUMBER_REAL, 3, AT(L), "N m s",
      "impulsive couple on b over the step, of drilling and rolling friction"}}};
#undef AT

const ss_item_type ss_range_fields = {
    sizeof(ss_contact_range),
    2,
    {{"/contacts/first", SS_NUMBER_INT64, 1, offsetof(ss_contact_range, first), "",
      "where the contacts of a recorded state begin in the other tables"},
     {"/contacts/count", SS_NUMBER_INT32, 1, offsetof(ss_contact_range, count), "",
      "how many contacts it has; -1: they were not recorded"}}};

#define AT(member) offsetof(ss_event_entry, member)
const ss_item_type ss_event_fields = {
    sizeof(ss_event_entry),
    5,
    {{"/events/time", SS_NUMBER_REAL, 1, AT(t), "s", "end of the step in which the law switched"},
     {"/events/law", SS_NUMBER_INT32, 1, AT(law), "", "index into /names/laws, from 0"},
     {"/events/from", SS_NUMBER_INT8, 1, AT(from), "", "mode before: 0 constraint, 1 impressed"},
     {"/events/to", SS_NUMBER_INT8, 1, AT(to), "", "mode after: 0 constraint, 1 impressed"},
     {"/events/impulse", SS_NUMBER_REAL, 1, AT(P), "N s or N m s",
      "magnitude of the law's impulse over that step"}}};
#undef AT

#define AT(member) offsetof(ss_recorded_shape, member)
const ss_item_type ss_shape_fields = {
    sizeof(ss_recorded_shape),
    8,
    {{"/names/shapes", SS_NUMBER_TEXT, 1, AT(name)},
     {"/shapes/type", SS_NUMBER_TEXT, 1, AT(type)},
     {"/shapes/material", SS_NUMBER_TEXT, 1, AT(material)},
     {"/shapes/system", SS_NUMBER_TEXT, 1, AT(system)},
     {"/shapes/radius", SS_NUMBER_REAL, 1, AT(radius)},
     {"/shapes/mesh", SS_NUMBER_INT32, 1, AT(mesh)},
     {"/shapes/position", SS_NUMBER_REAL, 3, AT(position), "m",
      "origin of the shape's frame in that of its system"},
     {"/shapes/rotation", SS_NUMBER_REAL, 4, AT(rotation), "",
      "Euler parameters e0 e1 e2 e3 of the shape's frame in that of its system"}}};
#undef AT

const ss_item_type ss_point_fields = {3 * sizeof(double),
                                      1,
                                      {{"/meshes/points", SS_NUMBER_REAL, 3, 0, "m",
                                        "corners of all meshes, one mesh behind the other"}}};

const ss_item_type ss_triangle_fields = {
    3 * sizeof(int32_t),
    1,
    {{"/meshes/triangles", SS_NUMBER_INT32, 3, 0, "",
      "three corners each, counted from the first point of their mesh, counter-clockwise seen "
      "from outside"}}};

#define AT(member) offsetof(ss_statistics, member)
const ss_field ss_statistics_fields[SS_STATISTICS_COUNT] = {
    {"steps", SS_NUMBER_UINT64, 1, AT(steps)},
    {"tries", SS_NUMBER_UINT64, 1, AT(tries)},
    {"iterations", SS_NUMBER_UINT64, 1, AT(iterations)},
    {"max_iterations", SS_NUMBER_UINT64, 1, AT(max_iterations)},
    {"failures", SS_NUMBER_UINT64, 1, AT(failures)},
    {"switches", SS_NUMBER_UINT64, 1, AT(switches)},
    {"worst_residual", SS_NUMBER_REAL, 1, AT(worst_residual)},
    {"dissipated", SS_NUMBER_REAL, 1, AT(dissipated)},
    {"load_work", SS_NUMBER_REAL, 1, AT(load_work)},
    {"indeterminate", SS_NUMBER_UINT64, 1, AT(indeterminate)},
    {"not_chosen", SS_NUMBER_UINT64, 1, AT(not_chosen)},
    {"forces_code", SS_NUMBER_UINT64, 1, AT(forces)},
    {"gains", SS_NUMBER_UINT64, 1, AT(gains)},
    {"gained", SS_NUMBER_REAL, 1, AT(gained)},
    {"unconverged", SS_NUMBER_UINT64, 1, AT(unconverged)},
    {"unexamined", SS_NUMBER_UINT64, 1, AT(unexamined)},
    {"uneven", SS_NUMBER_UINT64, 1, AT(uneven)},
    {"too_fast", SS_NUMBER_UINT64, 1, AT(too_fast)},
    {"certified", SS_NUMBER_UINT64, 1, AT(certified)},
    {"uncertified", SS_NUMBER_UINT64, 1, AT(uncertified)},
    {"violations", SS_NUMBER_UINT64, 1, AT(violations)},
    {"violation_kind", SS_NUMBER_UINT64, 1, AT(violation.kind)},
    {"violation_time", SS_NUMBER_REAL, 1, AT(violation.t)},
    {"violation_size", SS_NUMBER_REAL, 1, AT(violation.size)},
};
#undef AT
