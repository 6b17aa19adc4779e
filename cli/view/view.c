/* visviva view: a window in which a scene runs live. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include "json.h"
#include "view/live.h"
#include "view/orbit.h"
#include "view/panel.h"
#include "view/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double FRAME = 1.0 / 60; /* s: no more pictures than that */
static const double NEAR = 6; /* sizes of the bodies: a ground that is nearer belongs into the picture */
static const double TURN = 0.4, NOTCH = 0.88; /* degrees a pixel; of the distance, a notch of the wheel */

typedef struct view_options {
    const char *scene, *size, *summary;
    char found[VV_SCENE_ROOM];
    vv_option_list sets;
    int threads, frames;
    bool paused;
} view_options;

typedef struct view {
    view_options o;
    vvScene *scene;
    vv_live *live;
    vv_live_look look;
    vv_window *window;
    vvRun *run;           /* of one frame: what there is to draw */
    char path[64];        /* its file */
    vv_render_stage stage;
    vv_painter *painter;
    vv_image image;
    vv_orbit orbit;
    vv_panel panel;
    bool dragging, quit, shoot;
    int shots, recordings, width, height;
} view;

/* ---- what there is to draw ---- */

/* The box of the bodies and of what they stand above or fall onto. */
static void look_at_all(view *v)
{
    double low[3], high[3], height = 0, size = 0;
    const vv_render_stage *s = &v->stage;
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
    vv_orbit_begin(&v->orbit, s->up, low, high);
}

/* The stage knows bodies by a run file: one of a single frame stands for the world. */
static int open_stage(view *v, vvWorld *world)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    snprintf(v->path, sizeof v->path, "/tmp/visviva-view-%ld.vtkhdf", (long)getpid());
    vvStatus status = vvRunCreate(v->path, world, vvSceneName(v->scene), vvSceneText(v->scene), &writer, &error);
    if (status == VV_OK)
        status = vvRunClose(writer, "done", &error);
    if (status == VV_OK)
        status = vvRunOpen(v->path, &v->run, &error);
    if (status != VV_OK)
        return vv_cli_error(&error);
    if (!vv_stage_open(&v->stage, v->run))
        return VV_EXIT_FAILED;
    v->look.positions = calloc(3 * (size_t)vvRunVertexCount(v->run) + 1, sizeof(double));
    if (!v->look.positions)
        return vv_cli_wrong("no memory for drawing %d vertices", vvRunVertexCount(v->run));
    const double origin[3] = { 0, 0, 0 };
    vv_stage_set_origin(&v->stage, origin);
    if (!vv_stage_set_frame(&v->stage, 0))
        return VV_EXIT_FAILED;
    look_at_all(v);
    return VV_CLI_GO;
}

static void forget_stage(view *v)
{
    char side[80];
    vv_stage_close(&v->stage);
    vvRunFree(v->run);
    free(v->look.positions);
    snprintf(side, sizeof side, "%.*s.xdmf", (int)strlen(v->path) - 7, v->path);
    if (v->path[0]) {
        remove(v->path);
        remove(side);
    }
}

static bool resize(view *v)
{
    int width, height;
    vv_window_size(v->window, &width, &height);
    if (v->painter && width == v->width && height == v->height)
        return true;
    vv_painter_destroy(v->painter);
    vv_image_destroy(&v->image);
    v->width = width, v->height = height;
    v->painter = vv_painter_create(width, height, 0);
    return v->painter && vv_image_create(&v->image, width, height);
}

/* ---- what the user does ---- */

static double aspect(const view *v) { return (double)v->width / v->height; }

static void point(view *v, const vv_event *e, bool begins)
{
    double origin[3], direction[3];
    vv_camera c;
    vv_orbit_ray(&v->orbit, aspect(v), e->x / v->width, e->y / v->height, origin, direction);
    vv_orbit_camera(&v->orbit, aspect(v), &c);
    if (begins)
        vv_live_grab(v->live, origin, direction);
    else
        vv_live_move(v->live, origin, direction, c.back);
}

/* The scene's name as part of a file's. */
static void name_file(const view *v, const char *what, int number, const char *ending, char path[300])
{
    snprintf(path, 300, "%.200s-%s-%d%s", vvSceneName(v->scene), what, number, ending);
    for (char *c = path; *c; c++)
        if (*c == ' ' || *c == '/')
            *c = '-';
}

static void record(view *v)
{
    char path[300];
    if (v->look.recording[0]) {
        vv_live_record(v->live, NULL);
        return;
    }
    name_file(v, "live", ++v->recordings, ".vtkhdf", path);
    vv_live_record(v->live, path);
}

static void press_key(view *v, const vv_event *e)
{
    const int by = e->shift ? -1 : 1;
    switch (e->key) {
    case ' ': vv_live_pause(v->live, !v->look.paused); break;
    case '.': vv_live_single(v->live); break;
    case 'r': vv_live_restart(v->live); break;
    case 's': vv_live_choose(v->live, VV_LIVE_SCHEME, by); break;
    case 'p': vv_live_choose(v->live, VV_LIVE_POLICY, by); break;
    case 'o': vv_live_choose(v->live, VV_LIVE_SOLVER, by); break;
    case '+': case '=': vv_live_scale_step(v->live, 2); break;
    case '-': vv_live_scale_step(v->live, 0.5); break;
    case 'h': v->panel.help = !v->panel.help; break;
    case 'l': v->panel.ledger = !v->panel.ledger; break;
    case 'c': v->shoot = true; break;
    case 'v': record(v); break;
    case 'f': look_at_all(v); break;
    case 'w': v->stage.coarse = !v->stage.coarse; break;
    case VV_KEY_LEFT: vv_orbit_turn(&v->orbit, -5, 0); break;
    case VV_KEY_RIGHT: vv_orbit_turn(&v->orbit, 5, 0); break;
    case VV_KEY_UP: vv_orbit_turn(&v->orbit, 0, 5); break;
    case VV_KEY_DOWN: vv_orbit_turn(&v->orbit, 0, -5); break;
    case VV_KEY_ESCAPE: case 'q': v->quit = true; break;
    default: break;
    }
}

static void handle(view *v, const vv_event *e)
{
    switch (e->kind) {
    case VV_EVENT_CLOSE: v->quit = true; break;
    case VV_EVENT_KEY: press_key(v, e); break;
    case VV_EVENT_WHEEL: vv_orbit_zoom(&v->orbit, pow(NOTCH, e->dy)); break;
    case VV_EVENT_PRESS:
        if (e->button == VV_BUTTON_LEFT && !e->shift) {
            v->dragging = true;
            point(v, e, true);
        }
        break;
    case VV_EVENT_RELEASE:
        if (e->button == VV_BUTTON_LEFT && v->dragging) {
            v->dragging = false;
            vv_live_release(v->live);
        }
        break;
    case VV_EVENT_MOTION:
        if (v->dragging)
            point(v, e, false);
        else if (e->button == VV_BUTTON_MIDDLE || (e->button == VV_BUTTON_LEFT && e->shift))
            vv_orbit_pan(&v->orbit, -e->dx / v->height, e->dy / v->height);
        else if (e->button == VV_BUTTON_RIGHT)
            vv_orbit_turn(&v->orbit, -TURN * e->dx, TURN * e->dy);
        break;
    default: break;
    }
}

/* ---- a frame ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool save(view *v)
{
    vv_image shot;
    char path[300];
    v->shoot = false;
    if (!vv_window_grab(v->window, &shot))
        return false;
    name_file(v, "view", ++v->shots, ".png", path);
    const bool good = vv_image_write(&shot, path);
    if (good)
        snprintf(v->panel.note, sizeof v->panel.note, "saved %.280s", path);
    vv_image_destroy(&shot);
    return good;
}

static bool draw(view *v)
{
    vv_camera camera;
    vv_live_see(v->live, &v->look);
    vvRunCarry(v->run, 3, v->look.positions);
    if (!resize(v) || !vv_stage_show(&v->stage, v->look.positions, NULL, v->look.time))
        return false;
    vv_orbit_camera(&v->orbit, aspect(v), &camera);
    if (!vv_painter_paint(v->painter, &v->stage, &camera, v->stage.coarse, &v->image))
        return false;
    vv_window_show(v->window, &v->image);
    vv_panel_draw(&v->panel, v->window, &v->look, &camera, v->width, v->height);
    const bool good = !v->shoot || save(v);
    vv_window_present(v->window);
    return good;
}

static int loop(view *v)
{
    double next = now();
    for (int frames = 0; !v->quit && !vv_cli_interrupted() && (v->o.frames == 0 || frames < v->o.frames); frames++) {
        vv_event e;
        const double begin = now();
        while (vv_window_event(v->window, &e))
            handle(v, &e);
        if (!draw(v))
            return VV_EXIT_FAILED;
        const double end = now(), wait = next + FRAME - end;
        vv_panel_count(&v->panel, end - begin, end);
        next = wait > 0 ? next + FRAME : end;
        if (wait > 0)
            nanosleep(&(struct timespec){ 0, (long)(1e9 * wait) }, NULL);
    }
    return vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : VV_EXIT_OK;
}

/* ---- the end ---- */

static int summarise(const view *v, int code)
{
    const vv_live_look *look = &v->look;
    const vv_live_row *last = look->rows > 0 ? look->row + look->rows - 1 : NULL;
    const double drawn = v->panel.last - v->panel.first;
    json_t *object = json_object();
    json_object_set_new(object, "pictures", json_integer(v->panel.pictures));
    json_object_set_new(object, "pictures_per_second", vv_json_number(drawn > 0 ? (v->panel.pictures - 1) / drawn : 0));
    json_object_set_new(object, "longest_wait", vv_json_number(v->panel.longest));
    json_object_set_new(object, "steps", json_integer(look->steps));
    json_object_set_new(object, "time_end", vv_json_number(look->time));
    json_object_set_new(object, "scheme", json_string(look->choice[VV_LIVE_SCHEME]));
    json_object_set_new(object, "policy", json_string(look->choice[VV_LIVE_POLICY]));
    json_object_set_new(object, "solver", json_string(look->choice[VV_LIVE_SOLVER]));
    json_object_set_new(object, "time_step", vv_json_number(look->step));
    json_object_set_new(object, "paused", json_boolean(look->paused));
    json_object_set_new(object, "work", vv_json_number(last ? last->work : 0));
    json_object_set_new(object, "hand_work", vv_json_number(look->hand_work));
    json_object_set_new(object, "message", json_string(look->message));
    const int failed = json_dump_file(object, v->o.summary, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(object);
    return failed ? vv_cli_wrong("cannot write %s", v->o.summary) : code;
}

/* ---- the command ---- */

static int read_options(view_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--size", 's', VV_OPTION_TEXT, &o->size, "WxH", "pixels; default: 1000x700", 0, 0 },
        { "--paused", 0, VV_OPTION_FLAG, &o->paused, NULL, "waits for the space bar", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &o->threads, "N", "of the world; 0: all cores but one, which draws", 0, 1024 },
        { "--frames", 0, VV_OPTION_INTEGER, &o->frames, "N", "ends after so many pictures; 0: when the window is closed", 0, 1000000000 },
        { "--summary", 0, VV_OPTION_TEXT, &o->summary, "FILE", "at the end: what was drawn, and what the hand did, as JSON", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE [options]",
        .summary = "Runs a scene live in a window. SCENE is a scene file, or the name of one that comes with visviva.\n"
                   "Mouse: left drags what it meets, right turns the view, middle (or shift and left) shifts it, the wheel zooms.\n"
                   "Keys: space pauses, . makes one step, r starts again; s, p, o: next scheme, policy, solver (with shift the one\n"
                   "before); + and - double and halve the step; l ledger, h help, w mesh, f view as at the start, c picture,\n"
                   "v begins and ends a recording, q quits.",
        .examples = "  visviva view critter-drop\n"
                    "  visviva view jelly --set integrator.policy=blend --paused",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    return code == VV_CLI_GO ? vv_cli_want_scene(&o->scene, o->found) : code;
}

static bool read_size(const view_options *o, int *width, int *height)
{
    char rest;
    *width = 1000, *height = 700;
    if (!o->size || (sscanf(o->size, "%dx%d%c", width, height, &rest) == 2 && *width >= 200 && *width <= 8000 && *height >= 150 && *height <= 8000))
        return true;
    vv_cli_wrong("--size is \"%s\"; allowed: WIDTHxHEIGHT, from 200x150 to 8000x8000 pixels", o->size);
    return false;
}

static int begin(view *v)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    int width, height, threads = v->o.threads > 0 ? v->o.threads : (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
    if (!read_size(&v->o, &width, &height))
        return VV_EXIT_WRONG;
    vvStatus status = vvSceneLoad(v->o.scene, v->o.sets.values, v->o.sets.count, &v->scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(v->scene, threads > 0 ? threads : 1, &world, &error);
    if (status == VV_OK)
        status = vvWorldBake(world, &error);
    if (status != VV_OK) {
        vvWorldDestroy(world);
        return vv_cli_error_in(v->o.scene, &error);
    }
    int code = open_stage(v, world);
    if (code == VV_CLI_GO && !(v->window = vv_window_open(vvSceneName(v->scene), width, height)))
        code = VV_EXIT_FAILED;
    if (code != VV_CLI_GO) {
        vvWorldDestroy(world);
        return code;
    }
    v->live = vv_live_start(world, v->scene, &error);
    if (!v->live)
        return vv_cli_error(&error);
    vv_live_pause(v->live, v->o.paused);
    return VV_CLI_GO;
}

int vv_cli_view(int argc, char **argv)
{
    view *v = calloc(1, sizeof *v);
    if (!v)
        return vv_cli_wrong("no memory for a window");
    int code = read_options(&v->o, argc, argv);
    v->panel.ledger = true;
    vv_cli_catch_interrupt();
    if (code == VV_CLI_GO)
        code = begin(v);
    if (code == VV_CLI_GO)
        code = loop(v);
    if (v->live && v->o.summary)
        code = summarise(v, code);
    vv_live_stop(v->live);
    vv_painter_destroy(v->painter);
    vv_image_destroy(&v->image);
    vv_window_close(v->window);
    forget_stage(v);
    vvSceneDestroy(v->scene);
    free(v);
    return code;
}
#endif
