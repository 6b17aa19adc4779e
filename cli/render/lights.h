/* The painter's lights, what throws shadows, and which part of the picture that reaches. */
#ifndef VV_CLI_RENDER_LIGHTS_H
#define VV_CLI_RENDER_LIGHTS_H

#include "render/render.h"
#include "render/gl.h"

enum { VV_MOST_PASSES = 64 };

typedef struct vv_lights {
    int passes;
    float direction[VV_MOST_PASSES][VV_LIGHTS][3]; /* towards the light; [0]: the key light */
    float strength[VV_MOST_PASSES][VV_LIGHTS][3];
    double key[3];      /* the key light's middle */
    double keyRadius;   /* tangent of its disc's half angle */
} vv_lights;
void vv_lights_place(vv_lights *lights, int passes, const double up[3], const vv_camera *camera);

/* All that throws shadows, relative to the stage's origin. */
typedef struct vv_casters {
    double low[3], high[3], centre[3], radius;
    double height; /* of the lowest corner of the box above the ground, m, at least 0 */
} vv_casters;
void vv_casters_measure(vv_casters *casters, const vv_render_stage *stage);
/* Rows of the matrix that takes a point (relative) to [0,1]^3 of the light's box around the casters. */
void vv_light_rows(const float direction[3], const vv_casters *casters, float rows[12]);
/* Pixels (x, y from the bottom, width, height) that bodies, obstacles and their shadows can reach. `halo`: how far from
 * the casters the ground feels that the sky is hidden, in multiples of their radius. */
void vv_casters_region(const vv_casters *casters, const vv_lights *lights, const vv_render_stage *stage,
                       const vv_camera *camera, double halo, int width, int height, int region[4]);

#endif
