/* certify.c: certifies solves and smooth phases: applies the laws' own words to what rows and states say.
 *
 * What counts as zero is an energy: with c = γ without impulses and G the largest diagonal element of a block, an error e in
 * √J is e/√G of an impulse and e √G of a velocity. It is the part `tolerance` of the largest |c|/√G of the group of
 * systems that impulses join, beside what the solver was asked for of all groups, and rounding. |P| √G of the least impulse
 * that a set asks for counts as |c|/√G does. Other impulses are hardly part of it, a hundred times |c|/√G at most of what
 * the solver was asked for: those that run away would hide any error.
 */
#include "assembly/after/certify.h"

#include "assembly/sources/candidates.h"
#include "assembly/sources/contacts.h"
#include "base/union_find.h"
#include "certify/certify.h"
#include "geometry/vector.h"
#include "model/body.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tolerance = 1e-8;
static const double of_positions = 1e-6; /* of gaps over a phase, and of its impulses */
static const double of_asked = 10;       /* of what solvers and integrators were asked for */

struct ss_work_certificate {
    int *parent;       /* n_u: groups, by where velocities of systems begin */
    double *reference; /* n_u: of a group, √J */
    double all;        /* the largest of them, √J */
    double pressed;    /* the largest |P| √G, √J, but not above MOST_PRESSED times that */
    double *x;         /* n_u */
    double asked;      /* tolerance of the solver */
    bool ready;        /* the last solve has groups and references: it was accepted */
    double *gap_B, *gamma_B, *gap, *gamma; /* rows of all laws, where a phase begins and ends */
    ss_statistics findings;                /* certified, uncertified, violations, violation */
};

typedef struct ss_work_certificate certificate;

enum { MOST_PRESSED = 100 };

ss_status ss_work_start_certifying(ss_work *work)
{
    certificate *c;
    int n_u = work->model->n_u;
    if (work->certificate)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &c));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_u, &c->parent));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_u, &c->reference));
    SS_TRY(SS_ARENA_NEW(&work->arena, n_u, &c->x));
    double **rows[] = {&c->gap_B, &c->gamma_B, &c->gap, &c->gamma};
    for (int i = 0; i < 4; i++)
        SS_TRY(SS_ARENA_NEW(&work->arena, work->table.n_rows, rows[i]));
    c->asked = ss_solver_tolerance(work->solver);
    work->certificate = c;
    return SS_OK;
}

void ss_work_clear_findings(ss_work *work)
{
    if (work->certificate)
        memset(&work->certificate->findings, 0, sizeof work->certificate->findings);
}

void ss_work_add_findings(ss_work *work, double t, ss_statistics *sums)
{
    if (!work->certificate)
        return;
    const ss_statistics *f = &work->certificate->findings;
    bool none = f->certified + f->uncertified == 0; /* the scheme has a way of its own */
    sums->certified += f->certified;
    sums->uncertified += none ? 1 : f->uncertified;
    sums->violations += f->violations;
    if (f->violations > 0)
        ss_certificate_note(sums, t, (ss_breach)f->violation.kind, f->violation.size,
                            f->violation.law);
}

/* ---- Groups ---- */

static void join(certificate *c, int *first, int next)
{
    if (*first < 0)
        *first = next;
    else
        ss_union_join(c->parent, *first, next);
}

static bool is_moved(const ss_factor *F, int dim)
{
    for (int k = 0; k < F->nu * dim; k++)
        if (F->MinvW[k] != 0)
            return true;
    return false;
}

/* Where the velocities of the first system begin that a block moves, -1: none; joins those that it moves. */
static int join_block(certificate *c, const ss_inclusion *inclusion, int i)
{
    int first = -1;
    for (int k = inclusion->factor_start[i]; k < inclusion->factor_start[i + 1]; k++)
        if (is_moved(&inclusion->factors[k], inclusion->blocks[i].dim))
            join(c, &first, inclusion->factors[k].u_offset);
    return first;
}

static int join_contact(certificate *c, const ss_work *work, int i)
{
    const ss_contact *contact = &work->contacts->found[i];
    int first = -1,
        at[2] = {ss_work_moved_at(work, contact->a), ss_work_moved_at(work, contact->b)};
    for (int side = 0; side < 2; side++)
        if (at[side] >= 0)
            join(c, &first, at[side]);
    return first;
}

static bool has_forms(const ss_work *work)
{
    return work->contacts && work->contacts->forms;
}

static bool is_swept(const ss_work *work, int i)
{
    return work->contacts->store.contacts[i].form != SS_ROW_GENERAL;
}

static void join_systems(const ss_work *work, certificate *c)
{
    const ss_inclusion *inclusion = &work->inclusion;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        for (int i = system->u_offset; i < system->u_offset + system->nu; i++) {
            c->parent[i] = system->u_offset;
            c->reference[i] = 0;
        }
    }
    c->all = 0;
    for (int i = 0; i < inclusion->n_blocks; i++)
        join_block(c, inclusion, i);
    for (int i = 0; has_forms(work) && i < work->contacts->n; i++)
        if (is_swept(work, i))
            join_contact(c, work, i);
}

static void note_reference(certificate *c, int at, double energy)
{
    int root = ss_union_root(c->parent, at);
    c->reference[root] = fmax(c->reference[root], energy);
    c->all = fmax(c->all, energy);
}

/* ---- Blocks ---- */

/* Numbers of one block or contact. */
typedef struct numbers {
    int at;       /* where its group's velocities begin, -1: it moves nothing */
    double G;     /* 1/kg */
    double moved; /* Σ |W| |u|, m/s: what γ is the difference of */
} numbers;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* γ of a block, its largest G, and the size of what is subtracted. */
static numbers look_at_block(certificate *c, const ss_inclusion *inclusion, int i, const double *u,
                             double *gamma)
{
    const ss_block *B = &inclusion->blocks[i];
    numbers n = {.at = join_block(c, inclusion, i)};
    for (int row = 0; row < B->dim; row++) {
        double G = 0, sum = inclusion->b[B->offset + row], size = fabs(sum);
        for (int k = inclusion->factor_start[i]; k < inclusion->factor_start[i + 1]; k++) {
            const ss_factor *F = &inclusion->factors[k];
            for (int j = 0; j < F->nu; j++) {
                double part = F->W[row * F->nu + j] * u[F->u_offset + j];
                G += F->W[row * F->nu + j] * F->MinvW[row * F->nu + j];
                sum += part;
                size += fabs(part);
            }
        }
        gamma[row] = sum;
        n.G = fmax(n.G, G);
        n.moved = fmax(n.moved, size);
    }
    return n;
}

/* What counts as zero, √J; 0 where impulses are so large that rounding hides the laws. */
static double error_of(const certificate *c, const numbers *n, double P)
{
    const double rounding = 64 * DBL_EPSILON;
    int root = ss_union_root(c->parent, n->at);
    double e = tolerance * c->reference[root] + of_asked * c->asked * c->pressed;
    e = fmax(e, rounding * n->moved / sqrt(n->G));
    double hidden = rounding * P * sqrt(n->G);
    return hidden <= e ? e : 0;
}

static void note(ss_work *work, int block, ss_breach breach, double size)
{
    certificate *c = work->certificate;
    if (breach == SS_BREACH_NONE)
        return;
    c->findings.violations = 1; /* of this solve */
    ss_certificate_note(&c->findings, 0, breach, size, ss_work_block_name(work, block).text);
}

static void certify_block(ss_work *work, int i, const double *u_E)
{
    certificate *c = work->certificate;
    const ss_inclusion *inclusion = &work->inclusion;
    const ss_block *B = &inclusion->blocks[i];
    int name = i + (has_forms(work) ? work->contacts->n : 0);
    double gamma[SS_SET_MAX_DIM], size;
    const double *P = work->P + B->offset;
    numbers n = look_at_block(c, inclusion, i, u_E, gamma);
    if (n.at < 0 || !(n.G > 0))
        return;
    double scale = B->scale, most = largest(B->dim, P);
    if (B->scale_from >= 0)
        scale *= fabs(work->P[inclusion->blocks[B->scale_from].offset]);
    double e = error_of(c, &n, most);
    if (e == 0 && most > 0) {
        note(work, name, SS_BREACH_RUNAWAY, most);
        return;
    }
    e = fmax(e, DBL_MIN);
    double wider = fmax(1, B->scale_from >= 0 ? B->scale : 1); /* the error of what scales it */
    ss_certified_law law = {B->set, scale, P, gamma, e / sqrt(n.G) * wider, e * sqrt(n.G)};
    ss_breach breach = ss_certify_law(&law, &size);
    note(work, name, breach, size);
}

/* ---- ROUND and BODY contacts ---- */

/* Velocity of the second shape of a contact beside the first. */
static double velocity_at(const ss_work *work, const ss_contact *contact, const double *u,
                          double gamma[3])
{
    const int shapes[2] = {contact->a, contact->b};
    double moved = 0;
    memset(gamma, 0, 3 * sizeof *gamma);
    for (int side = 0; side < 2; side++) {
        double v[3];
        if (work->model->shapes[shapes[side]].system < 0)
            continue;
        ss_work_shape_velocity(work, shapes[side], contact->x, u, v);
        ss_along3(gamma, side ? 1 : -1, v, gamma);
        moved += ss_length3(v);
    }
    return moved;
}

static double G_of(const ss_work *work, const ss_contact *contact)
{
    const struct ss_work_contacts *c = work->contacts;
    const int shapes[2] = {contact->a, contact->b};
    double G = 0;
    for (int side = 0; side < 2; side++) {
        int s = work->model->shapes[shapes[side]].system;
        if (c->shape_body[shapes[side]] <= 0)
            continue;
        const ss_body *body = work->model->systems[s].body;
        double r[3];
        ss_minus3(contact->x, c->frames[s].x, r);
        G += 1 / body->mass +
             ss_dot3(r, r) * fmax(body->Jinv[0], fmax(body->Jinv[4], body->Jinv[8]));
    }
    return G;
}

/* What the normal law adds to γ: ε γ_B, or what the form of the step says instead. */
static double bias_of(const ss_work *work, const ss_contact *contact)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_law *normal = c->rules[contact->element].normal;
    double gamma[3];
    velocity_at(work, contact, c->u_B, gamma);
    double along = ss_dot3(contact->n, gamma);
    if (work->laws[normal - work->model->laws].displaced)
        return ss_contact_displacement(&c->form, normal, contact->gap, c->dt, along);
    double epsilon = ss_contact_restitution(c, (int)(contact - c->found), normal);
    return (c->form.kind == SS_FORM_AVERAGE ? c->form.average : epsilon) * along;
}

static numbers look_at_contact(certificate *c, const ss_work *work, int i, const double *u,
                               double gamma[3])
{
    const ss_contact *contact = &work->contacts->found[i];
    numbers n = {.at = join_contact(c, work, i), .G = G_of(work, contact)};
    n.moved = velocity_at(work, contact, u, gamma);
    ss_along3(gamma, bias_of(work, contact), contact->n, gamma);
    return n;
}

/* Parts along the normal and across it. */
static double split(const double n[3], const double x[3], double across[3])
{
    double along = ss_dot3(n, x);
    ss_along3(x, -along, n, across);
    return along;
}

static void certify_contact(ss_work *work, int i, const double *u_E)
{
    certificate *c = work->certificate;
    const ss_contact *contact = &work->contacts->found[i];
    const ss_row_contact *row = &work->contacts->store.contacts[i];
    double gamma[3], slip[3], T[3], size;
    ss_breach breach;
    numbers n = look_at_contact(c, work, i, u_E, gamma);
    if (n.at < 0 || !(n.G > 0))
        return;
    double N = split(contact->n, row->P, T), speed = split(contact->n, gamma, slip);
    double e = error_of(c, &n, ss_length3(row->P));
    if (e == 0 && ss_length3(row->P) > 0) {
        note(work, i, SS_BREACH_RUNAWAY, ss_length3(row->P));
        return;
    }
    e = fmax(e, DBL_MIN);
    double P_error = e / sqrt(n.G), gamma_error = e * sqrt(n.G);
    double mu = work->contacts->rules[contact->element].mu;
    ss_certified_law normal = {ss_set_half_line(), 1, &N, &speed, P_error, gamma_error};
    breach = ss_certify_law(&normal, &size);
    note(work, i, breach, size);
    ss_certified_law friction = {ss_set_disk(3), mu * fabs(N),          T,
                                 slip,           P_error * fmax(1, mu), gamma_error};
    breach = ss_certify_law(&friction, &size);
    note(work, i, breach, size);
}

/* ---- Restitution, levels, momentum ---- */

/* Whether a row's restitution is Newton's alone, and the scheme leaves it as it is. */
static bool is_plain(const ss_work *work, const ss_law *law)
{
    return work->form == SS_FORM_VELOCITY && !work->inclusion.refresh &&
           !(law->flags & SS_LAW_CORRECTED) && !work->elements[law->element].epsilon &&
           !ss_element_rule(&work->table.elements[law->element]);
}

void ss_work_certify_row(ss_work *work, int block, int row, double epsilon, double before,
                         const double *u_E)
{
    certificate *c = work->certificate;
    const ss_inclusion *inclusion = &work->inclusion;
    const ss_block *B = &inclusion->blocks[block];
    const ss_law *law = &work->table.laws[work->block_law[block]];
    double gamma[SS_SET_MAX_DIM], size;
    if (!c->ready)
        return;
    numbers n = look_at_block(c, inclusion, block, u_E, gamma);
    if (n.at < 0 || !(n.G > 0))
        return;
    double zeta = work->elements[law->element].zeta[law->row + row];
    double after = gamma[row] - inclusion->b[B->offset + row] + zeta;
    double e = fmax(error_of(c, &n, 0), DBL_MIN);
    ss_certified_impact impact = {
        work->P[B->offset + row], before, after, epsilon, e / sqrt(n.G), e * sqrt(n.G)};
    ss_breach breach = ss_certify_impact(&impact, &size);
    note(work, block + (has_forms(work) ? work->contacts->n : 0), breach, size);
}

/* Closed one-sided laws, and frictions that stick, come back with ε. */
static void certify_restitution(ss_work *work, const double *u_B, const double *u_E)
{
    for (int i = 0; i < work->n_element_blocks; i++) {
        const ss_block *B = &work->blocks[i];
        const ss_law *law = &work->table.laws[work->block_law[i]];
        const ss_work_element *we = &work->elements[law->element];
        double before[SS_SET_MAX_DIM];
        bool one_sided =
            B->set->kind == SS_SET_HALF_LINE || B->set->kind == SS_SET_NEGATIVE_HALF_LINE;
        if (!one_sided || work->laws[work->block_law[i]].displaced || !is_plain(work, law))
            continue;
        look_at_block(work->certificate, &work->inclusion, i, u_B, before);
        double zeta = we->zeta[law->row];
        ss_work_certify_row(work, i, 0, ss_work_restitution(work, law, 0),
                            before[0] - work->inclusion.b[B->offset] + zeta, u_E);
    }
}

/* A contact that is closed takes part: on velocity level nothing else keeps it from going deeper. */
static void certify_levels(ss_work *work)
{
    for (int l = 0; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        const ss_element *element = &work->table.elements[law->element];
        double size;
        if (law->ops->law_class != SS_LAW_UNILATERAL || ss_element_rule(element) ||
            work->laws[l].level != SS_LEVEL_INACTIVE || (law->flags & SS_LAW_CLOSES_ELSEWHERE))
            continue;
        if (ss_certify_gap(work->elements[law->element].g[law->row], false, 0, &size) ==
            SS_BREACH_NONE)
            continue;
        work->certificate->findings.violations = 1;
        ss_certificate_note(&work->certificate->findings, 0, SS_BREACH_GAP, size, law->object.name);
    }
}

/* Whether velocities are plainly those that impulses x make, but for rounding. */
static bool fits(int n, const double *u_free, const double *x, const double *u_E)
{
    const double close = 1e-10;
    for (int i = 0; i < n; i++)
        if (!(fabs(u_free[i] + x[i] - u_E[i]) <=
              close * (fabs(u_free[i]) + fabs(x[i]) + fabs(u_E[i]))))
            return false;
    return true;
}

/* u_E = u_free + M⁻¹ Σ W P, with masses as the systems have them. */
static void certify_momentum(ss_work *work, const double *u_E)
{
    certificate *c = work->certificate;
    const ss_inclusion *inclusion = &work->inclusion;
    const double *u_free = inclusion->u_free;
    double *x = c->x;
    memset(x, 0, (size_t)work->model->n_u * sizeof *x);
    for (int i = 0; i < inclusion->n_blocks; i++)
        for (int k = inclusion->factor_start[i]; k < inclusion->factor_start[i + 1]; k++) {
            const ss_factor *F = &inclusion->factors[k];
            for (int row = 0; row < inclusion->blocks[i].dim; row++)
                for (int j = 0; j < F->nu; j++)
                    x[F->u_offset + j] +=
                        F->W[row * F->nu + j] * work->P[inclusion->blocks[i].offset + row];
        }
    if (has_forms(work))
        ss_work_contacts_impulse(work, x);
    ss_work_solve_mass(work, x);
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        int from = system->u_offset, n = system->nu;
        double size;
        if (n == 0 || system->prescribed || fits(n, u_free + from, x + from, u_E + from))
            continue;
        double energy = ss_work_kinetic(work, s, u_free + from) +
                        ss_work_kinetic(work, s, x + from) + ss_work_kinetic(work, s, u_E + from);
        double floor = of_asked * c->asked * c->pressed / tolerance;
        for (int i = from; i < from + n; i++)
            x[i] = u_free[i] + x[i] - u_E[i];
        if (ss_certify_momentum(ss_work_kinetic(work, s, x + from), energy + floor * floor,
                                tolerance, &size) == SS_BREACH_NONE)
            continue;
        c->findings.violations = 1;
        ss_certificate_note(&c->findings, 0, SS_BREACH_MOMENTUM, size, system->object.owner);
    }
}

/* ---- A solve ---- */

/* Springs in place of laws, and friction cones, are not Coulomb's law: they are asked for. */
static bool has_other_laws(const ss_solve_report *report)
{
    return report->chosen && (report->forces == SS_FORCES_REGULARIZED ||
                              report->forces == SS_FORCES_CONE_COMPLEMENTARITY);
}

/* The least impulse that the set of a block leaves, by its support along the axes: Poisson's expansion begins from rest,
 * and what it gives back is the size of all that follows. */
static double least_impulse(const ss_block *B)
{
    double axis[SS_SET_MAX_DIM] = {0}, least = 0;
    if (B->scale_from >= 0)
        return 0;
    for (int i = 0; i < 2 * B->dim; i++) {
        axis[i / 2] = i % 2 ? -1 : 1;
        double support = ss_set_support(B->set, B->scale, axis);
        axis[i / 2] = 0;
        if (isfinite(support))
            least = fmax(least, -support);
    }
    return least;
}

static void find_references(const ss_work *work, certificate *c)
{
    const ss_inclusion *inclusion = &work->inclusion;
    double gamma[SS_SET_MAX_DIM], pressed = 0;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        numbers n = look_at_block(c, inclusion, i, inclusion->u_free, gamma);
        if (n.at < 0 || !(n.G > 0))
            continue;
        note_reference(c, n.at, largest(B->dim, gamma) / sqrt(n.G));
        note_reference(c, n.at, least_impulse(B) * sqrt(n.G));
        pressed = fmax(pressed, largest(B->dim, work->P + B->offset) * sqrt(n.G));
    }
    for (int i = 0; has_forms(work) && i < work->contacts->n; i++) {
        if (!is_swept(work, i))
            continue;
        numbers n = look_at_contact(c, work, i, inclusion->u_free, gamma);
        if (n.at < 0 || !(n.G > 0))
            continue;
        note_reference(c, n.at, ss_length3(gamma) / sqrt(n.G));
        pressed = fmax(pressed, ss_length3(work->contacts->store.contacts[i].P) * sqrt(n.G));
    }
    c->pressed = fmax(c->all, fmin(pressed, MOST_PRESSED * c->all));
}

void ss_work_certify(ss_work *work, const ss_state *B, const double *u_E,
                     const ss_solve_report *report)
{
    certificate *c = work->certificate;
    const ss_inclusion *inclusion = &work->inclusion;
    c->ready = ss_outcome_accepted(report->outcome) && !has_other_laws(report);
    if (!ss_outcome_accepted(report->outcome))
        return;
    if (!c->ready) {
        c->findings.uncertified++;
        return;
    }
    uint64_t before = c->findings.violations;
    c->findings.violations = 0;
    join_systems(work, c);
    find_references(work, c);
    for (int i = 0; i < inclusion->n_blocks; i++)
        certify_block(work, i, u_E);
    for (int i = 0; has_forms(work) && i < work->contacts->n; i++)
        if (is_swept(work, i))
            certify_contact(work, i, u_E);
    if (B)
        certify_restitution(work, ss_state_u(B), u_E);
    if (work->form == SS_FORM_VELOCITY && !work->levels_kept)
        certify_levels(work);
    certify_momentum(work, u_E);
    c->findings.violations += before;
    c->findings.certified++;
}

/* ---- A smooth phase ---- */

/* What counts as zero over a phase. */
typedef struct phase {
    ss_work *work;
    const ss_state *B, *E;
    const ss_phase_claims *claims;
    double P_error;
    double gap_error; /* in parts of the size of gaps */
} phase;

static int index_of(const phase *p, const ss_law *law)
{
    return (int)(law - p->work->table.laws);
}

static void note_law(const phase *p, const ss_law *law, ss_breach breach, double size)
{
    if (breach == SS_BREACH_NONE)
        return;
    p->work->certificate->findings.violations = 1;
    ss_certificate_note(&p->work->certificate->findings, 0, breach, size, law->object.name);
}

/* Kinetic energy at the end of the systems that a law connects. */
static double kinetic_of(const phase *p, const ss_law *law)
{
    const ss_connected *connected = &p->work->table.elements[law->element].connected;
    double sum = 0;
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &p->work->model->systems[connected->systems[k]];
        if (system->nu > 0 && !system->prescribed)
            sum += ss_work_kinetic(p->work, connected->systems[k],
                                   ss_state_u(p->E) + system->u_offset);
    }
    return sum;
}

/* The impulse pushes; a contact acts where it is closed, and is not left behind a surface. */
static ss_status certify_contact_phase(const phase *p, const ss_law *law)
{
    const certificate *c = p->work->certificate;
    const double none = 0;
    double P = ss_state_P(p->E)[law->offset], d = c->gap[law->offset], d_B = c->gap_B[law->offset];
    double size = 0;
    ss_law_set set = {0};
    ss_law_at at = ss_work_law_at(p->work, law, 1, true);
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    double side = set.set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1 : 1;
    ss_level level = SS_LEVEL_INACTIVE;
    SS_TRY(ss_law_level(law, &at, &level)); /* its tolerance: it is closed before it is reached */
    ss_certified_law push = {set.set, set.scale, &P, &none, p->P_error, DBL_MIN};
    ss_breach breach = p->claims->unique ? ss_certify_law(&push, &size) : SS_BREACH_NONE;
    note_law(p, law, breach, size);
    if (law->flags & SS_LAW_CLOSES_ELSEWHERE) {
        SS_TRY(law->ops->distance(law->object.self, &at, &d));
        at.g = &c->gap_B[law->offset];
        SS_TRY(law->ops->distance(law->object.self, &at, &d_B));
    }
    bool present = !ss_work_absent(p->work, index_of(p, law)); /* at the end */
    double error = p->gap_error * ss_work_gap_size(p->work, index_of(p, law));
    bool acts = fabs(P) > p->P_error && level != SS_LEVEL_ACTIVE && present;
    breach = ss_certify_gap(side * d, acts, error + fabs(d_B), &size);
    note_law(p, law, breach, size);
    return SS_OK;
}

/* Impulse of a row without that of the impact at the end. */
static double smooth_impulse(const phase *p, int row)
{
    return ss_state_P(p->E)[row] - p->claims->impact[row];
}

/* The energy that friction may seem to bring at the slip of the end, J: none in one row, which would have stopped to turn
 * round. In more, slip may turn all the way between two ends that look alike: half of what the set can take out. */
static double may_bring(const ss_certified_law *cone, const double *after)
{
    double back[SS_SET_MAX_DIM];
    for (int i = 0; i < cone->set->dim; i++)
        back[i] = -after[i];
    return cone->set->dim == 1 ? 0 : ss_set_support(cone->set, cone->scale, back) / 2;
}

/* Friction stays in its cone and takes energy out. Its direction may turn in a phase, the bound of a set that is not
 * constant may change: then nothing is said of them. Nor is the impact at the end, which was solved and certified: it may
 * press a joint the other way, and impulses that cancel bound nothing. */
static ss_status certify_friction_phase(const phase *p, const ss_law *law)
{
    const certificate *c = p->work->certificate;
    double P[SS_SET_MAX_DIM];
    const double none[SS_SET_MAX_DIM] = {0};
    const double *after = c->gamma + law->offset, *before = c->gamma_B + law->offset;
    double dt = ss_state_time(p->E) - ss_state_time(p->B), size = 0, power = 0, turn = 0;
    const ss_law *normal = law->scale_from >= 0 ? &p->work->table.laws[law->scale_from] : NULL;
    ss_law_set set = {0};
    if (!(law->flags & SS_LAW_CONSTANT_SET) || law->load_group >= 0 || (normal && normal->dim > 1))
        return SS_OK;
    for (int i = 0; i < law->dim; i++)
        P[i] = smooth_impulse(p, law->offset + i);
    ss_law_at at = ss_work_law_at(p->work, law, dt, true);
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    double scale = set.scale * (normal ? fabs(smooth_impulse(p, normal->offset)) : 1);
    ss_certified_law cone = {set.set, scale, P, none, p->P_error * fmax(1, normal ? set.scale : 1),
                             DBL_MIN};
    ss_breach breach = p->claims->unique ? ss_certify_law(&cone, &size) : SS_BREACH_NONE;
    note_law(p, law, breach, size);
    for (int i = 0; i < law->dim; i++) {
        power += P[i] * after[i];
        turn += before[i] * after[i];
    }
    if (power <= tolerance * kinetic_of(p, law))
        return SS_OK; /* between two events at almost the same time impulses are rounding */
    double speed = sqrt(dot(law->dim, after, after));
    double speed_B = sqrt(dot(law->dim, before, before));
    double slip = p->claims->slip * ss_work_speed_size(p->work, index_of(p, law));
    if (fmin(speed, speed_B) > 10 * slip && turn > speed * speed_B / 2 &&
        power > 4 * p->P_error * speed + may_bring(&cone, after))
        note_law(p, law, SS_BREACH_SLIP, power / speed);
    return SS_OK;
}

static ss_status certify_laws(const phase *p)
{
    for (int l = 0; l < p->work->table.n_laws; l++) {
        const ss_law *law = &p->work->table.laws[l];
        if (ss_element_rule(&p->work->table.elements[law->element]))
            continue;
        if (law->ops->law_class == SS_LAW_UNILATERAL)
            SS_TRY(certify_contact_phase(p, law));
        if (law->ops->law_class == SS_LAW_FRICTION && !(law->flags & SS_LAW_ADDED))
            SS_TRY(certify_friction_phase(p, law));
    }
    return SS_OK;
}

ss_status ss_work_certify_phase(ss_work *work, const ss_state *B, const ss_state *E,
                                const ss_phase_claims *claims)
{
    certificate *c = work->certificate;
    if (!c)
        return SS_OK;
    phase p = {work, B, E, claims, DBL_MIN, of_asked * claims->absolute};
    const ss_sizes *sizes = &work->sizes;
    double fastest = 0; /* in parts of the scene's speed */
    for (int i = 0; i < work->model->n_u; i++)
        fastest = fmax(fastest, fabs(ss_state_u(E)[i]) / sizes->u[i]);
    double step = (ss_state_time(E) - ss_state_time(B)) / sizes->time * fastest;
    SS_TRY(ss_work_measure_all(work, B, c->gap_B, c->gamma_B));
    SS_TRY(ss_work_measure_all(work, E, c->gap, c->gamma));
    p.P_error = fmax(p.P_error, of_positions * largest(work->table.n_rows, ss_state_P(E)));
    p.gap_error = fmax(p.gap_error, of_positions * (1 + step));
    uint64_t before = c->findings.violations;
    c->findings.violations = 0;
    ss_status status = certify_laws(&p);
    c->findings.violations += before;
    c->findings.certified += claims->unique;
    c->findings.uncertified += !claims->unique;
    return status;
}
