/* Polygons to triangles. */
#ifndef VV_MESH_FORMAT_POLYGON_H
#define VV_MESH_FORMAT_POLYGON_H

/* Most corners of a polygon that is not star-shaped from its first corner. */
enum { VV_POLYGON_LIMIT = 1024 };
/* Cuts the polygon `corners` (vertex indices) into count - 2 triangles that keep its orientation; triangles holds
 * numbers of corners, from 0. 0 for a polygon that cannot be cut: it crosses itself, has no area, or is both large
 * and not star-shaped. */
int vv_polygon_cut(const double *positions, const int *corners, int count, int *triangles);
/* The same of one that cannot be cut: four corners in the order in which they do not cross, others as a fan, whose
 * triangles may turn over. */
void vv_polygon_cut_crossed(const double *positions, const int *corners, int count, int *triangles);

#endif
