/* verdict.c: whether a run is trusted, from its sums and from the energies that were recorded; and the line that says it. */
#include "record/recorder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Energies ---- */

/* Kinetic, potential, dissipated, load, balance. */
static void add_energies(ss_energies *e, const double x[5])
{
    double size = x[0] + fabs(x[1]) + fabs(x[2]) + fabs(x[3]);
    if (e->states++ == 0) {
        e->first_kinetic = x[0];
        e->first_potential = x[1];
    }
    e->infinite = e->infinite || !isfinite(size) || !isfinite(x[4]);
    e->error = fmax(e->error, fabs(x[4]));
    e->size = fmax(e->size, size);
    e->kinetic = fmax(e->kinetic, x[0]);
    double fallen = fmax(0, e->first_potential - x[1]);
    e->supply = fmax(e->supply, e->first_kinetic + fallen + fabs(x[3]));
}

enum { BLOCK = 512, ENERGIES = 5 };

static const ss_series_id ids[ENERGIES] = {SS_SERIES_KINETIC, SS_SERIES_POTENTIAL,
                                           SS_SERIES_DISSIPATED, SS_SERIES_LOAD, SS_SERIES_BALANCE};

void ss_recorder_add_energies(ss_recorder *recorder)
{
    double x[ENERGIES];
    for (int k = 0; k < ENERGIES; k++)
        x[k] = ((const double *)recorder->series[ids[k]].entries)[recorder->buffered];
    add_energies(&recorder->energies, x);
}

ss_status ss_recorder_read_energies(ss_recorder *recorder, size_t states)
{
    double values[ENERGIES][BLOCK];
    recorder->energies = (ss_energies){0};
    for (size_t first = 0; first < states; first += BLOCK) {
        size_t rest = states - first, count = rest < BLOCK ? rest : BLOCK;
        for (int k = 0; k < ENERGIES; k++)
            SS_TRY(ss_dataset_read(&recorder->series[ids[k]].table, first, count, values[k]));
        for (size_t i = 0; i < count; i++)
            add_energies(&recorder->energies,
                         (const double[]){values[0][i], values[1][i], values[2][i], values[3][i],
                                          values[4][i]});
    }
    return SS_OK;
}

/* ---- The line ---- */

typedef struct line {
    char text[2048];
    unsigned doubts;
} line;

static void add(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(line *l, const char *format, ...)
{
    size_t used = strlen(l->text);
    va_list args;
    va_start(args, format);
    vsnprintf(l->text + used, sizeof l->text - used, format, args);
    va_end(args);
}

/* Begins what is said of a doubt. */
static void doubt(line *l, ss_doubt doubt)
{
    int i = 0;
    while (ss_doubt_at(i) != doubt)
        i++;
    add(l, "%s%s: ", l->doubts ? "; " : "", ss_doubt_name(i));
    l->doubts |= (unsigned)doubt;
}

/* Energies that grow a hundred times beyond all that there was to move with, or leave the numbers. */
static void judge_energies(line *l, const ss_energies *e, double gained)
{
    const double many = 100, rounding = 1e-12;
    if (e->infinite) {
        doubt(l, SS_DOUBT_GROWTH);
        add(l, "energies are no numbers any more");
        return;
    }
    double supply = e->supply + fmax(0, gained) + rounding * e->size;
    if (e->kinetic > many * supply) {
        doubt(l, SS_DOUBT_GROWTH);
        add(l, "kinetic energy of %.3g J, and only %.3g J to move with", e->kinetic, supply);
    }
    if (e->error > SS_ENERGY_BOUND * e->size) {
        doubt(l, SS_DOUBT_ENERGY);
        add(l, "%.3g J of %.3g J unaccounted for, more than %g %%: try smaller steps", e->error,
            e->size, 100 * SS_ENERGY_BOUND);
    }
}

static void judge_steps(line *l, const ss_statistics *s)
{
    const ss_violation *v = &s->violation;
    if (s->unconverged > 0) {
        doubt(l, SS_DOUBT_CONVERGENCE);
        add(l, "%llu step%s accepted that did not converge", (unsigned long long)s->unconverged,
            s->unconverged == 1 ? "" : "s");
    }
    if (s->violations > 0) {
        doubt(l, SS_DOUBT_LAWS);
        add(l, "not kept in %llu solve%s, first at t = %.9g s: %s: %s, by %.3g %s",
            (unsigned long long)s->violations, s->violations == 1 ? "" : "s", v->t, v->law,
            ss_breach_text((ss_breach)v->kind), v->size, ss_breach_unit((ss_breach)v->kind));
    }
    if (s->too_fast > 0) {
        doubt(l, SS_DOUBT_TUNNELLING);
        add(l, "in %llu step%s a shape moved by more than half of its thickness",
            (unsigned long long)s->too_fast, s->too_fast == 1 ? "" : "s");
    }
}

/* Begins what is said of something that nobody looked at, which is no fault. */
static void open_question(line *l, bool *any)
{
    add(l, "%s", *any ? ", " : "; not examined: ");
    *any = true;
}

static void tell_unexamined(line *l, const ss_statistics *s)
{
    bool any = false;
    if (s->certified + s->uncertified == 0) {
        open_question(l, &any);
        add(l, "the laws of each step (--certify)");
    }
    if (s->uncertified > 0) {
        open_question(l, &any);
        add(l,
            "the laws of %llu steps, whose forces are not unique, or whose scheme or choice of "
            "forces has other ones",
            (unsigned long long)s->uncertified);
    }
    if (s->unexamined > 0) {
        open_question(l, &any);
        add(l, "whether forces are unique in %llu steps with many rows",
            (unsigned long long)s->unexamined);
    }
    if (s->uneven > 0) {
        open_question(l, &any);
        add(l, "whether loads are even in %llu steps with many rows or a coarse tolerance",
            (unsigned long long)s->uneven);
    }
    if (s->indeterminate > 0) {
        open_question(l, &any);
        add(l, "whether the motion depends on forces that are not unique");
    }
}

static void judge(line *l, const ss_statistics *s, const ss_energies *e, bool finished)
{
    if (!finished) {
        doubt(l, SS_DOUBT_UNFINISHED);
        add(l, "the run did not reach its end");
    }
    judge_steps(l, s);
    judge_energies(l, e, s->gained);
    if (l->doubts == 0) {
        double part = e->size > 0 ? e->error / e->size : 0;
        add(l, "energies balance to %.2g of them", part);
        if (s->certified > 0)
            add(l, ", laws kept in %llu solves and phases", (unsigned long long)s->certified);
    }
    tell_unexamined(l, s);
}

ss_status ss_recorder_write_verdict(ss_recorder *recorder)
{
    const ss_state *state = ss_simulation_state(recorder->simulation);
    line l = {.doubts = 0};
    judge(&l, ss_state_statistics(state), &recorder->energies,
          ss_simulation_done(recorder->simulation));
    SS_TRY(ss_store_set_count(&recorder->store, "/", "doubts", l.doubts));
    SS_TRY(ss_store_set_count(&recorder->store, "/", "allowed",
                              ss_simulation_allowed(recorder->simulation)));
    return ss_store_set_text(&recorder->store, "/", "verdict", l.text);
}
