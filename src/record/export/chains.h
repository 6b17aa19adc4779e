/* Edges joined to polylines, for formats whose curves have points of their own. */
#ifndef VV_RECORD_EXPORT_CHAINS_H
#define VV_RECORD_EXPORT_CHAINS_H

#include "record/export/part.h"

typedef struct vv_chains {
    int count, vertex_count;
    int *lengths;  /* vertices of each chain */
    int *vertices; /* of all chains, one after the other */
} vv_chains;

/* Covers every edge of the part once. */
vvStatus vv_chains_build(const vv_part *part, vv_chains *chains, vvError *error);
void vv_chains_free(vv_chains *chains);

#endif
