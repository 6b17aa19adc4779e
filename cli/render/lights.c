/* Lights: the key light is a disc of directions, up and to the left of the camera; the sky is the hemisphere around up,
 * brighter at the top. Together they give open ground exactly white, unless the key light stands low. */
#include "render/lights.h"

#include <math.h>
#include <string.h>

static const double key_share = 0.62; /* of the light on open ground */
static const double key_radius = 6;   /* degrees */
/* sine of the height below which it is not stronger */
static const double lowest_key = 0.6;
static const double sky_zenith = 1.3, sky_horizon = 0.7;
static const double farthest_caster = 20; /* from what is looked at, in its sizes */
static const unsigned key_colour = 0xfff1dc, sky_colour = 0xeaf0fc;

/* Directions of the middle of the key light, and of the camera's own horizontal frame. */
static void key_frame(vv_lights *lights, const double up[3], const vv_camera *camera, double key[3], double flat[3])
{
    double e = camera->keyElevation * M_PI / 180, a = camera->keyAzimuth * M_PI / 180;
    vv_cross3(camera->right, up, flat);
    vv_unit3(flat);
    for (int k = 0; k < 3; k++)
        key[k] = cos(e) * (cos(a) * flat[k] + sin(a) * camera->right[k]) + sin(e) * up[k];
    vv_unit3(key);
    for (int k = 0; k < 3; k++)
        lights->middle[k] = (float)key[k];
    lights->keyRadius = tan(key_radius * M_PI / 180);
}

/* Sunflower points of the key light's disc, of which every second is a sunflower too. */
static void place_key(vv_lights *lights, const double up[3], const double key[3])
{
    double side[3], across[3];
    vv_cross3(up, key, side);
    vv_unit3(side);
    vv_cross3(key, side, across);
    for (int i = 0; i < lights->keys; i++) {
        double r = lights->keyRadius * sqrt((i + 0.5) / lights->keys), t = i / 2 * M_PI * (3 - sqrt(5)) + i % 2 * M_PI,
               d[3];
        for (int k = 0; k < 3; k++)
            d[k] = key[k] + r * (cos(t) * side[k] + sin(t) * across[k]);
        vv_unit3(d);
        for (int k = 0; k < 3; k++)
            lights->key[i][k] = (float)d[k];
    }
}

/* Spherical Fibonacci points of the upper half, of which every fourth are such points too. */
static void place_sky(vv_lights *lights, const double up[3], const double right[3], const double flat[3])
{
    for (int i = 0; i < lights->skies; i++) {
        double z = (i + 0.5) / lights->skies, s = sqrt(1 - z * z),
               turn = i / 4 * M_PI * (3 - sqrt(5)) + i % 4 * M_PI / 2;
        for (int k = 0; k < 3; k++)
            lights->sky[i][k] = (float)(s * (cos(turn) * right[k] + sin(turn) * flat[k]) + z * up[k]);
    }
}

void vv_lights_place(vv_lights *lights, int keys, int skies, const double up[3], const vv_camera *camera)
{
    float key_tint[4], sky_tint[4];
    double flat[3], key[3];
    lights->keys = keys;
    lights->skies = skies;
    lights->zenith = (float)sky_zenith;
    lights->horizon = (float)sky_horizon;
    key_frame(lights, up, camera, key, flat);
    place_key(lights, up, key);
    place_sky(lights, up, camera->right, flat);
    vv_linear_colour(key_colour, key_tint);
    vv_linear_colour(sky_colour, sky_tint);
    for (int k = 0; k < 3; k++) { /* over the tint of open ground, so that the ground keeps its own colour */
        double white = key_share * key_tint[k] + (1 - key_share) * sky_tint[k];
        lights->keyColour[k] = (float)(key_share * key_tint[k] / (white * fmax(vv_dot3(up, key), lowest_key)));
        lights->skyColour[k] = (float)((1 - key_share) * sky_tint[k] / white);
    }
}

/* ---- casters ---- */

void vv_casters_measure(vv_casters *c, const vv_render_stage *stage, const vv_camera *camera)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        c->low[k] = stage->low[k] - stage->origin[k] - stage->tubeRadius;
        c->high[k] = stage->high[k] - stage->origin[k] + stage->tubeRadius;
    }
    for (int i = 0; i < stage->obstacles.vertexCount; i++)
        for (int k = 0; k < 3; k++) {
            double x = stage->obstacles.vertices[i].position[k];
            c->low[k] = fmin(c->low[k], x);
            c->high[k] = fmax(c->high[k], x);
        }
    for (int k = 0; k < 3; k++) { /* what lies far outside the picture would coarsen the shadows */
        double middle = camera->focus[k] - stage->origin[k], most = farthest_caster * camera->size;
        c->low[k] = fmin(fmax(c->low[k], middle - most), middle + most);
        c->high[k] = fmin(fmax(c->high[k], middle - most), middle + most);
    }
    c->height = 0;
    for (int k = 0; k < 3; k++) {
        double n = stage->ground.normal[k];
        c->centre[k] = (c->low[k] + c->high[k]) / 2;
        square += (c->high[k] - c->low[k]) * (c->high[k] - c->low[k]);
        c->height +=
            stage->hasGround ? n * ((n > 0 ? c->low[k] : c->high[k]) + stage->origin[k] - stage->ground.point[k]) : 0;
    }
    c->height = fmax(c->height, 0);
    c->radius = fmax(0.5 * sqrt(square) * 1.02, 1e-9);
}

void vv_light_rows(const float direction[3], const vv_casters *casters, float rows[12])
{
    double back[3] = { direction[0], direction[1], direction[2] }, pick[3] = { 0, 0, 0 }, right[3], up[3];
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(back[k]) < fabs(back[least]))
            least = k;
    pick[least] = 1;
    vv_cross3(pick, back, right);
    vv_unit3(right);
    vv_cross3(back, right, up);
    const double *axis[3] = { right, up, back };
    for (int r = 0; r < 3; r++) {
        double sign = r == 2 ? -1 : 1; /* depth grows away from the light */
        for (int k = 0; k < 3; k++)
            rows[4 * r + k] = (float)(sign * axis[r][k] / (2 * casters->radius));
        rows[4 * r + 3] = (float)(0.5 - sign * vv_dot3(axis[r], casters->centre) / (2 * casters->radius));
    }
}

/* ---- the part of the picture that is not plain background ---- */

typedef struct box2 {
    double low[2], high[2];
    bool whole;
} box2;

static void include(box2 *box, const vv_render_stage *stage, const vv_camera *camera, const double point[3], int width,
                    int height)
{
    double x[3], depth = 0, pixel[2];
    for (int k = 0; k < 3; k++) {
        x[k] = point[k] + stage->origin[k];
        depth -= (x[k] - camera->eye[k]) * camera->back[k];
    }
    if (!(depth > 2 * camera->near)) {
        box->whole = true;
        return;
    }
    vv_camera_project(camera, x, width, height, pixel);
    pixel[1] = height - pixel[1];
    for (int k = 0; k < 2; k++) {
        box->low[k] = fmin(box->low[k], pixel[k]);
        box->high[k] = fmax(box->high[k], pixel[k]);
    }
}

/* Where the ray from the point along `d` meets the ground (relative coordinates); the point itself when it does not. */
static void drop(const vv_render_stage *stage, const double point[3], const double d[3], double out[3])
{
    double height = 0, slope = vv_dot3(stage->ground.normal, d);
    for (int k = 0; k < 3; k++)
        height += (point[k] + stage->origin[k] - stage->ground.point[k]) * stage->ground.normal[k];
    for (int k = 0; k < 3; k++)
        out[k] = point[k] - (slope > 1e-6 ? height / slope : 0) * d[k];
}

static void include_ground(box2 *box, const vv_casters *c, const vv_lights *lights, const vv_render_stage *stage,
                           const vv_camera *camera, double halo, int width, int height)
{
    double u[3], v[3], at[3];
    const double *n = stage->ground.normal;
    vv_cross3(camera->right, n, u);
    vv_unit3(u);
    vv_cross3(n, u, v);
    drop(stage, c->centre, n, at);
    for (int i = 0; i < 16; i++) { /* the halo, a little larger than the disc itself */
        double a = 2 * M_PI * i / 16, x[3];
        for (int k = 0; k < 3; k++)
            x[k] = at[k] + 1.05 * halo * c->radius * (cos(a) * u[k] + sin(a) * v[k]);
        include(box, stage, camera, x, width, height);
    }
    for (int i = 0; i < lights->keys; i++)
        for (int corner = 0; corner < 8; corner++) {
            double x[3], d[3];
            for (int k = 0; k < 3; k++) {
                x[k] = (corner >> k & 1) ? c->high[k] : c->low[k];
                d[k] = lights->key[i][k];
            }
            drop(stage, x, d, at);
            include(box, stage, camera, at, width, height);
        }
}

/* Whole pixels, six to spare, inside the picture. */
static void round_box(const box2 *box, const int size[2], int region[4])
{
    for (int k = 0; k < 2; k++) {
        double low = box->whole ? 0 : fmin(fmax(floor(box->low[k]) - 6, 0), size[k]);
        double high = box->whole ? size[k] : fmin(fmax(ceil(box->high[k]) + 6, low), size[k]);
        region[k] = (int)low;
        region[2 + k] = (int)(high - low);
    }
}

void vv_casters_region(const vv_casters *c, const vv_lights *lights, const vv_render_stage *stage,
                       const vv_camera *camera, double halo, int width, int height, int region[4], int lit[4])
{
    const int size[2] = { width, height };
    box2 box = { { INFINITY, INFINITY }, { -INFINITY, -INFINITY }, false };
    for (int corner = 0; corner < 8; corner++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (corner >> k & 1) ? c->high[k] : c->low[k];
        include(&box, stage, camera, x, width, height);
    }
    round_box(&box, size, region);
    if (stage->hasGround)
        include_ground(&box, c, lights, stage, camera, halo, width, height);
    box.whole = box.whole || stage->wallCount > 0;
    round_box(&box, size, lit);
}
