/* Ids with generations: the id of a removed thing never becomes another's. A slot whose generations are used up stays
 * empty. */
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

#define USED_UP UINT32_MAX

bool vv_ids_reserve(vv_ids *ids)
{
    return vv_grow((void **)&ids->slots, &ids->slot_capacity, ids->slot_count + 1, sizeof *ids->slots) &&
           vv_grow((void **)&ids->slot_of, &ids->capacity, ids->count + 1, sizeof *ids->slot_of);
}

void vv_ids_push(vv_ids *ids)
{
    size_t slot = 0;
    while (slot < ids->slot_count && (ids->slots[slot].generation || ids->slots[slot].next == USED_UP))
        slot++;
    if (slot == ids->slot_count)
        ids->slots[ids->slot_count++] = (vv_slot){ 0, 1, 0 };
    vv_slot *s = ids->slots + slot;
    s->generation = s->next++;
    s->index = (int)ids->count;
    ids->slot_of[ids->count++] = (int)slot;
}

void vv_ids_remove(vv_ids *ids, int index)
{
    ids->slots[ids->slot_of[index]].generation = 0;
    ids->count--;
    for (size_t i = (size_t)index; i < ids->count; i++) {
        ids->slot_of[i] = ids->slot_of[i + 1];
        ids->slots[ids->slot_of[i]].index = (int)i;
    }
}

int vv_ids_find(const vv_ids *ids, int32_t index1, uint32_t generation)
{
    if (index1 < 1 || (size_t)index1 > ids->slot_count || generation == 0)
        return -1;
    const vv_slot *s = ids->slots + index1 - 1;
    return s->generation == generation ? s->index : -1;
}

void vv_ids_get(const vv_ids *ids, int index, int32_t *index1, uint32_t *generation)
{
    *index1 = 0;
    *generation = 0;
    if (index < 0 || (size_t)index >= ids->count)
        return;
    *index1 = ids->slot_of[index] + 1;
    *generation = ids->slots[ids->slot_of[index]].generation;
}

bool vv_ids_copy(const vv_ids *from, vv_ids *to)
{
    *to = (vv_ids){ vv_alloc(from->slot_count, sizeof *to->slots),
                    vv_alloc(from->count, sizeof *to->slot_of),
                    from->slot_count,
                    from->slot_count,
                    from->count,
                    from->count };
    if (!to->slots || !to->slot_of) {
        vv_ids_free(to);
        return false;
    }
    if (from->slot_count)
        memcpy(to->slots, from->slots, from->slot_count * sizeof *to->slots);
    if (from->count)
        memcpy(to->slot_of, from->slot_of, from->count * sizeof *to->slot_of);
    return true;
}

bool vv_ids_avoid(vv_ids *ids, const vv_ids *other)
{
    if (!vv_grow((void **)&ids->slots, &ids->slot_capacity, other->slot_count, sizeof *ids->slots))
        return false;
    for (; ids->slot_count < other->slot_count; ids->slot_count++)
        ids->slots[ids->slot_count] = (vv_slot){ 0, 1, 0 };
    for (size_t i = 0; i < other->slot_count; i++)
        if (ids->slots[i].next < other->slots[i].next)
            ids->slots[i].next = other->slots[i].next;
    return true;
}

void vv_ids_free(vv_ids *ids)
{
    vv_free(ids->slots);
    vv_free(ids->slot_of);
    *ids = (vv_ids){ 0 };
}

/* ---- of a world ---- */

int vv_body_index(const vvWorld *world, vvBodyId id) { return vv_ids_find(&world->body_ids, id.index1, id.generation); }

int vv_body_read(const vvWorld *world, vvBodyId id) { return vv_world_readable(world) ? vv_body_index(world, id) : -1; }

vvBodyId vvWorldBody(const vvWorld *world, int index)
{
    vvBodyId id = { 0, 0 };
    if (vv_world_readable(world))
        vv_ids_get(&world->body_ids, index, &id.index1, &id.generation);
    return id;
}

vvObstacleId vvWorldObstacleAt(const vvWorld *w, int index)
{
    vvObstacleId id = { 0, 0 };
    if (vv_world_readable(w))
        vv_ids_get(&w->obstacle_ids, index, &id.index1, &id.generation);
    return id;
}
