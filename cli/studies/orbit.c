/* orbit.c: follows a motion and takes it where it passes a section: each period, at events, or where an expression is zero. */
#include "studies/orbit.h"

#include "commands/interrupt.h"
#include "studies/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the command line says ---- */

static bool read_count(const ss_cli_arguments *arguments, const char *option, int least, int other,
                       int *count)
{
    const char *given = ss_cli_value(arguments, option);
    char *end = NULL;
    long n = given ? strtol(given, &end, 10) : other;
    *count = (int)n;
    if (!given || (!*end && end != given && n >= least && n <= 10000000))
        return true;
    ss_cli_error("--%s is '%s'; it must be a number %d … 10000000", option, given, least);
    return false;
}

/* "stop.gap closed"; false when the text names no law. */
static bool read_event(const ss_model *model, const char *text, ss_cli_section *section, bool *good)
{
    const char *word = strrchr(text, ' ');
    size_t length = word ? (size_t)(word - text) : 0;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (int i = 0; length > 0 && i < ss_model_sizes(model).n_laws; i++) {
        ss_law_info law = ss_model_law(model, i);
        if (strlen(law.name) != length || strncmp(law.name, text, length) != 0)
            continue;
        section->kind = SS_CLI_BY_EVENT;
        section->law = i;
        section->constraint = strcmp(word + 1, law.words[0]) == 0;
        *good = section->constraint || strcmp(word + 1, law.words[1]) == 0;
        if (!*good)
            ss_cli_error("--section is '%s'; '%s' can be %s or %s", text, law.name, law.words[0],
                         law.words[1]);
        return true;
    }
    return false;
}

static bool check_expressions(const ss_model *model, const char *option, int count,
                              const char *const *expressions)
{
    ss_cli_probe signals;
    ss_status status = ss_cli_probe_create(model, count, expressions, &signals);
    ss_cli_probe_release(&signals);
    if (status != SS_OK)
        ss_cli_error("--%s: %s", option, ss_context_message(ss_model_context(model)));
    return status == SS_OK;
}

static bool read_section(const ss_model *model, ss_cli_section *section)
{
    static const struct {
        const char *word;
        int sign;
    } slopes[] = {{"up:", 1}, {"down:", -1}, {"both:", 0}};
    bool good = true;
    const char *text = section->text;
    if (!text) {
        if (!section->period)
            ss_cli_error("give --period EXPR, --section 'LAW closed' or --section EXPR");
        return section->period;
    }
    if (read_event(model, text, section, &good))
        return good;
    section->kind = SS_CLI_BY_EXPRESSION;
    section->expression = text;
    section->sign = 1;
    for (int i = 0; i < 3; i++)
        if (strncmp(text, slopes[i].word, strlen(slopes[i].word)) == 0) {
            section->expression = text + strlen(slopes[i].word);
            section->sign = slopes[i].sign;
        }
    return check_expressions(model, "section", 1, &section->expression);
}

static ss_status find_period(const ss_cli_section *section, const ss_model *model, double *period)
{
    ss_context *context = ss_model_context(model);
    ss_text text = {section->period, {0}};
    *period = 0;
    if (!section->period)
        return SS_OK;
    SS_TRY(ss_evaluate(context, ss_model_scope(model), &text, period));
    if (*period > 0 && isfinite(*period))
        return SS_OK;
    return ss_fail(context, SS_INPUT, "--period is %g s; it must be > 0", *period);
}

static bool read_signals(const ss_cli_arguments *arguments, const ss_model *model,
                         ss_cli_section *section)
{
    enum { MOST = sizeof section->signals / sizeof *section->signals };
    ss_model_size size = ss_model_sizes(model);
    int given = 0;
    for (int i = 0; i < arguments->n_given; i++)
        given += strcmp(arguments->given[i].option->name, "signal") == 0;
    if ((given ? given : size.n_q + size.n_u) > MOST) {
        ss_cli_error("%d signals are more than %d; choose some with --signal",
                     given ? given : size.n_q + size.n_u, (int)MOST);
        return false;
    }
    for (int i = 0; i < (given ? arguments->n_given : size.n_q + size.n_u); i++) {
        if (given && strcmp(arguments->given[i].option->name, "signal") != 0)
            continue;
        ss_name name = {{0}};
        if (!given)
            name = i < size.n_q ? ss_model_q_name(model, i) : ss_model_u_name(model, i - size.n_q);
        const char *from = given ? arguments->given[i].value : name.text;
        char *copy = calloc(strlen(from) + 1, 1);
        if (!copy) {
            ss_cli_error("out of memory");
            return false;
        }
        section->signals[section->n_signals++] = strcpy(copy, from);
    }
    return check_expressions(model, "signal", section->n_signals, section->signals);
}

bool ss_cli_section_read(const ss_cli_arguments *arguments, const ss_model *model,
                         ss_cli_section *section)
{
    *section = (ss_cli_section){.period = ss_cli_value(arguments, "period"),
                                .text = ss_cli_value(arguments, "section")};
    double period;
    if (!read_count(arguments, "points", 1, 300, &section->points) ||
        !read_count(arguments, "skip", 0, section->points * 2 / 3, &section->skip))
        return false;
    if (section->skip >= section->points) {
        ss_cli_error("--skip %d leaves none of %d points", section->skip, section->points);
        return false;
    }
    if (find_period(section, model, &period) != SS_OK) {
        ss_cli_error("--period: %s", ss_context_message(ss_model_context(model)));
        return false;
    }
    return read_section(model, section) && read_signals(arguments, model, section);
}

void ss_cli_section_release(ss_cli_section *section)
{
    for (int i = 0; i < section->n_signals; i++)
        free((void *)section->signals[i]);
    section->n_signals = 0;
}

/* ---- Motions ---- */

typedef struct follower {
    const ss_cli_section *section;
    ss_simulation *simulation;
    ss_state *before, *after; /* of a step that passes the section */
    ss_cli_probe signals, crossing;
    double period, end; /* s */
    double began;       /* s, where the first period begins */
    int count;          /* points so far */
} follower;

static ss_state *state_of(const follower *f)
{
    return ss_simulation_state(f->simulation);
}

static ss_status advance(follower *f, ss_step *step)
{
    SS_TRY(ss_simulation_advance(f->simulation, step));
    return ss_cli_signal() ? SS_STOPPED : SS_OK;
}

/* To the end of the next period. */
static ss_status next_period(follower *f, bool *found)
{
    double t = f->began + (f->count + 1) * f->period;
    *found = t <= f->end * (1 + 1e-12);
    if (!*found)
        return SS_OK;
    SS_TRY(ss_simulation_set_end(f->simulation, t));
    while (!ss_simulation_done(f->simulation)) {
        ss_step step;
        SS_TRY(advance(f, &step));
    }
    return SS_OK;
}

/* To the end of the next step in which the law changes so. */
static ss_status next_event(follower *f, bool *found)
{
    *found = false;
    while (!*found && !ss_simulation_done(f->simulation)) {
        ss_step step;
        SS_TRY(advance(f, &step));
        for (int i = 0; i < step.n_switches; i++)
            *found = *found || (step.switches[i].law == f->section->law &&
                                (step.switches[i].to == 0) == f->section->constraint &&
                                (step.switches[i].from == 0) != (step.switches[i].to == 0));
    }
    return SS_OK;
}

/* The current state becomes that of the motion from `before` at a time of the step. */
static ss_status go_to(follower *f, double t)
{
    ss_state_copy(state_of(f), f->before);
    SS_TRY(ss_simulation_set_end(f->simulation, t));
    while (!ss_simulation_done(f->simulation)) {
        ss_step step;
        SS_TRY(advance(f, &step));
    }
    return ss_simulation_set_end(f->simulation, f->end);
}

/* The zero of the expression in a step, by Illinois' rule and halving. */
static ss_status locate(follower *f, double f_a, double f_b)
{
    enum { TRIES = 60 };
    double a = ss_state_time(f->before), b = ss_state_time(f->after), span = b - a;
    double weight_a = f_a, weight_b = f_b;
    for (int i = 0; i < TRIES && b - a > 1e-13 * fmax(span, fabs(b)); i++) {
        double part = weight_a / (weight_a - weight_b);
        double t = i % 4 == 3 ? 0.5 * (a + b) : a + part * (b - a);
        if (!(t > a && t < b))
            break;
        SS_TRY(go_to(f, t));
        double value = *ss_cli_probe_at(&f->crossing, state_of(f));
        bool left = (value < 0) == (f_a < 0) && value != 0;
        weight_b = left ? 0.5 * weight_b : value;
        weight_a = left ? value : 0.5 * weight_a;
        a = left ? t : a;
        b = left ? b : t;
        f_b = left ? f_b : value;
        if (value == 0)
            return SS_OK;
    }
    return b < ss_state_time(f->after) ? go_to(f, b) : SS_OK;
}

static bool passes(const ss_cli_section *section, double from, double to)
{
    bool up = from < 0 && to >= 0, down = from > 0 && to <= 0;
    return (up && section->sign >= 0) || (down && section->sign <= 0);
}

/* To the next zero of the expression; `after` is the end of its step, where the motion goes on. */
static ss_status next_zero(follower *f, bool *found)
{
    double from = *ss_cli_probe_at(&f->crossing, state_of(f));
    *found = false;
    while (!*found && !ss_simulation_done(f->simulation)) {
        ss_step step;
        ss_state_copy(f->before, state_of(f));
        SS_TRY(advance(f, &step));
        double to = *ss_cli_probe_at(&f->crossing, state_of(f));
        *found = passes(f->section, from, to);
        if (*found) {
            ss_state_copy(f->after, state_of(f));
            return locate(f, from, to);
        }
        from = to;
    }
    return SS_OK;
}

static ss_status next_point(follower *f, bool *found)
{
    switch (f->section->kind) {
    case SS_CLI_BY_PERIOD:
        return next_period(f, found);
    case SS_CLI_BY_EVENT:
        return next_event(f, found);
    default:
        return next_zero(f, found);
    }
}

/* Puts the motion where it begins: by its phase, so that a period of another length goes on. */
static ss_status begin(follower *f, const ss_cli_start *start)
{
    ss_state *state = state_of(f);
    ss_model_size size = ss_model_sizes(ss_simulation_model(f->simulation));
    f->end = ss_simulation_settings(f->simulation)->end;
    if (f->section->kind == SS_CLI_BY_PERIOD)
        f->end = INFINITY;
    if (!start->given)
        return SS_OK;
    f->began = start->phase * f->period;
    ss_state_set_time(state, f->began);
    memcpy(ss_state_edit_q(state), start->q, (size_t)size.n_q * sizeof(double));
    memcpy(ss_state_edit_u(state), start->u, (size_t)size.n_u * sizeof(double));
    if (isfinite(f->end))
        f->end += f->began;
    return isfinite(f->end) ? ss_simulation_set_end(f->simulation, f->end) : SS_OK;
}

static void leave(const follower *f, ss_cli_start *start)
{
    const ss_state *state = state_of(f);
    ss_model_size size = ss_model_sizes(ss_simulation_model(f->simulation));
    double t = ss_state_time(state);
    start->given = true;
    start->phase = f->period > 0 ? t / f->period - floor(t / f->period) : 0;
    if (f->section->kind == SS_CLI_BY_PERIOD)
        start->phase = 0;
    memcpy(start->q, ss_state_q(state), (size_t)size.n_q * sizeof(double));
    memcpy(start->u, ss_state_u(state), (size_t)size.n_u * sizeof(double));
}

static void release(follower *f)
{
    ss_cli_probe_release(&f->signals);
    ss_cli_probe_release(&f->crossing);
}

static ss_status prepare(follower *f, const ss_cli_section *section, ss_scene *scene,
                         const ss_cli_start *start)
{
    const ss_model *model = ss_scene_model(scene);
    *f = (follower){.section = section, .simulation = ss_scene_simulation(scene)};
    SS_TRY(find_period(section, model, &f->period));
    SS_TRY(ss_simulation_new_state(f->simulation, &f->before));
    SS_TRY(ss_simulation_new_state(f->simulation, &f->after));
    SS_TRY(ss_cli_probe_create(model, section->n_signals, section->signals, &f->signals));
    if (section->expression)
        SS_TRY(ss_cli_probe_create(model, 1, &section->expression, &f->crossing));
    return begin(f, start);
}

/* ---- The largest Lyapunov exponent: how fast a nearby motion parts (Benettin) ---- */

typedef struct parting {
    follower nearby;
    bool wanted;
    double sum, distance;
    int count;
} parting;

/* Distance of two states: velocities count by what they are in a period over 2π. */
static double distance_of(const follower *f, const ss_state *a, const ss_state *b)
{
    ss_model_size size = ss_model_sizes(ss_simulation_model(f->simulation));
    double sum = 0, weight = f->period / (2 * 3.14159265358979323846);
    for (int i = 0; i < size.n_q; i++)
        sum += pow(ss_state_q(a)[i] - (b ? ss_state_q(b)[i] : 0), 2);
    for (int i = 0; i < size.n_u; i++)
        sum += pow(weight * (ss_state_u(a)[i] - (b ? ss_state_u(b)[i] : 0)), 2);
    return sqrt(sum);
}

/* Puts the nearby motion at a small distance: in the direction in which it parted, at first along all coordinates. */
static void draw_near(const follower *f, parting *p)
{
    const double near = 1e-7;
    const ss_state *at = state_of(f);
    ss_state *other = state_of(&p->nearby);
    ss_model_size size = ss_model_sizes(ss_simulation_model(f->simulation));
    double now = distance_of(f, other, at), wanted = near * fmax(distance_of(f, at, NULL), 1e-12);
    for (int i = 0; i < size.n_q; i++) {
        double way = now > 0 ? (ss_state_q(other)[i] - ss_state_q(at)[i]) / now : 1;
        ss_state_edit_q(other)[i] = ss_state_q(at)[i] + wanted * way;
    }
    for (int i = 0; i < size.n_u; i++) {
        double way = now > 0 ? (ss_state_u(other)[i] - ss_state_u(at)[i]) / now : 0;
        ss_state_edit_u(other)[i] = ss_state_u(at)[i] + wanted * way;
    }
    p->distance = distance_of(f, other, at);
}

/* Both motions are at the end of the same period. */
static ss_status compare(const follower *f, parting *p)
{
    bool found;
    SS_TRY(next_point(&p->nearby, &found));
    p->nearby.count++;
    double now = distance_of(f, state_of(&p->nearby), state_of(f));
    if (f->count > f->section->skip && p->distance > 0 && now > 0) {
        p->sum += log(now / p->distance);
        p->count++;
    }
    if (!(now > 0)) /* nothing is left of it: it begins anew, as far along all coordinates */
        p->distance = 0;
    draw_near(f, p);
    return SS_OK;
}

/* ---- */

static ss_status follow(follower *f, parting *p, ss_cli_orbit *orbit)
{
    const ss_cli_section *section = f->section;
    size_t width = 1 + (size_t)section->n_signals;
    while (f->count < section->points) {
        bool found;
        SS_TRY(next_point(f, &found));
        if (!found)
            return SS_OK;
        f->count++;
        if (p->wanted)
            SS_TRY(compare(f, p));
        if (f->count > section->skip) {
            double *row = orbit->values + (size_t)orbit->points++ * width;
            row[0] = ss_state_time(state_of(f));
            memcpy(row + 1, ss_cli_probe_at(&f->signals, state_of(f)), (width - 1) * sizeof *row);
        }
        if (section->kind == SS_CLI_BY_EXPRESSION)
            ss_state_copy(state_of(f), f->after);
    }
    return SS_OK;
}

ss_status ss_cli_orbit_run(ss_scene *scene, ss_scene *nearby, ss_cli_start *start,
                           ss_cli_orbit *orbit)
{
    follower f;
    parting p = {.wanted = nearby};
    orbit->points = 0;
    orbit->exponent = (double)NAN;
    ss_status status = prepare(&f, orbit->section, scene, start);
    if (status == SS_OK && nearby) {
        status = prepare(&p.nearby, orbit->section, nearby, start);
        if (status == SS_OK)
            draw_near(&f, &p);
    }
    if (status == SS_OK)
        status = follow(&f, &p, orbit);
    if (status == SS_OK)
        leave(&f, start);
    if (p.count > 0)
        orbit->exponent = p.sum / (p.count * f.period);
    release(&f);
    if (nearby)
        release(&p.nearby);
    return status;
}
