/* What a saved state begins with (world/saved/save.c). */
#ifndef VV_WORLD_SAVED_SAVED_H
#define VV_WORLD_SAVED_SAVED_H

#include <stdint.h>

typedef struct vv_saved {
    char magic[8];
    uint32_t version, ledger_bytes;
    int64_t nodes, bodies;
    uint64_t topology, attachments, joints;
    /* of the state: all but the parts after it; the policy's memory; the solvers' */
    int64_t core_bytes, policy_bytes, solver_bytes;
    int64_t joint_bytes;    /* the joints', after the attachments' */
    int64_t obstacle_bytes; /* the obstacles', after those */
    int64_t settings_bytes; /* at the end: what setters have changed (world/settings/records.c) */
    int64_t state_bytes;    /* after the header */
    uint64_t checksum;      /* of the state and of the header */
    /* settings: where they differ now, part of the state starts anew */
    double time_step;
    char policy[32], solver[96];
} vv_saved;

/* Of state_bytes bytes, and of the header but for the checksum itself. */
uint64_t vv_saved_checksum(const vv_saved *head, const void *state);

#endif
