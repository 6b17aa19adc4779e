/* The height field as a grid (theory §5.2): cells, the surface's triangles, and the search of the cells that matter
 * to a query.
 *
 * Grid space has its origin at the first sample's corner, x along the samples' first direction, z along the second, y
 * up. The cell (i, k) has the corners A = (i, k), B = (i + 1, k), C = (i + 1, k + 1), D = (i, k + 1), and the
 * triangles A D C and A C B. At the rim the solid has vertical walls, two triangles for each cell, down to a flat
 * bottom. */
#ifndef VV_CONTACT_OBSTACLES_HEIGHTFIELD_H
#define VV_CONTACT_OBSTACLES_HEIGHTFIELD_H

#include "base/geometry/bvh.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

enum { VV_HF_FACES = 10 }; /* most triangles of a cell: its two, and two for each wall */

typedef struct vv_hf {
    const vv_field *field;
    int cells[2];
    double step[2], size[2], scale, base; /* m; base: where the bottom is */
} vv_hf;

/* shape: where it stands (3), rotation (9), size along x and z, factor of the heights, thickness below the lowest of
 * them */
vv_hf vv_hf_make(const vv_field *field, const double *shape);
void vv_hf_to_grid(const vv_hf *h, const double *shape, const double x[3], double y[3]);

static inline void vv_hf_vertex(const vv_hf *h, int i, int k, double x[3])
{
    x[0] = i * h->step[0];
    x[1] = h->scale * h->field->samples[(size_t)k * (size_t)h->field->counts[0] + (size_t)i];
    x[2] = k * h->step[1];
}

/* The cell at a place counted in cells, or the nearest one. */
int vv_hf_cell_at(double place, int cells);
/* Corners A, B, C, D of a cell. */
void vv_hf_corners(const vv_hf *h, int i, int k, double corner[4][3]);
/* The sides of a cell that are walls, in the order A B, B C, C D, D A. */
void vv_hf_walls(const vv_hf *h, int i, int k, bool wall[4]);
/* The triangles of a cell, seen from outside counterclockwise; their number. */
int vv_hf_faces(const vv_hf *h, int i, int k, double face[VV_HF_FACES][3][3]);
/* The two triangles of the bottom. */
void vv_hf_bottom(const vv_hf *h, double face[2][3][3]);

/* A search for the least of something over all cells. bound: what no cell with all its triangles in the box is below;
 * cells are visited, those with low bounds first, as long as their bound is below *limit, which a visit may lower. No
 * box further than `reach` from `centre` has such a bound: the search begins there. */
typedef struct vv_hf_search {
    const double *centre;
    double reach; /* m */
    double (*bound)(const void *arg, const vv_box *box);
    void (*visit)(void *arg, int i, int k);
    const double *limit;
    void *arg;
} vv_hf_search;
void vv_hf_run(const vv_hf *h, const vv_hf_search *search);
/* Whether y is surely outside, and above all heights within `reach` (m) by more than that: the answer to most
 * questions. */
bool vv_hf_above(const vv_hf *h, const double y[3], double reach);

/* The point of a triangle nearest to y. */
typedef struct vv_hf_near {
    double point[3], normal[3]; /* normal: of the triangle, length 1 */
    double edge[3];             /* the edge's direction, length 1 */
    int dimension;              /* of where it is: 2 within the triangle, 1 on an edge, 0 a vertex */
    double square;              /* of the distance, m^2 */
} vv_hf_near;
void vv_hf_near_triangle(const double face[3][3], const double y[3], vv_hf_near *out);
void vv_hf_near_segment(const double a[3], const double b[3], const double y[3], vv_hf_near *out);
void vv_hf_near_point(const double a[3], const double y[3], vv_hf_near *out);
/* Squared distance of a box. */
double vv_hf_box_square(const vv_box *box, const double y[3], double r[3]);
/* Distance (negative: inside), its gradient and its second derivatives (may be NULL) in grid space. */
double vv_hf_slope(const vv_hf_near *near, const double y[3], bool inside, double n[3], double curvature[9]);

vvStatus vv_hf_make_index(vv_field *field, vvError *error);
double vv_hf_distance(const vv_field *field, const double *shape, const double x[3], double most, double n[3],
                      double curvature[9]);
double vv_hf_free_way(const vv_field *field, const double *shape, const double x[3], const double p[3], double bow,
                      double keep, double limit);
void vv_hf_pieces(const vv_field *field, const double *shape, const double x[3], double reach, vv_field_add *add,
                  void *to);
bool vv_hf_ray(const vv_field *field, const double *shape, const double origin[3], const double direction[3], double *t,
               double n[3]);
vvStatus vv_hf_mesh(const vv_field *field, const double *shape, vvMesh *mesh, double turn[9], vvError *error);

#endif
