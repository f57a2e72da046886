/* retype.c: what is left of a section that is given another type. */
#include "scene/retype.h"

#include <stickslip/simulation.h>

#include <string.h>

static const char *text_of(const ss_tree_entry *entry)
{
    return entry && entry->value->kind == SS_TREE_TEXT ? entry->value->text : NULL;
}

bool ss_retype_keeps(const ss_section *section, const ss_tree *before, const ss_tree_entry *type,
                     const ss_tree_entry *entry)
{
    if (section->shape != SS_SECTION_OPTIONS || section->type < 0 ||
        strcmp(entry->key, "type") == 0)
        return true;
    const char *is = text_of(type), *was = text_of(ss_tree_find(before, "type"));
    was = was ? was : section->default_value;
    if (!is || !was || strcmp(is, was) == 0)
        return true;
    const ss_key *common = ss_common_keys((ss_type_kind)section->type);
    for (; common && common->name; common++)
        if (strcmp(entry->key, common->name) == 0)
            return true;
    return false;
}
