/* tree_joints.c: stops and dry friction in the joints of a tree, as elements with set-valued laws. */
#include "options/options.h"
#include "types/systems/tree.h"
#include "types/types.h"

#include <stdio.h>

/* What an element of a joint is made of. */
typedef struct joint_element {
    ss_model *model;
    ss_location where;
    char name[300];
    const ss_link *link;
} joint_element;

typedef ss_status fill_fn(const joint_element *j, const void *user, ss_args *args);

static ss_status make_args(const joint_element *j, fill_fn *fill, const void *user, ss_args **args)
{
    SS_TRY(ss_args_create(ss_model_context(j->model), args));
    ss_args_set_location(*args, j->where);
    ss_status status = fill(j, user, *args);
    if (status != SS_OK)
        ss_args_destroy(*args);
    return status;
}

static ss_status add_law(const joint_element *j, const char *group, const char *type, fill_fn *fill)
{
    ss_args *args;
    SS_TRY(make_args(j, fill, NULL, &args));
    ss_status status = ss_model_add_law(j->model, j->name, group, type, args);
    ss_args_destroy(args);
    return status;
}

static ss_status fill_stop(const joint_element *j, const void *user, ss_args *args)
{
    (void)user;
    SS_TRY(ss_args_set_real(args, "lower", j->link->limits.values[0]));
    SS_TRY(ss_args_set_real(args, "upper", j->link->limits.values[1]));
    return ss_args_set_real(args, "restitution", j->link->restitution);
}

static ss_status fill_friction(const joint_element *j, const void *user, ss_args *args)
{
    (void)user;
    return ss_args_set_real(args, "bound", j->link->friction);
}

/* The coordinates and velocities of a joint, as formulas. */
typedef struct joint_rows {
    int count;
    const char *gap; /* NULL: no stop */
    ss_text slip[3];
} joint_rows;

static ss_status fill_rows(const joint_element *j, const void *user, ss_args *args)
{
    const joint_rows *rows = user;
    if (rows->gap)
        SS_TRY(ss_args_set_text(args, "gap", rows->gap));
    return j->link->friction > 0
               ? ss_args_set_texts(args, "slip", j->where, rows->count, 1, rows->slip)
               : SS_OK;
}

/* An element `system_joint` of type expression, with a stop on its gap and friction on its slip. */
static ss_status add_element(const joint_element *j, const joint_rows *rows)
{
    ss_args *args;
    SS_TRY(make_args(j, fill_rows, rows, &args));
    ss_status status = ss_model_add_element(j->model, j->name, "expression", args);
    ss_args_destroy(args);
    SS_TRY(status);
    if (rows->gap)
        SS_TRY(add_law(j, "gap", "stop", fill_stop));
    return j->link->friction > 0 ? add_law(j, "slip", "friction", fill_friction) : SS_OK;
}

static ss_status add_joint(const ss_tree_system *tree, joint_element *j, const char *system, int i)
{
    static const char *const turning[] = {"_wx", "_wy", "_wz"}, *const axes[] = {"_1", "_2"};
    int kind = j->link->joint, count = kind == SS_JOINT_UNIVERSAL ? 2 : 1;
    char gap[300], slip[3][300];
    ss_name name;
    joint_rows rows = {.count = kind == SS_JOINT_BALL ? 3 : 1};
    ss_tree_coordinate(tree, i, &name);
    for (int k = 0; k < count; k++) {
        const char *axis = count > 1 ? axes[k] : "";
        snprintf(j->name, sizeof j->name, "%s_%s%s", system, name.text, axis);
        snprintf(gap, sizeof gap, "%s.%s%s", system, name.text, axis);
        rows.gap = j->link->limits.rows ? gap : NULL;
        for (int r = 0; r < rows.count; r++) {
            snprintf(slip[r], sizeof slip[r], "%s.%s%s%s", system, name.text,
                     rows.count > 1 ? turning[r] : axis, rows.count > 1 ? "" : "'");
            rows.slip[r] = (ss_text){slip[r], j->where};
        }
        SS_TRY(add_element(j, &rows));
    }
    return SS_OK;
}

ss_status ss_tree_added(void *self, ss_model *model, const char *name, ss_location where)
{
    const ss_tree_system *tree = self;
    for (int i = 0; i < tree->n_frames; i++) {
        const ss_object_given *given = &tree->links.items[i];
        joint_element j = {.model = model, .where = given->name.where, .link = given->self};
        if (!j.where.line)
            j.where = where;
        if (j.link->limits.rows || j.link->friction > 0)
            SS_TRY(add_joint(tree, &j, name, i));
    }
    return SS_OK;
}
