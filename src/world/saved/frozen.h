/* A copy of a world's structure, shared by all snapshots taken while the structure is unchanged. */
#ifndef VV_WORLD_SAVED_FROZEN_H
#define VV_WORLD_SAVED_FROZEN_H

#include "world/world.h"

#include <stdatomic.h>

struct vv_frozen {
    atomic_int references;
    vvWorld copy; /* of the structure only; nothing else in it is used */
    size_t bytes;
};

/* As vvWorldSnapshot, within other calls. */
vvStatus vv_world_snapshot(vvWorld *world, vvSnapshot **snapshot, vvError *error);
/* All memory that restoring a snapshot takes, also of its structure if that may change before; NULL: there is none.
 * Committing it cannot fail; freeing it (NULL is fine) leaves the world as it is. */
typedef struct vv_restoring vv_restoring;
vv_restoring *vv_restoring_make(vvWorld *world, const vvSnapshot *snapshot, bool structure);
void vv_restoring_commit(vvWorld *world, vv_restoring *restoring);
void vv_restoring_free(vv_restoring *restoring);

/* Bodies, obstacles, attachments, pairs, nodes. */
void vv_world_free_structure(vvWorld *world);

#endif
