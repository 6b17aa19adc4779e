/* visviva/mesh.h: flat indexed meshes of tetrahedra, triangles and edges, or of points; reading, writing, making,
 * checking. */
#ifndef VISVIVA_MESH_H
#define VISVIVA_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vertices that a mesh file names, as Gmsh's physical groups and Abaqus' sets do: for regions (vvRegionOfGroup). */
typedef struct vvMeshGroup {
    char name[128];                 /* as in the file, or "surface 7" if that has only a number */
    int dimension;                  /* of its elements, the highest: 0 points, 1 edges, 2 triangles, 3 tets */
    int vertexCount, triangleCount; /* lengths of the arrays below */
    int *vertices;                  /* [vertexCount] those of its elements, ascending */
    int *triangles;                 /* [triangleCount x 3] vertices of those of its elements that are triangles */
    int tetCount;                   /* length of `tets` */
    int *tets;                      /* [tetCount x 4] corners of those of its elements that are tets, of order 2 too */
} vvMeshGroup;

/* Flat and open: fill one by hand (then never pass it to vvMeshDestroy), or let a function below fill it.
 * - Indices start at 0.
 * - A tet (a, b, c, d) is right-handed: det[b-a, c-a, d-a] > 0. Triangles are oriented outwards.
 * - Any of the element arrays may be empty.
 * - Points are free particles. A mesh with any other elements has no points (vvMeshFinish drops them). */
typedef struct vvMesh {
    int vertexCount, tetCount, triangleCount, edgeCount; /* lengths of the arrays below */
    double *positions;                                   /* [vertexCount x 3] metres */
    int *tets;                                           /* [tetCount x 4] vertices */
    int *triangles; /* [triangleCount x 3] vertices; for a tet mesh: its boundary, once vvMeshFinish has run */
    int *edges;     /* [edgeCount x 2] vertices */
    int pointCount; /* length of `points` */
    int *points;    /* [pointCount] vertices, in a mesh without other elements: a cloud of free points */
    int bendCount;  /* 0: bend springs go across the hinges of triangles */
    int *bends;  /* [bendCount x 2] vertices, in a mesh without tets and points: bend springs join these instead. They
                    are not elements: they have no mass, do not collide, are not drawn, and are in no file */
    double *uvs; /* [triangleCount x 6] texture coordinates (u, v) of each triangle's corners in turn; NULL: none. They
                    belong to corners and not to vertices, so that a seam cuts the texture and not the body. None in a
                    mesh with tets */
    int groupCount;      /* length of `groups` */
    vvMeshGroup *groups; /* [groupCount] named parts: Gmsh's and Abaqus' formats have them, and the latter's writer
                            keeps them as node sets */
    int tet10Count;      /* 0: all elements are linear */
    /* [tet10Count x 10] vertices, tets of order 2: the corners as in `tets`, then the middles of the edges 01, 12, 02,
       03, 13, 23. Of such a mesh `tets` and `triangles` are those of the mesh subdivided once, eight tets an element in
       turn, as vvMeshRaise and vvMeshFinish make them */
    int *tets10;
} vvMesh;

/* What a reader or vvMeshFinish found and repaired, for messages. */
typedef struct vvMeshNotes {
    int flippedTets;       /* tets whose orientation was reversed to make det > 0 */
    int duplicateVertices; /* merged: same position to the bit */
    int unusedVertices;    /* dropped */
    int components;        /* connected components */
    int openEdges;         /* edges of the triangle surface with only one triangle */
    int droppedTriangles;  /* of a surface: dropped because two corners are at the same position */
    int mendedTriangles;   /* of a surface: corners on one line; the neighbour across the longest edge was cut */
    int innerTriangles;    /* of a mesh with tets: dropped because they are between tets, not on the boundary */
    int droppedPoints;     /* points beside other elements, as Gmsh writes them for the corners of a geometry */
    /* of a surface without tets: reversed, to agree with their neighbours or to face outwards */
    int turnedTriangles;
    /* of a surface without tets: parts that cannot be oriented, such as a Moebius band; left as they are */
    int oneSidedParts;
    int crowdedEdges; /* of a surface without tets: edges with more than two triangles; where sheets branch */
    /* of a surface without tets: vertices on open edges, merged with one that rounding moved away, by at most 1e-7 of
     * the diagonal or of the largest coordinate, and a hundredth of the edges that meet there */
    int nearVertices;
    int repeatedTriangles; /* of a surface without tets: dropped because one with the same vertices came before */
    int flatTriangles;     /* of a surface without tets: dropped because no area is left, and no neighbour to be cut */
    int crossedFaces; /* of a file: faces of four corners or more that cross themselves, triangulated all the same */
    int straightened; /* of a file: elements of higher order, read by their corners; their other nodes are unused */
} vvMeshNotes;

typedef struct vvMeshQuality {
    double volume, area;               /* m^3 (tets), m^2 (surface) */
    double boundsMin[3], boundsMax[3]; /* m */
    double minDihedral, maxDihedral;   /* degrees */
    double worstAspect;                /* longest edge / smallest altitude, scaled to 1 for the regular tet */
    int tetsBelow10Degrees;            /* how many have an angle between faces below 10 degrees */
    double shortestEdge, meanEdge;     /* of the surface, m */
    int worstTet;                      /* index of the tet with the worst aspect, -1 without tets */
    double minVolume;                  /* smallest tet volume, m^3 */
} vvMeshQuality;

/* Reads `path` and finishes the mesh (vvMeshFinish). The format is recognised by the file's content, then by its
 * ending. Errors: VV_ERROR_IO; VV_ERROR_INPUT names file, line (or byte) and what was found. *mesh is empty on
 * failure. `notes` may be NULL. */
VV_API vvStatus vvMeshRead(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error);

/* The same, but tets of ten nodes stay as they are, curved or not (vvMesh.tets10), where a format has them and all tets
 * of the file are such; vvMeshRead reads them by their corners. A file of linear tets is read as ever. */
VV_API vvStatus vvMeshReadOrder2(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error);

/* Writes in the named format (see vvMeshFormatInfo), e.g. "msh2", "msh2-binary", "msh4", "msh4-binary", "obj",
 * "ply", "vtk", "stl"; NULL: by the path's ending. OBJ and PLY hold only surface, edges and points, STL only the
 * surface, MEDIT and Abaqus everything but points. Some formats can be read but not written. */
VV_API vvStatus vvMeshWrite(const vvMesh *mesh, const char *path, const char *format, vvError *error);

/* Repairs and completes a mesh in place.
 * - Refused: NaN, indices out of range, degenerate (zero-volume) tets, and triangles beside tets with a vertex that no
 *   tet has.
 * - Reversed: inverted tets.
 * - Merged: vertices at the same position, to the bit; so points there become one. In a surface without tets also
 *   vertices on open edges that rounding alone keeps apart (nearVertices above).
 * - Dropped: points beside other elements, unused vertices and, in a surface, triangles with two corners at one
 *   position, with the vertices of an earlier one, or without area.
 * - Added: the boundary surface of tets, facing outwards; for tets of order 2 also the linear tets of the mesh
 *   subdivided once. Refused: a tet of order 2 that is inverted somewhere, or so curved that one of its eight is.
 * - Oriented: triangles of a pure surface, consistently where that is possible.
 * Texture coordinates stay with their corners; with tets they are dropped. The arrays are replaced, so they must be the
 * library's: for a mesh filled by hand, pass a vvMeshCopy of it. `notes` may be NULL. On failure the mesh is
 * unchanged. */
VV_API vvStatus vvMeshFinish(vvMesh *mesh, vvMeshNotes *notes, vvError *error);

/* Makes a mesh of linear tets one of order 2: a vertex in the middle of each edge, tets of ten nodes, and `tets` and
 * `triangles` of the mesh subdivided once. Bodies of such a mesh bend, and are nearly incompressible, without locking.
 * A mesh of order 2 stays as it is. On failure the mesh is unchanged. The arrays are replaced, as by vvMeshFinish.
 * Errors: VV_ERROR_INPUT for a mesh without tets, or with tets of no volume; VV_ERROR_MEMORY. */
VV_API vvStatus vvMeshRaise(vvMesh *mesh, vvError *error);

/* What became of the middles of edges. */
typedef struct vvRaiseNotes {
    int moved;    /* middles of the surface's edges that lie on the original, off the middle between the ends */
    int straight; /* tets that this would turn inside out, or nearly: they stay straight */
} vvRaiseNotes;
/* vvMeshRaise, after which the middles of the surface's edges lie on `original`, a surface that the mesh's own
 * approximates: at its nearest point, where that is within a quarter of the edge's length, and the edge's ends are
 * within a twentieth. A mesh of order 2 stays as it is. `notes` may be NULL. Both meshes must be in the same
 * coordinates. */
VV_API vvStatus vvMeshRaiseOnto(vvMesh *mesh, const vvMesh *original, vvRaiseNotes *notes, vvError *error);

/* Copies all arrays of a mesh; *copy is overwritten, and empty on failure. */
VV_API vvStatus vvMeshCopy(const vvMesh *mesh, vvMesh *copy, vvError *error);
/* The group of that name; NULL: none. It is the mesh's, and lives as long. */
VV_API const vvMeshGroup *vvMeshFindGroup(const vvMesh *mesh, const char *name);
/* In which of `count` named groups each tet is: regionOf[t] is an index of `names`, for each tet of the mesh or, of
 * order 2, for each of tets10: for vvBodyDef.tetMaterials. Errors: VV_ERROR_INPUT for a mesh without tets, a name that
 * is no group with tets or is given twice, and a tet in none of the groups or in two; VV_ERROR_MEMORY.
 * Arrays: names[count], regionOf[tetCount, or tet10Count where that is not 0]. */
VV_API vvStatus vvMeshTetRegions(const vvMesh *mesh, const char *const *names, int count, int *regionOf,
                                 vvError *error);
/* Measures a mesh; of an empty one all is 0. */
VV_API void vvMeshMeasure(const vvMesh *mesh, vvMeshQuality *quality);
VV_API void vvMeshDestroy(vvMesh *mesh); /* frees the arrays and empties the struct */

/* The largest and the smallest principal strain (stretch - 1) of an element with 2, 3 or 4 nodes (an edge, a triangle
 * in its plane, a tet), from rest positions to others. False, and both 0, if the element has no size at rest.
 * Arrays: rest[nodes x 3], positions[nodes x 3], nodes[nodeCount]. */
VV_API bool vvElementStrain(const double *rest, const double *positions, const int *nodes, int nodeCount,
                            double *largest, double *smallest);

/* A part of a triangle surface that is connected by edges. */
typedef struct vvSurfacePart {
    int triangleCount; /* how many triangles it has */
    bool closed;       /* no open edge */
    /* how many closed parts are around it. 0, 2, ...: material begins here; 1, 3, ...: the wall of a cavity */
    int depth;
    int parent;       /* the innermost of the parts around it; -1: none */
    bool reversed;    /* faces the wrong way; the right way is out of the material */
    double volume;    /* m^3 within this part alone, never negative; 0 if open */
    double inside[3]; /* m: a point inside this part and outside the parts in it; meaningful only in a sound surface */
} vvSurfacePart;

/* Faults of a triangle, which may have several. */
enum {
    VV_SURFACE_OPEN = 1,     /* an edge with no other triangle */
    VV_SURFACE_CROWDED = 2,  /* an edge with more than two triangles */
    VV_SURFACE_TURNED = 4,   /* an edge along which the neighbour runs the same way: one of the two is reversed */
    VV_SURFACE_PINCHED = 8,  /* a vertex where the surface is not one fan of triangles */
    VV_SURFACE_FLAT = 16,    /* no area: the corners are on a line */
    VV_SURFACE_CROSSING = 32 /* intersects another triangle, apart from a shared vertex or edge */
};

enum {
    VV_SURFACE_SHOWN = 4,              /* faults of a kind that are shown */
    VV_SURFACE_MOST_CROSSINGS = 100000 /* crossings after which the search ends */
};
/* Faults of a triangle surface: how many of each kind, and the first ones of it (at most VV_SURFACE_SHOWN), as vertex
 * or triangle indices in ascending order. */
typedef struct vvSurfaceCheck {
    bool sound;  /* closed, every edge with two triangles that agree, nothing flat, no crossing: it bounds a volume */
    bool closed; /* no open edge */
    int openEdges, crowdedEdges, turnedEdges, pinchedVertices, flatTriangles; /* how many there are of each fault */
    int crossings; /* pairs of triangles; the search ends at VV_SURFACE_MOST_CROSSINGS */
    int openEdge[VV_SURFACE_SHOWN][2], crowdedEdge[VV_SURFACE_SHOWN][2], turnedEdge[VV_SURFACE_SHOWN][2]; /* vertices */
    int pinchedVertex[VV_SURFACE_SHOWN], flatTriangle[VV_SURFACE_SHOWN]; /* vertices; triangles */
    int crossing[VV_SURFACE_SHOWN][2];                                   /* triangles */
    double volume;                             /* m^3 of material, without cavities; 0 unless sound */
    int partCount, cavityCount, reversedCount; /* depths and what follows from them: only in a sound surface */
    vvSurfacePart *parts;                      /* [partCount] in the order of their first triangles */
    int *partOf;                               /* [triangleCount] the index of each triangle's part */
    unsigned char *marks;                      /* [triangleCount] VV_SURFACE_... of each */
} vvSurfaceCheck;

/* Looks for everything that prevents the triangles of a mesh (not its tets and edges) from bounding a volume. A fault
 * is not an error. Vertices at one position must be one vertex, as vvMeshFinish and vvMeshRead leave them. Whether
 * triangles intersect is decided without rounding; coordinates 1e-140 times smaller than the largest count as 0.
 * Errors: VV_ERROR_INPUT for a mesh without triangles, with NaN or an index out of range; VV_ERROR_MEMORY. */
VV_API vvStatus vvMeshCheckSurface(const vvMesh *mesh, vvSurfaceCheck *check, vvError *error);
VV_API void vvSurfaceCheckDestroy(vvSurfaceCheck *check); /* frees the arrays and empties the struct */

/* Holes of a surface: loops of open edges. */
typedef struct vvHoleNotes {
    /* closed; and left open, because wider than allowed or impossible to close by triangles between the vertices of the
     * rim */
    int closed, left;
    int wider;        /* of those left: wider than allowed */
    double widest;    /* m: of those that were closed */
    double narrowest; /* m: of those that are wider than allowed; 0 if there is none */
    int triangles;    /* that were added */
} vvHoleNotes;
/* Closes holes of a triangle surface that are at most `width` wide (m: the largest distance between two vertices of the
 * rim), each by triangles between the vertices of its rim. A sheet's own border is a hole too, as wide as the sheet.
 * The mesh is finished again (vvMeshFinish); on failure it is unchanged. `notes` may be NULL. Errors: VV_ERROR_INPUT
 * for a mesh with tets or without triangles, and what vvMeshFinish refuses; VV_ERROR_MEMORY. */
VV_API vvStatus vvMeshCloseHoles(vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error);

/* Signed distances (m; below 0: inside) at the points of a grid of cubes: origin + spacing (i, j, k), samples[(k
 * counts[1] + j) counts[0] + i]. */
typedef struct vvDistanceGrid {
    int counts[3];             /* points along x, y and z */
    double origin[3], spacing; /* m */
    double *samples;           /* [counts] m */
} vvDistanceGrid;
/* Samples the distance of a closed triangle surface (or of the boundary of a mesh with tets) in a box that goes
 * `margin` (m; 0: two cells) or more beyond it. spacing: m; 0: a 40th of the longest edge of the surface's box.
 * Distances to the nearest triangle and signs are exact. Interpolation between samples misses parts thinner than two
 * cells. For an obstacle "level-set" (world.h). Destroy it with vvDistanceGridDestroy. Errors: VV_ERROR_INPUT for a
 * surface that bounds no volume or a part of which faces inwards, and for a grid of more than 2^24 points;
 * VV_ERROR_MEMORY. */
VV_API vvStatus vvMeshSampleDistance(const vvMesh *surface, double spacing, double margin, vvDistanceGrid *grid,
                                     vvError *error);
VV_API void vvDistanceGridDestroy(vvDistanceGrid *grid); /* frees the samples and empties the struct */

/* Progress and cancellation of slow work. Either function may be NULL; both are called in the thread that made the
 * call, some thousand times. */
typedef struct vvWatch {
    bool (*cancel)(void *user);                                  /* true: the call ends with VV_CANCELLED */
    void (*progress)(void *user, const char *what, double done); /* `done`: the fraction done, 0 to 1 */
    void *user;                                                  /* given to both */
} vvWatch;

/* Fills the volume that a sound surface bounds with tets, from a regular lattice whose outer vertices are moved onto
 * the surface (isosurface stuffing). The tets have good angles and edges of about `edge` (m), whatever the size of
 * the surface's triangles. The surface is replaced: whatever is thinner than about an edge is lost, sharp edges are
 * blunted. Errors: VV_ERROR_INPUT for a surface that is not sound, or an edge that is not positive, so large that
 * nothing is left, or so small that there would be more than 5 million tets. *mesh is finished; empty on failure. */
VV_API vvStatus vvMeshFill(const vvMesh *surface, double edge, vvMesh *mesh, vvError *error);

typedef struct vvFillDef {
    double edge;      /* m, of the tets; 0: vvMeshProposeEdge, and less if thin parts of the surface would be lost */
    vvWatch watch;    /* reports progress and may cancel; none */
    const char *what; /* for watch.progress; NULL: "filling a surface with tets" */
    /* a surface that bounds no volume (holes, crossings, branches) is wrapped: filled where its winding number exceeds
     * a half, so that holes are bridged. A sound one is filled as without this */
    bool wrap;
    uint32_t internalValue; /* internal: vvDefaultFillDef() sets it */
} vvFillDef;
/* A chosen edge, without progress or cancellation. */
VV_API vvFillDef vvDefaultFillDef(void);
typedef struct vvFillNotes {
    double edge;     /* m, of the tets */
    int tries;       /* fills made: more than one if larger edges lost thin parts */
    double part;     /* of the surface's volume that the tets fill */
    double farthest; /* m: how far a vertex of the surface lies outside the tets: tips of thin parts that were lost */
    int pieces;      /* connected pieces of tets */
    int parts; /* separate volumes that the surface bounds; if there are more pieces than these, something came off */
    bool wrapped;   /* then `part` is relative to the volume with a winding number above a half, by samples, and `parts`
                       is 0 */
    double bridged; /* of a wrap: the fraction of its surface farther than half an edge from every triangle */
} vvFillNotes;
/* If a wrap bridges more, the surface was probably a sheet, and no smaller edge is tried. */
#define VV_FILL_SHEET 0.4
/* The same with options. `def` and `notes` may be NULL. Tets that fill less than half of the surface's volume, or half
 * more, are an error (VV_ERROR_INPUT) that asks for a smaller edge. After an error, notes hold the last edge and the
 * number of tries; 0: none. */
VV_API vvStatus vvMeshFillWith(const vvMesh *surface, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes,
                               vvError *error);
/* An edge for the tets of a surface: a thirtieth of the diagonal of its bounds, rounded to two digits (m). 0 without
 * vertices. */
VV_API double vvMeshProposeEdge(const vvMesh *surface);

/* Where the vertices of a carried surface lie. */
typedef struct vvEmbedNotes {
    int outside;        /* vertices outside the tets */
    double farthest;    /* m: distance of the farthest of them */
    int farthestVertex; /* its index; -1: all are inside */
} vvEmbedNotes;
/* Expresses each vertex of `surface` as a weighted sum of the corners of one tet of `body`: `nodes` (4 body vertices
 * each) and `weights` (4 each, sum 1), surface->vertexCount rows each. A vertex inside the tets gets the tet that
 * holds it (weights in [0, 1]); one outside gets a tet near it (weights extrapolate). Both meshes must be in the same
 * coordinates. `notes` may be NULL.
 * Arrays: nodes[surface vertices x 4], weights[surface vertices x 4]. */
VV_API vvStatus vvMeshEmbed(const vvMesh *body, const vvMesh *surface, int *nodes, double *weights, vvEmbedNotes *notes,
                            vvError *error);

/* What makes a mesh: "box", "ball", ... */
typedef struct vvMeshGenerator {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvMeshGenerate takes */
} vvMeshGenerator;
VV_API const vvMeshGenerator *vvMeshGeneratorInfo(int index); /* NULL past the end */
/* Makes a mesh by a named generator with these of its parameters, see vvMeshGenerator; NULL, 0: all have their
 * defaults. *mesh is finished; empty on failure. */
VV_API vvStatus vvMeshGenerate(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                               vvError *error);
/* The same of order 2 (vvMeshRaise). Where the shape is curved (ball, cylinder, rod, torus, bowl, die), the middles of
 * the surface's edges lie on it. `notes` may be NULL. */
VV_API vvStatus vvMeshGenerateOrder2(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                                     vvRaiseNotes *notes, vvError *error);

VV_API const vvInfo *vvMeshFormatInfo(int index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
