/* Ids of bodies, obstacles and attachments, which hosts keep while others come and go. */
#ifndef VV_WORLD_IDS_H
#define VV_WORLD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids of things kept in an ordered array: index1 - 1 is a slot, which stores the thing's place in the array. Slots are
 * reused, generations never. */
typedef struct vv_slot {
    uint32_t generation, next; /* of the thing in it, 0: none; of the next one */
    int index;
} vv_slot;
typedef struct vv_ids {
    vv_slot *slots;
    int *slot_of; /* thing -> slot */
    size_t slot_count, slot_capacity, count, capacity;
} vv_ids;

/* Room for one more; false: out of memory. */
bool vv_ids_reserve(vv_ids *ids);
/* Gives an id to the thing appended to the array; room was reserved. */
void vv_ids_push(vv_ids *ids);
/* The thing at `index` was removed from the array, later ones have moved down. */
void vv_ids_remove(vv_ids *ids, int index);
/* The thing's place, or -1 if nothing with that id exists. */
int vv_ids_find(const vv_ids *ids, int32_t index1, uint32_t generation);
void vv_ids_get(const vv_ids *ids, int index, int32_t *index1, uint32_t *generation); /* zeros: no such thing */
bool vv_ids_copy(const vv_ids *from, vv_ids *to);
/* Makes sure that `ids` gives out no id that it or `other` has given out. */
bool vv_ids_avoid(vv_ids *ids, const vv_ids *other);
void vv_ids_free(vv_ids *ids);

#endif
