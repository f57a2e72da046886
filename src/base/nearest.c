/* nearest.c: what is said of a name that is not known: the one most like it, and all that are. */
#include "base/context.h"

#include <stdio.h>
#include <string.h>

enum { SS_LONGEST_WORD = 63 };

/* Edit distance with insertions, deletions and substitutions; neighbours swapped count once. */
static int distance(const char *a, const char *b)
{
    int rows[3][SS_LONGEST_WORD + 2];
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > SS_LONGEST_WORD || m > SS_LONGEST_WORD)
        return n == m && strcmp(a, b) == 0 ? 0 : SS_LONGEST_WORD;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int skipped = 1 + (above[j] < row[j - 1] ? above[j] : row[j - 1]);
            int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = skipped < replaced ? skipped : replaced;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && second[j - 2] + 1 < row[j])
                row[j] = second[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

const char *ss_nearest(const char *word, size_t count, const char *const *names)
{
    const char *best = NULL;
    int limit = (int)strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        int d = distance(word, names[i]);
        if (d <= limit && d < (int)strlen(names[i])) {
            limit = d - 1;
            best = names[i];
        }
    }
    return best;
}

void ss_join_names(size_t count, const char *const *names, size_t capacity, char *text)
{
    size_t used = 0;
    snprintf(text, capacity, "%s", count ? "" : "none");
    for (size_t i = 0; i < count; i++) {
        if (used + strlen(names[i]) + sizeof ", …" >= capacity) {
            snprintf(text + used, capacity - used, "%s", used ? ", …" : "");
            return;
        }
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", names[i]);
    }
}

ss_hint ss_hint_of(const char *word, size_t count, const char *const *names)
{
    ss_hint hint = {{0}, {0}};
    const char *near = word ? ss_nearest(word, count, names) : NULL;
    if (near)
        snprintf(hint.near, sizeof hint.near, "; did you mean '%s'?", near);
    ss_join_names(count, names, sizeof hint.all, hint.all);
    return hint;
}
