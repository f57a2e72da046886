

#include "agreement.h"
#include "run.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 40, MOST_NUMBERS = 360, MOST_TEXT = 1024 };

typedef struct samples {
    int count;
    double times[MOST_SAMPLES], y[MOST_SAMPLES][MOST_NUMBERS];
    bool seen[MOST_SAMPLES];
} samples;

static void take(run *r, const ss_state *state)
{
    samples *s = r->user;
    ss_model_size size = ss_model_sizes(ss_scene_model(r->scene));
    double t = ss_state_time(state);
    for (int i = 0; i < s->count; i++) {
        if (fabs(t - s->times[i]) > 1e-13 * fmax(1, t))
            continue;
        memcpy(s->y[i], ss_state_q(state), (size_t)size.n_q * sizeof(double));
        memcpy(s->y[i] + size.n_q, ss_state_u(state), (size_t)size.n_u * sizeof(double));
        s->seen[i] = true;
    }
}

typedef struct settings {
    int count;
    const char *texts[MOST_OVERRIDES];
    char made[4][MOST_TEXT];
} settings;

static void add(settings *s, const char *const *texts)
{
    for (int i = 0; i < MOST_EXTRA && texts[i]; i++)
        s->texts[s->count++] = texts[i];
}

/* Every velocity by the part of a step's error that both methods allow, each in its own direction. */
static void move_start(run *r)
{
    double *u = ss_state_edit_u(r->state);
    for (int i = 0; i < ss_model_sizes(ss_scene_model(r->scene)).n_u; i++)
        u[i] += MOVED_START * sin(i + 1) * fmax(1, fabs(u[i]));
}

static samples follow(const agreement *a, const settings *s, bool moved)
{
    static run r;
    samples found = {.count = a->samples};
    assert_true(s->count < MOST_OVERRIDES && a->samples <= MOST_SAMPLES);
    for (int i = 0; i < a->samples; i++)
        found.times[i] = a->end * (i + 1) / a->samples;
    open_run(&r, a->scene, s->texts);
    if (moved)
        move_start(&r);
    r.look = take;
    r.user = &found;
    finish_run(&r);
    close_run(&r);
    return found;
}

typedef enum variant { AS_IT_IS, BESIDE_IDA, BY_IDA, MOVED } variant;

static samples run_event_driven(const agreement *a, variant which)
{
    settings s = {0};
    snprintf(s.made[0], MOST_TEXT, "simulation.output=%.17g", a->end / a->samples);
    snprintf(s.made[1], MOST_TEXT, "simulation.end=%.17g", a->end);
    snprintf(s.made[2], MOST_TEXT, "simulation.breaks=[%s%.17g]", a->breaks, a->end);
    add(&s, (const char *[MOST_EXTRA]){"simulation.type=event_driven", s.made[0], s.made[1],
                                       s.made[2]});
    add(&s, (const char *[MOST_EXTRA]){"solver.tolerance=1e-15", "simulation.relative=1e-12",
                                       "simulation.absolute=1e-13", "simulation.slip=1e-9"});
    add(&s, a->model);
    add(&s, a->event);
    if (which == BESIDE_IDA || which == BY_IDA)
        add(&s, a->ida);
    if (which == BY_IDA)
        s.texts[s.count++] = "simulation.method=ida";
    return follow(a, &s, which == MOVED);
}

static samples run_augmented(const agreement *a)
{
    settings s = {0};
    snprintf(s.made[0], MOST_TEXT, "simulation.step_max=%.17g", a->step_max);
    snprintf(s.made[1], MOST_TEXT, "simulation.end=%.17g", a->end);
    int used = snprintf(s.made[2], MOST_TEXT, "simulation.breaks=[%s", a->breaks);
    for (int i = 0; i < a->samples; i++)
        used += snprintf(s.made[2] + used, MOST_TEXT - (size_t)used, "%s%.17g", i ? ", " : "",
                         a->end * (i + 1) / a->samples);
    snprintf(s.made[2] + used, MOST_TEXT - (size_t)used, "]");
    add(&s,
        (const char *[MOST_EXTRA]){"simulation.type=augmented", s.made[0], s.made[1], s.made[2]});
    add(&s, (const char *[MOST_EXTRA]){"solver.tolerance=1e-15", "scheme.type=moreau",
                                       "simulation.step_min=1e-12", "simulation.order_max=8"});
    add(&s,
        (const char *[MOST_EXTRA]){"simulation.absolute_q=1e-13", "simulation.relative_q=1e-13",
                                   "simulation.absolute_u=1e-12", "simulation.relative_u=1e-12"});
    add(&s, a->model);
    add(&s, a->augmented);
    return follow(a, &s, false);
}

static double largest(const samples *s, int number)
{
    double most = 1;
    for (int i = 0; i < s->count; i++)
        most = fmax(most, fabs(s->y[i][number]));
    return most;
}

static double difference_at(const samples *e, const samples *s, int i)
{
    double worst = 0;
    for (int j = 0; j < MOST_NUMBERS; j++)
        worst = fmax(worst, fabs(e->y[i][j] - s->y[i][j]) / largest(e, j));
    return worst;
}

/* The largest difference; fails where it is above 1e-8. */
static double compare(const agreement *a, const samples *e, const samples *s)
{
    double worst = 0;
    for (int i = 0; i < a->samples; i++) {
        if (!e->seen[i] || !s->seen[i])
            fail_msg("%s: no state at %g s", a->scene, e->times[i]);
        for (int j = 0; j < MOST_NUMBERS; j++) {
            double difference = fabs(e->y[i][j] - s->y[i][j]) / largest(e, j);
            worst = fmax(worst, difference);
            if (!(difference <= 1e-8))
                fail_msg("%s: number %d differs by %g at %g s", a->scene, j, difference,
                         e->times[i]);
        }
    }
    return worst;
}

void compare_methods(size_t count, const agreement *list)
{
    static samples e, s;
    double worst = 0;
    for (size_t k = 0; k < count; k++) {
        e = run_event_driven(&list[k], AS_IT_IS);
        s = run_augmented(&list[k]);
        worst = fmax(worst, compare(&list[k], &e, &s));
    }
    print_message("largest difference: %.3g\n", worst);
}

void check_ends(size_t count, const agreement *list)
{
    static run r;
    for (size_t k = 0; k < count; k++) {
        const agreement *a = &list[k];
        settings s = {0};
        add(&s, a->model);
        open_run(&r, a->scene, s.texts);
        double end = ss_simulation_settings(ss_scene_simulation(r.scene))->end;
        close_run(&r);
        if (a->end < end * (1 - 1e-12) && !a->cut && !a->longer && !a->why)
            fail_msg("%s: compared to %g s of %g s, and nothing says why", a->scene, a->end, end);
    }
}

void show_cuts(size_t count, const agreement *list)
{
    static samples e, s;
    for (size_t k = 0; k < count; k++) {
        agreement longer = list[k];
        if (!longer.cut)
            continue;
        longer.end *= (longer.samples + 1.0) / longer.samples;
        longer.samples++;
        e = run_event_driven(&longer, AS_IT_IS);
        s = run_event_driven(&longer, MOVED);
        double difference = difference_at(&e, &s, longer.samples - 1);
        print_message("%s: %.3g at %g s\n", longer.scene, difference, longer.end);
        if (!(difference > 1e-8))
            fail_msg("%s: the comparison must go on: a start moved by %g shows as %g at %g s",
                     longer.scene, MOVED_START, difference, longer.end);
    }
}

void compare_with_ida(size_t count, const agreement *list)
{
    static samples e, s;
    double worst = 0;
    for (size_t k = 0; k < count; k++) {
        agreement a = list[k];
        a.end = a.ida_end > 0 ? a.ida_end : a.end;
        e = run_event_driven(&a, BY_IDA);
        s = run_event_driven(&a, BESIDE_IDA);
        worst = fmax(worst, compare(&a, &e, &s));
    }
    print_message("largest difference: %.3g\n", worst);
}
