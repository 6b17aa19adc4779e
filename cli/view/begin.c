/* What visviva view opens: a scene that runs live, or a run that is played and from whose frames worlds go on. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

static int threads_of(const vv_viewer *v)
{
    const int threads = v->o.threads > 0 ? v->o.threads : vv_cli_cores() - 1;
    return threads > 0 ? threads : 1;
}

static const vvField *field_of(const vv_viewer *v) { return v->o.colour ? vv_cli_field(v->o.colour) : NULL; }

/* Takes the world over. */
static vvStatus start(vv_viewer *v, vvWorld *world, bool paused, vvError *error)
{
    v->live = vv_live_start(world, v->scene, &(vv_live_field){ field_of(v), v->drawn.run }, paused, error);
    return v->live ? VV_OK : error->status;
}

/* ---- a scene ---- */

static int begin_scene(vv_viewer *v)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    const vvField *field = field_of(v);
    vvStatus status = vvSceneLoad(v->o.scene, v->o.sets.values, v->o.sets.count, &v->scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(v->scene, threads_of(v), &world, &error);
    int code = status == VV_OK ? VV_CLI_GO : vv_cli_error(&error); /* names the file */
    if (code == VV_CLI_GO && vvWorldBake(world, &error) != VV_OK)
        code = vv_cli_error_in(v->o.scene, &error);
    if (code == VV_CLI_GO && field && !vv_cli_has_field(world, field))
        code = vv_cli_wrong("--color %s: no body of the scene has that field", field->info.name);
    if (code == VV_CLI_GO && !(v->window = vv_window_open(vvSceneName(v->scene), v->o.width, v->o.height)))
        code = VV_EXIT_FAILED;
    if (code == VV_CLI_GO)
        code = vv_live_scene_open(&v->drawn, world, v->scene);
    if (code == VV_CLI_GO && !vv_live_scene_colour(&v->drawn, field, v->o.colourMax))
        code = VV_EXIT_FAILED;
    if (code != VV_CLI_GO) {
        vvWorldDestroy(world);
        return code;
    }
    v->look.positions = v->drawn.positions, v->look.field = v->drawn.field;
    return start(v, world, v->o.paused, &error) == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}

/* ---- a run ---- */

/* With the options' settings, which are those of what goes on from the run. */
static int read_scene_of_run(vv_viewer *v, const vvRun *run)
{
    vvError error = { 0 };
    if (!vvRunSceneText(run)[0])
        return v->o.sets.count > 0 ? vv_cli_wrong("--set: %s holds no scene, so it cannot be continued", v->o.scene)
                                   : VV_CLI_GO;
    return vvSceneParse(vvRunSceneText(run), v->o.scene, ".", v->o.sets.values, v->o.sets.count, &v->scene, &error) ==
                   VV_OK
               ? VV_CLI_GO
               : vv_cli_error(&error);
}

static int begin_run(vv_viewer *v)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    const vvField *field = field_of(v);
    int code = vvRunOpen(v->o.scene, &run, &error) == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
    if (code == VV_CLI_GO && !(v->player = calloc(1, sizeof *v->player)))
        code = vv_cli_wrong("no memory for playing a run");
    if (code == VV_CLI_GO)
        code = vv_player_open(v->player, run, v->o.scene, v->o.paused);
    if (code == VV_CLI_GO)
        code = read_scene_of_run(v, run);
    if (code != VV_CLI_GO) {
        vvRunFree(run);
        return code;
    }
    code = vv_live_scene_open_run(&v->drawn, run);
    if (code == VV_CLI_GO && !vv_live_scene_colour_run(&v->drawn, field, v->o.colourMax))
        code = VV_EXIT_FAILED;
    const char *name = vvRunSceneName(run);
    if (code == VV_CLI_GO && !(v->window = vv_window_open(name[0] ? name : v->o.scene, v->o.width, v->o.height)))
        code = VV_EXIT_FAILED;
    v->look.positions = v->drawn.positions, v->look.field = v->drawn.field;
    return code;
}

int vv_view_begin(vv_viewer *v) { return vv_cli_is_run_file(v->o.scene) ? begin_run(v) : begin_scene(v); }

/* ---- what goes on from a run ---- */

static vvStatus make_branch(vv_viewer *v, vvError *error)
{
    vvWorld *world = NULL;
    vvStatus status = vvSceneCreateWorld(v->scene, threads_of(v), &world, error);
    if (status == VV_OK)
        status = vvRunLoadFrame(v->drawn.run, v->player->frame, world, error);
    if (status == VV_OK)
        status = vvWorldBake(world, error);
    if (status != VV_OK) {
        vvWorldDestroy(world);
        return status;
    }
    vv_live_scene_take_live(&v->drawn, true);
    return start(v, world, v->player->paused, error);
}

void vv_view_branch(vv_viewer *v)
{
    vvError error = { 0 };
    vv_player *p = v->player;
    p->note[0] = 0;
    if (!v->scene)
        snprintf(p->note, sizeof p->note, "the run holds no scene, so it cannot be continued");
    else if (make_branch(v, &error) != VV_OK) {
        vv_live_scene_take_live(&v->drawn, false);
        snprintf(p->note, sizeof p->note, "cannot continue from here: %.1000s", error.message);
    }
    p->version++;
}

vvStatus vv_view_end_branch(vv_viewer *v, vvError *error)
{
    if (!v->live)
        return VV_OK;
    const vvStatus status = vv_live_stop(v->live, error);
    v->live = NULL;
    if (v->player) {
        vv_live_scene_take_live(&v->drawn, false);
        v->player->note[0] = 0;
        v->player->paused = true;
        vv_player_go(v->player, v->player->frame);
    }
    return status;
}
#endif
