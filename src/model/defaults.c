/* defaults.c: laws that groups of rows have unless they are given others. */
#include "model/model.h"

bool ss_model_has_default_laws(const ss_model *model, const char *element)
{
    int index;
    return ss_map_find(&model->names[SS_TYPE_ELEMENT], element, &index) &&
           model->elements[index].ops->held;
}

static ss_status add(ss_model *model, const ss_element *element, const ss_group *group)
{
    ss_args *args;
    SS_TRY(ss_args_create(model->context, &args));
    ss_args_set_location(args, element->object.where);
    ss_status status = SS_OK;
    if (group->law_key)
        status = ss_args_set_text(args, group->law_key, group->law_value);
    if (status == SS_OK)
        status = ss_model_add_law(model, element->object.name, group->name, group->law, args);
    ss_args_destroy(args);
    return status;
}

ss_status ss_model_add_default_laws(ss_model *model)
{
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        for (int g = 0; g < element->n_groups; g++)
            if (element->groups[g].law && !element->groups[g].has_law)
                SS_TRY(add(model, element, &element->groups[g]));
    }
    return SS_OK;
}
