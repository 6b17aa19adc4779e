/* Vibration modes of one body (theory §7.2): what the files of this folder share. Vectors are those of the body's
 * free nodes, in the order of the matrix's rows, unless "nodes" is said. */
#ifndef VV_WORLD_ANALYSIS_MODES_H
#define VV_WORLD_ANALYSIS_MODES_H

#include "visviva/modes.h"
#include "world/world.h"

struct vvModes {
    int nodes, unknowns; /* of the body; of these, free */
    int *node;           /* unknown -> node of the body, from 0 */
    double *mass, *rest; /* per node */
    bool held;           /* something holds it: it is seen as it stands */
    double centre[3];    /* of mass, at rest */
    vv_bsr stiffness;    /* K at rest */
    int rigid;
    double *rigid_shapes; /* rigid x 3 unknowns, orthonormal in M^(1/2) phi */
    int count;
    double *omega2, *shapes; /* shapes: count x 3 nodes, mass-normalised */
    double *u, *du, *ku;     /* scratch: 3 nodes each */
};

/* modes.c: see vvBodyFindModes. The world is baked. */
vvStatus vv_modes_find(vvWorld *world, int body, vvModesEnd end, int count, vvModes **out, vvError *error);
void vv_modes_free(vvModes *modes);

#endif
