/* visviva/run.h: writing, resuming, reading and exporting run files. A run is one HDF5 file in the transient VTKHDF
 * 2.0 layout; the ledger, the scene and what a restart needs are in its group /visviva. docs/run-file.md describes
 * the layout. */
#ifndef VISVIVA_RUN_H
#define VISVIVA_RUN_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */

typedef struct vvRunWriter vvRunWriter;

/* Creates `path` (name.vtkhdf) and name.xdmf beside it; the current state of the world becomes row 0 and frame 0. The
 * world must be baked. `sceneText` (JSON) may be NULL. Fails if another process is writing that file. */
VV_API vvStatus vvRunCreate(const char *path, vvWorld *world, const char *sceneName, const char *sceneText,
                            vvRunWriter **writer, vvError *error);
typedef struct vvResumeDef {
    int frame;          /* continue from this frame; -1: the last complete one */
    const char *output; /* NULL: the run continues in its own file, which loses what came after the frame. Otherwise
                           that file is unchanged, and `output` begins with its frames up to there */
    /* if settings were changed: the scene that the file names from now on; NULL: unchanged */
    const char *sceneName;
    const char *sceneText;  /* and its JSON */
    const char *change;     /* the change from here on, in a few words, for vvRunChange and plots; NULL: none */
    uint32_t internalValue; /* internal: vvDefaultResumeDef() sets it */
} vvResumeDef;
/* From the last complete frame, in the run's own file. */
VV_API vvResumeDef vvDefaultResumeDef(void);
/* Continues a run: loads the world's state from a frame, and opens the run (or a new file) for writing. The world must
 * have the run's bodies. With equal definitions it continues with the same bits, with others from the same state
 * (vvWorldLoadState says what changes). `def` may be NULL. */
VV_API vvStatus vvRunResume(const char *path, vvWorld *world, const vvResumeDef *def, vvRunWriter **writer,
                            vvError *error);
/* Adds one step (its ledger row and report); buffered until the next frame. */
VV_API vvStatus vvRunAddStep(vvRunWriter *writer, const vvWorld *world, const vvStepReport *report, vvError *error);
/* Adds a note, or a warning that begins with "warning: ", to the run file. It belongs to the last step added, and is
 * written with the next frame. Repeated notes are dropped, and so are those after the first 1,000; at most 1,023 bytes
 * of each are kept. A world's log (host.h) may call it, except where the writer works on that world (vvRunAddFrame):
 * VV_ERROR_INPUT. */
VV_API vvStatus vvRunAddNote(vvRunWriter *writer, const char *text, vvError *error);
/* Writes a frame with all steps added since the last one, then flushes: after this returns, a kill -9 loses nothing.
 * Does nothing if the last frame already holds the current state (right after vvRunCreate or vvRunResume). If the start
 * was changed before the first step (vvWorldSetState, ...), row 0 becomes that start; without such a frame,
 * vvRunAddStep refuses the first step (VV_ERROR_INPUT). */
VV_API vvStatus vvRunAddFrame(vvRunWriter *writer, vvWorld *world, vvError *error);
/* Reserves room for this many frames and ledger rows in all (the start counts in both). Optional: a run grows as
 * needed, by copying itself each time its length has doubled; if the length is known, this avoids the copies. It is a
 * hint: no more is reserved than the disk can hold. */
VV_API vvStatus vvRunReserve(vvRunWriter *writer, int64_t frames, int64_t rows, vvError *error);
/* Closes the file and writes how the run ended: "done", or why not. */
VV_API vvStatus vvRunClose(vvRunWriter *writer, const char *status, vvError *error);

/* ---- reading ---- */

typedef struct vvRun vvRun;

typedef struct vvRunBody {
    char name[128];                         /* as in the world */
    int firstNode, nodeCount;               /* the nodes that are vertices of its mesh */
    int tetCount, triangleCount, edgeCount; /* lengths of the arrays below */
    const int *tets, *triangles, *edges;    /* [count x 4, 3, 2] run node indices */
    /* What is drawn: the carried surface if there is one, else the nodes and triangles above. A run's vertices are
     * its nodes, followed by the vertices of the carried surfaces. */
    bool carries;                                     /* the body carries a surface */
    int firstVertex, vertexCount, drawnTriangleCount; /* its vertices in the run; length of `drawnTriangles` */
    const int *drawnTriangles;                        /* [drawnTriangleCount x 3] run vertex indices */
    bool kinematic;                                   /* an obstacle with a mesh */
    bool selfContact;                                 /* it collides with itself; false in files of older versions */
    vvFilter filter;                                  /* which bodies it touches; all zero in files of older versions */
    int pointCount;       /* of a body of free points: nodeCount, as each node is a point; else 0 */
    double thickness;     /* m, as the run began; 0 in files of older versions */
    bool surfaceCollides; /* the carried surface, which is what is drawn, is also what collides */
    int directorCount;    /* of the nodes that follow these and are no vertices (vvBodyElements.directorCount) */
    /* m: of a shell or a rod, as it is drawn (vvBodyDrawnThickness); in files of older versions as `thickness` */
    double drawnThickness;
    const double *uvs; /* [drawnTriangleCount x 6] texture coordinates: 6 numbers a drawn triangle, (u, v) of each
                          corner; NULL: none */
    /* an affine body: its shape is the surface that its four nodes carry by one affine map, without the nodes */
    bool affine;
    int colour;        /* as the run's scene has it (bodies[].color), 0xrrggbb in sRGB; -1: none */
    int tet10Count;    /* length of `tets10`; 0: all is linear */
    const int *tets10; /* [tet10Count x 10] run node indices, tets of order 2 as in vvMesh; `tets` are eight of each */
} vvRunBody;

/* Opens a run for reading, even if it is still being written or its program was killed. */
VV_API vvStatus vvRunOpen(const char *path, vvRun **run, vvError *error);
VV_API void vvRunFree(vvRun *run);
VV_API const char *vvRunSceneName(const vvRun *run);
VV_API const char *vvRunSceneText(const vvRun *run);  /* "" if there is none */
VV_API const char *vvRunStatusText(const vvRun *run); /* how it ended; also "running" if it was cut off */
VV_API int vvRunFrameCount(const vvRun *run);
VV_API int vvRunNodeCount(const vvRun *run);
/* How many nodes and vertices of carried surfaces there are. */
VV_API int vvRunVertexCount(const vvRun *run);
/* Completes a field (vertexCount x columns; positions and velocities have 3 columns) whose first nodeCount rows are
 * given: each vertex of a carried surface gets a weighted sum of nodes.
 * Arrays: values[vertexCount x columns]. */
VV_API void vvRunCarry(const vvRun *run, int columns, double *values);
VV_API int vvRunBodyCount(const vvRun *run);
VV_API const vvRunBody *vvRunGetBody(const vvRun *run, int index);
VV_API double vvRunFrameTime(const vvRun *run, int frame);
VV_API int64_t vvRunFrameStep(const vvRun *run, int frame);
/* Whether velocities in the run are those of the motion that positions show (vvWorldVisibleVelocities). In files of
 * older versions they are the state's own, which a policy may have changed; if a newer version resumed such a run, in
 * frames whose vvRunReadStateVelocities are NaN. */
VV_API bool vvRunShowsMotion(const vvRun *run);
/* Reads positions (m) and velocities (m/s) of a frame into the caller's arrays of nodeCount x 3 (either may be
 * NULL).
 * Arrays: positions[nodeCount x 3], velocities[nodeCount x 3]. */
VV_API vvStatus vvRunReadFrame(const vvRun *run, int frame, double *positions, double *velocities, vvError *error);
/* Reads the state's own velocities (m/s) of a frame, nodeCount x 3: what the next step begins with.
 * Arrays: velocities[nodeCount x 3]. */
VV_API vvStatus vvRunReadStateVelocities(const vvRun *run, int frame, double *velocities, vvError *error);
/* Rest positions of the nodes (nodeCount x 3, m), as the bodies were placed; NULL in files of older versions.
 * Arrays: returns[nodeCount x 3]. */
VV_API const double *vvRunRestPositions(const vvRun *run);
/* The curvature of shells and rods at these node positions, a value a node (1/m). On triangles without tets it is the
 * mean curvature (of a cylinder half of 1 / radius), positive where the surface bulges to the side that it faces; along
 * edges without triangles the curvature, 0 at ends and forks. 0 at all other nodes.
 * Arrays: positions[nodeCount x 3], curvature[nodeCount]. */
VV_API vvStatus vvRunCurvature(const vvRun *run, const double *positions, double *curvature, vvError *error);
/* Whether something in the run resists bending (materials such as "hinge", "midedge", "rod"), and the file says how
 * much; false in files of older versions. */
VV_API bool vvRunKnowsBending(const vvRun *run);
/* The elastic energy of bending at these node positions: J/m^2 of each triangle of the bodies without tets, J/m of each
 * edge of the bodies without triangles, including twist in models that resist it. Times areas and lengths at rest, they
 * add up to those materials' energy in the ledger. `triangles` has the values of all bodies' triangles, one body after
 * the other, and `edges` those of all their edges; 0 where nothing resists bending. Either may be NULL. Stiffness is
 * that of the world as it was last created, resumed or set. VV_ERROR_UNSUPPORTED without vvRunKnowsBending.
 * Arrays: positions[nodeCount x 3], triangles[all triangles], edges[all edges]. */
VV_API vvStatus vvRunBendingEnergy(const vvRun *run, const double *positions, double *triangles, double *edges,
                                   vvError *error);
/* Two elements of bodies' surfaces that intersect in a frame. */
typedef struct vvRunIntersection {
    int body[2];        /* indices of the run's bodies */
    int count[2];       /* 3: a triangle; 2: an edge of a rod */
    int vertices[2][3]; /* from 0: of the body or, if a carried surface collides (surfaceCollides), of that surface */
    double point[3];    /* m, near where they meet */
} vvRunIntersection;
/* Finds intersections in a frame by the exact test of vvWorldFindIntersections: of all bodies that may touch by the
 * filters and self-contact in the run file, whether contact was on or not. Writes at most `capacity` and sets *count
 * to how many there are. VV_ERROR_UNSUPPORTED for files of older versions, which do not say what may touch.
 * Arrays: list[capacity]. */
VV_API vvStatus vvRunFindIntersections(const vvRun *run, int frame, vvRunIntersection *list, int capacity, int *count,
                                       vvError *error);
/* The drawn surfaces of a frame, where bodies carry surfaces that do not collide. */
typedef struct vvRunShown {
    int body; /* the body whose carried surface protrudes most; -1: there is none, and all that is drawn collides */
    double outside;    /* m: how far it protrudes from the surface that collides */
    int intersections; /* pairs of drawn elements that intersect, by the test of vvRunFindIntersections */
    int meeting[2];    /* where there are such: the bodies of one of them, indices of the run's bodies */
    double point[3];   /* m, near where these meet */
} vvRunShown;
/* Measures the drawn surfaces of a frame. */
VV_API vvStatus vvRunMeasureShown(const vvRun *run, int frame, vvRunShown *shown, vvError *error);
/* Two bodies that pass each other between two frames. */
typedef struct vvRunPassing {
    int body[2];   /* indices of the run's bodies */
    double travel; /* m: how far they move relative to each other, at most */
    double extent; /* m: the smaller of their smallest extents */
} vvRunPassing;
/* Whether two bodies pass through each other in the motion from the frame before, if each moves and turns uniformly.
 * That is the motion of a step if the frames belong to consecutive steps, the second made whole (vvLedgerRow.parts).
 * VV_ERROR_UNSUPPORTED as above. */
VV_API vvStatus vvRunFindPassing(const vvRun *run, int frame, vvRunPassing *passing, bool *found, vvError *error);
/* Puts a world of the run's scene into the state of a frame, with its time, attachments and all, as vvRunResume does:
 * for what is asked of worlds, such as fields (field.h). What friction did in the frame's step is not in it. */
VV_API vvStatus vvRunLoadFrame(const vvRun *run, int frame, vvWorld *world, vvError *error);
/* Ledger rows; row 0 is the start. */
VV_API int vvRunRowCount(const vvRun *run);
/* Reads `count` rows of the ledger, from row `first` on. Arrays: rows[count]. */
VV_API vvStatus vvRunReadRows(const vvRun *run, int first, int count, vvLedgerRow *rows, vvError *error);
/* Elastic energy of each body (J): count x bodyCount values.
 * Arrays: energies[count x bodyCount]. */
VV_API vvStatus vvRunReadBodyEnergies(const vvRun *run, int first, int count, double *energies, vvError *error);
/* Visible kinetic energy of each body: count x bodyCount values; NaN in files of older versions, as are the ledger's
 * columns.
 * Arrays: visible[count x bodyCount]. */
VV_API vvStatus vvRunReadBodyVisible(const vvRun *run, int first, int count, vvVisible *visible, vvError *error);
/* Seconds in each phase of the steps: count x VV_PHASE_COUNT values, from step first + 1 on (row 0 has no step).
 * Arrays: seconds[count x phaseCount]. */
VV_API vvStatus vvRunReadPhases(const vvRun *run, int first, int count, double *seconds, vvError *error);
/* Where the run continued with other settings: the text of vvResumeDef.change, or of vvWorldSettingChange (settings.h)
 * for a change while it was recorded, and the ledger row *row (which may be NULL) after which it holds. NULL for an
 * index past the end. */
VV_API int vvRunChangeCount(const vvRun *run);
VV_API const char *vvRunChange(const vvRun *run, int index, int *row);
/* Notes of the run (vvRunAddNote): the text, and the ledger row *row (which may be NULL) after which it was added. NULL
 * for an index past the end. */
VV_API int vvRunNoteCount(const vvRun *run);
VV_API const char *vvRunNote(const vvRun *run, int index, int *row);
/* What made, or last resumed, the run: the version of visviva and its parts, the processor and the number of threads,
 * in a line. "" in files of older versions. */
VV_API const char *vvRunMadeBy(const vvRun *run);
/* Obstacles, as in the world. */
VV_API int vvRunObstacleCount(const vvRun *run);
/* The type of obstacle `index` and its values, as vvWorldObstacle gives them. Arrays: values[valueCount]. */
VV_API const char *vvRunObstacle(const vvRun *run, int index, const double **values, int *valueCount);
/* The samples of obstacle `index`, as vvWorldObstacleSamples gives them. Arrays: returns[counts]. */
VV_API const double *vvRunObstacleSamples(const vvRun *run, int index, int counts[3]);
/* A surface to draw obstacle `index` by, in place; of an infinite one, a part of `size` (m). The mesh is the
 * caller's. */
VV_API vvStatus vvRunObstacleMesh(const vvRun *run, int index, double size, vvMesh *mesh, vvError *error);
VV_API double vvRunTimeStep(const vvRun *run);
VV_API void vvRunGravity(const vvRun *run, double gravity[3]); /* m/s^2 */
/* A run's lengths in metres, as the world was last created or resumed: its own (vvWorldLength), contact.distance,
 * solver.tolerance (m/s) and contact.friction_speed (m/s; the lowest of bodies; 0: without friction). False, and all 0,
 * in files of older versions. */
typedef struct vvRunLengths {
    double length, distance, tolerance, frictionSpeed; /* m, m, m/s, m/s */
} vvRunLengths;
/* What vvRunLengths says of this run. */
VV_API bool vvRunGetLengths(const vvRun *run, vvRunLengths *lengths);
/* The stiffness of contact as the world was last created or resumed (vvWorldGetStiffness); later adaptations are among
 * the changes. `body` is valid until the run is freed. False, and all 0: there is no contact, or the file is of an
 * older version. */
VV_API bool vvRunGetStiffness(const vvRun *run, vvStiffness *stiffness);
VV_API const char *vvRunScheme(const vvRun *run);
VV_API const char *vvRunPolicy(const vvRun *run);
VV_API const char *vvRunContactModel(const vvRun *run); /* "" in files of older versions */

/* ---- exporting ---- */

VV_API const vvInfo *vvExportFormatInfo(int index); /* "vtu", "obj", "ply", ...; NULL past the end */
typedef struct vvExportDef {
    const char *format;        /* see vvExportFormatInfo */
    int firstFrame, lastFrame; /* lastFrame < 0: the last */
    int every;                 /* every n-th frame; 1 */
    /* only the body of that name; NULL: all. vtu and csv always hold all and refuse a name */
    const char *body;
    /* names of fields (vvFieldInfo) with commas between, "von-mises,reaction"; a field of elements with "@nodes" after
     * it is averaged at nodes. Of vtu, an array each; of csv, a table of frames with the largest of each body, and what
     * each attachment bears, in place of the ledger. NULL: none */
    const char *fields;
    /* for these: a world of the run's scene (vvRunSceneText), which is put into the state of each frame */
    vvWorld *world;
    bool velocities; /* with velocities (usda, ply; vtu always has them) */
    /* called with the number of frames done and of all frames; may be NULL. It may read the run; vvRunFree does nothing
     * there */
    void (*progress)(void *user, int done, int total);
    /* asked for each frame; true: the export ends with VV_CANCELLED, like one that fails; may be NULL */
    bool (*cancel)(void *user);
    void *user;             /* given to both */
    uint32_t internalValue; /* internal: vvDefaultExportDef() sets it */
} vvExportDef;
/* All frames and bodies, without velocities. Set the format. */
VV_API vvExportDef vvDefaultExportDef(void);
/* Writes a run in another format. `path` is the file (csv, pvd, glb, usda, pc2) or the base name of a numbered sequence
 * (obj, ply); pc2 writes further files beside it. docs/exports.md says what each holds. A file gets its name only when
 * complete: an export that fails leaves an older file unchanged; of a sequence, the frames already written remain. */
VV_API vvStatus vvRunExport(const vvRun *run, const vvExportDef *def, const char *path, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
