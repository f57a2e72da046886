/* scene.c: a scene file or text becomes a model and what is done with it. */
#include "scene/scene.h"

#include "model/model.h"
#include "scene/build.h"
#include "scene/display.h"
#include "scene/emit.h"
#include "scene/files.h"
#include "scene/override.h"
#include "scene/path.h"
#include "scene/sections.h"
#include "scene/text.h"

#include <stdio.h>
#include <string.h>

static const ss_scene_options no_options;

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
    SS_TRY(ss_tree_put(scratch, ordered, "format", root->where, format));
    for (int i = 0; i < SS_SECTION_COUNT; i++) {
        const ss_section *section = ss_section_at(i);
        const ss_tree_entry *entry = ss_tree_find(root, section->name);
        if (entry && section->shape != SS_SECTION_FORMAT)
            SS_TRY(ss_tree_put(scratch, ordered, entry->key, entry->where, entry->value));
    }
    return ss_emit(scene->context, ordered, &scene->text);
}

/* What is done with the model. */
static ss_status finish(ss_scene *scene, const ss_tree *root)
{
    SS_TRY(ss_build_simulation(root, scene));
    SS_TRY(ss_output_read(&scene->arena, root, scene->model, &scene->output));
    return ss_display_write(scene, &scene->display);
}

/* Everything but the reading of files. */
static ss_status build(ss_scene *scene, ss_arena *scratch, const ss_tree *root, bool alone)
{
    SS_TRY(ss_build_plugins(scratch, root, scene->folder, alone));
    SS_TRY(ss_model_create(scene->context, &scene->own_model));
    scene->model = scene->own_model;
    SS_TRY(ss_model_set_directory(scene->own_model, scene->folder));
    SS_TRY(ss_build_model(root, scene->own_model));
    SS_TRY(write_text(scene, scratch, root));
    return finish(scene, root);
}

static ss_status find_folder(ss_scene *scene, ss_arena *scratch, const ss_scene_source *source)
{
    const char *folder;
    SS_TRY(ss_path_folder(scratch, source->file, &folder));
    return ss_path_absolute(&scene->arena, folder, &scene->folder);
}

static ss_status fill(ss_scene *scene, ss_arena *scratch, const ss_scene_source *source,
                      const ss_scene_options *options)
{
    ss_tree *root;
    SS_TRY(find_folder(scene, scratch, source));
    SS_TRY(ss_scene_files_merge(scratch, source, options->self_contained, &root));
    SS_TRY(ss_override_apply(scratch, options, root));
    SS_TRY(read_name(scene, root, source->file));
    return build(scene, scratch, root, options->self_contained);
}

/* The same around a model that is there. */
static ss_status fill_around(ss_scene *scene, ss_arena *scratch, const ss_scene_source *source)
{
    ss_tree *root;
    void *text;
    SS_TRY(find_folder(scene, scratch, source));
    SS_TRY(ss_scene_text_parse(scratch, source, SS_TEXT_SIMULATION, &root));
    SS_TRY(ss_build_require_simulation(scene->context, root));
    SS_TRY(read_name(scene, root, source->file));
    SS_TRY(ss_allocate(scene->context, 1, 1, &text));
    scene->text = text;
    return finish(scene, root);
}

/* model NULL: the scene makes its own. */
static ss_status create(ss_arena *scratch, const ss_scene_source *source, const ss_model *model,
                        const ss_scene_options *options, ss_scene **scene)
{
    ss_context *context = scratch->context;
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof **scene, &memory));
    ss_scene *s = memory;
    s->context = context;
    s->model = model;
    ss_arena_init(&s->arena, context);
    ss_status status = model ? fill_around(s, scratch, source)
                             : fill(s, scratch, source, options ? options : &no_options);
    if (status != SS_OK)
        ss_scene_destroy(s);
    else
        *scene = s;
    return status;
}

ss_status ss_scene_load(ss_context *context, const char *path, const ss_scene_options *options,
                        ss_scene **scene)
{
    *scene = NULL;
    ss_arena scratch;
    ss_scene_source source;
    ss_arena_init(&scratch, context);
    ss_status status = ss_scene_source_read(&scratch, path, (ss_location){0}, &source);
    if (status == SS_OK)
        status = create(&scratch, &source, NULL, options, scene);
    ss_arena_release(&scratch);
    return status;
}

ss_status ss_scene_parse(ss_context *context, const char *file, const char *text, size_t length,
                         const ss_scene_options *options, ss_scene **scene)
{
    *scene = NULL;
    ss_arena scratch;
    ss_scene_source source;
    ss_arena_init(&scratch, context);
    ss_status status = ss_scene_source_take(&scratch, file, text, length, &source);
    if (status == SS_OK)
        status = create(&scratch, &source, NULL, options, scene);
    ss_arena_release(&scratch);
    return status;
}

ss_status ss_scene_create(const ss_model *model, const char *file, const char *text,
                          ss_scene **scene)
{
    *scene = NULL;
    ss_context *context = ss_model_context(model);
    ss_arena scratch;
    ss_scene_source source;
    if (!model->sealed)
        return ss_fail(context, SS_INPUT, "%s: the model is not sealed yet (ss_model_seal)", file);
    ss_arena_init(&scratch, context);
    ss_status status = ss_scene_source_take(&scratch, file, text, strlen(text), &source);
    if (status == SS_OK)
        status = create(&scratch, &source, model, NULL, scene);
    ss_arena_release(&scratch);
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
    return scene->output.plots[index];
}

int ss_scene_drawn_count(const ss_scene *scene)
{
    return scene->output.n_shapes;
}

ss_drawn ss_scene_drawn(const ss_scene *scene, int index)
{
    return scene->output.shapes[index];
}

int ss_scene_expectation_count(const ss_scene *scene)
{
    return scene->output.n_expectations;
}

ss_expectation ss_scene_expectation(const ss_scene *scene, int index)
{
    return scene->output.expectations[index].face;
}

ss_status ss_scene_measure(const ss_scene *scene, int index, ss_record *record, double *value)
{
    return ss_expect_measure(scene->context, &scene->output.expectations[index], record, value);
}
