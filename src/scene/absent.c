/* visviva/scene.h in a build without jansson: every function exists and says what is missing. No scene can exist. */
#include "base/error.h"
#include "scene/colour.h"
#include "visviva/scene.h"

static vvStatus absent(vvScene **scene, vvError *error)
{
    if (scene)
        *scene = NULL;
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "scene files: this build of visviva was made without jansson (VV_JANSSON=OFF, or it was not found)");
}

vvStatus vvSceneLoad(const char *path, const char *const *overrides, int count, vvScene **scene, vvError *error)
{
    (void)path, (void)overrides, (void)count;
    return absent(scene, error);
}

vvStatus vvSceneParse(const char *text, const char *name, const char *folder, const char *const *overrides, int count,
                      vvScene **scene, vvError *error)
{
    (void)text, (void)name, (void)folder, (void)overrides, (void)count;
    return absent(scene, error);
}

vvStatus vvSceneCreateHostedWorld(const vvScene *scene, int threads, const vvHost *host, vvWorld **world,
                                  vvError *error)
{
    (void)host;
    return vvSceneCreateWorld(scene, threads, world, error);
}

vvStatus vvSceneCreateWorld(const vvScene *scene, int threads, vvWorld **world, vvError *error)
{
    (void)scene, (void)threads;
    if (world)
        *world = NULL;
    return absent(NULL, error);
}

vvStatus vvSceneWriteExtract(const vvScene *scene, vvWorld *world, const char *const *names, int count,
                             const char *path, vvError *error)
{
    (void)scene, (void)world, (void)names, (void)count, (void)path;
    return absent(NULL, error);
}

vvStatus vvSceneWriteState(const vvScene *scene, vvWorld *world, const char *path, vvError *error)
{
    (void)scene, (void)world, (void)path;
    return absent(NULL, error);
}

void vvSceneSetWatch(vvScene *scene, const vvWatch *watch) { (void)scene, (void)watch; }

void vvSceneDestroy(vvScene *scene) { (void)scene; }

const char *vvSceneName(const vvScene *scene)
{
    (void)scene;
    return "";
}

const char *vvSceneText(const vvScene *scene)
{
    (void)scene;
    return "";
}

bool vvSceneBodyPath(const vvScene *scene, int index, char *path, size_t size)
{
    (void)scene, (void)index;
    if (path && size > 0)
        path[0] = 0;
    return false;
}

bool vvSceneObstaclePath(const vvScene *scene, int index, char *path, size_t size)
{
    return vvSceneBodyPath(scene, index, path, size);
}

vvSceneTime vvSceneGetTime(const vvScene *scene)
{
    (void)scene;
    return (vvSceneTime){ 0 };
}

const vvSceneKey *vvSceneKeyInfo(int index)
{
    (void)index;
    return NULL;
}

void vv_scene_colours(const char *text, int count, const char *(*name_of)(const void *user, int body), const void *user,
                      int *colours)
{
    (void)text, (void)name_of, (void)user;
    for (int b = 0; b < count; b++)
        colours[b] = -1;
}
