/* An index of names: open addressing, at most half full. Each slot has its name's hash beside it, so that few names are
 * compared that differ. */
#include "base/text/names.h"

#include "base/memory.h"

#include <string.h>

/* FNV-1a, its upper half mixed into the lower, by which slots are chosen. */
static uint32_t hash_of(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (uint32_t)(h ^ h >> 32);
}

static void put(vv_name_slot *slot, size_t slots, vv_name_slot thing)
{
    size_t k = thing.hash & (slots - 1);
    while (slot[k].thing1)
        k = (k + 1) & (slots - 1);
    slot[k] = thing;
}

bool vv_names_reserve(vv_names *n, int count)
{
    size_t slots = n->slots ? n->slots : 16;
    while (slots < 2 * (size_t)count)
        slots *= 2;
    if (slots == n->slots)
        return true;
    vv_name_slot *slot = vv_alloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t k = 0; k < n->slots; k++)
        if (n->slot[k].thing1)
            put(slot, slots, n->slot[k]);
    vv_free(n->slot);
    n->slot = slot, n->slots = slots;
    return true;
}

bool vv_names_add(vv_names *n, int i, vv_name_of *of, const void *list)
{
    if (!vv_names_reserve(n, n->count + 1))
        return false;
    put(n->slot, n->slots, (vv_name_slot){ hash_of(of(list, i)), i + 1 });
    n->count++;
    return true;
}

int vv_names_find(const vv_names *n, const char *name, vv_name_of *of, const void *list)
{
    const uint32_t hash = hash_of(name);
    for (size_t k = hash; n->slots; k++) {
        const vv_name_slot *s = n->slot + (k & (n->slots - 1));
        if (!s->thing1)
            return -1;
        if (s->hash == hash && strcmp(of(list, s->thing1 - 1), name) == 0)
            return s->thing1 - 1;
    }
    return -1;
}

void vv_names_free(vv_names *n)
{
    vv_free(n->slot);
    *n = (vv_names){ 0 };
}
