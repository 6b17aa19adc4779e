/* visviva/mesh.h: flat indexed meshes of tetrahedra, triangles and edges, or of points; reading, writing, making, checking. */
#ifndef VISVIVA_MESH_H
#define VISVIVA_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flat and open: fill one by hand (then never pass it to vvMeshDestroy), or let a function below fill it.
 * Indices start at 0. A tet (a, b, c, d) is right-handed when det[b-a, c-a, d-a] > 0; triangles are oriented
 * outwards. Any of the element arrays may be empty. Points are free particles: a mesh that has any other elements keeps no
 * points beside them (vvMeshFinish drops them). */
typedef struct vvMesh {
    int vertexCount, tetCount, triangleCount, edgeCount;
    double *positions; /* vertexCount x 3, metres */
    int *tets;         /* tetCount x 4 */
    int *triangles;    /* triangleCount x 3; for a tet mesh: its boundary, once vvMeshFinish ran */
    int *edges;        /* edgeCount x 2 */
    int pointCount;
    int *points;       /* pointCount vertices, of a mesh without other elements: a cloud of free points */
} vvMesh;

/* What a reader or vvMeshFinish found and mended; for messages. */
typedef struct vvMeshNotes {
    int flippedTets;       /* tets whose orientation was reversed to make det > 0 */
    int duplicateVertices; /* merged: same position to the bit */
    int unusedVertices;    /* dropped */
    int components;        /* connected components */
    int openEdges;         /* boundary edges of the triangle surface with one triangle only */
    int droppedTriangles;  /* of a surface: two corners at the same position */
    int mendedTriangles;   /* of an STL file: corners on one line; the neighbour across the longest edge was cut */
    int innerTriangles;    /* dropped: of a mesh with tets, between them and not on their boundary */
    int droppedPoints;     /* points beside other elements, as Gmsh writes them for the corners of a geometry */
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
 * "ply", "vtk", "stl"; NULL: by the path's ending. OBJ and PLY take the surface, the edges and the points only, STL the
 * surface, MEDIT no points; some formats are only read. */
VV_API vvStatus vvMeshWrite(const vvMesh *mesh, const char *path, const char *format, vvError *error);

/* Repairs and completes a mesh in place: refuses NaN, indices out of range, degenerate (zero-volume) tets; reverses
 * inverted tets, merges vertices at the same position to the bit (so points there become one), drops points beside other
 * elements, unused vertices and, of a surface, triangles with two corners at one position, extracts the boundary surface of
 * tets (outward; triangles of the mesh with a vertex that no tet has are refused), orients triangles of a pure surface consistently where that is possible. The arrays are replaced,
 * so they must be the library's: pass a vvMeshCopy of a mesh filled by hand. On failure the mesh is as it was. */
VV_API vvStatus vvMeshFinish(vvMesh *mesh, vvMeshNotes *notes, vvError *error);

VV_API vvStatus vvMeshCopy(const vvMesh *mesh, vvMesh *copy, vvError *error);
VV_API void vvMeshMeasure(const vvMesh *mesh, vvMeshQuality *quality);
VV_API void vvMeshDestroy(vvMesh *mesh); /* frees the arrays and empties the struct */

/* A part of a triangle surface that hangs together over edges. */
typedef struct vvSurfacePart {
    int triangleCount;
    bool closed;      /* no open edge */
    int depth;        /* closed parts around it. 0, 2, ...: material begins here; 1, 3, ...: the wall of a cavity */
    int parent;       /* the innermost of them; -1: none */
    bool reversed;    /* faces the wrong way: out of the material is right */
    double volume;    /* m^3 within this part alone, never negative; 0 when open */
    double inside[3]; /* m: a point within this part and outside of the parts in it; meaningful in a sound surface */
} vvSurfacePart;

/* What is wrong at a triangle; several may be. */
enum {
    VV_SURFACE_OPEN = 1,     /* an edge with no other triangle */
    VV_SURFACE_CROWDED = 2,  /* an edge with more than two triangles */
    VV_SURFACE_TURNED = 4,   /* an edge along which the neighbour runs the same way: one of the two is turned over */
    VV_SURFACE_PINCHED = 8,  /* a vertex where the surface is not one fan of triangles */
    VV_SURFACE_FLAT = 16,    /* no area: the corners are on a line */
    VV_SURFACE_CROSSING = 32 /* meets another triangle beyond what they share */
};

enum { VV_SURFACE_SHOWN = 4, VV_SURFACE_MOST_CROSSINGS = 100000 };
/* Faults of a triangle surface: how many, and the first of each kind (as many as there are, VV_SURFACE_SHOWN at most),
 * as vertex or triangle indices in ascending order. */
typedef struct vvSurfaceCheck {
    bool sound;  /* closed, every edge with two triangles that agree, nothing flat, no crossing: it bounds a volume */
    bool closed; /* no open edge */
    int openEdges, crowdedEdges, turnedEdges, pinchedVertices, flatTriangles;
    int crossings; /* pairs of triangles; the search ends at VV_SURFACE_MOST_CROSSINGS */
    int openEdge[VV_SURFACE_SHOWN][2], crowdedEdge[VV_SURFACE_SHOWN][2], turnedEdge[VV_SURFACE_SHOWN][2]; /* vertices */
    int pinchedVertex[VV_SURFACE_SHOWN], flatTriangle[VV_SURFACE_SHOWN];
    int crossing[VV_SURFACE_SHOWN][2]; /* triangles */
    double volume; /* m^3 of material, cavities taken off; 0 unless sound */
    int partCount, cavityCount, reversedCount; /* depths and what follows from them: only in a sound surface */
    vvSurfacePart *parts; /* in the order of their first triangles */
    int *partOf;          /* of each triangle */
    unsigned char *marks; /* of each triangle: VV_SURFACE_... */
} vvSurfaceCheck;

/* Looks for everything that keeps the triangles of a mesh (not its tets and edges) from bounding a volume.
 * Vertices at one position must be one vertex, as vvMeshFinish and vvMeshRead leave them. Whether triangles meet is
 * decided without rounding; coordinates 1e-140 times smaller than the largest count as 0. What is found is not an
 * error. Errors: VV_ERROR_INPUT for a mesh without triangles, with NaN or an index out of range; VV_ERROR_MEMORY. */
VV_API vvStatus vvMeshCheckSurface(const vvMesh *mesh, vvSurfaceCheck *check, vvError *error);
VV_API void vvSurfaceCheckDestroy(vvSurfaceCheck *check); /* frees the arrays and empties the struct */

/* Tets in the volume that a sound surface bounds, out of a regular lattice whose outer vertices are moved onto the
 * surface (isosurface stuffing): as large as `edge` (m) says whatever the surface's triangles are, with good angles.
 * The surface is not kept: what is thinner than about an edge gets lost, sharp edges are blunted. Errors:
 * VV_ERROR_INPUT for a surface that is not sound, an edge that is not positive, so large that nothing is left, or so
 * small that there would be more than 5 million tets. *mesh is finished; empty on failure. */
VV_API vvStatus vvMeshFill(const vvMesh *surface, double edge, vvMesh *mesh, vvError *error);

/* Where the vertices of a carried surface lie. */
typedef struct vvEmbedNotes {
    int outside;        /* vertices outside the tets */
    double farthest;    /* m outside, of the farthest one */
    int farthestVertex; /* -1: all are inside */
} vvEmbedNotes;
/* Writes each vertex of `surface` as a weighted sum of the corners of one tet of `body`: `nodes` (4 body vertices each) and
 * `weights` (4, sum 1), surface->vertexCount rows each. A vertex inside gets the tet that holds it (weights in [0, 1]);
 * outside, one near it (weights extrapolate). Both meshes in the same coordinates. `notes` may be NULL. */
VV_API vvStatus vvMeshEmbed(const vvMesh *body, const vvMesh *surface, int *nodes, double *weights, vvEmbedNotes *notes,
                            vvError *error);

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
