/* Numbers on a grid of which an obstacle is made, beside its parameters: the heights of a height field, the distances
 * of a level set. A field is checked and copied once, never changes, and is shared by the world, its snapshots and
 * their copies, which count references; it is released from any thread. */
#ifndef VV_CONTACT_OBSTACLES_FIELD_H
#define VV_CONTACT_OBSTACLES_FIELD_H

#include "visviva/mesh.h"

#include <stdatomic.h>

enum { VV_FIELD_LEVELS = 16 };

typedef struct vv_field {
    atomic_int references;
    int counts[3];   /* samples along x and z, and 1; or along x, y, z */
    double *samples; /* x fastest */
    /* The type's search structure, in levels: `level` is where each begins. */
    double *index;
    int levels;
    size_t level[VV_FIELD_LEVELS], index_count;
    float *roof; /* NULL, or what is above the samples of blocks and of those around them */
    size_t roof_count;
} vv_field;

/* One of the convex pieces of a surface that the barrier sums up (contact/barrier/sum.c): a face, an edge or a
 * vertex. */
typedef struct vv_field_piece {
    double sign;           /* +1, -1, +1 */
    double distance, n[3]; /* m; from the piece to the point, of length 1 */
    double curvature[9];   /* of the distance, 1/m */
} vv_field_piece;
typedef void vv_field_add(void *to, const vv_field_piece *piece);

/* The functions of an obstacle that has a field, in place of those of vv_obstacle_ops. Everything is in the space of
 * the shape at rest. */
typedef struct vv_field_ops {
    const char *word; /* what the samples are: "heights" */
    int dimensions;   /* 2, 3 */
    int least, most;  /* samples along each direction */
    double most_in_all;
    double reach;           /* no sample is larger, m */
    int fallback_counts[3]; /* what there is without samples */
    const double *fallback;
    vvStatus (*make_index)(vv_field *field, vvError *error);
    double steepest; /* no gradient is longer; 0: all are 1 long */
    /* Signed distance (m) of x; INFINITY where it is `most` or more. n (3) and curvature (9) may be NULL. */
    double (*distance)(const vv_field *field, const double *shape, const double x[3], double most, double n[3],
                       double curvature[9]);
    /* NULL, like `pieces`: the gradient's length is not 1, so that there is no barrier.
     * A part t, at most `limit`, of the path from x along p (m) on which the distance surely stays `keep` (m) or more,
     * also if the path strays from the straight line by bow t^2 (m). x is outside, by more than that. */
    double (*free_way)(const vv_field *field, const double *shape, const double x[3], const double p[3], double bow,
                       double keep, double limit);
    /* All pieces nearer than `reach` (m) to x, which is outside. */
    void (*pieces)(const vv_field *field, const double *shape, const double x[3], double reach, vv_field_add *add,
                   void *to);
    bool (*ray)(const vv_field *field, const double *shape, const double origin[3], const double direction[3],
                double *t, double n[3]);
    /* Its surface about the place where it stands, and the rotation that takes it there. */
    vvStatus (*mesh)(const vv_field *field, const double *shape, vvMesh *mesh, double turn[9], vvError *error);
} vv_field_ops;

/* In new memory, with one reference. samples NULL: the type's own. Errors name what is wrong: "heights[3] is nan;
 * ..." */
vvStatus vv_field_create(const vv_field_ops *ops, const int counts[3], const double *samples, vv_field **out,
                         vvError *error);
vv_field *vv_field_share(vv_field *field);    /* one reference more; NULL is fine */
void vv_field_release(vv_field *field);       /* one less */
size_t vv_field_count(const vv_field *field); /* samples */
size_t vv_field_bytes(const vv_field *field);

#endif
