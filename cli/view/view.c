/* visviva view: a window in which a scene runs live, or a run is played. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "view/view.h"

static const double FRAME = 1.0 / 60; /* s: no more pictures than that */
static const double SLOW = 1.0 / 45;  /* s: pictures that take longer are not rounded while something moves */
enum { PATIENCE = 20 };               /* so many of them */
/* degrees a pixel; of the distance, a notch of the wheel; degrees */
static const double TURN = 0.4, NOTCH = 0.88, KEY_TURN = 5;

static double used(void) /* s: of processors, by all threads of the program */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double aspect(const vv_viewer *v) { return (double)v->width / v->height; }

void vv_view_see(vv_viewer *v)
{
    if (v->live)
        vv_live_see(v->live, &v->look);
    else
        vv_player_see(v->player, &v->look);
}

/* ---- where from ---- */

/* All that there is, in what the ledger leaves of the window. */
static void aim(const vv_viewer *v, vv_orbit *orbit)
{
    int width, height;
    vv_window_size(v->window, &width, &height);
    const double covered = (double)vv_panel_strip(&v->panel, height) / height;
    vv_live_scene_home(&v->drawn, orbit);
    orbit->azimuth = v->orbit.azimuth, orbit->elevation = v->orbit.elevation;
    vv_orbit_zoom(orbit, 1 / (1 - covered));
    vv_orbit_pan(orbit, 0, -0.5 * covered);
}

static void home(vv_viewer *v)
{
    vv_live_scene_home(&v->drawn, &v->orbit);
    aim(v, &v->orbit);
    v->follows = true;
}

/* Once the bodies of the last picture are small, cut off or far from the middle, the view goes to them; not while the
 * hand holds one, which would run away from under the mouse. */
static void follow(vv_viewer *v, double time)
{
    vv_orbit to;
    const double seconds = v->aimed > 0 ? time - v->aimed : 0;
    v->aimed = time;
    if (!v->follows || v->pressed || !v->drawn.stage.anything) {
        v->chases = false;
        return;
    }
    aim(v, &to);
    v->chases = (v->chases || vv_orbit_lags(&v->orbit, &to)) && vv_orbit_chase(&v->orbit, &to, seconds);
}

/* ---- files ---- */

/* The scene's name as part of a file's. */
static void stem_of(const vv_viewer *v, const char *what, char stem[VV_LIVE_PATH])
{
    const char *name = vvRunSceneName(v->drawn.run);
    snprintf(stem, VV_LIVE_PATH, "%.200s-%s", name[0] ? name : "run", what);
    for (char *c = stem; *c; c++)
        if (*c == ' ' || *c == '/')
            *c = '-';
}

static void record(vv_viewer *v)
{
    char stem[VV_LIVE_PATH];
    stem_of(v, "live", stem);
    vv_live_record(v->live, stem);
}

static void save_picture(vv_viewer *v)
{
    vv_image shot;
    char stem[VV_LIVE_PATH], path[VV_LIVE_PATH];
    v->shoot = false;
    v->said = true;
    stem_of(v, "view", stem);
    vv_live_free_path(stem, ".png", path);
    if (!vv_window_grab(v->window, &shot)) {
        snprintf(v->panel.note, sizeof v->panel.note, "no picture of the window could be taken");
        return;
    }
    const bool good = vv_image_write(&shot, path);
    snprintf(v->panel.note, sizeof v->panel.note, "%s %.380s", good ? "saved" : "cannot write", path);
    vv_image_destroy(&shot);
}

/* ---- what the user does ---- */

/* What is of the window alone. */
static bool act_on_view(vv_viewer *v, vv_act act, int by)
{
    switch (act) {
    case VV_ACT_PICTURE: v->shoot = true; return true;
    case VV_ACT_LEDGER: v->panel.ledger = !v->panel.ledger; return true;
    case VV_ACT_MESH: v->wire = !v->wire; return true;
    case VV_ACT_HOME: home(v); return true;
    case VV_ACT_TURN: vv_orbit_turn(&v->orbit, KEY_TURN * by, 0); return true;
    case VV_ACT_TILT: vv_orbit_turn(&v->orbit, 0, KEY_TURN * by); return true;
    case VV_ACT_HELP: v->panel.help = !v->panel.help; return true;
    case VV_ACT_QUIT: v->quit = true; return true;
    default: return false;
    }
}

static void say(vv_viewer *v, const char *note) { snprintf(v->panel.note, sizeof v->panel.note, "%s", note); }

static void go_back_to_run(vv_viewer *v)
{
    vvError error = { 0 };
    if (vv_view_end_branch(v, &error) != VV_OK)
        snprintf(v->panel.note, sizeof v->panel.note, "the recording ended: %.300s", error.message);
}

static void act_on_world(vv_viewer *v, vv_act act, int by)
{
    switch (act) {
    case VV_ACT_PAUSE: vv_live_pause(v->live); break;
    case VV_ACT_RESTART: vv_live_restart(v->live); break;
    case VV_ACT_SCHEME: vv_live_choose(v->live, VV_LIVE_SCHEME, by); break;
    case VV_ACT_POLICY: vv_live_choose(v->live, VV_LIVE_POLICY, by); break;
    case VV_ACT_SOLVER: vv_live_choose(v->live, VV_LIVE_SOLVER, by); break;
    case VV_ACT_STEP: vv_live_scale_step(v->live, by > 0 ? 2 : 0.5); break;
    case VV_ACT_BUDGET: vv_live_scale_budget(v->live, by > 0 ? 2 : 0.5); break;
    case VV_ACT_RECORD: record(v); break;
    case VV_ACT_SINGLE:
        if (by > 0)
            vv_live_single(v->live);
        else
            say(v, "a world that runs live goes forwards alone; r restarts it");
        break;
    case VV_ACT_BRANCH:
        if (v->player)
            go_back_to_run(v);
        else
            say(v, "this world continues from a frame of a run: visviva view RUN");
        break;
    case VV_ACT_JUMP: say(v, "this is for runs: visviva view RUN"); break;
    default: break;
    }
}

static void act_on_run(vv_viewer *v, vv_act act, int by)
{
    vv_player *p = v->player;
    const int tenth = v->look.frames / 10 > 1 ? v->look.frames / 10 : 1;
    switch (act) {
    case VV_ACT_PAUSE: vv_player_pause(p); break;
    case VV_ACT_SINGLE:
        p->paused = true;
        vv_player_go(p, p->frame + by);
        break;
    case VV_ACT_JUMP: vv_player_go(p, p->frame + by * tenth); break;
    case VV_ACT_RESTART: vv_player_go(p, 0); break;
    case VV_ACT_STEP: vv_player_scale_pace(p, by > 0 ? 2 : 0.5); break;
    case VV_ACT_BRANCH: vv_view_branch(v); break;
    default: say(v, "a run is played; g continues live from this frame, with methods of your choice"); break;
    }
}

static void press_key(vv_viewer *v, const vv_event *e)
{
    int by;
    const vv_key_row *row = vv_key_find(e->key, e->shift, &by);
    if (!row || (e->again && !row->repeats))
        return;
    v->panel.note[0] = 0;
    if (act_on_view(v, row->act, by))
        return;
    if (v->live)
        act_on_world(v, row->act, by);
    else
        act_on_run(v, row->act, by);
}

/* The run goes to where the mouse is on its curves. */
static bool scrub(vv_viewer *v, const vv_event *e)
{
    double time;
    if (v->live || !vv_panel_time_at(&v->panel, &v->look, e->x, e->y, v->width, v->height, v->scrubs, &time))
        return false;
    vv_player_go_to(v->player, time);
    return true;
}

static void press_button(vv_viewer *v, const vv_event *e)
{
    double origin[3], direction[3];
    if (e->button != VV_BUTTON_LEFT || e->shift)
        return;
    v->scrubs = scrub(v, e);
    if (v->scrubs || !v->live) {
        v->pressed = true;
        v->grab = v->look.missed; /* nothing is held: the mouse turns the view */
        return;
    }
    v->pressed = true;
    vv_orbit_ray(&v->orbit, aspect(v), e->x / v->width, e->y / v->height, origin, direction);
    v->grab = vv_live_grab(v->live, origin, direction);
}

static void release_button(vv_viewer *v, const vv_event *e)
{
    if (e->button != VV_BUTTON_LEFT || !v->pressed)
        return;
    v->pressed = v->scrubs = false;
    if (v->live)
        vv_live_release(v->live);
}

static void move_mouse(vv_viewer *v, const vv_event *e)
{
    double origin[3], direction[3];
    vv_camera c;
    if (v->scrubs)
        (void)scrub(v, e);
    else if (v->pressed && v->live && v->look.missed != v->grab) { /* or it is not known yet */
        vv_orbit_ray(&v->orbit, aspect(v), e->x / v->width, e->y / v->height, origin, direction);
        vv_orbit_camera(&v->orbit, aspect(v), &c);
        vv_live_move(v->live, origin, direction, c.back);
    } else if (v->pressed || e->button == VV_BUTTON_RIGHT)
        vv_orbit_turn(&v->orbit, -TURN * e->dx, TURN * e->dy);
    else if (e->button == VV_BUTTON_MIDDLE || (e->button == VV_BUTTON_LEFT && e->shift)) {
        vv_orbit_pan(&v->orbit, -e->dx / v->height, e->dy / v->height);
        v->follows = false;
    }
}

static void handle(vv_viewer *v, const vv_event *e)
{
    switch (e->kind) {
    case VV_EVENT_CLOSE: v->quit = true; break;
    case VV_EVENT_KEY: press_key(v, e); break;
    case VV_EVENT_WHEEL:
        vv_orbit_zoom(&v->orbit, pow(NOTCH, e->dy));
        v->follows = false;
        break;
    case VV_EVENT_PRESS: press_button(v, e); break;
    case VV_EVENT_RELEASE: release_button(v, e); break;
    case VV_EVENT_MOTION: move_mouse(v, e); break;
    default: break;
    }
}

/* ---- a picture ---- */

static bool resize(vv_viewer *v)
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

static bool draw(vv_viewer *v)
{
    vv_camera camera;
    const bool coarse = v->slow == PATIENCE && (v->look.moving || !v->look.paused);
    vv_orbit_camera(&v->orbit, aspect(v), &camera);
    int bar[4];
    vv_stage_see(&v->drawn.stage, &camera, v->height);
    const bool shown = v->live ? vv_live_scene_show(&v->drawn, v->look.shown, coarse)
                               : vv_live_scene_show_frame(&v->drawn, v->look.frame, coarse);
    if (!shown || !vv_painter_paint(v->painter, &v->drawn.stage, &camera, v->wire, &v->image))
        return false;
    v->panel.legend = vv_legend_of(v->drawn.stage.colouring, v->drawn.stage.fieldMax);
    if (vv_panel_bar(&v->panel, v->window, v->height, bar))
        vv_legend_bar(&v->image, bar[0], bar[1], bar[2], bar[3]);
    if (!vv_window_show(v->window, &v->image))
        return false;
    vv_panel_draw(&v->panel, v->window, &v->look, &camera, v->width, v->height);
    if (v->shoot)
        save_picture(v);
    vv_window_present(v->window);
    return true;
}

/* Draws, unless nothing has changed since the last picture. */
static bool draw_if_needed(vv_viewer *v, bool touched)
{
    const double begin = vv_cli_seconds();
    const unsigned version = v->look.version;
    const bool moved = v->look.moving, still = v->look.paused || !v->live; /* moving: along its path */
    vv_view_see(v);
    follow(v, begin);
    if (!touched && !moved && !v->look.moving && !v->chases && still && v->look.version == version && v->painter) {
        vv_panel_rest(&v->panel);
        return true;
    }
    if (!vv_window_visible(v->window))
        return true;
    if (!resize(v) || !draw(v))
        return false;
    const double end = vv_cli_seconds();
    vv_panel_count(&v->panel, end - begin, end);
    if (v->slow < PATIENCE)
        v->slow = end - begin > SLOW ? v->slow + 1 : v->slow > 0 ? v->slow - 1 : 0;
    return true;
}

static int loop(vv_viewer *v)
{
    const double begin = vv_cli_seconds(), before = used();
    vv_cli_phase(NULL); /* it shows what it does */
    double next = begin;
    while (!v->quit && !vv_cli_interrupted() && (v->o.seconds <= 0 || vv_cli_seconds() < begin + v->o.seconds)) {
        vv_event e;
        bool touched = v->said || v->shoot;
        v->said = false;
        while (vv_window_event(v->window, &e)) {
            handle(v, &e);
            touched = true;
        }
        if (!draw_if_needed(v, touched))
            return VV_EXIT_FAILED;
        const double end = vv_cli_seconds(), wait = next + FRAME - end;
        next = wait > 0 ? next + FRAME : end;
        if (wait > 0)
            nanosleep(&(struct timespec){ 0, (long)(1e9 * wait) }, NULL);
    }
    v->used = used() - before;
    return vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : VV_EXIT_OK;
}

int vv_cli_view(int argc, char **argv)
{
    vv_viewer *v = calloc(1, sizeof *v);
    if (!v) {
        vv_cli_wrong("no memory for a window");
        return VV_EXIT_FAILED;
    }
    vvError error = { 0 };
    int code = vv_view_read_options(&v->o, argc, argv);
    v->panel.ledger = true;
    vv_cli_catch_interrupt();
    if (code == VV_CLI_GO)
        code = vv_view_begin(v);
    if (code == VV_CLI_GO) {
        home(v);
        code = loop(v);
        code = vv_view_report(v, code);
    }
    if (vv_view_end_branch(v, &error) != VV_OK) { /* of a recording; the message names the file */
        (void)vv_cli_error(&error);
        code = VV_EXIT_FAILED;
    }
    vv_painter_destroy(v->painter);
    vv_image_destroy(&v->image);
    vv_window_close(v->window);
    vv_live_scene_close(&v->drawn);
    free(v->player);
    vvSceneDestroy(v->scene);
    free(v);
    return code;
}
#endif
