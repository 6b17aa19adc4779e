/* A plane triangulation whose vertices are moved at random and whose edges are flipped until it is Delaunay's. */
#ifndef VV_MESH_GENERATE_FLIPS_H
#define VV_MESH_GENERATE_FLIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vv_flips {
    int vertex_count, triangle_count;
    double *x;   /* 2 per vertex */
    int *corner; /* 3 per triangle, counter-clockwise */
    /* 3 per triangle, of vv_flips_shuffle: the triangle across the edge opposite each corner, -1: boundary */
    int *across;
    int *triangle; /* one around each vertex */
} vv_flips;

bool vv_flips_room(vv_flips *f, size_t vertices, size_t triangles);
void vv_flips_free(vv_flips *f);
/* The boundary is a rectangle whose sides lie along the axes: its vertices stay on their sides, its corners where
 * they are. step: how far a vertex goes in a round, at most. No angle gets smaller than 25 degrees, or than the
 * smallest at the beginning. False: no memory. */
bool vv_flips_shuffle(vv_flips *f, double step, uint64_t seed);

#endif
