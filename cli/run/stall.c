/* visviva run --on-stall: of a step whose solve stopped short or failed, a scene of the bodies there that repeats the
 * step alone. */
#include "run/stall.h"

#include <string.h>

vvStatus vv_stall_before(vv_stall *s, vvWorld *world, vvError *error)
{
    vvSnapshotDestroy(s->before);
    s->before = NULL;
    return s->folder && !s->written ? vvWorldSnapshot(world, &s->before, error) : VV_OK;
}

static vvStatus write_scene(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStall *where, const char *name,
                            vvError *error)
{
    const char *names[] = { where->body, where->other };
    int n = snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    if (n < 0 || (size_t)n >= sizeof s->path) {
        snprintf(error->message, sizeof error->message, "--on-stall: the path is too long");
        return error->status = VV_ERROR_INPUT;
    }
    if (!vv_cli_make_folders(s->path)) {
        snprintf(error->message, sizeof error->message, "--on-stall: there is no folder %.500s", s->folder);
        return error->status = VV_ERROR_IO;
    }
    return vvSceneWriteExtract(scene, world, names, 2, s->path, error);
}

static void tell(const vv_stall *s, vvStatus status, const vvError *error)
{
    if (status != VV_OK)
        vv_cli_error(error);
    else
        fprintf(stderr, "visviva: to repeat this step alone: visviva run %s\n", s->path);
}

void vv_stall_after(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report)
{
    vvSnapshot *after = NULL;
    vvError error = { 0 };
    if (!s->before || !*report->stall.body)
        return;
    s->written = true;
    vvStatus status = vvWorldSnapshot(world, &after, &error);
    if (status == VV_OK) {
        status = vvWorldRestore(world, s->before, &error);
        if (status == VV_OK)
            status = write_scene(s, scene, world, &report->stall, "stall.json", &error);
        vvError back = { 0 };
        if (vvWorldRestore(world, after, &back) != VV_OK)
            vv_cli_error(&back);
    }
    vvSnapshotDestroy(after);
    tell(s, status, &error);
}

void vv_stall_failed(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report)
{
    vvError error = { 0 };
    if (s->folder && *report->stall.body)
        tell(s, write_scene(s, scene, world, &report->stall, "failed.json", &error), &error);
}
