/* Polygons of a file: collected while it is read, cut into triangles at its end, when all vertices are known. */
#ifndef VV_MESH_FORMAT_FACES_H
#define VV_MESH_FORMAT_FACES_H

#include "mesh/builder.h"
#include "mesh/format/source.h"

typedef struct vv_face {
    int first, count, at; /* corners[first .. first + count - 1]; line or byte of the face */
} vv_face;

typedef struct vv_faces {
    vv_list faces, corners; /* vv_face, int: vertices */
    vv_list textures;       /* int: for each corner a pair of `uv`, -1: none. Empty: no face has texture coordinates */
    const double *uv;       /* pairs, for vv_faces_cut; NULL: none */
    size_t uv_count;
    bool uv_of_vertices; /* a pair for each vertex, and no textures */
    bool failed;         /* out of memory, or more than VV_MESH_LIMIT corners */
} vv_faces;

/* Appends a corner; a face takes all corners since the previous face. */
void vv_faces_corner(vv_faces *faces, int vertex);
/* The same with a number among the pairs of texture coordinates (-1: none); then of all corners of the file. */
void vv_faces_textured(vv_faces *faces, int vertex, int texture);
/* How many corners belong to no face yet. */
int vv_faces_open(const vv_faces *faces);
void vv_faces_close(vv_faces *faces, int at);
void vv_faces_add(vv_faces *faces, const int *vertices, int count, int at);
/* The triangles of a strip, all with the orientation of the first. Triangles with a repeated vertex, which only link
 * parts of a strip, are left out. */
void vv_faces_add_strip(vv_faces *faces, const int *vertices, int count, int at);
/* Cuts all faces into triangles for the builder, with texture coordinates if there are any: (0, 0) for corners without.
 * Vertices and textures are checked; messages count them from `base`, 0 or 1. */
vvStatus vv_faces_cut(vv_faces *faces, vv_source *source, vv_builder *builder, int base);
/* For a file with tets, whose faces are replaced by the boundary: adds fans, of which only the vertices matter. */
void vv_faces_fan(const vv_faces *faces, vv_builder *builder);
void vv_faces_free(vv_faces *faces);

#endif
