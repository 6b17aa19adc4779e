/* visviva new --from-ipc: scripts whose parts slide until something is so far, and then stop or turn back. IPC
 * decides this at the start of each step; so the path is walked here step by step, and becomes waypoints. Parts are
 * taken to get where they are sent. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- walking ---- */

static void add_point(json_t *list, double time, const double shift[3])
{
    json_array_append_new(list, json_pack("{s:o, s:o}", "time", vv_ipc_number(time), "offset", vv_ipc_vector(shift)));
}

void vv_ipc_slide(const vv_ipc *c, vv_ipc_way *w, void (*decide)(vv_ipc_way *w))
{
    enum { MOST_STEPS = 10000000 };
    double last[VV_IPC_MOST_PARTS][3];
    int steps = (int)fmin(ceil(c->duration / c->step - 1e-9), MOST_STEPS);
    json_t *lists[VV_IPC_MOST_PARTS];
    bool turned[VV_IPC_MOST_PARTS] = { false };
    for (int p = 0; p < w->count; p++) {
        lists[p] = json_array();
        add_point(lists[p], 0, w->shift[p]);
    }
    for (int i = 0; i < steps; i++) {
        memcpy(last, w->velocity, sizeof last);
        decide(w);
        for (int p = 0; p < w->count; p++) {
            if (i > 0 && memcmp(last[p], w->velocity[p], sizeof last[p]) != 0) {
                add_point(lists[p], i * c->step, w->shift[p]);
                turned[p] = true;
            }
            if (i == 0)
                memcpy(w->first[p], w->velocity[p], sizeof w->first[p]);
            for (int k = 0; k < 3; k++)
                w->shift[p][k] += w->velocity[p][k] * c->step;
        }
    }
    for (int p = 0; p < w->count; p++) {
        const double *v = w->first[p];
        add_point(lists[p], steps * c->step, w->shift[p]);
        w->motion[p] = turned[p]                             ? json_pack("{s:O}", "waypoints", lists[p])
                       : v[0] != 0 || v[1] != 0 || v[2] != 0 ? json_pack("{s:o}", "velocity", vv_ipc_vector(v))
                                                             : NULL;
        json_decref(lists[p]);
    }
}

/* ---- pairs that press and turn back ---- */

/* data: the gaps of the pairs along x, y, z, and the least that they may have */
typedef struct gaps {
    double gap[3], least;
    bool by_first; /* all turn back when the first pair does */
} gaps;

static void press(vv_ipc_way *w)
{
    const gaps *g = w->data;
    bool all = g->by_first && g->gap[0] + w->shift[1][0] - w->shift[0][0] < g->least;
    for (int k = 0; k < w->count / 2; k++)
        if (g->by_first ? all : g->gap[k] + w->shift[2 * k + 1][k] - w->shift[2 * k][k] < g->least)
            for (int p = 2 * k; p < 2 * k + 2; p++)
                w->velocity[p][k] *= -1;
}

/* The pair stops, and the second one shears. */
static void shear(vv_ipc_way *w)
{
    const gaps *g = w->data;
    if (g->gap[0] + w->shift[1][0] - w->shift[0][0] >= g->least)
        return;
    w->velocity[0][0] = w->velocity[1][0] = 0;
    w->velocity[1][1] = 1;
}

static int too_few(const vv_ipc *c, int found, int needed, const char *what)
{
    return vv_ipc_wrong(c, c->script_line, "this script moves %d %s, and there %s %d", needed, what,
                        found == 1 ? "is" : "are", found);
}

static vv_ipc_way pressing(const gaps *g, int count)
{
    vv_ipc_way w = { .count = count, .data = g };
    for (int p = 0; p < count; p++)
        w.velocity[p][p / 2] = p % 2 ? -1 : 1;
    return w;
}

static int press_planes(vv_ipc *c, int count, double least, void (*decide)(vv_ipc_way *w))
{
    gaps g = { .least = least };
    if (c->plane_count < count)
        return too_few(c, c->plane_count, count, "planes");
    for (int k = 0; k < count / 2; k++)
        g.gap[k] = c->planes[2 * k + 1].point[k] - c->planes[2 * k].point[k];
    vv_ipc_way w = pressing(&g, count);
    vv_ipc_slide(c, &w, decide);
    for (int p = 0; p < count; p++)
        c->planes[p].motion = w.motion[p];
    return VV_CLI_GO;
}

int vv_ipc_squash_planes(vv_ipc *c) { return press_planes(c, 2, 0.1, press); }
int vv_ipc_squash_six_planes(vv_ipc *c) { return press_planes(c, 6, 0.2, press); }
int vv_ipc_shear_planes(vv_ipc *c) { return press_planes(c, 2, 0.8, shear); }

/* The index-th meshCO, or NULL. */
static vv_ipc_shape *object_at(vv_ipc *c, int index)
{
    for (int i = 0; i < c->shape_count; i++)
        if (c->shapes[i].apart && index-- == 0)
            return &c->shapes[i];
    return NULL;
}

static int count_objects(vv_ipc *c)
{
    int count = 0;
    while (object_at(c, count))
        count++;
    return count;
}

int vv_ipc_squash_objects(vv_ipc *c)
{
    vv_ipc_shape *a = object_at(c, 0), *b = object_at(c, 1);
    if (!b)
        return too_few(c, count_objects(c), 2, "mesh objects (meshCO)");
    gaps g = { .gap = { b->origin[0] - a->origin[0] }, .least = 1.5 };
    vv_ipc_way w = pressing(&g, 2);
    vv_ipc_slide(c, &w, press);
    a->motion = w.motion[0];
    b->motion = w.motion[1];
    return VV_CLI_GO;
}

static int press_shapes(vv_ipc *c, int count)
{
    if (c->shape_count < count)
        return too_few(c, c->shape_count, count, "shapes");
    gaps g = { .gap = { c->shapes[1].low[0] - c->shapes[0].high[0] }, .least = 0.1, .by_first = true };
    vv_ipc_way w = pressing(&g, count);
    vv_ipc_slide(c, &w, press);
    for (int p = 0; p < count; p++) {
        c->shapes[p].obstacle = true;
        c->shapes[p].motion = w.motion[p];
    }
    return VV_CLI_GO;
}

int vv_ipc_squash_shapes(vv_ipc *c) { return press_shapes(c, 2); }
int vv_ipc_squash_six_shapes(vv_ipc *c) { return press_shapes(c, 6); }

/* ---- parts that go until they are somewhere ---- */

/* data: where along y the part is at first, and where it stops */
typedef struct stop {
    double at, end;
} stop;

static void go_down(vv_ipc_way *w)
{
    const stop *s = w->data;
    if (!(s->at + w->shift[0][1] > s->end))
        memset(w->velocity[0], 0, sizeof w->velocity[0]);
}

static json_t *down(const vv_ipc *c, const double velocity[3], double at, double end)
{
    stop s = { .at = at, .end = end };
    vv_ipc_way w = { .count = 1, .data = &s };
    memcpy(w.velocity[0], velocity, sizeof w.velocity[0]);
    vv_ipc_slide(c, &w, go_down);
    return w.motion[0];
}

static bool without_tets(const vv_ipc_shape *s) { return !s->apart && s->mesh->kind != VV_IPC_TETS; }

/* The later half of the shapes goes down onto the former, to 0.1 above them. */
int vv_ipc_lower_beds(vv_ipc *c)
{
    double top = INFINITY, bottom = -INFINITY;
    int half = (c->shape_count - count_objects(c) + 1) / 2;
    for (int i = 0, at = 0; i < c->shape_count; i++) {
        const vv_ipc_shape *s = &c->shapes[i];
        if (without_tets(s) && at >= half)
            top = fmin(top, s->low[1]);
        else if (without_tets(s))
            bottom = fmax(bottom, s->high[1]);
        at += !s->apart;
    }
    for (int i = 0, at = 0; i < c->shape_count; i++) {
        if (without_tets(&c->shapes[i]) && at >= half)
            c->shapes[i].motion = down(c, (const double[3]){ 0, -1, 0 }, top - bottom, 0.1);
        at += !c->shapes[i].apart;
    }
    return VV_CLI_GO;
}

/* The first shape is a stamp, the second one the funnel that it goes into. */
int vv_ipc_squeeze_out(vv_ipc *c)
{
    if (c->shape_count < 2 || !without_tets(&c->shapes[0]) || !without_tets(&c->shapes[1]))
        return vv_ipc_wrong(c, c->script_line, "this script moves the first of two shapes without tets");
    const vv_ipc_shape *funnel = &c->shapes[1];
    c->shapes[0].motion = down(c, (const double[3]){ 0, -0.3, 0 }, c->shapes[0].high[1],
                               funnel->low[1] + (funnel->high[1] - funnel->low[1]) / 3.8 * 0.9);
    return VV_CLI_GO;
}

int vv_ipc_cut(vv_ipc *c)
{
    if (c->shape_count < 2)
        return too_few(c, c->shape_count, 2, "shapes");
    c->shapes[1].obstacle = true;
    c->shapes[1].motion = down(c, (const double[3]){ 0, -1, -1 }, c->shapes[1].low[1], 0.001);
    return VV_CLI_GO;
}

/* ---- parts that turn ---- */

/* About z through the corner at its right and bottom, until its lowest point is at 0.05. */
int vv_ipc_hammer(vv_ipc *c)
{
    enum { MOST_STEPS = 100000 };
    static const double rate = 30, lowest = 0.05;
    if (c->shape_count < 2)
        return too_few(c, c->shape_count, 2, "shapes");
    vv_ipc_shape *s = &c->shapes[1];
    const double centre[3] = { s->high[0], s->low[1], 0.5 * (s->low[2] + s->high[2]) };
    double steps = fmin(ceil(c->duration / c->step - 1e-9), MOST_STEPS), low = s->low[1];
    int i = 0;
    for (; i < steps && low > lowest; i++) {
        double turn[9], x[3], y[3];
        vv_ipc_rotation((const double[3]){ 0, 0, rate * (i + 1) * c->step }, turn);
        low = INFINITY;
        for (int v = 0; v < s->mesh->mesh.vertexCount; v++) {
            vv_ipc_point(s, v, x);
            for (int k = 0; k < 3; k++)
                x[k] -= centre[k];
            vv_ipc_apply(turn, x, y);
            low = fmin(low, y[1] + centre[1]);
        }
    }
    s->obstacle = true;
    s->motion = i ? json_pack("{s:o, s:o, s:o}", "angular", vv_ipc_number(rate), "axis",
                              vv_ipc_vector((const double[3]){ 0, 0, 1 }), "about", vv_ipc_vector(centre))
                  : NULL;
    if (i && i < steps)
        json_object_set_new(s->motion, "end", vv_ipc_number(i * c->step));
    return VV_CLI_GO;
}

static void turn_object(vv_ipc_shape *s, double rate, int axis, double above)
{
    double unit[3] = { 0 }, about[3];
    unit[axis] = 1;
    memcpy(about, s->origin, sizeof about);
    about[1] += above;
    s->motion = json_pack("{s:o, s:o, s:o}", "angular", vv_ipc_number(rate), "axis", vv_ipc_vector(unit), "about",
                          vv_ipc_vector(about));
}

int vv_ipc_turn_two_objects(vv_ipc *c)
{
    vv_ipc_shape *a = object_at(c, 0), *b = object_at(c, 1);
    if (!b)
        return too_few(c, count_objects(c), 2, "mesh objects (meshCO)");
    turn_object(a, 180, 2, 0.5 * a->extent);
    turn_object(b, 180, 2, -0.5 * b->extent);
    return VV_CLI_GO;
}

int vv_ipc_turn_four_objects(vv_ipc *c)
{
    static const struct {
        double rate;
        int axis;
    } turns[] = { { 90, 0 }, { -90, 0 }, { -90, 2 }, { 90, 2 } };
    for (int i = 0; i < 4; i++) {
        vv_ipc_shape *s = object_at(c, i);
        if (!s)
            return too_few(c, i, 4, "mesh objects (meshCO)");
        turn_object(s, turns[i].rate, turns[i].axis, 0);
    }
    return VV_CLI_GO;
}

/* ---- a throw ---- */

int vv_ipc_throw(vv_ipc *c)
{
    const double velocity[3] = { c->script_number_count > 0 ? c->script_numbers[0] : 1000, 0, 0 };
    for (int i = 0; i < c->shape_count; i++)
        if (!c->shapes[i].obstacle)
            c->shapes[i].velocity = json_pack("{s:o}", "linear", vv_ipc_vector(velocity));
    return VV_CLI_GO;
}

int vv_ipc_follow_first(vv_ipc *c)
{
    for (int i = 0; i < c->shape_count; i++)
        if (without_tets(&c->shapes[i]))
            return vv_ipc_follow(c, &c->shapes[i], c->script_folder, 1, c->script_line);
    return vv_ipc_wrong(c, c->script_line, "this script moves the first shape without tets, and there is none");
}
