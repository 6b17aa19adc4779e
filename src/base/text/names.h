/* Things found by their names: an index beside a list, whose owner keeps the names. */
#ifndef VV_BASE_TEXT_NAMES_H
#define VV_BASE_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of thing i of the list. */
typedef const char *vv_name_of(const void *list, int i);

typedef struct vv_name_slot {
    uint32_t hash;
    int thing1; /* thing + 1; 0: free */
} vv_name_slot;

/* All zero: of no things. */
typedef struct vv_names {
    vv_name_slot *slot;
    size_t slots; /* a power of 2, or 0 */
    int count;
} vv_names;

/* Room for so many things in all; false: out of memory, nothing has changed. */
bool vv_names_reserve(vv_names *names, int count);
/* Thing i of the list, which has a name that no other in the index has; false: out of memory, nothing has changed. */
bool vv_names_add(vv_names *names, int i, vv_name_of *of, const void *list);
/* -1: there is none. */
int vv_names_find(const vv_names *names, const char *name, vv_name_of *of, const void *list);
/* Forgets all. */
void vv_names_free(vv_names *names);

#endif
