/* A camera that the mouse turns about a point. */
#include "view/orbit.h"

#include <math.h>
#include <string.h>

static const double STEEPEST = 89, MARGIN = 1.15;
static const double CLOSE = 0.85; /* of the distance from where all is seen: nearer, something may be cut off */

void vv_orbit_begin(vv_orbit *o, const double up[3], const double low[3], const double high[3])
{
    const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 }, *start = fabs(up[0]) < 0.9 ? x : z;
    const double lift = vv_dot3(start, up), usual = vv_default_view().fov;
    double square = 0;
    *o = (vv_orbit){ .azimuth = 25, .elevation = 18, .fov = isnan(usual) || !(usual > 0) ? 24 : usual };
    memcpy(o->up, up, sizeof o->up);
    for (int k = 0; k < 3; k++) {
        o->across[k] = start[k] - lift * up[k];
        o->target[k] = 0.5 * (low[k] + high[k]);
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    vv_unit3(o->across);
    vv_cross3(o->across, up, o->along);
    o->size = square > 0 ? sqrt(square) : 1;
    o->distance = MARGIN * 0.5 * o->size / sin(o->fov * M_PI / 360);
}

void vv_orbit_turn(vv_orbit *o, double azimuth, double elevation)
{
    o->azimuth = fmod(o->azimuth + azimuth, 360);
    o->elevation = fmin(fmax(o->elevation + elevation, -STEEPEST), STEEPEST);
}

void vv_orbit_zoom(vv_orbit *o, double factor)
{
    o->distance = fmin(fmax(o->distance * factor, 0.05 * o->size), 100 * o->size);
}

void vv_orbit_pan(vv_orbit *o, double right, double up)
{
    vv_camera c;
    const double height = 2 * o->distance * tan(o->fov * M_PI / 360);
    vv_orbit_camera(o, 1, &c);
    for (int k = 0; k < 3; k++)
        o->target[k] += height * (right * c.right[k] + up * c.up[k]);
}

void vv_orbit_camera(const vv_orbit *o, double aspect, vv_camera *c)
{
    const double a = o->azimuth * M_PI / 180, e = o->elevation * M_PI / 180;
    const vv_view usual = vv_default_view();
    *c = (vv_camera){ .size = o->size,
                      .keyAzimuth = usual.keyAzimuth,
                      .keyElevation = usual.keyElevation,
                      .tanY = tan(o->fov * M_PI / 360),
                      .near = 0.02 * o->distance,
                      .far = o->distance + 90 * o->size };
    c->tanX = c->tanY * aspect;
    for (int k = 0; k < 3; k++)
        c->back[k] = cos(e) * (sin(a) * o->across[k] + cos(a) * o->along[k]) + sin(e) * o->up[k];
    vv_unit3(c->back);
    vv_cross3(o->up, c->back, c->right);
    vv_unit3(c->right);
    vv_cross3(c->back, c->right, c->up);
    for (int k = 0; k < 3; k++) {
        c->focus[k] = o->target[k];
        c->eye[k] = o->target[k] + o->distance * c->back[k];
    }
}

/* Of the distance: from `to`'s target to here. */
static double beside(const vv_orbit *o, const vv_orbit *to)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (to->target[k] - o->target[k]) * (to->target[k] - o->target[k]);
    return sqrt(square) / to->distance;
}

bool vv_orbit_chase(vv_orbit *o, const vv_orbit *to, double seconds)
{
    static const double LAZY = 0.5, NEAR = 2e-3, FARTHEST = 0.06; /* s; of the distance */
    const double part = 1 - exp(-seconds / LAZY);
    o->size = to->size;
    o->distance = fmax(o->distance * pow(to->distance / o->distance, part), CLOSE * to->distance);
    /* what is faster than that stays in the picture */
    const double off = beside(o, to), shift = off * (1 - part) > FARTHEST ? 1 - FARTHEST / off : part;
    for (int k = 0; k < 3; k++)
        o->target[k] += shift * (to->target[k] - o->target[k]);
    return beside(o, to) > NEAR || fabs(o->distance / to->distance - 1) > NEAR;
}

bool vv_orbit_lags(const vv_orbit *o, const vv_orbit *to)
{
    static const double FAR = 1.4, BESIDE = 0.05;
    return o->distance > FAR * to->distance || o->distance < CLOSE * to->distance || beside(o, to) > BESIDE;
}

void vv_orbit_ray(const vv_orbit *o, double aspect, double x, double y, double origin[3], double direction[3])
{
    vv_camera c;
    vv_orbit_camera(o, aspect, &c);
    memcpy(origin, c.eye, sizeof c.eye);
    for (int k = 0; k < 3; k++)
        direction[k] = (2 * x - 1) * c.tanX * c.right[k] + (1 - 2 * y) * c.tanY * c.up[k] - c.back[k];
    vv_unit3(direction);
}
