/* fuzz_import.c: any bytes as a robot in URDF or MJCF. What is accepted must be a text that can be read as YAML, and become a
 * model or be refused. */
#include "input_file.h"

#include <stickslip/stickslip.h>

#include <string.h>

enum { LONGEST = 20000 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

static void build(ss_context *context, const char *text)
{
    ss_scene_options options = {.self_contained = true};
    ss_scene *scene;
    char *json;
    must(ss_yaml_to_json(context, "robot.yaml", text, strlen(text), &json) == SS_OK);
    ss_release(context, json);
    if (ss_scene_parse(context, "robot.yaml", text, strlen(text), &options, &scene) == SS_OK)
        ss_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *context;
    char *text;
    if (size > LONGEST || ss_context_create(NULL, &context) != SS_OK)
        return 0;
    input_file file = open_input(data, size);
    if (ss_import(context, file.path, NULL, &text) == SS_OK) {
        build(context, text);
        ss_release(context, text);
    }
    close_input(&file);
    ss_context_destroy(context);
    return 0;
}
