
#include "run.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static bool is_setting(const char *override)
{
    const char *dot = strchr(override, '.');
    return dot && dot < strchr(override, '=');
}

void open_run(run *r, const char *scene, const char *const *overrides)
{
    open_threaded_run(r, scene, overrides, 1);
}

static void note_warning(void *user, ss_log_level level, const char *message)
{
    run *r = user;
    r->n_warnings += level == SS_LOG_WARNING;
    if (level == SS_LOG_WARNING)
        snprintf(r->warning, sizeof r->warning, "%s", message);
}

void open_threaded_run(run *r, const char *scene, const char *const *overrides, int threads)
{
    ss_context_options context = ss_default_context();
    const char *parameters[MOST_OVERRIDES], *settings[MOST_OVERRIDES + 1];
    ss_scene_options options = {.parameters = parameters, .settings = settings};
    settings[options.n_settings++] = "simulation.certify=true";
    memset(r, 0, sizeof *r);
    for (; overrides && *overrides; overrides++) {
        r->plain = r->plain || strcmp(*overrides, "simulation.certify=false") == 0;
        if (is_setting(*overrides))
            settings[options.n_settings++] = *overrides;
        else
            parameters[options.n_parameters++] = *overrides;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", SS_SOURCE_DIR, scene);
    context.threads = threads;
    context.log = note_warning;
    context.log_user = r;
    assert_int_equal(ss_context_create(&context, &r->context), SS_OK);
    if (ss_scene_load(r->context, path, &options, &r->scene) != SS_OK)
        fail_msg("%s", ss_context_message(r->context));
    r->state = ss_simulation_state(ss_scene_simulation(r->scene));
}

static ss_status observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    run *r = user;
    for (int i = 0; i < step->n_switches && r->n_events < MOST_EVENTS; i++) {
        const ss_switch *s = &step->switches[i];
        ss_law_info law = ss_model_law(ss_simulation_model(simulation), s->law);
        r->events[r->n_events++] = (event){s->t, law.name, law.words[s->to]};
    }
    if (r->look)
        r->look(r, step->state);
    return SS_OK;
}

void finish_run(run *r)
{
    ss_simulation *simulation = ss_scene_simulation(r->scene);
    if (ss_simulation_run(simulation, observe, r) != SS_OK)
        fail_msg("%s", ss_context_message(r->context));
    r->state = ss_simulation_state(simulation);
    const ss_statistics *sums = ss_state_statistics(r->state);
    const ss_violation *v = &sums->violation;
    if (sums->violations > 0)
        fail_msg("t = %g s: %s: %s, by %g %s", v->t, v->law, ss_breach_text((ss_breach)v->kind),
                 v->size, ss_breach_unit((ss_breach)v->kind));
    assert_true(sums->certified + sums->uncertified > 0 || sums->steps == 0 || r->plain);
}

void close_run(run *r)
{
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->context);
}

double position(const run *r, const char *name)
{
    const ss_model *model = ss_scene_model(r->scene);
    for (int i = 0; i < ss_model_sizes(model).n_q; i++)
        if (strcmp(ss_model_q_name(model, i).text, name) == 0)
            return ss_state_q(r->state)[i];
    fail_msg("no position %s", name);
    return 0;
}

double velocity(const run *r, const char *name)
{
    const ss_model *model = ss_scene_model(r->scene);
    for (int i = 0; i < ss_model_sizes(model).n_u; i++)
        if (strcmp(ss_model_u_name(model, i).text, name) == 0)
            return ss_state_u(r->state)[i];
    fail_msg("no velocity %s", name);
    return 0;
}

int mode(const run *r, const char *law)
{
    const ss_model *model = ss_scene_model(r->scene);
    for (int i = 0; i < ss_model_sizes(model).n_laws; i++)
        if (strcmp(ss_model_law(model, i).name, law) == 0)
            return ss_state_mode(r->state)[i];
    fail_msg("no law %s", law);
    return 0;
}

double event_time(const run *r, const char *law, const char *to, int n)
{
    for (int i = 0; i < r->n_events; i++)
        if (strcmp(r->events[i].law, law) == 0 && strcmp(r->events[i].to, to) == 0 && n-- == 0)
            return r->events[i].t;
    return -1;
}
