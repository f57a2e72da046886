/* scene.c: a scene file or text becomes a model and what is done with it, or a part of one. */
#include "scene/scene.h"
#include "base/context.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Texts that are a part of a scene ---- */

/* Whether a section belongs to the description of a model, parameters and objects, or to what is done
 * with it. */
static bool fits(const ss_section *section, bool model)
{
    bool described = section->shape == SS_SECTION_NUMBERS ||
                     (section->shape == SS_SECTION_OBJECTS && section->type >= 0) ||
                     section->keys == ss_input_keys || section->keys == ss_output_keys;
    return model ? described : !described && section->shape != SS_SECTION_PATHS;
}

/* The tree of a text; sections of the other part are refused, and so are `include` and `plugins`. */
static ss_status parse_part(ss_arena *arena, const ss_scene_source *source, bool model,
                            ss_tree **root)
{
    const char *names[SS_SECTION_COUNT];
    size_t count = 0;
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        if (fits(&ss_sections[i], model))
            names[count++] = ss_sections[i].name;
    SS_TRY(ss_yaml_parse(arena, source, 0, root));
    if (ss_tree_is_null(*root))
        return ss_fail_at(arena->context, SS_INPUT, (*root)->where, "the text is empty");
    SS_TRY(ss_sections_check(arena->context, *root));
    for (size_t i = 0; i < (*root)->count; i++)
        if (!fits(ss_section_find((*root)->entries[i].key), model))
            return ss_fail_at(
                arena->context, SS_INPUT, (*root)->entries[i].where,
                model ? "'%s' is no part of a model that is built in C (sections: %s)"
                      : "'%s' is no part of a scene whose model was built in C (sections: %s)",
                (*root)->entries[i].key, ss_hint_of(NULL, count, names).all);
    return SS_OK;
}

static ss_status add_text(ss_arena *scratch, ss_model *model, const char *file, const char *text)
{
    ss_scene_source source;
    ss_tree *root;
    SS_TRY(ss_scene_source_take(scratch, file, text, strlen(text), &source));
    SS_TRY(parse_part(scratch, &source, true, &root));
    return ss_build_objects(root, model);
}

ss_status ss_model_add_text(ss_model *model, const char *file, const char *text)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, file);
    SS_GIVEN(model->context, text);
    ss_context *context = ss_model_context(model);
    if (model->sealed)
        return ss_fail(context, SS_INPUT, "%s: the model is sealed; add before sealing", file);
    ss_model_mark mark = ss_model_marked(model);
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = add_text(&scratch, model, file, text);
    ss_arena_release(&scratch);
    if (status != SS_OK)
        ss_model_rollback(model, &mark);
    return status;
}

/* ---- Scenes ---- */

static const char *text_of(const ss_tree *root, const char *name, const char *default_value)
{
    const ss_tree_entry *entry = ss_tree_find(root, name);
    return entry ? entry->value->text : default_value;
}

static ss_status read_name(ss_scene *scene, const ss_tree *root, const char *file)
{
    const char *stem;
    SS_TRY(ss_path_stem(&scene->arena, file, &stem));
    const char *name = text_of(root, "name", stem);
    const ss_tree_entry *entry = ss_tree_find(root, "name");
    if (entry && (name[0] == '\0' || name[0] == '.' || strpbrk(name, "/\n") || strlen(name) > 100))
        return ss_fail_at(
            scene->context, SS_INPUT, entry->value->where,
            "'name' wants one line of at most 100 bytes without '/' and no '.' first: files are "
            "named after it");
    SS_TRY(ss_arena_copy_string(&scene->arena, name, &scene->name));
    return ss_arena_copy_string(&scene->arena, text_of(root, "description", ""),
                                &scene->description);
}

/* The merged text says its format, and has its sections in their usual order, wherever the command line added some. */
static ss_status write_text(ss_scene *scene, ss_arena *scratch, const ss_tree *root)
{
    ss_tree *ordered, *format;
    char number[16];
    snprintf(number, sizeof number, "%d", SS_SCENE_FORMAT);
    SS_TRY(ss_tree_new(scratch, SS_TREE_MAP, root->where, &ordered));
    SS_TRY(ss_tree_new_text(scratch, number, root->where, &format));
    SS_TRY(ss_tree_put(scratch, ordered, &(ss_tree_entry){"format", root->where, format}));
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = &ss_sections[i];
        const ss_tree_entry *entry = ss_tree_find(root, section->name);
        if (entry && section->shape != SS_SECTION_FORMAT)
            SS_TRY(ss_tree_put(scratch, ordered, entry));
    }
    return ss_emit(scene->context, ordered, &scene->text);
}

static ss_status read_output(ss_scene *scene, ss_arena *scratch, const ss_tree *root)
{
    ss_layout layout;
    ss_columns columns;
    SS_TRY(ss_layout_of_model(scratch, scene->model, &layout));
    ss_status status = ss_columns_create(scratch, &layout, &columns);
    ss_output_names names = {ss_model_scope(scene->model), &layout, &columns};
    if (status == SS_OK)
        status = ss_output_read(&scene->arena, root, &names, &scene->output);
    ss_columns_release(&columns);
    return status;
}

/* What is done with the model. */
static ss_status finish(ss_scene *scene, ss_arena *scratch, const ss_tree *root)
{
    SS_TRY(ss_build_simulation(root, scene));
    SS_TRY(read_output(scene, scratch, root));
    return ss_display_write(scene, &scene->display);
}

static ss_status fill(ss_scene *scene, ss_arena *scratch, const ss_scene_source *source,
                      const ss_scene_options *options)
{
    ss_tree *root;
    SS_TRY(ss_scene_files_merge(scratch, source, options, &root));
    SS_TRY(ss_override_apply(scratch, options, root));
    SS_TRY(read_name(scene, root, source->file));
    SS_TRY(ss_build_plugins(scratch, root, scene->folder, options));
    SS_TRY(ss_model_create(scene->context, &scene->own_model));
    scene->model = scene->own_model;
    SS_TRY(ss_model_set_directory(scene->own_model, scene->folder));
    scene->own_model->confined = !options->allow_outside;
    SS_TRY(ss_build_model(root, scene->own_model));
    SS_TRY(write_text(scene, scratch, root));
    return finish(scene, scratch, root);
}

/* The same around a model that is there. */
static ss_status fill_around(ss_scene *scene, ss_arena *scratch, const ss_scene_source *source)
{
    ss_tree *root;
    SS_TRY(parse_part(scratch, source, false, &root));
    SS_TRY(ss_build_require_simulation(scene->context, root));
    SS_TRY(read_name(scene, root, source->file));
    SS_TRY(SS_NEW(scene->context, 1, &scene->text));
    return finish(scene, scratch, root);
}

/* What a scene is made of. */
typedef struct origin {
    const char *file, *text; /* text NULL: that of the file */
    size_t length;
    const ss_model *model; /* NULL: the scene makes its own */
    const ss_scene_options *options;
} origin;

static ss_status read(ss_scene *scene, ss_arena *scratch, const origin *from)
{
    static const ss_scene_options no_options;
    const ss_scene_options *options = from->options ? from->options : &no_options;
    ss_scene_source source;
    const char *folder;
    if (from->text)
        SS_TRY(ss_scene_source_take(scratch, from->file, from->text, from->length, &source));
    else
        SS_TRY(ss_scene_source_read(scratch, from->file, (ss_location){0},
                                    &(ss_import_options){options->allow_outside, NULL}, &source));
    SS_TRY(ss_path_folder(scratch, source.file, &folder));
    SS_TRY(ss_path_absolute(&scene->arena, folder, &scene->folder));
    if (from->model)
        return fill_around(scene, scratch, &source);
    return fill(scene, scratch, &source, options);
}

static ss_status create(ss_context *context, const origin *from, ss_scene **scene)
{
    ss_arena scratch;
    SS_TRY(SS_NEW(context, 1, scene));
    (*scene)->context = context;
    (*scene)->model = from->model;
    ss_arena_init(&(*scene)->arena, context);
    ss_arena_init(&scratch, context);
    ss_status status = read(*scene, &scratch, from);
    ss_arena_release(&scratch);
    if (status != SS_OK) {
        ss_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

ss_status ss_scene_load(ss_context *context, const char *path, const ss_scene_options *options,
                        ss_scene **scene)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, scene);
    return create(context, &(origin){.file = path, .options = options}, scene);
}

ss_status ss_scene_parse(ss_context *context, const char *file, const char *text, size_t length,
                         const ss_scene_options *options, ss_scene **scene)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, file);
    SS_GIVEN(context, text);
    SS_GIVEN(context, scene);
    return create(context, &(origin){file, text, length, NULL, options}, scene);
}

ss_status ss_scene_create(const ss_model *model, const char *file, const char *text,
                          ss_scene **scene)
{
    *scene = NULL;
    ss_context *context = ss_model_context(model);
    if (!model->sealed)
        return ss_fail(context, SS_INPUT, "%s: the model is not sealed yet (ss_model_seal)", file);
    return create(context, &(origin){file, text, strlen(text), model, NULL}, scene);
}

/* ---- What the scene of a record shows and expects ---- */

static ss_status read_shown(ss_scene *scene, ss_arena *scratch, const ss_record *record,
                            ss_scope *scope)
{
    ss_scene_source source;
    ss_tree *root;
    const ss_layout *layout = &record->layout;
    for (int i = 0; i < layout->n_parameters; i++)
        SS_TRY(ss_scope_define(scope, layout->parameters[i].name, layout->parameters[i].value));
    const char *text = record->scene_text;
    SS_TRY(ss_scene_source_take(scratch, record->store.path, text, strlen(text), &source));
    SS_TRY(ss_yaml_parse(scratch, &source, 0, &root));
    SS_TRY(ss_sections_check(scene->context, root));
    SS_TRY(ss_arena_copy_string(&scene->arena, record->scene_name, &scene->name));
    SS_TRY(
        ss_arena_copy_string(&scene->arena, text_of(root, "description", ""), &scene->description));
    SS_TRY(ss_arena_copy_string(&scene->arena, "", &scene->folder));
    SS_TRY(SS_NEW(scene->context, 1, &scene->display));
    SS_TRY(SS_NEW(scene->context, strlen(text) + 1, &scene->text));
    memcpy(scene->text, text, strlen(text) + 1);
    ss_output_names names = {scope, layout, &record->columns};
    return ss_output_read(&scene->arena, root, &names, &scene->output);
}

ss_status ss_scene_of_record(const ss_record *record, ss_scene **scene)
{
    ss_context *context = record->context;
    *scene = NULL;
    if (!record->scene_text[0])
        return ss_fail(context, SS_INPUT,
                       "record '%s' holds no scene: it was not made by `stickslip run`",
                       record->store.path);
    ss_scene *s;
    ss_scope *scope;
    ss_arena scratch;
    SS_TRY(ss_scope_create(context, &scope));
    ss_status status = SS_NEW(context, 1, &s);
    if (status == SS_OK) {
        s->context = context;
        ss_arena_init(&s->arena, context);
        ss_arena_init(&scratch, context);
        status = read_shown(s, &scratch, record, scope);
        ss_arena_release(&scratch);
        if (status == SS_OK)
            *scene = s;
        else
            ss_scene_destroy(s);
    }
    ss_scope_destroy(scope);
    return status;
}

void ss_scene_destroy(ss_scene *scene)
{
    if (!scene)
        return;
    ss_simulation_destroy(scene->simulation);
    ss_scheme_destroy(scene->scheme);
    ss_solver_destroy(scene->solver);
    ss_model_destroy(scene->own_model);
    ss_release(scene->context, scene->text);
    ss_release(scene->context, scene->display);
    ss_arena_release(&scene->arena);
    ss_release(scene->context, scene);
}

const char *ss_scene_name(const ss_scene *scene)
{
    return scene->name;
}

const char *ss_scene_description(const ss_scene *scene)
{
    return scene->description;
}

const ss_model *ss_scene_model(const ss_scene *scene)
{
    return scene->model;
}

ss_simulation *ss_scene_simulation(ss_scene *scene)
{
    return scene->simulation;
}

const char *ss_scene_text(const ss_scene *scene)
{
    return scene->text;
}

const char *ss_scene_folder(const ss_scene *scene)
{
    return scene->folder;
}

int ss_scene_record_every(const ss_scene *scene)
{
    return scene->output.every;
}

ss_recorder_options ss_scene_recorder(const ss_scene *scene)
{
    return (ss_recorder_options){
        .every = scene->output.every,
        .contacts = scene->output.contacts,
        .contacts_every = scene->output.contacts_every,
        .flush = scene->output.flush,
        .scene_name = ss_scene_name(scene),
        .scene_text = ss_scene_text(scene),
        .scene_folder = ss_scene_folder(scene),
        .display = scene->display,
    };
}

int ss_scene_plot_count(const ss_scene *scene)
{
    return scene->output.n_plots;
}

ss_plot ss_scene_plot(const ss_scene *scene, int index)
{
    return index >= 0 && index < scene->output.n_plots ? scene->output.plots[index] : (ss_plot){0};
}

int ss_scene_drawn_count(const ss_scene *scene)
{
    return scene->output.n_shapes;
}

ss_drawn ss_scene_drawn(const ss_scene *scene, int index)
{
    return index >= 0 && index < scene->output.n_shapes ? scene->output.shapes[index]
                                                        : (ss_drawn){0};
}

int ss_scene_expectation_count(const ss_scene *scene)
{
    return scene->output.n_expectations;
}

ss_expectation ss_scene_expectation(const ss_scene *scene, int index)
{
    return index >= 0 && index < scene->output.n_expectations
               ? scene->output.expectations[index].face
               : (ss_expectation){0};
}
