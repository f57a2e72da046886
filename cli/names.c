/* names.c: reads lists on the command line: "moreau,theta". */
#include "names.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

static bool add(ss_cli_names *words, const char *word, size_t length)
{
    char **items = realloc(words->items, ((size_t)words->count + 1) * sizeof *items);
    if (items)
        words->items = items;
    char *copy = items ? calloc(length + 1, 1) : NULL;
    if (!copy) {
        ss_cli_error("out of memory");
        return false;
    }
    memcpy(copy, word, length);
    words->items[words->count++] = copy;
    return true;
}

bool ss_cli_names_add(ss_cli_names *words, const char *word)
{
    return add(words, word, strlen(word));
}

bool ss_cli_names_split(const char *text, ss_cli_names *words)
{
    *words = (ss_cli_names){0};
    while (*text) {
        size_t length = strcspn(text, ",");
        if (length > 0 && !add(words, text, length))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

void ss_cli_names_release(ss_cli_names *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (ss_cli_names){0};
}
