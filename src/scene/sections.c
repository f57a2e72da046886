/* sections.c: the sections of a scene, what each looks like and what it is for. */
#include "expression/token.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

const ss_section ss_sections[SS_SECTION_COUNT] = {
    {"format", SS_SECTION_FORMAT, -1, NULL, "",
     "Version of the format that the file is written in: 1, the only one so far. May be left out."},
    {"name", SS_SECTION_TEXT, -1, NULL, "", "Name of the scene; the file's name when not given."},
    {"description", SS_SECTION_TEXT, -1, NULL, "", "What the scene shows, for people."},
    {"include", SS_SECTION_PATHS, -1, NULL, "",
     "Other scene files whose sections are merged into this one."},
    {"plugins", SS_SECTION_PATHS, -1, NULL, "",
     "Shared libraries that bring types of their own; loaded if the command line allows it."},
    {"parameters", SS_SECTION_NUMBERS, -1, NULL, "parameter",
     "Named numbers for all expressions; each may use those above it."},
    {"systems", SS_SECTION_OBJECTS, SS_TYPE_SYSTEM, NULL, "system",
     "Mechanical systems: coordinates, masses and initial values."},
    {"elements", SS_SECTION_OBJECTS, SS_TYPE_ELEMENT, NULL, "element",
     "Contacts and constraints between systems, and the laws they obey."},
    {"forces", SS_SECTION_OBJECTS, SS_TYPE_FORCE, NULL, "force", "Ordinary forces on the systems."},
    {"shapes", SS_SECTION_OBJECTS, SS_TYPE_SHAPE, NULL, "shape",
     "Shapes on bodies and in the fixed world; elements of type 'contact' say how they meet."},
    {"solver", SS_SECTION_OPTIONS, SS_TYPE_SOLVER, "auto", "solver",
     "How the impulses of a step are found."},
    {"scheme", SS_SECTION_OPTIONS, SS_TYPE_SCHEME, "moreau", "scheme",
     "How one time step is made."},
    {"simulation", SS_SECTION_OPTIONS, SS_TYPE_SIMULATION, "constant", "simulation",
     "How far and in which steps the motion is computed."},
    {"record", SS_SECTION_OPTIONS, -1, NULL, "record", "What is kept of the motion.",
     ss_record_keys},
    {"plots", SS_SECTION_OBJECTS, -1, NULL, "plot", "Pictures drawn from the record.",
     ss_plot_keys},
    {"drawing", SS_SECTION_OBJECTS, -1, NULL, "figure",
     "How the motion looks: figures whose numbers are expressions of the record's columns.",
     ss_drawing_keys},
    {"expect", SS_SECTION_OBJECTS, -1, NULL, "expectation",
     "What is known about the motion from elsewhere; `stickslip verify` compares.", ss_expect_keys},
};

const ss_section *ss_section_find(const char *name)
{
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        if (strcmp(ss_sections[i].name, name) == 0)
            return &ss_sections[i];
    return NULL;
}

ss_status ss_section_require(ss_context *context, const char *name, ss_location where,
                             const ss_section **section)
{
    *section = ss_section_find(name);
    if (*section)
        return SS_OK;
    const char *names[SS_SECTION_COUNT];
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        names[i] = ss_sections[i].name;
    ss_hint hint = ss_hint_of(name, SS_SECTION_COUNT, names);
    return ss_fail_at(context, SS_UNKNOWN_NAME, where,
                      "a scene has no section '%s'%s (sections: %s)", name, hint.near, hint.all);
}

/* Fails unless a text may be the name of a thing (`thing` for the message: "system"). */
static ss_status check_name(ss_context *context, const char *thing, const char *name,
                            ss_location where)
{
    enum { LONGEST = 60 };
    size_t n = 0;
    while (ss_is_letter(name[n]) || (n > 0 && name[n] >= '0' && name[n] <= '9'))
        n++;
    if (strlen(name) > LONGEST)
        return ss_fail_at(context, SS_INPUT, where, "%s names have at most %d bytes, not %zu",
                          thing, LONGEST, strlen(name));
    if (n == 0 || name[n] != '\0')
        return ss_fail_at(context, SS_INPUT, where,
                          "'%s' is no valid %s name: letters, digits and _, and no digit first",
                          name, thing);
    bool column = strcmp(thing, "system") == 0 || strcmp(thing, "element") == 0;
    if (column && (strcmp(name, "energy") == 0 || strcmp(name, "solver") == 0))
        return ss_fail_at(context, SS_INPUT, where,
                          "'%s' is no valid %s name: other columns of the record begin with it",
                          name, thing);
    return SS_OK;
}

static ss_status wrong_kind(ss_context *context, const char *what, const ss_tree *node,
                            const char *wanted)
{
    return ss_fail_at(context, SS_INPUT, node->where, "'%s' wants %s, not %s", what, wanted,
                      ss_tree_names(node));
}

static ss_status check_entries(ss_context *context, const ss_section *section, const ss_tree *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        SS_TRY(check_name(context, section->thing, entry->key, entry->where));
        bool number = section->shape == SS_SECTION_NUMBERS;
        ss_tree_kind wanted = number ? SS_TREE_TEXT : SS_TREE_MAP;
        if (entry->value->kind != wanted || ss_tree_is_null(entry->value))
            return ss_fail_at(context, SS_INPUT, entry->value->where, "%s '%s' wants %s, not %s",
                              section->thing, entry->key,
                              number ? "a number or an expression" : "a map of keys",
                              ss_tree_names(entry->value));
    }
    return SS_OK;
}

static ss_status check_section(ss_context *context, const ss_section *section, const ss_tree *node)
{
    static const struct {
        ss_tree_kind kind;
        const char *wanted;
    } shapes[] = {
        [SS_SECTION_TEXT] = {SS_TREE_TEXT, "a text"},
        [SS_SECTION_PATHS] = {SS_TREE_LIST, "a list of paths"},
        [SS_SECTION_NUMBERS] = {SS_TREE_MAP, "a map of names"},
        [SS_SECTION_OBJECTS] = {SS_TREE_MAP, "a map of names"},
        [SS_SECTION_OPTIONS] = {SS_TREE_MAP, "a map of keys"},
    };
    if (ss_tree_is_null(node) ||
        section->shape == SS_SECTION_FORMAT) /* checked before all others */
        return SS_OK;
    const char *wanted = shapes[section->shape].wanted;
    bool paths = section->shape == SS_SECTION_PATHS;
    if (node->kind != shapes[section->shape].kind && !(paths && node->kind == SS_TREE_TEXT))
        return wrong_kind(context, section->name, node, wanted);
    for (size_t i = 0; node->kind == SS_TREE_LIST && i < node->count; i++)
        if (node->items[i]->kind != SS_TREE_TEXT || !node->items[i]->text[0])
            return wrong_kind(context, section->name, node->items[i], wanted);
    bool names = section->shape == SS_SECTION_NUMBERS || section->shape == SS_SECTION_OBJECTS;
    return names ? check_entries(context, section, node) : SS_OK;
}

/* Of another format even the names of sections may be unknown. */
static ss_status check_format(ss_context *context, const ss_tree *root)
{
    const ss_tree_entry *entry = ss_tree_find(root, "format");
    if (!entry || ss_tree_is_null(entry->value))
        return SS_OK;
    const ss_tree *node = entry->value;
    if (node->kind != SS_TREE_TEXT)
        return wrong_kind(context, "format", node, "a whole number");
    char *end;
    long format = strtol(node->text, &end, 10);
    if (end == node->text || *end)
        return ss_fail_at(context, SS_INPUT, node->where, "'format' wants a whole number, not '%s'",
                          node->text);
    if (format != SS_SCENE_FORMAT)
        return ss_fail_at(context, SS_INPUT, node->where,
                          "the scene is written in format %s; this program reads format %d",
                          node->text, SS_SCENE_FORMAT);
    return SS_OK;
}

ss_status ss_sections_check(ss_context *context, const ss_tree *root)
{
    if (ss_tree_is_null(root))
        return ss_fail_at(context, SS_INPUT, root->where,
                          "the scene is empty; it needs at least 'systems' and 'simulation'");
    if (root->kind != SS_TREE_MAP)
        return ss_fail_at(context, SS_INPUT, root->where,
                          "a scene is a map of sections ('systems:', 'simulation:' …), not %s",
                          ss_tree_names(root));
    SS_TRY(check_format(context, root));
    for (size_t i = 0; i < root->count; i++) {
        const ss_section *section;
        SS_TRY(ss_section_require(context, root->entries[i].key, root->entries[i].where, &section));
        SS_TRY(check_section(context, section, root->entries[i].value));
    }
    return SS_OK;
}
