/* yaml_parser.h: libfyaml's parser with its events one by one and its complaints in our words. */
#ifndef SS_SCENE_YAML_PARSER_H
#define SS_SCENE_YAML_PARSER_H

#include "scene/source.h"
#include "scene/yaml.h"

#include <libfyaml.h>

typedef struct ss_yaml_parser {
    ss_context *context;
    const ss_scene_source *source;
    size_t first; /* where the YAML text begins in the source */
    int shift;    /* columns before it in its first line */
    struct fy_diag *diagnosis;
    struct fy_parser *parser;
    struct fy_event *event; /* the current one; owned */
    int depth;
    ss_location open[SS_YAML_DEEPEST]; /* lists and maps around the current event */
} ss_yaml_parser;

ss_status ss_yaml_parser_open(ss_yaml_parser *parser, ss_context *context,
                              const ss_scene_source *source, size_t first);
void ss_yaml_parser_close(ss_yaml_parser *parser);
/* Moves to the next event. */
ss_status ss_yaml_parser_next(ss_yaml_parser *parser);
/* Where the current event begins; line 0 when it stands for something left out. */
ss_location ss_yaml_parser_place(const ss_yaml_parser *parser);
/* The same for any mark of libfyaml. */
ss_location ss_yaml_parser_mark(const ss_yaml_parser *parser, const struct fy_mark *mark);

#endif
