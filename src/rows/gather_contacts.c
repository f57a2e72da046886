/* gather_contacts.c: the short way for inclusions as problem files give them. */
#include "rows/gather.h"

/* The numbers of an entry between two contacts of d rows, from the four parts of G. */
static inline void copy_contact(int d, const ss_entry *N, const ss_entry *T, double *to)
{
    int m = d - 1;
    to[0] = N[0].value[0];
    for (int b = 0; b < m; b++)
        to[1 + b] = N[1].value[b];
    for (int a = 0; a < m; a++) {
        to[(a + 1) * d] = T[0].value[a];
        for (int b = 0; b < m; b++)
            to[(a + 1) * d + 1 + b] = T[1].value[a * m + b];
    }
}

/* One group row of an inclusion as problem files are read: normal and tangential blocks take
 * turns, in rows and in columns. False when it is not so. */
static inline bool gather_contact(ss_gathered *g, const ss_inclusion *A, int d, int k)
{
    int first = A->entry_start[2 * k], count = A->entry_start[2 * k + 1] - first;
    const ss_entry *N = A->entries + first, *T = N + count;
    if (count % 2 || A->entry_start[2 * k + 2] - A->entry_start[2 * k + 1] != count)
        return false;
    for (int e = 0; e < count; e += 2, N += 2, T += 2) {
        int h = N[0].column / 2;
        if (N[0].column != 2 * h || N[1].column != 2 * h + 1 || T[0].column != 2 * h ||
            T[1].column != 2 * h + 1)
            return false;
        if (h == k) {
            copy_contact(d, N, T, g->diagonal + k * d * d);
            continue;
        }
        g->column[g->n_entries] = h;
        g->place[g->n_entries++] = g->n_numbers;
        copy_contact(d, N, T, g->value + g->n_numbers);
        g->n_numbers += d * d;
    }
    return true;
}

/* All of G at once when it is so regular: this is what makes small problems fast. */
bool ss_gather_contacts(ss_gathered *g, const ss_inclusion *A)
{
    if (A->factor_start || !g->uniform || A->n_blocks != 2 * g->n_groups)
        return false;
    for (int k = 0; k < g->n_groups; k++)
        if (g->groups[k].normal != 2 * k || g->groups[k].tangential != 2 * k + 1)
            return false;
    g->n_entries = g->n_numbers = 0;
    for (int k = 0; k < g->n_groups; k++) {
        g->start[k] = g->n_entries;
        bool regular = g->uniform == 3 ? gather_contact(g, A, 3, k) : gather_contact(g, A, 2, k);
        if (!regular)
            return false;
    }
    g->start[g->n_groups] = g->n_entries;
    return true;
}
