/* law_spring.c: springs along a row: one with a preload, and one with a damper and a given force. */
#include "expression/graph.h"
#include "model/refuse.h"
#include "types/derive.h"
#include "types/types.h"

#include <float.h>
#include <math.h>

/* ---- Keeps its reference length g = 0 up to a preload a, then yields with stiffness c (S7.6.2.2) ----
 *
 * Beyond the tolerance δ the force is known (S7.14). Within it the law is set-valued, and taken
 * on position level, -(g_M/Δt + γ_E) ∈ N(P) as in S5.57: on velocity level (S7.13) the spring
 * would brake everything that passes, and every passage would cost the energy 2 a δ. Only at
 * rest, within a thousandth of δ, it is on velocity level, where it agrees with a friction
 * element that holds the same coordinate.
 */

typedef struct prestressed_spring {
    double preload, stiffness, tolerance;
} prestressed_spring;

static const ss_key prestressed_keys[] = {
    {"preload", SS_KEY_REAL, offsetof(prestressed_spring, preload), NULL, 0, INFINITY, NULL, "N",
     "Force a up to which the spring keeps its reference length g = 0."},
    {"stiffness", SS_KEY_REAL, offsetof(prestressed_spring, stiffness), NULL, 0, INFINITY, NULL,
     "N/m", "Stiffness c beyond: the force is -(a sign(g) + c g)."},
    {"tolerance", SS_KEY_REAL, offsetof(prestressed_spring, tolerance), NULL, DBL_MIN, INFINITY,
     NULL, "m", "Gap |g| up to which the spring may come to its reference length within a step."},
    {.name = NULL},
};

static ss_status prestressed_init(void *self, ss_setup *setup)
{
    (void)self;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup,
                         "its restitution must be 0: it comes to its length, it does not hit it");
    return SS_OK;
}

static ss_status prestressed_level(const void *opaque, const ss_law_at *at, ss_level *level)
{
    const prestressed_spring *self = opaque;
    *level = fabs(at->g[0]) <= self->tolerance ? SS_LEVEL_ACTIVE : SS_LEVEL_IMPRESSED;
    return SS_OK;
}

static ss_status prestressed_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const prestressed_spring *self = opaque;
    *set = (ss_law_set){ss_set_interval(), self->preload * at->dt};
    return SS_OK;
}

static ss_status prestressed_correction(const void *opaque, const ss_law_at *at, double *c)
{
    const prestressed_spring *self = opaque;
    double rest = 1e-3 * self->tolerance;
    c[0] = fabs(at->g[0]) <= rest ? 0.0 : at->g[0] / at->dt;
    return SS_OK;
}

/* Within the tolerance, the part of the stiffness beside the set-valued preload. */
static ss_status prestressed_added(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    P[0] = -self->stiffness * at->g[0] * at->dt;
    return SS_OK;
}

static ss_status prestressed_impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    double g = at->g[0];
    P[0] = -(copysign(self->preload, g) + self->stiffness * g) * at->dt;
    return SS_OK;
}

static ss_status prestressed_derivatives(const void *opaque, const ss_law_at *at, double *dg,
                                         double *dgamma)
{
    (void)at;
    *dg = -((const prestressed_spring *)opaque)->stiffness;
    *dgamma = 0;
    return SS_OK;
}

/* What the impressed force stores. Within the tolerance the force is an impulse like any
 * other. */
static ss_status prestressed_potential(const void *opaque, int dim, const double *g, double *V)
{
    const prestressed_spring *self = opaque;
    double x = fabs(g[0]), least = self->tolerance;
    (void)dim;
    *V = x <= least ? 0.0
                    : self->preload * (x - least) + 0.5 * self->stiffness * (x * x - least * least);
    return SS_OK;
}

const ss_law_ops ss_prestressed_spring_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "prestressed_spring",
             "A spring that keeps its reference length g = 0 up to a preload.",
             sizeof(prestressed_spring), prestressed_keys},
    .law_class = SS_LAW_SPRING,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_IMPRESSED | SS_LAW_ADDED |
             SS_LAW_CORRECTED | SS_LAW_STORES_ENERGY | SS_LAW_DERIVATIVES,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"locked", "sprung"},
    .init = prestressed_init,
    .level = prestressed_level,
    .set = prestressed_set,
    .impressed = prestressed_impressed,
    .added = prestressed_added,
    .correction = prestressed_correction,
    .potential = prestressed_potential,
    .derivatives = prestressed_derivatives,
};

/* ---- A spring, a damper and a given force: λ = F - c (g - g0) - d γ ----
 *
 * One-sided, it acts below g0 only, and pushes only: λ = F + max(0, -c (g - g0) - d γ) (Preclik, Rüde & Popa, 30 and
 * 31). Where c, d or g0 are not constant, or it is one-sided, a formula gives λ with its derivatives; what it jumps at
 * or has a kink at is known from the formula.
 */

typedef struct spring_damper {
    ss_text stiffness, damping, rest, force;
    bool unilateral;
    bool stores; /* spring and rest are constant */
    bool simple; /* all but F is constant, and F depends on t at most: */
    double c, d, g0;
    ss_time_function F;
    const ss_formula *formula; /* else λ, ∂λ/∂g, ∂λ/∂γ, F, and the spring's part of λ */
} spring_damper;

enum { FORCE, BY_GAP, BY_SPEED, GIVEN, SPRING, OUTPUTS };

static const ss_key damper_keys[] = {
    {"stiffness", SS_KEY_EXPRESSION, offsetof(spring_damper, stiffness), "0", 0, INFINITY, NULL,
     "N/m, N m/rad",
     "Stiffness c; as `damping`, `rest` and `force` a number, or an expression of t, coordinates, "
     "velocities, and of `gap` and `speed`, value and rate of the row."},
    {"damping", SS_KEY_EXPRESSION, offsetof(spring_damper, damping), "0", 0, INFINITY, NULL,
     "N s/m, N m s/rad", "Damping d."},
    {"rest", SS_KEY_EXPRESSION, offsetof(spring_damper, rest), "0", 0, 0, NULL, "m, rad",
     "Value g0 of the row at which the spring has no force.", "stiffness"},
    {"force", SS_KEY_EXPRESSION, offsetof(spring_damper, force), "0", 0, 0, NULL, "N, N m",
     "Force or torque F of a motor."},
    {"unilateral", SS_KEY_BOOL, offsetof(spring_damper, unilateral), "false", 0, 0, NULL, "",
     "Spring and damper act below `rest` only, and push only, as a soft contact does."},
    {.name = NULL},
};

/* c, d, g0 and F as nodes; *constant: the first three are numbers, which the struct receives. */
static ss_status parse_damper(ss_setup *setup, spring_damper *self, ss_graph *graph,
                              ss_node nodes[4], bool *constant)
{
    const ss_text *texts[] = {&self->stiffness, &self->damping, &self->rest, &self->force};
    const char *const names[] = {"stiffness", "damping", "rest", "force"};
    double *numbers[] = {&self->c, &self->d, &self->g0};
    *constant = true;
    ss_setup_know_state(setup);
    for (int i = 0; i < 4; i++)
        SS_TRY(ss_graph_parse(graph, texts[i], &nodes[i]));
    for (int i = 0; i < 3; i++) {
        if (!ss_graph_is_constant(graph, nodes[i], numbers[i]))
            *constant = false;
        else if (!isfinite(*numbers[i]) || (i < 2 && *numbers[i] < 0))
            return ss_fail_at(ss_setup_context(setup), SS_INPUT, texts[i]->where,
                              "%s: '%s' must be a number%s, not %g", ss_setup_owner(setup),
                              names[i], i < 2 ? " >= 0" : ", finite", *numbers[i]);
    }
    return SS_OK;
}

/* Whether λ depends on more than t, its own gap and its own speed: then it has no derivatives. */
static bool has_others(ss_graph *graph, ss_node of, const ss_node own[3])
{
    for (int i = 0; i < ss_graph_variable_count(graph); i++) {
        ss_node v = ss_graph_variable_node(graph, i);
        if (v != own[0] && v != own[1] && v != own[2] && ss_graph_depends(graph, of, v))
            return true;
    }
    return false;
}

static ss_status compile_damper(ss_setup *setup, spring_damper *self, ss_graph *graph,
                                const ss_node nodes[4])
{
    ss_node own[3], outputs[OUTPUTS];
    ss_builder b = {.graph = graph};
    SS_TRY(ss_setup_time(setup, &own[2]));
    SS_TRY(ss_setup_own(setup, SS_OWN_GAP, 0, &own[0]));
    SS_TRY(ss_setup_own(setup, SS_OWN_SLIP, 0, &own[1]));
    ss_node stretch = ss_build(&b, SS_OP_SUBTRACT, own[0], nodes[2], SS_ZERO);
    ss_node pull = ss_build(&b, SS_OP_MULTIPLY, nodes[0], stretch, SS_ZERO);
    ss_node spring = ss_build(&b, SS_OP_NEGATE, pull, SS_ZERO, SS_ZERO);
    ss_node brake = ss_build(&b, SS_OP_MULTIPLY, nodes[1], own[1], SS_ZERO);
    ss_node both = ss_build(&b, SS_OP_SUBTRACT, spring, brake, SS_ZERO);
    if (self->unilateral) {
        ss_node below = ss_build(&b, SS_OP_LESS, stretch, SS_ZERO, SS_ZERO);
        both = ss_build(&b, SS_OP_MAX, SS_ZERO, both, SS_ZERO);
        both = ss_build(&b, SS_OP_SELECT, below, both, SS_ZERO);
        spring = ss_build(&b, SS_OP_SELECT, below, spring, SS_ZERO);
    }
    outputs[FORCE] = ss_build(&b, SS_OP_ADD, both, nodes[3], SS_ZERO);
    outputs[GIVEN] = nodes[3];
    outputs[SPRING] = spring;
    SS_TRY(b.status);
    SS_TRY(ss_graph_derivative(graph, outputs[FORCE], own[0], &outputs[BY_GAP]));
    SS_TRY(ss_graph_derivative(graph, outputs[FORCE], own[1], &outputs[BY_SPEED]));
    if (has_others(graph, outputs[FORCE], own))
        ss_setup_drop_law_flags(setup, SS_LAW_DERIVATIVES);
    return ss_setup_compile(setup, OUTPUTS, outputs, &self->formula);
}

static ss_status damper_init(void *opaque, ss_setup *setup)
{
    spring_damper *self = opaque;
    ss_graph *graph;
    ss_node nodes[4], time;
    bool constant;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup, "its restitution must be 0: there are no impacts in it");
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(parse_damper(setup, self, graph, nodes, &constant));
    self->stores = constant;
    if (!constant)
        ss_setup_drop_law_flags(setup, SS_LAW_STORES_ENERGY);
    SS_TRY(ss_setup_time(setup, &time));
    const ss_node own[] = {time, time, time};
    self->simple = constant && !self->unilateral && !has_others(graph, nodes[3], own);
    return self->simple ? ss_time_function_compile(setup, "force", &self->force, &self->F)
                        : compile_damper(setup, self, graph, nodes);
}

static ss_status damper_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_interval(), 0.0};
    return SS_OK;
}

static double motor(const spring_damper *self, const ss_law_at *at)
{
    ss_at now = {.t = at->t, .cache = at->cache};
    return ss_time_function_at(&self->F, &now).value;
}

static ss_status damper_impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const spring_damper *self = opaque;
    if (!self->simple) {
        P[0] = ss_law_formula_run(self->formula, at)[FORCE] * at->dt;
        return SS_OK;
    }
    double spring = self->c * (at->g[0] - self->g0);
    P[0] = (motor(self, at) - spring - self->d * at->gamma[0]) * at->dt;
    return SS_OK;
}

static ss_status damper_derivatives(const void *opaque, const ss_law_at *at, double *dg,
                                    double *dgamma)
{
    const spring_damper *self = opaque;
    const double *out = self->simple ? NULL : ss_law_formula_run(self->formula, at);
    *dg = out ? out[BY_GAP] : -self->c;
    *dgamma = out ? out[BY_SPEED] : -self->d;
    return SS_OK;
}

static ss_status damper_potential(const void *opaque, int dim, const double *g, double *V)
{
    const spring_damper *self = opaque;
    double stretch = g[0] - self->g0;
    (void)dim;
    *V = self->unilateral && stretch > 0 ? 0.0 : 0.5 * self->c * stretch * stretch;
    return SS_OK;
}

/* What is neither given nor in the potential is lost. A spring that is not constant has no potential: it is a motor. */
static ss_status damper_work(const void *opaque, const ss_law_at *at, const double *P,
                             const double *gamma, double *load, double *lost)
{
    const spring_damper *self = opaque;
    (void)P;
    if (self->simple) {
        *load = motor(self, at) * at->dt * gamma[0];
        *lost = self->d * at->gamma[0] * at->dt * gamma[0];
        return SS_OK;
    }
    const double *out = ss_law_formula_run(self->formula, at);
    double given = out[GIVEN] + (self->stores ? 0 : out[SPRING]);
    *load = given * at->dt * gamma[0];
    *lost = -(out[FORCE] - out[GIVEN] - out[SPRING]) * at->dt * gamma[0];
    return SS_OK;
}

const ss_law_ops ss_spring_damper_ops = {
    .type =
        {SS_ABI, sizeof(ss_law_ops), "spring_damper",
         "A spring, a damper and a given force along a row, e.g. the free direction of a joint; "
         "one-sided, a soft contact.",
         sizeof(spring_damper), damper_keys},
    .law_class = SS_LAW_SPRING,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_NEVER_ACTIVE | SS_LAW_IMPRESSED | SS_LAW_STORES_ENERGY |
             SS_LAW_WORK | SS_LAW_DERIVATIVES,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"none", "works"},
    .init = damper_init,
    .set = damper_set,
    .impressed = damper_impressed,
    .potential = damper_potential,
    .work = damper_work,
    .derivatives = damper_derivatives,
};
