/* The painter's lights, what throws shadows, and which part of the picture that reaches. */
#ifndef VV_CLI_RENDER_LIGHTS_H
#define VV_CLI_RENDER_LIGHTS_H

#include "render/render.h"
#include "render/gl.h"

typedef struct vv_lights {
    int keys, skies;            /* how many points of the key light, and of the sky */
    float key[VV_MOST_KEYS][3]; /* towards them */
    float sky[VV_MOST_SKIES][3];
    float middle[3];                  /* of the key light */
    double keyRadius;                 /* tangent of its disc's half angle */
    float keyColour[3], skyColour[3]; /* what a surface receives that faces the key light, the sky */
    float zenith, horizon;            /* the sky's brightness: horizon + (zenith - horizon) * height */
} vv_lights;
void vv_lights_place(vv_lights *lights, int keys, int skies, const double up[3], const vv_camera *camera);

/* All that throws shadows, relative to the stage's origin. */
typedef struct vv_casters {
    double low[3], high[3], centre[3], radius;
    double height; /* of the lowest corner of the box above the ground, m, at least 0 */
} vv_casters;
void vv_casters_measure(vv_casters *casters, const vv_render_stage *stage, const vv_camera *camera);
/* Rows of the matrix that takes a point (relative) to [0,1]^3 of the light's box around the casters. */
void vv_light_rows(const float direction[3], const vv_casters *casters, float rows[12]);
/* Pixels (x, y from the bottom, width, height) that bodies and obstacles can reach: `region`; and with them their
 * shadows and everything else that differs from the empty stage: `lit`. `halo`: how far from the casters the ground
 * feels that the sky is hidden, in multiples of their radius. */
void vv_casters_region(const vv_casters *casters, const vv_lights *lights, const vv_render_stage *stage,
                       const vv_camera *camera, double halo, int width, int height, int region[4], int lit[4]);

#endif
