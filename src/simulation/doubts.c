/* doubts.c: why a run may not be trusted, by names. */
#include "simulation/simulation.h"

#include <string.h>

static const struct {
    ss_doubt doubt;
    const char *name;
} doubts[] = {
    {SS_DOUBT_UNFINISHED, "unfinished"},
    {SS_DOUBT_CONVERGENCE, "convergence"},
    {SS_DOUBT_LAWS, "laws"},
    {SS_DOUBT_ENERGY, "energy"},
    {SS_DOUBT_GROWTH, "growth"},
    {SS_DOUBT_TUNNELLING, "tunnelling"},
    {SS_DOUBT_UNIQUENESS, "uniqueness"},
};

const char *ss_doubt_name(int index)
{
    bool there = index >= 0 && index < (int)(sizeof doubts / sizeof *doubts);
    return there ? doubts[index].name : NULL;
}

ss_doubt ss_doubt_at(int index)
{
    return ss_doubt_name(index) ? doubts[index].doubt : SS_DOUBT_NONE;
}

/* A run that did not reach its end is not trusted, whatever anybody says. */
static ss_doubt find(size_t length, const char *name)
{
    for (int i = 1; ss_doubt_name(i); i++)
        if (strlen(doubts[i].name) == length && strncmp(doubts[i].name, name, length) == 0)
            return doubts[i].doubt;
    return SS_DOUBT_NONE;
}

bool ss_doubts_add(const char *names, unsigned *sum)
{
    while (names) {
        size_t length = strcspn(names, ",");
        ss_doubt doubt = find(length, names);
        if (doubt == SS_DOUBT_NONE)
            return false;
        *sum |= (unsigned)doubt;
        names = names[length] ? names + length + 1 : NULL;
    }
    return true;
}

unsigned ss_simulation_allowed(const ss_simulation *simulation)
{
    return simulation->allowed;
}

ss_status ss_simulation_read_allowed(ss_simulation *s)
{
    for (int i = 0; i < s->options.allow.rows; i++) {
        const ss_text *name = &s->options.allow.items[i];
        if (!ss_doubts_add(name->text, &s->allowed))
            return ss_fail_at(
                s->context, SS_INPUT, name->where,
                "simulation: 'allow' names '%s'; there are convergence, laws, energy, "
                "growth, tunnelling and uniqueness",
                name->text);
    }
    return SS_OK;
}
