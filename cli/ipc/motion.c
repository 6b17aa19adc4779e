/* visviva new --from-ipc: what moves, and how: DBC, NBC, linearVelocity, angularVelocity, initVel. Turns are in
 * turning.c. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

/* ---- times ---- */

double vv_ipc_first_step(const vv_ipc *c, double time) { return fmax(0, ceil(time / c->step - 1e-9)); }

double vv_ipc_run_steps(const vv_ipc *c) { return ceil(c->duration / c->step - 1e-9); }

static bool acts(const vv_ipc *c, const vv_ipc_drive *d, double step)
{
    return vv_ipc_first_step(c, fmax(d->begin, c->held_range[0])) <= step &&
           step < vv_ipc_first_step(c, fmin(d->end, c->held_range[1]));
}

static bool turns(const vv_ipc_drive *d) { return d->angular[0] != 0 || d->angular[1] != 0 || d->angular[2] != 0; }

/* ---- motions ---- */

/* Without a turn: one velocity all the time, or waypoints where it changes. */
static json_t *sliding(const vv_ipc *c, const vv_ipc_drive *drives, int count)
{
    double steps = vv_ipc_run_steps(c), offset[3] = { 0 }, *breaks = malloc((2 * (size_t)count + 2) * sizeof *breaks);
    int used = 0;
    if (!breaks)
        return NULL;
    breaks[used++] = 0;
    for (int i = 0; i < count; i++) {
        breaks[used++] = fmin(steps, vv_ipc_first_step(c, fmax(drives[i].begin, c->held_range[0])));
        breaks[used++] = fmin(steps, vv_ipc_first_step(c, fmin(drives[i].end, c->held_range[1])));
    }
    breaks[used++] = steps;
    qsort(breaks, (size_t)used, sizeof *breaks, vv_by_number);
    json_t *list = json_array(), *motion = NULL;
    int changes = 0;
    double first[3] = { 0 };
    json_array_append_new(list, json_pack("{s:o, s:o}", "time", vv_ipc_number(0), "offset", vv_ipc_vector(offset)));
    for (int b = 0; b + 1 < used; b++) {
        double v[3] = { 0 };
        if (breaks[b] == breaks[b + 1])
            continue;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3 && acts(c, &drives[i], breaks[b]); k++)
                v[k] += drives[i].linear[k];
        for (int k = 0; k < 3; k++)
            offset[k] += v[k] * (breaks[b + 1] - breaks[b]) * c->step;
        changes += breaks[b] > 0 && memcmp(v, first, sizeof v) != 0;
        if (breaks[b] == 0)
            memcpy(first, v, sizeof v);
        json_array_append_new(list, json_pack("{s:o, s:o}", "time", vv_ipc_number(breaks[b + 1] * c->step), "offset",
                                              vv_ipc_vector(offset)));
    }
    if (changes)
        motion = json_pack("{s:O}", "waypoints", list);
    else if (first[0] != 0 || first[1] != 0 || first[2] != 0)
        motion = json_pack("{s:o}", "velocity", vv_ipc_vector(first));
    json_decref(list);
    free(breaks);
    return motion;
}

json_t *vv_ipc_motion(vv_ipc *c, const vv_ipc_shape *s, const int *nodes, int count, const vv_ipc_drive *drives,
                      int drive_count)
{
    int turning_count = 0, sliding_count = 0;
    for (int i = 0; i < drive_count; i++) {
        turning_count += turns(&drives[i]);
        sliding_count +=
            !turns(&drives[i]) && (drives[i].linear[0] != 0 || drives[i].linear[1] != 0 || drives[i].linear[2] != 0);
    }
    for (int i = 0; i < drive_count && turning_count == 1 && sliding_count == 0; i++)
        if (turns(&drives[i]))
            return vv_ipc_turning(c, s, nodes, count, &drives[i]);
    if (turning_count)
        vv_ipc_note_line(
            c, VV_IPC_LOST, drives[0].line,
            "rotation: several lines of DBC rotate and move the same nodes, or rotate them twice; here they only move");
    return sliding(c, drives, drive_count);
}

/* ---- nodes ---- */

/* Nodes of the surface in a region; *count of them. */
static int *select_nodes(const vv_ipc_shape *s, const vv_ipc_drive *d, int *count)
{
    const vvMesh *mesh = &s->mesh->mesh;
    vvMeshQuality q;
    int *list = malloc(((size_t)mesh->vertexCount + 1) * sizeof *list);
    char *surface = calloc((size_t)mesh->vertexCount + 1, 1);
    *count = 0;
    for (int i = 0; surface && i < 3 * mesh->triangleCount; i++)
        surface[mesh->triangles[i]] = 1;
    vvMeshMeasure(mesh, &q);
    for (int v = 0; list && surface && v < mesh->vertexCount; v++) {
        bool inside = surface[v] || mesh->triangleCount == 0;
        for (int k = 0; k < 3 && inside; k++) {
            double size = q.boundsMax[k] - q.boundsMin[k], x = mesh->positions[3 * v + k];
            inside = x >= size * d->low[k] + q.boundsMin[k] && x <= size * d->high[k] + q.boundsMin[k];
        }
        if (inside)
            list[(*count)++] = v;
    }
    free(surface);
    return list;
}

json_t *vv_ipc_where(const int *nodes, int count)
{
    json_t *list = json_array();
    for (int i = 0; list && i < count; i++)
        json_array_append_new(list, json_integer(nodes[i]));
    return json_pack("{s:o}", "vertices", list);
}

/* In per cent of the body's box, where that means the same nodes: the box is that of the mesh, and no node is on the
 * region's border inside it. NULL: it does not. */
static json_t *where_in_percent(const vv_ipc_shape *s, const vv_ipc_drive *d)
{
    const vvMesh *mesh = &s->mesh->mesh;
    vvMeshQuality q;
    vvMeshMeasure(mesh, &q);
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double size = q.boundsMax[k] - q.boundsMin[k];
        if (s->rotate[k] != 0 || !(s->scale[k] > 0) || !(size > 0) || d->low[k] > d->high[k])
            return NULL;
        for (int v = 0; v < mesh->vertexCount; v++) {
            double part = (mesh->positions[3 * v + k] - q.boundsMin[k]) / size;
            if ((d->low[k] > 0 && fabs(part - d->low[k]) < 1e-6) || (d->high[k] < 1 && fabs(part - d->high[k]) < 1e-6))
                return NULL;
        }
        low[k] = 100 * fmax(d->low[k], 0);
        high[k] = 100 * fmin(d->high[k], 1);
    }
    return json_pack("{s:[o, o], s:b}", "percent", vv_ipc_vector(low), vv_ipc_vector(high), "surface", 1);
}

int vv_ipc_attach(vv_ipc_shape *s, json_t *where, json_t *motion)
{
    json_t *item = json_pack("{s:o}", "where", where);
    if (!s->attach)
        s->attach = json_array();
    if (!item || !s->attach) {
        json_decref(item);
        json_decref(motion);
        vv_cli_wrong("no memory for an attachment");
        return VV_EXIT_FAILED;
    }
    if (motion)
        json_object_set_new(item, "motion", motion);
    json_array_append_new(s->attach, item);
    return VV_CLI_GO;
}

/* ---- DBC ---- */

static bool same_region(const vv_ipc_drive *a, const vv_ipc_drive *b)
{
    return memcmp(a->low, b->low, sizeof a->low) == 0 && memcmp(a->high, b->high, sizeof a->high) == 0;
}

/* Outside of all their times IPC lets the nodes go; a scene holds them throughout. */
static void note_free_times(vv_ipc *c, const vv_ipc_drive *drives, int count)
{
    double steps = vv_ipc_run_steps(c), at = 0;
    for (bool further = true; further && at < steps;) {
        further = false;
        for (int i = 0; i < count; i++)
            if (acts(c, &drives[i], at)) {
                at = vv_ipc_first_step(c, fmin(drives[i].end, c->held_range[1]));
                further = true;
            }
    }
    if (at < steps)
        vv_ipc_note_line(c, VV_IPC_LOST, drives[0].line,
                         "DBC: its nodes are free at some times, first at t = %.6g s; the scene holds them throughout",
                         at * c->step);
}

/* Nodes that two regions share are moved by the sum of both in IPC; here by the later one. */
static void note_shared(vv_ipc *c, const vv_ipc_shape *s, char *taken, const int *nodes, int count, int line)
{
    for (int i = 0; i < count; i++)
        if (taken[nodes[i]]) {
            vv_ipc_note_line(
                c, VV_IPC_LOST, line,
                "DBC: regions of %s overlap; a node in several of them follows one of them here, not the sum", s->path);
            break;
        }
    for (int i = 0; i < count; i++)
        taken[nodes[i]] = 1;
}

static int hold_nodes(vv_ipc *c, vv_ipc_shape *s)
{
    int code = VV_CLI_GO;
    vv_ipc_drive *together = malloc(((size_t)s->held_count + 1) * sizeof *together);
    char *taken = calloc((size_t)s->mesh->mesh.vertexCount + 1, 1);
    for (int i = 0; i < s->held_count && together && taken && code == VV_CLI_GO; i++) {
        const vv_ipc_drive *d = &s->held[i];
        int used = 0, count = 0;
        bool earlier = false;
        for (int j = 0; j < i; j++)
            earlier = earlier || same_region(&s->held[j], d);
        if (earlier)
            continue;
        for (int j = i; j < s->held_count; j++)
            if (same_region(&s->held[j], d))
                together[used++] = s->held[j];
        int *nodes = select_nodes(s, d, &count);
        if (nodes && count) {
            json_t *where = where_in_percent(s, d);
            note_shared(c, s, taken, nodes, count, d->line);
            note_free_times(c, together, used);
            code = vv_ipc_attach(s, where ? where : vv_ipc_where(nodes, count),
                                 vv_ipc_motion(c, s, nodes, count, together, used));
        } else if (nodes) {
            vv_ipc_note_line(c, VV_IPC_NEEDLESS, d->line, "DBC: no node of the surface of %s is in its region",
                             s->path);
        }
        free(nodes);
    }
    bool memory = together && taken;
    free(together);
    free(taken);
    return memory ? code : VV_EXIT_FAILED;
}

/* ---- NBC ---- */

/* With Newmark's method IPC leaves out beta, so that the nodes are accelerated 1 / beta times as much as the file
 * says: so are ours. */
int vv_ipc_push(const vv_ipc *c, vv_ipc_shape *s, json_t *where, const double acceleration[3], json_t *motion)
{
    double a[3];
    for (int k = 0; k < 3; k++)
        a[k] = acceleration[k] / (c->newmark ? 0.25 : 1);
    if (json_object_size(motion) == 0) {
        json_decref(motion);
        motion = NULL;
    }
    int code = vv_ipc_attach(s, where, motion);
    if (code != VV_CLI_GO)
        return code;
    json_t *item = json_array_get(s->attach, json_array_size(s->attach) - 1);
    json_object_set_new(item, "kind", json_string("push"));
    json_object_set_new(item, "acceleration", vv_ipc_vector(a));
    return VV_CLI_GO;
}

/* IPC accelerates these nodes beside gravity, in the steps that begin in the time. */
static int push_nodes(vv_ipc *c, vv_ipc_shape *s)
{
    int code = VV_CLI_GO;
    for (int i = 0; i < s->pulled_count && code == VV_CLI_GO; i++) {
        const vv_ipc_drive *d = &s->pulled[i];
        double begin = fmax(d->begin, c->pulled_range[0]), end = fmin(d->end, c->pulled_range[1]);
        int count = 0, *nodes = select_nodes(s, d, &count);
        json_t *motion = json_object(), *where = where_in_percent(s, d);
        if (begin > 0)
            json_object_set_new(motion, "start", vv_ipc_number(begin));
        if (isfinite(end))
            json_object_set_new(motion, "end", vv_ipc_number(end));
        if (!nodes || !count || !(begin < end)) {
            vv_ipc_note_line(c, VV_IPC_NEEDLESS, d->line,
                             "NBC: no node of the surface of %s is in its region, or its time has no length", s->path);
            json_decref(where);
            json_decref(motion);
        } else {
            code = vv_ipc_push(c, s, where ? where : vv_ipc_where(nodes, count), d->linear, motion);
        }
        free(nodes);
    }
    return code;
}

/* ---- shapes ---- */

/* A shape without tets, or with a velocity of its own, follows its motion whatever happens. */
static void move_whole(vv_ipc *c, vv_ipc_shape *s)
{
    vv_ipc_drive d = { .line = s->line, .end = INFINITY };
    s->obstacle = true;
    memcpy(d.linear, s->linear, sizeof d.linear);
    memcpy(d.angular, s->angular, sizeof d.angular);
    if (s->held_count)
        vv_ipc_note_line(c, VV_IPC_LOST, s->line, "%s: DBC on a shape all of whose nodes are held or moved", s->path);
    if (s->pulled_count)
        vv_ipc_note_line(c, VV_IPC_NEEDLESS, s->line, "%s: NBC on a shape all of whose nodes are held or moved",
                         s->path);
    if (s->starts)
        vv_ipc_note_line(c, VV_IPC_NEEDLESS, s->line,
                         "%s: initVel on a shape all of whose nodes are held or moved: IPC does not use it", s->path);
    if (s->moves || s->spins) {
        double range[2] = { c->held_range[0], c->held_range[1] };
        c->held_range[0] = 0; /* DBCTimeRange does not hold for whole shapes */
        c->held_range[1] = INFINITY;
        s->motion = vv_ipc_motion(c, s, NULL, s->mesh->mesh.vertexCount, &d, 1);
        memcpy(c->held_range, range, sizeof range);
    }
}

static void start_velocity(vv_ipc_shape *s)
{
    double radians[3], middle[3];
    bool turns = false;
    for (int k = 0; k < 3; k++) {
        radians[k] = s->start_angular[k] * degree;
        middle[k] = 0.5 * (s->low[k] + s->high[k]);
        turns = turns || radians[k] != 0;
    }
    s->velocity = json_object();
    json_object_set_new(s->velocity, "linear", vv_ipc_vector(s->start_linear));
    if (turns) {
        json_object_set_new(s->velocity, "angular", vv_ipc_vector(radians));
        json_object_set_new(s->velocity, "about", vv_ipc_vector(middle));
    }
}

static int move_shape(vv_ipc *c, vv_ipc_shape *s)
{
    if (s->sequence)
        return vv_ipc_follow(c, s, s->sequence, 0, s->line);
    if (s->apart || s->mesh->kind != VV_IPC_TETS || s->moves || s->spins) {
        move_whole(c, s);
        return VV_CLI_GO;
    }
    if (s->starts)
        start_velocity(s);
    int code = hold_nodes(c, s);
    return code == VV_CLI_GO ? push_nodes(c, s) : code;
}

int vv_ipc_move(vv_ipc *c)
{
    if (c->script)
        return vv_ipc_run_script(c);
    for (int i = 0; i < c->shape_count; i++) {
        int code = move_shape(c, &c->shapes[i]);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}
