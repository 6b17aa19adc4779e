/* What the window cost, for visviva view --stats and --summary. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <math.h>

#include "json.h"
#include "view/view.h"

typedef struct figures {
    /* NaN: there is none */
    double pictures_per_second, picture_ms, picture_cpu_ms, step_ms, step_cpu_ms, iterations, pace;
} figures;

/* What is not the steps' is the pictures': exact where the world has one thread. */
static figures measure(const vv_viewer *v)
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

static void print_stats(const vv_viewer *v)
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

static json_t *summarise(const vv_viewer *v)
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
    if (v->player) {
        json_object_set_new(object, "frame", json_integer(v->player->frame));
        json_object_set_new(object, "live", json_boolean(v->live));
    }
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

int vv_view_report(vv_viewer *v, int code)
{
    vv_view_see(v);
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
#endif
