/* A mesh that grows while a file is read: nothing is allocated on the strength of a header alone. */
#ifndef VV_MESH_BUILDER_H
#define VV_MESH_BUILDER_H

#include "mesh/mesh.h"

typedef struct vv_list {
    void *data;
    size_t count, capacity;
} vv_list;
/* Appends one item of `size` bytes; 0 when out of memory, or the host wants the call to end: vv_fail_memory says
 * which. */
int vv_list_push(vv_list *list, const void *item, size_t size);
void vv_list_free(vv_list *list);

/* Of a named part: what a file knows it by; its name comes with the file's end. */
typedef struct vv_group_key {
    int dimension;
    int64_t tag;
    char name[128];
} vv_group_key;
/* An element of a group: its corners. */
typedef struct vv_group_member {
    int group, corners, v[4];
} vv_group_member;

/* `at`: line or byte in the file. */
struct vv_builder {
    vv_list positions, tets, triangles, edges, points;         /* double[3], int[4], int[3], int[2], int */
    vv_list vertex_at, tet_at, triangle_at, edge_at, point_at; /* int */
    vv_list groups, members;                                   /* vv_group_key; vv_group_member */
    vv_list tets10, tet10_at;                                  /* int[10], in tet10.h's order; int */
    bool order2;                                               /* these are wanted, where a format has them */
    bool by_place; /* programs differ in the order of their middles: each belongs to the edge whose middle it is near */
    vv_list uvs;   /* double[6], of each triangle; empty: none */
    /* out of memory, more than VV_MESH_LIMIT of a kind, or the host wants the call to end: no more is taken, and
     * vv_fail_memory says which */
    bool failed;
    /* triangles without indices: merging corners is no repair */
    bool soup;
    bool no_regions;  /* there are more numbers of tets than groups are allowed, or some are not whole */
    int dropped;      /* triangles left out: two corners at one position */
    int crossed;      /* faces that could not be cut as they are */
    int straightened; /* elements of higher order, of which the corners are there */
};
void vv_builder_vertex(vv_builder *b, const double x[3], int at);
void vv_builder_tet(vv_builder *b, const int v[4], int at);
void vv_builder_tet10(vv_builder *b, const int v[10], int at);
void vv_builder_triangle(vv_builder *b, const int v[3], int at);
/* The texture coordinates of the triangle added last; those of all triangles, or of none. */
void vv_builder_uvs(vv_builder *b, const double uv[6]);
void vv_builder_edge(vv_builder *b, const int v[2], int at);
void vv_builder_point(vv_builder *b, int v, int at);
/* The number of the group of that dimension and tag, which is new if need be; -1: out of memory, or too many. */
enum { VV_MOST_GROUPS = 4096 };
int vv_builder_group(vv_builder *b, int dimension, int64_t tag);
void vv_builder_member(vv_builder *b, int group, const int *v, int corners);
/* A tet of a numbered region: of the group "volume NUMBER". */
void vv_builder_region(vv_builder *b, int64_t number, const int corners[4]);
/* Where regions are numbered: these numbers mean something else, so that there are none. */
void vv_builder_forget_regions(vv_builder *b);
/* At the end of a file that has such regions and no other groups: where all tets have one number they are no group. */
void vv_builder_end_regions(vv_builder *b);
/* The groups of all members, those of one name as one; `mesh` has its vertices. 0 when out of memory. */
int vv_builder_make_groups(const vv_builder *b, vvMesh *mesh);
void vv_builder_free(vv_builder *b);
/* Moves the arrays into *mesh. Beside linear tets those of ten nodes are read by their corners, too. */
void vv_builder_take(vv_builder *b, vvMesh *mesh);

#endif
