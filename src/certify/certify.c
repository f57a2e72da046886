/* certify.c: whether impulses and velocities obey a law, by the law's own words. */
#include "certify/certify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Errors of an impulse and of a velocity add up, and with them those of the impulse that scales a set. */
static const double share = 4;

static const struct {
    const char *text, *unit;
} breaches[SS_BREACH_COUNT] = {
    [SS_BREACH_NONE] = {"nothing", ""},
    [SS_BREACH_PULL] = {"acts the wrong way: a contact pulls", "N s"},
    [SS_BREACH_CONE] = {"its impulse is outside of its set", "N s"},
    [SS_BREACH_SLIP] = {"friction does not oppose the slip with all it has", "N s"},
    [SS_BREACH_COMPLEMENTARITY] = {"acts while it opens, or moves while it is held", "m/s"},
    [SS_BREACH_APPROACH] = {"still approaches", "m/s"},
    [SS_BREACH_RESTITUTION] = {"does not come back with its restitution", "m/s"},
    [SS_BREACH_MOMENTUM] = {"velocities are not those that the impulses make", "J"},
    [SS_BREACH_GAP] = {"acts at a distance, or has penetrated", "m"},
    [SS_BREACH_RUNAWAY] = {"its impulse is so large that rounding hides whether laws hold", "N s"},
};

const char *ss_breach_text(ss_breach breach)
{
    return (unsigned)breach < SS_BREACH_COUNT ? breaches[breach].text : "unknown";
}

const char *ss_breach_unit(ss_breach breach)
{
    return (unsigned)breach < SS_BREACH_COUNT ? breaches[breach].unit : "";
}

static ss_breach found(ss_breach breach, double amount, double *size)
{
    *size = amount;
    return breach;
}

static double length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static bool is_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* ---- One row: a set from `low` to `high`, either end may be infinite ---- */

/* γ pushes the impulse to one end of its set; `room` is how far from that end it is. */
static ss_breach check_end(const ss_certified_law *law, double room, bool one_sided, double *size)
{
    double speed = fabs(law->gamma[0]);
    if (isinf(room))
        return found(one_sided ? SS_BREACH_APPROACH : SS_BREACH_COMPLEMENTARITY, speed, size);
    if (room <= share * law->P_error)
        return SS_BREACH_NONE;
    return one_sided ? found(SS_BREACH_COMPLEMENTARITY, speed, size)
                     : found(SS_BREACH_SLIP, room, size);
}

static ss_breach check_row(const ss_certified_law *law, double *size)
{
    const double up = 1, down = -1;
    double P = law->P[0], gamma = law->gamma[0];
    double high = ss_set_support(law->set, law->scale, &up);
    double low = -ss_set_support(law->set, law->scale, &down);
    bool one_sided = isinf(high) != isinf(low);
    double outside = fmax(low - P, P - high);
    if (outside > share * law->P_error)
        return found(one_sided ? SS_BREACH_PULL : SS_BREACH_CONE, outside, size);
    if (fabs(gamma) <= share * law->gamma_error)
        return SS_BREACH_NONE;
    return check_end(law, gamma > 0 ? P - low : high - P, one_sided, size);
}

/* ---- More rows ---- */

static ss_breach check_free(const ss_certified_law *law, double *size)
{
    double speed = length(law->set->dim, law->gamma);
    return speed > share * law->gamma_error ? found(SS_BREACH_COMPLEMENTARITY, speed, size)
                                            : SS_BREACH_NONE;
}

/* |P| <= R, and P = -R γ/|γ| where there is slip, whose direction is as good as γ. */
static ss_breach check_ball(const ss_certified_law *law, double *size)
{
    int n = law->set->dim;
    double along[SS_SET_MAX_DIM] = {1}, missing[SS_SET_MAX_DIM];
    double R = ss_set_support(law->set, law->scale, along), speed = length(n, law->gamma);
    double outside = length(n, law->P) - R;
    if (outside > share * law->P_error)
        return found(SS_BREACH_CONE, outside, size);
    if (speed <= share * law->gamma_error)
        return SS_BREACH_NONE;
    if (isinf(R))
        return found(SS_BREACH_COMPLEMENTARITY, speed, size);
    for (int i = 0; i < n; i++)
        missing[i] = law->P[i] + R * law->gamma[i] / speed;
    double most = share * (law->P_error + R * fmin(1, law->gamma_error / speed));
    double off = length(n, missing);
    return off > most ? found(SS_BREACH_SLIP, off, size) : SS_BREACH_NONE;
}

/* Of any set: P in C, and the power -Pᵀγ is the largest that C has. Where that is infinite, the nearest point of C must be P. */
static ss_breach check_set(const ss_certified_law *law, double *size)
{
    int n = law->set->dim;
    double back[SS_SET_MAX_DIM], power = 0, speed = length(n, law->gamma);
    if (!ss_set_contains(law->set, law->scale, law->P, share * law->P_error))
        return found(SS_BREACH_CONE, length(n, law->P), size);
    if (speed <= share * law->gamma_error)
        return SS_BREACH_NONE;
    for (int i = 0; i < n; i++) {
        back[i] = -law->gamma[i];
        power += back[i] * law->P[i];
    }
    double most = ss_set_support(law->set, law->scale, back);
    if (!isinf(most)) {
        double error = law->P_error * speed + length(n, law->P) * law->gamma_error;
        bool holds = most - power <= share * error;
        return holds ? SS_BREACH_NONE : found(SS_BREACH_SLIP, (most - power) / speed, size);
    }
    for (int i = 0; i < n; i++)
        back[i] = law->P[i] - law->P_error / law->gamma_error * law->gamma[i];
    ss_set_prox(law->set, law->scale, back, back);
    for (int i = 0; i < n; i++)
        back[i] -= law->P[i];
    return length(n, back) > share * law->P_error ? found(SS_BREACH_COMPLEMENTARITY, speed, size)
                                                  : SS_BREACH_NONE;
}

ss_breach ss_certify_law(const ss_certified_law *law, double *size)
{
    int n = law->set->dim;
    *size = 0;
    if (!is_finite(n, law->P) || !is_finite(n, law->gamma))
        return found(SS_BREACH_RUNAWAY, INFINITY, size);
    switch (law->set->kind) {
    case SS_SET_FREE:
        return check_free(law, size);
    case SS_SET_DISK:
    case SS_SET_BALL:
        return check_ball(law, size);
    default:
        return n == 1 ? check_row(law, size) : check_set(law, size);
    }
}

/* ---- Impacts, momentum, gaps ---- */

ss_breach ss_certify_impact(const ss_certified_impact *impact, double *size)
{
    double off = fabs(impact->after + impact->epsilon * impact->before);
    *size = 0;
    if (fabs(impact->P) <= share * impact->P_error || off <= share * impact->gamma_error)
        return SS_BREACH_NONE;
    return found(SS_BREACH_RESTITUTION, off, size);
}

ss_breach ss_certify_momentum(double missing, double energy, double tolerance, double *size)
{
    *size = 0;
    return missing <= tolerance * tolerance * energy ? SS_BREACH_NONE
                                                     : found(SS_BREACH_MOMENTUM, missing, size);
}

ss_breach ss_certify_gap(double gap, bool acts, double error, double *size)
{
    double off = acts ? fabs(gap) : -gap;
    *size = 0;
    return off > error ? found(SS_BREACH_GAP, off, size) : SS_BREACH_NONE;
}

void ss_certificate_note(ss_statistics *sums, double t, ss_breach breach, double size,
                         const char *law)
{
    if (sums->violation.kind != SS_BREACH_NONE)
        return;
    sums->violation = (ss_violation){.t = t, .size = size, .kind = (uint64_t)breach};
    snprintf(sums->violation.law, sizeof sums->violation.law, "%s", law);
}
