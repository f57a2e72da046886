/* override.c: what the command line changes in a scene: parameters and settings. */
#include "expression/token.h"
#include "options/options.h"
#include "scene/scene.h"

#include <string.h>

enum { DEEPEST = 5 }; /* elements.NAME.laws.GROUP.KEY, systems.NAME.links.LINK.KEY */

/* One "path=value" taken apart. */
typedef struct override {
    ss_arena *arena;
    ss_context *context;
    ss_scene_source source;
    int n_parts;
    const char *parts[DEEPEST];
    ss_location where[DEEPEST]; /* of each part */
    size_t value;               /* where it begins in the source */
} override;

static ss_status fail_form(const override *o)
{
    return ss_fail_at(
        o->context, SS_INPUT, o->where[0],
        "a setting is SECTION.KEY=VALUE, SECTION.NAME.KEY=VALUE, "
        "elements.NAME.laws.GROUP.KEY=VALUE or systems.NAME.links.LINK.KEY=VALUE, e.g. "
        "solver.tolerance=1e-8, systems.toy.mass=2 or "
        "elements.beak.laws.gap.restitution=0.2");
}

static ss_location place(const override *o, size_t offset)
{
    return (ss_location){o->source.file, 1, 1 + ss_count_characters(o->source.text, offset)};
}

static ss_status split(override *o, const char *text)
{
    SS_TRY(ss_scene_source_take(o->arena, "command line", text, strlen(text), &o->source));
    const char *equals = strchr(o->source.text, '=');
    o->where[0] = place(o, 0);
    if (!equals || equals == o->source.text || !equals[1])
        return ss_fail_at(o->context, SS_INPUT, o->where[0], "'%s' is not of the form name=value",
                          o->source.text);
    if (strchr(o->source.text, '\n'))
        return ss_fail(o->context, SS_INPUT, "command line: '%s' has more than one line",
                       o->source.text);
    size_t end = (size_t)(equals - o->source.text), begin = 0;
    o->value = end + 1;
    for (size_t i = 0; i <= end; i++) {
        if (i < end && o->source.text[i] != '.')
            continue;
        if (o->n_parts == DEEPEST)
            return fail_form(o);
        o->where[o->n_parts] = place(o, begin);
        SS_TRY(ss_arena_copy_text(o->arena, o->source.text + begin, i - begin,
                                  &o->parts[o->n_parts++]));
        begin = i + 1;
    }
    return SS_OK;
}

/* The value: a list in brackets, a set in braces, anything else as it stands. */
static ss_status read_value(const override *o, ss_tree **value)
{
    const char *text = o->source.text + o->value;
    const char *first = text + strspn(text, " ");
    if (*first == '[' || (*first == '{' && strstr(first, "type:")))
        return ss_yaml_parse(o->arena, &o->source, o->value, value);
    return ss_tree_new_text(o->arena, text, place(o, o->value), value);
}

/* What is given as ~ is left out: its default holds. */
static bool take_out(ss_tree *map, const char *key, const ss_tree *value)
{
    ss_tree_entry *entry = ss_tree_find(map, key);
    if (!entry || !ss_tree_is_null(value) || value->text[0] == '\0')
        return false;
    map->count--;
    memmove(entry, entry + 1, (size_t)(map->entries + map->count - entry) * sizeof *entry);
    return true;
}

/* `text`: the value cannot be a list. */
static ss_status replace(const override *o, ss_tree *map, int part, bool text)
{
    ss_tree *value;
    SS_TRY(read_value(o, &value));
    if (text && value->kind != SS_TREE_TEXT)
        return ss_fail_at(o->context, SS_INPUT, value->where,
                          "'%s' wants a single value, not a list", o->parts[part]);
    if (!text && take_out(map, o->parts[part], value))
        return SS_OK;
    ss_tree_entry *entry = ss_tree_find(map, o->parts[part]);
    if (!entry)
        return ss_tree_put(o->arena, map, &(ss_tree_entry){o->parts[part], o->where[part], value});
    entry->value = value;
    entry->where = o->where[part];
    return SS_OK;
}

static ss_status fail_unknown(const override *o, int part, const char *thing, const ss_tree *map)
{
    const char *names[SS_MOST_KEYS];
    size_t count = 0;
    for (; map && count < map->count && count < SS_MOST_KEYS; count++)
        names[count] = map->entries[count].key;
    ss_hint hint = ss_hint_of(o->parts[part], count, names);
    return ss_fail_at(o->context, SS_UNKNOWN_NAME, o->where[part],
                      "the scene has no %s '%s'%s (%ss: %s)", thing, o->parts[part], hint.near,
                      thing, hint.all);
}

static ss_status set_parameter(const override *o, int part, ss_tree *root)
{
    ss_tree *map;
    const ss_tree_entry *section = ss_tree_find(root, "parameters");
    if (!section || !ss_tree_find(section->value, o->parts[part]))
        return fail_unknown(o, part, "parameter", section ? section->value : NULL);
    SS_TRY(ss_tree_open(o->arena, root, "parameters", o->where[part], &map));
    return replace(o, map, part, true);
}

/* Opens the map that a part names; it must be there. */
static ss_status descend(const override *o, int part, const char *thing, ss_tree **map)
{
    ss_tree_entry *entry = ss_tree_find(*map, o->parts[part]);
    if (!entry || entry->value->kind != SS_TREE_MAP)
        return fail_unknown(o, part, thing, *map);
    return ss_tree_open(o->arena, *map, o->parts[part], o->where[part], map);
}

static ss_status set_in_object(const override *o, const ss_section *section, ss_tree *root)
{
    bool law =
        section->type == SS_TYPE_ELEMENT && o->n_parts == 5 && strcmp(o->parts[2], "laws") == 0;
    bool link =
        section->type == SS_TYPE_SYSTEM && o->n_parts == 5 && strcmp(o->parts[2], "links") == 0;
    if (o->n_parts != 3 && !law && !link)
        return fail_form(o);
    ss_tree *map;
    SS_TRY(ss_tree_open(o->arena, root, section->name, o->where[0], &map));
    SS_TRY(descend(o, 1, section->thing, &map));
    if (!law && !link)
        return replace(o, map, 2, false);
    SS_TRY(descend(o, 2, "key", &map));
    SS_TRY(descend(o, 3, law ? "law" : "link", &map));
    return replace(o, map, 4, false);
}

/* Another type: the file's keys of the old one go; what came from the command line stays. */
static void retype(const override *o, const ss_section *section, const ss_tree *value, ss_tree *map)
{
    const ss_tree_entry type = {.key = "type", .value = (ss_tree *)value};
    const ss_tree before = *map;
    size_t kept = 0;
    for (size_t i = 0; i < before.count; i++) {
        const ss_tree_entry entry = before.entries[i];
        const char *file = entry.where.file;
        bool given = file && strcmp(file, o->source.file) == 0;
        if (given || ss_retype_keeps(section, &before, &type, &entry))
            map->entries[kept++] = entry;
    }
    map->count = kept;
}

static ss_status set_option(const override *o, const ss_section *section, ss_tree *root)
{
    ss_tree *map, *value;
    SS_TRY(ss_tree_open(o->arena, root, section->name, o->where[0], &map));
    if (section->type >= 0 && strcmp(o->parts[1], "type") == 0) {
        SS_TRY(read_value(o, &value));
        retype(o, section, value, map);
    }
    return replace(o, map, 1, false);
}

static ss_status set(const override *o, ss_tree *root)
{
    const ss_section *section;
    SS_TRY(ss_section_require(o->context, o->parts[0], o->where[0], &section));
    switch (section->shape) {
    case SS_SECTION_TEXT:
        return o->n_parts == 1 ? replace(o, root, 0, true) : fail_form(o);
    case SS_SECTION_FORMAT:
    case SS_SECTION_PATHS:
        return ss_fail_at(o->context, SS_INPUT, o->where[0],
                          "'%s' cannot be set from the command line", section->name);
    case SS_SECTION_NUMBERS:
        return o->n_parts == 2 ? set_parameter(o, 1, root) : fail_form(o);
    case SS_SECTION_OBJECTS:
        return set_in_object(o, section, root);
    case SS_SECTION_OPTIONS:
        return o->n_parts == 2 ? set_option(o, section, root) : fail_form(o);
    }
    return SS_OK;
}

/* One text of the command line; only settings have a '.' in what they name. */
static ss_status apply(ss_arena *arena, bool setting, const char *text, ss_tree *root)
{
    override o = {.arena = arena, .context = arena->context};
    SS_TRY(split(&o, text));
    if (setting)
        return set(&o, root);
    if (o.n_parts != 1)
        return ss_fail_at(
            o.context, SS_INPUT, o.where[0],
            "'%s' names no parameter: a parameter has no '.' in its name; settings such as "
            "solver.tolerance=1e-8 are given with --set",
            text);
    return set_parameter(&o, 0, root);
}

ss_status ss_override_apply(ss_arena *arena, const ss_scene_options *options, ss_tree *root)
{
    for (int i = 0; i < options->n_parameters; i++)
        SS_TRY(apply(arena, false, options->parameters[i], root));
    for (int i = 0; i < options->n_settings; i++)
        SS_TRY(apply(arena, true, options->settings[i], root));
    return SS_OK;
}
