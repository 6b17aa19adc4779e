/* What the files of the mesh layer share: places in a file for messages, checks, the rows of the tables. */
#ifndef VV_MESH_MESH_H
#define VV_MESH_MESH_H

#include "base/error.h"
#include "visviva/mesh.h"

enum { VV_MESH_LIMIT = 1 << 28 };     /* vertices or elements of a kind: four faces per tet still fit an int */
enum { VV_GENERATOR_TETS = 5000000 }; /* no generator makes more tets or triangles */
#define VV_COORDINATE_LIMIT 1e30      /* m: volumes stay far from overflow */

/* The place in a file of each vertex and element of a mesh being read; any of the arrays may be NULL. */
typedef struct vv_places {
    const char *file;
    bool bytes; /* offsets in a binary file rather than lines */
    const int *vertex, *edge;
    int *triangle; /* kept in step with triangles that are dropped */
    const int *tet, *point, *tet10;
} vv_places;
/* "bunny.msh:17: ", "bunny.msh: byte 1234: ", "bunny.msh: " or "". */
enum { VV_PLACE_LENGTH = 192 };
void vv_place(char out[VV_PLACE_LENGTH], const vv_places *places, const int *at, int index);

/* Arrays of the given counts, zeroed, without points; an empty mesh on failure. */
vvStatus vv_mesh_alloc(vvMesh *mesh, int vertices, int tets, int triangles, int edges, vvError *error);
/* Refuses impossible counts, missing arrays, an empty mesh, NaN and infinite positions, indices out of range. */
vvStatus vv_mesh_check(const vvMesh *mesh, const vv_places *places, vvError *error);
/* vvMeshFinish with pointers for its messages (NULL: none). */
vvStatus vv_mesh_finish(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error);

/* Named groups. Of a copy of a mesh; 0 when out of memory. */
int vv_mesh_groups_copy(const vvMesh *mesh, vvMesh *copy);
void vv_mesh_groups_free(vvMesh *mesh);
/* Refuses counts and indices out of range, and arrays that are missing. */
vvStatus vv_mesh_groups_check(const vvMesh *mesh, vvError *error);
/* Gives vertices their new numbers; those that are not `used` (NULL: all are) are left out. */
void vv_mesh_groups_map(vvMesh *mesh, const int *map, const char *used);

void vv_mesh_bounds(const vvMesh *mesh, double low[3], double high[3]);
/* 6 V of a tet, det[b - a, c - a, d - a]. */
double vv_tet_det(const double *positions, const int tet[4]);
/* Inward area vectors (twice the area) of the faces opposite to the corners. */
void vv_tet_faces(const double *positions, const int tet[4], double n[4][3]);

/* order[i]: index of the i-th tuple in ascending order, equal ones in their original order. Entries in [0, range).
 * O(count + range) per column. 0 when out of memory. */
int vv_sort_tuples(const int *tuples, int width, int count, int range, int *order);

/* The root of i in a forest of parents, with path halving: for joining things into components. */
static inline int vv_root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Boundary of right-handed tets, oriented outwards, in the tets' order; refuses repeated tets, faces of more than two
 * tets, and neighbours that overlap. */
vvStatus vv_mesh_boundary(vvMesh *mesh, const vv_places *places, vvError *error);
/* Mends what no surface may have, whatever it came from: see repair/mend.c. Refuses one of which nothing is left. */
vvStatus vv_mesh_mend_surface(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error);
/* Drops the marked triangles, with their texture coordinates and places; how many they were. */
int vv_mesh_drop_triangles(vvMesh *mesh, const vv_places *places, const char *drop);
/* Orients the triangles of a surface consistently, closed parts outwards, and counts what it turned and what it could
 * not orient. */
vvStatus vv_mesh_orient(vvMesh *mesh, vvMeshNotes *notes, vvError *error);
/* Half-edge h = 3 t + k goes from corner k to corner k + 1 of triangle t. ends[2 h]: its smaller and its larger vertex;
 * order: the half-edges sorted by their ends. 0 when out of memory. */
int vv_half_edges_sort(const vvMesh *mesh, int *ends, int *order);
/* How many of the n sorted half-edges, from order[i] on, have the same ends. */
int vv_half_edges_group(const int *ends, const int *order, int i, int n);
/* Whether a triangle has no area beyond rounding; its area and its longest edge. */
bool vv_triangle_has_no_area(const double *positions, const int v[3], double *area, double *longest);
/* Repairs triangles without area where one neighbour meets them along their longest edge; counts them. */
vvStatus vv_mesh_mend_needles(vvMesh *mesh, int *mended, vvError *error);
/* Refuses triangles of a mesh with tets that use a vertex of no tet. */
vvStatus vv_mesh_refuse_apart(const vvMesh *mesh, const vv_places *places, vvError *error);
/* How many of `triangles` are not among those of the mesh. */
vvStatus vv_mesh_count_inner(const vvMesh *mesh, const int *triangles, int count, int *inner, vvError *error);
/* Edges of the triangles, each once, (smaller, larger) vertex; *counts (may be NULL): triangles at each. Both are
 * vv_alloc'ed. */
vvStatus vv_mesh_surface_edges(const vvMesh *mesh, int **edges, int **counts, int *count, vvError *error);

/* A row of the table of formats. `data` is the whole file. */
typedef struct vv_source vv_source;
typedef struct vv_builder vv_builder;
typedef struct vv_output vv_output;
typedef enum vv_match { VV_MATCH_NO, VV_MATCH_FAMILY, VV_MATCH_YES } vv_match;
typedef struct vv_format {
    vvInfo info;
    const char *endings; /* ".msh", or several: ".node .ele" */
    vv_match (*match)(const char *data, size_t size);
    vvStatus (*read)(vv_source *source, vv_builder *builder);
    vvStatus (*write)(const vvMesh *mesh, vv_output *output, vvError *error); /* NULL: the format can only be read */
} vv_format;
const vv_format *vv_mesh_format(int index); /* NULL past the end */

/* A row of the table of generators. `values` are complete and in range; the mesh needs vvMeshFinish but no repair. */
typedef struct vv_generator {
    vvMeshGenerator shown;
    vvStatus (*make)(const double *values, vvMesh *mesh, vvError *error);
    /* moves x, the middle of the edge a b of the surface, onto the shape; false: it stays. NULL: all faces are flat */
    bool (*onto)(const double *values, const double a[3], const double b[3], double x[3]);
} vv_generator;
/* vvMeshGenerate with all numbers of its parameters, one after the other. */
vvStatus vv_mesh_generate(const char *generator, const double *values, vvMesh *mesh, vvError *error);
/* The mesh before vvMeshFinish, for tests of "no repair". */
vvStatus vv_mesh_generate_raw(const char *generator, const vvSetting *settings, int count, vvMesh *mesh,
                              vvError *error);

#endif
