/* Named initial states of a body. Each is a row: parameters, and a function of the placed body. They add up in call
 * order. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text/param.h"
#include "base/vec.h"
#include "world/bodies/directors.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define FROM_CENTRE { NAN, NAN, NAN }
/* clang-format on */

typedef struct state {
    vvInitialState type;
    vvStatus (*apply)(vvWorld *w, int body, const double *p, vvError *error);
    bool tangles; /* makes the body intersect itself: it cannot collide with itself from then on */
    bool deforms; /* its positions, other than as an affine map that keeps right angles */
} state;

static void centre_of_mass(const vvWorld *w, const vv_body *b, double c[3])
{
    double mass = 0;
    c[0] = c[1] = c[2] = 0;
    for (int i = b->first; i < b->first + b->count; i++) {
        mass += w->mass[i];
        for (int k = 0; k < 3; k++)
            c[k] += w->mass[i] * w->state.q[3 * (size_t)i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= mass;
}

/* A point parameter: NaN means the centre of mass. */
static void about(const vvWorld *w, const vv_body *b, const double *p, double c[3])
{
    centre_of_mass(w, b, c);
    for (int k = 0; k < 3; k++)
        if (!isnan(p[k]))
            c[k] = p[k];
}

/* Extent of the body along a unit axis; returns false for a zero axis. */
static bool along_axis(const vvWorld *w, const vv_body *b, const double *axis, double u[3], double *lo, double *hi)
{
    double length = vv_norm(axis);
    if (!(length > 0))
        return false;
    *lo = INFINITY, *hi = -INFINITY;
    for (int k = 0; k < 3; k++)
        u[k] = axis[k] / length;
    for (int i = b->first; i < b->first + b->vertex_count; i++) {
        double s = vv_dot(u, w->state.q + 3 * (size_t)i);
        *lo = fmin(*lo, s), *hi = fmax(*hi, s);
    }
    return *hi > *lo;
}

static vvStatus flat(vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT, "axis: the direction is zero, or the body has no extent along it");
}

static vvStatus apply_linear(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < 3; k++)
            w->state.v[3 * (size_t)i + k] += p[k];
    return VV_OK;
}

static vvStatus apply_angular(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    double c[3], r[3], u[3];
    about(w, b, p + 3, c);
    for (int i = b->first; i < b->first + b->count; i++) {
        vv_sub(w->state.q + 3 * (size_t)i, c, r);
        vv_cross(p, r, u);
        for (int k = 0; k < 3; k++)
            w->state.v[3 * (size_t)i + k] += u[k];
    }
    return VV_OK;
}

static vvStatus apply_profile(vvWorld *w, int body, const double *p, vvError *error)
{
    const vv_body *b = w->bodies + body;
    double u[3], lo, hi;
    if (!along_axis(w, b, p + 3, u, &lo, &hi))
        return flat(error);
    for (int i = b->first; i < b->first + b->count; i++) {
        double s = (vv_dot(u, w->state.q + 3 * (size_t)i) - lo) / (hi - lo);
        for (int k = 0; k < 3; k++)
            w->state.v[3 * (size_t)i + k] += s * p[k];
    }
    return VV_OK;
}

static vvStatus apply_translate(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < 3; k++)
            w->state.q[3 * (size_t)i + k] += p[k];
    return VV_OK;
}

static vvStatus apply_stretch(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    double c[3];
    about(w, b, p + 3, c);
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < 3; k++) {
            double *x = w->state.q + 3 * (size_t)i + k;
            *x = c[k] + p[k] * (*x - c[k]);
        }
    return VV_OK;
}

static vvStatus apply_twist(vvWorld *w, int body, const double *p, vvError *error)
{
    const vv_body *b = w->bodies + body;
    double u[3], lo, hi, c[3], r[3], turn[9];
    if (!along_axis(w, b, p + 1, u, &lo, &hi))
        return flat(error);
    centre_of_mass(w, b, c);
    for (int i = b->first; i < b->first + b->count; i++) {
        double *x = w->state.q + 3 * (size_t)i, s = (vv_dot(u, x) - lo) / (hi - lo);
        vv_axis_angle(u, s * p[0] * 3.14159265358979323846 / 180, turn);
        vv_sub(x, c, r);
        vv_matvec(turn, r, r);
        for (int k = 0; k < 3; k++)
            x[k] = c[k] + r[k];
    }
    return VV_OK;
}

/* Bends the straight axis to an arc of `angle` in the plane of axis and side; its low end stays in place. */
static vvStatus apply_bend(vvWorld *w, int body, const double *p, vvError *error)
{
    const vv_body *b = w->bodies + body;
    double u[3], n[3], lo, hi, c[3], r[3];
    if (!along_axis(w, b, p + 1, u, &lo, &hi))
        return flat(error);
    double across = vv_dot(p + 4, u);
    for (int k = 0; k < 3; k++)
        n[k] = p[4 + k] - across * u[k];
    double length = vv_norm(n), angle = p[0] * 3.14159265358979323846 / 180;
    if (!(length > 1e-9 * vv_norm(p + 4)))
        return vv_fail(error, VV_ERROR_INPUT, "side: it must not be zero or along the axis");
    if (angle == 0)
        return VV_OK;
    double radius = (hi - lo) / angle;
    centre_of_mass(w, b, c);
    for (int i = b->first; i < b->first + b->count; i++) {
        double *x = w->state.q + 3 * (size_t)i;
        vv_sub(x, c, r);
        double along = vv_dot(u, x) - lo, side = vv_dot(n, r) / length, turn = along / radius;
        double a = (radius - side) * sin(turn), s = radius - (radius - side) * cos(turn);
        for (int k = 0; k < 3; k++)
            x[k] += (a - along) * u[k] + (s - side) * n[k] / length;
    }
    return VV_OK;
}

static void bounds(const vvWorld *w, const vv_body *b, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++)
        lo[k] = INFINITY, hi[k] = -INFINITY;
    for (int i = b->first; i < b->first + b->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], w->state.q[3 * (size_t)i + k]);
            hi[k] = fmax(hi[k], w->state.q[3 * (size_t)i + k]);
        }
}

static vvStatus apply_random(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    double lo[3], hi[3];
    bounds(w, b, lo, hi);
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < 3; k++) {
            double middle = 0.5 * (lo[k] + hi[k]), half = 0.5 * p[0] * (hi[k] - lo[k]);
            w->state.q[3 * (size_t)i + k] = middle + half * (2 * vv_random(&w->random) - 1);
        }
    return VV_OK;
}

static vvStatus apply_collapsed(vvWorld *w, int body, const double *p, vvError *error)
{
    (void)error;
    const vv_body *b = w->bodies + body;
    double lo[3], hi[3], c[3];
    bounds(w, b, lo, hi);
    centre_of_mass(w, b, c);
    for (int i = b->first; i < b->first + b->count; i++)
        for (int k = 0; k < 3; k++) {
            double *x = w->state.q + 3 * (size_t)i + k;
            *x = c[k] + p[k] * (*x - c[k]) + p[3] * (hi[k] - lo[k]) * (vv_random(&w->random) - 0.5);
        }
    return VV_OK;
}

static vvStatus apply_mode(vvWorld *w, int body, const double *p, vvError *error)
{
    if (!vv_grow((void **)&w->modes, &w->mode_capacity, w->mode_count + 1, sizeof *w->modes))
        return vv_fail_memory(error, "an initial state");
    w->modes[w->mode_count++] = (vv_mode_request){ body, (int)p[0], p[1], p[2] };
    return VV_OK;
}

/* clang-format off */
#define VECTOR(name, text, unit, ...) { name, text, unit, 3, false, __VA_ARGS__, -FAR_LIMIT, FAR_LIMIT }
/* clang-format on */
#define FAR_LIMIT 1e9
static const vvParam linear_params[] = { VECTOR("velocity", "added to every node", "m/s", { 0, 0, 0 }) };
static const vvParam angular_params[] = { VECTOR("rate", "angular velocity vector", "rad/s", { 0, 0, 0 }),
                                          VECTOR("about", "a point of the axis; the centre of mass by default", "m",
                                                 FROM_CENTRE) };
static const vvParam profile_params[] = {
    VECTOR("velocity", "at the far end of the body along the axis", "m/s", { 0, -1, 0 }),
    VECTOR("axis", "velocity grows from zero along this direction", "", { 0, -1, 0 })
};
static const vvParam translate_params[] = { VECTOR("offset", "moves the body without changing its rest place", "m",
                                                   { 0, 0, 0 }) };
static const vvParam stretch_params[] = { VECTOR("factor", "scale along x, y, z", "", { 1.5, 1, 1 }),
                                          VECTOR("about", "fixed point; the centre of mass by default", "m",
                                                 FROM_CENTRE) };
static const vvParam twist_params[] = {
    { "angle", "turn of the far end against the near one", "deg", 1, false, { 90 }, -1e5, 1e5 },
    VECTOR("axis", "direction from near to far", "", { 1, 0, 0 })
};
static const vvParam bend_params[] = { { "angle", "turn of the far end", "deg", 1, false, { 45 }, -1e4, 1e4 },
                                       VECTOR("axis", "direction from the near end to the far one", "", { 1, 0, 0 }),
                                       VECTOR("side", "the side to which it bends", "", { 0, 1, 0 }) };
static const vvParam random_params[] = {
    { "size", "edge of the box of random positions, in bounding boxes of the body", "", 1, false, { 1 }, 0, 1000 }
};
static const vvParam collapsed_params[] = {
    { "keep", "what is left of x, y, z", "", 3, false, { 0, 0, 0 }, 0, 1 },
    { "noise", "random displacement, in bounding boxes", "", 1, false, { 1e-3 }, 0, 1 }
};
static const vvParam mode_params[] = {
    { "number", "1 is the lowest elastic mode", "", 1, true, { 1 }, 1, 64 },
    { "amplitude", "largest displacement of a vertex", "m", 1, false, { 0 }, -FAR_LIMIT, FAR_LIMIT },
    { "speed", "largest velocity of a vertex", "m/s", 1, false, { 1 }, -FAR_LIMIT, FAR_LIMIT }
};

enum { MOST_VALUES = 16 }; /* of a row */
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))
/* clang-format off */
#define ROW(name, text) { { #name, text }, COUNT_OF(name##_params), name##_params }, apply_##name, false, false
#define DEFORMS(name, text) { { #name, text }, COUNT_OF(name##_params), name##_params }, apply_##name, false, true
#define TANGLES(name, text) { { #name, text }, COUNT_OF(name##_params), name##_params }, apply_##name, true, true
/* clang-format on */
static const state table[] = {
    { ROW(linear, "one velocity for all nodes") },
    { ROW(angular, "rigid rotation about an axis") },
    { ROW(profile, "velocity that grows linearly along a direction") },
    { ROW(translate, "shifts the start") },
    { DEFORMS(stretch, "scales the start") },
    { DEFORMS(twist, "twists the start about an axis through the centre of mass") },
    { DEFORMS(bend, "bends the start to an arc") },
    { TANGLES(random, "every node at a random place") },
    { TANGLES(collapsed, "all nodes in a point, line or plane, with a little noise") },
    { ROW(mode, "a vibration mode of the rest shape, as displacement and velocity") },
};

const vvInitialState *vvInitialStateInfo(int index)
{
    return index >= 0 && index < COUNT_OF(table) ? &table[index].type : NULL;
}

static const vvInfo *state_info(int index)
{
    const vvInitialState *s = vvInitialStateInfo(index);
    return s ? &s->info : NULL;
}

/* Whether a body can still be given an initial state. */
static vvStatus check_body(vvWorld *w, int body, vvError *error)
{
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetInitialState: no such body");
    vvStatus status = vv_world_open(w, "set an initial state", error);
    if (status != VV_OK)
        return status;
    const vv_body *b = w->bodies + body;
    if (b->stage & VV_BODY_STEPPED)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "set an initial state: body \"%s\" has already been stepped; set initial states "
                       "before the first step that it takes part in, or use vvBodySetState",
                       b->name);
    if (b->kinematic)
        return vv_fail(error, VV_ERROR_INPUT,
                       "set an initial state: body \"%s\" is kinematic: it stands where its placement and "
                       "motion say",
                       b->name);
    return VV_OK;
}

static vvStatus find_state(const char *name, const state **found, vvError *error)
{
    for (int row = 0; name && row < COUNT_OF(table); row++)
        if (strcmp(table[row].type.info.name, name) == 0) {
            *found = table + row;
            return VV_OK;
        }
    return vv_fail_unknown(error, "initial state", name, state_info);
}

/* Directors stay perpendicular to their edges: those over triangles along the normals of these, those of a chain of
 * edges where the map takes what is close to the edge. */
static vvStatus deform(vvWorld *w, int body, const state *found, const double *p, vvError *error)
{
    const vv_body *b = w->bodies + body;
    bool normals = b->triangle_count > 0 || found->tangles;
    if (vv_body_directors(b) == 0)
        return found->apply(w, body, p, error);
    double *x = w->state.q + 3 * (size_t)b->first, *before = vv_alloc_copy(x, 3 * (size_t)b->count, sizeof *x);
    uint64_t random = w->random;
    if (!before)
        return vv_fail_memory(error, "an initial state");
    if (!normals)
        vv_directors_draw_in(b, w->state.q);
    vvStatus status = found->apply(w, body, p, error);
    if (!normals)
        vv_directors_draw_out(b, w->rest, w->state.q);
    else if (status == VV_OK)
        status = vv_directors_place(b, w->rest, w->state.q, error);
    if (status != VV_OK) { /* as if nothing had been tried */
        memcpy(x, before, 3 * (size_t)b->count * sizeof *x);
        w->random = random;
    }
    vv_free(before);
    return status;
}

static bool level(const double *x, int count, double rounding)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, x[3 * i + 2]), most = fmax(most, x[3 * i + 2]);
    return !(most - least > rounding);
}

/* Of a flat body, which has to stay in its plane. */
static vvStatus apply_within_plane(vvWorld *w, int body, const state *found, const double *p, vvError *error)
{
    const vv_body *b = w->bodies + body;
    const size_t n = 3 * (size_t)b->count;
    double *x = w->state.q + 3 * (size_t)b->first, *v = w->state.v + 3 * (size_t)b->first, size = 0;
    double *places = vv_alloc_copy(x, n, sizeof *x), *speeds = vv_alloc_copy(v, n, sizeof *v);
    const uint64_t random = w->random;
    vvStatus status = places && speeds
                          ? found->deforms ? deform(w, body, found, p, error) : found->apply(w, body, p, error)
                          : vv_fail_memory(error, "an initial state");
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fmax(fabs(x[i]), fabs(v[i])));
    if (status == VV_OK && !(level(x, b->count, 1e-9 * size) && level(v, b->count, 1e-9 * size)))
        status = vv_fail(error, VV_ERROR_INPUT,
                         "takes the flat body \"%s\" out of its plane: it turns about z only, and moves along x and "
                         "y (along z as a whole)",
                         b->name);
    if (status != VV_OK && places && speeds) {
        memcpy(x, places, n * sizeof *x);
        memcpy(v, speeds, n * sizeof *v);
        w->random = random;
    }
    vv_free(places);
    vv_free(speeds);
    return status;
}

/* A body that starts in itself cannot collide with itself. */
static void let_through_itself(vvWorld *w, vv_body *b, const char *name)
{
    if (!b->self_contact)
        return;
    b->self_contact = false;
    if (vv_contact_acts(vv_world_model(w)) && w->def.contact.self)
        vv_world_log(w, VV_LOG_INFO,
                     "body \"%s\" starts \"%s\", passing through itself: it will not collide with itself", b->name,
                     name);
}

static vvStatus set_initial_state(vvWorld *w, vvBodyId id, const char *name, const vvSetting *settings, int count,
                                  vvError *error)
{
    int body = vv_body_index(w, id);
    double p[MOST_VALUES];
    const state *found = NULL;
    vvStatus status = find_state(name, &found, error);
    if (status == VV_OK && (status = vv_params_complete((vv_params){ found->type.paramCount, found->type.params },
                                                        settings, count, name, p, error)) != VV_OK)
        vv_fail_prefix(error, "initial state ");
    if (status == VV_OK)
        status = check_body(w, body, error);
    if (status == VV_OK && found->deforms && w->bodies[body].solid_volume > 0)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "initial state \"%s\" changes the shape of body \"%s\", which is affine and hardly deforms; "
                         "place it elsewhere, "
                         "or give it a velocity",
                         found->type.info.name, w->bodies[body].name);
    if (status != VV_OK)
        return status;
    status = vv_body_is_flat(w->bodies + body) ? apply_within_plane(w, body, found, p, error)
             : found->deforms                  ? deform(w, body, found, p, error)
                                               : found->apply(w, body, p, error);
    if (status != VV_OK)
        return vv_fail_prefix(error, "initial state %s: ", name);
    w->settled = false;
    if (found->tangles)
        let_through_itself(w, w->bodies + body, name);
    vv_world_changed(w);
    return VV_OK;
}

void vv_initial_overwritten(vvWorld *w, int first, int count, bool positions, bool velocities)
{
    size_t kept = 0;
    for (size_t m = 0; m < w->mode_count; m++) {
        vv_mode_request mode = w->modes[m];
        bool it = mode.body >= first && mode.body < first + count;
        mode.amplitude = it && positions ? 0 : mode.amplitude;
        mode.speed = it && velocities ? 0 : mode.speed;
        if (!it || mode.amplitude != 0 || mode.speed != 0)
            w->modes[kept++] = mode;
    }
    if (w->mode_count > 0) { /* part of what snapshots share */
        vv_world_unshare(w);
    }
    w->mode_count = kept;
}

vvStatus vvBodySetInitialState(vvWorld *w, vvBodyId id, const char *name, const vvSetting *settings, int settingCount,
                               vvError *error)
{
    VV_WORLD_CALL(w, error, set_initial_state(w, id, name, settings, settingCount, error));
}
