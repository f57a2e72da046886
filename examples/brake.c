/* brake.c: a whole simulation without a scene file. A sledge of 20 kg slides with 3 m/s over ground with μ = 0.1; how
 * far does it come? Energy says v²/(2 μ g), whatever its mass. */
#include <stickslip/stickslip.h>

#include <stdio.h>

static const double speed = 3.0, mu = 0.1, gravity = 9.81;

static const char objects[] =
    "systems: {sledge: {type: point, dim: 1, mass: 20, velocity: speed}}\n"
    "elements:\n"
    "  ground: {type: expression, slip: x', laws: {slip: {type: friction, bound: 20*mu*g}}}\n";

/* Objects are written as in scene files; numbers of the program are parameters there. */
static ss_status run(ss_context *context, ss_model **model, ss_scene **scene)
{
    SS_TRY(ss_model_create(context, model));
    SS_TRY(ss_model_define(*model, "speed", speed));
    SS_TRY(ss_model_define(*model, "mu", mu));
    SS_TRY(ss_model_define(*model, "g", gravity));
    SS_TRY(ss_model_add_text(*model, "objects", objects));
    SS_TRY(ss_model_seal(*model));
    SS_TRY(ss_scene_create(*model, "run", "simulation: {step: 1e-3, end: 5}", scene));

    ss_step step = {0}; /* until the sledge sticks: its only law changes to constraint mode */
    while (step.n_switches == 0 || step.switches[0].to != SS_MODE_CONSTRAINT)
        SS_TRY(ss_simulation_advance(ss_scene_simulation(*scene), &step));
    printf("stops after %.4f s and %.4f m; expected %.4f s and %.4f m\n", ss_state_time(step.state),
           ss_state_q(step.state)[0], speed / (mu * gravity), speed * speed / (2 * mu * gravity));
    return SS_OK;
}

int main(void)
{
    ss_context *context = NULL;
    ss_model *model = NULL;
    ss_scene *scene = NULL;
    ss_status status = ss_context_create(NULL, &context);
    if (status == SS_OK)
        status = run(context, &model, &scene);
    if (status != SS_OK)
        fprintf(stderr, "brake: %s\n", context ? ss_context_message(context) : "no memory");
    ss_scene_destroy(scene);
    ss_model_destroy(model);
    ss_context_destroy(context);
    return status != SS_OK;
}
