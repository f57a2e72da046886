/* union_find.h: things that are joined in pairs form groups, each named by its first member. */
#ifndef SS_BASE_UNION_FIND_H
#define SS_BASE_UNION_FIND_H

/* The group of a thing. At first parent[i] = i: everyone is alone. */
static inline int ss_union_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]]; /* long chains become short */
    return i;
}

static inline void ss_union_join(int *parent, int a, int b)
{
    a = ss_union_root(parent, a);
    b = ss_union_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

#endif
