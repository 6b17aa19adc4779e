/* Groups of things that are joined, transitively (union-find). A group is represented by its lowest member.
 *
 * parent[i] <= i leads towards the group's lowest member, whose parent is itself. */
#ifndef VV_BASE_GROUPS_H
#define VV_BASE_GROUPS_H

/* Makes each thing a group of its own. */
static inline void vv_groups_clear(int *parent, int count)
{
    for (int i = 0; i < count; i++)
        parent[i] = i;
}

/* The lowest member of i's group; shortens the path to it. */
static inline int vv_groups_find(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void vv_groups_join(int *parent, int i, int j)
{
    i = vv_groups_find(parent, i);
    j = vv_groups_find(parent, j);
    if (i < j)
        parent[j] = i;
    else
        parent[i] = j;
}

#endif
