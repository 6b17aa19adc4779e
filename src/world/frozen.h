/* A copy of a world's structure, shared by all snapshots taken while the structure is unchanged. */
#ifndef VV_WORLD_FROZEN_H
#define VV_WORLD_FROZEN_H

#include "world/world.h"

#include <stdatomic.h>

struct vv_frozen {
    atomic_int references;
    uint64_t def; /* hash of the world's definition */
    vvWorld copy; /* of the structure only; nothing else in it is used */
    size_t bytes;
};

/* Bodies, obstacles, attachments, pairs, nodes. */
void vv_world_free_structure(vvWorld *world);

#endif
