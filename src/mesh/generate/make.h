/* What generators share. */
#ifndef VV_MESH_GENERATE_MAKE_H
#define VV_MESH_GENERATE_MAKE_H

#include "mesh/builder.h"

#include <stdint.h>

#define VV_PI 3.14159265358979323846

/* Appends a vertex and returns its index. */
int vv_make_vertex(vv_builder *b, double x, double y, double z);
/* Of two vertices, squared. */
double vv_make_distance2(const vv_builder *b, int v, int w);
/* Appends the tet with its corners ordered so that its volume is positive. */
void vv_make_tet(vv_builder *b, int v0, int v1, int v2, int v3);
void vv_make_triangle(vv_builder *b, int v0, int v1, int v2);
void vv_make_edge(vv_builder *b, int v0, int v1);
/* Triangles, normal +y, of vertices (i, k) that have index i (nz + 1) + k. Mirrored: the diagonals of neighbouring
 * cells mirror each other. */
void vv_make_rectangle(vv_builder *b, int nx, int nz, bool mirrored);
/* Moves x along the ray from the centre to the sphere; false for the centre itself. */
bool vv_make_onto_sphere(const double centre[3], double radius, double x[3]);
/* Whether the distance d is that of a surface's vertex, up to rounding. */
bool vv_make_is_at(double d, double radius);
/* Ends a generator: returns the mesh, or why there is none. */
vvStatus vv_make_done(vv_builder *b, vvMesh *mesh, vvError *error);
/* Texture coordinates from the places in a rectangle around the origin: u along x, v against z, from 0 to 1. The mesh
 * is empty after a failure. */
vvStatus vv_make_flat_uvs(vvMesh *mesh, double width, double depth, vvError *error);
/* Refuses more than VV_GENERATOR_TETS elements; `count` is a double so that it cannot overflow. */
vvStatus vv_make_check(double count, const char *elements, const char *advice, vvError *error);

/* Number in [-1, 1) that depends on the seed, the point and the axis only (splitmix64, twice). */
double vv_make_noise(uint64_t seed, uint64_t point, uint64_t axis);

/* The ways of cutting the cells of a grid into tets: five (one regular, four at the corners; neighbours are
 * mirrored), six around a diagonal (Kuhn), and six with the diagonals of all eight octants through the centre. */
typedef enum vv_split { VV_SPLIT_FIVE, VV_SPLIT_SIX, VV_SPLIT_SIX_MIRRORED } vv_split;
/* Tets of a grid whose vertices have index (i * (cells[1] + 1) + j) * (cells[2] + 1) + k. */
void vv_make_grid_tets(vv_builder *b, const int cells[3], vv_split split);
/* The six tets (Kuhn) of one cell; corner c is at +x if c has bit 1, +y for bit 2, +z for bit 4. Neighbours agree. */
void vv_make_cell_tets(vv_builder *b, const int corner[8]);

/* A disk of rings: ring r has 6 r points; point (r, s) is number 1 + 3 r (r - 1) + s. Unit radius, in the plane. */
int vv_disk_vertex_count(int rings);
int vv_disk_triangle_count(int rings);
void vv_disk_point(int rings, int index, double *u, double *v);
/* Corners of triangle `index`, counter-clockwise. */
void vv_disk_triangle(int index, int corners[3]);
/* Three tets for each disk triangle between layer offsets `low` and `high` (index of each layer's first vertex). */
void vv_make_layer_tets(vv_builder *b, int rings, int low, int high);

#endif
