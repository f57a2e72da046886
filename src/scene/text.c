/* text.c: objects from a text in the format of scenes, added to a model that is built in C. */
#include "scene/text.h"

#include "model/model.h"
#include "scene/build.h"
#include "scene/sections.h"
#include "scene/yaml.h"

#include <stdio.h>
#include <string.h>

static bool fits(const ss_section *section, ss_text_part part)
{
    bool objects = ss_section_is_model(section);
    return part == SS_TEXT_MODEL ? objects : !objects && section->shape != SS_SECTION_PATHS;
}

static ss_status refuse(ss_context *context, ss_text_part part, const ss_tree_entry *entry)
{
    char all[256];
    int used = 0;
    all[0] = 0;
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        if (fits(ss_section_at(i), part))
            used += snprintf(all + used, sizeof all - (size_t)used, "%s%s", used ? ", " : "",
                             ss_section_at(i)->name);
    return ss_fail_at(context, SS_INPUT, entry->where,
                      part == SS_TEXT_MODEL
                          ? "'%s' is no part of a model that is built in C (sections: %s)"
                          : "'%s' is no part of a scene whose model was built in C (sections: %s)",
                      entry->key, all);
}

ss_status ss_scene_text_parse(ss_arena *arena, const ss_scene_source *source, ss_text_part part,
                              ss_tree **root)
{
    SS_TRY(ss_yaml_parse(arena, source, 0, root));
    if (ss_tree_is_null(*root))
        return ss_fail_at(arena->context, SS_INPUT, (*root)->where, "the text is empty");
    SS_TRY(ss_sections_check(arena->context, *root));
    for (size_t i = 0; i < (*root)->count; i++)
        if (!fits(ss_section_find((*root)->entries[i].key), part))
            return refuse(arena->context, part, &(*root)->entries[i]);
    return SS_OK;
}

static ss_status add(ss_arena *scratch, ss_model *model, const char *file, const char *text)
{
    ss_scene_source source;
    ss_tree *root;
    SS_TRY(ss_scene_source_take(scratch, file, text, strlen(text), &source));
    SS_TRY(ss_scene_text_parse(scratch, &source, SS_TEXT_MODEL, &root));
    return ss_build_objects(root, model);
}

ss_status ss_model_add_text(ss_model *model, const char *file, const char *text)
{
    ss_context *context = ss_model_context(model);
    if (model->sealed)
        return ss_fail(context, SS_INPUT, "%s: the model is sealed; add before sealing", file);
    ss_model_mark mark = ss_model_marked(model);
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = add(&scratch, model, file, text);
    ss_arena_release(&scratch);
    if (status != SS_OK)
        ss_model_rollback(model, &mark);
    return status;
}
