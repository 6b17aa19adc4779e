/* What to draw of a running world. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/scene.h"

static const double NEAR = 6; /* sizes of the bodies: ground nearer than this is in the picture */

/* The run and its side file. */
static void remove_files(const char *folder, const char *path)
{
    char side[160];
    snprintf(side, sizeof side, "%s/start.xdmf", folder);
    remove(path);
    remove(side);
    rmdir(folder);
}

/* The stage reads bodies from a run file, so the world is written as a run of one frame. Once open, the file can be
 * removed. */
static int open_run(vv_live_scene *s, vvWorld *world, const vvScene *scene)
{
    const char *place = getenv("TMPDIR");
    char folder[120], path[150];
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    snprintf(folder, sizeof folder, "%.80s/visviva-view-XXXXXX",
             place && *place && strlen(place) <= 80 ? place : "/tmp");
    if (!mkdtemp(folder))
        return vv_cli_wrong("no folder can be made for the drawing: %s: %s; TMPDIR names another place", folder,
                            strerror(errno));
    snprintf(path, sizeof path, "%s/start.vtkhdf", folder);
    vvStatus status = vvRunCreate(path, world, vvSceneName(scene), vvSceneText(scene), &writer, &error);
    if (status == VV_OK)
        status = vvRunClose(writer, "done", &error);
    if (status == VV_OK)
        status = vvRunOpen(path, &s->run, &error);
    int code = status == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
    if (code == VV_CLI_GO && (!vv_stage_open(&s->stage, s->run)))
        code = VV_EXIT_FAILED;
    remove_files(folder, path);
    return code;
}

/* Room for what is drawn of the run that is open. */
static bool begin(vv_live_scene *s)
{
    const double origin[3] = { 0, 0, 0 };
    const size_t vertices = (size_t)vvRunVertexCount(s->run);
    vv_stage_set_origin(&s->stage, origin);
    s->positions = calloc(3 * vertices + 1, sizeof(double));
    return s->positions || (vv_cli_wrong("no memory for drawing %zu vertices", vertices), false);
}

int vv_live_scene_open_run(vv_live_scene *s, vvRun *run)
{
    s->run = run;
    return vv_stage_open(&s->stage, run) && begin(s) && vv_live_scene_show_frame(s, 0, false) ? VV_CLI_GO
                                                                                              : VV_EXIT_FAILED;
}

int vv_live_scene_open(vv_live_scene *s, vvWorld *world, const vvScene *scene)
{
    const int code = open_run(s, world, scene);
    if (code != VV_CLI_GO)
        return code;
    if (!begin(s))
        return VV_EXIT_FAILED;
    memcpy(s->positions, vvWorldPositions(world), 3 * (size_t)vvWorldNodeCount(world) * sizeof(double));
    return vv_live_scene_show(s, vvWorldTime(world), false) ? VV_CLI_GO : VV_EXIT_FAILED;
}

void vv_live_scene_close(vv_live_scene *s)
{
    if (s->run)
        vv_stage_close(&s->stage);
    vvRunFree(s->run);
    free(s->positions);
    free(s->field);
}

bool vv_live_scene_colour(vv_live_scene *s, const vvField *field, double most)
{
    if (!field)
        return true;
    s->field = calloc((size_t)vvRunVertexCount(s->run) + 1, sizeof(double));
    s->measured = !(most > 0);
    s->stage.fieldMax = most;
    if (s->field && vv_stage_give(&s->stage, vv_colouring_of(field)))
        return true;
    vv_cli_wrong("no memory for colours");
    return false;
}

bool vv_live_scene_colour_run(vv_live_scene *s, const vvField *field, double most)
{
    if (!field)
        return true;
    s->field = calloc((size_t)vvRunVertexCount(s->run) + 1, sizeof(double));
    if (s->field)
        return vv_stage_colour(&s->stage, vv_colouring_of(field), most) && vv_live_scene_show_frame(s, 0, false);
    vv_cli_wrong("no memory for colours");
    return false;
}

void vv_live_scene_take_live(vv_live_scene *s, bool live) { s->stage.given = live; }

bool vv_live_scene_show_frame(vv_live_scene *s, int frame, bool coarse)
{
    s->stage.coarse = coarse;
    return vv_stage_set_frame(&s->stage, frame);
}

/* To the stage, and a scale that grows with it. */
static void colour(vv_live_scene *s)
{
    for (int i = 0; s->field && i < vvRunVertexCount(s->run); i++)
        s->stage.field[i] = fabs(s->field[i]);
    if (!s->field || !s->measured)
        return;
    s->most = fmax(s->most, vv_stage_measure(&s->stage));
    s->stage.fieldMax = s->most > 0 ? s->most : 1;
}

bool vv_live_scene_show(vv_live_scene *s, double time, bool coarse)
{
    s->stage.coarse = coarse;
    vvRunCarry(s->run, 3, s->positions);
    colour(s);
    return vv_stage_show(&s->stage, s->positions, NULL, time);
}

void vv_live_scene_home(const vv_live_scene *scene, vv_orbit *orbit)
{
    const vv_render_stage *s = &scene->stage;
    double low[3], high[3], height = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = s->low[k], high[k] = s->high[k];
        size = fmax(size, high[k] - low[k]);
        height += (0.5 * (low[k] + high[k]) - s->ground.point[k]) * s->ground.normal[k];
    }
    for (int k = 0; s->hasGround && height < NEAR * size && k < 3; k++) {
        const double foot = 0.5 * (low[k] + high[k]) - height * s->ground.normal[k];
        low[k] = fmin(low[k], foot);
        high[k] = fmax(high[k], foot);
    }
    vv_orbit_begin(orbit, s->up, low, high);
}
#endif
