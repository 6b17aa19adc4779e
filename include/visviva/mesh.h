/* visviva/mesh.h: flat indexed meshes of tetrahedra, triangles and edges; reading, writing, making, checking. */
#ifndef VISVIVA_MESH_H
#define VISVIVA_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flat and open: fill one by hand (then never pass it to vvMeshDestroy), or let a function below fill it.
 * Indices start at 0. A tet (a, b, c, d) is right-handed when det[b-a, c-a, d-a] > 0; triangles are oriented
 * outwards. Any of the element arrays may be empty. */
typedef struct vvMesh {
    int vertexCount, tetCount, triangleCount, edgeCount;
    double *positions; /* vertexCount x 3, metres */
    int *tets;         /* tetCount x 4 */
    int *triangles;    /* triangleCount x 3; for a tet mesh: its boundary, once vvMeshFinish ran */
    int *edges;        /* edgeCount x 2 */
} vvMesh;

/* What a reader or vvMeshFinish found and mended; for messages. */
typedef struct vvMeshNotes {
    int flippedTets;       /* tets whose orientation was reversed to make det > 0 */
    int duplicateVertices; /* merged: same position to the bit */
    int unusedVertices;    /* dropped */
    int components;        /* connected components */
    int openEdges;         /* boundary edges of the triangle surface with one triangle only */
    int droppedTriangles;  /* of an STL file: two corners at the same position */
} vvMeshNotes;

typedef struct vvMeshQuality {
    double volume, area;                 /* m^3 (tets), m^2 (surface) */
    double boundsMin[3], boundsMax[3];   /* m */
    double minDihedral, maxDihedral;     /* degrees */
    double worstAspect;                  /* longest edge / smallest altitude, 1 for the regular tet */
    int tetsBelow10Degrees;
    double shortestEdge, meanEdge;       /* of the surface, m */
    int worstTet;                        /* index of the tet with the worst aspect, -1 without tets */
    double minVolume;                    /* smallest tet volume, m^3 */
} vvMeshQuality;

/* Reads `path`; the format goes by the file's content, then by its ending. The mesh is finished (vvMeshFinish).
 * Errors: VV_ERROR_IO; VV_ERROR_INPUT names file, line (or byte) and what was found. *mesh is empty on failure.
 * `notes` may be NULL. */
VV_API vvStatus vvMeshRead(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error);

/* Writes in the named format (see vvMeshFormatInfo), e.g. "msh2", "msh2-binary", "msh4", "msh4-binary", "obj",
 * "stl"; NULL: by the path's ending. OBJ takes the surface and the edges only, STL the surface; some formats are only
 * read. */
VV_API vvStatus vvMeshWrite(const vvMesh *mesh, const char *path, const char *format, vvError *error);

/* Repairs and completes a mesh in place: refuses NaN, indices out of range, degenerate (zero-volume) tets; reverses
 * inverted tets, merges vertices at the same position to the bit, drops unused ones, extracts the boundary surface of
 * tets (outward), orients triangles of a pure surface consistently where that is possible. The arrays are replaced,
 * so they must be the library's: pass a vvMeshCopy of a mesh filled by hand. On failure the mesh is as it was. */
VV_API vvStatus vvMeshFinish(vvMesh *mesh, vvMeshNotes *notes, vvError *error);

VV_API vvStatus vvMeshCopy(const vvMesh *mesh, vvMesh *copy, vvError *error);
VV_API void vvMeshMeasure(const vvMesh *mesh, vvMeshQuality *quality);
VV_API void vvMeshDestroy(vvMesh *mesh); /* frees the arrays and empties the struct */

/* Generators, by name. `values`: the generator's parameters one after the other (sum of their sizes), or NULL for
 * all defaults. */
typedef struct vvMeshGenerator {
    vvInfo info;
    int paramCount;
    const vvParam *params;
} vvMeshGenerator;
VV_API const vvMeshGenerator *vvMeshGeneratorInfo(int index); /* NULL past the end */
VV_API vvStatus vvMeshGenerate(const char *generator, const double *values, vvMesh *mesh, vvError *error);

VV_API const vvInfo *vvMeshFormatInfo(int index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
