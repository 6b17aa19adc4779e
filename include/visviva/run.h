/* visviva/run.h: run files: one HDF5 file a run, in the transient VTKHDF 2.0 layout, with the ledger, the scene and what a
 * restart needs beside it in /visviva; and what can be made of them. docs/run-file.md describes the layout. */
#ifndef VISVIVA_RUN_H
#define VISVIVA_RUN_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */

typedef struct vvRunWriter vvRunWriter;

/* Creates `path` (name.vtkhdf) and name.xdmf beside it, with the world as it is as row 0 and frame 0. The world must be
 * baked. `sceneText` (JSON) may be NULL. Fails where another process is writing that file. */
VV_API vvStatus vvRunCreate(const char *path, vvWorld *world, const char *sceneName, const char *sceneText,
                            vvRunWriter **writer, vvError *error);
typedef struct vvResumeDef {
    int frame;             /* go on from this frame; -1: the last whole one */
    const char *output;    /* NULL: the run itself, which forgets what came after the frame. Else the run stays as it is, and what
                              is kept of it begins a new file there */
    const char *sceneName; /* what the file shall say the run was made of, where settings were changed; NULL: as it is */
    const char *sceneText;
} vvResumeDef;
VV_API vvResumeDef vvDefaultResumeDef(void);
/* Goes on with a run: loads the world's state from a frame, and opens the run (or a new file) for what comes next. The world
 * has the run's bodies; with equal definitions it goes on to the same bits, with others from the same state (vvWorldLoadState
 * says what changes). `def` may be NULL. */
VV_API vvStatus vvRunResume(const char *path, vvWorld *world, const vvResumeDef *def, vvRunWriter **writer, vvError *error);
/* Books one step (its ledger row and report); buffered until the next frame. */
VV_API vvStatus vvRunAddStep(vvRunWriter *writer, const vvWorld *world, const vvStepReport *report, vvError *error);
/* Writes a frame with everything booked since the last one, then flushes: after this returns, a kill -9 loses nothing.
 * Does nothing where the last frame is the world as it is (right after vvRunCreate, vvRunResume). */
VV_API vvStatus vvRunAddFrame(vvRunWriter *writer, vvWorld *world, vvError *error);
/* Makes room for so many frames and ledger rows in all (the start counts in both). Optional: a run grows as needed, by
 * copying itself each time its length has doubled; where the length is known, this saves the copies. A hint: no more is
 * reserved than the disk could hold. */
VV_API vvStatus vvRunReserve(vvRunWriter *writer, int64_t frames, int64_t rows, vvError *error);
/* Closes the file with the run's last word ("done", or why not). */
VV_API vvStatus vvRunClose(vvRunWriter *writer, const char *status, vvError *error);

/* ---- reading ---- */

typedef struct vvRun vvRun;

typedef struct vvRunBody {
    char name[128];
    int firstNode, nodeCount;
    int tetCount, triangleCount, edgeCount;
    const int *tets, *triangles, *edges; /* run node indices */
    /* What is drawn of it: the surface that it carries, where it carries one, else the nodes and triangles above. A run's
     * vertices are its nodes and, behind them, those of the carried surfaces. */
    bool carries;
    int firstVertex, vertexCount, drawnTriangleCount;
    const int *drawnTriangles; /* run vertex indices */
    bool kinematic; /* an obstacle with a mesh */
    bool selfContact; /* it collides with itself; false in files of older versions */
    vvFilter filter;  /* which bodies it touches; all zero in files of older versions */
    int pointCount;   /* of a body of free points: nodeCount, each node is one; else 0 */
    double thickness; /* m, as the run began; 0 in files of older versions */
    bool surfaceCollides; /* what is drawn, the surface that it carries, is what collides */
} vvRunBody;

/* Opens a run for reading, also one that is still being written or was killed. */
VV_API vvStatus vvRunOpen(const char *path, vvRun **run, vvError *error);
VV_API void vvRunFree(vvRun *run);
VV_API const char *vvRunSceneName(const vvRun *run);
VV_API const char *vvRunSceneText(const vvRun *run); /* "" when none */
VV_API const char *vvRunStatusText(const vvRun *run);    /* "running" where it was cut off */
VV_API int vvRunFrameCount(const vvRun *run);
VV_API int vvRunNodeCount(const vvRun *run);
/* Nodes and the vertices of carried surfaces. */
VV_API int vvRunVertexCount(const vvRun *run);
/* Fills a field (vertexCount x columns; positions and velocities have 3) behind its first nodeCount rows, which are given:
 * each vertex of a carried surface is a weighted sum of nodes. */
VV_API void vvRunCarry(const vvRun *run, int columns, double *values);
VV_API int vvRunBodyCount(const vvRun *run);
VV_API const vvRunBody *vvRunGetBody(const vvRun *run, int index);
VV_API double vvRunFrameTime(const vvRun *run, int frame);
VV_API int64_t vvRunFrameStep(const vvRun *run, int frame);
/* Positions and velocities of a frame into caller arrays of nodeCount x 3 (either may be NULL). */
VV_API vvStatus vvRunReadFrame(const vvRun *run, int frame, double *positions, double *velocities, vvError *error);
/* Two elements of bodies' surfaces that intersect in a frame. */
typedef struct vvRunIntersection {
    int body[2];        /* indices of the run's bodies */
    int count[2];       /* 3: a triangle; 2: an edge of a rod */
    int vertices[2][3]; /* from 0: of the body, or of the surface that it carries where that collides (surfaceCollides) */
    double point[3];    /* m, near where they meet */
} vvRunIntersection;
/* Exact test of the surfaces in a frame, as vvWorldFindIntersections does it: of all bodies that may touch by what the run file says of
 * filters and self contact, whether contact was on or not. Writes at most `capacity` and sets *count to how many there are.
 * VV_ERROR_UNSUPPORTED for files of older versions, which do not say what may touch. */
VV_API vvStatus vvRunFindIntersections(const vvRun *run, int frame, vvRunIntersection *list, int capacity, int *count,
                                       vvError *error);
/* Ledger rows, the start (step 0) first. */
VV_API int vvRunRowCount(const vvRun *run);
VV_API vvStatus vvRunReadRows(const vvRun *run, int first, int count, vvLedgerRow *rows, vvError *error);
/* Elastic energy per body: count x bodyCount values. */
VV_API vvStatus vvRunReadBodyEnergies(const vvRun *run, int first, int count, double *energies, vvError *error);
/* Solver seconds per phase, count x VV_PHASE_COUNT values, of steps first+1 .. (row 0 has no step). */
VV_API vvStatus vvRunReadPhases(const vvRun *run, int first, int count, double *seconds, vvError *error);
/* Obstacles, as in the world. */
VV_API int vvRunObstacleCount(const vvRun *run);
VV_API const char *vvRunObstacle(const vvRun *run, int index, const double **values, int *valueCount);
VV_API double vvRunTimeStep(const vvRun *run);
VV_API void vvRunGravity(const vvRun *run, double gravity[3]); /* m/s^2 */
VV_API const char *vvRunScheme(const vvRun *run);
VV_API const char *vvRunPolicy(const vvRun *run);
VV_API const char *vvRunContactModel(const vvRun *run); /* "" in files of older versions */

/* ---- exporting ---- */

VV_API const vvInfo *vvExportFormatInfo(int index); /* "vtu", "obj", "ply", ...; NULL past the end */
typedef struct vvExportDef {
    const char *format;
    int firstFrame, lastFrame; /* lastFrame < 0: the last */
    int every;                 /* every n-th frame; 1 */
    const char *body;          /* only the body of that name; NULL: all (not for vtu and csv, which hold all) */
    bool velocities;           /* with velocities (usda, ply; vtu always has them) */
    /* progress: called with done and total frames; may be NULL */
    void (*progress)(void *user, int done, int total);
    void *user;
} vvExportDef;
VV_API vvExportDef vvDefaultExportDef(void);
/* `path`: the file (csv, pvd, glb, usda, pc2) or the base name of a numbered sequence (obj, ply); pc2 writes further
 * files beside it. docs/exports.md says what each holds. A file takes its name when it is whole: an export that fails
 * leaves what was there, and of a sequence the frames before. */
VV_API vvStatus vvRunExport(const vvRun *run, const vvExportDef *def, const char *path, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
