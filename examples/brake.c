/* brake.c: a whole simulation without a scene. A sledge of 20 kg slides with 3 m/s over ground with μ = 0.1; how far
 * does it come? Energy says v²/(2 μ g), whatever its mass.
 */
#include <stickslip/stickslip.h>

#include <stdio.h>
#include <stdlib.h>

static const double mass = 20.0, speed = 3.0, mu = 0.1, gravity = 9.81;

/* Arguments are named as in scene files. */
static ss_status add_sledge(ss_model *model, ss_args *args)
{
    SS_TRY(ss_args_set_real(args, "dim", 1));
    SS_TRY(ss_args_set_real(args, "mass", mass));
    SS_TRY(ss_args_set_real(args, "velocity", speed));
    return ss_model_add_system(model, "sledge", "point", args);
}

static ss_status add_ground(ss_model *model, ss_args *args)
{
    SS_TRY(ss_args_set_text(args, "slip", "x'"));
    return ss_model_add_element(model, "ground", "expression", args);
}

static ss_status add_friction(ss_model *model, ss_args *args)
{
    SS_TRY(ss_args_set_real(args, "bound", mu * mass * gravity));
    return ss_model_add_law(model, "ground", "slip", "friction", args);
}

/* Calls a function with fresh arguments. */
static ss_status add(ss_model *model, ss_status (*function)(ss_model *, ss_args *))
{
    ss_args *args;
    SS_TRY(ss_args_create(ss_model_context(model), &args));
    ss_status status = function(model, args);
    ss_args_destroy(args);
    return status;
}

static ss_status build(ss_model *model)
{
    SS_TRY(add(model, add_sledge));
    SS_TRY(add(model, add_ground));
    SS_TRY(add(model, add_friction));
    return ss_model_seal(model);
}

static ss_status create_simulation(const ss_model *model, ss_solver *solver, ss_scheme *scheme,
                                   ss_simulation **simulation)
{
    ss_args *args;
    SS_TRY(ss_args_create(ss_model_context(model), &args));
    ss_status status = ss_args_set_real(args, "step", 1e-3);
    if (status == SS_OK)
        status = ss_args_set_real(args, "end", 5.0);
    if (status == SS_OK)
        status = ss_simulation_create(model, solver, scheme, "constant", args, NULL, simulation);
    ss_args_destroy(args);
    return status;
}

/* Steps until the sledge sticks: its only law changes from slip (impressed) to stick (constraint). */
static ss_status slide(ss_simulation *simulation)
{
    ss_step step = {0};
    while (!ss_simulation_done(simulation)) {
        SS_TRY(ss_simulation_advance(simulation, &step));
        if (step.n_switches > 0 && step.switches[0].to == SS_MODE_CONSTRAINT)
            break;
    }
    const ss_state *state = ss_simulation_state(simulation);
    printf("stops after %.4f s and %.4f m; expected %.4f s and %.4f m\n", ss_state_time(state),
           ss_state_q(state)[0], speed / (mu * gravity), speed * speed / (2 * mu * gravity));
    return SS_OK;
}

static ss_status run(ss_context *context)
{
    ss_model *model = NULL;
    ss_solver *solver = NULL;
    ss_scheme *scheme = NULL;
    ss_simulation *simulation = NULL;

    ss_status status = ss_model_create(context, &model);
    if (status == SS_OK)
        status = build(model);
    if (status == SS_OK)
        status = ss_solver_create(context, "sorprox", NULL, NULL, &solver);
    if (status == SS_OK)
        status = ss_scheme_create(context, "moreau", NULL, NULL, &scheme);
    if (status == SS_OK)
        status = create_simulation(model, solver, scheme, &simulation);
    if (status == SS_OK)
        status = slide(simulation);

    ss_simulation_destroy(simulation);
    ss_scheme_destroy(scheme);
    ss_solver_destroy(solver);
    ss_model_destroy(model);
    return status;
}

int main(void)
{
    ss_context *context;
    if (ss_context_create(NULL, &context) != SS_OK)
        return EXIT_FAILURE;
    ss_status status = run(context);
    if (status != SS_OK)
        fprintf(stderr, "brake: %s\n", ss_context_message(context));
    ss_context_destroy(context);
    return status == SS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
