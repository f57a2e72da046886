/* shapes.c: shapes on systems, their mass, and which rule two materials obey. */
#include "base/context.h"
#include "la/elementary.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* ---- Adding ---- */

/* Rodrigues' rotation about an axis of any length. */
static bool rotate(const ss_matrix *given, double A[9])
{
    const double *v = given->values;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0))
        return false;
    double c = ss_cos(v[3]), s = ss_sin(v[3]), k[3] = {v[0] / length, v[1] / length, v[2] / length};
    double K[9] = {0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = (i == j ? c : 0) + (1 - c) * k[i] * k[j] + s * K[3 * i + j];
    return true;
}

static ss_status keep_pose(ss_model *model, const ss_pose *pose, ss_placed *placed)
{
    ss_pose *own;
    if (placed->at && memcmp(pose, placed->at, sizeof *pose) == 0)
        return SS_OK;
    placed->at = &ss_pose_here;
    if (memcmp(pose, &ss_pose_here, sizeof *pose) == 0)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&model->arena, 1, &own));
    *own = *pose;
    placed->at = own;
    return SS_OK;
}

static ss_status place(const ss_setup *setup, ss_placed *placed, const ss_shape_common *common)
{
    ss_pose pose = ss_pose_here;
    if (common->at.rows != 0 && common->at.rows != 3)
        return ss_refuse(setup, "'at' must be three numbers");
    for (int i = 0; i < common->at.rows; i++)
        pose.x[i] = common->at.values[i];
    bool turned = common->rotation.rows != 0;
    if (turned && (common->rotation.rows != 4 || !rotate(&common->rotation, pose.A)))
        return ss_refuse(setup, "'rotation' must be four numbers: an axis that is not zero, and an "
                                "angle");
    return keep_pose(setup->model, &pose, placed);
}

/* Fails: the system has other frames. */
static ss_status refuse_frame(const ss_model *model, const ss_system *system, const char *owner,
                              ss_location where, const char *name)
{
    char all[256] = "";
    size_t used = 0;
    for (int i = 0; i < system->n_frames && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s.%s", i ? ", " : "",
                                 system->object.name, system->frame_names[i]);
    if (system->n_frames == 0)
        return ss_fail_at(model->context, SS_UNKNOWN_NAME, where,
                          "%s: %s has one frame without a name: 'on: %s'", owner,
                          system->object.owner, system->object.name);
    return ss_fail_at(model->context, SS_UNKNOWN_NAME, where, "%s: %s%s%s (frames: %s)", owner,
                      system->object.owner,
                      name ? " has no frame " : " has frames; name one of them", name ? name : "",
                      all);
}

ss_status ss_model_find_frame(const ss_model *model, const char *owner, ss_location where,
                              const char *on, int *index, int *frame)
{
    char name[256];
    const char *dot = strchr(on, '.'), *given = dot ? dot + 1 : NULL;
    int length = dot ? (int)(dot - on) : (int)strlen(on);
    snprintf(name, sizeof name, "%.*s", length, on);
    if (!ss_map_find(&model->names[SS_TYPE_SYSTEM], name, index))
        return ss_model_no_system(model, owner, where, name);
    const ss_system *system = &model->systems[*index];
    *frame = 0;
    if (!given && system->n_frames == 0)
        return SS_OK;
    for (int i = 0; given && i < system->n_frames; i++)
        if (strcmp(system->frame_names[i], given) == 0) {
            *frame = i;
            return SS_OK;
        }
    return refuse_frame(model, system, owner, where, given);
}

/* "system" or "system.frame" */
static ss_status find_frame(ss_model *model, ss_placed *placed, ss_location where, const char *on)
{
    SS_TRY(ss_model_find_frame(model, placed->object.owner, where, on, &placed->system,
                               &placed->frame));
    const ss_system *system = &model->systems[placed->system];
    if (system->ops->pose)
        return SS_OK;
    return ss_fail_at(model->context, SS_INPUT, where, "%s: systems of type '%s' carry no shapes",
                      placed->object.owner, system->ops->type.name);
}

static ss_status carry(const ss_setup *setup, ss_placed *placed, const ss_shape_common *common)
{
    ss_model *model = setup->model;
    placed->system = -1;
    if (common->on.text)
        SS_TRY(find_frame(model, placed, ss_setup_key_location(setup, "on"), common->on.text));
    placed->material = common->material.text ? common->material.text : "";
    placed->density = common->density;
    if (placed->density > 0 && (placed->system < 0 || !model->systems[placed->system].body))
        return ss_refuse(setup, "'density' is for shapes on bodies");
    return SS_OK;
}

ss_status ss_model_set_directory(ss_model *model, const char *directory)
{
    SS_GIVEN(NULL, model);
    model->directory = NULL;
    return directory ? ss_arena_copy_string(&model->arena, directory, &model->directory) : SS_OK;
}

ss_status ss_model_place_shape(ss_model *model, const char *name, const char *type,
                               const ss_args *args)
{
    ss_shape_common common = {0};
    ss_setup setup;
    void *self;
    SS_TRY(ss_model_begin(model, &(ss_addition){SS_TYPE_SHAPE, name, type, args, &common}, &setup,
                          &self));
    ss_placed *placed = &model->shapes[model->n_shapes.count - 1];
    placed->shape.ops = (const ss_shape_ops *)setup.type;
    SS_TRY(carry(&setup, placed, &common));
    SS_TRY(place(&setup, placed, &common));
    placed->shape.self = placed->object.self = self;
    ss_shape_setup shape = {placed->object.owner, placed->object.where, model->directory,
                            model->scope, model->confined};
    return placed->shape.ops->init ? placed->shape.ops->init(self, model->context, &shape) : SS_OK;
}

/* ---- Sealing ---- */

/* A I Aᵀ */
static void turn(const double A[9], const double I[9], double T[9])
{
    double AI[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            AI[3 * i + j] = A[3 * i] * I[j] + A[3 * i + 1] * I[3 + j] + A[3 * i + 2] * I[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] =
                AI[3 * i] * A[3 * j] + AI[3 * i + 1] * A[3 * j + 1] + AI[3 * i + 2] * A[3 * j + 2];
}

static ss_status add_mass(ss_model *model, const ss_placed *placed)
{
    ss_solid solid = {0};
    double centre[3], inertia[9];
    if (placed->shape.ops->solid)
        placed->shape.ops->solid(placed->shape.self, &solid);
    if (!(solid.volume > 0))
        return ss_refuse_object(model, &placed->object,
                                "it encloses no volume, so 'density' gives no mass");
    const double *A = placed->at->A;
    for (int i = 0; i < 3; i++)
        centre[i] = placed->at->x[i] + A[3 * i] * solid.centre[0] + A[3 * i + 1] * solid.centre[1] +
                    A[3 * i + 2] * solid.centre[2];
    for (int i = 0; i < 9; i++)
        solid.inertia[i] *= placed->density;
    turn(A, solid.inertia, inertia);
    ss_body_add_solid(model->systems[placed->system].body, placed->density * solid.volume, centre,
                      inertia);
    return SS_OK;
}

/* Equal words get equal numbers; names[] holds one of each. */
static ss_status number_materials(ss_model *model, const char ***names)
{
    ss_map map;
    ss_map_init(&map, model->context);
    ss_status status = SS_ARENA_NEW(&model->arena, model->n_shapes.count, names);
    for (int i = 0; i < model->n_shapes.count && status == SS_OK; i++) {
        ss_placed *placed = &model->shapes[i];
        if (ss_map_find(&map, placed->material, &placed->material_index))
            continue;
        placed->material_index = model->n_materials++;
        (*names)[placed->material_index] = placed->material;
        status = ss_map_set(&map, placed->material, placed->material_index);
    }
    ss_map_release(&map);
    return status;
}

/* How well a rule fits two materials: the materials it names, -1: not at all. */
static int fit(const ss_contact_rule *rule, const char *a, const char *b)
{
    const ss_text *names = rule->between.items;
    int count = rule->between.rows;
    bool a0 = count > 0 && strcmp(names[0].text, a) == 0;
    bool b0 = count > 0 && strcmp(names[0].text, b) == 0;
    if (count == 2) {
        a0 = a0 && strcmp(names[1].text, b) == 0;
        b0 = b0 && strcmp(names[1].text, a) == 0;
    }
    return count == 0 || a0 || b0 ? count : -1;
}

static ss_status choose_rule(ss_model *model, const char *a, const char *b, int *rule)
{
    int best = -1;
    *rule = -1;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_contact_rule *candidate = ss_element_rule(&model->elements[e]);
        int fits = candidate ? fit(candidate, a, b) : -1;
        if (fits < 0 || fits < best)
            continue;
        if (fits == best)
            return ss_refuse_object(model, &model->elements[e].object,
                                    "%s fits the materials '%s' and '%s' as well",
                                    model->elements[*rule].object.owner, a, b);
        best = fits;
        *rule = e;
    }
    return SS_OK;
}

static ss_status fill_rules(ss_model *model, const char *const *names)
{
    int n = model->n_materials;
    SS_TRY(SS_ARENA_NEW(&model->arena, n * n, &model->rule));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            int rule;
            SS_TRY(choose_rule(model, names[i], names[j], &rule));
            model->rule[i * n + j] = model->rule[j * n + i] = rule;
        }
    return SS_OK;
}

/* Most likely a name is misspelled; a rule for later is no fault. */
static void warn_of_names(ss_model *model, const ss_element *element, const char *const *names)
{
    const ss_texts *between = &ss_element_rule(element)->between;
    for (int k = 0; k < between->rows; k++) {
        bool found = false;
        for (int i = 0; i < model->n_materials; i++)
            found = found || strcmp(names[i], between->items[k].text) == 0;
        if (!found)
            ss_log(model->context, SS_LOG_WARNING, "%s: no shape is of the material '%s'",
                   element->object.owner, between->items[k].text);
    }
}

/* As many contacts as a rule says; else as shapes of this kind can have, if there is a rule at all. */
static void reserve_contacts(ss_model *model, int n_rules, int given)
{
    int capacity = 64;
    for (int i = 0; i < model->n_shapes.count; i++) {
        bool sphere = model->shapes[i].shape.ops->kind == SS_SHAPE_SPHERE;
        capacity += model->shapes[i].system < 0 ? 0 : sphere ? 12 : 48;
    }
    bool any = n_rules > 0 && model->n_shapes.count > 0;
    model->contact_capacity = !any ? 0 : given > 0 ? given : capacity;
}

/* Every rule says what happens along the normal, and once what happens across it. */
static ss_status check_rule(ss_model *model, const ss_element *rule)
{
    bool has[SS_RULE_GROUPS] = {false};
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &model->laws[rule->laws[i]];
        /* a contact has no memory of its own for the first two, and one law for a group */
        if ((law->flags & (SS_LAW_IMPRESSED | SS_LAW_WORK)) || has[law->group])
            return ss_refuse_object(model, &law->object,
                                    "laws of type '%s' are not for contacts of shapes",
                                    law->ops->type.name);
        if (law->group == SS_GROUP_GAP && (law->flags & SS_LAW_CLOSES_ELSEWHERE))
            return ss_refuse_object(model, &law->object,
                                    "a '%s' that acts elsewhere than at a gap of zero is not for "
                                    "contacts of shapes",
                                    law->ops->type.name);
        has[law->group] = true;
    }
    if (!has[SS_GROUP_GAP])
        return ss_refuse_object(model, &rule->object,
                                "a law for 'gap' is missing, e.g. {type: unilateral}");
    if (has[SS_GROUP_SLIP_SPIN] && (has[SS_GROUP_SLIP] || has[SS_GROUP_SPIN]))
        return ss_refuse_object(model, &rule->object,
                                "'slip_spin' is instead of 'slip' and 'spin'");
    return SS_OK;
}

ss_status ss_model_weigh_shapes(ss_model *model)
{
    for (int i = 0; i < model->n_shapes.count; i++)
        if (model->shapes[i].density > 0)
            SS_TRY(add_mass(model, &model->shapes[i]));
    return SS_OK;
}

static void number_frames(ss_model *model)
{
    model->n_frames = model->n_systems.count;
    for (int s = 0; s < model->n_systems.count; s++) {
        model->systems[s].more_frames = model->n_frames;
        model->n_frames += ss_system_frames(&model->systems[s]) - 1;
    }
    for (int i = 0; i < model->n_shapes.count; i++) {
        ss_placed *placed = &model->shapes[i];
        placed->frame_index =
            placed->system < 0 ? -1 : ss_model_frame(model, placed->system, placed->frame);
    }
}

ss_status ss_model_check_rules(ss_model *model)
{
    for (int e = 0; e < model->n_elements.count; e++)
        if (ss_element_rule(&model->elements[e]))
            SS_TRY(check_rule(model, &model->elements[e]));
    return SS_OK;
}

/* From here on shapes are seen from the centres of mass. All poses are made before one is taken: a failure changes
 * none. */
static ss_status centre_shapes(ss_model *model)
{
    ss_status status = SS_OK;
    const ss_pose **poses;
    SS_TRY(SS_NEW(model->context, model->n_shapes.count + 1, &poses));
    for (int i = 0; i < model->n_shapes.count && status == SS_OK; i++) {
        ss_placed placed = model->shapes[i];
        const ss_body *body = placed.system < 0 ? NULL : model->systems[placed.system].body;
        ss_pose pose = *placed.at;
        for (int k = 0; body && k < 3; k++)
            pose.x[k] += body->origin[k];
        status = keep_pose(model, &pose, &placed);
        poses[i] = placed.at;
    }
    for (int i = 0; i < model->n_shapes.count && status == SS_OK; i++)
        model->shapes[i].at = poses[i];
    ss_release(model->context, poses);
    return status;
}

ss_status ss_model_seal_shapes(ss_model *model)
{
    const char **names;
    int n_rules = 0, given = 0;
    number_frames(model);
    model->n_materials = 0;
    SS_TRY(number_materials(model, &names));
    SS_TRY(fill_rules(model, names));
    SS_TRY(centre_shapes(model));
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_contact_rule *rule = ss_element_rule(&model->elements[e]);
        if (!rule)
            continue;
        warn_of_names(model, &model->elements[e], names);
        given = rule->capacity > given ? rule->capacity : given;
        n_rules++;
    }
    reserve_contacts(model, n_rules, given);
    return SS_OK;
}
