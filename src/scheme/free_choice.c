/* free_choice.c: the scheme 'general': the general discretization with every choice left to the
 * user, among them the formulations of constraints in S5.1 that no named scheme stands for:
 * index-1, and Baumgarte's stabilization. */
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>

enum { VELOCITY, DISPLACEMENT, AVERAGE, ACCELERATION, GAP };

typedef struct free_choice {
    ss_discretization d;
    double gap_at;
    int laws;
} free_choice;

static const ss_key keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(free_choice, d.alpha), "0.5", 0, 1, NULL, "",
     "Share α of the velocities at the end in the positions."},
    {"beta", SS_KEY_REAL, offsetof(free_choice, d.beta), "0", 0, 1, NULL, "",
     "Share β of the end of the step in h, linearized; 0: h is taken at the place h_at."},
    {"mass_at", SS_KEY_REAL, offsetof(free_choice, d.mass), "0.5", 0, 1, NULL, "",
     "Where M is evaluated: part of the step along u_B."},
    {"laws_at", SS_KEY_REAL, offsetof(free_choice, d.laws), "0.5", 0, 1, NULL, "",
     "Where W and the gaps are evaluated: part of the step along u_B."},
    {"gap_at", SS_KEY_REAL, offsetof(free_choice, gap_at), "-1", -1, 1, NULL, "",
     "Laws with the linearized gap: where it is evaluated; negative: as W.", "laws=displacement"},
    {"h_at", SS_KEY_REAL, offsetof(free_choice, d.h), "0.5", 0, 1, NULL, "",
     "Where h is evaluated when beta = 0: part of the step along u_B.", "beta=0"},
    {"laws", SS_KEY_CHOICE, offsetof(free_choice, laws), "velocity", 0, 0,
     "velocity|displacement|average|acceleration|gap", "",
     "Form of the laws: with restitution; with the linearized gap; on the mean velocity; on "
     "acceleration level "
     "(constraints that never open only); with the gap at the end of the step."},
    {"shift", SS_KEY_REAL, offsetof(free_choice, d.form.shift), "0", 0, 1, NULL, "",
     "Laws with the linearized gap: part of the step by which the gap is moved along γ_B.",
     "laws=displacement"},
    {"clamp", SS_KEY_BOOL, offsetof(free_choice, d.form.clamp), "false", 0, 0, NULL, "",
     "Laws with the linearized gap: do not push out of a penetration.", "laws=displacement"},
    {"split", SS_KEY_BOOL, offsetof(free_choice, d.form.split), "false", 0, 0, NULL, "",
     "Laws with the linearized gap: those with restitution stay on velocity level.",
     "laws=displacement"},
    {"baumgarte", SS_KEY_REAL, offsetof(free_choice, d.form.baumgarte), "0", 0, INFINITY, NULL,
     "1/s", "Laws on acceleration level: a of γ' + 2a γ + a² g = 0.", "laws=acceleration"},
    {NULL},
};

static ss_status init(void *self, ss_context *context)
{
    static const ss_form_kind kinds[] = {SS_FORM_VELOCITY, SS_FORM_DISPLACEMENT, SS_FORM_AVERAGE,
                                         SS_FORM_ACCELERATION, SS_FORM_DISPLACEMENT};
    free_choice *o = self;
    if (o->laws == AVERAGE && o->d.beta == 0)
        return ss_fail(context, SS_INPUT, "scheme 'general': 'laws: average' needs a 'beta' > 0");
    if (o->laws == GAP && o->d.alpha == 0)
        return ss_fail(context, SS_INPUT, "scheme 'general': 'laws: gap' needs an 'alpha' > 0");
    o->d.form.kind = kinds[o->laws];
    o->d.form.average = o->d.beta > 0 ? (1 - o->d.beta) / o->d.beta : 0;
    return SS_OK;
}

static void adapt(const void *self, ss_abilities *can)
{
    const free_choice *o = self;
    can->elastic = o->laws == VELOCITY || o->laws == ACCELERATION ||
                   (o->laws == DISPLACEMENT && o->d.form.split);
}

static const char *refuses(const void *self, const ss_model *model)
{
    const free_choice *o = self;
    if (o->laws == AVERAGE && o->d.beta < 1)
        return ss_general_average_refuses(model);
    if (o->laws == ACCELERATION && ss_general_any_opens(model))
        return "impacts do not exist on acceleration level, and a law of the model can open and "
               "close";
    return NULL;
}

/* Gaps at another place than that of W. */
static ss_contact_policy contacts(const void *self, const ss_model *model)
{
    const free_choice *o = self;
    (void)model;
    return o->laws == GAP || (o->laws == DISPLACEMENT && o->gap_at >= 0) ? SS_CONTACTS_FOLLOWED
                                                                         : SS_CONTACTS_DETECTED;
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const free_choice *o = self;
    ss_discretization d = o->d;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    if (o->laws == DISPLACEMENT && o->gap_at >= 0) {
        SS_TRY(ss_general_go(&g, o->gap_at, false));
        SS_TRY(ss_work_distances(work, g.gap));
        d.form.distance = g.gap;
    }
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(o->laws == GAP ? ss_general_solve_gap(&g) : ss_general_solve(&g));
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_free_choice_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "general",
             "The general discretization with every choice free: α, β, places, form of the laws.",
             sizeof(free_choice), keys},
    .init = init,
    .refuses = refuses,
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .adapt = adapt,
    .contacts = contacts,
};
