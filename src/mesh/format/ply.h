/* PLY files: the header, which describes the body. */
#ifndef VV_MESH_FORMAT_PLY_H
#define VV_MESH_FORMAT_PLY_H

#include "mesh/builder.h"
#include "mesh/format/scalar.h"

/* How an element, or a property of one, is used. */
typedef enum vv_ply_use { VV_PLY_SKIP, VV_PLY_VERTEX, VV_PLY_FACE, VV_PLY_STRIP, VV_PLY_TET, VV_PLY_EDGE } vv_ply_use;
enum { VV_PLY_NO_SLOT = -1 };

typedef struct vv_ply_property {
    char what[112]; /* "'x' of element 'vertex'", for messages */
    vv_word name;
    vv_scalar kind, count_kind;
    bool list;
    int slot;    /* x, y, z of a vertex: 0 to 2; the two vertices of an edge: 0, 1; a list of vertices: 0 */
    int texture; /* texture coordinates: u of a vertex 0, v 1; a face's list of both 0; else VV_PLY_NO_SLOT */
} vv_ply_property;

typedef struct vv_ply_element {
    vv_word name;
    vv_ply_use use;
    int64_t count;
    int line;
    int first, properties; /* in the list of all properties */
    int64_t least;         /* least bytes that one takes */
} vv_ply_element;

typedef struct vv_ply_header {
    vv_list elements, properties; /* vv_ply_element, vv_ply_property */
    bool text;
} vv_ply_header;

/* Reads from "ply" to the end of the line of "end_header"; sets the source to binary, and its byte order. */
vvStatus vv_ply_read_header(vv_source *source, vv_ply_header *header);
void vv_ply_free_header(vv_ply_header *header);

#endif
