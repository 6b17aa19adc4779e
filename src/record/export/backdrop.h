/* Obstacles as exports show them: a unit shape, or one of their own, and where it is. */
#ifndef VV_RECORD_EXPORT_BACKDROP_H
#define VV_RECORD_EXPORT_BACKDROP_H

#include "record/export/part.h"

typedef enum vv_unit_shape {
    VV_UNIT_SQUARE,   /* -1..1 in x and y, z = 0, seen from +z */
    VV_UNIT_BALL,     /* radius 1 */
    VV_UNIT_CUBE,     /* -1..1 */
    VV_UNIT_CYLINDER, /* radius 1 about z, z from -1 to 1 */
    VV_UNIT_SHAPES,
    VV_OWN_SHAPE = VV_UNIT_SHAPES /* of this obstacle only */
} vv_unit_shape;

enum { VV_BACKDROP_COLOUR = 0xb9b6ae };

typedef struct vv_backdrop {
    const char *type; /* the obstacle's */
    vv_unit_shape shape;
    int index;         /* the obstacle */
    double axes[3][3]; /* directions of the shape's x, y, z axes (length 1): orthogonal, right-handed */
    double centre[3];
} vv_backdrop;

/* The run's obstacle `index`; a plane extends as far as `bounds` (of what is shown) requires. False for a type that
 * is not drawn. */
bool vv_backdrop_find(const vvRun *run, int index, const vv_bounds *bounds, vv_backdrop *out);

/* Its shape as triangles with normals: *count vertices of 6 floats, *index_count indices; in new memory. */
vvStatus vv_backdrop_mesh(const vvRun *run, const vv_backdrop *backdrop, float **vertices, int *count, int **indices,
                          int *index_count, vvError *error);

#endif
