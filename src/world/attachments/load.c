/* Attachments that load: pushes, forces, tractions and pressures, dead or following, with keys in time (theory §4.18).
 */
#include "world/attachments/load.h"

#include "base/error.h"
#include "base/vec.h"
#include "energy/points/external.h"
#include "energy/points/face.h"
#include "world/attachments/load_triangles.h"

#include <stdlib.h>
#include <string.h>

static const double CLOCK_NOISE = 1e-9; /* a time that is meant to be that of a step's beginning, in steps */
static const double MOST = 1e18;        /* N, Pa */

/* ---- how much: keys ---- */

/* The integral of s(u) from 0 to u, where a key goes over to the next one, u from 0 to 1. */
static double risen(bool smooth, double u) { return smooth ? u * u * u * (1 - 0.5 * u) : 0.5 * u * u; }

/* The factor's integral over [from, to] within the time from key k to the next one. */
static double between_keys(const vv_load *l, int k, double from, double to)
{
    const vvKey *a = l->keys + k, *b = a + 1;
    const double span = b->time - a->time, u = (from - a->time) / span, v = (to - a->time) / span;
    return a->value * (to - from) + (b->value - a->value) * span * (risen(l->smooth, v) - risen(l->smooth, u));
}

static double at_time(const vv_load *l, double time)
{
    const vvKey *keys = l->keys, *last = keys + l->key_count - 1;
    if (time <= keys->time || time >= last->time)
        return time <= keys->time ? keys->value : last->value;
    int k = 0;
    while (keys[k + 1].time <= time)
        k++;
    double u = (time - keys[k].time) / (keys[k + 1].time - keys[k].time);
    u = l->smooth ? u * u * (3 - 2 * u) : u;
    return keys[k].value + u * (keys[k + 1].value - keys[k].value);
}

/* The mean of the factor over a step, so that the impulse is the load's, or that at its end; of no time, the factor
 * itself. */
static double factor(const vv_load *l, const vv_push_time *when)
{
    const double time = when->time, seconds = when->seconds;
    if (l->key_count == 0)
        return 1;
    if (!(seconds > 0) || when->end)
        return at_time(l, time + seconds);
    const vvKey *keys = l->keys, *last = keys + l->key_count - 1;
    const double end = time + seconds;
    double sum =
        keys->value * fmax(0, fmin(end, keys->time) - time) + last->value * fmax(0, end - fmax(time, last->time));
    for (int k = 0; k + 1 < l->key_count; k++) {
        const double from = fmax(time, keys[k].time), to = fmin(end, keys[k + 1].time);
        if (to > from)
            sum += between_keys(l, k, from, to);
    }
    return sum / seconds;
}

/* ---- where: forces of nodes ---- */

/* Whether it acts in the step that begins at `time`. */
static bool acts(const vvWorld *w, const vv_attach *a, double time, bool lasting)
{
    const double noise = CLOCK_NOISE * w->def.timeStep;
    return vv_attach_loads(a) && !a->released && time >= a->motion.startTime - noise &&
           time < a->motion.endTime - noise && !(lasting && (isfinite(a->motion.endTime) || a->load.key_count > 0));
}

static bool follows_as_volume(const vv_attach *a) { return a->kind == VV_ATTACH_PRESSURE && a->load.follows; }

/* By mass: of a push each its own, of a force a part of all. */
static void by_mass(const vvWorld *w, const vv_attach *a, double part, double *out)
{
    double mass = 0;
    for (int i = 0; i < a->count; i++)
        mass += w->mass[a->nodes[i]];
    for (int i = 0; i < a->count; i++)
        for (size_t k = 0; k < 3; k++)
            out[3 * (size_t)i + k] = a->kind == VV_ATTACH_PUSH ? w->mass[a->nodes[i]] * a->acceleration[k]
                                                               : w->mass[a->nodes[i]] / mass * a->load.vector[k];
    for (size_t k = 0; part != 1 && k < 3 * (size_t)a->count; k++)
        out[k] *= part;
}

/* Unit vectors of a triangle: along its first side, across it within the plane, along the normal. */
static void frame_of(double corner[3][3], double frame[9])
{
    double side[3], *n = frame + 6;
    vv_sub(corner[1], corner[0], frame);
    vv_sub(corner[2], corner[0], side);
    vv_cross(frame, side, n);
    const double length = vv_norm(frame), area = vv_norm(n);
    for (int k = 0; k < 3; k++) {
        frame[k] /= length > 0 ? length : 1;
        n[k] /= area > 0 ? area : 1;
    }
    vv_cross(n, frame, frame + 3);
}

/* Of a triangle in its own frame: its second side, along the first and across it. */
static void second_side(double corner[3][3], const double frame[9], double *along, double *across)
{
    double side[3];
    vv_sub(corner[2], corner[0], side);
    *along = vv_dot(frame, side), *across = vv_dot(frame + 3, side);
}

/* The traction, turned by the rotation that is nearest to what takes the triangle from its places at rest to those of
 * now: that of the frames, and within the plane theta = atan2(F21 - F12, F11 + F22). */
static void turn(double rest[3][3], double now[3][3], const double traction[3], double out[3])
{
    double before[9], after[9], parts[3], b, c, b1, c1;
    frame_of(rest, before);
    frame_of(now, after);
    second_side(rest, before, &b, &c);
    second_side(now, after, &b1, &c1);
    const double f11 = vv_edge_length(now[0], 0, 1) / vv_edge_length(rest[0], 0, 1),
                 theta = atan2(-(b1 - b * f11) / c, f11 + c1 / c);
    vv_matvec(before, traction, parts);
    const double x = cos(theta) * parts[0] - sin(theta) * parts[1], y = sin(theta) * parts[0] + cos(theta) * parts[1];
    vv_matvec_transposed(after, (double[]){ x, y, parts[2] }, out);
}

/* For how long nodes go on from where they are to where forces that follow them are found. */
static double way_to(const vv_push_time *when) { return (when->end ? 1 : 0.5) * when->seconds; }

static void nodes_at(const vv_attach *a, const int *places, int count, const double *x, const double *v, double seconds,
                     double (*at)[3])
{
    for (int c = 0; c < count; c++) {
        const size_t node = 3 * (size_t)a->nodes[places[c]];
        for (size_t k = 0; k < 3; k++)
            at[c][k] = x[node + k] + (v ? seconds * v[node + k] : 0);
    }
}

/* Where the state, or the shape at rest, has the nodes that a force of area is found of. */
static void nodes_of_face(const vvWorld *w, const vv_attach *a, const int *places, int count, const vv_push_time *when,
                          bool rest, double (*at)[3])
{
    nodes_at(a, places, count, rest ? w->rest : when->q, rest ? NULL : when->v, way_to(when), at);
}

static void face_places(const vv_attach *a, int face, int places[VV_FACE_NODES])
{
    for (int k = 0; k < VV_FACE_NODES; k++)
        places[k] = a->load.corners[12 * (size_t)face + (size_t)vv_face_within[k]];
}

/* What its corners get of a triangle's force, in thirds: one each. Of order 2, where it is one of the four triangles of
 * an element's face, so that the face's force is that which does the same work with its shape functions: a third to
 * each of its middles. A pressure that follows acts on these triangles themselves where they make no whole face. */
static void shares_of(const vv_body *b, const vv_attach *a, int triangle, double share[3])
{
    int middles = 0;
    bool middle[3];
    for (int c = 0; c < 3; c++) {
        const int node = a->nodes[a->load.corners[3 * triangle + c]];
        middles += middle[c] = b->surface[node - b->first] & VV_IN_MIDDLE;
    }
    for (int c = 0; c < 3; c++)
        share[c] = follows_as_volume(a) || middles != 2 ? 1 : middle[c] ? 1.5 : 0;
}

/* A pressure's force on each face of order 2. Returns how many triangles these are. */
static int press_faces(const vvWorld *w, const vv_attach *a, double part, const vv_push_time *when, double *out)
{
    for (int f = 0; f < a->load.face_count; f++) {
        int places[VV_FACE_NODES];
        double x[VV_FACE_NODES][3], area[VV_FACE_NODES][3];
        face_places(a, f, places);
        nodes_of_face(w, a, places, VV_FACE_NODES, when, !a->load.follows, x);
        vv_face_area(x, area);
        for (int c = 0; c < VV_FACE_NODES; c++)
            for (size_t k = 0; k < 3; k++)
                out[3 * (size_t)places[c] + k] -= part * a->load.pressure * area[c][k];
    }
    return 4 * a->load.face_count;
}

/* Each triangle's force, to its corners. What follows is where the step's middle, or its end, will
 * find it. */
static void by_area(const vvWorld *w, const vv_attach *a, double part, const vv_push_time *when, double *out)
{
    memset(out, 0, 3 * (size_t)a->count * sizeof *out);
    const int first = a->kind == VV_ATTACH_PRESSURE ? press_faces(w, a, part, when, out) : 0;
    for (int t = first; t < a->load.triangle_count; t++) {
        const int *places = a->load.corners + 3 * (size_t)t;
        double rest[3][3], now[3][3], n[3], force[3] = { 0 }, side[3], other[3], share[3];
        shares_of(w->bodies + a->body, a, t, share);
        nodes_of_face(w, a, places, 3, when, true, rest);
        nodes_of_face(w, a, places, 3, when, false, now);
        double(*at)[3] = a->load.follows ? now : rest;
        vv_sub(at[1], at[0], side);
        vv_sub(at[2], at[0], other);
        vv_cross(side, other, n);
        if (a->kind == VV_ATTACH_TRACTION && a->load.follows)
            turn(rest, now, a->load.vector, force);
        for (int k = 0; k < 3; k++)
            force[k] = a->kind == VV_ATTACH_PRESSURE
                           ? -a->load.pressure * n[k] / 6
                           : vv_norm(n) / 6 * (a->load.follows ? force[k] : a->load.vector[k]);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                out[3 * (size_t)a->load.corners[3 * t + c] + (size_t)k] += part * share[c] * force[k];
    }
}

void vv_load_forces(const vvWorld *w, const vv_attach *a, const vv_push_time *when, double *out)
{
    const double part = factor(&a->load, when);
    if (a->kind == VV_ATTACH_PUSH || a->kind == VV_ATTACH_FORCE)
        by_mass(w, a, part, out);
    else
        by_area(w, a, part, when, out);
}

bool vv_load_acts(const vvWorld *w, const vv_attach *a) { return acts(w, a, vv_world_time(w), false); }

/* ---- in a step ---- */

static void add_rim(const vvWorld *w, const vv_attach *a, int patch, const vv_face *face, const int *places,
                    const vv_push_time *when, double *force)
{
    double x[VV_FACE_NODES][3], rim[VV_FACE_NODES][3] = { 0 };
    nodes_of_face(w, a, places, face->nodes, when, false, x);
    vv_external_rim(w->energy_at[VV_PLACE_EXTERNAL], patch, face, x, rim);
    for (int c = 0; c < face->nodes; c++)
        for (size_t k = 0; k < 3; k++)
            force[3 * (size_t)places[c] + k] += rim[c][k];
}

/* The forces that are constant in the step, all or (of a pressure that follows) those at its rim. */
static void find_constant(vvWorld *w, vv_attach *a, int patch, const vv_push_time *when)
{
    vv_energy *e = w->energy_at[VV_PLACE_EXTERNAL];
    if (!follows_as_volume(a)) {
        vv_load_forces(w, a, when, a->load.force);
        return;
    }
    vv_external_press(e, patch, -a->load.pressure * factor(&a->load, when));
    double *force = a->load.force;
    memset(force, 0, 3 * (size_t)a->count * sizeof *force);
    for (int f = 0; f < a->load.face_count; f++) {
        int places[VV_FACE_NODES];
        face_places(a, f, places);
        add_rim(w, a, patch, &vv_face_order2, places, when, force);
    }
    for (int t = 4 * a->load.face_count; t < a->load.triangle_count; t++)
        add_rim(w, a, patch, &vv_face_flat, a->load.corners + 3 * (size_t)t, when, force);
}

bool vv_world_push(vvWorld *w, const vv_push_time *when, double *force)
{
    bool any = false;
    for (size_t i = 0, patch = 0; i < w->attach_count; i++) {
        vv_attach *a = w->attaches + i;
        const bool acting = acts(w, a, when->time, when->lasting);
        any = any || acting;
        if (force && (a->load.acts = acting)) {
            find_constant(w, a, (int)patch, when);
            for (int n = 0; n < a->count; n++)
                for (size_t k = 0; k < 3; k++)
                    force[3 * (size_t)a->nodes[n] + k] += a->load.force[3 * (size_t)n + k];
        }
        patch += follows_as_volume(a) && !a->released;
    }
    return any;
}

/* What a load does as nodes go from where the state has them to q, J. Prescribed nodes do not feel constant forces. */
static double work_of(const vvWorld *w, const vv_attach *a, int patch, const vv_push_time *when, const double *q)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        for (size_t k = 0, at = 3 * (size_t)a->nodes[i]; w->unknown[a->nodes[i]] >= 0 && k < 3; k++)
            sum += a->load.force[3 * (size_t)i + k] * (q[at + k] - w->state.q[at + k]);
    if (follows_as_volume(a))
        sum -= a->load.pressure * factor(&a->load, when) * vv_external_gain(w->energy_at[VV_PLACE_EXTERNAL], patch, q);
    return sum;
}

double vv_world_pushed(vvWorld *w, const vv_push_time *when, const double *q, double share)
{
    double sum = 0;
    for (size_t i = 0, patch = 0; i < w->attach_count; i++) {
        vv_attach *a = w->attaches + i;
        const double work = vv_attach_loads(a) && a->load.acts ? share * work_of(w, a, (int)patch, when, q) : 0;
        a->load.work += work;
        sum += work;
        patch += follows_as_volume(a) && !a->released;
    }
    return sum;
}

void vv_world_remember_loads(vvWorld *w, bool back)
{
    for (size_t i = 0; i < w->attach_count; i++)
        if (back)
            w->attaches[i].load.work = w->attaches[i].load.before;
        else
            w->attaches[i].load.before = w->attaches[i].load.work, w->attaches[i].load.acts = false;
}

vvStatus vv_world_external(vvWorld *w, vv_energy **out, vvError *error)
{
    vv_external_patch *patch = vv_alloc(w->attach_count, sizeof *patch);
    vv_external_def def = { w->nodes, w->unknown, w->body_of, 0, patch };
    if (!patch)
        return vv_fail_memory(error, "external forces");
    for (size_t i = 0; i < w->attach_count; i++) {
        const vv_attach *a = w->attaches + i;
        if (follows_as_volume(a) && !a->released)
            patch[def.patches++] =
                (vv_external_patch){ a->load.triangle_count, a->load.face_count, a->nodes, a->load.corners };
    }
    vvStatus status = vv_external_create(&def, out, error);
    vv_free(patch);
    return status;
}

/* ---- made and checked ---- */

static vvStatus check_keys(const vvAttachDef *def, vvError *error)
{
    if (def->keyCount < 0 || def->keyCount > 1000000 || (def->keyCount > 0 && !def->keys))
        return vv_fail(error, VV_ERROR_INPUT, "attach: %d keys%s", def->keyCount,
                       def->keyCount > 0 && !def->keys ? ", but the list is NULL" : "; allowed: 0 to 1000000");
    for (int i = 0; i < def->keyCount; i++) {
        const vvKey *k = def->keys + i;
        if (!isfinite(k->time) || !(fabs(k->value) <= MOST))
            return vv_fail(error, VV_ERROR_INPUT,
                           "attach: key %d is %g at %g s; both must be finite, the factor within %g", i, k->value,
                           k->time, MOST);
        if (i > 0 && !(k->time > k[-1].time))
            return vv_fail(error, VV_ERROR_INPUT, "attach: key %d is at %g s, not after the one before (%g s)", i,
                           k->time, k[-1].time);
    }
    return VV_OK;
}

static bool is_zero(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

vvStatus vv_load_check(const vv_body *body, const vvAttachDef *def, vvError *error)
{
    const bool area = def->kind == VV_ATTACH_TRACTION || def->kind == VV_ATTACH_PRESSURE,
               vector = def->kind == VV_ATTACH_FORCE || def->kind == VV_ATTACH_TRACTION,
               loads = area || vector || def->kind == VV_ATTACH_PUSH;
    for (int k = 0; k < 3; k++)
        if (!(fabs(def->load[k]) <= MOST))
            return vv_fail(error, VV_ERROR_INPUT, "attach: load is (%g, %g, %g); each number must be within %g",
                           def->load[0], def->load[1], def->load[2], MOST);
    if (!(fabs(def->pressure) <= MOST))
        return vv_fail(error, VV_ERROR_INPUT, "attach: pressure is %g Pa; it must be within %g", def->pressure, MOST);
    if (!is_zero(def->load) && !vector)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: load belongs to the kinds VV_ATTACH_FORCE and VV_ATTACH_TRACTION");
    if (def->pressure != 0 && def->kind != VV_ATTACH_PRESSURE)
        return vv_fail(error, VV_ERROR_INPUT, "attach: pressure belongs to the kind VV_ATTACH_PRESSURE");
    if (def->follows && !area)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: follows belongs to the kinds VV_ATTACH_TRACTION and VV_ATTACH_PRESSURE");
    if ((def->keyCount != 0 || def->smooth) && !loads)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: keys and smooth belong to pushes, forces, tractions and pressures");
    if (area && body->triangle_count == 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: body \"%s\" has no triangles of its own on which a %s could act%s", body->name,
                       def->kind == VV_ATTACH_PRESSURE ? "pressure" : "traction",
                       body->solid_volume > 0 ? ": it is affine; give its force as a whole (VV_ATTACH_FORCE)" : "");
    return check_keys(def, error);
}

vvStatus vv_load_make(const vv_body *b, const vvAttachDef *def, vv_attach *a, vvError *error)
{
    const bool area = def->kind == VV_ATTACH_TRACTION || def->kind == VV_ATTACH_PRESSURE;
    vv_load *l = &a->load;
    if (!vv_attach_loads(a))
        return VV_OK;
    memcpy(l->vector, def->load, sizeof l->vector);
    l->pressure = def->pressure, l->follows = def->follows, l->smooth = def->smooth, l->key_count = def->keyCount;
    l->keys = vv_alloc((size_t)l->key_count, sizeof *l->keys);
    l->force = vv_alloc(3 * (size_t)a->count, sizeof *l->force);
    l->corners = vv_alloc(area ? 3 * (size_t)b->triangle_count + 3 : 0, sizeof *l->corners);
    if (!l->keys || !l->force || !l->corners)
        return vv_fail_memory(error, "a load");
    if (l->key_count)
        memcpy(l->keys, def->keys, (size_t)l->key_count * sizeof *l->keys);
    if (area && !vv_load_triangles(b, &def->where, a))
        return vv_fail_memory(error, "a load");
    return !area || l->triangle_count > 0
               ? VV_OK
               : vv_fail(error, VV_ERROR_INPUT,
                         "attach: the region holds no triangle of body \"%s\" with all three corners; a traction and a "
                         "pressure act on triangles",
                         b->name);
}

bool vv_load_copy(const vv_attach *from, vv_attach *to)
{
    const vv_load *l = &from->load;
    to->load.keys = NULL, to->load.force = NULL, to->load.corners = NULL;
    if (!vv_attach_loads(from))
        return true;
    to->load.keys = vv_alloc_copy(l->keys, (size_t)l->key_count, sizeof *l->keys);
    to->load.force = vv_alloc_copy(l->force, 3 * (size_t)from->count, sizeof *l->force);
    to->load.corners = vv_alloc_copy(l->corners, 3 * (size_t)l->triangle_count, sizeof *l->corners);
    return to->load.keys && to->load.force && to->load.corners;
}

void vv_load_free(vv_attach *a)
{
    vv_free(a->load.keys);
    vv_free(a->load.force);
    vv_free(a->load.corners);
}
