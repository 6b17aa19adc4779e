/* visviva new --from-ipc: IPC's `script`, motions that are built into the program, one row a script (Li et al. 2020's
 * scenes use them; newer ones use DBC and velocities of shapes). A script replaces DBC, NBC, initVel and the
 * velocities of shapes, as in IPC. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOW = -1, HIGH = 1, MOST_REGIONS = 3, MOST_SPINS = 6 };

/* Nodes at one side of the box of everything: `part` of the box wide; 0: handleRatio. */
typedef struct region {
    int side; /* LOW, HIGH; 0: the end of the list */
    int axis;
    double part;
    double velocity[3];         /* m/s */
    double push[3];             /* m/s2: pushed with this acceleration instead of held */
    double spin;                /* deg/s about x, through the middle of the box */
    bool one;                   /* only the first such node */
    double turn_low, turn_high; /* m: turns back when it is so far down or up its axis; 0: never */
    double stop;                /* m: stops when it has gone so far; 0: never */
    double stop_at;             /* m: stops when the low side of everything is there; 0: never */
} region;

struct vv_ipc_script {
    const char *name;
    double rise;        /* everything is first lifted by this part of the diagonal of its box, */
    double rise_height; /* or of its height */
    region regions[MOST_REGIONS];
    double spins[MOST_SPINS][3]; /* deg/s about x, y, z: of the first shapes */
    int spin_count;
    double drop; /* m/s: what has tets starts with this velocity along y */
    bool folder;
    int (*more)(vv_ipc *c); /* what else it does; NULL: nothing */
    const char *lost;       /* what of it is left out; NULL: nothing */
};

static const char no_such[] = "a start or a motion that is left out: nothing is held or moved";

#define RAD(x) ((x)*180 / 3.14159265358979323846)
static const vv_ipc_script scripts[] = {
    { .name = "fall", .rise = 0.5 },
    { .name = "fallNoShift" },
    { .name = "DCOFix" },
    { .name = "drop", .drop = -1 },
    { .name = "hang2", .regions = { { HIGH, 1, 0.01 } } },
    { .name = "hangLeft", .regions = { { LOW, 0, 0 } } },
    { .name = "stamp", .regions = { { LOW, 0, 0 } } },
    { .name = "stampBoth", .regions = { { LOW, 0, 0 }, { HIGH, 0, 0 } } },
    { .name = "stand", .regions = { { LOW, 1, 0.01 } } },
    { .name = "topbottomfix", .regions = { { LOW, 1, 0.02 }, { HIGH, 1, 0.02 } } },
    { .name = "fixLowerHalf", .regions = { { LOW, 1, 0.5 } } },
    { .name = "corner", .regions = { { LOW, 0, 0.01 }, { LOW, 1, 0.01 }, { LOW, 2, 0.01 } } },
    { .name = "fixRightMost1", .regions = { { HIGH, 0, 1e-3, .one = true } } },
    { .name = "pushRightMost1", .regions = { { HIGH, 0, 1e-3, { -0.15, 0, 0 }, .one = true } } },
    { .name = "stretch", .regions = { { LOW, 0, 0, { -0.1, 0, 0 } }, { HIGH, 0, 0, { 0.1, 0, 0 } } } },
    { .name = "squash", .regions = { { LOW, 0, 0, { 0.03, 0, 0 } }, { HIGH, 0, 0, { -0.03, 0, 0 } } } },
    { .name = "twist", .regions = { { LOW, 0, 0, .spin = -72 }, { HIGH, 0, 0, .spin = 72 } } },
    { .name = "twistnstretch",
      .regions = { { LOW, 0, 0, { -0.1, 0, 0 }, .spin = -18 }, { HIGH, 0, 0, { 0.1, 0, 0 }, .spin = 18 } } },
    { .name = "DCORotCylinders",
      .spins = { { 90, 0, 0 }, { -90, 0, 0 }, { 0, 0, -90 }, { 0, 0, 90 } },
      .spin_count = 4 },
    { .name = "DCOVerschoorRoller",
      .spins = { { 0, 0, RAD(-4) },
                 { 0, 0, RAD(-2) },
                 { 0, 0, RAD(2) },
                 { 0, 0, RAD(4) },
                 { RAD(2), 0, 0 },
                 { RAD(-2), 0, 0 } },
      .spin_count = 6 },
    { .name = "dragright",
      .rise = 0.5,
      .regions = { { HIGH, 0, 0.04, { 0.5, 0, 0 } } },
      .lost =
          "IPC releases the nodes once everything lies to the right of all mesh objects; here their motion continues" },
    { .name = "utopiaComparison", .regions = { { LOW, 1, 1e-4 }, { HIGH, 1, 1e-4, .push = { 0, -1.5, 0 } } } },
    { .name = "NMFixBottomDragLeft", .regions = { { LOW, 1, 0.05 }, { HIGH, 1, 0.05, .push = { -600, 0, 0 } } } },
    { .name = "NMFixBottomDragForward", .regions = { { LOW, 1, 0.05 }, { HIGH, 1, 0.05, .push = { 600, 0, 0 } } } },
    { .name = "swing", .rise_height = 1.3, .regions = { { LOW, 0, 0.05 } } },
    { .name = "push", .regions = { { LOW, 1, 0.01 }, { HIGH, 1, 0.01, { 0, -1, 0 }, .stop = 0.5 } } },
    { .name = "tear",
      .regions = { { LOW, 1, 0.01 }, { HIGH, 1, 0.01, { -5, 0, 0 }, .turn_low = 4, .turn_high = INFINITY } } },
    { .name = "undstamp", .regions = { { LOW, 0, 0, { 0, 1.8, 0 }, .turn_low = 0.6, .turn_high = 0.6 } } },
    { .name = "upndown",
      .regions = { { LOW, 0, 0, { 0, 1.8, 0 }, .turn_low = 0.6, .turn_high = 0.6 },
                   { HIGH, 0, 0, { 0, -1.8, 0 }, .turn_low = 0.6, .turn_high = 0.6 } } },
    { .name = "stretchnsquash",
      .regions = { { LOW, 0, 0, { -0.9, 0, 0 }, .turn_low = 0.8, .turn_high = 0.4 },
                   { HIGH, 0, 0, { 0.9, 0, 0 }, .turn_low = 0.4, .turn_high = 0.8 } } },
    { .name = "twistnsns",
      .regions = { { LOW, 0, 0, { -1.2, 0, 0 }, .spin = -72, .turn_low = 1.2, .turn_high = 0.4 },
                   { HIGH, 0, 0, { 1.2, 0, 0 }, .spin = 72, .turn_low = 0.4, .turn_high = 1.2 } } },
    { .name = "twistnsns_old",
      .regions = { { LOW, 0, 0, { -0.9, 0, 0 }, .spin = -72, .turn_low = 0.8, .turn_high = 0.4 },
                   { HIGH, 0, 0, { 0.9, 0, 0 }, .spin = 72, .turn_low = 0.4, .turn_high = 0.8 } } },
    { .name = "stretchAndPause",
      .regions = { { LOW, 0, 0.01, { -1, 0, 0 }, .stop_at = -0.28 },
                   { HIGH, 0, 0.01, { 1, 0, 0 }, .stop_at = -0.28 } } },
    { .name = "ACOSquash", .more = vv_ipc_squash_planes },
    { .name = "ACOSquash6", .more = vv_ipc_squash_six_planes },
    { .name = "ACOSquashShear", .more = vv_ipc_shear_planes },
    { .name = "MCOSquash", .more = vv_ipc_squash_objects },
    { .name = "MCORotSquash", .more = vv_ipc_turn_two_objects },
    { .name = "MCORotCylinders", .more = vv_ipc_turn_four_objects },
    { .name = "DCOSquash", .more = vv_ipc_squash_shapes },
    { .name = "DCOSquash6", .more = vv_ipc_squash_six_shapes },
    { .name = "DCOSegBedSquash", .more = vv_ipc_lower_beds },
    { .name = "DCOSqueezeOut", .more = vv_ipc_squeeze_out },
    { .name = "DCOCut", .more = vv_ipc_cut },
    { .name = "DCOHammerWalnut", .more = vv_ipc_hammer },
    { .name = "DCOBallHitWall", .more = vv_ipc_throw },
    { .name = "meshSeqFromFile", .folder = true, .more = vv_ipc_follow_first },
/* clang-format off */
#define LOST(script) { .name = script, .lost = no_such }
    /* clang-format on */
    LOST("scaleF"),
    LOST("hang"),
    LOST("hangTopLeft"),
    LOST("stampTopLeft"),
    LOST("stampInv"),
    LOST("standInv"),
    LOST("bend"),
    LOST("rubberBandPull"),
    LOST("fourLegPull"),
    LOST("headTailPull"),
    LOST("onepoint"),
    LOST("random"),
    LOST("dragdown"),
    LOST("toggleTop"),
    LOST("leftHitRight"),
    LOST("XYRotate"),
    LOST("curtain"),
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

const vv_ipc_script *vv_ipc_find_script(const char *name)
{
    for (int i = 0; i < SCRIPTS; i++)
        if (strcmp(scripts[i].name, name) == 0)
            return &scripts[i];
    return NULL;
}

const char *vv_ipc_script_hint(char out[VV_HINT], const char *name)
{
    const char *names[SCRIPTS];
    for (int i = 0; i < SCRIPTS; i++)
        names[i] = scripts[i].name;
    return vv_cli_hint(out, name, names, SCRIPTS);
}

bool vv_ipc_script_wants_folder(const vv_ipc_script *script) { return script->folder; }

/* ---- what a row does ---- */

static void lift(vv_ipc *c, const vv_ipc_script *r)
{
    double diagonal = 0;
    for (int k = 0; k < 3; k++)
        diagonal += (c->high[k] - c->low[k]) * (c->high[k] - c->low[k]);
    double rise = r->rise * sqrt(diagonal) + r->rise_height * (c->high[1] - c->low[1]);
    c->low[1] += rise;
    c->high[1] += rise;
    for (int i = 0; i < c->shape_count; i++)
        if (!c->shapes[i].apart) {
            c->shapes[i].translate[1] += rise;
            c->shapes[i].low[1] += rise;
            c->shapes[i].high[1] += rise;
        }
}

static bool in_region(const vv_ipc *c, const region *r, const double x[3])
{
    double size = c->high[r->axis] - c->low[r->axis], part = r->part > 0 ? r->part : c->handle;
    return r->side == LOW ? x[r->axis] < c->low[r->axis] + size * part : x[r->axis] > c->high[r->axis] - size * part;
}

/* data: the region, and the axis of its velocity */
typedef struct leg {
    const region *r;
    int axis;
    double stop; /* m */
    bool stops;
} leg;

static void decide(vv_ipc_way *w)
{
    const leg *l = w->data;
    double at = w->shift[0][l->axis];
    if (l->stops && fabs(at) >= l->stop)
        memset(w->velocity[0], 0, sizeof w->velocity[0]);
    else if (l->r->turn_low > 0 && (at <= -l->r->turn_low || at >= l->r->turn_high))
        w->velocity[0][l->axis] *= -1;
}

static json_t *motion_of(const vv_ipc *c, const region *r)
{
    leg l = { .r = r, .stops = r->stop > 0 || r->stop_at != 0 };
    /* IPC goes on while it is there exactly */
    l.stop = r->stop_at != 0 ? fmax(0, c->low[0] - r->stop_at) + 1e-9 * c->step : r->stop;
    while (l.axis < 2 && r->velocity[l.axis] == 0)
        l.axis++;
    vv_ipc_way w = { .count = 1, .data = &l };
    memcpy(w.velocity[0], r->velocity, sizeof r->velocity);
    vv_ipc_slide(c, &w, decide);
    json_t *motion = w.motion[0] ? w.motion[0] : json_object();
    double middle[3];
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (c->low[k] + c->high[k]);
    if (r->spin != 0) {
        json_object_set_new(motion, "angular", vv_ipc_number(r->spin));
        json_object_set_new(motion, "axis", vv_ipc_vector((const double[3]){ 1, 0, 0 }));
        json_object_set_new(motion, "about", vv_ipc_vector(middle));
    }
    if (json_object_size(motion) > 0)
        return motion;
    json_decref(motion);
    return NULL;
}

/* Nodes belong to the first region that they are in. */
static int hold_region(vv_ipc *c, vv_ipc_shape *s, const region *regions, int index, bool *found)
{
    int *list = malloc(((size_t)s->mesh->mesh.vertexCount + 1) * sizeof *list), count = 0;
    for (int v = 0; list && v < s->mesh->mesh.vertexCount; v++) {
        double x[3];
        int first = 0;
        vv_ipc_point(s, v, x);
        while (first < index && !in_region(c, &regions[first], x))
            first++;
        if (first == index && in_region(c, &regions[index], x) && !(regions[index].one && *found)) {
            list[count++] = v;
            *found = true;
        }
    }
    const region *r = &regions[index];
    bool pushed = r->push[0] != 0 || r->push[1] != 0 || r->push[2] != 0;
    int code = !list    ? VV_EXIT_FAILED
               : !count ? VV_CLI_GO
               : pushed ? vv_ipc_push(c, s, vv_ipc_where(list, count), r->push, NULL)
                        : vv_ipc_attach(s, vv_ipc_where(list, count), motion_of(c, r));
    free(list);
    return code;
}

static void note_unused(vv_ipc *c, const vv_ipc_shape *s)
{
    if (s->moves || s->spins || s->starts || s->held_count || s->pulled_count || s->sequence)
        vv_ipc_note_line(c, VV_IPC_NEEDLESS, s->line,
                         "%s: velocities, DBC, NBC and meshSeq beside `script %s`, which IPC then does not use",
                         s->path, c->script->name);
}

/* The first shapes turn about the middle of their boxes, whatever they are made of. */
static void spin_shapes(vv_ipc *c, const vv_ipc_script *r)
{
    if (r->spin_count > c->shape_count)
        vv_ipc_note_line(c, VV_IPC_LOST, c->script_line, "script %s: it turns %d shapes, and there are only %d",
                         r->name, r->spin_count, c->shape_count);
    for (int i = 0; i < r->spin_count && i < c->shape_count; i++) {
        vv_ipc_drive d = { .line = c->script_line, .end = INFINITY };
        memcpy(d.angular, r->spins[i], sizeof d.angular);
        c->shapes[i].obstacle = true;
        c->shapes[i].motion = vv_ipc_motion(c, &c->shapes[i], NULL, c->shapes[i].mesh->mesh.vertexCount, &d, 1);
    }
}

int vv_ipc_run_script(vv_ipc *c)
{
    const vv_ipc_script *r = c->script;
    if (r->lost)
        vv_ipc_note_line(c, VV_IPC_LOST, c->script_line, "script %s: %s", r->name, r->lost);
    lift(c, r);
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_shape *s = &c->shapes[i];
        note_unused(c, s);
        s->obstacle = s->apart || s->mesh->kind != VV_IPC_TETS;
        if (r->drop != 0 && !s->obstacle)
            s->velocity = json_pack("{s:o}", "linear", vv_ipc_vector((const double[3]){ 0, r->drop, 0 }));
    }
    for (int index = 0; index < MOST_REGIONS && r->regions[index].side; index++) {
        bool found = false;
        for (int i = 0; i < c->shape_count; i++) {
            int code = c->shapes[i].obstacle ? VV_CLI_GO : hold_region(c, &c->shapes[i], r->regions, index, &found);
            if (code != VV_CLI_GO)
                return code;
        }
    }
    spin_shapes(c, r);
    return r->more ? r->more(c) : VV_CLI_GO;
}
