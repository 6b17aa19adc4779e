/* visviva/scene.h: makes worlds from scene files (JSON, docs/scene-file.md).
 *
 * Error messages name the file, the line and column (syntax) or the JSON path (content), what was found and what is
 * allowed. */
#ifndef VISVIVA_SCENE_H
#define VISVIVA_SCENE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvScene vvScene;

typedef struct vvSceneTime {
    double step, end; /* s; step: of the run, time.step / time.substeps */
    int recordEvery;  /* steps of the run between recorded frames */
    double begin;     /* s: the time at the start */
    int substeps;     /* steps of the run in one time.step */
} vvSceneTime;

/* Reads and validates a scene file. `overrides` are `count` strings "path=value", e.g. "integrator.policy=search",
 * "bodies[0].material=\"steel\"", "materials.jelly.young=1e6"; the value is JSON, or a bare word taken as a string.
 * Mesh paths in the scene are relative to the scene file's folder; a missing file is looked for by its name in the
 * folder that the environment variable VISVIVA_MESHES names.
 * Arrays: overrides[count]. */
VV_API vvStatus vvSceneLoad(const char *path, const char *const *overrides, int count, vvScene **scene, vvError *error);
/* The same from text. Relative mesh paths start at `folder`; messages use `name` in place of the file.
 * Arrays: overrides[count]. */
VV_API vvStatus vvSceneParse(const char *text, const char *name, const char *folder, const char *const *overrides,
                             int count, vvScene **scene, vvError *error);
VV_API void vvSceneDestroy(vvScene *scene);

VV_API const char *vvSceneName(const vvScene *scene);    /* its "name", else the file's */
VV_API vvSceneTime vvSceneGetTime(const vvScene *scene); /* its "time" */
/* The scene's JSON with overrides applied and mesh paths made absolute, as a run file keeps it. Lives as long as the
 * scene. */
VV_API const char *vvSceneText(const vvScene *scene);
/* Makes a world of the scene. threads: 0 for all cores. The world is not baked yet. */
VV_API vvStatus vvSceneCreateWorld(const vvScene *scene, int threads, vvWorld **world, vvError *error);
/* The same in a host program, with its memory, parallel loops and log (host.h). */
VV_API vvStatus vvSceneCreateHostedWorld(const vvScene *scene, int threads, const vvHost *host, vvWorld **world,
                                         vvError *error);

/* Reports progress of, and may cancel, slow work while a world is made: filling surfaces with tets ("fill": true).
 * NULL: none. The host's log reports how they were filled, and bodies that are closed surfaces without tets. */
VV_API void vvSceneSetWatch(vvScene *scene, const vvWatch *watch);

/* Writes to `path` where the scene describes the world's body number `index`, for messages: "bodies[2]", "bodies[2],
 * copy 5" or "obstacles[0]". If there is no such body, returns false and an empty text. */
VV_API bool vvSceneBodyPath(const vvScene *scene, int index, char *path, size_t size);
/* The same for the world's obstacle number `index` (those without a mesh, in the order of the scene):
 * "obstacles[1]". */
VV_API bool vvSceneObstaclePath(const vvScene *scene, int index, char *path, size_t size);

/* Writes a scene that repeats the next step of a few bodies alone. It starts where `world` (made from `scene`) stands
 * now and runs for one step. `path` is the scene file; beside it there is a CSV file for each body. The new scene
 * holds:
 * - the bodies and obstacles with a mesh that `names` lists, such as those of a vvStall; unknown names are ignored
 * - all bodies that could touch one of these in the step
 * - all analytic obstacles
 * Settings are the same. A two-step scheme restarts without a past. Energies and targets are those of the new scene. It
 * refers to mesh files where they are.
 * Arrays: names[count]. */
VV_API vvStatus vvSceneWriteExtract(const vvScene *scene, vvWorld *world, const char *const *names, int count,
                                    const char *path, vvError *error);

/* Writes the current scene to the file `path`: with the current settings, and the positions and velocities of all nodes
 * of `world` (made from `scene`). A run of it continues to the scene's time.end or, if that has passed, for the same
 * duration again. It lacks the past of a two-step scheme and of an energy policy, hands, and materials that have been
 * set since. It refers to mesh files where they are. */
VV_API vvStatus vvSceneWriteState(const vvScene *scene, vvWorld *world, const char *path, vvError *error);

/* The keys of a scene file (base.h), one row a key, for documentation and error messages. NULL past the end. */
VV_API const vvSceneKey *vvSceneKeyInfo(int index);

#ifdef __cplusplus
}
#endif
#endif
