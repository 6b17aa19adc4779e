/* visviva view: a window in which a scene runs live. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "view/live.h"
#include "view/options.h"
#include "view/orbit.h"
#include "view/panel.h"
#include "view/scene.h"
#include "view/window.h"

static const double FRAME = 1.0 / 60; /* s: no more pictures than that */
static const double SLOW = 1.0 / 45;  /* s: pictures that take longer are not rounded while something moves */
enum { PATIENCE = 20 };               /* so many of them */
/* degrees a pixel; of the distance, a notch of the wheel; degrees */
static const double TURN = 0.4, NOTCH = 0.88, KEY_TURN = 5;

typedef struct view {
    vv_view_options o;
    vvScene *scene;
    vv_live *live;
    vv_live_look look;
    vv_live_scene drawn;
    vv_window *window;
    vv_painter *painter;
    vv_image image;
    vv_orbit orbit;
    vv_panel panel;
    bool pressed, quit, shoot, wire;
    bool said; /* something that the last picture does not show yet */
    int grab;  /* the number of the last one */
    int slow;  /* slow pictures less fast ones; at PATIENCE it stays */
    int width, height;
    double used; /* s: of processors, while the window was open */
} view;

static double used(void) /* s: of processors, by all threads of the program */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double aspect(const view *v) { return (double)v->width / v->height; }

/* All that there is, in what the ledger leaves of the window. */
static void home(view *v)
{
    int width, height;
    vv_window_size(v->window, &width, &height);
    const double covered = (double)vv_panel_strip(&v->panel, height) / height;
    vv_live_scene_home(&v->drawn, &v->orbit);
    vv_orbit_zoom(&v->orbit, 1 / (1 - covered));
    vv_orbit_pan(&v->orbit, 0, -0.5 * covered);
}

/* ---- files ---- */

/* The scene's name as part of a file's. */
static void stem_of(const view *v, const char *what, char stem[VV_LIVE_PATH])
{
    snprintf(stem, VV_LIVE_PATH, "%.200s-%s", vvSceneName(v->scene), what);
    for (char *c = stem; *c; c++)
        if (*c == ' ' || *c == '/')
            *c = '-';
}

static void record(view *v)
{
    char stem[VV_LIVE_PATH];
    stem_of(v, "live", stem);
    vv_live_record(v->live, stem);
}

static void save_picture(view *v)
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

static void press_key(view *v, const vv_event *e)
{
    int by;
    const vv_key_row *row = vv_key_find(e->key, e->shift, &by);
    if (!row || (e->again && !row->repeats))
        return;
    v->panel.note[0] = 0;
    switch (row->act) {
    case VV_ACT_PAUSE: vv_live_pause(v->live); break;
    case VV_ACT_SINGLE: vv_live_single(v->live); break;
    case VV_ACT_RESTART: vv_live_restart(v->live); break;
    case VV_ACT_SCHEME: vv_live_choose(v->live, VV_LIVE_SCHEME, by); break;
    case VV_ACT_POLICY: vv_live_choose(v->live, VV_LIVE_POLICY, by); break;
    case VV_ACT_SOLVER: vv_live_choose(v->live, VV_LIVE_SOLVER, by); break;
    case VV_ACT_STEP: vv_live_scale_step(v->live, by > 0 ? 2 : 0.5); break;
    case VV_ACT_BUDGET: vv_live_scale_budget(v->live, by > 0 ? 2 : 0.5); break;
    case VV_ACT_PICTURE: v->shoot = true; break;
    case VV_ACT_RECORD: record(v); break;
    case VV_ACT_LEDGER: v->panel.ledger = !v->panel.ledger; break;
    case VV_ACT_MESH: v->wire = !v->wire; break;
    case VV_ACT_HOME: home(v); break;
    case VV_ACT_TURN: vv_orbit_turn(&v->orbit, KEY_TURN * by, 0); break;
    case VV_ACT_TILT: vv_orbit_turn(&v->orbit, 0, KEY_TURN * by); break;
    case VV_ACT_HELP: v->panel.help = !v->panel.help; break;
    case VV_ACT_QUIT: v->quit = true; break;
    case VV_ACT_NONE: break;
    }
}

static void press_button(view *v, const vv_event *e)
{
    double origin[3], direction[3];
    if (e->button != VV_BUTTON_LEFT || e->shift)
        return;
    v->pressed = true;
    vv_orbit_ray(&v->orbit, aspect(v), e->x / v->width, e->y / v->height, origin, direction);
    v->grab = vv_live_grab(v->live, origin, direction);
}

static void release_button(view *v, const vv_event *e)
{
    if (e->button != VV_BUTTON_LEFT || !v->pressed)
        return;
    v->pressed = false;
    vv_live_release(v->live);
}

static void move_mouse(view *v, const vv_event *e)
{
    double origin[3], direction[3];
    vv_camera c;
    if (v->pressed && v->look.missed != v->grab) { /* or it is not known yet */
        vv_orbit_ray(&v->orbit, aspect(v), e->x / v->width, e->y / v->height, origin, direction);
        vv_orbit_camera(&v->orbit, aspect(v), &c);
        vv_live_move(v->live, origin, direction, c.back);
    } else if (v->pressed || e->button == VV_BUTTON_RIGHT)
        vv_orbit_turn(&v->orbit, -TURN * e->dx, TURN * e->dy);
    else if (e->button == VV_BUTTON_MIDDLE || (e->button == VV_BUTTON_LEFT && e->shift))
        vv_orbit_pan(&v->orbit, -e->dx / v->height, e->dy / v->height);
}

static void handle(view *v, const vv_event *e)
{
    switch (e->kind) {
    case VV_EVENT_CLOSE: v->quit = true; break;
    case VV_EVENT_KEY: press_key(v, e); break;
    case VV_EVENT_WHEEL: vv_orbit_zoom(&v->orbit, pow(NOTCH, e->dy)); break;
    case VV_EVENT_PRESS: press_button(v, e); break;
    case VV_EVENT_RELEASE: release_button(v, e); break;
    case VV_EVENT_MOTION: move_mouse(v, e); break;
    default: break;
    }
}

/* ---- a picture ---- */

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

static bool draw(view *v)
{
    vv_camera camera;
    const bool coarse = v->slow == PATIENCE && (v->look.moving || !v->look.paused);
    vv_orbit_camera(&v->orbit, aspect(v), &camera);
    int bar[4];
    vv_stage_see(&v->drawn.stage, &camera, v->height);
    if (!vv_live_scene_show(&v->drawn, v->look.shown, coarse) ||
        !vv_painter_paint(v->painter, &v->drawn.stage, &camera, v->wire, &v->image))
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
static bool draw_if_needed(view *v, bool touched)
{
    const double begin = vv_cli_seconds();
    const unsigned version = v->look.version;
    const bool moved = v->look.moving; /* the last picture showed it along its path */
    vv_live_see(v->live, &v->look);
    if (!touched && !moved && !v->look.moving && v->look.paused && v->look.version == version && v->painter) {
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

static int loop(view *v)
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

/* ---- the end ---- */

typedef struct figures {
    /* NaN: there is none */
    double pictures_per_second, picture_ms, picture_cpu_ms, step_ms, step_cpu_ms, iterations, pace;
} figures;

/* What is not the steps' is the pictures': exact where the world has one thread. */
static figures measure(const view *v)
{
    const vv_panel *p = &v->panel;
    const vv_live_cost *c = &v->look.cost;
    return (figures){ p->clock > 0 ? p->intervals / p->clock : NAN,
                      p->pictures > 0 ? 1e3 * p->drawing / p->pictures : NAN,
                      p->pictures > 0 ? 1e3 * (v->used - c->used) / p->pictures : NAN,
                      c->steps > 0 ? 1e3 * c->seconds / (double)c->steps : NAN,
                      c->steps > 0 ? 1e3 * c->used / (double)c->steps : NAN,
                      c->steps > 0 ? (double)c->iterations / (double)c->steps : NAN,
                      c->clock > 0 ? c->world / c->clock : NAN };
}

/* `digits` after the point; "-": there is none. */
static const char *text_of(double value, int digits, char out[VV_TEXT])
{
    if (isfinite(value))
        snprintf(out, VV_TEXT, "%.*f", digits, value);
    else
        snprintf(out, VV_TEXT, "-");
    return out;
}

static void print_stats(const view *v)
{
    const figures f = measure(v);
    const vv_live_cost *c = &v->look.cost;
    char a[VV_TEXT], b[VV_TEXT], d[VV_TEXT];
    printf(
        "pictures   %d of %dx%d, %s a second; %s ms each, %s ms of processors; %.0f ms from one to the next at most\n",
        v->panel.pictures, v->width, v->height, text_of(f.pictures_per_second, 1, a), text_of(f.picture_ms, 1, b),
        text_of(f.picture_cpu_ms, 1, d), 1e3 * v->panel.longest);
    printf("steps      %lld of %.4g ms, %s iterations each; %s ms each, %s ms of processors; %.1f ms at most\n",
           (long long)c->steps, 1e3 * v->look.step, text_of(f.iterations, 2, d), text_of(f.step_ms, 2, a),
           text_of(f.step_cpu_ms, 2, b), 1e3 * c->worst);
    printf("pace       %s s of the world in a second\n", text_of(f.pace, 3, a));
    printf("world      %d nodes; %s + %s, %s\n", vvRunNodeCount(v->drawn.run), v->look.choice[VV_LIVE_SCHEME],
           v->look.choice[VV_LIVE_POLICY], v->look.choice[VV_LIVE_SOLVER]);
    printf("drawn by   %s\n", v->painter ? vv_painter_device(v->painter) : "nothing");
}

static json_t *summarise(const view *v)
{
    const vv_live_look *look = &v->look;
    const vv_live_row *last = look->rows > 0 ? look->row + look->rows - 1 : NULL;
    const figures f = measure(v);
    json_t *object = json_object();
    json_object_set_new(object, "nodes", json_integer(vvRunNodeCount(v->drawn.run)));
    json_object_set_new(object, "pictures", json_integer(v->panel.pictures));
    json_object_set_new(object, "pictures_per_second", vv_json_number(f.pictures_per_second));
    json_object_set_new(object, "picture_ms", vv_json_number(f.picture_ms));
    json_object_set_new(object, "picture_cpu_ms", vv_json_number(f.picture_cpu_ms));
    json_object_set_new(object, "longest_wait_ms", vv_json_number(1e3 * v->panel.longest));
    json_object_set_new(object, "steps", json_integer(look->cost.steps));
    json_object_set_new(object, "step_ms", vv_json_number(f.step_ms));
    json_object_set_new(object, "step_cpu_ms", vv_json_number(f.step_cpu_ms));
    json_object_set_new(object, "longest_step_ms", vv_json_number(1e3 * look->cost.worst));
    json_object_set_new(object, "iterations_per_step", vv_json_number(f.iterations));
    json_object_set_new(object, "pace", vv_json_number(f.pace));
    json_object_set_new(object, "time_end", vv_json_number(look->time));
    json_object_set_new(object, "scheme", json_string(look->choice[VV_LIVE_SCHEME]));
    json_object_set_new(object, "policy", json_string(look->choice[VV_LIVE_POLICY]));
    json_object_set_new(object, "solver", json_string(look->choice[VV_LIVE_SOLVER]));
    json_object_set_new(object, "budget", json_integer(look->budget));
    json_object_set_new(object, "time_step", vv_json_number(look->step));
    json_object_set_new(object, "paused", json_boolean(look->paused));
    json_object_set_new(object, "work", vv_json_number(last ? last->work : NAN));
    json_object_set_new(object, "hand_work", vv_json_number(look->hand_work));
    json_object_set_new(object, "message", json_string(look->message));
    if (v->o.colour) {
        json_object_set_new(object, "color", json_string(v->o.colour));
        json_object_set_new(object, "color_max", vv_json_number(v->drawn.stage.fieldMax));
    }
    return object;
}

static int report(view *v, int code)
{
    vv_live_see(v->live, &v->look);
    if (v->o.stats)
        print_stats(v);
    if (!v->o.summary)
        return code;
    json_t *object = vv_cli_make_folders(v->o.summary) ? summarise(v) : NULL;
    const bool good = object && json_dump_file(object, v->o.summary, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(object);
    if (good)
        return code;
    vv_cli_wrong("cannot write the summary, %s", v->o.summary);
    return VV_EXIT_FAILED;
}

/* ---- the command ---- */

static int begin(view *v)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    const vvField *field = v->o.colour ? vv_cli_field(v->o.colour) : NULL;
    const int threads = v->o.threads > 0 ? v->o.threads : vv_cli_cores() - 1;
    vvStatus status = vvSceneLoad(v->o.scene, v->o.sets.values, v->o.sets.count, &v->scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(v->scene, threads > 0 ? threads : 1, &world, &error);
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
    home(v);
    v->look.positions = v->drawn.positions, v->look.field = v->drawn.field;
    v->live = vv_live_start(world, v->scene, &(vv_live_field){ field, v->drawn.run }, v->o.paused, &error);
    return v->live ? VV_CLI_GO : vv_cli_error(&error);
}

int vv_cli_view(int argc, char **argv)
{
    view *v = calloc(1, sizeof *v);
    if (!v) {
        vv_cli_wrong("no memory for a window");
        return VV_EXIT_FAILED;
    }
    vvError error = { 0 };
    int code = vv_view_read_options(&v->o, argc, argv);
    v->panel.ledger = true;
    vv_cli_catch_interrupt();
    if (code == VV_CLI_GO)
        code = begin(v);
    if (code == VV_CLI_GO) {
        code = loop(v);
        code = report(v, code);
    }
    if (vv_live_stop(v->live, &error) != VV_OK) { /* of a recording; the message names the file */
        (void)vv_cli_error(&error);
        code = VV_EXIT_FAILED;
    }
    vv_painter_destroy(v->painter);
    vv_image_destroy(&v->image);
    vv_window_close(v->window);
    vv_live_scene_close(&v->drawn);
    vvSceneDestroy(v->scene);
    free(v);
    return code;
}
#endif
