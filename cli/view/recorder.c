/* Records what runs in the window: every step, into a run file like those of visviva run. What is switched meanwhile
 * is in it. */
#include <stdio.h>
#include <unistd.h>

#include "view/live_own.h"

void vv_live_free_path(const char *stem, const char *ending, char path[VV_LIVE_PATH])
{
    for (int number = 1; number < 100000; number++) {
        snprintf(path, VV_LIVE_PATH, "%.*s-%d%s", VV_LIVE_PATH - 40, stem, number, ending);
        if (access(path, F_OK) != 0)
            return;
    }
}

static vvStatus remember(vv_recorder *recorder, vvStatus status, const vvError *error)
{
    if (status != VV_OK && recorder->failed.status == VV_OK)
        recorder->failed = *error;
    return status;
}

vvStatus vv_recorder_begin(vv_recorder *recorder, const char *path, vvWorld *world, const vvScene *scene,
                           vvError *error)
{
    vvStatus status = vvWorldBake(world, error); /* what was just switched, or let go of, may have taken that away */
    if (status == VV_OK)
        status = vvRunCreate(path, world, vvSceneName(scene), vvSceneText(scene), &recorder->writer, error);
    if (status != VV_OK) {
        recorder->writer = NULL;
        return remember(recorder, status, error);
    }
    snprintf(recorder->path, sizeof recorder->path, "%s", path);
    recorder->frames = 1; /* the present state */
    return VV_OK;
}

vvStatus vv_recorder_end(vv_recorder *recorder, char note[VV_LIVE_TEXT], vvError *error)
{
    if (!recorder->writer)
        return VV_OK;
    const vvStatus status = vvRunClose(recorder->writer, "done", error);
    recorder->writer = NULL;
    if (status == VV_OK)
        snprintf(note, VV_LIVE_TEXT, "recorded %lld frames: %s", (long long)recorder->frames, recorder->path);
    recorder->path[0] = 0;
    return remember(recorder, status, error);
}

vvStatus vv_recorder_add(vv_recorder *recorder, vvWorld *world, const vvStepReport *report, vvError *error)
{
    char note[VV_LIVE_TEXT];
    vvError ignored;
    if (!recorder->writer)
        return VV_OK;
    vvStatus status = vvRunAddStep(recorder->writer, world, report, error);
    if (status == VV_OK)
        status = vvRunAddFrame(recorder->writer, world, error);
    if (status == VV_OK)
        recorder->frames++;
    else {
        remember(recorder, status, error);
        (void)vv_recorder_end(recorder, note, &ignored);
    }
    return status;
}
